//! The physical table in the model's own words: what a device in service has reported, what a result needs, who may enter
//! it (D18, D19, D21, D22, D23).

use floor::*;
use rulebook::{Act, Dice, Face, GroundId, Outcome, OutcomeIndex, Point};

use super::{Check, Device, Model, Round, Serviced, must};
use crate::game::Game;

impl Device {
    pub fn new(kind: DeviceKind, place: DevicePlace, measures: Option<Measures>) -> Device {
        // A tumbler sees everything, a wheel as it is sold counts no revolutions.
        let wheel = kind == DeviceKind::Wheel;
        let usual = Measures { times: !wheel, direction: wheel, cover: !wheel, flat: !wheel, reads: true };
        let measures = measures.unwrap_or(usual);
        Device { kind, place, measures, out: false, back_in: None, unread: false, unread_until: None, off: false }
    }

    pub fn deals(&self) -> bool {
        matches!(self.kind, DeviceKind::Tumbler | DeviceKind::Wheel)
    }

    /// In service in this round; what came back during it serves from the next one.
    pub fn serves(&self, round: Option<RoundId>) -> bool {
        !self.out && (round.is_none() || self.back_in != round)
    }

    pub fn reads(&self, round: Option<RoundId>) -> bool {
        self.measures.reads && self.reading_serves(round)
    }

    pub fn reading_serves(&self, round: Option<RoundId>) -> bool {
        !self.unread && (round.is_none() || self.unread_until != round)
    }

    fn answers_for(&self, point: Point, round: Option<RoundId>) -> bool {
        match point {
            Point::Times => self.measures.times,
            Point::Direction => self.measures.direction,
            Point::Cover => self.measures.cover,
            Point::Flat => self.measures.flat && self.reading_serves(round),
            Point::AfterClose | Point::Rest => true,
        }
    }
}

impl Game {
    /// What the dealer affirms with the notice and with the result.
    const fn points(self, notice: bool) -> &'static [Point] {
        match (self, notice) {
            (Game::SicBo | Game::TaiSai, false) => &[Point::Cover, Point::Times, Point::Flat],
            (Game::OpenCover, false) => &[Point::AfterClose, Point::Times, Point::Flat],
            (Game::Roulette, false) => &[Point::Direction, Point::Times, Point::Rest],
            (Game::Electronic, true) => &[Point::Cover, Point::Times],
            (Game::Electronic, false) => &[Point::Flat],
            (_, true) => &[],
        }
    }
}

impl Round {
    /// A device has reported the first tumble or spin.
    pub fn reported(&self) -> bool {
        self.running || self.ended
    }

    /// There is a first tumble, or an outcome without one.
    pub fn made(&self) -> bool {
        self.reported() || self.unannounced() || self.outcome.is_some() || self.replaced
    }

    /// A die was read, in the open or under the cover.
    pub fn was_read(&self) -> bool {
        self.dice.iter().chain(&self.concealed).any(Option::is_some)
    }

    /// Something was reported of the first tumble or spin, but not that it began.
    pub fn unannounced(&self) -> bool {
        let told = self.ended || self.times.is_some() || self.pocket.is_some() || self.rested_early;
        !self.set_off && (told || self.was_read())
    }

    /// There is a first tumble or spin of this round, as far as devices say.
    pub fn tumbled(&self) -> bool {
        self.set_off || self.unannounced()
    }

    /// The dealer may start again before the notice.
    pub fn may_start_again(&self, game: Game) -> bool {
        let of_tumble = |ground: &GroundId| matches!(ground, GroundId::TooFewTumbles | GroundId::DieNotFlat);
        let untouched = !self.exposed && !self.uncovered && !self.was_read();
        let untouched = untouched && !self.second && self.interrupted.is_none();
        game.begins_with_tumbler() && self.phase == Phase::Begun && untouched && self.grounds.iter().all(of_tumble)
    }

    /// Nothing was tumbled or spun.
    pub fn forget_tumble(&mut self) {
        (self.set_off, self.running, self.ended, self.in_time) = (false, false, false, false);
        (self.uncovered, self.exposed, self.contradicted, self.short) = (false, false, false, false);
        (self.dice, self.pocket, self.times, self.off) = ([None; 3], None, None, false);
        (self.at_rest, self.rested_early, self.early) = (false, false, None);
        (self.bare, self.concealed) = (false, [None; 3]);
    }

