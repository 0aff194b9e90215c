//! `croupier verify consistency`: a log has only grown.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use tlog::proof::verify_consistency;

use super::Trust;
use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Verify that one signed head continues another: nothing was changed, removed or inserted in between.
#[derive(Args)]
#[command(after_help = "\
Examples:
  croupier log prove since 4000 --data /srv/floor > growth.txt
  croupier verify consistency yesterday.note today.note --proof growth.txt --key floor.vkey")]
pub struct Consistency {
    /// The earlier head.
    #[arg(value_name = "OLD")]
    old: PathBuf,

    /// The later head.
    #[arg(value_name = "NEW")]
    new: PathBuf,

    /// The proof: hashes in base64, one in a line.
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,

    #[command(flatten)]
    trust: Trust,
}

impl Consistency {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let policy = self.trust.policy()?;
        let (old, new) = (super::note(&self.old)?, super::note(&self.new)?);
        let malformed = |error: tlog::Malformed| Refusal::new("malformed_proof", error.to_string());
        let proof = tlog::proof::parse(&super::text(&self.proof)?).map_err(malformed)?;
        let verified = policy.verify(&old).and_then(|old| Ok((old.checkpoint, policy.verify(&new)?.checkpoint)));
        let proved = verified.map_err(|error| error.to_string()).and_then(|(old, new)| {
            if old.origin != new.origin {
                return Err(format!("{} and {} are two logs", old.origin, new.origin));
            }
            let holds = verify_consistency(old.size, &old.root, new.size, &new.root, &proof);
            holds.map(|()| (old, new)).map_err(|error| error.to_string())
        });
        match proved {
            Ok((old, new)) => {
                let answer = json!({ "proved": true, "origin": new.origin, "old": old.size, "size": new.size });
                Ok(Answer::Done(form.render(&answer, |page| {
                    page.words(&format!(
                        "The log {} of {} records begins with the {} records of the earlier head, unchanged.",
                        new.origin, new.size, old.size
                    ));
                })))
            }
            Err(why) => {
                let answer = json!({ "proved": false, "why": why });
                Ok(Answer::Findings(form.render(&answer, |page| page.words(&format!("Not proved: {why}.")))))
            }
        }
    }
}
