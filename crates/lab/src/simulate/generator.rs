//! The stream of outcomes.
//!
//! The rounds are cut into chunks of 2²⁰. Each chunk has its own stream of xoshiro256++, whose state ChaCha20 makes from
//! the seed and the chunk's number; so the result does not depend on how many threads there are, and no two chunks share
//! a stream. One word of 64 bits gives four outcomes by multiplication; a word that would favour an outcome is thrown
//! away, so that every outcome is exactly equally likely.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What is behind a simulation, for its report.
pub const GENERATOR: &str = "xoshiro256++, a stream for each 2^20 rounds, seeded by ChaCha20";

/// How many outcomes a word gives.
pub(crate) const PER_WORD: usize = 4;

/// The outcomes of a chunk.
pub(crate) struct Stream {
    words: Xoshiro256PlusPlus,
    size: u64,
    least: u64,
}

impl Stream {
    pub fn new(seed: u64, chunk: u64, outcomes: usize) -> Stream {
        let mut key = ChaCha20Rng::seed_from_u64(seed);
        key.set_stream(chunk);
        let size = outcomes as u64;
        let four = size.pow(4);
        // 2⁶⁴ modulo size⁴: words whose last remainder is below it are the surplus.
        let least = (u64::MAX % four + 1) % four;
        Stream { words: Xoshiro256PlusPlus::from_rng(&mut key), size, least }
    }

    /// Four outcomes.
    #[inline(always)]
    pub fn four(&mut self) -> [u8; PER_WORD] {
        loop {
            let mut rest = self.words.next_u64();
            let mut outcomes = [0_u8; PER_WORD];
            for outcome in &mut outcomes {
                let product = u128::from(rest) * u128::from(self.size);
                *outcome = (product >> 64) as u8;
                rest = product as u64;
            }
            if rest >= self.least {
                return outcomes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_decided_by_seed_and_chunk() {
        let draw = |seed, chunk| {
            let mut stream = Stream::new(seed, chunk, 216);
            (0..4).map(|_| stream.four()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
    }

    #[test]
    fn outcomes_stay_inside() {
        for size in [2, 6, 37, 38, 39, 216, 255] {
            let mut stream = Stream::new(7, 3, size);
            assert!((0..10_000).all(|_| stream.four().iter().all(|outcome| usize::from(*outcome) < size)));
        }
    }
}
