//! The dealer of the measured table: a person with a session, over plain HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::house::Login;
use crate::{Failed, Result};

/// A signed-in person.
pub struct Dealer {
    address: SocketAddr,
    floor: String,
    cookie: String,
    number: u64,
}

impl Dealer {
    /// Signs in.
    pub fn sign_in(address: SocketAddr, floor: &str, login: &Login) -> Result<Dealer> {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_err(|e| Failed::new(e.to_string()))?;
        let number = u64::try_from(since.as_micros()).unwrap_or(1);
        let mut dealer = Dealer { address, floor: floor.to_owned(), cookie: String::new(), number };
        let body = json!({ "login": login.name, "password": login.password });
        let (_, head) = dealer.ask("POST", "/session", &body)?;
        let cookie = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.trim().split(';').next().unwrap_or_default())
        });
        dealer.cookie = cookie.unwrap_or_default().to_owned();
        Ok(dealer)
    }

    /// Sends a command that must be accepted.
    pub fn does(&mut self, path: &str, body: &Value) -> Result<Value> {
        self.ask("POST", path, body).map(|(body, _)| body)
    }

    /// Looks at something.
    pub fn get(&mut self, path: &str) -> Result<Value> {
        self.ask("GET", path, &Value::Null).map(|(body, _)| body)
    }

    fn ask(&mut self, method: &str, path: &str, body: &Value) -> Result<(Value, String)> {
        self.number += 1;
        let Dealer { address, floor, cookie, number } = self;
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "{method} /api/v1/floors/{floor}{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nCookie: {cookie}\r\n\
             X-Croupier: 1\r\nIdempotency-Key: {number}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(*address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, text) = answer.split_once("\r\n\r\n").ok_or_else(|| Failed::new("the host gave no answer"))?;
        if !head.starts_with("HTTP/1.1 2") {
            let status = head.lines().next().unwrap_or_default();
            return Err(Failed::new(format!("{method} {path}: {status}: {text}")));
        }
        Ok((serde_json::from_str(text).unwrap_or(Value::Null), head.to_owned()))
    }
}
