//! CSV: the facts and tables, each a section.

use std::borrow::Cow;

use crate::{Block, Paper};

pub(crate) fn render(paper: &Paper) -> String {
    let sections = sections(paper);
    let alone = sections.len() == 1;
    let mut text = String::new();
    for (title, rows) in &sections {
        if !text.is_empty() {
            text.push('\n');
        }
        if !alone {
            text.push_str(&line(std::slice::from_ref(title)));
        }
        rows.iter().for_each(|row| text.push_str(&line(row)));
    }
    text
}

type Section = (String, Vec<Vec<String>>);

fn sections(paper: &Paper) -> Vec<Section> {
    let mut heading = paper.title.clone();
    let mut sections = Vec::new();
    for block in &paper.blocks {
        match block {
            Block::Heading(words) => heading.clone_from(words),
            Block::Facts(facts) => {
                let rows = facts.iter().map(|(what, value)| vec![what.clone(), value.clone()]).collect();
                sections.push((heading.clone(), rows));
            }
            Block::Table(table) => {
                let title = if table.title.is_empty() { &heading } else { &table.title };
                let head = table.columns.iter().map(|column| column.title.clone()).collect();
                let rows = std::iter::once(head).chain(table.rows.iter().map(|row| row.cells.clone())).collect();
                sections.push((title.clone(), rows));
            }
            Block::Paragraph(_) | Block::Note(_) | Block::Chart(_) | Block::NewPage => {}
        }
    }
    if let Some(anchor) = &paper.anchor {
        sections.push(("Anchor".to_owned(), vec![vec![anchor.label.clone(), anchor.value.clone()]]));
    }
    sections
}

/// One record. Writing into memory cannot fail, so that an error would leave the line out and nothing else.
fn line(cells: &[String]) -> String {
    let mut writer = ::csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let _ = writer.write_record(cells.iter().map(|cell| guarded(cell).into_owned()));
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// A cell as a spreadsheet shows it and never computes it. Names of people, reasons and messages of devices come from
/// outside: a spreadsheet would run one that begins like a formula. Such a cell gets an apostrophe in
/// front, which spreadsheets take for "this is text". Numbers stay numbers.
///
/// Where the decimal separator is a comma, spreadsheets split at semicolons, and may not heed quotation marks inside a
/// line. Each part that would become a cell of its own is therefore guarded too.
fn guarded(cell: &str) -> Cow<'_, str> {
    const SPLITS: [char; 4] = [';', '\t', '\r', '\n'];
    let is_risky = |place: usize, part: &str| {
        let text = part.trim_end_matches(SPLITS);
        begins_formula(if place == 0 { part } else { text }) && !is_number(text)
    };
    let parts = || cell.split_inclusive(SPLITS).enumerate();
    if !parts().any(|(place, part)| is_risky(place, part)) {
        return Cow::Borrowed(cell);
    }
    let mut text = String::with_capacity(cell.len() + 1);
    for (place, part) in parts() {
        if is_risky(place, part) {
            text.push('\'');
        }
        text.push_str(part);
    }
    Cow::Owned(text)
}

/// Whether a spreadsheet may compute a cell that begins like this.
fn begins_formula(cell: &str) -> bool {
    let risky =
        |c: char| matches!(c, '=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '＝' | '＋' | '－' | '＠' | '|' | '%');
    cell.trim_start_matches([' ', '"', '\u{a0}', '\u{feff}']).starts_with(risky)
}

/// A sign, digits with their separators, and perhaps a percent sign: nothing a spreadsheet could compute.
fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    let digits = digits.strip_suffix('%').unwrap_or(digits).trim_end();
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_never_begins_a_formula() {
        for cell in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\tx", " =1", "＝1", "-", "--", "|x"] {
            assert_eq!(guarded(cell), format!("'{cell}"), "{cell:?}");
        }
        for cell in ["", "Lin", "12.50", "-12.50", "+3", "-1,234,567.00", "-4.2 %", "-4.2%", "a=b", "\u{2212}5"] {
            assert_eq!(guarded(cell), cell, "{cell:?}");
        }
    }

    #[test]
    fn no_part_of_a_cell_begins_a_formula_where_cells_are_split_at_semicolons() {
        for (cell, safe) in [
            ("Lin;=1+1", "Lin;'=1+1"),
            ("Lin; =1+1;-5.00;@x", "Lin;' =1+1;-5.00;'@x"),
            ("a\tb\t=1", "a\tb\t'=1"),
            ("a\n+1+1\n\nb", "a\n'+1+1\n\nb"),
            ("\r=1", "'\r'=1"),
            ("Lin;\"=1\"", "Lin;'\"=1\""),
            ("a; b; c", "a; b; c"),
        ] {
            assert_eq!(guarded(cell), safe, "{cell:?}");
        }
        assert_eq!(line(&["Lin;=1+1".to_owned()]), "Lin;'=1+1\n");
    }

    #[test]
    fn a_line_guards_each_of_its_cells() {
        let cells = ["=HYPERLINK(\"x\")".to_owned(), "-5.00".to_owned()];
        assert_eq!(line(&cells), "\"'=HYPERLINK(\"\"x\"\")\",-5.00\n");
    }
}
