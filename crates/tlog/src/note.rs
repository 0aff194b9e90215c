//! Signed notes of C2SP: a text, an empty line, and lines of signatures.

use crate::key::VerifierKey;
use crate::{Malformed, from_base64, to_base64};

/// What begins a line of a signature: an em dash and a space.
const DASH: &str = "\u{2014} ";
/// The most bytes of a note.
pub const MAX_NOTE: usize = 65_536;
/// The most signatures of a note.
pub const MAX_SIGNATURES: usize = 100;

/// A signature as a note carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureLine {
    /// The name of the key.
    pub name: String,
    /// The id of the key.
    pub id: [u8; 4],
    /// The signature; a time comes before it in a cosignature.
    pub signature: Vec<u8>,
}

impl SignatureLine {
    /// The line, with its end.
    #[must_use]
    pub fn to_text(&self) -> String {
        let bytes = [&self.id[..], &self.signature].concat();
        format!("{DASH}{} {}\n", self.name, to_base64(&bytes))
    }

    /// Reads a line without its end.
    ///
    /// # Errors
    /// When it is no line of a signature.
    pub fn parse(line: &str) -> Result<SignatureLine, Malformed> {
        let wrong = |what: &str| Malformed::new("signature line", what);
        let rest = line.strip_prefix(DASH).ok_or_else(|| wrong("it does not begin with an em dash and a space"))?;
        let (name, base64) = rest.split_once(' ').ok_or_else(|| wrong("it has no signature after the name"))?;
        if !is_name(name) {
            return Err(wrong("the name of a key has no space and no `+`, and is not empty"));
        }
        let bytes = from_base64("signature line", base64)?;
        let (id, signature) = bytes.split_first_chunk().ok_or_else(|| wrong("it is too short"))?;
        if signature.is_empty() {
            return Err(wrong("it is too short"));
        }
        Ok(SignatureLine { name: name.to_owned(), id: *id, signature: signature.to_vec() })
    }
}

/// Whether a text can be the name of a key.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

/// A signed note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The text; it ends with a line feed.
    pub text: String,
    /// The signatures, of any keys.
    pub signatures: Vec<SignatureLine>,
}

/// A signature that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed<'k> {
    /// By which key.
    pub key: &'k VerifierKey,
    /// When, in seconds since 1970, if it is a cosignature.
    pub time: Option<u64>,
}

/// Why a note cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature of `{name}` does not fit the text")]
pub struct BadSignature {
    /// The name of the key.
    pub name: String,
}

impl Note {
    /// Reads a note.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(bytes: &[u8]) -> Result<Note, Malformed> {
        let wrong = |what: &str| Malformed::new("note", what);
        if bytes.len() > MAX_NOTE {
            return Err(wrong("it is too long"));
        }
        let all = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8"))?;
        if all.bytes().any(|byte| byte < 0x20 && byte != b'\n') {
            return Err(wrong("it contains a control character"));
        }
        let split = all.rfind("\n\n").ok_or_else(|| wrong("no empty line separates text and signatures"))?;
        let (text, lines) = (&all[..=split], &all[split + 2..]);
        let lines = lines.strip_suffix('\n').ok_or_else(|| wrong("the last signature has no end of line"))?;
        let signatures: Vec<_> = lines.split('\n').map(SignatureLine::parse).collect::<Result<_, _>>()?;
        if signatures.len() > MAX_SIGNATURES {
            return Err(wrong("it has too many signatures"));
        }
        Ok(Note { text: text.to_owned(), signatures })
    }

    /// The note as it is sent and kept.
    #[must_use]
    pub fn to_text(&self) -> String {
        let lines: String = self.signatures.iter().map(SignatureLine::to_text).collect();
        format!("{}\n{lines}", self.text)
    }

    /// The signatures of known keys. Those of unknown keys are ignored.
    ///
    /// # Errors
    /// When the signature of a known key does not fit: nothing of the note is to be believed.
    pub fn verify<'k>(&self, keys: impl IntoIterator<Item = &'k VerifierKey>) -> Result<Vec<Signed<'k>>, BadSignature> {
        let mut signed: Vec<Signed<'k>> = Vec::new();
        for key in keys {
            for line in &self.signatures {
                if line.name != key.name() || line.id != key.id() {
                    continue;
                }
                let time = key.verify(&self.text, &line.signature);
                let time = time.ok_or_else(|| BadSignature { name: line.name.clone() })?;
                if signed.iter().all(|signed| signed.key != key) {
                    signed.push(Signed { key, time });
                }
            }
        }
        Ok(signed)
    }
}
