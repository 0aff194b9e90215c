//! From blocks to pages of marks.

use crate::ink::Ink;
use crate::plot::{self, Mark, Stand, rectangle, rule};
use crate::type_face::{Weight, lines, width};
use crate::{Align, Block, Chart, Paper, Sheet, Table};

const MARGIN: f32 = 46.0;
const FOOT: f32 = 44.0;
const TITLE: f32 = 20.0;
const HEADING: f32 = 12.5;
const BODY: f32 = 9.0;
const SMALL: f32 = 7.5;
const LEADING: f32 = 1.42;
const GUTTER: f32 = 10.0;
/// Tables that are too wide are set smaller, but not smaller than can be read.
const SMALLEST: f32 = 5.6;
const TABLE: f32 = 8.0;

/// The pages of a paper.
pub(crate) struct Laid {
    pub width: f32,
    pub height: f32,
    pub pages: Vec<Vec<Mark>>,
    /// Headings with their page and how far down they are.
    pub headings: Vec<(String, usize, f32)>,
}

pub(crate) fn lay_out(paper: &Paper) -> Laid {
    let (width, height) = match paper.sheet {
        Sheet::Portrait => (595.28, 841.89),
        Sheet::Landscape => (841.89, 595.28),
    };
    let laid = Laid { width, height, pages: vec![Vec::new()], headings: Vec::new() };
    let mut setter = Setter { laid, y: MARGIN };
    setter.head(paper);
    for (place, block) in paper.blocks.iter().enumerate() {
        setter.block(block, paper.blocks.get(place + 1));
    }
    setter.feet(paper);
    setter.laid
}

struct Setter {
    laid: Laid,
    y: f32,
}

impl Setter {
    fn measure(&self) -> f32 {
        self.laid.width - 2.0 * MARGIN
    }

    fn bottom(&self) -> f32 {
        self.laid.height - MARGIN - FOOT / 2.0
    }

    fn put(&mut self, mark: Mark) {
        if let Some(page) = self.laid.pages.last_mut() {
            page.push(mark);
        }
    }

    fn new_page(&mut self) {
        self.laid.pages.push(Vec::new());
        self.y = MARGIN;
    }

    /// A new page if there is no room for so much.
    fn need(&mut self, height: f32) {
        if self.y + height > self.bottom() && self.y > MARGIN {
            self.new_page();
        }
    }

    fn words(&mut self, words: &str, size: f32, weight: Weight, ink: Ink, measure: f32) {
        for line in lines(words, weight, size, measure) {
            self.need(size * LEADING);
            self.y += size * LEADING;
            let y = self.y - size * 0.32;
            self.put(Mark::Words { x: MARGIN, y, words: line, size, weight, ink, stand: Stand::Start });
        }
    }

    fn head(&mut self, paper: &Paper) {
        let measure = self.measure();
        self.put(rectangle(MARGIN, self.y, measure, 3.0, Ink::Main));
        self.y += 14.0;
        let stamp = if paper.stamp.is_empty() { 0.0 } else { self.stamp(&paper.stamp) };
        self.words(&paper.title, TITLE, Weight::Bold, Ink::Main, measure - stamp);
        self.y += 2.0;
        for line in &paper.subtitles {
            self.words(line, BODY + 0.5, Weight::Regular, Ink::Faint, measure);
        }
        self.y += 8.0;
    }

    fn stamp(&mut self, words: &str) -> f32 {
        let words = words.to_uppercase();
        let wide = width(&words, Weight::Bold, BODY) + 16.0;
        let (right, top) = (self.laid.width - MARGIN, self.y + 2.0);
        let corners =
            [(right - wide, top), (right, top), (right, top + 17.0), (right - wide, top + 17.0), (right - wide, top)];
        self.put(Mark::Line { points: corners.to_vec(), ink: Ink::Second, width: 1.2, dashed: false });
        self.put(Mark::Words {
            x: right - wide / 2.0,
            y: top + 12.0,
            words,
            size: BODY,
            weight: Weight::Bold,
            ink: Ink::Second,
            stand: Stand::Middle,
        });
        wide + 12.0
    }

