//! Settings of the host: from a file, then from the environment, checked before anything starts.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tlog::VerifierKey;

use crate::door::address::Network;
use crate::door::origin;
use crate::door::places::Limits;
use crate::outgoing;

/// Settings of the host.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The folder of journal, records and credentials.
    pub data: PathBuf,
    /// A certificate and its key: with them the host speaks TLS.
    pub tls: Option<Tls>,
    /// The domain that passkeys are good for: every host of the floor has a name in it. Without it passkeys work at
    /// `localhost` only.
    pub domain: Option<String>,
    /// Listens on an address others can reach without TLS. Not for a casino.
    pub allow_plain: bool,
    /// The name of a new floor.
    pub floor: String,
    /// Further floors that this process also runs, each at the next port and in a folder of its own. On a cluster only.
    pub more_floors: Vec<String>,
    /// The servers of the cluster that keeps the journal, `nats://one:4222,nats://two:4222`. Without it the journal is
    /// in the folder.
    pub journal: Option<String>,
    /// The name of this host among the hosts of a floor; the machine's own if nothing is said.
    pub host: Option<String>,
    /// Where clients reach this host, if not where it listens.
    pub advertise: Option<String>,
    /// On how many machines of the cluster everything is kept.
    pub replicas: usize,
    /// After how many milliseconds without a sign another host takes over.
    pub lease_ms: u64,
    /// Also takes a nats-server that may acknowledge before it has synced. Not for a casino.
    pub allow_old_nats: bool,
    /// Certificates between this host and the servers of the cluster; with them nothing is said to a server without TLS.
    pub nats_tls: NatsTls,
    /// Logs as JSON lines instead of text.
    pub log_json: bool,
    /// What is logged, in the words of `RUST_LOG`.
    pub log: String,
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address.
    pub connections_per_address: usize,
    /// Of all connections, so many are kept for enrolled terminals and devices and for staff.
    pub connections_reserved: usize,
    /// Connections from one address that have not proved who they are.
    pub unproved_per_address: usize,
    /// Milliseconds a client may take to send the head of a request, to begin the next one, or to say hello on a feed.
    pub head_timeout_ms: u64,
    /// After so many milliseconds without a sign of life a feed is ended.
    pub silence_ms: u64,
    /// Milliseconds it may take to send the body.
    pub body_timeout_ms: u64,
    /// Proxies in front of the host, by address or network: what they say about a client's address and TLS is believed.
    pub trusted_proxies: Vec<Network>,
    /// Where else pages of this floor come from, such as the name of a proxy: `https://tables.example`.
    pub origins: Vec<String>,
    /// From where the figures of the host (`/metrics`) are read without a session, by address or network; loopback and
    /// the trusted proxies themselves always may.
    pub metrics_from: Vec<Network>,
    /// Requests a second from one address.
    pub requests_per_second: u32,
    /// Messages a second over one feed.
    pub messages_per_second: u32,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// A checkpoint is signed so many seconds after new records at the latest.
    pub sign_seconds: u64,
    /// Commands that may wait; one more is answered as busy.
    pub queue: usize,
    /// An alert is raised when the disk has less than so many MiB left.
    pub disk_low_mib: u64,
    /// An alert is raised when a table plays more games an hour than this.
    pub games_per_hour_high: u32,
    /// Where signed checkpoints go, each of these.
    pub anchors: Vec<AnchorPlace>,
    /// The witnesses of the log.
    pub witnesses: Vec<WitnessPlace>,
    /// How many of them must have cosigned a head.
    pub witness_quorum: usize,
    /// Who may read the tiles of the log.
    pub log_access: LogAccess,
    /// Real wheels on serial ports.
    pub wheels: Vec<SerialWheel>,
    /// How long the automatic dealers of a demonstration take, in percent of what a person does.
    pub demonstration_pace: u32,
    /// Whether the automatic dealers of a demonstration deal from the start; a console switches each on and off.
    pub demonstration_deals: bool,
    /// MiB of journal that a demonstration keeps; older segments are removed. A real floor archives them.
    pub demonstration_keeps_mib: u64,
}

