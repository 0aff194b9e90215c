//! Real `nats-server` processes for tests and benchmarks.
//!
//! A [`Cluster`] is one or more servers on loopback ports with JetStream in a folder of their own. An acknowledgement
//! means here what it means on a floor: written and synced, on a majority. Servers can be killed, paused and started
//! again with the same ports and data. When the value goes, so do the processes and the data, and also when the test
//! that holds it is killed.
//!
//! ```no_run
//! let mut cluster = natsd::Cluster::start(3)?;
//! println!("{}", cluster.urls().join(","));
//! cluster.kill(0)?;
//! cluster.restart(0)?;
//! cluster.wait_until_current()?;
//! # Ok::<(), natsd::Error>(())
//! ```

mod binary;
mod guard;
mod health;
mod ports;
mod server;

pub use guard::Guard;

use std::ffi::OsStr;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fmt, fs, io, thread};

use tempfile::TempDir;

use ports::{Ports, Three};
use server::{Seat, Server};

/// Servers of a cluster, at most.
pub const MOST: usize = 5;

/// How long a cluster may take until it has a leader. A busy machine with two processors needs a few seconds.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);
/// Number of further attempts to start when another process has taken a port.
const TRIES: usize = 4;

/// Why a cluster could not do what was asked.
#[derive(thiserror::Error)]
pub enum Error {
    /// No server to run.
    #[error(
        "nats-server is missing: neither $NATS_SERVER nor target/nats/bin nor PATH has it. Install it with: make nats"
    )]
    Missing,
    /// A number of servers that is not possible, or a server that is not there.
    #[error("{0} is no server, or no number of servers: there may be {MOST}")]
    Number(usize),
    /// No ports are free.
    #[error("no ports of the loopback address are free for another cluster")]
    Ports,
    /// The operating system says so.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// What it says.
        cause: io::Error,
    },
    /// A server ended, or the cluster was not ready in time.
    #[error("{what}\n{logs}")]
    NotReady {
        /// What was waited for.
        what: String,
        /// The ends of the servers' logs.
        logs: String,
    },
}

/// As a person reads it, for this is what a test shows that unwraps it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn failed(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
    let what = what.into();
    move |cause| Error::System { what, cause }
}

/// Where a process runs: at an address, started there by some command, such as `ip netns exec one`.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it listens.
    pub address: Ipv4Addr,
    /// What starts it; nothing for a process of this machine as it is. It must become the process it starts.
    pub by: Vec<String>,
}

impl Place {
    /// This machine's loopback address.
    #[must_use]
    pub fn here() -> Place {
        Place { address: Ipv4Addr::LOCALHOST, by: Vec::new() }
    }

    /// The command that starts a program there.
    #[must_use]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        match self.by.split_first() {
            None => Command::new(program),
            Some((first, more)) => {
                let mut command = Command::new(first);
                command.args(more).arg(program);
                command
            }
        }
    }
}

/// Servers that form a cluster, or one that stands alone.
pub struct Cluster {
    servers: Vec<Server>,
    // Dropped after the servers, which still write to it and listen on them.
    folder: TempDir,
    _ports: Option<Ports>,
}

impl Cluster {
    /// Starts so many servers and waits until JetStream is ready on each. One server stands alone.
    ///
    /// # Errors
    /// When there is no `nats-server`, or it does not start; its log is part of the error.
    pub fn start(servers: usize) -> Result<Cluster, Error> {
        Cluster::start_with(servers, "")
    }

