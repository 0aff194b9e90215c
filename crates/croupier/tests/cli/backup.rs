//! `backup` and `restore`.

use std::fs;

use serde_json::{Value, json};

use crate::floor::{Pipe, Place};
use crate::{croupier, refused};

#[test]
fn a_backup_of_a_running_floor_comes_back_whole() {
    let place = Place::new();
    let (data, copy, back) = (place.at("floor"), place.at("copy"), place.at("back"));
    let mut pipe = Pipe::demo(&data);
    pipe.play_a_round();
    pipe.fill(300);
    let copied = place.json(&format!("backup --to {copy}"));
    let last = copied["last"].as_u64().unwrap();
    pipe.fill(5);
    assert_eq!(pipe.end(), Some(0));
    assert_eq!((&copied["first"], copied["chain"].as_str().map(str::len)), (&json!(1), Some(64)));
    let files: Vec<&str> = copied["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for file in ["journal.key", "journal.pub", "000000000001.segment", "000000000002.segment"] {
        assert!(files.contains(&file), "{file} of {files:?}");
    }

    let run = croupier(&["restore", "--from", &copy, "--data", &back]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    // Lines break where the folders' names say, so words are compared.
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("files restored from {copy} into {back}")), "{}", run.stdout);
    assert!(run.stdout.contains("The journal and its figures: no findings."), "{}", run.stdout);

    // What came after the backup is not in it, which an anchor tells.
    let anchor = place.at("anchor.txt");
    fs::write(&anchor, place.run("journal anchor").stdout).unwrap();
    let run = croupier(&["--json", "restore", "--from", &copy, "--data", &place.at("late"), "--anchor", &anchor]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &answer["audit"]["last"]), (1, &json!(last)));
    assert!(answer["audit"]["findings"][0]["what"].as_str().unwrap().starts_with("the end is cut off"), "{answer}");

    // The restored floor goes on.
    let mut pipe = Pipe::demo(&back);
    assert_eq!(pipe.recovered["sequence"], last);
    pipe.rounds = 1;
    pipe.play_a_round();
    assert_eq!(pipe.end(), Some(0));
    assert_eq!(croupier(&["audit", "--data", &back]).code, 0);
}

#[test]
fn a_backup_taken_under_load_is_whole_every_time() {
    let place = Place::new();
    let mut pipe = Pipe::demo(&place.at("floor"));
    let load = std::thread::spawn(move || {
        pipe.fill(800);
        pipe.end()
    });
    let mut copies = 0;
    while !load.is_finished() || copies == 0 {
        copies += 1;
        let copy = place.at(&format!("copy {copies}"));
        let data = place.at("floor");
        let run = croupier(&["backup", "--data", &data, "--to", &copy]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "copy {copies}");
        let run = croupier(&["audit", "--data", &copy]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "copy {copies}: {}", run.stdout);
        let run = croupier(&["audit", "--data", &data]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "running: {}", run.stdout);
        fs::remove_dir_all(&copy).unwrap();
    }
    assert_eq!(load.join().unwrap(), Some(0));
}

#[test]
fn nothing_is_overwritten() {
    let place = Place::with_a_round();
    let (data, full) = (place.at("floor"), place.at("full"));
    fs::create_dir(&full).unwrap();
    fs::write(format!("{full}/letter.txt"), "dear all").unwrap();
    for words in [["backup", "--data", &data, "--to", &full], ["restore", "--from", &data, "--data", &full]] {
        let refused = refused(&words);
        assert_eq!(refused.code, "not_empty");
        assert!(refused.message.contains("is not empty"), "{}", refused.message);
    }
    assert_eq!(refused(&["restore", "--from", &data, "--data", &data]).code, "not_empty");
    assert_eq!(fs::read_dir(&full).unwrap().count(), 1);
}

#[test]
fn what_is_no_journal_is_neither_copied_nor_restored() {
    let place = Place::new();
    let (nowhere, there) = (place.at("nowhere"), place.at("there"));
    for words in [["backup", "--data", &nowhere, "--to", &there], ["restore", "--from", &nowhere, "--data", &there]] {
        assert_eq!(refused(&words).code, "no_journal");
    }
    assert!(!fs::exists(&there).unwrap());
}

#[test]
fn a_damaged_journal_is_not_taken_for_a_backup() {
    let place = Place::with_a_round();
    let segment = place.at("floor/000000000001.segment");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[4096 + 100] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let run = place.run(&format!("backup --to {}", place.at("copy")));
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("000000000001.segment at byte 4096: a batch is damaged"), "{}", run.stderr);
}

#[test]
fn a_backup_and_a_restore_take_the_secrets_of_the_floor_along() {
    use floor::TicketNumber;
    use host::store::Store;

    let place = Place::with_a_round();
    let (data, copy, back) = (place.at("floor"), place.at("copy"), place.at("back"));
    let secret_of = |folder: &str| {
        let store = Store::open(format!("{folder}/credentials.sqlite")).unwrap();
        TicketNumber::drawn("main", 1).hash(&store.ticket_key())
    };
    let secret = secret_of(&data);
    let copied = place.json(&format!("backup --to {copy}"));
    for name in ["credentials.sqlite", "log.key", "log.salt", "log.vkey"] {
        assert!(copied["files"].as_array().unwrap().contains(&json!(name)), "{name}: {copied}");
    }
    let run = croupier(&["restore", "--from", &copy, "--data", &back]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{}", run.stdout);
    assert_eq!(secret_of(&back), secret);
    // Closed to others, there as here.
    for folder in [&data, &copy, &back] {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(folder), 0o700, "{folder}");
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path().display().to_string();
            let expected = if entry.file_type().unwrap().is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&path), expected, "{path}");
        }
    }
}
