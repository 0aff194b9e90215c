//! An engine that is driven in steps: the same loop, and it can be left between any two of them.

use std::sync::mpsc::{Receiver, channel};

use engine::{Nobody, Reply, Stepped};
use floor::{Command, Floor, Moment, Sender};
use journal::{Disk, Journal};

use crate::common::disk::MemDisk;
use crate::common::{ToChannel, Told, create, hire, options};

type Engine = Stepped<MemDisk, Nobody, Journal<MemDisk>>;

fn start(disk: &MemDisk) -> (Engine, Receiver<Told>) {
    let (sender, told) = channel();
    let (engine, _) = Stepped::start(disk.another(), options(), ToChannel(sender)).expect("started");
    (engine, told)
}

fn submit(engine: &Engine, number: u64) {
    let body = if number == 1 { create() } else { hire(number) };
    engine.submit(number, Command { sender: Sender::System, number, at: Moment(0), body }).expect("taken in");
}

fn answers(told: &Receiver<Told>) -> Vec<u64> {
    let accepted = |told| match told {
        Told::Reply(tag, Reply::Accepted(_)) => Some(tag),
        _ => None,
    };
    told.try_iter().filter_map(accepted).collect()
}

#[test]
fn nothing_is_told_before_it_is_written() {
    let disk = MemDisk::new();
    let (mut engine, told) = start(&disk);
    submit(&engine, 1);
    // Decided, and handed to the writer.
    while engine.decide() {}
    assert_eq!((answers(&told), engine.read(Floor::sequence)), (vec![], 0));
    assert!(engine.write(false));
    assert_eq!(answers(&told), []);
    while engine.decide() {}
    assert_eq!((answers(&told), engine.read(Floor::sequence)), (vec![1], 1));
    engine.stop();
}

#[test]
fn what_was_written_is_there_after_a_kill_and_what_was_not_is_gone() {
    let disk = MemDisk::new();
    let (mut engine, told) = start(&disk);
    submit(&engine, 1);
    while engine.decide() {}
    assert!(engine.write(false));
    submit(&engine, 2);
    engine.kill();
    assert!(told.try_iter().next().is_none(), "a process that is killed says nothing");
    let (engine, _) = start(&disk);
    assert_eq!(engine.read(Floor::sequence), 1);
}

#[test]
fn an_end_in_order_answers_everybody() {
    let disk = MemDisk::new();
    let (engine, told) = start(&disk);
    (1..=5).for_each(|number| submit(&engine, number));
    engine.stop();
    assert_eq!(answers(&told), [1, 2, 3, 4, 5]);
    let (engine, _) = start(&disk);
    assert_eq!(engine.read(Floor::sequence), 5);
}
