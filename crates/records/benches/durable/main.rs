//! Durable bets per second, side by side in one run: a bare log, the engine without and with its records, the engine on
//! three nodes of nats-server and one of their messages for each bet, SQLite and PostgreSQL.
//!
//! `cargo bench -p records --bench durable` prints what each does and how fast. All files are in one folder on one disk
//! (`BENCH_FOLDER`, by default the target folder), and the load generator runs on the same cores.

/// As the program has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod compare;
mod load;
mod slow;
mod three;

use std::path::{Path, PathBuf};
use std::time::Duration;

use load::{Keep, Loop, Measured, bare, bare_slowly, bets, bets_slowly};

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
    let lag = measured.lag.map_or(String::new(), |lag| format!("   records behind {lag}"));
    println!(
        "  {name:<52} {:>10.0} /s   p50 {:>7.2} ms   p99 {:>7.2} ms{lag}",
        measured.rate, measured.p50, measured.p99
    );
}

fn ratio(words: &str, ratio: f64, of: &str) {
    println!("  {words:<52} {ratio:>10.2} × {of}");
}

/// How often what is compared is measured in turn. A machine that others use too, and a disk that stalls now and then, say
/// little in one run.
const TURNS: usize = 5;

/// Each of them measured in turn, several times: for each the figures in the middle.
fn in_turn<const N: usize>(measure: [&dyn Fn() -> Measured; N]) -> [Measured; N] {
    let turns: Vec<[Measured; N]> = (0..TURNS).map(|_| measure.map(|measure| measure())).collect();
    std::array::from_fn(|place| {
        let middle = |figure: fn(&Measured) -> f64| middle(turns.iter().map(|turn| figure(&turn[place])).collect());
        let lag = turns.iter().filter_map(|turn| turn[place].lag).max();
        Measured { rate: middle(|m| m.rate), p50: middle(|m| m.p50), p99: middle(|m| m.p99), lag }
    })
}

fn open_loop(folder: &Path, span: Duration) {
    println!("\nopen loop at 100,000/s; every figure is the middle one of {TURNS} runs in turn");
    let [bare, engine, kept] = in_turn([
        &|| bare(folder, Loop::Open(100_000), span),
        &|| bets(folder, Loop::Open(100_000), span, Keep::Nothing),
        &|| bets(folder, Loop::Open(100_000), span, Keep::Records),
    ]);
    line("bare log", &bare);
    for (name, engine) in [("engine", engine), ("engine with records", kept)] {
        line(name, &engine);
        ratio("", engine.p99 / bare.p99, "the bare log's p99 (goal: within 2)");
    }
}

/// What a synced write takes on the disk that the goals were set with.
const SLOW: Duration = Duration::from_micros(190);

fn slow_disk(folder: &Path, span: Duration) {
    println!(
        "\nthe same with 1,000 senders on a disk like that of the goals: each synced write takes 0.19 ms at least"
    );
    let [bare, engine, kept] = in_turn([
        &|| bare_slowly(folder, Loop::Closed(1_000), span, SLOW),
        &|| bets_slowly(folder, Loop::Closed(1_000), span, Keep::Nothing, SLOW),
        &|| bets_slowly(folder, Loop::Closed(1_000), span, Keep::Records, SLOW),
    ]);
    line("bare log", &bare);
    for (name, engine) in [("engine", engine), ("engine with records", kept)] {
        line(name, &engine);
        ratio("", engine.rate / bare.rate, "the bare log (goal: 0.5)");
    }
}

fn three_nodes(folder: &Path, span: Duration) {
    println!(
        "\ndurable bets on three nodes: nats-server with sync always, all on this machine, each message on two disks"
    );
    let nodes = match three::Nodes::start() {
        Ok(nodes) => nodes,
        Err(why) => return println!("  not measured: {why}"),
    };
    for in_flight in [1, 64, 1_000] {
        line(&format!("one message per bet, {in_flight} in flight"), &nodes.one_message_per_bet(in_flight, span));
    }
    for senders in [1_000, 10_000] {
        let measured = nodes.bets(folder, Loop::Closed(senders), span);
        line(&format!("engine on three nodes, {senders} senders"), &measured);
        if senders == 1_000 {
            ratio("", measured.rate / 250_000.0, "the goal of 250,000/s");
        }
    }
}

