//! A journal: a segment in a folder, and the same bytes as a message of a stream.
#![no_main]

use journal::{Position, RealDisk, Scan};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut place = Position::begin([7; 16]);
    let _ = place.read(bytes);
    let _ = Position::after([7; 16], bytes);
    let _ = Position::opened(bytes);
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
    // A segment is whole blocks.
    let mut segment = bytes.to_vec();
    segment.resize(bytes.len().next_multiple_of(journal::BLOCK).max(2 * journal::BLOCK), 0);
    std::fs::write(folder.path().join("000000000001.segment"), segment).expect("written");
    let Ok(mut scan) = Scan::new(vec![RealDisk::to_read(folder.path())]) else { return };
    let _ = (scan.id(), scan.begins());
    while let Ok(Some(_)) = scan.read() {}
    let _ = scan.ending();
});
