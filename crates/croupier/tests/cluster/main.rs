//! A floor on three nats-servers and three hosts, all real processes, under load while one thing after the other is
//! killed, paused, cut off and started again: nothing acknowledged is missing, nothing is doubled, and every copy is
//! clean.

mod faults;
mod fleet;
mod links;
mod machines;
mod player;
#[allow(dead_code)]
#[path = "../kills/random.rs"]
mod random;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use faults::{Fault, KILLS, Playing, audit, spread};
use fleet::Fleet;
use random::Random;

/// One fleet under faults at a time: times are measured here, and two fleets would take them from each other.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn times(variable: &str) -> Option<usize> {
    std::env::var(variable).ok().and_then(|times| times.parse().ok())
}

/// The five kills once. With `CLUSTER_FAULTS` or `CLUSTER_MINUTES` every fault that this machine allows, and then as
/// chance from `CLUSTER_SEED` has it, so often or so long.
#[test]
fn whatever_fails_no_bet_is_lost_or_doubled() {
    let _alone = alone();
    let (faults, minutes) = (times("CLUSTER_FAULTS"), times("CLUSTER_MINUTES").map(|minutes| minutes as u64));
    let seed = times("CLUSTER_SEED").unwrap_or(1) as u64;
    println!("CLUSTER_SEED={seed}");
    let is_long = faults.is_some() || minutes.is_some();
    let machines = if is_long { links::machines() } else { None };
    let play = || {
        let mut playing = Playing::start(machines.as_ref(), minutes.unwrap_or(faults.unwrap_or(0) as u64 / 5));
        let usual = playing.faults();
        let mut random = Random::new(seed);
        let is_over = |playing: &Playing, round: usize| match (faults, minutes) {
            (Some(faults), Some(minutes)) => round >= faults || playing.lasts() >= Duration::from_secs(minutes * 60),
            (None, Some(minutes)) => playing.lasts() >= Duration::from_secs(minutes * 60),
            (faults, None) => round >= faults.unwrap_or(KILLS.len()),
        };
        let mut round = 0;
        while !is_over(&playing, round) {
            let fault = usual.get(round).unwrap_or_else(|| random.of(&usual));
            playing.fail(*fault, random.below(3) as usize);
            round += 1;
        }
        playing.end();
    };
    match &machines {
        Some(machines) => machines.inside(play).expect("inside"),
        None => play(),
    }
}

/// Measured by `make bench`, which says how often.
#[test]
fn how_long_a_takeover_takes() {
    let (processes, machines) = (times("TAKEOVERS").unwrap_or(0), times("MACHINES").unwrap_or(0));
    if processes + machines == 0 {
        return;
    }
    let _alone = alone();
    let mut playing = Playing::start(None, 1);
    for (what, fault, count) in [
        ("of the process that leads", Fault::KillLeader, processes),
        ("of a machine: that process and the server that leads the stream", Fault::KillMachine, machines),
    ] {
        let mut took: Vec<Duration> = (0..count).map(|place| playing.fail(fault, place).without).collect();
        if !took.is_empty() {
            println!("takeover after {count} losses {what}: {}", spread(&mut took));
        }
    }
    playing.end();
}

#[test]
fn floors_are_shared_by_hosts_and_taken_over_one_by_one() {
    let _alone = alone();
    let mut fleet = Fleet::start(2, &["east", "west"]);
    let both = |fleet: &Fleet| (fleet.leader(0), fleet.leader(1));
    let until = Instant::now() + Duration::from_secs(30);
    let (east, west) = loop {
        match both(&fleet) {
            (Some(east), Some(west)) => break (east, west),
            _ => assert!(Instant::now() < until, "a floor is not led"),
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    println!("east is led by host {east}, west by host {west}");
    fleet.kill(east);
    let left = 1 - east;
    let until = Instant::now() + Duration::from_secs(20);
    while both(&fleet) != (Some(left), Some(left)) {
        assert!(Instant::now() < until, "{:?}", both(&fleet));
        std::thread::sleep(Duration::from_millis(50));
    }
    fleet.spawn(east);
    fleet.stop();
    for host in 0..fleet.len() {
        audit(&fleet.folder(host));
        audit(&fleet.folder(host).join("west"));
    }
}

/// After a power cut it is unknown which machine starts first.
#[test]
fn a_host_that_starts_before_the_cluster_waits_for_it() {
    let _alone = alone();
    let mut fleet = Fleet::start(1, &["main"]);
    fleet.kill(0);
    for server in [0, 1] {
        fleet.nats.kill(server).expect("killed");
    }
    let heard = fleet.begin(0);
    // Longer than it tries to reach the cluster for once.
    let until = Instant::now() + Duration::from_secs(12);
    while Instant::now() < until {
        assert!(!fleet.has_ended(0), "it has not waited: {:?}", heard.try_recv());
        std::thread::sleep(Duration::from_millis(100));
    }
    for server in [0, 1] {
        fleet.nats.restart(server).expect("started");
    }
    fleet.wait_until_up(0, &heard);
    fleet.stop();
    audit(&fleet.folder(0));
}
