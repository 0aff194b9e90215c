//! The wire of a feed: a WebSocket that counts every frame a client sends and waits for no client that does not read.
//!
//! Frames are counted below the WebSocket library, which answers pings and joins continuation frames without reporting
//! them: pings, pongs and empty continuations are work too. A client above the limit is disconnected. That count, and
//! the time limit of a message, bound what waits to be written to a client that does not read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::app::App;
use crate::error::{ApiError, ApiResult};
use crate::feed::rate::Bucket;

/// The largest message a client may send.
const LARGEST: usize = 64 * 1024;
/// How much a connection reads at once: little, because ten thousand of them wait at the same time.
const READ_BUFFER: usize = 1024;
/// What may wait to be written: an update and the answer behind it go out together.
const WRITE_BUFFER: usize = 8 * 1024;
/// How long a client may take to read what it is sent.
pub const UNREAD: Duration = Duration::from_secs(30);

/// How long, and for how many kilobytes, the host reads from a client after it has closed the feed.
const DRAIN: Duration = Duration::from_millis(500);
const DRAINED: u32 = 256;

/// Why nothing more goes over a wire.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The client sent more frames than it may.
    Limits,
    /// The client left what it was sent unread.
    Unread,
    /// It is gone, or speaks something else.
    Gone,
}

impl From<Error> for Cut {
    fn from(error: Error) -> Cut {
        match error {
            Error::Io(error) if error.kind() == io::ErrorKind::QuotaExceeded => Cut::Limits,
            _ => Cut::Gone,
        }
    }
}

/// A request to open a feed.
pub struct Upgrade {
    on: OnUpgrade,
    accept: HeaderValue,
}

impl FromRequestParts<Arc<App>> for Upgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Upgrade, ApiError> {
        Upgrade::of(parts)
    }
}

impl Upgrade {
    fn of(parts: &mut Parts) -> ApiResult<Upgrade> {
        let says = |name: header::HeaderName, word: &str| {
            let values = parts.headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
        };
        let asks = parts.method == Method::GET
            && says(header::CONNECTION, "upgrade")
            && says(header::UPGRADE, "websocket")
            && says(header::SEC_WEBSOCKET_VERSION, "13");
        let key = parts.headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| asks);
        let key = key.ok_or_else(|| ApiError::malformed("a feed is opened as a WebSocket of version 13"))?;
        let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes())).map_err(ApiError::internal)?;
        let on = parts.extensions.remove::<OnUpgrade>();
        let on = on.ok_or_else(|| ApiError::malformed("this connection cannot be upgraded to a WebSocket"))?;
        Ok(Upgrade { on, accept })
    }

    /// Opens the socket, with so many frames a second from the client, and serves it.
    pub fn open<F>(self, frames_per_second: u32, serve: impl FnOnce(Socket) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send,
    {
        let Upgrade { on, accept } = self;
        tokio::spawn(async move {
            if let Ok(upgraded) = on.await {
                serve(Socket::new(upgraded, frames_per_second).await).await;
            }
        });
        let answer = [
            (header::CONNECTION, HeaderValue::from_static("upgrade")),
            (header::UPGRADE, HeaderValue::from_static("websocket")),
            (header::SEC_WEBSOCKET_ACCEPT, accept),
        ];
        (StatusCode::SWITCHING_PROTOCOLS, answer, Body::empty()).into_response()
    }
}

/// An open socket.
pub struct Socket(WebSocketStream<Counted<TokioIo<Upgraded>>>);

impl Socket {
    async fn new(upgraded: Upgraded, frames_per_second: u32) -> Socket {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .write_buffer_size(WRITE_BUFFER)
            .max_message_size(Some(LARGEST))
            .max_frame_size(Some(LARGEST));
        let stream = Counted { stream: TokioIo::new(upgraded), frames: Frames::new(frames_per_second) };
        Socket(WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await)
    }

