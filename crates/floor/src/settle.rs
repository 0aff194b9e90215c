//! The result, and settling by the pay table of each terminal's layout.

use rulebook::{Act, Cents, Dice, Outcome, OutcomeIndex, PayTable, Rulebook, Timing};

use crate::bounds;
use crate::command::*;
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Device, Floor, OpenGround, Phase, Round, Stake, Table};

impl Floor {
    /// Nothing settles while a ground is open (D5).
    pub(crate) fn ground_is_open<T>(&self, rulebook: &Rulebook, open: OpenGround) -> Result<T, Refusal> {
        match rulebook.ground(open.ground) {
            Some(ground) => {
                let words = format!("{}: the dealer must confirm it, or it must be put aside", ground.name.en);
                refuse(Code::GroundOpen, &ground.paragraph, words)
            }
            None => refuse(Code::GroundOpen, "D5", "a device has reported a void ground"),
        }
    }

    /// The dealer enters what the dice or the wheel show; before settlement an entry may be put right the same way (S6).
    // § etg 3.7, 5.5 · rws-sicbo 2.2.1 · rws-sicbo-open 2.2.1 · mbs-sicbo 2.2, 3.4, 6.3 · rws-taisai 2.2.1, 3.8, 5.10
    pub(crate) fn enter_result(&self, sender: Sender, table: TableId, outcome: OutcomeIndex, at: Moment) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let entered = found.round.as_ref().and_then(|round| round.outcome);
        let act = if entered.is_some() { Act::CorrectBeforeSettlement } else { Act::EnterResult };
        let by = self.authorise(sender, act, found)?;
        let procedure = rulebook.procedure();
        if outcome.get() >= rulebook.outcomes().size() {
            return refuse(Code::NotFound, &procedure.result_paragraph, "this game cannot show that");
        }
        let round = found.round_in_play(rulebook)?;
        if round.phase < Phase::Closed {
            return refuse(Code::Phase, &procedure.closing.paragraph, "bets must be closed before a result is entered");
        }
        if let Some(open) = round.ground {
            return self.ground_is_open(rulebook, open);
        }
        if round.seen.rested_early {
            let words =
                "the ball came to rest before the close: no result can be entered for it, the Shift Manager decides";
            return refuse(Code::NotValid, "D4", words);
        }
        let mut events: Vec<Event> = self.count_lost(found, round, at).into_iter().collect();
        if round.awaiting > 0 && events.is_empty() {
            let words = format!("{} terminals have not yet shown the close", round.awaiting);
            return refuse(Code::Unacknowledged, "D12", words);
        }
        if entered == Some(outcome) {
            let paragraph = rulebook.irregularities().correction();
            return refuse(Code::NothingToDo, paragraph, "this result is entered already");
        }
        self.device_agrees(found, rulebook, round, outcome, &mut events)?;
        events.push(match entered {
            Some(from) => Event::ResultChanged { round: round.id, table, from, to: outcome, by },
            None => Event::ResultEntered { round: round.id, table, outcome, by },
        });
        Ok(events)
    }

    /// The tumbler or wheel of a table, if it reports to the floor.
    pub(crate) fn mechanism_at(&self, table: &Table) -> Option<&Device> {
        let is_mechanism = |kind| matches!(kind, DeviceKind::Tumbler | DeviceKind::Wheel);
        self.devices.iter().find(|device| device.place == DevicePlace::Table(table.id) && is_mechanism(device.kind))
    }

    /// A device at the table must have seen a valid tumble or spin at the right time; its silence and its disagreement
    /// raise alerts and decide nothing.
    // § etg 3.6 · mbs-sicbo 3.1 · rws-taisai 3.7
    fn device_agrees(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        round: &Round,
        outcome: OutcomeIndex,
        events: &mut Vec<Event>,
    ) -> Result<(), Refusal> {
        let Some(device) = self.mechanism_at(table) else { return Ok(()) };
        let procedure = rulebook.procedure();
        let seen = &round.seen;
        if seen.short {
            let words = "a tumble of this round was too short, and no other cures it";
            return refuse(Code::NotValid, &procedure.device_paragraph, words);
        }
        // Where the dealer begins the round the tumbler counts as set off, but it must have said so itself.
        let heard = seen.running || seen.times.is_some();
        let in_time = seen.set_off && heard && (procedure.timing != Timing::AfterClose || seen.after_close);
        let silent = !in_time || device.fault.is_some();
        let raised = |events: &Vec<Event>| events.len() as u64;
        if silent {
            let alert = self.alert(0, Some(table.id), AlertKind::DeviceSilent(round.id));
            events.extend(alert);
        }
        if disagrees(rulebook, round, outcome) {
            let earlier = raised(events).min(1).min(u64::from(silent));
            events.extend(self.alert(earlier, Some(table.id), AlertKind::DeviceDisagrees(round.id)));
        }
        Ok(())
    }

    /// The dealer confirms: the round is settled and over.
    pub(crate) fn confirm_result(&self, sender: Sender, table: TableId) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        self.authorise(sender, Act::EnterResult, found)?;
        let round = found.round_in_play(rulebook)?;
        if let Some(open) = round.ground {
            return self.ground_is_open(rulebook, open);
        }
        let Some(outcome) = round.outcome else {
            return refuse(Code::Phase, &rulebook.procedure().result_paragraph, "no result is entered");
        };
        self.settlement(found, rulebook, round, outcome)
    }

    /// The events that settle a round by an outcome.
    pub(crate) fn settlement(
        &self,
        found: &Table,
        rulebook: &Rulebook,
        round: &Round,
        outcome: OutcomeIndex,
    ) -> Events {
        let table = found.id;
        if found.mode != TableMode::Terminals {
            let events = self.settle_chips(found, rulebook, round, outcome)?;
            return found.tray_covers(&events).map(|()| events);
        }
        let returns = self.returns(found, rulebook, outcome)?;
        let parts = returns.chunks(bounds::PART).count().max(1);
        let parts = u16::try_from(parts).map_err(|_| too_large())?;
        if returns.is_empty() {
            return Ok(vec![Event::RoundSettled { round: round.id, table, outcome, part: 1, parts: 1, returns }]);
        }
        let events = returns.chunks(bounds::PART).zip(1..).map(|(chunk, part)| Event::RoundSettled {
            round: round.id,
            table,
            outcome,
            part,
            parts,
            returns: chunk.to_vec(),
        });
        Ok(events.collect())
    }

    /// What every terminal with bets gets back, by the pay table of its own layout and in full (S1). A bet that was
    /// accepted settles, whatever has become of its terminal (D14).
    // § etg 1.3, 5.2.1, 5.7 · rws-sicbo 3.8 · rws-sicbo-open 3.8 · rws-roulette-000 3.9 · mbs-sicbo 3.6, 5.9.1
    fn returns(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        outcome: OutcomeIndex,
    ) -> Result<Vec<(TerminalId, Cents)>, Refusal> {
        let mut returns = Vec::with_capacity(table.terminals.len());
        for id in &table.terminals {
            let Some(terminal) = self.terminals.get(id.index()) else { continue };
            if terminal.stakes.is_empty() {
                continue;
            }
            let layout = rulebook.layouts().get(usize::from(terminal.layout));
            let pays = layout.ok_or_else(too_large)?.table();
            returns.push((*id, returned(pays, &terminal.stakes, outcome).ok_or_else(too_large)?));
        }
        Ok(returns)
    }

    /// What would be paid in all if this result were confirmed, for the console.
    #[must_use]
    pub fn would_return(&self, table: TableId, outcome: OutcomeIndex) -> Option<Cents> {
        let table = self.table(table)?;
        let round = table.round.as_ref()?;
        match table.mode {
            TableMode::Terminals => Some(round.exposure.returned(outcome)),
            TableMode::ResultsOnly | TableMode::BetsRecorded => self.chips_would_return(table, round, outcome),
        }
    }
}

