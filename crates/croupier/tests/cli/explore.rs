//! `explore`: every reachable state of small floors.

use std::process::Stdio;

use serde_json::Value;

use crate::floor::Place;
use crate::{croupier, json, program, refused, root};

fn on(place: &Place, words: &str) -> Vec<String> {
    let place = |word: &str| word.strip_prefix('@').map_or_else(|| word.to_owned(), |name| place.at(name));
    words.split_whitespace().map(place).collect()
}

#[test]
fn a_floor_whose_states_are_all_visited_is_proved() {
    let answer = json("explore rws-sicbo --floor by-hand");
    let floor = &answer["floors"][0];
    assert_eq!(
        (&floor["game"], &floor["floor"], &floor["proved"]),
        (&"rws-sicbo".into(), &"by-hand".into(), &true.into())
    );
    assert!(floor["states"].as_u64().is_some_and(|states| states > 20), "{floor}");
    assert_eq!(floor["broken"], Value::Array(Vec::new()));
}

#[test]
fn a_bound_leaves_states_at_the_frontier_and_the_report_says_so() {
    let place = Place::new();
    let run = croupier(&on(&place, "explore rws-taisai --floor round --depth 3 --report @report.md"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("at the frontier"), "{}", run.stdout);
    let report = std::fs::read_to_string(place.at("report.md")).expect("the report");
    for heading in ["## What holds", "## What was visited", "## Phases of a round, as reached"] {
        assert!(report.contains(heading), "{heading}");
    }
    assert!(report.contains("*unproved* beyond"), "{report}");
}

#[test]
fn a_search_goes_on_where_it_was_and_for_its_own_floor_only() {
    let place = Place::new();
    let states = |words: &str| {
        let run = croupier(&on(&place, words));
        assert_eq!(run.code, 0, "{}", run.stderr);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        answer["floors"][0]["states"].as_u64().expect("states")
    };
    let some = states("explore rws-sicbo --floor bets --depth 3 --resume @search --json");
    let all = states("explore rws-sicbo --floor bets --resume @search --json");
    assert_eq!(all, states("explore rws-sicbo --floor bets --json"));
    assert!(some < all);
    let other = refused(&on(&place, "explore rws-sicbo --floor round --resume @search"));
    assert!(other.message.contains("another floor: rws-sicbo, bets"), "{}", other.message);
}

#[test]
fn a_violation_ends_with_one_and_its_commands_are_kept() {
    let place = Place::new();
    let words = "explore rws-sicbo --floor by-hand --depth 1 --resume @search --keep @kept";
    assert_eq!(croupier(&on(&place, words)).code, 0);
    // No floor violates a property: one is put into what was saved.
    let bytes = std::fs::read(place.at("search")).expect("the search");
    let none = br#""broken":[]"#;
    let at = bytes.windows(none.len()).position(|part| part == none).expect("nothing is broken");
    let void = br#""broken":[{"violation":{"property":"void","words":"a stake is missing"},"depth":1,"commands":[]}]"#;
    std::fs::write(place.at("search"), [&bytes[..at], void, &bytes[at + none.len()..]].concat()).expect("written");
    std::fs::create_dir(place.at("kept")).expect("a folder");
    let run = croupier(&on(&place, words));
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("void (5.9; Tai Sai 5.12; D17) does not hold: a stake is missing"), "{}", run.stdout);
    let kept = std::fs::read_to_string(place.at("kept/rws-sicbo-by-hand-void.jsonl")).expect("the commands");
    assert!(kept.lines().next().is_some_and(|line| line.contains("CreateFloor")), "{kept}");
    // In JSON too it is one value, which names the file.
    let run = croupier(&on(&place, &format!("{words} --json")));
    assert_eq!(run.code, 1, "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let commands = answer["floors"][0]["broken"][0]["commands"].as_str().expect("a file");
    assert!(commands.ends_with("rws-sicbo-by-hand-void.jsonl"), "{commands}");
}

#[test]
fn the_figures_of_insiders_say_which_are_proved() {
    let answer = json("explore rws-sicbo --floor by-hand --insiders --insider-states 40");
    let tables = answer["insiders"].as_array().expect("tables");
    assert_eq!(tables.len(), 3, "{answer}");
    for table in tables {
        let bounds = table["bounds"].as_array().expect("bounds");
        assert_eq!(bounds.len(), 45, "every post alone and with every other one");
        let dealer = bounds.iter().find(|bound| bound["people"] == serde_json::json!(["dealer"])).expect("a dealer");
        assert_eq!(dealer["proved"], false);
        assert_eq!(table["beyond"], Value::Array(Vec::new()));
        assert_eq!(table["broken"], Value::Array(Vec::new()));
    }
}

#[test]
fn what_was_kept_does_the_same_over_a_pipe_whenever_it_is_sent() {
    let place = Place::new();
    let folder = root().join("crates/explore/regressions");
    let files: Vec<_> = std::fs::read_dir(folder).expect("regressions").flatten().map(|entry| entry.path()).collect();
    assert!(!files.is_empty());
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name");
        let lines = std::fs::read_to_string(&file).expect("read").lines().count();
        let output = program()
            .args(["pipe", "--times-from-tags", "--data", &place.at(name)])
            .stdin(std::fs::File::open(&file).expect("open"))
            .stderr(Stdio::inherit())
            .output()
            .expect("the program runs");
        assert!(output.status.success(), "{name}");
        let answers = String::from_utf8(output.stdout).expect("UTF-8");
        let answered = |what: &str| answers.lines().filter(|line| line.contains(what)).count();
        // What broke a property is refused now, if anything is.
        assert_eq!(answered("\"malformed\""), 0, "{name}: {answers}");
        assert!(answered("\"refused\"") <= 1, "{name}: {answers}");
        assert!(answered("\"accepted\"") + 1 >= lines, "{name}: {answers}");
    }
}

#[test]
fn a_floor_that_is_no_demonstration_is_not_driven_by_the_times_of_its_lines() {
    let place = Place::new();
    let create = r#"{"tag":1700000000000,"sender":"System","number":1,"body":{"CreateFloor":{"name":"x","demonstration":false,"day_starts":360,"ticket_days":30}}}"#;
    std::fs::write(place.at("lines"), create).expect("written");
    let output = program()
        .args(["pipe", "--times-from-tags", "--data", &place.at("floor")])
        .stdin(std::fs::File::open(place.at("lines")).expect("open"))
        .output()
        .expect("the program runs");
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(answers.contains("only a demonstration"), "{answers}");
}
