//! The protocol over HTTP, as the specification has it.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use tlog::Note;
use tlog::witness::origin_hash;
use tokio::net::TcpListener;
use tokio::sync::watch;
use witness::{Limits, serve};

use crate::{ORIGIN, Place, cosigned, leaves, request};

struct Served {
    address: SocketAddr,
    _stop: watch::Sender<bool>,
    _runtime: tokio::runtime::Runtime,
}

fn served(place: &Place) -> Served {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (stop, stopping) = watch::channel(false);
    let witness = Arc::new(place.open());
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    runtime.spawn(serve(witness, listener, None, Limits::default(), stopping));
    Served { address, _stop: stop, _runtime: runtime }
}

impl Served {
    /// Status, type and body.
    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let length = body.len();
        let head =
            format!("{method} {path} HTTP/1.1\r\nhost: w\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let _ = stream.write_all(body.as_bytes());
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let kind = head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap_or_default();
        (status, kind.to_owned(), body.to_owned())
    }

    fn add(&self, body: &str) -> (u16, String, String) {
        self.ask("POST", "/add-checkpoint", body)
    }
}

#[test]
fn the_statuses_of_the_specification() {
    let place = Place::new();
    let served = served(&place);
    let leaves = leaves(40);
    let latest = format!("/{}/checkpoint", origin_hash(ORIGIN));
    assert_eq!(served.ask("GET", &latest, "").0, 404);
    let (status, _, answer) = served.add(&request(&leaves[..10], 0));
    assert_eq!(status, 200);
    place.policy().verify(&cosigned(&leaves[..10], &answer)).unwrap();
    let (status, _, note) = served.ask("GET", &latest, "");
    assert_eq!(status, 200);
    place.policy().verify(&Note::parse(note.as_bytes()).unwrap()).unwrap();
    assert_eq!(served.add(&request(&leaves, 5)), (409, "text/x.tlog.size".into(), "10\n".into()));
    let stranger = request(&leaves, 10).replace(ORIGIN, "stranger.example/1");
    assert_eq!(served.add(&stranger).0, 404);
    let unsigned = request(&leaves, 10).replace("— casino", "— casino2");
    assert_eq!(served.add(&unsigned).0, 403);
    assert_eq!(served.add("old x\n\n").0, 400);
    assert_eq!(served.add(&request(&leaves, 10).replace("old 10", "old 41")).0, 400);
    let mut other = leaves.clone();
    other[3] = [1; 32];
    assert_eq!(served.add(&request(&other, 10)).0, 422);
    assert_eq!(served.add(&"x".repeat(80_000)).0, 400);
    assert_eq!(served.ask("GET", "/add-checkpoint", "").0, 405);
    assert_eq!(served.ask("GET", "/nothing", "").0, 404);
    assert_eq!(served.add(&request(&leaves, 10)).0, 200);
}

#[test]
fn of_many_requests_at_once_one_history_is_cosigned() {
    let place = Place::new();
    let served = served(&place);
    let honest = leaves(30);
    assert_eq!(served.add(&request(&honest[..10], 0)).0, 200);
    // Twenty different histories from the same beginning: at most one gets a signature.
    let accepted: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..20u8)
            .map(|number| {
                let (mut leaves, served) = (honest.clone(), &served);
                leaves[15] = [number; 32];
                scope.spawn(move || usize::from(served.add(&request(&leaves, 10)).0 == 200))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(accepted, 1);
}