/// What stakes return on an outcome, all pieces on their own spots.
#[inline]
// § rws-sicbo 3.8 · rws-sicbo-open 3.8 · rws-roulette-000 3.9, Appendix B · mbs-sicbo 3.6
pub(crate) fn returned(pays: &PayTable, stakes: &[Stake], outcome: OutcomeIndex) -> Option<Cents> {
    let mut sum = 0_i64;
    for stake in stakes {
        sum = sum.checked_add(pays.returned(stake.spot, outcome, stake.amount)?.get())?;
    }
    Some(Cents::new(sum))
}

fn too_large() -> Refusal {
    refusal(Code::Amount, "bounds", "the amounts are too large")
}

/// Whether the device read something else after the close. The order of dice never matters.
fn disagrees(rulebook: &Rulebook, round: &Round, outcome: OutcomeIndex) -> bool {
    match rulebook.outcomes().outcome(outcome) {
        Some(Outcome::Dice(Dice(entered))) => {
            let mut entered = entered.to_vec();
            round.seen.dice.iter().flatten().any(|die| match entered.iter().position(|face| face == die) {
                Some(place) => {
                    entered.remove(place);
                    false
                }
                None => true,
            })
        }
        Some(Outcome::Pocket(_)) => round.seen.pocket.is_some_and(|pocket| pocket != outcome),
        None => false,
    }
}
