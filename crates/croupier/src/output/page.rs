//! A page of words and tables, as wide as the terminal or, away from one, as a sheet of paper.

use comfy_table::{
    Attribute, Cell, CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Row, Table,
    TableStyle, Width,
};

/// The width where there is no terminal to ask.
const PAPER: u16 = 110;
/// Below this, columns are too narrow to read; the terminal then breaks the lines.
const NARROWEST: u16 = 80;
/// Lines longer than this are hard to read, however wide the terminal.
const WIDEST: u16 = 120;
/// Few words are longer: columns of words are not made narrower than this.
const WORD: u16 = 12;
/// Blanks between columns, besides the one that the style puts there.
const GUTTER: u16 = 1;

/// A rule under the titles, and blanks between columns.
const TABLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none());

/// A double rule under a heading.
const HEADING: TableStyle = TABLE.header_separator(LineStyle::none().fill('═'));

/// A column of a table: its title, and how its cells stand.
#[derive(Copy, Clone)]
pub enum Column<'a> {
    /// Words, in as many lines as they need.
    Words(&'a str),
    /// A name or number that is not broken into lines.
    Name(&'a str),
    /// A figure, on the right.
    Figure(&'a str),
}

impl<'a> Column<'a> {
    fn title(self) -> &'a str {
        match self {
            Column::Words(title) | Column::Name(title) | Column::Figure(title) => title,
        }
    }
}

/// Text that grows from the top.
pub struct Page {
    text: String,
    width: u16,
}

impl Page {
    /// An empty page.
    pub fn new() -> Page {
        Page { text: String::new(), width: Page::width() }
    }

    /// How wide pages are: as the terminal, within reason.
    pub fn width() -> u16 {
        Table::new().width().map_or(PAPER, |width| width.clamp(NARROWEST, WIDEST))
    }

    /// What has been written.
    pub fn into_text(self) -> String {
        self.text
    }

    /// A heading, with a line of distance to what stands above it.
    pub fn heading(&mut self, words: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let mut table = Table::new();
        table.set_header([bold(words)]);
        self.put(table, HEADING);
    }

    /// A paragraph of words.
    pub fn words(&mut self, words: &str) {
        self.rows([[words]]);
    }

    /// A line that is never broken, so that it can be copied.
    pub fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A table. A column in which every cell is empty is left out.
    pub fn table<R: AsRef<[String]>>(&mut self, columns: &[Column], rows: impl IntoIterator<Item = R>) {
        let rows: Vec<R> = rows.into_iter().collect();
        let cell = |row: &R, place: usize| row.as_ref().get(place).cloned().unwrap_or_default();
        let used = |place: &usize| rows.iter().any(|row| !cell(row, *place).is_empty());
        let places: Vec<usize> = (0..columns.len()).filter(used).collect();
        let shown: Vec<Column> = places.iter().filter_map(|place| columns.get(*place).copied()).collect();
        let mut table = Table::new();
        table.set_header(shown.iter().map(|column| bold(column.title())));
        table.add_rows(rows.iter().map(|row| places.iter().map(|place| cell(row, *place)).collect::<Vec<_>>()));
        let widths = table.column_max_content_widths();
        for ((column, shown), width) in table.column_iter_mut().zip(shown).zip(widths) {
            match shown {
                Column::Words(_) => {
                    let least = Width::Fixed(width.min(WORD).saturating_add(GUTTER));
                    column.set_constraint(ColumnConstraint::LowerBoundary(least));
                }
                Column::Name(_) => {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                }
                Column::Figure(_) => {
                    column.set_constraint(ColumnConstraint::ContentWidth);
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
        }
        self.put(table, TABLE);
    }

    /// Rows without a title over the columns.
    pub fn rows<R: Into<Row>>(&mut self, rows: impl IntoIterator<Item = R>) {
        let mut table = Table::new();
        table.add_rows(rows);
        self.put(table, TABLE);
    }

    fn put(&mut self, mut table: Table, style: TableStyle) {
        table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width);
        let last = table.column_count().saturating_sub(1);
        for (place, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, if place == last { 0 } else { GUTTER }));
        }
        self.text.push_str(&table.trim_fmt());
        self.text.push('\n');
    }
}

fn bold(words: &str) -> Cell {
    Cell::new(words).add_attribute(Attribute::Bold)
}
