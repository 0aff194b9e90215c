//! Multi-piece bets: all six kinds, for every argument.

use rulebook::{Cents, Rulebook};

use crate::naive::Prose;
use crate::support::{layout, rulebook};

const GAME: &str = "rws-roulette-000";
const CLOCKWISE: &str =
    "0 000 00 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26";

fn pieces(game: &str, text: &str) -> Vec<(String, u32)> {
    let (_, pieces) = rulebook(game).expand(text).unwrap_or_else(|error| panic!("{error}"));
    pieces.iter().map(|piece| (piece.spot.to_string(), piece.count)).collect()
}

fn check(text: &str, expected: &str) {
    let written: Vec<String> = pieces(GAME, text)
        .into_iter()
        .map(|(spot, count)| if count == 1 { spot } else { format!("{count}×{spot}") })
        .collect();
    assert_eq!(written.join(" "), expected, "{text}");
}

#[test]
fn roulette_appendix_b_the_series_are_these_pieces() {
    check("tiers", "split/5-8 split/10-11 split/13-16 split/23-24 split/27-30 split/33-36");
    check("orphelins", "straight/1 split/6-9 split/14-17 split/17-20 split/31-34");
    check("zerospiel", "straight/26 split/0-000 split/00-3 split/12-15 split/32-35");
    check(
        "grandseries",
        "split/0-000 split/4-7 split/12-15 split/18-21 split/19-22 split/32-35 2×street/00-2-3 2×corner/25-26-28-29",
    );
    let count = |text: &str| pieces(GAME, text).into_iter().map(|(_, count)| count).sum::<u32>();
    assert_eq!(["tiers", "orphelins", "zerospiel", "grandseries"].map(count), [6, 5, 5, 10]);
}

#[test]
fn the_documents_own_neighbours_of_21() {
    check("neighbours/21/1", "straight/2 straight/21 straight/4");
    check("neighbours/21/2", "straight/25 straight/2 straight/21 straight/4 straight/19");
    check("neighbours/21/3", "straight/17 straight/25 straight/2 straight/21 straight/4 straight/19 straight/15");
}

#[test]
fn neighbours_are_the_pockets_on_either_side_for_all_39_centres() {
    let order: Vec<&str> = CLOCKWISE.split(' ').collect();
    assert_eq!(order.len(), 39);
    for (place, centre) in order.iter().enumerate() {
        for reach in 1..=3 {
            // Counter-clockwise from the far side, as the document writes them.
            let around: Vec<(String, u32)> = (0..=2 * reach)
                .map(|step| (format!("straight/{}", order[(place + 39 + reach - step) % 39]), 1))
                .collect();
            assert_eq!(pieces(GAME, &format!("neighbours/{centre}/{reach}")), around);
        }
    }
}

#[test]
fn finales_are_the_numbers_with_that_last_digit() {
    check("finale/4", "straight/4 straight/14 straight/24 straight/34");
    check("finale/8", "straight/8 straight/18 straight/28");
    // D2: 00 and 000 are pockets of their own.
    check("finale/0", "straight/0 straight/10 straight/20 straight/30");
    for digit in 0..=9 {
        let expected: Vec<(String, u32)> = Prose::TripleZero
            .outcomes()
            .into_iter()
            .filter(|pocket| !["00", "000"].contains(&pocket.as_str()) && pocket.ends_with(&digit.to_string()))
            .map(|pocket| (format!("straight/{pocket}"), 1))
            .collect();
        assert_eq!(pieces(GAME, &format!("finale/{digit}")), expected);
    }
}

