//! Simulated devices of a cabinet as programs.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use cabinet::port::{Framing, Parity, Port};
use serde_json::{Value, json};

use crate::{misused, program, refused};

#[test]
fn a_simulated_validator_takes_orders_and_answers_on_its_port() {
    // Status or a poll, and power up as the answer.
    validator("id003", &[0xFC, 0x05, 0x11, 0x27, 0x56], &[0xFC, 0x05, 0x40, 0x2B, 0x15]);
    let poll = [0x02, 0x08, 0x10, 0x00, 0x18, 0x06, 0x03, 0x06];
    validator("ebds", &poll, &[0x02, 0x0B, 0x20, 0x00, 0x10, 0x01, 0x00, 0x54, 0x01, 0x03, 0x6F]);
    let sync = [0x7F, 0x80, 0x01, 0x11, 0x65, 0x82];
    validator("ssp", &sync, &[0x7F, 0x80, 0x01, 0xF0, 0x23, 0x80]);
}

fn validator(protocol: &str, question: &[u8], expected: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let (port, state) = (folder.path().join("validator"), folder.path().join("state.json"));
    let mut command = program();
    command.args(["device", "validator", "--protocol", protocol, "--json", "--port"]).arg(&port);
    command.arg("--state").arg(&state);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().expect("a line").expect("text")).expect("JSON") };
    assert_eq!(next()["state"]["stacked"], json!([]));
    let framing = Framing { speed: 9600, parity: Parity::Even, seven: protocol == "ebds", two_stops: false };
    let line = Port::open(&port, framing).expect("a serial port");
    line.write(question).expect("written");
    let mut answer = Vec::new();
    let mut buffer = [0; 64];
    for _ in 0..500 {
        let wait = rustix::event::Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
        let mut ports = [rustix::event::PollFd::new(&line, rustix::event::PollFlags::IN)];
        rustix::event::poll(&mut ports, Some(&wait)).expect("polled");
        let read = line.read(&mut buffer).unwrap_or(0);
        answer.extend_from_slice(&buffer[..read]);
        if answer.len() >= expected.len() {
            break;
        }
    }
    assert_eq!(answer, expected, "{protocol}");
    let mut input = child.stdin.take().expect("piped");
    writeln!(input, "insert 5x\nsilent").expect("it listens");
    assert_eq!((next()["done"].clone(), next()["done"].clone()), (json!(false), json!(true)));
    drop(input);
    assert!(child.wait().expect("it ends with its input").success());
    assert!(!port.exists(), "the link is gone");
    assert!(state.exists());
}

#[test]
fn what_a_device_cannot_be_is_refused() {
    assert!(misused("device printer").contains("--port"));
    assert!(misused("device validator --port /tmp/x --denominations 5x").contains("5x"));
    assert!(misused("device validator --port /tmp/x --protocol cctalk").contains("cctalk"));
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state.json");
    std::fs::write(&state, "{").expect("written");
    let words = ["device", "printer", "--port", "/tmp/x", "--state", state.to_str().expect("text")];
    assert_eq!(refused(&words).code, "state");
}
