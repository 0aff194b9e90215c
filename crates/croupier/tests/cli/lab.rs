//! The laboratory on the command line: `odds --sheet`, `session`, `simulate`, `bias`, `generator check`.

use std::fs;
use std::path::Path;

use crate::{croupier, json, line, misused, refused, refused_line};

/// Runs words and gives the path of a file in a folder that goes away.
fn with_file(name: &str, run: impl FnOnce(&str, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    run(path.to_str().unwrap(), &path);
}

#[test]
fn a_par_sheet_is_written_in_the_form_that_the_name_asks_for() {
    for (name, begins) in
        [("a.pdf", "%PDF-"), ("a.html", "<!DOCTYPE html>"), ("a.csv", "What is priced"), ("a.txt", "Tai Sai")]
    {
        with_file(name, |text, path| {
            let run = croupier(&["odds", "rws-taisai", "--sheet", text]);
            assert_eq!(run.code, 0, "{}", run.stderr);
            assert!(run.stdout.contains("Tai Sai, Layout A: PAR sheet"), "{}", run.stdout);
            assert!(fs::read(path).unwrap().starts_with(begins.as_bytes()), "{name}");
        });
    }
}

#[test]
fn a_sheet_needs_a_name_that_says_its_form() {
    for words in ["odds rws-taisai --sheet par.docx", "session rws-taisai --rounds 5 --sheet par small=1"] {
        assert!(misused(words).contains("must end in .html, .pdf, .csv or .txt"), "{words}");
    }
    assert_eq!(refused_line("odds rws-taisai --sheet /nowhere/at/all/par.pdf").code, "unwritable_file");
}

#[test]
fn a_session_says_how_likely_is_what() {
    let answer = json("session rws-sicbo --layout a --rounds 3 small=10 --bankroll 30 --target 40");
    // Small wins 105 of 216: ahead after three rounds with two wins or three.
    let p: f64 = 105.0 / 216.0;
    let ahead = p.powi(3) + 3.0 * p * p * (1.0 - p);
    assert!((answer["ahead"].as_f64().unwrap() - ahead).abs() < 1e-12);
    assert_eq!(answer["edge"], "1/36");
    assert_eq!(answer["ruin"]["bankroll"], "30.00");
    // Target: the first round is won, or lost and then two are won.
    assert!((answer["ruin"]["reached"].as_f64().unwrap() - (p + (1.0 - p) * p * p)).abs() < 1e-12);
    assert!((answer["ruin"]["broke"].as_f64().unwrap() - (1.0 - p).powi(3)).abs() < 1e-12);
    let run = line("session rws-sicbo --layout a --rounds 300 small=10 --bankroll 100");
    for words in ["300 rounds of Sic Bo", "Probability of being ahead", "Ruin within 300 rounds", "█", "░"] {
        assert!(run.stdout.contains(words), "{words} in\n{}", run.stdout);
    }
}

#[test]
fn a_tables_mix_is_read_from_a_file() {
    with_file("mix.csv", |text, path| {
        fs::write(path, "# weight, bets\n3,small=10 big=5\n\n1,triple/any=2\n").unwrap();
        let run = croupier(&["session", "rws-taisai", "--rounds", "50", "--mix", text, "--json"]);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(answer["sets"][0]["weight"], 3);
        assert_eq!(answer["sets"][1]["staked"], "2.00");
        fs::write(path, "3,small=10\nmany,big=5\n").unwrap();
        let wrong = refused(&["session", "rws-taisai", "--rounds", "50", "--mix", text]);
        assert_eq!(wrong.code, "malformed_mix");
        assert!(wrong.message.contains("line 2"), "{}", wrong.message);
    });
}

#[test]
fn sessions_that_cannot_be_are_refused() {
    for (words, code) in [
        ("session rws-taisai --rounds 10 --bankroll 5 small=10", "bankroll_below_stakes"),
        ("session rws-taisai --rounds 10 --bankroll 50 --target 50 small=10", "target_below_bankroll"),
        ("session rws-taisai --rounds 99999999999 small=10", "rounds"),
        ("session rws-sicbo --layout a --rounds 10 small=10.01", "off_step"),
        ("session rws-sicbo --layout a --rounds 10 pair/1-1-2=1", "not_offered"),
        ("session rws-taisai --rounds 10 --mix nowhere.csv", "unreadable_file"),
    ] {
        assert_eq!(refused_line(words).code, code, "{words}");
    }
    for words in
        ["session rws-taisai --rounds 0 small=1", "session rws-taisai --rounds 5", "session rws-taisai small=1"]
    {
        misused(words);
    }
}

#[test]
fn a_simulation_is_decided_by_its_seed() {
    let drawn = |threads: u32, seed: u32| {
        let words = format!("simulate rws-sicbo --layout b --rounds 3000000 --seed {seed} --threads {threads}");
        let answer = json(&words);
        assert_eq!(answer["verdict"]["agrees"], true, "{}", answer["verdict"]);
        answer["lines"].clone()
    };
    assert_eq!(drawn(1, 1), drawn(3, 1));
    assert_ne!(drawn(1, 1), drawn(1, 2));
}

#[test]
fn bets_are_folded_and_players_share_a_box() {
    let folded = json("simulate rws-roulette-000 --rounds 1000000 --bets red=10 neighbours/21/2=1");
    assert_eq!((&folded["mode"], &folded["lines"][0]["exact"]), (&"folded".into(), &"12/13".into()));
    let live =
        json("simulate rws-taisai --rounds 1000000 --min 25 --max 1000 --bets A:small=900 B:small=300 C:small=20");
    let at_risk: Vec<&str> =
        live["players"].as_array().unwrap().iter().filter_map(|player| player["at_risk"].as_str()).collect();
    assert_eq!(at_risk, ["735.00", "245.00", "20.00"]);
    let run = line("simulate rws-taisai --rounds 1000000 --bets small=10");
    assert!(run.stdout.contains("Chance agrees") && run.stdout.contains("xoshiro256++"), "{}", run.stdout);
    assert_eq!(refused_line("simulate rws-sicbo --layout a --rounds 10 --bets A:small=10").code, "no_boxes");
    misused("simulate rws-taisai --rounds 10 --max 100 --bets small=10");
}

#[test]
fn results_from_a_file_are_tested_for_bias() {
    with_file("results.csv", |text, path| {
        let fair: String = (0..1080).map(|n| format!("{}\n", n * 7919 % 36 + 1)).collect();
        fs::write(path, format!("outcome\n{fair}")).unwrap();
        let run = croupier(&["bias", "roulette-single-zero", text, "--json"]);
        let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        // No zero ever came, and the pockets follow each other in a fixed way.
        assert_eq!((run.code, &answer["biased"]), (1, &true.into()));
        fs::write(path, "17\n3\nseven\n").unwrap();
        let wrong = refused(&["bias", "roulette-single-zero", text]);
        assert_eq!(wrong.code, "malformed_results");
        assert!(wrong.message.contains("line 3"), "{}", wrong.message);
        fs::write(path, "1-2-3\n").unwrap();
        let short = croupier(&["bias", "rws-sicbo", text]);
        assert_eq!(short.code, 0);
        assert!(short.stdout.contains("Not tested: totals of the three dice, from 30 rounds on."), "{}", short.stdout);
        fs::write(path, "").unwrap();
        assert_eq!(refused(&["bias", "rws-sicbo", text]).code, "no_results");
    });
    assert_eq!(refused_line("bias rws-sicbo nowhere.csv").code, "unreadable_file");
    assert_eq!(refused_line("bias rws-sicbo --data nowhere --table 1").code, "no_records");
    assert!(misused("bias rws-sicbo --data nowhere").contains("--device N or --table N"));
    misused("bias rws-sicbo");
}

#[test]
fn results_of_a_floor_come_from_its_records() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let pipe = crate::program()
        .args(["pipe", "--data", data, "--demo"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(pipe.success());
    assert_eq!(croupier(&["records", "rebuild", "--data", data]).code, 0);
    // A floor on which nothing was played has no results.
    assert_eq!(refused(&["bias", "rws-sicbo", "--data", data, "--table", "1"]).code, "no_results");
}

#[test]
fn the_generator_is_checked_and_bad_bytes_fail() {
    with_file("bytes.bin", |text, path| {
        fs::write(path, vec![7; 300_000]).unwrap();
        let run = croupier(&["generator", "check", "--from", text]);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stdout.contains("Failed at a confidence of 99.00 %"), "{}", run.stdout);
        fs::write(path, [1, 2, 3]).unwrap();
        assert_eq!(refused(&["generator", "check", "--from", text]).code, "too_few_bytes");
    });
    // Of a hundred checks of a good generator one fails; three in a row, one in a million.
    let passes = (0..3).any(|_| line("generator check --bytes 400000").code == 0);
    assert!(passes);
    misused("generator check --bytes many");
}

#[test]
fn results_of_a_floor_are_tested_for_bias() {
    let place = crate::floor::Place::with_a_round();
    let table = crate::floor::ROULETTE;
    let answer = place.json(&format!("bias rws-roulette-000 --table {table}"));
    assert_eq!((&answer["rounds"], &answer["biased"]), (&1.into(), &false.into()));
    let other = place.run(&format!("bias rws-sicbo --table {table}"));
    assert_eq!(other.code, 1, "{}", other.stderr);
    assert!(other.stderr.contains("which rws-sicbo cannot"), "{}", other.stderr);
}
