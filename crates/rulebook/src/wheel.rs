//! A roulette wheel: its pockets, their order and colours, and what touches the zeros on the layout.

use crate::{Mark, Pocket, Spot, Third};

/// The colour of a pocket.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Colour {
    Green,
    Red,
    Black,
}

impl Colour {
    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Colour::Green => "green",
            Colour::Red => "red",
            Colour::Black => "black",
        }
    }
}

/// A wheel with one, two or three zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wheel {
    pub(crate) zeros: u8,
    pub(crate) order: Vec<Pocket>,
    pub(crate) red: Vec<Pocket>,
    pub(crate) contacts: Vec<[Pocket; 2]>,
    pub(crate) mark: Option<Mark>,
}

impl Wheel {
    /// Its pockets: the zeros, then 1 to 36.
    pub fn pockets(&self) -> impl Iterator<Item = Pocket> + '_ {
        let zeros = self.zeros;
        Pocket::all().filter(move |pocket| !pocket.is_zero() || pocket.code() < zeros)
    }

    /// Its pockets clockwise, beginning with the single zero.
    #[must_use]
    pub fn order(&self) -> &[Pocket] {
        &self.order
    }

    /// Whether the order is read from the document or chosen.
    #[must_use]
    pub fn mark(&self) -> Option<&Mark> {
        self.mark.as_ref()
    }

    /// The colour of a pocket.
    #[must_use]
    pub fn colour(&self, pocket: Pocket) -> Colour {
        if pocket.is_zero() {
            Colour::Green
        } else if self.red.contains(&pocket) {
            Colour::Red
        } else {
            Colour::Black
        }
    }

    /// What touches a zero on the layout.
    #[must_use]
    pub fn contacts(&self) -> &[[Pocket; 2]] {
        &self.contacts
    }

    /// Whether two pockets touch on the layout.
    #[must_use]
    pub fn touch(&self, a: Pocket, b: Pocket) -> bool {
        if a.is_zero() || b.is_zero() {
            self.contacts.iter().any(|contact| *contact == [a, b] || *contact == [b, a])
        } else {
            crate::notation::may_touch(a, b)
        }
    }

    /// The pockets from this many places on one side of the centre to as many on the other: the side that lies ahead on
    /// the wheel first, as the documents list neighbours. `None` if the wheel has no such pocket or fewer places.
    #[must_use]
    // § rws-roulette-000 Appendix B
    pub fn neighbours(&self, centre: Pocket, reach: usize) -> Option<Vec<Pocket>> {
        let place = self.order.iter().position(|pocket| *pocket == centre)?;
        let size = self.order.len();
        if reach > size / 2 {
            return None;
        }
        (0..=2 * reach)
            .rev()
            .map(|offset| self.order.get((place + size + offset).checked_sub(reach)? % size).copied())
            .collect()
    }

    /// Whether a bet on the spot covers the pocket; `None` for a spot that no wheel can decide.
    // § rws-roulette-000 3.8, Appendix A
    pub(crate) fn covers(&self, spot: Spot, pocket: Pocket) -> Option<bool> {
        let number = pocket.as_number();
        let is = |test: fn(u8) -> bool| number.is_some_and(test);
        Some(match spot {
            Spot::Straight(straight) => straight == pocket,
            Spot::Split(pockets) => pockets.contains(&pocket),
            Spot::Street(pockets) => pockets.contains(&pocket),
            Spot::Corner(pockets) => pockets.contains(&pocket),
            Spot::Green => pocket.is_zero(),
            Spot::TopLine => number.is_none_or(|n| n <= 3),
            Spot::SixLine(first) => number.is_some_and(|n| first <= n && n <= first.saturating_add(5)),
            Spot::Column(third) => number.is_some_and(|n| n % 3 == third as u8 % 3),
            Spot::Dozen(third) => number.is_some_and(|n| (n - 1) / 12 == third as u8 - Third::First as u8),
            Spot::Odd => is(|n| n % 2 == 1),
            Spot::Even => is(|n| n % 2 == 0),
            Spot::Low => is(|n| n <= 18),
            Spot::High => is(|n| n >= 19),
            Spot::Red => self.colour(pocket) == Colour::Red,
            Spot::Black => self.colour(pocket) == Colour::Black,
            _ => return None,
        })
    }
}
