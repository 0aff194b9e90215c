//! `settle`: bets on an outcome, by the pay table of a layout.

use serde_json::{Value, json};

use crate::{croupier, json, line, refused, refused_line, strings};

const SICBO_A: &str = "settle rws-sicbo --layout a --outcome 2-2-3";

#[test]
fn the_contract_s_example() {
    let answer = json(&format!("{SICBO_A} single/2=10.00 double/2=5.00"));
    let bets = answer["bets"].as_array().unwrap();
    let fields = |bet: &Value| ["spot", "stake", "won", "pays", "returned"].map(|field| bet[field].clone());
    assert_eq!(fields(&bets[0]), [json!("single/2"), json!("10.00"), json!(true), json!("2"), json!("30.00")]);
    assert_eq!(fields(&bets[1]), [json!("double/2"), json!("5.00"), json!(true), json!("11.5"), json!("62.50")]);
    assert_eq!((&answer["staked"], &answer["returned"]), (&json!("15.00"), &json!("92.50")));
    assert_eq!(bets.len(), 2);
}

#[test]
fn a_loser_pays_null_and_returns_nothing() {
    let answer = json(&format!("{SICBO_A} big=4"));
    let bet = &answer["bets"][0];
    assert_eq!((&bet["won"], &bet["pays"], &bet["returned"]), (&json!(false), &Value::Null, &json!("0.00")));
    assert!(bet.get("of").is_none(), "not a piece of anything");
}

#[test]
fn bets_keep_their_order_and_are_not_merged() {
    let answer = json(&format!("{SICBO_A} small=2 odd=4 small=2"));
    let spots: Vec<&str> = answer["bets"].as_array().unwrap().iter().map(|bet| bet["spot"].as_str().unwrap()).collect();
    assert_eq!(spots, ["small", "odd", "small"]);
    assert_eq!(answer["staked"], "8.00");
}

#[test]
fn single_is_paid_once_by_how_many_dice_show_it() {
    for (outcome, returned) in [("4-1-6", "20.00"), ("4-1-4", "30.00"), ("4-4-4", "130.00"), ("1-2-3", "0.00")] {
        let answer = json(&format!("settle mbs-sicbo --layout rapid --outcome {outcome} single/4=10"));
        assert_eq!(answer["returned"], returned, "{outcome} (D10)");
    }
}

#[test]
fn the_order_of_the_dice_never_matters() {
    for outcome in ["1-2-6", "1-6-2", "2-1-6", "2-6-1", "6-1-2", "6-2-1"] {
        let answer =
            json(&format!("settle rws-sicbo --layout b --outcome {outcome} three/1-2-6=2 domino/2-6=2 total/9=2"));
        assert_eq!(answer["returned"], "92.00", "{outcome}");
    }
}

#[test]
fn the_layout_may_be_left_out_if_there_is_one() {
    assert_eq!(json("settle rws-taisai --outcome 1-1-2 double/1=1")["returned"], "12.00");
    assert_eq!(json("settle rws-roulette-000 --outcome 000 green=1 straight/000=1 red=1")["returned"], "48.00");
}

#[test]
fn a_street_of_the_three_zeros_is_green() {
    let answer = json("settle rws-roulette-000 --outcome 00 street/0-00-000=1");
    assert_eq!((&answer["bets"][0]["spot"], &answer["returned"]), (&json!("green"), &json!("12.00")));
}

#[test]
fn a_multi_piece_bet_becomes_its_pieces() {
    let answer = json("settle rws-roulette-000 --outcome 17 red=10 orphelins=5.00 grandseries=1 neighbours/21/1=2");
    let bets = answer["bets"].as_array().unwrap();
    assert_eq!(bets.len(), 1 + 5 + 8 + 3);
    assert_eq!(bets[0].get("of"), None);
    assert!(bets[1..6].iter().all(|bet| bet["of"] == "orphelins" && bet["stake"] == "5.00"));
    assert!(bets[6..14].iter().all(|bet| bet["of"] == "grandseries"));
    assert_eq!((&bets[12]["spot"], &bets[12]["stake"]), (&json!("street/00-2-3"), &json!("2.00")));
    assert_eq!(bets[14]["of"], "neighbours/21/1");
    assert_eq!((&answer["staked"], &answer["returned"]), (&json!("51.00"), &json!("180.00")));
}

#[test]
fn a_bet_off_the_step_is_refused_naming_the_step() {
    for layout in ["a", "b"] {
        let refused =
            refused_line(&format!("settle rws-sicbo --layout {layout} --outcome 2-2-3 small=2 single/2=10.01"));
        assert_eq!((refused.code.as_str(), refused.paragraph.as_deref()), ("off_step", Some("D9")));
        assert!(
            refused.message.contains("steps of 0.02") && refused.message.contains("single/2=10.01"),
            "{}",
            refused.message
        );
    }
    assert_eq!(line("settle rws-sicbo --layout c --outcome 2-2-3 single/2=10.01").code, 0, "no half odds, no step");
}

