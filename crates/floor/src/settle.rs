//! The result, and settling by the pay table of each terminal's layout.

use rulebook::{Act, Affirmed, Cents, OutcomeIndex, PayTable, Point, Rulebook};

use crate::alone::ALONE;
use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::{EntryRecord, Event, Need};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::service::{complete, disagrees, mechanism};
use crate::state::{Floor, OpenGround, Phase, Round, Stake, Table};

/// What the dealer says with the entry of a result (D19).
pub(crate) struct Behind<'a> {
    pub affirmed: &'a [Point],
    pub witness: Option<StaffId>,
    pub reason: Option<&'a str>,
}

impl Round {
    /// Whether the dealer has said of every device fault whether it affects the round (D21).
    pub(crate) fn fault_answered(&self) -> Result<(), Refusal> {
        match self.fault {
            Some((device, number)) => {
                let words = format!("device {device} reported fault {number}: say whether it affects the round");
                refuse(Code::FaultOpen, "D21", words)
            }
            None => Ok(()),
        }
    }
}

impl Floor {
    /// Nothing goes on while a ground is open (D5) or after a second tumble or spin (D18).
    // § etg 3.7 · mbs-sicbo 3.5 · rws-taisai 3.8
    pub(crate) fn not_halted(&self, rulebook: &Rulebook, round: &Round) -> Result<(), Refusal> {
        if let Some(open) = round.ground.filter(|_| !mutant!("settles-under-ground")) {
            return self.ground_is_open(rulebook, open);
        }
        if round.second.is_some() && !mutant!("second-tumble-ignored") {
            let words = format!(
                "the {} reports a second activation in this round: the first outcome stands. If it was read or entered, \
                 the dealer ends the round with it and a Pit Supervisor; otherwise the Shift Manager decides (D18)",
                mechanism(rulebook)
            );
            return refuse(Code::SecondTumble, &rulebook.procedure().result_paragraph, words);
        }
        Ok(())
    }

    pub(crate) fn ground_is_open<T>(&self, rulebook: &Rulebook, open: OpenGround) -> Result<T, Refusal> {
        match rulebook.ground(open.ground) {
            Some(ground) => {
                let words = format!("{}: the dealer must confirm it, or it must be put aside", ground.name.en);
                refuse(Code::GroundOpen, &ground.paragraph, words)
            }
            None => refuse(Code::GroundOpen, "D5", "a device has reported a void ground"),
        }
    }

    /// Every live terminal shows the close, or those that do not are counted as lost for this round (D12).
    pub(crate) fn close_is_shown(&self, table: &Table, round: &Round, at: Moment) -> Events {
        let lost: Vec<Event> = self.count_lost(table, round, at).into_iter().collect();
        if round.awaiting > 0 && lost.is_empty() && !mutant!("result-before-shown") {
            let words = format!("{} terminals have not yet shown the close", round.awaiting);
            return refuse(Code::Unacknowledged, "D12", words);
        }
        Ok(lost)
    }

    /// The dealer enters what the dice or the wheel show; before settlement an entry may be put right the same way (S6).
    /// It needs its lawful tumble or spin, and what no device measures is affirmed with it (D19).
    // § etg 3.7, 5.5 · rws-sicbo 2.2.1 · rws-sicbo-open 2.2.1 · mbs-sicbo 2.2, 3.4, 6.3 · rws-taisai 2.2.1, 3.8, 5.10
    pub(crate) fn enter_result(
        &self,
        sender: Sender,
        table: TableId,
        outcome: OutcomeIndex,
        behind: Behind<'_>,
        at: Moment,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let entered = found.round.as_ref().and_then(|round| round.outcome);
        let act = if entered.is_some() { Act::CorrectBeforeSettlement } else { Act::EnterResult };
        let by = self.authorise(sender, act, found)?;
        let second = |person| self.second_person(by, Some(person), Act::RecordDeviceFault, found);
        let witness = behind.witness.map(second).transpose()?;
        if let Some(reason) = behind.reason {
            reason_fits(reason)?;
        }
        let procedure = rulebook.procedure();
        if outcome.get() >= rulebook.outcomes().size() {
            return refuse(Code::NotFound, &procedure.result_paragraph, "this game cannot show that");
        }
        let round = found.round_in_play(rulebook)?;
        if round.phase < Phase::Closed {
            return refuse(Code::Phase, &procedure.closing.paragraph, "bets must be closed before a result is entered");
        }
        self.not_halted(rulebook, round)?;
        if round.rested_early() && !mutant!("early-ball-counts") {
            let words =
                "the ball came to rest before the close: no result can be entered for it, the Shift Manager decides";
            return refuse(Code::NotValid, "D4", words);
        }
        let mut events = self.close_is_shown(found, round, at)?;
        if entered == Some(outcome) {
            let paragraph = rulebook.irregularities().correction();
            return refuse(Code::NothingToDo, paragraph, "this result is entered already");
        }
        round.fault_answered()?;
        self.lawful(found, rulebook, round)?;
        self.may_enter(found, round.id, by)?;
        witness.map_or(Ok(()), |witness| self.may_enter(found, round.id, witness))?;
        self.affirms(found, rulebook, Affirmed::Result, behind.affirmed)?;
        let need = self.need(found, rulebook, round, outcome, by, at);
        if need == Need::Contradicts && witness.is_some() && behind.reason.is_none() {
            return refuse(Code::Text, "D19", "say why the result differs from what the device read");
        }
        events.extend(self.entry_alert(found, round, need));
        let record =
            EntryRecord { affirmed: behind.affirmed.to_vec(), need, witness, reason: behind.reason.map(Into::into) };
        let bare = record.affirmed.is_empty() && need == Need::Nothing && witness.is_none();
        let entry = (!bare).then(|| Box::new(record));
        events.push(match entered {
            Some(from) => Event::ResultChanged { round: round.id, table, from, to: outcome, by, entry },
            None => Event::ResultEntered { round: round.id, table, outcome, by, entry },
        });
        Ok(events)
    }

