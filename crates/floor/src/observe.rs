//! What devices report, and the void grounds it raises (D4, D5).
//!
//! A ground that a device measures freezes the round at once; what a person must judge is proposed to the dealer. A
//! device never decides a round: its report waits for the dealer's confirmation or for a Pit Supervisor who records it
//! as a fault.

use rulebook::{Arises, Begins, Device as Mechanism, GroundId, Rulebook, Timing};

use crate::bounds;
use crate::command::*;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::service::disagrees;
use crate::state::{Device, Floor, OpenGround, Phase, Round, Seen, Table};

/// What a report means for the round.
enum Meaning {
    /// It is part of the record and nothing else.
    Nothing,
    /// It counts for the round.
    Counts,
    /// It counts, and it is a ground.
    Ground(GroundId),
    /// It begins the round.
    Begins,
    /// It begins the round with the cover off.
    BeginsBare,
    /// Dice read under the cover or before the close: they bind, and establish nothing.
    Concealed,
    /// The dealer starts again before the notice (D18).
    StartsAgain,
    /// It is a second tumble or spin (D18).
    Second,
    /// It makes no sense now.
    Nonsense,
    /// It is of a tumble or spin whose beginning was not reported: that one is the first of the round, and gives no outcome
    /// without a second person (D18, D19).
    Unannounced,
    /// The ball rests before the close: no one can enter a result for it (D4).
    RestedEarly,
    /// It is about a round that was settled already (D19).
    Late(RoundId),
    /// It comes while the round is interrupted: it does not count, and it binds (D6, D22).
    Meanwhile,
}

impl Floor {
    pub(crate) fn observe(&self, sender: Sender, observation: Observation, at: Moment) -> Events {
        let Sender::Device(id) = sender else {
            return refuse(Code::NotForSender, "D5", "devices report for themselves");
        };
        let Some(device) = self.device(id) else {
            return refuse(Code::UnknownSender, "D5", "this device is not known");
        };
        let DevicePlace::Table(table) = device.place else {
            return refuse(Code::NotForSender, "D5", "this device is not at a table");
        };
        let (table, rulebook) = self.find_table(table)?;
        if !fits(device.kind, observation) {
            return refuse(Code::NotForSender, "D5", "this kind of device cannot see that");
        }
        if let Observation::Rested { pocket } = observation
            && pocket.get() >= rulebook.outcomes().size()
        {
            return refuse(Code::NotFound, &rulebook.procedure().result_paragraph, "there is no such pocket");
        }
        match observation {
            Observation::Fault { number } => return Ok(self.fault(device, table, observation, number)),
            Observation::Restored => return Ok(vec![observed(device, table, observation, false)]),
            _ => {}
        }
        let serves = device.service().serves(table.round.as_ref().map(|round| round.id));
        let late = late(table, rulebook, observation, serves, at);
        if let Some(late) = late {
            return Ok(self.events(device, table, rulebook, observation, Meaning::Late(late)));
        }
        // What else a device reports while it is out of service is kept, and counts for nothing (D19).
        if !serves {
            return Ok(vec![observed(device, table, observation, false)]);
        }
        let Some(round) = &table.round else {
            let meaning = before_round(rulebook, device, observation, table.ready_for_round(rulebook, at).is_ok());
            return Ok(self.events(device, table, rulebook, observation, meaning));
        };
        if repeats_settled(table, rulebook, round, observation) {
            return Ok(self.events(device, table, rulebook, observation, Meaning::Nothing));
        }
        // What was tumbled or spun before the round does not count for it, however late it ends (D18), and however often the
        // wheel says where the ball rests.
        // § rws-sicbo 3.6 · rws-sicbo-open 3.6 · rws-roulette-000 1.10 · mbs-sicbo 3.1 · rws-taisai 3.7
        if (table.earlier.is_meant(observation) || table.still_rests(observation)) && !round.seen.is_reported() {
            return Ok(self.events(device, table, rulebook, observation, Meaning::Nothing));
        }
        // An interrupted round waits for its attestation; reports are kept for the proposal.
        let lost = self.count_lost(table, round, at);
        let shown = round.close_shown() || lost.is_some();
        let meaning = in_round(rulebook, device, round, observation, shown);
        let events = self.events(device, table, rulebook, observation, meaning);
        Ok(lost.into_iter().chain(events).collect())
    }

