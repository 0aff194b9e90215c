//! Reports, on floors that have seen everything: every figure is the floor's own.

use crate::support::*;
use floor::{Account, Body, TicketState};
use records::report::{Amount, NoReport};
use records::{Records, TotalsFilter};

const GAMES: [&str; 5] = ["rws-sicbo", "rws-sicbo-open", "rws-taisai", "mbs-sicbo", "rws-roulette-000"];

fn account(house: &House, of: Account) -> i64 {
    house.floor.accounts().iter().find(|(account, _)| *account == of).map_or(0, |(_, balance)| balance.get())
}

/// The gaming days on which something was booked.
fn days(records: &Records) -> Vec<String> {
    let days = records.query().days(&TotalsFilter::default()).unwrap();
    days.into_iter().filter_map(|totals| totals.day).collect()
}

#[test]
fn days_add_up_to_the_pits_figures() {
    for game in GAMES {
        let house = story(game).house;
        let records = in_memory(&house);
        let (mut turnover, mut win, mut settled, mut void, mut uncollected) = (0, 0, 0, 0, 0);
        for day in days(&records) {
            let report = records.query().day_report(Some(&day), None).unwrap();
            assert!(report.agrees, "{game} {day}: {:?}", report.total);
            turnover += report.total.turnover.0;
            win += report.total.win.0;
            settled += report.total.games;
            void += report.total.void;
            uncollected += report.total.uncollected.0;
            let tables: i64 = report.tables.iter().map(|row| row.figures.win.0).sum();
            let games: i64 = report.games.iter().map(|row| row.figures.win.0).sum();
            assert_eq!((tables, games), (report.total.win.0, report.total.win.0), "{game} {day}");
            assert!(report.total.low <= report.total.theoretical && report.total.theoretical <= report.total.high);
            assert!(report.paper().text(110).contains("Turnover"), "{game} {day}");
        }
        let pit = house.floor.pit_view().tables;
        let floor: i64 = pit.iter().map(|row| row.turnover.get()).sum();
        assert_eq!(turnover, floor, "{game}");
        assert_eq!(win, pit.iter().map(|row| row.win.get()).sum::<i64>(), "{game}");
        assert_eq!(settled, pit.iter().map(|row| row.rounds.0.cast_signed()).sum::<i64>(), "{game}");
        assert_eq!(void, pit.iter().map(|row| row.rounds.1.cast_signed()).sum::<i64>(), "{game}");
        assert_eq!(uncollected, -account(&house, Account::Uncollected), "{game}");
        let last = records.query().day_report(None, None).unwrap();
        assert_eq!(last.payables_outstanding.0, account(&house, Account::CorrectionPayable), "{game}");
        assert_eq!(last.tickets_outstanding.0, account(&house, Account::TicketsOutstanding), "{game}");
    }
}

#[test]
fn hours_of_a_table_add_up_to_its_days() {
    for game in GAMES {
        let house = story(game).house;
        let records = in_memory(&house);
        let booked = days(&records);
        let (first, last) = (booked.first().unwrap(), booked.last().unwrap());
        let report = records.query().table_report(TABLE, Some(first), Some(last), None).unwrap();
        assert!(report.agrees, "{game}: {:?}", report.total);
        assert_eq!(report.parts.iter().map(|part| part.figures.win.0).sum::<i64>(), report.total.win.0, "{game}");
        assert!(!report.limits.is_empty(), "{game}");
        let day = records.query().table_report(TABLE, Some(first), Some(first), None).unwrap();
        assert!(day.agrees && !day.results.is_empty(), "{game}");
        assert!(day.paper().html().contains("Limits in force"));
    }
}

#[test]
fn the_theoretical_win_is_stake_times_edge() {
    // 10.00 on an even chance of roulette with three zeros: edge 3/39, and one round's variance is 1 − (3/39)².
    let mut house = House::with("rws-roulette-000");
    house.open();
    house.bet(T0, &["red=10.00"]);
    house.finish("1");
    let records = in_memory(&house);
    let total = records.query().day_report(None, None).unwrap().total;
    assert_eq!(total.turnover, Amount(1_000));
    assert_eq!(total.theoretical_exact, "10/13");
    assert_eq!(total.theoretical, Amount(77));
    let deviation = 1_000.0 * (1.0 - 1.0 / 169.0_f64).sqrt();
    assert_eq!(total.deviation, Amount(deviation.round() as i64));
    assert_eq!(total.within, Some(true));
}

#[test]
fn meters_are_the_terminals_own_s11() {
    for game in GAMES {
        let house = story(game).house;
        let records = in_memory(&house);
        for terminal in house.floor.terminals() {
            let report = records.query().terminal_report(terminal.id(), None).unwrap();
            let by_meters = terminal.meters().credit().unwrap();
            assert!(report.agrees, "{game}: {report:?}");
            assert_eq!((report.credit.0, report.by_meters.0), (terminal.credit().get(), by_meters.get()), "{game}");
            assert!(report.rounds.len() <= 10 && report.money.len() <= 35);
            assert!(report.paper().text(110).contains("they agree"));
        }
    }
}

#[test]
fn outstanding_tickets_are_the_floors() {
    for game in ["rws-sicbo", "rws-roulette-000"] {
        let story = story(game);
        let records = in_memory(&story.house);
        let report = records.query().tickets_report(None, None).unwrap();
        let outstanding: Vec<_> =
            story.house.floor.tickets().filter(|ticket| ticket.state() == TicketState::Outstanding).collect();
        let amount: i64 = outstanding.iter().map(|ticket| ticket.amount().get()).sum();
        assert!(report.agrees, "{report:?}");
        assert_eq!((report.outstanding.count, report.outstanding.amount.0), (outstanding.len() as u64, amount));
        let paper = report.paper();
        let text = format!("{}{}{:?}", paper.text(110), paper.html(), report);
        for (number, _) in &story.numbers {
            assert!(!text.contains(&number.to_string()), "a number in the report (S13)");
        }
    }
}

