//! A transparency log without input or output: leaves, tree, proofs, signed notes, witnesses and receipts.
//!
//! The formats are those of C2SP (signed-note, tlog-checkpoint, tlog-cosignature, tlog-witness, tlog-tiles, tlog-proof,
//! tlog-policy) and RFC 6962, so that the tools of others can check a log that was made here. The entries are salted
//! commitments ([`entry`]): a log can be public and still shows nothing but how many records there are.
//!
//! Nothing here reads a file, a clock or a random number, and nothing from outside can make it panic.

pub mod checkpoint;
pub mod compact;
mod decimal;
pub mod entry;
pub mod key;
pub mod note;
pub mod policy;
pub mod proof;
pub mod proof_file;
mod read;
pub mod tile;
pub mod tree;
pub mod witness;

pub use checkpoint::Checkpoint;
pub use entry::{Entry, Opening, SaltKey};
pub use key::{LogSigner, SigningKey, VerifierKey};
pub use note::{Note, SignatureLine};
pub use policy::Policy;
pub use proof_file::ProofFile;
pub use tree::{Frontier, Hash, Nodes};

/// Something that is not of the format that it should be of: which part, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{part}: {what}")]
pub struct Malformed {
    /// Which part.
    pub part: &'static str,
    /// What is wrong with it.
    pub what: String,
}

impl Malformed {
    pub(crate) fn new(part: &'static str, what: impl Into<String>) -> Malformed {
        Malformed { part, what: what.into() }
    }
}

/// Bytes of a standard base64 text, with padding and in the one way of writing them.
pub(crate) fn from_base64(part: &'static str, text: &str) -> Result<Vec<u8>, Malformed> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text);
    bytes.map_err(|error| Malformed::new(part, format!("not base64: {error}")))
}

/// Standard base64 with padding.
#[must_use]
pub fn to_base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A hash from its base64.
pub(crate) fn hash_from_base64(part: &'static str, text: &str) -> Result<Hash, Malformed> {
    from_base64(part, text)?.try_into().map_err(|_| Malformed::new(part, "not 32 bytes"))
}

/// A decimal number without sign and leading zeros.
pub(crate) fn number(part: &'static str, text: &str) -> Result<u64, Malformed> {
    let canonical =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    let number = text.parse().ok().filter(|_| canonical);
    number.ok_or_else(|| Malformed::new(part, format!("`{}` is not a decimal number", shortened(text))))
}

/// The beginning of a text from outside, for a message.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(60).map(|c| if c.is_control() { '·' } else { c }).collect()
}
