//! Reading spots and bets, with helpful answers to near misses.

use std::str::FromStr;

use crate::{Cents, CentsError, Face, Family, Pocket, Spot, Third, Total};

/// Why a text is not a spot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// The first word is no bet.
    #[error("\"{text}\" is not a bet{}", .suggestion.as_deref().map(|s| format!("; did you mean \"{s}\"?")).unwrap_or_default())]
    UnknownBet {
        /// What was written.
        text: String,
        /// The nearest word that is one.
        suggestion: Option<String>,
    },
    /// Understood, but there is one way to write it.
    #[error("write {0}")]
    WriteAs(String),
    /// The bet takes something else after its name.
    #[error("\"{text}\" does not name a bet: {expected}")]
    Malformed {
        /// What was written.
        text: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// The two numbers are not beside each other on any layout.
    #[error("{0} and {1} do not touch")]
    DoNotTouch(Pocket, Pocket),
    /// A number that no wheel or die has.
    #[error("there is no {0}")]
    NoSuchNumber(String),
}

impl NotationError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            NotationError::UnknownBet { .. } => "unknown_bet",
            NotationError::WriteAs(_) => "write_as",
            NotationError::Malformed { .. } => "malformed_bet",
            NotationError::DoNotTouch(..) => "do_not_touch",
            NotationError::NoSuchNumber(_) => "no_such_number",
        }
    }
}

/// A spot and how much is on it, written `SPOT=AMOUNT`.
///
/// ```
/// use rulebook::Bet;
/// let bet: Bet = "double/5=20.00".parse().unwrap();
/// assert_eq!(bet.to_string(), "double/5=20.00");
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Bet {
    /// Where it stands.
    pub spot: Spot,
    /// How much it is.
    pub stake: Cents,
}

/// Why a text is not a bet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BetError {
    /// No `=` between spot and amount.
    #[error("\"{0}\" is not a bet: write SPOT=AMOUNT, as in double/5=20.00")]
    Shape(String),
    /// The spot is none.
    #[error(transparent)]
    Spot(#[from] NotationError),
    /// The amount is none.
    #[error(transparent)]
    Amount(#[from] CentsError),
    /// The amount is nothing.
    #[error("a bet must be more than zero: {0}")]
    Zero(String),
}

impl BetError {
    /// A stable code for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            BetError::Shape(_) => "malformed_bet",
            BetError::Spot(error) => error.code(),
            BetError::Amount(_) => "malformed_amount",
            BetError::Zero(_) => "zero_amount",
        }
    }
}

impl Bet {
    /// The two sides of `NAME=AMOUNT`, the amount read and more than zero.
    pub fn split(text: &str) -> Result<(&str, Cents), BetError> {
        let (name, amount) = text.split_once('=').ok_or_else(|| BetError::Shape(text.to_owned()))?;
        let amount: Cents = amount.parse()?;
        if amount.is_positive() { Ok((name, amount)) } else { Err(BetError::Zero(text.to_owned())) }
    }
}

impl FromStr for Bet {
    type Err = BetError;

    fn from_str(text: &str) -> Result<Bet, BetError> {
        let (spot, stake) = Bet::split(text)?;
        Ok(Bet { spot: spot.parse()?, stake })
    }
}

impl std::fmt::Display for Bet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.spot, self.stake)
    }
}

impl FromStr for Spot {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Spot, NotationError> {
        let (word, argument) = match text.split_once('/') {
            Some((word, argument)) => (word, Some(argument)),
            None => (text, None),
        };
        let reader = Reader { text };
        match (word, argument) {
            ("small", None) => Ok(Spot::Small),
            ("big", None) => Ok(Spot::Big),
            ("odd", None) => Ok(Spot::Odd),
            ("even", None) => Ok(Spot::Even),
            ("green", None) => Ok(Spot::Green),
            ("topline", None) => Ok(Spot::TopLine),
            ("red", None) => Ok(Spot::Red),
            ("black", None) => Ok(Spot::Black),
            ("low", None) => Ok(Spot::Low),
            ("high", None) => Ok(Spot::High),
            ("single", Some(a)) => reader.one_face("single", a).map(Spot::Single),
            ("double", Some(a)) => reader.one_face("double", a).map(Spot::Double),
            ("triple", Some("any")) => Ok(Spot::AnyTriple),
            ("triple", Some(a)) => reader.one_face("triple", a).map(Spot::Triple),
            ("total", Some(a)) => reader.total(a),
            ("domino", Some(a)) => reader.domino(a),
            ("four", Some(a)) => reader.four(a),
            ("three" | "pair", Some(a)) => reader.three_dice(word, a),
            ("straight", Some(a)) => reader.pocket(a, "one number of the wheel follows").map(Spot::Straight),
            ("split", Some(a)) => reader.split(a),
            ("street", Some(a)) => reader.street(a),
            ("corner", Some(a)) => reader.corner(a),
            ("sixline", Some(a)) => reader.six_line(a),
            ("column", Some(a)) => reader.third(a).map(Spot::Column),
            ("dozen", Some(a)) => reader.third(a).map(Spot::Dozen),
            _ => Err(reader.unknown(word, argument)),
        }
    }
}

