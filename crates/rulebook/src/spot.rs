//! Spots: the places of a layout on which a bet can stand.

use std::fmt;

use crate::{Dice, Face, Family, Pocket};

/// A total of three dice that can be bet on: 4 to 17.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Total(u8);

impl Total {
    /// All fourteen, ascending.
    pub fn all() -> impl Iterator<Item = Total> {
        (4..=17).map(Total)
    }

    /// The total, if it can be bet on.
    #[must_use]
    pub const fn new(total: u8) -> Option<Total> {
        if 4 <= total && total <= 17 { Some(Total(total)) } else { None }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// First, second or third: a column or a dozen.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Third {
    First = 1,
    Second = 2,
    Third = 3,
}

impl Third {
    /// All three.
    pub const ALL: [Third; 3] = [Third::First, Third::Second, Third::Third];

    pub(crate) fn parse(text: &str) -> Option<Third> {
        match text {
            "1" => Some(Third::First),
            "2" => Some(Third::Second),
            "3" => Some(Third::Third),
            _ => None,
        }
    }
}

/// A place on which a bet can stand, in the one notation used everywhere. Made by parsing, so that it is well formed.
///
/// ```
/// use rulebook::Spot;
/// let spot: Spot = "domino/1-4".parse().unwrap();
/// assert_eq!(spot.to_string(), "domino/1-4");
/// assert_eq!("domino/4-1".parse::<Spot>().unwrap_err().to_string(), "write domino/1-4");
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Spot {
    Small,
    Big,
    Odd,
    Even,
    Single(Face),
    Double(Face),
    Triple(Face),
    AnyTriple,
    Total(Total),
    /// Two different faces, ascending.
    Domino([Face; 2]),
    /// Four different faces, ascending.
    Four([Face; 4]),
    /// Three different faces, ascending.
    Three([Face; 3]),
    /// One face twice and another once.
    Pair {
        double: Face,
        single: Face,
    },
    Straight(Pocket),
    /// Two pockets that touch, ascending.
    Split([Pocket; 2]),
    /// Three pockets in a row or around a zero, ascending.
    Street([Pocket; 3]),
    /// All zeros.
    Green,
    /// Four numbers that meet, ascending.
    Corner([Pocket; 4]),
    /// Two rows of three, named by the first number.
    SixLine(u8),
    /// All zeros and the first row.
    TopLine,
    Column(Third),
    Dozen(Third),
    Red,
    Black,
    Low,
    High,
}

impl Spot {
    /// The kind of bet.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Spot::Small => Family::Small,
            Spot::Big => Family::Big,
            Spot::Odd => Family::Odd,
            Spot::Even => Family::Even,
            Spot::Single(_) => Family::Single,
            Spot::Double(_) => Family::Double,
            Spot::Triple(_) => Family::Triple,
            Spot::AnyTriple => Family::AnyTriple,
            Spot::Total(_) => Family::Total,
            Spot::Domino(_) => Family::Domino,
            Spot::Four(_) => Family::Four,
            Spot::Three(_) => Family::Three,
            Spot::Pair { .. } => Family::Pair,
            Spot::Straight(_) => Family::Straight,
            Spot::Split(_) => Family::Split,
            Spot::Street(_) => Family::Street,
            Spot::Green => Family::Green,
            Spot::Corner(_) => Family::Corner,
            Spot::SixLine(_) => Family::SixLine,
            Spot::TopLine => Family::TopLine,
            Spot::Column(_) => Family::Column,
            Spot::Dozen(_) => Family::Dozen,
            Spot::Red => Family::Red,
            Spot::Black => Family::Black,
            Spot::Low => Family::Low,
            Spot::High => Family::High,
        }
    }

    /// On how many of the dice the spot's number shows, for the one bet that is paid by that (D10); otherwise whether the
    /// spot wins, as 1 or 0. `None` for a spot that no dice can decide, or whose totals only the rulebook knows.
    // § rws-sicbo 3.9.1, 3.9.2, 3.9.3, 3.9.4, 3.9.5 · rws-sicbo-open 3.9.1, 3.9.2, 3.9.3, 3.9.4, 3.9.5
    // § mbs-sicbo 3.3.5.1, 3.3.6.1, 3.3.7.1, 3.3.8.1, 3.3.9.1, 3.3.10.1, 3.3.11.1, 3.3.12.1, 3.3.13.1, 3.5
    // § rws-taisai 3.10.1, 3.10.2, 3.10.3, 3.10.4, 3.10.5
    pub(crate) fn dice_hits(self, dice: Dice) -> Option<usize> {
        let wins = match self {
            Spot::Single(face) => return Some(dice.count(face)),
            Spot::Double(face) => dice.count(face) >= 2,
            Spot::Triple(face) => dice.count(face) == 3,
            Spot::AnyTriple => dice.is_triple(),
            Spot::Total(total) => dice.total() == total.get(),
            Spot::Domino(faces) => faces.iter().all(|face| dice.shows(*face)),
            Spot::Four(faces) => dice.all_differ() && dice.0.iter().all(|die| faces.contains(die)),
            Spot::Three(faces) => faces.iter().all(|face| dice.shows(*face)),
            Spot::Pair { double, single } => dice.count(double) == 2 && dice.shows(single),
            _ => return None,
        };
        Some(usize::from(wins))
    }
}

fn join<T: fmt::Display>(f: &mut fmt::Formatter<'_>, word: &str, parts: &[T]) -> fmt::Result {
    f.write_str(word)?;
    for (place, part) in parts.iter().enumerate() {
        write!(f, "{}{part}", if place == 0 { '/' } else { '-' })?;
    }
    Ok(())
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.family().as_str();
        match self {
            Spot::AnyTriple => f.write_str("triple/any"),
            Spot::Single(face) | Spot::Double(face) | Spot::Triple(face) => join(f, word, &[face]),
            Spot::Total(total) => join(f, word, &[total.get()]),
            Spot::Domino(faces) => join(f, word, faces),
            Spot::Four(faces) => join(f, word, faces),
            Spot::Three(faces) => join(f, word, faces),
            Spot::Pair { double, single } => join(f, word, &[double, double, single]),
            Spot::Straight(pocket) => join(f, word, &[pocket]),
            Spot::Split(pockets) => join(f, word, pockets),
            Spot::Street(pockets) => join(f, word, pockets),
            Spot::Corner(pockets) => join(f, word, pockets),
            Spot::SixLine(first) => join(f, word, &[*first, first.saturating_add(5)]),
            Spot::Column(third) | Spot::Dozen(third) => join(f, word, &[*third as u8]),
            _ => f.write_str(word),
        }
    }
}
