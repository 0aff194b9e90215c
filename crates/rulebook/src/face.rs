//! The faces of a die, and three dice.

use std::fmt;

/// One of the six faces of a die.
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
#[cbor(index_only)]
#[repr(u8)]
pub enum Face {
    /// 1
    #[n(1)]
    One = 1,
    /// 2
    #[n(2)]
    Two = 2,
    /// 3
    #[n(3)]
    Three = 3,
    /// 4
    #[n(4)]
    Four = 4,
    /// 5
    #[n(5)]
    Five = 5,
    /// 6
    #[n(6)]
    Six = 6,
}

impl Face {
    /// All six, ascending.
    pub const ALL: [Face; 6] = [Face::One, Face::Two, Face::Three, Face::Four, Face::Five, Face::Six];

    /// The face with so many dots.
    #[must_use]
    pub const fn new(dots: u8) -> Option<Face> {
        match dots {
            1 => Some(Face::One),
            2 => Some(Face::Two),
            3 => Some(Face::Three),
            4 => Some(Face::Four),
            5 => Some(Face::Five),
            6 => Some(Face::Six),
            _ => None,
        }
    }

    /// How many dots it has.
    #[must_use]
    pub const fn dots(self) -> u8 {
        self as u8
    }

    pub(crate) fn parse(text: &str) -> Option<Face> {
        match text.as_bytes() {
            [digit @ b'1'..=b'6'] => Face::new(digit - b'0'),
            _ => None,
        }
    }
}

impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.dots())
    }
}

/// Three dice in the order they were read. The order never matters to a bet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dice(pub [Face; 3]);

impl Dice {
    /// How many of the three show the face.
    #[must_use]
    pub fn count(self, face: Face) -> usize {
        self.0.iter().filter(|die| **die == face).count()
    }

    /// Whether at least one shows the face.
    #[must_use]
    pub fn shows(self, face: Face) -> bool {
        self.0.contains(&face)
    }

    /// What the three add up to.
    #[must_use]
    // § rws-sicbo 1.9 · rws-sicbo-open 1.9 · rws-taisai 1.8
    pub fn total(self) -> u8 {
        self.0.iter().map(|die| die.dots()).sum()
    }

    /// Whether all three are alike.
    #[must_use]
    pub fn is_triple(self) -> bool {
        let [a, b, c] = self.0;
        a == b && b == c
    }

    /// Whether all three differ.
    #[must_use]
    pub fn all_differ(self) -> bool {
        let [a, b, c] = self.0;
        a != b && b != c && a != c
    }
}

impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = self.0;
        write!(f, "{a}-{b}-{c}")
    }
}
