//! The same number of rows in databases, for context.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, params};

/// Bets per second into SQLite: a row inserted and a balance lowered for each, so many in a transaction.
pub fn sqlite_rows(folder: &Path, batch: u32, span: Duration) -> f64 {
    let tables = "CREATE TABLE terminal (id INTEGER PRIMARY KEY, credit INTEGER NOT NULL);
         CREATE TABLE bet (id INTEGER PRIMARY KEY, terminal INTEGER, spot INTEGER, amount INTEGER, at INTEGER);";
    batches(folder, tables, batch, span, |transaction, numbers| {
        let mut insert =
            transaction.prepare_cached("INSERT INTO bet (terminal, spot, amount, at) VALUES (?1, ?2, 2, 1000)")?;
        let mut lower = transaction.prepare_cached("UPDATE terminal SET credit = credit - 2 WHERE id = ?1")?;
        for number in numbers {
            let (terminal, spot) = place(number);
            insert.execute(params![terminal, spot])?;
            lower.execute(params![terminal])?;
        }
        Ok(())
    })
}

/// The same with everything that the engine keeps of a bet, each fact once.
pub fn sqlite_bets(folder: &Path, batch: u32, span: Duration) -> f64 {
    let tables = "CREATE TABLE terminal (id INTEGER PRIMARY KEY, credit INTEGER NOT NULL, staked INTEGER DEFAULT 0,
             number INTEGER DEFAULT -1);
         CREATE TABLE stake (terminal INTEGER, spot INTEGER, amount INTEGER, PRIMARY KEY (terminal, spot)) WITHOUT ROWID;
         CREATE TABLE bet (id INTEGER PRIMARY KEY, terminal INTEGER, number INTEGER, hash INTEGER, spot INTEGER,
             amount INTEGER, at INTEGER);";
    batches(folder, tables, batch, span, |transaction, numbers| {
        let mut look = transaction.prepare_cached("SELECT credit, number FROM terminal WHERE id = ?1")?;
        let mut insert = transaction.prepare_cached(
            "INSERT INTO bet (terminal, number, hash, spot, amount, at) VALUES (?1, ?2, ?3, ?4, 2, 1000)",
        )?;
        let mut lower = transaction.prepare_cached(
            "UPDATE terminal SET credit = credit - 2, staked = staked + 2, number = ?2 WHERE id = ?1",
        )?;
        let mut raise = transaction
            .prepare_cached("INSERT INTO stake VALUES (?1, ?2, 2) ON CONFLICT DO UPDATE SET amount = amount + 2")?;
        for number in numbers {
            let (terminal, spot) = place(number);
            let (credit, last): (i64, i64) = look.query_row(params![terminal], |row| Ok((row.get(0)?, row.get(1)?)))?;
            assert!(credit >= 2 && number > last, "a new bet that is covered");
            let hash = spot.wrapping_mul(0x5851_f42d_4c95_7f2d);
            insert.execute(params![terminal, number, hash, spot])?;
            lower.execute(params![terminal, number])?;
            raise.execute(params![terminal, spot])?;
        }
        Ok(())
    })
}

/// The terminal and the spot of a bet: 1,000 terminals in turn, and twenty spots for each, as the engine is asked.
fn place(number: i64) -> (i64, i64) {
    let terminal = number % 1_000;
    (terminal, (number / 1_000 % 20 * 5 + terminal) % 104)
}

