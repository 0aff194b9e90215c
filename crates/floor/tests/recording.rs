//! Recording the chips of a live table (D20), and other things a live table got wrong.

use crate::common::live::whole;
use crate::common::*;
use floor::*;
use rulebook::Face;

fn placing(house: &House, chips: (u8, &str, i64)) -> Body {
    house.placing(chips)
}

fn removing(house: &House, (position, spot, amount): (u8, &str, i64), witness: Option<StaffId>) -> Body {
    let (spot, amount, reason) = (house.chip_spot(spot), dollars(amount), "keyed twice".to_owned());
    Body::RemoveChips { table: TABLE, position: Position(position), spot, amount, reason, witness }
}

fn correcting(house: &House, round: RoundId, (position, spot, amount): (u8, &str, i64)) -> Body {
    let (spot, amount, reason) = (house.chip_spot(spot), dollars(amount), "camera".to_owned());
    Body::CorrectRecord { round, position: Position(position), spot, amount, reason, witness: Some(SECOND_SUPERVISOR) }
}

#[test]
fn d20_chips_are_recorded_until_the_dice_can_be_seen_whichever_order_tumble_and_call_have() {
    for tumble_first in [true, false] {
        let mut house = House::live();
        house.open();
        let tumble = |house: &mut House| {
            house.device(Observation::Activated);
            house.device(Observation::Tumbled { times: 3 });
        };
        if tumble_first {
            tumble(&mut house);
        }
        house.staff(DEALER, Body::CloseBets { table: TABLE });
        if !tumble_first {
            tumble(&mut house);
        }
        let late = placing(&house, (1, "big", 100));
        house.staff(DEALER, late.clone());
        house.device(Observation::Uncovered);
        assert_eq!(house.refused(Sender::Staff(DEALER), late, Code::BetsClosed), "3.6, 5.7", "{tumble_first}");
        // It is marked as recorded late.
        let console = house.floor.console_view(TABLE).unwrap();
        assert_eq!(console.boxes[0].late, [(Position(1), dollars(100))]);
    }
}

#[test]
fn d20_a_die_read_ends_recording_also_where_the_cover_said_nothing() {
    let mut house = House::live();
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.device(Observation::DiceRead { dice: [None; 3] });
    house.place(&[(1, "big", 100)]);
    house.device(Observation::DiceRead { dice: [Face::new(3), None, None] });
    let late = placing(&house, (1, "big", 100));
    house.refused(Sender::Staff(DEALER), late, Code::BetsClosed);
}

#[test]
fn d20_the_dealers_word_a_result_and_the_period_end_recording() {
    let mut house = House::live();
    house.open();
    let declare = Body::DeclareUncovered { table: TABLE };
    house.refused(Sender::Staff(DEALER), declare.clone(), Code::Phase);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.later(20_000);
    house.place(&[(1, "big", 100)]);
    assert_eq!(house.floor.table(TABLE).unwrap().recording_until(), Some(house.at));
    house.later(1);
    let late = placing(&house, (2, "big", 100));
    house.refused(Sender::Staff(DEALER), late.clone(), Code::BetsClosed);
    // The period is the table's, and a changed one holds from the next round on.
    let set = |period, witness| Body::SetRecordingPeriod { table: TABLE, period, reason: "busy".to_owned(), witness };
    let longer = |period| set(period, Some(SHIFT_MANAGER));
    house.refused(Sender::Staff(DEALER), longer(60_000), Code::Rank);
    house.refused(Sender::Staff(MANAGER), longer(-1), Code::Settings);
    house.refused(Sender::Staff(MANAGER), set(60_000, None), Code::SecondPerson);
    house.staff(MANAGER, longer(60_000));
    house.refused(Sender::Staff(MANAGER), longer(60_000), Code::NothingToDo);
    house.refused(Sender::Staff(DEALER), late.clone(), Code::BetsClosed);
    house.play_device();
    house.enter("6-5-4");
    house.confirm();
    house.open();
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    house.later(50_000);
    house.staff(DEALER, late.clone());
    house.refused(Sender::Staff(SECOND_DEALER), declare.clone(), Code::NotTheDealer);
    house.staff(DEALER, declare.clone());
    house.refused(Sender::Staff(DEALER), late, Code::BetsClosed);
    house.refused(Sender::Staff(DEALER), declare, Code::NothingToDo);
    assert_eq!(house.floor.table(TABLE).unwrap().recording_until(), None);
}

