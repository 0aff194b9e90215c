//! A floor on three nats-servers and three hosts, all real processes, under load while one thing after the other is
//! killed, paused and started again: nothing acknowledged is missing, nothing is doubled, and every copy is clean.

mod fleet;
mod player;
#[allow(dead_code)]
#[path = "../kills/random.rs"]
mod random;

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fleet::Fleet;
use journal::RealDisk;
use player::{Game, Played, play};
use random::Random;
use rulebook::Cents;
use serde_json::json;

const PLAYERS: usize = 6;

/// Something that fails.
#[derive(Copy, Clone, Debug)]
enum Fault {
    KillLeader,
    PauseLeader,
    KillFollower,
    KillServer,
    /// The leader and a server, as if they were one machine.
    KillMachine,
}

/// How many bets are acknowledged while the clock runs.
fn wait_for_bets(game: &Game, more: u64, at_most: Duration) -> Duration {
    let (from, since) = (game.acknowledged.load(Ordering::Relaxed), Instant::now());
    while game.acknowledged.load(Ordering::Relaxed) < from + more {
        let refused = game.refused.lock().expect("no panic");
        assert!(refused.is_empty(), "refused: {refused:?}");
        assert!(since.elapsed() < at_most, "no bet was acknowledged within {at_most:?}");
        std::thread::sleep(Duration::from_millis(2));
    }
    since.elapsed()
}

/// Lets something fail and come back; how long no bet was acknowledged.
fn fail(fleet: &mut Fleet, game: &Game, fault: Fault, place: usize) -> Duration {
    let leader = fleet.wait_for_leader();
    let follower = (leader + 1) % fleet.len();
    match fault {
        Fault::KillLeader => {
            fleet.kill(leader);
            let without = wait_for_bets(game, 1, Duration::from_secs(20));
            fleet.spawn(leader);
            without
        }
        Fault::PauseLeader => {
            fleet.pause(leader);
            let without = wait_for_bets(game, 1, Duration::from_secs(20));
            std::thread::sleep(Duration::from_secs(1));
            fleet.resume(leader);
            without
        }
        Fault::KillFollower => {
            fleet.kill(follower);
            let without = wait_for_bets(game, 1, Duration::from_secs(20));
            fleet.spawn(follower);
            without
        }
        Fault::KillServer => {
            fleet.nats.kill(place % 3).expect("killed");
            let without = wait_for_bets(game, 1, Duration::from_secs(30));
            fleet.nats.restart(place % 3).expect("started");
            without
        }
        Fault::KillMachine => {
            // The one whose loss is felt most.
            let server = fleet.stream_leader().unwrap_or(place % 3);
            fleet.kill(leader);
            fleet.nats.kill(server).expect("killed");
            let without = wait_for_bets(game, 1, Duration::from_secs(30));
            fleet.nats.restart(server).expect("started");
            fleet.spawn(leader);
            without
        }
    }
}

fn audit(folder: &std::path::Path) {
    let audit =
        Command::new(env!("CARGO_BIN_EXE_croupier")).args(["audit", "--data"]).arg(folder).output().expect("an audit");
    assert!(
        audit.status.success(),
        "{}{}",
        String::from_utf8_lossy(&audit.stdout),
        String::from_utf8_lossy(&audit.stderr)
    );
}

/// Everything that was acknowledged is there once, in every copy.
fn check(fleet: &Fleet, played: &[Played]) {
    let copies: Vec<floor::Floor> = (0..fleet.len())
        .map(|host| {
            audit(&fleet.folder(host));
            engine::read_floor(RealDisk::to_read(&fleet.folder(host))).expect("a floor")
        })
        .collect();
    let newest = copies.iter().max_by_key(|copy| copy.sequence()).expect("a copy");
    for played in played {
        assert!(played.settled, "{played:?}");
        let terminal = newest.terminal(floor::TerminalId(played.terminal)).expect("the terminal");
        let staked: i64 = terminal.stakes().iter().map(|stake| stake.amount.get()).sum();
        let accepted = i64::try_from(played.accepted).expect("few bets") * 100;
        assert_eq!(Cents::new(staked), Cents::new(accepted), "{played:?}");
    }
}

