//! Following the log: in any batches, after a restart, from scratch; in order or not at all.

use crate::support::*;
use floor::{Body, Event, FloatMovement, Floor, Moment, Record, Ruling, Sender, TableMode, TerminalId};
use records::{Error, Reader, Records, RoundStatus, Start};
use rusqlite::Connection;

/// The state after so many events.
fn floor_at(log: &[Record], events: usize) -> Floor {
    let mut floor = Floor::new();
    log[..events].iter().for_each(|record| floor.apply(record).unwrap());
    floor
}

#[test]
fn one_by_one_in_batches_resumed_and_rebuilt_are_the_same() {
    for game in ALL {
        let story = story(game);
        let log = &story.house.log;
        let (_folder, path) = file();
        let records = one_by_one(Records::open(&path).unwrap(), log);
        assert_eq!((records.start(), records.sequence()), (Start::New, log.len() as u64));
        drop(records);
        agree(&story.house, &path);
        let expected = dump(&path);

        let (_folder, path) = file();
        let mut records = Records::open(&path).unwrap();
        for batch in log.chunks(7) {
            records.apply_batch(records.sequence() + 1, batch).unwrap();
        }
        drop(records);
        assert_eq!(dump(&path), expected, "{game} in batches");

        let mut told = Vec::new();
        let rebuilt = Records::rebuild(&path, log.iter().cloned(), |sequence| told.push(sequence)).unwrap();
        assert_eq!((rebuilt.sequence(), told.last()), (log.len() as u64, Some(&rebuilt.sequence())));
        drop(rebuilt);
        assert_eq!(dump(&path), expected, "{game} rebuilt");
    }
}

#[test]
fn stopped_and_resumed_after_every_event_is_the_same() {
    for game in ["rws-roulette-000", "rws-taisai"] {
        let story = story(game);
        let (_folder, path) = file();
        let expected = (one_by_one(Records::open(&path).unwrap(), &story.house.log), dump(&path)).1;
        let (_folder, path) = file();
        let mut floor = Floor::new();
        for record in &story.house.log {
            let mut records = Records::open(&path).unwrap();
            assert_eq!(records.is_ready(), floor.sequence() == 0);
            // The state as a snapshot has it.
            records.resume(Floor::from_bytes(&floor.to_bytes()).unwrap()).unwrap();
            records.apply(floor.sequence() + 1, record).unwrap();
            floor.apply(record).unwrap();
        }
        assert_eq!(dump(&path), expected, "{game}");
    }
}

#[test]
fn several_tables_are_played_at_once() {
    let mut house = House::with("rws-sicbo");
    let second = house.add_table("rws-roulette-000", House::settings("rws-roulette-000"));
    let other = TerminalId(3);
    let first_round = house.open();
    house.bet(T0, &["small=10.00"]);
    let second_round = house.open_at(second);
    house.bet(other, &["red=20.00", "tiers=1.00"]);
    house.bet(T0, &["big=5.00"]);
    house.close_at(second);
    house.finish("1-2-3");
    let third_round = house.open();
    house.bet(T1, &["small=10.00"]);
    let outcome = house.outcome(second, "1");
    house.honest_device(second, outcome);
    house.staff(DEALER, Body::enter_result(second, outcome));
    house.staff(DEALER, Body::confirm_result(second));
    house.finish("6-6-1");

    let (_folder, path) = file();
    let records = Records::rebuild(&path, house.log.iter().cloned(), |_| ()).unwrap();
    let query = records.query();
    let words = |round| -> Vec<String> {
        let lines = query.round(round).unwrap().unwrap().lines;
        lines.into_iter().filter(|line| line.code == "bets-changed").map(|line| line.words).collect()
    };
    assert_eq!(words(first_round), ["terminal 0: small +10.00", "terminal 0: big +5.00"]);
    assert!(words(second_round)[0].starts_with("terminal 3: red +20.00, split/"), "{:?}", words(second_round));
    assert_eq!(words(third_round), ["terminal 1: small +10.00"]);
    let expected = dump(&path);
    drop(records);
    agree(&house, &path);
    let (_folder, path) = file();
    one_by_one(Records::open(&path).unwrap(), &house.log);
    assert_eq!(dump(&path), expected);
}

