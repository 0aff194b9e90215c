//! Floors that have seen everything, their logs, and what must hold of the records made from them.

#![allow(dead_code)]

#[path = "../../../floor/tests/common/mod.rs"]
pub mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::play::{damage, even_money};
pub use common::*;
use floor::*;
use records::{Records, TotalsFilter};
use rulebook::Cents;
use rusqlite::Connection;
use rusqlite::types::Value;

/// What happened in a story, for the questions.
pub struct Story {
    pub house: House,
    /// Won and lost, with bets withdrawn.
    pub settled: RoundId,
    /// Void by what a device reported.
    pub void: RoundId,
    /// Interrupted, settled by a wrong result, corrected after one player had gone.
    pub corrected: RoundId,
    /// Settled, and void afterwards because of damage.
    pub voided_later: RoundId,
    /// Numbers of tickets that are cash, and what the log keeps of them.
    pub numbers: Vec<(TicketNumber, TicketHash)>,
}

/// Everything that can happen at a table with terminals.
pub fn on_terminals(game: &str) -> Story {
    let mut house = House::with(game);
    let (spot, win, lose) = even_money(game);
    let wheel = house.rulebook(TABLE).outcomes().wheel().is_some();

    let settled = house.open();
    house.later(1_000);
    house.bet(T0, &[&format!("{spot}=50.00")]);
    if wheel {
        house.bet(T0, &["neighbours/21/2=5.00"]);
    }
    house.later(500);
    let body = house.withdrawing(T0, spot, dollars(20));
    house.ok(Sender::Terminal(T0), body);
    house.bet(T1, &[&format!("{spot}=10.00")]);
    house.ok(Sender::Terminal(T1), Body::ClearBets);
    house.bet(T2, &[&format!("{spot}=7.00")]);
    house.later(10_000);
    house.finish(win);

    house.later(1_000);
    let void = house.open();
    house.bet(T1, &[&format!("{spot}=25.00")]);
    house.close();
    if wheel {
        house.device(Observation::Spun { against_rotation: false, wheel_rotating: true });
    } else {
        if game != "mbs-sicbo" {
            house.device(Observation::Activated);
        }
        house.device(Observation::Tumbled { times: 2 });
    }
    house.staff(DEALER, Body::ConfirmGround { table: TABLE });

    house.later(1_000);
    let corrected = house.open();
    house.bet(T0, &[&format!("{spot}=100.00")]);
    house.bet(T1, &[&format!("{spot}=40.00")]);
    house.close();
    house.play_device();
    if wheel {
        let pocket = house.outcome(TABLE, lose);
        house.device(Observation::Rested { pocket });
    } else {
        house.device(Observation::DiceRead { dice: [Some(rulebook::Face::Six), None, None] });
    }
    house.stoppage(60_000);
    house.attest(Finding::Established);
    house.enter(lose);
    // Where not all of it was read, a Pit Supervisor is the second person.
    house.staff(DEALER, Body::ConfirmResult { table: TABLE, outcome: None, witness: Some(SUPERVISOR), reason: None });
    let mut numbers = vec![cash_out(&mut house, T1)];
    house.later(1_000);
    house.correct(corrected, win);
    house.correct(corrected, lose);
    house.correct(corrected, win);

    tickets(&mut house, &mut numbers);
    by_hand(&mut house, settled, corrected);
    significant(&mut house);

    let voided_later = house.open();
    house.bet(T0, &[&format!("{spot}=30.00")]);
    house.bet(T2, &[&format!("{spot}=5.00")]);
    house.finish(win);
    house.later(26 * 3_600_000);
    let reason = "found broken".to_owned();
    if game == "mbs-sicbo" {
        // No ground of this document reaches a settled round.
        let (round, ruling, witness) = (Some(voided_later), Ruling::VoidRound, Some(SECOND_SHIFT_MANAGER));
        house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round, ruling, reason, witness });
    } else {
        let (ground, rounds, witness) = (damage(game), vec![voided_later], Some(SECOND_MANAGER));
        house.staff(MANAGER, Body::VoidRounds { table: TABLE, ground, rounds, reason, witness });
    }
    Story { house, settled, void, corrected, voided_later, numbers }
}

