//! A live table: several players' chips in one box, over its maximum, settled pro rata (Tai Sai 5.1.1, 5.1.2; D8).

use rulebook::prorata::{self, BoxLimits, ProrataError, Share};
use rulebook::{Cents, Fraction, Layout, Rulebook, SpotIndex};
use serde::Serialize;

use super::Compared;
use super::compare::{Drawn, compared};
use crate::session::{Round, SessionError, row};
use crate::words::{fraction, money};

/// A player's chips on a spot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveBet {
    /// Whose.
    pub player: String,
    /// Where.
    pub spot: SpotIndex,
    /// How much.
    pub stake: Cents,
}

/// The limits of the boxes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LiveLimits {
    /// The least a player may bet in a box.
    pub minimum: Cents,
    /// The most a box may hold.
    pub maximum: Option<Cents>,
    /// By how much the two sides of a pair may differ.
    pub differential: Option<Cents>,
    /// What amounts at risk are cut down to.
    pub step: Cents,
}

/// What is at risk of a player's chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LivePlayer {
    /// Whose.
    pub player: String,
    /// What was placed.
    #[serde(serialize_with = "money")]
    pub bet: Cents,
    /// What wins or loses of it.
    #[serde(serialize_with = "money")]
    pub at_risk: Cents,
    /// What the house keeps of what is at risk.
    #[serde(serialize_with = "fraction")]
    pub edge: Fraction,
    /// What the house keeps of what was placed: less, because the rest goes back.
    #[serde(serialize_with = "fraction")]
    pub edge_of_bet: Fraction,
}

/// Why a live table cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LiveError {
    /// The rulebook settles nothing pro rata.
    #[error("{0} settles nothing pro rata: its limits are not those of a box")]
    NoBoxes(String),
    /// The step would give fractions of a cent.
    #[error("the step must be a multiple of {0}, so that every payout is whole cents (D9)")]
    Step(Cents),
    /// The limits or the bets.
    #[error(transparent)]
    Prorata(#[from] ProrataError),
    /// The bets.
    #[error(transparent)]
    Bets(#[from] SessionError),
}

impl LiveError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            LiveError::NoBoxes(_) => "no_boxes",
            LiveError::Step(_) => "off_step",
            LiveError::Prorata(error) => error.code(),
            LiveError::Bets(error) => error.code(),
        }
    }
}

/// A live table with chips on it.
#[derive(Clone, Debug)]
pub struct LiveTable {
    players: Vec<LivePlayer>,
    /// What each player's round can bring, and what it brings on each outcome; nothing where nothing is at risk.
    rows: Vec<Option<(Round, Vec<i64>)>>,
}

impl LiveTable {
    /// Works out what of each player's chips is at risk, and what that can bring.
    ///
    /// # Errors
    /// When the rulebook has no boxes, or bets and limits do not fit.
    pub fn new(
        rulebook: &Rulebook,
        layout: &Layout,
        bets: &[LiveBet],
        limits: LiveLimits,
    ) -> Result<LiveTable, LiveError> {
        if rulebook.limits().pro_rata.is_none() {
            return Err(LiveError::NoBoxes(rulebook.id().to_owned()));
        }
        let table = layout.table();
        if !limits.step.is_multiple_of(table.step()) {
            return Err(LiveError::Step(table.step()));
        }
        let at_risk = boxes(rulebook, layout, bets, limits)?;
        let mut names: Vec<&str> = Vec::new();
        for bet in bets {
            if !names.contains(&bet.player.as_str()) {
                names.push(&bet.player);
            }
        }
        let mut live = LiveTable { players: Vec::new(), rows: Vec::new() };
        for name in names {
            let own: Vec<&(SpotIndex, Share<String>)> =
                at_risk.iter().filter(|(_, share)| share.player == name).collect();
            let risked: Vec<(SpotIndex, Cents)> =
                own.iter().map(|(spot, share)| (*spot, share.at_risk)).filter(|(_, risk)| risk.is_positive()).collect();
            let sum = |amount: fn(&Share<String>) -> Cents| {
                Cents::checked_sum(own.iter().map(|(_, share)| amount(share))).ok_or(SessionError::TooLarge)
            };
            let (bet, risk) = (sum(|share| share.bet)?, sum(|share| share.at_risk)?);
            let round = if risked.is_empty() { None } else { Some((Round::of(table, &risked)?, row(table, &risked)?)) };
            let edge = round.as_ref().map_or(Fraction::from_integer(0), |(round, _)| round.edge());
            let edge_of_bet = edge * Fraction::new(risk.get().into(), bet.get().into());
            live.players.push(LivePlayer { player: name.to_owned(), bet, at_risk: risk, edge, edge_of_bet });
            live.rows.push(round);
        }
        Ok(live)
    }

    /// The players, in the order in which they were named.
    #[must_use]
    pub fn players(&self) -> &[LivePlayer] {
        &self.players
    }

    pub(crate) fn compare(&self, counted: &[u64]) -> Vec<Compared> {
        let rounds = counted.iter().sum();
        let line = |(player, row): (&LivePlayer, &Option<(Round, Vec<i64>)>)| {
            let (round, row) = row.as_ref()?;
            let total = row.iter().zip(counted).map(|(net, count)| i128::from(*net) * i128::from(*count)).sum();
            Some(compared(&player.player, None, &Drawn { total, rounds }, round))
        };
        self.players.iter().zip(&self.rows).filter_map(line).collect()
    }
}

/// What is at risk in each box. Pairs with a differential are computed together.
fn boxes(
    rulebook: &Rulebook,
    layout: &Layout,
    bets: &[LiveBet],
    limits: LiveLimits,
) -> Result<Vec<(SpotIndex, Share<String>)>, LiveError> {
    let of_box = BoxLimits { minimum: limits.minimum, maximum: limits.maximum, step: limits.step };
    let on = |spot: SpotIndex| -> Vec<(String, Cents)> {
        bets.iter().filter(|bet| bet.spot == spot).map(|bet| (bet.player.clone(), bet.stake)).collect()
    };
    let pair = |spot: SpotIndex| {
        let pairs = rulebook.limits().differential.iter();
        let places = pairs.filter_map(|[a, b]| Some([layout.table().index(*a)?, layout.table().index(*b)?]));
        places.into_iter().find(|pair| pair.contains(&spot))
    };
    let mut done: Vec<SpotIndex> = Vec::new();
    let mut all = Vec::new();
    for bet in bets {
        if done.contains(&bet.spot) {
            continue;
        }
        match (limits.differential, pair(bet.spot)) {
            (Some(differential), Some([first, second])) => {
                let sides = prorata::pair(&on(first), &on(second), differential, [of_box; 2])?;
                all.extend(sides.bets.into_iter().map(|share| (first, share)));
                all.extend(sides.against.into_iter().map(|share| (second, share)));
                done.extend([first, second]);
            }
            _ => {
                all.extend(prorata::one_box(&on(bet.spot), of_box)?.into_iter().map(|share| (bet.spot, share)));
                done.push(bet.spot);
            }
        }
    }
    Ok(all)
}
