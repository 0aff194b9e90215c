//! A witness of transparency logs, in the protocol of C2SP tlog-witness: it cosigns a head if the log has only grown since
//! the last head that it cosigned. The person who runs it does not belong to the house.
//!
//! It has one key and one file of state. The file is replaced at once and durable before a cosignature is given out, so that
//! no kill and no power cut makes it cosign two histories. A missing file is refused and never taken for an empty one.

mod serve;
mod state;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use journal::private;
use tlog::key::Kind;
use tlog::witness::{AddCheckpoint, Refusal, Seen, judge, origin_hash};
use tlog::{Checkpoint, Note, Policy, SigningKey, VerifierKey};

pub use serve::{Limits, serve};
use state::State;

/// Why a witness does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The key cannot be read.
    #[error("{path}: {what}", path = path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The state is missing, damaged, or another witness's.
    #[error("{path}: {what}", path = path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// Why no cosignature was given.
#[derive(Debug, thiserror::Error)]
pub enum Uncosigned {
    /// The request is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The state could not be made durable: nothing was signed.
    #[error("the state could not be written: {0}")]
    Disk(#[from] io::Error),
}

/// A witness with its key, the logs that it watches, and what it has cosigned.
#[derive(Debug)]
pub struct Witness {
    key: SigningKey,
    logs: Policy,
    state: Mutex<State>,
}

/// Makes the key of a new witness and its empty state. Neither file may exist.
///
/// # Errors
/// When a file exists already, the name cannot be a key's, or the disk fails.
pub fn keygen(name: &str, key: &Path, state: &Path) -> io::Result<VerifierKey> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    let invalid = |error: tlog::Malformed| io::Error::new(io::ErrorKind::InvalidInput, error.to_string());
    let made = SigningKey::new(name, Kind::Cosignature, secret).map_err(invalid)?;
    for path in [key, state] {
        if path.exists() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{} exists already", path.display())));
        }
    }
    state::write(key, format!("{}\n", made.to_text()).as_bytes())?;
    State::new(state, made.public()).save()?;
    Ok(made.public().clone())
}

/// Reads the key of a witness.
///
/// # Errors
/// When it cannot be read, others can read it, or it is no key of a witness.
pub fn key(path: &Path) -> Result<SigningKey, StartError> {
    let wrong = |what: String| StartError::Key { path: path.to_owned(), what };
    private::check_secret(path).map_err(|error| wrong(error.to_string()))?;
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let key = SigningKey::parse(&text).map_err(|error| wrong(error.to_string()))?;
    match key.public().kind() {
        Kind::Cosignature => Ok(key),
        Kind::Note => Err(wrong("it is the key of a log, and not of a witness".to_owned())),
    }
}

impl Witness {
    /// Opens a witness that watches the logs of a policy.
    ///
    /// # Errors
    /// When key or state cannot be relied on.
    pub fn open(key_file: &Path, state_file: &Path, logs: Policy) -> Result<Witness, StartError> {
        let key = key(key_file)?;
        let wrong = |what: String| StartError::State { path: state_file.to_owned(), what };
        let state = State::read(state_file, key.public(), &logs).map_err(wrong)?;
        Ok(Witness { key, logs, state: Mutex::new(state) })
    }

    /// The public half of its key.
    #[must_use]
    pub fn public(&self) -> &VerifierKey {
        self.key.public()
    }

    /// Cosigns a head if the log has only grown: the answer's line. The state is durable when this returns.
    ///
    /// # Errors
    /// Why not.
    pub fn add_checkpoint(&self, body: &[u8], now: u64) -> Result<String, Uncosigned> {
        let request = AddCheckpoint::parse(body).map_err(|error| Refusal::Malformed(error.to_string()))?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = |origin: &str| state.head(origin).map(|(head, _)| Seen { size: head.size, root: head.root });
        let checkpoint = judge(&request, &self.logs, seen)?;
        // A clock that was set back makes no cosignature older than the one before.
        let last = state.head(&checkpoint.origin).and_then(|(_, note)| self.time_of(note)).unwrap_or(0);
        let line = self.key.sign_at(&request.note.text, now.max(last));
        let text = line.to_text();
        state.replace(checkpoint, self.kept(request.note, line))?;
        Ok(text)
    }

    /// The latest head that was cosigned of the log with this hash of its origin.
    #[must_use]
    pub fn latest(&self, hash: &str) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.heads().find(|(head, _)| origin_hash(&head.origin) == hash).map(|(_, note)| note.to_text())
    }

    /// What it has cosigned last, by log.
    #[must_use]
    pub fn heads(&self) -> Vec<Checkpoint> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.heads().map(|(head, _)| head.clone()).collect()
    }

    fn time_of(&self, note: &Note) -> Option<u64> {
        note.verify([self.key.public()]).ok()?.first()?.time
    }

    /// The note with the log's own signatures and this witness's: what others have added is left out.
    fn kept(&self, mut note: Note, line: tlog::SignatureLine) -> Note {
        let is_log = |line: &tlog::SignatureLine| {
            self.logs.logs().iter().any(|log| log.key.name() == line.name && log.key.id() == line.id)
        };
        note.signatures.retain(is_log);
        note.signatures.push(line);
        note
    }
}