/// Bets per second, so many in a transaction.
fn batches(
    folder: &Path,
    tables: &str,
    batch: u32,
    span: Duration,
    bet: impl Fn(&Transaction<'_>, Range<i64>) -> rusqlite::Result<()>,
) -> f64 {
    let data = tempfile::tempdir_in(folder).expect("a folder");
    let mut db = Connection::open(data.path().join("bets.sqlite")).expect("opens");
    db.pragma_update(None, "journal_mode", "WAL").expect("WAL");
    db.pragma_update(None, "synchronous", "FULL").expect("FULL");
    db.execute_batch(tables).expect("tables");
    for id in 0..1_000 {
        db.execute("INSERT INTO terminal (id, credit) VALUES (?1, 1000000000)", params![id]).expect("a terminal");
    }
    let start = Instant::now();
    let mut bets = 0;
    while start.elapsed() < span {
        let transaction = db.transaction().expect("begins");
        bet(&transaction, bets..bets + i64::from(batch)).expect("taken");
        transaction.commit().expect("durable");
        bets += i64::from(batch);
    }
    bets as f64 / start.elapsed().as_secs_f64()
}

/// Bets per second into PostgreSQL from Debian's package, started here on a socket of its own: one transaction each, by
/// pgbench with 32 clients.
pub fn postgres(folder: &Path, span: Duration) -> Result<f64, String> {
    let bin = binaries().ok_or("PostgreSQL is not installed (Debian: postgresql)")?;
    let data = tempfile::tempdir_in(folder).map_err(|error| error.to_string())?;
    let root = data.path().canonicalize().map_err(|error| error.to_string())?;
    let cluster = root.join("cluster");
    // PostgreSQL refuses to run as root; Debian's package has made a user for it.
    let as_postgres = |program: PathBuf, arguments: &[&str]| -> Result<String, String> {
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        let output = command.args(arguments).current_dir("/").output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let words = || format!("{}{}", text, String::from_utf8_lossy(&output.stderr));
        if output.status.success() { Ok(text) } else { Err(words()) }
    };
    fs::create_dir(&cluster).map_err(|error| error.to_string())?;
    let script = root.join("bet.sql");
    let bet = "\\set t random(0, 999)\nBEGIN;\nINSERT INTO bet (terminal, spot, amount) VALUES (:t, 1, 2);\nUPDATE terminal SET credit = credit - 2 WHERE id = :t;\nCOMMIT;\n";
    fs::write(&script, bet).map_err(|error| error.to_string())?;
    if is_root() {
        let owner = Command::new("chown").args(["-R", "postgres"]).arg(&root).status();
        owner.map_err(|error| error.to_string())?;
        open_path(&root);
    }
    let (cluster, socket, script) = (text(&cluster), text(&root), text(&script));
    as_postgres(bin.join("initdb"), &["-D", &cluster, "-U", "bench", "--auth=trust"])?;
    let options = format!("-k {socket} -c listen_addresses='' -c max_connections=64");
    let log = format!("{socket}/log");
    as_postgres(bin.join("pg_ctl"), &["-D", &cluster, "-o", &options, "-l", &log, "-w", "start"])?;
    let measured = (|| {
        let tables = "CREATE TABLE terminal (id int PRIMARY KEY, credit bigint); CREATE TABLE bet (id bigserial PRIMARY KEY, terminal int, spot int, amount bigint); INSERT INTO terminal SELECT n, 1000000000 FROM generate_series(0, 999) n;";
        as_postgres(bin.join("psql"), &["-h", &socket, "-U", "bench", "-d", "postgres", "-c", tables])?;
        let seconds = span.as_secs().to_string();
        let arguments =
            ["-h", &socket, "-U", "bench", "-n", "-c", "32", "-j", "2", "-T", &seconds, "-f", &script, "postgres"];
        let report = as_postgres(bin.join("pgbench"), &arguments)?;
        let rate = report.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
        rate.ok_or_else(|| format!("pgbench said nothing of tps: {report}"))
    })();
    let _ = as_postgres(bin.join("pg_ctl"), &["-D", &cluster, "-m", "immediate", "stop"]);
    measured
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// The folders above must let the other user through.
fn open_path(path: &Path) {
    for folder in path.ancestors().take(2) {
        let _ = Command::new("chmod").arg("a+x").arg(folder).status();
    }
}

/// The newest PostgreSQL that Debian has put in its place.
fn binaries() -> Option<PathBuf> {
    let mut versions: Vec<PathBuf> =
        fs::read_dir("/usr/lib/postgresql").ok()?.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect();
    versions.sort();
    versions.into_iter().rev().find(|bin| bin.join("initdb").exists())
}
