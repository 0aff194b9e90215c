//! The screen of a cabinet: its page's socket, as a page would hold it.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket, client};

/// Nothing takes so long; a test that would wait for ever fails instead.
const PATIENCE: Duration = Duration::from_secs(40);

/// What the screen shows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub credit: i64,
    pub doubt: Option<u64>,
    pub state: Value,
    /// The floor is on the screen.
    pub live: bool,
}

pub struct Screen {
    address: SocketAddr,
    terminal: u32,
    socket: Option<WebSocket<TcpStream>>,
    shown: Shown,
    number: u64,
}

impl Screen {
    pub fn new(address: SocketAddr, terminal: u32) -> Screen {
        Screen { address, terminal, socket: None, shown: Shown::default(), number: 0 }
    }

    /// Looks at the screen until it shows what is waited for.
    pub fn until(&mut self, mut wanted: impl FnMut(&Shown) -> bool) -> Shown {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.shown.live && wanted(&self.shown) {
                return self.shown.clone();
            }
            self.look();
        }
        panic!("the screen does not show it: {:#?}", self.shown);
    }

    /// Presses a button.
    pub fn press(&mut self, message: Value) {
        self.number += 1;
        let mut message = message;
        message["number"] = self.number.into();
        if let Some(socket) = &mut self.socket
            && socket.send(Message::text(message.to_string())).is_err()
        {
            self.lost();
        }
    }

    pub fn lost(&mut self) {
        self.socket = None;
        self.shown = Shown::default();
    }

    /// The next message, or the next attempt.
    fn look(&mut self) {
        let Some(socket) = &mut self.socket else { return self.open() };
        match socket.read() {
            Ok(Message::Text(text)) => self.hear(&serde_json::from_str(&text).expect("JSON")),
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => self.lost(),
        }
    }

    fn open(&mut self) {
        let opened = TcpStream::connect(self.address).ok().and_then(|stream| {
            stream.set_read_timeout(Some(Duration::from_millis(500))).ok()?;
            let path = format!("ws://{}/api/v1/floors/demo/feed/terminal/{}", self.address, self.terminal);
            client(path, stream).ok()
        });
        match opened {
            Some((mut socket, _)) => {
                let _ = socket.send(Message::text(json!({ "type": "hello", "cursor": null }).to_string()));
                self.socket = Some(socket);
            }
            // It is coming up.
            None => std::thread::yield_now(),
        }
    }

    fn hear(&mut self, message: &Value) {
        match message["type"].as_str().unwrap_or_default() {
            "cabinet" if !message["state"].is_null() => self.shown.state = message["state"].clone(),
            "snapshot" | "update" => {
                self.shown.live = true;
                let own = &message["view"]["own"];
                if !own.is_null() {
                    let credit = own["credit"].as_str().expect("a credit").replace('.', "");
                    self.shown.credit = credit.parse().expect("cents");
                    self.shown.doubt = own["doubt"]["ticket"].as_u64();
                }
            }
            _ => {}
        }
    }
}
