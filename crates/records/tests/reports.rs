//! Reports, on floors that have seen everything: every figure is the floor's own.

use crate::support::*;
use floor::{Account, Body, Function, Position, Ruling, TicketState};
use records::report::{Amount, NoReport};
use records::{Records, TotalsFilter};
use rulebook::Cents;

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
fn what_a_live_round_leaves_uncollected_adds_up_over_all_changes() {
    let mut story = live();
    let (house, round) = (&mut story.house, story.corrected);
    // A player's only bet is taken out of the record, and the claim against that player stands.
    let (spot, reason) = (house.chip_spot("big"), "it stood there for another round".to_owned());
    let witness = Some(SECOND_SUPERVISOR);
    let body = Body::CorrectRecord { round, position: Position(1), spot, amount: Cents::ZERO, reason, witness };
    house.staff(SUPERVISOR, body);
    let (ruling, reason, witness) = (Ruling::VoidRound, "no agreement".to_owned(), Some(SECOND_SHIFT_MANAGER));
    house.staff(SHIFT_MANAGER, Body::Decide { table: TABLE, round: Some(round), ruling, reason, witness });
    let claims = house.floor.table(TABLE).unwrap().archived(round).unwrap().claims().to_vec();
    let records = in_memory(&story.house);
    let booked = days(&records);
    let (first, last) = (booked.first().unwrap().as_str(), booked.last().unwrap().as_str());
    let report = records.query().voids_report(Some(first), Some(last), None).unwrap();
    let rows = report.corrections.iter().filter(|row| row.round == round.0);
    let sum: i64 = rows.map(|row| row.uncollected.0).sum();
    assert_eq!(sum, claims.iter().map(|(_, claim)| claim.get()).sum::<i64>(), "{:?}", report.corrections);
    assert!(claims.iter().any(|(position, _)| *position == Position(1)), "{claims:?}");
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

/// A sequence of numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Something that may happen to tickets; the floor may refuse it.
fn about_tickets(house: &mut House, dice: &mut Dice, numbers: &mut Vec<floor::TicketHash>) {
    let terminal = [T0, T1, T2][dice.roll(3) as usize];
    let ticket = floor::TicketId(dice.roll(house.floor.next_ticket().0.max(1)) + 1);
    let number = numbers.get(dice.roll(numbers.len().max(1) as u64) as usize).copied();
    let clerk = floor::Sender::Staff(CASHIER);
    let (reason, witness) = ("looked at together".to_owned(), Some(SUPERVISOR));
    let finding = [floor::TicketFinding::InHand, floor::TicketFinding::NotPrinted, floor::TicketFinding::PaidByHand];
    let finding = finding[dice.roll(3) as usize];
    let sent = match dice.roll(12) {
        0..=1 => house.send(
            floor::Sender::Staff(SUPERVISOR),
            Body::AttendantIn { terminal, amount: dollars(20), witness: Some(SECOND_SUPERVISOR) },
        ),
        2..=3 => {
            let number = house.new_number();
            numbers.push(number);
            house.send(floor::Sender::Terminal(terminal), Body::PrepareTicket { terminal, number })
        }
        4 => house.send(floor::Sender::System, Body::TicketPrinted { ticket }),
        5 => house.send(floor::Sender::System, Body::PrintFailed { ticket }),
        6 => house.send(clerk, Body::ResolveTicket { ticket, finding, reason, witness }),
        7 => {
            let number = house.new_number();
            numbers.push(number);
            house.send(clerk, Body::ReprintTicket { ticket, number: Some(number), reason, witness })
        }
        8 => {
            let number = house.new_number();
            numbers.push(number);
            house.send(clerk, Body::SellTicket { amount: dollars(30), number, witness })
        }
        9 => number
            .map_or(Ok(Vec::new()), |number| house.send(clerk, Body::RedeemTicket { number, amount: None, witness })),
        10 => number.map_or(Ok(Vec::new()), |number| {
            house.send(floor::Sender::Terminal(terminal), Body::TicketIn { terminal, number })
        }),
        _ => {
            house.later([1_000, 3_600_000, 9 * 24 * 3_600_000][dice.roll(3) as usize]);
            house.send(floor::Sender::System, Body::Elapse)
        }
    };
    // What does not fit is refused, and changes nothing.
    drop(sent);
}

#[test]
fn the_lines_of_the_tickets_report_add_up_after_any_sequence_d25() {
    let (mut by_hand, mut replaced, mut in_doubt) = (0, 0, 0);
    for seed in 0..40 {
        let mut house = House::with("rws-sicbo");
        house.open_shift(CASHIER, dollars(50_000));
        let (mut dice, mut numbers) = (Dice(seed), Vec::new());
        for _ in 0..120 {
            about_tickets(&mut house, &mut dice, &mut numbers);
        }
        let records = in_memory(&house);
        let starts = records.query().days(&TotalsFilter::default()).unwrap();
        assert!(starts.is_empty(), "no round was played");
        let first = records.query().period(None, None).unwrap().from.0;
        let began = house.log.first().unwrap().at;
        let mut at = began;
        while at.0 < first.0 + 24 * 3_600_000 {
            let day = records.query().gaming_day(at).unwrap();
            let report = records.query().tickets_report(Some(&day), None).unwrap();
            assert!(report.agrees, "seed {seed}, {day}: {report:#?}");
            by_hand += report.paid_by_hand.count;
            replaced += report.replaced.count;
            in_doubt += report.in_doubt_after.count;
            at = floor::Moment(at.0 + 24 * 3_600_000);
        }
        // At the end the report is the floor's own: what it owes for paper, and what is in doubt.
        let report = records.query().tickets_report(None, None).unwrap();
        let doubts: i64 = house.floor.doubts().map(|doubt| doubt.amount.get()).sum();
        let open = |ticket: &&floor::Ticket| ticket.state() == TicketState::Outstanding;
        let outstanding: i64 = house.floor.tickets().filter(open).map(|ticket| ticket.amount().get()).sum();
        assert_eq!((report.in_doubt_after.amount.0, report.outstanding.amount.0), (doubts, outstanding), "seed {seed}");
        // The paper of a shift with all of this agrees too.
        assert!(records.query().shifts_report(None).unwrap().shifts.iter().all(|row| row.agrees), "seed {seed}");
    }
    assert!(by_hand > 0 && replaced > 0 && in_doubt > 0, "{by_hand} {replaced} {in_doubt}");
}

#[test]
fn a_ticket_and_its_duplicates_count_once() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(5_000));
    let (first, _) = house.cash_out(T0);
    let amount = house.floor.tickets().find(|ticket| ticket.id() == first).unwrap().amount().get();
    let mut ticket = first;
    for _ in 0..2 {
        let (number, duplicate) = (house.new_number(), house.floor.next_ticket());
        let (reason, witness) = ("torn".to_owned(), Some(SUPERVISOR));
        house.staff(CASHIER, Body::ReprintTicket { ticket, number: Some(number), reason, witness });
        ticket = duplicate;
    }
    let report = in_memory(&house).query().tickets_report(None, None).unwrap();
    assert!(report.agrees, "{report:?}");
    assert_eq!((report.prepared.count, report.prepared.amount.0), (1, amount));
    assert_eq!((report.in_doubt_after.count, report.outstanding.count, report.replaced.count), (1, 0, 2));
    let (reason, witness) = ("never came out".to_owned(), Some(SUPERVISOR));
    house.staff(CASHIER, Body::ResolveTicket { ticket, finding: floor::TicketFinding::PaidByHand, reason, witness });
    let report = in_memory(&house).query().tickets_report(None, None).unwrap();
    assert!(report.agrees, "{report:?}");
    assert_eq!((report.paid_by_hand.count, report.paid_by_hand.amount.0), (1, amount));
    assert_eq!(report.redeemed_at_cage.count, 0, "it has a line of its own");
    assert!(report.paper().text(110).contains("paid by hand"));
}

