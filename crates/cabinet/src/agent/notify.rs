//! The service manager: ready, and alive (sd_notify).

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

/// Where the service manager listens, if there is one.
#[derive(Debug)]
pub struct Notify(Option<(UnixDatagram, String)>);

impl Notify {
    /// Finds it in the environment.
    #[must_use]
    pub fn new() -> Notify {
        let path = std::env::var("NOTIFY_SOCKET").ok().filter(|path| path.starts_with('/'));
        Notify(path.and_then(|path| UnixDatagram::unbound().ok().map(|socket| (socket, path))))
    }

    /// Says something. That no one listens is no error.
    pub fn say(&self, words: &str) {
        if let Some((socket, path)) = &self.0 {
            let _ = socket.send_to(words.as_bytes(), path);
        }
    }

    /// How often it wants to hear that the agent is alive.
    #[must_use]
    pub fn watchdog() -> Option<Duration> {
        let micros = std::env::var("WATCHDOG_USEC").ok()?.parse::<u64>().ok()?;
        Some(Duration::from_micros(micros / 2).max(Duration::from_millis(100)))
    }
}
