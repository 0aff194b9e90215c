//! `croupier witness keygen`: the key of a new witness and its empty state.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::output::{self, Form};
use crate::refusal::{Failure, Refusal};

/// Make the key of a witness and its empty state, and print the public key.
#[derive(Args)]
#[command(after_help = "\
The public key goes to the houses whose logs are watched, and to everyone who verifies receipts. Neither file may exist: the \
state of a witness is made once, and a witness whose state is lost needs a new name and key.

Examples:
  croupier witness keygen regulator.example/floor --key witness.key --state witness.state > witness.vkey")]
pub struct Keygen {
    /// The name of the witness: a URL without its scheme, as others know it.
    #[arg(value_name = "NAME")]
    name: String,

    /// The file for the secret key.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    /// The file for the state.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,
}

impl Keygen {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let made = ::witness::keygen(&self.name, &self.key, &self.state);
        let made = made.map_err(|error| Refusal::disk("no key was made", &error))?;
        Ok(match form {
            Form::Words => format!("{}\n", made.to_text()),
            Form::Json => output::json(&json!({ "name": made.name(), "key": made.to_text() })),
        })
    }
}
