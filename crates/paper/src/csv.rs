//! CSV: the facts and tables, each a section.

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
    let _ = writer.write_record(cells);
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
