//! Records as bytes.
//!
//! The first byte is the version of the encoding. The moment is the journal entry's own time.
//!
//! **Encoding 2** is what this release writes. The second byte gives the form of the record: [`GENERAL`] is CBOR over
//! the origin and the event, in which variants and fields have explicit tags (`#[n(…)]`). A missing field is absent,
//! and an unknown one is skipped, so a new field needs no new version. `PLAIN` is the most frequent record, in a form
//! of its own ([`plain_bet`]).
//!
//! **Encoding 1** is postcard over the origin and the event: variants and fields by position. It will always be
//! readable, and is written while the floor's feature level is 1. The `serde` attributes of [`floor::Event`] describe
//! it: later additions are not in it.
//!
//! A snapshot's state begins with a version too: 3 is CBOR with tags, 1 and 2 are postcard by place.

use floor::{Event, Floor, Moment, Origin, Record, TAGGED};

use crate::plain_bet;

const BY_PLACE: u8 = 1;
const BY_TAG: u8 = 2;
/// The record goes on with CBOR.
const GENERAL: u8 = 0;

const STATE_BY_TAG: u8 = 3;
const STATE_2: u8 = 2;
/// Ends before the last field of version 2, a list that is empty wherever no command is written in parts.
const STATE_1: u8 = 1;

