//! The programs of a cabinet and its floor.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use cabinet::agent::{Hosts, Seat, take_seat};
use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::screen::{Screen, Shown};
use crate::truth::{NOTE, Truth};
use crate::wire::Wire;
use crate::{Fault, Step};

/// So long a ticket waits for its printer before two people look.
const STUCK: Duration = Duration::from_millis(1_500);
/// How long each movement of a device takes, in milliseconds.
const PACE: &str = "40";

/// A process that is killed with this value.
struct Program(Child);

impl Program {
    /// Starts it, and waits until it says that it is up.
    fn start(words: &[&str]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_croupier"));
        command.env_remove("CROUPIER_DATA").args(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("text");
        assert!(line.starts_with('{'), "{words:?} did not start: {line}");
        // What it says later is read and dropped, so that it never waits for a reader.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Program(child)
    }

    fn say(&mut self, line: &str) {
        let _ = writeln!(self.0.stdin.as_mut().expect("piped"), "{line}");
    }

    fn kill(&mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("it has ended");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A cabinet and its floor.
pub struct Cabinet {
    folder: PathBuf,
    host_at: SocketAddr,
    seat: Seat,
    wire: Wire,
    host: Program,
    agent: Program,
    validator: Program,
    printer: Program,
    screen: Screen,
    runtime: Runtime,
    hosts: Hosts,
    cookie: String,
    number: u64,
    pub truth: Truth,
}

/// What the validator speaks.
fn protocol() -> String {
    std::env::var("CABINET_PROTOCOL").unwrap_or_else(|_| "id003".to_owned())
}

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("an address")
}

fn text(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

impl Cabinet {
    pub fn start(folder: &Path) -> Cabinet {
        let (host_at, agent_at) = (free(), free());
        std::fs::write(folder.join("host.toml"), "demonstration_deals = false\n").expect("written");
        let host = start_host(folder, host_at);
        let wire = Wire::to(host_at);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let hosts = Hosts::new(&[format!("http://{host_at}")], None).expect("an address");
        let keys = ["terminal.key", "validator.key"].map(|name| folder.join(name));
        let seat = runtime.block_on(take_seat(&hosts, None, &keys[0], &keys[1])).expect("a free terminal");
        let settings = format!(
            "floor = \"demo\"\nhosts = [\"http://{}\"]\nlisten = \"{agent_at}\"\ndata = \"{}\"\nlimit = \"100000.00\"\n\
             [terminal]\nid = {}\nkey = \"{}\"\n\
             [validator]\ndevice = {}\nkey = \"{}\"\nport = \"{}\"\nprotocol = \"{}\"\ndenominations = [\"2.00\", \"5.00\", \"10.00\", \"50.00\"]\n\
             [printer]\nport = \"{}\"\n",
            wire.address,
            text(&folder.join("agent")),
            seat.terminal,
            text(&keys[0]),
            seat.device,
            text(&keys[1]),
            text(&folder.join("validator")),
            protocol(),
            text(&folder.join("printer")),
        );
        std::fs::write(folder.join("cabinet.toml"), settings).expect("written");
        let validator = start_device(folder, "validator");
        let printer = start_device(folder, "printer");
        let agent = start_agent(folder);
        let screen = Screen::new(agent_at, seat.terminal);
        let mut cabinet = Cabinet {
            folder: folder.to_owned(),
            host_at,
            seat,
            wire,
            host,
            agent,
            validator,
            printer,
            screen,
            runtime,
            hosts,
            cookie: String::new(),
            number: 0,
            truth: Truth::new(folder),
        };
        cabinet.sign_in();
        cabinet
    }

    /// Everything has come to rest, and what no one could know was resolved by two people.
    pub fn calm(&mut self) -> Shown {
        loop {
            let (truth, mut stuck) = (&self.truth, None);
            let shown = self.screen.until(|shown| {
                let (state, print) = (&shown.state, &shown.state["print"]);
                if !truth.is_at_rest() {
                    return false;
                }
                if state["ready"] == true && state["refuses"].is_null() && state["ticket_in"] == false {
                    return shown.doubt.is_none();
                }
                let waits = print["sent"] == true && print["outcome"].is_null() && shown.doubt.is_some();
                if !waits {
                    stuck = None;
                    return false;
                }
                stuck.get_or_insert_with(Instant::now).elapsed() > STUCK
            });
            let Some(ticket) = shown.doubt else {
                return Shown { credit: self.credit(), ..shown };
            };
            let on_paper = self
                .truth
                .papers()
                .last()
                .is_some_and(|paper| paper.complete && paper.lines.contains(&format!("Ticket {ticket}")));
            self.resolve(ticket, if on_paper { "in_hand" } else { "not_printed" });
        }
    }

    pub fn begin(&mut self, step: Step) {
        self.truth.begin();
        match step {
            Step::NoteIn => self.validator.say(&format!("insert {}", NOTE / 100)),
            Step::TicketIn => {
                let (number, _) = self.truth.paper_in_hand().expect("a ticket");
                self.validator.say(&format!("ticket {number}"));
            }
            Step::TicketOut => self.screen.press(json!({ "type": "cash_out" })),
        }
    }

    pub fn hit(&mut self, fault: Fault) {
        match fault {
            Fault::Agent => {
                self.agent.kill();
                self.agent = start_agent(&self.folder);
            }
            Fault::Host => {
                self.host.kill();
                self.host = start_host(&self.folder, self.host_at);
            }
            Fault::Line => {
                self.wire.cut();
                std::thread::sleep(Duration::from_millis(300));
                self.wire.mend();
            }
            Fault::Validator => {
                self.validator.kill();
                self.validator = start_device(&self.folder, "validator");
            }
            Fault::Printer => {
                self.printer.kill();
                self.printer = start_device(&self.folder, "printer");
            }
            Fault::All => {
                for program in [&mut self.agent, &mut self.host, &mut self.validator, &mut self.printer] {
                    program.kill();
                }
                self.host = start_host(&self.folder, self.host_at);
                self.validator = start_device(&self.folder, "validator");
                self.printer = start_device(&self.folder, "printer");
                self.agent = start_agent(&self.folder);
            }
        }
        self.screen.lost();
    }

    /// Everything stops, and the record is audited.
    pub fn end(self) {
        let Cabinet { folder, host, agent, .. } = self;
        drop((agent, host));
        let data = text(&folder.join("floor"));
        let audit = Command::new(env!("CARGO_BIN_EXE_croupier")).args(["audit", "--json", "--data", &data]).output();
        let audit = audit.expect("the program starts");
        assert!(audit.status.success(), "{}", String::from_utf8_lossy(&audit.stdout));
    }

    fn sign_in(&mut self) {
        let person = json!({ "login": "manager1", "password": "demonstration" });
        let answer = self.ask("POST", "/session", Some(&person));
        let cookie = answer.headers()["set-cookie"].to_str().expect("text");
        self.cookie = cookie.split(';').next().expect("a cookie").to_owned();
    }

    fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> hyper::Response<Bytes> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_micros();
        self.number = self.number.max(u64::try_from(now).expect("a number")) + 1;
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1/floors/demo{path}"))
            .header("content-type", "application/json")
            .header("x-croupier", "1")
            .header("idempotency-key", self.number)
            .header("cookie", &self.cookie)
            .body(Full::new(Bytes::from(body.map(Value::to_string).unwrap_or_default())))
            .expect("a request");
        let answer = self.runtime.block_on(self.hosts.forward(request)).expect("the host answers");
        assert!(answer.status().is_success(), "{path}: {}", String::from_utf8_lossy(answer.body()));
        answer
    }

    /// What the floor says that the player has.
    fn credit(&mut self) -> i64 {
        let answer = self.ask("GET", &format!("/terminals/{}", self.seat.terminal), None);
        let body: Value = serde_json::from_slice(answer.body()).expect("JSON");
        let credit = body["own"]["credit"].as_str().or(body["credit"].as_str());
        credit.unwrap_or_else(|| panic!("no credit: {body}")).replace('.', "").parse().expect("cents")
    }

    /// Two people say what became of a ticket in doubt (D25).
    fn resolve(&mut self, ticket: u64, finding: &str) {
        let witness = json!({ "login": "supervisor1", "password": "demonstration" });
        let body = json!({ "finding": finding, "reason": "looked into the printer", "witness": witness });
        self.ask("POST", &format!("/tickets/{ticket}/resolve"), Some(&body));
    }
}

fn start_host(folder: &Path, at: SocketAddr) -> Program {
    let (config, data) = (text(&folder.join("host.toml")), text(&folder.join("floor")));
    Program::start(&["serve", "--demo", "--json", "--config", &config, "--data", &data, "--listen", &at.to_string()])
}

fn start_agent(folder: &Path) -> Program {
    Program::start(&["cabinet", "--json", "--config", &text(&folder.join("cabinet.toml"))])
}

fn start_device(folder: &Path, kind: &str) -> Program {
    let (port, state, speaks) = (text(&folder.join(kind)), text(&folder.join(format!("{kind}.json"))), protocol());
    let words = ["device", kind, "--protocol", &speaks, "--json", "--pace", PACE, "--port", &port, "--state", &state];
    Program::start(&words)
}
