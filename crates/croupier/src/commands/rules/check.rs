//! `croupier rules check`: is a rulebook file coherent?

use std::path::PathBuf;

use clap::Args;
use rulebook::{Layout, Rulebook, totals};
use serde::Serialize;

use crate::game;
use crate::output::Column::{Figure, Name};
use crate::output::{Form, Page};
use crate::refusal::Failure;

/// Check that a rulebook file is coherent.
#[derive(Args)]
#[command(after_help = "\
A file that is not coherent is refused with the line, the column and what is wrong there.

Example:
  croupier rules check ./my-pay-table.toml")]
pub struct Check {
    /// The rulebook file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Serialize)]
struct Checked<'a> {
    file: String,
    coherent: bool,
    game: &'a str,
    version: &'a str,
    hash: String,
    paragraphs: usize,
    layouts: Vec<Counts<'a>>,
}

#[derive(Serialize)]
struct Counts<'a> {
    id: &'a str,
    spots: usize,
    winning_cells: usize,
    net: String,
    step: String,
}

impl Check {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebook = game::read(&self.file)?;
        let checked = Checked {
            file: self.file.display().to_string(),
            coherent: true,
            game: rulebook.id(),
            version: &rulebook.identity().version,
            hash: rulebook.hash().to_string(),
            paragraphs: rulebook.paragraphs().len(),
            layouts: rulebook.layouts().iter().map(counts).collect(),
        };
        Ok(form.render(&checked, |page| write(page, &rulebook, &checked)))
    }
}

fn counts(layout: &Layout) -> Counts<'_> {
    let sum = totals(layout.table(), |_| true);
    Counts {
        id: layout.id(),
        spots: sum.spots,
        winning_cells: sum.winning_cells,
        net: sum.net.to_string(),
        step: layout.table().step().to_string(),
    }
}

fn write(page: &mut Page, rulebook: &Rulebook, checked: &Checked) {
    page.words(&format!("{} is coherent.", checked.file));
    page.heading(&format!("{} ({})", rulebook.identity().title.en, checked.game));
    let row = |layout: &Counts| {
        [
            layout.id.to_owned(),
            layout.spots.to_string(),
            layout.winning_cells.to_string(),
            layout.net.clone(),
            layout.step.clone(),
        ]
    };
    let columns = [Name("Layout"), Figure("Spots"), Figure("Winning cells"), Figure("Net to players"), Figure("Step")];
    page.table(&columns, checked.layouts.iter().map(row));
    page.gap();
    page.words(&format!("Version {}, {} paragraphs, hash {}", checked.version, checked.paragraphs, checked.hash));
}
