//! What every test begins with: a host, people who have signed in, terminals with their feeds.

mod feed;
mod http;
pub mod line;
mod people;
mod tables;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use floor::Release;
use host::{Config, Running, Start};
use tempfile::TempDir;

pub use feed::{Feed, enrolment, new_key, proof};
pub use http::{Answer, Client};
pub use people::{FIRST, HALF, PASSWORD, Person, WHOLE, by_two, second, with_half};
pub use serde_json::{Value, json};
pub use tables::{Table, Terminal, entry, token_of};

/// No wait is longer than this, on a machine that does other things besides.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A program, by its hashes.
pub fn release(byte: u8) -> Release {
    Release { program: rulebook::Hash([byte; 32]), rulebooks: rulebook::Hash([7; 32]) }
}

/// A host on a loopback port with a folder of its own.
pub struct Host {
    pub running: Running,
    pub folder: TempDir,
    pub floor: String,
    /// What its clients trust, where it speaks TLS.
    pub tls: Option<Arc<rustls::ClientConfig>>,
}

/// Settings for a folder: a port that the system chooses.
pub fn config(folder: &Path) -> Config {
    Config { listen: SocketAddr::from(([127, 0, 0, 1], 0)), data: folder.join("data"), ..Config::default() }
}

pub async fn start_in(folder: &Path, demonstration: bool, program: Release) -> Running {
    start_with(config(folder), demonstration, program).await
}

pub async fn start_with(config: Config, demonstration: bool, release: Release) -> Running {
    let running = start_first(config, demonstration, release).await;
    own_passwords(&running).await;
    running
}

/// A start after which no one has changed a first password yet.
async fn start_first(config: Config, demonstration: bool, release: Release) -> Running {
    let passwords = [None, None];
    let (new_credentials, led) = (host::NewCredentials::Refused, std::sync::Arc::default());
    host::start(Start { config, demonstration, passwords, new_credentials, release, led })
        .await
        .expect("the host starts")
}

/// The administrators that a first start made change their first passwords for one of their own.
async fn own_passwords(running: &Running) {
    let (store, made) = (Arc::clone(&running.app.store), running.passwords.clone());
    let change = move || {
        let here = std::net::IpAddr::from([127, 0, 0, 1]);
        for (login, first) in made {
            let now = host::clock::now();
            let session = store.sign_in(&login, &first, here, now).expect("the first password");
            let token = session.token.text();
            store.change_password(token, &first, PASSWORD, now).expect("one of their own");
            store.sign_out(token).expect("signed out");
        }
    };
    tokio::task::spawn_blocking(change).await.expect("changed");
}

impl Host {
    /// A floor with nothing but its administrator.
    pub async fn floor() -> Host {
        Host::with(|_| {}).await
    }

    /// A production floor as its first start leaves it, with the logins and first passwords of its administrators.
    pub async fn empty(change: impl FnOnce(&mut Config)) -> (Host, Vec<(String, String)>) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path());
        change(&mut config);
        let running = start_first(config, false, release(1)).await;
        let made = running.passwords.clone();
        (Host { running, folder, floor: "main".to_owned(), tls: None }, made)
    }

    /// The same, with settings of its own.
    pub async fn with(change: impl FnOnce(&mut Config)) -> Host {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path());
        change(&mut config);
        let running = start_with(config, false, release(1)).await;
        Host { running, folder, floor: "main".to_owned(), tls: None }
    }

    /// A floor whose host speaks TLS, with settings of its own.
    pub async fn with_tls(change: impl FnOnce(&mut Config)) -> Host {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path());
        let (certificate, trusts) = line::certificate(folder.path());
        config.tls = Some(certificate);
        change(&mut config);
        let running = start_with(config, false, release(1)).await;
        Host { running, folder, floor: "main".to_owned(), tls: Some(trusts) }
    }

    /// The demonstration.
    pub async fn demonstration() -> Host {
        Host::demonstration_with(|_| {}).await
    }

    /// The demonstration, with settings of its own.
    pub async fn demonstration_with(change: impl FnOnce(&mut Config)) -> Host {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = config(folder.path());
        change(&mut config);
        let running = start_with(config, true, release(1)).await;
        Host { running, folder, floor: "demo".to_owned(), tls: None }
    }

    /// Stops in order and starts again, with a program.
    pub async fn restart(self, program: Release) -> Host {
        let Host { running, folder, floor, tls } = self;
        let demonstration = running.app.is_demonstration();
        let config = Config { listen: SocketAddr::from(([127, 0, 0, 1], 0)), ..running.app.config.clone() };
        running.stop().await;
        let running = start_with(config, demonstration, program).await;
        Host { running, folder, floor, tls }
    }

    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    /// An unknown client.
    pub fn anonymous(&self) -> Client {
        Client { tls: self.tls.clone(), ..Client::new(self.address(), &self.floor) }
    }

    /// The administrator made at the first start.
    pub async fn administrator(&self) -> Person {
        Person::sign_in(self, "administrator", PASSWORD).await
    }

    /// A person of a post, employed now, or by an attack before.
    pub async fn employ(&self, post: &str, login: &str) -> Person {
        let administrator = self.administrator().await;
        let staff = json!({ "name": login, "post": post, "login": login, "password": FIRST,
            "witness": with_half(second()) });
        let employed = administrator.command("/staff", staff).await;
        if !employed.status.is_success() {
            assert!(employed.words().contains("login"), "{}", employed.text);
            return Person::sign_in(self, login, PASSWORD).await;
        }
        let first = Person::sign_in(self, login, WHOLE).await;
        let change = json!({ "old": WHOLE, "new": PASSWORD });
        assert_eq!(first.client.post("/session/password", change).await.status, 204);
        first
    }

    /// A person of the demonstration.
    pub async fn demo_staff(&self, login: &str) -> Person {
        Person::sign_in(self, login, host::PASSWORD).await
    }
}

/// Waits, but not for ever.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited too long: {what}"))
}