/// A certificate and its key, as PEM files.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate with those that sign it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authorities that sign the certificates of terminals and devices. With them, an enrolment needs such a
    /// certificate, and the key is good with that certificate only.
    #[serde(default)]
    pub client_ca: Option<PathBuf>,
}

/// Certificates between this host and nats-servers, as PEM files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NatsTls {
    /// The authorities that sign the servers' certificates, instead of those this machine knows.
    pub ca: Option<PathBuf>,
    /// The certificate this host shows.
    pub certificate: Option<PathBuf>,
    /// Its private key.
    pub key: Option<PathBuf>,
}

impl NatsTls {
    /// As the cluster takes them.
    ///
    /// # Errors
    /// When there is a certificate without a key or a key without a certificate.
    pub fn get(&self) -> Result<cluster::Tls, ConfigError> {
        let certificate = match (self.certificate.clone(), self.key.clone()) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            (Some(_), None) => return Err(wrong("nats_tls.key", "give the key of the certificate too")),
            (None, Some(_)) => return Err(wrong("nats_tls.certificate", "give the certificate of the key too")),
        };
        Ok(cluster::Tls { ca: self.ca.clone(), certificate })
    }
}

/// A place where signed checkpoints of the journal are kept: a file, or an address they are posted to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnchorPlace {
    /// A file on another machine's disk; a line is added for each.
    pub file: Option<PathBuf>,
    /// An address that takes a line as the body of a POST.
    pub url: Option<String>,
    /// A file with what is sent as `Authorization: Bearer …`.
    pub token: Option<PathBuf>,
    /// The authorities that sign the certificate of the address, instead of those this machine knows.
    pub ca: Option<PathBuf>,
}

impl AnchorPlace {
    /// As a person knows it; nothing in it is a secret.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.file, &self.url) {
            (Some(file), _) => file.display().to_string(),
            (None, Some(url)) => url.split(['?', '#']).next().unwrap_or_default().to_owned(),
            (None, None) => String::new(),
        }
    }

    fn check(&self) -> Result<(), ConfigError> {
        match (&self.file, &self.url) {
            (Some(_), None) if self.token.is_none() && self.ca.is_none() => Ok(()),
            (Some(_), None) => Err(wrong("anchors", "token and ca are for a url")),
            (None, Some(url)) => outgoing::check(url).map_err(|what| wrong("anchors.url", what)),
            _ => Err(wrong("anchors", "each is a file or a url")),
        }
    }
}

/// A witness of the floor's log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessPlace {
    /// How the policy calls it.
    pub name: String,
    /// Its public key, as `croupier witness keygen` prints it.
    pub key: String,
    /// Where it is asked: `/add-checkpoint` comes after it.
    pub url: String,
    /// The authorities that sign the certificate of the address, instead of those this machine knows.
    #[serde(default)]
    pub ca: Option<PathBuf>,
}

/// Who may read the tiles of the log and its newest head. They show how many records there are, and nothing else.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogAccess {
    /// Everyone.
    #[default]
    Public,
    /// A person signed in as auditor.
    Regulator,
    /// No one: heads go to the witnesses.
    Witnesses,
}

