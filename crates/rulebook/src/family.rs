//! Families of spots: the kinds of bet a document names.

use std::fmt;

use serde::Deserialize;

/// A kind of bet. Its text form is the first word of its spots' notation.
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
    Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(index_only)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Family {
    #[n(0)]
    Small,
    #[n(1)]
    Big,
    #[n(2)]
    Odd,
    #[n(3)]
    Even,
    #[n(4)]
    Single,
    #[n(5)]
    Double,
    #[n(6)]
    Triple,
    #[n(7)]
    AnyTriple,
    #[n(8)]
    Total,
    #[n(9)]
    Domino,
    #[n(10)]
    Four,
    #[n(11)]
    Three,
    #[n(12)]
    Pair,
    #[n(13)]
    Straight,
    #[n(14)]
    Split,
    #[n(15)]
    Street,
    #[n(16)]
    Green,
    #[n(17)]
    Corner,
    #[serde(rename = "sixline")]
    #[n(18)]
    SixLine,
    #[serde(rename = "topline")]
    #[n(19)]
    TopLine,
    #[n(20)]
    Column,
    #[n(21)]
    Dozen,
    #[n(22)]
    Red,
    #[n(23)]
    Black,
    #[n(24)]
    Low,
    #[n(25)]
    High,
}

impl Family {
    /// Every family of every game.
    pub const ALL: [Family; 26] = [
        Family::Small,
        Family::Big,
        Family::Odd,
        Family::Even,
        Family::Single,
        Family::Double,
        Family::Triple,
        Family::AnyTriple,
        Family::Total,
        Family::Domino,
        Family::Four,
        Family::Three,
        Family::Pair,
        Family::Straight,
        Family::Split,
        Family::Street,
        Family::Green,
        Family::Corner,
        Family::SixLine,
        Family::TopLine,
        Family::Column,
        Family::Dozen,
        Family::Red,
        Family::Black,
        Family::Low,
        Family::High,
    ];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Family::Small => "small",
            Family::Big => "big",
            Family::Odd => "odd",
            Family::Even => "even",
            Family::Single => "single",
            Family::Double => "double",
            Family::Triple => "triple",
            Family::AnyTriple => "any-triple",
            Family::Total => "total",
            Family::Domino => "domino",
            Family::Four => "four",
            Family::Three => "three",
            Family::Pair => "pair",
            Family::Straight => "straight",
            Family::Split => "split",
            Family::Street => "street",
            Family::Green => "green",
            Family::Corner => "corner",
            Family::SixLine => "sixline",
            Family::TopLine => "topline",
            Family::Column => "column",
            Family::Dozen => "dozen",
            Family::Red => "red",
            Family::Black => "black",
            Family::Low => "low",
            Family::High => "high",
        }
    }

    /// The family of that text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|family| family.as_str() == text)
    }

    /// Whether dice games can have it.
    #[must_use]
    pub fn is_for_dice(self) -> bool {
        self <= Family::Pair
    }

    /// Whether wheel games can have it. Odd and even are for both.
    #[must_use]
    pub fn is_for_wheel(self) -> bool {
        self >= Family::Straight || matches!(self, Family::Odd | Family::Even)
    }

    /// Whether, on dice, it wins by a list of totals that the rulebook gives.
    #[must_use]
    pub const fn wins_by_totals(self) -> bool {
        matches!(self, Family::Small | Family::Big | Family::Odd | Family::Even)
    }

    /// Whether its bets are placed on the lines and corners between numbers.
    #[must_use]
    pub const fn stands_on_lines(self) -> bool {
        matches!(self, Family::Split | Family::Street | Family::Corner | Family::SixLine | Family::TopLine)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
