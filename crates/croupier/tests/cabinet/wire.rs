//! The line between a cabinet and its host: it passes bytes on until it is cut.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A line that listens on an address of its own.
pub struct Wire {
    pub address: SocketAddr,
    cut: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Wire {
    pub fn to(host: SocketAddr) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").expect("an address");
        let wire =
            Wire { address: listener.local_addr().expect("an address"), cut: Arc::default(), open: Arc::default() };
        let (cut, open) = (Arc::clone(&wire.cut), Arc::clone(&wire.open));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if cut.load(Ordering::Acquire) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(host) else { continue };
                let both = [(&client, &server), (&server, &client)];
                for (from, to) in both {
                    let (from, to) = (from.try_clone().expect("cloned"), to.try_clone().expect("cloned"));
                    std::thread::spawn(move || pass(from, to));
                }
                let mut open = open.lock().expect("not poisoned");
                open.retain(|stream: &TcpStream| stream.peer_addr().is_ok());
                open.extend([client, server]);
            }
        });
        wire
    }

    /// Nothing passes any more.
    pub fn cut(&self) {
        self.cut.store(true, Ordering::Release);
        for stream in self.open.lock().expect("not poisoned").drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// It is whole again.
    pub fn mend(&self) {
        self.cut.store(false, Ordering::Release);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
