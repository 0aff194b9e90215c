//! The task of a serial port: it moves bytes between a device and its driver, and opens the port again when it is gone.

use std::future::pending;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::Millis;
use crate::port::{Framing, Port};
use crate::printer::{self, Printer};
use crate::validator::{self, Validator};

/// The pause before a port that is gone is opened again.
const PAUSE: Duration = Duration::from_millis(250);

/// A driver, whatever it drives.
pub trait Driver: Send {
    /// What it is told.
    type Order: Send;
    /// What it reports.
    type Event: Send;
    /// An order.
    fn order(&mut self, order: Self::Order);
    /// Bytes from the device.
    fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<Self::Event>;
    /// The time has come.
    fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<Self::Event>);
    /// When next.
    fn due(&self) -> Millis;
    /// The port was opened again.
    fn reopened(&mut self);
}

macro_rules! drives {
    ($what:ty, $order:ty, $event:ty) => {
        impl Driver for Box<$what> {
            type Order = $order;
            type Event = $event;
            fn order(&mut self, order: $order) {
                self.as_mut().order(order);
            }
            fn hear(&mut self, bytes: &[u8], now: Millis) -> Vec<$event> {
                self.as_mut().hear(bytes, now)
            }
            fn tick(&mut self, now: Millis) -> (Vec<u8>, Vec<$event>) {
                self.as_mut().tick(now)
            }
            fn due(&self) -> Millis {
                self.as_ref().due()
            }
            fn reopened(&mut self) {
                self.as_mut().reopened();
            }
        }
    };
}

drives!(dyn Validator, validator::Order, validator::Event);
drives!(dyn Printer, printer::Order, printer::Event);

/// Runs a driver on a port for as long as anyone gives orders.
pub async fn run<D: Driver>(
    mut driver: D,
    (path, framing): (PathBuf, Framing),
    mut orders: mpsc::Receiver<D::Order>,
    events: mpsc::Sender<D::Event>,
) {
    let begun = Instant::now();
    let now = || Millis::try_from(begun.elapsed().as_millis()).unwrap_or(Millis::MAX);
    let mut port: Option<AsyncFd<Port>> = None;
    let mut retry = Instant::now();
    loop {
        if port.is_none() && retry <= Instant::now() {
            match open(&path, framing) {
                Ok(opened) => {
                    driver.reopened();
                    port = Some(opened);
                }
                Err(error) => {
                    tracing::debug!(path = %path.display(), %error, "the port cannot be opened");
                    retry = Instant::now() + PAUSE;
                }
            }
        }
        let due = Duration::from_millis(driver.due().saturating_sub(now()));
        let wait = if port.is_some() { due } else { due.max(Duration::from_millis(50)).min(PAUSE) };
        let mut gone = false;
        let reported = tokio::select! {
            order = orders.recv() => match order {
                Some(order) => {
                    driver.order(order);
                    Vec::new()
                }
                None => return,
            },
            read = read(port.as_ref()) => match read {
                Ok(bytes) => driver.hear(&bytes, now()),
                Err(error) => {
                    tracing::info!(path = %path.display(), %error, "the port is gone");
                    gone = true;
                    Vec::new()
                }
            },
            () = sleep(wait) => {
                let (bytes, reported) = driver.tick(now());
                if let Some(port) = &port {
                    gone = port.get_ref().write(&bytes).is_err();
                }
                reported
            }
        };
        if gone {
            port = None;
            retry = Instant::now() + PAUSE;
        }
        for event in reported {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}

/// Opens a port. It keeps its descriptor for as long as it is watched, which is what the newer function asks a caller to promise.
#[allow(deprecated)]
fn open(path: &Path, framing: Framing) -> io::Result<AsyncFd<Port>> {
    Port::open(path, framing).and_then(AsyncFd::new)
}

/// What has come; without a port nothing ever does.
async fn read(port: Option<&AsyncFd<Port>>) -> io::Result<Vec<u8>> {
    let Some(port) = port else { return pending().await };
    loop {
        let mut ready = port.readable().await?;
        let mut buffer = [0; 512];
        match ready.try_io(|port| port.get_ref().read(&mut buffer)) {
            Ok(Ok(0)) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(Ok(read)) => return Ok(buffer.get(..read).unwrap_or_default().to_vec()),
            Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(Err(error)) => return Err(error),
            Err(_) => {}
        }
    }
}
