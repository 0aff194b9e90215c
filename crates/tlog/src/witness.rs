//! What a log asks of a witness, and what a witness answers: C2SP tlog-witness.

use sha2::{Digest, Sha256};

use crate::checkpoint::Checkpoint;
use crate::note::{Note, SignatureLine};
use crate::policy::{Distrust, Policy};
use crate::proof::verify_consistency;
use crate::tree::Hash;
use crate::{Malformed, hash_from_base64, number, to_base64};

/// The most hashes of a consistency proof.
const MAX_PROOF: usize = 63;
/// The type of the answer that names a size.
pub const SIZE_TYPE: &str = "text/x.tlog.size";

/// Asks for a cosignature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddCheckpoint {
    /// The size that this witness has cosigned last; 0 at first.
    pub old: u64,
    /// The proof from there.
    pub proof: Vec<Hash>,
    /// The head.
    pub note: Note,
}

impl AddCheckpoint {
    /// The body of the request.
    #[must_use]
    pub fn to_text(&self) -> String {
        let proof: String = self.proof.iter().map(|hash| to_base64(hash) + "\n").collect();
        format!("old {}\n{proof}\n{}", self.old, self.note.to_text())
    }

    /// Reads the body of a request.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(body: &[u8]) -> Result<AddCheckpoint, Malformed> {
        let wrong = |what: &str| Malformed::new("request", what);
        let text = std::str::from_utf8(body).map_err(|_| wrong("it is not UTF-8"))?;
        let (head, note) = text.split_once("\n\n").ok_or_else(|| wrong("no empty line comes before the head"))?;
        let mut lines = head.split('\n');
        let old = lines.next().and_then(|line| line.strip_prefix("old "));
        let old = number("request old", old.ok_or_else(|| wrong("it does not begin with `old`"))?)?;
        let proof: Vec<Hash> = lines.map(|line| hash_from_base64("request proof", line)).collect::<Result<_, _>>()?;
        if proof.len() > MAX_PROOF {
            return Err(wrong("the proof is too long"));
        }
        Ok(AddCheckpoint { old, proof, note: Note::parse(note.as_bytes())? })
    }
}

/// Why a witness does not cosign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// 400.
    #[error("{0}")]
    Malformed(String),
    /// 403.
    #[error("no trusted key has signed it")]
    Untrusted,
    /// 404.
    #[error("the log is not one that this witness knows")]
    UnknownLog,
    /// 409, with the size that the witness has.
    #[error("the witness has cosigned size {0}")]
    Stale(u64),
    /// 422.
    #[error("the log does not extend what the witness has cosigned: {0}")]
    Inconsistent(String),
}

impl Refusal {
    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            Refusal::Malformed(_) => 400,
            Refusal::Untrusted => 403,
            Refusal::UnknownLog => 404,
            Refusal::Stale(_) => 409,
            Refusal::Inconsistent(_) => 422,
        }
    }

    /// The refusal of an answer.
    #[must_use]
    pub fn of(status: u16, kind: &str, body: &str) -> Refusal {
        let size = body.strip_suffix('\n').and_then(|size| number("size", size).ok());
        match (status, size) {
            (409, Some(size)) if kind == SIZE_TYPE => Refusal::Stale(size),
            (409 | 422, _) => Refusal::Inconsistent(crate::shortened(body)),
            (403, _) => Refusal::Untrusted,
            (404, _) => Refusal::UnknownLog,
            _ => Refusal::Malformed(format!("status {status}: {}", crate::shortened(body))),
        }
    }
}

/// What a witness has cosigned last of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The size.
    pub size: u64,
    /// The root.
    pub root: Hash,
}

/// Decides whether a witness cosigns: the log must be known, its signature genuine, and the tree an extension of what was
/// seen last. The head is to be kept durably before the cosignature is given out.
///
/// # Errors
/// Why not.
pub fn judge(
    request: &AddCheckpoint,
    logs: &Policy,
    seen: impl FnOnce(&str) -> Option<Seen>,
) -> Result<Checkpoint, Refusal> {
    let checkpoint = Checkpoint::parse(&request.note.text).map_err(|error| Refusal::Malformed(error.to_string()))?;
    if logs.logs().iter().all(|log| log.key.name() != checkpoint.origin) {
        return Err(Refusal::UnknownLog);
    }
    match logs.examine(&request.note) {
        Ok(_) => {}
        Err(Distrust::Malformed(error)) => return Err(Refusal::Malformed(error.to_string())),
        Err(_) => return Err(Refusal::Untrusted),
    }
    if request.old > checkpoint.size {
        return Err(Refusal::Malformed("the old size is larger than the head's".to_owned()));
    }
    let seen = seen(&checkpoint.origin).unwrap_or(Seen { size: 0, root: crate::tree::empty_root() });
    if request.old != seen.size {
        return Err(Refusal::Stale(seen.size));
    }
    let (size, root) = (checkpoint.size, &checkpoint.root);
    verify_consistency(seen.size, &seen.root, size, root, &request.proof)
        .map_err(|error| Refusal::Inconsistent(error.to_string()))?;
    Ok(checkpoint)
}

/// The lines of an answer that cosigns.
///
/// # Errors
/// When they are none.
pub fn cosignatures(body: &str) -> Result<Vec<SignatureLine>, Malformed> {
    let lines = body.strip_suffix('\n').ok_or_else(|| Malformed::new("answer", "the last line has no end"))?;
    lines.split('\n').map(SignatureLine::parse).collect()
}

/// How a log is named where a witness is asked for its latest head: the hexadecimal hash of the origin.
#[must_use]
pub fn origin_hash(origin: &str) -> String {
    Sha256::digest(origin).iter().map(|byte| format!("{byte:02x}")).collect()
}
