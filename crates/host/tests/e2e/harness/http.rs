//! A small HTTP client: a connection for each request, nothing hidden.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{HeaderMap, Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;

use super::line::{self, Line};
use super::within;

/// An HTTP client, with a cookie or a token or neither.
#[derive(Clone, Debug)]
pub struct Client {
    pub address: SocketAddr,
    pub floor: String,
    pub headers: Vec<(String, String)>,
    /// What it trusts, where the host speaks TLS.
    pub tls: Option<Arc<rustls::ClientConfig>>,
    /// Its own address, if it is to be another than the system's choice.
    pub from: Option<IpAddr>,
}

/// What was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Answer {
    /// The code of an error.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// The English words of an error.
    pub fn words(&self) -> &str {
        self.body["error"]["message"]["en"].as_str().unwrap_or_default()
    }

    /// The status and the code together.
    pub fn refusal(&self) -> (u16, &str) {
        (self.status.as_u16(), self.code())
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    #[track_caller]
    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.text);
        self.body
    }
}

impl Client {
    pub fn new(address: SocketAddr, floor: &str) -> Client {
        Client { address, floor: floor.to_owned(), headers: Vec::new(), tls: None, from: None }
    }

    /// The same from another address of this machine: the whole of 127.0.0.0/8 is its own.
    pub fn from(&self, address: [u8; 4]) -> Client {
        Client { from: Some(address.into()), ..self.clone() }
    }

    /// A connection to the host.
    pub async fn connect(&self) -> std::io::Result<Line> {
        line::connect(self.address, self.tls.as_ref(), self.from).await
    }

    /// The same with one more header.
    pub fn header(&self, name: &str, value: impl Into<String>) -> Client {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.into()));
        client
    }

    /// The same without a header.
    pub fn without(&self, name: &str) -> Client {
        let mut client = self.clone();
        client.headers.retain(|(known, _)| known != name);
        client
    }

    pub fn path(&self, below: &str) -> String {
        format!("/api/v1/floors/{}{below}", self.floor)
    }

    pub async fn get(&self, below: &str) -> Answer {
        self.send(Method::GET, &self.path(below), None).await
    }

    pub async fn get_root(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, below: &str, body: Value) -> Answer {
        self.send(Method::POST, &self.path(below), Some(body.to_string().into())).await
    }

    pub async fn post_bytes(&self, below: &str, body: impl Into<Bytes>) -> Answer {
        self.send(Method::POST, &self.path(below), Some(body.into())).await
    }

    pub async fn delete(&self, below: &str) -> Answer {
        self.send(Method::DELETE, &self.path(below), None).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Bytes>) -> Answer {
        let stream = within("a connection", self.connect()).await.expect("the host listens");
        self.send_on(stream, method, path, body).await
    }

    /// The same over a stream that exists, such as a TLS one.
    pub async fn send_on<S>(&self, stream: S, method: Method, path: &str, body: Option<Bytes>) -> Answer
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) =
            within("a handshake", hyper::client::conn::http1::handshake(TokioIo::new(stream))).await.expect("HTTP");
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header("host", self.address.to_string());
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(body.unwrap_or_default())).expect("a request");
        let response = within(path, sender.send_request(request)).await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = within(path, response.into_body().collect()).await.expect("a body").to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Answer { status, headers, text, body }
    }
}
