//! Peers a host is measured beside: the least that any server must do for the same bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use futures_util::StreamExt;

use crate::{Failed, Result};

/// Serves as a peer until it is killed: `loop` writes the same bytes to every client, `echo` returns what it receives.
pub fn serve(kind: &str, clients: usize, bytes: usize) -> Result<()> {
    match kind {
        "loop" => bare_loop(clients, bytes),
        "echo" => echo(),
        _ => Err(Failed::new(format!("there is no peer '{kind}'"))),
    }
}

fn listen() -> Result<TcpListener> {
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    println!("{}", listener.local_addr()?);
    Ok(listener)
}

/// Reads the head of a request and answers it as an upgrade. The client here does not ask for the key to be proved.
fn upgrade(stream: &mut TcpStream) -> Result<()> {
    let mut head = Vec::new();
    let mut byte = [0; 1024];
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte)? {
            0 => return Err(Failed::new("the client has gone")),
            read => head.extend_from_slice(byte.get(..read).unwrap_or_default()),
        }
    }
    stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")?;
    Ok(())
}

/// One message, framed once, written to one socket after the other by one thread.
fn bare_loop(clients: usize, bytes: usize) -> Result<()> {
    let listener = listen()?;
    let mut streams = Vec::with_capacity(clients);
    while streams.len() < clients {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        upgrade(&mut stream)?;
        streams.push(stream);
    }
    let mut message = vec![0x81];
    if bytes < 126 {
        message.push(u8::try_from(bytes).unwrap_or(0));
    } else {
        message.push(126);
        message.extend_from_slice(&u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes());
    }
    message.resize(message.len() + bytes, b'x');
    let mut scratch = [0; 64];
    loop {
        let Some(first) = streams.first_mut() else { return Ok(()) };
        if first.read(&mut scratch)? == 0 {
            return Ok(());
        }
        for stream in &mut streams {
            stream.write_all(&message)?;
        }
    }
}

/// Gives back what comes, with the buffers that the host's own feeds have.
fn echo() -> Result<()> {
    let listener = listen()?;
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = axum::Router::new().route("/", get(upgraded));
        axum::serve(listener, router).await.map_err(Failed::from)
    })
}

async fn upgraded(upgrade: WebSocketUpgrade) -> Response {
    upgrade.read_buffer_size(1024).write_buffer_size(0).on_upgrade(give_back)
}

async fn give_back(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.next().await {
        if matches!(message, Message::Text(_)) && socket.send(message).await.is_err() {
            return;
        }
    }
}

/// A text message of so many bytes, to be sent to a peer.
pub fn text(bytes: usize) -> Vec<u8> {
    vec![b'x'; bytes]
}