#[test]
fn d20_a_wrong_record_is_removed_with_a_pit_supervisor_until_the_dice_can_be_seen() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 100)]);
    let early = removing(&house, (1, "big", 100), Some(SUPERVISOR));
    house.refused(Sender::Staff(DEALER), early, Code::Phase);
    house.staff(DEALER, Body::CloseBets { table: TABLE });
    for nobody in [None, Some(DEALER), Some(SECOND_DEALER)] {
        let alone = removing(&house, (1, "big", 100), nobody);
        house.refused(Sender::Staff(DEALER), alone, Code::SecondPerson);
    }
    let more = removing(&house, (1, "big", 200), Some(SUPERVISOR));
    house.refused(Sender::Staff(DEALER), more, Code::MoreThanStands);
    let removed = removing(&house, (1, "big", 100), Some(SUPERVISOR));
    house.staff(DEALER, removed.clone());
    assert!(house.in_box("big").is_empty());
    house.place(&[(1, "big", 100)]);
    house.staff(DEALER, Body::DeclareUncovered { table: TABLE });
    house.refused(Sender::Staff(DEALER), removed, Code::BetsClosed);
}

#[test]
fn d20_after_settlement_a_wrong_record_is_put_right_as_a_correction() {
    let mut house = House::live();
    // 100 on Big was recorded where 300 stood, and nothing on Small where 100 stood.
    let round = house.deal(&[(1, "big", 100)], "6-5-4");
    assert_eq!(house.shares(), [(1, 100, 200)]);
    let before = house.chips_out();
    let alone = match correcting(&house, round, (1, "big", 300)) {
        Body::CorrectRecord { round, position, spot, amount, reason, .. } => {
            Body::CorrectRecord { round, position, spot, amount, reason, witness: None }
        }
        _ => unreachable!(),
    };
    house.refused(Sender::Staff(SUPERVISOR), alone, Code::SecondPerson);
    let right = correcting(&house, round, (1, "big", 300));
    house.refused(Sender::Staff(DEALER), right.clone(), Code::Rank);
    house.staff(SUPERVISOR, right.clone());
    house.refused(Sender::Staff(SUPERVISOR), right, Code::NothingToDo);
    assert_eq!(house.shares(), [(1, 300, 600)]);
    assert_eq!(house.chips_out(), before + 200, "the winnings of the other 200 are paid");
    let small = correcting(&house, round, (2, "small", 100));
    house.staff(SUPERVISOR, small);
    assert_eq!(house.chips_out(), before + 200, "the lost 100 are claimed");
    let claims = house.floor.table(TABLE).unwrap().archived(round).unwrap().claims().to_vec();
    assert_eq!(claims, [(Position(2), dollars(100))]);
    // Nothing stood there: the record is taken back whole.
    let nothing = correcting(&house, round, (2, "small", 0));
    house.staff(SUPERVISOR, nothing);
    assert!(house.floor.table(TABLE).unwrap().archived(round).unwrap().claims().is_empty());
}

#[test]
fn d20_a_bet_placed_for_a_player_names_the_pit_employee_also_by_a_chip_reader() {
    let mut house = House::live();
    let place = DevicePlace::Table(TABLE);
    house.system(Body::add_device("reader".to_owned(), DeviceKind::ChipReader, place));
    let reader = Sender::Device(house.floor.devices().last().unwrap().id());
    house.open();
    let (position, spot, amount) = (Position(1), house.chip_spot("big"), dollars(100));
    let unnamed = Body::PlaceChips { table: TABLE, position, spot, amount, for_player: true };
    assert_eq!(house.refused(reader, unnamed, Code::NotFound), "5.13");
    let named = |employee| Body::PlaceForPlayer { table: TABLE, position, spot, amount, employee };
    house.refused(reader, named(CASHIER), Code::Rank);
    let placed = house.ok(reader, named(SECOND_DEALER));
    assert!(matches!(placed[0], Event::ChipsPlaced { by: Some(SECOND_DEALER), for_player: true, .. }));
    // What a player placed needs no name.
    let own = house.placing((2, "big", 100));
    house.ok(reader, own);
    assert_eq!(house.floor.table(TABLE).unwrap().round().unwrap().chips()[0].placed_by, Some(SECOND_DEALER));
}

