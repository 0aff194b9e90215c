//! All chance of a run, drawn from its seed.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The one source of chance of a run, and how dishonest its people and devices are, in per cent of what is usual.
pub struct Chance(ChaCha8Rng, u32);

impl Chance {
    /// The chance of a seed.
    #[must_use]
    pub fn of(seed: u64, dishonesty: u32) -> Chance {
        Chance(ChaCha8Rng::seed_from_u64(seed), dishonesty)
    }

    /// True once in so many times where people and devices are as dishonest as usual: what only a liar, a cheat or a broken
    /// device does.
    pub fn wrong(&mut self, times: u32) -> bool {
        self.0.random_range(0..times.saturating_mul(100)) < self.1
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u32) -> bool {
        self.0.random_range(0..times) == 0
    }

    /// A number below this one, which is more than zero.
    pub fn below(&mut self, most: usize) -> usize {
        self.0.random_range(0..most)
    }

    /// A number from the least to the most, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        self.0.random_range(least..=most)
    }

    /// One of them, if there are any.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        if from.is_empty() { None } else { from.get(self.below(from.len())).copied() }
    }

    /// One of them.
    pub fn of_these<T: Copy, const N: usize>(&mut self, from: [T; N]) -> T {
        from[self.below(N)]
    }

    /// Unused bytes.
    pub fn bytes(&mut self) -> [u8; 16] {
        self.0.random()
    }
}
