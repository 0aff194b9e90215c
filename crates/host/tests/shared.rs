//! Credentials that hosts of a floor share, on a real cluster: what one does holds at the other.

use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use async_nats::jetstream;
use cluster::HostKey;
use cluster::bucket::Bucket;
use floor::{Moment, StaffId, TerminalId, TicketNumber};
use host::store::*;
use natsd::Cluster;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::authenticator::Authenticator;
use crate::passkeys::{ORIGIN, party};

const MINUTE: i64 = 60_000;
const LIN: StaffId = StaffId(3);
const KIM: StaffId = StaffId(4);
const PASSWORD: &str = "correct horse battery";
const T7: Holder = Holder::Terminal(TerminalId(7));
/// On another page than the seventh.
const T900: Holder = Holder::Terminal(TerminalId(900));

fn here() -> IpAddr {
    "10.0.0.7".parse().unwrap()
}

fn at(minutes: i64) -> Moment {
    Moment(1_700_000_000_000).after(minutes * MINUTE)
}

fn limits() -> Limits {
    Limits { work: Work { memory: 64, passes: 1 }, ..Limits::default() }
}

/// A cluster and the files of its hosts.
struct House {
    cluster: Cluster,
    runtime: Runtime,
    folder: TempDir,
}

impl House {
    fn of(servers: usize) -> House {
        let folder = tempfile::tempdir().unwrap();
        House { cluster: Cluster::start(servers).unwrap(), runtime: Runtime::new().unwrap(), folder }
    }

    fn file(&self, host: &str) -> std::path::PathBuf {
        self.folder.path().join(format!("{host}.sqlite"))
    }

    fn bucket(&self) -> Bucket {
        self.runtime.block_on(async {
            let client = async_nats::connect(self.cluster.urls()).await.unwrap();
            Bucket::open(jetstream::new(client), "credentials", self.cluster.size()).await.unwrap()
        })
    }

    fn host(&self, name: &str) -> Store {
        Store::shared_with(self.file(name), self.bucket(), limits()).unwrap()
    }

    /// A host with a key of its own, which signs what it writes.
    fn that_signs(&self, name: &str) -> Result<Store, Error> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let key = Arc::new(HostKey::of(&folder).unwrap());
        Store::shared_as(self.file(name), self.bucket(), Identity { host: name.to_owned(), key, begins: 0 })
    }
}

/// How long something took to be so; it must be within two seconds.
#[track_caller]
fn soon(mut is: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < Duration::from_secs(2), "not within two seconds");
        thread::yield_now();
    }
}

fn proved(store: &Store, holder: Holder, key: &Key, now: Moment) -> Result<(), KeyRefused> {
    let nonce = store.nonce(now)?;
    store.prove(holder, nonce.text(), &key.proof(holder, nonce.text()), Shown::default(), now)
}

fn number(store: &Store) -> floor::TicketHash {
    TicketNumber::drawn("floor", 1).hash(&store.ticket_key())
}

