//! `journal`: dump, anchor, archive.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::floor::{Pipe, Place, TERMINALS, VALIDATOR};
use crate::{croupier, program, refused};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A floor with several segments and snapshots.
fn with_segments() -> Place {
    let place = Place::new();
    let words = ["--demo", "--segment", "1", "--snapshot-every", "60", "--data", &place.at("floor")];
    let mut pipe = Pipe::start(&words);
    pipe.fill(650);
    assert_eq!(pipe.end(), Some(0));
    place
}

#[test]
fn a_dump_has_every_record_once() {
    let place = Place::with_a_round();
    let dump = place.run("journal dump");
    assert_eq!((dump.code, dump.stderr.as_str()), (0, ""));
    let records = lines(&dump.stdout);
    let last = place.json("audit")["last"].as_u64().unwrap();
    let sequences: Vec<u64> = records.iter().filter_map(|record| record["sequence"].as_u64()).collect();
    assert_eq!(sequences, (1..=last).collect::<Vec<_>>());
    assert_eq!(records[0]["event"]["FloorCreated"]["name"], "demonstration");
    let keys: Vec<&String> = records[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["sequence", "at", "time", "origin", "event"]);
    let cash = records.iter().find(|record| record["event"].get("CashIn").is_some()).unwrap();
    assert_eq!(cash["event"], json!({ "CashIn": { "terminal": TERMINALS[0], "amount": 100_000 } }));
    assert_eq!(cash["origin"]["sender"], json!({ "Device": VALIDATOR }));
    assert_eq!(cash["origin"]["body"].as_str().map(str::len), Some(16));
    assert!(cash["time"].as_str().unwrap().ends_with("+08:00") && cash["at"].is_i64());
    let settled = &records.iter().find(|record| record["event"].get("RoundSettled").is_some()).unwrap()["event"];
    assert_eq!(settled["RoundSettled"]["returns"], json!([[TERMINALS[0], 36_000]]));
}

#[test]
fn a_dump_begins_and_ends_where_it_is_told() {
    let place = Place::with_a_round();
    let all = place.run("journal dump").stdout;
    let some = place.run("journal dump --from 10 --to 12").stdout;
    assert_eq!(some, all.lines().skip(9).take(3).map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(place.run("journal dump --from 100000").stdout, "");
    assert_eq!(refused(&["journal", "dump", "--data", &place.at("nowhere")]).code, "no_journal");
}

#[test]
fn damage_ends_a_dump_after_what_can_be_read() {
    let place = Place::with_a_round();
    let segment = place.at("floor/000000000001.segment");
    let whole = place.run("journal dump").stdout;
    let mut bytes = fs::read(&segment).unwrap();
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[used / 2] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let run = place.run("journal dump");
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("the journal is damaged"), "{}", run.stderr);
    assert!(whole.starts_with(&run.stdout) && run.stdout.len() < whole.len());
    let run = place.run("--json journal dump");
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert_eq!(lines(&run.stdout).last().unwrap()["error"]["code"], "damaged_journal");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = with_segments();
    let data = place.at("floor");
    let words = ["journal", "dump", "--data", &data];
    let mut child = program().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn an_anchor_is_the_last_checkpoint() {
    let place = Place::with_a_round();
    let anchor = place.run("journal anchor").stdout;
    let report = place.json("audit");
    assert_eq!(anchor.trim_end(), report["anchor"].as_str().unwrap());
    let parts = place.json("journal anchor");
    assert_eq!((&parts["sequence"], &parts["chain"]), (&report["last"], &report["chain"]));
    assert_eq!(parts["anchor"].as_str(), Some(anchor.trim_end()));
}

#[test]
fn without_a_checkpoint_there_is_no_anchor() {
    let place = Place::new();
    let data = place.at("floor");
    let mut pipe = Pipe::demo(&data);
    assert_eq!(refused(&["journal", "anchor", "--data", &data]).code, "no_checkpoint");
    assert_eq!(pipe.end(), Some(0));
}

#[test]
fn archived_segments_are_still_audited_and_dumped() {
    let place = with_segments();
    let (data, archive) = (place.at("floor"), place.at("archive"));
    let dump = place.run("journal dump").stdout;
    let moved = place.json(&format!("journal archive --to {archive}"));
    assert_eq!(moved["moved"][0], "000000000001.segment");
    assert!(fs::exists(format!("{archive}/000000000001.segment")).unwrap());
    assert!(!fs::exists(format!("{data}/000000000001.segment")).unwrap());
    let again = place.run(&format!("journal archive --to {archive}"));
    assert_eq!(again.stdout, "Nothing to archive: the snapshots kept need every segment that is here.\n");

    let run = place.run("audit");
    assert_eq!(run.code, 1, "without the archive an audit cannot begin at the beginning");
    assert!(run.stdout.contains("name the folder of the archive"), "{}", run.stdout);
    assert_eq!(place.run(&format!("audit --archive {archive}")).code, 0);
    let refused = refused(&["journal", "dump", "--data", &data]);
    assert_eq!(refused.code, "archived_records");
    assert_eq!(place.run(&format!("journal dump --archive {archive}")).stdout, dump);
    let from = refused.message.split_whitespace().last().unwrap().to_owned();
    let rest = place.run(&format!("journal dump --from {from}"));
    assert!(dump.ends_with(&rest.stdout) && rest.code == 0);

    // The floor starts from its snapshots and goes on.
    let mut pipe = Pipe::demo(&data);
    assert!(pipe.recovered["snapshot"].is_u64());
    pipe.fill(3);
    assert_eq!(pipe.end(), Some(0));
    assert_eq!(place.run(&format!("audit --archive {archive}")).code, 0);
}

#[test]
fn an_archive_overwrites_nothing() {
    let place = with_segments();
    let data = place.at("floor");
    assert_eq!(refused(&["journal", "archive", "--to", &data, "--data", &data]).code, "disk");
    let archive = place.at("archive");
    fs::create_dir(&archive).unwrap();
    fs::write(format!("{archive}/000000000001.segment"), "another floor's").unwrap();
    assert_eq!(refused(&["journal", "archive", "--to", &archive, "--data", &data]).code, "not_empty");
    assert_eq!(place.run("audit").code, 0);
    assert_eq!(croupier(&["journal", "archive", "--to", &archive, "--data", "/nowhere/at-all"]).code, 1);
}