    /// The pit is alerted to an entry that no reading bears out.
    fn entry_alert(&self, table: &Table, round: &Round, need: Need) -> Option<Event> {
        let what = match need {
            Need::Contradicts => AlertKind::DeviceDisagrees(round.id),
            Need::Unread => AlertKind::DeviceSilent(round.id),
            Need::Nothing | Need::LateChips | Need::Serviced => return None,
        };
        self.alert(0, Some(table.id), what)
    }

    /// The dealer confirms: the round is settled and over. Where the result differs from a reading, or the device should
    /// have read it and did not, only with a Pit Supervisor (D19).
    pub(crate) fn confirm_result(
        &self,
        sender: Sender,
        table: TableId,
        confirmed: Option<OutcomeIndex>,
        Behind { witness, reason, .. }: Behind<'_>,
        at: Moment,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::EnterResult, found)?;
        let round = found.round_in_play(rulebook)?;
        self.not_halted(rulebook, round)?;
        let Some(outcome) = round.outcome else {
            return refuse(Code::Phase, &rulebook.procedure().result_paragraph, "no result is entered");
        };
        if confirmed.is_some_and(|confirmed| confirmed != outcome) {
            let words = "the result that is entered is another one: look again and confirm that";
            return refuse(Code::NotValid, &rulebook.procedure().result_paragraph, words);
        }
        round.terminals_back()?;
        round.fault_answered()?;
        self.may_enter(found, round.id, by)?;
        let witnessed = self.witnessed(found, rulebook, round, outcome, (by, witness, reason), at)?;
        let settled = self.settlement(found, rulebook, round, outcome)?;
        Ok(witnessed.into_iter().chain(settled).collect())
    }

    /// The second person of a result that needs one, unless the entry had one for the same need.
    fn witnessed(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        round: &Round,
        outcome: OutcomeIndex,
        (by, witness, reason): (StaffId, Option<StaffId>, Option<&str>),
        at: Moment,
    ) -> Result<Option<Event>, Refusal> {
        let entered = round.entered.map_or(by, |entered| entered.by);
        // Where another person entered the result, chips that the first one recorded are no reason (D20).
        let of = |person| match self.need(table, rulebook, round, outcome, person, at) {
            Need::LateChips if person != entered => Need::Nothing,
            need => need,
        };
        let need = of(by).max(of(entered));
        let met = round.entered.map_or(Need::Nothing, |entered| entered.met);
        // Who signs without need is named all the same, once.
        let signed = round.entered.and_then(|entered| entered.witness);
        let known = |witness| witness == entered || witness == ALONE || Some(witness) == signed;
        let named = witness.is_none_or(known) || !self.is_tagged();
        if need <= met && named {
            return Ok(None);
        }
        let Some(witness) = witness.filter(|witness| *witness != entered) else {
            if need == Need::LateChips {
                let words = "who enters the result recorded chips after the close, which win more than one person moves \
                             alone: a Pit Supervisor must be the second person";
                return refuse(Code::SecondPerson, "D27", words);
            }
            let words = match need {
                Need::Contradicts if round.seen.bare => {
                    "the device reported a tumble in the open: a Pit Supervisor must confirm, with a reason"
                }
                Need::Contradicts => "the device read something else: a Pit Supervisor must confirm, with a reason",
                Need::Unread if round.seen.is_unannounced() => {
                    "the device did not report how this began: a Pit Supervisor must be the second person"
                }
                Need::Unread => "the device has not read the result: a Pit Supervisor must be the second person",
                _ => "who changed the service of the device today, or set its report aside, needs a second person",
            };
            return refuse(Code::SecondPerson, "D19", words);
        };
        let witness = self.second_person(by, Some(witness), Act::RecordDeviceFault, table)?;
        self.may_enter(table, round.id, witness)?;
        if need > met && need == Need::Contradicts || reason.is_some() {
            reason_fits(reason.unwrap_or_default())?;
        }
        let (reason, need) = (reason.map(Into::into), need.max(met));
        Ok(Some(Event::ResultWitnessed { round: round.id, table: table.id, outcome, need, by, witness, reason }))
    }

    /// After a second tumble or spin, the dealer and a Pit Supervisor end the round with the first outcome, if it was
    /// completely read or entered before that (D18).
    // § etg 3.7 · mbs-sicbo 3.5 · rws-taisai 3.8
    pub(crate) fn keep_first_outcome(
        &self,
        sender: Sender,
        table: TableId,
        affirmed: &[Point],
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::EnterResult, found)?;
        let round = found.round_in_play(rulebook)?;
        if round.second.is_none() {
            return refuse(Code::NothingToDo, "D18", "no second tumble or spin was reported in this round");
        }
        let witness = self.second_person(by, witness, Act::WitnessAttestation, found)?;
        if let Some(open) = round.ground {
            return self.ground_is_open(rulebook, open);
        }
        round.fault_answered()?;
        let mut events = self.close_is_shown(found, round, at)?;
        round.terminals_back()?;
        self.may_enter(found, round.id, by)?;
        self.may_enter(found, round.id, witness)?;
        let Some(outcome) = self.first_outcome(table) else {
            let words = match round.outcome {
                Some(_) => {
                    "the entry contradicts a reading, and no second person signed for it before (D19): the Shift Manager decides"
                }
                None => "the first outcome was neither completely read nor entered: the Shift Manager decides",
            };
            return refuse(Code::NotValid, "D18", words);
        };
        // The person who signs is another one than the person who entered it (D19).
        let entered_by = round.entered.filter(|entered| entered.witness.is_none()).map(|entered| entered.by);
        if round.outcome == Some(outcome) && entered_by == Some(witness) {
            let words = "who entered the result does not sign for it as the second person";
            return refuse(Code::SecondPerson, "D18", words);
        }
        // Who entered it has affirmed what no device measures (D19).
        if round.outcome != Some(outcome) {
            self.affirms(found, rulebook, Affirmed::Result, affirmed)?;
        }
        let affirmed = affirmed.to_vec();
        events.push(Event::FirstOutcomeStands { round: round.id, table, outcome, by, witness, affirmed });
        events.extend(self.settlement(found, rulebook, round, outcome)?);
        Ok(events)
    }

    /// The first outcome of the round, if it was completely read or entered: the reading, unless a second person stands
    /// by another entry.
    #[must_use]
    pub fn first_outcome(&self, table: TableId) -> Option<OutcomeIndex> {
        let (found, rulebook) = self.find_table(table).ok()?;
        let round = found.round.as_ref().filter(|round| round.phase >= Phase::Closed)?;
        let sure = !round.seen.short && !round.seen.bare && !round.seen.contradicted && !round.doubtful;
        let read = complete(rulebook, &round.seen).filter(|_| sure);
        // An entry that contradicts a reading decides nothing while it lacks the second person it needs. For any other one the
        // Pit Supervisor who ends the round with it is that person.
        let agreed = |outcome: &OutcomeIndex| {
            let Some(entered) = round.entered else { return !disagrees(rulebook, &round.seen, *outcome) };
            let need = self.need(found, rulebook, round, *outcome, entered.by, self.now());
            need <= entered.met || need != Need::Contradicts
        };
        round.outcome.filter(agreed).or(read)
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
            let place = if mutant!("pays-by-first-layout") { 0 } else { usize::from(terminal.layout) };
            let pays = rulebook.layouts().get(place).ok_or_else(too_large)?.table();
            let settles = terminal.live || !mutant!("lost-terminals-bets-returned");
            let back = if settles { returned(pays, &terminal.stakes, outcome) } else { Some(terminal.staked) };
            returns.push((*id, back.ok_or_else(too_large)?));
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
