//! `croupier verify receipt`: what a receipt proves, in words.

use std::path::Path;

use clap::Args;
use floor::{Event, Record};
use receipts::Proved;
use serde_json::{Value, json};
use tlog::compact::Compact;
use tlog::{Policy, ProofFile};

use super::Trust;
use crate::output::time::Local;
use crate::output::{Answer, Form, Page};
use crate::refusal::{Failure, Refusal};

/// Verify a receipt: that these records are in the log, as they are shown.
#[derive(Args)]
#[command(after_help = "\
A receipt proves that a record was made, when by the house's clock, what it says, and that it is in the one log that the \
head stands for. It does not prove that there is no other record, or that dice and wheels fell as they should.

Examples:
  croupier verify receipt round-17.tlog-proof --key floor.vkey
  croupier verify receipt 4213… --policy policy.txt")]
pub struct Receipt {
    /// A .tlog-proof file with one proof or several, or the digits of a receipt's code.
    #[arg(value_name = "FILE|DIGITS")]
    receipt: String,

    #[command(flatten)]
    trust: Trust,
}

impl Receipt {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let policy = self.trust.policy()?;
        let proofs = self.proofs(&policy)?;
        let mut proved = Vec::new();
        for proof in &proofs {
            match Proved::by(proof, &policy) {
                Ok(one) => proved.push(one),
                Err(why) => {
                    let answer = json!({ "proved": false, "record": proof.index + 1, "why": why });
                    return Ok(Answer::Findings(form.render(&answer, |page| {
                        page.words(&format!("Record {}: not proved: {why}.", proof.index + 1))
                    })));
                }
            }
        }
        let records: Vec<Value> = proved.iter().map(one).collect();
        let first = proved.first().map(|proved| (proved.checkpoint.clone(), proved.witnesses.clone()));
        let (head, cosigned) = first.ok_or_else(|| Refusal::new("malformed_proof", "the file has no proof"))?;
        let names: Vec<_> = cosigned.iter().map(|(name, time)| json!({ "name": name, "time": time })).collect();
        let answer = json!({
            "proved": true, "origin": head.origin, "size": head.size, "witnesses": names, "records": records,
        });
        Ok(Answer::Done(form.render(&answer, |page| {
            page.words(&format!("Proved: in the log {} of {} records there are", head.origin, head.size));
            page.rows(
                proved
                    .iter()
                    .map(|proved| [proved.sequence.to_string(), Local(proved.record.at).words(), words(proved)]),
            );
            witnesses(page, &cosigned);
            page.words("Not proved: that there is no other record, and how dice or wheel came to their result.");
        })))
    }

    fn proofs(&self, policy: &Policy) -> Result<Vec<ProofFile>, Refusal> {
        let malformed = |error: tlog::Malformed| Refusal::new("malformed_proof", error.to_string());
        let digits = self.receipt.rsplit('#').next().unwrap_or_default();
        if digits.len() > 20 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let compact = Compact::parse(digits).map_err(malformed)?;
            return Ok(vec![compact.expand(policy).map_err(malformed)?]);
        }
        ProofFile::parse_all(super::text(Path::new(&self.receipt))?.as_bytes()).map_err(malformed)
    }
}

fn one(proved: &Proved) -> Value {
    let returned = proved.returned().map(|(terminal, amount)| json!({ "terminal": terminal, "returned": amount }));
    json!({
        "sequence": proved.sequence,
        "at": proved.record.at,
        "origin": proved.record.origin.as_ref().map(|origin| json!({ "sender": origin.sender, "number": origin.number })),
        "event": proved.record.event,
        "listed": proved.listed,
        "part": returned,
    })
}

/// What was shown of a record.
fn words(proved: &Proved) -> String {
    let Record { event, .. } = &proved.record;
    match event {
        Event::BetsChanged { terminal, changes, round, .. } => {
            let changes: Vec<String> =
                changes.iter().map(|change| format!("{} on spot {}", change.delta, change.spot.get())).collect();
            let round = round.map_or_else(String::new, |round| format!(" in round {}", round.0));
            format!("a bet of terminal {}{round}: {}", terminal.0, changes.join(", "))
        }
        Event::RoundSettled { round, outcome, .. } => {
            let part = match proved.returned() {
                Some((terminal, amount)) => format!("terminal {} gets back {amount}", terminal.0),
                None => format!("{} terminals, whose parts are not shown", proved.listed.unwrap_or(0)),
            };
            format!("round {} settled, result no. {}: {part}", round.0, outcome.get())
        }
        event => {
            let value = serde_json::to_value(event).unwrap_or_default();
            match value.as_object().and_then(|event| event.iter().next()) {
                Some((name, fields)) => format!("{name} {fields}"),
                None => value.to_string(),
            }
        }
    }
}

/// Who has cosigned, and when.
pub(super) fn witnesses(page: &mut Page, witnesses: &[(String, u64)]) {
    if witnesses.is_empty() {
        page.words("No witness is asked for: that there is no second history rests on the house alone.");
    }
    for (name, seconds) in witnesses {
        let milliseconds = i64::try_from(*seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
        let when = Local(floor::Moment(milliseconds)).words();
        page.words(&format!("The witness {name} had seen this log and no other by {when}."));
    }
}
