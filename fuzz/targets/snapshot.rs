//! A snapshot: its file, and the state in it.
#![no_main]

use journal::{RealDisk, Snapshot};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder");
    let name = "00000000000000000007.snapshot";
    std::fs::write(folder.path().join(name), bytes).expect("written");
    let disk = RealDisk::to_read(folder.path());
    let _ = Snapshot::list(&disk);
    if let Ok(snapshot) = Snapshot::read(&disk, name) {
        let _ = engine::decode_state(&snapshot.state);
    }
    // The file proves itself by a hash that no fuzzer guesses: the state alone gets further.
    let _ = engine::decode_state(bytes);
});
