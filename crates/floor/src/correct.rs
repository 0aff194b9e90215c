//! Corrections of wrong results after settlement, and voids of settled rounds (5.5, 5.6; D7; S6).
//!
//! New entries move the money; nothing is edited. They reach only the visit that made the bet: a visit that gains is
//! paid in full, from one that loses only its remaining credit is taken back, and the rest stands as uncollected.

use std::borrow::Cow;
use std::mem::take;

use rulebook::{Act, Cents, OutcomeIndex, Rulebook};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::{Adjustment, ChipsChange, Event, VoidBy};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::settle::returned;
use crate::state::{ArchivedRound, Entry, Floor, Table};
use crate::void::Moved;

impl Floor {
    /// Why a round that is not in progress cannot be changed now.
    pub(crate) fn why_not_settled(&self, round: RoundId) -> String {
        match round.0 >= self.next.round {
            true => format!("there was no round {round} yet"),
            false => format!(
                "round {round} is not among the recent settled rounds: the host recalls it from the record first, and a \
                 round that was void before it was settled cannot be changed"
            ),
        }
    }

    pub(crate) fn settled_round(&self, round: RoundId) -> Result<(&Table, &ArchivedRound, &Rulebook), Refusal> {
        let found = self.tables.iter().find_map(|table| Some((table, table.archived(round)?)));
        let Some((table, archived)) = found else {
            let current =
                self.tables.iter().filter_map(|table| table.round.as_ref()).any(|current| current.id == round);
            if current {
                return refuse(Code::Phase, "D7", "this round is not settled yet");
            }
            return refuse(Code::NotFound, "D24", self.why_not_settled(round));
        };
        let rulebook = self.rulebook_at(archived.rulebook);
        let rulebook =
            rulebook.ok_or_else(|| refusal(Code::Rulebook, "S9", "the round's rulebook is not installed"))?;
        Ok((table, archived, rulebook))
    }

    // § etg 5.5, 5.6 · mbs-sicbo 6.3 · rws-taisai 5.8, 5.10
    pub(crate) fn correct_result(
        &self,
        sender: Sender,
        round: RoundId,
        outcome: OutcomeIndex,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        self.staff_sender(sender)?;
        let (table, archived, rulebook) = self.settled_round(round)?;
        let by = self.authorise(sender, Act::CorrectAfterSettlement, table)?;
        let witness = match witness {
            None if mutant!("correct-alone") => by,
            _ => self.second_person(by, witness, Act::CorrectAfterSettlement, table)?,
        };
        for person in [by, witness] {
            self.may_enter(table, round, person)?;
        }
        reason_fits(reason)?;
        let paragraph = rulebook.irregularities().correction();
        let Some(old) = archived.outcome else {
            return refuse(Code::RoundOver, paragraph, "the round is void and has no result");
        };
        if outcome.get() >= rulebook.outcomes().size() {
            return refuse(Code::NotFound, paragraph, "this game cannot show that");
        }
        if old == outcome {
            return refuse(Code::NothingToDo, paragraph, "this is the result the round was settled by");
        }
        if table.mode != TableMode::Terminals {
            let mut events = self.correct_chips(table, archived, rulebook, Ok(outcome), by, Some(witness), reason)?;
            table.tray_covers(&events)?;
            events.extend(self.corrected_against_device(table, rulebook, &events));
            return Ok(events);
        }
        let mut moved = Moved::new();
        let mut adjustments = Vec::with_capacity(archived.entries.len());
        for entry in &archived.entries {
            let pays = rulebook.layouts().get(usize::from(entry.layout)).map(|layout| layout.table());
            let entitled = pays.and_then(|pays| returned(pays, &entry.stakes, outcome));
            let entitled = entitled.ok_or_else(|| refusal(Code::Amount, "bounds", "the amounts are too large"))?;
            adjustments.extend(self.adjust(entry, entitled, &mut moved));
        }
        let reason = reason.to_owned();
        let mut events =
            vec![Event::RoundCorrected { round, table: table.id, outcome, adjustments, by, witness, reason }];
        events.extend(self.uncollected_alerts(table, &events));
        events.extend(self.corrected_against_device(table, rulebook, &events));
        in_parts(events)
    }

