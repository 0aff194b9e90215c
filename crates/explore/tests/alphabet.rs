//! Every kind of command is sent on some explored floor, or there is a reason why not.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::root;
use explore::{Form, GAMES, World, alphabet, floors};

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
    ("StartProgram", "the program is not part of a floor's rules (S10)"),
    ("ApproveProgram", "the program is not part of a floor's rules (S10)"),
    ("AcceptProgram", "the program is not part of a floor's rules (S10)"),
    ("RaiseFeatureLevel", "the program is not part of a floor's rules"),
    ("ReportLoss", "locks all play until two people accept it"),
    ("AcceptLoss", "there is no loss to accept"),
    ("PinRulebook", "another approved document, only between rounds"),
    ("RaisePower", "asks for a higher rank, which `posts` has for every act"),
    ("MoveTerminal", "only without credit and bets; another floor has that layout"),
    ("ChangeStaff", "ends a post, only between shifts; every other post is on the floor"),
    ("DescribeDevice", "what a device measures, only between rounds"),
    ("SetRecordingPeriod", "holds from the next round on; the usual period is explored"),
    ("RecallRound", "only rounds that the floor has put away: more than a search can play"),
    ("PutBack", "there is no round that was recalled"),
    ("HandOverShift", "another cashier, where an explored floor has one"),
    ("ServeDrawer", "the drawer of a cashier who has left"),
    ("IssueCode", "keys of machines: no round and no money"),
    ("ChangeHostKey", "keys of machines: no round and no money"),
    ("Note", "words, without effect"),
    ("RecordDisplay", "words, without effect on a round (5.8)"),
    ("RaiseAlert", "an alert alone, without effect on a round"),
    ("CallAttendant", "an alert alone, without effect on a round"),
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
                | Form::AboutPayable(body) => {
                    let words = format!("{body:?}");
                    words.split([' ', '(']).next().unwrap_or_default().to_owned()
                }
                Form::PayAll(..) => "AttendantPay".to_owned(),
                Form::Countersign => "Countersign".to_owned(),
                Form::AcknowledgeAlert => "AcknowledgeAlert".to_owned(),
                Form::ChangeRound(..) => "ChangeRounds".to_owned(),
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
