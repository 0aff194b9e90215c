//! Exit codes, where options may stand, and what help says.

use std::process::Stdio;

use crate::{croupier, json, line, misused, program, refused, refused_line};

#[test]
fn without_words_there_is_help_and_exit_code_two() {
    let run = line("");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("Usage: croupier"), "{}", run.stderr);
    assert_eq!(line("rules").code, 2);
    assert_eq!(croupier(&[""]).code, 2);
}

#[test]
fn help_lists_only_commands_that_exist() {
    let run = line("--help");
    assert_eq!(run.code, 0);
    let commands: Vec<&str> = run
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Further lines of what a command does stand further in.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let expected = [
        "serve",
        "rules",
        "odds",
        "settle",
        "expand",
        "prorata",
        "session",
        "simulate",
        "bias",
        "generator",
        "simulate-floor",
        "explore",
        "simulate-system",
        "pipe",
        "audit",
        "journal",
        "log",
        "verify",
        "witness",
        "backup",
        "restore",
        "records",
        "report",
        "bench",
        "cabinet",
        "device",
    ];
    assert_eq!(commands, expected);
    for command in commands {
        let help = line(&format!("{command} --help"));
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains("Example"), "{command} has examples");
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 120), "{command}");
    }
}

#[test]
fn wrong_usage_is_exit_code_two() {
    for words in [
        "nonsense",
        "help",
        "rules nonsense",
        "rules show",
        "rules check",
        "rules list extra",
        "rules show rws-sicbo --lang fr",
        "odds",
        "odds rws-sicbo --layout",
        "odds rws-taisai --sheet",
        "odds rws-taisai extra",
        "settle rws-taisai small=2",
        "settle rws-taisai --outcome 2-2-3",
        "expand rws-roulette-000 --unit 5 tiers orphelins",
        "--unknown rules list",
    ] {
        misused(words);
    }
}

#[test]
fn a_missing_layout_is_wrong_usage_and_names_the_layouts() {
    for words in ["odds rws-sicbo", "rules export rws-sicbo", "settle rws-sicbo --outcome 1-2-3 small=2"] {
        let words = misused(words);
        assert!(words.contains("--layout a or --layout b or --layout c"), "{words}");
    }
}

#[test]
fn an_unknown_layout_is_refused_and_names_the_layouts() {
    for words in
        ["odds mbs-sicbo --layout rapide", "rules export mbs-sicbo --layout x", "rules show mbs-sicbo --layout x"]
    {
        let refused = refused_line(words);
        assert_eq!(refused.code, "unknown_layout");
        assert!(refused.message.contains("There are: rapid, alfastreet"), "{}", refused.message);
    }
    assert!(refused_line("odds mbs-sicbo --layout rapide").message.contains("did you mean rapid?"));
    assert_eq!(refused(&["odds", "rws-taisai", "--layout", ""]).code, "unknown_layout");
}

#[test]
fn an_unknown_game_is_refused_and_the_nearest_suggested() {
    for words in ["odds rws-sicboo", "rules show RWS-SICBO", "settle rws-scibo --outcome 1-2-3 small=2"] {
        let refused = refused_line(words);
        assert_eq!((refused.code.as_str(), refused.paragraph), ("unknown_game", None));
        assert!(refused.message.contains("did you mean rws-sicbo?"), "{}", refused.message);
    }
    let message = refused_line("odds chess").message;
    assert!(message.contains("there is no game \"chess\". There are: mbs-sicbo, "), "{message}");
    assert_eq!(refused(&["odds", ""]).code, "unknown_game");
}

#[test]
fn layouts_are_accepted_in_any_case() {
    for (game, layouts) in [("rws-sicbo", ["a", "A"]), ("mbs-sicbo", ["rapid", "RaPiD"])] {
        let [one, two] = layouts.map(|layout| json(&format!("odds {game} --layout {layout}")));
        assert_eq!(one, two);
    }
}

#[test]
fn options_may_stand_before_or_after_the_other_words() {
    let settled = json("settle rws-sicbo --layout a --outcome 2-2-3 single/2=10.00 double/2=5.00");
    for words in [
        "--json settle rws-sicbo single/2=10.00 double/2=5.00 --layout a --outcome 2-2-3",
        "settle --json --layout a --outcome 2-2-3 rws-sicbo single/2=10.00 double/2=5.00",
        "settle --outcome=2-2-3 rws-sicbo --json single/2=10.00 --layout=A double/2=5.00",
        "settle rws-sicbo single/2=10.00 --outcome 2-2-3 double/2=5.00 --layout a --json",
    ] {
        let run = line(words);
        assert_eq!(run.code, 0, "{words}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap(), settled, "{words}");
    }
    let expanded = json("expand rws-roulette-000 --unit 5 tiers");
    assert_eq!(json("expand --unit 5 rws-roulette-000 tiers"), expanded);
    assert_eq!(json("expand rws-roulette-000 tiers --unit 5"), expanded);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for words in [["rules", "export", "rws-sicbo", "--layout", "b"], ["rules", "show", "rws-sicbo", "--lang", "zh"]] {
        let mut child = program().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_said_so() {
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let output = program().args(["rules", "list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write the answer"));
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(line("--version").stdout, format!("croupier {}\n", env!("CARGO_PKG_VERSION")));
}
