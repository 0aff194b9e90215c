//! One server: its settings, its process, its log.

use std::fmt::Write;
use std::fs::{self, OpenOptions};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::guard::Guard;
use crate::ports::Three;
use crate::{Error, Place, failed};

/// Lines of a log that an error shows.
const LINES: usize = 60;

pub(crate) struct Server {
    binary: PathBuf,
    name: String,
    folder: PathBuf,
    seat: Seat,
    process: Option<Process>,
}

/// Where a server is, and its ports there.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) place: Place,
    pub(crate) ports: Three,
}

struct Process {
    // Dropped first: a server that is killed on purpose needs no guard, and its number may soon be another's.
    guard: Option<Guard>,
    child: Child,
}

impl Server {
    pub(crate) fn new(binary: &Path, folder: &Path, index: usize, seats: &[Seat], more: &str) -> Result<Server, Error> {
        let seat = seats.get(index).ok_or(Error::Number(index))?.clone();
        let name = name(index);
        let server = Server { binary: binary.to_owned(), folder: folder.to_owned(), seat, process: None, name };
        let others = (0..).zip(seats).filter(|(other, _)| *other != index);
        let routes: Vec<SocketAddr> = others.map(|(_, seat)| seat.at(seat.ports.route)).collect();
        fs::write(server.settings(), server.text_of_settings(&routes) + more)
            .map_err(failed("settings of a server"))?;
        Ok(server)
    }

    fn text_of_settings(&self, routes: &[SocketAddr]) -> String {
        let Three { client, route, monitor } = self.seat.ports;
        let [client, route, monitor] = [client, route, monitor].map(|port| self.seat.at(port));
        let data = self.folder.join(format!("{}-data", self.name));
        let mut text = format!(
            "server_name: {}\nlisten: \"{client}\"\nhttp: \"{monitor}\"\n\
             max_payload: 1MB\njetstream {{ store_dir: {data:?}, sync_interval: always }}\n\
             accounts {{\n  $SYS {{ users: [ {{ user: sys, password: sys }} ] }}\n  \
             floor {{ jetstream: enabled, users: [ {{ user: floor, password: floor }} ] }}\n}}\n\
             no_auth_user: floor\n",
            self.name
        );
        if !routes.is_empty() {
            let urls: Vec<String> = routes.iter().map(|route| format!("\"nats://{route}\"")).collect();
            let urls = urls.join(", ");
            let _ = writeln!(text, "cluster {{ name: floor, listen: \"{route}\", routes: [{urls}] }}");
        }
        text
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.seat.at(self.seat.ports.client))
    }

    pub(crate) fn system_url(&self) -> String {
        format!("nats://sys:sys@{}", self.seat.at(self.seat.ports.client))
    }

    pub(crate) fn monitor(&self) -> SocketAddr {
        self.seat.at(self.seat.ports.monitor)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join(format!("{}.log", self.name))
    }

    fn settings(&self) -> PathBuf {
        self.folder.join(format!("{}.conf", self.name))
    }

    pub(crate) fn end_of_log(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
    }

    pub(crate) fn is_started(&self) -> bool {
        self.process.is_some()
    }

    /// Whether it ended without being killed. This does not reap it.
    pub(crate) fn has_ended(&self) -> bool {
        let Some(process) = &self.process else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&process.child)), options), Ok(None))
    }

    pub(crate) fn spawn(&mut self) -> Result<(), Error> {
        let log = OpenOptions::new().create(true).append(true).open(self.log()).map_err(failed("a server's log"))?;
        let output = log.try_clone().map_err(failed("a server's log"))?;
        let child = self
            .seat
            .place
            .command(&self.binary)
            .arg("--config")
            .arg(self.settings())
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(log)
            .spawn()
            .map_err(failed(self.binary.display().to_string()))?;
        let pid = child.id();
        let process = self.process.insert(Process { guard: None, child });
        let settings = self.folder.join(format!("{}.conf", self.name));
        let guard = Guard::over(pid, &settings, &self.folder).map_err(failed("a shell to guard a server"))?;
        process.guard = Some(guard);
        Ok(())
    }

    pub(crate) fn signal(&mut self, signal: Signal) -> Result<(), Error> {
        let process = self.process.as_ref().ok_or_else(|| Error::NotReady {
            what: format!("nats-server {} does not run", self.name),
            logs: String::new(),
        })?;
        kill_process(Pid::from_child(&process.child), signal)
            .map_err(|error| failed(format!("a signal to nats-server {}", self.name))(error.into()))
    }

    pub(crate) fn kill(&mut self) -> Result<(), Error> {
        let Some(process) = self.process.take() else { return Ok(()) };
        process.end().map_err(failed(format!("the end of nats-server {}", self.name)))
    }
}

impl Seat {
    fn at(&self, port: u16) -> SocketAddr {
        SocketAddr::from((self.place.address, port))
    }
}

impl Process {
    fn end(mut self) -> std::io::Result<()> {
        self.guard.take();
        self.child.kill()?;
        self.child.wait().map(drop)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The name of a server: `n1`, `n2` …
fn name(index: usize) -> String {
    format!("n{}", index + 1)
}
