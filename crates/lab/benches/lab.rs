//! How fast the laboratory is, beside numpy doing the same work in the same run.
//!
//! The same fifty bets on the same table, one core each. numpy comes from PyPI into an environment under the target
//! folder; where there is no Python, or no way to PyPI, that part is left out with a message.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use lab::bias::{Order, Watch};
use lab::generator;
use lab::session::{Distribution, Round};
use lab::simulate::{GENERATOR, Run, counts, folded};
use rulebook::{Cents, Layout, SpotIndex, library};

const ROUNDS: u64 = 100_000_000;
const REPEATS: usize = 15;

fn main() {
    // `cargo test --benches` runs this file too, and wants to know only whether it can.
    if std::env::args().any(|word| word == "--test") {
        return;
    }
    let sicbo = library::find("rws-sicbo").expect("built in");
    let layout = sicbo.layout("b").expect("a layout");
    let fifty: Vec<(SpotIndex, Cents)> =
        layout.table().indices().take(50).map(|spot| (spot, Cents::new(500))).collect();
    println!("Simulation of fifty bets on {} {}, one core; {GENERATOR}", sicbo.id(), layout.id());
    let row = row(layout, &fifty);
    let by_folding = fastest(|| drop_value(folded(&row, Run::quiet(ROUNDS, 1, 1)).total));
    let by_counting = fastest(|| drop_value(spot_totals(layout, &fifty)));
    let rate = |seconds: f64| ROUNDS as f64 / seconds / 1e6;
    println!("  folded into one row:          {:8.1} million rounds/s", rate(by_folding));
    println!("  every spot's own total kept:  {:8.1} million rounds/s", rate(by_counting));
    beside_numpy(layout, &fifty, rate(by_folding), rate(by_counting));
    others(layout);
}

fn drop_value<T>(value: T) {
    std::hint::black_box(value);
}

/// The shortest of a few runs: the time of an undisturbed machine.
fn fastest(work: impl Fn()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        work();
        begun.elapsed().as_secs_f64()
    };
    (0..REPEATS).map(time).fold(f64::INFINITY, f64::min)
}

/// The result of each outcome in cents.
fn nets(layout: &Layout, (spot, stake): (SpotIndex, Cents)) -> Vec<i64> {
    let table = layout.table();
    let outcomes = library::find("rws-sicbo").expect("built in").outcomes().indices();
    outcomes.map(|outcome| table.returned(spot, outcome, stake).expect("fits").get() - stake.get()).collect()
}

fn row(layout: &Layout, bets: &[(SpotIndex, Cents)]) -> Vec<i64> {
    let mut row = vec![0; layout.table().outcomes()];
    for bet in bets {
        row.iter_mut().zip(nets(layout, *bet)).for_each(|(sum, net)| *sum += net);
    }
    row
}

/// Fifty totals, one for each bet.
fn spot_totals(layout: &Layout, bets: &[(SpotIndex, Cents)]) -> Vec<i128> {
    let counted = counts(layout.table().outcomes(), Run::quiet(ROUNDS, 1, 1));
    let total = |bet: &(SpotIndex, Cents)| {
        nets(layout, *bet).iter().zip(&counted).map(|(net, count)| i128::from(*net) * i128::from(*count)).sum()
    };
    bets.iter().map(total).collect()
}

fn beside_numpy(layout: &Layout, bets: &[(SpotIndex, Cents)], by_folding: f64, by_counting: f64) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let Some(python) = environment(&folder) else {
        println!("  numpy: left out, there is no Python with numpy and none could be made (python3 -m venv, pip)");
        return;
    };
    let table = folder.join("table.csv");
    let lines: Vec<String> =
        bets.iter().map(|bet| nets(layout, *bet).iter().map(i64::to_string).collect::<Vec<_>>().join(",")).collect();
    fs::write(&table, lines.join("\n")).expect("the target folder can be written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/rounds.py");
    let output = Command::new(python).arg(script).arg(table).output().expect("Python runs");
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        let Some((name, rate)) = line.rsplit_once(' ').and_then(|(name, rate)| Some((name, rate.parse::<f64>().ok()?)))
        else {
            println!("  numpy: {line}");
            continue;
        };
        let (ours, goal) = if name.starts_with("every") { (by_counting, 4.0) } else { (by_folding, 20.0) };
        println!("  numpy, {name}: {rate:.1} million rounds/s; ours is {:.1} times as fast (goal {goal})", ours / rate);
    }
    if !output.status.success() {
        println!("  numpy failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
}

/// A Python that has numpy.
fn environment(folder: &Path) -> Option<PathBuf> {
    let python = folder.join("numpy/bin/python");
    let has_numpy = || {
        let run = Command::new(&python).args(["-c", "import numpy"]).output();
        run.is_ok_and(|output| output.status.success())
    };
    if !has_numpy() {
        Command::new("python3").args(["-m", "venv"]).arg(folder.join("numpy")).output().ok()?;
        Command::new(&python).args(["-m", "pip", "install", "--quiet", "numpy"]).output().ok()?;
    }
    has_numpy().then_some(python)
}

fn others(layout: &Layout) {
    let twenty: Vec<(SpotIndex, Cents)> =
        layout.table().indices().take(20).map(|spot| (spot, Cents::new(500))).collect();
    let round = Round::of(layout.table(), &twenty).expect("bets");
    let session = fastest(|| drop_value(Distribution::after(&round, 10_000)));
    println!("Distribution after 10,000 rounds of a bet on 20 spots: {:.2} ms (goal 100 ms)", session * 1e3);
    let outcomes = library::find("rws-sicbo").expect("built in").outcomes();
    let all: Vec<_> = outcomes.indices().collect();
    let drawn: Vec<_> = all.iter().copied().cycle().take(100_000).collect();
    let watched = fastest(|| {
        let mut watch = Watch::new(outcomes, Order::Known, 0.001);
        drawn.iter().for_each(|outcome| drop_value(watch.observe(*outcome)));
    });
    println!("Watch, one result: {:.2} µs", watched * 1e6 / drawn.len() as f64);
    let bytes = vec![0x5a; generator::BYTES];
    let checked = fastest(|| drop_value(generator::check_bytes("", &bytes).is_ok()));
    println!("Generator check of {} bytes: {:.0} ms", generator::BYTES, checked * 1e3);
}
