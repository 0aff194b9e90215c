//! The tests, one function each. Each gives a chi-square statistic, or says how many rounds it needs.

use std::f64::consts::TAU;

use super::device::{Device, Order, sector};
use super::results::{Direction, Results};
use crate::statistics::{ChiSquare, contingency, goodness_of_fit};

/// What a test found.
pub(crate) struct Found {
    pub id: &'static str,
    pub subject: &'static str,
    /// What was counted: rounds, or faces.
    pub observations: u64,
    pub test: ChiSquare,
    /// What stands out most, in words.
    pub most: String,
}

/// A test that needs more rounds.
pub(crate) struct Short {
    pub id: &'static str,
    pub subject: &'static str,
    pub rounds: u64,
}

pub(crate) type Outcome = Result<Found, Short>;

const SECTORS: usize = 8;
/// A cell of a table should be expected this often.
const LEAST: u64 = 5;

pub(crate) fn all(device: &Device, results: &Results) -> Vec<Outcome> {
    match device {
        Device::Dice(order) => dice(*order, results),
        Device::Wheel(places) => {
            let places: Vec<usize> =
                results.outcomes.iter().map(|outcome| usize::from(places[outcome.get()])).collect();
            wheel(&places, results)
        }
    }
}

/// The test if there are enough rounds for its cells.
fn enough(
    id: &'static str,
    subject: &'static str,
    rounds: usize,
    needed: u64,
    test: impl FnOnce() -> (u64, ChiSquare, String),
) -> Outcome {
    if (rounds as u64) < needed {
        return Err(Short { id, subject, rounds: needed });
    }
    let (observations, test, most) = test();
    Ok(Found { id, subject, observations, test, most })
}

/// What strays furthest from its expectation.
fn stray(observed: &[u64], expected: &[f64], name: impl Fn(usize) -> String) -> String {
    let distance = |n: &usize| (observed[*n] as f64 - expected[*n]).abs() / expected[*n].max(f64::MIN_POSITIVE).sqrt();
    let Some(most) = (0..observed.len()).max_by(|a, b| distance(a).total_cmp(&distance(b))) else {
        return String::new();
    };
    let more = (observed[most] as f64 / expected[most] - 1.0) * 100.0;
    format!("{}: {} of {:.1} expected ({more:+.1} %)", name(most), observed[most], expected[most]).replace('-', "−")
}

fn uniform(counts: &[u64]) -> (ChiSquare, Vec<f64>) {
    let expected = vec![counts.iter().sum::<u64>() as f64 / counts.len() as f64; counts.len()];
    (goodness_of_fit(counts, &expected), expected)
}

fn counted(values: impl Iterator<Item = usize>, kinds: usize) -> Vec<u64> {
    let mut counts = vec![0; kinds];
    values.for_each(|value| counts[value] += 1);
    counts
}

/// Successive values as a table: what came after what.
fn transitions(values: &[usize], kinds: usize) -> Vec<Vec<u64>> {
    let mut table = vec![vec![0; kinds]; kinds];
    values.windows(2).for_each(|pair| table[pair[0]][pair[1]] += 1);
    table
}

/// Wald and Wolfowitz: too many or too few runs of the same kind.
fn runs(values: &[bool]) -> (u64, ChiSquare, String) {
    let n = values.len() as f64;
    let a = values.iter().filter(|value| **value).count() as f64;
    let b = n - a;
    let seen = 1.0 + values.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
    let mean = 1.0 + 2.0 * a * b / n;
    let variance = (mean - 1.0) * (mean - 2.0) / (n - 1.0);
    let z = if variance > 0.0 { (seen - mean) / variance.sqrt() } else { 0.0 };
    (values.len() as u64, ChiSquare::of(z * z, 1.0), format!("{seen} runs of {mean:.1} expected"))
}

/// The first half of the results against the second.
fn halves(values: &[usize], kinds: usize) -> ChiSquare {
    let (first, second) = values.split_at(values.len() / 2);
    contingency(&[counted(first.iter().copied(), kinds), counted(second.iter().copied(), kinds)])
}

fn added(tests: impl Iterator<Item = ChiSquare>) -> ChiSquare {
    let (statistic, freedom) = tests.fold((0.0, 0.0), |sum, test| (sum.0 + test.statistic, sum.1 + test.freedom));
    ChiSquare::of(statistic, freedom)
}

