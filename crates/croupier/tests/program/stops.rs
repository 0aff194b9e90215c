//! A host of a cluster is stopped while it waits for its cluster.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use crate::{PATIENCE, program};

/// What a server of the cluster says first.
const INFO: &str = r#"INFO {"server_id":"S","server_name":"S","version":"2.12.1","go":"go1","host":"127.0.0.1","port":4222,"headers":true,"max_payload":1048576,"proto":1,"client_id":1,"jetstream":true}"#;

/// A server that takes connections and requests, and answers none: its cluster has no leader.
fn takes(mut stream: TcpStream, asked: &Sender<()>) -> std::io::Result<()> {
    write!(stream, "{INFO}\r\n")?;
    for line in BufReader::new(stream.try_clone()?).lines() {
        match line?.split(' ').next() {
            Some("PING") => write!(stream, "PONG\r\n")?,
            Some("PUB" | "HPUB") => drop(asked.send(())),
            _ => {}
        }
    }
    Ok(())
}

#[test]
fn a_host_that_waits_for_its_cluster_ends_when_it_is_told_to() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let cluster = format!("nats://{}", listener.local_addr().expect("an address"));
    let (asked, heard) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let asked = asked.clone();
            std::thread::spawn(move || takes(stream, &asked));
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(program());
    command.args(["serve", "--json", "--listen", "127.0.0.1:0", "--floor", "main", "--host", "one"]);
    command
        .args(["--advertise", "https://one.example", "--journal", &cluster, "--data"])
        .arg(folder.path().join("data"));
    command.env_remove("CROUPIER_DATA").env_remove("CROUPIER_ADMIN_PASSWORD");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
    let asks = heard.recv_timeout(PATIENCE);
    let told = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(told, rustix::process::Signal::TERM).expect("told");
    let began = Instant::now();
    let mut ended = None;
    while ended.is_none() && began.elapsed() < Duration::from_secs(4) {
        ended = child.try_wait().expect("a child");
        std::thread::yield_now();
    }
    let _ = child.kill();
    let _ = child.wait();
    asks.expect("the host asked its cluster");
    assert!(ended.is_some_and(|status| status.success()), "{ended:?} after {:?}", began.elapsed());
}
