//! What the table costs: settling a bet, an odds sheet, exposure, "is an outcome established?", compiling all files.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rulebook::{Cents, Exposure, Face, Layout, OutcomeIndex, Rulebook, SpotIndex, library, sheet};

fn rulebook(id: &str) -> &'static Rulebook {
    library::find(id).expect("built in")
}

fn layout(game: &str, id: &str) -> &'static Layout {
    rulebook(game).layout(id).expect("a layout of the document")
}

/// Bets and outcomes spread over the whole table, so that no cell stays in the nearest cache by chance.
fn spread(game: &str, layout: &Layout) -> Vec<(SpotIndex, OutcomeIndex)> {
    let outcomes: Vec<OutcomeIndex> = rulebook(game).outcomes().indices().collect();
    let spots: Vec<SpotIndex> = layout.table().indices().collect();
    (0..1024).map(|n| (spots[n * 37 % spots.len()], outcomes[n * 101 % outcomes.len()])).collect()
}

fn settle(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("settle one bet");
    for (game, id) in [("rws-sicbo", "b"), ("rws-roulette-000", "a")] {
        let table = layout(game, id).table();
        let bets = spread(game, layout(game, id));
        let stake = Cents::new(2500);
        group.throughput(Throughput::Elements(bets.len() as u64));
        group.bench_function(format!("{game} {id}, 1024 bets"), |bencher| {
            bencher.iter(|| {
                for (spot, outcome) in &bets {
                    black_box(table.returned(black_box(*spot), black_box(*outcome), black_box(stake)));
                }
            });
        });
        group.throughput(Throughput::Elements(1));
        let (spot, outcome) = bets[1];
        group.bench_function(format!("{game} {id}, the same bet"), |bencher| {
            bencher.iter(|| table.returned(black_box(spot), black_box(outcome), black_box(stake)));
        });
    }
    group.finish();
}

fn odds_sheet(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("odds sheet of a layout");
    for (game, id) in [("rws-sicbo", "b"), ("rws-roulette-000", "a")] {
        let table = layout(game, id).table();
        group.bench_function(format!("{game} {id}"), |bencher| bencher.iter(|| sheet(black_box(table))));
    }
    group.finish();
}

fn compile(criterion: &mut Criterion) {
    criterion.bench_function("compile all rulebooks", |bencher| {
        bencher.iter(|| library::compile().expect("coherent"));
    });
}

fn exposure(criterion: &mut Criterion) {
    let table = layout("rws-sicbo", "b").table();
    let spots: Vec<SpotIndex> = table.indices().collect();
    let mut exposure = Exposure::new(table.outcomes());
    let mut turn = 0;
    criterion.bench_function("exposure: add a bet and take it back", |bencher| {
        bencher.iter(|| {
            turn = (turn + 37) % spots.len();
            exposure.add(table, spots[turn], Cents::new(2500)).expect("fits");
            exposure.add(table, spots[turn], Cents::new(-2500)).expect("fits");
        });
    });
    criterion.bench_function("exposure: worst case", |bencher| bencher.iter(|| black_box(&exposure).worst()));
}

fn established(criterion: &mut Criterion) {
    let table = layout("rws-sicbo", "b").table();
    let possible = rulebook("rws-sicbo").outcomes().consistent_with([Some(Face::Two), None, None]);
    criterion.bench_function("established with one die read", |bencher| {
        bencher.iter(|| table.established(black_box(&possible)));
    });
}

criterion_group!(benches, settle, odds_sheet, compile, exposure, established);
criterion_main!(benches);
