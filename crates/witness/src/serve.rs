//! The witness over HTTP: `POST /add-checkpoint`, and `GET /HASH/checkpoint` for those who watch the witness.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tlog::witness::{Refusal, SIZE_TYPE};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::{Uncosigned, Witness};

/// What a client may use.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// How long a head, a body or a handshake may take.
    pub patience: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { connections: 256, patience: Duration::from_secs(10) }
    }
}

/// Bytes of a request: a note and a proof of 63 hashes.
const MAX_BODY: usize = tlog::note::MAX_NOTE + 64 * 64;
/// How long open requests may take to finish when the witness stops.
const FINISH: Duration = Duration::from_secs(5);

/// Serves until told to stop.
pub async fn serve(
    witness: Arc<Witness>,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => break,
        };
        while tasks.try_join_next().is_some() {}
        let (Ok((stream, _)), Ok(place)) = (accepted, Arc::clone(&places).try_acquire_owned()) else {
            // Out of files or places: others will finish.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let (witness, tls, stop) = (Arc::clone(&witness), tls.clone(), stop.clone());
        tasks.spawn(async move {
            match tls {
                None => connection(witness, stream, limits, stop).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(limits.patience, tls.accept(stream)).await {
                        connection(witness, stream, limits, stop).await;
                    }
                }
            }
            drop(place);
        });
    }
    drop(listener);
    let _ = timeout(FINISH, async { while tasks.join_next().await.is_some() {} }).await;
}

async fn connection<S>(witness: Arc<Witness>, stream: S, limits: Limits, mut stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = hyper::service::service_fn(move |request| {
        let witness = Arc::clone(&witness);
        async move { Ok::<_, Infallible>(answer(witness, request, limits).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.patience)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = &mut connection => {}
        _ = stop.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

const PLAIN: &str = "text/plain; charset=utf-8";

async fn answer(witness: Arc<Witness>, request: Request<Incoming>, limits: Limits) -> Response<Full<Bytes>> {
    let path = request.uri().path().to_owned();
    if path == "/add-checkpoint" {
        if request.method() != Method::POST {
            return text(StatusCode::METHOD_NOT_ALLOWED, PLAIN, "this is asked with POST\n");
        }
        let body = timeout(limits.patience, Limited::new(request.into_body(), MAX_BODY).collect()).await;
        let Ok(Ok(body)) = body else {
            return text(StatusCode::BAD_REQUEST, PLAIN, "the request is too long, or did not come in time\n");
        };
        let body = body.to_bytes();
        let added = tokio::task::spawn_blocking(move || witness.add_checkpoint(&body, now())).await;
        return match added {
            Ok(Ok(line)) => text(StatusCode::OK, PLAIN, line),
            Ok(Err(Uncosigned::Refused(Refusal::Stale(size)))) => {
                text(StatusCode::CONFLICT, SIZE_TYPE, format!("{size}\n"))
            }
            Ok(Err(Uncosigned::Refused(refusal))) => {
                let status = StatusCode::from_u16(refusal.status()).unwrap_or(StatusCode::BAD_REQUEST);
                text(status, PLAIN, format!("{refusal}\n"))
            }
            Ok(Err(Uncosigned::Disk(error))) => {
                text(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, format!("nothing was signed: {error}\n"))
            }
            Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, "nothing was signed\n"),
        };
    }
    let hash = path.strip_prefix('/').and_then(|path| path.strip_suffix("/checkpoint"));
    match hash.filter(|_| request.method() == Method::GET).and_then(|hash| witness.latest(hash)) {
        Some(note) => text(StatusCode::OK, PLAIN, note),
        None => text(StatusCode::NOT_FOUND, PLAIN, "there is nothing here\n"),
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