    /// A fault of the tumbler or wheel during a round prompts the dealer to say whether it affects the round (D21).
    fn fault(&self, device: &Device, table: &Table, observation: Observation, number: u16) -> Vec<Event> {
        let alert = self.alert(0, Some(table.id), AlertKind::DeviceFault(device.id, number));
        let round = table
            .round
            .as_ref()
            .filter(|round| device.is_mechanism() && device.service().serves(Some(round.id)) && round.fault.is_none());
        let asked =
            round.map(|round| Event::FaultAsked { round: round.id, table: table.id, device: device.id, number });
        [observed(device, table, observation, false)].into_iter().chain(alert).chain(asked).collect()
    }

    fn events(
        &self,
        device: &Device,
        table: &Table,
        rulebook: &Rulebook,
        observation: Observation,
        meaning: Meaning,
    ) -> Vec<Event> {
        let report = |counts| observed(device, table, observation, counts);
        let round = table.round.as_ref();
        match (meaning, round) {
            (meaning @ (Meaning::Begins | Meaning::BeginsBare), None) => {
                let round = self.next_round();
                let begun = Event::RoundBegun { round, table: table.id, by: None };
                let bare = matches!(meaning, Meaning::BeginsBare).then_some(GroundId::ExposedBeforeClose);
                let raised = bare.and_then(|ground| raised(rulebook, device, table, round, ground));
                [begun, report(true)].into_iter().chain(raised).collect()
            }
            (Meaning::Concealed, Some(round)) => {
                let first = !round.seen.set_off && !round.seen.is_unannounced() || ends_unreported(round, observation);
                let alert = self.alert(0, Some(table.id), AlertKind::DeviceNonsense(device.id)).filter(|_| first);
                [concealed(device, table, observation)].into_iter().chain(alert).collect()
            }
            (Meaning::Counts, Some(round)) => {
                let reads = round.second.is_none() && reading_binds(device, round, observation);
                let out_of_sequence = reads && ends_unreported(round, observation);
                let nonsense = self.alert(0, Some(table.id), AlertKind::DeviceNonsense(device.id));
                let nonsense = nonsense.filter(|_| out_of_sequence);
                let other = self.contradiction(table, rulebook, round, &round.seen, observation).filter(|_| reads);
                let earlier = u64::from(nonsense.is_some());
                let other =
                    other.and_then(|_| self.alert(earlier, Some(table.id), AlertKind::DeviceDisagrees(round.id)));
                [report(true)].into_iter().chain(nonsense).chain(other).collect()
            }
            (Meaning::Meanwhile, Some(round)) if self.is_tagged() => {
                let meanwhile =
                    Event::ObservedMeanwhile { round: round.id, table: table.id, device: device.id, observation };
                let alert = self.alert(0, Some(table.id), AlertKind::ReportedMeanwhile(round.id));
                let earlier = u64::from(alert.is_some());
                let other = self.contradiction(table, rulebook, round, &round.meanwhile, observation);
                let other =
                    other.and_then(|_| self.alert(earlier, Some(table.id), AlertKind::DeviceDisagrees(round.id)));
                [meanwhile].into_iter().chain(alert).chain(other).collect()
            }
            (Meaning::StartsAgain, Some(round)) => {
                let again = Event::StartedAgain { round: round.id, table: table.id, device: device.id };
                let bare = is_bare(rulebook, device).then_some(GroundId::ExposedBeforeClose);
                let raised = bare.and_then(|ground| raised(rulebook, device, table, round.id, ground));
                [again, report(true)].into_iter().chain(raised).collect()
            }
            (Meaning::Second, Some(round)) => {
                let second = Event::SecondTumble { round: round.id, table: table.id, device: device.id };
                let second = round.second.is_none().then_some(second);
                let alert = self.alert(0, Some(table.id), AlertKind::SecondTumble(round.id));
                second.into_iter().chain([report(true)]).chain(alert).collect()
            }
            (Meaning::Ground(ground), Some(round)) => {
                let known = round.ground.iter().chain(&round.waiting).any(|open| open.ground == ground);
                let raised = raised(rulebook, device, table, round.id, ground).filter(|_| !known);
                let report = match observation {
                    // Dice that are read before the close bind, and are not the reading of the result.
                    Observation::DiceRead { .. } => concealed(device, table, observation),
                    _ => report(true),
                };
                [report].into_iter().chain(raised).collect()
            }
            (Meaning::RestedEarly, Some(round)) => {
                let alert = self.alert(0, Some(table.id), AlertKind::RestedEarly(round.id));
                [report(true)].into_iter().chain(alert).collect()
            }
            (Meaning::Nonsense, _) => {
                let alert = self.alert(0, Some(table.id), AlertKind::DeviceNonsense(device.id));
                [report(false)].into_iter().chain(alert).collect()
            }
            (Meaning::Unannounced, _) => {
                let alert = self.alert(0, Some(table.id), AlertKind::DeviceNonsense(device.id));
                [report(true)].into_iter().chain(alert).collect()
            }
            (Meaning::Late(round), _) => {
                let late = Event::ObservedLate { round, table: table.id, device: device.id, observation };
                let alert = self.alert(0, Some(table.id), AlertKind::ReportedLate(round));
                [late].into_iter().chain(alert).collect()
            }
            _ => vec![report(false)],
        }
    }
}

