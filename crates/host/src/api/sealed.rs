//! Sealed one-time codes (D27): made by two administrators, shown once, kept on paper in sealed envelopes. The floor keeps
//! their hashes. A code has two halves: one is shown to the administrator who makes them, the second person chooses the other
//! (`half` in `witness`). So neither knows a whole code.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use floor::{Body, Post, SealedHash, Sender};
use rand::TryRng;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::{self, Caller};
use crate::api::command;
use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};
use crate::store::is_simple;

/// How many codes are made at once.
const CODES: usize = 4;
/// Letters that are not mistaken for each other.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// The least letters and digits of the second person's half.
const HALF: usize = 8;
/// Letters of a code, in groups of five: 100 bits.
const LENGTH: usize = 20;

/// Sealed codes to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SealCodes {
    /// The second administrator, with a `half` of at least 8 letters or digits (D27).
    #[serde(default)]
    pub witness: Option<command::Witness>,
}

/// Sealed codes. They are shown this once: each goes onto a paper of its own, and that into a sealed envelope.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SealedBody {
    /// The record.
    pub accepted: u64,
    /// The first halves of the codes; those made before are void. To open one, its other half is added, which the second person
    /// chose.
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
    let caller = caller.asks(&body);
    let SealCodes { witness } = command::read(&body)?;
    let half = witness.as_ref().and_then(|witness| witness.half.clone()).unwrap_or_default();
    if witness.is_some() && half.chars().filter(char::is_ascii_alphanumeric).count() < HALF {
        let words =
            format!("the second person chooses the other half of the codes, of at least {HALF} letters or digits");
        let zh = "第二人须自行设定代码的另一半，至少 8 个字母或数字";
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "half", "D27", words, zh));
    }
    if witness.is_some() && is_simple(&half.chars().filter(char::is_ascii_alphanumeric).collect::<String>()) {
        let words =
            "this half is easy to guess: choose one without rows or repetitions, with 5 different characters or more";
        let zh = "此半码过于简单：不得为连续或重复的字符，且至少须有 5 个不同的字符";
        return Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "half", "D27", words, zh));
    }
    let codes = (0..CODES).map(|_| made_up()).collect::<Result<Vec<_>, _>>().map_err(ApiError::internal)?;
    let hashes: Vec<SealedHash> = codes.iter().map(|code| hash(&format!("{code}{half}"))).collect();
    let seal = |witness| Body::SealCodes { hashes: hashes.clone(), witness };
    let witness = command::signed(&app, &caller, number, witness.as_ref(), seal).await?;
    let accepted = app.submit(caller.sender, number, seal(witness)).await?;
    Ok(Json(SealedBody { accepted, codes }))
}

/// An attempt to open a sealed code. Who has the paper lacks the half that a person chose, and could try many.
pub struct Guess {
    address: IpAddr,
    who: String,
}

impl Guess {
    /// Counts the attempt, if a command is one that the floor would look at.
    ///
    /// # Errors
    /// When too many were wrong.
    pub async fn of(app: &Arc<App>, caller: &Caller, body: &Body) -> ApiResult<Option<Guess>> {
        let Body::OpenSealedCode { .. } = body else { return Ok(None) };
        let Sender::Staff(staff) = caller.sender else { return Ok(None) };
        if !app.read(|floor| caller::serves(floor, staff, |post| post == Post::Administrator)) {
            return Ok(None);
        }
        let guess = Guess { address: caller.address, who: app.name_of(staff) };
        let address = guess.address;
        let counted = app.change_credentials(move |store| store.tries_sealed_code(address, clock::now())).await?;
        if let Err(refused) = counted {
            guess.refused(app, &refused);
            return Err(refused.into());
        }
        Ok(Some(guess))
    }

    fn refused(&self, app: &App, why: &dyn std::fmt::Display) {
        let Guess { address, who } = self;
        app.refused(*address, None, &format!("A sealed code that {who} tried from {address} was refused: {why}"), true);
    }

    /// How it ended: a wrong code is recorded, and shown at the pit.
    pub async fn ended(&self, app: &Arc<App>, done: &ApiResult<u64>) {
        let wrong = done.as_ref().err().filter(|error| error.error.code == floor::Code::NotFound.as_str());
        if wrong.is_some() {
            return self.refused(app, &"wrong code");
        }
        let address = self.address;
        let right = app.change_credentials(move |store| store.sealed_code_was_right(address)).await;
        if !matches!(right, Ok(Ok(()))) {
            tracing::warn!("an attempt that was no wrong code is still counted");
        }
    }
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
