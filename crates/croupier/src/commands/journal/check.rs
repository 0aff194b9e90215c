//! `croupier journal check`: whether a cluster meets its guarantees.

use clap::Args;
use cluster::{Replica, Seen, State, Stream};
use serde::Serialize;

use crate::output::Column::{Figure, Name, Words};
use crate::output::{Answer, Form, Page};
use crate::place::{self, Cluster, ClusterArgs};
use crate::refusal::{Failure, Refusal};

/// Check the servers of a cluster: versions, JetStream, sync, and where each floor is kept.
#[derive(Args)]
#[command(after_help = "\
Every server that is named is asked separately. A server tells only its system account whether it syncs before it \
acknowledges (jetstream { sync_interval: always }): give that login with --system. Without a floor all floors of the cluster \
are checked. Exit code 0: no findings in what could be checked; 1: findings.

Examples:
  croupier journal check nats://one:4222,nats://two:4222,nats://three:4222 --system nats://sys:secret@one:4222
  croupier journal check nats://one:4222/main --json")]
pub struct Check {
    /// The servers, optionally with a floor: `nats://host:4222,nats://host:4222/FLOOR`.
    #[arg(value_name = "SERVERS")]
    servers: Cluster,

    /// A server with the login of the system account: nats://user:password@host:4222.
    #[arg(long, value_name = "URL")]
    system: Option<Cluster>,

    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Serialize)]
struct Checked {
    sound: bool,
    findings: Vec<String>,
    servers: Vec<Server>,
    floors: Vec<Floor>,
}

#[derive(Serialize)]
struct Server {
    server: String,
    version: Option<String>,
    /// Whether it syncs before it acknowledges; `null` if it does not say.
    syncs: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct Floor {
    floor: String,
    messages: u64,
    bytes: u64,
    wanted: usize,
    replicas: Vec<Kept>,
}

#[derive(Serialize)]
struct Kept {
    server: String,
    leads: bool,
    current: bool,
    behind: u64,
}

impl Check {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let mut checked = place::runtime()?.block_on(self.check())?;
        checked.findings = findings(&checked);
        checked.sound = checked.findings.is_empty();
        let text = form.render(&checked, |page| write(&checked, page));
        Ok(if checked.sound { Answer::Done(text) } else { Answer::Findings(text) })
    }

    async fn check(&self) -> Result<Checked, Refusal> {
        let told = match &self.system {
            Some(system) => cluster::servers(&system.urls, &self.cluster.tls()).await?,
            None => Vec::new(),
        };
        let mut servers = Vec::new();
        for url in self.servers.urls.split(',') {
            servers.push(match cluster::server(url, &self.cluster.tls()).await {
                Ok(seen) => Server::of(&seen),
                Err(error) => Server::lost(url, &error),
            });
        }
        for seen in &told {
            match servers.iter_mut().find(|server| server.server == seen.server) {
                Some(server) => server.syncs = seen.syncs,
                None => servers.push(Server::of(seen)),
            }
        }
        servers.sort_by(|a, b| a.server.cmp(&b.server));
        servers.dedup_by(|a, b| a.server == b.server);
        Ok(Checked { sound: true, findings: Vec::new(), servers, floors: self.floors().await? })
    }

    async fn floors(&self) -> Result<Vec<Floor>, Refusal> {
        let connection = self.cluster.connect(&self.servers).await?;
        let names = match &self.servers.floor {
            Some(floor) => vec![floor.clone()],
            None => Stream::floors(&connection).await?,
        };
        let mut floors = Vec::new();
        for name in names {
            match Stream::open(&connection, &name).await? {
                Some(stream) => floors.push(Floor::of(name, stream.state().await?)),
                None if self.servers.floor.is_some() => return Err(cluster::Error::NoFloor(name).into()),
                None => {}
            }
        }
        Ok(floors)
    }
}

impl Server {
    fn of(seen: &Seen) -> Server {
        Server { server: seen.server.clone(), version: Some(seen.version.clone()), syncs: seen.syncs, error: None }
    }