#[test]
fn slips_keep_counts_reason_and_second_person() {
    use floor::{DrawerMovement, Pile};
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(1_000));
    let fill = vec![Pile { denomination: dollars(100), pieces: 5 }];
    let fill = Body::MoveDrawer { movement: DrawerMovement::Fill, counts: fill, witness: Some(SUPERVISOR) };
    house.staff(CASHIER, fill);
    let credit = vec![Pile { denomination: dollars(50), pieces: 2 }];
    let credit = Body::MoveDrawer { movement: DrawerMovement::Credit, counts: credit, witness: Some(SUPERVISOR) };
    house.staff(CASHIER, credit);
    house.close_shift(CASHIER, dollars(1_399));
    let records = in_memory(&house);
    let report = records.query().shift_report(floor::ShiftId(0), None).unwrap();
    // Fills and credits are movements of the drawer, so that float, in and out give what was expected.
    assert!(report.shift.agrees, "{report:#?}");
    assert_eq!((report.shift.cash_in.0, report.shift.cash_out.0), (50_000, 10_000));
    let kinds: Vec<&str> = report.slips.iter().map(|slip| slip.kind.as_str()).collect();
    assert_eq!(kinds, ["float", "drawer-fill", "drawer-credit", "count", "close"]);
    let close = report.slips.last().unwrap();
    assert_eq!(
        (close.amount, close.held, close.difference),
        (Amount(139_900), Some(Amount(140_000)), Some(Amount(-100)))
    );
    assert_eq!(close.reason.as_deref(), Some("counted"));
    assert!(close.second.is_some());
    let sum: i64 = close.counts.iter().map(|pile| pile.denomination.0 * i64::from(pile.pieces)).sum();
    assert_eq!(sum, close.amount.0, "the last count, by denomination");
    assert!(report.paper().text(200).contains("counted"));
    // The same slip again is marked as a copy.
    let again = records.query().slip_report(close.number, None).unwrap();
    assert_eq!(again.slip, *close);
    let text = again.paper().text(110);
    assert!(text.contains("COPY") && text.contains("Reason") && text.contains("By denomination"), "{text}");
    assert!(matches!(records.query().slip_report(1, None), Err(NoReport::Unknown { code: "unknown_slip", .. })));
}

