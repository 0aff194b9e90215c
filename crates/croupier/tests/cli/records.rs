//! `records`: rebuilt from the journal, and recalled.

use std::fs;

use serde_json::json;

use crate::contents::contents;
use crate::floor::{Pipe, Place, TERMINALS};
use crate::refused;

#[test]
fn records_are_rebuilt_up_to_the_end_of_the_journal() {
    let place = Place::with_a_round();
    let rebuilt = place.json("records rebuild");
    assert_eq!(rebuilt["sequence"], place.json("audit")["last"]);
    assert_eq!(rebuilt["file"], place.at("floor/records.sqlite"));
    let run = place.run("records rebuild");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "again, over what is there");
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(&format!("has records 1 to {}", rebuilt["sequence"])), "{}", run.stdout);
    assert_eq!(place.run("audit").code, 0, "the records are not in the way of an audit");
}

#[test]
fn a_round_is_recalled_complete() {
    let place = Place::with_a_round();
    place.json("records rebuild");
    let recalled = place.json(&format!("records recall --terminal {}", TERMINALS[0]));
    let round = &recalled["rounds"][0];
    assert_eq!((&round["outcome"], &round["status"], &round["layout"]), (&json!("17"), &json!("settled"), &json!("a")));
    let bet = json!({
        "spot": "straight/17", "of": null, "stake": "10.00", "pays": "35", "returned": "360.00", "paragraph": "4.1.1"
    });
    assert_eq!(round["bets"][0]["spot"], bet["spot"]);
    for key in ["of", "stake", "pays", "returned"] {
        assert_eq!(round["bets"][0][key], bet[key], "{key}");
    }
    let causes: Vec<&str> =
        recalled["money"].as_array().unwrap().iter().filter_map(|money| money["cause"].as_str()).collect();
    assert_eq!(causes, ["win", "wager", "cash-in"], "{}", recalled["money"]);
    assert_eq!(recalled["pay_tables"][0]["spots"].as_array().map(Vec::len), Some(165));
    let page = place.run(&format!("records recall --terminal {}", TERMINALS[0])).stdout;
    for words in
        ["Recall of terminal 8", "Round 0 at rws-roulette-000: 17, settled", "straight/17", "360.00", "cash-in"]
    {
        assert!(page.contains(words), "{words:?} in\n{page}");
    }
}

#[test]
fn a_terminal_that_did_nothing_is_recalled_as_such() {
    let place = Place::with_a_round();
    place.json("records rebuild");
    let recalled = place.json("records recall --terminal 0");
    assert_eq!((&recalled["rounds"], &recalled["money"]), (&json!([]), &json!([])));
    let refused = refused(&["records", "recall", "--terminal", "4000", "--data", &place.at("floor")]);
    assert_eq!(refused.code, "unknown_terminal");
}

#[test]
fn without_records_there_is_nothing_to_recall() {
    let place = Place::with_a_round();
    let data = place.at("floor");
    fs::remove_file(place.at("floor/records.sqlite")).unwrap();
    let refused_recall = refused(&["records", "recall", "--terminal", "8", "--data", &data]);
    assert_eq!(refused_recall.code, "no_records");
    assert!(!fs::exists(place.at("floor/records.sqlite")).unwrap());
    fs::write(place.at("floor/records.sqlite"), "no database").unwrap();
    assert_eq!(refused(&["records", "recall", "--terminal", "8", "--data", &data]).code, "records");
    assert_eq!(place.run("records rebuild").code, 0, "what is damaged is made anew");
    assert_eq!(refused(&["records", "rebuild", "--data", &place.at("nowhere")]).code, "no_journal");
}

#[test]
fn a_running_floor_keeps_its_records_itself() {
    let place = Place::new();
    let data = place.at("floor");
    let (own, other) = (place.at("floor/records.sqlite"), place.at("other.sqlite"));
    let mut pipe = Pipe::demo(&data);
    pipe.play_a_round();
    assert_eq!(refused(&["records", "rebuild", "--data", &data]).code, "in_use");
    assert!(place.json(&format!("records rebuild --to {other}"))["sequence"].is_u64());
    pipe.rounds = 1;
    assert_eq!(pipe.end(), Some(0));
    let recalled = place.json(&format!("records recall --terminal {}", TERMINALS[0]));
    assert_eq!(recalled["rounds"][0]["status"], "settled", "without a rebuild");
    place.json(&format!("records rebuild --to {other}"));
    assert_eq!(contents(own.as_ref()), contents(other.as_ref()));

    // A file that is no database is rebuilt, and the floor says so.
    fs::write(&own, "no database, but long enough to be taken for one at the first look").unwrap();
    let mut pipe = Pipe::demo(&data);
    assert_eq!(pipe.end(), Some(0));
    let told: Vec<&str> = pipe.others.iter().filter_map(|line| line["records"].as_str()).collect();
    assert_eq!(told, ["the records are rebuilt: they cannot be read"]);
    place.json(&format!("records rebuild --to {other}"));
    assert_eq!(contents(own.as_ref()), contents(other.as_ref()));
}
