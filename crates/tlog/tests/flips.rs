//! Every byte of a head, a proof, a cosignature, a tile and a receipt is changed, and every change is found.

use tlog::compact::Compact;
use tlog::entry::leaf;
use tlog::key::Kind;
use tlog::proof::{verify_consistency, verify_inclusion};
use tlog::tree::{prove_consistency, prove_inclusion, root as root_of};
use tlog::{Checkpoint, Note, Opening, Policy, ProofFile, SigningKey};

use crate::receipts::{policy, proof};
use crate::{head, leaves, root};

pub fn other_log() -> SigningKey {
    SigningKey::new("casino.example/floor/1", Kind::Note, [3; 32]).unwrap()
}

/// Every witness must have cosigned.
fn strict(witnesses: u8) -> Policy {
    let keys: String =
        (1..=witnesses).map(|n| format!("witness w{n} {}\n", crate::witness_key(n).public().to_text())).collect();
    let names: String = (1..=witnesses).map(|n| format!(" w{n}")).collect();
    let log = crate::log_key().public().to_text();
    Policy::parse(&format!("log {log}\n{keys}group everyone all{names}\nquorum everyone\n")).unwrap()
}

/// What a verifier does with a proof.
fn holds(text: &[u8], policy: &Policy) -> Result<Opening, String> {
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let proof = ProofFile::parse(text).map_err(|error| error.to_string())?;
    let head = policy.verify(&proof.note).map_err(|error| error.to_string())?.checkpoint;
    let opening = Opening::parse(&proof.extra.ok_or("no opening")?).map_err(|error| error.to_string())?;
    let entry = opening.entry().map_err(|error| error.to_string())?;
    verify_inclusion(leaf(&entry), proof.index, head.size, &proof.path, &head.root)
        .map_err(|error| error.to_string())?;
    Ok(opening)
}

#[test]
fn every_byte_of_a_proof_with_its_head_and_cosignatures() {
    let text = proof(40, 17, 2).to_text().into_bytes();
    let policy = strict(2);
    holds(&text, &policy).unwrap();
    for place in 0..text.len() {
        for bit in [1u8, 0x20, 0x80] {
            let mut changed = text.clone();
            changed[place] ^= bit;
            assert!(holds(&changed, &policy).is_err(), "byte {place}, bit {bit}");
        }
        let mut shorter = text.clone();
        shorter.remove(place);
        assert!(holds(&shorter, &policy).is_err(), "without byte {place}");
    }
}

#[test]
fn every_byte_of_a_head() {
    let text = head(&leaves(12), 2).to_text().into_bytes();
    for place in 0..text.len() {
        let mut changed = text.clone();
        changed[place] ^= 1;
        let believed = Note::parse(&changed).ok().and_then(|note| strict(2).verify(&note).ok());
        assert!(believed.is_none(), "byte {place}");
    }
}

#[test]
fn every_digit_of_a_receipt() {
    let digits = Compact::of(&proof(40, 17, 2), &policy(2)).unwrap().to_digits();
    let policy = strict(2);
    let believed = |digits: &str| {
        let proof = Compact::parse(digits).and_then(|receipt| receipt.expand(&policy)).ok()?;
        holds(proof.to_text().as_bytes(), &policy).ok()
    };
    assert!(believed(&digits).is_some());
    for place in 0..digits.len() {
        let mut changed = digits.clone().into_bytes();
        changed[place] = b'0' + (changed[place] - b'0' + 1) % 10;
        assert!(believed(std::str::from_utf8(&changed).unwrap()).is_none(), "digit {place}");
    }
}

#[test]
fn every_byte_of_a_tile() {
    let hashes = leaves(256);
    let (whole, path) = (root(&hashes), prove_inclusion(&hashes[..], 9, 256).unwrap());
    assert_eq!(root_of(&hashes[..], 256).unwrap(), whole);
    let tile: Vec<u8> = hashes.concat();
    for place in 0..tile.len() {
        let mut changed = tile.clone();
        changed[place] ^= 0x10;
        let hashes: Vec<[u8; 32]> = changed.chunks(32).map(|hash| hash.try_into().unwrap()).collect();
        assert_ne!(root(&hashes), whole, "byte {place}");
    }
    verify_inclusion(hashes[9], 9, 256, &path, &whole).unwrap();
}

#[test]
fn every_byte_of_a_proof_of_consistency() {
    let leaves = leaves(100);
    let (old, new) = (root(&leaves[..37]), root(&leaves));
    let proof = prove_consistency(&leaves[..], 37, 100).unwrap();
    verify_consistency(37, &old, 100, &new, &proof).unwrap();
    for hash in 0..proof.len() {
        for byte in 0..32 {
            let mut changed = proof.clone();
            changed[hash][byte] ^= 4;
            assert!(verify_consistency(37, &old, 100, &new, &changed).is_err());
        }
        let mut shorter = proof.clone();
        shorter.remove(hash);
        assert!(verify_consistency(37, &old, 100, &new, &shorter).is_err());
    }
    assert!(Checkpoint::parse("x").is_err());
}
