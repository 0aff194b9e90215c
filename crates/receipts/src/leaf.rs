//! What of a record goes into its entry: all of it, or, where it lists several terminals, a small tree of what it says of
//! each.
//!
//! This works on the bytes of the journal and not on what a release makes of them, so that an entry is the same for ever.

use minicbor::Decoder;
use tlog::entry::{Content, Listed, leaf, plain};
use tlog::{Entry, Hash, Opening, SaltKey};

/// What a record in the general form of encoding 2 begins with.
const GENERAL: [u8; 2] = [2, 0];
/// The events that list several terminals, by their tags, and which of their fields do.
const LISTS: [(u64, &[u64]); 7] = [
    (COUNTED_LOST, &[2]),
    (ROUND_SETTLED, &[5]),
    (CHIPS_SETTLED, &[3]),
    (ROUND_CORRECTED, &[3]),
    (SETTLED_ROUND_VOIDED, &[3]),
    (CHIPS_CORRECTED, &[3, 4, 5]),
    (CORRECTION_PART, &[4]),
];
const COUNTED_LOST: u64 = 42;
const ROUND_SETTLED: u64 = 48;
const CHIPS_SETTLED: u64 = 49;
const ROUND_CORRECTED: u64 = 51;
const SETTLED_ROUND_VOIDED: u64 = 52;
const CHIPS_CORRECTED: u64 = 53;
const CORRECTION_PART: u64 = 71;
const DAY_BEGAN: u64 = 122;

/// The tag of the event of a record in the general form, and where its fields begin.
fn event(record: &[u8]) -> Option<(u64, usize)> {
    let body = record.strip_prefix(&GENERAL)?;
    let mut decoder = Decoder::new(body);
    if decoder.array().ok()? != Some(2) {
        return None;
    }
    decoder.skip().ok()?;
    if decoder.array().ok()? != Some(2) {
        return None;
    }
    let tag = decoder.u64().ok()?;
    Some((tag, GENERAL.len() + decoder.position()))
}

/// A record that lists several terminals, taken apart; `None` for every other one.
#[must_use]
pub fn split(record: &[u8]) -> Option<Listed> {
    let (tag, begin) = event(record)?;
    let (_, lists) = LISTS.iter().find(|(known, _)| *known == tag)?;
    let mut decoder = Decoder::new(record.get(begin..)?);
    let fields = decoder.array().ok()??;
    let (mut head, mut items) = (Vec::with_capacity(record.len().min(256)), Vec::new());
    let mut copied = 0;
    for field in 0..fields {
        if !lists.contains(&field) {
            decoder.skip().ok()?;
            continue;
        }
        head.extend_from_slice(record.get(copied..begin + decoder.position())?);
        head.push(EMPTY_LIST);
        let count = decoder.array().ok()??;
        for _ in 0..count {
            let from = begin + decoder.position();
            decoder.skip().ok()?;
            let item = record.get(from..begin + decoder.position())?;
            items.push(if lists.len() == 1 { item.to_vec() } else { [&[PAIR, field as u8], item].concat() });
        }
        copied = begin + decoder.position();
    }
    // Nothing is left over: what cannot be taken apart is committed to as a whole.
    (begin + decoder.position() == record.len()).then(|| head.extend_from_slice(&record[copied..]))?;
    Some(Listed { head, items })
}

/// An array without items.
const EMPTY_LIST: u8 = 0x80;
/// An array of two: where an event has several lists, the number of its field comes before an item.
const PAIR: u8 = 0x82;

/// The entry of a record.
#[must_use]
pub fn entry(key: &SaltKey, index: u64, time: i64, record: &[u8]) -> Entry {
    match split(record) {
        Some(listed) => listed.entry(key, index, time),
        None => plain(&key.record(index), time, record),
    }
}

/// The leaves of consecutive records.
pub fn leaves<'a>(
    key: &'a SaltKey,
    first: u64,
    records: impl IntoIterator<Item = (i64, &'a [u8])>,
) -> impl Iterator<Item = Hash> {
    key.records(first).zip(first..).zip(records).map(move |((salt, index), (time, record))| {
        let entry = match split(record) {
            Some(listed) => listed.entry(key, index, time),
            None => plain(&salt, time, record),
        };
        leaf(&entry)
    })
}

/// The whole record opened, as far as that shows one record only: of a record that lists several terminals, everything but
/// its items.
#[must_use]
pub fn open(key: &SaltKey, index: u64, time: i64, record: &[u8]) -> Opening {
    match split(record) {
        Some(listed) => listed.open_head(key, index, time),
        None => Opening::plain(key, index, time, record),
    }
}

/// The item of a terminal opened; `None` if the record does not list the terminal.
#[must_use]
pub fn open_for(key: &SaltKey, index: u64, time: i64, record: &[u8], terminal: u32) -> Option<Opening> {
    // The lists of chips are of boxes, and not of terminals.
    let of_boxes = [CHIPS_SETTLED, CHIPS_CORRECTED].contains(&event(record)?.0);
    let listed = split(record).filter(|_| !of_boxes)?;
    let place = listed.items.iter().position(|item| terminal_of(item) == Some(terminal))?;
    listed.open(key, index, time, u32::try_from(place).ok()?)
}

/// The terminal of an item: the item is its number, or begins with it.
fn terminal_of(item: &[u8]) -> Option<u32> {
    let mut decoder = Decoder::new(item);
    if decoder.datatype().ok()? == minicbor::data::Type::Array {
        decoder.array().ok()?;
    }
    decoder.u32().ok()
}

/// The record that an opening shows, as far as it shows it, and the item if it shows one.
#[must_use]
pub fn shown(opening: &Opening) -> (&[u8], Option<&[u8]>) {
    match &opening.content {
        Content::Record(record) => (record, None),
        Content::Listed { head, content, .. } => (head, Some(content)),
        Content::Head { head, .. } => (head, None),
    }
}

/// The gaming day that a record begins, in days since 1970, if it begins one.
#[must_use]
pub fn day_begun(time: i64, record: &[u8]) -> Option<i64> {
    if event(record)?.0 != DAY_BEGAN {
        return None;
    }
    match engine::decode(time, record).ok()?.event {
        floor::Event::DayBegan { day } => Some(day),
        _ => None,
    }
}