fn dice(order: Order, results: &Results) -> Vec<Outcome> {
    let faces: Vec<[usize; 3]> = results.outcomes.iter().map(|outcome| Device::faces(*outcome)).collect();
    let n = faces.len();
    let totals: Vec<usize> = faces.iter().map(|dice| dice.iter().sum()).collect();
    let face = |n: usize| format!("face {}", n + 1);
    let mut tests = vec![
        enough("faces", "faces of all dice", n, 2 * LEAST, || {
            let counts = counted(faces.iter().flatten().copied(), 6);
            let (test, expected) = uniform(&counts);
            (3 * n as u64, test, stray(&counts, &expected, face))
        }),
        enough("totals", "totals of the three dice", n, 6 * LEAST, || {
            let counts = counted(totals.iter().copied(), 16);
            let expected: Vec<f64> = (0..16).map(|total| n as f64 * ways(total) / 216.0).collect();
            let name = |n: usize| format!("total {}", n + 3);
            (n as u64, goodness_of_fit(&counts, &expected), stray(&counts, &expected, name))
        }),
        enough("patterns", "triples, doubles, all different", n, 36 * LEAST, || {
            let kind = |dice: &[usize; 3]| match dice {
                [a, b, c] if a == b && b == c => 0,
                [a, b, c] if a == b || b == c || a == c => 1,
                _ => 2,
            };
            let counts = counted(faces.iter().map(kind), 3);
            let expected = [6.0, 90.0, 120.0].map(|ways| n as f64 * ways / 216.0);
            let name = |n: usize| ["triples", "doubles", "all different"][n].to_owned();
            (n as u64, goodness_of_fit(&counts, &expected), stray(&counts, &expected, name))
        }),
        enough("serial-totals", "totals after totals", n, 18 * LEAST, || {
            let thirds: Vec<usize> = totals.iter().map(|total| [6, 9].partition_point(|end| end <= total)).collect();
            (n as u64 - 1, contingency(&transitions(&thirds, 3)), String::new())
        }),
        enough("runs", "runs of small and big totals", n, 40, || {
            runs(&totals.iter().map(|total| *total > 7).collect::<Vec<_>>())
        }),
        enough("drift", "first half against second half", n, 8 * LEAST, || {
            let all: Vec<usize> = faces.iter().flatten().copied().collect();
            (3 * n as u64, halves(&all, 6), String::new())
        }),
    ];
    if order == Order::Known {
        let names = [
            ("die-1", "faces of the first die"),
            ("die-2", "faces of the second die"),
            ("die-3", "faces of the third die"),
        ];
        for (die, (id, subject)) in names.into_iter().enumerate() {
            tests.push(enough(id, subject, n, 6 * LEAST, || {
                let counts = counted(faces.iter().map(|dice| dice[die]), 6);
                let (test, expected) = uniform(&counts);
                (n as u64, test, stray(&counts, &expected, face))
            }));
        }
        tests.push(enough("serial-dice", "each die after itself", n, 36 * LEAST, || {
            let each = (0..3).map(|die| {
                let values: Vec<usize> = faces.iter().map(|dice| dice[die]).collect();
                contingency(&transitions(&values, 6))
            });
            (n as u64 - 1, added(each), String::new())
        }));
        tests.push(enough("together", "each die beside the others", n, 36 * LEAST, || {
            let each = [(0, 1), (0, 2), (1, 2)].into_iter().map(|(a, b)| {
                let mut table = vec![vec![0; 6]; 6];
                faces.iter().for_each(|dice| table[dice[a]][dice[b]] += 1);
                contingency(&table)
            });
            (n as u64, added(each), String::new())
        }));
    }
    tests
}

/// In how many ways three dice give a total, counted from zero.
fn ways(total: usize) -> f64 {
    let dice = |n: usize| (0..216).filter(|k| k / 36 + k / 6 % 6 + k % 6 == n).count();
    dice(total) as f64
}

