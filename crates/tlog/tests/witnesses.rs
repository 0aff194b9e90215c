//! What a witness cosigns, and what it does not.

use tlog::key::Kind;
use tlog::tree::prove_consistency;
use tlog::witness::{AddCheckpoint, Refusal, SIZE_TYPE, Seen, cosignatures, judge, origin_hash};
use tlog::{Hash, Note, Policy, SigningKey};

use crate::{head, leaves, log_key, root, witness_key};

fn policy() -> Policy {
    Policy::of_log(log_key().public().clone())
}

fn request(leaves: &[Hash], old: usize) -> AddCheckpoint {
    let proof = prove_consistency(leaves, old as u64, leaves.len() as u64).unwrap();
    AddCheckpoint { old: old as u64, proof, note: head(leaves, 0) }
}

fn seen(leaves: &[Hash]) -> Option<Seen> {
    Some(Seen { size: leaves.len() as u64, root: root(leaves) })
}

#[test]
fn a_log_that_grows_is_cosigned() {
    let leaves = leaves(50);
    for (old, size) in [(0, 0), (0, 1), (0, 50), (1, 2), (16, 33), (49, 50), (50, 50)] {
        let request = request(&leaves[..size], old);
        let read = AddCheckpoint::parse(request.to_text().as_bytes()).unwrap();
        assert_eq!(read, request);
        let before = (old > 0).then(|| seen(&leaves[..old]).unwrap());
        let head = judge(&read, &policy(), |_| before).unwrap();
        assert_eq!((head.size, head.root), (size as u64, root(&leaves[..size])));
    }
}

/// The attack: a history that was rewritten, signed with the log's own key.
#[test]
fn a_forged_history_with_the_real_key_is_refused() {
    let honest = leaves(50);
    let mut forged = honest.clone();
    forged[20] = [0; 32];
    let refused = judge(&request(&forged, 40), &policy(), |_| seen(&honest[..40])).unwrap_err();
    assert_eq!(refused.status(), 422);
    // Of the same size, shorter, or as if nothing had been seen.
    let refused = judge(&request(&forged[..40], 40), &policy(), |_| seen(&honest[..40])).unwrap_err();
    assert_eq!(refused.status(), 422);
    assert_eq!(judge(&request(&honest[..30], 30), &policy(), |_| seen(&honest[..40])), Err(Refusal::Stale(40)));
    assert_eq!(judge(&request(&forged, 0), &policy(), |_| seen(&honest[..40])), Err(Refusal::Stale(40)));
    // A forged old root is of no use: the witness has its own.
    for old in 1..50 {
        let refused = judge(&request(&forged, old), &policy(), |_| seen(&honest[..old]));
        assert_eq!(refused.is_ok(), old <= 20, "{old}");
    }
}

#[test]
fn the_statuses_of_the_specification() {
    let leaves = leaves(10);
    let good = request(&leaves, 5);
    let judged = |request: &AddCheckpoint| judge(request, &policy(), |_| seen(&leaves[..5])).unwrap_err().status();
    assert_eq!(judged(&AddCheckpoint { old: 11, ..good.clone() }), 400);
    assert_eq!(judged(&AddCheckpoint { old: 4, ..good.clone() }), 409);
    assert_eq!(judged(&AddCheckpoint { proof: vec![], ..good.clone() }), 422);
    let mut unsigned = good.clone();
    unsigned.note.signatures = vec![witness_key(1).sign_at(&unsigned.note.text, 5)];
    assert_eq!(judged(&unsigned), 403);
    let mut false_signature = good.clone();
    false_signature.note.signatures[0].signature[9] ^= 1;
    assert_eq!(judged(&false_signature), 403);
    let stranger = SigningKey::new("stranger", Kind::Note, [1; 32]).unwrap();
    let text = good.note.text.replace("casino.example/floor/1", "stranger");
    let note = Note { signatures: vec![stranger.sign_at(&text, 0)], text };
    assert_eq!(judged(&AddCheckpoint { note, ..good }), 404);
}

#[test]
fn requests_that_are_none() {
    let text = request(&leaves(10), 5).to_text();
    for wrong in ["", "old", "old 5\n", &text.replace("old 5", "old 05"), &text.replacen("old", "new", 1)] {
        assert!(AddCheckpoint::parse(wrong.as_bytes()).is_err(), "{wrong:?}");
    }
    let long = AddCheckpoint { proof: vec![[0; 32]; 64], ..request(&leaves(10), 5) };
    assert!(AddCheckpoint::parse(long.to_text().as_bytes()).is_err());
}

#[test]
fn answers() {
    let note = head(&leaves(3), 2);
    let body: String = note.signatures[1..].iter().map(|line| line.to_text()).collect();
    assert_eq!(cosignatures(&body).unwrap(), note.signatures[1..]);
    assert!(cosignatures("").is_err() && cosignatures("x\n").is_err());
    assert_eq!(Refusal::of(409, SIZE_TYPE, "17\n"), Refusal::Stale(17));
    // The same size with another root is 409 in version 1.0.0, 422 later.
    assert_eq!(Refusal::of(409, "text/plain", "no").status(), 422);
    assert_eq!(Refusal::of(422, "", "no").status(), 422);
    assert_eq!(Refusal::of(403, "", ""), Refusal::Untrusted);
    assert_eq!(Refusal::of(404, "", ""), Refusal::UnknownLog);
    assert_eq!(Refusal::of(500, "", "broken").status(), 400);
    assert_eq!(origin_hash("a").len(), 64);
}
