//! A floor with three hosts on a cluster: one leads, the others follow, and any of them can be cut off, stand still or go down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use floor::Moment;
use simulator::{Chance, Crowd};

use crate::ground;
use crate::kept::Kept;
use crate::member::Member;
use crate::net::{Net, Reach};
use crate::plan::{Course, Fault, Trouble};
use crate::summary::Summary;
use crate::witness::{Check, Witness, must};

/// Hosts of a floor.
const HOSTS: usize = 3;
/// Turns within which a host must lead and everything must be answered, once there are no more faults.
const PATIENCE: u32 = 2_000;

/// Turns that the other hosts have at most in one step while a host waits for an answer.
const MEANWHILE: usize = 120;

/// The hosts, and the cluster between them.
pub(crate) struct Many {
    hosts: Hosts,
    pub summary: Summary,
    began: Moment,
}

/// The hosts as all have them in common. While one of them waits for an answer of the cluster, the others have their turn.
#[derive(Clone)]
struct Hosts {
    net: Arc<Mutex<Net>>,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    course: Course,
    witness: Witness,
    /// A host that waits for an answer is not here.
    members: Vec<Option<Box<Member>>>,
    summary: Summary,
    chance: Chance,
    step: u32,
    /// Turns that are left in this step while a host waits.
    left: usize,
    /// When play last stopped.
    away: Moment,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Many {
    pub fn new(course: &Course) -> Result<Many, String> {
        let mut witness = Witness::of(course.seed)?;
        let (_, house) = Crowd::house(course.seed);
        let net = Arc::new(Mutex::new(Net::new(course, HOSTS, &[house, witness.crowd.log()])));
        let disk = ground::disk(course.seed, &witness.crowd)?;
        let mut summary = Summary { seeds: 1, clusters: 1, ..Summary::default() };
        let mut members = Vec::new();
        for host in 0..HOSTS {
            let reach = Reach { net: Arc::clone(&net), host, session: host as u64 };
            let kept = (host == 0).then(Kept::default);
            let mut member = Box::new(Member::new(reach, disk.image(course.seed ^ host as u64), kept));
            member.start(course, &mut witness, &mut summary)?;
            members.push(Some(member));
        }
        let began = witness.crowd.at();
        let (course, chance) = (course.clone(), course.chance(0, 2));
        let shared = Shared { course, witness, members, summary, chance, step: 0, left: 0, away: began };
        let hosts = Hosts { net, shared: Arc::new(Mutex::new(shared)) };
        hosts.take_turns();
        Ok(Many { hosts, summary: Summary::default(), began })
    }

    /// One step: a person acts, a host continues, or a fault happens to it.
    pub fn step(&mut self, step: u32) -> Check {
        let hosts = &self.hosts;
        let (host, what) = {
            let mut shared = lock(&hosts.shared);
            shared.chance = shared.course.chance(step, 2);
            let crowd = shared.course.chance(step, 3);
            shared.witness.crowd.draw_from(crowd);
            shared.witness.crowd.tick();
            shared.summary.steps += 1;
            (shared.step, shared.left) = (step, MEANWHILE);
            let span = Duration::from_millis(shared.chance.below(200) as u64);
            let mut net = lock(&hosts.net);
            net.chance = shared.course.chance(step, 4);
            net.pass(span);
            let host = shared.chance.below(HOSTS);
            (host, shared.chance.below(100))
        };
        if hosts.is_awake(host) {
            match what {
                0..45 => hosts.somebody_sends()?,
                45..55 => hosts.go(host, |member| member.decide())?,
                55..62 => hosts.go(host, |member| member.write(false))?,
                62..63 => hosts.go(host, |member| member.write(true))?,
                63..65 => hosts.go(host, |member| member.snapshot())?,
                65..72 => hosts.go(host, |member| member.follow())?,
                72..74 => hosts.follow_records(host)?,
                74..90 => hosts.lease(host)?,
                90..92 => lock(&hosts.net).arrive(),
                _ => hosts.happens(host)?,
            }
        }
        for host in 0..HOSTS {
            hosts.look_after(host)?;
        }
        if lock(&hosts.shared).course.compares_every_step() {
            hosts.compare_records()?;
        }
        hosts.hold()
    }

    /// The network is whole again: a host leads, every client gets an answer, and all hosts agree.
    pub fn finish(&mut self) -> Check {
        let hosts = &self.hosts;
        {
            let mut shared = lock(&hosts.shared);
            shared.chance = shared.course.chance(u32::MAX, 2);
            (shared.step, shared.left) = (u32::MAX, 0);
            let mut net = lock(&hosts.net);
            net.calm = true;
            net.cut_off = vec![false; HOSTS];
            for member in shared.members.iter_mut().flatten() {
                member.disk.repair();
                member.paused = 0;
            }
        }
        let mut turns = 0;
        while !hosts.is_at_rest() || turns < 40 {
            turns += 1;
            must(turns < PATIENCE, || "nobody leads, though nothing is wrong any more".to_owned())?;
            lock(&hosts.net).pass(Duration::from_millis(100));
            for host in 0..HOSTS {
                hosts.lease(host)?;
                hosts.busy(host)?;
                hosts.look_after(host)?;
            }
            hosts.hold()?;
        }
        hosts.compare()?;
        let shared = lock(&hosts.shared);
        self.summary = shared.summary.clone();
        let crowd = &shared.witness.crowd;
        self.summary.milliseconds = u64::try_from(crowd.at().0 - self.began.0).unwrap_or(0);
        self.summary.accepted = crowd.summary().accepted;
        self.summary.records = crowd.log().len() as u64;
        self.summary.answered = shared.witness.answered;
        let seen = lock(&hosts.net).summary.clone();
        self.summary.add(&seen);
        Ok(())
    }
}

impl Shared {
    /// Hosts that do not wait for an answer.
    fn here(&self) -> Vec<usize> {
        (0..HOSTS).filter(|host| self.members[*host].is_some()).collect()
    }
}

impl Hosts {
    /// A host acts. While it waits for an answer it is not among the others.
    fn with<T>(&self, host: usize, act: impl FnOnce(&mut Member) -> T) -> Option<T> {
        let mut member = lock(&self.shared).members[host].take()?;
        let done = act(&mut member);
        lock(&self.shared).members[host] = Some(member);
        Some(done)
    }

