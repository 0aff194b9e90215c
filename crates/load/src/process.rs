//! A host or peer as a separate process, as it would run, with its own memory and its own files.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{Failed, Result};

/// Lets this process, and those it starts, open this many files. Fails where the system allows fewer.
pub fn allow_files(count: u64) -> Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= count) {
        return Ok(());
    }
    let maximum = maximum.map(|maximum| maximum.max(count));
    setrlimit(Resource::Nofile, Rlimit { current: Some(count), maximum }).map_err(|_| {
        Failed::new(format!("{count} files must be open at once and the system allows fewer; see `ulimit -n`"))
    })
}

/// A process that is ended with this value.
pub struct Process {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Process {
    /// Starts it and reads where it listens from its first line: an address, or JSON with one.
    pub fn start(mut command: Command) -> Result<Process> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let json: Option<serde_json::Value> = serde_json::from_str(&line).ok();
        let text = json.as_ref().and_then(|json| json["address"].as_str()).unwrap_or(line.trim());
        let text = text.rsplit('/').next().unwrap_or_default();
        match text.parse() {
            Ok(address) => Ok(Process { child, address }),
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(Failed::new(format!("what was started does not say where it listens: {line}")))
            }
        }
    }

    /// Bytes of memory it holds.
    pub fn memory(&self) -> u64 {
        memory_of(self.child.id())
    }

    /// Ends it at once, as a power cut would.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bytes of memory a process holds; zero where the system does not say.
pub fn memory_of(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).and_then(|kib| kib.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
