//! One terminal's link: from the upgrade over the proof of its key to its messages.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use floor::TerminalId;
use host::store::Holder;

use crate::frame::{self, Kind};
use crate::house::Seat;
use crate::{Failed, Result};

/// How far a link has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It has asked for the upgrade.
    Upgrading,
    /// It speaks WebSocket.
    Open,
    /// It has its snapshot.
    Ready,
    /// It has ended.
    Ended,
}

/// What a message was, looked at and not parsed.
#[derive(Copy, Clone, Debug)]
pub enum Heard<'a> {
    /// The snapshot: the terminal is current. Nothing, from a peer.
    Ready(&'a [u8]),
    /// The answer to a number, and whether it was accepted.
    Answer(u64, bool),
    /// Something has changed.
    Update(&'a [u8]),
    /// A message of a peer, or another one of the host.
    Other(&'a [u8]),
    /// The link has ended.
    Ended,
}

/// A terminal at the other end of a socket.
pub struct Link {
    /// The socket.
    pub stream: TcpStream,
    /// How far it has come.
    pub stage: Stage,
    seat: Option<Seat>,
    /// A feed that needs no key is greeted all the same.
    greets: bool,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
}

impl Link {
    /// Asks for a feed. With a seat the key is proved; without, messages are taken as they are.
    pub fn open(address: SocketAddr, path: &str, seat: Option<Seat>) -> Result<Link> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        let greets = seat.is_none() && path.contains("/feed/");
        let outbox = request.into_bytes();
        let mut link = Link { stream, stage: Stage::Upgrading, seat, greets, inbox: Vec::new(), outbox };
        link.flush()?;
        Ok(link)
    }

    /// Sends a message.
    pub fn send(&mut self, text: &[u8]) -> Result<()> {
        frame::push(&mut self.outbox, 1, text);
        self.flush()
    }

    /// Writes what waits; whether nothing waits any more.
    pub fn flush(&mut self) -> Result<()> {
        while !self.outbox.is_empty() {
            match self.stream.write(&self.outbox) {
                Ok(0) => return Err(Failed::new("the link has ended")),
                Ok(written) => drop(self.outbox.drain(..written)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Disconnects without a message, like a terminal whose network is gone.
    pub fn leave(&mut self) {
        self.stage = Stage::Ended;
        let _ = self.stream.shutdown(std::net::Shutdown::Both);
    }

    /// Whether something waits to be written.
    pub fn is_waiting(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Reads what has come and says what it was.
    pub fn receive(&mut self, scratch: &mut [u8], heard: &mut impl FnMut(&mut Link, Heard<'_>)) {
        loop {
            let read = match self.stream.read(scratch) {
                Ok(0) => return self.end(heard),
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return self.end(heard),
            };
            let fresh = scratch.get(..read).unwrap_or_default();
            if self.inbox.is_empty() {
                let taken = self.take(fresh, heard);
                self.inbox.extend_from_slice(fresh.get(taken..).unwrap_or_default());
            } else {
                let mut inbox = std::mem::take(&mut self.inbox);
                inbox.extend_from_slice(fresh);
                let taken = self.take(&inbox, heard);
                inbox.drain(..taken);
                self.inbox = inbox;
            }
            if self.stage == Stage::Ended || read < scratch.len() {
                return;
            }
        }
    }

    fn end(&mut self, heard: &mut impl FnMut(&mut Link, Heard<'_>)) {
        if self.stage != Stage::Ended {
            self.stage = Stage::Ended;
            heard(self, Heard::Ended);
        }
    }

    /// Takes every whole frame; how many bytes that were.
    fn take(&mut self, bytes: &[u8], heard: &mut impl FnMut(&mut Link, Heard<'_>)) -> usize {
        let mut at = 0;
        if self.stage == Stage::Upgrading {
            let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else { return 0 };
            if !bytes.starts_with(b"HTTP/1.1 101") {
                self.end(heard);
                return bytes.len();
            }
            at = end + 4;
            self.stage = Stage::Open;
            if self.greets {
                if self.send(br#"{"type":"hello"}"#).is_err() {
                    self.end(heard);
                }
            } else if self.seat.is_none() {
                self.stage = Stage::Ready;
                heard(self, Heard::Ready(b""));
            }
        }
        while let Some((kind, payload, length)) = bytes.get(at..).and_then(frame::first) {
            at += length;
            match kind {
                Kind::Text => self.message(payload, heard),
                Kind::Ping => {
                    frame::push(&mut self.outbox, 10, payload);
                    if self.flush().is_err() {
                        self.end(heard);
                    }
                }
                Kind::Close => self.end(heard),
                Kind::Other => {}
            }
        }
        at
    }

    fn message(&mut self, payload: &[u8], heard: &mut impl FnMut(&mut Link, Heard<'_>)) {
        if let Some(rest) = payload.strip_prefix(br#"{"type":"answer","number":"#) {
            let (number, rest) = digits(rest);
            heard(self, Heard::Answer(number, rest.starts_with(br#","accepted""#)));
        } else if payload.starts_with(br#"{"type":"update""#) {
            heard(self, Heard::Update(payload));
        } else if payload.starts_with(br#"{"type":"snapshot""#) {
            self.stage = Stage::Ready;
            heard(self, Heard::Ready(payload));
        } else if let Some(rest) = payload.strip_prefix(br#"{"type":"challenge","nonce":""#) {
            let nonce = rest.split(|byte| *byte == b'"').next().and_then(|nonce| std::str::from_utf8(nonce).ok());
            if self.prove(nonce.unwrap_or_default()).is_err() {
                self.end(heard);
            }
        } else {
            heard(self, Heard::Other(payload));
        }
    }

    fn prove(&mut self, nonce: &str) -> Result<()> {
        let Some(seat) = &self.seat else { return Ok(()) };
        let proof = seat.key.proof(Holder::Terminal(TerminalId(seat.id)), nonce);
        let hello = format!(r#"{{"type":"hello","proof":"{proof}"}}"#);
        self.send(hello.as_bytes())
    }
}

/// The number at the beginning, and what follows it.
fn digits(bytes: &[u8]) -> (u64, &[u8]) {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    let (number, rest) = bytes.split_at(end);
    (number.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')), rest)
}

/// Whether an update contains an event of a kind, such as `"kind":"bets_closed"`.
pub fn tells(update: &[u8], kind: &[u8]) -> bool {
    // Most updates contain only the terminal's own section: they are not searched.
    let events = memchr::memmem::find(update.get(..200).unwrap_or(update), br#""events":["#);
    let rest = events.and_then(|at| update.get(at + 10..)).unwrap_or_default();
    !rest.starts_with(b"]") && memchr::memmem::find(rest, kind).is_some()
}