    fn go<T>(&self, host: usize, act: impl FnOnce(&mut Member) -> T) -> Check {
        self.with(host, act);
        self.listen(host)
    }

    fn listen(&self, host: usize) -> Check {
        let shared = &mut *lock(&self.shared);
        shared.members[host].as_mut().map_or(Ok(()), |member| member.listen(&mut shared.witness))
    }

    fn is_awake(&self, host: usize) -> bool {
        let shared = lock(&self.shared);
        shared.members[host].as_ref().is_some_and(|member| member.paused <= shared.step)
    }

    /// Whether a host leads, and all clients have their answers.
    fn is_at_rest(&self) -> bool {
        let shared = lock(&self.shared);
        shared.members.iter().flatten().any(|member| member.leads()) && shared.witness.waiting() == 0
    }

    /// From now on the others have their turn while a host waits.
    fn take_turns(&self) {
        let (net, shared) = (Arc::downgrade(&self.net), Arc::downgrade(&self.shared));
        let others = move || {
            let hosts = net.upgrade().zip(shared.upgrade()).map(|(net, shared)| Hosts { net, shared });
            hosts.into_iter().for_each(|hosts| hosts.meanwhile());
        };
        lock(&self.net).others = Some(Arc::new(others));
    }

    /// A request or its answer is on the way: mostly not for long. Now and then the host that waits stands still, so that another
    /// one may lead before it goes on.
    fn meanwhile(&self) {
        for _ in 0..self.turns() {
            if let Err(what) = self.turn_of_another() {
                lock(&self.net).blame(what);
                return;
            }
        }
    }

