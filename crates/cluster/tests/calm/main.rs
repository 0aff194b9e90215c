//! A log on a real cluster of three while nothing is wrong with the servers: what any log keeps to, lost
//! acknowledgements, stale writers, copies.

mod bucket;
#[path = "../common/mod.rs"]
mod common;
mod engines;
mod tls;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cluster::{Connection, Error, Held, Hosts, Lease, Options, Stream, Tls, to_folder, to_stream};
use common::log::{self, SMALL, append, batch, record};
use common::*;
use journal::{AppendError, Journal, Log, Position, RealDisk, Scan};
use natsd::Cluster;

/// It ends with the process.
static CLUSTER: LazyLock<Cluster> = LazyLock::new(|| Cluster::start(3).expect("a cluster"));
static CONNECTION: LazyLock<Connection> = LazyLock::new(|| connect(&CLUSTER));

/// On the cluster of these tests.
pub struct Here;

impl Calm for Here {
    fn connection() -> &'static Connection {
        &CONNECTION
    }
}

mod any_log {
    use super::log;
    log::on_every_keeper!(on_three_servers: super::super::OnCluster<super::super::Here>);
}

/// A batch that continues a place, and the place after it.
fn sealed_after(place: &Position, number: u64) -> (Bytes, Position) {
    let mut batch = batch(&[record(number)]);
    let (bytes, after) = place.seal(&mut batch);
    (Bytes::copy_from_slice(bytes), after)
}

#[test]
fn an_append_whose_acknowledgement_was_lost_is_found_to_be_there() {
    let stream = stream(&CONNECTION, &floor());
    let (bytes, _) = sealed_after(&Position::begin(stream.journal()), 1);
    RUNTIME.block_on(async {
        assert_eq!(stream.append(1, bytes.clone(), PATIENCE).await.expect("appended"), 2);
        // The same again, as after a lost answer: it is there once.
        assert_eq!(stream.append(1, bytes.clone(), PATIENCE).await.expect("found"), 2);
        assert_eq!(stream.last().await.expect("asked"), 2);
    });
    assert_eq!(numbers(&stream), [1]);
}

#[test]
fn a_writer_finds_its_own_batch_there() {
    let stream = stream(&CONNECTION, &floor());
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = writer(&stream, folder.path(), SMALL);
    let (bytes, _) = sealed_after(&Position::begin(stream.journal()), 1);
    RUNTIME.block_on(stream.append(1, bytes, PATIENCE)).expect("appended");
    append(&mut writer, record(1));
    append(&mut writer, record(2));
    assert_eq!(numbers(&stream), [1, 2]);
}

#[test]
fn what_somebody_else_has_appended_fences() {
    let stream = stream(&CONNECTION, &floor());
    let begin = Position::begin(stream.journal());
    RUNTIME.block_on(async {
        stream.append(1, sealed_after(&begin, 1).0, PATIENCE).await.expect("appended");
        let begun = Instant::now();
        assert!(matches!(stream.append(1, sealed_after(&begin, 9).0, PATIENCE).await, Err(Error::Fenced)));
        assert!(begun.elapsed() < Duration::from_secs(5), "at once, not when patience is over");
    });
    assert_eq!(numbers(&stream), [1]);
}

#[test]
fn a_stale_writer_is_fenced_and_writes_nothing_more() {
    let stream = stream(&CONNECTION, &floor());
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let mut stale = writer(&stream, one.path(), SMALL);
    append(&mut stale, record(1));
    let mut leader = writer(&stream, other.path(), SMALL);
    append(&mut leader, record(2));
    match stale.append(1, &mut batch(&[record(9)])) {
        Err(AppendError::Stopped(reason)) => assert!(reason.contains("no longer leads"), "{reason}"),
        other => panic!("{other:?}"),
    }
    // Once and for all, a checkpoint too.
    assert!(matches!(stale.append(1, &mut batch(&[record(9)])), Err(AppendError::Stopped(_))));
    assert!(matches!(stale.checkpoint_now(), Err(AppendError::Stopped(_))));
    append(&mut leader, record(3));
    leader.checkpoint_now().expect("signed");
    drop((stale, leader));
    assert_eq!(numbers(&stream), [1, 2, 3]);
    // What the stale one has is a beginning of the stream, and it can be brought up to date.
    copy(&stream, one.path(), SMALL);
    assert_eq!(sealed(one.path()), sealed(other.path()));
    assert!(messages(&stream)[1..] == sealed(one.path())[..]);
}

