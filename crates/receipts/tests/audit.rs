//! The audit of a log, cosigned heads and eras in a real folder.

use std::fs;
use std::path::Path;

use receipts::cosigned::Cosigned;
use receipts::heads::{Head, keep_day};
use receipts::{FOLDER, LogAudit, eras, holds, last_record};
use tlog::key::Kind;
use tlog::{Checkpoint, Policy, SigningKey};

use crate::{played, tree, write};

fn audited(folder: &Path, since: Option<&Checkpoint>) -> Result<LogAudit, String> {
    receipts::audit(folder, &[], since, None).map_err(|error| error.to_string()).map(|audit| audit.expect("a log"))
}

/// A log with several heads, of which one was kept elsewhere.
fn kept(folder: &Path) -> (u64, Head) {
    let records = played(12);
    let mut kept = None;
    for part in [&records[..40], &records[40..70], &records[70..]] {
        let count = write(folder, part, 9);
        let head = tree(folder, count).unwrap().sign().unwrap().clone();
        kept.get_or_insert(head);
    }
    (records.len() as u64, kept.unwrap())
}

#[test]
fn every_head_is_that_of_the_records_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let (count, kept) = kept(folder.path());
    let whole = audited(folder.path(), None).unwrap();
    assert_eq!((whole.records, whole.heads, whole.findings.len()), (count, 3, 0));
    let since = audited(folder.path(), Some(&kept.checkpoint)).unwrap();
    assert_eq!((since.since, since.records, since.heads, since.findings.len()), (40, count, 2, 0));
    assert_eq!(last_record(folder.path(), &[]).unwrap(), count);
    assert!(holds(folder.path(), &[], &kept.checkpoint).unwrap());
    // By the journal alone, where the files are gone.
    fs::remove_dir_all(folder.path().join(FOLDER)).unwrap();
    assert!(holds(folder.path(), &[], &kept.checkpoint).unwrap());
    let other = Checkpoint { root: [1; 32], ..kept.checkpoint };
    assert!(!holds(folder.path(), &[], &other).unwrap());
}

#[test]
fn every_byte_of_the_heads_and_of_the_tree_that_a_proof_rests_on() {
    let folder = tempfile::tempdir().unwrap();
    let (_, kept) = kept(folder.path());
    let (heads, level) = (folder.path().join("log/heads"), folder.path().join("log/0/000000"));
    let bytes = fs::read(&heads).unwrap();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        fs::write(&heads, &changed).unwrap();
        let found = audited(folder.path(), None).map_or(true, |audit| !audit.findings.is_empty());
        assert!(found, "byte {place} of the heads");
    }
    fs::write(&heads, bytes).unwrap();
    // The head that was kept rests on the first 40 leaves.
    let bytes = fs::read(&level).unwrap();
    for place in (0..40 * 32).step_by(7) {
        let mut changed = bytes.clone();
        changed[place] ^= 0x40;
        fs::write(&level, &changed).unwrap();
        let found = audited(folder.path(), Some(&kept.checkpoint)).map_or(true, |audit| !audit.findings.is_empty());
        assert!(found, "byte {place} of the leaves");
    }
}

/// The attack: a history from which a record was changed, signed again by the real key, tree and all.
#[test]
fn a_forged_history_does_not_extend_a_head_that_was_kept() {
    let honest = tempfile::tempdir().unwrap();
    let (_, kept) = kept(honest.path());
    let forged = tempfile::tempdir().unwrap();
    let mut records = played(14);
    records[20].at.0 += 1;
    let count = write(forged.path(), &records, 9);
    for name in ["log.key", "log.salt", "log.vkey"] {
        fs::copy(honest.path().join(name), forged.path().join(name)).unwrap();
    }
    tree(forged.path(), count).unwrap().sign().unwrap();
    let alone = audited(forged.path(), None).unwrap();
    assert!(alone.findings.is_empty(), "by itself it is as good as any");
    let since = audited(forged.path(), Some(&kept.checkpoint)).unwrap();
    assert!(since.findings[0].1.contains("does not extend"), "{:?}", since.findings);
    assert!(!holds(forged.path(), &[], &kept.checkpoint).unwrap());
    // A shorter one, and one under another name.
    let cut = tempfile::tempdir().unwrap();
    let count = write(cut.path(), &played(12)[..30], 9);
    for name in ["log.key", "log.salt", "log.vkey"] {
        fs::copy(honest.path().join(name), cut.path().join(name)).unwrap();
    }
    tree(cut.path(), count).unwrap().sign().unwrap();
    let since = audited(cut.path(), Some(&kept.checkpoint)).unwrap();
    assert!(since.findings[0].1.contains("cut off"), "{:?}", since.findings);
    let other = Checkpoint { origin: "other.example/1".to_owned(), ..kept.checkpoint };
    assert!(audited(honest.path(), Some(&other)).unwrap().findings[0].1.contains("other.example"));
}

