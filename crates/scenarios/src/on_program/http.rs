//! A small HTTP client: a connection for each request, nothing hidden.

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::world::Refused;

/// No wait is longer than this.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What was answered.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The cookie that was set.
    pub cookie: Option<String>,
    /// The body.
    pub body: Value,
}

impl Reply {
    /// The body of a success, or the refusal.
    ///
    /// # Errors
    /// The refusal.
    pub fn done(self) -> Result<Value, Refused> {
        if self.status < 300 {
            return Ok(self.body);
        }
        Err(refusal(&self.body["error"], self.status))
    }
}

/// A refusal as the API words it.
#[must_use]
pub fn refusal(error: &Value, status: u16) -> Refused {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let code = if error.is_null() { format!("status {status}") } else { text(&error["code"]) };
    Refused { code, rule: text(&error["rule"]), words: text(&error["message"]["en"]) }
}

/// Sends a request.
///
/// # Errors
/// When no answer comes.
pub async fn send(
    address: SocketAddr,
    method: Method,
    path: &str,
    headers: &[(&str, String)],
    body: Option<Value>,
) -> Result<Reply, String> {
    let ask = async {
        let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header("host", address.to_string());
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = request.body(Full::new(bytes)).map_err(|error| error.to_string())?;
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let status = response.status().as_u16();
        let cookie = response.headers().get("set-cookie").and_then(|value| value.to_str().ok());
        let cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
        let bytes = response.into_body().collect().await.map_err(|error| error.to_string())?.to_bytes();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(Reply { status, cookie, body })
    };
    tokio::time::timeout(PATIENCE, ask).await.map_err(|_| format!("no answer to {path}"))?
}