fn rows(file: &Path, table: &str) -> i64 {
    let database = rusqlite::Connection::open(file).unwrap();
    database.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn what_is_done_at_one_host_holds_at_the_other() {
    let house = House::of(3);
    let (one, other) = (house.host("one"), house.host("other"));
    assert_eq!(number(&one), number(&other), "one ticket secret for the floor");

    one.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = other.sign_in("lin", PASSWORD, here(), at(0)).unwrap();
    soon(|| one.session(session.token.text(), at(0)).unwrap().is_some());
    assert!(matches!(other.set_password(KIM, "lin", PASSWORD), Err(PasswordRefused::LoginTaken)));

    one.sign_out(session.token.text()).unwrap();
    soon(|| other.session(session.token.text(), at(0)).unwrap().is_none());

    let session = one.sign_in("lin", PASSWORD, here(), at(0)).unwrap();
    soon(|| other.peek_session(session.token.text(), at(0)).unwrap().is_some());
    other.set_password(LIN, "lin", "another long password").unwrap();
    soon(|| one.session(session.token.text(), at(0)).unwrap().is_none());
    assert!(matches!(one.sign_in("lin", PASSWORD, here(), at(0)), Err(SignInRefused::Wrong)));
    one.remove_password(LIN).unwrap();
    assert!(matches!(other.sign_in("lin", "another long password", here(), at(1)), Err(SignInRefused::Unknown)));
}

#[test]
fn a_copy_of_a_floor_on_a_cluster_keeps_its_name_and_its_file_says_whose_it_is() {
    let (house, elsewhere) = (House::of(1), tempfile::tempdir().unwrap());
    let [own, restored] = ["own", "restored"].map(|name| elsewhere.path().join(name));
    std::fs::create_dir_all(&own).unwrap();
    std::fs::create_dir_all(&restored).unwrap();
    assert!(Store::open(own.join(FILE)).unwrap().belongs_to([7; 16]).unwrap());
    assert!(copy(&own, &restored).unwrap());
    std::fs::copy(restored.join(FILE), house.file("one")).unwrap();
    let one = house.host("one");
    assert!(one.belongs_to([7; 16]).unwrap() && !one.belongs_to([8; 16]).unwrap());
    let other = house.host("other");
    assert!(other.belongs_to([7; 16]).unwrap(), "its file is new, and says nothing yet");
    assert_eq!((one.copies().unwrap().len(), number(&one)), (1, number(&other)));
    assert_eq!(one.copies().unwrap(), other.copies().unwrap(), "their cursors are those of the same copy");
    // What one writes, the other reads; and what it knew of itself stays.
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    soon(|| other.sign_in("lin", PASSWORD, here(), at(0)).is_ok());
    assert!(!one.belongs_to([8; 16]).unwrap());
}

#[test]
fn a_key_is_proved_at_any_host_and_dead_at_all_when_revoked() {
    let house = House::of(1);
    let (one, other) = (house.host("one"), house.host("other"));
    let code = one.make_code(T7, at(0)).unwrap();
    let key = Key::new().unwrap();
    let enrol = |store: &Store| store.enrol(code.text(), &key.public(), Shown::default(), here(), at(0));
    assert_eq!(enrol(&other).unwrap(), T7);
    soon(|| proved(&one, T7, &key, at(0)).is_ok());
    assert!(matches!(enrol(&one), Err(KeyRefused::Code)));

    let nonce = other.nonce(at(0)).unwrap();
    let (bearer, _) =
        other.prove_for_token(T7, nonce.text(), &key.proof(T7, nonce.text()), Shown::default(), at(0)).unwrap();
    assert_eq!(other.bearer(bearer.text(), Shown::default(), at(0)), Some(T7));
    assert!(one.revoke(T7).unwrap());
    soon(|| matches!(proved(&other, T7, &key, at(0)), Err(KeyRefused::NoKey)));
    assert_eq!(
        other.bearer(bearer.text(), Shown::default(), at(0)),
        None,
        "nor is what was given for the key good any more"
    );
}

#[test]
fn a_code_is_used_once_though_two_hosts_take_it_at_the_same_moment() {
    let house = House::of(3);
    let (one, other) = (house.host("one"), house.host("other"));
    for round in 0..20 {
        // So far apart that it does not lock out the second person.
        let now = at(20 * round);
        let code = one.make_code(T7, now).unwrap();
        let begin = Barrier::new(2);
        let enrol = |store: &Store| {
            let key = Key::new().unwrap();
            begin.wait();
            store.enrol(code.text(), &key.public(), Shown::default(), here(), now).map(|_| key)
        };
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| enrol(&one));
            let second = enrol(&other);
            (first.join().unwrap(), second)
        });
        let (winner, loser) = if first.is_ok() { (first, second) } else { (second, first) };
        let key = winner.unwrap();
        assert!(matches!(loser, Err(KeyRefused::Code)), "round {round}: {loser:?}");
        soon(|| proved(&one, T7, &key, now).is_ok() && proved(&other, T7, &key, now).is_ok());
    }
}

#[test]
fn failures_at_all_hosts_count_together() {
    let house = House::of(1);
    let (one, other) = (house.host("one"), house.host("other"));
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    for store in [&one, &other, &one, &other, &one] {
        assert!(matches!(store.sign_in("lin", "a wrong guess", here(), at(0)), Err(SignInRefused::Wrong)));
    }
    for store in [&other, &one] {
        assert!(matches!(store.sign_in("lin", PASSWORD, here(), at(0)), Err(SignInRefused::LockedOut { .. })));
    }
    other.prune(at(6)).unwrap();
    assert!(one.sign_in("lin", PASSWORD, here(), at(6)).is_ok());
}

#[test]
fn a_session_that_is_used_at_one_host_does_not_end_at_the_other() {
    let house = House::of(1);
    let (one, other) = (house.host("one"), house.host("other"));
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = one.sign_in("lin", PASSWORD, here(), at(0)).unwrap();
    for minute in (0..=60).step_by(10) {
        assert!(one.session(session.token.text(), at(minute)).unwrap().is_some());
        one.prune(at(minute)).unwrap();
        other.prune(at(minute)).unwrap();
    }
    soon(|| other.peek_session(session.token.text(), at(85)).unwrap().is_some());
    other.prune(at(95)).unwrap();
    soon(|| one.session(session.token.text(), at(85)).unwrap().is_none());
}

