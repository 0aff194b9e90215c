//! `croupier serve`: a floor that can be reached.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use host::{Config, Running, Start};
use serde_json::json;

use crate::output::{Answer, Form};
use crate::program;
use crate::refusal::{Failure, Refusal};

/// Run a floor: pages, API and feeds over HTTP and WebSocket.
#[derive(Args)]
#[command(after_help = "\
Settings come from a file (--config), then from the environment (CROUPIER_LISTEN, CROUPIER_DATA, …), then from here. The \
first start makes the floor and its administrator, whose password is printed once; give your own in \
CROUPIER_ADMIN_PASSWORD. See docs/operations.md and docs/croupier.example.toml.

Examples:
  croupier serve --demo
  croupier serve --data /srv/floor --listen 127.0.0.1:8080
  croupier serve --config /etc/croupier.toml")]
pub struct Serve {
    /// Run the demonstration: five tables that deal by themselves.
    #[arg(long)]
    demo: bool,

    /// A file with settings.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The folder of the floor.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Where to listen.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// The name of a new floor, as in the paths.
    #[arg(long, value_name = "NAME")]
    floor: Option<String>,
}

impl Serve {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let release = program::release()?;
        let config = self.settings()?;
        host::start_logs(&config.log, config.log_json);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::new("start", format!("no threads can be made: {error}")))?;
        let password = std::env::var("CROUPIER_ADMIN_PASSWORD").ok().filter(|password| !password.is_empty());
        let demonstration = self.demo;
        runtime.block_on(async {
            let start = Start { config, demonstration, password, release };
            let running = host::start(start).await.map_err(|error| Refusal::new("start", error.to_string()))?;
            announce(&running, form);
            stop_signal().await;
            tracing_line(form, "Stopping: clients are told, the journal is signed.");
            running.stop().await;
            Ok(Answer::Done(String::new()))
        })
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
        if let Some(floor) = &self.floor {
            config.floor.clone_from(floor);
        }
        config.check().map_err(refuse)
    }
}

/// Ends with the first of Ctrl-C and the system's wish to stop.
async fn stop_signal() {
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
                "sequence": running.recovery.sequence,
                "replayed": running.recovery.replayed,
                "administrator": running.password.as_ref().map(|password| json!({ "login": "administrator", "password": password })),
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
    if recovery.sequence > 0 {
        text.push_str(&format!("Recovered {} records, {} of them replayed.\n", recovery.sequence, recovery.replayed));
    }
    if let Some(password) = &running.password {
        text.push_str(&format!(
            "\nThe administrator was made. Sign in as 'administrator' with this password, shown only now:\n\n    {password}\n\n"
        ));
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
        text.push_str(&line("Cage", "/cage", "cashier1"));
        text.push_str(&line("Display", "/display/0", ""));
        text.push_str(&line("Administration", "/admin", "administrator1"));
        text.push_str(&format!("\nEverybody's password is '{}'.\n", host::PASSWORD));
    }
    text.push_str(&format!("\nThe interface is described at {base}/api/docs. Stop with Ctrl-C.\n"));
    text
}
