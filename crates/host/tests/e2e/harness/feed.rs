//! A feed with what it has shown so far.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::line::Line;
use super::{Client, within};

/// A key of a terminal or device, as it makes one itself: the seed of an Ed25519 key in base64.
pub fn new_key() -> String {
    STANDARD.encode(rand::random::<[u8; 32]>())
}

fn pair(key: &str) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&STANDARD.decode(key).expect("a key in base64")).expect("a seed")
}

/// What a terminal or device sends to enrol its key.
pub fn enrolment(code: &Value, key: &str) -> Value {
    let public = STANDARD.encode(pair(key).public_key().as_ref());
    json!({ "code": code, "scheme": "ed25519", "public_key": public })
}

/// The proof of a key.
pub fn proof(key: &str, kind: &str, id: u64, nonce: &str) -> String {
    STANDARD.encode(pair(key).sign(format!("croupier:{kind}:{id}:{nonce}").as_bytes()).as_ref())
}

/// A feed that is open, with everything it was sent.
pub struct Feed {
    pub socket: WebSocketStream<Line>,
    /// The sections, put over each other as they came.
    pub view: Value,
    /// The last record that was shown.
    pub sequence: u64,
    /// To come back with.
    pub cursor: String,
    /// Events, in the order they came.
    pub events: Vec<Value>,
    /// Every message, as it came.
    pub messages: Vec<Value>,
    number: u64,
}

impl Feed {
    /// A socket, with the headers of a client and nothing said yet.
    pub async fn connect(client: &Client, below: &str) -> Result<Feed, Box<Error>> {
        let line = client.connect().await.map_err(|error| Box::new(Error::Io(error)))?;
        Feed::connect_on(line, client, below).await
    }

    pub async fn connect_on(line: Line, client: &Client, below: &str) -> Result<Feed, Box<Error>> {
        let address: SocketAddr = client.address;
        let uri = format!("ws://{address}{}", client.path(below));
        let mut request = uri.into_client_request().map_err(Box::new)?;
        for (name, value) in &client.headers {
            let name = hyper::header::HeaderName::from_bytes(name.as_bytes()).expect("a name");
            request.headers_mut().insert(name, value.parse().expect("a value"));
        }
        let (socket, _) = within(below, tokio_tungstenite::client_async(request, line)).await.map_err(Box::new)?;
        // Numbers must be larger than any the terminal used before, on earlier links too.
        let number = jiff::Timestamp::now().as_microsecond().unsigned_abs();
        Ok(Feed {
            socket,
            view: json!({}),
            sequence: 0,
            cursor: String::new(),
            events: Vec::new(),
            messages: Vec::new(),
            number,
        })
    }

    /// A feed with a session, or of a display; its snapshot has arrived.
    pub async fn open(client: &Client, below: &str, cursor: Option<&str>) -> Feed {
        let mut feed = Feed::connect(client, below).await.expect("a feed");
        feed.send(json!({ "type": "hello", "cursor": cursor })).await;
        feed.until("a snapshot", |feed| feed.sequence > 0).await;
        feed
    }

    /// A feed of a terminal or device that proves its key; its snapshot has come.
    pub async fn prove(client: &Client, kind: &str, id: u64, key: &str, cursor: Value) -> Feed {
        let mut feed = Feed::connect(client, &format!("/feed/{kind}/{id}")).await.expect("a feed");
        let nonce = feed.challenge().await;
        feed.send(json!({ "type": "hello", "proof": proof(key, kind, id, &nonce), "cursor": cursor })).await;
        feed.until("a snapshot", |feed| feed.sequence > 0).await;
        feed
    }

    /// What is to be proved.
    pub async fn challenge(&mut self) -> String {
        let challenge = self.next().await.expect("a challenge");
        challenge["nonce"].as_str().expect("a nonce").to_owned()
    }

    pub async fn send(&mut self, message: Value) {
        self.send_text(message.to_string()).await;
    }

