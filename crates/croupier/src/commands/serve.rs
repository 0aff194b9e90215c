//! `croupier serve`: a floor that can be reached.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use host::{Config, NewCredentials, Running, Start};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::output::{Answer, Form};
use crate::program;
use crate::refusal::{Failure, Refusal};

/// Run a floor: pages, API and feeds over HTTP and WebSocket.
#[derive(Args)]
#[command(after_help = "\
Settings come from a file (--config), then from the environment (CROUPIER_LISTEN, CROUPIER_DATA, …), then from the options \
above. The first start makes the floor and two administrators, whose first passwords are printed once; set your own in \
CROUPIER_ADMIN_PASSWORD and CROUPIER_ADMIN2_PASSWORD. Each must be changed at the first sign-in. See docs/operations.md and \
docs/croupier.example.toml.

Examples:
  croupier serve --demo
  croupier serve --data /srv/floor --listen 127.0.0.1:8080
  croupier serve --config /etc/croupier.toml
  croupier serve --journal nats://one:4222,nats://two:4222,nats://three:4222 --floor main")]
pub struct Serve {
    /// Run the demonstration: five tables that deal by themselves.
    #[arg(long)]
    demo: bool,

    /// Make new first passwords for the administrators of a floor in use whose credentials are lost. The act is recorded and
    /// alerted.
    #[arg(long)]
    new_credentials: bool,

    /// A file with settings.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The folder of the floor.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// The name of the floor, as in the paths. On a cluster it may be given several times: each further floor is at the
    /// next port.
    #[arg(long, value_name = "NAME")]
    floor: Vec<String>,

    /// Keep the journal on a NATS JetStream cluster, together with other hosts.
    #[arg(long, value_name = "nats://HOST:PORT,…")]
    journal: Option<String>,

    /// The name of this host among the hosts of a floor.
    #[arg(long, value_name = "NAME")]
    host: Option<String>,

    /// Where clients reach this host, if not where it listens.
    #[arg(long, value_name = "URL")]
    advertise: Option<String>,

    /// The number of machines of the cluster that keep a copy.
    #[arg(long, value_name = "N")]
    replicas: Option<usize>,

    /// The authorities that sign the certificates of nats-servers, in place of those of this machine (PEM).
    #[arg(long, value_name = "FILE")]
    nats_ca: Option<PathBuf>,

    /// The certificate to show to nats-servers (PEM).
    #[arg(long, value_name = "FILE")]
    nats_certificate: Option<PathBuf>,

    /// Its private key (PEM).
    #[arg(long, value_name = "FILE")]
    nats_key: Option<PathBuf>,
}

impl Serve {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        program::use_small_pages();
        let release = program::release()?;
        let config = self.settings()?;
        host::start_logs(&config.log, config.log_json);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::new("start", format!("cannot start threads: {error}")))?;
        let given = |name: &str| std::env::var(name).ok().filter(|password| !password.is_empty());
        let passwords = ["CROUPIER_ADMIN_PASSWORD", "CROUPIER_ADMIN2_PASSWORD"].map(given);
        let new_credentials = if self.new_credentials { NewCredentials::Made } else { NewCredentials::Refused };
        let (demonstration, led) = (self.demo, Arc::default());
        let ended = runtime.block_on(async {
            let (stop, stopping) = watch::channel(false);
            let mut floors = JoinSet::new();
            for config in config.each_floor() {
                let (passwords, led) = (passwords.clone(), Arc::clone(&led));
                let start = Start { config, demonstration, passwords, new_credentials, release, led };
                floors.spawn(run_floor(start, form, stopping.clone()));
            }
            drop(stopping);
            let ended = tokio::select! {
                () = stop_signal() => None,
                ended = floors.join_next() => ended,
            };
            if ended.is_none() {
                tracing_line(form, "Stopping: notifying clients, signing the journal.");
            }
            let _ = stop.send(true);
            let mut ends: Vec<_> = ended.into_iter().collect();
            while let Some(ended) = floors.join_next().await {
                ends.push(ended);
            }
            for end in ends {
                end.map_err(|error| Refusal::new("start", error.to_string()))??;
            }
            Ok(Answer::Done(String::new()))
        });
        // What did not end in time is not waited for.
        runtime.shutdown_background();
        ended
    }

    fn settings(&self) -> Result<Config, Refusal> {
        let refuse = |error: host::ConfigError| Refusal::new("settings", error.to_string());
        let mut config = match &self.config {
            Some(file) => Config::read(file).map_err(refuse)?,
            None => Config::default(),
        };
        if self.config.is_none() {
            config.data = PathBuf::from(if self.demo { "./croupier-demonstration" } else { "./croupier-data" });
        }
        config = config.environment(|name| std::env::var(name).ok()).map_err(refuse)?;
        if let Some(data) = &self.data {
            config.data.clone_from(data);
        }
        if let Some(listen) = self.listen {
            config.listen = listen;
        }
        if let Some((floor, more)) = self.floor.split_first() {
            config.floor.clone_from(floor);
            config.more_floors = more.to_vec();
        }
        config.journal = self.journal.clone().or(config.journal);
        config.host = self.host.clone().or(config.host);
        config.advertise = self.advertise.clone().or(config.advertise);
        config.replicas = self.replicas.unwrap_or(config.replicas);
        for (place, given) in [
            (&mut config.nats_tls.ca, &self.nats_ca),
            (&mut config.nats_tls.certificate, &self.nats_certificate),
            (&mut config.nats_tls.key, &self.nats_key),
        ] {
            *place = given.clone().or(place.take());
        }
        config.check().map_err(refuse)
    }
}

