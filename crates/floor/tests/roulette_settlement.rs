//! Settlement of Roulette Triple Zero: the zeros, the pay table, and the bets of several pieces (3.8, 4.1, Appendices).

use crate::common::*;
use floor::*;

const GAME: &str = "rws-roulette-000";
const LOST: i64 = -10;

/// Ten dollars on a spot, a pocket, and what they win in dollars.
#[track_caller]
fn settles(cases: &[(&str, &str, i64)]) {
    let mut house = House::with(GAME);
    for (spot, pocket, wins) in cases {
        let before = house.credit(T0);
        house.play(&[&format!("{spot}=10.00")], pocket);
        assert_eq!(house.credit(T0).get() - before.get(), dollars(*wins).get(), "{spot} on {pocket}");
    }
}

#[test]
fn rws_roulette_000_3_8_on_a_zero_every_bet_loses_but_those_that_name_it() {
    for zero in ["0", "00", "000"] {
        let mut house = House::with(GAME);
        let spots = house.rulebook(TABLE).layouts()[0].table().spots().to_vec();
        let bets: Vec<String> = spots.iter().map(|priced| format!("{}=1.00", priced.spot)).collect();
        house.open();
        house.bet(T0, &bets.iter().map(String::as_str).collect::<Vec<_>>());
        house.finish(zero);
        // Straight, splits (with the other zeros and the numbers they touch), streets, green and top line.
        let returns = match zero {
            "0" => 36 + 18 * 4 + 12 * 3 + 6,
            "00" => 36 + 18 * 4 + 12 * 3 + 6,
            _ => 36 + 18 * 2 + 12 + 6,
        };
        let returned = house.floor.terminal_view(T0).unwrap().last.unwrap().returned;
        assert_eq!(returned, dollars(returns), "{zero}");
    }
    settles(&[("red", "0", LOST), ("even", "00", LOST), ("low", "000", LOST), ("dozen/1", "0", LOST)]);
    settles(&[("column/1", "000", LOST), ("green", "000", 110), ("split/0-1", "00", LOST), ("topline", "000", 50)]);
}

#[test]
fn rws_roulette_000_4_1_each_kind_of_bet_is_paid_by_the_pay_table() {
    settles(&[
        ("straight/17", "17", 350),
        ("straight/17", "18", LOST),
        ("straight/000", "000", 350),
        ("split/14-17", "17", 170),
        ("split/14-17", "20", LOST),
        ("split/0-00", "00", 170),
        ("street/16-17-18", "17", 110),
        ("street/16-17-18", "19", LOST),
        ("green", "00", 110),
        ("green", "1", LOST),
        ("corner/16-17-19-20", "19", 80),
        ("corner/16-17-19-20", "18", LOST),
        ("sixline/16-21", "21", 50),
        ("sixline/16-21", "22", LOST),
        ("topline", "3", 50),
        ("topline", "4", LOST),
        ("column/1", "34", 20),
        ("column/1", "35", LOST),
        ("dozen/2", "13", 20),
        ("dozen/2", "25", LOST),
        ("high", "19", 10),
        ("high", "18", LOST),
        ("low", "18", 10),
        ("red", "36", 10),
        ("red", "35", LOST),
        ("black", "35", 10),
        ("odd", "35", 10),
        ("even", "36", 10),
        ("even", "35", LOST),
    ]);
}

#[test]
fn rws_roulette_000_appendix_a_the_layout_has_165_spots_and_no_bet_across_numbers_that_do_not_touch() {
    let mut house = House::with(GAME);
    let layout = house.rulebook(TABLE).layouts()[0].clone();
    assert_eq!(layout.table().spots().len(), 165);
    house.open();
    for priced in layout.table().spots() {
        house.bet(T0, &[&format!("{}=1.00", priced.spot)]);
    }
    assert_eq!(house.standing(T0).len(), 165);
    // Three of the green numbers are one spot under two names.
    assert_eq!(layout.find("street/0-00-000"), layout.find("green"));
    house.bet(T1, &["street/0-00-000=10.00"]);
    assert_eq!(house.standing(T1), ["green=10.00"]);
    for apart in ["split/0-3", "split/000-1", "split/1-5", "split/3-4", "street/0-2-3", "corner/3-4-6-7", "sixline/2-7"]
    {
        assert!(layout.find(apart).is_err(), "{apart}");
    }
}

