//! Devices in and out of service, what they measure, and what a result needs besides (D19).
//!
//! A tumbler or wheel in service must have reported a lawful tumble or spin that has ended before a result is taken; what
//! it does not measure the dealer affirms. One that is out of service holds up no round: the dealer affirms everything.

use rulebook::{Act, Affirmation, Affirmed, Device as Mechanism, Outcome, OutcomeIndex, Point, Rulebook, Timing};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::{Event, Need};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Device, Floor, Phase, Round, Seen, Staff, Table};

impl Device {
    /// Whether it makes results.
    #[must_use]
    pub fn is_mechanism(&self) -> bool {
        matches!(self.kind, DeviceKind::Tumbler | DeviceKind::Wheel)
    }

    /// Whether its reading of results serves.
    #[must_use]
    pub fn reads(&self, round: Option<RoundId>) -> bool {
        self.measures().reads && self.reading().serves(round)
    }

    /// Whether it answers for a point: it measures it, and has said so of this tumble or spin where that is a count.
    fn answers_for(&self, point: Point, round: Option<RoundId>) -> bool {
        let measures = self.measures();
        match point {
            Point::Times => measures.times,
            Point::Direction => measures.direction,
            Point::Cover => measures.cover,
            Point::Flat => measures.flat && self.reading().serves(round),
            // Whatever reports a tumble or spin says when it began and that it ended.
            Point::AfterClose | Point::Rest => true,
        }
    }
}

impl Floor {
    /// The tumbler or wheel of a table that is in service in its round.
    #[must_use]
    pub fn serving(&self, table: &Table) -> Option<&Device> {
        let round = table.round.as_ref().map(|round| round.id);
        self.mechanisms(table.id).find(|device| device.service().serves(round))
    }

    /// All tumblers or wheels of a table that are in service in its round.
    fn all_serving(&self, table: &Table) -> impl Iterator<Item = &Device> {
        let round = table.round.as_ref().map(|round| round.id);
        self.mechanisms(table.id).filter(move |device| device.service().serves(round))
    }

