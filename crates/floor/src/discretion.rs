//! What no rule covers is decided by the Shift Manager or above, with a reason (5.10; Tai Sai 5.14; MBS 6.1).

use rulebook::{Act, Affirmed, Cents, OutcomeIndex, Point, Rulebook};

use crate::chips::position_fits;
use crate::command::*;
use crate::correct::in_parts;
use crate::decide::{Events, amount_fits, reason_fits};
use crate::event::{Event, VoidBy};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Phase, Round, Seen, Table, Terminal};
use crate::void::Moved;

impl Floor {
    // § etg 5.10 · mbs-sicbo 6.1 · rws-taisai 5.14
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn decide_ruling(
        &self,
        sender: Sender,
        table: TableId,
        round: Option<RoundId>,
        ruling: Ruling,
        reason: &str,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::Decide, found)?;
        reason_fits(reason)?;
        let paragraph = &rulebook.discretion().paragraph;
        match ruling {
            Ruling::VoidRound => {
                let Some(round) = round else {
                    return refuse(Code::NotFound, paragraph, "name the round to void");
                };
                // A decision that voids a round always has a second person (D15, D27).
                let witness = self.second_person(by, witness, Act::VoidAffectedRounds, found)?;
                if let Some(current) = found.round.as_ref().filter(|current| current.id == round) {
                    found.round_in_play(rulebook)?;
                    self.not_concluded(found, rulebook, current)?;
                    return Ok(vec![self.void_by_decision(found, current, by, witness, reason)]);
                }
                let event =
                    self.void_settled(found, round, VoidBy::Decision, by, Some(witness), reason, &mut Moved::new())?;
                let mut events = vec![event];
                events.extend(self.uncollected_alerts(found, &events));
                in_parts(events)
            }
            Ruling::Pay { terminal, amount } => {
                amount_fits(amount)?;
                self.nothing_payable(terminal, round)?;
                let (terminal, same_visit) = self.reached(found, terminal, round)?;
                let visit = terminal.visit.filter(|_| same_visit);
                let witness = self.witness_above_threshold(by, witness, amount, visit, Act::HandPay, found)?;
                if same_visit {
                    terminal.room_for(amount)?;
                }
                let (credited, payable) = if same_visit { (amount, Cents::ZERO) } else { (Cents::ZERO, amount) };
                Ok(vec![decided(
                    table,
                    round,
                    ruling,
                    [credited, payable, Cents::ZERO, Cents::ZERO],
                    by,
                    witness,
                    reason,
                )])
            }
            Ruling::TakeBack { terminal, amount } => {
                amount_fits(amount)?;
                // It reaches only the visit that made the bet (D7): without its round any later player would pay.
                let Some(named) = round else {
                    return refuse(Code::NotFound, "D7", "name the round whose payment is taken back");
                };
                let (terminal, same_visit) = self.reached(found, terminal, round)?;
                let in_progress = found.round.as_ref().is_some_and(|current| current.id == named);
                if in_progress && !terminal.staked.is_positive() {
                    return refuse(Code::NotFound, "D7", "this terminal has no bets in that round");
                }
                let reaches = same_visit || mutant!("decision-takes-from-next-visit");
                let taken = if reaches { amount.min(terminal.credit) } else { Cents::ZERO };
                let rest = Cents::new(amount.get() - taken.get());
                let visit = terminal.visit.filter(|_| same_visit);
                let witness = self.witness_above_threshold(by, witness, amount, visit, Act::HandPay, found)?;
                let mut events =
                    vec![decided(table, round, ruling, [Cents::ZERO, Cents::ZERO, taken, rest], by, witness, reason)];
                if rest.is_positive() {
                    events.extend(self.alert(0, Some(table), AlertKind::Uncollected(named, rest)));
                }
                events.extend(self.more_than_paid(found, terminal, named, amount, by, events.len()));
                Ok(events)
            }
            Ruling::PayChips { position, amount } => {
                self.chips_fit(found, position, amount)?;
                let witness = self.witness_above_threshold(by, witness, amount, None, Act::HandPay, found)?;
                found.tray_holds(amount)?;
                let moved = [amount, Cents::ZERO, Cents::ZERO, Cents::ZERO];
                Ok(vec![decided(table, round, ruling, moved, by, witness, reason)])
            }
            Ruling::ClaimChips { position, amount } => {
                self.chips_fit(found, position, amount)?;
                let moved = [Cents::ZERO, Cents::ZERO, Cents::ZERO, amount];
                let witness = self.witness_above_threshold(by, witness, amount, None, Act::HandPay, found)?;
                Ok(vec![decided(table, round, ruling, moved, by, witness, reason)])
            }
            Ruling::Outcome { outcome } => {
                self.choose_outcome((found, rulebook), round, outcome, (by, witness), reason, at)
            }
            // MBS 6.1 speaks of irregularities only; how a rule is to be read is recorded there all the same.
            Ruling::Reading => Ok(vec![decided(table, round, ruling, [Cents::ZERO; 4], by, None, reason)]),
        }
    }

    /// Where the ball came to rest before the close no result can be entered for it (D4). The Shift Manager may decide which
    /// outcome stands, but only if no bet changed after it came to rest (D24). Nothing settles while a ground is open (D5),
    /// before a fault is answered (D21) or before the close is shown (D12).
    // § rws-roulette-000 5.10
    fn choose_outcome(
        &self,
        (table, rulebook): (&Table, &Rulebook),
        round: Option<RoundId>,
        outcome: OutcomeIndex,
        (by, witness): (StaffId, Option<StaffId>),
        reason: &str,
        at: Moment,
    ) -> Events {
        let paragraph = &rulebook.discretion().paragraph;
        // It chooses the outcome, so that a second person of the same rank decides too (D27).
        let witness = self.second_person(by, witness, Act::Decide, table)?;
        let current = table.round_in_play(rulebook)?;
        if round != Some(current.id) {
            return refuse(Code::NotFound, paragraph, "name the round in progress");
        }
        if rulebook.outcomes().wheel().is_none() {
            let words =
                "an outcome is chosen only where a ball came to rest before the close; this game is played with dice";
            return refuse(Code::Phase, "D24", words);
        }
        // Without a wheel in service only the people at the table have seen when the ball came to rest: the dealer states it.
        if !current.rested_early() {
            let words = match self.may_state_rest(table, current) {
                true => "no one has stated that the ball came to rest before the close: state it, or enter the result",
                false => "the ball did not come to rest before the close: enter the result",
            };
            return refuse(Code::Phase, "D4", words);
        }
        if current.changed_after_rest {
            let words = match current.stated_rest.is_some() && !current.seen.rested_early {
                true => {
                    "a bet changed after the ball came to rest, or no one knows whether one did: no outcome can stand, the \
                     round can be voided"
                }
                false => "a bet changed after the ball came to rest: no outcome can stand, the round can be voided",
            };
            return refuse(Code::NotValid, "D24", words);
        }
        if current.phase < Phase::Closed {
            return refuse(Code::Phase, &rulebook.procedure().closing.paragraph, "bets must be closed first");
        }
        // Nothing settles while a ground is open (D5).
        if let Some(open) = current.ground.filter(|_| !mutant!("choose-while-halted")) {
            return self.ground_is_open(rulebook, open);
        }
        current.fault_answered()?;
        let mut events = match self.close_is_shown(table, current, at) {
            Err(_) if mutant!("choose-before-shown") => Vec::new(),
            shown => shown?,
        };
        current.terminals_back()?;
        // Only a lawful spin gives an outcome, and not by the word of those who changed the service of its wheel (D18, D19).
        self.lawful(table, rulebook, current)?;
        self.affirms_of_rest(table, rulebook, current.stated_rest.as_deref().unwrap_or_default())?;
        self.may_enter(table, current.id, by)?;
        self.may_enter(table, current.id, witness)?;
        if !current.was_observed(outcome) {
            let words = "no spin of this round came to rest there: only an outcome that was seen can stand";
            return refuse(Code::NotValid, "D24", words);
        }
        if outcome.get() >= rulebook.outcomes().size() {
            return refuse(Code::NotFound, &rulebook.procedure().result_paragraph, "this game cannot show that");
        }
        let ruling = Ruling::Outcome { outcome };
        events.push(decided(table.id, round, ruling, [Cents::ZERO; 4], by, Some(witness), reason));
        events.push(Event::ResultEntered { round: current.id, table: table.id, outcome, by, entry: None });
        events.extend(self.settlement(table, rulebook, current, outcome)?);
        Ok(events)
    }

    /// The dealer states that the ball has come to rest before the close, and affirms what no device in service has measured
    /// of its spin (D4, D19). From then on a change of bets lets no outcome stand (D24).
    // § rws-roulette-000 3.6, 3.7, 5.10
    pub(crate) fn state_early_rest(&self, sender: Sender, table: TableId, affirmed: &[Point]) -> Events {
        let (found, rulebook) = self.find_table(table)?;
        let by = self.authorise(sender, Act::EnterResult, found)?;
        if rulebook.outcomes().wheel().is_none() {
            return refuse(Code::Phase, "D4", "this game is played with dice: no ball comes to rest before the close");
        }
        let round = found.round_in_play(rulebook)?;
        self.not_halted(rulebook, round)?;
        round.fault_answered()?;
        if round.outcome.is_some() {
            let words = "a result is entered: the ball came to rest after the close";
            return refuse(Code::Phase, &rulebook.procedure().result_paragraph, words);
        }
        if round.stated_rest.is_some() {
            return refuse(Code::NothingToDo, "D4", "it is stated already that the ball came to rest before the close");
        }
        if !round.seen.rested_early && !self.may_state_rest(found, round) {
            let words =
                "the wheel in service reports when the ball comes to rest, or has reported that it did after the close";
            return refuse(Code::NotValid, "D19", words);
        }
        self.affirms_of_rest(found, rulebook, affirmed)?;
        let affirmed = affirmed.iter().copied().filter(|point| *point != Point::Rest).collect();
        let late = !round.seen.rested_early && round.phase >= Phase::Closed;
        let stated = Event::EarlyRestStated { round: round.id, table, by, affirmed, late };
        let alert = self.alert(0, Some(table), AlertKind::RestedEarly(round.id)).filter(|_| !round.seen.rested_early);
        Ok([stated].into_iter().chain(alert).collect())
    }

    /// Whether only people can say when the ball came to rest: no wheel in service tells, and none has told before.
    fn may_state_rest(&self, table: &Table, round: &Round) -> bool {
        self.serving(table).is_none() && !round.seen.has_ended() && round.outcome.is_none()
    }

    /// What the dealer affirms of a spin whose ball rested before the close: everything but when it came to rest (D19).
    fn affirms_of_rest(&self, table: &Table, rulebook: &Rulebook, affirmed: &[Point]) -> Result<(), Refusal> {
        self.affirms(table, rulebook, Affirmed::Result, &[affirmed, &[Point::Rest]].concat())
    }

    /// An amount that a round already left payable for a terminal is paid, and not decided once more: it would be paid
    /// twice (D7).
    fn nothing_payable(&self, terminal: TerminalId, round: Option<RoundId>) -> Result<(), Refusal> {
        let Some(round) = round else { return Ok(()) };
        let waits = self.payables.values().find(|payable| payable.round == Some(round) && payable.terminal == terminal);
        let Some(payable) = waits else { return Ok(()) };
        let words = format!(
            "{} of round {round} waits to be paid for this terminal as payable {}: pay that one, at the cage or by hand",
            payable.amount, payable.id
        );
        refuse(Code::NothingToDo, "D7", words)
    }

    /// A decision about chips is about a live table and whole chips.
    fn chips_fit(&self, table: &Table, position: Position, amount: Cents) -> Result<(), Refusal> {
        if table.mode == TableMode::Terminals {
            return refuse(Code::NotFound, "the table's mode", "this table has no chips");
        }
        position_fits(position)?;
        amount_fits(amount)?;
        if !amount.is_multiple_of(table.settings.step) {
            return refuse(Code::OffStep, "D9", format!("chips are multiples of {}", table.settings.step));
        }
        Ok(())
    }

    /// The alert where more is taken back than the round has paid at the terminal, with what was decided for it in this gaming
    /// day: what no rule covers is decided all the same, and the pit sees by whom (D7, S19).
    fn more_than_paid(
        &self,
        table: &Table,
        terminal: &Terminal,
        round: RoundId,
        amount: Cents,
        by: StaffId,
        earlier: usize,
    ) -> Option<Event> {
        let paid = table.archived(round).and_then(|archived| archived.entry(terminal.id));
        let paid = paid.map_or(Cents::ZERO, |entry| entry.paid.max(entry.entitled));
        let decided = self.control.decided.get(&(terminal.id, round)).copied().unwrap_or_default();
        let left = Cents::new(paid.get().saturating_add(decided.get()).max(0));
        if amount <= left || !self.is_tagged() {
            return None;
        }
        let who = self.named(by);
        let words =
            format!("{who} took back {amount} at terminal {} for round {round}, which left {left} there", terminal.id);
        let earlier = u64::from(earlier > 1);
        self.alert(earlier, Some(table.id), AlertKind::Host(words))
    }

    /// The terminal of a decision, and whether its visit continues.
    fn reached(
        &self,
        table: &Table,
        terminal: TerminalId,
        round: Option<RoundId>,
    ) -> Result<(&Terminal, bool), Refusal> {
        let found = self.find_terminal(terminal)?;
        let here = || {
            if found.table != table.id {
                return refuse(Code::NotFound, "D7", "this terminal is at another table");
            }
            Ok(found.visit.is_some())
        };
        let same_visit = match round {
            None => here()?,
            Some(round) => match table.archived(round).and_then(|archived| archived.entry(terminal)) {
                Some(entry) => entry.visit.is_some() && entry.visit == found.visit,
                None if table.round.as_ref().is_some_and(|current| current.id == round) => here()?,
                None => return refuse(Code::NotFound, "D7", "this terminal had no bets in that round"),
            },
        };
        Ok((found, same_visit))
    }
}

impl Round {
    /// Whether the ball came to rest there, in its early spin or in a later one that was not set aside. Where the wheel did
    /// not read its early spin, only people have seen it. Where it did not report that spin's beginning, a spin that it did
    /// report was made, whatever was set aside.
    fn was_observed(&self, outcome: OutcomeIndex) -> bool {
        let later = self.later.iter().filter(|_| self.second.is_some() || self.is_vague());
        let rested = |seen: &Seen| seen.early == Some(outcome) || seen.pocket == Some(outcome);
        self.seen.early.is_none() || [&self.seen].into_iter().chain(later).any(rested)
    }
}

fn decided(
    table: TableId,
    round: Option<RoundId>,
    ruling: Ruling,
    [credited, payable, taken, uncollected]: [Cents; 4],
    by: StaffId,
    witness: Option<StaffId>,
    reason: &str,
) -> Event {
    let (ruling, reason) = (Box::new(ruling), reason.into());
    Event::Decided { table, round, ruling, credited, payable, taken, uncollected, by, witness, reason }
}
