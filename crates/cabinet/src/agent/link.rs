//! A link to the floor: it proves a key, and is opened again at the next host when it is lost.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::forward::{Hosts, Stream};
use super::{Key, Side};

/// A host says something every second; one that does not is lost.
const SILENCE: Duration = Duration::from_millis(2_000);
/// The pauses between attempts.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_millis(1_000);

/// What a link says.
#[derive(Debug)]
pub enum Said {
    /// A message of the host.
    Message(Side, Box<Value>),
    /// The link is lost.
    Lost(Side),
}

/// What a link needs.
pub struct Link {
    /// Which.
    pub side: Side,
    /// The floor.
    pub floor: String,
    /// The id of the terminal or device.
    pub id: u32,
    /// Its key.
    pub key: Key,
    /// The hosts.
    pub hosts: Arc<Hosts>,
    /// What was read with over the last link, for a host that asks who comes back (S8).
    pub reader: Option<String>,
}

impl Link {
    fn kind(&self) -> &'static str {
        match self.side {
            Side::Terminal => "terminal",
            Side::Validator => "device",
        }
    }

    /// Runs for as long as anyone listens. What is to be sent while there is no link is dropped: its sender sends it again.
    pub async fn run(mut self, said: mpsc::Sender<Said>, mut to_send: mpsc::Receiver<Value>) {
        let (mut at, mut pause, mut cursor) = (self.hosts.current(), SHORTEST, None);
        loop {
            let mut live = false;
            let ended = self.once(at, &mut cursor, &said, &mut to_send, &mut live).await;
            if said.send(Said::Lost(self.side)).await.is_err() {
                return;
            }
            if let Err(error) = &ended {
                tracing::info!(kind = self.kind(), host = at, %error, "the link is lost");
            }
            // At home once more, then at all in turn.
            if live {
                pause = SHORTEST;
            } else {
                at = (at + 1) % self.hosts.count();
                pause = (pause * 2).min(LONGEST);
            }
            sleep(pause).await;
            while to_send.try_recv().is_ok() {}
        }
    }

    async fn once(
        &mut self,
        at: usize,
        cursor: &mut Option<String>,
        said: &mpsc::Sender<Said>,
        to_send: &mut mpsc::Receiver<Value>,
        live: &mut bool,
    ) -> io::Result<()> {
        let mut socket = self.open(at).await?;
        let mut heard = Instant::now();
        loop {
            tokio::select! {
                message = socket.next() => {
                    heard = Instant::now();
                    let text = match message {
                        Some(Ok(Message::Text(text))) => text,
                        Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(io::ErrorKind::ConnectionReset.into()),
                        Some(Ok(_)) => continue,
                    };
                    let mut message: Value = serde_json::from_str(&text).map_err(io::Error::other)?;
                    match message["type"].as_str().unwrap_or_default() {
                        "challenge" => {
                            let nonce = message["nonce"].as_str().unwrap_or_default();
                            let proof = self.key.sign(&format!("croupier:{}:{}:{nonce}", self.kind(), self.id));
                            let mut hello = json!({ "type": "hello", "proof": proof, "cursor": cursor });
                            if let Some(reader) = &self.reader {
                                hello["reader"] = reader.as_str().into();
                            }
                            say(&mut socket, &hello).await?;
                            continue;
                        }
                        "snapshot" => {
                            *live = true;
                            self.hosts.answers(at);
                            if let Some(reader) = message["reader"].as_str() {
                                self.reader = Some(reader.to_owned());
                            }
                        }
                        "bye" => {
                            if message["reason"] == "moved" {
                                *cursor = None;
                            }
                            let reason = message["reason"].take();
                            return Err(io::Error::other(format!("the host says bye: {reason}")));
                        }
                        _ => {}
                    }
                    if let Some(seen) = message["cursor"].as_str() {
                        *cursor = Some(seen.to_owned());
                    }
                    if said.send(Said::Message(self.side, Box::new(message))).await.is_err() {
                        return Ok(());
                    }
                }
                message = to_send.recv() => match message {
                    Some(message) => say(&mut socket, &message).await?,
                    None => return Ok(()),
                },
                () = tokio::time::sleep_until(heard + SILENCE) => return Err(io::ErrorKind::TimedOut.into()),
            }
        }
    }

    async fn open(&self, at: usize) -> io::Result<WebSocketStream<Box<dyn Stream>>> {
        let stream = self.hosts.connect(at).await?;
        let host = self.hosts.get(at).map(super::forward::Address::host).unwrap_or_default();
        let path = format!("ws://{host}/api/v1/floors/{}/feed/{}/{}", self.floor, self.kind(), self.id);
        let request = path.into_client_request().map_err(io::Error::other)?;
        let opened = timeout(SILENCE, tokio_tungstenite::client_async(request, stream)).await;
        let (socket, _) = opened.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?.map_err(io::Error::other)?;
        Ok(socket)
    }
}

async fn say(socket: &mut WebSocketStream<Box<dyn Stream>>, message: &Value) -> io::Result<()> {
    let sent = timeout(SILENCE, socket.send(Message::text(message.to_string()))).await;
    sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?.map_err(io::Error::other)
}
