//! Proofs that are made from a floor's files, and what they show.

use std::os::unix::fs::PermissionsExt as _;

use floor::{Event, Record, TerminalId};
use receipts::{Chosen, Proved, Prover, keys};
use rulebook::Cents;
use tlog::proof::verify_consistency;
use tlog::{Policy, ProofFile};

use crate::{played, tree, write};

#[test]
fn every_record_is_proved_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let records = played(3);
    let count = write(folder.path(), &records, 7);
    let mut tree = tree(folder.path(), count).unwrap();
    let head = tree.sign().unwrap().clone();
    assert!(tree.is_whole().unwrap() && !tree.has_unsigned());
    let prover = Prover::open(folder.path(), &[]).unwrap().unwrap();
    assert_eq!(prover.newest().unwrap().unwrap(), head);
    let proofs = prover.choose(1, &head, |_, _| Chosen::Whole).unwrap();
    assert_eq!(proofs.len(), records.len());
    let policy = Policy::of_log(prover.key().clone());
    let mut listed = 0;
    for (proof, record) in proofs.iter().zip(&records) {
        let text = proof.to_text();
        let proved = Proved::by(&ProofFile::parse(&text).unwrap(), &policy).unwrap();
        assert_eq!((proved.checkpoint.size, proved.record.at), (count, record.at));
        if proved.listed.is_some() {
            listed += 1;
            assert!(matches!(&proved.record.event, Event::RoundSettled { returns, .. } if returns.is_empty()));
        } else {
            assert_eq!(proved.record, *record);
        }
    }
    assert_eq!(listed, 3);
}

#[test]
fn keys_are_the_owners_alone_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let count = write(folder.path(), &played(1), 50);
    let head = tree(folder.path(), count).unwrap().sign().unwrap().clone();
    for name in [keys::SECRET, keys::SALT] {
        let mode = std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(tree(folder.path(), count).unwrap().head(), Some(&head));
    for name in [keys::SECRET, keys::SALT] {
        let path = folder.path().join(name);
        let kept = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let error = tree(folder.path(), count).unwrap_err().to_string();
        assert!(error.contains(&format!("{name} is missing")), "{error}");
        std::fs::write(&path, b"x").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(tree(folder.path(), count).unwrap_err().to_string().contains(name));
        std::fs::write(&path, kept).unwrap();
    }
    // With another salt key, the tree that was made stands, and no other can be made.
    std::fs::write(folder.path().join(keys::SALT), [1; 32]).unwrap();
    std::fs::remove_dir_all(folder.path().join("log/0")).unwrap();
    assert!(tree(folder.path(), count).unwrap_err().is_final());
}

#[test]
fn heads_extend_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let records = played(8);
    let mut heads = Vec::new();
    for part in records.chunks(40) {
        let count = write(folder.path(), part, 3);
        heads.push(tree(folder.path(), count).unwrap().sign().unwrap().clone());
    }
    let prover = Prover::open(folder.path(), &[]).unwrap().unwrap();
    for (place, old) in heads.iter().enumerate() {
        for new in &heads[place..] {
            let (old, new) = (&old.checkpoint, &new.checkpoint);
            let proof = prover.consistency(old.size, new.size).unwrap();
            verify_consistency(old.size, &old.root, new.size, &new.root, &proof).unwrap();
        }
        assert_eq!(prover.root(old.checkpoint.size).unwrap(), old.checkpoint.root);
        assert_eq!(prover.covering(old.checkpoint.size).unwrap().as_ref(), Some(old));
        assert_eq!(prover.covering(old.checkpoint.size - 1).unwrap().as_ref(), Some(old));
    }
    assert_eq!(prover.covering(records.len() as u64 + 1).unwrap(), None);
}

#[test]
fn the_head_of_a_gaming_day_has_the_records_before_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = played(2);
    let begins = Record { at: records[50].at, origin: None, event: Event::DayBegan { day: 8 } };
    records.insert(50, begins);
    let count = write(folder.path(), &records, 7);
    tree(folder.path(), count).unwrap();
    let note = std::fs::read(folder.path().join("log/days/day 7.note")).unwrap();
    let key = keys::public(folder.path()).unwrap().unwrap();
    let head = receipts::heads::Head::parse(&note, &key).unwrap();
    assert_eq!(head.checkpoint.size, 50);
    let prover = Prover::open(folder.path(), &[]).unwrap().unwrap();
    assert_eq!(prover.root(50).unwrap(), head.checkpoint.root);
    assert_eq!(prover.newest().unwrap(), Some(head));
}

/// What a player gets: the bet, and the part of the settlement that concerns the player's terminal.
#[test]
fn a_bet_and_what_it_returned() {
    let folder = tempfile::tempdir().unwrap();
    let count = write(folder.path(), &played(2), 7);
    let head = tree(folder.path(), count).unwrap().sign().unwrap().clone();
    let prover = Prover::open(folder.path(), &[]).unwrap().unwrap();
    let policy = Policy::of_log(prover.key().clone());
    for (terminal, expected) in [(0, 0), (1, 3_000), (2, 3_000)] {
        let proofs = prover
            .choose(1, &head, |_, record| match &record.event {
                Event::BetsChanged { terminal: whose, .. } if whose.0 == terminal => Chosen::Whole,
                Event::RoundSettled { .. } => Chosen::For(terminal),
                _ => Chosen::Nothing,
            })
            .unwrap();
        let proved: Vec<_> = proofs.iter().map(|proof| Proved::by(proof, &policy).unwrap()).collect();
        let returned: Vec<_> = proved.iter().filter_map(Proved::returned).collect();
        assert!(returned.contains(&(TerminalId(terminal), Cents::new(expected))), "{returned:?}");
        assert!(proved.len() > returned.len());
    }
}