impl Floor {
    /// The alert of a reading that differs from the result that was entered before it (D19).
    fn contradiction(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        round: &Round,
        seen: &Seen,
        observation: Observation,
    ) -> Option<Event> {
        let outcome = round.outcome?;
        let mut seen = seen.clone();
        match observation {
            Observation::DiceRead { dice } => seen.read_dice(dice),
            Observation::Rested { pocket } => seen.read_pocket(pocket),
            _ => return None,
        }
        let differs = disagrees(rulebook, &seen, outcome);
        differs.then(|| self.alert(0, Some(table.id), AlertKind::DeviceDisagrees(round.id))).flatten()
    }
}

/// The ground that a report is, if the document lists it.
fn raised(rulebook: &Rulebook, device: &Device, table: &Table, round: RoundId, ground: GroundId) -> Option<Event> {
    let proposed = rulebook.ground(ground)?.arises == Arises::Proposed;
    Some(Event::GroundRaised { round, table: table.id, ground, device: device.id, proposed })
}

/// A spin that rests has ended; where it rested is read only while the reading serves (D19).
fn observed(device: &Device, table: &Table, observation: Observation, counts: bool) -> Event {
    let reads = device.reads(table.round.as_ref().map(|round| round.id));
    let unread = counts && !reads && matches!(observation, Observation::Rested { .. });
    Event::Observed { device: device.id, table: table.id, observation, counts, unread, concealed: false }
}

fn concealed(device: &Device, table: &Table, observation: Observation) -> Event {
    let (device, table) = (device.id, table.id);
    Event::Observed { device, table, observation, counts: true, unread: false, concealed: true }
}

/// Whether what it read binds: also dice that a tumbler need not read (D19).
fn reading_binds(device: &Device, round: &Round, observation: Observation) -> bool {
    match observation {
        Observation::DiceRead { .. } => device.reading().serves(Some(round.id)),
        _ => device.reads(Some(round.id)),
    }
}

/// Whether dice are read of a tumble that was not reported to have ended: they lie, so that it has (D18, D19).
fn ends_unreported(round: &Round, observation: Observation) -> bool {
    matches!(observation, Observation::DiceRead { .. }) && round.seen.running
}

