//! Whether a server is ready, asked of its monitoring port.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(2);
/// Answers are short; a longer one is cut.
const MOST: u64 = 64 * 1024;

/// `Ok` when the server is in touch with JetStream's leader and has all that its streams have; else what is amiss.
pub(crate) fn of(address: SocketAddr) -> Result<(), String> {
    let answer = get(address, "/healthz").map_err(|error| error.to_string())?;
    if answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.0 200") {
        return Ok(());
    }
    Err(answer.split_once("\r\n\r\n").map_or(answer.as_str(), |(_, body)| body).trim().to_owned())
}

fn get(address: SocketAddr, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.take(MOST).read_to_string(&mut answer)?;
    Ok(answer)
}
