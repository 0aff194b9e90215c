//! The demonstration as a separate process: started, observed from outside, stopped, audited.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::Soak;
use crate::{Failed, Result};

/// How long it may take to come up, and to stop.
const PATIENCE: Duration = Duration::from_secs(60);

/// A demonstration that runs.
pub struct Server {
    child: Child,
    /// Kept open, so that writing to it does not fail.
    _output: BufReader<ChildStdout>,
    folder: TempDir,
    program: PathBuf,
    /// Where it listens.
    pub address: SocketAddr,
    /// The name of its floor.
    pub floor: String,
    /// Seconds until it took commands.
    pub up_after: f64,
}

/// What the log says.
pub struct Log {
    /// Lines that tell of an error.
    pub errors: Vec<String>,
}

impl Server {
    /// Starts it and waits until it takes commands.
    pub fn start(plan: &Soak) -> Result<Server> {
        let folder = tempfile::Builder::new().prefix("croupier-soak").tempdir()?;
        let settings = folder.path().join("soak.toml");
        // One address holds the whole crowd and sets it up: its limits are those of many.
        let text = format!(
            "demonstration_keeps_mib = {}\nrequests_per_second = 100000\nmessages_per_second = 100000\n",
            plan.keeps_mib
        );
        std::fs::write(&settings, text)?;
        std::fs::create_dir(folder.path().join("kept"))?;
        let mut command = Command::new(&plan.program);
        command.args(["--json", "serve", "--demo", "--listen", "127.0.0.1:0", "--config"]).arg(&settings);
        command.arg("--data").arg(folder.path().join("data")).env("CROUPIER_LOG", "info");
        let log = File::create(folder.path().join("log"))?;
        let started = Instant::now();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn()?;
        let Some(stdout) = child.stdout.take() else { return Err(Failed::new("the demonstration has no output")) };
        let mut output = BufReader::new(stdout);
        let mut line = String::new();
        let read = output.read_line(&mut line);
        let told: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let address = told["address"].as_str().and_then(|url| url.rsplit('/').next()?.parse().ok());
        let mut server = Server {
            child,
            _output: output,
            folder,
            program: plan.program.clone(),
            address: address.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0))),
            floor: told["floor"].as_str().unwrap_or_default().to_owned(),
            up_after: 0.0,
        };
        if read.is_err() || address.is_none() {
            return Err(Failed::new(format!("the demonstration did not start: {line}{}", server.end_of_log())));
        }
        while server.get("/readyz").is_err() {
            if started.elapsed() > PATIENCE {
                return Err(Failed::new(format!("the demonstration is not ready\n{}", server.end_of_log())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        server.up_after = started.elapsed().as_secs_f64();
        Ok(server)
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The folder of the floor.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Segments that the demonstration throws away stay here, for the audit.
    pub fn kept(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// The text at a path.
    pub fn get(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        match answer.split_once("\r\n\r\n") {
            Some((head, body)) if head.starts_with("HTTP/1.1 200") => Ok(body.to_owned()),
            _ => Err(Failed::new(format!("{path}: {}", answer.lines().next().unwrap_or("no answer")))),
        }
    }

    /// Asks it to stop and waits for that.
    pub fn stop(&mut self) -> Result<f64> {
        let started = Instant::now();
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(id.ok_or_else(|| Failed::new("the demonstration has no process"))?, Signal::TERM)?;
        loop {
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(started.elapsed().as_secs_f64()),
                Some(status) => return Err(Failed::new(format!("the demonstration ended with {status}"))),
                None if started.elapsed() > PATIENCE => return Err(Failed::new("the demonstration does not stop")),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Audits everything it has ever written: what it threw away was kept.
    pub fn audit(&self) -> Result<Value> {
        let mut archived = false;
        for entry in std::fs::read_dir(self.kept())?.filter_map(std::result::Result::ok) {
            if self.data().join(entry.file_name()).exists() {
                std::fs::remove_file(entry.path())?;
            } else {
                archived = true;
            }
        }
        let mut command = Command::new(&self.program);
        command.args(["--json", "audit", "--data"]).arg(self.data());
        if archived {
            command.arg("--archive").arg(self.kept());
        }
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        if output.status.success() && report["figures_clean"] == Value::Bool(true) {
            return Ok(report);
        }
        let findings = if report["findings"].is_array() { &report["findings"] } else { &report };
        Err(Failed::new(format!("the audit has findings: {findings}")))
    }

    /// What the log says.
    pub fn log(&self) -> Log {
        let errors = self.log_lines(|line| line.contains("ERROR") || line.contains("panicked"));
        Log { errors }
    }

    /// The last lines of the log.
    pub fn end_of_log(&self) -> String {
        let lines = self.log_lines(|_| true);
        lines.get(lines.len().saturating_sub(10)..).unwrap_or_default().join("\n")
    }

    fn log_lines(&self, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let text = std::fs::read(self.folder.path().join("log")).unwrap_or_default();
        String::from_utf8_lossy(&text).lines().filter(|line| wanted(line)).map(str::to_owned).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
