//! Multi-piece bets: one name, several pieces, each on its own spot.

use crate::{Cents, Citation, Mark, Pocket, Spot, Text, Wheel};

/// So many pieces on a spot.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where.
    pub spot: Spot,
    /// How many units.
    pub count: u32,
}

/// How a multi-piece bet finds its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pieces {
    /// Always the same.
    Fixed(Vec<Piece>),
    /// A pocket and so many on either side of it on the wheel.
    Neighbours {
        /// How many on either side may be asked for.
        reach: Vec<u8>,
    },
    /// Every number with the same last digit.
    Finale,
}

/// A multi-piece bet of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiPiece {
    /// Its name in the notation.
    pub id: String,
    /// Words for it.
    pub name: Text,
    /// The paragraph.
    pub paragraph: Citation,
    /// Whether its pieces are read from the document or chosen.
    pub mark: Option<Mark>,
    /// The kinds of terminal that have it.
    pub terminals: Vec<String>,
    /// How its pieces are found.
    pub pieces: Pieces,
}

/// Why a text is no multi-piece bet of this game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MultiPieceError {
    /// No such name.
    #[error("\"{text}\" is no multi-piece bet of this game{}", if .offered.is_empty() { "; it has none".to_owned() } else { format!("; there are {}", .offered.join(", ")) })]
    Unknown {
        /// What was written.
        text: String,
        /// What there is.
        offered: Vec<String>,
    },
    /// The name is right but not what follows it.
    #[error("\"{text}\": write {expected}")]
    Argument {
        /// What was written.
        text: String,
        /// What belongs there.
        expected: String,
    },
    /// The unit times the pieces does not fit.
    #[error("the amount is too large")]
    TooLarge,
}

impl MultiPieceError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            MultiPieceError::Unknown { .. } => "unknown_multi_piece_bet",
            MultiPieceError::Argument { .. } => "malformed_multi_piece_bet",
            MultiPieceError::TooLarge => "amount_too_large",
        }
    }
}

impl MultiPiece {
    /// How it is written, with every argument it can take.
    #[must_use]
    pub fn notations(&self, wheel: &Wheel) -> Vec<String> {
        match &self.pieces {
            Pieces::Fixed(_) => vec![self.id.clone()],
            Pieces::Neighbours { reach } => wheel
                .pockets()
                .flat_map(|centre| reach.iter().map(move |reach| (centre, *reach)))
                .map(|(centre, reach)| format!("{}/{centre}/{reach}", self.id))
                .collect(),
            Pieces::Finale => (0..10).map(|digit| format!("{}/{digit}", self.id)).collect(),
        }
    }

    /// The pieces for what follows the name, in the document's order.
    // § rws-roulette-000 Appendix B
    pub(crate) fn expand(&self, argument: Option<&str>, wheel: &Wheel) -> Option<Vec<Piece>> {
        let straight = |pocket: Pocket| Piece { spot: Spot::Straight(pocket), count: 1 };
        match (&self.pieces, argument) {
            (Pieces::Fixed(pieces), None) => Some(pieces.clone()),
            (Pieces::Neighbours { reach }, Some(argument)) => {
                let (centre, side) = argument.split_once('/')?;
                let centre = Pocket::parse(centre)?;
                let side = reach.iter().copied().find(|reach| reach.to_string() == side)?;
                let pockets = wheel.neighbours(centre, usize::from(side))?;
                Some(pockets.into_iter().map(straight).collect())
            }
            (Pieces::Finale, Some(argument)) => {
                let digit: u8 = argument.parse().ok().filter(|_| argument.len() == 1)?;
                let ends = |pocket: &Pocket| {
                    *pocket == Pocket::ZERO && digit == 0 || pocket.as_number().is_some_and(|n| n % 10 == digit)
                };
                Some(wheel.pockets().filter(ends).map(straight).collect())
            }
            _ => None,
        }
    }

    /// What belongs after the name, for messages.
    pub(crate) fn expected(&self) -> String {
        match &self.pieces {
            Pieces::Fixed(_) => self.id.clone(),
            Pieces::Neighbours { reach } => {
                let reach: Vec<String> = reach.iter().map(u8::to_string).collect();
                format!(
                    "{}/CENTRE/N with a pocket of this wheel and {} on either side, as in {}/21/2",
                    self.id,
                    reach.join(" or "),
                    self.id
                )
            }
            Pieces::Finale => format!("{}/D with a last digit from 0 to 9, as in {}/4", self.id, self.id),
        }
    }
}

/// What a number of pieces costs.
pub(crate) fn stake(unit: Cents, count: u32) -> Result<Cents, MultiPieceError> {
    unit.checked_mul(i64::from(count)).ok_or(MultiPieceError::TooLarge)
}
