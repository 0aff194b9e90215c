//! What can fail, how it is let fail under load, and what must hold then.

use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use journal::RealDisk;
use rulebook::Cents;
use serde_json::json;

use crate::fleet::Fleet;
use crate::machines::Machines;
use crate::player::{Game, Played, play};

const PLAYERS: usize = 6;
/// Bets of 1.00 that a player may have on one table, with something left over.
const LIMIT: u64 = 900_000;
/// After any cut or kill, a host accepts bets again within this time. Servers that have lost each other silently may
/// need several elections; the test prints how long it really took.
const TAKEOVER: Duration = Duration::from_secs(60);
/// When a machine is cut off, within this.
const CUT_OFF: Duration = Duration::from_secs(60);
/// Everything that was lost is back within this.
const BACK: Duration = Duration::from_secs(90);

/// Something that fails.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    KillLeader,
    PauseLeader,
    KillFollower,
    KillServer,
    /// The leader and a server, as if they were one machine.
    KillMachine,
    /// The leader's machine hears no other and is not heard. Its clients still reach it.
    CutLeader,
    /// The same with the machine of a follower.
    CutFollower,
    /// The wire of the leader's machine, and so its clients' too.
    PullLeader,
    /// Two machines of three do not hear each other.
    CutLink,
    /// One machine does not hear another, which hears it.
    CutOneWay,
}

/// What can fail anywhere.
pub const KILLS: [Fault; 5] =
    [Fault::KillLeader, Fault::PauseLeader, Fault::KillFollower, Fault::KillServer, Fault::KillMachine];
/// What can fail where links can be cut.
pub const CUTS: [Fault; 5] =
    [Fault::CutLeader, Fault::CutFollower, Fault::CutLink, Fault::PullLeader, Fault::CutOneWay];

/// What was seen of a fault.
#[derive(Copy, Clone, Debug)]
pub struct Seen {
    pub fault: Fault,
    /// How long no reachable host accepted a bet.
    pub without: Duration,
    /// How long all hosts took to be back after it.
    pub back: Duration,
}

/// A fleet with a round open and players who bet without pause.
pub struct Playing<'a> {
    pub fleet: Fleet,
    machines: Option<&'a Machines>,
    game: Arc<Game>,
    runtime: tokio::runtime::Runtime,
    players: Vec<tokio::task::JoinHandle<Played>>,
    since: Instant,
    seen: Vec<Seen>,
}

/// How long it takes until something holds.
fn wait(what: &str, game: &Game, at_most: Duration, holds: impl Fn() -> bool) -> Duration {
    let since = Instant::now();
    while !holds() {
        let refused = game.refused.lock().expect("no panic");
        assert!(refused.is_empty(), "refused: {refused:?}");
        assert!(since.elapsed() < at_most, "{what}: not within {at_most:?}");
        drop(refused);
        std::thread::sleep(Duration::from_millis(2));
    }
    since.elapsed()
}