#[test]
fn every_place_of_a_journal_is_found_and_no_other() {
    let stream = stream(&CONNECTION, &floor());
    let folder = tempfile::tempdir().expect("a folder");
    let mut writer = writer(&stream, folder.path(), journal::Options { checkpoint_every: 2, ..SMALL });
    for number in 1..=12 {
        append(&mut writer, record(number));
        writer.checkpoint_if_due(0).expect("signed");
        if number % 3 == 0 {
            // Several messages end at one record.
            writer.checkpoint_now().expect("signed");
            writer.checkpoint_now().expect("signed");
        }
    }
    drop(writer);
    let mut place = Position::begin(stream.journal());
    let all = messages(&stream);
    let mut places = vec![place];
    for message in &all[1..] {
        place.read(message).expect("it goes on");
        places.push(place);
    }
    let find = |place: &Position| RUNTIME.block_on(stream.find(place));
    for (place, message) in places.iter().zip(1..) {
        assert_eq!(find(place).expect("found"), message);
    }
    let told = |place: Position, words: &str| match find(&place) {
        Err(Error::Differs(told)) => assert!(told.contains(words), "{told}"),
        other => panic!("{other:?}"),
    };
    told(sealed_after(&place, 13).1, "the cluster has lost it");
    told(Position { chain: places[3].chain, ..places[9] }, "differ at record");
    told(sealed_after(&places[4], 99).1, "differ at record");
    told(Position { journal: [8; 16], ..places[4] }, "another journal");
}

#[test]
fn a_journal_goes_to_the_cluster_and_back_to_the_byte() {
    let [from, back] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let disk = || RealDisk::new(from.path()).expect("a disk");
    let options = journal::Options { checkpoint_every: 3, ..SMALL };
    let (mut journal, _) = Journal::open(disk(), options, None, |_, _| Ok(())).expect("made");
    for number in 1..=20 {
        append(&mut journal, if number == 5 { (0, vec![1; 400_000]) } else { record(number) });
        journal.checkpoint_if_due(0).expect("signed");
    }
    let floor = floor();
    RUNTIME.block_on(async {
        let scan = || Scan::new(vec![disk()]).expect("a journal");
        let stream = Stream::create(&CONNECTION, &floor, journal.id()).await.expect("made");
        let key = CONNECTION.journal_key(&floor, Some(journal.key())).await.expect("kept");
        assert_eq!(key.public(), journal.public_key());
        let mut told = 0;
        let last = to_stream(&mut scan(), &stream, |message, _| told = message).await.expect("copied");
        assert_eq!((last, told), (27, 27));
        // Again, and after more has come: what is there stays.
        assert_eq!(to_stream(&mut scan(), &stream, |_, _| {}).await.expect("nothing to do"), 27);
        append(&mut journal, record(21));
        assert_eq!(to_stream(&mut scan(), &stream, |_, _| {}).await.expect("one more"), 28);

        let found = Stream::open(&CONNECTION, &floor).await.expect("asked").expect("there");
        assert_eq!(found.journal(), journal.id());
        let key = CONNECTION.journal_key(&floor, None).await.expect("there");
        let disk = RealDisk::new(back.path()).expect("a disk");
        let mut copy = Journal::copy_of(disk, options, found.journal(), key).expect("begun");
        assert_eq!(to_folder(&found, &mut copy, |_, _| {}).await.expect("copied"), 28);
        assert_eq!((copy.chain(), copy.public_key()), (journal.chain(), journal.public_key()));

        // The stream is ahead of the folder, or of another journal.
        let (bytes, _) = sealed_after(&journal.position(), 22);
        stream.append(28, bytes, PATIENCE).await.expect("appended");
        assert!(matches!(to_stream(&mut scan(), &stream, |_, _| {}).await, Err(Error::Differs(_))));
        let other = Stream::create(&CONNECTION, &common::floor(), [9; 16]).await.expect("made");
        assert!(matches!(to_stream(&mut scan(), &other, |_, _| {}).await, Err(Error::Differs(_))));
        assert_eq!(other.last().await.expect("asked"), 1, "nothing of it was written there");
        assert!(matches!(to_folder(&other, &mut copy, |_, _| {}).await, Err(Error::Differs(_))));
    });
    assert_eq!(sealed(from.path()), sealed(back.path()));
}

#[test]
fn a_floor_that_is_not_there_is_none() {
    RUNTIME.block_on(async {
        let floor = floor();
        assert!(Stream::open(&CONNECTION, &floor).await.expect("asked").is_none());
        assert!(matches!(CONNECTION.journal_key(&floor, None).await, Err(Error::NoFloor(_))));
        Stream::create(&CONNECTION, &floor, [3; 16]).await.expect("made");
        assert!(Stream::floors(&CONNECTION).await.expect("asked").contains(&floor));
        // Who comes second gets the journal of who came first.
        assert_eq!(Stream::create(&CONNECTION, &floor, [4; 16]).await.expect("found").journal(), [3; 16]);
    });
}

#[test]
fn a_stream_is_kept_on_three_servers() {
    let stream = stream(&CONNECTION, &floor());
    until(PATIENCE, || {
        let state = RUNTIME.block_on(stream.state()).expect("asked");
        assert_eq!((state.messages, state.wanted), (1, 3));
        state.replicas.len() == 3 && state.replicas.iter().all(|replica| replica.current)
    });
    let replicas = RUNTIME.block_on(stream.state()).expect("asked").replicas;
    assert_eq!(replicas.iter().filter(|replica| replica.leads).count(), 1);
    assert_eq!(replicas.iter().map(|replica| replica.server.as_str()).collect::<Vec<_>>(), ["n1", "n2", "n3"]);
}