/// The settled round that a report is about: it would have been a ground or differs from the result, and it cannot belong
/// to a round in play, because none is in play or nothing can have been tumbled or spun in it yet (D19).
// § etg 5.3 · mbs-sicbo 5.1, 5.3 · rws-taisai 5.5
fn late(table: &Table, rulebook: &Rulebook, observation: Observation, serves: bool, at: Moment) -> Option<RoundId> {
    let settled = table.reports_of?;
    let in_play = |round: &Round| {
        // A device that fell silent, was taken out of service and reports after all is heard until the close of the next
        // round, which is played without it.
        let before = !serves || at.since(round.begun_at) < bounds::TUMBLE_TAKES;
        round.phase >= Phase::Closed || !before || round.seen.set_off || round.seen.is_reported()
    };
    if table.round.as_ref().is_some_and(in_play) {
        return None;
    }
    let (Mechanism::Tumbler { minimum, .. } | Mechanism::Wheel { minimum, .. }) = rulebook.procedure().device;
    let outcome = table.archived(settled)?.outcome?;
    let doubtful = match observation {
        Observation::Tumbled { times } | Observation::Revolved { times } => times < minimum,
        Observation::NotFlat | Observation::NoCompartment | Observation::FlungOut => true,
        Observation::DiceRead { dice } => disagrees(rulebook, &Seen { dice, ..Seen::default() }, outcome),
        Observation::Rested { pocket } => pocket != outcome,
        _ => false,
    };
    doubtful.then_some(settled)
}

/// Whether the result of the settled round is read once more while nothing was tumbled or spun since.
fn repeats_settled(table: &Table, rulebook: &Rulebook, round: &Round, observation: Observation) -> bool {
    if round.phase >= Phase::Closed || round.seen.set_off || round.seen.is_reported() {
        return false;
    }
    let settled = table.reports_of.and_then(|settled| table.archived(settled)?.outcome);
    settled.is_some_and(|outcome| match observation {
        Observation::DiceRead { dice } => {
            dice.iter().all(Option::is_some) && !disagrees(rulebook, &Seen { dice, ..Seen::default() }, outcome)
        }
        Observation::Rested { pocket } => pocket == outcome,
        _ => false,
    })
}

impl Table {
    /// Whether the wheel repeats where the ball came to rest last: no spin was reported since (D18).
    fn still_rests(&self, observation: Observation) -> bool {
        matches!(observation, Observation::Rested { pocket } if self.rest == Some(pocket))
    }
}

fn fits(kind: DeviceKind, observation: Observation) -> bool {
    match observation {
        Observation::Activated
        | Observation::Tumbled { .. }
        | Observation::Uncovered
        | Observation::Covered
        | Observation::DiceRead { .. }
        | Observation::NotFlat => kind == DeviceKind::Tumbler,
        Observation::Spun { .. }
        | Observation::Revolved { .. }
        | Observation::Rested { .. }
        | Observation::NoCompartment
        | Observation::FlungOut
        | Observation::WheelStopped => kind == DeviceKind::Wheel,
        Observation::Fault { .. } | Observation::Restored => true,
    }
}

/// A tumble or spin before the round began does not count for it, except where it is what begins the round.
// § rws-sicbo 3.6 · rws-sicbo-open 3.6 · rws-roulette-000 1.10 · mbs-sicbo 3.1 · rws-taisai 3.7
fn before_round(rulebook: &Rulebook, device: &Device, observation: Observation, ready: bool) -> Meaning {
    match observation {
        Observation::Activated if rulebook.procedure().begins == Begins::Activation && ready => {
            if is_bare(rulebook, device) { Meaning::BeginsBare } else { Meaning::Begins }
        }
        _ => Meaning::Nothing,
    }
}

/// Whether the dice of a game that covers them lie open, as the device reported last.
fn is_bare(rulebook: &Rulebook, device: &Device) -> bool {
    let covered = matches!(rulebook.procedure().device, Mechanism::Tumbler { covered: true, .. });
    covered && device.measures().cover && device.off
}