#[test]
fn a_handover_is_one_slip_of_both_shifts() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(500));
    house.staff(CASHIER, Body::CountShift { counts: piles(dollars(500)), witness: None });
    house.staff(CASHIER, Body::HandOverShift { reason: String::new(), witness: Some(SECOND_CASHIER) });
    let records = in_memory(&house);
    let [first, second] = [0, 1].map(|shift| records.query().shift_report(floor::ShiftId(shift), None).unwrap());
    let handover = first.slips.last().unwrap();
    assert_eq!((handover.kind.as_str(), handover.shift, handover.to_shift), ("handover", Some(0), Some(1)));
    assert_eq!(second.slips, std::slice::from_ref(handover));
}

#[test]
fn slips_of_a_live_table_say_what_the_tray_held() {
    let house = story("rws-taisai").house;
    let records = in_memory(&house);
    let slips = records.query().slips_report(None, None).unwrap().slips;
    let kinds: Vec<&str> = slips.iter().map(|slip| slip.kind.as_str()).collect();
    assert_eq!(kinds, ["opener", "closer", "drop"], "buying in and colouring up have none");
    let [opener, closer, drop] = &slips[..] else { panic!("{slips:?}") };
    assert_eq!((opener.amount, opener.held), (Amount(10_000_000), Some(Amount(0))));
    assert_eq!(closer.difference, Some(Amount(-500)));
    assert_eq!(closer.amount.0 - closer.held.unwrap().0, -500);
    assert_eq!((drop.held, drop.difference), (Some(Amount(1_000_000)), Some(Amount(0))));
    assert!(slips.iter().all(|slip| slip.second.is_some() && slip.table_name.is_some() && !slip.counts.is_empty()));
}

