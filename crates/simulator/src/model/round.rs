//! A round from its beginning to its end.

use floor::*;
use rulebook::{Cents, Face, GroundId, OutcomeIndex, Point, Spot};

use super::{Check, Model, Past, PastBets, Round, Stray, Who, must};
use crate::game::Game;
use crate::odds;

/// A live terminal that has not shown the close within this counts as lost (D12).
const ACKNOWLEDGE_WITHIN: i64 = 2_000;

impl Model {
    /// Takes an event of a round in; false if it is something else.
    pub(super) fn rounds(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::RoundBegun { round, table, by } => self.begun(*round, *table, by.is_some())?,
            Event::BetsOpened { round, table, closes_at, affirmed, .. } => {
                self.opened(*round, *table, *closes_at, affirmed)?;
            }
            Event::BetsChanged { terminal, changes, added, removed, .. } => {
                self.bets_changed(*terminal, changes, added, removed)?;
            }
            Event::BetsClosed { round, table, by } => self.closed(*round, *table, by.is_none())?,
            Event::CloseAcknowledged { terminal, round } => {
                let table = self.terminal(*terminal)?.table;
                self.round_mut(table, *round)?.awaiting.retain(|id| id != terminal);
            }
            Event::CountedLost { round, table, terminals } => self.counted_lost(*round, *table, terminals)?,
            Event::Observed { device, table, observation, .. } => self.observed(*device, *table, *observation)?,
            Event::GroundRaised { round, table, ground, .. } => self.raised_ground(*round, *table, *ground)?,
            Event::GroundDismissed { round, table, ground, by, kept, .. } => {
                self.dismissed(*round, *table, *ground, *by, *kept)?;
            }
            Event::ResultEntered { round, table, outcome, by, entry } => {
                self.entry(*table, *outcome, *by, entry.as_deref())?;
                self.entered(*round, *table, *outcome)?;
            }
            Event::ResultChanged { round, table, from, to, by, entry } => {
                self.entry(*table, *to, *by, entry.as_deref())?;
                let found = self.round_mut(*table, *round)?;
                found.in_play()?;
                must(found.outcome == Some(*from) && from != to, || "another result was entered".to_owned())?;
                found.outcome = Some(*to);
            }
            Event::RoundSettled { round, table, outcome, part, parts, returns } => {
                self.settled(*round, *table, *outcome, *part == *parts, returns)?;
            }
            Event::RoundVoided { round, table, by, .. } => self.voided(*round, *table, *by)?,
            Event::StoppageRecorded { table, round, from, to } => {
                must(from <= to, || "a stoppage ended before it began".to_owned())?;
                let grace = self.table(*table)?.settings.grace;
                let found = self.round_mut(*table, *round)?;
                found.back_from_stoppage(*to);
                if found.missing().is_none() {
                    found.away = Some((*from, to.after(grace), Vec::new()));
                }
                match &mut found.halted {
                    Some(since) => *since = (*since).min(*from),
                    None => found.deadline = found.deadline.map(|deadline| deadline.after(to.since(*from))),
                }
            }
            Event::RoundInterrupted { table, round, from, to } => {
                must(from <= to, || "a stoppage ended before it began".to_owned())?;
                let found = self.round_mut(*table, *round)?;
                must(found.interrupted.is_none(), || "interrupted twice".to_owned())?;
                found.back_from_stoppage(*to);
                found.interrupted = Some(*from);
                found.away = None;
                found.halt(*from);
            }
            Event::Attested { table, round, finding, .. } => self.attested(*round, *table, *finding)?,
            Event::TerminalLost { terminal } => self.link(*terminal, false)?,
            Event::TerminalBack { terminal } => self.link(*terminal, true)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn new_round(&mut self, id: RoundId, table: TableId, phase: Phase) -> Check {
        must(id.0 == self.next_round, || format!("round {id} is not the next one"))?;
        self.next_round += 1;
        let now = self.now;
        let table = self.table_mut(table)?;
        must(table.round.is_none(), || "two rounds at one table".to_owned())?;
        must(table.open && table.closing.is_none_or(|closing| now < closing), || "the table is closed".to_owned())?;
        if let Some(settings) = table.pending.take() {
            table.settings = settings;
        }
        table.recording = table.next_recording.take().unwrap_or(table.recording);
        table.round = Some(Round::new(id, phase, now));
        Ok(())
    }

    fn begun(&mut self, id: RoundId, table: TableId, by_dealer: bool) -> Check {
        must(self.table(table)?.game.begins_with_tumbler(), || "this game begins with the notice".to_owned())?;
        self.new_round(id, table, Phase::Begun)?;
        let round = self.round_mut(table, id)?;
        (round.set_off, round.in_time) = (by_dealer, by_dealer);
        Ok(())
    }

    fn opened(&mut self, id: RoundId, table: TableId, closes_at: Option<Moment>, affirmed: &[Point]) -> Check {
        if self.table(table)?.game.begins_with_tumbler() {
            self.lawful(table, true, affirmed)?;
            let round = self.round_mut(table, id)?;
            must(round.phase == Phase::Begun, || "bets were opened twice".to_owned())?;
            round.in_play()?;
        } else {
            self.new_round(id, table, Phase::Open)?;
        }
        let period = self.table(table)?.settings.betting_period;
        let deadline = (period > 0).then(|| self.now.after(period));
        must(deadline == closes_at, || format!("bets close at {closes_at:?}, not {deadline:?}"))?;
        let round = self.round_mut(table, id)?;
        round.phase = Phase::Open;
        round.deadline = deadline;
        Ok(())
    }

    fn bets_changed(&mut self, id: TerminalId, changes: &[Change], added: &[Group], removed: &[u16]) -> Check {
        self.may_bet(id, self.now)?;
        let sheet = self.sheet(self.terminal(id)?)?;
        let mut more = 0;
        let mut spots = Vec::with_capacity(changes.len());
        for change in changes {
            let spot = sheet.text(change.spot).ok_or("no such spot on the layout")?;
            let bets = &mut self.terminal_mut(id)?.bets;
            let stake = bets.entry((spot, change.group)).or_default();
            *stake += change.delta.get();
            let left = *stake;
            if left == 0 {
                bets.remove(&(spot, change.group));
            }
            must(left >= 0, || format!("{left} cents on {spot}"))?;
            more += change.delta.get();
            spots.push(spot);
        }
        self.pieces_stand(id, added, removed)?;
        self.credit(id, -more)?;
        let terminal = self.terminal_mut(id)?;
        terminal.lost += more;
        let within = more <= 0 || terminal.loss_limit.is_none_or(|limit| terminal.lost <= limit);
        must(within, || format!("terminal {id} lost {} cents in this visit", terminal.lost))?;
        let table = terminal.table;
        let round = self.table_mut(table)?.round.as_mut().ok_or("no round")?;
        round.changed_after_rest |= round.rested_early || round.stated_rest.is_some();
        let round = round.id;
        self.obligations.change(round, Who::Terminal(id), more)?;
        spots.iter().try_for_each(|spot| self.within_limits(id, spot))?;
        if changes.iter().any(|change| change.delta.is_positive()) {
            self.within_liability(table)?;
        }
        self.end_visit(id)
    }

    /// Whether a terminal may bet at this moment.
    pub fn may_bet(&self, id: TerminalId, at: Moment) -> Check {
        let terminal = self.terminal(id)?;
        must(terminal.live && !terminal.locked, || format!("terminal {id} is lost or locked"))?;
        let round = self.table(terminal.table)?.round.as_ref().ok_or("no round is in progress")?;
        must(round.phase == Phase::Open, || format!("bets are not open: {:?}", round.phase))?;
        round.in_play()?;
        must(round.deadline.is_none_or(|deadline| at < deadline), || "the betting period is over".to_owned())
    }

    /// A multi-piece bet is one unit on each of its pieces, on a terminal that offers it, and goes as a whole.
    fn pieces_stand(&self, id: TerminalId, added: &[Group], removed: &[u16]) -> Check {
        let terminal = self.terminal(id)?;
        let of = |group: u16| terminal.bets.iter().filter(move |((_, of), _)| *of == group);
        for group in added {
            must(terminal.kind == "rapid", || "multi-piece bets are for the Rapid terminal".to_owned())?;
            let pieces = odds::pieces(&group.bet).ok_or_else(|| format!("no multi-piece bet {}", group.bet))?;
            let mut expected: Vec<_> = pieces.into_iter().map(|(spot, n)| (spot, n * group.unit.get())).collect();
            expected.sort();
            let stands: Vec<_> = of(group.id).map(|((spot, _), stake)| ((*spot).to_owned(), *stake)).collect();
            must(stands == expected, || format!("{} stands as {stands:?}", group.bet))?;
        }
        must(removed.iter().all(|group| of(*group).next().is_none()), || "half a multi-piece bet is left".to_owned())
    }

    /// Minimum, maximum and step, per player and spot (3.3; D9, D13).
    fn within_limits(&self, id: TerminalId, spot: &str) -> Check {
        let terminal = self.terminal(id)?;
        let settings = &self.table(terminal.table)?.settings;
        let stands: i64 = terminal.bets.iter().filter(|((of, _), _)| *of == spot).map(|(_, stake)| stake).sum();
        within(settings, spot, stands)
    }

    /// No outcome may cost the house more than the table's liability limit.
    fn within_liability(&self, table: TableId) -> Check {
        let Some(limit) = self.table(table)?.settings.liability else { return Ok(()) };
        let staked: i64 = self.at_table(table).map(|(_, terminal)| terminal.staked()).sum();
        for outcome in self.table(table)?.game.rulebook().outcomes().indices() {
            let returned = self.would_return(table, outcome)?;
            let cost = returned - staked;
            must(cost <= limit.get(), || format!("{cost} cents could be lost, and the liability is {limit}"))?;
        }
        Ok(())
    }

    /// What all bets on terminals would return on an outcome.
    pub fn would_return(&self, table: TableId, outcome: OutcomeIndex) -> Result<i64, String> {
        let mut sum = 0;
        for (_, terminal) in self.at_table(table) {
            sum += returns(self.sheet(terminal)?, &terminal.bets, outcome)?;
        }
        Ok(sum)
    }

    fn closed(&mut self, id: RoundId, table: TableId, by_itself: bool) -> Check {
        let now = self.now;
        let live: Vec<TerminalId> = self.at_table(table).filter(|(_, t)| t.live).map(|(id, _)| id).collect();
        let round = self.round_mut(table, id)?;
        must(round.phase == Phase::Open, || "bets were not open".to_owned())?;
        round.in_play()?;
        let over = round.deadline.is_some_and(|deadline| now >= deadline);
        must(!by_itself || over, || "bets closed by themselves too early".to_owned())?;
        round.phase = Phase::Closed;
        round.closed = Some(now);
        round.awaiting = live;
        Ok(())
    }

    fn counted_lost(&mut self, id: RoundId, table: TableId, terminals: &[TerminalId]) -> Check {
        let now = self.now;
        let round = self.round_mut(table, id)?;
        // The two seconds do not run while the host is away.
        let from = round.closed.max(round.back);
        let late = round.closed.is_some() && from.is_some_and(|from| now.since(from) >= ACKNOWLEDGE_WITHIN);
        must(late && round.awaiting == terminals, || format!("{terminals:?} are not lost"))?;
        round.awaiting.clear();
        Ok(())
    }

    fn link(&mut self, id: TerminalId, up: bool) -> Check {
        let terminal = self.terminal_mut(id)?;
        must(terminal.live != up, || format!("the link of terminal {id} has not changed"))?;
        terminal.live = up;
        let table = terminal.table;
        let now = self.now;
        if let Some(round) = &mut self.table_mut(table)?.round {
            round.awaiting.retain(|of| *of != id);
            if let Some((_, _, away)) = round.away.as_mut().filter(|(_, until, _)| now < *until) {
                away.retain(|of| *of != id);
                away.extend((!up).then_some(id));
            }
        }
        Ok(())
    }

    fn observed(&mut self, device: DeviceId, table: TableId, observation: Observation) -> Check {
        let found = self.devices.get(device.index()).filter(|device| device.place == DevicePlace::Table(table));
        let found = found.ok_or_else(|| format!("device {device} is not at table {table}"))?;
        let round = self.table(table)?.round.as_ref().map(|round| round.id);
        // Dice that a tumbler need not read, and does, bind all the same; a wheel that does not read names any pocket.
        let reads = match observation {
            Observation::DiceRead { .. } => found.reading_serves(round),
            _ => found.reads(round),
        };
        let serves = found.serves(round);
        let late = self.late(table, observation, serves)?;
        must(late.is_none(), || format!("this is about round {late:?}, which was settled (D19)"))?;
        let repeats = serves && self.read_once_more(table, observation)?;
        let found = self.devices.get(device.index()).ok_or("no such device")?;
        let off = match observation {
            Observation::Uncovered => true,
            Observation::Covered => false,
            _ => found.off,
        };
        let open = off && found.measures.cover && self.table(table)?.game.is_covered();
        self.devices.get_mut(device.index()).ok_or("no such device")?.off = off;
        let found = self.table_mut(table)?;
        if matches!(observation, Observation::Activated | Observation::Spun { .. }) {
            found.reports_of = None;
        }
        let made = found.round.as_ref().is_some_and(|round| round.reported() || round.unannounced());
        let stray = found.stray.filter(|_| !made);
        let is_stray = match observation {
            Observation::DiceRead { .. } | Observation::NotFlat => stray.is_some(),
            Observation::Activated
            | Observation::Uncovered
            | Observation::Covered
            | Observation::WheelStopped
            | Observation::Fault { .. }
            | Observation::Restored => false,
            Observation::Spun { .. } => stray == Some(Stray::RunsFromBefore),
            _ => stray.is_some_and(|stray| stray != Stray::Lies),
        };
        // A wheel says where the ball rests as often as it likes; only a spin moves it.
        let lay_there = matches!(observation, Observation::Rested { pocket } if found.ball == Some(pocket));
        let is_stray = is_stray || lay_there && !made;
        found.ball = match observation {
            Observation::Spun { .. } => None,
            Observation::Rested { pocket } => Some(pocket),
            _ => found.ball,
        };
        found.stray = match observation {
            Observation::Activated | Observation::Spun { .. } => {
                let counts = made || found.round.is_some() && serves && !is_stray;
                (!counts).then_some(Stray::RunsFromBefore)
            }
            _ if ends(observation) && found.stray.is_some() => Some(Stray::Lies),
            _ => found.stray,
        };
        let Some(round) = &mut found.round else { return Ok(()) };
        if is_stray {
            return Ok(());
        }
        round.lifted |= observation == Observation::Uncovered && round.close_is_shown();
        if !round.second {
            match observation {
                Observation::Uncovered if round.tumbled() => (round.exposed, round.off) = (true, true),
                Observation::Covered => round.off = false,
                _ => {}
            }
        }
        if repeats {
            round.visible |= matches!(observation, Observation::DiceRead { .. });
        }
        if !serves || repeats {
            return Ok(());
        }
        if let Some(ground) = round.report(found.game, observation, reads, open)?
            && !round.grounds.contains(&ground)
        {
            self.expected = Some((table, ground));
        }
        Ok(())
    }

    fn raised_ground(&mut self, id: RoundId, table: TableId, ground: GroundId) -> Check {
        must(self.expected.take() == Some((table, ground)), || format!("{ground} was not reported"))?;
        let now = self.now;
        let round = self.round_mut(table, id)?;
        round.short |= matches!(ground, GroundId::TooFewTumbles | GroundId::TooFewRevolutions);
        round.grounds.push(ground);
        round.halt(now);
        Ok(())
    }

    fn dismissed(&mut self, id: RoundId, table: TableId, ground: GroundId, by: StaffId, kept: bool) -> Check {
        let now = self.now;
        let round = self.round_mut(table, id)?;
        must(round.interrupted.is_none(), || "the round is interrupted".to_owned())?;
        must(round.grounds.first() == Some(&ground), || format!("{ground} is not the ground that is open"))?;
        round.grounds.remove(0);
        let proposed = matches!(ground, GroundId::DieNotFlat | GroundId::NoCompartment | GroundId::FlungOut);
        round.set_aside.extend((!proposed).then_some(by));
        let tumbled = ground == GroundId::ActivatedBeforeClose && (round.ended || round.was_read());
        must(kept == tumbled, || format!("what was tumbled is kept: {tumbled}, says the model"))?;
        match ground {
            GroundId::TooFewTumbles | GroundId::TooFewRevolutions => round.short = false,
            // What was put aside is when the dice were tumbled, and not that they were.
            GroundId::ActivatedBeforeClose if !round.second && kept => round.in_time = true,
            GroundId::ExposedBeforeClose => round.bare = false,
            // An activation reported falsely is no tumble of this round.
            GroundId::ActivatedBeforeClose if !round.second => round.forget_tumble(),
            _ => {}
        }
        round.go_on(now);
        Ok(())
    }

    fn entered(&mut self, id: RoundId, table: TableId, outcome: OutcomeIndex) -> Check {
        let outcomes = self.table(table)?.game.outcomes();
        let round = self.round_mut(table, id)?;
        round.in_play()?;
        must(outcome.get() < outcomes, || "the game cannot show that".to_owned())?;
        must(round.phase == Phase::Closed, || format!("a result in the phase {:?}", round.phase))?;
        must(round.close_is_shown(), || format!("{:?} do not show the close (D12)", round.awaiting))?;
        must(!round.rested_early && round.stated_rest.is_none(), || {
            "the ball came to rest before the close (D4)".to_owned()
        })?;
        round.outcome = Some(outcome);
        round.phase = Phase::Entered;
        Ok(())
    }

    fn settled(
        &mut self,
        id: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        last: bool,
        part: &[(TerminalId, Cents)],
    ) -> Check {
        self.stood_by(table, outcome)?;
        let round = self.round_mut(table, id)?;
        round.in_play()?;
        must(round.outcome == Some(outcome), || "settled by another result than was entered".to_owned())?;
        round.returns.extend(part.iter().map(|(terminal, returned)| (*terminal, returned.get())));
        if !last {
            return Ok(());
        }
        let mut stated = std::mem::take(&mut round.returns);
        stated.sort_unstable();
        let mut worked_out = Vec::new();
        for (terminal, found) in self.at_table(table).filter(|(_, terminal)| !terminal.bets.is_empty()) {
            worked_out.push((terminal, returns(self.sheet(found)?, &found.bets, outcome)?));
        }
        must(stated == worked_out, || format!("the floor pays {stated:?}, the bets return {worked_out:?}"))?;
        let past = self.end_of_bets(id, table, &worked_out)?;
        let settings = self.table(table)?.settings.clone();
        self.over(
            table,
            Past { id, outcome: Some(outcome), bets: past, shares: Vec::new(), claims: Default::default(), settings },
        )
    }

    /// Moves the bets of a round into the past and pays what they return.
    fn end_of_bets(
        &mut self,
        id: RoundId,
        table: TableId,
        returns: &[(TerminalId, i64)],
    ) -> Result<Vec<PastBets>, String> {
        let mut past = Vec::new();
        for (terminal, returned) in returns {
            let sheet = self.sheet(self.terminal(*terminal)?)?;
            let found = self.terminal_mut(*terminal)?;
            must(found.table == table, || format!("terminal {terminal} is at another table"))?;
            let staked = found.staked();
            let bets = std::mem::take(&mut found.bets);
            found.lost -= returned;
            let (visit, received) = (found.visit, *returned);
            past.push(PastBets { terminal: *terminal, visit, sheet, bets, staked, received, waiting: None });
            self.obligations.answer(id, Who::Terminal(*terminal), staked)?;
            self.credit(*terminal, *returned)?;
            self.end_visit(*terminal)?;
        }
        Ok(past)
    }

    pub(super) fn over(&mut self, table: TableId, past: Past) -> Check {
        self.obligations.round_over(past.id)?;
        let found = self.table_mut(table)?;
        if let Some(round) = found.round.take().filter(|_| past.outcome.is_none()) {
            // The count of a tumble that was read may still be reported.
            let runs = round.running || round.set_off && round.times.is_none() && round.was_read();
            found.stray = match if round.second { round.later_runs } else { runs } {
                true => Some(Stray::RunsFromVoid),
                false if round.reported() || round.unannounced() || round.second => Some(Stray::Lies),
                false => found.stray,
            };
        }
        found.reports_of = past.outcome.map(|_| past.id);
        if let Some(outcome) = past.outcome {
            found.history.push((past.id, outcome));
        }
        found.past.push(past);
        Ok(())
    }

    /// A void round gives every bet back (5.9; Tai Sai 5.12).
    fn voided(&mut self, id: RoundId, table: TableId, by: VoidBy) -> Check {
        let round = self.round_mut(table, id)?;
        let attested = by == VoidBy::Ground(GroundId::Interruption);
        must(attested || round.interrupted.is_none(), || "voided before the attestation (D6)".to_owned())?;
        let chips = std::mem::take(&mut round.chips);
        let stakes: Vec<_> =
            self.at_table(table).filter(|(_, t)| !t.bets.is_empty()).map(|(id, t)| (id, t.staked())).collect();
        let bets = self.end_of_bets(id, table, &stakes)?;
        self.spared.extend(stakes);
        self.chips_back(id, table, &chips)?;
        let settings = self.table(table)?.settings.clone();
        self.over(table, Past { id, outcome: None, bets, shares: Vec::new(), claims: Default::default(), settings })
    }

    fn attested(&mut self, id: RoundId, table: TableId, finding: Finding) -> Check {
        let now = self.now;
        let round = self.round_mut(table, id)?;
        must(round.interrupted.take().is_some(), || "nothing was interrupted".to_owned())?;
        let established = finding == Finding::Established;
        must(!established || round.phase >= Phase::Closed, || "established before the close".to_owned())?;
        // One die or a pocket read after the close decides some bet: such a round is concluded (D22).
        let lawful = round.set_off && round.ended && !round.short && !round.bare;
        let read =
            lawful && (round.pocket.is_some() || round.dice.iter().any(Option::is_some)) || round.outcome.is_some();
        let none = finding == Finding::NotEstablished;
        must(!none || !read || round.phase < Phase::Closed, || "attested against the readings (D22)".to_owned())?;
        round.replaced |= established;
        round.go_on(now);
        Ok(())
    }
}

/// Whether what stands on a spot keeps to the limits; nothing at all always does.
pub(crate) fn within(settings: &TableSettings, spot: &str, stands: i64) -> Check {
    let family = spot.parse::<Spot>().map_err(|error| error.to_string())?.family();
    let limit = settings.limit_of(family);
    let fits = stands >= limit.minimum.get() && limit.maximum.is_none_or(|maximum| stands <= maximum.get());
    must(stands == 0 || fits, || format!("{stands} cents stand on {spot}"))?;
    must(stands % settings.step.get() == 0, || format!("{stands} cents on {spot} are off the step"))
}

/// What bets return on an outcome.
pub(super) fn returns(sheet: &crate::sheet::Sheet, bets: &super::Bets, outcome: OutcomeIndex) -> Result<i64, String> {
    bets.iter().map(|((spot, _), stake)| sheet.returned(spot, outcome, *stake)).sum()
}

impl Round {
    fn new(id: RoundId, phase: Phase, begun: Moment) -> Round {
        Round {
            id,
            phase,
            begun,
            back: None,
            spun_again: false,
            deadline: None,
            halted: None,
            interrupted: None,
            closed: None,
            awaiting: Vec::new(),
            outcome: None,
            grounds: Vec::new(),
            set_off: false,
            lifted: false,
            bare: false,
            concealed: [None; 3],
            running: false,
            in_time: false,
            uncovered: false,
            dice: [None; 3],
            pocket: None,
            at_rest: false,
            rested_early: false,
            returns: Vec::new(),
            chips: Vec::new(),
            left: Vec::new(),
            visible: false,
            off: false,
            meanwhile: ([None; 3], false),
            uncovered_meanwhile: false,
            stated_rest: None,
            doubtful: false,
            declared: false,
            away: None,
            advised: Vec::new(),
            ended: false,
            times: None,
            short: false,
            exposed: false,
            contradicted: false,
            second: false,
            replaced: false,
            fault: false,
            entered: None,
            set_aside: Vec::new(),
            chosen: None,
            changed_after_rest: false,
            early: None,
            later: Vec::new(),
            later_runs: false,
        }
    }