    #[allow(clippy::too_many_arguments)]
    // § etg 5.4, 5.9 · rws-taisai 5.6, 5.12
    pub(crate) fn void_settled(
        &self,
        table: &Table,
        round: RoundId,
        by: VoidBy,
        staff: StaffId,
        witness: Option<StaffId>,
        reason: &str,
        moved: &mut Moved,
    ) -> Result<Event, Refusal> {
        let Some(archived) = table.archived(round) else {
            let words = format!("round {round} is not among the last rounds of this table");
            return refuse(Code::NotFound, "D7", words);
        };
        let rulebook = self.rulebook_at(archived.rulebook);
        let rulebook = rulebook.ok_or_else(|| refusal(Code::Rulebook, "S9", "the rulebook is not installed"))?;
        if archived.outcome.is_none() {
            let paragraph = match by {
                VoidBy::Ground(ground) => rulebook.ground(ground).map(|listed| &listed.paragraph),
                VoidBy::Decision => Some(&rulebook.discretion().paragraph),
            };
            return refuse(Code::RoundOver, paragraph, format!("round {round} is void already"));
        }
        if table.mode != TableMode::Terminals {
            let mut events = self.correct_chips(table, archived, rulebook, Err(by), staff, witness, reason)?;
            table.tray_covers(&events)?;
            return events.pop().ok_or_else(|| refusal(Code::NothingToDo, "D7", "nothing to void"));
        }
        let adjustments = archived.entries.iter().filter_map(|entry| self.adjust(entry, entry.staked, moved)).collect();
        let reason = reason.to_owned();
        Ok(Event::SettledRoundVoided { round, table: table.id, by, adjustments, staff, witness, reason })
    }

    /// The difference between what one visit was paid and what it is entitled to.
    // § etg 5.6
    pub(crate) fn adjust(&self, entry: &Entry, entitled: Cents, moved: &mut Moved) -> Option<Adjustment> {
        let terminal = self.terminal(entry.terminal)?;
        let earlier = moved.get(&entry.terminal).copied();
        let credit = terminal.credit.get().saturating_add(earlier.unwrap_or(0));
        // A visit whose last credit an earlier round of the same command takes is over for this one.
        let emptied =
            earlier.is_some() && credit == 0 && terminal.stakes.is_empty() && !terminal.prepared.is_positive();
        let same_visit = entry.visit.is_some() && terminal.visit == entry.visit && !emptied;
        let mut adjustment = Adjustment {
            terminal: entry.terminal,
            entitled,
            credited: Cents::ZERO,
            payable: Cents::ZERO,
            unpaid: Cents::ZERO,
            taken: Cents::ZERO,
            uncollected: Cents::ZERO,
        };
        let paid = if mutant!("correction-forgets-corrections") { entry.entitled } else { entry.paid };
        let difference = entitled.get().saturating_sub(paid.get());
        if difference >= 0 {
            let gain = Cents::new(difference);
            if same_visit || mutant!("correction-reaches-next-visit") {
                adjustment.credited = gain
            } else {
                adjustment.payable = gain
            }
        } else {
            let owed = difference.saturating_neg();
            // An amount that has not been collected at the cage yet is no longer payable.
            let waiting = entry.payable.and_then(|id| self.payables.get(&id)).map_or(0, |payable| payable.amount.get());
            let unpaid = owed.min(waiting);
            let credit = if same_visit { credit } else { 0 };
            let from_credit = owed.saturating_sub(unpaid).min(credit.max(0));
            adjustment.unpaid = Cents::new(unpaid);
            adjustment.taken = Cents::new(from_credit);
            adjustment.uncollected = Cents::new(owed - unpaid - from_credit);
        }
        let by = adjustment.credited.get().saturating_sub(adjustment.taken.get());
        if by != 0 {
            let sum = moved.entry(entry.terminal).or_default();
            *sum = sum.saturating_add(by);
        }
        Some(adjustment)
    }