    /// The tumblers and wheels of a table, in service or not.
    pub fn mechanisms(&self, table: TableId) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(move |device| device.place == DevicePlace::Table(table) && device.is_mechanism())
    }

    /// A device or its reading goes out of service or comes back: two people of the pit, one a Pit Supervisor or above.
    pub(crate) fn change_service(
        &self,
        sender: Sender,
        device: DeviceId,
        function: Function,
        in_service: bool,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let found = self.find_device(device)?;
        let (by, witness) = self.two_of_the_pit(sender, witness, found)?;
        reason_fits(reason)?;
        let service = match function {
            Function::Device => found.service(),
            Function::Reading => found.reading(),
        };
        if service.out != in_service {
            let words = if in_service { "it is in service already" } else { "it is out of service already" };
            return refuse(Code::NothingToDo, "D19", words);
        }
        if in_service && function == Function::Device {
            self.no_other_serves(found.place, Some(device))?;
        }
        let table = found.table();
        Ok(vec![Event::ServiceChanged { device, table, function, in_service, by, witness, reason: reason.into() }])
    }

    /// What a device measures is its own data; at a table it is changed by two people and between rounds only.
    pub(crate) fn describe_device(
        &self,
        sender: Sender,
        device: DeviceId,
        measures: Measures,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.technician(sender)?;
        let found = self.find_device(device)?;
        if found.measures() == measures {
            return refuse(Code::NothingToDo, "D19", "this is what it measures already");
        }
        self.no_round_at(found.place)?;
        let witness = self.second_for_device(by, witness, &[found.place])?;
        Ok(vec![Event::DeviceDescribed { device, measures, by, witness }])
    }

    fn find_device(&self, device: DeviceId) -> Result<&Device, Refusal> {
        match self.device(device) {
            Some(found) if found.is_mechanism() => Ok(found),
            Some(_) => refuse(Code::NotFound, "D19", "only a tumbler or a wheel is in service or not"),
            None => refuse(Code::NotFound, "the floor", format!("there is no device {device}")),
        }
    }

    fn two_of_the_pit(
        &self,
        sender: Sender,
        witness: Option<StaffId>,
        device: &Device,
    ) -> Result<(StaffId, StaffId), Refusal> {
        let Some((table, _)) = device.table().map(|table| self.find_table(table)).transpose()? else {
            return refuse(Code::NotFound, "D19", "this device is not at a table");
        };
        let by = self.authorise_any(sender, Act::EnterResult, table)?;
        let supervisor = self.authorise_any(sender, Act::RecordDeviceFault, table).is_ok();
        let needed = if supervisor { Act::EnterResult } else { Act::RecordDeviceFault };
        if witness.is_none() && mutant!("service-alone") {
            return Ok((by, by));
        }
        Ok((by, self.second_person(by, witness, needed, table)?))
    }

    /// The second person for what an administrator does to a tumbler or wheel that stands at a table, leaves one or comes
    /// to one: from then on results are taken with it, or without it. The host sets a floor up by itself.
    pub(crate) fn second_for_device(
        &self,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        places: &[DevicePlace],
    ) -> Result<Option<StaffId>, Refusal> {
        let Some(by) = by else { return Ok(None) };
        let mut second = None;
        for place in places {
            if let DevicePlace::Table(table) = place {
                let (table, _) = self.find_table(*table)?;
                second = Some(self.second_person(by, witness, Act::RecordDeviceFault, table)?);
            }
        }
        Ok(second)
    }

    /// The second person for a tumbler or wheel that comes to a table from elsewhere: one who may take it out of service
    /// there, or another administrator, because a floor that begins has no independent people of the pit (D19, D27).
    pub(crate) fn second_for_arrival(
        &self,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        place: DevicePlace,
    ) -> Result<Option<StaffId>, Refusal> {
        let DevicePlace::Table(table) = place else { return Ok(None) };
        let (table, _) = self.find_table(table)?;
        let may = |staff: &Staff| self.authorise(Sender::Staff(staff.id), Act::RecordDeviceFault, table).is_ok();
        let words = "two people bring a tumbler or wheel to a table: an administrator with another one, or with a Pit \
                     Supervisor or above (D19)";
        self.office_second(by, witness, may, words)
    }

    /// A result, and the notice where the tumble comes first, needs a lawful tumble or spin that has ended.
    // § etg 3.6 · mbs-sicbo 3.1 · rws-taisai 3.7
    pub(crate) fn lawful(&self, table: &Table, rulebook: &Rulebook, round: &Round) -> Result<(), Refusal> {
        let procedure = rulebook.procedure();
        let paragraph = &procedure.device_paragraph;
        if round.seen.short {
            return refuse(Code::NotValid, paragraph, "a tumble of this round was too short, and no other cures it");
        }
        let Some(device) = self.serving(table).filter(|_| !round.replaced) else { return Ok(()) };
        let name = mechanism(rulebook);
        if round.seen.running && mutant!("result-while-running") {
            return Ok(());
        }
        if round.seen.running {
            let words = format!("the {name} has not come to rest yet; if it has stopped reporting, {CALL}");
            return refuse(Code::NotValid, paragraph, words);
        }
        if round.seen.bare {
            let words = "the dice were tumbled in the open: that is no tumble under cover, and no other cures it";
            return refuse(Code::NotValid, paragraph, words);
        }
        if covered(rulebook, device, round) {
            let words = format!("the {name} is in service and has not reported that the cover is off; {CALL}");
            return refuse(Code::NoTumble, paragraph, words);
        }
        if round.seen.is_uncounted() && device.measures().times {
            let words = format!(
                "the {name} is in service and has not reported how many times it tumbled the dice that it read; {CALL}"
            );
            return refuse(Code::NoTumble, paragraph, words);
        }
        if !is_lawful(rulebook, device, &round.seen) {
            let words = format!("the {name} is in service and has reported no lawful {}; {CALL}", act(rulebook));
            return refuse(Code::NoTumble, paragraph, words);
        }
        // One that reports does not stand for another that is silent.
        let several = self.is_tagged() && self.all_serving(table).nth(1).is_some();
        let silent = |device: &&Device| several && !round.reporters.contains(&device.id);
        if let Some(silent) = self.all_serving(table).find(silent) {
            let words = format!("{} is in service and has reported nothing of this round; {CALL}", silent.name);
            return refuse(Code::NoTumble, paragraph, words);
        }
        Ok(())
    }

    /// The points the dealer affirms with a step: all that no device in service answers for.
    // § etg 3.6, 3.7 · mbs-sicbo 3.1, 3.4 · rws-taisai 3.7, 3.8
    pub fn to_affirm<'a>(&self, table: &Table, rulebook: &'a Rulebook, with: Affirmed) -> Vec<&'a Affirmation> {
        let round = table.round.as_ref().map(|round| round.id);
        let device = self.serving(table);
        // How it began no device has said that did not report its beginning.
        let unannounced = table.round.as_ref().is_some_and(|round| round.seen.is_unannounced());
        let said = |device: &Device, point| match point {
            Point::Direction | Point::AfterClose if unannounced => false,
            _ => device.answers_for(point, round),
        };
        let open = |affirmation: &&Affirmation| {
            affirmation.with == with && !device.is_some_and(|device| said(device, affirmation.point))
        };
        rulebook.affirmations().iter().filter(open).collect()
    }

    pub(crate) fn affirms(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        with: Affirmed,
        affirmed: &[Point],
    ) -> Result<(), Refusal> {
        let open = self.to_affirm(table, rulebook, with);
        match open.into_iter().find(|affirmation| !affirmed.contains(&affirmation.point)) {
            Some(missing) => {
                let words = format!("the dealer must affirm “{}” ({})", missing.text.en, missing.point);
                refuse(Code::Affirm, &missing.paragraph, words)
            }
            None => Ok(()),
        }
    }

    /// Neither of the two who changed the service of a device enters a result in that round, nor signs for one.
    pub(crate) fn may_enter(&self, table: &Table, round: RoundId, by: StaffId) -> Result<(), Refusal> {
        let own = |serviced: &crate::state::Serviced| serviced.staff == by && serviced.round == Some(round);
        if table.serviced.iter().any(own) && !mutant!("serviced-enters") {
            let words =
                "who changed the service of the device in this round neither enters its result nor signs for it";
            return refuse(Code::ServiceChanged, "D19", words);
        }
        Ok(())
    }

    /// Why this result needs a second person.
    pub(crate) fn need(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        round: &Round,
        outcome: OutcomeIndex,
        by: StaffId,
        at: Moment,
    ) -> Need {
        // A tumble in the open binds also when the device that reported it no longer serves.
        if round.seen.bare {
            return Need::Contradicts;
        }
        let binds = !mutant!("out-of-service-frees-readings") || self.serving(table).is_some();
        if binds && is_against(rulebook, round.binding(), outcome) {
            return if mutant!("contradiction-alone") { Need::Nothing } else { Need::Contradicts };
        }
        let reads = self.all_serving(table).any(|device| device.reads(Some(round.id)));
        // What was read after a second tumble was set aside does not tell which tumble it is of (D18). What was read under
        // the cover or before the close binds, and does not count as the reading of the result.
        let unannounced = round.seen.is_unannounced() && !round.replaced;
        if round.doubtful || unannounced || reads && complete(rulebook, &round.seen).is_none() {
            return if mutant!("unread-alone") { Need::Nothing } else { Need::Unread };
        }
        let today = self.day_of(at);
        let serviced = |serviced: &crate::state::Serviced| serviced.staff == by && self.day_of(serviced.at) == today;
        let set_aside = round.set_aside.contains(&by);
        let serviced = table.serviced.iter().any(serviced) && !mutant!("serviced-next-round-alone");
        if set_aside || serviced {
            return Need::Serviced;
        }
        // What the device has read completely has a witness.
        let unseen = complete(rulebook, &round.seen).is_none();
        if unseen && self.late_chips_win(table, rulebook, round, outcome, by) { Need::LateChips } else { Need::Nothing }
    }

    /// Whether the dice, or where the ball rests, can be seen, as far as the host can know. Where no device tells of
    /// the cover or the ball, they can from the close on; at a live table also from the moment on at which no chips are
    /// recorded any more (D20).
    pub(crate) fn visible(&self, table: &Table, rulebook: &Rulebook, round: &Round, at: Moment) -> bool {
        let seen = &round.seen;
        let read = seen.pocket.is_some() || round.rested_early() || seen.dice.iter().any(Option::is_some);
        let told = match (rulebook.procedure().device, self.serving(table)) {
            (_, None) => round.closed_at.is_some(),
            (Mechanism::Tumbler { covered: true, .. }, Some(device)) => {
                !device.measures().cover && round.closed_at.is_some()
            }
            (Mechanism::Tumbler { covered: false, .. } | Mechanism::Wheel { .. }, Some(_)) => seen.has_ended(),
        };
        told || read || seen.exposed || round.outcome.is_some() || round.dice_show() || table.recording_over(round, at)
    }
}