/// How long an orderly stop may take. The next start finds everything that was acknowledged.
const PUT_AWAY: Duration = Duration::from_secs(60);

/// Runs one floor until it is asked to stop. A host of a cluster restarts as a follower when it no longer leads, and
/// waits for the cluster without a time limit: after a power cut it is unknown which machine starts first.
async fn run_floor(start: Start, form: Form, mut stopping: watch::Receiver<bool>) -> Result<(), Refusal> {
    let (mut first, mut said) = (true, String::new());
    loop {
        // A host of a cluster may wait for the others without end: to be stopped meanwhile is like a power cut.
        let on_cluster = start.config.journal.is_some();
        let started = tokio::select! {
            started = host::start(start.clone()) => started,
            _ = stopping.changed(), if on_cluster => return Ok(()),
        };
        let mut running = match started {
            Ok(running) => running,
            Err(error) if first && !(on_cluster && error.may_pass()) => {
                return Err(Refusal::new("start", error.to_string()));
            }
            Err(error) => {
                let words = error.to_string();
                if words != said {
                    eprintln!("{words}; trying again");
                    said = words;
                }
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_secs(1)) => continue,
                    _ = stopping.changed() => return Ok(()),
                }
            }
        };
        said.clear();
        if std::mem::take(&mut first) {
            announce(&running, form);
        }
        let over = tokio::select! {
            _ = stopping.changed() => true,
            reason = running.ended() => {
                eprintln!("Restarting as a follower: {reason}");
                false
            }
        };
        if tokio::time::timeout(PUT_AWAY, running.stop()).await.is_err() {
            let words = format!("the floor could not be put away in {} seconds: this process ends", PUT_AWAY.as_secs());
            return Err(Refusal::new("stop", words));
        }
        if over {
            return Ok(());
        }
    }
}

/// Ends with the first of Ctrl-C and the system's wish to stop.
pub async fn stop_signal() {
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

fn tracing_line(form: Form, words: &str) {
    if matches!(form, Form::Words) {
        let _ = writeln!(io::stdout(), "{words}");
    }
}

/// What to open, printed at once.
fn announce(running: &Running, form: Form) {
    let scheme = if running.app.config.tls.is_some() { "https" } else { "http" };
    let base = format!("{scheme}://{}", running.address);
    let floor = &running.app.name;
    let doors = running.app.doors();
    let text = match form {
        Form::Json => {
            let line = json!({
                "address": base,
                "floor": floor,
                "demonstration": doors.is_some(),
                "leads": running.app.engine.leads(),
                "sequence": running.recovery.sequence,
                "replayed": running.recovery.replayed,
                "administrator": running.passwords.first().map(|(login, password)| json!({ "login": login, "password": password })),
                "administrators": running.passwords.iter().map(|(login, password)| json!({ "login": login, "password": password })).collect::<Vec<_>>(),
            });
            format!("{line}\n")
        }
        Form::Words => words(running, &base, floor, doors.as_ref()),
    };
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

fn words(running: &Running, base: &str, floor: &str, doors: Option<&host::Doors>) -> String {
    let mut text = format!("Croupier runs the floor '{floor}' at {base}\n");
    let recovery = &running.recovery;
    if let Some(membership) = &running.app.membership {
        let hosts = membership.hosts(running.app.is_in_charge());
        let role = if running.app.engine.leads() { "leads" } else { "follows" };
        text.push_str(&format!("This host, '{}', {role}.\n", hosts.host));
    }
    if recovery.sequence > 0 {
        text.push_str(&format!("Recovered {} records, {} of them replayed.\n", recovery.sequence, recovery.replayed));
    }
    if !running.passwords.is_empty() {
        text.push_str(
            "\nFirst passwords were made for two administrators: accounts, posts and thresholds take both of them. Give each password to one\n\
             person, who changes it at the first sign-in; they are shown only now:\n\n",
        );
        for (login, password) in &running.passwords {
            text.push_str(&format!("    {login:<16} {password}\n"));
        }
        text.push('\n');
    }
    if let Some(doors) = doors {
        text.push_str("\nA demonstration: simulated devices, play money, automatic dealers and players.\n\n");
        let line = |name: &str, path: &str, note: &str| format!("  {name:<16} {base}{path:<18} {note}\n");
        text.push_str(&line("All doors", "/", ""));
        for terminal in doors.terminals.iter().step_by(2) {
            let note = format!("{} · table {} · layout {}", terminal.name, terminal.table, terminal.layout);
            text.push_str(&line("Player terminal", &format!("/terminal/{}", terminal.id), &note));
        }
        text.push_str(&line("Dealer's console", "/console/0", "dealer1"));
        text.push_str(&line("Pit", "/pit", "manager1"));
        text.push_str(&line("Reports", "/reports", "manager1"));
        text.push_str(&line("Laboratory", "/lab", ""));
        text.push_str(&line("Cage", "/cage", "cashier1"));
        text.push_str(&line("Display", "/display/0", ""));
        text.push_str(&line("Administration", "/admin", "administrator1"));
        text.push_str(&format!("  {:<16} croupier cabinet --simulated --host {base}\n", "A cabinet"));
        text.push_str(&format!("\nThe password of every account is '{}'.\n", host::PASSWORD));
    }
    text.push_str(&format!("\nThe interface is described at {base}/api/docs. Stop with Ctrl-C.\n"));
    text
}
