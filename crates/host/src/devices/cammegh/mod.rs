//! A Cammegh wheel, which sends a status line over a serial port (9600 8N1) every half second:
//! `*X;state;game;win;warning;speed;direction`.
//!
//! [`Cammegh`] turns what comes over the line into observations; it does no input or output and knows no clock. A
//! [`Reader`] is a thread that feeds it from a [`SerialPort`], or from anything else that can be read, and opens the
//! port again when it goes away.
//!
//! The line has no checksum, so a status counts once two lines in a row agree on it. It has no count of revolutions
//! either: fewer than four are the dealer's to declare (D5). How 000 is sent is not documented, and so the codes of the
//! zeros are [`Settings`].
//!
//! Faults of the wheel have the numbers of [`fault`].

mod line;
mod port;
mod status;

pub use line::{Line, Lines, Phase, Unreadable};
pub use port::{Reader, SerialPort};
pub use status::Cammegh;

use floor::Observation;
use rulebook::{Outcome, OutcomeIndex, OutcomeSpace, Pocket};

use super::Direction;

/// The numbers of the faults that a wheel reports or that are seen from its silence.
pub mod fault {
    /// A sensor or motor of the wheel (its warning 4).
    pub const MECHANISM: u16 = 4;
    /// The ball could not be launched (its warning 8).
    pub const LAUNCH: u16 = 8;
    /// Nothing has come over the line for two seconds.
    pub const SILENT: u16 = 100;
    /// For two seconds nothing that came could be read.
    pub const UNREADABLE: u16 = 101;
    /// The wheel sent a number that it cannot have.
    pub const NUMBER: u16 = 102;
    /// A number came without the spin before it.
    pub const MISSED: u16 = 103;
    /// The wheel restarted while the ball was running.
    pub const RESTARTED: u16 = 104;
}

/// What a wheel has to say.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// For the floor.
    Observed(Observation),
    /// The direction of a spin, for the check that directions alternate.
    Direction(Direction),
}

/// The pockets of a wheel and how it writes them.
#[derive(Clone, Debug)]
pub struct Settings {
    codes: Vec<(String, OutcomeIndex)>,
}

impl Settings {
    /// The pockets of a game. Numbers are two characters, as in `07` or ` 7`. The zeros are as given: a wheel whose
    /// code for one of them is not known does without, and its dealer enters that number.
    ///
    /// ```
    /// use host::devices::cammegh::Settings;
    ///
    /// let roulette = rulebook::library::find("rws-roulette-000").expect("built in");
    /// let settings = Settings::new(roulette.outcomes(), [Some(" 0"), Some("00"), Some("37")]);
    /// assert_eq!(settings.pocket("37"), roulette.outcomes().parse("000").ok());
    /// assert_eq!(settings.pocket("07"), settings.pocket(" 7"));
    /// assert_eq!(settings.pocket("38"), None);
    /// ```
    #[must_use]
    pub fn new(outcomes: &OutcomeSpace, zeros: [Option<&str>; 3]) -> Settings {
        let index = |pocket: Pocket| outcomes.index(Outcome::Pocket(pocket));
        let mut codes = Vec::new();
        for (pocket, code) in [Pocket::ZERO, Pocket::DOUBLE_ZERO, Pocket::TRIPLE_ZERO].into_iter().zip(zeros) {
            codes.extend(code.and_then(|code| Some((code.to_owned(), index(pocket)?))));
        }
        for number in 1..=36 {
            let Some(index) = Pocket::number(number).and_then(index) else { continue };
            codes.push((format!("{number:02}"), index));
            if number < 10 {
                codes.push((format!("{number:>2}"), index));
            }
        }
        Settings { codes }
    }

    /// The pocket that a code stands for.
    #[must_use]
    pub fn pocket(&self, code: &str) -> Option<OutcomeIndex> {
        self.codes.iter().find(|(known, _)| known == code).map(|(_, pocket)| *pocket)
    }
}
