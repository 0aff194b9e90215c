//! A cabinet as it runs: the agent, the host, a simulated validator and a simulated printer as processes of their own,
//! killed with SIGKILL at any step of a note in, a ticket in and a ticket out; and the line to the host, cut.
//!
//! What lies in the stacker and what is on paper is the truth. After each fault the floor must agree with it: a note in the
//! stacker is credited once, one that came back is not; a ticket pays at most once; a ticket on paper has left the credit,
//! and one that is not is still there; what no one can know is in doubt on the floor, and two people resolve it.
//!
//! `CABINET_KILLS` is the number of faults (50 if not set), `CABINET_SEED` decides what they hit and when, and
//! `CABINET_PROTOCOL` is what the validator speaks (`id003` if not set, `ebds`, `ssp`). When one fails,
//! the seed, its number and the folder are printed, and the folder stays.

mod programs;
#[path = "../kills/random.rs"]
mod random;
mod screen;
mod truth;
mod wire;

use std::time::{Duration, Instant};

use programs::Cabinet;
use random::Random;

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().expect(name))
}

/// What is done when the fault comes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Step {
    NoteIn,
    TicketOut,
    TicketIn,
}

/// What is hit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Fault {
    Agent,
    Host,
    Line,
    Validator,
    Printer,
    /// The power: every process at once.
    All,
}

const FAULTS: [Fault; 6] = [Fault::Agent, Fault::Host, Fault::Line, Fault::Validator, Fault::Printer, Fault::All];

#[test]
fn money_is_counted_once_whatever_dies_when() {
    let (kills, seed) = (number("CABINET_KILLS", 50), number("CABINET_SEED", 1));
    let begun = Instant::now();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let mut done = 0;
    let run = std::panic::AssertUnwindSafe(|| {
        let mut random = Random::new(seed);
        let mut cabinet = Cabinet::start(folder.path());
        for kill in 0..kills {
            done = kill;
            fault(&mut cabinet, &mut random);
        }
        cabinet.truth.was_played(kills);
        cabinet.end();
    });
    if let Err(failure) = std::panic::catch_unwind(run) {
        eprintln!("seed {seed}, fault {done}; the folder stays: {}", folder.keep().display());
        std::panic::resume_unwind(failure);
    }
    println!("seed {seed}: {kills} faults in {:.1} s", begun.elapsed().as_secs_f64());
}

/// One step with one fault in it, and what must hold afterwards.
fn fault(cabinet: &mut Cabinet, random: &mut Random) {
    let before = cabinet.calm();
    let ticket = cabinet.truth.paper_in_hand();
    let step = match (before.credit, ticket) {
        (0, None) => Step::NoteIn,
        (0, Some(_)) if random.below(2) == 0 => Step::TicketIn,
        (0, Some(_)) => Step::NoteIn,
        (_, Some(_)) if random.below(3) == 0 => Step::TicketIn,
        _ if random.below(2) == 0 => Step::NoteIn,
        _ => Step::TicketOut,
    };
    let fault = *random.of(&FAULTS);
    // A whole step takes about 400 ms: the fault comes at any moment of it.
    let moment = Duration::from_micros(random.below(450_000));
    println!("{step:?}, {fault:?} after {} ms, credit {}", moment.as_millis(), before.credit);
    cabinet.begin(step);
    std::thread::sleep(moment);
    cabinet.hit(fault);
    let after = cabinet.calm();
    cabinet.truth.check(step, before.credit, after.credit);
}
