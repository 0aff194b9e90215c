//! The process is killed, or the power fails, at any point: the tree is the same again.

use std::fs;
use std::path::Path;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use receipts::TreeError;
use tlog::Hash;

use crate::{played, tree, write};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(from, to).unwrap();
        }
    }
}

/// All files of the tree.
fn files(log: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(log).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn root_of(folder: &Path, records: u64) -> Hash {
    let mut tree = tree(folder, records).unwrap();
    let root = tree.sign().unwrap().checkpoint.root;
    assert!(tree.is_whole().unwrap());
    root
}

/// A floor with more than a full tile, of which a part is covered by a head.
fn half_signed(folder: &Path) -> (u64, Hash) {
    let records = played(80);
    assert!(records.len() > 600, "{}", records.len());
    let count = write(folder, &records[..500], 11);
    tree(folder, count).unwrap().sign().unwrap();
    let count = write(folder, &records[500..], 11);
    drop(tree(folder, count).unwrap());
    let whole = tempfile::tempdir().unwrap();
    copy(folder, whole.path());
    (count, root_of(whole.path(), count))
}

#[test]
fn what_was_written_after_the_last_head_may_be_torn_in_any_way() {
    let folder = tempfile::tempdir().unwrap();
    let (count, root) = half_signed(folder.path());
    let mut random = ChaCha8Rng::seed_from_u64(22);
    for _ in 0..60 {
        let killed = tempfile::tempdir().unwrap();
        copy(folder.path(), killed.path());
        for file in files(&killed.path().join("log")) {
            let length = fs::metadata(&file).unwrap().len();
            let is_heads = file.ends_with("heads");
            // Durable with the head: 500 leaves, one full tile, one head.
            let durable = if is_heads {
                512
            } else if file.parent().unwrap().ends_with("0") {
                500 * 32
            } else {
                32
            };
            let mut bytes = fs::read(&file).unwrap();
            let keep = random.random_range(durable..=length.max(durable)) as usize;
            bytes.truncate(keep);
            bytes[durable as usize..].iter_mut().for_each(|byte| *byte ^= u8::from(random.random_bool(0.01)) << 3);
            if is_heads {
                bytes.extend(std::iter::repeat_n(b'x', random.random_range(0..600)));
            }
            fs::write(&file, bytes).unwrap();
        }
        assert_eq!(root_of(killed.path(), count), root);
    }
}

#[test]
fn a_tree_that_is_gone_or_damaged_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (count, root) = half_signed(folder.path());
    for name in ["0/000000", "1/000000"] {
        let changed = tempfile::tempdir().unwrap();
        copy(folder.path(), changed.path());
        fs::remove_file(changed.path().join("log").join(name)).unwrap();
        assert_eq!(root_of(changed.path(), count), root, "without {name}");
        let changed = tempfile::tempdir().unwrap();
        copy(folder.path(), changed.path());
        let file = changed.path().join("log").join(name);
        let mut bytes = fs::read(&file).unwrap();
        // A hash that the root of the last head rests on.
        let place = if name.starts_with('0') { 499 * 32 } else { 0 };
        bytes[place] ^= 1;
        fs::write(&file, bytes).unwrap();
        assert_eq!(root_of(changed.path(), count), root, "with another {name}");
    }
}

/// The attack: the end is cut off, or a record is another one. The chain can be made to fit by a holder of its key; the head
/// that was signed cannot.
#[test]
fn a_journal_that_is_another_one_is_not_signed_for() {
    let folder = tempfile::tempdir().unwrap();
    let records = played(10);
    let count = write(folder.path(), &records, 11);
    tree(folder.path(), count).unwrap().sign().unwrap();

    let shorter = tempfile::tempdir().unwrap();
    write(shorter.path(), &records[..100], 11);
    for name in ["log.key", "log.salt", "log.vkey"] {
        fs::copy(folder.path().join(name), shorter.path().join(name)).unwrap();
    }
    copy(&folder.path().join("log"), &shorter.path().join("log"));
    let error = tree(shorter.path(), 100).unwrap_err();
    assert!(matches!(error, TreeError::Lost { records: 100, .. }) && error.is_final(), "{error}");

    let mut others = records;
    others[60].at.0 += 1;
    let changed = tempfile::tempdir().unwrap();
    write(changed.path(), &others, 11);
    for name in ["log.key", "log.salt", "log.vkey"] {
        fs::copy(folder.path().join(name), changed.path().join(name)).unwrap();
    }
    copy(&folder.path().join("log"), &changed.path().join("log"));
    // As long as the files stand, what was signed stands; the changed record itself cannot be proved.
    let opened = tree(changed.path(), count).unwrap();
    let head = opened.head().unwrap().clone();
    drop(opened);
    let prover = receipts::Prover::open(changed.path(), &[]).unwrap().unwrap();
    let error = prover.choose(61, &head, |_, _| receipts::Chosen::Whole).unwrap_err();
    assert!(error.to_string().contains("record 61 is not what the tree has"), "{error}");
    fs::remove_dir_all(changed.path().join("log/0")).unwrap();
    let error = tree(changed.path(), count).unwrap_err();
    assert!(matches!(error, TreeError::Other(_)) && error.is_final(), "{error}");
}

#[test]
fn a_head_of_another_key_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let count = write(folder.path(), &played(1), 11);
    tree(folder.path(), count).unwrap().sign().unwrap();
    let count = write(folder.path(), &played(1)[..1], 11).max(count);
    let mut opened = tree(folder.path(), count).unwrap();
    opened.sign().unwrap();
    drop(opened);
    let heads = folder.path().join("log/heads");
    let mut bytes = fs::read(&heads).unwrap();
    bytes.iter_mut().step_by(512).for_each(|byte| *byte ^= 1);
    fs::write(&heads, bytes).unwrap();
    assert!(tree(folder.path(), count).unwrap_err().to_string().contains("has not signed"));
}