#[test]
fn all_goes_on_when_a_server_is_lost() {
    let mut house = House::of(3);
    let (one, other) = (house.host("one"), house.host("other"));
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = one.sign_in("lin", PASSWORD, here(), at(0)).unwrap();
    for lost in 0..3 {
        house.cluster.kill(lost).unwrap();
        assert!(one.session(session.token.text(), at(0)).unwrap().is_some());
        let now = at(i64::try_from(lost).unwrap());
        let code = one.make_code(T900, now).unwrap();
        let key = Key::new().unwrap();
        other.enrol(code.text(), &key.public(), Shown::default(), here(), now).unwrap();
        let again = other.sign_in("lin", PASSWORD, here(), now).unwrap();
        let begun = Instant::now();
        while one.session(again.token.text(), now).unwrap().is_none() || proved(&one, T900, &key, now).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(15));
            thread::yield_now();
        }
        house.cluster.restart(lost).unwrap();
        house.cluster.wait_until_current().unwrap();
    }
}

#[test]
fn without_the_cluster_reading_goes_on_and_changes_are_refused() {
    let mut house = House::of(1);
    let one = house.host("one");
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = one.sign_in("lin", PASSWORD, here(), at(0)).unwrap();
    house.cluster.kill(0).unwrap();
    thread::scope(|scope| {
        let refused = scope.spawn(|| one.set_password(LIN, "lin", "another long password"));
        let mut looks = 0;
        while !refused.is_finished() {
            let begun = Instant::now();
            assert!(one.session(session.token.text(), at(5)).unwrap().is_some());
            assert!(begun.elapsed() < Duration::from_secs(1), "reading waits for the cluster");
            looks += 1;
            thread::yield_now();
        }
        assert!(looks > 1);
        assert!(matches!(refused.join().unwrap(), Err(PasswordRefused::Store(Error::Shared(_)))));
    });
    house.cluster.restart(0).unwrap();
    house.cluster.wait_until_current().unwrap();
    one.set_password(LIN, "lin", "a third long password").unwrap();
    one.sign_in("lin", "a third long password", here(), at(5)).unwrap();
}

#[test]
fn a_host_that_was_away_has_what_the_others_have() {
    let house = House::of(1);
    let one = house.host("one");
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    one.set_password(KIM, "kim", PASSWORD).unwrap();
    let keys = [Key::new().unwrap(), Key::new().unwrap()];
    one.give_keys(&[(T7, keys[0].public()), (T900, keys[1].public())], at(0)).unwrap();
    let kept = one.sign_in("kim", PASSWORD, here(), at(0)).unwrap();
    drop(house.host("other"));
    assert_eq!((rows(&house.file("other"), "staff"), rows(&house.file("other"), "key")), (2, 2));

    one.remove_password(LIN).unwrap();
    one.revoke(T7).unwrap();
    one.make_code(T7, at(0)).unwrap();
    let other = house.host("other");
    assert!(!other.has_password(LIN).unwrap());
    assert!(other.session(kept.token.text(), at(0)).unwrap().is_some());
    assert!(matches!(proved(&other, T7, &keys[0], at(0)), Err(KeyRefused::NoKey)));
    proved(&other, T900, &keys[1], at(0)).unwrap();
    let counts =
        |host: &str| ["staff", "session", "key", "code", "attempt", "secret"].map(|t| rows(&house.file(host), t));
    assert_eq!(counts("one"), counts("other"));
    assert_eq!(counts("other"), [1, 1, 1, 1, 0, 3]);
}

#[test]
fn the_first_host_brings_what_it_had_alone_and_the_next_takes_it() {
    let house = House::of(1);
    let alone = Store::open_with(house.file("one"), limits()).unwrap();
    alone.set_password(LIN, "lin", PASSWORD).unwrap();
    let session = alone.sign_in("lin", PASSWORD, here(), at(0)).unwrap();
    let ticket = number(&alone);
    drop(alone);
    let foreign = Store::open_with(house.file("other"), limits()).unwrap();
    foreign.set_password(KIM, "kim", PASSWORD).unwrap();
    drop(foreign);

    let one = house.host("one");
    let other = house.host("other");
    assert!(other.session(session.token.text(), at(0)).unwrap().is_some());
    assert!(!other.has_password(KIM).unwrap());
    assert_eq!((number(&one), number(&other)), (ticket, ticket));
}