#[test]
fn a_terminal_that_moves_leaves_its_wagers_at_the_table_where_they_were_made() {
    let mut house = House::with("rws-sicbo");
    let second = house.add_table("rws-sicbo-open", House::settings("rws-sicbo-open"));
    let first_round = house.open();
    house.bet(T0, &["small=10.00"]);
    house.ok(Sender::Terminal(T0), Body::ClearBets);
    house.finish("1-2-3");
    house.cash_out(T0);
    let rulebook = house.rulebook(second);
    let (kind, layout) = (rulebook.terminals()[0].id.clone(), rulebook.terminals()[0].layouts[0].clone());
    house.system(Body::MoveTerminal { terminal: T0, table: second, kind, layout });
    house.cash_in(T0, dollars(50));
    let second_round = house.open_at(second);
    house.bet(T0, &["odd=5.00"]);
    house.close_at(second);
    house.staff(
        SHIFT_MANAGER,
        Body::Decide {
            table: second,
            round: Some(second_round),
            ruling: Ruling::VoidRound,
            reason: "a test".to_owned(),
            witness: Some(SECOND_SHIFT_MANAGER),
        },
    );
    let records = in_memory(&house);
    let money = records.query().last_money(T0, 35).unwrap();
    let told: Vec<_> = money.iter().map(|row| (row.cause.as_str(), row.to.as_str(), row.round)).collect();
    assert_eq!(
        told,
        [
            ("bet-returned", "credit/0", Some(second_round)),
            ("wager", "stakes/1", Some(second_round)),
            ("cash-in", "credit/0", None),
            ("ticket-out", "tickets-outstanding", None),
            ("ticket-prepared", "tickets-prepared/0", None),
            ("bet-returned", "credit/0", Some(first_round)),
            ("wager", "stakes/0", Some(first_round)),
            ("cash-in", "credit/0", None),
        ]
    );
}

#[test]
fn a_settlement_in_parts_takes_effect_with_the_last() {
    let mut house = House::with("rws-sicbo");
    let round = house.open();
    house.bet(T0, &["small=10.00"]);
    house.bet(T1, &["small=20.00"]);
    house.finish("1-2-4");
    let (last, earlier) = house.log.split_last().unwrap();
    let Event::RoundSettled { table, outcome, ref returns, .. } = last.event else { panic!("{last:?}") };
    let part = |part: u16| {
        let returns = vec![returns[usize::from(part) - 1]];
        let event = Event::RoundSettled { round, table, outcome, part, parts: 2, returns };
        Record { at: last.at, origin: None, event }
    };
    let (_folder, path) = file();
    let mut records = one_by_one(Records::open(&path).unwrap(), earlier);
    records.apply(records.sequence() + 1, &part(1)).unwrap();
    let unsettled = records.query().round(round).unwrap().unwrap();
    assert_eq!((unsettled.summary.status, unsettled.players.len()), (RoundStatus::Open, 0));
    assert_eq!(records.query().last_money(T0, 1).unwrap()[0].cause, "cash-in");
    records.apply(records.sequence() + 1, &part(2)).unwrap();
    let settled = records.query().round(round).unwrap().unwrap();
    assert_eq!((settled.summary.status, settled.players.len()), (RoundStatus::Settled, 2));
    assert_eq!((settled.summary.staked, settled.summary.returned), (dollars(30), dollars(60)));
    let causes: Vec<_> = records.query().last_money(T1, 2).unwrap().into_iter().map(|row| row.cause).collect();
    assert_eq!(causes, ["win", "wager"]);
}