    fn lost(url: &str, error: &cluster::Error) -> Server {
        let server = Cluster { urls: url.to_owned(), floor: None }.to_string();
        Server { server, version: None, syncs: None, error: Some(error.to_string()) }
    }

    fn is_old(&self) -> bool {
        let Some(version) = &self.version else { return false };
        !Seen { server: String::new(), version: version.clone(), syncs: None }.is_new_enough()
    }
}

impl Floor {
    fn of(floor: String, state: State) -> Floor {
        let kept = |Replica { server, leads, current, behind }| Kept { server, leads, current, behind };
        let State { messages, bytes, wanted, replicas } = state;
        Floor { floor, messages, bytes, wanted, replicas: replicas.into_iter().map(kept).collect() }
    }
}

/// What is wrong.
fn findings(checked: &Checked) -> Vec<String> {
    let mut findings = Vec::new();
    for server in &checked.servers {
        let name = &server.server;
        if let Some(error) = &server.error {
            findings.push(format!("{name}: {error}"));
        }
        if server.is_old() {
            let version = server.version.as_deref().unwrap_or_default();
            findings.push(format!("{name}: nats-server {version} acknowledges before it has synced; 2.10 is needed"));
        }
        if server.syncs == Some(false) {
            findings.push(format!("{name}: sync is not on; set jetstream {{ sync_interval: always }} and restart it"));
        }
    }
    for Floor { floor, wanted, replicas, .. } in &checked.floors {
        if *wanted < 3 {
            findings.push(format!("{floor}: is kept on {wanted} server; with fewer than 3 none may be lost"));
        }
        if *wanted > 1 && replicas.len() < *wanted {
            findings.push(format!("{floor}: {} of {wanted} servers have it", replicas.len()));
        }
        if *wanted > 1 && !replicas.iter().any(|replica| replica.leads) {
            findings.push(format!("{floor}: no server leads the stream"));
        }
        for replica in replicas.iter().filter(|replica| !replica.current) {
            findings.push(format!("{floor}: {} is not up to date", replica.server));
        }
    }
    findings
}

fn write(checked: &Checked, page: &mut Page) {
    page.heading("Servers");
    let told = |syncs: Option<bool>| match syncs {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not told",
    };
    page.table(
        &[Name("Server"), Name("Version"), Name("Syncs before it acknowledges"), Words("")],
        checked.servers.iter().map(|server| {
            let version = server.version.clone().unwrap_or_default();
            [server.server.clone(), version, told(server.syncs).to_owned(), server.error.clone().unwrap_or_default()]
        }),
    );
    page.heading("Floors");
    if checked.floors.is_empty() {
        page.words("There are none.");
    }
    let mut rows = Vec::new();
    for floor in &checked.floors {
        let first = [floor.floor.clone(), floor.messages.to_string(), floor.wanted.to_string()];
        for (place, replica) in floor.replicas.iter().enumerate() {
            let [name, messages, wanted] = if place == 0 { first.clone() } else { Default::default() };
            let state = match replica {
                Kept { leads: true, .. } => "leads".to_owned(),
                Kept { current: true, .. } => "up to date".to_owned(),
                Kept { behind, .. } => format!("not up to date, {behind} messages behind"),
            };
            rows.push([name, messages, wanted, replica.server.clone(), state]);
        }
        if floor.replicas.is_empty() {
            let [name, messages, wanted] = first;
            rows.push([name, messages, wanted, String::new(), "alone".to_owned()]);
        }
    }
    if !rows.is_empty() {
        let columns = [Name("Floor"), Figure("Messages"), Figure("Replicas"), Name("Server"), Words("State")];
        page.table(&columns, rows);
    }
    page.gap();
    match checked.findings.as_slice() {
        [] => page.words("Nothing is wrong with what could be seen."),
        findings => findings.iter().for_each(|finding| page.words(&format!("Wrong: {finding}"))),
    }
    if checked.servers.iter().any(|server| server.error.is_none() && server.syncs.is_none()) {
        page.words("Whether a server syncs it tells only its system account: give that login with --system.");
    }
}
