//! What is handed over, and to whom.

use floor::{Body, Moment, Sender};
use journal::Chain;

use super::*;
use crate::run::Reply;

fn command(number: u64) -> (Tag, Command) {
    (number, Command { sender: Sender::System, number, at: Moment(0), body: Body::Elapse })
}

fn answered(tags: &[Tag]) -> Work {
    Work { replies: tags.iter().map(|tag| (*tag, Reply::Accepted(1))).collect(), ..Work::default() }
}

/// A queue whose writer is busy, with an answer ready for it and a command that arrived later.
fn busy() -> Queue {
    let queue = Queue::new(10);
    assert!(matches!(queue.next(&mut answered(&[1]), &mut Vec::new()), Next::Handed));
    queue.submit(std::iter::once(command(2))).unwrap();
    queue
}

/// What the writer is given, long before it is time to sign.
fn work(queue: &Queue) -> Option<Work> {
    match queue.work(Instant::now() + Duration::from_secs(60)) {
        Task::Write(work) => Some(work),
        Task::Sign => panic!("nothing is to be signed"),
        Task::Over => None,
    }
}

fn written(tags: &[Tag]) -> Written {
    Written::Batch(answered(tags), Chain([0; 32]))
}

#[test]
fn what_nobody_else_waits_for_is_written_by_who_decided_it() {
    let queue = Queue::new(10);
    queue.idle.store(true, Ordering::Relaxed);
    let mut decided = answered(&[1]);
    assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Write));
    assert_eq!(decided.into_tags().collect::<Vec<_>>(), [1]);
}

#[test]
fn a_slow_disk_is_left_to_the_writer() {
    let queue = Queue::new(10);
    queue.idle.store(true, Ordering::Relaxed);
    queue.took(Duration::from_millis(2));
    assert!(matches!(queue.next(&mut answered(&[1]), &mut Vec::new()), Next::Handed));
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
}

#[test]
fn what_is_durable_is_published_while_the_writer_goes_on() {
    let queue = Queue::new(10);
    queue.idle.store(true, Ordering::Relaxed);
    queue.wrote(written(&[1]));
    assert!(queue.is_durable());
    let mut decided = answered(&[2]);
    assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Handed));
    assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Written(_)));
    assert!(!queue.is_durable());
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [2]);
}

#[test]
fn a_little_more_is_decided_before_it_is_written() {
    let (queue, mut decided, mut commands) = (Queue::new(10_000), answered(&[1]), Vec::new());
    queue.idle.store(true, Ordering::Relaxed);
    queue.submit(std::iter::once(command(2))).unwrap();
    assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
    assert_eq!((commands.len(), decided.replies.len()), (1, 1));
    // Not when there is much already.
    let mut decided = answered(&(0..2_048).collect::<Vec<_>>());
    queue.submit(std::iter::once(command(3))).unwrap();
    assert!(matches!(queue.next(&mut decided, &mut commands), Next::Handed));
}

#[test]
fn what_becomes_durable_is_told_to_who_waits_for_the_writer() {
    let queue = busy();
    queue.wrote(written(&[0]));
    let mut decided = answered(&[2]);
    assert!(matches!(queue.hand_over(&mut decided), Ok(Some(_))));
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
    assert!(matches!(queue.hand_over(&mut decided), Ok(None)));
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [2]);
}

#[test]
fn what_is_ready_is_added_to_while_the_writer_is_busy() {
    let (queue, mut decided, mut commands) = (busy(), Work::default(), Vec::new());
    assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
    assert_eq!((commands.len(), decided.replies.len()), (1, 1));
    assert!(queue.lock().work.is_none());
    // Nothing more to decide: it is laid ready again, as one.
    decided.replies.push((2, Reply::Accepted(2)));
    assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Handed));
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn what_the_writer_is_about_to_take_is_left_to_it() {
    let (queue, mut decided) = (busy(), Work::default());
    queue.idle.store(true, Ordering::Relaxed);
    assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Commands));
    assert!(decided.is_empty());
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
}

#[test]
fn what_is_full_is_left_as_it_is() {
    let queue = Queue::new(2);
    assert!(matches!(queue.next(&mut answered(&[1, 2]), &mut Vec::new()), Next::Handed));
    queue.submit(std::iter::once(command(3))).unwrap();
    let mut decided = Work::default();
    assert!(matches!(queue.next(&mut decided, &mut Vec::new()), Next::Commands));
    assert!(decided.is_empty());
}

#[test]
fn whoever_waits_is_told_when_play_stops() {
    let (queue, mut decided, mut commands) = (busy(), Work::default(), Vec::new());
    assert!(matches!(queue.next(&mut decided, &mut commands), Next::Commands));
    queue.submit(std::iter::once(command(3))).unwrap();
    queue.fail("the disk is gone", []);
    assert!(matches!(queue.next(&mut decided, &mut commands), Next::Over));
    assert!(work(&queue).is_none());
    let undecided = commands.iter().map(|(tag, _)| *tag);
    queue.decided_all(decided.into_tags().chain(undecided).collect());
    let mut waiting = queue.abandoned();
    waiting.sort_unstable();
    assert_eq!(waiting, [1, 2, 3]);
}

#[test]
fn the_writer_signs_when_it_is_time_and_when_it_is_asked() {
    let queue = busy();
    assert!(matches!(queue.work(Instant::now()), Task::Sign), "also when there is something to write");
    queue.sign();
    assert!(matches!(queue.work(Instant::now() + Duration::from_secs(60)), Task::Sign));
    assert_eq!(work(&queue).unwrap().into_tags().collect::<Vec<_>>(), [1]);
    // Nothing comes: it waits no longer than it may.
    assert!(matches!(queue.work(Instant::now() + Duration::from_millis(20)), Task::Sign));
}

#[test]
fn a_sleeper_is_woken() {
    let queue = Queue::new(10);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| work(&queue).map(|work| work.into_tags().collect::<Vec<_>>()));
        // Long enough for it to fall asleep.
        std::thread::sleep(Duration::from_millis(50));
        assert!(matches!(queue.hand_over(&mut answered(&[7])), Ok(None)));
        assert_eq!(writer.join().unwrap(), Some(vec![7]));
        let over = scope.spawn(|| matches!(queue.next(&mut Work::default(), &mut Vec::new()), Next::Over));
        std::thread::sleep(Duration::from_millis(50));
        queue.stop();
        assert!(over.join().unwrap());
    });
}