#[test]
fn a_list_of_hosts_that_cannot_be_read_is_ignored_and_written_again() {
    let house = House::of(1);
    let one = house.that_signs("one").unwrap();
    let put = |key: &str, value: &'static str| {
        let bucket = house.bucket();
        let last = bucket.position().unwrap().last;
        bucket.put(last, vec![(key.to_owned(), value.into())]).unwrap();
    };
    put("hosts", "no list");
    put("version", "no number");
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    assert_eq!((one.hosts().unwrap().len(), one.held()), (1, None));
    let refused = house.that_signs("new").err().unwrap().to_string();
    assert!(refused.contains("has none of its own"), "{refused}");
    // The host that knows better writes them again.
    drop(one);
    let one = house.that_signs("one").unwrap();
    let new = house.that_signs("new").unwrap();
    assert_eq!((new.hosts().unwrap(), new.is_enrolled()), (one.hosts().unwrap(), false));
    assert!(new.has_password(LIN).unwrap());
    // A later version is what a newer program writes: nothing is changed beside it, and the cause is said.
    put("version", "99999");
    soon(|| one.held().is_some_and(|why| why.contains("'version'") && why.contains("99999")));
    let refused = one.set_password(KIM, "kim", PASSWORD);
    assert!(matches!(refused, Err(PasswordRefused::Store(Error::Held(_)))), "{refused:?}");
}

#[test]
fn hosts_that_start_together_agree() {
    let house = House::of(1);
    let numbers: Vec<floor::TicketHash> = thread::scope(|scope| {
        let hosts: Vec<_> = (0..4)
            .map(|host| {
                scope.spawn({
                    let house = &house;
                    move || number(&house.host(&host.to_string()))
                })
            })
            .collect();
        hosts.into_iter().map(|host| host.join().unwrap()).collect()
    });
    assert!(numbers.iter().all(|number| *number == numbers[0]), "{numbers:?}");
}

/// A passkey of `lin` at a store.
fn signs_in(store: &Store, assertion: Assertion, now: Moment) -> bool {
    let secret = Secret::Passkey(Box::new(assertion), party(), Purpose::SignIn);
    store.sign_in_with("lin", &secret, here(), now).is_ok()
}

#[test]
fn a_passkey_is_asked_at_one_host_and_signs_at_another_once() {
    let house = House::of(1);
    let (one, other) = (house.host("one"), house.host("other"));
    one.set_password(LIN, "lin", PASSWORD).unwrap();
    // Many authenticators do not count: then only the challenge tells that a signature was used before.
    for counts in [true, false] {
        let mut authenticator = Authenticator::p256(&party().domain, ORIGIN);
        (authenticator.id, authenticator.counts) = (vec![u8::from(counts); 16], counts);
        // Asked for at one host, added at the other, as behind a balancer.
        let challenge = one.challenge(Purpose::Add(LIN), at(0)).unwrap();
        soon(|| other.has_password(LIN).unwrap());
        let added = other.add_passkey(LIN, "phone", &authenticator.make(&challenge), &party(), at(0)).unwrap();
        soon(|| one.passkeys(LIN).unwrap().iter().any(|known| known.id == added.id));
        let asked = other.challenge(Purpose::SignIn, at(0)).unwrap();
        let assertion = authenticator.sign(&asked);
        assert!(signs_in(&one, assertion.clone(), at(0)));
        assert!(!signs_in(&other, assertion.clone(), at(0)), "it was used at the other host");
        assert!(!signs_in(&one, assertion, at(0)));
        assert!(!signs_in(&other, authenticator.sign(&asked), at(0)), "nor with a new signature");
        one.unlock(LIN).unwrap();
        // What one host has counted holds at the other.
        let challenge = one.challenge(Purpose::SignIn, at(0)).unwrap();
        let again = authenticator.sign(&challenge);
        assert!(signs_in(&other, again, at(0)));
        if counts {
            authenticator.count -= 2;
            let copied = authenticator.sign(&one.challenge(Purpose::SignIn, at(0)).unwrap());
            assert!(!signs_in(&one, copied, at(0)), "a copy of it counts from where it was copied");
            authenticator.count += 1;
        }
        assert!(other.remove_passkey(LIN, &added.id).unwrap());
        soon(|| one.passkeys(LIN).unwrap().is_empty());
        let removed = authenticator.sign(&one.challenge(Purpose::SignIn, at(0)).unwrap());
        assert!(!signs_in(&one, removed, at(0)), "removed at the other host");
        one.unlock(LIN).unwrap();
    }
}
