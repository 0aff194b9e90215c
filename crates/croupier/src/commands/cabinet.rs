//! `croupier cabinet`: the agent inside a cabinet, and a simulated one beside the demonstration.

use std::fs;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use ::cabinet::agent::{self, Config, Hosts, Simulated};
use clap::Args;
use serde_json::json;

use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Run a cabinet: the agent that holds its keys, drives its validator and printer, and serves its screen.
#[derive(Args)]
#[command(after_help = "\
The agent serves the page of its terminal on loopback and forwards what the page needs to the hosts of the floor. It credits a note \
exactly once and says that a ticket is printed only when the printer has reported it, whatever loses its power when. See \
docs/cabinet.md for the settings and for how a cabinet is set up. With --simulated it starts a simulated validator and printer, \
takes a free terminal of a demonstration, and serves a window with notes, tickets and faults at /cabinet/simulated.

Examples:
  croupier cabinet --simulated
  croupier cabinet --simulated --host http://127.0.0.1:8080 --terminal 5
  croupier cabinet --config /etc/croupier/cabinet.toml --enrol-terminal CODE --enrol-validator CODE
  croupier cabinet --config /etc/croupier/cabinet.toml")]
pub struct Cabinet {
    /// A file with settings.
    #[arg(long, value_name = "FILE", required_unless_present = "simulated", conflicts_with = "simulated")]
    config: Option<PathBuf>,

    /// Enrol the terminal's key with this one-time code, and end.
    #[arg(long, value_name = "CODE", requires = "config")]
    enrol_terminal: Option<String>,

    /// Enrol the validator's key with this one-time code, and end.
    #[arg(long, value_name = "CODE", requires = "config")]
    enrol_validator: Option<String>,

    /// Start a simulated cabinet beside a demonstration.
    #[arg(long)]
    simulated: bool,

    /// The demonstration's address.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080", requires = "simulated")]
    host: Vec<String>,

    /// Which free terminal; otherwise the last one.
    #[arg(long, value_name = "N", requires = "simulated")]
    terminal: Option<u32>,

    /// The folder of the simulated cabinet.
    #[arg(long, value_name = "DIR", default_value = "./croupier-cabinet", requires = "simulated")]
    data: PathBuf,

    /// Where the simulated cabinet serves its page.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090", requires = "simulated")]
    listen: SocketAddr,
}

/// What the notes of a simulated cabinet are worth.
const NOTES: [&str; 6] = ["2.00", "5.00", "10.00", "50.00", "100.00", "1000.00"];

