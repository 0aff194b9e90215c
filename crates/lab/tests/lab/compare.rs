//! Pay tables side by side, against the sheets of each.

use lab::compare::Comparison;
use lab::par::ParSheet;
use rulebook::{Cents, Fraction};

use crate::{game, layout};

#[test]
fn a_layout_against_itself_costs_nothing() {
    let one = (game("rws-sicbo"), layout("rws-sicbo", "b"));
    let comparison = Comparison::of(&[one, one], &[]);
    let against = comparison.layouts[1].against_first.clone().expect("against the first");
    assert_eq!((against.common, against.dearer, against.cheaper), (104, 0, 0));
    assert_eq!(against.mean.exact, "0");
    assert!(comparison.spots.iter().all(|spot| spot.alike && spot.offers.iter().all(Option::is_some)));
}

#[test]
fn every_offer_is_the_one_of_its_sheet() {
    let sides = [("rws-sicbo", "a"), ("rws-sicbo", "c"), ("sicbo-macau", "a")].map(|(id, l)| (game(id), layout(id, l)));
    let comparison = Comparison::of(&sides, &[]);
    for (place, (rulebook, layout)) in sides.into_iter().enumerate() {
        let sheet = ParSheet::of(rulebook, layout);
        let offered = comparison.spots.iter().filter(|spot| spot.offers[place].is_some()).count();
        assert_eq!(offered, sheet.spots.len());
        for row in &sheet.spots {
            let spot = comparison.spots.iter().find(|spot| spot.spot == row.spot).expect("in the comparison");
            assert_eq!(spot.offers[place].as_ref().map(|offer| &offer.edge.exact), Some(&row.edge.to_string()));
        }
    }
    assert!(comparison.paper().csv().contains("domino/1-2"));
}

#[test]
fn bets_cost_what_their_stakes_weigh() {
    let sides = [("rws-sicbo", "a"), ("rws-sicbo", "b")].map(|(id, l)| (game(id), layout(id, l)));
    let bets = [("small".parse().unwrap(), Cents::new(300)), ("single/1".parse().unwrap(), Cents::new(100))];
    let comparison = Comparison::of(&sides, &bets);
    // (3 × 1/36 + 1 × 1/27) / 4
    let expected = (Fraction::new(3, 36) + Fraction::new(1, 27)) / Fraction::from_integer(4);
    assert_eq!(comparison.layouts[0].bets.as_ref().map(|figure| figure.exact.clone()), Some(expected.to_string()));
    let wheel = [("straight/17".parse().unwrap(), Cents::new(100))];
    assert_eq!(Comparison::of(&sides, &wheel).layouts[0].bets, None, "sic bo has no seventeen");
}
