//! What a paper is made of.

use serde::Serialize;

use crate::{Chart, Format, PdfError};

/// How a sheet of A4 is held.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sheet {
    /// Upright.
    #[default]
    Portrait,
    /// On its side, for tables with many columns.
    Landscape,
}

/// A line in the foot of every page that ties the paper to what it was made from: a hash, or a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Anchor {
    /// What it is: `Rulebook hash`.
    pub label: String,
    /// The value, never broken or shortened.
    pub value: String,
}

/// A paper: what stands at its head, its blocks, and its foot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Paper {
    /// What it is.
    pub title: String,
    /// Lines under the title.
    pub subtitles: Vec<String>,
    /// A word in the corner, such as `demonstration`; empty if there is none.
    pub stamp: String,
    /// How the sheet is held.
    pub sheet: Sheet,
    /// What it says, from the top.
    pub blocks: Vec<Block>,
    /// The line in the foot.
    pub anchor: Option<Anchor>,
    /// Who or what made it, in the foot: `Croupier 0.1.0`.
    pub made_by: String,
}

/// A part of a paper.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// A heading.
    Heading(String),
    /// Words.
    Paragraph(String),
    /// Small words: how a figure was obtained.
    Note(String),
    /// What, and how much.
    Facts(Vec<(String, String)>),
    /// Rows and columns.
    Table(Table),
    /// A drawing.
    Chart(Chart),
    /// What follows begins a page.
    NewPage,
}

/// How the cells of a column stand.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// On the left, in as many lines as needed.
    Words,
    /// On the left, never broken.
    Name,
    /// On the right, never broken.
    Figure,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// How its cells stand.
    pub align: Align,
}

impl Column {
    /// Words, in as many lines as they need.
    pub fn words(title: impl Into<String>) -> Column {
        Column { title: title.into(), align: Align::Words }
    }

    /// A name that is not broken into lines.
    pub fn name(title: impl Into<String>) -> Column {
        Column { title: title.into(), align: Align::Name }
    }

    /// A figure, on the right.
    pub fn figure(title: impl Into<String>) -> Column {
        Column { title: title.into(), align: Align::Figure }
    }
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// One cell for each column.
    pub cells: Vec<String>,
    /// Whether it sums up others, and is set apart.
    pub is_total: bool,
}

/// Rows and columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What it shows; empty if the heading above says it.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// A table without rows yet.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Table {
        Table { title: title.into(), columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row. Missing cells are empty, superfluous ones are left out.
    pub fn row<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) -> &mut Table {
        self.push(cells.into_iter().map(Into::into).collect(), false)
    }

    /// Adds a row that sums up.
    pub fn total<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) -> &mut Table {
        self.push(cells.into_iter().map(Into::into).collect(), true)
    }

    fn push(&mut self, mut cells: Vec<String>, is_total: bool) -> &mut Table {
        cells.resize(self.columns.len(), String::new());
        self.rows.push(Row { cells, is_total });
        self
    }
}

impl Paper {
    /// A paper that says nothing yet.
    pub fn new(title: impl Into<String>) -> Paper {
        Paper {
            title: title.into(),
            subtitles: Vec::new(),
            stamp: String::new(),
            sheet: Sheet::Portrait,
            blocks: Vec::new(),
            anchor: None,
            made_by: String::new(),
        }
    }

    /// Adds a line under the title.
    pub fn subtitle(&mut self, words: impl Into<String>) -> &mut Paper {
        self.subtitles.push(words.into());
        self
    }

    /// Holds the sheet on its side.
    pub fn landscape(&mut self) -> &mut Paper {
        self.sheet = Sheet::Landscape;
        self
    }

    /// Puts a word into the corner.
    pub fn stamp(&mut self, words: impl Into<String>) -> &mut Paper {
        self.stamp = words.into();
        self
    }

    /// Says what made it.
    pub fn made_by(&mut self, words: impl Into<String>) -> &mut Paper {
        self.made_by = words.into();
        self
    }

    /// Puts the anchor into the foot.
    pub fn anchor(&mut self, label: impl Into<String>, value: impl Into<String>) -> &mut Paper {
        self.anchor = Some(Anchor { label: label.into(), value: value.into() });
        self
    }

    /// Adds a block.
    pub fn block(&mut self, block: Block) -> &mut Paper {
        self.blocks.push(block);
        self
    }

    /// Adds a heading.
    pub fn heading(&mut self, words: impl Into<String>) -> &mut Paper {
        self.block(Block::Heading(words.into()))
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, words: impl Into<String>) -> &mut Paper {
        self.block(Block::Paragraph(words.into()))
    }

    /// Adds small words.
    pub fn note(&mut self, words: impl Into<String>) -> &mut Paper {
        self.block(Block::Note(words.into()))
    }

    /// Adds facts.
    pub fn facts<K: Into<String>, V: Into<String>>(&mut self, facts: impl IntoIterator<Item = (K, V)>) -> &mut Paper {
        self.block(Block::Facts(facts.into_iter().map(|(what, value)| (what.into(), value.into())).collect()))
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) -> &mut Paper {
        self.block(Block::Table(table))
    }

    /// Adds a chart.
    pub fn chart(&mut self, chart: Chart) -> &mut Paper {
        self.block(Block::Chart(chart))
    }

    /// Begins a page.
    pub fn new_page(&mut self) -> &mut Paper {
        self.block(Block::NewPage)
    }

    /// The paper as text of so many columns.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        crate::text::render(self, width)
    }

    /// Its facts and tables as CSV. Where there are several, each stands under its title, with an empty line between.
    #[must_use]
    pub fn csv(&self) -> String {
        crate::csv::render(self)
    }

    /// The paper as one HTML file that needs nothing else.
    #[must_use]
    pub fn html(&self) -> String {
        crate::html::render(self)
    }

    /// The paper as PDF.
    ///
    /// # Errors
    /// When the PDF library refuses it; no paper is known for which it does.
    pub fn pdf(&self) -> Result<Vec<u8>, PdfError> {
        crate::pdf::render(self)
    }

    /// The paper in a form, as the bytes of a file.
    ///
    /// # Errors
    /// As [`Paper::pdf`].
    pub fn render(&self, format: Format) -> Result<Vec<u8>, PdfError> {
        Ok(match format {
            Format::Text => self.text(Format::TEXT_WIDTH).into_bytes(),
            Format::Csv => self.csv().into_bytes(),
            Format::Html => self.html().into_bytes(),
            Format::Pdf => self.pdf()?,
        })
    }
}
