//! Proofs of C2SP tlog-proof: an entry's index and path, and the head that it leads to. Files end in `.tlog-proof`.

use crate::note::{MAX_NOTE, Note};
use crate::tree::{Hash, MAX_LEVELS};
use crate::{Malformed, from_base64, hash_from_base64, number, to_base64};

/// The first line.
const HEADER: &str = "c2sp.org/tlog-proof@v1";
/// The most bytes of a file with several proofs.
pub const MAX_FILE: usize = 16 << 20;

/// A proof that an entry is in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProofFile {
    /// What the entry is made from: an [`crate::Opening`]. The format does not authenticate it.
    pub extra: Option<Vec<u8>>,
    /// The index of the entry.
    pub index: u64,
    /// The siblings, that of the leaf first.
    pub path: Vec<Hash>,
    /// The head.
    pub note: Note,
}

impl ProofFile {
    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let extra = self.extra.as_ref().map(|extra| format!("extra {}\n", to_base64(extra))).unwrap_or_default();
        let path: String = self.path.iter().map(|hash| to_base64(hash) + "\n").collect();
        format!("{HEADER}\n{extra}index {}\n{path}\n{}", self.index, self.note.to_text())
    }

    /// Reads one proof.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<ProofFile, Malformed> {
        let wrong = |what: &str| Malformed::new("proof", what);
        let rest = text.strip_prefix(HEADER).and_then(|rest| rest.strip_prefix('\n'));
        let rest = rest.ok_or_else(|| wrong("it does not begin with `c2sp.org/tlog-proof@v1`"))?;
        let (head, note) = rest.split_once("\n\n").ok_or_else(|| wrong("no empty line comes before the head"))?;
        let mut lines = head.split('\n').peekable();
        let extra = lines.next_if(|line| line.starts_with("extra "));
        let extra = extra.map(|line| from_base64("proof extra", &line[6..])).transpose()?;
        let index = lines.next().and_then(|line| line.strip_prefix("index "));
        let index = number("proof index", index.ok_or_else(|| wrong("it has no line `index`"))?)?;
        let path: Vec<Hash> = lines.map(|line| hash_from_base64("proof path", line)).collect::<Result<_, _>>()?;
        if path.len() > MAX_LEVELS {
            return Err(wrong("the path is too long"));
        }
        Ok(ProofFile { extra, index, path, note: Note::parse(note.as_bytes())? })
    }

    /// Reads a file with one proof or several, one after the other.
    ///
    /// # Errors
    /// When one of them is none, or there is none.
    pub fn parse_all(bytes: &[u8]) -> Result<Vec<ProofFile>, Malformed> {
        let wrong = |what: &str| Malformed::new("proof", what);
        if bytes.len() > MAX_FILE {
            return Err(wrong("the file is too long"));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8"))?;
        let mut proofs = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let next = rest.get(1..).and_then(|after| after.find(&format!("\n{HEADER}\n")));
            let (one, after) = next.map_or((rest, ""), |place| rest.split_at(place + 2));
            if one.len() > 3 * MAX_NOTE {
                return Err(wrong("it is too long"));
            }
            proofs.push(ProofFile::parse(one)?);
            rest = after;
        }
        if proofs.is_empty() { Err(wrong("the file is empty")) } else { Ok(proofs) }
    }
}