    /// An event with what came before it in parts, as if it had that itself.
    #[must_use]
    pub fn whole<'e>(&self, event: &'e Event) -> Cow<'e, Event> {
        let mut whole = Cow::Borrowed(event);
        match event {
            Event::RoundCorrected { round, adjustments, .. } | Event::SettledRoundVoided { round, adjustments, .. }
                if adjustments.is_empty() =>
            {
                let waiting = self.adjusting(*round).to_vec();
                if let Event::RoundCorrected { adjustments, .. } | Event::SettledRoundVoided { adjustments, .. } =
                    whole.to_mut()
                {
                    *adjustments = waiting;
                }
            }
            Event::ChipsCorrected { round, paid, claims, returns, .. }
                if paid.is_empty() && claims.is_empty() && returns.is_empty() =>
            {
                let waiting = self.adjusting_chips.iter().find(|(of, _)| of == round);
                if let Some((_, change)) = waiting
                    && let Event::ChipsCorrected { paid, claims, returns, .. } = whole.to_mut()
                {
                    let ChipsChange { paid: p, claims: c, returns: r } = change.clone();
                    (*paid, *claims, *returns) = (p, c, r);
                }
            }
            _ => {}
        }
        whole
    }

    /// The adjustments an event takes effect with: its own, or those that came before it in parts.
    pub(crate) fn effective<'a>(&'a self, round: RoundId, own: &'a [Adjustment]) -> &'a [Adjustment] {
        if own.is_empty() { self.adjusting(round) } else { own }
    }

    /// Adjustments that came in parts and wait for the event that makes them true.
    #[must_use]
    pub fn adjusting(&self, round: RoundId) -> &[Adjustment] {
        self.adjusting.iter().find(|(of, _)| *of == round).map_or(&[], |(_, adjustments)| adjustments)
    }

    /// What could not be collected is shown to the pit.
    pub(crate) fn uncollected_alerts(&self, table: &Table, events: &[Event]) -> Vec<Event> {
        let mut alerts = Vec::new();
        for event in events {
            let (round, adjustments) = match event {
                Event::RoundCorrected { round, adjustments, .. } => (*round, adjustments),
                Event::SettledRoundVoided { round, adjustments, .. } => (*round, adjustments),
                _ => continue,
            };
            let sum = Cents::checked_sum(adjustments.iter().map(|a| a.uncollected)).unwrap_or(Cents::ZERO);
            if sum.is_positive() {
                let earlier = alerts.len() as u64;
                alerts.extend(self.alert(earlier, Some(table.id), AlertKind::Uncollected(round, sum)));
            }
        }
        alerts
    }
}

/// Where a command changes too many rounds of a live table, what they pay and claim comes first, a part for each round.
pub(crate) fn chips_in_parts(mut events: Vec<Event>) -> Events {
    if events.len() <= bounds::LIVE_RANGE {
        return Ok(events);
    }
    let Ok(parts) = u16::try_from(events.len()) else {
        return refuse(Code::TooMany, "bounds", "name fewer rounds at once");
    };
    let mut written = Vec::with_capacity(events.len().saturating_mul(2));
    for (event, part) in events.iter_mut().zip(1..) {
        if let Event::ChipsCorrected { round, table, paid, claims, returns, .. } = event {
            let change = ChipsChange { paid: take(paid), claims: take(claims), returns: take(returns) };
            let (round, table, adjustments, chips) = (*round, *table, Vec::new(), Some(change.into()));
            written.push(Event::CorrectionPart { round, table, part, parts, adjustments, chips });
        }
    }
    written.append(&mut events);
    Ok(written)
}

/// Where a command adjusts the bets of too many terminals, their adjustments come first, in parts; the events that take
/// effect follow without them, so that they fit into one batch.
pub(crate) fn in_parts(mut events: Vec<Event>) -> Events {
    let adjusted = events.iter().map(|event| adjustments(event).map_or(0, |(.., adjustments)| adjustments.len()));
    if adjusted.sum::<usize>() <= bounds::ADJUSTED {
        return Ok(events);
    }
    let chunks = events.iter().filter_map(adjustments).flat_map(|(round, table, adjustments)| {
        adjustments.chunks(bounds::ADJUSTED).map(move |chunk| (round, table, chunk.to_vec()))
    });
    let chunks: Vec<_> = chunks.collect();
    let Ok(parts) = u16::try_from(chunks.len()) else {
        return refuse(Code::TooMany, "bounds", "so many terminals had bets in these rounds: name fewer at once");
    };
    for event in &mut events {
        if let Event::RoundCorrected { adjustments, .. } | Event::SettledRoundVoided { adjustments, .. } = event {
            *adjustments = Vec::new();
        }
    }
    let written = chunks.into_iter().zip(1..).map(|((round, table, adjustments), part)| Event::CorrectionPart {
        round,
        table,
        part,
        parts,
        adjustments,
        chips: None,
    });
    Ok(written.chain(events).collect())
}

fn adjustments(event: &Event) -> Option<(RoundId, TableId, &[Adjustment])> {
    match event {
        Event::RoundCorrected { round, table, adjustments, .. }
        | Event::SettledRoundVoided { round, table, adjustments, .. } => Some((*round, *table, adjustments)),
        _ => None,
    }
}
