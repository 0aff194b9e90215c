//! The settings of a cabinet.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::Deserialize;

use super::view::cents;
use crate::Cents;
use crate::port::Parity;

/// The settings, from a file in TOML.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The floor.
    pub floor: String,
    /// Its hosts, in the order in which they are tried.
    pub hosts: Vec<String>,
    /// Where the page is served: an address of loopback.
    #[serde(default = "listen")]
    pub listen: SocketAddr,
    /// The folder of the agent's own memory.
    pub data: PathBuf,
    /// The authorities that sign the certificates of hosts, in place of those of this machine (PEM).
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// No note is taken that would bring credit and bets above this.
    #[serde(default = "limit")]
    pub limit: String,
    /// The terminal.
    pub terminal: TerminalSettings,
    /// The validator.
    pub validator: ValidatorSettings,
    /// The printer.
    pub printer: PrinterSettings,
    /// Doors and buttons.
    #[serde(default, rename = "switch")]
    pub switches: Vec<Switch>,
    /// The buttons of a deck.
    #[serde(default, rename = "button")]
    pub buttons: Vec<Button>,
    /// The lamps of a tower.
    #[serde(default)]
    pub tower: Tower,
}

/// The terminal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminalSettings {
    /// Its id on the floor.
    pub id: u32,
    /// The file with its key.
    pub key: PathBuf,
}

/// A serial line.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// Its port.
    pub port: PathBuf,
    /// Its speed.
    #[serde(default = "speed")]
    pub speed: u32,
    /// Its parity, if not what the protocol usually has.
    #[serde(default)]
    pub parity: Option<Parity>,
}

/// The validator.
#[derive(Clone, Debug, Deserialize)]
pub struct ValidatorSettings {
    /// Its id on the floor.
    pub device: u16,
    /// The file with its key. It mints money: it is no other key's.
    pub key: PathBuf,
    /// The line.
    #[serde(flatten)]
    pub line: Line,
    /// What it speaks.
    #[serde(default)]
    pub protocol: ValidatorKind,
    /// What its denominations are worth, in the order of its codes; zero for those that are not taken.
    pub denominations: Vec<String>,
    /// Whether tickets are taken.
    #[serde(default = "yes")]
    pub tickets: bool,
}

/// What a validator speaks.
#[derive(Copy, Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidatorKind {
    /// JCM and compatible ones.
    #[default]
    Id003,
    /// MEI, CPI and compatible ones.
    Ebds,
    /// Innovative Technology.
    Ssp,
}

/// The printer.
#[derive(Clone, Debug, Deserialize)]
pub struct PrinterSettings {
    /// The line.
    #[serde(flatten)]
    pub line: Line,
    /// What it speaks.
    #[serde(default)]
    pub protocol: PrinterKind,
}

/// What a printer speaks.
#[derive(Copy, Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrinterKind {
    /// TransAct Epic 950 and Epic Edge.
    #[default]
    Epic950,
    /// Receipt printers.
    Escpos,
}

/// A door or a button: a file whose first character says its state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Its name in events: `main`, `belly`, `stacker`, or `attendant` for the button.
    pub name: String,
    /// A file such as a GPIO value of sysfs: `1` is open or pressed.
    pub file: PathBuf,
    /// Play stops while it is open.
    #[serde(default)]
    pub stops_play: bool,
}

/// A button that is a key of an input device.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Button {
    /// What it does.
    pub name: ButtonName,
    /// The input device, such as `/dev/input/event2`.
    pub input: PathBuf,
    /// The code of the key.
    pub key: u16,
}

/// What a button does.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ButtonName {
    /// Calls an attendant.
    Attendant,
    /// Withdraws all bets.
    Clear,
    /// Places the bets of the last round again.
    Repeat,
    /// Twice as much.
    Double,
    /// Asks for a ticket.
    CashOut,
}

impl ButtonName {
    /// Its name in the settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ButtonName::Attendant => "attendant",
            ButtonName::Clear => "clear",
            ButtonName::Repeat => "repeat",
            ButtonName::Double => "double",
            ButtonName::CashOut => "cash_out",
        }
    }
}