/// A wheel that sends its status over a serial port.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SerialWheel {
    /// The floor's device it is.
    pub device: u16,
    /// The port.
    pub port: PathBuf,
    /// How it writes 0, 00 and 000, two characters each; an empty one is not known, and the dealer enters that number.
    #[serde(default)]
    pub zeros: Vec<String>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data: PathBuf::from("./data"),
            tls: None,
            domain: None,
            allow_plain: false,
            floor: "main".to_owned(),
            more_floors: Vec::new(),
            journal: None,
            host: None,
            advertise: None,
            replicas: 3,
            lease_ms: 1_500,
            allow_old_nats: false,
            nats_tls: NatsTls::default(),
            log_json: false,
            log: "info".to_owned(),
            connections: 20_000,
            connections_per_address: 15_000,
            connections_reserved: 10_000,
            unproved_per_address: 500,
            head_timeout_ms: 10_000,
            silence_ms: 15_000,
            body_timeout_ms: 20_000,
            trusted_proxies: Vec::new(),
            origins: Vec::new(),
            metrics_from: Vec::new(),
            requests_per_second: 200,
            messages_per_second: 200,
            body_bytes: 512 * 1024,
            sign_seconds: 60,
            queue: 65_536,
            disk_low_mib: 2_048,
            games_per_hour_high: 180,
            anchors: Vec::new(),
            witnesses: Vec::new(),
            witness_quorum: 1,
            log_access: LogAccess::Public,
            wheels: Vec::new(),
            demonstration_pace: 100,
            demonstration_deals: true,
            demonstration_keeps_mib: 512,
        }
    }
}

/// What is wrong with the settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct ConfigError {
    /// The file or variable.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