    /// The next message; `None` at the end.
    pub async fn next(&mut self) -> Option<Result<Message, Cut>> {
        Some(self.0.next().await?.map_err(Cut::from))
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the client does not read it in time, or is gone.
    pub async fn send(&mut self, message: Message) -> Result<(), Cut> {
        in_time(self.0.send(message)).await
    }

    /// Puts a message behind what waits to be sent.
    ///
    /// # Errors
    /// When the client does not read in time, or is gone.
    pub async fn feed(&mut self, message: Message) -> Result<(), Cut> {
        in_time(self.0.feed(message)).await
    }

    /// Sends what waits.
    ///
    /// # Errors
    /// When the client does not read it in time, or is gone.
    pub async fn flush(&mut self) -> Result<(), Cut> {
        in_time(self.0.flush()).await
    }
}

impl Socket {
    /// Closes the connection so that the last message arrives: a limited amount of what the client still sends is read
    /// and discarded, for a limited time. Otherwise the system would reset the connection at once.
    pub async fn end(&mut self) {
        let stream = &mut self.0.get_mut().stream;
        let end = async {
            stream.shutdown().await?;
            let (mut room, mut left) = ([0; 1024], DRAINED);
            while left > 0 && stream.read(&mut room).await? > 0 {
                left -= 1;
            }
            io::Result::Ok(())
        };
        let _ = timeout(DRAIN, end).await;
    }
}

async fn in_time(sent: impl Future<Output = Result<(), Error>>) -> Result<(), Cut> {
    timeout(UNREAD, sent).await.map_err(|_| Cut::Unread)?.map_err(Cut::from)
}

/// A stream whose frames are counted as they are read.
struct Counted<S> {
    stream: S,
    frames: Frames,
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        if self.frames.count(read) {
            Poll::Ready(Ok(()))
        } else {
            Poll::Ready(Err(io::Error::new(io::ErrorKind::QuotaExceeded, "too many frames")))
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// Where one frame ends and the next begins, and how many more a client may send.
struct Frames {
    rate: Bucket,
    /// The head of the frame that is being read, and how much of it is known.
    head: [u8; 14],
    known: usize,
    /// What is still to come of its content.
    content: u64,
}

impl Frames {
    fn new(per_second: u32) -> Frames {
        Frames { rate: Bucket::new(per_second), head: [0; 14], known: 0, content: 0 }
    }

    /// Counts the frames that begin in these bytes; whether they are within the limit.
    fn count(&mut self, mut bytes: &[u8]) -> bool {
        while let Some((first, rest)) = bytes.split_first() {
            if self.content > 0 {
                let skipped = usize::try_from(self.content).unwrap_or(usize::MAX).min(bytes.len());
                self.content -= skipped as u64;
                bytes = bytes.get(skipped..).unwrap_or_default();
                continue;
            }
            if self.known == 0 && !self.rate.take() {
                return false;
            }
            if let Some(place) = self.head.get_mut(self.known) {
                *place = *first;
            }
            self.known += 1;
            bytes = rest;
            if let Some(content) = content(self.head.get(..self.known).unwrap_or_default()) {
                (self.content, self.known) = (content, 0);
            }
        }
        true
    }
}

/// Counts the frames in parts of a stream, for the fuzz target: the known part of the last head, and the expected
/// content.
pub(crate) fn frames<'a>(parts: impl Iterator<Item = &'a [u8]>) -> (usize, u64) {
    let mut frames = Frames::new(u32::MAX);
    for part in parts {
        frames.count(part);
    }
    (frames.known, frames.content)
}

/// How much content a frame has, once its head is complete (RFC 6455, 5.2).
fn content(head: &[u8]) -> Option<u64> {
    let second = *head.get(1)?;
    let more = match second & 0x7f {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mask = if second & 0x80 == 0 { 0 } else { 4 };
    if head.len() < 2 + more + mask {
        return None;
    }
    let long = head.get(2..2 + more)?.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    Some(if more == 0 { u64::from(second & 0x7f) } else { long })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame as a client sends it.
    fn frame(first: u8, content: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        match u16::try_from(content.len()) {
            Ok(short) if short < 126 => frame.push(0x80 | short as u8),
            Ok(long) => {
                frame.push(0x80 | 126);
                frame.extend(long.to_be_bytes());
            }
            Err(_) => {
                frame.push(0x80 | 127);
                frame.extend((content.len() as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(content);
        frame
    }

    #[test]
    fn every_frame_counts_however_its_bytes_are_divided() {
        for (first, length) in [(0x81, 3), (0x89, 125), (0x8a, 0), (0x00, 0), (0x01, 126), (0x82, 66_000)] {
            for piece in [1, 2, 7, 100_000] {
                let mut frames = Frames::new(5);
                let one = frame(first, &vec![0x89; length]);
                let counted = (0..30).filter(|_| one.chunks(piece).all(|part| frames.count(part))).count();
                assert_eq!(counted, 10, "{first:#x} {length} {piece}");
            }
        }
    }
}
