//! What a witness has cosigned: one file, replaced at once.
//!
//! The file has a line with the witness's key, and for each log a line `head BYTES` and the note. Every note in it is
//! verified when it is read: a file that was changed is refused.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use journal::{Disk as _, RealDisk, private};
use tlog::{Checkpoint, Note, Policy, VerifierKey};

/// The first word of the file, with the version of its form.
const HEADER: &str = "witness-state-1";

#[derive(Debug)]
pub struct State {
    path: PathBuf,
    key: VerifierKey,
    heads: BTreeMap<String, (Checkpoint, Note)>,
}

/// Replaces a file at once, for its owner alone; durable when this returns.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the file has no name"))?;
    private::create_folder(folder)?;
    RealDisk::to_read(folder).write(name, bytes)
}

impl State {
    pub fn new(path: &Path, key: &VerifierKey) -> State {
        State { path: path.to_owned(), key: key.clone(), heads: BTreeMap::new() }
    }

    pub fn read(path: &Path, key: &VerifierKey, logs: &Policy) -> Result<State, String> {
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(
                    "the state is missing. A witness that forgets what it cosigned is none: restore the file, or \
                            make a new witness with `keygen`, under another name"
                        .to_owned(),
                );
            }
            other => other.map_err(|error| error.to_string())?,
        };
        let (header, mut rest) = text.split_once('\n').ok_or("it is not the state of a witness")?;
        let whose = header.strip_prefix(HEADER).and_then(|rest| rest.strip_prefix(' '));
        if whose.ok_or("it is not the state of a witness")? != key.to_text() {
            return Err("it is the state of a witness with another key".to_owned());
        }
        let mut state = State::new(path, key);
        while !rest.is_empty() {
            let (length, after) = rest.split_once('\n').ok_or("it is damaged")?;
            let length: usize =
                length.strip_prefix("head ").and_then(|length| length.parse().ok()).ok_or("it is damaged")?;
            let (note, after) = after.split_at_checked(length).ok_or("it is damaged")?;
            let note = Note::parse(note.as_bytes()).map_err(|error| format!("it is damaged: {error}"))?;
            let head = Checkpoint::parse(&note.text).map_err(|error| format!("it is damaged: {error}"))?;
            let signed = note.verify([key]).map_err(|error| format!("it was changed: {error}"))?;
            if signed.is_empty() {
                return Err(format!("it was changed: the head of {} is not cosigned by this witness", head.origin));
            }
            // A log that is no longer watched is kept as it is.
            if logs.logs().iter().any(|log| log.key.name() == head.origin) {
                logs.examine(&note).map_err(|error| format!("it was changed: {error}"))?;
            }
            if state.heads.insert(head.origin.clone(), (head, note)).is_some() {
                return Err("it was changed: it has two heads of one log".to_owned());
            }
            rest = after;
        }
        Ok(state)
    }

    pub fn head(&self, origin: &str) -> Option<&(Checkpoint, Note)> {
        self.heads.get(origin)
    }

    pub fn heads(&self) -> impl Iterator<Item = &(Checkpoint, Note)> {
        self.heads.values()
    }

    /// Replaces a log's head. When the disk fails, the head before it stays: what is in the file then is one of the two,
    /// and both were judged by the same state.
    pub fn replace(&mut self, head: Checkpoint, note: Note) -> io::Result<()> {
        let origin = head.origin.clone();
        let before = self.heads.insert(origin.clone(), (head, note));
        let saved = self.save();
        if saved.is_err() {
            match before {
                Some(before) => drop(self.heads.insert(origin, before)),
                None => drop(self.heads.remove(&origin)),
            }
        }
        saved
    }

    pub fn save(&self) -> io::Result<()> {
        let mut text = format!("{HEADER} {}\n", self.key.to_text());
        for (_, note) in self.heads.values() {
            let note = note.to_text();
            text.push_str(&format!("head {}\n{note}", note.len()));
        }
        write(&self.path, text.as_bytes())
    }
}
