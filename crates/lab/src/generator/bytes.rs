//! Recorded bytes as a source.

use rand::TryRng;

/// The recorded bytes are used up.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the recorded bytes have come to an end")]
pub struct Spent;

/// Gives recorded bytes one after the other, once.
pub struct Recorded<'a> {
    rest: &'a [u8],
}

impl<'a> Recorded<'a> {
    /// From the first byte on.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Recorded<'a> {
        Recorded { rest: bytes }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Spent> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(Spent)?;
        self.rest = rest;
        Ok(*first)
    }
}

impl TryRng for Recorded<'_> {
    type Error = Spent;

    fn try_next_u32(&mut self) -> Result<u32, Spent> {
        self.take().map(u32::from_le_bytes)
    }

    fn try_next_u64(&mut self) -> Result<u64, Spent> {
        self.take().map(u64::from_le_bytes)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Spent> {
        let (first, rest) = self.rest.split_at_checked(bytes.len()).ok_or(Spent)?;
        bytes.copy_from_slice(first);
        self.rest = rest;
        Ok(())
    }
}
