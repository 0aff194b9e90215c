//! What must hold, and the rule behind it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A property that is checked in every state or on every step.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// The accounts sum to zero, no balance is below its bound, the exposure is the sum of the bets.
    Books,
    /// Every event is one that the naive model allows, with the amounts it works out itself.
    SecondOpinion,
    /// Nothing is placed, raised or withdrawn after the close.
    Close,
    /// A round is settled by its first lawful outcome, or two people say why not.
    FirstOutcome,
    /// A void returns every bet.
    Void,
    /// Corrections of corrections add up.
    Corrections,
    /// What `may` offers is accepted.
    Offers,
    /// Every screen offers a next act, and what waits at the pit can be done.
    NextAct,
    /// A command that is sent again changes nothing.
    Retries,
    /// Time does not run backwards.
    Clock,
    /// Staff alone can end the round.
    NoStuckRound,
    /// Staff can give every player what the rules owe, with any one part or any two parts dead.
    NoStrandedCent,
    /// One dishonest person gains no more than the threshold.
    Insider,
}

impl Property {
    /// All of them.
    pub const ALL: [Property; 13] = [
        Property::Books,
        Property::SecondOpinion,
        Property::Close,
        Property::FirstOutcome,
        Property::Void,
        Property::Corrections,
        Property::Offers,
        Property::NextAct,
        Property::Retries,
        Property::Clock,
        Property::NoStuckRound,
        Property::NoStrandedCent,
        Property::Insider,
    ];

    /// A short name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Property::Books => "books",
            Property::SecondOpinion => "second-opinion",
            Property::Close => "close",
            Property::FirstOutcome => "first-outcome",
            Property::Void => "void",
            Property::Corrections => "corrections",
            Property::Offers => "offers",
            Property::NextAct => "next-act",
            Property::Retries => "retries",
            Property::Clock => "clock",
            Property::NoStuckRound => "no-stuck-round",
            Property::NoStrandedCent => "no-stranded-cent",
            Property::Insider => "insider",
        }
    }

    /// What holds, in a sentence for the report.
    #[must_use]
    pub const fn statement(self) -> &'static str {
        match self {
            Property::Books => {
                "The accounts sum to zero, no credit is below zero, the meters agree, the exposure is the sum of the bets on every outcome."
            }
            Property::SecondOpinion => "A naive model, made from the prose, agrees with every event and every amount.",
            Property::Close => "No bet is placed, raised or withdrawn after the close.",
            Property::FirstOutcome => "A round is settled by its first lawful outcome, or two people sign for another.",
            Property::Void => "A void round returns every bet.",
            Property::Corrections => "Corrections of corrections add up to what the prose says.",
            Property::Offers => "Every act that the console offers is accepted.",
            Property::NextAct => {
                "Every screen (terminal, console, pit, cage, administration) offers an act; all that waits at the pit can be done."
            }
            Property::Retries => {
                "A command that is sent again, at any later time, changes nothing; its number serves for no other."
            }
            Property::Clock => "A command from a sender whose clock is slow is not decided by an earlier time.",
            Property::NoStuckRound => "Staff alone can end the round.",
            Property::NoStrandedCent => {
                "Staff can give every player what the rules owe, with any one part or any two parts dead."
            }
            Property::Insider => "One dishonest person, with a player, moves no more than the threshold.",
        }
    }

    /// The paragraphs and decisions it represents.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Property::Books => "S11, D7",
            Property::SecondOpinion => "pay tables; 5.1–5.9; D5–D8, D11, D15, D18–D28",
            Property::Close => "3.5, 5.7; Tai Sai 3.6, 5.7; MBS 5.6, 5.7; D20",
            Property::FirstOutcome => "3.7, 5.5; Tai Sai 3.8, 5.10; MBS 3.5, 6.3; D18, D19",
            Property::Void => "5.9; Tai Sai 5.12; D17",
            Property::Corrections => "5.5, 5.6; Tai Sai 5.8; D7, D24",
            Property::Offers | Property::NextAct => "D23, D25",
            Property::Retries => "S17",
            Property::Clock => "3.5, S14",
            Property::NoStuckRound => "5.1, 5.10; Tai Sai 5.4, 5.14; MBS 5.8, 6.1; D5, D6, D18, D19",
            Property::NoStrandedCent => "D22, D25",
            Property::Insider => "D15, D19, D23, D27",
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// Which.
    pub property: Property,
    /// What is wrong, in words.
    pub words: String,
}

impl Violation {
    pub(crate) fn new(property: Property, words: impl Into<String>) -> Violation {
        Violation { property, words: words.into() }
    }
}

/// That something must hold, or else words for what is wrong.
pub(crate) fn must(holds: bool, property: Property, words: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation::new(property, words())) }
}
