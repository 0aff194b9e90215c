//! `croupier rules list`: the rulebooks inside the program.

use clap::Args;
use rulebook::{Layout, Rulebook, library};
use serde::Serialize;
use serde_json::{Value, json};

use crate::output::Column::{Name, Words};
use crate::output::{self, Form, Page};
use crate::refusal::{Failure, Refusal};

/// List the rulebooks that come with the program.
#[derive(Args)]
pub struct List {}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    title: Value,
    operator: &'a str,
    version: &'a str,
    in_force_from: Option<&'a str>,
    approved: bool,
    outcomes: usize,
    layouts: Vec<LayoutEntry<'a>>,
    paragraphs: usize,
    hash: String,
}

#[derive(Serialize)]
struct LayoutEntry<'a> {
    id: &'a str,
    spots: usize,
    step: String,
}

impl List {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebooks = library::all().map_err(Refusal::from)?;
        let entries: Vec<Entry> = rulebooks.iter().map(entry).collect();
        Ok(form.render(&json!({ "rulebooks": entries }), |page| write(page, rulebooks)))
    }
}

fn entry(rulebook: &Rulebook) -> Entry<'_> {
    let identity = rulebook.identity();
    Entry {
        id: rulebook.id(),
        title: output::text(&identity.title),
        operator: &identity.operator,
        version: &identity.version,
        in_force_from: identity.in_force_from.as_deref(),
        approved: identity.approved,
        outcomes: rulebook.outcomes().size(),
        layouts: rulebook.layouts().iter().map(layout).collect(),
        paragraphs: rulebook.paragraphs().len(),
        hash: rulebook.hash().to_string(),
    }
}

fn layout(layout: &Layout) -> LayoutEntry<'_> {
    LayoutEntry { id: layout.id(), spots: layout.table().spots().len(), step: layout.table().step().to_string() }
}

fn write(page: &mut Page, rulebooks: &[Rulebook]) {
    let columns = [Name("Game"), Words("Title"), Name("Version"), Words("Spots by layout"), Name("Hash")];
    let mut rows: Vec<[String; 5]> = Vec::new();
    let mut operator = "";
    for rulebook in rulebooks {
        let identity = rulebook.identity();
        if identity.operator != operator {
            operator = &identity.operator;
            rows.push([operator, "", "", "", ""].map(str::to_owned));
        }
        rows.push(cells(rulebook));
    }
    page.table(&columns, rows);
}

fn cells(rulebook: &Rulebook) -> [String; 5] {
    let identity = rulebook.identity();
    let layouts = rulebook.layouts().iter().map(|layout| format!("{} {}", layout.id(), layout.table().spots().len()));
    [
        format!("  {}", rulebook.id()),
        identity.title.en.clone(),
        identity.version.clone(),
        layouts.collect::<Vec<_>>().join(", "),
        rulebook.hash().to_string().chars().take(12).collect(),
    ]
}