    /// Terminals could not acknowledge the close while the host was away (D12).
    fn back_from_stoppage(&mut self, at: Moment) {
        self.back = self.closed.filter(|_| !self.awaiting.is_empty()).map(|_| at);
    }

    /// What a report says of a tumble or spin whose beginning was not reported: it is the first one of the round.
    fn without_start(
        &mut self,
        game: Game,
        observation: Observation,
        reads: bool,
        open: bool,
    ) -> Option<Option<GroundId>> {
        let shown = self.close_is_shown();
        let early = match (shown, game.tumbles_after_close()) {
            (true, _) => None,
            (false, true) => Some(GroundId::ActivatedBeforeClose),
            (false, false) => open.then_some(GroundId::ExposedBeforeClose),
        };
        let ground = match observation {
            Observation::Tumbled { times } => {
                (self.times, self.bare) = (Some(times), self.bare || open);
                if times < game.fewest() { Some(GroundId::TooFewTumbles) } else { early }
            }
            Observation::DiceRead { dice } if !reads || dice.iter().all(Option::is_none) => return Some(None),
            // The cover has been off since before the close, and nothing was tumbled: these are the dice of before.
            Observation::DiceRead { .. } if open && !self.lifted => return Some(None),
            Observation::DiceRead { .. } if self.interrupted.is_some() => return None,
            Observation::DiceRead { dice } if game.is_covered() || !shown => {
                self.concealed = dice;
                early
            }
            Observation::DiceRead { dice } => {
                self.read(dice);
                None
            }
            Observation::Revolved { times } => {
                self.times = Some(times);
                return Some((times < game.fewest()).then_some(GroundId::TooFewRevolutions));
            }
            Observation::NotFlat => Some(GroundId::DieNotFlat),
            Observation::NoCompartment => Some(GroundId::NoCompartment),
            Observation::FlungOut => Some(GroundId::FlungOut),
            _ => return None,
        };
        self.ended = true;
        Some(ground)
    }

