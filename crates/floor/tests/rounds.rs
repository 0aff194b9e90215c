//! A whole round of every game.

use crate::common::*;
use floor::*;

#[test]
fn every_game_plays_a_round_and_pays_by_its_own_table() {
    let check = |game: &str, bet: &str, outcome: &str, credit: i64| {
        let mut house = House::with(game);
        house.play(&[bet], outcome);
        assert_eq!(house.credit(T0), dollars(credit), "{game} {bet} on {outcome}");
    };
    check("rws-sicbo", "total/8=10.00", "2-2-4", 1_085);
    check("rws-sicbo-open", "single/2=10.00", "2-2-4", 1_020);
    check("mbs-sicbo", "double/2=10.00", "2-2-4", 1_115);
    check("rws-roulette-000", "straight/17=10.00", "17", 1_350);
    check("rws-roulette-000", "straight/17=10.00", "00", 990);
    check("rws-roulette-000", "tiers=10.00", "5", 1_120);
}

#[test]
fn a_live_table_settles_chips() {
    let mut house = House::with("rws-taisai");
    house.float(SUPERVISOR, FloatMovement::Opener(dollars(10_000)));
    house.float(DEALER, FloatMovement::BuyIn(dollars(2_000)));
    house.open();
    let big = house.chip_spot("big");
    for (position, amount) in [(1, 900), (2, 300), (3, 20)] {
        house.staff(
            DEALER,
            Body::PlaceChips {
                table: TABLE,
                position: Position(position),
                spot: big,
                amount: dollars(amount),
                for_player: false,
            },
        );
    }
    assert!(!house.floor.excess(TABLE).is_empty());
    house.finish("6-5-4");
    let table = house.floor.table(TABLE).unwrap();
    let round = table.archive().next_back().unwrap();
    let shares: Vec<_> =
        round.shares().iter().map(|s| (s.position.0, s.at_risk.to_string(), s.returned.to_string())).collect();
    // The differential of 500 caps big at 500: C stays whole, A and B share the rest.
    assert_eq!(
        shares,
        [
            (1, "360.00".to_owned(), "1260.00".to_owned()),
            (2, "120.00".to_owned(), "420.00".to_owned()),
            (3, "20.00".to_owned(), "40.00".to_owned())
        ]
    );
}
