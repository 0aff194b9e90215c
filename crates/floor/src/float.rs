//! The chips and the cash of a live table: the tray, the drop box, and what players have.

use rulebook::{Act, Cents};

use crate::command::*;
use crate::decide::{Events, amount_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Table};

impl Table {
    /// The chips that must be in the tray of a live table.
    #[must_use]
    pub fn float(&self) -> Cents {
        Cents::new(self.accounts.float.get().saturating_neg())
    }

    /// The cash that must be in the drop box of a live table.
    #[must_use]
    pub fn drop(&self) -> Cents {
        Cents::new(self.accounts.drop.get().saturating_neg())
    }
}

impl Table {
    /// The tray never goes below zero by a movement. Where bets are not recorded and rounds have been played, what it holds is
    /// not known until it is counted.
    pub(crate) fn tray_can_pay(&self, amount: Cents) -> Result<(), Refusal> {
        let known = self.mode == TableMode::BetsRecorded || self.rounds_settled == 0;
        if known && amount > self.float() {
            return refuse(Code::Float, "the float", format!("the tray holds {}: record a fill first", self.float()));
        }
        Ok(())
    }
}

impl Floor {
    /// The table's chips and cash: opener, fills, credits, buy-ins, closer, drop.
    pub(crate) fn move_float(&self, sender: Sender, table: TableId, movement: FloatMovement) -> Events {
        let (found, _) = self.find_table(table)?;
        if found.mode == TableMode::Terminals {
            return refuse(Code::NotFound, "the table's mode", "this table has no chips");
        }
        let act = match movement {
            FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_) => Act::OpenRound,
            // No document says who moves a float: we ask for the rank that witnesses.
            _ => Act::WitnessAttestation,
        };
        let by = self.authorise(sender, act, found)?;
        let accounts = &found.accounts;
        let difference = match movement {
            FloatMovement::Opener(amount) => {
                amount_fits(amount)?;
                if accounts.float != Cents::ZERO {
                    return refuse(Code::Float, "the float", "the table has its opener; bring a fill");
                }
                Cents::ZERO
            }
            FloatMovement::Fill(amount) => {
                amount_fits(amount)?;
                Cents::ZERO
            }
            FloatMovement::BuyIn(amount) => {
                amount_fits(amount)?;
                found.tray_can_pay(amount)?;
                Cents::ZERO
            }
            FloatMovement::ChipsOut(amount) => {
                amount_fits(amount)?;
                if found.mode == TableMode::BetsRecorded && amount > accounts.chips {
                    return refuse(Code::Float, "the float", "players do not hold so many chips of this table");
                }
                Cents::ZERO
            }
            FloatMovement::Credit(amount) => {
                amount_fits(amount)?;
                if amount > found.float() {
                    return refuse(Code::Float, "the float", format!("the tray holds {}", found.float()));
                }
                Cents::ZERO
            }
            FloatMovement::Closer(counted) => {
                if found.round.is_some() {
                    return refuse(Code::InRound, "S12", "the round must end first");
                }
                counted_fits(counted)?;
                Cents::new(counted.get().saturating_sub(found.float().get()))
            }
            FloatMovement::Drop(counted) => {
                counted_fits(counted)?;
                Cents::new(counted.get().saturating_sub(found.drop().get()))
            }
        };
        Ok(vec![Event::FloatMoved { table, movement, difference, by }])
    }
}

fn counted_fits(counted: Cents) -> Result<(), Refusal> {
    if counted == Cents::ZERO { Ok(()) } else { amount_fits(counted) }
}