/// The figure in the middle.
fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn databases(folder: &Path, span: Duration) {
    println!(
        "\nfor context, and not like for like: these check no rule, keep no chain and answer nobody; in turn as above"
    );
    println!(
        "  a bet: what the engine keeps of one: a row, the credit looked at and lowered, the sender's number and its hash, so"
    );
    println!("         that a retry is known, the stake on the spot and of the terminal");
    println!("  a row: a row and the credit lowered, no more");
    for batch in [1, 100] {
        let rate = compare::sqlite_bets(folder, batch, span);
        println!("  {:<52} {rate:>10.0} /s", format!("SQLite, WAL, FULL, batches of {batch}, a bet"));
    }
    let (mut engine, mut row, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let mut postgres: Result<Vec<f64>, String> = Ok(Vec::new());
    for _ in 0..TURNS {
        engine.push(bets(folder, Loop::Closed(1_000), span, Keep::Records).rate);
        whole.push(compare::sqlite_bets(folder, 1_000, span));
        row.push(compare::sqlite_rows(folder, 1_000, span));
        postgres = postgres.and_then(|mut rates| {
            rates.push(compare::postgres(folder, span)?);
            Ok(rates)
        });
    }
    let engine = middle(engine);
    println!("  {:<52} {engine:>10.0} /s", "engine with records, 1000 senders");
    let beside = |name: &str, rate: f64, goal: &str| {
        println!("  {name:<52} {rate:>10.0} /s");
        ratio("", engine / rate, &format!("of it does the engine with its records{goal}"));
    };
    beside("SQLite, WAL, FULL, batches of 1000, a bet", middle(whole), " (goal: 2.5, set with one of 460,000/s)");
    beside("SQLite, WAL, FULL, batches of 1000, a row", middle(row), " (goal: 2.5, set with one of 460,000/s)");
    match postgres {
        Ok(rates) => {
            beside("PostgreSQL, one transaction per bet, 32 clients, a row", middle(rates), " (goal: 200)");
        }
        Err(why) => println!("  PostgreSQL was not measured: {why}"),
    }
}

fn main() {
    // As the program does.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let folder = folder();
    let span = span();
    // A few figures, for a profiler or a change to be tried.
    match std::env::var("BENCH_ONLY").as_deref() {
        Err(_) => everything(&folder, span),
        Ok("nodes") => three_nodes(&folder, span),
        Ok("open") => open_loop(&folder, span),
        Ok("slow") => slow_disk(&folder, span),
        Ok("databases") => databases(&folder, span),
        Ok("recovery") => load::recovery(&folder),
        Ok(senders) => {
            let senders = senders.parse().expect("a number of senders, nodes, open, slow, databases or recovery");
            closed_loop(&folder, span, senders);
        }
    }
}

/// So many senders, each with one bet at a time.
fn closed_loop(folder: &Path, span: Duration, senders: u32) {
    let [bare, engine, kept] = in_turn([
        &|| bare(folder, Loop::Closed(senders), span),
        &|| bets(folder, Loop::Closed(senders), span, Keep::Nothing),
        &|| bets(folder, Loop::Closed(senders), span, Keep::Records),
    ]);
    line(&format!("bare log, {senders} senders"), &bare);
    line(&format!("engine, {senders} senders"), &engine);
    ratio("", engine.rate / bare.rate, "the bare log (goal with 1,000: 0.5)");
    line(&format!("engine with records, {senders} senders"), &kept);
    ratio("", kept.rate / bare.rate, "the bare log (goal with 1,000: 0.5)");
}

fn everything(folder: &Path, span: Duration) {
    println!("durable bets: every figure is of synced writes on the same disk, {} s each,", span.as_secs());
    println!("  and the middle one of {TURNS} runs in turn where logs and engine are compared");
    println!("  bare log: 64-byte records in batches, direct and synced, nothing else");
    println!("  engine:   decide, apply, chain, write, sync, apply to the second floor, answer");
    println!("  records:  the same with the SQLite records kept beside it, as the program does");
    println!("  senders:  each hands in its own, waits for its own answer and sends the next");
    for senders in [64, 1_000, 10_000] {
        closed_loop(folder, span, senders);
    }
    open_loop(folder, span);
    slow_disk(folder, span);
    three_nodes(folder, span);
    databases(folder, span);
    load::recovery(folder);
}