fn wrong(place: impl Into<String>, what: impl Into<String>) -> ConfigError {
    ConfigError { place: place.into(), what: what.into() }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or a setting is not known.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&place, error.to_string()))?;
        toml::from_str(&text).map_err(|error| wrong(&place, error.to_string().trim_end().to_owned()))
    }

    /// Puts what the environment says over it: `CROUPIER_LISTEN`, `CROUPIER_DATA` and so on.
    ///
    /// # Errors
    /// When a value cannot be understood.
    pub fn environment(mut self, get: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
        fn set<T: std::str::FromStr>(place: &mut T, name: &str, value: Option<String>) -> Result<(), ConfigError> {
            if let Some(value) = value {
                *place = value.parse().map_err(|_| wrong(name, format!("'{value}' cannot be understood")))?;
            }
            Ok(())
        }
        let variable = |name: &str| get(name);
        set(&mut self.listen, "CROUPIER_LISTEN", variable("CROUPIER_LISTEN"))?;
        set(&mut self.data, "CROUPIER_DATA", variable("CROUPIER_DATA"))?;
        set(&mut self.floor, "CROUPIER_FLOOR", variable("CROUPIER_FLOOR"))?;
        for (place, name) in [
            (&mut self.journal, "CROUPIER_JOURNAL"),
            (&mut self.host, "CROUPIER_HOST"),
            (&mut self.advertise, "CROUPIER_ADVERTISE"),
            (&mut self.domain, "CROUPIER_DOMAIN"),
        ] {
            *place = variable(name).or(place.take());
        }
        for (place, name) in [
            (&mut self.nats_tls.ca, "CROUPIER_NATS_CA"),
            (&mut self.nats_tls.certificate, "CROUPIER_NATS_CERTIFICATE"),
            (&mut self.nats_tls.key, "CROUPIER_NATS_KEY"),
        ] {
            *place = variable(name).map(PathBuf::from).or(place.take());
        }
        set(&mut self.replicas, "CROUPIER_REPLICAS", variable("CROUPIER_REPLICAS"))?;
        set(&mut self.log, "CROUPIER_LOG", variable("CROUPIER_LOG"))?;
        set(&mut self.log_json, "CROUPIER_LOG_JSON", variable("CROUPIER_LOG_JSON"))?;
        set(&mut self.allow_plain, "CROUPIER_ALLOW_PLAIN", variable("CROUPIER_ALLOW_PLAIN"))?;
        set(&mut self.connections, "CROUPIER_CONNECTIONS", variable("CROUPIER_CONNECTIONS"))?;
        set(
            &mut self.connections_per_address,
            "CROUPIER_CONNECTIONS_PER_ADDRESS",
            variable("CROUPIER_CONNECTIONS_PER_ADDRESS"),
        )?;
        set(
            &mut self.connections_reserved,
            "CROUPIER_CONNECTIONS_RESERVED",
            variable("CROUPIER_CONNECTIONS_RESERVED"),
        )?;
        set(
            &mut self.unproved_per_address,
            "CROUPIER_UNPROVED_PER_ADDRESS",
            variable("CROUPIER_UNPROVED_PER_ADDRESS"),
        )?;
        if let Some(list) = variable("CROUPIER_TRUSTED_PROXIES") {
            let networks = list.split(',').map(|text| text.trim().parse()).collect::<Result<_, _>>();
            self.trusted_proxies = networks.map_err(|what| wrong("CROUPIER_TRUSTED_PROXIES", what))?;
        }
        if let Some(list) = variable("CROUPIER_METRICS_FROM") {
            let networks = list.split(',').map(|text| text.trim().parse()).collect::<Result<_, _>>();
            self.metrics_from = networks.map_err(|what| wrong("CROUPIER_METRICS_FROM", what))?;
        }
        if let Some(list) = variable("CROUPIER_ORIGINS") {
            self.origins = list.split(',').map(|text| text.trim().to_owned()).collect();
        }
        set(&mut self.requests_per_second, "CROUPIER_REQUESTS_PER_SECOND", variable("CROUPIER_REQUESTS_PER_SECOND"))?;
        set(&mut self.messages_per_second, "CROUPIER_MESSAGES_PER_SECOND", variable("CROUPIER_MESSAGES_PER_SECOND"))?;
        set(&mut self.body_timeout_ms, "CROUPIER_BODY_TIMEOUT_MS", variable("CROUPIER_BODY_TIMEOUT_MS"))?;
        set(&mut self.sign_seconds, "CROUPIER_SIGN_SECONDS", variable("CROUPIER_SIGN_SECONDS"))?;
        match (variable("CROUPIER_TLS_CERTIFICATE"), variable("CROUPIER_TLS_KEY")) {
            (Some(certificate), Some(key)) => {
                let client_ca = self.tls.take().and_then(|tls| tls.client_ca);
                self.tls = Some(Tls { certificate: certificate.into(), key: key.into(), client_ca });
            }
            (None, None) => {}
            _ => return Err(wrong("CROUPIER_TLS_CERTIFICATE", "give the certificate and CROUPIER_TLS_KEY together")),
        }
        if let Some(file) = variable("CROUPIER_TLS_CLIENT_CA") {
            let without = || wrong("CROUPIER_TLS_CLIENT_CA", "needs a certificate of the host and its key too");
            self.tls.as_mut().ok_or_else(without)?.client_ca = Some(file.into());
        }
        Ok(self)
    }

    /// The name of this host among the hosts of a floor.
    #[must_use]
    pub fn host_name(&self) -> String {
        self.host.clone().unwrap_or_else(|| {
            let name = rustix::system::uname().nodename().to_string_lossy().to_lowercase();
            let fits = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
            let name: String = name.chars().map(fits).take(48).collect();
            format!("{name}-{}", self.listen.port())
        })
    }

    /// Where clients reach this host.
    #[must_use]
    pub fn address(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        self.advertise.clone().unwrap_or_else(|| format!("{scheme}://{}", self.listen))
    }

    /// How many connections there may be.
    #[must_use]
    pub fn places(&self) -> Limits {
        Limits {
            all: self.connections,
            reserved: self.connections_reserved.min(self.connections / 2),
            per_address: self.connections_per_address,
            strangers_per_address: self.unproved_per_address.min(self.connections_per_address),
        }
    }

    /// The settings of every floor this process runs: each at a port and in a folder of its own.
    #[must_use]
    pub fn each_floor(&self) -> Vec<Config> {
        let mut all = vec![Config { more_floors: Vec::new(), ..self.clone() }];
        for (floor, place) in self.more_floors.iter().zip(1..) {
            let mut config = Config { floor: floor.clone(), more_floors: Vec::new(), ..self.clone() };
            config.data = self.data.join(floor);
            config.advertise = self.advertise.as_deref().and_then(|address| at_port_after(address, place));
            // A port has one wheel, and that is at a table of the first.
            config.wheels = Vec::new();
            // Anchors of one journal in a file, and no others.
            for file in config.anchors.iter_mut().filter_map(|place| place.file.as_mut()) {
                file.as_mut_os_string().push(format!(".{floor}"));
            }
            if self.listen.port() != 0 {
                config.listen.set_port(self.listen.port().saturating_add(place));
            }
            all.push(config);
        }
        all
    }

    /// Whether the settings make sense together.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(self) -> Result<Config, ConfigError> {
        let loopback = match self.listen.ip() {
            IpAddr::V4(address) => address.is_loopback(),
            IpAddr::V6(address) => address.is_loopback(),
        };
        if !loopback && self.tls.is_none() && !self.allow_plain {
            let what = format!(
                "{} can be reached by others and there is no certificate: give tls.certificate and tls.key, listen on \
                 127.0.0.1, or set allow_plain if something in front of it speaks TLS",
                self.listen
            );
            return Err(wrong("listen", what));
        }
        if !loopback && self.origins.is_empty() && self.each_floor().iter().any(|one| one.advertise.is_none()) {
            let what = format!(
                "{} can be reached by others, and pages of any name could send commands: give advertise the address at \
                 which browsers load this host's pages, such as https://tables.example:8443 (with its port, if there are \
                 more_floors), or list all in origins",
                self.listen
            );
            return Err(wrong("advertise", what));
        }
        if !is_name(&self.floor) {
            return Err(wrong("floor", "lower-case letters, digits and hyphens, at most 64"));
        }
        if !self.more_floors.iter().all(|floor| is_name(floor)) {
            return Err(wrong("more_floors", "lower-case letters, digits and hyphens, at most 64 each"));
        }
        if !self.more_floors.is_empty() && self.journal.is_none() {
            return Err(wrong("more_floors", "several floors in one process need a cluster: set journal"));
        }
        if self
            .journal
            .as_ref()
            .is_some_and(|journal| !journal.starts_with("nats://") && !journal.starts_with("tls://"))
        {
            return Err(wrong("journal", "servers such as nats://one:4222,nats://two:4222"));
        }
        if self.host.as_ref().is_some_and(|host| !is_name(host)) {
            return Err(wrong("host", "lower-case letters, digits and hyphens, at most 64"));
        }
        if self.domain.as_ref().is_some_and(|domain| !is_domain(domain)) {
            return Err(wrong("domain", "a domain such as casino.example, in lower case, without a port"));
        }
        if self.nats_tls.get()? != cluster::Tls::default() && self.journal.is_none() {
            return Err(wrong("nats_tls", "is for a journal on a cluster: set journal"));
        }
        self.anchors.iter().try_for_each(AnchorPlace::check)?;
        self.check_witnesses()?;
        if !(500..=60_000).contains(&self.lease_ms) {
            return Err(wrong("lease_ms", "between 500 and 60000"));
        }
        let is_origin = |origin: &String| {
            (origin.starts_with("http://") || origin.starts_with("https://")) && origin::of(origin) == *origin
        };
        if let Some(wrong_one) = self.origins.iter().find(|origin| !is_origin(origin)) {
            return Err(wrong(
                "origins",
                format!("'{wrong_one}' is not such as https://tables.example, without a path"),
            ));
        }
        for (name, value) in [
            ("unproved_per_address", self.unproved_per_address),
            ("silence_ms", usize::try_from(self.silence_ms).unwrap_or(usize::MAX)),
            ("sign_seconds", usize::try_from(self.sign_seconds).unwrap_or(usize::MAX)),
            ("head_timeout_ms", usize::try_from(self.head_timeout_ms).unwrap_or(usize::MAX)),
            ("body_timeout_ms", usize::try_from(self.body_timeout_ms).unwrap_or(usize::MAX)),
            ("connections", self.connections),
            ("connections_per_address", self.connections_per_address),
            ("body_bytes", self.body_bytes),
            ("queue", self.queue),
            ("replicas", self.replicas),
            ("demonstration_pace", self.demonstration_pace as usize),
            ("requests_per_second", self.requests_per_second as usize),
            ("messages_per_second", self.messages_per_second as usize),
        ] {
            if value == 0 {
                return Err(wrong(name, "must be more than zero"));
            }
        }
        Ok(self)
    }
}

