//! What the fuzz targets in `fuzz/` run: everything that reads bytes from outside, one function each.
//!
//! The functions are here and not in `fuzz/`, so that the workspace compiles them and runs every seed in `fuzz/corpus`
//! through them (`tests/corpus.rs`). A target that breaks, breaks there.

use floor::{Body, Floor, Sender};
use journal::{Checkpoint, Position, PublicKey, RealDisk, Scan, Snapshot};

/// A target: its name, and what is done with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target. Each has a file in `fuzz/targets` and a folder in `fuzz/corpus`.
pub const TARGETS: [Target; 14] = [
    ("anchor", anchor),
    ("body", body),
    ("feed", feed),
    ("frames", frames),
    ("head", head),
    ("hosts", hosts),
    ("journal", journal),
    ("passkey", passkey),
    ("pipe", pipe),
    ("record", record),
    ("rulebook", rulebook),
    ("serial", serial),
    ("snapshot", snapshot),
    ("token", token),
];

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Anchors and public keys, as an auditor hands them in.
pub fn anchor(bytes: &[u8]) {
    let _ = PublicKey::from_text(text(bytes));
    for line in text(bytes).lines() {
        if let Some(anchor) = Checkpoint::from_line(line) {
            assert_eq!(Checkpoint::from_line(&anchor.to_line()), Some(anchor));
            let _ = anchor.is_genuine([0; 16]);
        }
    }
}

/// Bodies of requests: the first byte says of which.
pub fn body(bytes: &[u8]) {
    if let Some((which, body)) = bytes.split_first() {
        host::parse::body(usize::from(*which), body);
    }
}

/// Messages that clients send over a feed.
pub fn feed(bytes: &[u8]) {
    host::parse::feed_message(text(bytes));
}

/// Frames of a WebSocket, in parts as they come.
pub fn frames(bytes: &[u8]) {
    let whole = host::parse::frames(bytes.chunks(usize::MAX));
    assert_eq!(whole, host::parse::frames(bytes.chunks(3)), "how the bytes are cut makes no difference");
}

/// The head of a request: who asks, by what name, with which session.
pub fn head(bytes: &[u8]) {
    let _ = host::parse::head(text(bytes));
}

/// What hosts of a floor send each other and keep on the servers.
pub fn hosts(bytes: &[u8]) {
    let _ = host::parse::between_hosts(bytes);
}

/// A journal: a segment in a folder, and the same bytes as a message of a stream.
///
/// # Panics
/// When there is no folder for it.
pub fn journal(bytes: &[u8]) {
    let mut place = Position::begin([7; 16]);
    let _ = place.read(bytes);
    let _ = Position::after([7; 16], bytes);
    let _ = Position::opened(bytes);
    let folder = folder();
    // A segment is whole blocks.
    let mut segment = bytes.to_vec();
    segment.resize(bytes.len().next_multiple_of(journal::BLOCK).max(2 * journal::BLOCK), 0);
    std::fs::write(folder.path().join("000000000001.segment"), segment).expect("written");
    let Ok(mut scan) = Scan::new(vec![RealDisk::to_read(folder.path())]) else { return };
    let _ = (scan.id(), scan.begins());
    while let Ok(Some(_)) = scan.read() {}
    let _ = scan.ending();
}

/// What a passkey's authenticator sends.
pub fn passkey(bytes: &[u8]) {
    let _ = host::parse::passkey(bytes);
}

/// The parts of a line of `croupier pipe`: who sends, and what.
pub fn pipe(bytes: &[u8]) {
    let _ = serde_json::from_slice::<(Sender, Body)>(bytes);
}

/// A record of the journal: read, written again, and applied to a floor that knows nothing.
///
/// # Panics
/// When what was written is not what was read.
pub fn record(bytes: &[u8]) {
    let Ok(record) = engine::decode(1, bytes) else { return };
    let mut again = Vec::new();
    engine::encode(&record, &mut again);
    assert_eq!(engine::decode(1, &again).ok().as_ref(), Some(&record));
    let _ = Floor::default().apply(&record);
}

/// A rulebook, as an administrator installs it.
///
/// # Panics
/// When what was written out is not coherent.
pub fn rulebook(bytes: &[u8]) {
    if let Ok(book) = rulebook::Rulebook::parse("fuzz.toml", text(bytes)) {
        // What is coherent stays so when it is written out.
        let canonical = book.canonical().to_owned();
        let again = rulebook::Rulebook::parse("fuzz.toml", &canonical).expect("what was written can be read");
        assert_eq!(again.hash(), book.hash());
    }
}

/// What a wheel sends over a serial port, in parts as they come.
pub fn serial(bytes: &[u8]) {
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    host::parse::serial(bytes.chunks(usize::MAX), |line| whole.push(line));
    host::parse::serial(bytes.chunks(3), |line| parts.push(line));
    assert_eq!(whole, parts, "how the bytes are cut makes no difference");
}

/// A snapshot: its file, and the state in it.
///
/// # Panics
/// When there is no folder for it.
pub fn snapshot(bytes: &[u8]) {
    let folder = folder();
    let name = "00000000000000000007.snapshot";
    std::fs::write(folder.path().join(name), bytes).expect("written");
    let disk = RealDisk::to_read(folder.path());
    let _ = Snapshot::list(&disk);
    if let Ok(snapshot) = Snapshot::read(&disk, name) {
        let _ = engine::decode_state(&snapshot.state);
    }
    // The file proves itself by a hash that no fuzzer guesses: the state alone gets further.
    let _ = engine::decode_state(bytes);
}

/// Cursors, ticket numbers and networks, as text.
pub fn token(bytes: &[u8]) {
    let _ = host::parse::token(text(bytes));
}

/// A folder in memory, where there is one.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}
