//! Batches: what is written and synced at once.

use crate::segment::{Chain, array};

/// The most that the records of a batch may take.
pub const MAX_PAYLOAD: usize = 512 * 1024;

/// The most that one record may take: its time and length stand before it.
pub const MAX_RECORD: usize = MAX_PAYLOAD - BEFORE;

/// Two numbers of ten bytes each.
const BEFORE: usize = 20;

const MAGIC: &[u8; 4] = b"BTCH";
/// Magic, checksum, length, count, first sequence, time, kind, chain.
pub(crate) const HEADER: usize = 4 + 4 + 4 + 4 + 8 + 8 + 4 + 32;
/// What the chain covers of the header: everything from the length to the kind.
const FIELDS: std::ops::Range<usize> = 8..36;
const CHAIN: std::ops::Range<usize> = 36..68;

/// A record of a batch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// When, in milliseconds.
    pub time: i64,
    /// What.
    pub bytes: &'a [u8],
}

/// What a batch holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Records,
    Checkpoint,
}

/// Records that are appended together. Reused, it allocates nothing.
#[derive(Debug, Default)]
pub struct Batch {
    bytes: Vec<u8>,
    count: u32,
    time: i64,
}

impl Batch {
    /// An empty one.
    #[must_use]
    pub fn new() -> Batch {
        Batch::default()
    }

    /// How many records it has.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The time of its first record.
    #[must_use]
    pub fn time(&self) -> i64 {
        self.time
    }

    /// How many bytes its records take.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len().saturating_sub(HEADER)
    }

    /// Whether a further record stays within what a batch may take.
    #[must_use]
    pub fn fits(&self, record: &[u8]) -> bool {
        Batch::room_for(1, record.len()) <= MAX_PAYLOAD.saturating_sub(self.size())
    }

    /// The most bytes of this many records with this many bytes in total: the time and the length of each come before
    /// it.
    #[must_use]
    pub const fn room_for(records: usize, bytes: usize) -> usize {
        records.saturating_mul(BEFORE).saturating_add(bytes)
    }

    /// An empty one with as much room as this one needed.
    #[must_use]
    pub fn next(&self) -> Batch {
        Batch { bytes: Vec::with_capacity(self.bytes.len()), count: 0, time: 0 }
    }

    /// Forgets its records.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// Adds a record.
    pub fn push(&mut self, time: i64, record: &[u8]) {
        self.begin(time);
        write_varint(&mut self.bytes, record.len() as u64);
        self.bytes.extend_from_slice(record);
        self.count += 1;
    }

    /// Adds a record in place, if it stays within the limit of a batch: nothing is copied. The closure appends to the
    /// bytes and does not change those before.
    #[must_use]
    pub fn push_if_fits(&mut self, time: i64, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let (before, room) = (self.bytes.len(), MAX_PAYLOAD.saturating_sub(self.size()));
        self.begin(time);
        let place = self.bytes.len();
        self.bytes.push(0);
        write(&mut self.bytes);
        let length = self.bytes.len() - place - 1;
        if Batch::room_for(1, length) > room {
            self.bytes.truncate(before);
            return false;
        }
        if length < 0x80 {
            self.bytes[place] = length as u8;
        } else {
            let mut prefix = Vec::new();
            write_varint(&mut prefix, length as u64);
            self.bytes.splice(place..=place, prefix);
        }
        self.count += 1;
        true
    }

    /// What stands before a record: how much later than the first it is.
    fn begin(&mut self, time: i64) {
        if self.count == 0 {
            self.bytes.resize(HEADER, 0);
            self.time = time;
        }
        write_varint(&mut self.bytes, zigzag(time.wrapping_sub(self.time)));
    }

    /// Its records, also after it was written.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let payload = self.bytes.get(HEADER..).unwrap_or_default();
        entries(self.time, self.count, payload).unwrap_or_default()
    }

    pub(crate) fn checkpoint(time: i64, payload: &[u8]) -> Batch {
        let mut bytes = vec![0; HEADER];
        bytes.extend_from_slice(payload);
        Batch { bytes, count: 0, time }
    }

    /// The bytes as they are written, and the chain after them.
    pub(crate) fn seal(&mut self, kind: Kind, first: u64, before: Chain) -> (&[u8], Chain) {
        if self.bytes.len() < HEADER {
            self.bytes.resize(HEADER, 0);
        }
        let (header, payload) = self.bytes.split_at_mut(HEADER);
        header[..4].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&self.count.to_le_bytes());
        header[16..24].copy_from_slice(&first.to_le_bytes());
        header[24..32].copy_from_slice(&self.time.to_le_bytes());
        header[32..36].copy_from_slice(&u32::from(kind == Kind::Checkpoint).to_le_bytes());
        let chain = before.after(&header[FIELDS], payload);
        header[CHAIN].copy_from_slice(&chain.0);
        let mut crc = crc32fast::Hasher::new();
        crc.update(&header[8..]);
        crc.update(payload);
        header[4..8].copy_from_slice(&crc.finalize().to_le_bytes());
        (&self.bytes, chain)
    }
}