    pub(super) fn halt(&mut self, since: Moment) {
        self.halted = Some(self.halted.map_or(since, |halted| halted.min(since)));
    }

    /// The betting period goes on when nothing halts it any more, by as much later.
    pub(super) fn go_on(&mut self, now: Moment) {
        if self.grounds.is_empty()
            && self.interrupted.is_none()
            && !self.second
            && let Some(since) = self.halted.take()
        {
            self.deadline = self.deadline.map(|deadline| deadline.after(now.since(since)));
        }
    }

    /// What a device's report does to the first tumble or spin, and the ground it is, by the tables of the documents.
    fn report(
        &mut self,
        game: Game,
        observation: Observation,
        reads: bool,
        open: bool,
    ) -> Result<Option<GroundId>, String> {
        let shown = self.close_is_shown();
        // What follows a second tumble or spin is kept with that one; dice that are exposed before the close are exposed.
        if self.second {
            self.later_runs = match observation {
                Observation::Activated | Observation::Spun { .. } => true,
                _ => self.later_runs && !ends(observation),
            };
            if let Observation::Rested { pocket } = observation {
                self.later.extend(reads.then_some(pocket));
            }
            let exposed = observation == Observation::Uncovered && game.is_covered() && !shown;
            return Ok(exposed.then_some(GroundId::ExposedBeforeClose));
        }
        let closed = self.phase >= Phase::Closed;
        // Whatever else it is good for, a report that shows the dice ends the recording of chips (D20).
        self.visible |= match observation {
            Observation::Uncovered => closed,
            Observation::DiceRead { dice } => dice.iter().any(Option::is_some),
            _ => false,
        };
        if !self.tumbled()
            && let Some(ground) = self.without_start(game, observation, reads, open)
        {
            return Ok(ground);
        }
        let in_time = self.in_time || self.unannounced();
        let left = [GroundId::NoCompartment, GroundId::FlungOut].iter().any(|ground| self.grounds.contains(ground));
        Ok(match observation {
            Observation::Activated => {
                let late = game.begins_with_tumbler() && self.phase != Phase::Begun;
                must(!self.made() && !late, || "a second tumble did not halt the round (D18)".to_owned())?;
                self.set_off = true;
                self.running = true;
                self.in_time = shown || !game.tumbles_after_close();
                self.bare = open;
                match shown {
                    true => None,
                    false if game.tumbles_after_close() => Some(GroundId::ActivatedBeforeClose),
                    false => open.then_some(GroundId::ExposedBeforeClose),
                }
            }
            Observation::Tumbled { times } => {
                let short = times < game.fewest();
                if short || self.times.is_none() {
                    self.bare |= open && !self.set_off;
                    (self.running, self.ended, self.times) = (false, true, Some(times));
                }
                short.then_some(GroundId::TooFewTumbles)
            }
            Observation::Uncovered if self.tumbled() && !shown => {
                self.bare |= open && self.running;
                game.is_covered().then_some(GroundId::ExposedBeforeClose)
            }
            Observation::Uncovered if self.tumbled() && self.interrupted.is_none() => {
                self.uncovered = true;
                self.bare |= open && self.running;
                None
            }
            // No die was read: that is nonsense while it tumbles.
            Observation::DiceRead { dice } if self.running && dice.iter().all(Option::is_none) => None,
            Observation::DiceRead { dice } if reads && shown && in_time && (self.uncovered || !game.is_covered()) => {
                self.dice_lie();
                self.read(dice);
                None
            }
            Observation::DiceRead { dice } if reads && shown && in_time && self.off && self.interrupted.is_none() => {
                self.dice_lie();
                self.uncovered = true;
                self.read(dice);
                None
            }
            // Under the cover or too early: it establishes nothing, and no one contradicts it alone.
            Observation::DiceRead { dice } if reads && self.reported() && self.interrupted.is_none() => {
                self.dice_lie();
                for (known, read) in self.concealed.iter_mut().zip(dice) {
                    *known = known.or(read);
                }
                None
            }
            Observation::NotFlat if self.tumbled() => Some(GroundId::DieNotFlat),
            Observation::Spun { against_rotation, wheel_rotating } => {
                must(self.running || !self.made(), || "a second spin did not halt the round (D18)".to_owned())?;
                self.spun_again |= self.running && self.times.is_some() && against_rotation && wheel_rotating;
                self.set_off = true;
                self.running = true;
                match (wheel_rotating, against_rotation) {
                    (false, _) => Some(GroundId::WheelNotRotating),
                    (true, false) => Some(GroundId::SameDirection),
                    (true, true) => None,
                }
            }
            Observation::Revolved { times } => {
                let repeats = !self.spun_again || self.times == Some(times);
                must(repeats, || "another count did not halt the round (D18)".to_owned())?;
                self.times = Some(times);
                (times < game.fewest()).then_some(GroundId::TooFewRevolutions)
            }
            // A ball that was flung out or lay in no compartment ended its spin: nothing rests after that (D18), unless that
            // was put aside.
            Observation::Rested { .. } if self.ended && self.pocket.is_none() && !self.rested_early && left => None,
            Observation::Rested { pocket } => {
                (self.running, self.ended) = (false, true);
                match (shown, self.pocket) {
                    (false, _) => {
                        self.rested_early = true;
                        self.early = self.early.or(reads.then_some(pocket));
                    }
                    (true, None) if reads => self.pocket = Some(pocket),
                    (true, Some(known)) if reads && known != pocket => self.contradicted = true,
                    _ => {}
                }
                None
            }
            Observation::NoCompartment | Observation::FlungOut => {
                (self.running, self.ended) = (false, true);
                let flung = observation == Observation::FlungOut;
                Some(if flung { GroundId::FlungOut } else { GroundId::NoCompartment })
            }
            Observation::WheelStopped if self.tumbled() && !self.ended => Some(GroundId::WheelStopped),
            _ => None,
        })
    }