/// The lamps of a tower: files such as GPIO values of sysfs, `1` is lit.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tower {
    /// Staff are wanted.
    #[serde(default)]
    pub attention: Option<PathBuf>,
    /// No money is taken.
    #[serde(default)]
    pub service: Option<PathBuf>,
}

fn listen() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8090)
}

fn limit() -> String {
    "10000.00".to_owned()
}

const fn speed() -> u32 {
    9600
}

const fn yes() -> bool {
    true
}

impl Config {
    /// Reads settings.
    ///
    /// # Errors
    /// What is wrong with which setting.
    pub fn parse(text: &str) -> Result<Config, String> {
        let config: Config = toml::from_str(text).map_err(|error| error.to_string())?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        if !self.listen.ip().is_loopback() {
            return Err(format!("listen: {} is not an address of loopback", self.listen));
        }
        if self.hosts.is_empty() {
            return Err("hosts: name at least one".to_owned());
        }
        if let Some(host) = self.hosts.iter().find(|host| super::forward::Address::parse(host).is_none()) {
            return Err(format!("hosts: '{host}' is no address such as https://one.example:8443"));
        }
        self.credit_limit()?;
        self.worth()?;
        Ok(())
    }

    /// The limit in cents.
    ///
    /// # Errors
    /// When it is no amount.
    pub fn credit_limit(&self) -> Result<Cents, String> {
        cents(&self.limit).ok_or_else(|| format!("limit: '{}' is no amount such as 10000.00", self.limit))
    }

    /// The denominations in cents.
    ///
    /// # Errors
    /// When there are too many, or one is no amount.
    pub fn worth(&self) -> Result<[Cents; 8], String> {
        let mut worth = [0; 8];
        if self.validator.denominations.len() > worth.len() {
            return Err("validator.denominations: at most 8".to_owned());
        }
        if matches!(self.validator.protocol, ValidatorKind::Ebds) && self.validator.denominations.len() > 7 {
            return Err("validator.denominations: EBDS has at most 7".to_owned());
        }
        for (place, text) in worth.iter_mut().zip(&self.validator.denominations) {
            *place = cents(text).ok_or_else(|| format!("validator.denominations: '{text}' is no amount"))?;
        }
        Ok(worth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        floor = "main"
        hosts = ["https://one.example:8443", "http://127.0.0.1:8080"]
        data = "/var/lib/croupier-cabinet"
        [terminal]
        id = 3
        key = "/etc/croupier/terminal.key"
        [validator]
        device = 7
        key = "/etc/croupier/validator.key"
        port = "/dev/ttyS1"
        denominations = ["2.00", "5.00", "0"]
        [printer]
        port = "/dev/ttyS2"
        speed = 38400
        protocol = "escpos"
        [tower]
        attention = "/sys/class/gpio/gpio20/value"
        [[button]]
        name = "cash_out"
        input = "/dev/input/event2"
        key = 28
    "#;

    #[test]
    fn settings_are_read_and_what_is_wrong_is_named() {
        let config = Config::parse(GOOD).expect("good settings");
        assert_eq!(config.worth(), Ok([200, 500, 0, 0, 0, 0, 0, 0]));
        assert_eq!((config.printer.line.speed, config.validator.line.speed), (38_400, 9_600));
        for (from, to, named) in [
            ("floor = \"main\"", "floor = \"main\"\nlisten = \"0.0.0.0:80\"", "listen"),
            ("https://one.example:8443", "one.example", "hosts"),
            ("\"5.00\"", "\"5.0\"", "denominations"),
            ("floor = \"main\"", "floor = \"main\"\nlimit = \"many\"", "limit"),
            ("id = 3", "id = 3\nnumber = 4", "number"),
            ("cash_out", "hand_pay", "hand_pay"),
            (
                "[\"2.00\", \"5.00\", \"0\"]",
                "[\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\"]\nprotocol = \"ebds\"",
                "EBDS",
            ),
        ] {
            let error = Config::parse(&GOOD.replace(from, to)).expect_err(named);
            assert!(error.contains(named), "{error}");
        }
    }
}
