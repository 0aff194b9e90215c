//! Money held at unattended places: drawers of the cage, and terminals that are lost or locked.

use floor::{Floor, StaffId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::Money;

/// An open drawer of the cage. If its cashier has left, two others count and close it, or hand it over (D27).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DrawerRow {
    /// The shift.
    pub shift: u32,
    /// Whose it is.
    pub cashier: u32,
    /// That person's name.
    pub name: String,
    /// What was counted last.
    pub counted: Option<Money>,
    /// What the drawer should hold; shown only once it has been counted.
    pub expected: Option<Money>,
}

/// The open drawers, but for that of one person.
pub fn drawers(floor: &Floor, but: Option<StaffId>) -> Vec<DrawerRow> {
    let others = floor.shifts().filter(|shift| Some(shift.cashier()) != but);
    let row = |shift: &floor::Shift| {
        let counted = floor.counted(shift.id());
        let cashier = shift.cashier();
        DrawerRow {
            shift: shift.id().0,
            cashier: cashier.0,
            name: floor.person(cashier).map_or_else(|| cashier.to_string(), |person| person.name().to_owned()),
            counted: counted.map(Money),
            expected: counted.map(|_| shift.cash().into()),
        }
    };
    others.map(row).collect()
}

/// A player's money at a terminal that is lost or locked: staff pay it by hand (D25).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HeldRow {
    /// The terminal.
    pub terminal: u32,
    /// Its name.
    pub name: String,
    /// Its table.
    pub table: u16,
    /// The credit.
    pub credit: Money,
    /// Bets in the round.
    pub staked: Money,
    /// A ticket in doubt.
    pub in_doubt: Money,
    /// Whether it is locked; otherwise it is lost.
    pub locked: bool,
}

/// Terminals that are listed at once.
const MOST: usize = 200;

/// The money of players at terminals that are lost or locked.
pub fn held(floor: &Floor) -> Vec<HeldRow> {
    let out = |terminal: &&floor::Terminal| {
        terminal.visit().is_some() && (!terminal.is_live() || terminal.locked().is_some())
    };
    let row = |terminal: &floor::Terminal| HeldRow {
        terminal: terminal.id().0,
        name: terminal.name().to_owned(),
        table: terminal.table().0,
        credit: terminal.credit().into(),
        staked: terminal.staked().into(),
        in_doubt: terminal.prepared().into(),
        locked: terminal.locked().is_some(),
    };
    floor.terminals().iter().filter(out).take(MOST).map(row).collect()
}