    /// Bets are closed, and the dice lie lawfully uncovered or the ball rests: an outcome is there, read or not.
    pub fn shows(&self, game: Game, at_work: bool) -> bool {
        let free = self.grounds.is_empty();
        let in_time = self.in_time || !game.tumbles_after_close();
        let lawful = free && self.set_off && self.ended && !self.short && !self.bare && !self.rested_early && in_time;
        let seen = self.uncovered || self.declared || !game.is_covered();
        self.phase >= Phase::Closed && (lawful && seen || free && self.declared && !at_work)
    }

    /// What was completely read.
    fn complete(&self, game: Game) -> Option<OutcomeIndex> {
        self.complete_of(game, self.dice)
    }

    /// The dice can be seen: also those that were tumbled with the cover off (D20).
    pub fn dice_show(&self) -> bool {
        self.visible || self.phase >= Phase::Closed && self.set_off && (self.bare || self.off)
    }

    fn complete_of(&self, game: Game, dice: [Option<Face>; 3]) -> Option<OutcomeIndex> {
        match dice {
            _ if game.is_wheel() => self.pocket.filter(|_| !self.rested_early),
            [Some(a), Some(b), Some(c)] => game.rulebook().outcomes().index(Outcome::Dice(Dice([a, b, c]))),
            _ => None,
        }
    }

    /// Whether a result is not what was read, even of one die.
    fn disagrees(&self, game: Game, outcome: OutcomeIndex) -> bool {
        self.contradicted || differs(game, self.dice, self.pocket, outcome)
    }

    /// The outcome that was read, and stands after a second tumble or spin.
    fn first_read(&self, game: Game) -> Option<OutcomeIndex> {
        let sure = !self.short && !self.bare && !self.contradicted && !self.doubtful;
        self.complete(game).filter(|_| sure)
    }
}

/// Whether readings do not fit an outcome. The order of dice never matters.
pub(super) fn differs(
    game: Game,
    dice: [Option<Face>; 3],
    pocket: Option<OutcomeIndex>,
    outcome: OutcomeIndex,
) -> bool {
    match game.rulebook().outcomes().outcome(outcome) {
        Some(Outcome::Dice(Dice(faces))) => {
            let count = |face: Face| faces.iter().filter(|die| **die == face).count();
            let read = |face: Face| dice.iter().flatten().filter(|die| **die == face).count();
            dice.iter().flatten().any(|face| read(*face) > count(*face))
        }
        _ => pocket.is_some_and(|pocket| pocket != outcome),
    }
}

impl Model {
    /// The tumbler or wheel that serves at a table.
    pub fn at_work(&self, table: TableId) -> Option<&Device> {
        let round = self.table(table).ok()?.round.as_ref().map(|round| round.id);
        let here = |device: &&Device| device.place == DevicePlace::Table(table) && device.deals();
        self.devices.iter().filter(here).find(|device| device.serves(round))
    }

    fn all_at_work(&self, table: TableId) -> impl Iterator<Item = &Device> {
        let round = self.table(table).ok().and_then(|found| found.round.as_ref()).map(|round| round.id);
        let here = move |device: &&Device| device.place == DevicePlace::Table(table) && device.deals();
        self.devices.iter().filter(here).filter(move |device| device.serves(round))
    }

    fn day(&self, at: Moment) -> i64 {
        // Days begin at six in the morning in Singapore.
        at.0.saturating_add((8 - 6) * 3_600_000).div_euclid(24 * 3_600_000)
    }

    /// The points a dealer must affirm now.
    fn to_affirm(&self, table: TableId, notice: bool) -> Result<Vec<Point>, String> {
        let found = self.table(table)?;
        let round = found.round.as_ref().map(|round| round.id);
        let device = self.at_work(table);
        // How it began no device has said that did not report its beginning.
        let unannounced = found.round.as_ref().is_some_and(Round::unannounced);
        let unsaid = |point| unannounced && matches!(point, Point::Direction | Point::AfterClose);
        let open = |point: &Point| unsaid(*point) || !device.is_some_and(|device| device.answers_for(*point, round));
        Ok(found.game.points(notice).iter().copied().filter(open).collect())
    }

