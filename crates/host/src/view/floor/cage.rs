//! What a cashier sees.

use floor::Floor;
use serde::Serialize;
use utoipa::ToSchema;

use super::held::{DrawerRow, drawers};
use super::pit::{DoubtSection, MovedSection, ThresholdsSection, doubt, moved, thresholds};
use crate::view::Money;

/// A cashier's shift.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ShiftSection {
    /// Which.
    pub id: u32,
    /// The float it was opened with.
    pub float: Money,
    /// What was counted last.
    pub counted: Option<Money>,
    /// What the drawer should hold; shown only once it has been counted.
    pub expected: Option<Money>,
}

/// Tickets outstanding.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OutstandingSection {
    /// How many.
    pub count: usize,
    /// How much.
    pub amount: Money,
}

/// What a correction left to be paid.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PayableRow {
    /// Which.
    pub id: u64,
    /// The round that is its evidence.
    pub round: Option<u64>,
    /// The table.
    pub table: u16,
    /// The terminal at which the bet was made.
    pub terminal: u32,
    /// The visit whose bet it was; none where a decision pays a terminal.
    pub visit: Option<u64>,
    /// How much.
    pub amount: Money,
}

/// What waits to be paid.
pub fn payable(payable: &floor::Payable) -> PayableRow {
    PayableRow {
        id: payable.id().0,
        round: payable.round().map(|round| round.0),
        table: payable.table().0,
        terminal: payable.terminal().0,
        visit: payable.visit().map(|visit| visit.0),
        amount: payable.amount().into(),
    }
}

/// What a cashier sees.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CageSection {
    /// The own shift.
    pub shift: Option<ShiftSection>,
    /// Tickets outstanding.
    pub outstanding: OutstandingSection,
    /// What corrections left to be paid.
    pub payables: Vec<PayableRow>,
    /// Tickets in doubt (D25).
    pub doubts: Vec<DoubtSection>,
    /// What the cashier has moved in this gaming day (D27); `null` while a drawer is open that was not counted yet, because it
    /// adds up to what the drawer should hold.
    pub moved: Option<MovedSection>,
    /// The floor's thresholds (D27).
    pub thresholds: ThresholdsSection,
    /// The open drawers of other cashiers (D27).
    pub drawers: Vec<DrawerRow>,
}

/// What a cashier sees.
pub fn cage(floor: &Floor, cashier: floor::StaffId) -> CageSection {
    let view = floor.cage_view(cashier);
    CageSection {
        shift: view.shift.map(|shift| ShiftSection {
            id: shift.id.0,
            float: shift.float.into(),
            counted: shift.counted.map(Money),
            expected: shift.expected.map(Money),
        }),
        outstanding: OutstandingSection { count: view.outstanding.0, amount: view.outstanding.1.into() },
        payables: view.payables.iter().map(payable).collect(),
        doubts: view.doubts.iter().map(|found| doubt(floor, found)).collect(),
        moved: view.moved.map(|alone| moved(floor, cashier, alone)),
        thresholds: thresholds(floor),
        drawers: drawers(floor, Some(cashier)),
    }
}
