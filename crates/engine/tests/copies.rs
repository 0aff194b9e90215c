//! Copies: a backup of a floor that plays on, its restoration, and an archive of old segments that is still audited.

use std::path::Path;

use crate::common::*;
use engine::{Audit, Engine, Options, Reply, archive, backup, read_floor, restore};
use floor::*;
use journal::{Disk, Read, RealDisk, Scan, Snapshot};

fn start(folder: &Path, options: Options) -> Client {
    let (sender, told) = std::sync::mpsc::channel();
    let (engine, recovery) =
        Engine::start(folder, options, ToChannel(sender)).unwrap_or_else(|error| panic!("{error}"));
    Client::of(engine, recovery, told)
}

fn audit(folders: &[&Path]) -> Audit {
    engine::audit(folders.iter().map(|folder| RealDisk::to_read(folder)).collect(), &[], None, |_, _| {})
}

/// All records of a folder, as they are written.
fn records(folder: &Path) -> Vec<Vec<u8>> {
    let mut scan = Scan::new(vec![RealDisk::to_read(folder)]).expect("a journal");
    let mut records = Vec::new();
    while let Some(read) = scan.read().expect("whole") {
        if let Read::Records { entries, .. } = read {
            records.extend(entries.iter().map(|entry| entry.bytes.to_vec()));
        }
    }
    records
}

#[test]
fn a_backup_of_a_floor_that_plays_on_is_a_prefix_of_it() {
    let root = tempfile::tempdir().expect("a folder");
    let at = |name: &str| root.path().join(name);
    let mut client = start(&at("floor"), Options { snapshot_every: 300, ..options() });
    client.ok(Sender::System, create());
    let load = |client: &mut Client, from: u64, to: u64| {
        for number in from..to {
            client.submit(Sender::System, if number % 8 == 0 { long_alert(number) } else { hire(number) }).expect("in");
        }
    };
    let mut copies = Vec::new();
    for copy in 0..3_u64 {
        load(&mut client, 1 + copy * 1_000, 1 + (copy + 1) * 1_000);
        // What has been answered by now is in the backup.
        (0..300).for_each(|_| assert!(matches!(client.answer().1, Reply::Accepted(_))));
        let answered = client.sequence().min(300 * (copy + 1));
        let to = at(&format!("backup {copy}"));
        let files = backup(&at("floor"), &to).expect("copied");
        assert!(files.contains(&"journal.pub".to_owned()) && files.iter().any(|name| name.ends_with(".segment")));
        copies.push((to, answered));
    }
    client.stop();
    let all = records(&at("floor"));
    for (place, (copy, answered)) in copies.iter().enumerate() {
        let found = records(copy);
        assert!(found.len() as u64 >= *answered && all.starts_with(&found), "{} of {answered}", found.len());
        let report = audit(&[copy]);
        assert!(report.is_clean(), "{:#?}", report.findings);

        let restored = at(&format!("restored {place}"));
        restore(copy, &restored).expect("restored");
        assert_eq!(records(&restored), found);
        let mut client = start(&restored, options());
        assert_eq!((client.sequence(), client.recovery.cut), (found.len() as u64, 0));
        assert_eq!(client.hash(), read_floor(RealDisk::to_read(copy)).expect("read").state_hash());
        // The restored floor plays on under the same key.
        client.tag = 1_000_000;
        client.ok(Sender::System, hire(999_999));
        client.stop();
        let report = audit(&[&restored]);
        assert!(report.is_clean(), "{:#?}", report.findings);
    }
}

#[test]
fn a_backup_does_not_overwrite_and_needs_a_journal() {
    let root = tempfile::tempdir().expect("a folder");
    let at = |name: &str| root.path().join(name);
    let mut client = start(&at("floor"), options());
    client.ok(Sender::System, create());
    client.stop();
    backup(&at("floor"), &at("copy")).expect("copied");
    let error = backup(&at("floor"), &at("copy")).expect_err("not empty");
    assert!(error.to_string().ends_with("copy is not empty"), "{error}");
    assert!(backup(&at("nothing"), &at("other")).is_err());
    std::fs::create_dir(at("empty")).expect("made");
    assert!(backup(&at("empty"), &at("other")).is_err());
    assert!(!at("other").exists() || std::fs::read_dir(at("other")).expect("a folder").next().is_none());
}

/// A floor of several segments with one snapshot, made in the last of them.
fn several_segments(folder: &Path) -> usize {
    let mut client = start(folder, options());
    client.ok(Sender::System, create());
    for number in 0..1_000 {
        client.submit(Sender::System, long_alert(number)).expect("taken in");
    }
    client.stop();
    std::fs::read_dir(folder).expect("a folder").filter(|entry| is_segment(entry.as_ref().expect("a file"))).count()
}