/// The header of a batch as it was read.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sealed {
    pub crc: u32,
    pub length: usize,
    pub count: u32,
    pub first: u64,
    pub time: i64,
    pub kind: Kind,
    pub chain: Chain,
}

impl Sealed {
    /// Reads a header; `None` if there is none.
    pub fn decode(header: &[u8]) -> Option<Sealed> {
        if header.len() < HEADER || header[..4] != *MAGIC {
            return None;
        }
        let length = u32::from_le_bytes(array(&header[8..12])) as usize;
        let kind = match u32::from_le_bytes(array(&header[32..36])) {
            0 => Kind::Records,
            1 => Kind::Checkpoint,
            _ => return None,
        };
        (length <= MAX_PAYLOAD + 64).then(|| Sealed {
            crc: u32::from_le_bytes(array(&header[4..8])),
            length,
            count: u32::from_le_bytes(array(&header[12..16])),
            first: u64::from_le_bytes(array(&header[16..24])),
            time: i64::from_le_bytes(array(&header[24..32])),
            kind,
            chain: Chain(array(&header[CHAIN])),
        })
    }

    /// Whether header and payload are what was written.
    pub fn is_whole(&self, batch: &[u8]) -> bool {
        let end = HEADER + self.length;
        batch.get(8..end).is_some_and(|bytes| crc32fast::hash(bytes) == self.crc)
    }

    /// The chain that the bytes give after another value.
    pub fn chain_after(&self, batch: &[u8], before: Chain) -> Chain {
        before.after(&batch[FIELDS], &batch[HEADER..HEADER + self.length])
    }

    /// The records of the payload; `None` if it is not made of records.
    pub fn entries<'a>(&self, payload: &'a [u8]) -> Option<Vec<Entry<'a>>> {
        entries(self.time, self.count, payload)
    }
}

/// So many records, of which the first is of that time.
fn entries(time: i64, count: u32, payload: &[u8]) -> Option<Vec<Entry<'_>>> {
    let mut rest = payload;
    // A record takes two bytes at least, whatever the header says.
    let mut entries = Vec::with_capacity(payload.len().min(count as usize));
    for _ in 0..count {
        let later = unzigzag(read_varint(&mut rest)?);
        let length = usize::try_from(read_varint(&mut rest)?).ok()?;
        let (bytes, after) = rest.split_at_checked(length)?;
        entries.push(Entry { time: time.wrapping_add(later), bytes });
        rest = after;
    }
    rest.is_empty().then_some(entries)
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)).cast_unsigned()
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
}

fn write_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value as u8) | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_written_in_place_is_as_one_that_was_copied() {
        let (mut copied, mut in_place) = (Batch::new(), Batch::new());
        for (time, length) in [(1_000, 0), (1_000, 1), (1_001, 127), (999, 128), (1_000, 20_000)] {
            let record: Vec<u8> = (0..length).map(|place| place as u8).collect();
            copied.push(time, &record);
            assert!(in_place.push_if_fits(time, |bytes| bytes.extend_from_slice(&record)));
        }
        assert_eq!((&copied.bytes, copied.count, copied.time), (&in_place.bytes, in_place.count, in_place.time));
        // They are the same before and after it is written.
        let before: Vec<_> = copied.entries().iter().map(|entry| (entry.time, entry.bytes.to_vec())).collect();
        copied.seal(Kind::Records, 1, Chain::genesis([0; 16]));
        let after: Vec<_> = copied.entries().iter().map(|entry| (entry.time, entry.bytes.to_vec())).collect();
        assert_eq!(before, after);
        assert_eq!(after.iter().map(|(time, bytes)| (*time, bytes.len())).collect::<Vec<_>>()[4], (1_000, 20_000));
        assert!(Batch::new().entries().is_empty());
    }

    #[test]
    fn a_record_that_does_not_fit_leaves_nothing_behind() {
        let mut batch = Batch::new();
        let longest = vec![7; MAX_RECORD];
        assert!(!batch.push_if_fits(5, |bytes| bytes.resize(bytes.len() + MAX_RECORD + 1, 7)));
        assert_eq!((batch.count(), batch.size()), (0, 0));
        assert!(batch.fits(&longest) && batch.push_if_fits(6, |bytes| bytes.extend_from_slice(&longest)));
        let size = batch.size();
        assert!(!batch.fits(&longest) && !batch.push_if_fits(6, |bytes| bytes.extend_from_slice(&longest)));
        assert_eq!((batch.count(), batch.size(), batch.time()), (1, size, 6));
    }
}
