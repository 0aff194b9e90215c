//! `audit`: a report a person can file, and what it finds.

use std::fs;

use serde_json::{Value, json};

use crate::floor::{Pipe, Place};
use crate::{croupier, refused};

#[test]
fn a_clean_journal_has_no_findings() {
    let place = Place::with_a_round();
    let before = place.files();
    let run = place.run("audit");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for words in [
        "Audit of the journal of demonstration",
        "Records           1 to ",
        "(UTC+8)",
        "Settlements       1 recomputed",
        "Anchors           none: that the end was not cut off is not proved",
        "rws-roulette-000  Roulette Triple Zero        1     0     10.00    -350.00",
        "Cash in terminals                          40  -1000.00",
        "Credit on terminals                        40   1350.00",
        "Sum                                                0.00",
        "The journal and its figures: no findings.",
        "\ncroupier checkpoint 1 ",
    ] {
        assert!(run.stdout.contains(words), "{words:?} in\n{}", run.stdout);
    }
    assert_eq!(place.files(), before, "an audit changes nothing");
}

#[test]
fn the_report_for_programs_has_the_same() {
    let place = Place::with_a_round();
    let report = place.json("audit");
    assert_eq!(
        (&report["figures_clean"], &report["findings"], &report["sum"]),
        (&json!(true), &json!([]), &json!("0.00"))
    );
    assert_eq!(report["journal"].as_str().map(str::len), Some(32));
    let public = fs::read_to_string(place.at("floor/journal.pub")).unwrap();
    assert_eq!((report["key"].as_str(), &report["key_from"]), (Some(public.trim()), &json!("folder")));
    assert!(report["from"].as_str().unwrap().ends_with("+08:00"));
    assert_eq!(report["floor"], json!({ "name": "demonstration", "demonstration": true }));
    assert_eq!(report["tickets"], json!({ "outstanding": 0, "amount": "0.00" }));
    let balances: Vec<&str> =
        report["accounts"].as_array().unwrap().iter().filter_map(|account| account["account"].as_str()).collect();
    assert_eq!(balances[..3], ["world", "cash-drop", "tickets-outstanding"]);
    let known = place.json(&format!("audit --key {}", place.at("floor/journal.pub")));
    assert_eq!(known["key_from"], "elsewhere");
}

#[test]
fn an_end_that_was_cut_off_is_found_by_an_anchor() {
    let place = Place::with_a_round();
    let (data, copy) = (place.at("floor"), place.at("copy"));
    assert_eq!(croupier(&["backup", "--data", &data, "--to", &copy]).code, 0);
    let mut pipe = Pipe::demo(&data);
    pipe.fill(3);
    assert_eq!(pipe.end(), Some(0));

    // The whole report will do as an anchor; so does the line alone.
    let report = place.at("report.txt");
    fs::write(&report, place.run("audit").stdout).unwrap();
    let line = place.at("line.txt");
    fs::write(&line, place.run("journal anchor").stdout).unwrap();
    for anchor in [&report, &line] {
        let run = place.run(&format!("audit --anchor {anchor}"));
        assert_eq!(run.code, 0, "{}", run.stdout);
        assert!(run.stdout.contains("Anchors           1 holds"), "{}", run.stdout);

        // The older copy is in itself without a flaw, and yet it ends too early.
        assert_eq!(croupier(&["audit", "--data", &copy]).code, 0);
        let run = croupier(&["audit", "--data", &copy, "--anchor", anchor]);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""));
        assert!(run.stdout.contains("the end is cut off: the anchor is of record"), "{}", run.stdout);
    }
}

#[test]
fn a_changed_byte_is_found() {
    let place = Place::with_a_round();
    let segment = place.at("floor/000000000001.segment");
    let mut bytes = fs::read(&segment).unwrap();
    let place_of_change = 4096 + 100;
    bytes[place_of_change] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let run = place.run("audit");
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert!(run.stdout.contains("000000000001.segment at byte 4096"), "{}", run.stdout);
    assert!(!run.stdout.contains("No findings"));
    let run = place.run("--json audit");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &report["figures_clean"]), (1, &json!(false)));
    assert!(report["findings"][0]["what"].as_str().unwrap().contains("damaged"), "{report}");
}

