//! Slips and compact receipts.

use tlog::compact::{Compact, Slip};
use tlog::entry::{leaf, plain};
use tlog::tree::prove_inclusion;
use tlog::{Checkpoint, Note, Opening, Policy, ProofFile, SaltKey};

use crate::{head, leaves, log_key, root, witness_key};

pub fn policy(witnesses: u8) -> Policy {
    let witnesses: String =
        (1..=witnesses).map(|n| format!("witness w{n} {}\n", witness_key(n).public().to_text())).collect();
    Policy::parse(&format!("log {}\n{witnesses}", log_key().public().to_text())).unwrap()
}

pub fn proof(size: u64, index: u64, witnesses: u8) -> ProofFile {
    let key = SaltKey::new(&[5; 32]);
    let record: Vec<u8> = (0..31).collect();
    let mut leaves = leaves(size);
    leaves[index as usize] = leaf(&plain(&key.record(index), 1_700_000_000_000, &record));
    ProofFile {
        extra: Some(Opening::plain(&key, index, 1_700_000_000_000, &record).to_bytes()),
        index,
        path: prove_inclusion(&leaves[..], index, size).unwrap(),
        note: head(&leaves, witnesses),
    }
}

#[test]
fn a_slip_has_51_digits_and_fits_a_small_code() {
    let slip = Slip { index: 999_999_999, salt: [0xab; 16] };
    assert_eq!(slip.to_digits().len(), 51);
    assert_eq!(Slip::parse(&slip.to_digits()).unwrap(), slip);
    for index in [0, 1, 127, 128, u64::MAX] {
        let slip = Slip { index, salt: [0; 16] };
        assert_eq!(Slip::parse(&slip.to_digits()).unwrap(), slip);
    }
    for wrong in ["", "0", "x", "12", "-1", &slip.to_digits()[1..], &format!("{}0", slip.to_digits())] {
        assert!(Slip::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_compact_receipt_expands_to_the_proof_byte_for_byte() {
    for (size, index, witnesses) in [(1, 0, 0), (2, 1, 1), (100, 99, 3), (1_000, 256, 3)] {
        let proof = proof(size, index, witnesses);
        let digits = Compact::of(&proof, &policy(3)).unwrap().to_digits();
        let read = Compact::parse(&digits).unwrap();
        let expanded = read.expand(&policy(3)).unwrap();
        assert_eq!(expanded.to_text(), proof.to_text());
        policy(3).verify(&expanded.note).unwrap();
    }
}

#[test]
fn a_receipt_of_an_unknown_log_or_witness_is_refused() {
    let receipt = Compact::of(&proof(10, 5, 2), &policy(2)).unwrap();
    assert!(receipt.expand(&policy(1)).unwrap_err().to_string().contains("does not know a witness"));
    let other = Policy::parse(&format!("log {}", crate::flips::other_log().public().to_text())).unwrap();
    assert!(receipt.expand(&other).unwrap_err().to_string().contains("does not know its log"));
    assert!(Compact::of(&proof(10, 5, 2), &other).is_err());
    // Signatures that the policy does not have are left out.
    let receipt = Compact::of(&proof(10, 5, 2), &policy(1)).unwrap();
    assert_eq!(receipt.cosignatures.len(), 1);
}

/// How long receipts are, for the documents.
#[test]
fn lengths_are_those_of_the_design() {
    let mut receipt = Compact::of(&proof(2, 1, 1), &policy(1)).unwrap();
    (receipt.size, receipt.index, receipt.path) = (1_000_000_000, 7, vec![[9; 32]; 30]);
    let digits = receipt.to_digits();
    assert_eq!(Compact::parse(&digits).unwrap(), receipt);
    assert!((2_750..2_850).contains(&digits.len()), "{}", digits.len());
    let note = Note { text: Checkpoint { origin: "a".into(), size: 0, root: root(&[]) }.to_text(), signatures: vec![] };
    assert!(policy(0).verify(&note).is_err());
}
