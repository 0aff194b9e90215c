//! Where a journal is: in a folder, or on a cluster.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use cluster::{Connection, Error, Options, Stream, Tls, to_folder};
use journal::{Journal, RealDisk};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::output::messages;
use crate::refusal::Refusal;

/// How the name of a server begins.
const SCHEME: &str = "nats://";
/// Segments of a copy that is read once.
const SEGMENT: u64 = 16 << 20;

/// The servers of a cluster, and a floor there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// As the client takes them: `nats://one:4222,nats://two:4222`.
    pub urls: String,
    /// The floor, if one is named.
    pub floor: Option<String>,
}

impl FromStr for Cluster {
    type Err = String;

    fn from_str(text: &str) -> Result<Cluster, String> {
        let form = "servers are named as nats://host:4222[,nats://host:4222…][/FLOOR]";
        let (urls, floor) = match text.rsplit_once('/') {
            Some((urls, floor)) if !urls.ends_with('/') && !urls.ends_with(':') => (urls, Some(floor)),
            _ => (text, None),
        };
        let is_server =
            |url: &str| url.strip_prefix(SCHEME).is_some_and(|host| !host.is_empty() && !host.contains('/'));
        if !urls.split(',').all(is_server) {
            return Err(form.to_owned());
        }
        let fits = |floor: &str| floor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        match floor.filter(|floor| !floor.is_empty()) {
            Some(floor) if !fits(floor) => Err(format!("'{floor}' is no name of a floor: {form}")),
            floor => Ok(Cluster { urls: urls.to_owned(), floor: floor.map(str::to_owned) }),
        }
    }
}

/// Without logins, for reports.
impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, url) in self.urls.split(',').enumerate() {
            let host = url.rsplit_once('@').map_or(url.trim_start_matches(SCHEME), |(_, host)| host);
            write!(f, "{}{SCHEME}{host}", if place == 0 { "" } else { "," })?;
        }
        self.floor.iter().try_for_each(|floor| write!(f, "/{floor}"))
    }
}

/// A folder, or a floor on a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A folder.
    Folder(PathBuf),
    /// A floor on a cluster.
    Cluster(Cluster),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        if text.starts_with(SCHEME) {
            return text.parse().map(Place::Cluster);
        }
        Ok(Place::Folder(PathBuf::from(text)))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Folder(folder) => write!(f, "{}", folder.display()),
            Place::Cluster(cluster) => write!(f, "{cluster}"),
        }
    }
}

/// How a cluster is used.
#[derive(Args)]
pub struct ClusterArgs {
    /// The number of servers that keep a new stream; 1 for a standalone server.
    #[arg(long, value_name = "N", default_value_t = 3)]
    replicas: usize,

    /// Also take a nats-server before 2.10, which acknowledges before it has synced.
    #[arg(long)]
    allow_old_nats: bool,

    #[command(flatten)]
    tls: TlsArgs,
}

/// Certificates between this program and nats-servers. With any of them nothing is said without TLS.
#[derive(Args)]
pub struct TlsArgs {
    /// The authorities that sign the certificates of nats-servers, in place of those of this machine (PEM).
    #[arg(long, value_name = "FILE", env = "CROUPIER_NATS_CA")]
    pub nats_ca: Option<PathBuf>,

    /// The certificate to show to nats-servers (PEM).
    #[arg(long, value_name = "FILE", env = "CROUPIER_NATS_CERTIFICATE", requires = "nats_key")]
    pub nats_certificate: Option<PathBuf>,

    /// Its private key (PEM).
    #[arg(long, value_name = "FILE", env = "CROUPIER_NATS_KEY", requires = "nats_certificate")]
    pub nats_key: Option<PathBuf>,
}

impl TlsArgs {
    fn get(&self) -> Tls {
        Tls { ca: self.nats_ca.clone(), certificate: self.nats_certificate.clone().zip(self.nats_key.clone()) }
    }
}

impl ClusterArgs {
    /// Certificates.
    pub fn tls(&self) -> Tls {
        self.tls.get()
    }

