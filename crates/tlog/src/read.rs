//! Reading bytes from outside, front to back.

use crate::Malformed;

/// The rest of some bytes.
pub(crate) struct Reader<'a> {
    part: &'static str,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(part: &'static str, rest: &'a [u8]) -> Reader<'a> {
        Reader { part, rest }
    }

    pub fn wrong(&self, what: impl Into<String>) -> Malformed {
        Malformed::new(self.part, what)
    }

    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(|| self.wrong("it is cut off"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(|| self.wrong("it is cut off"))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    pub fn i64(&mut self) -> Result<i64, Malformed> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// A number of seven bits a byte, the lowest first, in the one way of writing it.
    pub fn uvarint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0u64;
        for place in 0..10 {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (place == 9 && bits > 1) || (place > 0 && byte == 0) {
                break;
            }
            value |= bits << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.wrong("a number is not written as it should be"))
    }

    pub fn hashes(&mut self, count: usize) -> Result<Vec<[u8; 32]>, Malformed> {
        (0..count).map(|_| self.array()).collect()
    }

    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    pub fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.wrong(format!("{} bytes are left over", self.rest.len()))) }
    }
}

/// Writes a number of seven bits a byte, the lowest first.
pub(crate) fn write_uvarint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}