    fn block(&mut self, block: &Block, next: Option<&Block>) {
        let measure = self.measure();
        match block {
            Block::Heading(words) => {
                // A heading never stands alone at the foot of a page.
                let after = match next {
                    Some(Block::Chart(chart)) => plot::draw(chart, measure).height + 30.0,
                    Some(Block::Table(table)) => self.together(table).unwrap_or(60.0),
                    _ => 60.0,
                };
                self.need(HEADING * LEADING + 16.0 + after.min(self.bottom() - MARGIN - 60.0));
                self.y += if self.y > MARGIN { 12.0 } else { 0.0 };
                self.laid.headings.push((words.clone(), self.laid.pages.len() - 1, self.y));
                self.words(words, HEADING, Weight::Bold, Ink::Main, measure);
                self.put(rule((MARGIN, self.y + 1.0), (MARGIN + measure, self.y + 1.0), Ink::Grid, 0.8));
                self.y += 7.0;
            }
            Block::Paragraph(words) => {
                self.words(words, BODY, Weight::Regular, Ink::Text, measure.min(520.0));
                self.y += 5.0;
            }
            Block::Note(words) => {
                self.words(words, SMALL, Weight::Regular, Ink::Faint, measure.min(620.0));
                self.y += 4.0;
            }
            Block::Facts(facts) => self.facts(facts),
            Block::Table(table) => self.table(table),
            Block::Chart(chart) => self.chart(chart),
            Block::NewPage if self.y > MARGIN => self.new_page(),
            Block::NewPage => {}
        }
    }

    fn facts(&mut self, facts: &[(String, String)]) {
        let left = facts.iter().map(|(what, _)| width(what, Weight::Regular, BODY)).fold(0.0, f32::max) + 18.0;
        let left = left.min(self.measure() / 2.0);
        for (what, value) in facts {
            let broken = lines(value, Weight::Regular, BODY, self.measure() - left);
            self.need(BODY * LEADING * broken.len() as f32);
            let word = |x: f32, y: f32, words: &str, ink: Ink| Mark::Words {
                x,
                y,
                words: words.to_owned(),
                size: BODY,
                weight: Weight::Regular,
                ink,
                stand: Stand::Start,
            };
            self.put(word(MARGIN, self.y + BODY * (LEADING - 0.32), what, Ink::Faint));
            for line in broken {
                self.y += BODY * LEADING;
                self.put(word(MARGIN + left, self.y - BODY * 0.32, &line, Ink::Text));
            }
        }
        self.y += 7.0;
    }

    fn chart(&mut self, chart: &Chart) {
        let measure = self.measure().min(620.0);
        let drawing = plot::draw(chart, measure);
        self.need(drawing.height + 26.0);
        self.y += 3.0;
        self.words(chart.title(), BODY, Weight::Bold, Ink::Text, measure);
        self.y += 5.0;
        let (dx, dy) = (MARGIN, self.y);
        let moved = |points: Vec<(f32, f32)>| points.into_iter().map(|(x, y)| (x + dx, y + dy)).collect();
        for mark in drawing.marks {
            self.put(match mark {
                Mark::Area { points, ink } => Mark::Area { points: moved(points), ink },
                Mark::Line { points, ink, width, dashed } => Mark::Line { points: moved(points), ink, width, dashed },
                Mark::Words { x, y, words, size, weight, ink, stand } => {
                    Mark::Words { x: x + dx, y: y + dy, words, size, weight, ink, stand }
                }
            });
        }
        self.y += drawing.height + 8.0;
    }

    /// The height of a table that is short enough to be kept on one page.
    fn together(&self, table: &Table) -> Option<f32> {
        let (size, widths) = columns(table, self.measure());
        let row = |row: &crate::Row| Cells::new(table, &row.cells, &widths, size, Weight::Regular).height;
        // Longer ones are broken anyway; their rows need not be measured.
        let rows: f32 = table.rows.iter().take(60).map(row).sum();
        let height = rows + 4.0 * size * LEADING;
        (height < (self.bottom() - MARGIN) * 0.6).then_some(height)
    }