    /// A lawful tumble or spin that has ended, and everything affirmed that no device measured.
    pub(super) fn lawful(&self, table: TableId, notice: bool, affirmed: &[Point]) -> Check {
        let found = self.table(table)?;
        let round = found.round.as_ref().ok_or("no round")?;
        must(!round.short, || "a tumble or spin was too short".to_owned())?;
        must(!round.fault, || "a device fault waits for the dealer's answer (D21)".to_owned())?;
        if let Some(device) = self.at_work(table).filter(|_| !round.replaced) {
            must(!round.running, || "the device is running (D19)".to_owned())?;
            must(!round.bare, || "the dice were tumbled in the open (D19)".to_owned())?;
            let hidden = found.game.is_covered() && device.measures.cover && !round.exposed;
            must(round.phase < Phase::Closed || !hidden, || "the cover is on (D19)".to_owned())?;
            let counted = !device.measures.times || round.times.is_some();
            let in_time = round.in_time || !found.game.tumbles_after_close() || round.unannounced();
            must(round.tumbled() && round.ended && in_time && counted, || {
                "no lawful tumble or spin was reported (D19)".to_owned()
            })?;
        }
        let missing = self.to_affirm(table, notice)?.into_iter().find(|point| !affirmed.contains(point));
        must(missing.is_none(), || format!("{missing:?} was not affirmed (D19)"))
    }

    /// Who changed the service of the device in this round enters no result.
    pub(super) fn may_enter(&self, table: TableId, by: StaffId) -> Check {
        let found = self.table(table)?;
        let round = found.round.as_ref().map(|round| round.id);
        let changed = found.serviced.iter().any(|one| one.staff == by && one.round.is_some() && one.round == round);
        must(!changed, || format!("person {by} changed the service of the device in this round (D19)"))
    }

    /// Why a result needs a second person.
    pub(super) fn need(&self, table: TableId, outcome: OutcomeIndex, by: StaffId) -> Result<Need, String> {
        let found = self.table(table)?;
        let round = found.round.as_ref().ok_or("no round")?;
        let (meanwhile, differ) = round.meanwhile;
        let hidden = differs(found.game, round.concealed, None, outcome) && !found.game.is_wheel();
        if round.bare
            || round.disagrees(found.game, outcome)
            || differ
            || hidden
            || differs(found.game, meanwhile, None, outcome)
        {
            return Ok(Need::Contradicts);
        }
        let reads = self.all_at_work(table).any(|device| device.reads(Some(round.id)));
        // Whose beginning was not reported gives no outcome without a second person.
        let unannounced = round.unannounced() && !round.replaced;
        if round.doubtful || unannounced || reads && round.complete(found.game).is_none() {
            return Ok(Need::Unread);
        }
        let today = self.day(self.now);
        let serviced = found.serviced.iter().any(|one| one.staff == by && self.day(one.at) == today);
        Ok(if serviced || round.set_aside.contains(&by) { Need::Serviced } else { Need::Nothing })
    }

    /// The Shift Manager decides which outcome stands where the ball came to rest before the close, or where no wheel in
    /// service has said when it did (D4, D24).
    pub(super) fn outcome_chosen(&mut self, table: TableId, round: Option<RoundId>, outcome: OutcomeIndex) -> Check {
        let open = self.open_points_of_rest(table)?;
        let found = self.table_mut(table)?;
        must(found.game.is_wheel(), || "dice do not roll early (D24)".to_owned())?;
        let found = found.round.as_mut().filter(|found| Some(found.id) == round).ok_or("another round")?;
        let stated = found.stated_rest.is_some();
        must(found.rested_early || stated, || "no one has said that the ball rested early (D4)".to_owned())?;
        must(open.iter().all(|point| found.stated_rest.as_ref().is_some_and(|said| said.contains(point))), || {
            "something of the spin is neither measured nor affirmed (D19)".to_owned()
        })?;
        must(!found.changed_after_rest, || "a bet changed after the ball rested (D24)".to_owned())?;
        must(found.grounds.is_empty(), || "settled with a ground open (D5)".to_owned())?;
        must(!found.fault, || "a device fault waits for the dealer's answer (D21)".to_owned())?;
        must(found.interrupted.is_none() && found.close_is_shown(), || "not now (D6, D12)".to_owned())?;
        must(found.missing().is_none(), || "settled before the terminals were back (D6)".to_owned())?;
        let vague = found.unannounced() && found.rested_early;
        let later = found.later.iter().filter(|_| found.second || vague).any(|pocket| *pocket == outcome);
        let seen = found.early.is_none() || found.early == Some(outcome) || found.pocket == Some(outcome) || later;
        must(seen, || "no ball came to rest there (D24)".to_owned())?;
        found.chosen = Some(outcome);
        (found.second, found.rested_early, found.stated_rest) = (false, false, None);
        Ok(())
    }

