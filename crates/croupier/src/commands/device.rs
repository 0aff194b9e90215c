//! `croupier device`: simulated devices of a cabinet, for the agent and for those who write their own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ::cabinet::simulated::{self, Device as Simulated, Running};
use clap::{Args, ValueEnum};
use rulebook::Cents;
use serde::de::DeserializeOwned;

use crate::output::{Answer, Form};
use crate::refusal::{Failure, Refusal};

/// Run a simulated device of a cabinet on a pseudo-terminal.
#[derive(Args)]
#[command(after_help = "\
The device makes a pseudo-terminal and a link to it at --port, which an agent opens like a serial port. It reads orders from its \
input, a line each, and ends with it; `help` lists them: notes and tickets that are put in, jams, silence, damaged answers, a \
loss of power. With --state it keeps what it holds in a file, so that a killed device comes up with the same notes and papers. \
With --json it writes what it holds after every change, a line each.

Examples:
  croupier device validator --port /tmp/validator
  croupier device validator --protocol ebds --port /tmp/validator
  echo 'insert 50.00' | croupier device validator --port /tmp/validator --json
  croupier device printer --port /tmp/printer --state /tmp/printer.json")]
pub struct Device {
    /// Which device: a bill validator, or a ticket printer of the Epic 950 family.
    kind: Kind,

    /// What a validator speaks.
    #[arg(long, value_name = "PROTOCOL", default_value = "id003")]
    protocol: Protocol,

    /// Where the link to the pseudo-terminal is made.
    #[arg(long, value_name = "PATH")]
    port: PathBuf,

    /// A file in which the device keeps what it holds.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// How long each movement takes, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pace: u64,

    /// What a validator's denominations are worth, in the order of its codes; EBDS has 7, the others 8.
    #[arg(long, value_name = "AMOUNTS", value_delimiter = ',', default_value = "2,5,10,50,100,1000")]
    denominations: Vec<String>,
}

#[derive(Copy, Clone, ValueEnum)]
enum Kind {
    Validator,
    Printer,
}

#[derive(Copy, Clone, ValueEnum)]
enum Protocol {
    /// JCM and compatible ones.
    Id003,
    /// MEI, CPI and compatible ones.
    Ebds,
    /// Innovative Technology.
    Ssp,
}

impl From<Protocol> for simulated::Protocol {
    fn from(protocol: Protocol) -> simulated::Protocol {
        match protocol {
            Protocol::Id003 => simulated::Protocol::Id003,
            Protocol::Ebds => simulated::Protocol::Ebds,
            Protocol::Ssp => simulated::Protocol::Ssp,
        }
    }
}

impl Device {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let device: Box<dyn Simulated> = match self.kind {
            Kind::Validator => {
                let held = held(self.state.as_deref())?;
                Box::new(simulated::Validator::speaking(self.protocol.into(), held, self.worth()?, self.pace))
            }
            Kind::Printer => Box::new(simulated::Printer::new(held(self.state.as_deref())?, self.pace)),
        };
        let json = matches!(form, Form::Json);
        let running = Running { port: self.port.clone(), state: self.state.clone(), json };
        let ended = simulated::run(device, &running, io::stdout().lock());
        ended.map_err(|error| Refusal::disk(&format!("{}", self.port.display()), &error))?;
        Ok(Answer::Done(String::new()))
    }

    fn worth(&self) -> Result<[i64; 8], Failure> {
        let mut worth = [0; 8];
        if self.denominations.len() > worth.len() {
            return Err(Failure::Usage("--denominations: a validator has at most 8".to_owned()));
        }
        for (place, text) in worth.iter_mut().zip(&self.denominations) {
            let amount: Result<Cents, _> = text.parse();
            *place = amount.map_err(|error| Failure::Usage(format!("--denominations: {text}: {error}")))?.get();
        }
        Ok(worth)
    }
}

/// What a device held when it was switched off.
fn held<State: DeserializeOwned + Default>(path: Option<&Path>) -> Result<State, Refusal> {
    let Some(path) = path else { return Ok(State::default()) };
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| Refusal::new("state", format!("{}: {error}", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(State::default()),
        Err(error) => Err(Refusal::disk(&path.display().to_string(), &error)),
    }
}
