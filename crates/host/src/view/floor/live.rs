//! The chips of a live table.

use floor::{Floor, Table};
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::Money;

/// A player's chips in a box.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PositionAmount {
    /// Where the player stands.
    pub position: u8,
    /// How much.
    pub amount: Money,
}

/// A betting box of a live table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct BoxSection {
    /// Which spot.
    pub spot: String,
    /// Who has how much there.
    pub bets: Vec<PositionAmount>,
    /// The sum.
    pub total: Money,
    /// What exceeds the box or the differential.
    pub excess: Money,
    /// Positions whose bet is under the minimum.
    pub under_minimum: Vec<u8>,
}

/// What a player of a live table got in the last round, in the order of paying.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PayoutRow {
    /// Where the player stands.
    pub position: u8,
    /// Where the bet was.
    pub spot: String,
    /// The bet as it stood.
    pub bet: Money,
    /// What of it won or lost, after pro rata.
    pub at_risk: Money,
    /// What goes to the player, stakes included.
    pub returned: Money,
}

/// The chips of a live table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FloatSection {
    /// Chips in the float.
    pub float: Money,
    /// Cash in the drop.
    pub drop: Money,
    /// Chips with players.
    pub with_players: Money,
}

pub(super) fn box_section(found: &floor::BoxView) -> BoxSection {
    BoxSection {
        spot: found.spot.to_string(),
        bets: found
            .bets
            .iter()
            .map(|(position, amount)| PositionAmount { position: position.0, amount: (*amount).into() })
            .collect(),
        total: found.total.into(),
        excess: found.excess.into(),
        under_minimum: found.under_minimum.iter().map(|position| position.0).collect(),
    }
}

pub(super) fn payouts(floor: &Floor, table: &Table) -> Vec<PayoutRow> {
    let layout = floor.rulebook_of(table).and_then(|rulebook| rulebook.layouts().first());
    let Some((layout, archived)) = layout.zip(table.archive().next_back()) else { return Vec::new() };
    let row = |share: &floor::ChipShare| {
        let spot = layout.table().spot(share.spot)?.spot.to_string();
        let (bet, at_risk, returned) = (share.bet.into(), share.at_risk.into(), share.returned.into());
        Some(PayoutRow { position: share.position.0, spot, bet, at_risk, returned })
    };
    archived.shares().iter().filter_map(row).collect()
}