    /// What the dealer affirms of a spin whose ball rested before the close: all that is not measured, but when it rested.
    fn open_points_of_rest(&self, table: TableId) -> Result<Vec<Point>, String> {
        let open = self.to_affirm(table, false)?;
        Ok(open.into_iter().filter(|point| *point != Point::Rest).collect())
    }

    /// The dealer states that the ball came to rest before the close, where no wheel in service says so (D4, D19).
    fn early_rest_stated(&mut self, table: TableId, affirmed: &[Point], late: bool) -> Check {
        let (open, served) = (self.open_points_of_rest(table)?, self.at_work(table).is_some());
        let found = self.table_mut(table)?;
        must(found.game.is_wheel(), || "dice do not roll early (D4)".to_owned())?;
        let found = found.round.as_mut().ok_or("no round")?;
        found.in_play()?;
        must(found.grounds.is_empty() && !found.second && !found.fault, || "stated while halted".to_owned())?;
        must(found.outcome.is_none() && found.stated_rest.is_none(), || "stated too late, or twice".to_owned())?;
        must(found.rested_early || !served && !found.ended, || "the wheel says when the ball rests (D19)".to_owned())?;
        must(open.iter().all(|point| affirmed.contains(point)), || "not everything is affirmed (D19)".to_owned())?;
        let after = !found.rested_early && found.phase >= Phase::Closed;
        must(late == after, || format!("late: {late}"))?;
        // No one knows whether a bet changed after it.
        found.changed_after_rest |= after;
        found.stated_rest = Some(affirmed.to_vec());
        Ok(())
    }

    /// The entry of a result, and who stands by it.
    pub(super) fn entry(
        &mut self,
        table: TableId,
        outcome: OutcomeIndex,
        by: StaffId,
        entry: Option<&EntryRecord>,
    ) -> Check {
        let round = self.table_mut(table)?.round.as_mut().ok_or("no round")?;
        if round.chosen == Some(outcome) {
            round.entered = Some((by, Need::Contradicts));
            return Ok(());
        }
        self.may_enter(table, by)?;
        let affirmed = entry.map(|entry| &entry.affirmed[..]).unwrap_or_default();
        self.lawful(table, false, affirmed)?;
        let need = self.need(table, outcome, by)?;
        let said = entry.map_or(Need::Nothing, |entry| entry.need);
        let late = said == Need::LateChips && need == Need::Nothing && self.recorded_late(table, by)?;
        must(said == need || late, || format!("the floor says {said:?}, the readings {need:?}"))?;
        let need = said;
        let witness = entry.and_then(|entry| entry.witness);
        if let Some(witness) = witness {
            must(witness != by, || "the second person is the first".to_owned())?;
            self.may_enter(table, witness)?;
            self.may(table, Act::RecordDeviceFault, witness)?;
        }
        let met = if witness.is_some() { need.max(Need::Unread) } else { Need::Nothing };
        let round = self.table_mut(table)?.round.as_mut().ok_or("no round")?;
        round.entered = Some((by, met));
        Ok(())
    }

    /// Whether a person recorded chips of the round after the close (D20).
    fn recorded_late(&self, table: TableId, by: StaffId) -> Result<bool, String> {
        let round = self.table(table)?.round.as_ref().ok_or("no round")?;
        Ok(round.chips.iter().any(|chip| chip.late == Some(by)))
    }

    /// A round is settled only with the second person its result needs.
    pub(super) fn stood_by(&self, table: TableId, outcome: OutcomeIndex) -> Check {
        let round = self.table(table)?.round.as_ref().ok_or("no round")?;
        must(round.missing().is_none(), || "settled before the terminals were back (D6)".to_owned())?;
        let (by, met) = round.entered.ok_or("nobody entered the result")?;
        let need = self.need(table, outcome, by)?;
        must(need <= met, || format!("settled by a dealer alone: {need:?} (D19)"))
    }

