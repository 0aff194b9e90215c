//! The engine on a cluster of three, and the cluster by itself with one message for each bet.

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cluster::{Connection, Replicated, Stream};
use engine::{Engine, Options, Source};
use natsd::Cluster;
use tokio::runtime::Runtime;

use super::load::{Latencies, Loop, Measured, bets_with};

/// Three servers on this machine.
pub struct Nodes {
    runtime: Runtime,
    connection: Connection,
    _cluster: Cluster,
}

/// There is no other writer.
struct Nobody;

impl Source for Nobody {
    type Bytes = Bytes;

    fn next(&mut self, _: Duration) -> Option<Bytes> {
        None
    }

    fn taken(&self) -> u64 {
        1
    }
}

impl Nodes {
    pub fn start() -> Result<Nodes, String> {
        let cluster = Cluster::start(3).map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let urls = cluster.urls().join(",");
        let opened = Connection::open(&urls, cluster::Options::default());
        let connection = runtime.block_on(opened).map_err(|error| error.to_string())?;
        Ok(Nodes { runtime, connection, _cluster: cluster })
    }

    /// So many senders, each with a message of 64 bytes for its bet.
    pub fn one_message_per_bet(&self, in_flight: usize, span: Duration) -> Measured {
        let floor = format!("messages-{in_flight}");
        self.runtime.block_on(async {
            Stream::create(&self.connection, &floor, [1; 16]).await.expect("a stream");
            let mut latencies = Latencies::start();
            let start = Instant::now();
            let senders: Vec<_> = (0..in_flight)
                .map(|_| {
                    let (jetstream, subject) =
                        (self.connection.jetstream().clone(), format!("croupier.{floor}.journal"));
                    tokio::spawn(async move {
                        let mut latencies = Vec::new();
                        while start.elapsed() < span {
                            let sent = Instant::now();
                            let answer = jetstream.publish(subject.clone(), Bytes::from_static(&[1; 64])).await;
                            answer.expect("sent").await.expect("acknowledged");
                            latencies.push(sent.elapsed());
                        }
                        latencies
                    })
                })
                .collect();
            for sender in senders {
                sender.await.expect("it ends").into_iter().for_each(|span| latencies.count(span));
            }
            latencies.measured()
        })
    }

    /// Durable bets through an engine that leads on the cluster.
    pub fn bets(&self, folder: &Path, kind: Loop, span: Duration) -> Measured {
        let data = tempfile::tempdir_in(folder).expect("a folder");
        let floor = data.path().file_name().expect("a name").to_string_lossy().replace('.', "");
        bets_with(kind, span, |outlet| {
            let mut made = None;
            let followed = Engine::follow(data.path(), Options::default(), outlet, |journal| {
                let stream = Stream::create(&self.connection, &floor, journal.id());
                made = Some(self.runtime.block_on(stream).expect("a stream"));
                Ok(Nobody)
            });
            let (engine, _, following) = followed.expect("starts");
            let stream = made.expect("a stream");
            let handle = self.runtime.handle().clone();
            let log = |journal, source: Nobody| Replicated::new(handle, stream, journal, source.taken());
            engine.lead(following, 1, log).expect("leads");
            engine
        })
    }
}
