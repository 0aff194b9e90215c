//! The program: `croupier serve` on loopback with a folder of its own, and the people of the book signed in.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::http::{self, Reply};
use super::link::{Key, Link};
use crate::people::{ADMINISTRATOR, PEOPLE, Person, SECOND_ADMINISTRATOR};
use crate::world::Refused;

/// Everyone's password.
pub const PASSWORD: &str = "a password of the book";
/// The half of a password that an administrator chooses for a new person …
const FIRST: &str = "a password for one day";
/// … and the one that the second person chooses. The new person changes both.
pub const HALF: &str = ", and its other half";
const FLOOR: &str = "main";

/// A person who has signed in.
struct Session {
    id: u64,
    /// It ends when the person's post changes.
    cookie: Mutex<String>,
    /// The number of the next command. Commands of one person go out one after the other: numbers must not overtake.
    number: Mutex<u64>,
}

impl Session {
    fn cookie(&self) -> String {
        self.cookie.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next(&self) -> u64 {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running program.
pub struct Server {
    program: PathBuf,
    folder: TempDir,
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// Where its answers are awaited.
    pub runtime: Runtime,
    sessions: Vec<Session>,
    numbers: AtomicU64,
    /// Whether accounts and tables take two administrators, who were made at the first start.
    two: bool,
    /// By how many milliseconds the time of the program was moved.
    moved: AtomicI64,
}

impl Server {
    /// Starts the program in an empty folder and employs the people of the book.
    ///
    /// # Errors
    /// When something of it does not work.
    pub fn start(program: &Path) -> Result<Server, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| error.to_string())?;
        let (child, address, said) = spawn(program, folder.path())?;
        let (sessions, numbers, program) = (Vec::new(), AtomicU64::new(1), program.to_owned());
        let made = |place: usize| said["administrators"][place]["password"].as_str().map(str::to_owned);
        let (made, two) = ([made(0), made(1)], made(1).is_some());
        let mut server =
            Server { program, folder, child, address, runtime, sessions, numbers, two, moved: AtomicI64::new(0) };
        server.employ(made).map_err(|refused| format!("the people could not be employed: {refused}"))?;
        Ok(server)
    }

    fn employ(&mut self, made: [Option<String>; 2]) -> Result<(), Refused> {
        // The first passwords are good for choosing others.
        for (login, first) in ["administrator", "administrator2"].into_iter().zip(made) {
            let Some(first) = first else { continue };
            let session = self.sign_in(login, &first)?;
            self.sessions.push(session);
            let changed = self.post(0, "/session/password", json!({ "old": first, "new": PASSWORD }));
            self.sessions.clear();
            changed?;
        }
        let first = self.sign_in("administrator", PASSWORD)?;
        let administrator = first.id;
        self.sessions.push(first);
        for (place, (name, _)) in PEOPLE.iter().enumerate() {
            let person = Person(place);
            if person == ADMINISTRATOR || self.two && person == SECOND_ADMINISTRATOR {
                continue;
            }
            let (post, login) = (person.post_name(), person.login());
            let staff = json!({ "name": name, "post": post, "login": login, "password": FIRST });
            let mut staff = self.by_two(staff);
            if self.two {
                staff["witness"]["half"] = json!(HALF);
            }
            self.post(0, "/staff", staff)?;
        }
        let first = self.sessions.remove(0);
        let given = if self.two { format!("{FIRST}{HALF}") } else { FIRST.to_owned() };
        for place in 0..PEOPLE.len() {
            let session = match Person(place) == ADMINISTRATOR {
                true => {
                    Session { id: administrator, cookie: Mutex::new(first.cookie()), number: Mutex::new(first.next()) }
                }
                false if self.two && Person(place) == SECOND_ADMINISTRATOR => {
                    self.sign_in("administrator2", PASSWORD)?
                }
                false => self.sign_in(&Person(place).login(), &given)?,
            };
            self.sessions.push(session);
            let made_at_the_start = Person(place) == ADMINISTRATOR || self.two && Person(place) == SECOND_ADMINISTRATOR;
            if !made_at_the_start {
                self.post(place, "/session/password", json!({ "old": given, "new": PASSWORD }))?;
            }
        }
        Ok(())
    }

    fn sign_in(&self, login: &str, password: &str) -> Result<Session, Refused> {
        let body = json!({ "login": login, "password": password });
        let reply = self.send(Method::POST, "/session", &[], Some(body))?;
        let cookie = Mutex::new(reply.cookie.clone().unwrap_or_default());
        let body = reply.done()?;
        let number = Mutex::new(body["next_number"].as_u64().unwrap_or(1));
        Ok(Session { id: body["staff"].as_u64().unwrap_or_default(), cookie, number })
    }

    /// A person whose session has ended signs in again.
    ///
    /// # Errors
    /// The refusal.
    pub fn sign_in_again(&self, who: Person) -> Result<(), Refused> {
        let cookie = self.sign_in(&who.login(), PASSWORD)?.cookie();
        *self.sessions[who.0].cookie.lock().unwrap_or_else(PoisonError::into_inner) = cookie;
        Ok(())
    }

    /// The cookie of a person; one whose session has ended signs in again.
    fn cookie(&self, place: usize) -> Result<String, Refused> {
        let known = self.sessions[place].cookie();
        if !known.is_empty() {
            return Ok(known);
        }
        self.sign_in_again(Person(place))?;
        Ok(self.sessions[place].cookie())
    }

    /// Lets time pass for the program: a test writes how much to a file that it reads, and it says when everything that is
    /// due has taken effect.
    ///
    /// # Errors
    /// When it does not say so.
    pub fn pass(&self, milliseconds: i64) -> Result<(), String> {
        let moved = self.move_clock(milliseconds)?;
        let said = self.folder.path().join("moved.elapsed");
        let begun = Instant::now();
        while std::fs::read_to_string(&said).unwrap_or_default() != moved.to_string() {
            if begun.elapsed() > Duration::from_secs(10) {
                return Err("the program does not say that the time has passed".to_owned());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Moves the time, and ends the sessions: what was idle so long is over.
    fn move_clock(&self, milliseconds: i64) -> Result<i64, String> {
        let moved = self.moved.fetch_add(milliseconds, Ordering::AcqRel) + milliseconds;
        let (file, new) = (self.folder.path().join("moved"), self.folder.path().join("moved.new"));
        std::fs::write(&new, moved.to_string())
            .and_then(|()| std::fs::rename(&new, &file))
            .map_err(|error| error.to_string())?;
        for session in &self.sessions {
            session.cookie.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        Ok(moved)
    }

    /// Waits until the program has noted that it is alive at the time it is now; it does so only while a round is open.
    fn until_noted(&self) {
        let since = self.moved.load(Ordering::Acquire);
        let begun = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let wanted = i64::try_from(begun.as_millis()).unwrap_or(i64::MAX).saturating_add(since).saturating_sub(500);
        let noted = || std::fs::read_to_string(self.folder.path().join("data/alive")).ok()?.trim().parse::<i64>().ok();
        let begun = Instant::now();
        while noted().is_none_or(|noted| noted < wanted) && begun.elapsed() < Duration::from_secs(3) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The path of something on the floor.
    #[must_use]
    pub fn path(below: &str) -> String {
        format!("/api/v1/floors/{FLOOR}{below}")
    }

    fn send(
        &self,
        method: Method,
        below: &str,
        headers: &[(&str, String)],
        body: Option<Value>,
    ) -> Result<Reply, Refused> {
        let path = Server::path(below);
        let reply = self.runtime.block_on(http::send(self.address, method, &path, headers, body));
        reply.map_err(|words| Refused { code: "no answer".to_owned(), rule: String::new(), words })
    }

    fn post(&self, place: usize, below: &str, body: Value) -> Result<Value, Refused> {
        let session = &self.sessions[place];
        let mut number = session.number.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        let headers =
            [("cookie", self.cookie(place)?), ("x-croupier", "1".to_owned()), ("idempotency-key", number.to_string())];
        self.send(Method::POST, below, &headers, Some(body))?.done()
    }

    /// What administrators do together, signed by the second one.
    #[must_use]
    pub fn by_two(&self, mut body: Value) -> Value {
        if self.two {
            body["witness"] = Server::signature(SECOND_ADMINISTRATOR);
        }
        body
    }

    /// A person sends a command.
    ///
    /// # Errors
    /// The refusal.
    pub fn command(&self, who: Person, below: &str, body: Value) -> Result<Value, Refused> {
        self.post(who.0, below, body)
    }

    /// A person reads something.
    ///
    /// # Errors
    /// The refusal.
    pub fn get(&self, who: Person, below: &str) -> Result<Value, Refused> {
        let headers = [("cookie", self.cookie(who.0)?)];
        self.send(Method::GET, below, &headers, None)?.done()
    }

    /// What a second person signs with.
    #[must_use]
    pub fn signature(who: Person) -> Value {
        json!({ "login": who.login(), "password": PASSWORD })
    }

    /// The floor's number of a person.
    #[must_use]
    pub fn staff_id(&self, who: Person) -> u64 {
        self.sessions[who.0].id
    }

    /// What a person sees on a page, as it is now. What only staff see comes a little after the rest; the page is looked
    /// at until that section is there, if one is named.
    ///
    /// # Errors
    /// When the feed is not opened.
    pub fn snapshot(&self, who: Person, below: &str, section: &str) -> Result<Value, String> {
        let cookie = self.cookie(who.0).map_err(|refused| refused.to_string())?;
        self.runtime.block_on(async {
            let mut link = Link::open(self.address, &Server::path(below), Some(&cookie), None, 0).await?;
            let view = link.view_with(section).await?;
            link.close().await;
            Ok(view)
        })
    }

    /// Enrols the key of a terminal or device with a one-time code.
    ///
    /// # Errors
    /// The refusal.
    pub fn enrol(&self, kind: &str, id: u64, key: &Key) -> Result<(), Refused> {
        let code = self.command(ADMINISTRATOR, &format!("/{kind}s/{id}/code"), self.by_two(json!({})))?;
        let body = json!({ "code": code["code"], "scheme": "ed25519", "public_key": key.public() });
        self.send(Method::POST, "/enrol", &[], Some(body))?.done().map(|_| ())
    }

    /// Opens the feed of a terminal or device.
    ///
    /// # Errors
    /// When it is not opened.
    pub fn link(&self, kind: &str, id: u64, key: &Key) -> Result<Link, String> {
        // Larger than any number used before, on earlier links too.
        let number = self.numbers.fetch_add(1, Ordering::Relaxed) * 1_000_000;
        let path = Server::path(&format!("/feed/{kind}/{id}"));
        self.runtime.block_on(Link::open(self.address, &path, None, Some((kind, id, key)), number))
    }

    /// Kills the program and starts it again in the same folder, at the same address, after so many more milliseconds.
    ///
    /// # Errors
    /// When it does not start.
    pub fn restart(&mut self, away: i64) -> Result<(), String> {
        if away > 0 {
            self.until_noted();
        }
        self.stop();
        if away > 0 {
            self.move_clock(away)?;
        }
        let (child, address, _) = spawn(&self.program, self.folder.path())?;
        (self.child, self.address) = (child, address);
        Ok(())
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Starts the program and waits until it says where it listens; what it said.
fn spawn(program: &Path, folder: &Path) -> Result<(Child, SocketAddr, Value), String> {
    let log = std::fs::File::create(folder.join("log")).map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(["serve", "--json", "--listen", "127.0.0.1:0", "--floor", FLOOR, "--data"])
        .arg(folder.join("data"))
        .env_remove("CROUPIER_ADMIN_PASSWORD")
        .env("CROUPIER_REQUESTS_PER_SECOND", "10000")
        .env_remove("CROUPIER_DATA")
        .env("CROUPIER_MOVED_CLOCK", folder.join("moved"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| format!("{} does not start: {error}", program.display()))?;
    let mut line = String::new();
    let read = child.stdout.take().map(|output| BufReader::new(output).read_line(&mut line));
    let said: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
    let address = said["address"].as_str().and_then(|address| address.strip_prefix("http://")?.parse().ok());
    match address {
        Some(address) => Ok((child, address, said)),
        None => {
            let _ = child.kill();
            let _ = child.wait();
            let log = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            Err(format!("the program said {line:?} ({read:?}): {log}"))
        }
    }
}