/// Cashes out and keeps the number, as the printer knows it.
fn cash_out(house: &mut House, terminal: TerminalId) -> (TicketNumber, TicketHash) {
    let (_, hash) = house.cash_out(terminal);
    (number(hash), hash)
}

/// The number behind a hash. The harness counts its numbers from 1.
fn number(hash: TicketHash) -> TicketNumber {
    let number = |id: u64| TicketNumber::drawn("test", House::scattered(id));
    (1..1_000).map(number).find(|number| number.hash(&House::key()) == hash).expect("a number of the harness")
}

/// Tickets sold, redeemed, put in, not printed, printed again, expired.
fn tickets(house: &mut House, numbers: &mut Vec<(TicketNumber, TicketHash)>) {
    house.staff(CASHIER, Body::OpenShift { float: dollars(5_000), witness: None });
    let (_, first) = numbers[0];
    house.ok(Sender::Terminal(T1), Body::TicketIn { terminal: T1, number: first });
    for amount in [80, 90] {
        let hash = house.new_number();
        numbers.push((number(hash), hash));
        sell(house, amount, hash);
    }
    house.staff(
        CASHIER,
        Body::RedeemTicket { number: numbers[1].1, amount: Some(dollars(80)), witness: Some(SUPERVISOR) },
    );
    let hash = house.new_number();
    numbers.push((number(hash), hash));
    let ticket = house.floor.next_ticket();
    house.ok(Sender::Terminal(T1), Body::PrepareTicket { terminal: T1, number: hash });
    house.ok(Sender::Terminal(T1), Body::PrintFailed { ticket });
    numbers.push(cash_out(house, T1));
    let ticket = TicketId(house.floor.next_ticket().0 - 1);
    let (hash, duplicate) = (house.new_number(), house.floor.next_ticket());
    numbers.push((number(hash), hash));
    let (reason, witness) = ("torn".to_owned(), Some(SUPERVISOR));
    house.staff(CASHIER, Body::ReprintTicket { ticket, number: Some(hash), reason, witness });
    house.staff(CASHIER, Body::TicketPrinted { ticket: duplicate });
    house.later(31 * 24 * 3_600_000);
    house.system(Body::Elapse);
    let hash = house.new_number();
    numbers.push((number(hash), hash));
    sell(house, 33, hash);
}

/// A ticket sold and printed.
fn sell(house: &mut House, amount: i64, number: TicketHash) {
    let ticket = house.floor.next_ticket();
    house.staff(CASHIER, Body::SellTicket { amount: dollars(amount), number, witness: None });
    house.staff(CASHIER, Body::TicketPrinted { ticket });
}

/// Attendants, a correction paid at the cage, decisions.
fn by_hand(house: &mut House, settled: RoundId, round: RoundId) {
    house.staff(SUPERVISOR, Body::AttendantIn { terminal: T1, amount: dollars(60), witness: None });
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T1, amount: dollars(60), witness: None });
    let payable = house.floor.payables().next().expect("the correction left a payment").id();
    house.staff(CASHIER, Body::PayCorrection { payable, round: Some(round), witness: None });
    let decide = |round, ruling| Body::Decide {
        table: TABLE,
        round,
        ruling,
        reason: "as goodwill".to_owned(),
        witness: Some(SECOND_SHIFT_MANAGER),
    };
    house.staff(SHIFT_MANAGER, decide(None, Ruling::Pay { terminal: T2, amount: dollars(11) }));
    house.staff(SHIFT_MANAGER, decide(Some(settled), Ruling::TakeBack { terminal: T2, amount: dollars(1) }));
    house.staff(SHIFT_MANAGER, decide(None, Ruling::Reading));
    let expected = house.floor.shifts().next().expect("a shift").cash();
    let counted = Cents::new(expected.get() - 100);
    house.close_shift(CASHIER, counted);
}

