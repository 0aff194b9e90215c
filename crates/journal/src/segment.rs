//! Segments: the files of a journal, each with a header that gives its position in the journal.

use std::fmt;

use crate::BLOCK;

/// The format of every byte written by this release. Readers for older ones stay.
pub(crate) const VERSION: u32 = 1;
const MAGIC: &[u8; 8] = b"CROUPIER";
const HEADER: usize = 88;

/// The value of the hash chain after a batch.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Chain(pub [u8; 32]);

impl Chain {
    /// The value before the first batch of a journal.
    #[must_use]
    pub fn genesis(id: [u8; 16]) -> Chain {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"croupier journal");
        hasher.update(&id);
        Chain(*hasher.finalize().as_bytes())
    }

    /// The value after a batch with these bytes.
    #[must_use]
    pub fn after(self, fields: &[u8], payload: &[u8]) -> Chain {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0);
        hasher.update(fields);
        hasher.update(payload);
        Chain(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The name of a segment file: its number.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SegmentName(pub u64);

impl SegmentName {
    /// The number in a file name, if it is a segment's.
    #[must_use]
    pub fn parse(name: &str) -> Option<SegmentName> {
        let digits = name.strip_suffix(".segment")?;
        let whole = digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_digit());
        whole.then(|| digits.parse().ok()).flatten().map(SegmentName)
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:012}.segment", self.0)
    }
}

/// What a segment says of itself.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub journal: [u8; 16],
    pub number: u64,
    /// The sequence of the first record it holds.
    pub first: u64,
    /// The chain before its first batch.
    pub chain: Chain,
}

impl Header {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&(BLOCK as u32).to_le_bytes());
        bytes.extend_from_slice(&self.journal);
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.first.to_le_bytes());
        bytes.extend_from_slice(&self.chain.0);
        let crc = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The header in a segment's first block, or what is wrong with it.
    pub fn decode(block: &[u8]) -> Result<Header, &'static str> {
        let crc_at = HEADER - 8;
        let parts = block.split_at_checked(crc_at).and_then(|(fields, rest)| Some((fields, rest.split_at_checked(4)?)));
        let Some((fields, (crc, padding))) = parts else { return Err("the header is cut off") };
        if fields[..8] != *MAGIC {
            return Err("it is no segment of a journal");
        }
        if crc != crc32fast::hash(fields).to_le_bytes() {
            return Err("the header is damaged");
        }
        if u32::from_le_bytes(array(&fields[8..12])) != VERSION {
            return Err("the header is of a format this release does not know");
        }
        if padding.iter().any(|byte| *byte != 0) {
            return Err("there is something after the header");
        }
        let first = u64::from_le_bytes(array(&fields[40..48]));
        if first == 0 {
            return Err("the header begins before the first record");
        }
        Ok(Header {
            journal: array(&fields[16..32]),
            number: u64::from_le_bytes(array(&fields[32..40])),
            first,
            chain: Chain(array(&fields[48..80])),
        })
    }
}

/// So many bytes, whose number the caller has made sure of.
pub(crate) fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}
