//! Drawing an outcome the way a simulated device does: bytes from a generator, without bias.
//!
//! A byte has 256 values, and neither six faces nor 37, 38 or 39 pockets divide them evenly. So the bytes above the
//! largest multiple are thrown away and drawn again (rejection sampling): every face and pocket then has exactly the
//! same number of bytes. The source is whatever gives bytes: the operating system's generator (`rand::rngs::SysRng`),
//! or recorded bytes.
//!
//! ```
//! use rand::rngs::SysRng;
//! use rulebook::library;
//!
//! let sicbo = library::find("rws-sicbo").unwrap();
//! let outcome = lab::draw::outcome(sicbo.outcomes(), &mut SysRng).unwrap();
//! assert!(outcome.get() < 216);
//! ```

use rand::TryRng;
use rulebook::{OutcomeIndex, OutcomeSpace};

/// Draws a number below `sides`, each equally likely.
///
/// # Errors
/// When the source has no bytes to give.
///
/// # Panics
/// Never for 1 to 255 sides; with 0 there is nothing to draw and the answer is 0.
pub fn below<R: TryRng + ?Sized>(sides: u8, source: &mut R) -> Result<u8, R::Error> {
    if sides == 0 {
        return Ok(0);
    }
    let accepted = 256 - 256 % u16::from(sides);
    loop {
        let mut byte = [0_u8; 1];
        source.try_fill_bytes(&mut byte)?;
        if u16::from(byte[0]) < accepted {
            return Ok(byte[0] % sides);
        }
    }
}

/// Draws an outcome of a game: three dice one after the other, or a pocket.
///
/// # Errors
/// When the source has no bytes to give.
pub fn outcome<R: TryRng + ?Sized>(space: &OutcomeSpace, source: &mut R) -> Result<OutcomeIndex, R::Error> {
    let place = match space {
        OutcomeSpace::Dice => {
            let mut place = 0;
            for _ in 0..3 {
                place = place * 6 + usize::from(below(6, source)?);
            }
            place
        }
        OutcomeSpace::Wheel(_) => usize::from(below(u8::try_from(space.size()).unwrap_or(u8::MAX), source)?),
    };
    // The place is below the size of the space, so that there always is one.
    match space.indices().nth(place) {
        Some(outcome) => Ok(outcome),
        None => outcome(space, source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// Gives all bytes, one after the other.
    struct Every(u8);

    impl TryRng for Every {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(0)
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(0)
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            for byte in bytes {
                *byte = self.0;
                self.0 = self.0.wrapping_add(1);
            }
            Ok(())
        }
    }

    #[test]
    fn every_side_has_the_same_number_of_bytes() {
        for sides in [2, 6, 37, 38, 39, 255] {
            let mut counts = vec![0_u32; usize::from(sides)];
            let accepted = 256 / usize::from(sides) * usize::from(sides);
            let mut every = Every(0);
            for _ in 0..accepted {
                counts[usize::from(below(sides, &mut every).unwrap())] += 1;
            }
            assert!(counts.iter().all(|count| *count == 256 / u32::from(sides)), "{sides}: {counts:?}");
        }
    }
}