    fn turns(&self) -> usize {
        // A host that starts or ends in order has everything to itself.
        let Ok(mut shared) = self.shared.try_lock() else { return 0 };
        let alone = shared.here().len() + 1 == HOSTS;
        let stands = alone && shared.left > 0 && shared.course.may(Fault::Pause) && shared.chance.one_in(25);
        let turns = if stands { 20 + shared.chance.below(40) } else { shared.chance.below(2) };
        if stands {
            shared.summary.fault(Fault::Pause);
        }
        let turns = turns.min(shared.left);
        shared.left -= turns;
        turns
    }

    fn turn_of_another(&self) -> Check {
        let (host, what, span) = {
            let mut shared = lock(&self.shared);
            let here = shared.here();
            let Some(host) = shared.chance.pick(&here) else { return Ok(()) };
            (host, shared.chance.below(100), Duration::from_millis(shared.chance.below(200) as u64))
        };
        lock(&self.net).pass(span);
        lock(&self.shared).summary.check("turns while a host waits");
        if self.is_awake(host) {
            match what {
                0..25 => self.somebody_sends()?,
                25..40 => self.go(host, |member| member.decide())?,
                40..55 => self.go(host, |member| member.write(false))?,
                55..70 => self.go(host, |member| member.follow())?,
                70..97 => self.lease(host)?,
                _ => lock(&self.net).arrive(),
            }
            self.look_after(host)?;
        }
        self.hold()
    }

    /// What holds after every step.
    fn hold(&self) -> Check {
        let (wrong, durable) = {
            let mut net = lock(&self.net);
            (net.wrong.take(), net.sequence)
        };
        let told = lock(&self.shared).witness.sequence();
        must(durable >= told, || format!("record {told} was told, and the stream ends at record {durable}"))?;
        wrong.map_or(Ok(()), Err)
    }

    fn somebody_sends(&self) -> Check {
        let (host, at_once) = {
            let shared = &mut *lock(&self.shared);
            let here = shared.here();
            let leads = |host: &usize| shared.members[*host].as_ref().is_some_and(|member| member.leads());
            let leaders: Vec<usize> = here.iter().copied().filter(leads).collect();
            // Mostly the leader is known; with two of them, either is asked.
            let known = shared.chance.pick(&leaders).filter(|_| !shared.chance.one_in(20));
            let Some(host) = known.or_else(|| shared.chance.pick(&here)) else { return Ok(()) };
            let Some(command) = shared.witness.crowd.sends() else { return Ok(()) };
            let Some(member) = &mut shared.members[host] else { return Ok(()) };
            member.submit(&mut shared.witness, command);
            (host, member.paused <= shared.step && shared.chance.one_in(2))
        };
        if at_once { self.busy(host) } else { Ok(()) }
    }

    /// A host does everything that waits there.
    fn busy(&self, host: usize) -> Check {
        for _ in 0..PATIENCE {
            let worked = self.with(host, |member| member.write(false) | member.decide()).unwrap_or(false);
            self.listen(host)?;
            if !worked {
                return Ok(());
            }
        }
        Err(format!("host {host} never comes to rest"))
    }

    fn follow_records(&self, host: usize) -> Check {
        {
            let shared = &mut *lock(&self.shared);
            let Some(kept) = shared.members[host].as_mut().and_then(|member| member.kept.as_mut()) else {
                return Ok(());
            };
            kept.step(&shared.witness, &mut shared.summary)?;
            // Mostly they are behind; now and then they are brought up to date and compared.
            if !shared.chance.one_in(8) {
                return Ok(());
            }
        }
        self.compare_records()
    }

    /// The records of the first host, as far as they go, equal a rebuild.
    fn compare_records(&self) -> Check {
        let shared = &mut *lock(&self.shared);
        let kept = shared.members[0].as_mut().and_then(|member| member.kept.as_mut());
        kept.map_or(Ok(()), |kept| kept.compare_so_far(&shared.witness, &mut shared.summary))
    }

