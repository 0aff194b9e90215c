//! Recall at a terminal, and a round whole for a dispute (S5, S7, S13).

use crate::support::*;
use floor::*;
use records::{BetRecord, Query, RoundStatus};
use rulebook::Cents;

/// A bet in short: spot, stake, odds, returned.
fn told(bets: &[BetRecord]) -> Vec<String> {
    bets.iter()
        .map(|bet| {
            let pieces = bet.pieces.as_deref().map_or(String::new(), |pieces| format!(" of {pieces}"));
            let odds = bet.odds.as_deref().unwrap_or("–");
            format!("{}{pieces} {} at {odds} ({}) → {}", bet.spot, bet.stake, bet.paragraph, bet.returned)
        })
        .collect()
}

#[test]
fn s13_the_last_10_rounds_come_complete_and_with_their_pay_table() {
    let mut house = House::with("rws-sicbo");
    let rounds: Vec<RoundId> = (0..12)
        .map(|number| {
            house.later(1_000);
            let outcome = if number % 2 == 0 { "2-2-4" } else { "6-5-4" };
            house.play(&["small=10.00", "total/8=5.00", "single/2=3.00"], outcome)
        })
        .collect();
    let records = in_memory(&house);
    let last = records.query().last_rounds(T0, 10).unwrap();
    assert!(last.iter().map(|recalled| recalled.round.round).eq(rounds.iter().rev().take(10).copied()));
    let [lost, won] = [&last[0], &last[1]];
    assert_eq!(won.round.outcome.as_deref(), Some("2-2-4"));
    assert_eq!(
        told(&won.player.bets),
        [
            "small 10.00 at 1 (4.1.1) → 20.00",
            "total/8 5.00 at 8.5 (4.1.1) → 47.50",
            "single/2 3.00 at 2 (4.1.1) → 9.00"
        ]
    );
    assert_eq!((won.player.staked, won.player.returned), (dollars(18), Cents::new(7_650)));
    assert_eq!(told(&lost.player.bets)[0], "small 10.00 at – (4.1.1) → 0.00");
    assert_eq!((lost.player.staked, lost.player.returned), (dollars(18), Cents::ZERO));
    assert_eq!(won.round.rulebook, house.rulebook(TABLE).hash().to_string());
    assert_eq!((won.round.status, won.round.game.as_str()), (RoundStatus::Settled, "rws-sicbo"));

    let layout = &won.player.layout;
    let table = records.query().pay_table(&won.round.rulebook, &layout.id).unwrap().expect("its pay table");
    assert_eq!((&table.layout, table.game.as_str()), (layout, "rws-sicbo"));
    let single = table.spots.iter().find(|spot| spot.spot == "single/2").unwrap();
    assert_eq!((single.odds.join(" "), single.paragraph.as_str()), ("1 2 12".to_owned(), "4.1.1"));
    assert_eq!(records.query().pay_table("no such hash", &layout.id).unwrap(), None);
    assert_eq!(records.query().pay_table(&won.round.rulebook, "zz").unwrap(), None);
}

