//! Real kills: `croupier pipe` under load, killed with SIGKILL at random moments and started again on the same folder.
//!
//! The client keeps a list of every answered command. After each kill that list is compared with the recovered floor:
//! nothing acknowledged is missing, nothing is there that was not sent, nothing is there twice, a retry gets the first
//! answer, and the audit has no findings, with every checkpoint seen so far as an anchor. In the end the records that
//! were kept throughout equal those of a rebuild.
//!
//! `KILLS` is the number of kills (25 if not set), `KILL_SEED` decides when they come and what is sent. When one fails,
//! the seed, the number of the kill and the folder are printed, and the folder stays.

mod client;
#[path = "../common/contents.rs"]
mod contents;
mod load;
mod process;
mod random;

use std::path::Path;
use std::time::{Duration, Instant};

use client::Client;
use process::{Process, croupier};
use random::Random;

/// After so many kills a new folder is begun, so that the audits stay short.
const FOLDER: u32 = 50;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect(name))
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment() {
    let (kills, seed) = (u32::try_from(number("KILLS", 25)).expect("KILLS"), number("KILL_SEED", 1));
    let begun = Instant::now();
    let mut random = Random::new(seed);
    let (mut done, mut report) = (0, client::Totals::default());
    while done < kills {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
        let data = folder.path().join("floor");
        let run = std::panic::AssertUnwindSafe(|| run(&data, &mut random, (kills - done).min(FOLDER), &mut report));
        if let Err(failure) = std::panic::catch_unwind(run) {
            eprintln!(
                "seed {seed}, after {done} kills in other folders; the folder stays: {}",
                folder.keep().display()
            );
            std::panic::resume_unwind(failure);
        }
        done += FOLDER;
    }
    println!("seed {seed}: {report} in {:.1} s", begun.elapsed().as_secs_f64());
    assert!(report.settled >= u64::from(kills) && report.cash_in > 0 && report.tickets > 0, "no load: {report}");
}

/// One folder: so many kills, then an end in order.
fn run(data: &Path, random: &mut Random, kills: u32, report: &mut client::Totals) {
    let mut client = Client::new(data);
    let mut load = None;
    for kill in 1..=kills {
        let mut process = Process::start(data);
        // One in six dies while it comes up: before it has said anything, or right then.
        if random.below(6) == 0 {
            process.wait_for_line(Duration::from_micros(random.below(60_000)));
            process.kill();
            report.kills += 1;
            continue;
        }
        client.comes_back(&mut process, &mut load, random);
        let load = load.as_mut().expect("a floor");
        let moment = Moment::choose(random);
        client.drive(&mut process, load, random, moment);
        process.kill();
        client.take_what_was_said(&mut process, load);
        report.kills += 1;
        assert!(process.complaints().is_empty(), "kill {kill}: {}", process.complaints());
    }
    let mut process = Process::start(data);
    client.comes_back(&mut process, &mut load, random);
    assert_eq!(process.end(), Some(0), "{}", process.complaints());
    client.ends(report);
    let rebuilt = data.with_file_name("rebuilt.sqlite");
    let made = croupier(&["records", "rebuild", "--to", &rebuilt.to_string_lossy(), "--data"], data);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(contents::contents(&data.join("records.sqlite")) == contents::contents(&rebuilt), "the records differ");
    let again = croupier(&["journal", "anchor", "--data"], data);
    assert_eq!(again.code, 0, "{}", again.stderr);
}

/// When a kill comes.
#[derive(Copy, Clone, Debug)]
pub enum Moment {
    /// After so many answers.
    Answers(u64),
    /// After so long under load.
    Time(Duration),
}

impl Moment {
    fn choose(random: &mut Random) -> Moment {
        match random.below(2) {
            0 => Moment::Answers(random.below(4_000)),
            _ => Moment::Time(Duration::from_micros(random.below(150_000))),
        }
    }
}