#[test]
fn a_correction_in_parts_is_the_same_as_a_whole_one() {
    let story = story("rws-sicbo");
    let in_parts = |record: &Record| -> Vec<Record> {
        let mut last = record.clone();
        let (round, table, list) = match &mut last.event {
            Event::RoundCorrected { round, table, adjustments, .. }
            | Event::SettledRoundVoided { round, table, adjustments, .. } => {
                (*round, *table, std::mem::take(adjustments))
            }
            _ => return vec![last],
        };
        assert!(list.len() > 1);
        let parts = u16::try_from(list.len()).unwrap();
        let part = |(part, adjustment)| {
            let event = Event::CorrectionPart { round, table, part, parts, adjustments: vec![adjustment], chips: None };
            Record { at: record.at, origin: None, event }
        };
        // What an interruption has left has no effect.
        let left = part((1, list[1]));
        [left].into_iter().chain((1..).zip(list).map(part)).chain([last]).collect()
    };
    let log: Vec<Record> = story.house.log.iter().flat_map(in_parts).collect();
    assert!(log.len() > story.house.log.len() + 8);
    let told = |log: &[Record]| {
        let (_folder, path) = file();
        drop(one_by_one(Records::open(&path).unwrap(), log));
        let connection = Connection::open(&path).unwrap();
        let all = |sql: &str| -> Vec<Vec<rusqlite::types::Value>> {
            let mut select = connection.prepare(sql).unwrap();
            let width = select.column_count();
            let rows = select.query_map([], |row| (0..width).map(|column| row.get(column)).collect()).unwrap();
            rows.map(Result::unwrap).collect()
        };
        [
            all("SELECT cause, amount, source, target, terminal, round FROM money ORDER BY number"),
            all(
                "SELECT number, terminal, was, entitled, credited, payable, unpaid, taken, uncollected FROM adjustments",
            ),
            all("SELECT * FROM settlements"),
            all("SELECT code, words FROM events ORDER BY sequence"),
            all("SELECT round, status, outcome, returned FROM rounds"),
            all("SELECT * FROM day_totals"),
        ]
    };
    assert_eq!(told(&log), told(&story.house.log));
}

#[test]
fn a_table_with_results_only_wins_what_its_tray_has_gained() {
    let mut house = House::empty();
    let rulebook = rulebook::library::find("rws-taisai").unwrap();
    house.system(Body::InstallRulebook { canonical: rulebook.canonical().to_owned(), witness: None });
    let (name, settings) = ("results".to_owned(), House::settings("rws-taisai"));
    house.system(Body::AddTable {
        name,
        rulebook: rulebook.hash(),
        mode: TableMode::ResultsOnly,
        settings: settings.into(),
        witness: None,
    });
    house.staff(MANAGER, Body::OpenTable { table: TABLE });
    house.staff(DEALER, Body::TakeTable { table: TABLE });
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(1_000)));
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.enter("1-2-4");
    house.staff(DEALER, Body::confirm_result(TABLE));
    house.float(SUPERVISOR, FloatMovement::Closer(dollars(1_200)));
    let (_folder, path) = file();
    let records = one_by_one(Records::open(&path).unwrap(), &house.log);
    let [totals] = &records.query().tables(&Default::default()).unwrap()[..] else { panic!("one table") };
    assert_eq!((totals.settled, totals.win), (1, dollars(200)));
    drop(records);
    agree(&house, &path);
}

#[test]
fn events_out_of_order_are_refused_and_change_nothing() {
    let story = story("rws-sicbo");
    let log = &story.house.log;
    let mut records = Records::in_memory().unwrap();
    records.apply_batch(1, &log[..10]).unwrap();
    for wrong in [0, 1, 9, 10, 12, u64::MAX] {
        match records.apply(wrong, &log[10]) {
            Err(Error::OutOfOrder { expected: 11, got }) => assert_eq!(got, wrong),
            other => panic!("{other:?}"),
        }
    }
    assert!(records.is_ready());
    records.apply_batch(11, &log[10..]).unwrap();
    assert_eq!(records.sequence(), log.len() as u64);
}

#[test]
fn records_opened_at_an_event_want_the_state_at_that_event() {
    let story = story("rws-sicbo");
    let log = &story.house.log;
    let (_folder, path) = file();
    Records::open(&path).unwrap().apply_batch(1, &log[..40]).unwrap();

    let mut records = Records::open(&path).unwrap();
    assert_eq!((records.start(), records.sequence(), records.at()), (Start::Continues, 40, log[39].at));
    assert!(matches!(records.apply(41, &log[40]), Err(Error::NotResumed { sequence: 40 })));
    for events in [0, 39, 41] {
        let refused = records.resume(floor_at(log, events));
        assert!(matches!(refused, Err(Error::OtherState { records: 40, .. })), "{refused:?}");
    }
    records.resume(floor_at(log, 40)).unwrap();
    records.apply_batch(41, &log[40..]).unwrap();
    drop(records);
    agree(&story.house, &path);
}