    /// Connects to the servers.
    pub async fn connect(&self, cluster: &Cluster) -> Result<Connection, Refusal> {
        let name = "croupier command line".to_owned();
        let options = Options { replicas: self.replicas, allow_old: self.allow_old_nats, name, tls: self.tls() };
        Ok(Connection::open(&cluster.urls, options).await?)
    }

    /// The stream of the floor.
    pub async fn stream(&self, cluster: &Cluster) -> Result<(Connection, String, Stream), Refusal> {
        let floor = cluster.floor()?.to_owned();
        let connection = self.connect(cluster).await?;
        let stream = Stream::open(&connection, &floor).await?.ok_or_else(|| Error::NoFloor(floor.clone()))?;
        Ok((connection, floor, stream))
    }

    /// The journal of a floor on a cluster, copied into a folder that goes when it is dropped.
    pub fn fetch(&self, cluster: &Cluster) -> Result<TempDir, Refusal> {
        let disk = |error: std::io::Error| Refusal::disk("cannot make a folder for the copy", &error);
        let folder = TempDir::with_prefix("croupier-").map_err(disk)?;
        runtime()?
            .block_on(async {
                let (connection, floor, stream) = self.stream(cluster).await?;
                let key = connection.journal_key(&floor, None).await?;
                let options = journal::Options { segment: SEGMENT, ..journal::Options::default() };
                let to = RealDisk::new(folder.path()).map_err(disk)?;
                let mut copy = Journal::copy_of(to, options, stream.journal(), key).map_err(disk)?;
                follow(&stream, &mut copy).await?;
                Ok(())
            })
            .map(|()| folder)
    }
}

impl Cluster {
    /// The floor, which must be named.
    pub fn floor(&self) -> Result<&str, Refusal> {
        let words = || format!("{self} names no floor: add it after a slash, as in nats://host:4222/FLOOR");
        self.floor.as_deref().ok_or_else(|| Refusal::new("no_floor", words()))
    }
}

/// Brings a copy up to the end of the stream, with a bar. How many messages the stream has.
pub async fn follow(stream: &Stream, copy: &mut Journal<RealDisk>) -> Result<u64, Refusal> {
    let bar = messages("Fetching");
    let last = to_folder(stream, copy, |message, of| {
        bar.set_length(of);
        bar.set_position(message);
    })
    .await;
    bar.finish_and_clear();
    Ok(last?)
}

/// Threads to talk to the cluster with.
pub fn runtime() -> Result<Runtime, Refusal> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Refusal::new("start", format!("cannot start threads: {error}")))
}

/// A journal that is read where it lies, or fetched to be read.
pub enum Readable<'a> {
    Here(&'a Path),
    Fetched(TempDir),
}

impl Readable<'_> {
    /// The folder in which it can be read.
    pub fn folder(&self) -> &Path {
        match self {
            Readable::Here(folder) => folder,
            Readable::Fetched(folder) => folder.path(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_floor_on_a_cluster() {
        let check = |text: &str, urls: &str, floor: Option<&str>, shown: &str| {
            let place: Place = text.parse().unwrap();
            let expected = Cluster { urls: urls.to_owned(), floor: floor.map(str::to_owned) };
            assert_eq!((place.to_string().as_str(), &place), (shown, &Place::Cluster(expected)), "{text}");
        };
        check("nats://a:1/main", "nats://a:1", Some("main"), "nats://a:1/main");
        check("nats://a:1", "nats://a:1", None, "nats://a:1");
        check("nats://a:1/", "nats://a:1", None, "nats://a:1");
        check("nats://a,nats://u:p@b:2/x-1", "nats://a,nats://u:p@b:2", Some("x-1"), "nats://a,nats://b:2/x-1");
        for folder in ["/srv/floor", "floor", "./nats:/x"] {
            assert_eq!(folder.parse(), Ok(Place::Folder(PathBuf::from(folder))));
        }
        for wrong in
            ["nats://", "nats:///x", "nats://a:1,b:2/x", "nats://a:1/x y", "nats://a/b/c", "nats://a,,nats://b"]
        {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }
}