#[test]
fn near_misses_get_a_helpful_answer() {
    let cases = [
        (
            "rws-sicbo --layout b --outcome 2-2-3 pair/1-1-2=2",
            "not_offered",
            Some("4.1.2"),
            "not offered by this layout (4.1.2)",
        ),
        (
            "rws-sicbo --layout c --outcome 2-2-3 pair/6-6-5=2",
            "not_offered",
            Some("4.1.3"),
            "not offered by this layout (4.1.3)",
        ),
        (
            "rws-sicbo --layout a --outcome 2-2-3 three/1-2-3=2",
            "not_offered",
            Some("4.1.1"),
            "not offered by this layout (4.1.1)",
        ),
        ("rws-taisai --outcome 2-2-3 odd=2", "not_offered", Some("4.1"), "odd: not offered"),
        ("rws-sicbo --layout a --outcome 2-2-3 domino/4-1=2", "write_as", None, "write domino/1-4"),
        ("rws-roulette-000 --outcome 0 split/1-5=2", "do_not_touch", Some("Appendix A"), "1 and 5 do not touch"),
        ("rws-roulette-000 --outcome 0 split/2-1=2", "write_as", None, "write split/1-2"),
        ("rws-roulette-000 --outcome 0 straight/37=2", "no_such_number", None, "there is no pocket 37"),
        ("rws-sicbo --layout a --outcome 2-2-3 single/7=2", "no_such_number", None, "there is no face 7"),
        ("rws-sicbo --layout a --outcome 2-2-3 singel/2=2", "unknown_bet", None, "did you mean \"single/2\"?"),
        ("rws-sicbo --layout a --outcome 2-2-3 total/18=2", "malformed_bet", None, "a total from 4 to 17"),
        ("rws-sicbo --layout a --outcome 2-2-3 straight/5=2", "not_offered", Some("4.1.1"), "not offered"),
        ("rws-sicbo --layout a --outcome 2-2-3 tiers=2", "unknown_bet", None, "\"tiers\" is not a bet"),
        (
            "rws-roulette-000 --outcome 0 neighbours/21/4=2",
            "malformed_multi_piece_bet",
            None,
            "write neighbours/CENTRE/N",
        ),
        ("rws-roulette-000 --outcome 0 finale/10=2", "malformed_multi_piece_bet", None, "write finale/D"),
        ("rws-sicbo --layout a --outcome 2-2-3 small", "malformed_bet", None, "write SPOT=AMOUNT"),
        ("rws-sicbo --layout a --outcome 2-2-3 =5", "unknown_bet", None, "is not a bet"),
    ];
    for (words, code, paragraph, message) in cases {
        let refused = refused_line(&format!("settle {words}"));
        assert_eq!(
            (refused.code.as_str(), refused.paragraph.as_deref()),
            (code, paragraph),
            "{words}: {}",
            refused.message
        );
        assert!(refused.message.contains(message), "{words}: {}", refused.message);
    }
}

#[test]
fn what_is_no_outcome_is_refused_with_the_paragraph_about_outcomes() {
    for (game, paragraph, outcomes) in [
        ("rws-taisai", "2.2.1", ["2-2", "2-2-3-4", "0-1-2", "7-1-1", "17", "2,2,3", "", "2-2-3 ", "-1"]),
        ("rws-roulette-000", "3.7", ["37", "0000", "01", "-1", "2-2-3", "", "1 ", "seventeen", "１"]),
    ] {
        for outcome in outcomes {
            let refused = refused(&["settle", game, "--outcome", outcome, "odd=2"]);
            let expected = ("malformed_outcome", Some(paragraph));
            assert_eq!((refused.code.as_str(), refused.paragraph.as_deref()), expected, "{game} {outcome:?}");
        }
    }
}

#[test]
fn a_bet_of_strange_text_is_refused() {
    for bet in ["", "=", "==", "/=1", "small/=1", "=small=1", "小=2", "small=2=2", "SMALL=2", " small=2", "small =2"] {
        refused(&["settle", "rws-taisai", "--outcome", "1-2-3", bet]);
    }
}

#[test]
fn settling_agrees_with_the_exported_table_on_every_cell_of_the_wheel() {
    let table = json("rules export rws-roulette-000");
    let spots = table["spots"].as_array().unwrap();
    let bets: Vec<String> = spots.iter().map(|spot| format!("{}=1", spot["id"].as_str().unwrap())).collect();
    for (place, outcome) in strings(&table["outcomes"]).into_iter().flatten().enumerate() {
        let words = ["settle", "rws-roulette-000", "--json", "--outcome", outcome];
        let run = croupier(&[&words[..], &bets.iter().map(String::as_str).collect::<Vec<_>>()].concat());
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        for (bet, spot) in answer["bets"].as_array().unwrap().iter().zip(spots) {
            assert_eq!((&bet["spot"], &bet["pays"]), (&spot["id"], &spot["pays"][place]), "{outcome}");
            assert_eq!(bet["paragraph"], spot["paragraph"]);
        }
    }
}

#[test]
fn people_get_a_table() {
    let run = line(&format!("{SICBO_A} single/2=10.00 double/2=5.00 big=1"));
    assert_eq!(run.code, 0);
    for words in ["Sic Bo, Layout A: 2-2-3", "11.5 to 1", "loses", "4.1.1", "Total"] {
        assert!(run.stdout.contains(words), "{words} in\n{}", run.stdout);
    }
}