    pub async fn send_text(&mut self, text: impl Into<String>) {
        let text: String = text.into();
        // A host that has ended the feed says so in what it sent before.
        let _ = within("sending", self.socket.send(Message::text(text))).await;
    }

    pub fn number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// The next message; `None` when the feed has ended.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            let message = within("a message", self.socket.next()).await?;
            let text = match message {
                Ok(Message::Text(text)) => text,
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => continue,
            };
            let message: Value = serde_json::from_str(&text).expect("JSON");
            self.take(&message);
            self.messages.push(message.clone());
            return Some(message);
        }
    }

    fn take(&mut self, message: &Value) {
        match message["type"].as_str() {
            Some("snapshot") => self.view = json!({}),
            Some("update") => {}
            _ => return,
        }
        self.sequence = message["sequence"].as_u64().expect("a sequence");
        self.cursor = message["cursor"].as_str().expect("a cursor").to_owned();
        self.events.extend(message["events"].as_array().expect("events").iter().cloned());
        for (name, section) in message["view"].as_object().expect("sections") {
            self.view[name] = section.clone();
        }
    }

    /// Takes messages until something holds.
    pub async fn until(&mut self, what: &str, holds: impl Fn(&Feed) -> bool) {
        let wait = async {
            while !holds(self) {
                if self.next().await.is_none() {
                    panic!("the feed ended before: {what}; the last message: {:?}", self.messages.last());
                }
            }
        };
        within(what, wait).await;
    }

    /// Takes messages until an event of a kind has come, counted from one on; the event.
    pub async fn event_since(&mut self, known: usize, kind: &str) -> Value {
        let find = |feed: &Feed| feed.events.iter().skip(known).find(|event| event["kind"] == kind).cloned();
        self.until(kind, |feed| find(feed).is_some()).await;
        find(self).expect("just seen")
    }

    /// The answer to a number.
    pub async fn answer(&mut self, number: u64) -> Value {
        let find =
            |feed: &Feed| feed.messages.iter().rev().find(|m| m["type"] == "answer" && m["number"] == number).cloned();
        self.until("an answer", |feed| find(feed).is_some()).await;
        find(self).expect("just seen")
    }

    /// Sends a message with the next number and gets its answer.
    pub async fn ask(&mut self, mut message: Value) -> Value {
        let number = self.number();
        message["number"] = json!(number);
        self.send(message).await;
        self.answer(number).await
    }

    /// Places bets, all or nothing; the answer.
    pub async fn bet(&mut self, bets: &[(&str, &str)]) -> Value {
        let changes: Vec<Value> = bets.iter().map(|(spot, amount)| json!({ "add": spot, "amount": amount })).collect();
        self.ask(json!({ "type": "bet", "changes": changes })).await
    }

    /// Waits for the close and says that it is shown.
    pub async fn acknowledge(&mut self) {
        self.until("the close", |feed| feed.view["round"]["phase"] == "closed").await;
        let round = self.view["round"]["id"].clone();
        let answer = self.ask(json!({ "type": "acknowledge", "round": round })).await;
        assert!(answer["error"].is_null(), "{answer}");
    }

    /// Waits until the own credit is so much.
    pub async fn credit(&mut self, amount: &str) {
        self.until(&format!("a credit of {amount}"), |feed| feed.view["own"]["credit"] == amount).await;
    }

    /// Waits until the host ends the feed; the reason it gave.
    pub async fn bye(&mut self) -> String {
        within("the end of the feed", async { while self.next().await.is_some() {} }).await;
        let bye = self.messages.iter().rev().find(|message| message["type"] == "bye");
        bye.and_then(|bye| bye["reason"].as_str()).unwrap_or("none").to_owned()
    }

    /// The codes of an answer's error.
    pub fn code(answer: &Value) -> &str {
        answer["error"]["code"].as_str().unwrap_or("accepted")
    }
}
