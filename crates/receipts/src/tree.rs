//! The tree of a floor's journal, brought up to date and signed. It has no thread and no clock of its own.

use std::io;
use std::path::{Path, PathBuf};

use journal::Entry;
use tlog::tree::root;
use tlog::{Checkpoint, LogSigner, Note, SaltKey};

use crate::FOLDER;
use crate::heads::{Head, Heads, keep_day};
use crate::journal_reader::Segments;
use crate::leaf;
use crate::levels::{LevelReader, Levels};

/// Leaves that are held in memory before they are written.
const HELD: u64 = 65_536;

/// Why a tree cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// It may pass: it is tried again.
    #[error("{0}")]
    Disk(#[from] io::Error),
    /// The key does not sign now. Play is not affected.
    #[error("the key of the log does not sign: {0}")]
    Signer(String),
    /// The journal ends before what was signed.
    #[error("the end of the journal is lost: it has {records} records, and a head of {signed} was signed")]
    Lost {
        /// How many the journal has.
        records: u64,
        /// How many were signed for.
        signed: u64,
    },
    /// The journal has other records than those that were signed, or the salt key is another one.
    #[error("the first {0} records of the journal, with log.salt, are not those whose head was signed")]
    Other(u64),
}

impl TreeError {
    /// Whether it never passes by itself.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, TreeError::Lost { .. } | TreeError::Other(_))
    }
}

/// How a gaming day is called.
pub type DayName = fn(i64) -> String;

/// A tree that is being extended.
pub struct Tree {
    log: PathBuf,
    segments: Segments,
    salt: SaltKey,
    signer: Box<dyn LogSigner>,
    heads: Heads,
    levels: Levels,
    head: Option<Head>,
    signed: u64,
    day_name: DayName,
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("log", &self.log).field("size", &self.size()).finish_non_exhaustive()
    }
}

impl Tree {
    /// Opens the tree of a folder whose journal is durable up to a record, compares it with the last head, and brings it up
    /// to date.
    ///
    /// # Errors
    /// When it cannot go on.
    pub fn open(
        folder: &Path,
        archives: &[PathBuf],
        salt: SaltKey,
        signer: Box<dyn LogSigner>,
        day_name: DayName,
        records: u64,
    ) -> Result<Tree, TreeError> {
        let log = folder.join(FOLDER);
        let heads = Heads::new(&log, signer.key().clone());
        journal::private::create_folder(&log)?;
        let newest = heads.newest()?;
        let (head, signed) = newest.map_or((None, 0), |(head, count)| (Some(head), count));
        let size = head.as_ref().map_or(0, |head| head.checkpoint.size);
        if size > records {
            return Err(TreeError::Lost { records, signed: size });
        }
        // What was written after the last head is not relied on: the disk may have torn it.
        let kept = Levels::open(&log, size)?
            .filter(|levels| head.as_ref().is_none_or(|head| levels.root() == head.checkpoint.root));
        let levels = match kept {
            Some(levels) => levels,
            None => Levels::open(&log, 0)?.ok_or_else(|| io::Error::other("the tree could not be begun"))?,
        };
        let segments = Segments::new(folder, archives);
        let mut tree = Tree { log, segments, salt, signer, heads, levels, head, signed, day_name };
        tree.catch_up(records)?;
        Ok(tree)
    }

    /// How many records it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.levels.size()
    }

    /// The last head that was signed.
    #[must_use]
    pub fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// Whether records have come since the last head.
    #[must_use]
    pub fn has_unsigned(&self) -> bool {
        self.size() > self.head.as_ref().map_or(0, |head| head.checkpoint.size)
    }

    /// Reads what is missing up to a record from the journal.
    ///
    /// # Errors
    /// When it cannot go on.
    pub fn catch_up(&mut self, records: u64) -> Result<(), TreeError> {
        if self.size() >= records {
            return Ok(());
        }
        let mut failed = Ok(());
        let (segments, from) = (self.segments.clone(), self.size());
        segments.after(from, |first, entries| {
            let wanted = usize::try_from(records.saturating_sub(first - 1)).unwrap_or(usize::MAX).min(entries.len());
            failed = self.extend(first, &entries[..wanted]);
            Ok(failed.is_ok() && self.size() < records)
        })?;
        failed?;
        if self.size() < records {
            return Err(TreeError::Disk(io::Error::other(format!("the journal ends before record {records}"))));
        }
        self.levels.flush()?;
        Ok(())
    }

    /// Appends durable records, of which the first has this sequence. Those that it has already are passed over.
    ///
    /// # Errors
    /// When it cannot go on, and when records before them are missing.
    pub fn extend(&mut self, first: u64, entries: &[Entry<'_>]) -> Result<(), TreeError> {
        let known = usize::try_from((self.size() + 1).saturating_sub(first)).unwrap_or(usize::MAX);
        let entries = entries.get(known..).unwrap_or_default();
        if entries.is_empty() {
            return Ok(());
        }
        if first > self.size() + 1 {
            self.catch_up(first - 1)?;
        }
        let salt = self.salt.clone();
        let index = self.size();
        let leaves = leaf::leaves(&salt, index, entries.iter().map(|entry| (entry.time, entry.bytes)));
        for (leaf, entry) in leaves.zip(entries) {
            // The day's head is that of all records before it, and is signed before any larger one.
            if let Some(day) = leaf::day_begun(entry.time, entry.bytes)
                && self.has_unsigned()
            {
                let note = self.sign()?.note.clone();
                keep_day(&self.log, &(self.day_name)(day - 1), &note)?;
            }
            self.levels.push(leaf);
            self.compare()?;
            if self.size().is_multiple_of(HELD) {
                self.levels.flush()?;
            }
        }
        self.levels.flush()?;
        Ok(())
    }

    /// A tree that is made again must pass through the head that was signed.
    fn compare(&self) -> Result<(), TreeError> {
        match &self.head {
            Some(head) if head.checkpoint.size == self.size() && head.checkpoint.root != self.levels.root() => {
                Err(TreeError::Other(self.size()))
            }
            _ => Ok(()),
        }
    }

    /// Signs the head of what it has. The tree and then the head are durable before this returns.
    ///
    /// # Errors
    /// When the key is not available, or the disk fails.
    pub fn sign(&mut self) -> Result<&Head, TreeError> {
        if self.has_unsigned() || self.head.is_none() {
            self.levels.sync()?;
            let origin = self.signer.key().name().to_owned();
            let checkpoint = Checkpoint { origin, size: self.size(), root: self.levels.root() };
            let text = checkpoint.to_text();
            let line = self.signer.sign(&text).map_err(TreeError::Signer)?;
            let note = Note { text, signatures: vec![line] };
            if note.verify([self.signer.key()]).is_ok_and(|signed| signed.is_empty()) {
                return Err(TreeError::Signer("its signature is in the name of another key".to_owned()));
            }
            self.heads.append(self.signed, &note)?;
            self.signed += 1;
            self.head = Some(Head { note, checkpoint });
        }
        self.head.as_ref().ok_or_else(|| TreeError::Signer("nothing was signed".to_owned()))
    }

    /// Whether the files give the root of the last head.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn is_whole(&self) -> io::Result<bool> {
        let Some(head) = &self.head else { return Ok(true) };
        Ok(root(&LevelReader::new(&self.log), head.checkpoint.size)? == head.checkpoint.root)
    }
}