fn wheel(places: &[usize], results: &Results) -> Vec<Outcome> {
    let n = places.len();
    // The wheel has as many pockets as there are outcomes; the results may not show all of them.
    let size = results.size;
    let sectors: Vec<usize> = places.iter().map(|place| sector(*place, size, SECTORS)).collect();
    let name = |n: usize| format!("sector {} of {SECTORS}", n + 1);
    let mut tests = vec![
        enough("pockets", "every pocket", n, size as u64 * LEAST, || {
            let counts = counted(places.iter().copied(), size);
            let (test, expected) = uniform(&counts);
            (n as u64, test, stray(&counts, &expected, |place| format!("pocket {}", results.pocket(place))))
        }),
        enough("sectors", "eighths of the wheel", n, SECTORS as u64 * LEAST, || {
            let counts = counted(sectors.iter().copied(), SECTORS);
            let pockets = counted((0..size).map(|place| sector(place, size, SECTORS)), SECTORS);
            let expected: Vec<f64> = pockets.iter().map(|count| n as f64 * *count as f64 / size as f64).collect();
            (n as u64, goodness_of_fit(&counts, &expected), stray(&counts, &expected, name))
        }),
        enough("tilt", "one side of the wheel against the other", n, 40, || tilt(places, size, results)),
        enough("arc", "the heaviest quarter of the wheel", n, 40, || arc(places, size, results)),
        enough("serial", "distance from pocket to pocket", n, size as u64 * LEAST, || {
            let moves = places.windows(2).map(|pair| (pair[1] + size - pair[0]) % size);
            let counts = counted(moves, size);
            let (test, expected) = uniform(&counts);
            (n as u64 - 1, test, stray(&counts, &expected, |n| format!("{n} pockets on")))
        }),
        enough("runs", "runs in one half of the wheel", n, 40, || {
            runs(&places.iter().map(|place| *place < size / 2).collect::<Vec<_>>())
        }),
        enough("drift", "first half against second half", n, 2 * SECTORS as u64 * LEAST, || {
            (n as u64, halves(&sectors, SECTORS), String::new())
        }),
    ];
    let turned: Vec<(usize, usize)> = results
        .directions
        .iter()
        .zip(&sectors)
        .filter_map(|(direction, sector)| Some((usize::from((*direction)? == Direction::Clockwise), *sector)))
        .collect();
    if !turned.is_empty() {
        tests.push(enough("direction", "sectors by direction", turned.len(), 2 * SECTORS as u64 * LEAST, || {
            let mut table = vec![vec![0; SECTORS]; 2];
            turned.iter().for_each(|(way, sector)| table[*way][*sector] += 1);
            (turned.len() as u64, contingency(&table), String::new())
        }));
    }
    tests
}

/// Rayleigh: the mean direction of all results. A wheel that leans has one.
fn tilt(places: &[usize], size: usize, results: &Results) -> (u64, ChiSquare, String) {
    let n = places.len() as f64;
    let angle = |place: usize| place as f64 / size as f64 * TAU;
    let (x, y) = places.iter().fold((0.0, 0.0), |(x, y), place| (x + angle(*place).cos(), y + angle(*place).sin()));
    let towards = (y.atan2(x).rem_euclid(TAU) / TAU * size as f64).round() as usize % size;
    let strength = x.hypot(y) / n * 100.0;
    let most = format!("towards pocket {}, {strength:.2} % of the results' weight", results.pocket(towards));
    (places.len() as u64, ChiSquare::of(2.0 * (x * x + y * y) / n, 2.0), most)
}

/// The quarter with the most results, corrected for the choice among all quarters.
fn arc(places: &[usize], size: usize, results: &Results) -> (u64, ChiSquare, String) {
    let n = places.len() as f64;
    let width = size / 4;
    let counts = counted(places.iter().copied(), size);
    let in_arc = |start: usize| (0..width).map(|step| counts[(start + step) % size]).sum::<u64>();
    let start = (0..size).max_by_key(|start| (in_arc(*start), std::cmp::Reverse(*start))).unwrap_or(0);
    let share = width as f64 / size as f64;
    let z = (in_arc(start) as f64 - n * share) / (n * share * (1.0 - share)).sqrt();
    let one = ChiSquare::of(z * z, 1.0);
    // One side only, and any of `size` quarters could have been the heaviest.
    let test = ChiSquare { p: (one.p / 2.0 * size as f64).min(1.0), ..one };
    let last = (start + width - 1) % size;
    let (from, to) = (results.pocket(start), results.pocket(last));
    let most = format!("{from} to {to}: {} of {:.1} expected", in_arc(start), n * share);
    (places.len() as u64, test, most)
}