/// Links, locks, faults, displays, settings, alerts.
fn significant(house: &mut House) {
    house.system(Body::TerminalLost { terminal: T1 });
    house.system(Body::RaiseAlert { table: Some(TABLE), what: AlertKind::TerminalLost(T1) });
    house.later(5_000);
    house.system(Body::TerminalBack { terminal: T1 });
    house.staff(SUPERVISOR, Body::LockTerminal { terminal: T2, reason: "a spill".to_owned() });
    house.staff(SUPERVISOR, Body::UnlockTerminal { terminal: T2 });
    house.device(Observation::Fault { number: 17 });
    house.device(Observation::Restored);
    let note = "the wrong half was lit".to_owned();
    house.staff(DEALER, Body::RecordDisplay { table: TABLE, what: DisplayFault::LitAreas, note });
    let lost = |alert: &&Alert| *alert.what() == AlertKind::TerminalLost(T1);
    let alert = house.floor.alerts().find(lost).expect("an alert").id();
    house.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    let mut settings = house.floor.table(TABLE).unwrap().settings().clone();
    settings.limit.minimum = dollars(2);
    house.staff(
        MANAGER,
        Body::ChangeSettings { table: TABLE, settings: settings.into(), reason: "quiet".to_owned(), witness: None },
    );
    house.system(Body::RaiseAlert { table: None, what: AlertKind::Host("the disk is nearly full".to_owned()) });
    house.system(Body::Note { words: "dealer 1 signed in".to_owned() });
}

/// A live table: pro rata, rejection, a void, a settled round corrected and then void.
pub fn live() -> Story {
    let mut house = House::live();
    let settled = house.open();
    house.place(&[(1, "big", 900), (2, "big", 300), (3, "big", 20), (4, "small", 200), (4, "double/5", 50)]);
    house.take((4, "double/5", 25));
    house.finish("5-5-6");

    house.later(1_000);
    let void = house.open();
    house.place(&[(1, "big", 400), (1, "big", 200), (2, "big", 300)]);
    house.reject_excess("big");
    house.device(Observation::Activated);
    house.device(Observation::Tumbled { times: 3 });
    house.device(Observation::Uncovered);
    house.staff(DEALER, Body::ConfirmGround { table: TABLE });

    house.later(1_000);
    let corrected = house.open();
    house.place(&[(1, "big", 100), (2, "small", 60)]);
    house.finish("5-5-6");
    let outcome = house.outcome(TABLE, "1-2-4");
    let (reason, witness) = ("the camera shows 1-2-4".to_owned(), Some(SECOND_SUPERVISOR));
    house.staff(SUPERVISOR, Body::CorrectResult { round: corrected, outcome, reason, witness });

    house.later(1_000);
    let voided_later = house.open();
    house.place(&[(5, "total/9", 30)]);
    house.finish("4-4-1");
    let (rounds, witness) = (vec![voided_later], Some(SECOND_MANAGER));
    let (ground, reason) = (rulebook::GroundId::DiceDamaged, "a die is chipped".to_owned());
    house.staff(MANAGER, Body::VoidRounds { table: TABLE, ground, rounds, reason, witness });
    let counted = house.floor.table(TABLE).unwrap().float();
    house.float(SUPERVISOR, FloatMovement::Closer(Cents::new(counted.get() - 500)));
    house.float(SUPERVISOR, FloatMovement::Drop(dollars(10_000)));
    Story { house, settled, void, corrected, voided_later, numbers: Vec::new() }
}

/// The story of a game.
pub fn story(game: &str) -> Story {
    if game == "rws-taisai" { live() } else { on_terminals(game) }
}

/// A place for a database; it goes with the folder.
pub fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.sqlite");
    (folder, path)
}

/// Records of a log, event by event.
pub fn one_by_one(mut records: Records, log: &[Record]) -> Records {
    for record in log {
        records.apply(records.sequence() + 1, record).expect("the log fits");
    }
    records
}

/// Records of a log in memory.
pub fn in_memory(house: &House) -> Records {
    one_by_one(Records::in_memory().unwrap(), &house.log)
}

