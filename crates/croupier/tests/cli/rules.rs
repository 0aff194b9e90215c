//! `rules`: list, show, check and export.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{LAYOUTS, croupier, json, line, refused, root, strings};

const GAMES: [&str; 8] = [
    "mbs-sicbo",
    "rws-roulette-000",
    "rws-sicbo",
    "rws-sicbo-open",
    "rws-taisai",
    "roulette-double-zero",
    "roulette-single-zero",
    "sicbo-macau",
];

#[test]
fn list_names_the_five_documents_first_and_then_the_examples() {
    let answer = json("rules list");
    let rulebooks = answer["rulebooks"].as_array().unwrap();
    let ids: Vec<&str> = rulebooks.iter().map(|rulebook| rulebook["id"].as_str().unwrap()).collect();
    assert_eq!(ids, GAMES);
    let approved: Vec<bool> = rulebooks.iter().map(|rulebook| rulebook["approved"].as_bool().unwrap()).collect();
    assert_eq!(approved, [true, true, true, true, true, false, false, false]);
    let run = line("rules list");
    assert!(GAMES.iter().all(|game| run.stdout.contains(game)));
}

#[test]
fn export_has_every_spot_and_every_outcome() {
    for (game, layout, spots, outcomes, winning, net) in LAYOUTS {
        let table = json(&format!("rules export {game} --layout {layout}"));
        assert_eq!((&table["game"], &table["layout"]), (&json!(game), &json!(layout)));
        assert_eq!(table["hash"].as_str().map(str::len), Some(64));
        assert!(table["version"].is_string());
        assert_eq!(strings(&table["outcomes"]).len(), outcomes);
        let rows = table["spots"].as_array().unwrap();
        assert_eq!(rows.len(), spots);
        let mut cells = 0;
        let mut halves = 0;
        for row in rows {
            assert!(row["id"].is_string() && row["paragraph"].is_string());
            let pays = strings(&row["pays"]);
            assert_eq!(pays.len(), outcomes);
            cells += pays.iter().flatten().count();
            let won = |odds: &&str| (odds.parse::<f64>().expect("a decimal") * 2.0) as i64;
            halves += pays.iter().map(|odds| odds.as_ref().map_or(-2, won)).sum::<i64>();
        }
        assert_eq!((cells, halves), (winning, 2 * net), "{game} {layout}");
    }
}

#[test]
fn export_runs_through_the_outcomes_in_order() {
    let dice = json("rules export rws-taisai");
    let outcomes = strings(&dice["outcomes"]);
    assert_eq!(outcomes[..3], [Some("1-1-1"), Some("1-1-2"), Some("1-1-3")]);
    assert_eq!((outcomes[6], outcomes[36], outcomes[215]), (Some("1-2-1"), Some("2-1-1"), Some("6-6-6")));
    let wheel = json("rules export rws-roulette-000");
    let outcomes = strings(&wheel["outcomes"]);
    assert_eq!(outcomes[..4], [Some("0"), Some("00"), Some("000"), Some("1")]);
    assert_eq!(outcomes[38], Some("36"));
}

#[test]
fn export_writes_odds_as_decimals_and_null_for_a_loss() {
    let table = json("rules export rws-sicbo --layout a");
    let row = |id: &str| table["spots"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    let (single, double) = (row("single/1"), row("double/1"));
    assert_eq!(single["pays"][0], "12");
    assert_eq!(single["pays"][1], "2");
    assert_eq!(single["pays"][7], "1");
    assert_eq!(single["pays"][215], Value::Null);
    assert_eq!((&double["pays"][0], &double["pays"][1]), (&json!("11.5"), &json!("11.5")));
    assert_eq!(single["paragraph"], "4.1.1");
}

#[test]
fn export_is_json_with_or_without_the_option() {
    assert_eq!(line("rules export rws-taisai").stdout, line("--json rules export rws-taisai").stdout);
}

#[test]
fn show_has_every_paragraph_and_every_section() {
    for game in GAMES {
        let run = line(&format!("rules show {game}"));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        let data = json(&format!("rules show {game}"));
        for paragraph in data["paragraphs"].as_array().unwrap() {
            let number = paragraph["number"].as_str().unwrap();
            let listed = run.stdout.lines().any(|line| line.starts_with(&format!("{number} ")));
            assert!(listed, "{game} {number}");
        }
        for heading in
            ["How a round goes", "Layouts", "When each bet wins", "Odds, n to 1", "Limits", "What makes a round void"]
        {
            assert!(run.stdout.contains(heading), "{game}: {heading}");
        }
        for heading in ["Technical interruption", "Errors and corrections", "Who decides", "Powers", "Every paragraph"]
        {
            assert!(run.stdout.contains(heading), "{game}: {heading}");
        }
        assert!(run.stdout.contains(data["hash"].as_str().unwrap()), "{game}");
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 120), "{game} fits 120 columns");
    }
}

#[test]
fn show_marks_what_no_document_says() {
    let taisai = line("rules show rws-taisai").stdout;
    let double = taisai.lines().find(|line| line.contains("double/1 … double/6 (6)") && line.contains("11")).unwrap();
    assert!(double.contains("inferred (D1)"), "{double}");
    let roulette = line("rules show rws-roulette-000").stdout;
    assert!(roulette.contains("The wheel, clockwise: g green, r red, b black (3.7; assumed (D3))"));
    assert!(roulette.contains("5.3.3 *") && roulette.contains("* number inferred"));
}