/// Reports of a second tumble or spin, which is never mixed with the first one and never replaces it. Before the notice,
/// with the dice unexposed, the dealer may start again instead (D18).
// § etg 3.7 · mbs-sicbo 3.1, 3.5, 5.1 · rws-taisai 3.8
fn beyond_first(rulebook: &Rulebook, round: &Round, observation: Observation, shown: bool) -> Option<Meaning> {
    let covered = matches!(rulebook.procedure().device, Mechanism::Tumbler { covered: true, .. });
    let before_notice = rulebook.procedure().timing == Timing::BeforeNotice;
    let first = &round.seen;
    let made = first.is_reported() || round.outcome.is_some() || round.replaced;
    let starts_again = before_notice && round.phase == Phase::Begun && round.may_start_again();
    match observation {
        Observation::Activated if starts_again => made.then_some(Meaning::StartsAgain),
        Observation::Activated if made || before_notice && round.phase != Phase::Begun => Some(Meaning::Second),
        Observation::Spun { .. } if made && !first.running => Some(Meaning::Second),
        // A wheel repeats itself: until the ball rests, the same spin and the same count are one spin. Another count is that of
        // a second spin (D18).
        Observation::Revolved { times } if first.spun_again && first.times != Some(times) && round.second.is_none() => {
            Some(Meaning::Second)
        }
        // The end of another tumble, after the dice of the first could be seen: its beginning was not reported. Before that, a
        // further count is of the first. Before the notice it halts nothing: the dealer may start again.
        Observation::Tumbled { .. }
            if !starts_again && round.second.is_none() && first.times.is_some() && first.was_seen() =>
        {
            Some(Meaning::Second)
        }
        _ if round.second.is_none() => None,
        // Dice tumbled under cover for this round are exposed before the close, whichever tumble it was.
        // § rws-sicbo 5.3.3 · mbs-sicbo 5.2 · rws-taisai 5.5.3
        Observation::Uncovered if covered && !shown => Some(Meaning::Ground(GroundId::ExposedBeforeClose)),
        Observation::Spun { .. } if round.current().running => Some(Meaning::Nothing),
        Observation::Spun { .. } | Observation::Activated => Some(Meaning::Second),
        Observation::DiceRead { .. } if round.current().running => Some(Meaning::Nonsense),
        // Kept with the tumble or spin it followed.
        _ => Some(Meaning::Counts),
    }
}

impl Round {
    /// Whether the dealer alone may start again: nothing was exposed or read, and no ground but that of the tumble itself
    /// is open. Who has seen what was read would choose the outcome.
    pub(crate) fn may_start_again(&self) -> bool {
        let of_tumble = |open: &OpenGround| matches!(open.ground, GroundId::TooFewTumbles | GroundId::DieNotFlat);
        let read = self.seen.was_read();
        let unexposed = !self.seen.exposed && !self.seen.uncovered && !read && self.second.is_none();
        unexposed && self.interrupted.is_none() && self.ground.iter().chain(&self.waiting).all(of_tumble)
    }
}

