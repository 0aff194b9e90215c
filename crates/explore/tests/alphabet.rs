//! Every kind of command is sent on some explored floor, or there is a reason why not.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use crate::common::root;
use explore::{Form, GAMES, Step, World, alphabet, floor_named, floors};

/// What no explored floor sends, with the reason. The simulator and the scenario book send these too.
const NOT_SENT: &[(&str, &str)] = &[
    ("CreateFloor", "sets the floor up"),
    ("AddTable", "sets the floor up"),
    ("EnrolTerminal", "sets the floor up"),
    ("InstallRulebook", "sets the floor up"),
    ("OfferTables", "sets the floor up"),
    ("SealCodes", "sets the floor up"),
    ("AddStaff", "sets the floor up; insiders send it"),
    ("AddDevice", "sets the floor up; insiders send it"),
    ("SetThresholds", "sets the floor up; insiders send it"),
    ("MoveDevice", "only between rounds; insiders send it"),
    ("AssignActing", "changes who may act, not what an act does; insiders send it"),
    ("RaiseFeatureLevel", "the program is not part of a floor's rules"),
    ("PinRulebook", "another approved document, only between rounds"),
    ("RaisePower", "asks for a higher rank, which `posts` has for every act"),
    ("MoveTerminal", "only without credit and bets; another floor has that layout"),
    ("ChangeStaff", "ends a post, only between shifts; every other post is on the floor"),
    ("DescribeDevice", "what a device measures, only between rounds"),
    ("SetRecordingPeriod", "holds from the next round on; the usual period is explored"),
    ("IssueCode", "keys of machines: no round and no money"),
    ("ChangeHostKey", "keys of machines: no round and no money"),
    ("Note", "words, without effect"),
    ("RecordDisplay", "words, without effect on a round (5.8)"),
    ("RaiseAlert", "an alert alone, without effect on a round"),
    ("CheckMeters", "meters that differ are a fault that no command brings about"),
];

/// The kinds of commands, as the code lists them.
fn kinds() -> BTreeSet<String> {
    let code = std::fs::read_to_string(root().join("crates/floor/src/command.rs")).expect("read");
    let list =
        code.split("pub enum Body {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the list of commands");
    let variant = |line: &str| {
        let name = line.strip_prefix("    ")?;
        name.starts_with(char::is_uppercase).then(|| name.split([' ', '(', ',']).next().unwrap_or_default().to_owned())
    };
    list.lines().filter_map(variant).collect()
}

fn sent() -> BTreeSet<String> {
    let mut sent = BTreeSet::new();
    for spec in GAMES.into_iter().flat_map(floors) {
        let world = World::of(spec).expect("set up");
        for one in alphabet(&world.spec, world.rulebook) {
            sent.insert(match one.form {
                Form::Fixed(body)
                | Form::AboutCurrent(body)
                | Form::AboutLast(body)
                | Form::WithNumber(body)
                | Form::AboutTicket(body, _)
                | Form::AboutPayable(body)
                | Form::AboutDrawer(body) => {
                    let words = format!("{body:?}");
                    words.split([' ', '(']).next().unwrap_or_default().to_owned()
                }
                Form::PayAll(..) => "AttendantPay".to_owned(),
                Form::Countersign => "Countersign".to_owned(),
                Form::AcknowledgeAlert => "AcknowledgeAlert".to_owned(),
                Form::ChangeRound(..) => "ChangeRounds".to_owned(),
                Form::Recall => "RecallRound".to_owned(),
                Form::CollectClaim(_) => "RecordRecovered".to_owned(),
                Form::Stoppage(..) => "ReportStoppage".to_owned(),
                Form::Wait | Form::Expire => continue,
            });
        }
    }
    sent
}

#[test]
fn every_kind_of_command_is_sent_or_there_is_a_reason() {
    let (kinds, sent) = (kinds(), sent());
    let reasons: BTreeMap<&str, &str> = NOT_SENT.iter().copied().collect();
    assert!(kinds.len() > 100, "{} kinds", kinds.len());
    let missing: Vec<&String> =
        kinds.iter().filter(|kind| !sent.contains(*kind) && !reasons.contains_key(kind.as_str())).collect();
    assert!(missing.is_empty(), "neither sent nor excused: {missing:?}");
    let needless: Vec<&str> =
        reasons.keys().copied().filter(|kind| sent.contains(*kind) || !kinds.contains(*kind)).collect();
    assert!(needless.is_empty(), "excused, and sent or no kind of command: {needless:?}");
}

/// The kinds of commands that are accepted in the first states of a floor.
fn accepted(game: &'static str, name: &str, states: usize) -> BTreeSet<String> {
    let world = World::of(floor_named(game, name).expect("a floor")).expect("set up");
    let moves = alphabet(&world.spec, world.rulebook);
    let (mut kinds, mut known, mut bytes) = (BTreeSet::new(), HashSet::new(), Vec::new());
    let mut waiting = VecDeque::from([world.root.clone()]);
    while let Some(node) = waiting.pop_front().filter(|_| known.len() < states) {
        for one in &moves {
            let step = world.step(&node, one).unwrap_or_else(|violation| panic!("{violation:?}"));
            let Step::Child(child, Some(command)) = step else { continue };
            let words = format!("{:?}", command.body);
            kinds.insert(words.split([' ', '(']).next().unwrap_or_default().to_owned());
            if known.insert(child.hash(&mut bytes)) {
                waiting.push_back(*child);
            }
        }
    }
    kinds
}

#[test]
fn what_a_floor_is_about_is_accepted_there() {
    let recalled = ["RecallRound", "PutBack", "CorrectResult", "ChangeRounds"];
    let locked = ["ReportLoss", "AcceptLoss", "StartProgram", "AcceptProgram", "ApproveProgram", "AcceptClock"];
    for (game, name, kinds) in [
        ("rws-sicbo", "drawers", &["OpenShift", "CountShift", "HandOverShift", "ServeDrawer", "CloseShift"][..]),
        ("rws-sicbo", "recalled", &recalled),
        ("rws-taisai", "recalled", &recalled),
        ("rws-roulette-000", "locked", &locked),
        ("rws-sicbo", "posts-money", &["PrepareTicket", "OpenShift", "AttendantIn", "AttendantPay"]),
        ("rws-taisai", "posts-money", &["MoveFloat", "PlaceChips"]),
    ] {
        let accepted = accepted(game, name, 400);
        let missing: Vec<&&str> = kinds.iter().filter(|kind| !accepted.contains(**kind)).collect();
        assert!(missing.is_empty(), "{game} {name}: {missing:?} are refused, and {accepted:?} accepted");
    }
}
