//! `expand`: the pieces of a multi-piece bet.

use serde_json::{Value, json};

use crate::{json, line, misused, refused_line};

fn pieces(answer: &Value) -> Vec<(String, u64, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pieces = answer["pieces"].as_array().unwrap().iter();
    pieces.map(|piece| (text(&piece["spot"]), piece["count"].as_u64().unwrap(), text(&piece["stake"]))).collect()
}

fn spots(name: &str) -> String {
    let answer = json(&format!("expand rws-roulette-000 --unit 1 {name}"));
    pieces(&answer).into_iter().map(|(spot, ..)| spot).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_contract_s_example() {
    let answer = json("expand rws-roulette-000 --unit 5.00 grandseries");
    let expected = [
        ("split/0-000", 1, "5.00"),
        ("split/4-7", 1, "5.00"),
        ("split/12-15", 1, "5.00"),
        ("split/18-21", 1, "5.00"),
        ("split/19-22", 1, "5.00"),
        ("split/32-35", 1, "5.00"),
        ("street/00-2-3", 2, "10.00"),
        ("corner/25-26-28-29", 2, "10.00"),
    ];
    assert_eq!(pieces(&answer), expected.map(|(spot, count, stake)| (spot.to_owned(), count, stake.to_owned())));
    assert_eq!(answer["total"], "50.00");
}

#[test]
fn every_kind_of_the_document() {
    assert_eq!(spots("tiers"), "split/5-8 split/10-11 split/13-16 split/23-24 split/27-30 split/33-36");
    assert_eq!(spots("orphelins"), "straight/1 split/6-9 split/14-17 split/17-20 split/31-34");
    assert_eq!(spots("zerospiel"), "straight/26 split/0-000 split/00-3 split/12-15 split/32-35");
    assert_eq!(spots("finale/4"), "straight/4 straight/14 straight/24 straight/34");
    assert_eq!(spots("finale/8"), "straight/8 straight/18 straight/28");
    assert_eq!(spots("finale/0"), "straight/0 straight/10 straight/20 straight/30", "D2");
    assert_eq!(spots("neighbours/21/1"), "straight/2 straight/21 straight/4");
    assert_eq!(spots("neighbours/21/2"), "straight/25 straight/2 straight/21 straight/4 straight/19");
}

#[test]
fn neighbours_of_every_pocket_cost_three_five_or_seven() {
    let table = json("rules export rws-roulette-000");
    for pocket in crate::strings(&table["outcomes"]).into_iter().flatten() {
        for (reach, total) in [(1, "6.00"), (2, "10.00"), (3, "14.00")] {
            let answer = json(&format!("expand rws-roulette-000 --unit 2 neighbours/{pocket}/{reach}"));
            assert_eq!(answer["total"], total, "{pocket} {reach}");
            assert_eq!(answer["mark"], json!({ "kind": "assumed", "decision": "D3" }));
        }
    }
}

#[test]
fn what_is_no_multi_piece_bet_is_refused() {
    for (words, code) in [
        ("rws-roulette-000 --unit 5 voisins", "unknown_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 split/1-2", "unknown_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 tiers/1", "malformed_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 neighbours", "malformed_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 neighbours/37/1", "malformed_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 neighbours/21/0", "malformed_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 neighbours/21/01", "malformed_multi_piece_bet"),
        ("rws-roulette-000 --unit 5 finale/", "malformed_multi_piece_bet"),
        ("rws-sicbo --unit 5 tiers", "unknown_multi_piece_bet"),
    ] {
        assert_eq!(refused_line(&format!("expand {words}")).code, code, "{words}");
    }
    let message = refused_line("expand rws-roulette-000 --unit 5 tier").message;
    assert!(message.contains("there are neighbours, tiers, orphelins, zerospiel, finale, grandseries"), "{message}");
}

#[test]
fn unit_and_name_are_needed() {
    assert!(misused("expand rws-roulette-000 tiers").contains("--unit"));
    assert!(misused("expand rws-roulette-000 --unit 5").contains("<NAME>"));
}

#[test]
fn people_get_a_table() {
    let run = line("expand rws-roulette-000 --unit 5 grandseries");
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("Grand Series: grandseries (Appendix B)"), "{}", run.stdout);
    assert!(run.stdout.lines().last().unwrap().split_whitespace().eq(["Total", "10", "50.00"]), "{}", run.stdout);
}
