//! `witness`, and a floor with one: kills at any moment, an old backup, a history that was forged with the real key.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tlog::key::Kind;
use tlog::tree::{leaf_hash, prove_consistency};
use tlog::witness::{AddCheckpoint, origin_hash};
use tlog::{Checkpoint, Frontier, Hash, Note, Policy, SigningKey};

use crate::floor::{Pipe, Place};
use crate::{croupier, program};

/// A process that says on its first line where it listens, and is killed when it goes out of scope.
struct Process {
    child: Child,
    address: String,
}

impl Process {
    fn start(words: &[&str]) -> Process {
        let mut child = program().args(["--json"]).args(words).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{words:?} said {line:?}"));
        Process { child, address: said["address"].as_str().expect("an address").to_owned() }
    }

    /// SIGTERM, and an end in order.
    fn end(mut self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("asked to end");
        self.child.wait().expect("it ends");
    }

    /// SIGKILL.
    fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("it ends");
    }

    /// Status and body; `None` if there was no answer.
    fn ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
        let address = self.address.strip_prefix("http://")?;
        let mut stream = TcpStream::connect(address).ok()?;
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    /// The latest head that the witness has cosigned.
    fn latest(&self, origin: &str) -> Option<Checkpoint> {
        let (status, note) = self.ask("GET", &format!("/{}/checkpoint", origin_hash(origin)), "")?;
        (status == 200).then(|| Checkpoint::parse(&Note::parse(note.as_bytes()).expect("a note").text).expect("a head"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A witness's files in a place, for a log with this public key.
fn made(place: &Place, log: &str) -> (String, [String; 3]) {
    let files = ["witness.key", "witness.state", "logs.txt"].map(|name| place.at(name));
    let run = croupier(&["witness", "keygen", "regulator.example/w", "--key", &files[0], "--state", &files[1]]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    fs::write(&files[2], format!("log {log}\n")).expect("written");
    (run.stdout.trim().to_owned(), files)
}

fn run_witness([key, state, policy]: &[String; 3], listen: &str) -> Process {
    Process::start(&["witness", "run", "--key", key, "--state", state, "--policy", policy, "--listen", listen])
}

const ORIGIN: &str = "casino.example/floor/1";

fn log_key() -> SigningKey {
    SigningKey::new(ORIGIN, Kind::Note, [7; 32]).expect("a key")
}

fn request(leaves: &[Hash], old: u64) -> String {
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.push(*leaf, |_, _| ()));
    let text = Checkpoint { origin: ORIGIN.into(), size: frontier.size(), root: frontier.root() }.to_text();
    let note = Note { signatures: vec![log_key().sign_at(&text, 0)], text };
    let Ok(proof) = prove_consistency(leaves, old, frontier.size());
    AddCheckpoint { old, proof, note }.to_text()
}

#[test]
fn a_witness_that_is_killed_at_any_moment_never_cosigns_two_histories() {
    let place = Place::new();
    let (_, files) = made(&place, &log_key().public().to_text());
    let leaves: Vec<Hash> = (0..2_000u64).map(|index| leaf_hash(&index.to_be_bytes())).collect();
    let mut forged = leaves.clone();
    forged[0] = [9; 32];
    let (mut answered, mut size) = (0, 0);
    for kill in 0..8u64 {
        let witness = run_witness(&files, "127.0.0.1:0");
        if let Some(known) = witness.latest(ORIGIN) {
            assert!(known.size >= answered, "{} after {answered}", known.size);
            size = known.size;
        }
        if answered > 0 {
            for (old, new) in [(size, size + 50), (0, 10), (size, size)] {
                let (status, body) =
                    witness.ask("POST", "/add-checkpoint", &request(&forged[..new as usize], old)).expect("an answer");
                assert!(status == 422 || status == 409, "{status} {body}");
            }
        }
        let until = Instant::now() + Duration::from_millis(20 + kill * 37);
        std::thread::scope(|scope| {
            let (witness, leaves) = (&witness, &leaves);
            let asking = scope.spawn(move || {
                let (mut size, mut answered) = (size, 0);
                // A forged history is longer than what was cosigned, and has to fit too.
                while size + 57 < leaves.len() as u64 {
                    let body = request(&leaves[..size as usize + 7], size);
                    match witness.ask("POST", "/add-checkpoint", &body) {
                        Some((200, _)) => (size, answered) = (size + 7, size + 7),
                        Some((status, body)) => panic!("{status} {body}"),
                        None => break,
                    }
                }
                answered
            });
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
            let pid = rustix::process::Pid::from_child(&witness.child);
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("killed");
            answered = answered.max(asking.join().expect("no wrong answer"));
        });
        witness.kill();
    }
    assert!(answered > 0);
}

#[test]
fn a_missing_state_and_a_log_key_are_refused() {
    let place = Place::new();
    let (_, files) = made(&place, &log_key().public().to_text());
    let [key, state, policy] = &files;
    let words = ["witness", "run", "--key", key, "--state", state, "--policy", policy];
    fs::remove_file(state).expect("removed");
    let run = croupier(&words);
    assert!(run.code == 1 && run.stderr.contains("the state is missing"), "{}", run.stderr);
    let again = croupier(&["witness", "keygen", "again.example", "--key", key, "--state", state]);
    assert_eq!(again.code, 1, "a key is made once");
    fs::write(key, format!("{}\n", log_key().to_text())).expect("written");
    let run = croupier(&words);
    assert!(run.code == 1 && run.stderr.contains("the key of a log"), "{}", run.stderr);
}

/// Settings with one witness.
fn settings(place: &Place, data: &str, key: &str, url: &str) -> String {
    let file = place.at("croupier.toml");
    let text = format!(
        "listen = '127.0.0.1:0'\ndata = '{data}'\nsign_seconds = 1\n\n[[witnesses]]\nname = 'regulator'\nkey = '{key}'\nurl = '{url}'\n"
    );
    fs::write(&file, text).expect("written");
    file
}

#[test]
fn an_old_backup_is_restored_as_a_new_era_only() {
    let place = Place::new();
    let (data, copy) = (place.at("floor"), place.at("copy"));
    let mut pipe = Pipe::demo(&data);
    pipe.play_a_round();
    // The log is kept beside play, in spare time: a backup made before it has begun has none.
    until("the keys of the log", || fs::exists(format!("{data}/log.vkey")).ok().filter(|there| *there));
    place.json(&format!("backup --to {copy}"));
    pipe.fill(5);
    assert_eq!(pipe.end(), Some(0));
    let log = place.run("log head --key").stdout;
    let head = place.run("log head").stdout;
    let (key, files) = made(&place, log.trim());
    let witness = run_witness(&files, "127.0.0.1:0");
    let note = Note::parse(head.as_bytes()).expect("a note");
    let origin = Checkpoint::parse(&note.text).expect("a head").origin;
    let body = AddCheckpoint { old: 0, proof: Vec::new(), note }.to_text();
    assert_eq!(witness.ask("POST", "/add-checkpoint", &body).expect("an answer").0, 200);
    let config = settings(&place, &data, &key, &witness.address);

    let refused = |words: &[&str], code: &str| {
        let mut all = vec!["--json", "restore", "--config", &config];
        all.extend(words);
        let run = croupier(&all);
        assert!(run.code == 1 && run.stdout.contains(code), "{words:?}: {}{}", run.stdout, run.stderr);
    };
    let back = place.at("back");
    // Removing the log's key from a backup does not bypass the witnesses.
    let stripped = place.at("stripped");
    place.json(&format!("backup --to {stripped}"));
    fs::remove_file(format!("{stripped}/log.vkey")).expect("removed");
    refused(&["--from", &stripped, "--data", &back], "no_witness");
    refused(&["--from", &copy, "--data", &back], "records_lost");
    assert!(!std::path::Path::new(&back).exists(), "nothing was copied");
    let run = croupier(&["--json", "restore", "--config", &config, "--from", &copy, "--data", &back, "--new-era"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let next = origin.replace("/1", "/2");
    assert_eq!(answer["log"], next.as_str());
    // The proof of the loss stays, and the next log has a key of its own.
    let kept = fs::read_to_string(format!("{back}/log/eras/1.note")).expect("the head of the lost records");
    assert!(kept.starts_with(&head.lines().take(3).collect::<Vec<_>>().join("\n")), "{kept}");
    assert_eq!(fs::read_to_string(format!("{back}/log/eras/1.vkey")).expect("the old key"), log);
    let mut pipe = Pipe::demo(&back);
    pipe.rounds = 1;
    pipe.play_a_round();
    assert_eq!(pipe.end(), Some(0));
    let head = croupier(&["log", "head", "--data", &back]).stdout;
    assert!(head.starts_with(&format!("{next}\n")), "{head}");

    // A backup with everything goes on under its name, and a witness that is away is not passed over in silence.
    let whole = place.at("whole");
    place.json(&format!("backup --to {whole}"));
    refused(&["--from", &whole, "--data", &place.at("x"), "--new-era"], "nothing_lost");
    let address = witness.address.clone();
    witness.kill();
    refused(&["--from", &whole, "--data", &place.at("x")], "no_witness");
    let again = run_witness(&files, address.trim_start_matches("http://"));
    assert!(again.latest(&origin).is_some());
    let run = croupier(&["restore", "--config", &config, "--from", &whole, "--data", &place.at("x")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
}

/// The host is killed while it signs, writes and sends; the witness sees one history, and the host always comes up.
#[test]
fn a_host_that_is_killed_at_any_moment_shows_its_witness_one_history() {
    let place = Place::new();
    let data = place.at("floor");
    let plain = place.at("plain.toml");
    fs::write(&plain, format!("listen = '127.0.0.1:0'\ndata = '{data}'\nsign_seconds = 1\n")).expect("written");
    let first = Process::start(&["serve", "--config", &plain]);
    let policy = until("a log", || first.ask("GET", "/log/policy", "").filter(|(status, _)| *status == 200));
    first.kill();
    let log = policy.1.lines().find_map(|line| line.strip_prefix("log ")).expect("a key").to_owned();
    let (key, files) = made(&place, &log);
    let witness = run_witness(&files, "127.0.0.1:0");
    let config = settings(&place, &data, &key, &witness.address);
    let origin = log.split('+').next().expect("a name").to_owned();
    let mut seen = 0;
    for kill in 0..6u64 {
        let host = Process::start(&["serve", "--config", &config]);
        // Each start makes records. Some are cosigned before the kill, some are signed only, some not even that.
        if kill % 2 == 1 {
            until("a cosignature", || witness.latest(&origin).filter(|head| head.size > seen));
        }
        std::thread::sleep(Duration::from_millis(kill * 90));
        host.kill();
        seen = witness.latest(&origin).map_or(seen, |head| head.size);
    }
    let host = Process::start(&["serve", "--config", &config]);
    let head = until("a cosigned head", || {
        let (status, note) = host.ask("GET", "/log/checkpoint", "")?;
        (status == 200).then_some(note)
    });
    let (_, policy) = host.ask("GET", "/log/policy", "").expect("a policy");
    let verified = Policy::parse(&policy).expect("a policy").verify(&Note::parse(head.as_bytes()).expect("a note"));
    assert_eq!(verified.expect("cosigned").witnesses.len(), 1);
    host.end();
    assert!(seen > 0);
    let run = croupier(&["audit", "--data", &data]);
    assert_eq!(run.code, 0, "{}", run.stdout);
}

/// Asks again until there is an answer, for a minute at most.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
