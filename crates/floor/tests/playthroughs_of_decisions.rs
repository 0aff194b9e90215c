//! A golden playthrough of every decision about what happens at a table when something is not as usual (D18 to D29):
//! commands with who sends them, events or refusals, what each screen shows, and the books at the end.
//!
//! The texts are in `tests/playthroughs`, one file for each decision.

use crate::common::*;
use crate::playthrough::Play;
use floor::*;
use rulebook::GroundId;

fn opened(play: &mut Play, bets: &[&'static str]) {
    play.step("bets are opened, and a player bets", |h| {
        h.open();
        h.bet(T0, bets);
    });
}

fn device(play: &mut Play, observation: Observation) {
    play.send(Sender::Device(DEVICE), Body::Observe(observation));
}

#[test]
fn playthrough_of_d18() {
    let mut play = Play::of("D18", "the first lawful outcome stands", House::with("rws-sicbo"));
    opened(&mut play, &["small=50.00"]);
    play.step("bets are closed, and the dice of a lawful tumble are read: 2-2-4", |h| {
        h.close();
        let outcome = h.outcome(TABLE, "2-2-4");
        h.honest_device(TABLE, outcome);
    });
    play.part("the tumbler is set off once more");
    device(&mut play, Observation::Activated);
    play.screens();
    play.part("no other result is taken, and no one ends the round alone");
    let (first, other) = (play.house.outcome(TABLE, "2-2-4"), play.house.outcome(TABLE, "6-6-5"));
    play.staff(DEALER, Body::enter_result(TABLE, other));
    play.staff(DEALER, Body::enter_result(TABLE, first));
    let keep = |witness| Body::KeepFirstOutcome { table: TABLE, witness, affirmed: Vec::new() };
    play.staff(DEALER, keep(None));
    play.part("the dealer and a Pit Supervisor end the round with the first outcome");
    play.staff(DEALER, keep(Some(SUPERVISOR)));
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d19() {
    let mut play = Play::of("D19", "a result needs its lawful tumble or spin", House::with("rws-sicbo"));
    opened(&mut play, &["small=50.00"]);
    play.step("bets are closed", |h| h.close());
    play.part("the tumbler reports nothing: it holds the round");
    let outcome = play.house.outcome(TABLE, "2-2-4");
    play.staff(DEALER, Body::enter_result(TABLE, outcome));
    play.screens();
    play.part("two people take it out of service; one is not enough");
    play.staff(SECOND_SUPERVISOR, House::servicing(Function::Device, false, None));
    play.staff(SECOND_SUPERVISOR, House::servicing(Function::Device, false, Some(MANAGER)));
    play.part("the dealer affirms the points of the document with the entry");
    play.staff(DEALER, Body::enter_result(TABLE, outcome));
    let entry = play.house.entry(TABLE, outcome);
    play.staff(SECOND_SUPERVISOR, entry.clone());
    play.staff(DEALER, entry);
    play.staff(DEALER, Body::confirm_result(TABLE));
    play.screens();
    play.part("it is back in service from the next round");
    play.staff(SECOND_SUPERVISOR, House::servicing(Function::Device, true, Some(MANAGER)));
    play.done();
}

#[test]
fn playthrough_of_d20() {
    let mut play = Play::of("D20", "live chips", House::live());
    let chips = |house: &House, spot: &str, amount| (Position(1), house.chip_spot(spot), dollars(amount));
    play.step("bets are opened, chips are placed, bets are closed", |h| {
        h.open();
        h.place(&[(1, "big", 100), (2, "small", 50)]);
        h.close();
    });
    play.part("what stood at the close is still recorded, and marked");
    let (position, spot, amount) = chips(&play.house, "double/5", 25);
    let place = Body::PlaceChips { table: TABLE, position, spot, amount, for_player: false };
    play.staff(DEALER, place.clone());
    play.screens();
    play.part("a wrong record is removed by two people");
    let remove = |witness| Body::RemoveChips {
        table: TABLE,
        position,
        spot,
        amount,
        reason: "the chips were on double 6".to_owned(),
        witness,
    };
    play.staff(DEALER, remove(None));
    play.staff(DEALER, remove(Some(SUPERVISOR)));
    play.part("the dice are uncovered: nothing more is recorded or removed");
    play.staff(DEALER, Body::DeclareUncovered { table: TABLE });
    play.staff(DEALER, place);
    play.step("the round is dealt and settled", |h| {
        h.play_device();
        h.enter("5-5-6");
        h.confirm();
    });
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d21_and_d22() {
    let about = "an interruption is reported where it happens, and nothing is attested against the record";
    let mut play = Play::of("D21-D22", about, House::with("rws-sicbo"));
    opened(&mut play, &["small=50.00"]);
    play.step("bets are closed, the dice are uncovered, and one of them is read", |h| {
        h.close();
        h.play_device();
        h.device(Observation::DiceRead { dice: [rulebook::Face::new(2), None, None] });
    });
    let report = |failed| Body::ReportInterruption { table: TABLE, failed, note: None };
    play.part("a display fails: it is recorded, and the round goes on");
    play.staff(SUPERVISOR, report(Failed::Display));
    play.part("the power at the table fails");
    play.staff(DEALER, report(Failed::Power));
    play.screens();
    play.part("one die was read: an outcome is established, and the opposite is not attested");
    let attest = |finding, witness| Body::Attest { table: TABLE, finding, witness };
    play.staff(DEALER, attest(Finding::NotEstablished, Some(SUPERVISOR)));
    play.staff(DEALER, attest(Finding::Established, None));
    play.staff(DEALER, attest(Finding::Established, Some(SUPERVISOR)));
    play.part("the round is concluded");
    let outcome = play.house.outcome(TABLE, "2-2-4");
    let entry = play.house.entry(TABLE, outcome);
    play.staff(DEALER, entry);
    play.staff(DEALER, House::confirming_with(SUPERVISOR));
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d23() {
    let mut play = Play::of("D23", "every ground can be declared", House::with("rws-roulette-000"));
    opened(&mut play, &["red=50.00"]);
    play.step("bets are closed, the ball rests in 17, and the result is entered", |h| {
        h.close();
        h.enter("17");
    });
    play.part("the dealer saw that the wheel stood still at the spin, which its device did not report");
    let declare = |witness| Body::DeclareGround { table: TABLE, ground: GroundId::WheelNotRotating, witness };
    play.staff(DEALER, declare(None));
    play.part("the ball can be seen: a Pit Supervisor signs, and the round is void");
    play.staff(DEALER, declare(Some(SUPERVISOR)));
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d24() {
    let mut play = Play::of("D24", "past rounds", House::with("rws-sicbo"));
    play.step("three rounds are played", |h| {
        for _ in 0..3 {
            h.play(&["big=10.00"], "6-5-4");
        }
    });
    play.screens();
    play.part("the recording shows 1-2-4 in the first two: first the preview of what that would move");
    let outcome = Some(play.house.outcome(TABLE, "1-2-4"));
    let changes = vec![(RoundId(0), outcome), (RoundId(1), outcome)];
    let preview = play.house.floor.preview(TABLE, &changes).expect("a preview");
    for round in &preview.rounds {
        let rows: Vec<String> = round
            .adjustments
            .iter()
            .map(|a| {
                let moved = [a.credited, a.payable, a.taken, a.uncollected].map(|amount| amount.to_string());
                format!(
                    "terminal {}: credited {}, payable {}, taken {}, uncollected {}",
                    a.terminal, moved[0], moved[1], moved[2], moved[3]
                )
            })
            .collect();
        play.note(&format!("round {}: {}", round.round, rows.join("; ")));
    }
    let change = |preview, witness| Body::ChangeRounds {
        table: TABLE,
        changes: changes.clone(),
        ground: None,
        reason: "seen on the recording".to_owned(),
        preview,
        witness,
    };
    play.part("the confirmation names the preview and takes two people");
    play.staff(SUPERVISOR, change(rulebook::Hash([0; 32]), Some(SECOND_SUPERVISOR)));
    play.staff(SUPERVISOR, change(preview.hash, None));
    play.staff(SUPERVISOR, change(preview.hash, Some(SECOND_SUPERVISOR)));
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d25() {
    let mut house = House::with("rws-sicbo");
    house.open_shift(CASHIER, dollars(5_000));
    let mut play = Play::of("D25", "a ticket in doubt is a player's money", house);
    let (number, ticket) = (play.house.new_number(), play.house.floor.next_ticket());
    play.part("the player cashes out, and the printer says nothing");
    play.send(Sender::Terminal(T0), Body::PrepareTicket { terminal: T0, number });
    play.house.later(31_000);
    play.send(Sender::System, Body::Elapse);
    play.screens();
    play.part("two people find the ticket in the printer's slot");
    let resolve = |witness| Body::ResolveTicket {
        ticket,
        finding: TicketFinding::InHand,
        reason: "it lay in the slot".to_owned(),
        witness,
    };
    play.staff(SUPERVISOR, resolve(None));
    play.staff(SUPERVISOR, resolve(Some(SECOND_SUPERVISOR)));
    play.part("it is paid once");
    let redeem = || Body::RedeemTicket { number, amount: None, witness: None };
    play.staff(CASHIER, redeem());
    play.staff(CASHIER, redeem());
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d26() {
    let mut play = Play::of("D26", "the dealer of the table", House::with("rws-sicbo"));
    play.part("another dealer must first take the table over");
    play.staff(SECOND_DEALER, Body::open_bets(TABLE));
    play.staff(SECOND_DEALER, Body::TakeTable { table: TABLE });
    play.staff(SECOND_DEALER, Body::open_bets(TABLE));
    play.step("a player bets", |h| drop(h.bet(T0, &["small=50.00"])));
    play.part(
        "the first dealer no longer deals here; a Pit Supervisor may, and every Pit Employee reports an interruption",
    );
    play.staff(DEALER, Body::CloseBets { table: TABLE });
    play.staff(SUPERVISOR, Body::CloseBets { table: TABLE });
    play.staff(DEALER, Body::ReportInterruption { table: TABLE, failed: Failed::SomeTerminals, note: None });
    play.step("the round is dealt and settled by the dealer of the table", |h| {
        h.acknowledge(TABLE);
        let outcome = h.outcome(TABLE, "2-2-4");
        h.honest_device(TABLE, outcome);
        let entry = h.entry(TABLE, outcome);
        h.staff(SECOND_DEALER, entry);
        h.staff(SECOND_DEALER, Body::confirm_result(TABLE));
    });
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d27() {
    let settings = TableSettings { hand_pay: dollars(500), ..House::settings("rws-sicbo") };
    let mut play = Play::of("D27", "limits on acting alone", House::with_settings("rws-sicbo", settings));
    let put = |terminal, amount, witness| Body::AttendantIn { terminal, amount: dollars(amount), witness };
    let pay = |terminal, amount, witness| Body::AttendantPay { terminal, amount: dollars(amount), witness };
    play.part("one person puts 300.00 on a terminal and wants to pay 250.00 of another: together more than 500.00");
    play.staff(SUPERVISOR, put(T0, 300, None));
    play.staff(SUPERVISOR, pay(T1, 250, None));
    play.part("not with themselves; with a second person, who signs for the total");
    play.staff(SUPERVISOR, pay(T1, 250, Some(SUPERVISOR)));
    play.staff(SUPERVISOR, pay(T1, 250, Some(SECOND_SUPERVISOR)));
    play.part("the count starts again");
    play.staff(SUPERVISOR, pay(T1, 250, None));
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d28() {
    let settings = TableSettings { hand_pay: dollars(500), ..House::settings("rws-sicbo") };
    let house = House::with_settings("rws-sicbo", settings);
    let mut play = Play::of("D28", "when no second person is available", house);
    opened(&mut play, &["small=50.00"]);
    let put = |terminal, amount| Body::AttendantIn { terminal, amount: dollars(amount), witness: None };
    let purpose = Purpose { act: JointAct::AttendantIn, subject: Some(T0.0.into()), amount: Some(dollars(800)) };
    play.part("a validator is dead; the act needs a second person, who is called for it");
    play.staff(SHIFT_MANAGER, put(T0, 800));
    let reason = "the validator is dead".to_owned();
    play.staff(SHIFT_MANAGER, Body::CallSecondPerson { table: Some(TABLE), reason, purpose });
    play.part("after fourteen minutes no one has come");
    play.house.later(14 * 60_000);
    play.staff(SHIFT_MANAGER, put(T0, 800));
    play.part("after fifteen minutes: not more than the call named, not another terminal, not another act");
    play.house.later(60_000);
    play.staff(SHIFT_MANAGER, put(T0, 10_000));
    play.staff(SHIFT_MANAGER, put(T1, 800));
    play.staff(SHIFT_MANAGER, Body::AttendantPay { terminal: T0, amount: dollars(800), witness: None });
    play.part("what the call was for");
    play.staff(SHIFT_MANAGER, put(T0, 800));
    play.screens();
    play.part("the alert stands until another person of at least that rank has countersigned");
    let alert = play.house.floor.alerts().last().expect("an alert").id();
    play.staff(SUPERVISOR, Body::AcknowledgeAlert { alert });
    play.staff(SHIFT_MANAGER, Body::Countersign { alert });
    play.staff(SECOND_SHIFT_MANAGER, Body::Countersign { alert });
    play.step("the round goes on", |h| drop(h.finish("2-2-4")));
    play.screens();
    play.done();
}

#[test]
fn playthrough_of_d29() {
    let mut house = House::with("rws-sicbo");
    house.add_table("rws-sicbo", House::settings("rws-sicbo"));
    let mut play = Play::of("D29", "several tables from one seat", house);
    let (first, second) = (TABLE, TableId(1));
    let choose = |table| Body::ChooseTable { terminal: T0, table };
    play.part("a terminal is enrolled for two tables while no money is on it");
    let offer = Body::OfferTables { terminal: T0, tables: vec![first, second] };
    play.staff(ADMINISTRATOR, offer.clone());
    play.step("the player cashes out", |h| {
        h.cash_out(T0);
    });
    play.staff(ADMINISTRATOR, offer);
    play.step("a player puts 200.00 in and bets at the first table", |h| {
        h.cash_in(T0, dollars(200));
        h.open();
        h.bet(T0, &["small=50.00"]);
    });
    play.part("no other table while a bet stands in an unsettled round");
    play.send(Sender::Terminal(T0), choose(second));
    play.step("the round is settled", |h| drop(h.finish("2-2-4")));
    play.part("then the other table; credit and visit are kept");
    play.send(Sender::Terminal(T0), choose(second));
    play.screens();
    play.done();
}

#[test]
fn every_decision_about_the_table_has_its_playthrough() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/playthroughs");
    let kept: Vec<String> = std::fs::read_dir(folder)
        .expect("playthroughs")
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .collect();
    for decision in 18..=29 {
        let name = format!("D{decision}");
        assert!(kept.iter().any(|file| file.trim_end_matches(".txt").split('-').any(|part| part == name)), "{name}");
    }
}