#[test]
fn s13_void_and_corrected_rounds_say_so() {
    for game in ON_TERMINALS {
        let story = story(game);
        let records = in_memory(&story.house);
        let query = records.query();
        let recalled = |round| query.player_round(round, T1).unwrap().expect("the terminal had bets");

        let void = recalled(story.void);
        assert_eq!((void.round.status, void.round.outcome), (RoundStatus::Void, None));
        let why = void.round.void.expect("a reason");
        let ground = if game == "rws-roulette-000" { "same-direction" } else { "too-few-tumbles" };
        assert_eq!(why.by.as_deref(), Some(ground));
        let rulebook = story.house.rulebook(TABLE);
        let listed = rulebook.ground(rulebook::GroundId::parse(ground).unwrap()).unwrap();
        assert_eq!(why.paragraph.as_deref(), Some(listed.paragraph.as_str()), "{game}");
        assert_eq!(why.words.map(|words| words.zh), Some(listed.name.zh.clone()));
        assert_eq!((void.player.staked, void.player.returned), (dollars(25), dollars(25)));
        assert!(void.player.bets.iter().all(|bet| bet.odds.is_none() && bet.returned == bet.stake));

        // The player had gone when the result was put right, back, and right again: the payment waits at the cage.
        let corrected = recalled(story.corrected);
        assert_eq!((corrected.round.status, corrected.corrections.len()), (RoundStatus::Corrected, 3));
        assert_eq!((corrected.player.returned, corrected.player.entitled), (Cents::ZERO, dollars(80)));
        let first = &corrected.corrections[0];
        assert_eq!((first.was.as_deref(), first.outcome.as_deref()), (Some(lost(game)), Some(won(game))));
        assert_eq!(first.paragraph.as_deref(), rulebook.irregularities().correction().map(|cited| cited.as_str()));
        let [own] = &first.adjustments[..] else { panic!("{first:?}") };
        assert_eq!((own.terminal, own.was, own.entitled), (Some(T1), Cents::ZERO, dollars(80)));
        assert_eq!((own.credited, own.payable), (Cents::ZERO, dollars(80)));
        let [own] = &corrected.corrections[1].adjustments[..] else { panic!("{corrected:?}") };
        assert_eq!((own.entitled, own.unpaid), (Cents::ZERO, dollars(80)));

        let later = query.player_round(story.voided_later, T0).unwrap().unwrap();
        assert_eq!((later.round.status, later.corrections.len()), (RoundStatus::Void, 1));
        assert_eq!((later.player.returned, later.player.entitled), (dollars(60), dollars(30)));
        let why = later.round.void.unwrap();
        assert_eq!(
            (why.staff.is_some(), why.witness.is_some(), why.reason.as_deref()),
            (true, true, Some("found broken"))
        );
        let expected = if game == "mbs-sicbo" { "decision" } else { later.corrections[0].void_by.as_deref().unwrap() };
        assert_eq!(why.by.as_deref(), Some(expected));
        assert!(why.paragraph.is_some());

        // Who withdrew everything had no bets in the round.
        assert_eq!(query.player_round(story.settled, T1).unwrap(), None);
    }
}

fn won(game: &str) -> &'static str {
    if game == "rws-roulette-000" { "1" } else { "1-2-4" }
}

fn lost(game: &str) -> &'static str {
    if game == "rws-roulette-000" { "2" } else { "6-5-4" }
}

#[test]
fn multi_piece_bets_keep_their_names() {
    let story = story("rws-roulette-000");
    let records = in_memory(&story.house);
    let recalled = records.query().player_round(story.settled, T0).unwrap().unwrap();
    let bets = told(&recalled.player.bets);
    assert_eq!(bets[0], "red 30.00 at 1 (4.1) → 60.00");
    assert_eq!(bets[1], "straight/25 of neighbours/21/2 5.00 at – (4.1) → 0.00");
    assert_eq!(bets.len(), 6);
}

#[test]
fn s7_s11_the_transactions_of_a_terminal_add_up_to_its_meters() {
    for game in ON_TERMINALS {
        let story = story(game);
        let records = in_memory(&story.house);
        for terminal in story.house.floor.terminals() {
            let meters = terminal.meters();
            let totals = records.query().terminal_totals(terminal.id(), Moment(0), Moment(i64::MAX)).unwrap();
            let found = |cause: &str| {
                let total = totals.iter().find(|total| total.cause == cause);
                total.map_or((0, 0), |total| (total.into.get(), total.out_of.get()))
            };
            let into = |cause: &str| found(cause).0;
            let out_of = |cause: &str| found(cause).1;
            let net = |cause: &str| found(cause).0 - found(cause).1;
            assert_eq!(into("cash-in"), meters.cash_in.get());
            assert_eq!(into("ticket-in"), meters.tickets_in.get());
            assert_eq!(into("attendant-in"), meters.attendant_in.get());
            assert_eq!(out_of("wager"), meters.wagers.get());
            assert_eq!(into("win"), meters.wins.get());
            assert_eq!(into("bet-returned"), meters.bets_returned.get());
            assert_eq!(out_of("ticket-prepared") - into("print-failed"), meters.tickets_out.get());
            assert_eq!(out_of("attendant-out"), meters.attendant_out.get());
            assert_eq!(net("correction"), meters.corrections.get());
            assert_eq!(net("decision"), meters.decisions.get());
        }
    }
}

