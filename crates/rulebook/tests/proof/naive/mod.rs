//! A second evaluator, written from the prose of the documents and sharing nothing with the crate: it reads and writes
//! texts only. Slow and plain on purpose.

mod dice;
mod wheel;

use std::collections::BTreeSet;

/// A pay table as the documents print it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Prose {
    /// Sic Bo 4.1.1, layout A.
    PayTable1,
    /// Sic Bo 4.1.2, layout B; also the Rapid terminal of Marina Bay Sands.
    PayTable2,
    /// Sic Bo 4.1.3, layout C.
    PayTable3,
    /// Tai Sai 4.1.
    TaiSai,
    /// The Alfastreet terminal of Marina Bay Sands.
    Alfastreet,
    /// Sic Bo as played in Macau.
    Macau,
    /// Roulette with 0, 00 and 000.
    TripleZero,
    /// Roulette with 0 and 00.
    DoubleZero,
    /// Roulette with 0.
    SingleZero,
}

/// The ten layouts of the five documents.
pub const LAYOUTS: [(&str, &str, Prose); 10] = [
    ("rws-sicbo", "a", Prose::PayTable1),
    ("rws-sicbo", "b", Prose::PayTable2),
    ("rws-sicbo", "c", Prose::PayTable3),
    ("rws-sicbo-open", "a", Prose::PayTable1),
    ("rws-sicbo-open", "b", Prose::PayTable2),
    ("rws-sicbo-open", "c", Prose::PayTable3),
    ("rws-taisai", "a", Prose::TaiSai),
    ("mbs-sicbo", "rapid", Prose::PayTable2),
    ("mbs-sicbo", "alfastreet", Prose::Alfastreet),
    ("rws-roulette-000", "a", Prose::TripleZero),
];

/// The layouts of the three examples that are files only.
pub const EXAMPLES: [(&str, &str, Prose); 3] = [
    ("sicbo-macau", "a", Prose::Macau),
    ("roulette-double-zero", "a", Prose::DoubleZero),
    ("roulette-single-zero", "a", Prose::SingleZero),
];

impl Prose {
    /// Every spot that can be bet on.
    pub fn spots(self) -> BTreeSet<String> {
        match self.zeros() {
            Some(zeros) => wheel::spots(zeros),
            None => dice::spots(self),
        }
    }

    /// Everything the dice or the wheel can show, in the order of an export.
    pub fn outcomes(self) -> Vec<String> {
        match self.zeros() {
            Some(zeros) => zeros.iter().map(|zero| (*zero).to_owned()).chain((1..=36).map(|n| n.to_string())).collect(),
            None => dice::outcomes(),
        }
    }

    /// The odds a spot is paid at on an outcome; `None` where it loses.
    pub fn pays(self, spot: &str, outcome: &str) -> Option<&'static str> {
        match self.zeros() {
            Some(zeros) => wheel::pays(zeros, spot, outcome),
            None => dice::pays(self, spot, outcome),
        }
    }

    fn zeros(self) -> Option<&'static [&'static str]> {
        match self {
            Prose::TripleZero => Some(&["0", "00", "000"]),
            Prose::DoubleZero => Some(&["0", "00"]),
            Prose::SingleZero => Some(&["0"]),
            _ => None,
        }
    }
}

/// The word before the first stroke.
pub fn family(spot: &str) -> &str {
    match spot {
        "triple/any" => "any-triple",
        _ => spot.split('/').next().unwrap_or(spot),
    }
}
