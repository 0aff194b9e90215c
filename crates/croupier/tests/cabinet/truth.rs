//! What lies in the stacker and what is on paper, and what the floor must say about it.

use std::path::{Path, PathBuf};

use cabinet::simulated::{Paper, PrinterState, Thing, ValidatorState};
use serde::de::DeserializeOwned;

use crate::Step;

/// Every note that is put in.
pub const NOTE: i64 = 5_000;

pub struct Truth {
    validator: PathBuf,
    printer: PathBuf,
    before: (ValidatorState, PrinterState),
    /// Numbers that the floor has paid.
    paid: Vec<String>,
}

fn read<T: DeserializeOwned + Default>(path: &Path) -> T {
    std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

impl Truth {
    pub fn new(folder: &Path) -> Truth {
        let (validator, printer) = (folder.join("validator.json"), folder.join("printer.json"));
        Truth { validator, printer, before: Default::default(), paid: Vec::new() }
    }

    pub fn validator(&self) -> ValidatorState {
        read(&self.validator)
    }

    pub fn papers(&self) -> Vec<Paper> {
        read::<PrinterState>(&self.printer).papers
    }

    /// The newest ticket on paper that was not paid, with its amount.
    pub fn paper_in_hand(&self) -> Option<(String, i64)> {
        let inside = self.validator().stacked;
        let papers = self.papers();
        let good = papers.iter().rev().find(|paper| {
            let number = paper.barcode.clone().unwrap_or_default();
            paper.complete && !self.paid.contains(&number) && !inside.contains(&Thing::Ticket(number))
        })?;
        Some((good.barcode.clone()?, amount(good)))
    }

    /// Whether everything that was put in has come to rest somewhere.
    pub fn is_at_rest(&self) -> bool {
        let now = self.validator();
        now.path.is_none() && !now.unacknowledged
    }

    /// What is where when a step begins.
    pub fn begin(&mut self) {
        self.before = (self.validator(), read(&self.printer));
    }

    /// After a step with a fault in it.
    pub fn check(&mut self, step: Step, before: i64, after: i64) {
        let (was, printed) = &self.before;
        let now = self.validator();
        let stacked = now.stacked.get(was.stacked.len()..).expect("the stacker is never emptied").to_vec();
        let gained = after - before;
        match step {
            Step::NoteIn => match stacked.as_slice() {
                [] => assert_eq!(gained, 0, "a note that came back was credited"),
                [Thing::Note(amount)] => assert_eq!(gained, *amount, "a note in the stacker"),
                other => panic!("one note was put in: {other:?}"),
            },
            Step::TicketIn => {
                let offered = self.paper_before().expect("a ticket was put in");
                let (number, amount) = offered;
                match stacked.as_slice() {
                    [] => assert!(gained == 0 || gained == amount, "{gained} of a ticket of {amount}"),
                    [Thing::Ticket(inside)] => {
                        assert_eq!((inside, gained), (&number, amount), "a ticket in the stacker")
                    }
                    other => panic!("one ticket was put in: {other:?}"),
                }
                if gained != 0 {
                    self.paid.push(number);
                }
            }
            Step::TicketOut => {
                assert_eq!(stacked, [], "nothing was put in");
                let papers = self.papers();
                let new = papers.get(printed.papers.len()..).expect("papers stay");
                match new {
                    [] => assert_eq!(gained, 0, "credit is gone and there is no paper"),
                    [paper] if paper.complete || after == 0 => {
                        assert_eq!(after, 0, "a ticket is on paper and its credit is still there");
                        assert_eq!(amount(paper), before);
                    }
                    [_] => assert_eq!(gained, 0, "half a ticket, and its credit"),
                    other => panic!("one ticket was printed: {other:?}"),
                }
            }
        }
    }

    /// Money has really moved: the test could not fail otherwise.
    pub fn was_played(&self, kills: u64) {
        let (stacked, papers) = (self.validator().stacked.len(), self.papers().len());
        println!("{stacked} notes and tickets in the stacker, {papers} papers, {} tickets paid", self.paid.len());
        assert!(kills < 20 || (stacked > 0 && papers > 0), "nothing was played");
    }

    /// The ticket that was in hand when the step began.
    fn paper_before(&self) -> Option<(String, i64)> {
        let inside = &self.before.0.stacked;
        let good = self.before.1.papers.iter().rev().find(|paper| {
            let number = paper.barcode.clone().unwrap_or_default();
            paper.complete && !self.paid.contains(&number) && !inside.contains(&Thing::Ticket(number))
        })?;
        Some((good.barcode.clone()?, amount(good)))
    }
}

fn amount(paper: &Paper) -> i64 {
    let line = paper.lines.iter().find_map(|line| line.strip_prefix("S$ ")).expect("an amount");
    line.replace('.', "").parse().expect("cents")
}