impl Game {
    fn taken(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Bets acknowledged by one host.
    fn taken_by(&self, host: usize) -> u64 {
        self.by_host[host].load(Ordering::Relaxed)
    }

    fn wait_for_bets(&self, more: u64) -> Duration {
        let from = self.taken();
        wait("bets", self, TAKEOVER, || self.taken() >= from + more)
    }
}

/// Bets that other hosts acknowledge.
fn elsewhere(game: &Game, but: usize, more: u64, at_most: Duration) -> Duration {
    let taken = || game.taken() - game.taken_by(but);
    let from = taken();
    wait("bets elsewhere", game, at_most, || taken() >= from + more)
}

/// How long it takes until another host leads and a bet is acknowledged there.
fn takeover(fleet: &Fleet, game: &Game, leader: usize, at_most: Duration) -> Duration {
    let since = Instant::now();
    let others: Vec<usize> = (0..fleet.len()).filter(|host| *host != leader).collect();
    wait("another host leads", game, at_most, || {
        let seen = others.iter().find_map(|host| fleet.leader_seen(*host, 0));
        seen.is_some_and(|seen| seen != leader)
    });
    elsewhere(game, leader, 1, at_most.saturating_sub(since.elapsed()));
    since.elapsed()
}

impl<'a> Playing<'a> {
    /// Starts on machines whose links can be cut, or on this one as it is. Play is to last for some minutes.
    pub fn start(machines: Option<&'a Machines>, minutes: u64) -> Playing<'a> {
        let fleet = match machines {
            Some(machines) => Fleet::start_at(&machines.places(), &["main"]),
            None => Fleet::start(3, &["main"]),
        };
        let house = fleet.furnish(1, PLAYERS);
        let mut dealer = house.dealer().expect("a dealer");
        dealer.does(&format!("/tables/{}/open-bets", house.table), &json!({})).expect("a round");
        let hosts = fleet.addresses();
        let game = Arc::new(Game {
            by_host: hosts.iter().map(|_| AtomicU64::new(0)).collect(),
            hosts,
            floor: "main".to_owned(),
            over: AtomicBool::new(false),
            acknowledged: AtomicU64::new(0),
            pause: Duration::from_millis(minutes * 60_000 / LIMIT),
            refused: Mutex::new(Vec::new()),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("threads");
        let seats = house.seats.iter().cloned().zip(0..);
        let players = seats.map(|(seat, place)| runtime.spawn(play(Arc::clone(&game), seat, place))).collect();
        game.wait_for_bets(50);
        Playing { fleet, machines, game, runtime, players, since: Instant::now(), seen: Vec::new() }
    }

    /// What can fail here.
    pub fn faults(&self) -> Vec<Fault> {
        let cuts = if self.machines.is_some() { &CUTS[..] } else { &[] };
        [&KILLS, cuts].concat()
    }

    /// Lets something fail and come back.
    pub fn fail(&mut self, fault: Fault, place: usize) -> Seen {
        let leader = self.fleet.wait_for_leader();
        println!("{:7.1} s  {fault:?} of {place}", self.since.elapsed().as_secs_f64());
        let without = match fault {
            Fault::CutLeader | Fault::CutFollower | Fault::PullLeader | Fault::CutLink | Fault::CutOneWay => {
                self.cut(fault, leader, place)
            }
            _ => self.kill(fault, leader, place),
        };
        let came_back = Instant::now();
        self.game.wait_for_bets(30);
        self.fleet.nats.wait_until_current().expect("all servers are back");
        self.fleet.wait_until_ready(BACK);
        let seen = Seen { fault, without, back: came_back.elapsed() };
        println!(
            "{:7.1} s  {fault:?} (host {leader} led, {} leads): no bet for {:.2} s, all back {:.2} s later; {} \
             acknowledged so far",
            self.since.elapsed().as_secs_f64(),
            self.fleet.wait_for_leader(),
            without.as_secs_f64(),
            seen.back.as_secs_f64(),
            self.game.taken(),
        );
        self.seen.push(seen);
        seen
    }

    fn kill(&mut self, fault: Fault, leader: usize, place: usize) -> Duration {
        let Playing { fleet, game, .. } = self;
        let follower = (leader + 1) % fleet.len();
        match fault {
            Fault::KillLeader => {
                fleet.kill(leader);
                let without = takeover(fleet, game, leader, TAKEOVER);
                fleet.spawn(leader);
                without
            }
            Fault::PauseLeader => {
                fleet.pause(leader);
                let without = takeover(fleet, game, leader, TAKEOVER);
                std::thread::sleep(Duration::from_secs(1));
                fleet.resume(leader);
                // It has slept past its lease and must not say that it leads, from its first word on.
                for _ in 0..10 {
                    assert_ne!(
                        fleet.leader_seen(leader, 0),
                        Some(leader),
                        "a leader that has woken says that it leads"
                    );
                }
                without
            }
            Fault::KillFollower => {
                fleet.kill(follower);
                let without = game.wait_for_bets(30);
                fleet.spawn(follower);
                without
            }
            Fault::KillServer => {
                fleet.nats.kill(place % 3).expect("killed");
                let without = game.wait_for_bets(30);
                fleet.nats.restart(place % 3).expect("started");
                without
            }
            _ => {
                // The one whose loss is felt most.
                let server = fleet.stream_leader().unwrap_or(place % 3);
                fleet.kill(leader);
                fleet.nats.kill(server).expect("killed");
                let without = takeover(fleet, game, leader, TAKEOVER);
                fleet.nats.restart(server).expect("started");
                fleet.spawn(leader);
                without
            }
        }
    }

    fn cut(&self, fault: Fault, leader: usize, place: usize) -> Duration {
        let machines = self.machines.expect("machines whose links can be cut");
        let other = (leader + 1 + place % 2) % self.fleet.len();
        let without = match fault {
            Fault::CutLeader => {
                machines.cut_off(leader);
                self.without(leader)
            }
            Fault::PullLeader => {
                machines.pull(leader);
                self.without(leader)
            }
            Fault::CutFollower => {
                machines.cut_off(other);
                // What was on its way is answered yet. Afterwards this host can promise nothing; the others can.
                std::thread::sleep(Duration::from_millis(500));
                let before = self.game.taken_by(other);
                let without = elsewhere(&self.game, other, 30, CUT_OFF);
                // It says itself that it is of no use.
                wait("a host that is cut off is not ready", &self.game, CUT_OFF, || !self.fleet.is_ready(other));
                assert_eq!(self.game.taken_by(other), before, "a host that is cut off has acknowledged");
                without
            }
            _ => {
                let (one, other) = if place == 2 { ((leader + 1) % 3, (leader + 2) % 3) } else { (leader, other) };
                match (fault, place % 2) {
                    (Fault::CutLink, _) => machines.cut(one, other),
                    (_, 0) => machines.cut_one_way(one, other),
                    _ => machines.cut_one_way(other, one),
                }
                // Long enough that leases and servers' heartbeats run out where they do.
                std::thread::sleep(Duration::from_secs(3));
                self.game.wait_for_bets(30)
            }
        };
        machines.heal();
        without
    }

    /// The leader is cut off: another takes over, and this one acknowledges nothing more.
    fn without(&self, leader: usize) -> Duration {
        let before = {
            let game = Arc::clone(&self.game);
            // What was on its way is answered yet.
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(500));
                game.taken_by(leader)
            })
        };
        let without = takeover(&self.fleet, &self.game, leader, CUT_OFF);
        std::thread::sleep(Duration::from_secs(2));
        let before = before.join().expect("a number");
        assert_eq!(self.game.taken_by(leader), before, "a leader that is cut off has acknowledged");
        without
    }

