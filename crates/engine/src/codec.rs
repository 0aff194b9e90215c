//! Records as bytes.
//!
//! The first byte is the version of the encoding. Version 1 is postcard over the origin and the event: numbers as
//! varints, variants by their place in [`floor::Event`], which therefore only ever grows at its end. The moment is the
//! journal entry's own time.

use floor::{Event, Moment, Origin, Record};

const VERSION: u8 = 1;

/// Why bytes are no record.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// Another version than this release reads.
    #[error("the record is of version {0}, which this release does not read")]
    Version(u8),
    /// Not a record.
    #[error("the record cannot be read: {0}")]
    Malformed(#[from] postcard::Error),
}

/// Writes a record after what the buffer holds.
pub fn encode(record: &Record, buffer: &mut Vec<u8>) {
    buffer.push(VERSION);
    let body: (&Option<Origin>, &Event) = (&record.origin, &record.event);
    if let Ok(filled) = postcard::to_extend(&body, std::mem::take(buffer)) {
        *buffer = filled;
    }
}

/// Reads a record.
///
/// # Errors
/// When the bytes are none, or of another version.
pub fn decode(time: i64, bytes: &[u8]) -> Result<Record, CodecError> {
    match bytes.split_first() {
        Some((&VERSION, body)) => {
            let (origin, event): (Option<Origin>, Event) = postcard::from_bytes(body)?;
            Ok(Record { at: Moment(time), origin, event })
        }
        Some((version, _)) => Err(CodecError::Version(*version)),
        None => Err(CodecError::Malformed(postcard::Error::DeserializeUnexpectedEnd)),
    }
}