/// What a report means for a round in progress. `shown`: every live terminal shows that bets are closed, which is the
/// close that the documents speak of.
fn in_round(rulebook: &Rulebook, device: &Device, round: &Round, observation: Observation, shown: bool) -> Meaning {
    if let Some(meaning) = beyond_first(rulebook, round, observation, shown) {
        return meaning;
    }
    let procedure = rulebook.procedure();
    let seen = &round.seen;
    let (covered, minimum) = match procedure.device {
        Mechanism::Tumbler { covered, minimum } => (covered, minimum),
        Mechanism::Wheel { minimum, .. } => (false, minimum),
    };
    let unannounced = seen.is_unannounced();
    let tumbled = seen.set_off || unannounced;
    if !tumbled && let Some(meaning) = without_start(rulebook, device, round, observation, shown) {
        return meaning;
    }
    let tumbled_in_time = unannounced || seen.set_off && (procedure.timing != Timing::AfterClose || seen.after_close);
    match observation {
        Observation::Activated => match procedure.timing {
            // § rws-sicbo-open 3.6, 5.3.3
            Timing::AfterClose if !shown => Meaning::Ground(GroundId::ActivatedBeforeClose),
            // Dice that are tumbled in the open are exposed, whether or not they lie still.
            // § rws-sicbo 3.6, 5.3.3 · mbs-sicbo 3.1, 5.2 · rws-taisai 3.7, 5.5.3
            _ if !shown && is_bare(rulebook, device) => Meaning::Ground(GroundId::ExposedBeforeClose),
            _ => Meaning::Counts,
        },
        // § rws-sicbo 3.6, 5.3.1 · rws-sicbo-open 3.6, 5.3.1 · mbs-sicbo 3.1, 5.1 · rws-taisai 3.7, 5.5.1
        Observation::Tumbled { times } if times < minimum && !mutant!("short-tumble-counts") => {
            Meaning::Ground(GroundId::TooFewTumbles)
        }
        // Of one tumble the first lawful count stands. After a reading it is the count of the tumble that was read.
        Observation::Tumbled { .. } if seen.times.is_some() => Meaning::Nothing,
        Observation::Tumbled { .. } => Meaning::Counts,
        // Dice that were not tumbled for this round conceal nothing.
        // § rws-sicbo 3.6, 5.3.3 · mbs-sicbo 3.4, 5.2 · rws-taisai 5.5.3
        Observation::Uncovered if !tumbled => Meaning::Nothing,
        Observation::Uncovered if !shown && covered => Meaning::Ground(GroundId::ExposedBeforeClose),
        Observation::Uncovered if !shown => Meaning::Nothing,
        // An attestation comes before anything is uncovered that was covered (D6).
        Observation::Uncovered if round.interrupted.is_some() && covered => Meaning::Meanwhile,
        Observation::Uncovered => Meaning::Counts,
        Observation::Covered => Meaning::Nothing,
        // Readings before the close or under the cover never count; the close is what every live terminal shows.
        // § rws-sicbo 5.1.2 · rws-sicbo-open 5.1.2 · mbs-sicbo 5.8.1 · rws-taisai 5.4.2
        // A tumbler that need not read dice, and does, binds all the same (D19).
        Observation::DiceRead { .. } if !reading_binds(device, round, observation) => Meaning::Nothing,
        // A reading of no die does not say that the tumble has ended; a die that is read lies, so that it has (D18).
        Observation::DiceRead { dice } if seen.running && dice.iter().all(Option::is_none) => Meaning::Nonsense,
        Observation::DiceRead { .. } if shown && tumbled_in_time && (seen.uncovered || !covered) => Meaning::Counts,
        // The cover came off before the close or while the round was interrupted, and that was put aside.
        Observation::DiceRead { dice } if shown && tumbled_in_time && seen.off => match round.interrupted {
            Some(_) if dice.iter().all(Option::is_none) => Meaning::Nothing,
            Some(_) => Meaning::Meanwhile,
            None => Meaning::Counts,
        },
        // It is of the tumble that gives the outcome, and no one may contradict it alone (D19).
        Observation::DiceRead { .. } if seen.reported() && round.interrupted.is_none() => Meaning::Concealed,
        Observation::DiceRead { .. } => Meaning::Nothing,
        // § rws-sicbo 3.7, 5.3.2 · rws-sicbo-open 3.7, 5.3.2 · mbs-sicbo 3.4, 5.3 · rws-taisai 3.8, 5.5.2
        Observation::NotFlat if tumbled => Meaning::Ground(GroundId::DieNotFlat),
        Observation::NotFlat => Meaning::Nothing,

        // § rws-roulette-000 1.10, 3.6, 5.3.5, 5.3.6
        Observation::Spun { wheel_rotating: false, .. } => Meaning::Ground(GroundId::WheelNotRotating),
        Observation::Spun { against_rotation: false, .. } => Meaning::Ground(GroundId::SameDirection),
        // A wheel repeats itself: until the ball rests it is the same spin (D18).
        Observation::Spun { .. } if seen.running && seen.times.is_none() => Meaning::Nothing,
        Observation::Spun { .. } => Meaning::Counts,
        // § rws-roulette-000 1.8, 3.6, 5.3.2
        Observation::Revolved { times } if times < minimum => Meaning::Ground(GroundId::TooFewRevolutions),
        Observation::Revolved { .. } => Meaning::Counts,
        // § rws-roulette-000 1.10, 3.7
        // The spin ended when the ball was flung out or lay in no compartment: what rests after that was put there (D18),
        // unless that report was put aside.
        Observation::Rested { .. } if round.left_the_wheel() => Meaning::Nothing,
        Observation::Rested { .. } if shown => Meaning::Counts,
        Observation::Rested { .. } => Meaning::RestedEarly,
        // § rws-roulette-000 5.3.3, 5.3.4, 5.3.9
        Observation::NoCompartment if tumbled => Meaning::Ground(GroundId::NoCompartment),
        Observation::FlungOut if tumbled => Meaning::Ground(GroundId::FlungOut),
        Observation::WheelStopped if tumbled && !seen.came_to_rest() => Meaning::Ground(GroundId::WheelStopped),
        _ => Meaning::Nothing,
    }
}