#[test]
fn s13_the_last_35_money_transactions_newest_first() {
    let mut house = House::with("rws-sicbo");
    for _ in 0..30 {
        house.later(1_000);
        house.play(&["small=10.00"], "1-2-4");
    }
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount: dollars(7), witness: None });
    let records = in_memory(&house);
    let money = records.query().last_money(T0, 35).unwrap();
    assert_eq!(money.len(), 35);
    assert!(money.is_sorted_by(|a, b| a.sequence >= b.sequence));
    let first = &money[0];
    assert_eq!((first.cause.as_str(), first.amount, first.staff), ("attendant-out", dollars(7), Some(SUPERVISOR)));
    let pair = [("win", "house-win/0", "credit/0", dollars(20)), ("wager", "credit/0", "stakes/0", dollars(10))];
    for (row, (cause, from, to, amount)) in money[1..].iter().zip(pair.into_iter().cycle()) {
        assert_eq!((row.cause.as_str(), row.from.as_str(), row.to.as_str(), row.amount), (cause, from, to, amount));
    }
}

#[test]
fn d7_money_and_rounds_belong_to_the_visit_that_had_them() {
    let mut house = House::with("rws-sicbo");
    let first = house.floor.terminal(T0).unwrap().visit().unwrap();
    house.play(&["small=10.00"], "1-2-4");
    let amount = house.floor.terminal(T0).unwrap().credit();
    house.staff(SUPERVISOR, Body::AttendantPay { terminal: T0, amount, witness: None });
    assert_eq!(house.floor.terminal(T0).unwrap().visit(), None);
    house.later(60_000);
    house.staff(SUPERVISOR, Body::AttendantIn { terminal: T0, amount: dollars(30), witness: None });
    let second = house.floor.terminal(T0).unwrap().visit().unwrap();
    let records = in_memory(&house);
    let query = records.query();
    let causes = |visit| query.visit_money(visit, 35).unwrap().into_iter().map(|row| row.cause).collect::<Vec<_>>();
    assert_eq!(causes(second), ["attendant-in"]);
    assert_eq!(causes(first)[..3], ["attendant-out", "win", "wager"]);
    let [earlier, later] = [first, second].map(|visit| query.visit_began(visit).unwrap().unwrap());
    assert!(later.0 >= earlier.0 + 60_000);
    assert_eq!(query.visit_rounds(T0, first, 10).unwrap().len(), 1);
    assert!(query.visit_rounds(T0, second, 10).unwrap().is_empty());
}

fn lines(query: Query<'_>, round: RoundId) -> Vec<String> {
    let round = query.round(round).unwrap().expect("a round");
    round.lines.iter().map(|line| format!("{} {}", line.code, line.words)).collect()
}

