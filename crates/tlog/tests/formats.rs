//! Notes, checkpoints, policies, tiles, proofs: what is accepted, and what is not.

use tlog::checkpoint::Checkpoint;
use tlog::key::Kind;
use tlog::note::SignatureLine;
use tlog::policy::Distrust;
use tlog::proof::verify_inclusion;
use tlog::tree::prove_inclusion;
use tlog::{Note, Policy, ProofFile, SigningKey, VerifierKey, tile};

use crate::{head, leaves, log_key, witness_key};

#[test]
fn a_note_is_split_at_its_last_empty_line() {
    let text = "first\n\nsecond\n";
    let line = log_key().sign_at(text, 0);
    let note = Note { text: text.to_owned(), signatures: vec![line] };
    let read = Note::parse(note.to_text().as_bytes()).unwrap();
    assert_eq!(read, note);
    assert_eq!(read.verify([log_key().public()]).unwrap().len(), 1);
}

#[test]
fn notes_that_are_none() {
    let good = head(&leaves(3), 0).to_text();
    let without_end = good.trim_end().to_owned();
    let cases = [
        (String::new(), "empty line"),
        ("text\n".to_owned(), "empty line"),
        ("text\n\n".to_owned(), "no end of line"),
        (without_end, "no end of line"),
        (good.replace('\u{2014}', "-"), "em dash"),
        (good.replace("casino", "ca\rsino"), "control character"),
        ("text\n\n\u{2014} name AAAA\n".to_owned(), "too short"),
        ("text\n\n\u{2014} na+me AAAAAAAA\n".to_owned(), "no `+`"),
        ("text\n\n\u{2014} name A%%A\n".to_owned(), "base64"),
    ];
    for (text, words) in cases {
        let error = Note::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(words), "{text:?}: {error}");
    }
    assert!(Note::parse(b"\xff\n\n").unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn unknown_keys_are_ignored_and_a_known_one_that_fails_spoils_the_note() {
    let mut note = head(&leaves(3), 2);
    let stranger = SigningKey::new("stranger", Kind::Note, [3; 32]).unwrap();
    assert!(note.verify([stranger.public()]).unwrap().is_empty());
    let key = witness_key(1);
    assert_eq!(note.verify([key.public()]).unwrap()[0].time, Some(1_700_000_001));
    // The same signature in the name of another.
    let forged = SignatureLine { signature: note.signatures[2].signature.clone(), ..note.signatures[1].clone() };
    note.signatures[1] = forged;
    assert_eq!(note.verify([key.public()]).unwrap_err().name, "witness1.example");
}

#[test]
fn sixteen_signatures_and_more_are_read() {
    let note = head(&leaves(3), 40);
    assert_eq!(Note::parse(note.to_text().as_bytes()).unwrap().signatures.len(), 41);
    let many = Note { signatures: vec![note.signatures[0].clone(); 101], ..note };
    assert!(Note::parse(many.to_text().as_bytes()).is_err());
}

#[test]
fn checkpoints() {
    let checkpoint = Checkpoint { origin: "a/b".into(), size: 0, root: [1; 32] };
    assert_eq!(Checkpoint::parse(&checkpoint.to_text()).unwrap(), checkpoint);
    let root = tlog::to_base64(&[1; 32]);
    assert_eq!(Checkpoint::parse(&format!("a/b\n0\n{root}\nextension\n")).unwrap(), checkpoint);
    for text in [
        String::new(),
        format!("a/b\n0\n{root}"),
        format!("a/b\n00\n{root}\n"),
        format!("a/b\n+1\n{root}\n"),
        format!("a/b\n99999999999999999999\n{root}\n"),
        format!("\n0\n{root}\n"),
        "a/b\n0\nAAAA\n".to_owned(),
        "a/b\n0\n".to_owned(),
    ] {
        assert!(Checkpoint::parse(&text).is_err(), "{text:?}");
    }
}

#[test]
fn keys() {
    let key = log_key();
    let text = key.public().to_text();
    assert_eq!(VerifierKey::parse(&text).unwrap(), *key.public());
    assert_eq!(SigningKey::parse(&key.to_text()).unwrap().public(), key.public());
    assert_eq!(SigningKey::parse(&witness_key(1).to_text()).unwrap().public().kind(), Kind::Cosignature);
    for wrong in ["", "a+b", &text.replace("casino", "casina"), &text[..text.len() - 4], &format!("x y{text}")] {
        assert!(VerifierKey::parse(wrong).is_err(), "{wrong}");
    }
    // ML-DSA-44 is not for receipts.
    assert!(VerifierKey::parse("a+00000000+BgAA").unwrap_err().to_string().contains("not supported"));
}

fn policy() -> Policy {
    let witnesses: String = (1..=3).map(|n| format!("witness w{n} {}\n", witness_key(n).public().to_text())).collect();
    let log = log_key().public().to_text();
    Policy::parse(&format!(
        "# a policy\n\nlog {log} https://casino.example/log\n{witnesses}group two 2 w1 w2 w3\nquorum two\n"
    ))
    .unwrap()
}

#[test]
fn a_policy_counts_its_quorum() {
    let leaves = leaves(9);
    assert_eq!(policy().verify(&head(&leaves, 3)).unwrap().witnesses.len(), 3);
    assert!(policy().verify(&head(&leaves, 2)).is_ok());
    let alone = policy().verify(&head(&leaves, 1)).unwrap_err();
    assert_eq!(alone, Distrust::Quorum { cosigned: 1, quorum: "two".into() });
    assert!(Policy::of_log(log_key().public().clone()).verify(&head(&leaves, 0)).is_ok());
    let stranger = SigningKey::new("casino.example/floor/1", Kind::Note, [3; 32]).unwrap();
    let unknown = Policy::of_log(stranger.public().clone()).verify(&head(&leaves, 3)).unwrap_err();
    assert!(matches!(unknown, Distrust::UnknownLog { .. }));
    // A log's key is for its own origin only.
    let other = SigningKey::new("another", Kind::Note, [3; 32]).unwrap();
    let mut note = head(&leaves, 0);
    note.signatures = vec![other.sign_at(&note.text, 0)];
    assert!(Policy::of_log(other.public().clone()).verify(&note).is_err());
}

#[test]
fn policies_that_are_none() {
    let (log, witness) = (log_key().public().to_text(), witness_key(1).public().to_text());
    for (text, words) in [
        (String::new(), "names no log"),
        (format!("log {witness}"), "line 1: the key is of the wrong type"),
        (format!("log {log}\nwitness a {log}"), "line 2: the key is of the wrong type"),
        (format!("log {log}\nquorum a"), "no witness and no group"),
        (format!("log {log}\nwitness any {witness}"), "cannot be a name"),
        (format!("log {log}\nwitness a {witness}\nwitness b {witness}"), "there already"),
        (format!("log {log}\nwitness a {witness}\ngroup g 2 a"), "at most all"),
        (format!("log {log}\nwitness a {witness}\ngroup g 2 a a"), "different members"),
        (format!("log {log}\nquorum none\nquorum none"), "a quorum already"),
        (format!("log {log}\nlogs"), "no line of"),
    ] {
        let error = Policy::parse(&text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn paths_of_tiles() {
    assert_eq!(tile::path(Some(0), 272, 256), "tile/0/272");
    assert_eq!(tile::path(Some(0), 273, 112), "tile/0/273.p/112");
    assert_eq!(tile::path(None, 1_234_067, 256), "tile/entries/x001/x234/067");
    for (level, index, width) in [(Some(0), 0, 256), (Some(3), 999, 1), (None, 1_000, 255), (Some(1), 1_234_067, 256)] {
        let path = tile::path(level, index, width);
        assert_eq!(tile::parse(path.strip_prefix("tile/").unwrap()), Some((level, index, width)));
    }
    for wrong in [
        "",
        "0",
        "0/1",
        "0/x001",
        "0/000.p/256",
        "0/000.p/0",
        "0/000.p/01",
        "64/000",
        "+1/000",
        "0/x000/001",
        "0/../000",
    ] {
        assert_eq!(tile::parse(wrong), None, "{wrong}");
    }
    let tiles: Vec<_> = tile::all(70_000).collect();
    assert_eq!(tiles.len(), 274 + 2 + 1);
    let (first, last) = (tiles[..2].to_vec(), tiles[273..].to_vec());
    assert_eq!(first, [(0, 0, 256), (0, 1, 256)]);
    assert_eq!(last, [(0, 273, 112), (1, 0, 256), (1, 1, 17), (2, 0, 1)]);
}

#[test]
fn a_file_of_proofs() {
    let leaves = leaves(20);
    let proof = |index: u64, extra: Option<Vec<u8>>| ProofFile {
        extra,
        index,
        path: prove_inclusion(&leaves[..], index, 20).unwrap(),
        note: head(&leaves, 1),
    };
    let proofs = [proof(3, None), proof(19, Some(vec![1, 2, 3])), proof(0, Some(Vec::new()))];
    let text: String = proofs.iter().map(ProofFile::to_text).collect();
    let read = ProofFile::parse_all(text.as_bytes()).unwrap();
    assert_eq!(read, proofs);
    for proof in read {
        let checkpoint = Checkpoint::parse(&proof.note.text).unwrap();
        let leaf = leaves[proof.index as usize];
        verify_inclusion(leaf, proof.index, checkpoint.size, &proof.path, &checkpoint.root).unwrap();
    }
    assert!(proofs[0].to_text().starts_with("c2sp.org/tlog-proof@v1\nindex 3\n"));
    for wrong in ["", "x", "c2sp.org/tlog-proof@v1\n", "c2sp.org/tlog-proof@v1\nindex 1\nAAAA\n\n"] {
        assert!(ProofFile::parse_all(wrong.as_bytes()).is_err(), "{wrong:?}");
    }
}

/// A whole proof with its signatures, as Node.js makes it: no later release may read or write it in another way.
#[test]
fn a_whole_proof_as_it_always_was() {
    let note = head(&leaves(2), 1);
    let proof = ProofFile { extra: Some(vec![1; 3]), index: 1, path: leaves(1), note };
    let golden = include_str!("golden.tlog-proof");
    assert_eq!(proof.to_text(), golden);
    assert_eq!(ProofFile::parse(golden).unwrap(), proof);
}
