//! `report`: the papers of a floor, from its records.

use std::fs;

use serde_json::json;

use crate::floor::{Pipe, Place, ROULETTE, TERMINALS};
use crate::{misused, refused};

#[test]
fn the_day_has_the_figures_of_the_floor_and_its_anchor() {
    let place = Place::with_a_round();
    let day = place.json("report day");
    // 10.00 on 17, which came: 360.00 went back.
    let total = &day["total"];
    assert_eq!((&total["turnover"], &total["win"]), (&json!("10.00"), &json!("-350.00")));
    assert_eq!((&total["drop"], &total["games"]), (&json!("1000.00"), &json!(1)));
    assert_eq!(total["theoretical_exact"], json!("10/13"), "a straight loses 3 of 39");
    assert_eq!((&day["agrees"], &day["tables"][0]["table"]), (&json!(true), &json!(ROULETTE)));
    let anchor = place.json("journal anchor");
    assert_eq!(day["anchor"]["line"], anchor["anchor"]);
    assert_eq!(day["anchor"]["covers"], true);
    assert_eq!(day["up_to"]["sequence"], anchor["sequence"]);

    // The printed report will do as the anchor of an audit.
    let text = place.at("day.txt");
    assert_eq!(place.run(&format!("report day --sheet {text}")).code, 0);
    assert!(fs::read_to_string(&text).unwrap().contains(anchor["anchor"].as_str().unwrap()));
    assert_eq!(place.run(&format!("audit --anchor {text}")).code, 0);
    let of_today = day["period"]["first"].as_str().unwrap();
    assert_eq!(place.json(&format!("report day {of_today}"))["total"], *total);
}

#[test]
fn every_report_comes_in_every_form() {
    let place = Place::with_a_round();
    let terminal = TERMINALS[0];
    for report in [
        "report day".to_owned(),
        format!("report table {ROULETTE}"),
        format!("report terminal {terminal}"),
        "report shift".to_owned(),
        "report slips".to_owned(),
        "report tickets".to_owned(),
        "report voids".to_owned(),
        "report events".to_owned(),
        "report events --kind configuration".to_owned(),
        "report round 0".to_owned(),
    ] {
        let run = place.run(&report);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{report}");
        assert!(run.stdout.contains("True up to record"), "{report}: {}", run.stdout);
        assert!(place.json(&report)["up_to"]["sequence"].is_u64(), "{report}");
        for (end, begins) in [("txt", ""), ("csv", ""), ("html", "<!DOCTYPE html>"), ("pdf", "%PDF-")] {
            let file = place.at(&format!("paper.{end}"));
            assert_eq!(place.run(&format!("{report} --sheet {file}")).code, 0, "{report} {end}");
            let bytes = fs::read(&file).unwrap();
            assert!(bytes.len() > 20 && bytes.starts_with(begins.as_bytes()), "{report} {end}");
        }
    }
}

#[test]
fn a_terminals_meters_satisfy_the_identity_s11() {
    let place = Place::with_a_round();
    let report = place.json(&format!("report terminal {}", TERMINALS[0]));
    assert_eq!((&report["credit"], &report["by_meters"]), (&json!("1350.00"), &json!("1350.00")));
    assert_eq!(report["agrees"], true);
    assert_eq!(report["rounds"][0]["bets"], json!(["straight/17=10.00"]));
}

#[test]
fn a_round_is_proved_by_its_chain_s5() {
    let place = Place::with_a_round();
    let report = place.json("report round 0");
    let proof = &report["proof"];
    assert_eq!(proof["checkpoint"], place.json("journal anchor")["anchor"]);
    assert!(proof["chain"].as_str().is_some_and(|chain| chain.len() == 64), "{proof}");
    let dumped = place.run(&format!("journal dump --from {} --to {}", report["first_record"], report["last_record"]));
    assert_eq!(dumped.code, 0);
    let records = report["last_record"].as_u64().unwrap() - report["first_record"].as_u64().unwrap() + 1;
    assert_eq!(dumped.stdout.lines().count() as u64, records);
    let page = place.run("report round 0").stdout;
    for words in ["straight/17", "360.00", report["summary"]["rulebook"].as_str().unwrap(), "croupier audit"] {
        assert!(page.contains(words), "{words:?} in\n{page}");
    }
}

#[test]
fn what_is_not_there_is_refused() {
    let place = Place::with_a_round();
    let data = place.at("floor");
    for (words, code) in [
        ("report day 2999-01-01", "no_such_day"),
        ("report day 1999-01-01", "no_such_day"),
        ("report day today", "malformed_day"),
        ("report table 77", "unknown_table"),
        ("report terminal 7777", "unknown_terminal"),
        ("report round 7777", "unknown_round"),
        ("report shift 77", "unknown_shift"),
        ("report slips --number 1", "unknown_slip"),
    ] {
        let words: Vec<&str> = words.split_whitespace().chain(["--data", &data]).collect();
        let refused = refused(&words);
        assert_eq!(refused.code, code, "{words:?}");
        assert!(code == "malformed_day" || refused.message.contains("up to record"), "{}", refused.message);
    }
    assert!(misused("report events --kind gossip").contains("irregularity"));
    fs::remove_file(place.at("floor/records.sqlite")).unwrap();
    assert_eq!(refused(&["report", "day", "--data", &data]).code, "no_records");
}

#[test]
fn records_behind_the_journal_say_up_to_where_they_are() {
    let place = Place::with_a_round();
    let (own, old) = (place.at("floor/records.sqlite"), place.at("old.sqlite"));
    fs::copy(&own, &old).unwrap();
    let before = place.json("report day")["up_to"]["sequence"].clone();
    let mut pipe = Pipe::demo(&place.at("floor"));
    pipe.rounds = 1;
    pipe.play_a_round();
    assert_eq!(pipe.end(), Some(0));
    fs::copy(&old, &own).unwrap();
    let report = place.json("report day");
    assert_eq!(report["up_to"]["sequence"], before);
    assert_eq!(report["up_to"]["journal"], place.json("audit")["last"]);
    let page = place.run("report day").stdout;
    assert!(page.contains("The records are behind"), "{page}");
}