/// Every row of every table as text, but for how the file was opened.
pub fn dump(path: &Path) -> String {
    let connection = Connection::open(path).unwrap();
    let mut tables = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() > 20, "{tables:?}");
    let mut text = String::new();
    for table in tables {
        let columns = if table == "meta" { "sequence, at, day_starts" } else { "*" };
        let mut select = connection.prepare(&format!("SELECT {columns} FROM {table}")).unwrap();
        let width = select.column_count();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<Value> = (0..width).map(|column| row.get(column).unwrap()).collect();
            text.push_str(&format!("{table} {values:?}\n"));
        }
    }
    text
}

/// What must hold between a floor with no round in progress and the records in a file.
pub fn agree(house: &House, path: &Path) {
    let reader = records::Reader::open(path).unwrap();
    let query = reader.query();
    assert_eq!(query.sequence().unwrap(), house.floor.sequence());
    assert_eq!(query.at().unwrap(), house.floor.now());

    // The rows of money are the floor's accounts.
    let connection = Connection::open(path).unwrap();
    let mut balances: BTreeMap<String, i64> = BTreeMap::new();
    let mut select = connection.prepare("SELECT source, target, amount FROM money").unwrap();
    let mut rows = select.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (source, target, amount): (String, String, i64) =
            (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
        assert!(amount > 0);
        *balances.entry(source).or_default() -= amount;
        *balances.entry(target).or_default() += amount;
    }
    balances.retain(|_, balance| *balance != 0);
    let expected: i64 = house.floor.accounts().iter().map(|(_, balance)| balance.get().abs()).sum();
    assert_eq!(balances.values().map(|balance| balance.abs()).sum::<i64>(), expected, "{balances:?}");
    for terminal in house.floor.terminals() {
        let credit = balances.get(&format!("credit/{}", terminal.id())).copied().unwrap_or(0);
        assert_eq!(credit, terminal.credit().get(), "credit of {}", terminal.id());
    }

    // The view for people with a SQL prompt names every bet.
    let sums = |from: &str| -> (i64, Option<i64>) {
        let sql = format!("SELECT count(spot), sum(stake) FROM {from}");
        connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
    };
    assert_eq!(sums("bets_in_notation"), sums("bets"));

    // The totals are the pit's.
    let totals = query.tables(&TotalsFilter::default()).unwrap();
    for row in house.floor.pit_view().tables {
        let found = totals.iter().find(|total| total.table == Some(row.table.id)).expect("the table has totals");
        let rounds = (row.rounds.0.cast_signed(), row.rounds.1.cast_signed());
        assert_eq!((found.settled, found.void), rounds);
        assert_eq!((found.turnover, found.win), (row.turnover, row.win));
    }

    // Every bet is paid by the pay table, and every list adds up.
    for row in query.rounds(&records::RoundFilter { limit: Some(1_000), ..Default::default() }).unwrap().rows {
        let round = query.round(row.round).unwrap().expect("a round of the list");
        let staked: i64 = round.players.iter().map(|player| player.staked.get()).sum::<i64>()
            + round.chips.iter().map(|share| share.bet.get()).sum::<i64>();
        let returned: i64 = round.players.iter().map(|player| player.entitled.get()).sum::<i64>()
            + round.chips.iter().map(|share| share.entitled.get()).sum::<i64>();
        assert_eq!((row.staked.get(), row.returned.get()), (staked, returned), "round {}", row.round);
        for player in round.players {
            let sum = |amount: fn(&records::BetRecord) -> Cents| -> i64 {
                player.bets.iter().map(|bet| amount(bet).get()).sum()
            };
            assert_eq!(sum(|bet| bet.stake), player.staked.get(), "{player:?}");
            assert_eq!(sum(|bet| bet.returned), player.entitled.get(), "{player:?}");
        }
        assert!(round.lines.is_sorted_by(|a, b| a.sequence < b.sequence), "{:?}", round.lines);
    }
    let outstanding = query.tickets(Some(records::TicketStatus::Outstanding), None, Some(1_000)).unwrap();
    let known: i64 = outstanding.rows.iter().map(|ticket| ticket.amount.get()).sum();
    let expected: i64 = house
        .floor
        .tickets()
        .filter(|ticket| ticket.state() == TicketState::Outstanding)
        .map(|ticket| ticket.amount().get())
        .sum();
    assert_eq!(known, expected);
}
