//! `croupier verify checkpoint`: a signed head.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Trust;
use crate::output::{Answer, Form};
use crate::refusal::Failure;

/// Verify a signed head and its cosignatures.
#[derive(Args)]
#[command(after_help = "\
Examples:
  croupier verify checkpoint today.note --key floor.vkey
  croupier verify checkpoint today.note --policy policy.txt")]
pub struct Checkpoint {
    /// The head, as `croupier log head` prints it.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    trust: Trust,
}

impl Checkpoint {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let (note, policy) = (super::note(&self.file)?, self.trust.policy()?);
        let verified = match policy.verify(&note) {
            Ok(verified) => verified,
            Err(error) => {
                let answer = json!({ "proved": false, "why": error.to_string() });
                return Ok(Answer::Findings(form.render(&answer, |page| page.words(&format!("Not proved: {error}.")))));
            }
        };
        let head = &verified.checkpoint;
        let witnesses: Vec<_> =
            verified.witnesses.iter().map(|(name, time)| json!({ "name": name, "time": time })).collect();
        let root = tlog::to_base64(&head.root);
        let answer = json!({
            "proved": true, "origin": head.origin, "size": head.size, "root": root, "witnesses": witnesses,
        });
        Ok(Answer::Done(form.render(&answer, |page| {
            page.words(&format!("{} has signed a log of {} records with the root {root}.", head.origin, head.size));
            super::receipt::witnesses(page, &verified.witnesses);
        })))
    }
}