impl Config {
    fn check_witnesses(&self) -> Result<(), ConfigError> {
        for (place, witness) in self.witnesses.iter().enumerate() {
            let key = VerifierKey::parse(&witness.key).map_err(|error| wrong("witnesses.key", error.to_string()))?;
            if key.kind() != tlog::key::Kind::Cosignature {
                return Err(wrong("witnesses.key", "it is the key of a log, and not of a witness"));
            }
            if !is_name(&witness.name) || ["none", "any", "all", "witnesses"].contains(&witness.name.as_str()) {
                return Err(wrong("witnesses.name", "lower-case letters, digits and hyphens, at most 64"));
            }
            let before = self.witnesses.iter().take(place);
            if before.clone().any(|other| other.name == witness.name || other.key == witness.key) {
                return Err(wrong("witnesses", "each has a name and a key of its own"));
            }
            outgoing::check(&witness.url).map_err(|what| wrong("witnesses.url", what))?;
        }
        if self.witnesses.is_empty() {
            return Ok(());
        }
        if self.journal.is_some() {
            return Err(wrong("witnesses", "a host of a cluster keeps no log"));
        }
        if !(1..=self.witnesses.len()).contains(&self.witness_quorum) {
            return Err(wrong("witness_quorum", "at least one witness, and no more than there are"));
        }
        Ok(())
    }
}