    /// How long it has been played.
    pub fn lasts(&self) -> Duration {
        self.since.elapsed()
    }

    /// Everything stops, everything is checked, and the findings are printed.
    pub fn end(mut self) {
        self.game.over.store(true, Ordering::Relaxed);
        let players = std::mem::take(&mut self.players);
        let played = players.into_iter().map(|player| self.runtime.block_on(player).expect("a player"));
        let played: Vec<Played> = played.collect();
        self.fleet.stop();
        check(&self.fleet, &played);
        let accepted: u64 = played.iter().map(|played| played.accepted).sum();
        println!(
            "{} faults in {:.0} s, {accepted} bets acknowledged, each there once; {} copies clean",
            self.seen.len(),
            self.since.elapsed().as_secs_f64(),
            self.fleet.len()
        );
        let mut kinds: Vec<Fault> = self.seen.iter().map(|seen| seen.fault).collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            let of_kind = self.seen.iter().filter(|seen| seen.fault == kind);
            let (mut without, mut back): (Vec<_>, Vec<_>) = of_kind.map(|seen| (seen.without, seen.back)).unzip();
            let count = without.len();
            let (without, back) = (spread(&mut without), spread(&mut back));
            let kind = format!("{kind:?}");
            println!("{count:6} × {kind:<12} no bet for: {without}; all back after: {back}");
        }
    }
}

/// Median and worst.
pub fn spread(times: &mut [Duration]) -> String {
    times.sort();
    let of = |time: Option<&Duration>| time.map_or(0.0, Duration::as_secs_f64);
    format!("median {:.2} s, worst {:.2} s", of(times.get(times.len() / 2)), of(times.last()))
}

pub fn audit(folder: &std::path::Path) {
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