#[test]
fn rws_roulette_000_appendix_b_every_multi_piece_bet_is_one_unit_on_each_piece() {
    for (bet, pieces, pocket, returns) in [
        ("tiers", 6, "33", 18),
        ("orphelins", 5, "17", 36),
        ("orphelins", 5, "1", 36),
        ("zerospiel", 5, "26", 36),
        ("zerospiel", 5, "000", 18),
        ("grandseries", 10, "2", 24),
        ("grandseries", 10, "29", 18),
        ("finale/4", 4, "24", 36),
        ("finale/8", 3, "18", 36),
        ("finale/0", 4, "0", 36),
        ("neighbours/21/1", 3, "2", 36),
        ("neighbours/21/2", 5, "19", 36),
        ("neighbours/21/3", 7, "15", 36),
        ("neighbours/21/3", 7, "32", 0),
    ] {
        let mut house = House::with(GAME);
        house.open();
        house.bet(T0, &[&format!("{bet}=5.00")]);
        assert_eq!(house.credit(T0), dollars(1_000 - 5 * pieces), "{bet} costs a unit for each of its pieces");
        house.finish(pocket);
        assert_eq!(house.credit(T0), dollars(1_000 - 5 * pieces + 5 * returns), "{bet} on {pocket}");
    }
}

#[test]
fn rws_roulette_000_appendix_b_a_multi_piece_bet_keeps_its_identity_beside_plain_bets() {
    let mut house = House::with(GAME);
    house.open();
    house.bet(T0, &["straight/1=3.00", "orphelins=2.00"]);
    house.bet(T0, &["orphelins=1.00"]);
    let view = house.floor.terminal_view(T0).unwrap();
    let pieces: Vec<_> = view.pieces.iter().map(|group| (group.id, group.bet.as_str(), group.unit)).collect();
    assert_eq!(pieces, [(1, "orphelins", dollars(2)), (2, "orphelins", dollars(1))]);
    let on_one: Vec<_> = view.bets.iter().filter(|(spot, ..)| spot.to_string() == "straight/1").collect();
    assert_eq!(
        on_one.iter().map(|(_, group, amount)| (*group, *amount)).collect::<Vec<_>>(),
        [(0, dollars(3)), (1, dollars(2)), (2, dollars(1))]
    );
    // A piece is not withdrawn from its bet; the plain stake is, and the whole bet is.
    let plain_and_more = house.withdrawing(T0, "straight/1", dollars(4));
    house.terminal_refused(T0, plain_and_more, Code::MoreThanStands);
    let piece = house.withdrawing(T0, "split/6-9", dollars(1));
    house.terminal_refused(T0, piece, Code::MoreThanStands);
    let take = |group| Body::Bet { changes: [BetChange::TakePieces { group }].into() };
    assert_eq!(house.terminal_refused(T0, take(3), Code::NotFound), "Appendix B");
    assert_eq!(house.terminal_refused(T0, take(0), Code::NotFound), "Appendix B");
    house.ok(Sender::Terminal(T0), take(1));
    assert_eq!(house.credit(T0), dollars(1_000 - 3 - 5));
    house.finish("1");
    assert_eq!(house.credit(T0), dollars(992 + 36 * 4));
    // A repeat places it as what it was.
    house.open();
    house.ok(Sender::Terminal(T0), Body::RepeatBets { doubled: true });
    let view = house.floor.terminal_view(T0).unwrap();
    let pieces: Vec<_> = view.pieces.iter().map(|group| (group.bet.as_str(), group.unit)).collect();
    assert_eq!((pieces, view.staked), (vec![("orphelins", dollars(2))], dollars(16)));
    house.ok(Sender::Terminal(T0), Body::ClearBets);
    assert!(house.floor.terminal(T0).unwrap().groups().is_empty());
}

