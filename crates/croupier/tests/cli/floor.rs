//! A floor of its own for each test, driven over the pipe.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{Run, croupier, program};

/// On the demonstration floor.
pub const ROULETTE: u64 = 1;
pub const WHEEL: u64 = 9;
/// The terminals of the roulette table, and the cash validator of the first.
pub const TERMINALS: [u64; 8] = [8, 9, 10, 11, 12, 13, 14, 15];
pub const VALIDATOR: u64 = 10;
pub const DEALER: u64 = 0;
pub const SHIFT_MANAGERS: [u64; 2] = [6, 7];
/// Places in the table of `rules export rws-roulette-000`.
pub const STRAIGHT_17: u64 = 20;
pub const POCKET_17: u64 = 19;

/// A folder that goes away with the test.
pub struct Place(TempDir);

impl Place {
    pub fn new() -> Place {
        Place(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder"))
    }

    /// A path in it.
    pub fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// A demonstration floor in `floor`, on which a round has been played.
    pub fn with_a_round() -> Place {
        let place = Place::new();
        let mut pipe = Pipe::demo(&place.at("floor"));
        pipe.play_a_round();
        assert_eq!(pipe.end(), Some(0));
        place
    }

    /// Runs a command on the floor.
    pub fn run(&self, words: &str) -> Run {
        let data = self.at("floor");
        let words: Vec<&str> = words.split_whitespace().chain(["--data", &data]).collect();
        croupier(&words)
    }

    /// Runs a command on the floor and reads its one line of JSON.
    pub fn json(&self, words: &str) -> Value {
        let run = self.run(&format!("--json {words}"));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{words}: {}", run.stdout);
        serde_json::from_str(&run.stdout).expect("JSON")
    }

    /// The files of the floor's folder with their sizes.
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let entries = std::fs::read_dir(self.at("floor")).expect("the folder");
        let entry = |entry: std::fs::DirEntry| (entry.path(), entry.metadata().expect("a file").len());
        let mut files: Vec<_> = entries.map(|found| entry(found.expect("an entry"))).collect();
        files.sort();
        files
    }
}

/// A running `croupier pipe`, one command at a time.
pub struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    tag: u64,
    /// Rounds played on this floor, which counts them from zero.
    pub rounds: u64,
    pub recovered: Value,
    pub floor: Value,
    /// The lines that were no answers.
    pub others: Vec<Value>,
}

impl Pipe {
    /// A demonstration floor with small segments.
    pub fn demo(data: &str) -> Pipe {
        Pipe::start(&["--demo", "--segment", "1", "--data", data])
    }

    pub fn start(words: &[&str]) -> Pipe {
        let mut command = program();
        command.arg("pipe").args(words);
        Pipe::spawn(command, true)
    }

    /// A floor that there is already is described on the second line.
    pub fn spawn(mut command: std::process::Command, there_is_a_floor: bool) -> Pipe {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let input = child.stdin.take();
        let (recovered, floor) = (json!(null), json!(null));
        let mut pipe = Pipe { child, input, lines, tag: 0, rounds: 0, recovered, floor, others: Vec::new() };
        pipe.recovered = pipe.line().expect("it comes up")["recovered"].take();
        if there_is_a_floor {
            pipe.floor = pipe.line().expect("there is a floor")["floor"].take();
        }
        pipe
    }

    pub fn line(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("UTF-8");
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("the program listens");
    }

    /// The next answer.
    pub fn answer(&mut self) -> Value {
        loop {
            let line = self.line().expect("an answer");
            if line.get("tag").is_some() || line.get("stopped").is_some() {
                return line;
            }
            self.others.push(line);
        }
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, sender: Value, number: u64, body: Value) -> Value {
        self.tag += 1;
        self.say(&json!({ "tag": self.tag, "sender": sender, "number": number, "body": body }).to_string());
        let mut answer = self.answer();
        if answer.get("stopped").is_none() {
            assert_eq!(answer["tag"], self.tag, "{answer}");
            answer.as_object_mut().expect("an object").remove("tag");
        }
        answer
    }

    /// Asks a question, which changes nothing.
    pub fn question(&mut self, ask: Value) -> Value {
        self.tag += 1;
        self.say(&json!({ "tag": self.tag, "ask": ask }).to_string());
        let answer = self.answer();
        assert_eq!(answer["tag"], self.tag, "{answer}");
        answer
    }

    /// A command that is accepted, under an unused number.
    #[track_caller]
    pub fn ok(&mut self, sender: Value, body: Value) -> u64 {
        let number = self.recovered["sequence"].as_u64().expect("a number") + 1_000 + self.tag;
        let answer = self.ask(sender, number, body.clone());
        answer["accepted"].as_u64().unwrap_or_else(|| panic!("{body}: {answer}"))
    }

    /// Terminal 8 puts in 1,000.00 and bets 10.00 on 17, which comes.
    pub fn play_a_round(&mut self) {
        let (dealer, terminal) = (json!({ "Staff": DEALER }), json!({ "Terminal": TERMINALS[0] }));
        let wheel = json!({ "Device": WHEEL });
        self.ok(json!({ "Device": VALIDATOR }), json!({ "CashIn": { "terminal": TERMINALS[0], "amount": 100_000 } }));
        self.ok(dealer.clone(), json!({ "OpenBets": { "table": ROULETTE } }));
        let add = json!({ "Add": { "spot": STRAIGHT_17, "amount": 1_000 } });
        self.ok(terminal, json!({ "Bet": { "changes": [add] } }));
        self.ok(dealer.clone(), json!({ "CloseBets": { "table": ROULETTE } }));
        let round = self.rounds;
        self.rounds += 1;
        for terminal in TERMINALS {
            self.ok(json!({ "Terminal": terminal }), json!({ "AcknowledgeClose": { "round": round } }));
        }
        let spun = json!({ "Spun": { "against_rotation": true, "wheel_rotating": true } });
        self.ok(wheel.clone(), json!({ "Observe": spun }));
        self.ok(wheel.clone(), json!({ "Observe": { "Revolved": { "times": 6 } } }));
        self.ok(wheel, json!({ "Observe": { "Rested": { "pocket": POCKET_17 } } }));
        let affirmed = json!(["times"]);
        let entry = json!({ "EnterResult": { "table": ROULETTE, "outcome": POCKET_17, "affirmed": affirmed } });
        self.ok(dealer.clone(), entry);
        self.ok(dealer, json!({ "ConfirmResult": { "table": ROULETTE } }));
    }

    /// So many batches: a command waits until the one before it is durable.
    pub fn fill(&mut self, batches: u64) {
        for _ in 0..batches {
            self.ok(json!({ "Device": VALIDATOR }), json!({ "CashIn": { "terminal": TERMINALS[0], "amount": 100 } }));
        }
    }

    /// The end of the input.
    pub fn end(&mut self) -> Option<i32> {
        self.input = None;
        while let Some(line) = self.line() {
            self.others.push(line);
        }
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Only if a test has failed; then nothing may be left running.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
