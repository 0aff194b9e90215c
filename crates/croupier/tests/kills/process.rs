//! The real program.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// Nothing takes so long; a test that would wait for ever fails instead.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_croupier"));
    program.env_remove("CROUPIER_DATA");
    program
}

/// Runs a command to its end, with a folder as its last word.
pub fn croupier(words: &[&str], folder: &Path) -> Run {
    let output = program().args(words).arg(folder).output().expect("the program starts");
    Run {
        code: output.status.code().expect("it exits by itself"),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A running `croupier pipe`.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    first: Option<String>,
    reader: Option<JoinHandle<()>>,
    complaints: String,
}

impl Process {
    /// Small segments, and frequent checkpoints and snapshots, so that kills come upon all of them.
    pub fn start(data: &Path) -> Process {
        let every = ["--segment", "1", "--checkpoint-every", "700", "--snapshot-every", "3000"];
        let mut child = program()
            .args(["pipe", "--demo"])
            .args(every)
            .arg("--data")
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let (input, output) = (child.stdin.take(), child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        let reader = std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = String::new();
            // A line that was cut off by the kill was not said.
            while output.read_line(&mut line).is_ok_and(|_| line.ends_with('\n')) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Process { child, input, lines, first: None, reader: Some(reader), complaints: String::new() }
    }

    /// Waits until the program says something, but no longer than that.
    pub fn wait_for_line(&mut self, at_most: Duration) {
        self.first = self.lines.recv_timeout(at_most).ok();
    }

    /// The next line; `None` when there will be none.
    pub fn line(&mut self) -> Option<Value> {
        self.line_within(PATIENCE).unwrap_or_else(|_| panic!("the program says nothing"))
    }

    /// The next line within some time.
    pub fn line_within(&mut self, at_most: Duration) -> Result<Option<Value>, RecvTimeoutError> {
        let line = match self.first.take() {
            Some(line) => line,
            None => match self.lines.recv_timeout(at_most) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(timeout) => return Err(timeout),
            },
        };
        Ok(Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))))
    }

    /// The next line of a program that is up.
    pub fn answer(&mut self) -> Value {
        match self.line() {
            Some(line) => line,
            None => {
                let code = self.finish();
                panic!("it ended by itself with {code:?}: {}", self.complaints)
            }
        }
    }

    pub fn say(&mut self, lines: &str) {
        if let Some(input) = &mut self.input {
            input.write_all(lines.as_bytes()).and_then(|()| input.flush()).expect("the program listens");
        }
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.finish();
    }

    /// The end of the input: it stops in order.
    pub fn end(&mut self) -> Option<i32> {
        self.input = None;
        while self.line().is_some() {}
        self.finish()
    }

    fn finish(&mut self) -> Option<i32> {
        self.input = None;
        let status = self.child.wait().expect("it has ended");
        if let Some(reader) = self.reader.take() {
            reader.join().expect("read to the end");
        }
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut self.complaints).expect("UTF-8");
        }
        status.code()
    }

    /// What it wrote to standard error.
    pub fn complaints(&self) -> &str {
        &self.complaints
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Only if a check has failed; then nothing may be left running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