/// Why bytes are no record.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Another version than this release reads.
    #[error("it is of version {0}, which this release does not read")]
    Version(u8),
    /// More than a record.
    #[error("{0} bytes are left over after it")]
    Left(usize),
    /// Not a record of encoding 1.
    #[error("it cannot be read: {0}")]
    Malformed(#[from] postcard::Error),
    /// Not a record of encoding 2.
    #[error("it cannot be read: {0}")]
    Untagged(#[from] minicbor::decode::Error),
    /// A state that would be written in another way.
    #[error("it is not a state as this release writes it")]
    State,
}

/// Writes a record after what the buffer holds, for a floor that had this feature level before it.
#[inline]
pub fn encode_at(level: u8, record: &Record, buffer: &mut Vec<u8>) {
    if level >= TAGGED || record.event.raises_level().is_some_and(|raised| raised >= TAGGED) {
        return encode(record, buffer);
    }
    buffer.push(BY_PLACE);
    // Writing a record cannot fail, and the bytes before it would be left in any case.
    let _ = postcard::to_io(&(&record.origin, &record.event), buffer);
}

/// Writes a record in the newest encoding after what the buffer holds.
#[inline]
pub fn encode(record: &Record, buffer: &mut Vec<u8>) {
    if plain_bet::write(BY_TAG, record, buffer) {
        return;
    }
    buffer.extend([BY_TAG, GENERAL]);
    // Writing to memory cannot fail.
    let _ = minicbor::encode((&record.origin, &record.event), buffer);
}

/// Reads a record.
///
/// # Errors
/// When the bytes are none, or of another version.
#[inline]
pub fn decode(time: i64, bytes: &[u8]) -> Result<Record, CodecError> {
    let at = Moment(time);
    match bytes {
        [BY_TAG, GENERAL, body @ ..] => by_tag(at, body),
        [BY_TAG, body @ ..] => {
            let unknown = || CodecError::Untagged(minicbor::decode::Error::message("not a plain bet"));
            plain_bet::read(at, body).ok_or_else(unknown)
        }
        [BY_PLACE, body @ ..] => by_place(at, body),
        [version, ..] => Err(CodecError::Version(*version)),
        [] => Err(CodecError::Malformed(postcard::Error::DeserializeUnexpectedEnd)),
    }
}

/// Not inlined: a plain bet is read without the room that this needs on the stack.
#[inline(never)]
fn by_tag(at: Moment, body: &[u8]) -> Result<Record, CodecError> {
    let mut decoder = minicbor::Decoder::new(body);
    let (origin, event) = decoder.decode()?;
    whole(Record { at, origin, event }, body.len() - decoder.position())
}

/// Not inlined, as [`by_tag`].
#[inline(never)]
fn by_place(at: Moment, body: &[u8]) -> Result<Record, CodecError> {
    let ((origin, event), rest): ((Option<Origin>, Event), _) = postcard::take_from_bytes(body)?;
    whole(Record { at, origin, event }, rest.len())
}

fn whole(record: Record, left: usize) -> Result<Record, CodecError> {
    if left == 0 { Ok(record) } else { Err(CodecError::Left(left)) }
}

/// Writes a floor as snapshots keep it.
#[must_use]
pub fn encode_state(floor: &Floor) -> Vec<u8> {
    let mut bytes = floor.to_bytes();
    bytes.insert(0, STATE_BY_TAG);
    bytes
}

/// Reads a floor from a snapshot.
///
/// # Errors
/// When the bytes are none, or of another version.
pub fn decode_state(bytes: &[u8]) -> Result<Floor, CodecError> {
    let floor = match bytes {
        [STATE_BY_TAG, body @ ..] => Floor::from_bytes(body)?,
        [STATE_2, body @ ..] => Floor::from_level_1_bytes(body)?,
        [STATE_1, body @ ..] => Floor::from_level_1_bytes(&[body, &[0]].concat())?,
        [version, ..] => return Err(CodecError::Version(*version)),
        [] => return Err(CodecError::Malformed(postcard::Error::DeserializeUnexpectedEnd)),
    };
    // Bytes of another layout can look like a state; then they are written in another way.
    if is_state_of(bytes, &floor) { Ok(floor) } else { Err(CodecError::State) }
}

/// Whether these bytes hold everything that a replay of the log would give: a tagged state of an earlier release lacks
/// the later fields. A positional state lacks only what is kept from feature level 2 on.
pub(crate) fn is_complete(bytes: &[u8], floor: &Floor) -> bool {
    !bytes.starts_with(&[STATE_BY_TAG]) || *bytes == encode_state(floor)
}

/// Whether a release that this one reads would have written these bytes.
pub(crate) fn is_known_state(bytes: &[u8]) -> bool {
    matches!(bytes, [STATE_BY_TAG | STATE_2 | STATE_1, ..])
}

/// Whether a snapshot's state is this floor's, as far as the release that wrote it knew.
pub(crate) fn is_state_of(bytes: &[u8], floor: &Floor) -> bool {
    match bytes {
        [STATE_BY_TAG, body @ ..] => {
            let today = floor.to_bytes();
            let (mut today, mut then) = (minicbor::Decoder::new(&today), minicbor::Decoder::new(body));
            covers(&mut today, &mut then).unwrap_or(false) && then.position() == body.len()
        }
        [STATE_2, body @ ..] => *body == floor.to_level_1_bytes(),
        [STATE_1, body @ ..] => floor.to_level_1_bytes().split_last() == Some((&0, body)),
        _ => false,
    }
}

/// Whether the next item of today's bytes contains everything that the other one contains, in the same place. An
/// earlier release's structures (arrays) may be shorter: later fields come at the end.
fn covers(
    today: &mut minicbor::Decoder<'_>,
    then: &mut minicbor::Decoder<'_>,
) -> Result<bool, minicbor::decode::Error> {
    use minicbor::data::Type;
    let kinds = (today.datatype()?, then.datatype()?);
    // How deep this goes is bounded by the state of today, whatever the other bytes are.
    let (more, items) = match kinds {
        (Type::Array, Type::Array) => match (today.array()?, then.array()?) {
            (Some(today), Some(then)) if then <= today => (today - then, then),
            _ => return Ok(false),
        },
        (Type::Map, Type::Map) => match (today.map()?, then.map()?) {
            (Some(today), Some(then)) if then == today => (0, then.saturating_mul(2)),
            _ => return Ok(false),
        },
        _ => return Ok(item(today)? == item(then)?),
    };
    for _ in 0..items {
        if !covers(today, then)? {
            return Ok(false);
        }
    }
    for _ in 0..more {
        today.skip()?;
    }
    Ok(true)
}

/// The bytes of the next item.
fn item<'b>(decoder: &mut minicbor::Decoder<'b>) -> Result<&'b [u8], minicbor::decode::Error> {
    let from = decoder.position();
    decoder.skip()?;
    Ok(decoder.input().get(from..decoder.position()).unwrap_or_default())
}
