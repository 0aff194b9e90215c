//! A witness over HTTP and beside its file of state.

mod forged;
mod http;
mod state;

use std::path::PathBuf;

use tempfile::TempDir;
use tlog::key::Kind;
use tlog::tree::{leaf_hash, prove_consistency};
use tlog::witness::AddCheckpoint;
use tlog::{Checkpoint, Frontier, Hash, Note, Policy, SigningKey, VerifierKey};
use witness::Witness;

const ORIGIN: &str = "casino.example/floor/1";

fn log_key() -> SigningKey {
    SigningKey::new(ORIGIN, Kind::Note, [7; 32]).unwrap()
}

fn leaves(count: u64) -> Vec<Hash> {
    (0..count).map(|index| leaf_hash(&index.to_be_bytes())).collect()
}

/// The head of a tree, signed by the log's own key.
fn head(leaves: &[Hash]) -> Note {
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.push(*leaf, |_, _| ()));
    let (size, root) = (frontier.size(), frontier.root());
    let text = Checkpoint { origin: ORIGIN.into(), size, root }.to_text();
    Note { signatures: vec![log_key().sign_at(&text, 0)], text }
}

fn request(leaves: &[Hash], old: u64) -> String {
    let proof = prove_consistency(leaves, old, leaves.len() as u64).unwrap();
    AddCheckpoint { old, proof, note: head(leaves) }.to_text()
}

/// The files of a witness.
struct Place {
    _folder: TempDir,
    key: PathBuf,
    state: PathBuf,
    public: VerifierKey,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let (key, state) = (folder.path().join("witness.key"), folder.path().join("witness.state"));
        let public = witness::keygen("regulator.example/w", &key, &state).unwrap();
        Place { _folder: folder, key, state, public }
    }

    fn open(&self) -> Witness {
        Witness::open(&self.key, &self.state, Policy::of_log(log_key().public().clone())).unwrap()
    }

    /// Whom to believe: the log, cosigned by this witness.
    fn policy(&self) -> Policy {
        let (log, witness) = (log_key().public().to_text(), self.public.to_text());
        Policy::parse(&format!("log {log}\nwitness w {witness}\nquorum w\n")).unwrap()
    }
}

/// A head with the lines of a witness's answer.
fn cosigned(leaves: &[Hash], answer: &str) -> Note {
    let mut note = head(leaves);
    note.signatures.extend(tlog::witness::cosignatures(answer).unwrap());
    note
}