#[test]
fn d20_a_bet_under_the_minimum_is_refused_only_after_it_was_pointed_out() {
    let mut house = House::live();
    house.open();
    house.place(&[(1, "big", 5)]);
    let (position, spot) = (Position(1), house.chip_spot("big"));
    let refuse = Body::RefuseUnderMinimum { table: TABLE, position, spot };
    let advise = Body::AdviseMinimum { table: TABLE, position, spot };
    assert_eq!(house.refused(Sender::Staff(DEALER), refuse.clone(), Code::NotAdvised), "5.2");
    house.staff(DEALER, advise.clone());
    assert_eq!(house.floor.console_view(TABLE).unwrap().boxes[0].advised, [position]);
    house.staff(DEALER, refuse.clone());
    assert!(house.in_box("big").is_empty());
    // A player who bets too little again is advised again.
    house.place(&[(1, "big", 5)]);
    house.refused(Sender::Staff(DEALER), refuse, Code::NotAdvised);
}

#[test]
fn d20_what_is_to_be_paid_is_stake_and_winnings_apart() {
    let mut house = House::live();
    // 900 and 300 in a box of 1,000: 735 and 245 are at risk beside a whole 20.
    let round =
        house.deal(&[(1, "single/6", 900), (2, "single/6", 300), (3, "single/6", 20), (4, "small", 100)], "6-5-4");
    let shares = house.floor.table(TABLE).unwrap().archived(round).unwrap().shares().to_vec();
    let paid: Vec<(u8, i64, i64)> =
        shares.iter().map(|share| (share.position.0, whole(share.stake_back()), whole(share.winnings()))).collect();
    assert_eq!(paid, [(4, 0, 0), (1, 900, 735), (2, 300, 245), (3, 20, 20)]);
    let lost = house.deal(&[(1, "single/1", 900), (2, "single/1", 300)], "6-5-4");
    let shares = house.floor.table(TABLE).unwrap().archived(lost).unwrap().shares().to_vec();
    assert_eq!(
        (whole(shares[0].stake_back()), whole(shares[0].winnings())),
        (150, 0),
        "what was not at risk goes back"
    );
}

#[test]
fn a_new_live_table_has_no_betting_clock() {
    let taisai = rulebook::library::find("rws-taisai").unwrap();
    assert_eq!(TableSettings::of(taisai).betting_period, 0);
    assert_eq!(TableSettings::of(rulebook::library::find("rws-sicbo").unwrap()).betting_period, 20_000);
}

#[test]
fn a_float_movement_never_takes_the_tray_below_zero() {
    let mut house = House::with("rws-taisai");
    let sale = |amount| Body::MoveFloat {
        table: TABLE,
        movement: FloatMovement::BuyIn(dollars(amount)),
        counts: Vec::new(),
        witness: None,
        reason: String::new(),
    };
    house.refused(Sender::Staff(DEALER), sale(1), Code::Float);
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(100)));
    house.refused(Sender::Staff(DEALER), sale(101), Code::Float);
    house.staff(DEALER, sale(100));
    assert_eq!(house.tray(), 0);
    let ruling = Ruling::PayChips { position: Position(1), amount: dollars(1) };
    let (reason, witness) = ("goodwill".to_owned(), None);
    let pay = Body::Decide { table: TABLE, round: None, ruling, reason, witness };
    house.refused(Sender::Staff(SHIFT_MANAGER), pay, Code::Float);
}

#[test]
fn a_tray_pays_what_a_record_put_right_adds_and_never_goes_below_zero() {
    let mut house = House::live();
    let round = house.deal(&[(1, "big", 100)], "5-5-6");
    let tray = house.floor.table(TABLE).unwrap().float();
    house.float(SUPERVISOR, FloatMovement::Credit(rulebook::Cents::new(tray.get() - 10_000)));
    let right = correcting(&house, round, (1, "big", 300));
    house.refused(Sender::Staff(SUPERVISOR), right.clone(), Code::Float);
    house.float(SUPERVISOR, FloatMovement::Fill(dollars(100)));
    house.staff(SUPERVISOR, right);
    assert_eq!(house.tray(), 0, "200 in the tray, and the winnings of the other 200");
}

#[test]
fn chips_from_elsewhere_are_not_chips_that_this_table_has_given_out() {
    let mut house = House::with("rws-taisai");
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(10_000)));
    // Cash chips are valid at every table: no one bought in here.
    house.deal(&[(1, "big", 300)], "1-1-2");
    let table = house.floor.table(TABLE).unwrap();
    assert_eq!((table.chips_with_players(), table.chips_from_elsewhere()), (dollars(0), dollars(300)));
    house.deal(&[(1, "big", 500)], "5-5-6");
    let table = house.floor.table(TABLE).unwrap();
    assert_eq!((table.chips_with_players(), table.chips_from_elsewhere()), (dollars(200), dollars(0)));
}