#[test]
fn a_shift_is_handed_over_with_its_difference() {
    let house = story("rws-sicbo").house;
    let records = in_memory(&house);
    let shifts = records.query().shifts_report(None).unwrap().shifts;
    assert_eq!(shifts.len(), 1);
    for row in &shifts {
        let report = records.query().shift_report(floor::ShiftId(row.shift.try_into().unwrap()), None).unwrap();
        assert!(row.agrees, "{row:?} {:?}", report.causes);
        assert_eq!(row.expected.0, row.float.0 + row.cash_in.0 - row.cash_out.0);
        assert_eq!(report.shift, *row);
    }
    assert_eq!(shifts[0].difference, Some(Amount(-100)), "counted a dollar short: {shifts:?}");
}

#[test]
fn voids_and_corrections_say_who_and_why() {
    for game in GAMES {
        let story = story(game);
        let records = in_memory(&story.house);
        let booked = days(&records);
        let (first, last) = (booked.first().unwrap().as_str(), booked.last().unwrap().as_str());
        let report = records.query().voids_report(Some(first), Some(last), None).unwrap();
        let void: Vec<u64> = report.voids.iter().map(|row| row.round).collect();
        assert_eq!(void, [story.void.0], "{game}");
        assert!(report.voids.iter().all(|row| row.paragraph.is_some() && row.who.is_some()), "{game}: {report:?}");
        let corrected: Vec<u64> = report.corrections.iter().map(|row| row.round).collect();
        assert!(corrected.contains(&story.corrected.0) && corrected.contains(&story.voided_later.0), "{game}");
        assert!(report.corrections.iter().all(|row| row.who.is_some() && !row.reason.is_empty()), "{game}");
    }
}

#[test]
fn a_round_is_reported_whole_s5() {
    for game in GAMES {
        let story = story(game);
        let records = in_memory(&story.house);
        for round in [story.settled, story.void, story.corrected, story.voided_later] {
            let report = records.query().round_report(round, None).unwrap();
            let paper = report.paper().text(140);
            assert!(report.first_record <= report.last_record && report.last_record <= report.up_to.sequence);
            for line in &report.record.lines {
                assert!(paper.contains(&line.code), "{game} round {round}: {}", line.code);
            }
            assert!(paper.contains(&report.record.summary.rulebook), "{game}: the hash");
        }
    }
}

#[test]
fn what_is_not_there_is_told_with_the_last_record() {
    let house = story("rws-sicbo").house;
    let records = in_memory(&house);
    let query = records.query();
    let code = |result: Result<String, NoReport>| match result {
        Err(error @ NoReport::Unknown { code, sequence, .. }) => {
            assert_eq!(sequence, house.floor.sequence());
            assert!(error.to_string().contains(&format!("up to record {sequence}")), "{error}");
            code
        }
        other => panic!("{other:?}"),
    };
    let day = |day| query.day_report(Some(day), None).map(|report| report.period.first);
    assert_eq!(code(day("2999-01-01")), "no_such_day");
    assert_eq!(code(day("1950-01-01")), "no_such_day");
    assert!(matches!(day("yesterday"), Err(NoReport::Records(records::Error::Day(_)))));
    let table = query.table_report(floor::TableId(99), None, None, None);
    assert_eq!(code(table.map(|report| report.name)), "unknown_table");
    let terminal = query.terminal_report(floor::TerminalId(99), None);
    assert_eq!(code(terminal.map(|report| report.name)), "unknown_terminal");
    let round = query.round_report(floor::RoundId(999), None);
    assert_eq!(code(round.map(|report| report.record.summary.game)), "unknown_round");
    let shift = query.shift_report(floor::ShiftId(99), None);
    assert_eq!(code(shift.map(|report| report.shift.cashier)), "unknown_shift");
}

#[test]
fn a_report_behind_its_journal_says_so() {
    let house = story("rws-sicbo").house;
    let records = in_memory(&house);
    let sequence = house.floor.sequence();
    let report = records.query().day_report(None, Some(sequence + 7)).unwrap();
    assert_eq!(report.up_to.journal, Some(sequence + 7));
    assert!(report.paper().text(110).contains(&format!("record {}", sequence + 7)));
    assert_eq!(records.query().day_report(None, Some(sequence)).unwrap().up_to.journal, None);
}

#[test]
fn the_drop_stays_at_the_table_where_the_terminal_stood() {
    let mut house = House::with("rws-sicbo");
    let second = house.add_table("rws-sicbo-open", House::settings("rws-sicbo-open"));
    house.cash_out(T0);
    let first = &house.rulebook(second).terminals()[0];
    let (kind, layout) = (first.id.clone(), first.layouts[0].clone());
    house.system(Body::MoveTerminal { terminal: T0, table: second, kind, layout });
    house.cash_in(T0, dollars(50));
    let report = in_memory(&house).query().day_report(None, None).unwrap();
    assert!(report.agrees, "{:?}", report.total);
    let drops: Vec<Amount> = report.tables.iter().map(|row| row.figures.drop).collect();
    assert_eq!(drops, [Amount(300_000), Amount(305_000)]);
}
