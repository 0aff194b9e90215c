//! A feed that stays open: of a terminal, a device or a validator. What comes is kept until it is asked for.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, StreamExt};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::http::PATIENCE;

/// What a feed has shown so far.
#[derive(Default)]
struct Shown {
    view: Value,
    answers: Vec<Value>,
    nonce: Option<String>,
    ended: bool,
}

/// An open feed.
pub struct Link {
    sink: SplitSink<WebSocketStream<TcpStream>, Message>,
    shown: Arc<Mutex<Shown>>,
    news: watch::Receiver<u64>,
    reader: JoinHandle<()>,
    number: u64,
}

/// A key that a terminal or device makes itself: the seed of an Ed25519 key, and its public part in base64.
pub struct Key(Ed25519KeyPair);

impl Key {
    /// A new one.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn new() -> Result<Key, String> {
        let mut seed = [0; 32];
        SystemRandom::new().fill(&mut seed).map_err(|error| error.to_string())?;
        Ed25519KeyPair::from_seed_unchecked(&seed).map(Key).map_err(|error| error.to_string())
    }

    /// What the host is given of it.
    #[must_use]
    pub fn public(&self) -> String {
        STANDARD.encode(self.0.public_key().as_ref())
    }

    /// The proof that this is the key of a terminal or device.
    fn proof(&self, kind: &str, id: u64, nonce: &str) -> String {
        STANDARD.encode(self.0.sign(format!("croupier:{kind}:{id}:{nonce}").as_bytes()).as_ref())
    }
}

impl Link {
    /// Opens a feed and waits for its snapshot. A terminal or device proves its key, a person has a cookie.
    ///
    /// # Errors
    /// When it is not opened.
    pub async fn open(
        address: SocketAddr,
        path: &str,
        cookie: Option<&str>,
        key: Option<(&str, u64, &Key)>,
        number: u64,
    ) -> Result<Link, String> {
        let words = |error: &dyn std::fmt::Display| format!("{path}: {error}");
        let uri = format!("ws://{address}{path}");
        let mut request = uri.into_client_request().map_err(|error| words(&error))?;
        if let Some(cookie) = cookie {
            let value = cookie.parse().map_err(|_| words(&"the cookie cannot be sent"))?;
            request.headers_mut().insert("cookie", value);
        }
        let stream = TcpStream::connect(address).await.map_err(|error| words(&error))?;
        stream.set_nodelay(true).map_err(|error| words(&error))?;
        let (socket, _) = tokio_tungstenite::client_async(request, stream).await.map_err(|error| words(&error))?;
        let (sink, mut stream) = socket.split();
        let (tell, news) = watch::channel(0);
        let shown = Arc::new(Mutex::new(Shown { view: json!({}), ..Shown::default() }));
        let keep = Arc::clone(&shown);
        let reader = tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                if let Message::Text(text) = message
                    && let Ok(message) = serde_json::from_str::<Value>(&text)
                {
                    take(&mut keep.lock().unwrap_or_else(PoisonError::into_inner), message);
                    tell.send_modify(|count| *count += 1);
                }
            }
            keep.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
            tell.send_modify(|count| *count += 1);
        });
        let mut link = Link { sink, shown, news, reader, number };
        let mut hello = json!({ "type": "hello" });
        if let Some((kind, id, key)) = key {
            let nonce = link.until(|shown| shown.nonce.clone()).await.map_err(|error| words(&error))?;
            hello["proof"] = json!(key.proof(kind, id, &nonce));
        }
        link.say(&hello).await?;
        link.until(|shown| shown.view["sequence"].as_u64()).await.map_err(|error| words(&error))?;
        Ok(link)
    }

    async fn say(&mut self, message: &Value) -> Result<(), String> {
        self.sink.send(Message::text(message.to_string())).await.map_err(|error| error.to_string())
    }

    /// Waits until something is there.
    async fn until<T>(&mut self, find: impl Fn(&Shown) -> Option<T>) -> Result<T, String> {
        let wait = async {
            loop {
                self.news.borrow_and_update();
                {
                    let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some(found) = find(&shown) {
                        return Ok(found);
                    }
                    if shown.ended {
                        return Err(format!("the feed has ended: {}", shown.view["bye"]));
                    }
                }
                if self.news.changed().await.is_err() {
                    return Err("the feed has ended".to_owned());
                }
            }
        };
        tokio::time::timeout(PATIENCE, wait).await.map_err(|_| "the feed says nothing".to_owned())?
    }

    /// Sends a message under the next number and waits for its answer.
    ///
    /// # Errors
    /// When none comes.
    pub async fn ask(&mut self, mut message: Value) -> Result<Value, String> {
        self.number += 1;
        let number = self.number;
        message["number"] = json!(number);
        self.say(&message).await?;
        self.until(|shown| shown.answers.iter().find(|answer| answer["number"] == number).cloned()).await
    }

    /// A section of the view as it is now.
    #[must_use]
    pub fn section(&self, name: &str) -> Value {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).view[name].clone()
    }

    /// The whole view, once it has a section.
    ///
    /// # Errors
    /// When the feed ends before.
    pub async fn view_with(&mut self, section: &str) -> Result<Value, String> {
        let there = |shown: &Shown| section.is_empty() || !shown.view[section].is_null();
        self.until(|shown| there(shown).then(|| shown.view.clone())).await
    }

    /// Ends the feed and waits until it has.
    pub async fn close(mut self) {
        let _ = self.sink.close().await;
        let _ = tokio::time::timeout(PATIENCE, &mut self.reader).await;
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

fn take(shown: &mut Shown, message: Value) {
    match message["type"].as_str() {
        Some("challenge") => shown.nonce = message["nonce"].as_str().map(str::to_owned),
        Some("answer") => shown.answers.push(message),
        Some("bye") => shown.view["bye"] = message["reason"].clone(),
        Some(kind @ ("snapshot" | "update")) => {
            if kind == "snapshot" {
                shown.view = json!({});
            }
            for (name, section) in message["view"].as_object().into_iter().flatten() {
                shown.view[name] = section.clone();
            }
            shown.view["sequence"] = message["sequence"].clone();
        }
        _ => {}
    }
}
