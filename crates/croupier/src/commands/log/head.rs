//! `croupier log head`: the newest signed head.

use clap::Args;
use receipts::cosigned::Cosigned;
use serde_json::json;

use crate::data::{ArchiveArg, DataArg};
use crate::output::{self, Form};
use crate::refusal::{Failure, Refusal};

/// Print the newest signed head, as others verify it.
#[derive(Args)]
#[command(after_help = "\
The head is a signed note of three lines: the name of the log, how many records it has, and the root of their tree. Anyone \
who keeps it can have it proved at any later time that the log still contains every one of these records unchanged.

Examples:
  croupier log head --data /srv/floor > today.note
  croupier log head --key --data /srv/floor > floor.vkey
  croupier log head --day 2026-03-29 --data /srv/floor > 2026-03-29.note")]
pub struct Head {
    /// Print the public key of the log instead.
    #[arg(long, conflicts_with_all = ["cosigned", "day"])]
    key: bool,

    /// Print the newest head that enough witnesses have cosigned, with their signatures.
    #[arg(long)]
    cosigned: bool,

    /// Print the head of a gaming day, with the signatures of witnesses if there are any.
    #[arg(long, value_name = "DATE", conflicts_with = "cosigned")]
    day: Option<String>,

    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,
}

impl Head {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let (prover, mut head) = super::open(&self.data, &self.archive)?;
        let kept = Cosigned::new(&self.data.journal()?.join(receipts::FOLDER), prover.key().clone());
        let unreadable = |error| Refusal::disk("the log cannot be read", &error);
        if self.cosigned {
            let none = || Refusal::new("not_cosigned", "no head was cosigned by enough witnesses yet");
            head = kept.newest().map_err(unreadable)?.ok_or_else(none)?;
        }
        if let Some(day) = &self.day {
            let none = || Refusal::new("no_day", format!("no head of the gaming day {day} was signed"));
            head = kept.day(day).map_err(unreadable)?.ok_or_else(none)?.head;
        }
        let key = prover.key().to_text();
        Ok(match form {
            Form::Words if self.key => format!("{key}\n"),
            Form::Words => head.note.to_text(),
            Form::Json => output::json(&json!({
                "origin": head.checkpoint.origin,
                "size": head.checkpoint.size,
                "root": super::base64(&head.checkpoint.root),
                "key": key,
                "note": head.note.to_text(),
            })),
        })
    }
}
