//! Golden bytes: how every event is written, forever. In encoding 1 a variant's place is its tag, and nothing is added any
//! more; in encoding 2 tags are explicit, and new ones are added.
//!
//! The texts are in `tests/golden`. `UPDATE_GOLDEN=1 cargo test -p engine golden` adds what is new to them and
//! changes nothing that is there.

use std::fmt::Write;
use std::path::PathBuf;

use engine::{decode, encode, encode_at};
use floor::*;
use rulebook::{Act, Cents, Face, Family, GroundId, Point, Rank};
use serde::de::{Deserialize, Deserializer, Error, Visitor, value};

/// Something that is read in place of a value and only tells its variants.
struct Variants<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Variants<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(value::Error::custom("only variants are asked for"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, value::Error> {
        self.0.extend(variants);
        Err(value::Error::custom("only variants are asked for"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

fn variants<T: for<'de> Deserialize<'de>>() -> Vec<&'static str> {
    let mut found = Vec::new();
    let _ = T::deserialize(Variants(&mut found));
    assert!(!found.is_empty(), "{} is no enumeration", std::any::type_name::<T>());
    found
}

/// Every enumeration that stands in an event, with its variants.
fn enumerations() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("Event", variants::<Event>()),
        ("Sender", variants::<Sender>()),
        ("LockReason", variants::<LockReason>()),
        ("VoidBy", variants::<VoidBy>()),
        ("TableMode", variants::<TableMode>()),
        ("DeviceKind", variants::<DeviceKind>()),
        ("DevicePlace", variants::<DevicePlace>()),
        ("Post", variants::<Post>()),
        ("Observation", variants::<Observation>()),
        ("Finding", variants::<Finding>()),
        ("Ruling", variants::<Ruling>()),
        ("DisplayFault", variants::<DisplayFault>()),
        ("AlertKind", variants::<AlertKind>()),
        ("FloatMovement", variants::<FloatMovement>()),
        ("Act", variants::<Act>()),
        ("Rank", variants::<Rank>()),
        ("GroundId", variants::<GroundId>()),
        ("Family", variants::<Family>()),
        ("Face", variants::<Face>()),
    ]
}

/// A line without what is there for people only: the name and the bytes, or the whole of a short line.
fn key(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.splitn(4, ' ').collect();
    if words.len() < 4 { words } else { words[..2].to_vec() }
}

/// A golden text; if that is asked for, what is new is added to it first.
fn golden(name: &str, fresh: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let known = std::fs::read_to_string(&path).expect("a golden text");
        let new = fresh.lines().filter(|line| !known.lines().any(|old| key(old) == key(line)));
        let text: String = known.lines().chain(new).flat_map(|line| [line, "\n"]).collect();
        std::fs::write(&path, text).expect("written");
    }
    std::fs::read_to_string(&path).expect("a golden text")
}

#[test]
fn a_tag_never_changes() {
    let mut fresh = String::new();
    for (name, variants) in enumerations() {
        for (tag, variant) in variants.iter().enumerate() {
            let _ = writeln!(fresh, "{name} {tag} {variant}");
        }
    }
    let golden = golden("tags.txt", &fresh);
    for line in golden.lines() {
        assert!(fresh.lines().any(|known| known == line), "{line} was there once, and stays");
    }
    for line in fresh.lines() {
        assert!(golden.lines().any(|known| known == line), "{line} is new: UPDATE_GOLDEN=1 adds it");
    }
}

/// Bytes that are read as a value, each field another where that can be, with as many bytes as it takes.
fn example<T: for<'de> Deserialize<'de>>(tag: u8) -> Option<Vec<u8>> {
    let taken = |bytes: &[u8]| {
        let padded = [bytes, &[0; 4_096]].concat();
        let rest = postcard::take_from_bytes::<T>(&padded).ok()?.1.len();
        Some(padded.len() - rest)
    };
    let mut bytes = vec![tag];
    while taken(&bytes)? > bytes.len() {
        let different = u8::try_from(2 + bytes.len() % 7).expect("small");
        // Some places only take a few values: a choice, a number of faces, a yes or no.
        let fitting =
            [different, 3, 2, 1, 0].into_iter().find(|byte| taken(&[&bytes[..], &[*byte]].concat()).is_some());
        bytes.push(fitting?);
    }
    Some(bytes)
}

/// Two examples of every event: with something in every field, and with as little as there can be.
fn examples() -> Vec<(&'static str, Event)> {
    let mut examples = Vec::new();
    for (tag, name) in (0..).zip(variants::<Event>()) {
        let full = example::<Event>(tag).unwrap_or_else(|| panic!("{name} cannot be read"));
        let mut least = vec![0; 4_096];
        least[0] = tag;
        for bytes in [full, least] {
            examples.push((name, postcard::take_from_bytes(&bytes).expect("an event").0));
        }
    }
    // What stands deeper, each in turn.
    let terminal = TerminalId(300);
    for tag in (0..).take(variants::<AlertKind>().len()) {
        let what = postcard::from_bytes(&example::<AlertKind>(tag).expect("an alert")).expect("an alert");
        examples.push(("AlertRaised", Event::AlertRaised { alert: AlertId(70_000), table: None, what }));
    }
    for tag in (0..).take(variants::<Observation>().len()) {
        let observation = postcard::from_bytes(&example::<Observation>(tag).expect("one")).expect("one");
        examples.push((
            "Observed",
            Event::Observed {
                device: DeviceId(9),
                table: TableId(8),
                observation,
                counts: true,
                unread: false,
                concealed: false,
            },
        ));
    }
    for tag in (0..).take(variants::<FloatMovement>().len()) {
        let movement = postcard::from_bytes(&example::<FloatMovement>(tag).expect("one")).expect("one");
        let (table, difference, by) = (TableId(1), rulebook::Cents::new(-1), StaffId(130));
        examples.push((
            "FloatMoved",
            Event::FloatMoved { table, movement, difference, by, counts: Vec::new(), witness: None, reason: None },
        ));
    }
    examples.push(("CashIn", Event::CashIn { terminal, amount: rulebook::Cents::new(i64::MAX) }));
    examples.push(("CashIn", Event::CashIn { terminal, amount: rulebook::Cents::new(i64::MIN) }));
    examples.push(("TerminalLost", Event::TerminalLost { terminal: TerminalId(u32::MAX) }));
    examples.push(("TicketExpired", Event::TicketExpired { ticket: TicketId(u64::MAX) }));
    examples
}

fn origins() -> [Option<Origin>; 5] {
    let origin = |sender, number, body| Some(Origin { sender, number, body });
    [
        None,
        origin(Sender::System, 1, 2),
        origin(Sender::Terminal(TerminalId(3)), 400, u64::MAX),
        origin(Sender::Staff(StaffId(5)), u64::MAX, 6),
        origin(Sender::Device(DeviceId(7)), 8, 0x0102_0304_0506_0708),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits = |place| u8::from_str_radix(&text[place..place + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digits).collect()
}

/// In encoding 1, which a floor of feature level 1 writes.
fn by_place(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_at(1, record, &mut bytes);
    bytes
}

fn by_tag(record: &Record) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(record, &mut bytes);
    bytes
}

type Written = fn(&Record) -> Vec<u8>;

/// The golden text has every example, and each of its lines is read and written as it always was.
fn check_bytes(name: &str, examples: &[(&'static str, Event)], written: Written) -> String {
    let mut fresh = String::new();
    for ((name, event), origin) in examples.iter().zip(origins().into_iter().cycle()) {
        let record = Record { at: Moment(0), origin, event: event.clone() };
        let _ = writeln!(fresh, "{name} {} {:?} {event:?}", hex(&written(&record)), record.origin);
    }
    let golden = golden(name, &fresh);
    for line in golden.lines() {
        let [name, bytes, ..] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let record = decode(77, &unhex(bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(record.at, Moment(77), "the time is the journal's own");
        assert_eq!(hex(&written(&record)), bytes, "{name} is written in another way");
    }
    for line in fresh.lines() {
        assert!(golden.lines().any(|known| key(known) == key(line)), "not among the golden bytes: {line}");
    }
    golden
}

#[test]
fn every_event_of_encoding_1_has_its_bytes_forever() {
    let golden = check_bytes("events.txt", &examples(), by_place);
    for name in variants::<Event>() {
        let has = |line: &str| line.split(' ').next() == Some(name);
        assert!(golden.lines().any(has), "{name} has no golden bytes");
    }
}

#[test]
fn every_event_of_encoding_2_has_its_bytes_forever() {
    let mut all = examples();
    all.extend(examples_of_encoding_2());
    all.extend(examples_of_two_people());
    let golden = check_bytes("events-2.txt", &all, by_tag);
    for (path, _) in tags().iter().filter(|(path, _)| path.starts_with("Event.") && path.matches('.').count() == 1) {
        let has = |line: &str| line.split(' ').next() == path.strip_prefix("Event.");
        assert!(
            golden.lines().any(has),
            "{path} has no golden bytes: add it to examples_of_encoding_2, UPDATE_GOLDEN=1"
        );
    }
}

/// Events that encoding 1 does not have, and fields that came later.
fn examples_of_encoding_2() -> Vec<(&'static str, Event)> {
    let (terminal, round) = (TerminalId(300), Some(RoundId(70_000)));
    let table = rulebook::library::find("rws-sicbo").expect("a rulebook").layouts()[0].table();
    let change = Change { spot: table.index_at(3).expect("a spot"), group: 0, delta: rulebook::Cents::new(500) };
    let bets = |changes: &[Change]| Event::BetsChanged {
        terminal,
        changes: changes.iter().copied().collect(),
        added: Vec::new(),
        removed: Vec::new(),
        round,
    };
    vec![
        ("BetsChanged", bets(&[change])),
        // The sender is the terminal: the short form.
        (
            "BetsChanged",
            Event::BetsChanged {
                terminal: TerminalId(3),
                changes: Few::from([change]),
                added: Vec::new(),
                removed: Vec::new(),
                round,
            },
        ),
        ("BetsChanged", bets(&[change, change])),
        ("FloorCreated", Event::FloorCreated(FloorSettings { level: Some(2), ..FloorSettings::default() })),
        ("FeatureLevelRaised", Event::FeatureLevelRaised { level: 2, by: None }),
        ("FeatureLevelRaised", Event::FeatureLevelRaised { level: 2, by: Some(StaffId(130)) }),
        ("LossFound", Event::LossFound { epoch: 1, record: 70_000, words: "shown before".to_owned() }),
        (
            "LossAccepted",
            Event::LossAccepted { statement: "one round".to_owned(), by: StaffId(1), witness: StaffId(130) },
        ),
        (
            "AlertRaised",
            Event::AlertRaised { alert: AlertId(7), table: None, what: AlertKind::Integrity("records".to_owned()) },
        ),
        (
            "AlertRepeated",
            Event::AlertRepeated {
                alert: AlertId(7),
                what: AlertKind::Access("refused".to_owned(), 2_300),
                more: None,
            },
        ),
        ("ClockJumped", Event::ClockJumped { ahead: 3_600_000 }),
        ("ClockAccepted", Event::ClockAccepted { ahead: 3_600_000, by: StaffId(2), witness: None }),
        ("ClockAccepted", Event::ClockAccepted { ahead: 3_600_000, by: StaffId(2), witness: Some(StaffId(130)) }),
        (
            "RulebookInstalled",
            Event::RulebookInstalled {
                hash: rulebook::Hash([5; 32]),
                canonical: "a rulebook".to_owned(),
                by: Some(StaffId(2)),
                witness: Some(StaffId(130)),
            },
        ),
        (
            "CredentialChanged",
            Event::CredentialChanged {
                staff: StaffId(130),
                what: CredentialChange::PasskeyRemoved,
                by: Some(StaffId(0)),
                second: Some(StaffId(2)),
            },
        ),
    ]
    .into_iter()
    .chain(examples_about_money())
    .collect()
}

/// Tickets in doubt, two people, the cage.
fn examples_about_money() -> Vec<(&'static str, Event)> {
    let cents = rulebook::Cents::new;
    let (by, witness) = (StaffId(1), StaffId(130));
    let hash = SealedHash([7; 32]);
    let pile = Pile { denomination: cents(10_000), pieces: 12 };
    vec![
        (
            "TicketResolved",
            Event::TicketResolved {
                ticket: TicketId(9),
                finding: TicketFinding::InHand,
                expires: Some(Moment(86_400_000)),
                by: Some(by),
                witness: Some(witness),
                shift: None,
                reason: Some("seen".into()),
            },
        ),
        (
            "TicketReplaced",
            Event::TicketReplaced {
                ticket: TicketId(9),
                duplicate: TicketId(10),
                number: TicketHash([3; 16]),
                by,
                witness,
                reason: "torn".into(),
            },
        ),
        (
            "ChipsSettled",
            Event::ChipsSettled {
                round: RoundId(70_000),
                table: TableId(3),
                outcome: rulebook::library::find("rws-taisai")
                    .expect("a rulebook")
                    .outcomes()
                    .indices()
                    .next()
                    .expect("one"),
                shares: Vec::new(),
                limits: Some(Box::new(BoxSettings {
                    limit: Limit { minimum: cents(2_500), maximum: Some(cents(100_000)) },
                    families: vec![(Family::Big, Limit { minimum: cents(5_000), maximum: None })],
                    differential: Some(cents(50_000)),
                    step: cents(100),
                })),
            },
        ),
        ("DayBegan", Event::DayBegan { day: 20_454 }),
        (
            "ThresholdsSet",
            Event::ThresholdsSet {
                thresholds: Box::default(),
                by: Some(by),
                witness: Some(witness),
                reason: "agreed".into(),
            },
        ),
        (
            "ShiftCounted",
            Event::ShiftCounted {
                shift: ShiftId(4),
                counts: vec![pile],
                counted: cents(120_000),
                witness: None,
                by: None,
            },
        ),
        (
            "ShiftCounted",
            Event::ShiftCounted {
                shift: ShiftId(4),
                counts: vec![pile],
                counted: cents(120_000),
                witness: Some(witness),
                by: Some(by),
            },
        ),
        (
            "ShiftClosed",
            Event::ShiftClosed {
                shift: ShiftId(4),
                counted: cents(120_000),
                expected: cents(120_500),
                reason: Some("left".into()),
                witness: Some(witness),
                by: Some(by),
            },
        ),
        (
            "Recovered",
            Event::Recovered {
                table: TableId(2),
                round: Some(RoundId(70_000)),
                amount: cents(500),
                by,
                witness,
                reason: "paid".into(),
                debtor: Some(Debtor::Terminal(TerminalId(300))),
            },
        ),
        (
            "FloatMoved",
            Event::FloatMoved {
                table: TableId(2),
                movement: FloatMovement::Drop(cents(120_000)),
                difference: cents(-500),
                by,
                counts: vec![pile],
                witness: Some(witness),
                reason: Some("a note is missing".into()),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(11),
                table: Some(TableId(2)),
                what: AlertKind::Difference(Counted::Drop(TableId(2)), cents(-500)),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(12),
                table: None,
                what: AlertKind::ReplacedTicket(TicketId(9), TicketId(300)),
            },
        ),
        (
            "Recovered",
            Event::Recovered {
                table: TableId(2),
                round: Some(RoundId(70_000)),
                amount: cents(500),
                by,
                witness,
                reason: "paid".into(),
                debtor: None,
            },
        ),
        ("WrongTicketTried", Event::WrongTicketTried { at: TicketPlace::Terminal(TerminalId(300)), mistyped: true }),
        ("CodesSealed", Event::CodesSealed { hashes: vec![hash], by: Some(by), witness: Some(witness) }),
        ("SealedCodeOpened", Event::SealedCodeOpened { hash, by, until: Moment(900_000), reason: "alone".into() }),
        ("AttendantIn", Event::AttendantIn { terminal: TerminalId(3), amount: cents(500), by, witness: Some(witness) }),
        (
            "FloatMoved",
            Event::FloatMoved {
                table: TableId(2),
                movement: FloatMovement::Fill(cents(120_000)),
                difference: cents(0),
                by,
                counts: vec![pile],
                witness: Some(witness),
                reason: None,
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(8),
                table: None,
                what: AlertKind::TicketInDoubt(TicketId(9), cents(500)),
            },
        ),
    ]
    .into_iter()
    .chain(examples_of_devices())
    .chain(examples_of_live_tables())
    .chain(examples_of_past_rounds())
    .collect()
}

/// Tumbles, the service of devices, interruptions (D18, D19, D21).
fn examples_of_devices() -> Vec<(&'static str, Event)> {
    let (table, round, device, by, witness) = (TableId(2), RoundId(70_000), DeviceId(9), StaffId(3), StaffId(130));
    let dice = rulebook::Outcome::Dice(rulebook::Dice([Face::One, Face::One, Face::Four]));
    let outcome = rulebook::OutcomeSpace::Dice.index(dice).expect("an outcome");
    let entry = EntryRecord {
        affirmed: vec![Point::Times, Point::Cover],
        need: Need::Contradicts,
        witness: Some(witness),
        reason: Some("misread".into()),
    };
    vec![
        (
            "BetsOpened",
            Event::BetsOpened { round, table, closes_at: None, by, affirmed: vec![Point::Times, Point::Cover] },
        ),
        (
            "Observed",
            Event::Observed {
                device,
                table,
                observation: Observation::Covered,
                counts: true,
                unread: true,
                concealed: true,
            },
        ),
        ("ResultEntered", Event::ResultEntered { round, table, outcome, by, entry: Some(Box::new(entry)) }),
        ("SecondTumble", Event::SecondTumble { round, table, device }),
        ("StartedAgain", Event::StartedAgain { round, table, device }),
        (
            "FirstOutcomeStands",
            Event::FirstOutcomeStands { round, table, outcome, by, witness, affirmed: vec![Point::Times] },
        ),
        (
            "SecondTumbleSetAside",
            Event::SecondTumbleSetAside {
                round,
                table,
                by,
                reason: "a loose wire".into(),
                witness: Some(witness),
                doubtful: true,
            },
        ),
        (
            "ServiceChanged",
            Event::ServiceChanged {
                device,
                table: Some(table),
                function: Function::Reading,
                in_service: false,
                by,
                witness,
                reason: "reads nothing".into(),
            },
        ),
        (
            "DeviceDescribed",
            Event::DeviceDescribed {
                device,
                measures: Measures::usual(DeviceKind::Tumbler),
                by: Some(by),
                witness: Some(witness),
            },
        ),
        (
            "ResultWitnessed",
            Event::ResultWitnessed {
                round,
                table,
                outcome,
                need: Need::Unread,
                by,
                witness,
                reason: Some("seen by both".into()),
            },
        ),
        (
            "InterruptionReported",
            Event::InterruptionReported {
                round,
                table,
                failed: Failed::Console,
                affects: true,
                by,
                note: Some("dark".into()),
            },
        ),
        ("FaultAsked", Event::FaultAsked { round, table, device, number: 300 }),
        ("FaultAnswered", Event::FaultAnswered { round, table, affects: true, by }),
        ("ObservedLate", Event::ObservedLate { round, table, device, observation: Observation::FlungOut }),
        ("ObservedMeanwhile", Event::ObservedMeanwhile { round, table, device, observation: Observation::Uncovered }),
        (
            "AlertRaised",
            Event::AlertRaised { alert: AlertId(9), table: Some(table), what: AlertKind::SecondTumble(round) },
        ),
        (
            "AlertRaised",
            Event::AlertRaised { alert: AlertId(9), table: Some(table), what: AlertKind::ReportedLate(round) },
        ),
        (
            "AlertRaised",
            Event::AlertRaised { alert: AlertId(9), table: Some(table), what: AlertKind::ReportedMeanwhile(round) },
        ),
        (
            "AlertRaised",
            Event::AlertRaised { alert: AlertId(9), table: Some(table), what: AlertKind::DeviceLost(device, false) },
        ),
        (
            "AlertRepeated",
            Event::AlertRepeated { alert: AlertId(9), what: AlertKind::TerminalsLost(3, 70_000), more: None },
        ),
    ]
}

/// Chips that were recorded late or wrongly (D20).
fn examples_of_live_tables() -> Vec<(&'static str, Event)> {
    let (table, round, by, witness) = (TableId(2), RoundId(70_000), StaffId(3), StaffId(130));
    let (position, amount) = (Position(4), rulebook::Cents::new(2_500));
    let pays = rulebook::library::find("rws-taisai").expect("a rulebook").layouts()[0].table();
    let spot = pays.index_at(1).expect("a spot");
    let reason = || "keyed twice".into();
    let share = ChipShare { position, spot, bet: amount, at_risk: amount, returned: rulebook::Cents::ZERO };
    vec![
        ("UncoveringDeclared", Event::UncoveringDeclared { round, table, by }),
        (
            "EarlyRestStated",
            Event::EarlyRestStated { round, table, by, affirmed: vec![Point::Direction, Point::Times], late: true },
        ),
        ("ChipsTaken", Event::ChipsTaken { table, position, spot, amount, by: Some(by), witness: Some(witness) }),
        ("ChipsRemoved", Event::ChipsRemoved { round, table, position, spot, amount, by, witness, reason: reason() }),
        (
            "RecordingPeriodSet",
            Event::RecordingPeriodSet { table, period: 20_000, by: Some(by), reason: "busy".to_owned(), witness: None },
        ),
        (
            "RecordCorrected",
            Event::RecordCorrected {
                round,
                table,
                shares: Box::new([share]),
                paid: Box::new([(position, amount)]),
                claims: Box::new([]),
                by,
                witness: Some(witness),
                reason: reason(),
            },
        ),
    ]
}

/// Past rounds, acting alone, and a choice of tables (D24, D28, D29).
fn examples_of_past_rounds() -> Vec<(&'static str, Event)> {
    let (table, round, by) = (TableId(2), RoundId(70_000), StaffId(130));
    let (terminal, alert) = (TerminalId(300), AlertId(5));
    let beside = vec![rulebook::Hash([7; 32])];
    vec![
        (
            "RoundRecalled",
            Event::RoundRecalled {
                table,
                round,
                leaf: 1_000,
                part: 1,
                parts: 1,
                bytes: vec![1, 2, 3],
                beside,
                read: None,
            },
        ),
        ("RoundsPutBack", Event::RoundsPutBack { table }),
        (
            "SecondPersonCalled",
            Event::SecondPersonCalled { table: Some(table), by, reason: "a correction".into(), purpose: None },
        ),
        ("CallAnswered", Event::CallAnswered { table: Some(table), by, came: false }),
        ("DecidedAlone", Event::DecidedAlone { by, called: Moment(1_700_000_000_000), table: None, deed: None }),
        ("Countersigned", Event::Countersigned { alert, by }),
        ("TablesOffered", Event::TablesOffered { terminal, tables: vec![TableId(1), table], by: Some(by) }),
        ("TableChosen", Event::TableChosen { terminal, from: TableId(1), table, layout: 0 }),
    ]
}

/// What was added after these, in the order of its addition: a new example goes to the end.
fn examples_of_two_people() -> Vec<(&'static str, Event)> {
    let (by, amount) = (StaffId(1), Cents::new(70_000));
    let deed = Deed { act: "pay credit out by hand".into(), amount: Some(amount) };
    vec![
        (
            "EnrolmentCodeMade",
            Event::EnrolmentCodeMade { holder: KeyHolder::Device(DeviceId(3)), by, second: StaffId(12) },
        ),
        ("PayablePaid", Event::PayablePaid { payable: PayableId(4), amount, by, witness: Some(StaffId(2)) }),
        (
            "DrawerMoved",
            Event::DrawerMoved {
                shift: ShiftId(3),
                movement: DrawerMovement::Credit,
                amount,
                counts: vec![Pile { denomination: Cents::new(10_000), pieces: 7 }],
                witness: None,
            },
        ),
        ("WrongTicketsLifted", Event::WrongTicketsLifted { at: TicketPlace::Staff(StaffId(5)), by }),
        (
            "DecidedAlone",
            Event::DecidedAlone {
                by,
                called: Moment(1_700_000_000_000),
                table: Some(TableId(1)),
                deed: Some(Box::new(deed.clone())),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(8),
                table: None,
                what: AlertKind::DecidedAlone(by, Rank::ShiftManager, 70_000, Some(Box::new(deed))),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised { alert: AlertId(9), table: None, what: AlertKind::SealedCode(by, Some(70_000)) },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(10),
                table: None,
                what: AlertKind::EnrolmentCode(KeyHolder::Terminal(TerminalId(300)), by, 2),
            },
        ),
        (
            "TicketSold",
            Event::TicketSold {
                ticket: TicketId(9),
                shift: ShiftId(3),
                amount,
                number: TicketHash([3; 16]),
                expires: Moment(900_000),
                witness: Some(StaffId(130)),
                in_doubt: true,
            },
        ),
        (
            "DeviceAdded",
            Event::DeviceAdded {
                device: DeviceId(9),
                name: "validator".to_owned(),
                kind: DeviceKind::Validator,
                place: DevicePlace::Store,
                measures: None,
                by: Some(by),
                witness: Some(StaffId(130)),
            },
        ),
        (
            "HostKeyChanged",
            Event::HostKeyChanged {
                host: "two".to_owned(),
                key: Some(rulebook::Hash([5; 32])),
                replaces: true,
                by,
                second: Some(StaffId(130)),
            },
        ),
        (
            "AlertRepeated",
            Event::AlertRepeated {
                alert: AlertId(11),
                what: AlertKind::DeviceFaults(DeviceId(3), 300, 70_000),
                more: None,
            },
        ),
        ("CallAnswered", Event::CallAnswered { table: None, by, came: true }),
        (
            "PowerRaised",
            Event::PowerRaised { act: Act::HandPay, rank: Rank::PitSupervisor, by, witness: Some(StaffId(130)) },
        ),
        (
            "SecondPersonCalled",
            Event::SecondPersonCalled {
                table: None,
                by,
                reason: "a large payment".into(),
                purpose: Some(Box::new(Purpose {
                    act: JointAct::AttendantPay,
                    subject: Some(300),
                    amount: Some(amount),
                })),
            },
        ),
        (
            "ExpiredPaid",
            Event::ExpiredPaid {
                ticket: TicketId(300),
                amount,
                shift: Some(ShiftId(3)),
                by,
                witness: Some(StaffId(130)),
                reason: "in hospital".into(),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(13),
                table: None,
                what: AlertKind::LargeCashAt(CashPlace::Person(by), amount),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(14),
                table: None,
                what: AlertKind::CopiedKey(KeyHolder::Device(DeviceId(3)), "from two places".to_owned(), 300),
            },
        ),
        (
            "AlertRepeated",
            Event::AlertRepeated { alert: AlertId(15), what: AlertKind::VoidTicket(TicketId(9)), more: Some(300) },
        ),
        (
            "StaffAdded",
            Event::StaffAdded {
                staff: StaffId(300),
                name: "technician".to_owned(),
                post: Post::Technician,
                by: Some(by),
                witness: Some(StaffId(2)),
            },
        ),
        (
            "AlertRaised",
            Event::AlertRaised {
                alert: AlertId(16),
                table: Some(TableId(2)),
                what: AlertKind::Attendant(TerminalId(300)),
            },
        ),
    ]
}

/// Every explicit tag in the sources, as `Type.field` or `Type.Variant.field`.
fn tags() -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for source in ["../floor/src", "../rulebook/src"] {
        read_tags(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(source), &mut found);
    }
    found.sort();
    found
}

fn read_tags(path: &std::path::Path, found: &mut Vec<(String, u32)>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("sources") {
            read_tags(&entry.expect("a file").path(), found);
        }
        return;
    }
    let text = std::fs::read_to_string(path).expect("a source");
    let (mut within, mut variant, mut is_enum) = (String::new(), String::new(), false);
    let mut waiting: Option<u32> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let mut words = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub ").split(' ');
        if indent == 0
            && let (Some(kind @ ("struct" | "enum")), Some(name)) = (words.next(), words.next())
        {
            within = name.split(['(', '<', ';']).next().unwrap_or_default().to_owned();
            is_enum = kind == "enum";
        }
        let mut rest = line.trim_start();
        loop {
            if rest.is_empty() || rest.starts_with("//") {
                break;
            }
            if let Some(after) = rest.strip_prefix("#[n(") {
                let (number, after) = after.split_once(")]").expect("a tag");
                waiting = Some(number.parse().expect("a number"));
                rest = after.trim_start();
                continue;
            }
            if rest.starts_with("#[") {
                rest = rest.split_once(']').map_or("", |(_, after)| after.trim_start());
                continue;
            }
            if let Some(number) = waiting.take() {
                let item = rest.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
                if item.starts_with('$') {
                    break;
                }
                let name = item.split([':', '(', ' ', ',', ')', '<']).next().unwrap_or_default();
                let path = if is_enum && indent == 4 && !rest_is_field(line, rest) {
                    variant = name.to_owned();
                    format!("{within}.{name}")
                } else if is_enum {
                    format!("{within}.{variant}.{name}")
                } else {
                    format!("{within}.{name}")
                };
                found.push((path, number));
            }
            // Further tags of the same line belong to fields of a variant.
            match rest.find("#[n(") {
                Some(place) => rest = &rest[place..],
                None => break,
            }
        }
    }
}

/// Whether what is left of a line stands within a variant that began on it.
fn rest_is_field(line: &str, rest: &str) -> bool {
    let before = &line[..line.len() - rest.len()];
    before.contains('(') && !before.trim_start().starts_with("#[n(") || before.contains('{')
}

#[test]
fn an_explicit_tag_never_changes() {
    let fresh: String = tags().iter().map(|(path, tag)| format!("{path} {tag}\n")).collect();
    let golden = golden("tags-2.txt", &fresh);
    for line in golden.lines() {
        assert!(fresh.lines().any(|known| known == line), "{line} was there once, and stays");
    }
    for line in fresh.lines() {
        assert!(golden.lines().any(|known| known == line), "{line} is new: UPDATE_GOLDEN=1 adds it");
    }
}

#[test]
fn what_is_written_is_read_again_and_nothing_else() {
    let all = [examples(), examples_of_encoding_2()].concat();
    for (version, written, examples) in [(1, by_place as Written, examples()), (2, by_tag, all)] {
        for (name, event) in examples {
            for origin in origins() {
                let record = Record { at: Moment(-5), origin, event: event.clone() };
                let bytes = written(&record);
                assert_eq!(decode(-5, &bytes).expect("a record"), record, "{name}");
                assert_eq!(bytes[0], version, "the version comes first");
                // Neither shorter nor longer.
                assert!(decode(-5, &bytes[..bytes.len() - 1]).is_err(), "{name}");
                assert!(decode(-5, &[&bytes[..], &[0]].concat()).is_err(), "{name}");
            }
        }
    }
}

#[test]
fn a_field_of_a_later_release_is_passed_over() {
    let record = Record { at: Moment(0), origin: None, event: Event::FeatureLevelRaised { level: 2, by: None } };
    let mut bytes = by_tag(&record);
    // [tag, [level]] becomes [tag, [level, null, "later"]].
    assert_eq!(bytes[bytes.len() - 2..], [0x81, 2]);
    let fields = bytes.len() - 2;
    bytes[fields] = 0x83;
    bytes.extend([0xf6, 0x65]);
    bytes.extend(b"later");
    assert_eq!(decode(0, &bytes).expect("a record"), record);
}
