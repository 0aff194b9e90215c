//! Seeds that have to be made: bytes of a journal, a snapshot and records of a small floor. The others are kept by hand.

use floor::{Body, Command, Floor, FloorSettings, Moment, Post, Sender, TicketNumber};
use journal::{Batch, Key, Position, RealDisk, Snapshot};

/// Each with its place in the corpus.
pub fn made() -> Vec<(String, Vec<u8>)> {
    let mut seeds = Vec::new();
    let mut put = |place: &str, bytes: &[u8]| seeds.push((place.to_owned(), bytes.to_vec()));
    let mut floor = Floor::default();
    let settings =
        FloorSettings { name: "fuzz".into(), demonstration: false, day_starts: 360, ticket_days: 30, level: None };
    let administrator = Body::AddStaff { name: "administrator".into(), post: Post::Administrator, witness: None };
    let (mut batch, mut count) = (Batch::default(), 0);
    for (body, number) in [Body::CreateFloor(settings), administrator].into_iter().zip(1..) {
        let command = Command { sender: Sender::System, number, at: Moment(1_767_218_400_000), body };
        let mut records = Vec::new();
        floor.decide_into(&command, &mut records).expect("accepted");
        for record in records {
            let mut bytes = Vec::new();
            engine::encode(&record, &mut bytes);
            floor.apply(&record).expect("it fits");
            batch.push(record.at.0, &bytes);
            count += 1;
            put(&format!("record/record-{count}"), &bytes);
        }
    }
    put("journal/opening", &Position::opening([7; 16]));
    let (bytes, after) = Position::begin([7; 16]).seal(&mut batch);
    put("journal/batch", bytes);
    let (bytes, checkpoint) = after.sign(&Key::new([7; 32]), 1_767_218_400_000);
    put("journal/checkpoint", &bytes);
    put("anchor/line", checkpoint.to_line().as_bytes());
    put("anchor/key", checkpoint.key.to_string().as_bytes());
    let state = engine::encode_state(&floor);
    put("snapshot/state", &state);
    let ticket = TicketNumber::drawn("fuzz", 123_456_789_012);
    put("token/ticket", ticket.to_string().as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let disk = RealDisk::new(folder.path()).expect("a disk");
    let snapshot = Snapshot { journal: [7; 16], sequence: floor.sequence(), chain: checkpoint.chain, state };
    let name = snapshot.write(&disk).expect("written");
    put("snapshot/file", &std::fs::read(folder.path().join(name)).expect("a file"));
    seeds
}
