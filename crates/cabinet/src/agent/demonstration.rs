//! A seat for a simulated cabinet in a demonstration: its administrators make the codes, as they would for a real one.

use std::io;
use std::path::Path;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http_body_util::Full;
use hyper::{Request, header};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::forward::{Address, Hosts};
use super::key::enrol;

/// Where the simulated cabinet is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The floor.
    pub floor: String,
    /// The terminal.
    pub terminal: u32,
    /// Its validator.
    pub device: u16,
}

/// Finds a free terminal, the last one or the one that is wanted, and enrols the keys in two files unless they are there.
///
/// # Errors
/// When there is no demonstration, no such terminal, or the codes are refused: for example, a player's money is there.
pub async fn take_seat(hosts: &Hosts, wanted: Option<u32>, terminal_key: &Path, device_key: &Path) -> io::Result<Seat> {
    let host = get(hosts, "/api/v1/host").await?;
    let floor = host["floors"][0].as_str().unwrap_or("demo").to_owned();
    let base = format!("/api/v1/floors/{floor}");
    if host["demonstration"] != true {
        return Err(io::Error::other(
            "this floor is no demonstration: a real cabinet has settings of its own (--config)",
        ));
    }
    let doors = get(hosts, &format!("{base}/demonstration")).await?;
    let free: Vec<&Value> = doors["terminals"].as_array().into_iter().flatten().collect();
    let seat = match wanted {
        Some(id) => free.iter().find(|seat| seat["id"] == id).copied(),
        None => free.last().copied(),
    };
    let terminal = seat.and_then(|seat| seat["id"].as_u64()).and_then(|id| u32::try_from(id).ok());
    let terminal = terminal.ok_or_else(|| {
        let ids: Vec<String> = free.iter().map(|seat| seat["id"].to_string()).collect();
        io::Error::other(format!("there is no such free terminal; free are {}", ids.join(", ")))
    })?;
    let staff = doors["staff"].as_array().into_iter().flatten();
    let administrators: Vec<&Value> = staff.filter(|person| person["post"] == "administrator").collect();
    let [first, second, ..] = administrators.as_slice() else {
        return Err(io::Error::other("the demonstration has no two administrators"));
    };
    let who = |person: &Value| json!({ "login": person["login"], "password": person["password"] });
    let (cookie, _) = post(hosts, &format!("{base}/session"), None, &who(first)).await?;
    let device = validator(hosts, &base, cookie.as_deref().unwrap_or_default(), terminal).await?;
    let seat = Seat { floor: floor.clone(), terminal, device };
    if terminal_key.exists() && device_key.exists() {
        return Ok(seat);
    }
    let witness = json!({ "witness": who(second) });
    for (path, key) in [
        (format!("{base}/terminals/{terminal}/code"), terminal_key),
        (format!("{base}/devices/{device}/code"), device_key),
    ] {
        let (_, made) = post(hosts, &path, cookie.as_deref(), &witness).await?;
        enrol(hosts, &floor, key, made["code"].as_str().unwrap_or_default()).await?;
    }
    Ok(seat)
}

/// The validator of a terminal, as the administration sees it.
async fn validator(hosts: &Hosts, base: &str, cookie: &str, terminal: u32) -> io::Result<u16> {
    let at = hosts.current();
    let host = hosts.get(at).map(Address::host).unwrap_or_default();
    let mut request = format!("ws://{host}{base}/feed/admin").into_client_request().map_err(io::Error::other)?;
    request.headers_mut().insert(header::COOKIE, cookie.parse().map_err(io::Error::other)?);
    let stream = hosts.connect(at).await?;
    let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await.map_err(io::Error::other)?;
    let hello = Message::text(json!({ "type": "hello", "cursor": null }).to_string());
    socket.send(hello).await.map_err(io::Error::other)?;
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else { continue };
        let message: Value = read(text.as_bytes())?;
        if message["type"] != "snapshot" {
            continue;
        }
        let here = |device: &&Value| device["kind"] == "validator" && device["place"]["terminal"] == terminal;
        let found = message["view"]["devices"].as_array().into_iter().flatten().find(here);
        let id = found.and_then(|device| device["id"].as_u64()).and_then(|id| u16::try_from(id).ok());
        return id.ok_or_else(|| io::Error::other(format!("terminal {terminal} has no validator")));
    }
    Err(io::Error::other("the administration does not answer"))
}

async fn get(hosts: &Hosts, path: &str) -> io::Result<Value> {
    let request = Request::get(path).body(Full::new(Bytes::new())).map_err(io::Error::other)?;
    read(hosts.forward(request).await?.body())
}

/// Posts as a person: the cookie of the session, if there is a new one, and the answer.
async fn post(hosts: &Hosts, path: &str, cookie: Option<&str>, body: &Value) -> io::Result<(Option<String>, Value)> {
    let mut request = Request::post(path).header(header::CONTENT_TYPE, "application/json").header("x-croupier", "1");
    if let Some(cookie) = cookie {
        request = request.header(header::COOKIE, cookie);
    }
    let request = request.body(Full::new(Bytes::from(body.to_string()))).map_err(io::Error::other)?;
    let answer = hosts.forward(request).await?;
    let cookie = answer.headers().get(header::SET_COOKIE).and_then(|value| value.to_str().ok());
    let cookie = cookie.and_then(|cookie| cookie.split(';').next()).map(str::to_owned);
    let value = read(answer.body())?;
    if !answer.status().is_success() {
        let words = value["error"]["message"]["en"].as_str().unwrap_or("the host refused");
        return Err(io::Error::other(format!("{path}: {words}")));
    }
    Ok((cookie, value))
}

fn read(body: &[u8]) -> io::Result<Value> {
    if body.is_empty() { Ok(Value::Null) } else { serde_json::from_slice(body).map_err(io::Error::other) }
}
