//! A terminal that bets without pause and goes to another host when its own is lost.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use floor::TerminalId;
use futures_util::{SinkExt as _, StreamExt as _};
use host::store::Holder;
use load::Seat;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};

const ANSWER: Duration = Duration::from_secs(5);

/// What all players share.
pub struct Game {
    pub hosts: Vec<SocketAddr>,
    pub floor: String,
    pub over: AtomicBool,
    /// Bets that were acknowledged, by all players.
    pub acknowledged: AtomicU64,
    /// The same, by the host that acknowledged them.
    pub by_host: Vec<AtomicU64>,
    /// What a player waits after a bet: nothing, unless a table's limit must last for long.
    pub pause: Duration,
    /// Codes of refusals. A player who is refused goes.
    pub refused: Mutex<Vec<String>>,
}

/// What a player knows at the end.
#[derive(Debug, Default)]
pub struct Played {
    pub terminal: u32,
    /// Bets of 1.00 that were acknowledged.
    pub accepted: u64,
    /// Whether the last bet was answered.
    pub settled: bool,
}

type Socket = WebSocketStream<TcpStream>;

/// Bets until the game is over, and then until the last bet is answered.
pub async fn play(game: Arc<Game>, seat: Seat, first_host: usize) -> Played {
    let mut played = Played { terminal: seat.id, ..Played::default() };
    let (mut socket, mut host) = (None, first_host);
    let (mut number, mut tries) = (1, 0);
    while !game.over.load(Ordering::Relaxed) || !played.settled {
        let Some(open) = &mut socket else {
            host = (host + 1) % game.hosts.len();
            socket = timeout(Duration::from_secs(3), sit_down(&game, &seat, host)).await.ok().flatten();
            if socket.is_none() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            continue;
        };
        played.settled = false;
        match timeout(ANSWER, bet(open, number)).await {
            Ok(Some(answer)) => {
                let code = answer["error"]["code"].as_str();
                match code {
                    None => {
                        played.accepted += 1;
                        game.acknowledged.fetch_add(1, Ordering::Relaxed);
                        game.by_host[host].fetch_add(1, Ordering::Relaxed);
                    }
                    // Nothing was decided, or it is not known: the same again, under the same number.
                    Some("stopped" | "no_leader" | "busy") => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    }
                    // The leader has just begun and does not know yet that this terminal is there. The same number: an
                    // earlier attempt may still be on its way.
                    Some("terminal_unavailable") if tries < 500 => {
                        tries += 1;
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    }
                    Some(code) => {
                        game.refused.lock().expect("no panic").push(code.to_owned());
                        played.settled = true;
                        return played;
                    }
                }
                (number, tries) = (number + 1, 0);
                played.settled = true;
                if !game.pause.is_zero() {
                    tokio::time::sleep(game.pause).await;
                }
            }
            Ok(None) | Err(_) => socket = None,
        }
    }
    played
}

async fn sit_down(game: &Game, seat: &Seat, host: usize) -> Option<Socket> {
    let stream = TcpStream::connect(game.hosts[host]).await.ok()?;
    stream.set_nodelay(true).ok()?;
    let url = format!("ws://{}/api/v1/floors/{}/feed/terminal/{}", game.hosts[host], game.floor, seat.id);
    let (mut socket, _) = client_async(url, stream).await.ok()?;
    loop {
        let message = next(&mut socket).await?;
        match message["type"].as_str() {
            Some("challenge") => {
                let proof = seat.key.proof(Holder::Terminal(TerminalId(seat.id)), message["nonce"].as_str()?);
                let hello = json!({ "type": "hello", "proof": proof }).to_string();
                socket.send(Message::text(hello)).await.ok()?;
            }
            Some("snapshot") => return Some(socket),
            Some("bye") => return None,
            _ => {}
        }
    }
}

async fn bet(socket: &mut Socket, number: u64) -> Option<Value> {
    let bet = json!({ "type": "bet", "number": number, "changes": [{ "add": "big", "amount": "1.00" }] });
    socket.send(Message::text(bet.to_string())).await.ok()?;
    loop {
        let message = next(socket).await?;
        if message["type"] == "answer" && message["number"] == number {
            return Some(message);
        }
    }
}

async fn next(socket: &mut Socket) -> Option<Value> {
    loop {
        match socket.next().await? {
            Ok(Message::Text(text)) => return serde_json::from_str(&text).ok(),
            Ok(Message::Close(_)) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}