#[test]
fn a_record_put_right_shows_what_it_returns_now() {
    let mut house = House::live();
    let round = house.deal(&[(1, "big", 100)], "5-5-6");
    for amount in [300, 400] {
        let (spot, amount, reason) = (house.chip_spot("big"), dollars(amount), "camera".to_owned());
        let (position, witness) = (floor::Position(1), Some(SECOND_SUPERVISOR));
        house.staff(SUPERVISOR, Body::CorrectRecord { round, position, spot, amount, reason, witness });
    }
    let records = in_memory(&house);
    let report = records.query().voids_report(None, None, None).unwrap();
    let rows: Vec<_> =
        report.corrections.iter().map(|row| (row.record_was.as_deref(), row.record.as_deref())).collect();
    let says = ["100.00", "300.00", "400.00"].map(|amount| format!("position 1 big={amount}"));
    let [recorded, first, second] = says.each_ref().map(|words| Some(words.as_str()));
    assert_eq!(rows, [(recorded, first), (first, second)], "which bet, from what to what");
    assert!(report.corrections.iter().all(|row| row.paragraph.as_deref() == Some("5.9")), "{:?}", report.corrections);
    let paper = report.paper().text(200);
    assert!(paper.contains("big=300.00"), "{paper}");
    let found = records.query().round(round).unwrap().unwrap();
    let chips: Vec<_> = found.chips.iter().map(|c| (c.bet.get(), c.returned.get(), c.entitled.get())).collect();
    assert_eq!(chips, [(40_000, 20_000, 80_000)], "the bet as it stood, what was settled, what it returns");
    assert_eq!((found.summary.staked.get(), found.summary.returned.get()), (40_000, 80_000));
    // The day's figures are the floor's.
    let day = records.query().day_report(None, None).unwrap();
    let pit = house.floor.pit_view().tables;
    assert!(day.agrees, "{:?}", day.total);
    assert_eq!((day.total.turnover.0, day.total.win.0), (pit[0].turnover.get(), pit[0].win.get()));
}

#[test]
fn large_cash_of_a_gaming_day_is_reported_by_terminal_and_at_the_cage() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(50_000));
    // Three visits of 4,000.00 at one terminal, each below 10,000.00: none is large, the day is.
    for _ in 0..3 {
        let witness = Some(SECOND_SUPERVISOR);
        house.staff(SUPERVISOR, Body::AttendantIn { terminal: T0, amount: dollars(4_000), witness });
        let (_, number) = house.cash_out(T0);
        house.staff(CASHIER, Body::RedeemTicket { number, amount: None, witness: None });
    }
    let report = in_memory(&house).query().people_report(None, None).unwrap();
    assert!(report.cash.is_empty(), "{:?}", report.cash);
    let rows: Vec<_> =
        report.cash_by_day.iter().map(|row| (row.terminal, row.staff.is_some(), row.cash_out.0)).collect();
    // The 1,000.00 of the first visit were there before.
    assert_eq!(rows, [(None, true, 1_300_000), (Some(0), false, 1_300_000)]);
}

#[test]
fn d19_a_device_out_of_service_stands_in_the_reports_of_every_day_until_it_is_back() {
    let mut house = House::with("rws-sicbo");
    house.out_of_service(Function::Reading);
    let first = in_memory(&house).query().day_report(None, None).unwrap().period.first;
    house.later(24 * 60 * 60 * 1000);
    house.system(Body::Elapse);
    let records = in_memory(&house);
    let still = records.query().people_report(None, None).unwrap();
    assert!(still.period.first > first, "another day");
    let rows: Vec<_> =
        still.out_of_service.iter().map(|row| (row.function.as_str(), row.table, row.back.is_none())).collect();
    assert_eq!(rows, [("reading", Some(0), true)]);
    assert!(still.paper().text(200).contains("still out"));
    let day = records.query().day_report(None, None).unwrap();
    assert_eq!(day.out_of_service, still.out_of_service);
    assert!(day.paper().text(200).contains("Devices out of service"));
    house.staff(SUPERVISOR, House::servicing(Function::Reading, true, Some(MANAGER)));
    let records = in_memory(&house);
    let today = records.query().people_report(None, None).unwrap().out_of_service;
    assert!(today[0].back.is_some() && today[0].back_by.is_some(), "{today:?}");
    // On the first day it was not back yet; on the next one it is not out at all.
    let before = records.query().day_report(Some(&first), None).unwrap().out_of_service;
    assert_eq!((before.len(), before[0].back), (1, None));
    house.later(24 * 60 * 60 * 1000);
    house.system(Body::Elapse);
    assert!(in_memory(&house).query().people_report(None, None).unwrap().out_of_service.is_empty());
}
