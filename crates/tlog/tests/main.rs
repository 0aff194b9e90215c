//! The formats, against the vectors of their authors and the code of others, and every byte of everything flipped.

mod entries;
mod flips;
mod formats;
mod others;
mod receipts;
mod vectors;
mod witnesses;

use tlog::key::Kind;
use tlog::tree::leaf_hash;
use tlog::{Checkpoint, Frontier, Hash, Note, SigningKey};

/// Leaves of short entries.
fn leaves(count: u64) -> Vec<Hash> {
    (0..count).map(|index| leaf_hash(format!("entry {index}").as_bytes())).collect()
}

fn root(leaves: &[Hash]) -> Hash {
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.push(*leaf, |_, _| ()));
    frontier.root()
}

fn log_key() -> SigningKey {
    SigningKey::new("casino.example/floor/1", Kind::Note, [7; 32]).unwrap()
}

fn witness_key(number: u8) -> SigningKey {
    SigningKey::new(&format!("witness{number}.example"), Kind::Cosignature, [number; 32]).unwrap()
}

/// The head of a tree, signed by the log and cosigned by so many witnesses.
fn head(leaves: &[Hash], witnesses: u8) -> Note {
    let text = Checkpoint { origin: "casino.example/floor/1".into(), size: leaves.len() as u64, root: root(leaves) };
    let text = text.to_text();
    let mut signatures = vec![log_key().sign_at(&text, 0)];
    signatures
        .extend((1..=witnesses).map(|number| witness_key(number).sign_at(&text, 1_700_000_000 + u64::from(number))));
    Note { text, signatures }
}
