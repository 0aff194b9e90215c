//! Writes the seeds that have to be made: bytes of a journal, a snapshot and records of a small floor. The others are kept
//! by hand. Run where a format has changed: `cargo run --bin seeds` in this folder.

use std::fs;
use std::path::Path;

use floor::{Body, Command, Floor, FloorSettings, Moment, Post, Sender};
use journal::{Batch, Key, Position, RealDisk, Snapshot};

fn main() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), bytes).expect("written");
    };
    let mut floor = Floor::default();
    let settings = FloorSettings { name: "fuzz".into(), demonstration: false, day_starts: 360, ticket_days: 30 };
    let bodies =
        [Body::CreateFloor(settings), Body::AddStaff { name: "administrator".into(), post: Post::Administrator }];
    let (mut batch, mut count) = (Batch::default(), 0);
    for (body, number) in bodies.into_iter().zip(1..) {
        let command = Command { sender: Sender::System, number, at: Moment(1_767_218_400_000), body };
        let mut records = Vec::new();
        floor.decide_into(&command, &mut records).expect("accepted");
        for record in records {
            let mut bytes = Vec::new();
            engine::encode(&record, &mut bytes);
            floor.apply(&record).expect("it fits");
            batch.push(record.at.0, &bytes);
            count += 1;
            put("record", &format!("record-{count}"), &bytes);
        }
    }
    let opening = Position::opening([7; 16]);
    put("journal", "opening", &opening);
    let place = Position::begin([7; 16]);
    let (bytes, after) = place.seal(&mut batch);
    put("journal", "batch", bytes);
    let (bytes, checkpoint) = after.sign(&Key::new([7; 32]), 1_767_218_400_000);
    put("journal", "checkpoint", &bytes);
    put("anchor", "line", checkpoint.to_line().as_bytes());
    put("anchor", "key", checkpoint.key.to_string().as_bytes());
    let state = engine::encode_state(&floor);
    put("snapshot", "state", &state);
    let folder = tempfile::tempdir().expect("a folder");
    let disk = RealDisk::new(folder.path()).expect("a disk");
    let snapshot = Snapshot { journal: [7; 16], sequence: floor.sequence(), chain: checkpoint.chain, state };
    let name = snapshot.write(&disk).expect("written");
    put("snapshot", "file", &fs::read(folder.path().join(name)).expect("a file"));
}