#[test]
fn a_batch_that_fails_is_as_if_it_had_not_been() {
    let story = story("rws-sicbo");
    let log = &story.house.log;
    let (_folder, path) = file();
    let mut records = one_by_one(Records::open(&path).unwrap(), &log[..50]);
    let before = dump(&path);
    let nobody = Event::TerminalLost { terminal: TerminalId(99) };
    let mut damaged = log[50..60].to_vec();
    damaged.push(Record { at: Moment(0), origin: None, event: nobody });
    assert!(matches!(records.apply_batch(51, &damaged), Err(Error::Misfit(_))));
    assert_eq!((records.sequence(), dump(&path)), (50, before));
    assert!(matches!(records.apply(51, &log[50]), Err(Error::NotResumed { .. })));
    records.resume(floor_at(log, 50)).unwrap();
    records.apply_batch(51, &log[50..]).unwrap();
    drop(records);
    agree(&story.house, &path);
}

#[test]
fn what_cannot_be_continued_is_emptied_and_says_why() {
    let story = story("rws-sicbo");
    let log = &story.house.log;
    let (_folder, path) = file();
    let spoil = |sql: &str| {
        drop(Records::rebuild(&path, log.iter().cloned(), |_| ()).unwrap());
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    };
    let emptied = |expected: Start| {
        let records = Records::open(&path).unwrap();
        assert_eq!((records.start(), records.sequence(), records.is_ready()), (expected, 0, true));
        drop(one_by_one(records, log));
        agree(&story.house, &path);
    };
    spoil("PRAGMA user_version = 99");
    emptied(Start::OtherVersion(99));
    spoil("UPDATE meta SET clean = 0, boot = 'another run of the machine'");
    emptied(Start::Uncertain);
    spoil("DELETE FROM meta");
    emptied(Start::Damaged);
    std::fs::write(&path, b"this was a database once, and is no more; but long enough to look like one").unwrap();
    emptied(Start::Damaged);
    std::fs::write(&path, b"").unwrap();
    emptied(Start::New);
}

#[test]
fn a_program_that_was_killed_goes_on_where_it_was() {
    let story = story("rws-sicbo");
    let log = &story.house.log;
    let (_folder, path) = file();
    let records = one_by_one(Records::open(&path).unwrap(), &log[..60]);
    // Nothing is closed, as when the process is gone at once.
    std::mem::forget(records);
    let mut records = Records::open(&path).unwrap();
    assert_eq!((records.start(), records.sequence()), (Start::Continues, 60));
    records.resume(floor_at(log, 60)).unwrap();
    records.apply_batch(61, &log[60..]).unwrap();
    drop(records);
    agree(&story.house, &path);
}

#[test]
fn readers_follow_the_writer_through_a_rebuild() {
    let story = story("mbs-sicbo");
    let log = &story.house.log;
    let (_folder, path) = file();
    assert!(matches!(Reader::open(&path), Err(Error::Database(_))), "there is nothing to read yet");
    let mut records = Records::open(&path).unwrap();
    records.apply_batch(1, &log[..40]).unwrap();
    let reader = records.reader().unwrap();
    assert_eq!(reader.query().sequence().unwrap(), 40);
    records.apply_batch(41, &log[40..]).unwrap();
    assert_eq!(reader.query().sequence().unwrap(), log.len() as u64);
    assert!(reader.query().round(story.settled).unwrap().is_some());
    records.clear().unwrap();
    assert_eq!(reader.query().sequence().unwrap(), 0);
    assert!(reader.query().round(story.settled).unwrap().is_none());
    records.apply_batch(1, log).unwrap();
    assert!(reader.query().round(story.settled).unwrap().is_some());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(Reader::open(&path), Err(Error::Version { found: 99, .. })));
    assert!(matches!(Records::in_memory().unwrap().reader(), Err(Error::InMemory)));
}

#[test]
fn two_writers_do_not_mix() {
    let story = story("rws-sicbo");
    let log = &story.house.log;
    let (_folder, path) = file();
    let mut one = Records::open(&path).unwrap();
    let mut other = Records::open(&path).unwrap();
    one.apply_batch(1, &log[..20]).unwrap();
    assert!(other.apply_batch(1, &log[..20]).is_err());
    one.apply_batch(21, &log[20..]).unwrap();
    drop((one, other));
    agree(&story.house, &path);
}

/// Records go to a thread of their own.
#[test]
fn records_and_readers_can_be_sent_to_a_thread() {
    fn can_be_sent<T: Send>() {}
    can_be_sent::<Records>();
    can_be_sent::<Reader>();
}
