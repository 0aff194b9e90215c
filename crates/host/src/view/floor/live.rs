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
    /// Those of them to whom the minimum was pointed out: their bets may be refused (5.2).
    pub advised: Vec<u8>,
    /// What of the bets was recorded after the close (D20).
    pub late: Vec<PositionAmount>,
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
    /// The stake that goes back, as the dealer returns it.
    pub stake: Money,
    /// The winnings, as the dealer pays them.
    pub winnings: Money,
}

/// The chips of a live table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FloatSection {
    /// Chips in the float.
    pub float: Money,
    /// Cash in the drop.
    pub drop: Money,
    /// Chips that this table has given out and not got back.
    pub with_players: Money,
    /// Chips that came here beyond what the table has given out: from the cage or another table. At least so many.
    pub from_elsewhere: Money,
}

/// The chips of a live table; none where bets are made at terminals.
pub(super) fn float(table: &Table) -> Option<FloatSection> {
    (table.mode() != floor::TableMode::Terminals).then(|| FloatSection {
        float: table.float().into(),
        drop: table.drop().into(),
        with_players: table.chips_with_players().into(),
        from_elsewhere: table.chips_from_elsewhere().into(),
    })
}

pub(super) fn box_section(found: &floor::BoxView) -> BoxSection {
    let amounts = |list: &[(floor::Position, rulebook::Cents)]| {
        list.iter()
            .map(|(position, amount)| PositionAmount { position: position.0, amount: (*amount).into() })
            .collect()
    };
    BoxSection {
        spot: found.spot.to_string(),
        bets: amounts(&found.bets),
        late: amounts(&found.late),
        advised: found.advised.iter().map(|position| position.0).collect(),
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
        let (stake, winnings) = (share.stake_back().into(), share.winnings().into());
        Some(PayoutRow { position: share.position.0, spot, bet, at_risk, returned, stake, winnings })
    };
    archived.shares().iter().filter_map(row).collect()
}