impl Table {
    /// Keeps what the device read of a round that is settled, as long as the round is among the recent ones.
    pub(crate) fn read_of(&mut self, round: RoundId, read: impl Iterator<Item = Seen>) {
        for seen in read {
            let rounds = self.readings.iter().zip(self.readings.iter().skip(1)).filter(|(one, next)| one.0 != next.0);
            let kept = rounds.count() + usize::from(!self.readings.is_empty());
            if self.readings.back().is_none_or(|(last, _)| *last != round) && kept >= bounds::CORRECTABLE {
                let first = self.readings.front().map(|(first, _)| *first);
                self.readings.retain(|(of, _)| Some(*of) != first);
            }
            self.readings.push_back((round, seen));
        }
    }

    /// What the device read of a settled round, as far as it binds its result.
    fn readings_of(&self, round: RoundId) -> impl Iterator<Item = &Seen> {
        let recalled = self.recalled.iter().filter(move |recalled| recalled.round.id == round);
        let recent = self.readings.iter().filter(move |(of, _)| *of == round).map(|(_, seen)| seen);
        recent.chain(recalled.flat_map(|recalled| &recalled.read))
    }

    /// Whether a result contradicts what the device read of a settled round.
    pub(crate) fn contradicts(&self, rulebook: &Rulebook, round: RoundId, outcome: OutcomeIndex) -> bool {
        is_against(rulebook, self.readings_of(round), outcome)
    }

