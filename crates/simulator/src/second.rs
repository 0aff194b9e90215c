//! The naive model as a second opinion for others who drive a floor: it takes in the events of every command and says
//! where it would have done otherwise.

use floor::{Floor, Record, TableMode};
use rulebook::OutcomeIndex;

use crate::compare::same_round;
use crate::game::Game;
use crate::model::{Check, Model, must};
use crate::sheet::Sheet;

/// A floor kept by the naive model.
#[derive(Clone, Default)]
pub struct SecondOpinion {
    model: Model,
}

impl SecondOpinion {
    /// Takes in the events of one command.
    ///
    /// # Errors
    /// In words, what the documents do not allow or which amount should be another one.
    pub fn take(&mut self, records: &[Record]) -> Result<(), String> {
        self.model.take(records)
    }

    /// Whether the floor holds what the model holds: credits, stakes, rounds, exposure, tickets and what is payable.
    ///
    /// # Errors
    /// In words, what differs.
    pub fn agrees(&self, floor: &Floor, outcomes: &[OutcomeIndex]) -> Result<(), String> {
        for (real, naive) in floor.terminals().iter().zip(&self.model.terminals) {
            let is = (real.credit().get(), real.prepared().get(), real.staked().get());
            let should_be = (naive.credit, naive.prepared, naive.staked());
            must(is == should_be, || format!("terminal {} holds {is:?}, not {should_be:?}", real.id()))?;
            let is = (real.table(), real.is_live(), real.locked().is_some(), real.visit().is_some());
            let should_be = (naive.table, naive.live, naive.locked, naive.visit.is_some());
            must(is == should_be, || format!("terminal {} is {is:?}, not {should_be:?}", real.id()))?;
        }
        for (real, naive) in floor.tables().iter().zip(&self.model.tables) {
            same_round(real, naive)?;
            let Some(round) = real.round().filter(|_| naive.mode == TableMode::Terminals) else { continue };
            for outcome in outcomes {
                let (kept, worked_out) =
                    (round.exposure().returned(*outcome).get(), self.model.would_return(real.id(), *outcome)?);
                must(kept == worked_out, || format!("the exposure is {kept}, the bets return {worked_out}"))?;
            }
        }
        self.papers(floor)
    }

    fn papers(&self, floor: &Floor) -> Check {
        let tickets = floor.tickets().map(|ticket| (ticket.id(), ticket.amount().get(), ticket.state()));
        let naive = self.model.tickets.iter().map(|(id, ticket)| (*id, ticket.amount, ticket.state));
        must(tickets.eq(naive), || "the tickets differ".to_owned())?;
        let payables = floor.payables().map(|due| (due.id(), due.round(), due.amount().get()));
        let naive = self.model.payables.iter().map(|(id, due)| (*id, due.round, due.amount));
        must(payables.eq(naive), || "what is payable differs".to_owned())?;
        self.model.obligations.check()
    }

    /// Whether the floor remembers of each person all that the model counts: the cents that they have moved alone (D27). A
    /// floor that forgets some of it is in a state that was there before, so that this is asked after every step.
    ///
    /// # Errors
    /// In words, what was forgotten.
    pub fn remembers_totals(&self, floor: &Floor) -> Result<(), String> {
        self.model.alone.iter().try_for_each(|(person, cents)| {
            let counted = floor.moved_by(*person).since.get();
            must(counted >= *cents, || {
                format!("person {person} has moved {cents} cents alone, and {counted} are counted")
            })
        })
    }

    /// What the rules owe the players at terminals, in cents: all that was paid in and won, less what was lost and paid out.
    #[must_use]
    pub fn owed(&self) -> i64 {
        self.model.owed
    }
}

/// What a stake on a spot returns on an outcome by the prose of the document, stake and winnings, in cents.
///
/// # Errors
/// If there is no such document, layout or spot.
pub fn returned(game: &str, layout: u8, spot: &str, outcome: OutcomeIndex, stake: i64) -> Result<i64, String> {
    let game = Game::ALL.into_iter().find(|known| known.id() == game).ok_or("no such document")?;
    Sheet::of(game, layout).ok_or("no such layout")?.returned(spot, outcome, stake)
}