fn is_segment(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().ends_with(".segment")
}

#[test]
fn old_segments_can_be_archived_and_are_still_audited() {
    let root = tempfile::tempdir().expect("a folder");
    let at = |name: &str| root.path().join(name);
    let (floor, old) = (at("floor"), at("archive"));
    let segments = several_segments(&floor);
    assert!(segments > 3, "{segments}");
    let (before, hash) = (records(&floor), read_floor(RealDisk::to_read(&floor)).expect("read").state_hash());

    let moved = archive(&floor, &old).expect("moved");
    assert!(!moved.is_empty() && moved.len() < segments, "{moved:?}");
    assert!(archive(&floor, &old).expect("nothing left to do").is_empty());

    // The floor starts from its snapshot, and plays on.
    let mut client = start(&floor, options());
    assert_eq!((client.recovery.snapshot, client.hash()), (Some(before.len() as u64), hash));
    client.tag = 1_000_000;
    client.ok(Sender::System, hire(1));
    client.stop();

    // Alone it can no longer be audited; with its archive it can, whole.
    let alone = audit(&[&floor]);
    assert!(
        !alone.is_clean() && alone.findings[0].what.contains("name the folder of the archive"),
        "{:?}",
        alone.findings
    );
    let both = audit(&[&old, &floor]);
    assert!(both.is_clean(), "{:#?}", both.findings);
    assert_eq!((both.first, both.last), (1, before.len() as u64 + 1));
    // A snapshot of a release that did not know a field yet will do where the first records are elsewhere.
    let disk = RealDisk::to_read(&floor);
    for name in Snapshot::list(&disk).expect("listed") {
        let snapshot = Snapshot::read(&disk, &name).expect("whole");
        let state = crate::recovery::without_the_last_field(&snapshot.state);
        std::fs::remove_file(floor.join(name)).expect("removed");
        Snapshot { state, ..snapshot }.write(&RealDisk::new(&floor).expect("a folder")).expect("written");
    }
    let client = start(&floor, options());
    assert_eq!(client.recovery.snapshot, Some(before.len() as u64 + 1));
    client.stop();
    // Without its snapshot the floor does not guess.
    for name in Snapshot::list(&RealDisk::to_read(&floor)).expect("listed") {
        std::fs::remove_file(floor.join(name)).expect("removed");
    }
    let (sender, _told) = std::sync::mpsc::channel();
    let Err(error) = Engine::start(&floor, options(), ToChannel(sender)) else { panic!("started") };
    assert!(error.to_string().contains("the older segments are archived"), "{error}");
}

#[test]
fn the_record_a_snapshot_ends_with_is_never_archived() {
    // Every record takes a block and the checkpoint after it another, so that one of these floors ends with a segment
    // that has nothing but a checkpoint. The snapshot from which it starts is proved by what is left all the same.
    let root = tempfile::tempdir().expect("a folder");
    for last in 63..68 {
        let at = |name: &str| root.path().join(format!("{name} {last}"));
        let options =
            Options { journal: journal::Options { segment: 0, checkpoint_every: 1 }, snapshots: 1, ..options() };
        let mut client = start(&at("floor"), options);
        client.ok(Sender::System, create());
        for number in 0..last {
            client.ok(Sender::System, long_alert(number));
        }
        client.stop();
        let hash = read_floor(RealDisk::to_read(&at("floor"))).expect("read").state_hash();
        archive(&at("floor"), &at("archive")).expect("moved");
        let client = start(&at("floor"), options);
        assert_eq!((client.hash(), client.recovery.passed_over.len()), (hash, 0));
        client.stop();
        assert!(audit(&[&at("archive"), &at("floor")]).is_clean());
    }
}

#[test]
fn nothing_is_archived_on_the_word_of_a_foreign_snapshot() {
    let root = tempfile::tempdir().expect("a folder");
    let at = |name: &str| root.path().join(name);
    several_segments(&at("floor"));
    several_segments(&at("other"));
    let (disk, other) = (RealDisk::new(&at("floor")).expect("a disk"), RealDisk::to_read(&at("other")));
    let name = Snapshot::list(&disk).expect("listed").remove(0);
    Snapshot::read(&other, &name).expect("whole").write(&disk).expect("written");
    let error = archive(&at("floor"), &at("archive")).expect_err("not this journal's");
    assert_eq!(error.to_string(), "no snapshot stands for the old segments yet");
    disk.remove(&name).expect("removed");
    assert!(archive(&at("floor"), &at("archive")).is_err());
    assert!(archive(&at("other"), &at("other")).is_err(), "nor into itself");
    assert!(audit(&[&at("floor")]).is_clean() && audit(&[&at("other")]).is_clean());
}
