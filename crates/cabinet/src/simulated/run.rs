//! A simulated device on a pseudo-terminal: orders from its input, line by line, and what it holds on its output.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use super::Device;
use crate::Millis;
use crate::port::Port;

/// How a simulated device runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// Where the link to its pseudo-terminal is made.
    pub port: PathBuf,
    /// Where it keeps what it holds, over a loss of power.
    pub state: Option<PathBuf>,
    /// Whether it says what happens as JSON, a line each.
    pub json: bool,
}

/// How long it waits for something to happen.
const STEP: Duration = Duration::from_millis(10);

/// Runs until the input ends.
///
/// # Errors
/// When there is no pseudo-terminal, or what it holds cannot be kept.
pub fn run(mut device: Box<dyn Device>, running: &Running, mut say: impl Write) -> io::Result<()> {
    let begun = Instant::now();
    let now = || Millis::try_from(begun.elapsed().as_millis()).unwrap_or(Millis::MAX);
    let mut held = device.state();
    keep(running.state.as_deref(), &held)?;
    let port = Port::pseudo(&running.port)?;
    if running.json {
        writeln!(say, "{}", json!({ "port": running.port, "state": held }))?;
    } else {
        writeln!(say, "The device is at {}. Orders:\n\n{}\n", running.port.display(), device.menu())?;
    }
    say.flush()?;
    let stdin = io::stdin();
    let (mut line, mut buffer) = (Vec::new(), [0; 1024]);
    loop {
        let mut wait = [PollFd::new(&port, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
        let step = Timespec { tv_sec: 0, tv_nsec: i64::from(STEP.subsec_nanos()) };
        match poll(&mut wait, Some(&step)) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        }
        let [heard, ordered] = wait.map(|one| one.revents());
        if ordered.intersects(PollFlags::IN | PollFlags::HUP) {
            let read = rustix::io::read(stdin.as_fd(), &mut buffer)?;
            if read == 0 {
                let _ = fs::remove_file(&running.port);
                return Ok(());
            }
            line.extend_from_slice(buffer.get(..read).unwrap_or_default());
            while let Some(end) = line.iter().position(|byte| *byte == b'\n') {
                let order: Vec<u8> = line.drain(..=end).collect();
                let order = String::from_utf8_lossy(&order).trim().to_owned();
                let done = match order.as_str() {
                    "" => Ok(()),
                    "help" => Err(device.menu().to_owned()),
                    order => device.obey(order, now()),
                };
                tell(&mut say, running.json, &order, done)?;
            }
        }
        let mut answer = device.tick(now());
        if heard.contains(PollFlags::IN) {
            // Nothing to read, or no one at the other end: the same.
            let read = port.read(&mut buffer).unwrap_or(0);
            answer.extend(device.hear(buffer.get(..read).unwrap_or_default(), now()));
        } else if heard.contains(PollFlags::HUP) {
            std::thread::sleep(STEP);
        }
        let holds = device.state();
        if holds != held {
            held = holds;
            // What a device holds is physical: it is kept before anyone hears of it.
            keep(running.state.as_deref(), &held)?;
            if running.json {
                writeln!(say, "{}", json!({ "state": held }))?;
                say.flush()?;
            }
        }
        if !answer.is_empty() {
            let _ = port.write(&answer);
        }
    }
}

fn tell(say: &mut impl Write, json: bool, order: &str, done: Result<(), String>) -> io::Result<()> {
    match (json, done) {
        (true, Ok(())) => writeln!(say, "{}", json!({ "order": order, "done": true }))?,
        (true, Err(error)) => writeln!(say, "{}", json!({ "order": order, "done": false, "error": error }))?,
        (false, Ok(())) => {}
        (false, Err(error)) => writeln!(say, "{error}")?,
    }
    say.flush()
}

/// Writes beside the file and renames, so that it is whole whenever the device is killed.
fn keep(path: Option<&Path>, state: &serde_json::Value) -> io::Result<()> {
    let Some(path) = path else { return Ok(()) };
    crate::private::replace(path, &state.to_string())
}
