//! A bucket on a real cluster: no write is lost or made on what was no longer so.

use std::collections::HashMap;
use std::thread;
use std::time::Duration;

use async_nats::jetstream;
use bytes::Bytes;
use cluster::bucket::{Bucket, Error, Feed};
use natsd::Cluster;
use tokio::runtime::Runtime;

fn open(runtime: &Runtime, cluster: &Cluster) -> Bucket {
    runtime.block_on(async {
        let client = async_nats::connect(cluster.urls()).await.unwrap();
        Bucket::open(jetstream::new(client), "shared", cluster.size()).await.unwrap()
    })
}

fn put(bucket: &Bucket, after: u64, key: &str, value: &str) -> Result<u64, Error> {
    bucket.put(after, vec![(key.to_owned(), Bytes::copy_from_slice(value.as_bytes()))])
}

/// Reads up to a sequence and says how far it came.
fn read(feed: &Feed, values: &mut HashMap<String, String>, mut seen: u64, newest: u64) -> u64 {
    while seen < newest {
        let entry = feed.wait_for(Duration::from_secs(30)).unwrap();
        values.insert(entry.key, String::from_utf8(entry.value.to_vec()).unwrap());
        seen = entry.sequence;
    }
    seen
}

#[test]
fn a_write_in_ignorance_of_another_is_refused() {
    let cluster = Cluster::start(1).unwrap();
    let runtime = Runtime::new().unwrap();
    let (one, other) = (open(&runtime, &cluster), open(&runtime, &cluster));
    assert_eq!(one.position().unwrap().last, 0);
    let first = put(&one, 0, "a", "1").unwrap();
    assert!(matches!(put(&other, 0, "b", "2"), Err(Error::Conflict(_))));
    let second = put(&other, first, "a", "3").unwrap();
    let feed = one.follow(0);
    let mut values = HashMap::new();
    assert_eq!(read(&feed, &mut values, 0, one.position().unwrap().newest), second);
    assert_eq!(values, HashMap::from([("a".to_owned(), "3".to_owned())]));
}

#[test]
fn a_bucket_that_cannot_be_reached_says_so_and_serves_again() {
    let mut cluster = Cluster::start(1).unwrap();
    let runtime = Runtime::new().unwrap();
    let bucket = open(&runtime, &cluster);
    let first = put(&bucket, 0, "a", "1").unwrap();
    let feed = bucket.follow(0);
    assert_eq!(feed.wait().map(|entry| entry.sequence), Some(first));
    cluster.kill(0).unwrap();
    assert!(matches!(put(&bucket, first, "a", "2"), Err(Error::Unreachable { .. })));
    cluster.restart(0).unwrap();
    cluster.wait_until_current().unwrap();
    // The write without an answer may still happen, now that there is a server to make it.
    let second = loop {
        match put(&bucket, bucket.position().unwrap().last, "b", "3") {
            Ok(second) => break second,
            Err(Error::Conflict(_)) => {}
            Err(error) => panic!("{error}"),
        }
    };
    let mut values = HashMap::new();
    assert_eq!(read(&feed, &mut values, first, second), second);
    assert_eq!(values.get("b").map(String::as_str), Some("3"));
}

/// Counts up so many times, each time from what it has seen. Returns how often it is unknown whether that happened: the
/// answer was lost with the server, and another has counted on since.
fn count_up(bucket: &Bucket, times: u32) -> u32 {
    let feed = bucket.follow(0);
    let (mut values, mut seen, mut counted, mut unknown) = (HashMap::new(), 0, 0, 0);
    while counted < times {
        let count: u32 = values.get("count").map_or(0, |count: &String| count.parse().unwrap());
        match put(bucket, seen, "count", &(count + 1).to_string()) {
            Ok(_) => counted += 1,
            Err(Error::Conflict(_)) => {}
            Err(error) => {
                assert!(error.to_string().contains("is not known"), "{error}");
                (counted, unknown) = (counted + 1, unknown + 1);
            }
        }
        seen = read(&feed, &mut values, seen, bucket.position().unwrap().newest);
    }
    unknown
}

#[test]
fn counts_of_three_hosts_add_up_though_a_server_is_lost() {
    let mut cluster = Cluster::start(3).unwrap();
    let runtime = Runtime::new().unwrap();
    let hosts: Vec<_> =
        (0..3).map(|_| open(&runtime, &cluster)).map(|bucket| thread::spawn(move || count_up(&bucket, 60))).collect();
    let bucket = open(&runtime, &cluster);
    let feed = bucket.follow(0);
    let mut values = HashMap::new();
    let seen = read(&feed, &mut values, 0, 40);
    cluster.kill(0).unwrap();
    let unknown: u32 = hosts.into_iter().map(|host| host.join().unwrap()).sum();
    read(&feed, &mut values, seen, bucket.position().unwrap().newest);
    let count: u32 = values.get("count").unwrap().parse().unwrap();
    assert!((180 - unknown..=180).contains(&count), "{count}, of which {unknown} are not known");
}
