//! Before play: what the witnesses have cosigned must be what the journal has.

use std::path::Path;

use receipts::heads::Head;
use receipts::keys;
use tokio::task::JoinSet;

use super::ask::Witness;
use crate::config::{Config, WitnessPlace};
use crate::start::StartError;

/// What a witness has shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The witness.
    pub witness: String,
    /// The latest head that it has cosigned, or why it showed none.
    pub head: Result<Option<Head>, String>,
}

/// A witness that has cosigned more than a journal has, or another one.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Ahead {
    /// More.
    #[error("the witness {witness} has cosigned {seen} records, and the journal has {records}")]
    Lost {
        /// Which witness.
        witness: String,
        /// How many it has cosigned.
        seen: u64,
        /// How many there are.
        records: u64,
        /// The head that proves it.
        head: Box<Head>,
    },
    /// Others.
    #[error("the first {seen} records of the journal are not those that the witness {witness} has cosigned")]
    Other {
        /// Which witness.
        witness: String,
        /// How many.
        seen: u64,
        /// The head that proves it.
        head: Box<Head>,
    },
}

impl Ahead {
    /// The head that proves it.
    #[must_use]
    pub fn head(&self) -> &Head {
        match self {
            Ahead::Lost { head, .. } | Ahead::Other { head, .. } => head,
        }
    }
}

/// Asks all witnesses at once for what they have cosigned last of a floor's log.
///
/// # Errors
/// When the key of the log cannot be read.
pub async fn shown(folder: &Path, places: &[WitnessPlace]) -> std::io::Result<Vec<Shown>> {
    let Some(log) = keys::public(folder)? else { return Ok(Vec::new()) };
    let mut asked = JoinSet::new();
    for place in places {
        let (mut witness, log) = (Witness::new(place), log.clone());
        asked.spawn(async move {
            let head = witness.shown(&log).await;
            Shown { witness: witness.name, head }
        });
    }
    Ok(asked.join_all().await)
}

/// Compares a journal at rest with what witnesses have shown: the worst that contradicts it.
///
/// # Errors
/// When journal or log cannot be read.
pub fn compare(folder: &Path, archives: &[std::path::PathBuf], shown: &[Shown]) -> std::io::Result<Option<Ahead>> {
    let records = receipts::last_record(folder, archives)?;
    let mut heads: Vec<(&String, &Head)> = Vec::new();
    for one in shown {
        if let Ok(Some(head)) = &one.head {
            heads.push((&one.witness, head));
        }
    }
    heads.sort_by_key(|(_, head)| std::cmp::Reverse(head.checkpoint.size));
    for (witness, head) in heads {
        let seen = head.checkpoint.size;
        let (witness, head) = (witness.clone(), Box::new(head.clone()));
        if seen > records {
            return Ok(Some(Ahead::Lost { witness, seen, records, head }));
        }
        match receipts::holds(folder, archives, &head.checkpoint) {
            Ok(true) => {}
            Ok(false) => return Ok(Some(Ahead::Other { witness, seen, head })),
            // What is archived cannot be compared here; the witness itself will refuse what does not follow.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, "the journal could not be compared with the witness {witness}");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Refuses a start where a witness has cosigned what the journal does not have.
pub(crate) async fn before_play(config: &Config) -> Result<(), StartError> {
    if config.witnesses.is_empty() {
        return Ok(());
    }
    let failed = |error: std::io::Error| StartError::Store(error.to_string());
    let shown = shown(&config.data, &config.witnesses).await.map_err(failed)?;
    for one in &shown {
        match &one.head {
            Ok(Some(head)) => {
                tracing::info!(witness = one.witness, size = head.checkpoint.size, "a witness has shown its head");
            }
            Ok(None) => tracing::info!(witness = one.witness, "a witness has not cosigned this log yet"),
            Err(error) => tracing::warn!(witness = one.witness, error, "a witness could not be asked before play"),
        }
    }
    let data = config.data.clone();
    let compared = tokio::task::spawn_blocking(move || compare(&data, &[], &shown));
    match compared.await.map_err(crate::start::failed)?.map_err(failed)? {
        Some(ahead) => Err(StartError::Ahead(ahead)),
        None => Ok(()),
    }
}
