//! The five approved documents, and what they say about a round, in the simulator's own words.

use std::sync::LazyLock;

use rulebook::{Hash, Rulebook, library};

/// An approved document.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Game {
    SicBo,
    OpenCover,
    TaiSai,
    Electronic,
    Roulette,
}

static RULEBOOKS: LazyLock<Vec<&'static Rulebook>> =
    LazyLock::new(|| Game::ALL.iter().map(|game| library::find(game.id()).expect("built in")).collect());

impl Game {
    pub const ALL: [Game; 5] = [Game::SicBo, Game::OpenCover, Game::TaiSai, Game::Electronic, Game::Roulette];

    pub const fn id(self) -> &'static str {
        match self {
            Game::SicBo => "rws-sicbo",
            Game::OpenCover => "rws-sicbo-open",
            Game::TaiSai => "rws-taisai",
            Game::Electronic => "mbs-sicbo",
            Game::Roulette => "rws-roulette-000",
        }
    }

    pub fn rulebook(self) -> &'static Rulebook {
        RULEBOOKS[self as usize]
    }

    pub fn of(hash: Hash) -> Option<Game> {
        Game::ALL.into_iter().find(|game| game.rulebook().hash() == hash)
    }

    /// Chips on a layout, no terminals.
    pub const fn is_live(self) -> bool {
        matches!(self, Game::TaiSai)
    }

    pub const fn is_wheel(self) -> bool {
        matches!(self, Game::Roulette)
    }

    /// Dice are tumbled under a cover.
    pub const fn is_covered(self) -> bool {
        matches!(self, Game::SicBo | Game::TaiSai | Game::Electronic)
    }

    /// The round begins with the tumbler, before the notice (MBS 1.1.3, 3.1).
    pub const fn begins_with_tumbler(self) -> bool {
        matches!(self, Game::Electronic)
    }

    /// The tumbler runs only after the close (Open Cover 5.3.3).
    pub const fn tumbles_after_close(self) -> bool {
        matches!(self, Game::OpenCover)
    }

    /// The fewest tumbles or revolutions.
    pub const fn fewest(self) -> u8 {
        if self.is_wheel() { 4 } else { 3 }
    }

    /// How many outcomes there are.
    pub const fn outcomes(self) -> usize {
        if self.is_wheel() { 39 } else { 216 }
    }
}
