//! PAR sheets: fractions worked out by hand.

use lab::par::ParSheet;
use rulebook::{Fraction, library};

use crate::{game, layout};

fn sheet(id: &str, of: &str) -> ParSheet {
    ParSheet::of(game(id), layout(id, of))
}

/// Spot, ways, true odds, edge and variance.
type Line = (&'static str, u32, (i128, i128), (i128, i128), (i128, i128));

fn check(sheet: &ParSheet, lines: &[Line]) {
    for (spot, ways, true_odds, edge, variance) in lines {
        let row = sheet.spots.iter().find(|row| row.spot == *spot).unwrap_or_else(|| panic!("{spot}"));
        let fraction = |(a, b): (i128, i128)| Fraction::new(a, b);
        assert_eq!(row.ways, *ways, "{spot}");
        assert_eq!(row.true_odds, fraction(*true_odds), "{spot}");
        assert_eq!(row.edge, fraction(*edge), "{spot}");
        assert_eq!(row.variance, fraction(*variance), "{spot}");
        assert!((row.deviation.powi(2) - variance.0 as f64 / variance.1 as f64).abs() < 1e-9);
        assert!((row.volatility - 1.645 * row.deviation).abs() < 1e-12);
    }
}

#[test]
fn dice() {
    // Any triple: 6 of 216, paid 32: E = (6·32 − 210)/216 = −18/216; E² = (6·1024 + 210)/216 = 6354/216.
    // Single: 75·1 + 15·2 + 1·12 = 117 won, 125 lost: −8/216; squares 75 + 60 + 144 + 125 = 404.
    check(
        &sheet("rws-sicbo", "a"),
        &[
            ("small", 105, (37, 35), (1, 36), (1295, 1296)),
            ("triple/any", 6, (35, 1), (1, 12), (6354 * 2 - 3, 432)),
            ("single/4", 91, (125, 91), (1, 27), (404 * 216 - 64, 216 * 216)),
            ("total/8", 21, (65, 7), (11, 144), (21 * 17 * 17 * 216 + 195 * 4 * 216 - 33 * 33, 4 * 216 * 216)),
        ],
    );
}

#[test]
fn wheels() {
    // A number paid 35 on a wheel of n: E = (35 − (n − 1))/n, E² = (1225 + n − 1)/n.
    for (id, n) in [("roulette-single-zero", 37), ("roulette-double-zero", 38), ("rws-roulette-000", 39)] {
        let edge = (n - 36, n);
        let variance = ((1224 + n) * n - (36 - n) * (36 - n), n * n);
        check(&sheet(id, "a"), &[("straight/17", 1, (n - 1, 1), edge, variance)]);
    }
}

#[test]
fn families_are_ranked_by_their_edge() {
    let sheet = sheet("rws-sicbo", "b");
    assert!(sheet.families.is_sorted_by_key(|row| row.mean));
    assert_eq!(sheet.families.last().map(|row| row.family.as_str()), Some("pair"));
    assert_eq!(sheet.families.iter().map(|row| row.spots).sum::<usize>(), sheet.spots.len());
}

#[test]
fn every_payment_is_there_with_its_ways() {
    let sheet = sheet("rws-sicbo", "a");
    let single = sheet.spots.iter().find(|row| row.spot == "single/1").unwrap();
    let pays: Vec<(&str, u32)> = single.pays.iter().map(|payment| (payment.odds.as_str(), payment.ways)).collect();
    assert_eq!(pays, [("1", 75), ("2", 15), ("12", 1)]);
}

#[test]
fn every_layout_has_a_paper_in_every_form() {
    for rulebook in library::all().unwrap() {
        for layout in rulebook.layouts() {
            let paper = ParSheet::of(rulebook, layout).paper();
            let hash = rulebook.hash().to_string();
            for text in [paper.text(110), paper.csv(), paper.html()] {
                assert!(text.contains(&hash), "{}", rulebook.id());
            }
            let pdf = paper.pdf().unwrap();
            assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 10_000);
            assert_eq!(pdf, paper.pdf().unwrap(), "the same paper is the same bytes");
        }
    }
}

#[test]
fn inferred_odds_are_marked_on_the_sheet() {
    assert!(sheet("rws-taisai", "a").paper().text(120).contains("4.1 [inferred, D1]"));
}