    fn table(&mut self, table: &Table) {
        if let Some(height) = self.together(table) {
            self.need(height);
        }
        let (size, widths) = columns(table, self.measure());
        let titles: Vec<String> = table.columns.iter().map(|column| column.title.clone()).collect();
        let head = Cells { is_head: true, ..Cells::new(table, &titles, &widths, size, Weight::Bold) };
        self.need(head.height + 3.0 * size * LEADING + if table.title.is_empty() { 0.0 } else { 16.0 });
        if !table.title.is_empty() {
            self.words(&table.title, BODY, Weight::Bold, Ink::Text, self.measure());
            self.y += 2.0;
        }
        let whole = widths.iter().sum::<f32>() + GUTTER * widths.len() as f32;
        self.put_cells(&head, table, &widths, Ink::Text);
        self.put(rule((MARGIN, self.y), (MARGIN + whole, self.y), Ink::Strong, 0.9));
        for (place, row) in table.rows.iter().enumerate() {
            let weight = if row.is_total { Weight::Bold } else { Weight::Regular };
            let cells = Cells::new(table, &row.cells, &widths, size, weight);
            if self.y + cells.height > self.bottom() {
                self.new_page();
                self.put_cells(&head, table, &widths, Ink::Text);
                self.put(rule((MARGIN, self.y), (MARGIN + whole, self.y), Ink::Strong, 0.9));
            }
            if row.is_total {
                self.put(rule((MARGIN, self.y), (MARGIN + whole, self.y), Ink::Strong, 0.9));
            } else if place % 2 == 1 {
                self.put(rectangle(MARGIN, self.y, whole, cells.height, Ink::Row));
            }
            self.put_cells(&cells, table, &widths, Ink::Text);
            self.put(rule((MARGIN, self.y), (MARGIN + whole, self.y), Ink::Grid, 0.5));
        }
        self.y += 11.0;
    }

    fn put_cells(&mut self, cells: &Cells, table: &Table, widths: &[f32], ink: Ink) {
        let mut x = MARGIN + GUTTER / 2.0;
        let most = cells.lines.iter().map(Vec::len).max().unwrap_or(1);
        for ((broken, column), width) in cells.lines.iter().zip(&table.columns).zip(widths) {
            let (place, stand) = match column.align {
                Align::Words | Align::Name => (x, Stand::Start),
                Align::Figure => (x + width, Stand::End),
            };
            // Titles stand on the rule, cells hang from it.
            let skipped = if cells.is_head { most - broken.len() } else { 0 };
            for (line, n) in broken.iter().zip(skipped + 1..) {
                let y = self.y + n as f32 * cells.size * LEADING + 1.5 - cells.size * 0.3;
                let (size, weight, words) = (cells.size, cells.weight, line.clone());
                self.put(Mark::Words { x: place, y, words, size, weight, ink, stand });
            }
            x += width + GUTTER;
        }
        self.y += cells.height;
    }

    fn feet(&mut self, paper: &Paper) {
        let count = self.laid.pages.len();
        let (right, y) = (self.laid.width - MARGIN, self.laid.height - MARGIN);
        for (marks, number) in self.laid.pages.iter_mut().zip(1..) {
            let word = |x: f32, y: f32, words: String, stand: Stand| Mark::Words {
                x,
                y,
                words,
                size: SMALL - 0.7,
                weight: Weight::Regular,
                ink: Ink::Faint,
                stand,
            };
            marks.push(rule((MARGIN, y), (right, y), Ink::Grid, 0.8));
            marks.push(word(right, y + 11.0, format!("page {number} of {count}"), Stand::End));
            if let Some(anchor) = &paper.anchor {
                marks.push(word(MARGIN, y + 11.0, format!("{} {}", anchor.label, anchor.value), Stand::Start));
            }
            let made = [&paper.title, &paper.made_by].into_iter().filter(|words| !words.is_empty());
            let made = made.cloned().collect::<Vec<_>>().join(" · ");
            marks.push(word(MARGIN, y + 21.0, made, Stand::Start));
        }
    }
}

/// A row, broken into lines.
struct Cells {
    lines: Vec<Vec<String>>,
    height: f32,
    size: f32,
    weight: Weight,
    is_head: bool,
}

impl Cells {
    fn new(table: &Table, cells: &[String], widths: &[f32], size: f32, weight: Weight) -> Cells {
        let broken = |((cell, column), width): ((&String, &crate::Column), &f32)| match column.align {
            Align::Words => lines(cell, weight, size, *width + 0.1),
            // Titles may be broken over any column; figures and names never are.
            _ if weight == Weight::Bold => lines(cell, weight, size, *width + 0.1),
            Align::Name | Align::Figure => vec![cell.clone()],
        };
        let lines: Vec<Vec<String>> = cells.iter().zip(&table.columns).zip(widths).map(broken).collect();
        let most = lines.iter().map(Vec::len).max().unwrap_or(1);
        Cells { lines, height: most as f32 * size * LEADING + 3.5, size, weight, is_head: false }
    }
}

