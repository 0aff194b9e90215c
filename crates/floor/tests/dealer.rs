//! The dealer of the table (D26), acting posts, and refusals that name the act they refuse.

use crate::common::*;
use floor::*;
use rulebook::Rank;

fn takes(house: &mut House, staff: StaffId) {
    house.staff(staff, Body::TakeTable { table: TABLE });
}

#[test]
fn d26_the_dealers_acts_are_those_of_the_dealer_who_has_taken_the_table() {
    let mut house = House::with("rws-sicbo");
    let other = Sender::Staff(SECOND_DEALER);
    assert_eq!(house.refused(other, Body::open_bets(TABLE), Code::NotTheDealer), "D26");
    house.open();
    house.refused(other, Body::CloseBets { table: TABLE }, Code::NotTheDealer);
    let ground = rulebook::GroundId::DiceDamaged;
    house.refused(other, Body::declare_ground(TABLE, ground), Code::NotTheDealer);
    // A person of higher rank may.
    house.staff(SUPERVISOR, Body::CloseBets { table: TABLE });
    house.acknowledge(TABLE);
    house.play_device();
    let outcome = house.outcome(TABLE, "1-2-3");
    house.reads(TABLE, outcome);
    house.refused(other, Body::enter_result(TABLE, outcome), Code::NotTheDealer);
    // Taking over is one act, and is on record.
    let taken = house.staff(SECOND_DEALER, Body::TakeTable { table: TABLE });
    assert_eq!(taken, [Event::DealerChanged { table: TABLE, dealer: SECOND_DEALER }]);
    house.refused(other, Body::TakeTable { table: TABLE }, Code::NothingToDo);
    house.staff(SECOND_DEALER, Body::enter_result(TABLE, outcome));
    house.refused(Sender::Staff(DEALER), Body::confirm_result(TABLE), Code::NotTheDealer);
    house.staff(SECOND_DEALER, Body::confirm_result(TABLE));
}

#[test]
fn d26_a_closed_table_has_no_dealer_until_it_is_taken_again() {
    let mut house = House::with("rws-sicbo");
    house.staff(MANAGER, Body::AnnounceClosing { table: TABLE });
    house.later(60_000);
    house.staff(MANAGER, Body::CloseTable { table: TABLE });
    house.staff(MANAGER, Body::OpenTable { table: TABLE });
    house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::NotTheDealer);
    takes(&mut house, DEALER);
    house.open();
}

#[test]
fn d26_recording_chips_stays_open_to_every_pit_employee() {
    let mut house = House::live();
    house.open();
    let chips = house.placing((1, "big", 100));
    house.staff(SECOND_DEALER, chips);
    let spot = house.chip_spot("small");
    let (position, amount) = (Position(2), dollars(100));
    house.staff(SECOND_DEALER, Body::PlaceChips { table: TABLE, position, spot, amount, for_player: true });
    house.staff(SECOND_DEALER, Body::PlayerLeft { table: TABLE, position });
    // What only the dealer says to a player is the dealer's.
    let advise = Body::AdviseMinimum { table: TABLE, position, spot };
    house.refused(Sender::Staff(SECOND_DEALER), advise, Code::NotTheDealer);
}

#[test]
fn d26_an_acting_post_never_joins_configuring_or_auditing_with_play() {
    let mut house = House::with("rws-sicbo");
    // A dealer who acts as administrator configures, and deals no more.
    let acting = |staff, post, witness| Body::AssignActing { staff, post, witness: Some(witness) };
    house.staff(ADMINISTRATOR, acting(DEALER, Some(Post::Administrator), SECOND_ADMINISTRATOR));
    house.refused(Sender::Staff(DEALER), Body::open_bets(TABLE), Code::Rank);
    let new = Body::AddStaff { name: "new".to_owned(), post: Post::Cashier, witness: Some(SECOND_ADMINISTRATOR) };
    house.refused(Sender::Staff(DEALER), new.clone(), Code::SecondPerson);
    house.staff(ADMINISTRATOR, new);
    house.staff(ADMINISTRATOR, acting(DEALER, None, SECOND_ADMINISTRATOR));
    house.staff(DEALER, Body::open_bets(TABLE));
    // The same the other way round.
    house.staff(CASINO_MANAGER, acting(ADMINISTRATOR, Some(Post::Pit(Rank::PitManager)), SHIFT_MANAGER));
    let add = Body::AddStaff { name: "another".to_owned(), post: Post::Cashier, witness: Some(SECOND_ADMINISTRATOR) };
    house.refused(Sender::Staff(ADMINISTRATOR), add, Code::Rank);
    house.staff(ADMINISTRATOR, Body::AnnounceClosing { table: TABLE });
    // An auditor who acts in the pit is no auditor meanwhile.
    house.staff(CASINO_MANAGER, acting(AUDITOR, Some(Post::Pit(Rank::Dealer)), SHIFT_MANAGER));
    let posts: Vec<Post> = house.floor.person(AUDITOR).unwrap().posts().collect();
    assert_eq!(posts, [Post::Pit(Rank::Dealer)]);
    // Within the pit the higher of the two counts, as before.
    house.staff(CASINO_MANAGER, acting(DEALER, Some(Post::Pit(Rank::PitSupervisor)), SHIFT_MANAGER));
    assert_eq!(house.floor.person(DEALER).unwrap().rank(), Some(Rank::PitSupervisor));
}

#[test]
fn d26_the_last_administrator_does_not_act_in_the_pit() {
    let mut house = House::with("rws-sicbo");
    let end = |staff, witness| Body::ChangeStaff { staff, post: Post::Administrator, active: false, witness };
    house.system(end(SECOND_ADMINISTRATOR, None));
    let witness = Some(SHIFT_MANAGER);
    let away = Body::AssignActing { staff: ADMINISTRATOR, post: Some(Post::Pit(Rank::Dealer)), witness };
    house.refused(Sender::Staff(CASINO_MANAGER), away, Code::LastAdministrator);
}

#[test]
fn a_refusal_names_the_act_that_was_refused() {
    let mut house = House::live();
    let words = |house: &mut House, staff: StaffId, body: Body| {
        house.send(Sender::Staff(staff), body).expect_err("refused").into_why().words
    };
    let take = words(&mut house, AUDITOR, Body::TakeTable { table: TABLE });
    assert_eq!(take, "only a Dealer or above may take over a table");
    let display = Body::RecordDisplay { table: TABLE, what: DisplayFault::LitAreas, note: "dark".to_owned() };
    assert_eq!(words(&mut house, CASHIER, display), "only a Dealer or above may record a display fault");
    let fill = Body::MoveFloat {
        table: TABLE,
        movement: FloatMovement::Fill(dollars(1)),
        counts: Vec::new(),
        witness: None,
        reason: String::new(),
    };
    assert_eq!(words(&mut house, DEALER, fill), "only a Pit Supervisor or above may move the float");
    let sale = Body::MoveFloat {
        table: TABLE,
        movement: FloatMovement::BuyIn(dollars(1)),
        counts: Vec::new(),
        witness: None,
        reason: String::new(),
    };
    assert_eq!(words(&mut house, AUDITOR, sale), "only a Dealer or above may sell chips");
    let close = words(&mut house, DEALER, Body::CloseTable { table: TABLE });
    assert_eq!(close, "only a Pit Manager or above may close a table");
    let sell = Body::OpenShift { float: dollars(1), witness: None };
    assert_eq!(words(&mut house, DEALER, sell), "only a cashier may open a shift");
}
