//! Checkpoints of C2SP tlog-checkpoint: origin, size and root of a tree.

use crate::tree::Hash;
use crate::{Malformed, hash_from_base64, number, to_base64};

/// The head of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The root of their tree.
    pub root: Hash,
}

impl Checkpoint {
    /// The text that is signed.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, to_base64(&self.root))
    }

    /// Reads the text of a note. Lines after the third belong to no one here.
    ///
    /// # Errors
    /// When it is no checkpoint.
    pub fn parse(text: &str) -> Result<Checkpoint, Malformed> {
        let wrong = |what: &str| Malformed::new("checkpoint", what);
        let body = text.strip_suffix('\n').ok_or_else(|| wrong("the last line has no end"))?;
        let mut lines = body.split('\n');
        let mut line = || lines.next().ok_or_else(|| wrong("it has three lines: origin, size and root"));
        let (origin, size, root) = (line()?, line()?, line()?);
        if origin.is_empty() {
            return Err(wrong("the origin is empty"));
        }
        if lines.any(str::is_empty) {
            return Err(wrong("it contains an empty line"));
        }
        let (size, root) = (number("checkpoint size", size)?, hash_from_base64("checkpoint root", root)?);
        Ok(Checkpoint { origin: origin.to_owned(), size, root })
    }
}
