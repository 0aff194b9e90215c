//! Durable bets per second, side by side in one run: a bare log, the engine, SQLite and PostgreSQL.
//!
//! `cargo bench -p engine --bench durable` prints what each does and how fast. All files are in one folder on one disk
//! (`BENCH_FOLDER`, by default the target folder), and the load generator runs on the same cores.

mod compare;
mod load;

use std::path::{Path, PathBuf};
use std::time::Duration;

use load::{Loop, Measured, bare, bets};

/// How long each measurement runs.
fn span() -> Duration {
    let seconds = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    Duration::from_secs(seconds)
}

fn folder() -> PathBuf {
    let base = std::env::var_os("BENCH_FOLDER")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench"), PathBuf::from);
    std::fs::create_dir_all(&base).expect("a folder to measure in");
    base
}

fn line(name: &str, measured: &Measured) {
    println!("  {name:<52} {:>10.0} /s   p50 {:>7.2} ms   p99 {:>7.2} ms", measured.rate, measured.p50, measured.p99);
}

fn main() {
    let folder = folder();
    let span = span();
    println!("durable bets: every figure is of synced writes on the same disk, {} s each", span.as_secs());
    println!("  bare log: 64-byte records in batches, direct and synced, nothing else");
    println!("  engine:   decide, apply, chain, write, sync, apply to the second floor, answer");
    let mut closed = Vec::new();
    for senders in [64, 1_000, 10_000] {
        let bare = bare(&folder, Loop::Closed(senders), span);
        line(&format!("bare log, {senders} senders"), &bare);
        let engine = bets(&folder, Loop::Closed(senders), span);
        line(&format!("engine, {senders} senders"), &engine);
        println!("  {:<52} {:>10.2} × the bare log", "", engine.rate / bare.rate);
        closed.push(engine.rate);
    }
    let bare = bare(&folder, Loop::Open(100_000), span);
    line("bare log, open loop at 100,000/s", &bare);
    let engine = bets(&folder, Loop::Open(100_000), span);
    line("engine, open loop at 100,000/s", &engine);
    println!("  {:<52} {:>10.2} × the bare log's p99 (goal: within 2)", "", engine.p99 / bare.p99);
    let thousand = closed[1];
    println!("\nfor context, and not like for like: these check no rule and keep no chain");
    for batch in [1, 100, 1_000] {
        let rate = compare::sqlite(&folder, batch, span);
        println!("  {:<52} {rate:>10.0} /s", format!("SQLite, WAL, synchronous FULL, batches of {batch}"));
        if batch == 1_000 {
            println!("  {:<52} {:>10.2} × SQLite (goal: 2.5)", "engine, 1,000 senders", thousand / rate);
        }
    }
    match compare::postgres(&folder, span) {
        Ok(rate) => {
            println!("  {:<52} {rate:>10.0} /s", "PostgreSQL, one transaction per bet, 32 clients");
            println!("  {:<52} {:>10.0} × PostgreSQL (goal: 200)", "engine, 1,000 senders", thousand / rate);
        }
        Err(why) => println!("  PostgreSQL was not measured: {why}"),
    }
    load::recovery(&folder);
}
