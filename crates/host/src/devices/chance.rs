//! Chance for simulated devices: every value exactly as likely as any other (S21).

use rand::TryCryptoRng;
use rulebook::Face;

/// A number below `size`. Draws that would favour small numbers are thrown away.
pub(super) fn below<R: TryCryptoRng + ?Sized>(rng: &mut R, size: u32) -> Result<u32, R::Error> {
    let size = size.max(1);
    let spare = (u32::MAX % size + 1) % size;
    loop {
        let drawn = rng.try_next_u32()?;
        if drawn <= u32::MAX - spare {
            return Ok(drawn % size);
        }
    }
}

pub(super) fn face<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Face, R::Error> {
    pick(rng, &Face::ALL, Face::One)
}

/// One of several; `none` only if there are none.
pub(super) fn pick<T: Copy, R: TryCryptoRng + ?Sized>(rng: &mut R, among: &[T], none: T) -> Result<T, R::Error> {
    let size = u32::try_from(among.len()).unwrap_or(u32::MAX);
    let place = below(rng, size)? as usize;
    Ok(among.get(place).copied().unwrap_or(none))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::{TryCryptoRng, TryRng};

    use super::*;

    /// Returns the given values, and then only zeros.
    struct Told(Vec<u32>);

    impl TryRng for Told {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(if self.0.is_empty() { 0 } else { self.0.remove(0) })
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            self.try_next_u32().map(u64::from)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            bytes.fill(0);
            Ok(())
        }
    }

    impl TryCryptoRng for Told {}

    #[test]
    fn draws_that_would_favour_small_numbers_are_thrown_away() {
        // 2^32 is 4 more than a multiple of 6 and 22 more than one of 39.
        for (size, fair) in [(6, u32::MAX - 4), (39, u32::MAX - 22)] {
            assert_eq!(below(&mut Told(vec![fair]), size), Ok(size - 1), "the last fair one");
            for unfair in fair + 1..=u32::MAX {
                assert_eq!(below(&mut Told(vec![unfair, 3]), size), Ok(3), "{unfair} of {size}");
            }
        }
    }

    #[test]
    fn where_every_draw_is_fair_none_is_thrown_away() {
        for size in [1, 2, 8, 1 << 31] {
            assert_eq!(below(&mut Told(vec![u32::MAX, 0]), size), Ok(size - 1));
        }
    }
}
