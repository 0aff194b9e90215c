//! Long work: on threads apart from those that serve, at a lower priority, a little at a time. Play comes first.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::error::{ApiError, ApiResult};

/// How long a request waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);
/// How much lower the priority of reports is.
const NICER: i32 = 10;
/// Anyone may use the laboratory, so it gets only the processor time that is left over.
const LAST: i32 = 19;

/// So many can work at once.
pub struct Desk {
    places: std::sync::LazyLock<Arc<Semaphore>>,
    nicer: i32,
}

/// Where reports are written.
pub static REPORTS: Desk = Desk { places: std::sync::LazyLock::new(|| Arc::new(Semaphore::new(2))), nicer: NICER };
/// Where the laboratory works things out, one after the other.
pub static LAB: Desk = Desk { places: std::sync::LazyLock::new(|| Arc::new(Semaphore::new(1))), nicer: LAST };

impl Desk {
    /// Computes something on a separate thread. The place is held until that is done, even if the client has
    /// disconnected.
    ///
    /// # Errors
    /// When no place became free in time, or the work came to nothing.
    pub async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
        let place = self.place().await?;
        let (done, answer) = oneshot::channel();
        let nicer = self.nicer;
        let run = move || {
            // It may not be allowed; then the work has the priority of everything else.
            let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), nicer);
            let _ = done.send(work());
            drop(place);
        };
        std::thread::Builder::new().name("beside".to_owned()).spawn(run).map_err(ApiError::internal)?;
        answer.await.map_err(|_| ApiError::internal("a worker thread ended without an answer"))
    }

    async fn place(&self) -> ApiResult<OwnedSemaphorePermit> {
        let place = tokio::time::timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await;
        place.map_err(|_| busy())?.map_err(ApiError::internal)
    }
}

fn busy() -> ApiError {
    ApiError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "busy",
        "the host",
        "too many are asking for reports or figures; try again",
        "请求过多，请稍后再试",
    )
    .retry_after(2)
}

/// What stands after the question mark, with an error that names the field.
pub struct Asked<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Asked<T>, ApiError> {
        Query::try_from_uri(&parts.uri).map(|Query(asked)| Asked(asked)).map_err(|rejection| {
            let words = rejection.body_text();
            let why = words.strip_prefix("Failed to deserialize query string: ").unwrap_or(&words);
            ApiError::malformed(why)
        })
    }
}