/// A fleet with a round open and players who bet without pause.
struct Playing {
    fleet: Fleet,
    game: Arc<Game>,
    runtime: tokio::runtime::Runtime,
    players: Vec<tokio::task::JoinHandle<Played>>,
}

impl Playing {
    fn start() -> Playing {
        let fleet = Fleet::start(3, &["main"]);
        let house = fleet.furnish(1, PLAYERS);
        let mut dealer = house.dealer().expect("a dealer");
        dealer.does(&format!("/tables/{}/open-bets", house.table), &json!({})).expect("a round");
        let game = Arc::new(Game {
            hosts: fleet.addresses(),
            floor: "main".to_owned(),
            over: AtomicBool::new(false),
            acknowledged: AtomicU64::new(0),
            refused: Mutex::new(Vec::new()),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("threads");
        let seats = house.seats.iter().cloned().zip(0..);
        let players = seats.map(|(seat, place)| runtime.spawn(play(Arc::clone(&game), seat, place))).collect();
        wait_for_bets(&game, 50, Duration::from_secs(30));
        Playing { fleet, game, runtime, players }
    }

    /// Lets something fail and come back; how long no bet was acknowledged.
    fn fail(&mut self, fault: Fault, place: usize) -> Duration {
        let without = fail(&mut self.fleet, &self.game, fault, place);
        let acknowledged = self.game.acknowledged.load(Ordering::Relaxed);
        println!("{fault:?}: no bet for {:.2} s; {acknowledged} acknowledged so far", without.as_secs_f64());
        wait_for_bets(&self.game, 30, Duration::from_secs(30));
        without
    }

    /// Everybody stops, and everything is looked at.
    fn end(mut self) {
        self.game.over.store(true, Ordering::Relaxed);
        let players = std::mem::take(&mut self.players);
        let played = players.into_iter().map(|player| self.runtime.block_on(player).expect("a player"));
        let played: Vec<Played> = played.collect();
        self.fleet.stop();
        check(&self.fleet, &played);
    }
}

fn times(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|times| times.parse().ok()).unwrap_or(usual)
}

#[test]
fn whatever_fails_no_bet_is_lost_or_doubled() {
    let mut playing = Playing::start();
    let usual = [Fault::KillLeader, Fault::PauseLeader, Fault::KillFollower, Fault::KillServer, Fault::KillMachine];
    // Each once, and then as chance has it.
    let seed = times("CLUSTER_SEED", 1) as u64;
    println!("CLUSTER_SEED={seed}");
    let mut random = Random::new(seed);
    for round in 0..times("CLUSTER_FAULTS", usual.len()) {
        let fault = usual.get(round).unwrap_or_else(|| random.of(&usual));
        playing.fail(*fault, random.below(3) as usize);
    }
    playing.end();
}

/// Measured by `make bench`, which says how often.
#[test]
fn how_long_a_takeover_takes() {
    let (processes, machines) = (times("TAKEOVERS", 0), times("MACHINES", 0));
    if processes + machines == 0 {
        return;
    }
    let mut playing = Playing::start();
    for (what, fault, count) in [
        ("of the process that leads", Fault::KillLeader, processes),
        ("of a machine: that process and the server that leads the stream", Fault::KillMachine, machines),
    ] {
        let mut took: Vec<Duration> = (0..count).map(|place| playing.fail(fault, place)).collect();
        took.sort();
        if let (Some(median), Some(worst)) = (took.get(took.len() / 2), took.last()) {
            let (median, worst) = (median.as_secs_f64(), worst.as_secs_f64());
            println!("takeover after {count} losses {what}: median {median:.2} s, worst {worst:.2} s");
        }
    }
    playing.end();
}

#[test]
fn floors_are_shared_by_hosts_and_taken_over_one_by_one() {
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