    /// Since when terminals are away after a stoppage, if any is.
    pub fn missing(&self) -> Option<Moment> {
        self.away.as_ref().filter(|(_, _, away)| !away.is_empty()).map(|(since, _, _)| *since)
    }

    /// What a device reports while the round is interrupted (D6).
    pub(super) fn report_meanwhile(&mut self, observation: Observation) -> Check {
        must(self.interrupted.is_some() && self.close_is_shown() && self.tumbled(), || "not now".to_owned())?;
        self.visible = true;
        self.uncovered_meanwhile = true;
        match observation {
            Observation::Uncovered => {
                (self.exposed, self.off) = (true, true);
                self.bare |= self.running;
            }
            Observation::DiceRead { dice } => {
                must(self.off && (self.in_time || self.unannounced()), || "a reading under the cover".to_owned())?;
                let (known, differ) = &mut self.meanwhile;
                for (known, read) in known.iter_mut().zip(dice) {
                    *differ |= known.is_some() && read.is_some() && *known != read;
                    *known = known.or(read);
                }
            }
            _ => return Err("a report that does not bind".to_owned()),
        }
        Ok(())
    }

    /// Dice that can be read lie still: a tumble that ran has ended, after a number of tumbles that no one has reported.
    fn dice_lie(&mut self) {
        self.ended |= std::mem::take(&mut self.running);
    }

