//! What the fuzz targets in `fuzz/` run: everything that reads bytes from outside, one function each.
//!
//! The functions are here and not in `fuzz/`, so that the workspace compiles them and runs every seed in `fuzz/corpus`
//! through them (`tests/corpus.rs`). A target that breaks, breaks there.

use cabinet::agent::{self, Core, Input, Side, State};
use cabinet::ebds::{self, Ebds};
use cabinet::id003::{Frame, Id003, Reader, Status};
use cabinet::printer::{self, Epic, EscPos, Printer};
use cabinet::ssp::{self, Ssp};
use cabinet::validator::{self, Item, Settings, Validator};
use floor::{Body, Floor, Sender};
use journal::{Checkpoint, Position, PublicKey, RealDisk, Scan, Snapshot};
use lab::bias::{self, Results};
use rulebook::{Bet, Cents, Odds, OutcomeSpace, Spot};
use serde_json::{Map, Value};
use tlog::compact::{self, Compact};
use tlog::key::Kind;
use tlog::witness::{self, AddCheckpoint};
use tlog::{Note, Opening, Policy, ProofFile, SigningKey, VerifierKey};

/// A target: its name, and what is done with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target. Each has a file in `fuzz/targets` and a folder in `fuzz/corpus`.
pub const TARGETS: [Target; 22] = [
    ("agent", agent),
    ("anchor", anchor),
    ("body", body),
    ("cabinet", cabinet),
    ("ebds", ebds),
    ("feed", feed),
    ("frames", frames),
    ("head", head),
    ("hosts", hosts),
    ("journal", journal),
    ("kept", kept),
    ("lab", lab),
    ("log", log),
    ("passkey", passkey),
    ("pipe", pipe),
    ("record", record),
    ("rulebook", rulebook),
    ("serial", serial),
    ("snapshot", snapshot),
    ("ssp", ssp),
    ("token", token),
    ("words", words),
];

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// What a cabinet's agent is sent, a message on each line: by a host over the link of the terminal (`t`) or of the
/// validator (`v`), or by the page (anything else).
///
/// # Panics
/// When what the agent remembers is read as something else.
pub fn agent(bytes: &[u8]) {
    let (mut core, mut view) = (Core::new(State::default(), 1_000_000), Map::new());
    let _ = (core.begin(0, 0), core.take(Input::Printer(printer::Event::Ready(true)), 0, 0));
    for (now, line) in (400..).step_by(400).zip(text(bytes).lines()) {
        let (of, message) = line.split_at_checked(1).unwrap_or_default();
        let Ok(message) = serde_json::from_str::<Value>(message) else { continue };
        let inputs = match of {
            "t" => agent::hear(&mut view, Side::Terminal, &message),
            "v" => agent::hear(&mut view, Side::Validator, &message),
            _ => vec![Input::Page { page: 1, message }],
        };
        for input in inputs {
            let _ = core.take(input, now, 1_767_218_400_000);
        }
        let kept = serde_json::to_vec(&core.state).expect("JSON");
        assert_eq!(serde_json::from_slice::<State>(&kept).ok().as_ref(), Some(&core.state));
    }
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

/// What the validator and the printer in a cabinet send over their lines, in parts as they come, while they are told to work.
///
/// # Panics
/// When how the bytes are cut makes a difference, or a status is not what it says.
pub fn cabinet(bytes: &[u8]) {
    let frames = |step: usize| -> Vec<Frame> {
        let mut reader = Reader::default();
        bytes.chunks(step).flat_map(|part| reader.feed(part)).filter_map(Result::ok).collect()
    };
    let whole = frames(usize::MAX);
    assert_eq!(whole, frames(3), "how the bytes are cut makes no difference");
    for frame in &whole {
        let status = Status::of(frame);
        assert_eq!(Status::of(&status.frame()), status);
    }
    drive(&mut Id003::new(settings()), bytes);
    let mut printers: [Box<dyn Printer>; 2] = [Box::new(Epic::default()), Box::new(EscPos::default())];
    for (now, part) in (0..).step_by(130).zip(bytes.chunks(8)) {
        for printer in &mut printers {
            let _ = (printer.tick(now), printer.due());
            for event in printer.hear(part, now + 10) {
                if matches!(event, printer::Event::Ready(true)) {
                    printer.order(printer::Order::Clear);
                } else if matches!(event, printer::Event::Cleared) {
                    printer.order(printer::Order::Watch);
                }
            }
        }
    }
}

fn settings() -> Settings {
    Settings { denominations: [0, 0, 1_000, 2_000, 5_000, 10_000, 0, 0], tickets: true }
}

/// A driver that is told to work while it hears this.
fn drive(validator: &mut dyn Validator, bytes: &[u8]) {
    for (now, part) in (0..).step_by(130).zip(bytes.chunks(8)) {
        let (_, mut events) = validator.tick(now);
        events.extend(validator.hear(part, now + 10));
        for event in events {
            validator.order(match event {
                validator::Event::Escrow(Item::Note(_) | Item::Barcode(_)) => validator::Order::Stack,
                validator::Event::Escrow(Item::Unknown(_)) => validator::Order::Return,
                validator::Event::Vended => validator::Order::Acknowledge,
                validator::Event::PoweredUp(_) => validator::Order::Reset,
                validator::Event::Mark(mark) => validator::Order::Mark(mark),
                _ => validator::Order::Accept(now % 3 == 0),
            });
        }
        assert!(validator.due() <= now + 1_000, "it does something soon");
    }
}

/// What a validator that speaks EBDS sends, and what its host would.
///
/// # Panics
/// When how the bytes are cut makes a difference, or a reply is not what it says.
pub fn ebds(bytes: &[u8]) {
    let frames = |step: usize| -> Vec<ebds::Frame> {
        let mut reader = ebds::Reader::default();
        bytes.chunks(step).flat_map(|part| reader.feed(part)).filter_map(Result::ok).collect()
    };
    let whole = frames(usize::MAX);
    assert_eq!(whole, frames(3), "how the bytes are cut makes no difference");
    for frame in &whole {
        if let Some(reply) = ebds::Reply::of(frame) {
            assert_eq!(ebds::Reply::of(&reply.frame()), Some(reply));
        }
        if let Some(poll) = ebds::Poll::of(frame) {
            assert_eq!(ebds::Poll::of(&poll.frame()), Some(poll));
        }
    }
    drive(&mut Ebds::new(settings(), bytes.len().is_multiple_of(2)), bytes);
}

/// What a validator that speaks SSP sends.
///
/// # Panics
/// When how the bytes are cut makes a difference, or an event is not what it says.
pub fn ssp(bytes: &[u8]) {
    let frames = |step: usize| -> Vec<ssp::Frame> {
        let mut reader = ssp::Reader::default();
        bytes.chunks(step).flat_map(|part| reader.feed(part)).filter_map(Result::ok).collect()
    };
    let whole = frames(usize::MAX);
    assert_eq!(whole, frames(3), "how the bytes are cut makes no difference");
    for frame in &whole {
        let events = ssp::Event::all(&frame.data);
        let said: Vec<u8> = events.iter().flat_map(|event| event.bytes()).collect();
        assert_eq!(ssp::Event::all(&said), events);
    }
    drive(&mut Ssp::new(settings()), bytes);
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

/// The files that a host or a cabinet's agent leaves for its next start.
pub fn kept(bytes: &[u8]) {
    let _ = host::parse::kept(text(bytes));
    // A copy proves itself by a checksum that no fuzzer guesses: what is in it gets further.
    let copy = agent::kept::<State>(bytes);
    if let Some(state) = copy.or_else(|| serde_json::from_slice(bytes).ok()) {
        let mut core = Core::new(state, 1_000_000);
        let _ = (core.begin(0, 0), core.take(Input::Up(Side::Validator, 1), 1, 1));
        let _ = (core.take(Input::Up(Side::Terminal, 1), 2, 2), core.take(Input::Tick, 5_000, 5_000));
    }
}

/// Results and mixes as CSV, and recorded bytes of a generator, which any bytes may be (those that begin with 0).
pub fn lab(bytes: &[u8]) {
    if let Some(recorded) = bytes.strip_prefix(&[0]) {
        let bytes: Vec<u8> = recorded.iter().copied().cycle().take(lab::generator::LEAST_BYTES).collect();
        let _ = lab::generator::check_bytes("recorded", &bytes);
    } else {
        for game in ["rws-sicbo", "rws-roulette-000"].into_iter().filter_map(rulebook::library::find) {
            if let Ok(results) = Results::read(game.outcomes(), bytes) {
                let _ = bias::examine(game, &results, results.order(game.outcomes()));
            }
        }
        let _ = lab::session::mix(text(bytes));
    }
}

/// What the transparency log reads of others: heads, keys, policies, proofs, receipts, and what witnesses send.
///
/// # Panics
/// When what was written out is read as something else.
pub fn log(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(note) = Note::parse(bytes) {
        assert_eq!(Note::parse(note.to_text().as_bytes()).as_ref(), Ok(&note));
        let _ = tlog::Checkpoint::parse(&note.text);
    }
    // The log whose receipts are among the seeds is one that is believed.
    let own =
        SigningKey::new("casino.example/floor/1", Kind::Note, [7; 32]).map(|key| Policy::of_log(key.public().clone()));
    let policy = Policy::parse(text).or(own).unwrap_or_default();
    if let Ok(key) = VerifierKey::parse(text) {
        assert!(VerifierKey::parse(&key.to_text()).is_ok());
    }
    let _ = SigningKey::parse(text);
    for proof in ProofFile::parse_all(bytes).unwrap_or_default() {
        assert_eq!(ProofFile::parse(&proof.to_text()).as_ref(), Ok(&proof));
        let _ = (policy.verify(&proof.note), Compact::of(&proof, &policy));
    }
    if let Ok(compact) = Compact::parse(text) {
        assert_eq!(Compact::parse(&compact.to_digits()).as_ref(), Ok(&compact));
        let _ = compact.expand(&policy);
    }
    if let Ok(opening) = Opening::parse(bytes) {
        let _ = (opening.to_bytes(), opening.entry());
    }
    let _ = (compact::Slip::parse(text), tlog::tile::parse(text), witness::Refusal::of(409, "text/x.tlog.size", text));
    let _ = (tlog::proof::parse(text), AddCheckpoint::parse(bytes), witness::cosignatures(text));
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

/// Bets, spots, outcomes, amounts and odds, as people and programs write them.
///
/// # Panics
/// When what was written out is read as something else.
pub fn words(bytes: &[u8]) {
    for text in text(bytes).lines() {
        if let Ok(bet) = text.parse::<Bet>() {
            assert_eq!(bet.to_string().parse(), Ok(bet));
        }
        if let Ok(spot) = text.parse::<Spot>() {
            assert_eq!(spot.to_string().parse(), Ok(spot));
        }
        if let Ok(amount) = text.parse::<Cents>() {
            assert_eq!(amount.to_string().parse(), Ok(amount));
        }
        let _ = (text.parse::<Odds>(), rulebook::hex::parse::<32>(text), OutcomeSpace::Dice.parse(text));
    }
}

/// A folder in memory, where there is one.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}
