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

/// The hosts, and the cluster between them.
pub(crate) struct Many<'a> {
    course: &'a Course,
    witness: Witness,
    net: Arc<Mutex<Net>>,
    members: Vec<Member>,
    pub summary: Summary,
    chance: Chance,
    began: Moment,
    /// When play last stopped.
    away: Moment,
}

impl<'a> Many<'a> {
    pub fn new(course: &'a Course) -> Result<Many<'a>, String> {
        let mut witness = Witness::of(course.seed)?;
        let (_, house) = Crowd::house(course.seed);
        let net = Arc::new(Mutex::new(Net::new(course, HOSTS, &[house, witness.crowd.log()])));
        let disk = ground::disk(course.seed, &witness.crowd)?;
        let mut summary = Summary { seeds: 1, clusters: 1, ..Summary::default() };
        let mut members = Vec::new();
        for host in 0..HOSTS {
            let reach = Reach { net: Arc::clone(&net), host, session: host as u64 };
            let kept = (host == 0).then(Kept::default);
            let mut member = Member::new(reach, disk.image(course.seed ^ host as u64), kept);
            member.start(course, &mut witness, &mut summary)?;
            members.push(member);
        }
        let began = witness.crowd.at();
        Ok(Many { course, witness, net, members, summary, chance: course.chance(0, 2), began, away: began })
    }

    fn net(&self) -> MutexGuard<'_, Net> {
        self.net.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One step: a person acts, a host continues, or a fault happens to it.
    pub fn step(&mut self, step: u32) -> Check {
        self.chance = self.course.chance(step, 2);
        self.witness.crowd.draw_from(self.course.chance(step, 3));
        self.witness.crowd.tick();
        self.summary.steps += 1;
        let span = Duration::from_millis(self.chance.below(200) as u64);
        {
            let mut net = self.net();
            net.chance = self.course.chance(step, 4);
            net.pass(span);
        }
        let host = self.chance.below(HOSTS);
        if self.members[host].paused <= step {
            match self.chance.below(100) {
                0..45 => self.somebody_sends(step)?,
                45..55 => self.go(host, |member| member.decide())?,
                55..62 => self.go(host, |member| member.write(false))?,
                62..63 => self.go(host, |member| member.write(true))?,
                63..65 => self.go(host, |member| member.snapshot())?,
                65..72 => self.go(host, |member| member.follow())?,
                72..74 => self.follow_records(host)?,
                74..90 => self.lease(host)?,
                90..92 => self.net().arrive(),
                _ => self.happens(host, step)?,
            }
        }
        for host in 0..HOSTS {
            self.look_after(host, step)?;
        }
        self.hold()
    }

    /// What holds after every step.
    fn hold(&mut self) -> Check {
        let (wrong, durable) = {
            let mut net = self.net();
            (net.wrong.take(), net.sequence)
        };
        let told = self.witness.sequence();
        must(durable >= told, || format!("record {told} was told, and the stream ends at record {durable}"))?;
        wrong.map_or(Ok(()), Err)
    }

    fn somebody_sends(&mut self, step: u32) -> Check {
        let Some(command) = self.witness.crowd.sends() else { return Ok(()) };
        let leaders: Vec<usize> = (0..HOSTS).filter(|host| self.members[*host].leads()).collect();
        // Mostly the leader is known; with two of them, either is asked.
        let host = match self.chance.pick(&leaders) {
            Some(host) if !self.chance.one_in(20) => host,
            _ => self.chance.below(HOSTS),
        };
        self.members[host].submit(&mut self.witness, command);
        if self.members[host].paused <= step && self.chance.one_in(2) { self.busy(host) } else { Ok(()) }
    }

    /// A host does everything that waits there.
    fn busy(&mut self, host: usize) -> Check {
        for _ in 0..PATIENCE {
            let member = &mut self.members[host];
            let worked = member.write(false) | member.decide();
            member.listen(&mut self.witness)?;
            if !worked {
                return Ok(());
            }
        }
        Err(format!("host {host} never comes to rest"))
    }

    fn go<T>(&mut self, host: usize, go: impl FnOnce(&mut Member) -> T) -> Check {
        go(&mut self.members[host]);
        self.members[host].listen(&mut self.witness)
    }

    fn follow_records(&mut self, host: usize) -> Check {
        let Some(kept) = &mut self.members[host].kept else { return Ok(()) };
        kept.step(&self.witness, &mut self.summary)
    }

    fn lease(&mut self, host: usize) -> Check {
        let begins = self.members[host].turn(self.course)?;
        self.members[host].listen(&mut self.witness)?;
        if begins {
            self.summary.check("takeovers");
            for command in self.witness.crowd.restarted(self.away) {
                self.members[host].submit(&mut self.witness, command);
            }
        }
        Ok(())
    }

    /// Hosts that are down come back; one whose engine has stopped, or that has lost the lease, begins again.
    fn look_after(&mut self, host: usize, step: u32) -> Check {
        if self.members[host].paused > step {
            return Ok(());
        }
        if let Some(reason) = self.members[host].stopped() {
            let known = ["no quorum", "another host has written", "input/output", "no space", "power"];
            let expected = known.iter().any(|words| reason.contains(words)) || self.members[host].disk.happened();
            must(expected, || format!("host {host} has stopped for no reason: {reason}"))?;
            return self.begins_again(host);
        }
        if self.members[host].has_lost_the_lease() && self.chance.one_in(4) {
            return self.begins_again(host);
        }
        if !self.members[host].is_up() && self.chance.one_in(8) {
            self.members[host].disk.repair();
            let up = self.members[host].start(self.course, &mut self.witness, &mut self.summary)?;
            if !up {
                self.summary.check("interrupted starts");
            }
        }
        Ok(())
    }

    fn begins_again(&mut self, host: usize) -> Check {
        self.away = self.witness.crowd.at();
        if self.chance.one_in(2) {
            return self.members[host].stop(&mut self.witness);
        }
        self.members[host].kill(&mut self.witness);
        Ok(())
    }

    fn happens(&mut self, host: usize, step: u32) -> Check {
        let (fault, trouble) = self.chance.of_these([
            (Fault::Kill, None),
            (Fault::Restart, None),
            (Fault::Partition, None),
            (Fault::Partition, None),
            (Fault::Pause, None),
            (Fault::PowerLoss, None),
            (Fault::DiskFails, Some(Trouble::Fails)),
            (Fault::DiskFull, Some(Trouble::Full)),
        ]);
        if !self.course.may(fault) {
            return Ok(());
        }
        self.summary.fault(fault);
        match (fault, trouble) {
            (_, Some(trouble)) => {
                let after = u32::try_from(self.chance.below(12)).unwrap_or(0);
                self.members[host].disk.plan(after, trouble);
            }
            (Fault::Kill, _) => self.members[host].kill(&mut self.witness),
            (Fault::Restart, _) => return self.members[host].stop(&mut self.witness),
            (Fault::PowerLoss, _) => {
                self.members[host].disk.lose_power();
                if let Some(kept) = &mut self.members[host].kept {
                    kept.machine_stops();
                }
                self.members[host].kill(&mut self.witness);
            }
            (Fault::Pause, _) => {
                self.members[host].paused = step + 20 + u32::try_from(self.chance.below(60)).unwrap_or(0)
            }
            _ => {
                let mut net = self.net();
                net.cut_off[host] = !net.cut_off[host];
            }
        }
        Ok(())
    }

    /// The network is whole again: a host leads, every client gets an answer, and all hosts agree.
    pub fn finish(&mut self) -> Check {
        self.chance = self.course.chance(u32::MAX, 2);
        {
            let mut net = self.net();
            net.calm = true;
            net.cut_off = vec![false; HOSTS];
        }
        for member in &mut self.members {
            member.disk.repair();
            member.paused = 0;
        }
        let mut turns = 0;
        while !(self.members.iter().any(Member::leads) && self.witness.waiting() == 0) || turns < 40 {
            turns += 1;
            must(turns < PATIENCE, || "nobody leads, though nothing is wrong any more".to_owned())?;
            self.net().pass(Duration::from_millis(100));
            for host in 0..HOSTS {
                self.lease(host)?;
                self.busy(host)?;
                self.look_after(host, u32::MAX)?;
            }
            self.hold()?;
        }
        self.compare()?;
        let crowd = &self.witness.crowd;
        self.summary.milliseconds = u64::try_from(crowd.at().0 - self.began.0).unwrap_or(0);
        self.summary.accepted = crowd.summary().accepted;
        self.summary.records = crowd.log().len() as u64;
        self.summary.answered = self.witness.answered;
        let seen = self.net().summary.clone();
        self.summary.add(&seen);
        Ok(())
    }

    fn compare(&mut self) -> Check {
        for host in 0..HOSTS {
            while self.members[host].follow() {}
            self.members[host].listen(&mut self.witness)?;
        }
        self.witness.crowd.check()?;
        if let Some(kept) = &mut self.members[0].kept {
            kept.compare(&self.witness, &mut self.summary)?;
        }
        for host in 0..HOSTS {
            self.members[host].stop(&mut self.witness)?;
            self.members[host].start(self.course, &mut self.witness, &mut self.summary)?;
            self.members[host].kill(&mut self.witness);
        }
        self.hold()
    }
}
