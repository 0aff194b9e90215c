//! Buttons that are keys of an input device of Linux (evdev), read as the kernel writes them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::config::Button;
use super::core::Input;
use super::run::Happened;

/// One event: two words of time, then type, code and value.
const EVENT: usize = 24;
/// The type of keys, and the value of one that goes down. One that repeats has another.
const KEY: u16 = 1;
const DOWN: i32 = 1;
/// The pause before an input device that is gone is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// The keys that go down in what was read. What is left of an event stays in the buffer.
fn pressed(buffer: &mut Vec<u8>) -> Vec<u16> {
    let whole = buffer.len() / EVENT * EVENT;
    let events: Vec<u8> = buffer.drain(..whole).collect();
    let key = |event: &[u8]| {
        let [.., t0, t1, c0, c1, v0, v1, v2, v3] = *event else { return None };
        let down = u16::from_ne_bytes([t0, t1]) == KEY && i32::from_ne_bytes([v0, v1, v2, v3]) == DOWN;
        down.then(|| u16::from_ne_bytes([c0, c1]))
    };
    events.chunks(EVENT).filter_map(key).collect()
}

/// Watches a button for as long as the agent runs.
pub(super) async fn watch(button: Button, happened: mpsc::Sender<Happened>) {
    loop {
        if let Err(error) = listen(&button, &happened).await {
            tracing::info!(path = %button.input.display(), %error, "the input device is gone");
        }
        if happened.is_closed() {
            return;
        }
        sleep(PAUSE).await;
    }
}

async fn listen(button: &Button, happened: &mpsc::Sender<Happened>) -> io::Result<()> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let input = open(OpenOptions::new().read(true).custom_flags(flags).open(&button.input)?)?;
    let (mut buffer, mut part) = (Vec::new(), [0; 16 * EVENT]);
    loop {
        let mut ready = input.readable().await?;
        match ready.try_io(|input| input.get_ref().read(&mut part)) {
            Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => buffer.extend_from_slice(part.get(..read?).unwrap_or_default()),
            Err(_) => continue,
        }
        for key in pressed(&mut buffer) {
            if key == button.key
                && happened.send(Happened::Switched(Input::Button(button.name.name().to_owned()))).await.is_err()
            {
                return Ok(());
            }
        }
    }
}

/// The file keeps its descriptor for as long as it is watched, which is what the newer function asks a caller to promise.
#[allow(deprecated)]
fn open(file: File) -> io::Result<AsyncFd<File>> {
    AsyncFd::new(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: u16, code: u16, value: i32) -> Vec<u8> {
        let bytes = [&kind.to_ne_bytes()[..], &code.to_ne_bytes(), &value.to_ne_bytes()].concat();
        [[0x55; 16].to_vec(), bytes].concat()
    }

    #[test]
    fn a_key_counts_when_it_goes_down_however_the_events_are_cut() {
        // Down, a report of the kernel, held, up; then another key.
        let line =
            [event(1, 28, 1), event(0, 0, 0), event(1, 28, 2), event(1, 28, 0), event(1, 59, 1), event(4, 28, 1)]
                .concat();
        for step in 1..=line.len() {
            let mut buffer = Vec::new();
            let mut keys = Vec::new();
            for part in line.chunks(step) {
                buffer.extend_from_slice(part);
                keys.extend(pressed(&mut buffer));
            }
            assert_eq!(keys, [28, 59], "{step} bytes at a time");
            assert!(buffer.is_empty());
        }
    }
}