/// The longest name of a bet has ten letters.
const LONGEST_NEAR_MISS: usize = 16;

/// Reads what follows the word; keeps the whole text for its messages.
struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn malformed(&self, expected: &'static str) -> NotationError {
        NotationError::Malformed { text: self.text.to_owned(), expected }
    }

    fn unknown(&self, word: &str, argument: Option<&str>) -> NotationError {
        if word == "any-triple" {
            return NotationError::WriteAs("triple/any".to_owned());
        }
        if Family::parse(word).is_some() {
            return self.malformed(if argument.is_some() {
                "nothing follows the name"
            } else {
                "a number must follow the name, as in single/3 or split/1-2"
            });
        }
        // Only what is about as long as a bet's name can be near one: the comparison grows with the text.
        let candidates = Family::ALL.into_iter().filter(|_| word.len() <= LONGEST_NEAR_MISS);
        let nearest = candidates
            .map(|family| (strsim::damerau_levenshtein(family.as_str(), word), family))
            .min()
            .filter(|(distance, _)| *distance <= 2);
        let suggestion = nearest.map(|(_, family)| match (family, argument) {
            (Family::AnyTriple, _) => Spot::AnyTriple.to_string(),
            (family, Some(argument)) if family.as_str().parse::<Spot>().is_err() => format!("{family}/{argument}"),
            (family, _) => family.as_str().to_owned(),
        });
        NotationError::UnknownBet { text: self.text.to_owned(), suggestion }
    }

    fn faces<const N: usize>(&self, argument: &str, expected: &'static str) -> Result<[Face; N], NotationError> {
        let mut faces = Vec::with_capacity(N);
        for part in argument.split('-') {
            match Face::parse(part) {
                Some(face) => faces.push(face),
                None if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) => {
                    return Err(NotationError::NoSuchNumber(format!("face {part} on a die")));
                }
                None => return Err(self.malformed(expected)),
            }
        }
        faces.try_into().map_err(|_| self.malformed(expected))
    }

    fn one_face(&self, word: &str, argument: &str) -> Result<Face, NotationError> {
        let expected = "one number from 1 to 6 follows";
        if let Some((first, rest)) = argument.split_once('-') {
            let face = self.faces::<1>(first, expected)?;
            let alike = rest.split('-').all(|part| part == first);
            let [face] = face;
            return Err(if alike {
                NotationError::WriteAs(format!("{word}/{face}"))
            } else {
                self.malformed(expected)
            });
        }
        let [face] = self.faces(argument, expected)?;
        Ok(face)
    }

    fn total(&self, argument: &str) -> Result<Spot, NotationError> {
        let expected = "a total from 4 to 17 follows (3 and 18 are triple/1 and triple/6)";
        if argument.starts_with('0') || argument.starts_with('+') {
            return Err(self.malformed(expected));
        }
        argument.parse().ok().and_then(Total::new).map(Spot::Total).ok_or_else(|| self.malformed(expected))
    }

    /// The spot, if its own notation is what was written.
    fn only_as(&self, spot: Spot) -> Result<Spot, NotationError> {
        let written = spot.to_string();
        if written == self.text { Ok(spot) } else { Err(NotationError::WriteAs(written)) }
    }

    fn domino(&self, argument: &str) -> Result<Spot, NotationError> {
        let mut faces = self.faces::<2>(argument, "two different numbers from 1 to 6 follow")?;
        faces.sort_unstable();
        let [a, b] = faces;
        if a == b {
            return Err(NotationError::WriteAs(format!("double/{a} (a domino has two different numbers)")));
        }
        self.only_as(Spot::Domino(faces))
    }

    fn four(&self, argument: &str) -> Result<Spot, NotationError> {
        let expected = "four different numbers from 1 to 6 follow";
        let mut faces = self.faces::<4>(argument, expected)?;
        faces.sort_unstable();
        let [a, b, c, d] = faces;
        if a == b || b == c || c == d {
            return Err(self.malformed(expected));
        }
        self.only_as(Spot::Four(faces))
    }

    /// Three dice are a triple, a pair with a single, or three different, after any word.
    fn three_dice(&self, word: &str, argument: &str) -> Result<Spot, NotationError> {
        let expected = if word == "pair" {
            "the doubled number twice and then another follow"
        } else {
            "three different numbers from 1 to 6 follow"
        };
        let mut faces = self.faces::<3>(argument, expected)?;
        faces.sort_unstable();
        let [a, b, c] = faces;
        self.only_as(match (a == b, b == c) {
            (true, true) => Spot::Triple(a),
            (true, false) => Spot::Pair { double: a, single: c },
            (false, true) => Spot::Pair { double: b, single: a },
            (false, false) => Spot::Three(faces),
        })
    }

    fn pocket(&self, part: &str, expected: &'static str) -> Result<Pocket, NotationError> {
        let number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        Pocket::parse(part).ok_or_else(|| {
            if number {
                NotationError::NoSuchNumber(format!("pocket {part} on a wheel"))
            } else {
                self.malformed(expected)
            }
        })
    }

    fn pockets<const N: usize>(&self, argument: &str, expected: &'static str) -> Result<[Pocket; N], NotationError> {
        let pockets = argument.split('-').map(|part| self.pocket(part, expected)).collect::<Result<Vec<_>, _>>()?;
        let mut pockets: [Pocket; N] = pockets.try_into().map_err(|_| self.malformed(expected))?;
        pockets.sort_unstable();
        if pockets.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(self.malformed(expected));
        }
        Ok(pockets)
    }

    fn split(&self, argument: &str) -> Result<Spot, NotationError> {
        let pockets = self.pockets::<2>(argument, "two different numbers that touch follow")?;
        let [a, b] = pockets;
        if !may_touch(a, b) {
            return Err(NotationError::DoNotTouch(a, b));
        }
        self.only_as(Spot::Split(pockets))
    }

    fn street(&self, argument: &str) -> Result<Spot, NotationError> {
        let expected = "the three numbers of a row follow, or three that meet at a zero";
        let pockets = self.pockets::<3>(argument, expected)?;
        if pockets == [Pocket::ZERO, Pocket::DOUBLE_ZERO, Pocket::TRIPLE_ZERO] {
            // The one spot with a second name.
            return if argument == "0-00-000" { Ok(Spot::Green) } else { self.only_as(Spot::Green) };
        }
        let [a, b, c] = pockets;
        let row = |n: u8| n % 3 == 1 && b.as_number() == Some(n + 1) && c.as_number() == Some(n + 2);
        let around_zero = a.is_zero() && may_touch(a, b) && may_touch(b, c) && may_touch(a, c);
        if !(a.as_number().is_some_and(row) || around_zero) {
            return Err(self.malformed(expected));
        }
        self.only_as(Spot::Street(pockets))
    }

    fn corner(&self, argument: &str) -> Result<Spot, NotationError> {
        let expected = "four numbers that meet at one corner follow";
        let pockets = self.pockets::<4>(argument, expected)?;
        let [a, b, c, d] = pockets;
        let meet =
            |n: u8| !n.is_multiple_of(3) && [b, c, d].map(Pocket::as_number) == [Some(n + 1), Some(n + 3), Some(n + 4)];
        if !a.as_number().is_some_and(meet) {
            return Err(self.malformed(expected));
        }
        self.only_as(Spot::Corner(pockets))
    }

    fn six_line(&self, argument: &str) -> Result<Spot, NotationError> {
        let expected = "the first and last number of two rows follow, as in sixline/1-6";
        let numbers = argument
            .split('-')
            .map(|part| self.pocket(part, expected).map(Pocket::as_number))
            .collect::<Result<Option<Vec<u8>>, _>>()?
            .ok_or_else(|| self.malformed(expected))?;
        let (Some(first), Some(last)) = (numbers.iter().min().copied(), numbers.iter().max().copied()) else {
            return Err(self.malformed(expected));
        };
        let whole = numbers.len() == 2 || (numbers.len() == 6 && numbers.is_sorted());
        if !whole || first % 3 != 1 || last != first + 5 {
            return Err(self.malformed(expected));
        }
        self.only_as(Spot::SixLine(first))
    }

    fn third(&self, argument: &str) -> Result<Third, NotationError> {
        Third::parse(argument).ok_or_else(|| self.malformed("1, 2 or 3 follows"))
    }
}

/// Whether two pockets can touch on a layout with rows of three. Zeros stand beside the first row; which of them touches
/// what differs between layouts, so that the layout has the last word.
pub(crate) fn may_touch(a: Pocket, b: Pocket) -> bool {
    match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => {
            let (low, high) = (a.min(b), a.max(b));
            high - low == 3 || (high - low == 1 && low % 3 != 0)
        }
        (None, Some(number)) | (Some(number), None) => number <= 3,
        (None, None) => a != b,
    }
}
