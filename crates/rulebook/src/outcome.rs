//! Outcomes: what a round can show, and sets of what it still can.

use std::fmt;

use crate::{Dice, Face, Pocket, Wheel};

/// What a round showed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Three dice, in the order read.
    Dice(Dice),
    /// Where the ball rests.
    Pocket(Pocket),
}

impl Outcome {
    /// The same dice in ascending order: the first of the outcomes that are equal for every bet.
    #[must_use]
    pub fn sorted(self) -> Outcome {
        match self {
            Outcome::Dice(Dice(mut faces)) => {
                faces.sort_unstable();
                Outcome::Dice(Dice(faces))
            }
            pocket => pocket,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Dice(dice) => f.pad(&dice.to_string()),
            Outcome::Pocket(pocket) => pocket.fmt(f),
        }
    }
}

/// The place of an outcome in its space.
#[derive(
    Copy,
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(transparent)]
pub struct OutcomeIndex(#[n(0)] pub(crate) u16);

impl OutcomeIndex {
    /// The place as a number, for arrays.
    #[must_use]
    pub const fn get(self) -> usize {
        self.0 as usize
    }
}

/// Why a text is not an outcome of this game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutcomeError {
    /// Three dice were expected.
    #[error("\"{0}\" is not an outcome of this game: write three dice, as in 2-2-3")]
    NotDice(String),
    /// A pocket was expected.
    #[error("\"{0}\" is not an outcome of this game: write a pocket, as in 17 or {1}")]
    NotPocket(String, &'static str),
}

/// Everything a game can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutcomeSpace {
    /// Three dice: 216 in order.
    Dice,
    /// The pockets of a wheel.
    Wheel(Wheel),
}

impl OutcomeSpace {
    /// How many outcomes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            OutcomeSpace::Dice => 216,
            OutcomeSpace::Wheel(wheel) => 36 + usize::from(wheel.zeros),
        }
    }

    /// The wheel, if it is one.
    #[must_use]
    pub fn wheel(&self) -> Option<&Wheel> {
        match self {
            OutcomeSpace::Dice => None,
            OutcomeSpace::Wheel(wheel) => Some(wheel),
        }
    }

    /// All places, in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = OutcomeIndex> + use<> {
        let size = u16::try_from(self.size()).unwrap_or(u16::MAX);
        (0..size).map(OutcomeIndex)
    }

    /// All outcomes, in order.
    pub fn all(&self) -> impl Iterator<Item = Outcome> + '_ {
        self.indices().filter_map(|index| self.outcome(index))
    }

    /// The outcome at a place.
    #[must_use]
    pub fn outcome(&self, index: OutcomeIndex) -> Option<Outcome> {
        match self {
            OutcomeSpace::Dice => {
                let face = |n: u16| Face::ALL.get(usize::from(n)).copied();
                let dice = [face(index.0 / 36)?, face(index.0 / 6 % 6)?, face(index.0 % 6)?];
                Some(Outcome::Dice(Dice(dice)))
            }
            OutcomeSpace::Wheel(wheel) => {
                let place = u8::try_from(index.0).ok()?;
                let pocket = match place.checked_sub(wheel.zeros) {
                    None => Pocket::all().nth(usize::from(place)),
                    Some(number) => Pocket::number(number.checked_add(1)?),
                };
                pocket.map(Outcome::Pocket)
            }
        }
    }

    /// The place of an outcome; `None` if the game cannot show it.
    #[must_use]
    pub fn index(&self, outcome: Outcome) -> Option<OutcomeIndex> {
        match (self, outcome) {
            (OutcomeSpace::Dice, Outcome::Dice(Dice(dice))) => {
                let place = dice.iter().fold(0, |place, die| place * 6 + u16::from(die.dots() - 1));
                Some(OutcomeIndex(place))
            }
            (OutcomeSpace::Wheel(wheel), Outcome::Pocket(pocket)) => match pocket.as_number() {
                Some(number) => Some(OutcomeIndex(u16::from(wheel.zeros + number - 1))),
                None => (pocket.code() < wheel.zeros).then(|| OutcomeIndex(u16::from(pocket.code()))),
            },
            _ => None,
        }
    }

    /// Reads an outcome of this game.
    pub fn parse(&self, text: &str) -> Result<OutcomeIndex, OutcomeError> {
        match self {
            OutcomeSpace::Dice => {
                let faces: Option<Vec<Face>> = text.split('-').map(Face::parse).collect();
                let dice = faces.and_then(|faces| faces.try_into().ok());
                dice.and_then(|dice| self.index(Outcome::Dice(Dice(dice))))
                    .ok_or_else(|| OutcomeError::NotDice(text.to_owned()))
            }
            OutcomeSpace::Wheel(wheel) => {
                Pocket::parse(text).and_then(|pocket| self.index(Outcome::Pocket(pocket))).ok_or_else(|| {
                    OutcomeError::NotPocket(
                        text.to_owned(),
                        ["0", "0 or 00", "0, 00 or 000"]
                            .get(usize::from(wheel.zeros).saturating_sub(1))
                            .copied()
                            .unwrap_or("0"),
                    )
                })
            }
        }
    }

    /// The outcomes still possible when some of the dice have been read and the others not.
    #[must_use]
    pub fn consistent_with(&self, read: [Option<Face>; 3]) -> OutcomeSet {
        self.indices()
            .filter(|index| match self.outcome(*index) {
                Some(Outcome::Dice(Dice(dice))) => {
                    read.iter().zip(dice).all(|(read, die)| read.is_none_or(|face| face == die))
                }
                _ => true,
            })
            .collect()
    }
}

/// A set of outcomes of one space.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeSet {
    words: [u64; 4],
}

impl OutcomeSet {
    /// Whether the outcome is in the set.
    #[must_use]
    pub fn contains(&self, index: OutcomeIndex) -> bool {
        self.words.get(index.get() / 64).is_some_and(|word| word >> (index.get() % 64) & 1 == 1)
    }

    /// Puts the outcome into the set.
    pub fn insert(&mut self, index: OutcomeIndex) {
        if let Some(word) = self.words.get_mut(index.get() / 64) {
            *word |= 1 << (index.get() % 64);
        }
    }

    /// How many outcomes are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every outcome of this set is in the other.
    #[must_use]
    pub fn is_subset(&self, other: &OutcomeSet) -> bool {
        self.words.iter().zip(other.words).all(|(a, b)| a & !b == 0)
    }

    /// Whether the two have no outcome in common.
    #[must_use]
    pub fn is_disjoint(&self, other: &OutcomeSet) -> bool {
        self.words.iter().zip(other.words).all(|(a, b)| a & b == 0)
    }
}

impl FromIterator<OutcomeIndex> for OutcomeSet {
    fn from_iter<I: IntoIterator<Item = OutcomeIndex>>(indices: I) -> OutcomeSet {
        let mut set = OutcomeSet::default();
        indices.into_iter().for_each(|index| set.insert(index));
        set
    }
}