fn is_domain(domain: &str) -> bool {
    domain.len() <= 253 && domain.split('.').all(is_name) && domain.parse::<IpAddr>().is_err()
}

/// Whether it can be the name of a floor or a host.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(fits)
}

/// The address of a further floor: the same at a later port. `None` if the address names no port.
fn at_port_after(address: &str, place: u16) -> Option<String> {
    let (before, port) = address.trim_end_matches('/').rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    Some(format!("{before}:{}", port.checked_add(place)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_for_the_servers_needs_its_key() {
        let text = "journal = \"nats://one:4222\"\n[nats_tls]\nca = \"ca.pem\"\ncertificate = \"one.pem\"";
        let config: Config = toml::from_str(text).unwrap();
        assert_eq!(config.clone().check().unwrap_err().place, "nats_tls.key");
        let alone: Config = toml::from_str("[nats_tls]\nca = \"ca.pem\"").unwrap();
        assert_eq!(alone.check().unwrap_err().place, "nats_tls");
        let key = |name: &str| (name == "CROUPIER_NATS_KEY").then(|| "one.key".to_owned());
        let tls = config.environment(key).unwrap().check().unwrap().nats_tls.get().unwrap();
        assert_eq!(tls.ca, Some(PathBuf::from("ca.pem")));
        assert_eq!(tls.certificate, Some((PathBuf::from("one.pem"), PathBuf::from("one.key"))));
    }

    #[test]
    fn an_address_others_can_reach_needs_tls() {
        let open = Config { listen: SocketAddr::from(([0, 0, 0, 0], 8080)), ..Config::default() };
        assert_eq!(open.clone().check().unwrap_err().place, "listen");
        let named = Config { advertise: Some("https://tables.example".to_owned()), ..open };
        assert_eq!(named.clone().check().unwrap_err().place, "listen");
        assert!(Config { allow_plain: true, ..named }.check().is_ok());
    }

    #[test]
    fn a_host_that_others_can_reach_says_under_which_name() {
        for plain in [true, false] {
            let tls = Tls { certificate: "a.pem".into(), key: "a.key".into(), client_ca: None };
            let listen = SocketAddr::from(([0, 0, 0, 0], 8443));
            let open = Config { listen, allow_plain: plain, tls: (!plain).then_some(tls), ..Config::default() };
            assert_eq!(open.clone().check().unwrap_err().place, "advertise");
            let listed = Config { origins: vec!["https://tables.example".to_owned()], ..open.clone() };
            assert!(listed.check().is_ok());
            let named = Config { advertise: Some("https://tables.example".to_owned()), ..open };
            assert!(named.clone().check().is_ok());
            // Further floors go by the same name, at their own ports.
            let (journal, more_floors) = (Some("nats://one:4222".to_owned()), vec!["salon".to_owned()]);
            let several = Config { journal, more_floors, ..named };
            assert_eq!(several.clone().check().unwrap_err().place, "advertise");
            let ports = Config { advertise: Some("https://tables.example:8443".to_owned()), ..several };
            assert_eq!(ports.each_floor()[1].advertise.as_deref(), Some("https://tables.example:8444"));
            assert!(ports.check().is_ok());
        }
    }

    #[test]
    fn an_anchor_goes_to_a_file_or_over_an_encrypted_connection() {
        let check = |text: &str| {
            let config: Config = toml::from_str(&format!("[[anchors]]\n{text}")).unwrap();
            config.check().map(drop).map_err(|error| error.place)
        };
        assert_eq!(check("file = '/mnt/anchors.txt'"), Ok(()));
        assert_eq!(check("url = 'https://audit.example/anchors'\ntoken = '/etc/croupier/token'"), Ok(()));
        assert_eq!(check("url = 'http://127.0.0.1:9000/anchors'"), Ok(()));
        assert_eq!(check("url = 'http://[::1]:9000/'"), Ok(()));
        for wrong in ["url = 'http://audit.example/'", "url = 'https://a:b@audit.example/'", "url = 'ftp://x/'"] {
            assert_eq!(check(wrong), Err("anchors.url".to_owned()), "{wrong}");
        }
        assert_eq!(check(""), Err("anchors".to_owned()));
        assert_eq!(check("file = 'a'\nurl = 'https://b/'"), Err("anchors".to_owned()));
    }

    #[test]
    fn the_environment_goes_over_the_file() {
        let set = |name: &str| (name == "CROUPIER_LISTEN").then(|| "127.0.0.1:9000".to_owned());
        assert_eq!(Config::default().environment(set).unwrap().listen.port(), 9000);
        let bad = |name: &str| (name == "CROUPIER_LISTEN").then(|| "nowhere".to_owned());
        let error = Config::default().environment(bad).unwrap_err();
        assert_eq!(error.to_string(), "CROUPIER_LISTEN: 'nowhere' cannot be understood");
    }

    #[test]
    fn the_example_is_what_holds_if_nothing_is_said() {
        let example: Config = toml::from_str(include_str!("../../../docs/croupier.example.toml")).unwrap();
        assert_eq!(example, Config::default());
    }

    /// Every setting is in the example, if only behind a `#`, and every variable in its head.
    #[test]
    fn the_example_names_every_setting_and_variable() {
        let example = include_str!("../../../docs/croupier.example.toml");
        let refused = toml::from_str::<Config>("nothing = 1").unwrap_err().to_string();
        let (_, fields) = refused.split_once("expected one of ").expect("the names of all settings");
        let fields: Vec<&str> = fields.split('`').skip(1).step_by(2).collect();
        assert!(fields.len() > 30, "{refused}");
        for field in fields {
            let named = |line: &str| {
                let line = line.trim_start_matches(['#', ' ']);
                line.strip_prefix(field).is_some_and(|rest| rest.trim_start().starts_with('='))
                    || line == format!("[{field}]")
                    || line == format!("[[{field}]]")
            };
            assert!(example.lines().any(named), "{field} is not in docs/croupier.example.toml");
        }
        let source = include_str!("config.rs");
        for part in source.split("\"CROUPIER_").skip(1) {
            let name = format!("CROUPIER_{}", part.split('"').next().unwrap_or_default());
            let known = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
            assert!(!known || example.contains(&name), "{name} is not in docs/croupier.example.toml");
        }
    }

    #[test]
    fn an_unknown_setting_is_named() {
        let error = toml::from_str::<Config>("liste = 1").unwrap_err().to_string();
        assert!(error.contains("unknown field `liste`"), "{error}");
    }
}