    /// What the device read of the round that leaves the list of recent ones when another one ends, for the host to keep
    /// with it: with these bytes it is recalled (D24). Empty: nothing.
    #[must_use]
    pub fn leaving_read(&self) -> Vec<u8> {
        let read: Vec<&Seen> = self.leaving().map_or_else(Vec::new, |round| self.readings_of(round.id).collect());
        if read.is_empty() { Vec::new() } else { minicbor::to_vec(read).unwrap_or_default() }
    }
}

impl Floor {
    /// The alert of corrections that contradict what the device read: the first of them stands for all (D19).
    pub(crate) fn corrected_against_device(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        events: &[Event],
    ) -> Option<Event> {
        let earlier = events.iter().filter(|event| matches!(event, Event::AlertRaised { .. })).count() as u64;
        let against = events.iter().find_map(|event| match event {
            Event::RoundCorrected { round, outcome, .. }
            | Event::ChipsCorrected { round, outcome: Some(outcome), .. } => {
                table.contradicts(rulebook, *round, *outcome).then_some(*round)
            }
            _ => None,
        })?;
        self.alert(earlier, Some(table.id), AlertKind::DeviceDisagrees(against))
    }
}

/// What to do when a device in service holds the round.
const CALL: &str = "call the Pit Supervisor, take it out of service and affirm what the document asks for (D19)";

pub(crate) fn mechanism(rulebook: &Rulebook) -> &'static str {
    match rulebook.procedure().device {
        Mechanism::Tumbler { .. } => "tumbler",
        Mechanism::Wheel { .. } => "wheel",
    }
}

fn act(rulebook: &Rulebook) -> &'static str {
    match rulebook.procedure().device {
        Mechanism::Tumbler { .. } => "tumble",
        Mechanism::Wheel { .. } => "spin",
    }
}

/// Whether the dice of a lawful tumble still lie under the cover after the close: they are to be uncovered next.
pub(crate) fn covered(rulebook: &Rulebook, device: &Device, round: &Round) -> bool {
    let concealed =
        matches!(rulebook.procedure().device, Mechanism::Tumbler { covered: true, .. }) && device.measures().cover;
    let lies = round.phase >= Phase::Closed && !round.seen.running && !round.seen.exposed;
    concealed && lies && is_lawful(rulebook, device, &round.seen)
}

/// Whether a tumble or spin is lawful as far as the device measures it, and has ended. That it was long enough is known
/// from the ground that a short one raises. For one whose beginning was not reported a second person stands (D19).
pub(crate) fn is_lawful(rulebook: &Rulebook, device: &Device, seen: &Seen) -> bool {
    let in_time = rulebook.procedure().timing != Timing::AfterClose || seen.after_close || seen.is_unannounced();
    let counted = !device.measures().times || seen.times.is_some();
    seen.came_to_rest() && !seen.short && !seen.bare && in_time && counted
}

/// Whether a result contradicts anything that binds it (D19). It is asked of an entry, of a correction and by the audit.
pub(crate) fn is_against<'a>(
    rulebook: &Rulebook,
    read: impl IntoIterator<Item = &'a Seen>,
    outcome: OutcomeIndex,
) -> bool {
    read.into_iter().any(|seen| {
        let concealed = Seen { dice: seen.concealed, ..Seen::default() };
        disagrees(rulebook, seen, outcome) || disagrees(rulebook, &concealed, outcome)
    })
}

/// The outcome that was completely read.
pub(crate) fn complete(rulebook: &Rulebook, seen: &Seen) -> Option<OutcomeIndex> {
    match (rulebook.outcomes().wheel(), seen.dice) {
        (Some(_), _) => seen.pocket.filter(|_| !seen.rested_early),
        (None, [Some(a), Some(b), Some(c)]) => rulebook.outcomes().index(Outcome::Dice(rulebook::Dice([a, b, c]))),
        _ => None,
    }
}

/// Whether the device read something else after the close, even of one die. The order of dice never matters.
pub(crate) fn disagrees(rulebook: &Rulebook, seen: &Seen, outcome: OutcomeIndex) -> bool {
    if seen.contradicted {
        return true;
    }
    match rulebook.outcomes().outcome(outcome) {
        Some(Outcome::Dice(rulebook::Dice(entered))) => {
            let mut entered = entered.to_vec();
            seen.dice.iter().flatten().any(|die| match entered.iter().position(|face| face == die) {
                Some(place) => {
                    entered.remove(place);
                    false
                }
                None => true,
            })
        }
        Some(Outcome::Pocket(_)) => seen.pocket.is_some_and(|pocket| pocket != outcome),
        None => false,
    }
}
