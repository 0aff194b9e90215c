//! A floor that one host leads and another follows, until that one leads.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender as Channel, channel};
use std::time::Duration;

use bytes::Bytes;
use cluster::{Replicated, Stream, Tail};
use engine::{Durable, Engine, Following, Options, Outlet, Refused, Reply, Source, Tag};
use floor::{Body, Command, Floor, FloorSettings, Moment, Post, Sender};
use journal::{RealDisk, Scan};
use tokio::runtime::Handle;

use crate::CONNECTION;
use crate::common::*;

struct Answers(Channel<(Tag, Reply)>);

impl Outlet for Answers {
    fn durable(&mut self, durable: Durable<'_>) {
        for answer in durable.replies {
            let _ = self.0.send(answer);
        }
    }

    fn stopped(&mut self, reason: &str, waiting: Vec<Tag>) {
        for tag in waiting {
            let _ = self.0.send((tag, Reply::Stopped(reason.to_owned())));
        }
    }
}

/// What comes from the stream.
struct FromStream(Handle, Tail);

impl Source for FromStream {
    type Bytes = Bytes;

    fn next(&mut self, within: Duration) -> Option<Bytes> {
        self.0.block_on(self.1.next(within))
    }

    fn taken(&self) -> u64 {
        self.1.taken()
    }
}

struct Host {
    engine: Engine,
    following: Option<Following<FromStream>>,
    answers: Receiver<(Tag, Reply)>,
}

fn options() -> Options {
    let journal = journal::Options { segment: 0, checkpoint_every: 100 };
    Options { journal, queue: 10_000, snapshot_every: 300, snapshots: 2, ..Options::default() }
}

impl Host {
    fn follow(stream: &Stream, folder: &Path) -> Host {
        if Scan::new(vec![RealDisk::new(folder).unwrap()]).unwrap().is_empty() {
            drop(copy(stream, folder, options().journal));
        }
        let (sender, answers) = channel();
        let started = Engine::follow(folder, options(), Answers(sender), |journal| {
            let after = RUNTIME.block_on(stream.find(&journal.position())).expect("found");
            Ok(FromStream(RUNTIME.handle().clone(), stream.tail(after)))
        });
        let (engine, _, following) = started.expect("it follows");
        Host { engine, following: Some(following), answers }
    }

    fn lead(&mut self, stream: &Stream) {
        let until = RUNTIME.block_on(stream.last()).expect("asked");
        let log = |journal, source: FromStream| {
            Replicated::new(RUNTIME.handle().clone(), stream.clone(), journal, source.taken())
        };
        let following = self.following.take().expect("it follows");
        self.engine.lead(following, until, log).expect("it leads");
    }

    /// Sends commands under numbers of which each is new, and waits until they are answered.
    fn hire(&self, numbers: std::ops::Range<u64>) {
        let command = |number| {
            let body = match number {
                0 => Body::CreateFloor(FloorSettings {
                    name: "test".to_owned(),
                    demonstration: true,
                    day_starts: 0,
                    ticket_days: 30,
                    ..FloorSettings::default()
                }),
                number => Body::AddStaff { name: format!("person {number}"), post: Post::Auditor, witness: None },
            };
            (number, Command { sender: Sender::System, number: number + 1, at: Moment(1_000), body })
        };
        self.engine.submit_all(numbers.clone().map(command).collect()).expect("taken in");
        for number in numbers {
            let (tag, reply) = self.answers.recv_timeout(PATIENCE).expect("an answer");
            assert!(tag == number && matches!(reply, Reply::Accepted(_)), "{tag}: {reply:?}");
        }
    }

    fn sequence(&self) -> u64 {
        self.engine.read(Floor::sequence)
    }

    fn hash(&self) -> [u8; 32] {
        self.engine.read(Floor::state_hash)
    }
}

#[test]
fn a_floor_is_led_followed_and_taken_over() {
    let stream = stream(&CONNECTION, &floor());
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let mut leader = Host::follow(&stream, one.path());
    let mut follower = Host::follow(&stream, other.path());
    let body = Body::AddStaff { name: "auditor 1".to_owned(), post: Post::Auditor, witness: None };
    let command = Command { sender: Sender::System, number: 1, at: Moment(1), body };
    assert_eq!(follower.engine.submit(0, command), Err(Refused::Follows));
    leader.lead(&stream);
    (0..20).for_each(|part| leader.hire(part * 50..(part + 1) * 50));
    until(PATIENCE, || follower.sequence() == leader.sequence());
    assert_eq!(follower.hash(), leader.hash());

    // The one that led stops, the one that followed goes on; the first comes back from its copy and follows.
    leader.engine.stop();
    follower.lead(&stream);
    follower.hire(1_000..1_200);
    let back = Host::follow(&stream, one.path());
    until(PATIENCE, || back.sequence() == follower.sequence());
    assert_eq!(back.hash(), follower.hash());
    follower.hire(1_200..1_300);
    until(PATIENCE, || back.sequence() == follower.sequence());
    follower.engine.stop();
    // The last checkpoint comes after everything.
    let end = RUNTIME.block_on(stream.last()).expect("asked") - 1;
    until(PATIENCE, || sealed(one.path()).len() as u64 == end);
    drop(back);

    let audits = [&one, &other].map(|folder| {
        let audit = engine::audit(vec![RealDisk::to_read(folder.path())], &[], Some(key().public()), |_, _| {});
        assert!(audit.is_clean(), "{:?}", audit.findings);
        assert!(audit.checkpoints >= 13 && audit.unsigned == 0);
        (audit.last, audit.chain, audit.floor.state_hash())
    });
    assert_eq!(audits[0], audits[1]);
    assert!(messages(&stream)[1..] == sealed(one.path())[..]);
}