    /// The same with further settings, in the words of the servers' own file.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub fn start_with(servers: usize, settings: &str) -> Result<Cluster, Error> {
        if servers == 0 || servers > MOST {
            return Err(Error::Number(servers));
        }
        let mut tries = 1;
        loop {
            let ports = Ports::claim(servers)?;
            let seat = |index| Seat { place: Place::here(), ports: ports.of(index) };
            let cluster = Cluster::spawn(&(0..servers).map(seat).collect::<Vec<_>>(), settings, Some(ports))?;
            match cluster.wait_until_current() {
                Ok(()) => return Ok(cluster),
                Err(_) if tries < TRIES && cluster.lost_a_port() => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Starts a server at each of some places that are a machine each, at the usual ports, and waits until JetStream is
    /// ready on all.
    ///
    /// # Errors
    /// As [`Cluster::start`].
    pub fn start_at(places: &[Place]) -> Result<Cluster, Error> {
        if places.is_empty() || places.len() > MOST {
            return Err(Error::Number(places.len()));
        }
        let ports = Three { client: 4222, route: 6222, monitor: 8222 };
        let seats: Vec<Seat> = places.iter().map(|place| Seat { place: place.clone(), ports }).collect();
        let cluster = Cluster::spawn(&seats, "", None)?;
        cluster.wait_until_current()?;
        Ok(cluster)
    }

    fn spawn(seats: &[Seat], settings: &str, ports: Option<Ports>) -> Result<Cluster, Error> {
        let binary = binary::find().ok_or(Error::Missing)?;
        let folder = tempfile::Builder::new().prefix("natsd-").tempdir().map_err(failed("a folder for the servers"))?;
        let servers = (0..seats.len())
            .map(|index| Server::new(&binary, folder.path(), index, seats, settings))
            .collect::<Result<Vec<_>, Error>>()?;
        let mut cluster = Cluster { servers, folder, _ports: ports };
        for server in &mut cluster.servers {
            server.spawn()?;
        }
        Ok(cluster)
    }

    /// How many servers it has, whether or not they run.
    #[must_use]
    pub fn size(&self) -> usize {
        self.servers.len()
    }

    /// Where clients connect, one address for each server.
    #[must_use]
    pub fn urls(&self) -> Vec<String> {
        self.servers.iter().map(Server::url).collect()
    }

    /// The same, with the login of the system account. No other login is needed.
    #[must_use]
    pub fn system_urls(&self) -> Vec<String> {
        self.servers.iter().map(Server::system_url).collect()
    }

    /// Where clients connect to one server.
    ///
    /// # Errors
    /// When there is no such server.
    pub fn url(&self, index: usize) -> Result<String, Error> {
        self.servers.get(index).map(Server::url).ok_or(Error::Number(index))
    }

    /// The server of a name, as JetStream names the leader of a stream.
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.servers.iter().position(|server| server.name() == name)
    }

    /// Kills a server at once (SIGKILL), as a loss of its machine's power would, but for what the system has cached.
    ///
    /// # Errors
    /// When there is no such server or it cannot be killed.
    pub fn kill(&mut self, index: usize) -> Result<(), Error> {
        self.server(index)?.kill()
    }

    /// Stops a server where it is (SIGSTOP). Its connections stay open and nothing answers.
    ///
    /// # Errors
    /// When there is no such server or it does not run.
    pub fn pause(&mut self, index: usize) -> Result<(), Error> {
        self.server(index)?.signal(rustix::process::Signal::STOP)
    }

    /// Lets a paused server go on (SIGCONT).
    ///
    /// # Errors
    /// When there is no such server or it does not run.
    pub fn resume(&mut self, index: usize) -> Result<(), Error> {
        self.server(index)?.signal(rustix::process::Signal::CONT)
    }

    /// Starts a server that was killed, with the ports and the data it had, and does not wait until it is ready.
    ///
    /// # Errors
    /// When there is no such server, or it cannot be started.
    pub fn restart(&mut self, index: usize) -> Result<(), Error> {
        let server = self.server(index)?;
        server.kill()?;
        server.spawn()
    }

    /// Waits until every server that should run is in touch with JetStream's leader and up to date with its streams.
    ///
    /// # Errors
    /// When that takes too long or a server ends; with the servers' logs.
    pub fn wait_until_current(&self) -> Result<(), Error> {
        let until = Instant::now() + PATIENCE;
        for server in self.servers.iter().filter(|server| server.is_started()) {
            loop {
                let state = match health::of(server.monitor()) {
                    Ok(()) => break,
                    Err(state) => state,
                };
                if server.has_ended() || self.lost_a_port() || Instant::now() > until {
                    let what = format!("nats-server {} is not ready: {state}", server.name());
                    return Err(Error::NotReady { what, logs: self.logs() });
                }
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    /// The ends of the servers' logs.
    #[must_use]
    pub fn logs(&self) -> String {
        self.servers.iter().map(|server| format!("── {}\n{}\n", server.name(), server.end_of_log())).collect()
    }

    /// The server's own files, of which a test may want to know the size.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    fn lost_a_port(&self) -> bool {
        self.servers
            .iter()
            .any(|server| fs::read_to_string(server.log()).is_ok_and(|log| log.contains("address already in use")))
    }

    fn server(&mut self, index: usize) -> Result<&mut Server, Error> {
        self.servers.get_mut(index).ok_or(Error::Number(index))
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cluster").field(&self.urls()).finish()
    }
}
