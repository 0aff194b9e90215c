//! `croupier log prove`: proofs of records, to be given away.

use clap::{Args, ValueEnum};
use floor::Record;
use receipts::Chosen;
use serde_json::{Value, json};
use tlog::ProofFile;

use crate::data::{ArchiveArg, DataArg};
use crate::output::{self, Form};
use crate::refusal::{Failure, Refusal};

/// Prove records, without handing over the journal.
#[derive(Args)]
#[command(after_help = "\
The proofs stand one after the other, in the format of .tlog-proof files. Each shows its record in full. Of a record that \
lists several terminals it shows what concerns all of them, and with --terminal also that terminal's part, and never the \
others'. With --terminal, the bets of others are left out.

Examples:
  croupier log prove round 17 --data /srv/floor > round-17.tlog-proof
  croupier log prove round 17 --terminal 3 --data /srv/floor > receipt.tlog-proof
  croupier log prove ticket 5 --data /srv/floor
  croupier log prove since 4000 --data /srv/floor > growth.txt")]
pub struct Prove {
    /// What is proved: every record that names a round or a ticket, one record, or that the log of so many records is the
    /// beginning of the log of today.
    #[arg(value_enum, value_name = "WHAT")]
    what: What,

    /// Which round, ticket or record, or how many records.
    #[arg(value_name = "NUMBER")]
    number: u64,

    /// Only what concerns this terminal.
    #[arg(long, value_name = "TERMINAL")]
    terminal: Option<u32>,

    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum What {
    Round,
    Ticket,
    Record,
    Since,
}

impl Prove {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let (prover, head) = super::open(&self.data, &self.archive)?;
        let unreadable = |error| Refusal::disk("no proof can be made", &error);
        let size = head.checkpoint.size;
        if self.what == What::Since {
            let old = self.number;
            if old > size {
                return Err(Refusal::new("not_in_log", format!("the log has {size} records")).into());
            }
            let proof: Vec<String> =
                prover.consistency(old, size).map_err(unreadable)?.iter().map(|hash| super::base64(hash)).collect();
            return Ok(match form {
                Form::Words => proof.iter().map(|line| format!("{line}\n")).collect(),
                Form::Json => output::json(&json!({ "old": old, "size": size, "proof": proof })),
            });
        }
        let first = if self.what == What::Record { self.number } else { 1 };
        let proofs =
            prover.choose(first, &head, |sequence, record| self.choose(sequence, record)).map_err(unreadable)?;
        if proofs.is_empty() {
            let words = format!("no such record is among the {size} of the newest head");
            return Err(Refusal::new("not_in_log", words).into());
        }
        let text: String = proofs.iter().map(ProofFile::to_text).collect();
        Ok(match form {
            Form::Words => text,
            Form::Json => {
                let records: Vec<u64> = proofs.iter().map(|proof| proof.index + 1).collect();
                output::json(&json!({ "size": size, "records": records, "proofs": text }))
            }
        })
    }

    fn choose(&self, sequence: u64, record: &Record) -> Chosen {
        let wanted = match self.what {
            What::Record if sequence > self.number => return Chosen::End,
            What::Record => sequence == self.number,
            What::Round => names(record, "round", self.number),
            What::Ticket => names(record, "ticket", self.number),
            What::Since => false,
        };
        match (wanted, self.terminal) {
            (false, _) => Chosen::Nothing,
            (true, None) => Chosen::Whole,
            (true, Some(terminal)) => match field(record, "terminal") {
                Some(whose) if whose == u64::from(terminal) => Chosen::Whole,
                Some(_) => Chosen::Nothing,
                None if lists_terminals(record) => Chosen::For(terminal),
                None => Chosen::Whole,
            },
        }
    }
}

/// A number that an event names, by the name of its field.
fn field(record: &Record, name: &str) -> Option<u64> {
    let event = serde_json::to_value(&record.event).ok()?;
    event.as_object()?.values().next()?.get(name).and_then(Value::as_u64)
}

fn names(record: &Record, name: &str, number: u64) -> bool {
    field(record, name) == Some(number)
}

fn lists_terminals(record: &Record) -> bool {
    let mut bytes = Vec::new();
    engine::encode(record, &mut bytes);
    receipts::leaf::split(&bytes).is_some()
}