#[test]
fn rws_roulette_000_appendix_b_multi_piece_bets_are_for_the_rapid_terminal_only() {
    let mut house = House::with(GAME);
    let standard = house.enrol(TABLE, "standard", "a");
    house.cash_in(standard, dollars(1_000));
    house.open();
    for bet in ["tiers", "orphelins", "zerospiel", "grandseries", "finale/4", "neighbours/21/2"] {
        let bet = format!("{bet}=5.00");
        assert_eq!(house.bet_refused(standard, &[&bet], Code::NotOffered), "Appendix B");
        house.bet(T0, &[&bet]);
    }
    // The spots themselves are on the same layout.
    house.bet(standard, &["split/5-8=5.00"]);
    for unknown in ["voisins=5.00", "finale/10=5.00", "neighbours/21/4=5.00", "neighbours/37/1=5.00", "tiers/1=5.00"] {
        assert_eq!(house.bet_refused(T0, &[unknown], Code::NotOffered), "Appendix B", "{unknown}");
    }
}

#[test]
fn rws_roulette_000_appendix_b_each_piece_counts_on_its_own_spot_for_the_limits() {
    let limit = Limit { minimum: dollars(5), maximum: Some(dollars(20)) };
    let mut house = House::with_settings(GAME, TableSettings { limit, ..House::settings(GAME) });
    house.open();
    assert_eq!(house.bet_refused(T0, &["tiers=4.00"], Code::BelowMinimum), "3.3");
    assert_eq!(house.bet_refused(T0, &["tiers=21.00"], Code::AboveMaximum), "3.3");
    // Two pieces of the grand series stand on one street: its unit has half the room.
    assert_eq!(house.bet_refused(T0, &["grandseries=11.00"], Code::AboveMaximum), "3.3");
    house.bet(T0, &["grandseries=10.00"]);
    assert_eq!(house.bet_refused(T0, &["street/00-2-3=5.00"], Code::AboveMaximum), "3.3");
    // What the pieces of several bets and a plain one make together is what counts.
    house.bet(T0, &["zerospiel=5.00", "split/12-15=5.00"]);
    assert_eq!(house.bet_refused(T0, &["split/12-15=1.00"], Code::AboveMaximum), "3.3");
    assert_eq!(house.bet_refused(T0, &["zerospiel=5.00"], Code::AboveMaximum), "3.3");
    house.bet(T1, &["tiers=5.00"]);
    house.bet(T1, &["split/5-8=1.00"]);
    let alone = Body::Bet { changes: [BetChange::TakePieces { group: 1 }].into() };
    assert_eq!(house.terminal_refused(T1, alone, Code::BelowMinimum), "3.3", "what is left must reach the minimum");
}

#[test]
fn rws_roulette_000_appendix_b_a_void_returns_all_pieces_and_a_correction_settles_them_anew() {
    let mut house = House::with(GAME);
    house.open();
    house.bet(T0, &["grandseries=10.00", "tiers=10.00"]);
    house.close();
    house.staff(DEALER, Body::declare_ground(TABLE, rulebook::GroundId::ForeignObject));
    assert_eq!(house.credit(T0), dollars(1_000));
    let round = house.play(&["grandseries=10.00", "tiers=10.00"], "1");
    assert_eq!(house.credit(T0), dollars(840));
    house.correct(round, "3");
    assert_eq!(house.credit(T0), dollars(840 + 240));
    house.correct(round, "8");
    assert_eq!(house.credit(T0), dollars(840 + 180));
}
