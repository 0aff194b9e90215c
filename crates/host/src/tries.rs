//! Ticket numbers that are being checked: at each place one after the other (S16).
//!
//! A wrong number is counted before the next one is checked, so numbers that are sent at once get no more answers than
//! numbers sent one after the other. A client that goes away ends no check, and so leaves no number uncounted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::Refused;
use floor::{Body, Sender, TerminalId, TicketPlace};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::app::App;
use crate::error::{ApiError, ApiResult};

/// Numbers that may wait at one place; a further one is to be tried again later.
const WAITING: usize = 1_024;

/// Where numbers are being checked.
#[derive(Debug, Default)]
pub struct Tries(Mutex<BTreeMap<TicketPlace, Arc<Turn<()>>>>);

impl Tries {
    /// Waits until no other number is being checked at a place.
    async fn turn(&self, place: TicketPlace) -> Result<OwnedMutexGuard<()>, Refused> {
        let turn = {
            let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            places.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(places.entry(place).or_default())
        };
        if Arc::strong_count(&turn) > WAITING {
            return Err(Refused::Busy);
        }
        Ok(turn.lock_owned().await)
    }
}

/// Checks a number when it is its turn. A wrong one is counted before it is answered, and told apart.
///
/// # Errors
/// Why it was not done.
pub async fn check(
    app: &Arc<App>,
    place: TicketPlace,
    digits: String,
    check: impl Future<Output = ApiResult<u64>> + Send + 'static,
) -> ApiResult<u64> {
    let app = Arc::clone(app);
    let checked = tokio::spawn(async move {
        let _turn = app.tries.turn(place).await?;
        match check.await {
            Ok(accepted) => Ok(accepted),
            Err(error) => Err(app.told_apart(place, &digits, error).await),
        }
    });
    checked.await.map_err(ApiError::internal)?
}

/// Takes a ticket in at a terminal, by its number.
///
/// # Errors
/// Why it was not done.
pub async fn ticket_in(app: &Arc<App>, terminal: TerminalId, number: u64, digits: String) -> ApiResult<u64> {
    let (sender, body) = (Sender::Terminal(terminal), Body::TicketIn { terminal, number: app.ticket_hash(&digits)? });
    let submitting = Arc::clone(app);
    let submit = async move { submitting.submit(sender, number, body).await };
    check(app, TicketPlace::Terminal(terminal), digits, submit).await
}
