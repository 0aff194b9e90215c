//! Sealed one-time codes (D27): made by two administrators, shown once, kept on paper in sealed envelopes. The floor keeps
//! their hashes.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use floor::{Body, SealedHash};
use rand::TryRng;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::Caller;
use crate::api::command;
use crate::app::App;
use crate::error::{ApiError, ApiResult};

/// How many codes are made at once.
const CODES: usize = 4;
/// Letters that are not mistaken for each other.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Letters of a code, in groups of five: 100 bits.
const LENGTH: usize = 20;

/// Sealed codes to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SealCodes {
    /// The second administrator (D27).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// Sealed codes. They are shown this once: each goes onto a paper of its own, and that into a sealed envelope.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SealedBody {
    /// The record.
    pub accepted: u64,
    /// The codes; those made before are void.
    pub codes: Vec<String>,
}

/// The hash by which the floor knows a code; blanks, hyphens and case do not matter.
#[must_use]
pub fn hash(code: &str) -> SealedHash {
    let letters: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    SealedHash(*blake3::hash(format!("sealed code {}", letters.to_ascii_uppercase()).as_bytes()).as_bytes())
}

fn made_up() -> Result<String, rand::rngs::SysError> {
    let mut bytes = [0_u8; LENGTH];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes)?;
    let letter = |byte: &u8| char::from(LETTERS.get(usize::from(byte % 32)).copied().unwrap_or(b'A'));
    let letters: Vec<char> = bytes.iter().map(letter).collect();
    Ok(letters.chunks(5).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-"))
}

/// Makes sealed codes.
///
/// # Errors
/// Why it was not done.
pub async fn seal(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<SealedBody>> {
    let number = command::number(&headers)?;
    let SealCodes { witness } = command::read(&body)?;
    let witness = match &witness {
        Some(witness) => Some(command::verify(&app, witness, caller.address).await?),
        None => None,
    };
    let codes = (0..CODES).map(|_| made_up()).collect::<Result<Vec<_>, _>>().map_err(ApiError::internal)?;
    let hashes = codes.iter().map(|code| hash(code)).collect();
    let accepted = app.submit(caller.sender, number, Body::SealCodes { hashes, witness }).await?;
    Ok(Json(SealedBody { accepted, codes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_written() {
        let code = made_up().unwrap();
        assert_eq!(code.len(), LENGTH + 3);
        assert_ne!(code, made_up().unwrap());
        assert_eq!(hash(&code), hash(&format!(" {} ", code.to_lowercase().replace('-', " "))));
    }
}