    /// The first reading of each die stays.
    fn read(&mut self, dice: [Option<Face>; 3]) {
        for (known, read) in self.dice.iter_mut().zip(dice) {
            match (*known, read) {
                (None, read) => *known = read,
                (Some(known), Some(read)) => self.contradicted |= known != read,
                (Some(_), None) => {}
            }
        }
    }
}

impl Model {
    /// Whether a bet of one spot keeps to everything, so that it must be taken.
    pub fn must_take(&self, id: TerminalId, spot: rulebook::SpotIndex, amount: i64, at: Moment) -> bool {
        let taken = || -> Check {
            must(self.programs.waiting.is_none() && !self.programs.missing, || "play is locked".to_owned())?;
            self.may_bet(id, at)?;
            let terminal = self.terminal(id)?;
            let spot = self.sheet(terminal)?.text(spot).ok_or("no such spot")?;
            let settings = &self.table(terminal.table)?.settings;
            let stands: i64 = terminal.bets.iter().filter(|((of, _), _)| *of == spot).map(|(_, stake)| stake).sum();
            must(amount > 0 && amount % settings.step.get() == 0, || "off the step".to_owned())?;
            must(amount <= terminal.credit, || "not enough credit".to_owned())?;
            within(settings, spot, stands + amount)?;
            let lost = terminal.lost + amount;
            must(terminal.loss_limit.is_none_or(|limit| lost <= limit), || "the loss limit".to_owned())?;
            must(settings.liability.is_none(), || "perhaps the liability".to_owned())
        };
        taken().is_ok()
    }
}

/// A tumble or spin that ran has ended.
fn ends(observation: Observation) -> bool {
    use Observation::{FlungOut, NoCompartment, Rested, Tumbled};
    matches!(observation, Tumbled { .. } | Rested { .. } | NoCompartment | FlungOut)
}