#[test]
fn show_can_be_read_in_chinese() {
    let run = line("rules show rws-sicbo --lang zh");
    for words in ["骰宝", "一局的流程", "停止下注", "作废事由", "值班经理"] {
        assert!(run.stdout.contains(words), "{words}");
    }
    assert!(!run.stdout.contains("How a round goes"));
}

#[test]
fn show_of_one_layout_shows_no_other() {
    let run = line("rules show rws-sicbo --layout C");
    assert!(run.stdout.contains("Layout c") && !run.stdout.contains("Layout a"));
    let data = json("rules show rws-sicbo --layout C");
    assert_eq!(data["layouts"].as_array().map(Vec::len), Some(1));
    assert_eq!(data["layouts"][0]["id"], "c");
}

#[test]
fn show_as_data_is_enough_to_draw_every_layout() {
    for (game, layout, spots, ..) in LAYOUTS {
        let data = json(&format!("rules show {game} --layout {layout}"));
        let layout = &data["layouts"][0];
        assert!(layout["canvas"]["width"].as_u64() > Some(0) && layout["canvas"]["height"].as_u64() > Some(0));
        let areas = layout["areas"].as_array().unwrap();
        let rows = areas.iter().flat_map(|area| area["rows"].as_array().unwrap());
        let drawn: Vec<&str> = rows.flat_map(strings).flatten().collect();
        assert_eq!(drawn.len(), spots);
        let priced = layout["spots"].as_array().unwrap();
        assert!(drawn.iter().all(|id| priced.iter().any(|spot| spot["id"] == *id)));
        for area in areas {
            let at = &area["at"];
            assert!(at.is_null() || ["x", "y", "width", "height"].iter().all(|side| at[side].is_u64()));
        }
    }
}

#[test]
fn show_as_data_has_the_rules_of_the_round() {
    let mbs = json("rules show mbs-sicbo");
    assert_eq!(mbs["procedure"]["begins"], json!({ "by": "activation", "paragraph": "3.1" }));
    assert_eq!(mbs["procedure"]["allowed"]["when"], "before-notice");
    let open = json("rules show rws-sicbo-open");
    assert_eq!(open["procedure"]["allowed"]["when"], "after-close");
    assert_eq!(open["procedure"]["device"]["covered"], false);
    let wheel = json("rules show rws-roulette-000");
    assert_eq!(wheel["outcomes"]["order"].as_array().map(Vec::len), Some(39));
    assert_eq!(wheel["outcomes"]["order"][3], json!({ "pocket": "32", "colour": "red" }));
    assert_eq!(wheel["outcomes"]["mark"], json!({ "kind": "assumed", "decision": "D3" }));
    let taisai = json("rules show rws-taisai");
    assert_eq!(taisai["limits"]["differential"], json!([["big", "small"]]));
}

/// A rulebook file of the repository, changed, in a file of its own.
struct Changed(PathBuf);

impl Changed {
    fn new(name: &str, from: &str, to: &str) -> Changed {
        let text = std::fs::read_to_string(root().join("rulebooks/rws-taisai.toml")).unwrap();
        assert!(text.contains(from), "{from}");
        let path = std::env::temp_dir().join(format!("croupier-{}-{name}.toml", std::process::id()));
        std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
        Changed(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn check_finds_the_rulebooks_of_the_repository_coherent() {
    for game in GAMES {
        let answer = json(&format!("rules check rulebooks/{game}.toml"));
        assert_eq!((&answer["coherent"], &answer["game"]), (&json!(true), &json!(game)));
        let listed = json("rules list");
        let entry = listed["rulebooks"].as_array().unwrap().iter().find(|entry| entry["id"] == game).unwrap();
        assert_eq!(answer["hash"], entry["hash"], "the file is the one inside the program");
    }
    assert!(line("rules check rulebooks/rws-taisai.toml").stdout.starts_with("rulebooks/rws-taisai.toml is coherent."));
}

#[test]
fn check_refuses_an_incoherent_file_with_its_place() {
    let file = Changed::new("negative", "odds = \"62\"", "odds = \"-62\"");
    let refused = refused(&["rules", "check", file.path()]);
    assert_eq!(refused.code, "incoherent_rulebook");
    assert!(refused.message.contains(&format!("{}:", file.path())), "{}", refused.message);
    assert!(refused.message.contains("odds must not be negative"), "{}", refused.message);
    let run = croupier(&["rules", "check", file.path(), "--json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(answer["error"]["line"].as_u64() > Some(1) && answer["error"]["column"].as_u64() > Some(1));
}

#[test]
fn check_refuses_what_cannot_be_read() {
    for path in ["no-such-file.toml", "rulebooks", "/dev/zero"] {
        assert_eq!(refused(&["rules", "check", path]).code, "unreadable_file", "{path}");
    }
    let binary = refused(&["rules", "check", env!("CARGO_BIN_EXE_croupier")]);
    assert_eq!(binary.code, "unreadable_file");
}

#[test]
fn a_game_can_be_a_file_so_that_a_new_pay_table_needs_no_rust() {
    let file = Changed::new(
        "generous",
        "odds = \"62\", spots = [\"total/4\", \"total/17\"]",
        "odds = \"70\", spots = [\"total/4\", \"total/17\"]",
    );
    let run = croupier(&["settle", file.path(), "--outcome", "1-1-2", "total/4=1", "--json"]);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["returned"], "71.00");
    assert_ne!(answer["hash"], json("rules export rws-taisai")["hash"]);
    assert_eq!(json("odds rulebooks/sicbo-macau.toml"), json("odds sicbo-macau"));
}
