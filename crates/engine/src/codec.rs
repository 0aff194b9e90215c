//! Records as bytes.
//!
//! The first byte is the version of the encoding. Version 1 is postcard over the origin and the event: numbers as
//! varints, variants by their place in [`floor::Event`], which therefore only ever grows at its end. The moment is the
//! journal entry's own time.
//!
//! A snapshot's state begins with a version too: postcard over [`floor::Floor`], which says nothing of its own layout.

use std::borrow::Cow;

use floor::{Event, Floor, Moment, Origin, Record};

use crate::plain_bet;

const VERSION: u8 = 1;
/// Raised whenever a field of the state is added, moved or changed.
const STATE_VERSION: u8 = 2;
/// Version 1 ends before the last field, a list that is empty wherever no command is written in parts.
const STATE_VERSION_1: u8 = 1;

/// Why bytes are no record.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Another version than this release reads.
    #[error("it is of version {0}, which this release does not read")]
    Version(u8),
    /// More than a record.
    #[error("{0} bytes are left over after it")]
    Left(usize),
    /// Not a record.
    #[error("it cannot be read: {0}")]
    Malformed(#[from] postcard::Error),
    /// A state that would be written in another way.
    #[error("it is not a state as this release writes it")]
    State,
}

/// Writes a record after what the buffer holds.
pub fn encode(record: &Record, buffer: &mut Vec<u8>) {
    buffer.push(VERSION);
    if plain_bet::write(record, buffer) {
        return;
    }
    // Nothing of a record can fail to be written, and the bytes before it would be left in any case.
    let _ = postcard::to_io(&(&record.origin, &record.event), buffer);
}

/// Reads a record.
///
/// # Errors
/// When the bytes are none, or of another version.
pub fn decode(time: i64, bytes: &[u8]) -> Result<Record, CodecError> {
    match bytes.split_first() {
        Some((&VERSION, body)) => {
            if let Some(bet) = plain_bet::read(Moment(time), body) {
                return Ok(bet);
            }
            let ((origin, event), rest): ((Option<Origin>, Event), _) = postcard::take_from_bytes(body)?;
            match rest {
                [] => Ok(Record { at: Moment(time), origin, event }),
                _ => Err(CodecError::Left(rest.len())),
            }
        }
        Some((version, _)) => Err(CodecError::Version(*version)),
        None => Err(CodecError::Malformed(postcard::Error::DeserializeUnexpectedEnd)),
    }
}

/// Writes a floor as snapshots keep it.
#[must_use]
pub fn encode_state(floor: &Floor) -> Vec<u8> {
    let mut bytes = floor.to_bytes();
    bytes.insert(0, STATE_VERSION);
    bytes
}

/// Reads a floor from a snapshot.
///
/// # Errors
/// When the bytes are none, or of another version.
pub fn decode_state(bytes: &[u8]) -> Result<Floor, CodecError> {
    let state = match (current_state(bytes), bytes.first()) {
        (Some(state), _) => state,
        (None, Some(version)) => return Err(CodecError::Version(*version)),
        (None, None) => return Err(CodecError::Malformed(postcard::Error::DeserializeUnexpectedEnd)),
    };
    let body = state.get(1..).unwrap_or_default();
    let floor = Floor::from_bytes(body)?;
    // Bytes of another layout can look like a state; then they are written in another way.
    if floor.to_bytes() == body { Ok(floor) } else { Err(CodecError::State) }
}

/// A state as [`encode_state`] writes it now, from what any release that is still read wrote; `None` for another.
pub(crate) fn current_state(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    match bytes.split_first()? {
        (&STATE_VERSION, _) => Some(Cow::Borrowed(bytes)),
        (&STATE_VERSION_1, body) => Some(Cow::Owned([&[STATE_VERSION], body, &[0]].concat())),
        _ => None,
    }
}
