//! The harness itself, with real servers.

use std::time::{Duration, Instant};

use async_nats::jetstream::{self, stream};
use natsd::{Cluster, Error};
use tokio::runtime::Runtime;

const PATIENCE: Duration = Duration::from_secs(30);

async fn jetstream(cluster: &Cluster) -> jetstream::Context {
    let client = async_nats::ConnectOptions::new().retry_on_initial_connect();
    let mut context = jetstream::new(client.connect(cluster.urls()).await.unwrap());
    context.set_timeout(Duration::from_secs(2));
    context
}

/// While a leader is elected nothing is acknowledged; soon after, something is.
async fn publishes(context: &jetstream::Context) -> u64 {
    let until = Instant::now() + PATIENCE;
    loop {
        let sent = context.publish("words", "word".into()).await.unwrap();
        match sent.await {
            Ok(ack) => return ack.sequence,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
    }
}

#[test]
fn a_cluster_of_three_loses_one_server_and_gets_it_back() {
    let mut cluster = Cluster::start(3).unwrap();
    let runtime = Runtime::new().unwrap();
    let (context, mut words) = runtime.block_on(async {
        let context = jetstream(&cluster).await;
        let config = stream::Config {
            name: "words".to_owned(),
            subjects: vec!["words".to_owned()],
            num_replicas: 3,
            ..stream::Config::default()
        };
        let words = context.create_stream(config).await.unwrap();
        publishes(&context).await;
        (context, words)
    });

    let leader = runtime.block_on(words.info()).unwrap().cluster.as_ref().unwrap().leader.clone().unwrap();
    let leader = cluster.index_of(&leader).unwrap();
    cluster.kill(leader).unwrap();
    runtime.block_on(publishes(&context));

    cluster.restart(leader).unwrap();
    cluster.wait_until_current().unwrap();
    let last = runtime.block_on(publishes(&context));
    let until = Instant::now() + PATIENCE;
    let info = loop {
        let info = runtime.block_on(words.info()).cloned();
        match info {
            Ok(info) if info.cluster.as_ref().unwrap().replicas.iter().all(|replica| replica.current) => break info,
            _ => assert!(Instant::now() < until, "{}", cluster.logs()),
        }
    };
    assert_eq!(info.cluster.unwrap().replicas.len(), 2);
    assert!(info.state.messages >= 3 && info.state.last_sequence >= last);
}

#[test]
fn a_server_alone_keeps_its_data_and_can_be_paused() {
    let mut cluster = Cluster::start(1).unwrap();
    let runtime = Runtime::new().unwrap();
    let context = runtime.block_on(jetstream(&cluster));
    let config =
        stream::Config { name: "words".to_owned(), subjects: vec!["words".to_owned()], ..stream::Config::default() };
    runtime.block_on(context.create_stream(config)).unwrap();
    assert_eq!(runtime.block_on(publishes(&context)), 1);

    cluster.pause(0).unwrap();
    let unanswered = runtime.block_on(async { context.publish("words", "word".into()).await.unwrap().await });
    assert!(unanswered.is_err());
    cluster.resume(0).unwrap();
    cluster.wait_until_current().unwrap();

    cluster.kill(0).unwrap();
    assert!(matches!(cluster.pause(0), Err(Error::NotReady { .. })));
    cluster.restart(0).unwrap();
    cluster.wait_until_current().unwrap();
    assert!(runtime.block_on(publishes(&context)) >= 2);
}

#[test]
fn what_is_no_cluster_is_refused() {
    assert!(matches!(Cluster::start(0), Err(Error::Number(0))));
    assert!(matches!(Cluster::start(6), Err(Error::Number(6))));
}