#[test]
fn every_notation_expands_to_merged_pieces_on_the_layout() {
    let mut notations = 0;
    for game in [GAME, "roulette-single-zero", "roulette-double-zero"] {
        let (rulebook, layout) = (rulebook(game), layout(game, "a"));
        let wheel = rulebook.outcomes().wheel().unwrap();
        for text in rulebook.multi_piece().iter().flat_map(|bet| bet.notations(wheel)) {
            notations += usize::from(game == GAME);
            let (bet, pieces) = rulebook.expand(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(text.split('/').next(), Some(bet.id.as_str()));
            for (place, piece) in pieces.iter().enumerate() {
                assert!(layout.index(piece.spot).is_ok(), "{game} {text}: {} is not offered", piece.spot);
                assert!(piece.count > 0);
                assert!(
                    pieces.iter().skip(place + 1).all(|other| other.spot != piece.spot),
                    "{game} {text} not merged"
                );
            }
        }
    }
    // 39 centres × 1, 2, 3; ten finales; four series.
    assert_eq!(notations, 39 * 3 + 10 + 4);
}

#[test]
fn a_piece_costs_the_unit_times_its_count() {
    let unit: Cents = "5.00".parse().unwrap();
    let (_, pieces) = rulebook(GAME).expand("grandseries").unwrap();
    let stakes: Vec<Cents> = pieces.iter().map(|piece| Rulebook::piece_stake(unit, *piece).unwrap()).collect();
    let texts: Vec<String> = stakes.iter().map(Cents::to_string).collect();
    assert_eq!(texts, ["5.00", "5.00", "5.00", "5.00", "5.00", "5.00", "10.00", "10.00"]);
    assert_eq!(Cents::checked_sum(stakes), "50.00".parse().ok());
    let error = Rulebook::piece_stake(Cents::new(i64::MAX), pieces[7]).unwrap_err();
    assert_eq!((error.code(), error.to_string().as_str()), ("amount_too_large", "the amount is too large"));
}

#[test]
fn wrong_arguments_are_refused_with_what_to_write() {
    let refused = |game: &str, text: &str, code: &str, expected: &str| {
        let error = rulebook(game).expand(text).expect_err(text);
        assert_eq!((error.code(), error.to_string().as_str()), (code, expected));
    };
    let neighbours =
        "neighbours/CENTRE/N with a pocket of this wheel and 1 or 2 or 3 on either side, as in neighbours/21/2";
    for text in [
        "neighbours",
        "neighbours/",
        "neighbours/21",
        "neighbours/21/",
        "neighbours/21/0",
        "neighbours/21/4",
        "neighbours/21/02",
        "neighbours/21/2/2",
        "neighbours/37/1",
        "neighbours/0000/1",
        "neighbours/021/1",
        "neighbours/-1/1",
        "neighbours/21/1 ",
        "neighbours/２１/1",
    ] {
        refused(GAME, text, "malformed_multi_piece_bet", &format!("\"{text}\": write {neighbours}"));
    }
    let finale = "finale/D with a last digit from 0 to 9, as in finale/4";
    for text in ["finale", "finale/", "finale/10", "finale/a", "finale/00", "finale/+4", "finale/4/1", "finale/٤"] {
        refused(GAME, text, "malformed_multi_piece_bet", &format!("\"{text}\": write {finale}"));
    }
    refused(GAME, "tiers/1", "malformed_multi_piece_bet", "\"tiers/1\": write tiers");
    let offered = "there are neighbours, tiers, orphelins, zerospiel, finale, grandseries";
    for text in ["", "tier", "Tiers", "straight/1", "/", "voisins"] {
        let expected = format!("\"{text}\" is no multi-piece bet of this game; {offered}");
        refused(GAME, text, "unknown_multi_piece_bet", &expected);
    }
    refused(
        "rws-sicbo",
        "tiers",
        "unknown_multi_piece_bet",
        "\"tiers\" is no multi-piece bet of this game; it has none",
    );
    let neighbours =
        "neighbours/CENTRE/N with a pocket of this wheel and 1 or 2 or 3 on either side, as in neighbours/21/2";
    refused(
        "roulette-double-zero",
        "neighbours/000/1",
        "malformed_multi_piece_bet",
        &format!("\"neighbours/000/1\": write {neighbours}"),
    );
}

#[test]
fn neighbours_further_than_the_wheel_reaches_are_none() {
    let wheel = rulebook(GAME).outcomes().wheel().unwrap();
    let centre = wheel.order()[7];
    assert_eq!(wheel.neighbours(centre, 19).map(|pockets| pockets.len()), Some(39));
    assert_eq!(wheel.neighbours(centre, 0), Some(vec![centre]));
    for reach in [20, 1000, usize::MAX] {
        assert_eq!(wheel.neighbours(centre, reach), None);
    }
}