#[test]
fn s5_a_dispute_is_settled_from_the_record() {
    let story = story("rws-sicbo");
    let records = in_memory(&story.house);
    let query = records.query();
    assert_eq!(
        lines(query, story.settled),
        [
            "bets-opened bets opened by person 0",
            "bets-changed terminal 0: small +50.00",
            "bets-changed terminal 0: small -20.00",
            "bets-changed terminal 1: small +10.00",
            "bets-changed terminal 1: small -10.00",
            "bets-changed terminal 2: small +7.00",
            "bets-closed bets closed by person 0",
            "close-acknowledged terminal 0 has shown the close",
            "close-acknowledged terminal 1 has shown the close",
            "close-acknowledged terminal 2 has shown the close",
            "observed device 0: set off",
            "observed device 0: tumbled 3 times",
            "observed device 0: uncovered",
            "observed device 0: dice read as 1-2-4",
            "result-entered 1-2-4 entered by person 0",
            "round-settled settled by 1-2-4: 2 terminals with bets, 74.00 returned",
            "decided decided by person 3, witnessed by person 10: 1.00 to be taken back at terminal 2; as goodwill, 1.00 taken",
        ]
    );
    let corrected = lines(query, story.corrected);
    let tail = &corrected[corrected.len() - 8..];
    assert_eq!(
        tail,
        [
            "result-entered 6-5-4 entered by person 0; the device has not read it completely",
            "result-witnessed 6-5-4 confirmed by person 0, witnessed by person 1, which the device did not read (D19)",
            "round-settled settled by 6-5-4: 2 terminals with bets, 0.00 returned",
            "round-corrected round 2 corrected to 1-2-4 by person 1, witnessed by person 8: seen on the recording; \
             2 terminals, 200.00 credited, 80.00 payable at the cage",
            "alert-raised alert 1: in round 2 a device read something else than was entered",
            "round-corrected round 2 corrected to 6-5-4 by person 1, witnessed by person 8: seen on the recording; \
             2 terminals, 80.00 no longer payable, 200.00 taken",
            "round-corrected round 2 corrected to 1-2-4 by person 1, witnessed by person 8: seen on the recording; \
             2 terminals, 200.00 credited, 80.00 payable at the cage",
            "correction-paid 80.00 of a correction paid at the cage in shift 0 (payment 1)",
        ]
    );

    // One player's round alone contains no other player's bets.
    let own = query.player_lines(story.settled, T2).unwrap();
    let changes: Vec<_> = own.iter().filter(|line| line.code == "bets-changed").map(|line| &line.words).collect();
    assert_eq!(changes, ["terminal 2: small +7.00"]);
    assert!(own.iter().any(|line| line.code == "result-entered" && line.staff == Some(DEALER)));

    let whole = query.round(story.corrected).unwrap().unwrap();
    assert_eq!(whole.players.iter().map(|player| player.terminal).collect::<Vec<_>>(), [T0, T1]);
    assert_eq!(whole.corrections[0].adjustments.len(), 2);
    assert_eq!(whole.sequence, story.house.floor.sequence());
    assert_eq!(query.round(RoundId(99)).unwrap(), None);
}

#[test]
fn a_live_round_is_told_with_its_chips() {
    let story = live();
    let records = in_memory(&story.house);
    let query = records.query();
    let shares = |round| -> Vec<String> {
        let round = query.round(round).unwrap().expect("a round");
        let share = |share: &records::ChipShareRecord| {
            let odds = share.odds.as_deref().unwrap_or("–");
            format!(
                "{} {} {} at risk {} at {odds} → {}, {}",
                share.position, share.spot, share.bet, share.at_risk, share.returned, share.entitled
            )
        };
        round.chips.iter().map(share).collect()
    };
    // Pro rata: the differential of 500.00 caps big at 700.00.
    let settled = shares(story.settled);
    assert_eq!(settled.len(), 5, "{settled:?}");
    assert_eq!(settled[2], "3 big 20.00 at risk 20.00 at 1 → 40.00, 40.00");
    assert_eq!(settled[4], "4 double/5 25.00 at risk 25.00 at 11 → 300.00, 300.00");
    assert_eq!(shares(story.void)[0], "1 big 500.00 at risk 0.00 at – → 500.00, 500.00");
    assert_eq!(
        shares(story.corrected),
        ["1 big 100.00 at risk 100.00 at – → 200.00, 0.00", "2 small 60.00 at risk 60.00 at 1 → 0.00, 120.00"]
    );
    let corrected = query.round(story.corrected).unwrap().unwrap();
    let adjusted: Vec<_> = corrected.corrections[0]
        .adjustments
        .iter()
        .map(|a| (a.position.unwrap().0, a.was, a.entitled, a.credited, a.uncollected))
        .collect();
    assert_eq!(
        adjusted,
        [
            (1, dollars(200), Cents::ZERO, Cents::ZERO, dollars(200)),
            (2, Cents::ZERO, dollars(120), dollars(120), Cents::ZERO)
        ]
    );
    assert_eq!(shares(story.voided_later), ["5 total/9 30.00 at risk 30.00 at – → 240.00, 30.00"]);
    let placed: Vec<_> = lines(query, story.void)
        .into_iter()
        .filter(|line| line.contains("position") || line.contains("excess"))
        .collect();
    assert_eq!(placed[0], "chips-placed position 1: 400.00 on big, recorded by person 0");
    assert!(placed[3].starts_with("excess-rejected excess on big rejected by person 0"), "{placed:?}");
    assert!(query.round(story.settled).unwrap().unwrap().chip_layout.is_some());
}