/// How wide each column is, and the size at which all of them fit.
fn columns(table: &Table, measure: f32) -> (f32, Vec<f32>) {
    let mut size = TABLE;
    // With room to spare, titles stay in one line.
    let roomy = natural(table, size, Title::Whole);
    if roomy.iter().sum::<f32>() + GUTTER * roomy.len() as f32 <= measure {
        return (size, roomy);
    }
    loop {
        let natural = natural(table, size, Title::Broken);
        let room = measure - GUTTER * natural.len() as f32;
        let sum: f32 = natural.iter().sum();
        if sum <= room {
            return (size, natural);
        }
        let words: f32 =
            natural.iter().zip(&table.columns).filter(|(_, c)| c.align == Align::Words).map(|(w, _)| w).sum();
        let least: f32 = natural
            .iter()
            .zip(&table.columns)
            .filter(|(_, column)| column.align == Align::Words)
            .map(|(width, _)| width.min(14.0 * size * 0.55))
            .sum();
        if sum - words + least <= room || size <= SMALLEST {
            let share = ((room - (sum - words)) / words.max(1.0)).clamp(0.05, 1.0);
            let fit = |(width, column): (&f32, &crate::Column)| {
                if column.align == Align::Words { width * share } else { *width }
            };
            return (size, natural.iter().zip(&table.columns).map(fit).collect());
        }
        size -= 0.2;
    }
}

/// Whether the title of a column may take several lines.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Title {
    Whole,
    Broken,
}

fn natural(table: &Table, size: f32, titles: Title) -> Vec<f32> {
    let widest = |place: usize| {
        let cells = table.rows.iter().map(|row| {
            let weight = if row.is_total { Weight::Bold } else { Weight::Regular };
            width(&row.cells[place], weight, size)
        });
        let title = &table.columns[place].title;
        let title = match titles {
            Title::Whole => width(title, Weight::Bold, size),
            // Only its longest word has to fit.
            Title::Broken => title.split_whitespace().map(|word| width(word, Weight::Bold, size)).fold(0.0, f32::max),
        };
        cells.fold(title, f32::max)
    };
    (0..table.columns.len()).map(widest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    fn words(page: &[Mark]) -> Vec<&str> {
        page.iter()
            .filter_map(|mark| if let Mark::Words { words, .. } = mark { Some(words.as_str()) } else { None })
            .collect()
    }

    fn long() -> Paper {
        let mut paper = Paper::new("Long");
        paper.anchor("Hash", "ab12").heading("Rows");
        let mut table = Table::new("", [Column::name("Spot"), Column::figure("Stake")]);
        for n in 0..150 {
            table.row([format!("row {n}"), n.to_string()]);
        }
        paper.table(table);
        paper
    }

    #[test]
    fn every_page_has_the_head_of_its_table_its_number_and_the_anchor() {
        let laid = lay_out(&long());
        let count = laid.pages.len();
        assert!(count >= 3, "{count}");
        for (page, number) in laid.pages.iter().zip(1..) {
            let words = words(page);
            assert!(words.contains(&"Spot") && words.contains(&"Hash ab12"), "page {number}");
            assert!(words.contains(&format!("page {number} of {count}").as_str()));
        }
        let rows = laid.pages.iter().flat_map(|page| words(page)).filter(|words| words.starts_with("row ")).count();
        assert_eq!(rows, 150);
    }

    #[test]
    fn nothing_stands_outside_the_sheet() {
        let laid = lay_out(&long());
        for mark in laid.pages.iter().flatten() {
            if let Mark::Words { x, y, .. } = mark {
                assert!((0.0..=laid.width).contains(x) && (0.0..=laid.height).contains(y));
            }
        }
    }

    #[test]
    fn a_heading_is_not_left_behind_by_what_follows_it() {
        let mut paper = long();
        paper.heading("Short");
        let mut table = Table::new("", [Column::name("Last")]);
        for n in 0..20 {
            table.row([format!("last {n}")]);
        }
        paper.table(table);
        let laid = lay_out(&paper);
        let page = laid.pages.iter().find(|page| words(page).contains(&"Short")).expect("the heading");
        assert_eq!(words(page).iter().filter(|words| words.starts_with("last ")).count(), 20);
    }
}