impl Cabinet {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        host::start_logs("warn,cabinet=info", false);
        // One thread: a cabinet is small.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::new("start", format!("cannot start: {error}")))?;
        Ok(runtime.block_on(self.start(form))?)
    }

    async fn start(&self, form: Form) -> Result<Answer, Refusal> {
        let Some(file) = &self.config else { return self.simulate(form).await };
        let config = settings(file)?;
        if self.enrol_terminal.is_some() || self.enrol_validator.is_some() {
            return self.enrol(&config).await;
        }
        serve(config, None, form).await
    }

    async fn enrol(&self, config: &Config) -> Result<Answer, Refusal> {
        let hosts = Hosts::new(&config.hosts, config.ca.as_deref());
        let hosts = hosts.map_err(|error| Refusal::new("settings", error.to_string()))?;
        let mut said = String::new();
        for (code, key, what) in [
            (&self.enrol_terminal, &config.terminal.key, "terminal"),
            (&self.enrol_validator, &config.validator.key, "validator"),
        ] {
            if let Some(code) = code {
                let enrolled = agent::enrol(&hosts, &config.floor, key, code).await;
                enrolled.map_err(|error| Refusal::new("enrol", format!("the {what}'s key: {error}")))?;
                said.push_str(&format!("The {what}'s key is enrolled: {}\n", key.display()));
            }
        }
        Ok(Answer::Done(said))
    }

    async fn simulate(&self, form: Form) -> Result<Answer, Refusal> {
        let refuse = |error: io::Error| Refusal::disk(&self.data.display().to_string(), &error);
        cabinet::private::create_folder(&self.data).map_err(refuse)?;
        let folder = self.data.canonicalize().map_err(refuse)?;
        let hosts = Hosts::new(&self.host, None).map_err(refuse)?;
        let keys = ["terminal.key", "validator.key"].map(|name| folder.join(name));
        let seat = agent::take_seat(&hosts, self.terminal, &keys[0], &keys[1]).await;
        let seat = seat.map_err(|error| Refusal::new("seat", format!("{}: {error}", self.host.join(", "))))?;
        let mut validator = Device::start("validator", &folder).map_err(refuse)?;
        let mut printer = Device::start("printer", &folder).map_err(refuse)?;
        let input = |device: &mut Device| device.0.stdin.take().ok_or_else(|| Refusal::new("start", "no input"));
        let simulated = Simulated {
            validator: Mutex::new(input(&mut validator)?),
            printer: Mutex::new(input(&mut printer)?),
            validator_state: folder.join("validator.json"),
            printer_state: folder.join("printer.json"),
        };
        let text = |path: &Path| path.display().to_string();
        let hosts: Vec<String> = self.host.iter().map(|host| format!("{host:?}")).collect();
        let config = format!(
            "floor = {:?}\nhosts = [{}]\nlisten = \"{}\"\ndata = {:?}\n\
             [terminal]\nid = {}\nkey = {:?}\n\
             [validator]\ndevice = {}\nkey = {:?}\nport = {:?}\ndenominations = {NOTES:?}\n\
             [printer]\nport = {:?}\n",
            seat.floor,
            hosts.join(", "),
            self.listen,
            text(&folder.join("agent")),
            seat.terminal,
            text(&keys[0]),
            seat.device,
            text(&keys[1]),
            text(&folder.join("validator")),
            text(&folder.join("printer")),
        );
        let config = Config::parse(&config).map_err(|error| Refusal::new("settings", error))?;
        serve(config, Some(simulated), form).await
    }
}

fn settings(file: &Path) -> Result<Config, Refusal> {
    let named = |error: String| Refusal::new("settings", format!("{}: {error}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| Refusal::disk(&file.display().to_string(), &error))?;
    Config::parse(&text).map_err(named)
}

async fn serve(config: Config, simulated: Option<Simulated>, form: Form) -> Result<Answer, Refusal> {
    let refuse = |error: io::Error| Refusal::new("cabinet", error.to_string());
    let terminal = config.terminal.id;
    let window = simulated.is_some();
    let agent = agent::start(config, simulated).await.map_err(refuse)?;
    let address = format!("http://{}", agent.address);
    let page =
        format!("{address}{}", if window { "/cabinet/simulated".to_owned() } else { format!("/terminal/{terminal}") });
    let said = match form {
        Form::Json => format!("{}\n", json!({ "address": address, "terminal": terminal, "page": page })),
        Form::Words => format!("The cabinet of terminal {terminal} is at {page}\nStop with Ctrl-C.\n"),
    };
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(said.as_bytes()).and_then(|()| stdout.flush());
    drop(stdout);
    tokio::select! {
        ended = agent.run() => ended.map(|()| Answer::Done(String::new())).map_err(refuse),
        () = stop() => Ok(Answer::Done(String::new())),
    }
}

/// The system's wish to stop.
async fn stop() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

/// A simulated device as a program of its own. It ends with its input, and with this value.
struct Device(Child);

impl Device {
    fn start(kind: &str, folder: &Path) -> io::Result<Device> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["device", kind, "--json", "--port"]).arg(folder.join(kind));
        command.arg("--state").arg(folder.join(format!("{kind}.json")));
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        command.spawn().map(Device)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