    /// Takes an event of the physical table in; false if it is something else.
    pub(super) fn physical(&mut self, event: &Event) -> Result<bool, String> {
        let now = self.now;
        match event {
            Event::SecondTumble { round, table, .. } => {
                let game = self.table(*table)?.game;
                let found = self.round_mut(*table, *round)?;
                let late = game.begins_with_tumbler() && found.phase != Phase::Begun;
                must(!found.second && (found.made() || late), || "there was no first tumble".to_owned())?;
                must(!found.may_start_again(game), || "the dealer may start again".to_owned())?;
                (found.second, found.later_runs) = (true, false);
                found.halt(now);
            }
            Event::StartedAgain { round, table, .. } => {
                let game = self.table(*table)?.game;
                let found = self.round_mut(*table, *round)?;
                must(found.made() && found.may_start_again(game), || "too late to start again (D18)".to_owned())?;
                found.forget_tumble();
                found.grounds.clear();
                found.go_on(now);
            }
            Event::FirstOutcomeStands { round, table, outcome, by, witness, affirmed } => {
                self.may_enter(*table, *by)?;
                self.may_enter(*table, *witness)?;
                self.may(*table, Act::EnterResult, *by)?;
                self.are_two(*by, *witness)?;
                self.may(*table, Act::WitnessAttestation, *witness)?;
                let game = self.table(*table)?.game;
                let found = self.round_mut(*table, *round)?;
                must(found.second && found.grounds.is_empty(), || "nothing to decide".to_owned())?;
                must(found.interrupted.is_none() && found.close_is_shown(), || "not now".to_owned())?;
                must(!found.fault, || "a device fault waits for the dealer's answer (D21)".to_owned())?;
                must(found.phase >= Phase::Closed, || "bets are open".to_owned())?;
                let (read, entered) = (found.first_read(game), found.outcome.zip(found.entered));
                // Who ends the round with it signs for an entry that contradicts nothing that was read.
                let stands = |need: Need, met: Need| need <= met || need != Need::Contradicts;
                let signed = match entered {
                    Some((outcome, (by, met))) => {
                        Some(outcome).filter(|_| self.need(*table, outcome, by).is_ok_and(|need| stands(need, met)))
                    }
                    None => None,
                };
                let own = |(outcome, (by, met)): (OutcomeIndex, (StaffId, Need))| {
                    signed == Some(outcome) && met == Need::Nothing && by == *witness
                };
                must(!entered.is_some_and(own), || "who entered it signs for it alone".to_owned())?;
                let first = signed.or(read);
                must(first == Some(*outcome), || format!("the first outcome was {first:?} (D18)"))?;
                let said = entered.is_some_and(|(entered, _)| entered == *outcome);
                let missing = self.to_affirm(*table, false)?.into_iter().find(|point| !affirmed.contains(point));
                must(said || missing.is_none(), || format!("{missing:?} was not affirmed (D19)"))?;
                let found = self.round_mut(*table, *round)?;
                (found.second, found.outcome, found.phase) = (false, first, Phase::Entered);
                found.entered = Some((*by, Need::Contradicts));
            }
            Event::SecondTumbleSetAside { round, table, by, witness, doubtful, .. } => {
                self.may(*table, Act::Decide, *by)?;
                let game = self.table(*table)?.game;
                if let Some(witness) = witness {
                    must(witness != by, || "the second person is the first".to_owned())?;
                    self.may(*table, Act::Decide, *witness)?;
                }
                let found = self.round_mut(*table, *round)?;
                let unread = found.complete(game).is_none() || found.contradicted || found.doubtful;
                must(unread == *doubtful, || "which tumble was read?".to_owned())?;
                let alone = self.lonely == Some(*by);
                let found = self.round_mut(*table, *round)?;
                must(!unread || witness.is_some() || alone, || "an outcome chosen by one person (D27)".to_owned())?;
                found.doubtful |= unread;
                must(found.second && found.interrupted.is_none(), || "nothing to set aside".to_owned())?;
                found.second = false;
                // A spin that was reported from its beginning is not undone by one that was not and gives no outcome.
                if !(found.unannounced() && found.rested_early) {
                    found.later.clear();
                }
                found.go_on(now);
            }
            Event::ServiceChanged { device, table, function, in_service, by, witness, .. } => {
                self.service_changed(*device, *table, *function, *in_service, [*by, *witness])?;
            }
            Event::DeviceDescribed { device, measures, by, witness } => {
                let found = self.devices.get_mut(device.index()).ok_or("no such device")?;
                found.measures = *measures;
                if let (DevicePlace::Table(table), Some(by), Some(witness)) = (found.place, by, witness) {
                    self.remember_service(table, None, [*by, *witness])?;
                }
            }
            Event::ResultWitnessed { round, table, outcome, need, by, witness, reason } => {
                self.may_enter(*table, *by)?;
                self.may_enter(*table, *witness)?;
                self.may(*table, Act::EnterResult, *by)?;
                self.may(*table, Act::RecordDeviceFault, *witness)?;
                let (entered, met) = self.round_mut(*table, *round)?.entered.ok_or("nobody entered a result")?;
                self.are_two(*by, *witness)?;
                self.are_two(entered, *witness)?;
                let worked_out = self.need(*table, *outcome, *by)?.max(self.need(*table, *outcome, entered)?);
                // Who signs without need is named all the same.
                let worked_out = worked_out.max(met);
                let late = *need == Need::LateChips && *need > worked_out && self.recorded_late(*table, entered)?;
                must(*need == worked_out || late, || format!("{need:?} is said, {worked_out:?} is needed"))?;
                must(*need != Need::Contradicts || *need == met || reason.is_some(), || {
                    "no reason is given".to_owned()
                })?;
                self.round_mut(*table, *round)?.entered = Some((entered, *need));
            }
            Event::InterruptionReported { round, table, failed, affects, by, .. } => {
                self.may(*table, Act::AttestInterruption, *by)?;
                let alone = matches!(failed, Failed::Display | Failed::SomeTerminals | Failed::AllTerminals);
                must(*affects != alone, || format!("{failed:?} (D21)"))?;
                let found = self.round_mut(*table, *round)?;
                if *affects && found.interrupted.is_none() {
                    found.interrupted = Some(now);
                    found.halt(now);
                }
            }
            Event::FaultAsked { round, table, .. } => self.round_mut(*table, *round)?.fault = true,
            Event::FaultAnswered { round, table, by, .. } => {
                self.may(*table, Act::AttestInterruption, *by)?;
                let found = self.round_mut(*table, *round)?;
                must(found.fault, || "nobody asked".to_owned())?;
                found.fault = false;
            }
            Event::ObservedMeanwhile { round, table, observation, device } => {
                must(self.table(*table)?.game.is_covered(), || "dice that lie open".to_owned())?;
                if *observation == Observation::Uncovered {
                    self.devices.get_mut(device.index()).ok_or("no such device")?.off = true;
                }
                self.round_mut(*table, *round)?.report_meanwhile(*observation)?;
            }
            Event::EarlyRestStated { table, affirmed, late, .. } => self.early_rest_stated(*table, affirmed, *late)?,
            Event::ObservedLate { round, table, observation, device } => {
                let now = self.table(*table)?.round.as_ref().map(|round| round.id);
                let serves = self.devices.get(device.index()).is_some_and(|device| device.serves(now));
                let late = self.late(*table, *observation, serves)?;
                must(late == Some(*round), || format!("this is about round {late:?}"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn service_changed(
        &mut self,
        device: DeviceId,
        table: Option<TableId>,
        function: Function,
        in_service: bool,
        people: [StaffId; 2],
    ) -> Check {
        let table = table.ok_or("a device at no table")?;
        self.are_two(people[0], people[1])?;
        for person in people {
            self.may(table, Act::EnterResult, person)?;
        }
        let supervises = people.iter().any(|person| self.may(table, Act::RecordDeviceFault, *person).is_ok());
        must(supervises, || "no Pit Supervisor is there (D19)".to_owned())?;
        let round = self.table(table)?.round.as_ref().map(|round| round.id);
        self.remember_service(table, round, people)?;
        let found = self.devices.get_mut(device.index()).ok_or("no such device")?;
        let back = round.filter(|_| in_service);
        // Who puts it back has looked at its cover.
        found.off &= !(in_service && function == Function::Device);
        match function {
            Function::Device => (found.out, found.back_in) = (!in_service, back),
            Function::Reading => (found.unread, found.unread_until) = (!in_service, back),
        }
        Ok(())
    }

    pub(super) fn remember_service(&mut self, table: TableId, round: Option<RoundId>, people: [StaffId; 2]) -> Check {
        let at = self.now;
        let today = self.day(at);
        let mut serviced = std::mem::take(&mut self.table_mut(table)?.serviced);
        // For the gaming day, and for the round however long it lasts (D19).
        let holds = |one: &Serviced| self.day(one.at) == today || round.is_some() && one.round == round;
        serviced.retain(|one| holds(one) && !people.contains(&one.staff));
        serviced.extend(people.map(|staff| Serviced { staff, round, at }));
        self.table_mut(table)?.serviced = serviced;
        Ok(())
    }

    /// The settled round that a report is about, if it would have been a ground or differs from the result.
    pub(super) fn late(
        &self,
        table: TableId,
        observation: Observation,
        serves: bool,
    ) -> Result<Option<RoundId>, String> {
        let found = self.table(table)?;
        let Some(settled) = found.reports_of else { return Ok(None) };
        // Within half a second nothing can have been tumbled in a new round. What is out of service is heard until its close.
        let young = |round: &Round| !serves || self.now.since(round.begun) < 500;
        let too_soon = |round: &Round| round.phase < Phase::Closed && young(round);
        let in_play = |round: &Round| round.tumbled() || round.reported() || !too_soon(round);
        if found.round.as_ref().is_some_and(in_play) {
            return Ok(None);
        }
        let past = found.past.iter().rfind(|past| past.id == settled);
        let Some(outcome) = past.and_then(|past| past.outcome) else { return Ok(None) };
        let doubtful = match observation {
            Observation::Tumbled { times } | Observation::Revolved { times } => times < found.game.fewest(),
            Observation::NotFlat | Observation::NoCompartment | Observation::FlungOut => true,
            Observation::DiceRead { dice } => differs(found.game, dice, None, outcome),
            Observation::Rested { pocket } => pocket != outcome,
            _ => false,
        };
        Ok(doubtful.then_some(settled))
    }

    /// The result of the settled round is read once more while nothing was tumbled since.
    pub(super) fn read_once_more(&self, table: TableId, observation: Observation) -> Result<bool, String> {
        let found = self.table(table)?;
        let untouched = |round: &Round| round.phase < Phase::Closed && !round.tumbled() && !round.reported();
        let past = found.past.iter().rfind(|past| Some(past.id) == found.reports_of);
        let Some(outcome) = past.and_then(|past| past.outcome) else { return Ok(false) };
        let same = match observation {
            Observation::DiceRead { dice } => {
                dice.iter().all(Option::is_some) && !differs(found.game, dice, None, outcome)
            }
            Observation::Rested { pocket } => pocket == outcome,
            _ => false,
        };
        Ok(same && found.round.as_ref().is_some_and(untouched))
    }

    /// A ground declared by one person alone: nothing can be seen, and no device has said otherwise (D23).
    pub(super) fn alone_may_declare(&self, table: TableId, ground: GroundId) -> Check {
        let found = self.table(table)?;
        let round = found.round.as_ref().ok_or("no round")?;
        if round.grounds.first() == Some(&ground) {
            // What the device itself reported takes one confirmation.
            return Ok(());
        }
        let device = self.at_work(table);
        let closed = round.closed.is_some();
        let told = match device {
            None => closed,
            Some(device) if found.game.is_covered() => !device.measures.cover && closed,
            Some(_) => round.ended,
        };
        let rested = round.rested_early || round.stated_rest.is_some();
        let read = round.pocket.is_some() || rested || round.dice.iter().any(Option::is_some);
        must(!(told || read || round.exposed || round.outcome.is_some()), || format!("{ground}: seen (D23)"))?;
        let Some(device) = device.filter(|_| !round.grounds.contains(&ground)) else { return Ok(()) };
        // Before the notice no bets exist: the dealer alone declares 5.1 (D18).
        if ground == GroundId::TooFewTumbles && round.may_start_again(found.game) {
            return Ok(());
        }
        let otherwise = match ground {
            GroundId::TooFewTumbles | GroundId::TooFewRevolutions => {
                device.measures.times && round.times.is_some() && !round.short
            }
            GroundId::WheelNotRotating | GroundId::SameDirection => device.measures.direction && round.reported(),
            GroundId::ExposedBeforeClose => device.measures.cover && round.reported() && !round.exposed,
            GroundId::ActivatedBeforeClose => true,
            GroundId::DieNotFlat => device.measures.flat && round.complete(found.game).is_some(),
            GroundId::NoCompartment | GroundId::FlungOut | GroundId::WheelStopped => round.pocket.is_some(),
            GroundId::BallDropped => round.reported(),
            _ => false,
        };
        must(!otherwise, || format!("{ground}: the device says otherwise (D23)"))
    }
}
