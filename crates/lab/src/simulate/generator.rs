//! The stream of outcomes.
//!
//! The rounds are cut into chunks of 2²². Each chunk has its own stream of xoshiro256++, whose state ChaCha20 makes from
//! the seed and the chunk's number; so the result does not depend on how many threads there are, and no two chunks share
//! a stream. One word of 64 bits gives six outcomes by multiplication, as three pairs; a word that would favour an
//! outcome is thrown away, so that every outcome is exactly equally likely.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What is behind a simulation, for its report.
pub const GENERATOR: &str = "xoshiro256++, a stream for each 2^22 rounds, seeded by ChaCha20";

/// How many pairs of outcomes a word gives.
pub(crate) const PAIRS: usize = 3;

/// The outcomes of a chunk.
pub(crate) struct Stream {
    words: Xoshiro256PlusPlus,
    /// Pairs of outcomes that there are.
    pairs: u64,
    least: u64,
}

impl Stream {
    pub fn new(seed: u64, chunk: u64, outcomes: usize) -> Stream {
        let mut key = ChaCha20Rng::seed_from_u64(seed);
        key.set_stream(chunk);
        let pairs = (outcomes as u64).pow(2);
        let all = pairs.pow(3);
        // 2⁶⁴ modulo the number of all sixes of outcomes: words whose last remainder is below it are the surplus.
        let least = (u64::MAX % all + 1) % all;
        Stream { words: Xoshiro256PlusPlus::from_rng(&mut key), pairs, least }
    }

    /// Three pairs of outcomes: a pair is first × outcomes + second.
    #[inline(always)]
    pub fn pairs(&mut self) -> [u16; PAIRS] {
        loop {
            let mut rest = self.words.next_u64();
            let mut pairs = [0_u16; PAIRS];
            for pair in &mut pairs {
                let product = u128::from(rest) * u128::from(self.pairs);
                *pair = (product >> 64) as u16;
                rest = product as u64;
            }
            if rest >= self.least {
                return pairs;
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
            (0..4).map(|_| stream.pairs()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
        assert_ne!(draw(1, 0), draw(2, 0));
    }

    #[test]
    fn outcomes_stay_inside() {
        for size in [2, 6, 37, 38, 39, 216, 255] {
            let mut stream = Stream::new(7, 3, size);
            assert!((0..10_000).all(|_| stream.pairs().iter().all(|pair| usize::from(*pair) < size * size)));
        }
    }
}