    fn lease(&self, host: usize) -> Check {
        let course = lock(&self.shared).course.clone();
        let begins = self.with(host, |member| member.turn(&course)).unwrap_or(Ok(false))?;
        self.listen(host)?;
        if begins {
            let shared = &mut *lock(&self.shared);
            shared.summary.check("takeovers");
            let Some(member) = &mut shared.members[host] else { return Ok(()) };
            for command in shared.witness.crowd.restarted(shared.away) {
                member.submit(&mut shared.witness, command);
            }
        }
        Ok(())
    }

    /// Hosts that are down come back; one whose engine has stopped, or that has lost the lease, begins again.
    fn look_after(&self, host: usize) -> Check {
        let shared = &mut *lock(&self.shared);
        let Some(member) = shared.members[host].as_mut().filter(|member| member.paused <= shared.step) else {
            return Ok(());
        };
        if let Some(reason) = member.stopped() {
            let known = ["no quorum", "another host has written", "input/output", "no space", "power"];
            let expected = known.iter().any(|words| reason.contains(words)) || member.disk.happened();
            must(expected, || format!("host {host} has stopped for no reason: {reason}"))?;
            return shared.begins_again(host);
        }
        if member.has_lost_the_lease() && shared.chance.one_in(4) {
            return shared.begins_again(host);
        }
        if !member.is_up() && shared.chance.one_in(8) {
            member.disk.repair();
            let up = member.start(&shared.course, &mut shared.witness, &mut shared.summary)?;
            if !up {
                shared.summary.check("interrupted starts");
            }
        }
        Ok(())
    }

    fn happens(&self, host: usize) -> Check {
        let shared = &mut *lock(&self.shared);
        let (fault, trouble) = shared.chance.of_these([
            (Fault::Kill, None),
            (Fault::Restart, None),
            (Fault::Partition, None),
            (Fault::Partition, None),
            (Fault::Pause, None),
            (Fault::PowerLoss, None),
            (Fault::DiskFails, Some(Trouble::Fails)),
            (Fault::DiskFull, Some(Trouble::Full)),
        ]);
        if !shared.course.may(fault) {
            return Ok(());
        }
        shared.summary.fault(fault);
        let Some(member) = &mut shared.members[host] else { return Ok(()) };
        match (fault, trouble) {
            (_, Some(trouble)) => {
                let after = u32::try_from(shared.chance.below(12)).unwrap_or(0);
                member.disk.plan(after, trouble);
            }
            (Fault::Kill, _) => member.kill(&mut shared.witness),
            (Fault::Restart, _) => return member.stop(&mut shared.witness),
            (Fault::PowerLoss, _) => {
                member.disk.lose_power();
                if let Some(kept) = &mut member.kept {
                    kept.machine_stops();
                }
                member.kill(&mut shared.witness);
            }
            (Fault::Pause, _) => {
                member.paused = shared.step + 20 + u32::try_from(shared.chance.below(60)).unwrap_or(0);
            }
            _ => {
                let mut net = lock(&self.net);
                net.cut_off[host] = !net.cut_off[host];
            }
        }
        Ok(())
    }

    fn compare(&self) -> Check {
        for host in 0..HOSTS {
            while self.with(host, Member::follow).unwrap_or(false) {}
            self.listen(host)?;
        }
        {
            let shared = &mut *lock(&self.shared);
            shared.witness.crowd.check()?;
            if let Some(kept) = shared.members[0].as_mut().and_then(|member| member.kept.as_mut()) {
                kept.compare(&shared.witness, &mut shared.summary)?;
            }
            for member in shared.members.iter_mut().flatten() {
                member.stop(&mut shared.witness)?;
                member.start(&shared.course, &mut shared.witness, &mut shared.summary)?;
                member.kill(&mut shared.witness);
            }
        }
        self.hold()
    }
}

impl Shared {
    fn begins_again(&mut self, host: usize) -> Check {
        self.away = self.witness.crowd.at();
        let in_order = self.chance.one_in(2);
        let Some(member) = &mut self.members[host] else { return Ok(()) };
        if in_order {
            return member.stop(&mut self.witness);
        }
        member.kill(&mut self.witness);
        Ok(())
    }
}
