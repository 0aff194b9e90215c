//! Simulation: chance agrees with the exact figures, for every spot of every layout.

use std::thread::available_parallelism;

use lab::simulate::{LiveBet, LiveError, LiveLimits, LiveTable, Run, Simulation};
use rulebook::{Cents, library};

use crate::{bets, game, layout};

const ROUNDS: u64 = 10_000_000;

fn run(rounds: u64, seed: u64) -> Run<'static> {
    Run::quiet(rounds, seed, available_parallelism().map_or(1, usize::from))
}

#[test]
fn every_spot_of_every_layout_is_within_its_stated_error() {
    let mut layouts = 0;
    for rulebook in library::all().unwrap() {
        for layout in rulebook.layouts() {
            let simulation = Simulation::of_spots(rulebook, layout, run(ROUNDS, 2026));
            let verdict = &simulation.verdict;
            assert!(verdict.agrees, "{} {}: {:?}", rulebook.id(), layout.id(), verdict);
            assert_eq!(simulation.lines.len(), layout.table().spots().len());
            assert!(verdict.largest_z > 0.0 && verdict.largest_z < verdict.allowed_z);
            layouts += 1;
        }
    }
    assert_eq!(layouts, 13, "ten of approved documents, three of examples");
}

#[test]
fn the_errors_are_as_large_as_stated_and_no_larger() {
    // Over many seeds, z² of one spot is one in the mean: errors that were stated too large would hide a wrong table.
    let layout = layout("rws-sicbo", "a");
    let seeds = 400;
    let mut squares = 0.0;
    for seed in 0..seeds {
        let simulation = Simulation::of_spots(game("rws-sicbo"), layout, Run::quiet(20_000, seed, 1));
        squares += simulation.lines[0].z.powi(2);
    }
    let mean = squares / seeds as f64;
    assert!((mean - 1.0).abs() < 4.0 * (2.0 / seeds as f64).sqrt(), "{mean}");
}

#[test]
fn folded_bets_agree_and_a_wrong_table_does_not() {
    let layout = layout("rws-sicbo", "b");
    let placed = bets(layout, &[("small", 1000), ("pair/1-1-3", 100), ("total/9", 250)]);
    let simulation = Simulation::of_bets(game("rws-sicbo"), layout, &placed, run(ROUNDS, 5)).unwrap();
    assert!(simulation.verdict.agrees, "{:?}", simulation.verdict);
    // The same draws held against the edges of another pay table.
    let other = game("rws-sicbo").layout("c").unwrap();
    let wrong = Simulation::of_spots(game("rws-sicbo"), other, run(ROUNDS, 5));
    let right = Simulation::of_spots(game("rws-sicbo"), layout, run(ROUNDS, 5));
    let find = |simulation: &Simulation, id: &str| simulation.lines.iter().find(|line| line.id == id).unwrap().clone();
    let (drawn, exact) = (find(&right, "total/4"), find(&wrong, "total/4"));
    let exact = *exact.exact.numer() as f64 / *exact.exact.denom() as f64;
    assert!((drawn.returned - exact).abs() > 5.0 * drawn.standard_error);
}

fn live(of: &[(&str, &str, i64)], differential: Option<i64>) -> Result<LiveTable, LiveError> {
    let layout = layout("rws-taisai", "a");
    let bets: Vec<LiveBet> = of
        .iter()
        .map(|(player, spot, stake)| LiveBet {
            player: (*player).to_owned(),
            spot: layout.find(spot).unwrap(),
            stake: Cents::new(*stake),
        })
        .collect();
    let limits = LiveLimits {
        minimum: Cents::new(2_500),
        maximum: Some(Cents::new(100_000)),
        differential: differential.map(Cents::new),
        step: Cents::ONE,
    };
    LiveTable::new(game("rws-taisai"), layout, &bets, limits)
}

#[test]
fn a_box_over_its_maximum_is_played_pro_rata() {
    let table =
        live(&[("A", "small", 90_000), ("B", "small", 30_000), ("C", "small", 2_000), ("C", "double/2", 5_000)], None)
            .unwrap();
    let at_risk: Vec<i64> = table.players().iter().map(|player| player.at_risk.get()).collect();
    assert_eq!(at_risk, [73_500, 24_500, 7_000]);
    let simulation = Simulation::of_live(game("rws-taisai"), layout("rws-taisai", "a"), &table, run(ROUNDS, 3));
    assert!(simulation.verdict.agrees, "{:?}", simulation.lines);
    // A: 735 of 900 at an edge of 1/36.
    assert_eq!(table.players()[0].edge_of_bet, rulebook::Fraction::new(735, 900 * 36));
}

#[test]
fn the_heavier_side_is_held_to_the_differential() {
    let table = live(&[("A", "big", 60_000), ("B", "big", 30_000), ("X", "small", 20_000)], Some(50_000)).unwrap();
    let at_risk: i64 = table.players().iter().take(2).map(|player| player.at_risk.get()).sum();
    assert!((69_998..=70_000).contains(&at_risk), "{at_risk}");
    let simulation = Simulation::of_live(game("rws-taisai"), layout("rws-taisai", "a"), &table, run(ROUNDS, 4));
    assert!(simulation.verdict.agrees, "{:?}", simulation.lines);
    assert_eq!(simulation.players.len(), 3);
}

#[test]
fn a_game_without_boxes_is_refused() {
    let layout = layout("rws-sicbo", "a");
    let bets = [LiveBet { player: "A".to_owned(), spot: layout.find("small").unwrap(), stake: Cents::new(100) }];
    let limits = LiveLimits { minimum: Cents::ZERO, maximum: None, differential: None, step: Cents::new(2) };
    let refused = LiveTable::new(game("rws-sicbo"), layout, &bets, limits);
    assert!(matches!(refused, Err(LiveError::NoBoxes(_))));
}