#[test]
fn a_table_of_the_records_that_was_edited_is_named() {
    let place = Place::with_a_round();
    let clean = place.json("audit");
    assert_eq!((&clean["records"]["state"], &clean["records"]["differs"]), (&json!("compared"), &json!([])));
    assert_eq!(clean["records"]["sequence"], clean["last"]);
    assert!(clean["records"]["rows"].as_u64() > Some(100), "{}", clean["records"]);
    let whole = fs::read(place.at("floor/records.sqlite")).unwrap();
    for (edit, table, words) in [
        ("UPDATE money SET amount = amount + 1 WHERE cause = 'cash-in'", "money", "amount="),
        ("DELETE FROM rounds", "rounds", "it has no row, and made anew [round=0 "),
        ("UPDATE bets SET stake = stake * 2", "bets", "stake="),
        ("UPDATE meta SET large_cash = 1", "meta", "large_cash=1"),
        ("UPDATE changes SET lines = x'00'", "changes", "lines=\"00\""),
        ("CREATE TRIGGER quiet AFTER INSERT ON findings BEGIN DELETE FROM findings; END", "sqlite_schema", "quiet"),
    ] {
        fs::write(place.at("floor/records.sqlite"), &whole).unwrap();
        let file = rusqlite::Connection::open(place.at("floor/records.sqlite")).unwrap();
        file.execute_batch(edit).unwrap();
        drop(file);
        let before = place.files();
        let run = place.run("audit");
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{edit}\n{}", run.stdout);
        for told in [&format!("records.sqlite: the table {table} differs from the journal"), words] {
            assert!(
                run.stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(told),
                "{told:?} in\n{}",
                run.stdout
            );
        }
        let report: Value = serde_json::from_str(&place.run("--json audit").stdout).unwrap();
        assert_eq!(report["records"]["differs"][0]["table"], table);
        assert_eq!(report["figures_clean"], false);
        assert_eq!(place.files(), before, "an audit changes nothing");
    }
    // They are made anew from the journal, and that is the end of it.
    assert_eq!(place.run("records rebuild").code, 0);
    assert_eq!(place.run("audit").code, 0);
    fs::write(place.at("floor/records.sqlite"), "no database").unwrap();
    let run = place.run("audit");
    assert!(run.code == 1 && run.stdout.contains("records.sqlite: "), "{}", run.stdout);
    fs::remove_file(place.at("floor/records.sqlite")).unwrap();
    assert_eq!(place.json("audit")["records"]["state"], "none", "without records there are none to compare");
}

#[test]
fn another_key_is_found() {
    let place = Place::with_a_round();
    let key = place.at("other.pub");
    fs::write(&key, "ab".repeat(32)).unwrap();
    let run = place.run(&format!("audit --key {key}"));
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("another key"), "{}", run.stdout);
}

#[test]
fn where_there_is_no_journal_there_is_nothing_to_audit() {
    let place = Place::new();
    for (folder, why) in [("nowhere", "there is no such folder"), ("", "it has no segments")] {
        let folder = place.at(folder);
        let refused = refused(&["audit", "--data", &folder]);
        assert_eq!(refused.code, "no_journal");
        assert_eq!(refused.message, format!("there is no journal in {folder}: {why}"));
    }
    fs::write(place.at("file"), "").unwrap();
    assert!(refused(&["audit", "--data", &place.at("file")]).message.ends_with("it is not a folder"));
    assert!(!fs::exists(place.at("nowhere")).unwrap(), "a folder is not made by asking for it");
}

#[test]
fn anchors_and_keys_that_are_none_are_refused() {
    let place = Place::with_a_round();
    let data = place.at("floor");
    let file = place.at("file.txt");
    for (text, option, code) in [
        ("nothing of the kind", "--anchor", "malformed_anchor"),
        ("croupier checkpoint 1 5 abc", "--anchor", "malformed_anchor"),
        ("not hexadecimal", "--key", "malformed_key"),
    ] {
        fs::write(&file, text).unwrap();
        assert_eq!(refused(&["audit", "--data", &data, option, &file]).code, code, "{text}");
    }
    assert_eq!(refused(&["audit", "--data", &data, "--anchor", "/nowhere/at-all"]).code, "unreadable_file");
    assert_eq!(refused(&["audit", "--data", &data, "--archive", "/nowhere/at-all"]).code, "no_journal");
}

#[test]
fn the_folder_may_be_named_by_the_environment() {
    let place = Place::with_a_round();
    let output = crate::program().arg("audit").env("CROUPIER_DATA", place.at("floor")).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let output = crate::program().arg("audit").current_dir(place.at("")).output().unwrap();
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("there is no journal in ./croupier-data"), "{words}");
}
