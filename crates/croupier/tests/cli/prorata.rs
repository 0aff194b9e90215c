//! `prorata`: an overfull betting box, settled by D8.

use serde_json::{Value, json};

use crate::{croupier, json, line, misused, refused, refused_line};

fn at_risk(side: &Value) -> Vec<(&str, &str)> {
    fn text<'a>(row: &'a Value, field: &str) -> &'a str {
        row[field].as_str().expect("a string")
    }
    side.as_array().expect("rows").iter().map(|row| (text(row, "player"), text(row, "at_risk"))).collect()
}

#[test]
fn the_contract_s_example() {
    let answer = json("prorata --min 25 --max 1000 A=900 B=300 C=20");
    let expected = json!({
        "bets": [
            { "player": "A", "bet": "900.00", "at_risk": "735.00", "returned": "165.00" },
            { "player": "B", "bet": "300.00", "at_risk": "245.00", "returned": "55.00" },
            { "player": "C", "bet": "20.00", "at_risk": "20.00", "returned": "0.00" },
        ],
        "against": [],
    });
    assert_eq!(answer, expected);
}

#[test]
fn with_a_differential_the_heavier_side_is_capped_by_the_lighter() {
    let answer = json("prorata --min 25 --max 1000 A=900 B=300 C=20 --differential 500 --against X=200 --against Y=50");
    // The cap is 250 + 500; C stays whole, A and B share 730 as 3 to 1.
    assert_eq!(at_risk(&answer["bets"]), [("A", "547.50"), ("B", "182.50"), ("C", "20.00")]);
    assert_eq!(at_risk(&answer["against"]), [("X", "200.00"), ("Y", "50.00")]);
}

#[test]
fn the_heavier_side_may_be_the_one_against() {
    let answer = json("prorata A=100 --differential 50 --against X=100 --against Y=200");
    assert_eq!(at_risk(&answer["bets"]), [("A", "100.00")]);
    assert_eq!(at_risk(&answer["against"]), [("X", "50.00"), ("Y", "100.00")]);
}

#[test]
fn either_limit_may_be_absent() {
    assert_eq!(at_risk(&json("prorata A=900 B=300")["bets"]), [("A", "900.00"), ("B", "300.00")]);
    assert_eq!(at_risk(&json("prorata --min 25 A=900 B=20")["bets"]), [("A", "900.00"), ("B", "20.00")]);
    assert_eq!(at_risk(&json("prorata --max 600 A=900 B=300")["bets"]), [("A", "450.00"), ("B", "150.00")]);
}

#[test]
fn bets_of_one_player_are_one_bet() {
    let answer = json("prorata --max 1000 A=500 B=1000 A=500");
    assert_eq!(at_risk(&answer["bets"]), [("A", "500.00"), ("B", "500.00")]);
    assert_eq!(answer["bets"][0]["bet"], "1000.00");
}

#[test]
fn nobody_is_scaled_to_below_the_minimum() {
    let answer = json("prorata --min 100 --max 1000 A=1900 B=100");
    assert_eq!(at_risk(&answer["bets"]), [("A", "900.00"), ("B", "100.00")]);
}

#[test]
fn amounts_are_cut_down_to_the_step() {
    let answer = json("prorata --max 1000 --step 5 A=900 B=300 C=20");
    assert_eq!(at_risk(&answer["bets"]), [("A", "735.00"), ("B", "245.00"), ("C", "15.00")]);
}

#[test]
fn a_player_is_any_text_without_an_equals_sign() {
    for player in ["陈小明", "Mr. O'Neill", "a b", "A/1", "🎲", "--", " "] {
        let bet = format!("{player}=10");
        let run = croupier(&["prorata", "--json", "--", &bet]);
        assert_eq!(run.code, 0, "{player}");
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(answer["bets"][0]["player"], player);
    }
}

#[test]
fn what_is_no_bet_is_refused() {
    for bet in ["=10", "A", "", "="] {
        assert_eq!(refused(&["prorata", bet]).code, "malformed_bet", "{bet:?}");
    }
    assert_eq!(refused(&["prorata", "A=B=10"]).code, "malformed_amount");
    assert_eq!(refused(&["prorata", "A=1", "--differential", "5", "--against", "X"]).code, "malformed_bet");
}

#[test]
fn limits_that_contradict_each_other_are_refused() {
    let refused = refused_line("prorata --min 100 --max 50 A=10");
    assert_eq!((refused.code.as_str(), refused.paragraph.as_deref()), ("minimum_above_maximum", Some("D8")));
}

#[test]
fn differential_and_against_need_each_other() {
    assert!(misused("prorata A=1 --differential 5").contains("--against"));
    assert!(misused("prorata A=1 --against X=5").contains("--differential"));
    assert!(misused("prorata --min 5").contains("<PLAYER=AMOUNT>"));
}

#[test]
fn people_get_a_table_of_each_side() {
    let run = line("prorata --max 1000 A=900 B=300 --differential 500 --against X=200");
    assert_eq!(run.code, 0);
    assert!(run.stdout.contains("The box") && run.stdout.contains("The box against it"), "{}", run.stdout);
    assert!(!line("prorata --max 1000 A=900").stdout.contains("against"));
}
