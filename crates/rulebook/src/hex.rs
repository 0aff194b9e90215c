//! Bytes as hexadecimal text where people read them (JSON), and as they are in compact encodings.
//!
//! For `#[serde(with = "rulebook::hex")]`.

use std::fmt::{self, Write};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes the bytes.
///
/// # Errors
/// When the serializer fails.
pub fn serialize<S: Serializer, const N: usize>(bytes: &[u8; N], serializer: S) -> Result<S::Ok, S::Error>
where
    [u8; N]: Serialize,
{
    if !serializer.is_human_readable() {
        return bytes.serialize(serializer);
    }
    let mut text = String::with_capacity(2 * N);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    serializer.serialize_str(&text)
}

/// Reads the bytes.
///
/// # Errors
/// When there are other than 2 × N hexadecimal digits.
pub fn deserialize<'de, D: Deserializer<'de>, const N: usize>(deserializer: D) -> Result<[u8; N], D::Error>
where
    [u8; N]: Deserialize<'de>,
{
    if !deserializer.is_human_readable() {
        return <[u8; N]>::deserialize(deserializer);
    }
    deserializer.deserialize_str(Digits)
}

/// The bytes of hexadecimal digits; `None` if there are other than 2 × N of them.
///
/// ```
/// assert_eq!(rulebook::hex::parse("00ff"), Some([0, 255]));
/// assert_eq!(rulebook::hex::parse::<2>("00f"), None);
/// ```
#[must_use]
pub fn parse<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let mut bytes = [0; N];
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

struct Digits<const N: usize>;

impl<const N: usize> Visitor<'_> for Digits<N> {
    type Value = [u8; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} hexadecimal digits", 2 * N)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<[u8; N], E> {
        parse(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}