#[test]
fn a_day_that_the_witnesses_missed_is_proved_by_the_next_head_that_they_cosigned() {
    let folder = tempfile::tempdir().unwrap();
    let records = played(12);
    let log = folder.path().join(FOLDER);
    let mut heads = Vec::new();
    for part in [&records[..40], &records[40..70], &records[70..]] {
        let count = write(folder.path(), part, 9);
        heads.push(tree(folder.path(), count).unwrap().sign().unwrap().clone());
    }
    let key = receipts::keys::public(folder.path()).unwrap().unwrap();
    let witness = SigningKey::new("w.example", Kind::Cosignature, [4; 32]).unwrap();
    let policy = format!("log {}\nwitness w {}\nquorum w\n", key.to_text(), witness.public().to_text());
    let policy = Policy::parse(&policy).unwrap();
    let cosigned = Cosigned::new(&log, key);
    for (day, head) in ["2026-03-28", "2026-03-29"].iter().zip(&heads) {
        keep_day(&log, day, &head.note).unwrap();
    }
    let waiting: Vec<String> = cosigned.waiting().unwrap().into_iter().map(|(day, _)| day).collect();
    assert_eq!(waiting, ["2026-03-29"], "before any cosignature only the last day is of interest");
    let by_witness = |head: &Head| {
        let mut note = head.note.clone();
        note.signatures.push(witness.sign_at(&note.text, 1_700_000_000));
        note
    };
    let audit = |policy| receipts::audit(folder.path(), &[], None, Some(policy)).unwrap().unwrap();
    assert_eq!(audit(&policy).findings.len(), 2);
    cosigned.keep_day("2026-03-28", &by_witness(&heads[0])).unwrap();
    let prover = receipts::Prover::open(folder.path(), &[]).unwrap().unwrap();
    let growth = prover.consistency(heads[1].checkpoint.size, heads[2].checkpoint.size).unwrap();
    cosigned.keep_later("2026-03-29", &by_witness(&heads[2]), &growth).unwrap();
    let found = audit(&policy);
    assert_eq!((found.days, found.days_cosigned, found.findings.len()), (2, 2, 0), "{:?}", found.findings);
    assert!(cosigned.waiting().unwrap().is_empty());
    // A proof that was changed proves nothing.
    let mut wrong = growth;
    wrong[0][5] ^= 1;
    cosigned.keep_later("2026-03-29", &by_witness(&heads[2]), &wrong).unwrap();
    assert_eq!(audit(&policy).findings.len(), 1);
}

#[test]
fn a_new_era_has_a_new_name_and_key_and_keeps_what_proves_the_loss() {
    let folder = tempfile::tempdir().unwrap();
    let (count, kept) = kept(folder.path());
    let old = receipts::keys::public(folder.path()).unwrap().unwrap();
    let new = eras::begin(folder.path(), Some(&kept.note)).unwrap();
    assert_eq!((old.name(), new.name()), ("casino.example/floor/1", "casino.example/floor/2"));
    let ended = eras::ended(folder.path()).unwrap();
    assert_eq!((ended.len(), &ended[0].key, ended[0].last.as_ref()), (1, &old, Some(&kept)));
    // The tree begins with record 1 again, under the new name.
    let again = tree(folder.path(), count).unwrap().sign().unwrap().clone();
    assert_eq!((again.checkpoint.origin.as_str(), again.checkpoint.size), ("casino.example/floor/2", count));
    assert!(audited(folder.path(), None).unwrap().findings.is_empty());
    eras::begin(folder.path(), None).unwrap();
    assert_eq!(eras::ended(folder.path()).unwrap().len(), 2);
    // A backup has all of it.
    let notes = receipts::cosigned::notes(folder.path()).unwrap();
    let copy = tempfile::tempdir().unwrap();
    receipts::cosigned::put(copy.path(), &notes).unwrap();
    assert_eq!(eras::ended(copy.path()).unwrap().len(), 2);
}