/// What a report means whose tumble or spin was not announced: it was made in this round, as far as is known, and is the
/// first one. `None`: it tells of no tumble or spin.
// § etg 3.6, 3.7 · rws-sicbo 5.3.1, 5.3.2, 5.3.3 · rws-sicbo-open 5.3.1, 5.3.2, 5.3.3
// § rws-roulette-000 5.3.2, 5.3.3, 5.3.4 · mbs-sicbo 3.1, 5.1, 5.2, 5.3 · rws-taisai 3.7, 5.5.1, 5.5.2, 5.5.3
fn without_start(
    rulebook: &Rulebook,
    device: &Device,
    round: &Round,
    observation: Observation,
    shown: bool,
) -> Option<Meaning> {
    let procedure = rulebook.procedure();
    let (Mechanism::Tumbler { minimum, .. } | Mechanism::Wheel { minimum, .. }) = procedure.device;
    let covered = matches!(procedure.device, Mechanism::Tumbler { covered: true, .. });
    // Where tumbling begins after the close, dice that were tumbled before it are what 5.3.3 speaks of.
    let too_early = (procedure.timing == Timing::AfterClose && !shown).then_some(GroundId::ActivatedBeforeClose);
    let bare = (!shown && is_bare(rulebook, device)).then_some(GroundId::ExposedBeforeClose);
    let ground = match observation {
        Observation::Tumbled { times } if times < minimum => Some(GroundId::TooFewTumbles),
        Observation::Revolved { times } if times < minimum => Some(GroundId::TooFewRevolutions),
        Observation::DiceRead { dice } if dice.iter().all(Option::is_none) => return Some(Meaning::Nothing),
        Observation::DiceRead { .. } if !reading_binds(device, round, observation) => return Some(Meaning::Nothing),
        // With the cover off since before the close and nothing tumbled, the dice that lie there are those of before.
        Observation::DiceRead { .. } if is_bare(rulebook, device) && !round.lifted => return Some(Meaning::Nothing),
        Observation::DiceRead { .. } if round.interrupted.is_some() => return None,
        Observation::Tumbled { .. } | Observation::DiceRead { .. } => too_early.or(bare),
        Observation::NotFlat => Some(GroundId::DieNotFlat),
        Observation::NoCompartment => Some(GroundId::NoCompartment),
        Observation::FlungOut => Some(GroundId::FlungOut),
        Observation::Revolved { .. } | Observation::Rested { .. } => None,
        _ => return None,
    };
    Some(match (ground, observation) {
        (Some(ground), _) => Meaning::Ground(ground),
        (None, Observation::DiceRead { .. }) if covered || !shown => Meaning::Concealed,
        (None, Observation::Rested { .. }) if !shown => Meaning::RestedEarly,
        (None, _) => Meaning::Unannounced,
    })
}

impl Round {
    /// Whether the ball was flung out or lay in no compartment, and that was not put aside.
    fn left_the_wheel(&self) -> bool {
        let open = |open: &OpenGround| matches!(open.ground, GroundId::NoCompartment | GroundId::FlungOut);
        let ended = self.seen.ended && self.seen.pocket.is_none() && !self.seen.rested_early;
        ended && self.ground.iter().chain(&self.waiting).any(open)
    }
}