fn key() -> std::sync::Arc<cluster::HostKey> {
    std::sync::Arc::new(cluster::HostKey::random().expect("chance"))
}

fn held(host: &str) -> Held {
    Held { host: host.to_owned(), address: format!("http://{host}") }
}

const LENGTH: Duration = Duration::from_secs(3);

#[test]
fn a_lease_is_taken_renewed_released_and_taken_over() {
    let floor = floor();
    RUNTIME.block_on(async {
        let lease = async |host| Lease::new(&CONNECTION, &floor, held(host), LENGTH).await.expect("connected");
        let (mut one, mut other) = (lease("one").await, lease("other").await);
        // A bucket that has just been made may not answer yet.
        while !one.step(Duration::ZERO).await {
            tokio::time::sleep(one.pace()).await;
        }
        assert!(one.is_held());
        assert!(!other.step(Duration::ZERO).await);
        assert_eq!((one.holder(), other.holder()), (Some(&held("one")), Some(&held("one"))));
        // It is renewed for longer than it lasts.
        let begun = Instant::now();
        while begun.elapsed() < LENGTH * 2 {
            assert!(one.step(Duration::ZERO).await && !other.step(Duration::ZERO).await);
            tokio::time::sleep(one.pace()).await;
        }
        // Released, it is taken as soon as that is seen.
        one.release().await;
        assert!(!one.is_held());
        let begun = Instant::now();
        while !other.step(Duration::ZERO).await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(begun.elapsed() < LENGTH / 2, "{:?}", begun.elapsed());
        // The former holder learns who leads, at the latest before the lease it has lost would have run out.
        while one.holder() != Some(&held("other")) {
            assert!(begun.elapsed() < LENGTH && !one.step(Duration::ZERO).await, "{:?}", one.holder());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // The holder vanishes.
        let begun = Instant::now();
        while !one.step(Duration::ZERO).await {
            tokio::time::sleep(one.pace()).await;
        }
        let took = begun.elapsed();
        assert!(took >= LENGTH && took <= LENGTH + Duration::from_secs(8), "{took:?}");
        // The one that was paused past its time knows by itself, before it asks another.
        assert!(!other.is_held());
        assert!(!other.step(Duration::ZERO).await);
        assert!(one.step(Duration::ZERO).await);
    });
}

#[test]
fn hosts_see_each_other_come_and_go() {
    let floor = floor();
    RUNTIME.block_on(async {
        let names = |hosts: &Hosts| hosts.present().into_iter().map(|host| host.host).collect::<Vec<_>>();
        let mut one = Hosts::new(&CONNECTION, &floor, held("one"), key()).await.expect("connected");
        let mut other = Hosts::new(&CONNECTION, &floor, held("other"), key()).await.expect("connected");
        one.step(None).await;
        other.step(None).await;
        one.step(None).await;
        assert_eq!(
            (names(&one), names(&other)),
            (vec!["one".into(), "other".into()], vec!["one".into(), "other".into()])
        );
        // What time it is is heard once, from those who say so while one looks, and never less than before.
        let heard = |hosts: &Hosts| hosts.times().map(|(host, time)| (host.host.clone(), time)).collect::<Vec<_>>();
        assert_eq!(heard(&one), [], "nobody has said so yet");
        for (said, expected) in
            [(Some(5_000), vec![("other".to_owned(), 5_000)]), (Some(4_000), vec![]), (None, vec![])]
        {
            other.step(said).await;
            one.step(Some(1)).await;
            assert_eq!(heard(&one), expected, "{said:?}");
        }
        other.leave().await;
        one.step(None).await;
        assert_eq!(names(&one), ["one"]);
    });
}

#[test]
fn the_servers_say_what_they_are() {
    RUNTIME.block_on(async {
        for (url, name) in CLUSTER.urls().iter().zip(["n1", "n2", "n3"]) {
            let seen = cluster::server(url, &Tls::default()).await.expect("it answers");
            assert_eq!((seen.server.as_str(), seen.is_new_enough(), seen.syncs), (name, true, None));
        }
        let seen = cluster::servers(&CLUSTER.system_urls().join(","), &Tls::default()).await.expect("they answer");
        let syncs: Vec<_> = seen.iter().map(|seen| (seen.server.as_str(), seen.syncs)).collect();
        assert_eq!(syncs, [("n1", Some(true)), ("n2", Some(true)), ("n3", Some(true))]);
        assert!(
            cluster::servers(&CLUSTER.urls().join(","), &Tls::default()).await.is_err(),
            "only the system account is told"
        );
        assert_eq!(CONNECTION.servers().await.expect("one answers").len(), 1);
        let nowhere = Connection::open("nats://127.0.0.1:1", Options::default()).await;
        assert!(matches!(nowhere, Err(Error::Unreachable(_))));
    });
}
