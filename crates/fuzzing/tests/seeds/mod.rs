//! Seeds that have to be made: bytes of a journal, a snapshot and records of a small floor. The others are kept by hand.

use cabinet::agent::{self, Keep, State};
use cabinet::ebds::{Reply, state};
use cabinet::id003::Frame;
use cabinet::printer::epic_status;
use floor::{Body, Command, Floor, FloorSettings, Moment, Post, Sender, StaffId, TicketNumber};
use journal::{Batch, Key, Position, RealDisk, Snapshot};
use tlog::compact::{Compact, Slip};
use tlog::entry::{leaf, plain};
use tlog::key::Kind;
use tlog::witness::AddCheckpoint;
use tlog::{Frontier, Note, Opening, Policy, ProofFile, SaltKey, SigningKey};

/// A command of every kind, as a line of `croupier pipe` has it: read from bytes of which each field takes some.
pub fn commands() -> Vec<(String, Vec<u8>)> {
    let taken = |bytes: &[u8]| {
        let padded = [bytes, &[0; 4_096]].concat();
        postcard::take_from_bytes::<Body>(&padded).ok().map(|(body, rest)| (padded.len() - rest.len(), body))
    };
    let example = |tag: u8| {
        let mut bytes = vec![tag];
        loop {
            let (length, body) = taken(&bytes)?;
            if length <= bytes.len() {
                return Some(body);
            }
            let different = u8::try_from(2 + bytes.len() % 7).unwrap_or_default();
            // Some places only take a few values: a choice, a number of faces, a yes or no.
            let fits = |byte: &u8| taken(&[&bytes[..], &[*byte]].concat()).is_some();
            bytes.push([different, 3, 2, 1, 0].into_iter().find(fits)?);
        }
    };
    let mut seeds = Vec::new();
    for body in (0..=u8::MAX).filter_map(example) {
        let name: String = format!("{body:?}").chars().take_while(char::is_ascii_alphanumeric).collect();
        let line = serde_json::to_vec(&(Sender::Staff(StaffId(1)), body)).expect("JSON");
        if line.len() < 2_000 && serde_json::from_slice::<(Sender, Body)>(&line).is_ok() {
            seeds.push((format!("pipe/{name}"), line));
        }
    }
    seeds
}

/// What a transparency log of two entries gives out, and what is asked of a witness.
fn log(mut put: impl FnMut(&str, &[u8])) {
    let key = SigningKey::new("casino.example/floor/1", Kind::Note, [7; 32]).expect("a key");
    let witness = SigningKey::new("witness.example", Kind::Cosignature, [8; 32]).expect("a key");
    let (salts, time) = (SaltKey::new(&[5; 32]), 1_767_218_400_000);
    let leaves = [0, 1].map(|index| leaf(&plain(&salts.record(index), time, b"record")));
    let mut frontier = Frontier::default();
    leaves.iter().for_each(|leaf| frontier.push(*leaf, |_, _| ()));
    let text = tlog::Checkpoint { origin: key.public().name().to_owned(), size: 2, root: frontier.root() }.to_text();
    let signatures = vec![key.sign_at(&text, 0), witness.sign_at(&text, 1_767_218_400)];
    let note = Note { text, signatures };
    let opening = Opening::plain(&salts, 1, time, b"record").to_bytes();
    let proof = ProofFile { extra: Some(opening.clone()), index: 1, path: vec![leaves[0]], note: note.clone() };
    let keys = [&key, &witness].map(|key| key.public().to_text());
    let policy = format!("log {}\nwitness one {}\ngroup every 1 one\nquorum every\n", keys[0], keys[1]);
    let believed = Policy::parse(&policy).expect("a policy");
    let compact = Compact::of(&proof, &believed).expect("a receipt");
    let asked = AddCheckpoint { old: 1, proof: vec![leaves[1]], note: note.clone() };
    put("log/key", keys[0].as_bytes());
    put("log/secret", key.to_text().as_bytes());
    put("log/note", note.to_text().as_bytes());
    put("log/proof", proof.to_text().as_bytes());
    put("log/policy", policy.as_bytes());
    put("log/compact", compact.to_digits().as_bytes());
    put("log/slip", Slip { index: 1, salt: salts.record(1) }.to_digits().as_bytes());
    put("log/opening", &opening);
    put("log/witness", asked.to_text().as_bytes());
    put("log/tile", b"0/x001/234.p/5");
}

/// What a validator and printers say while a note, a ticket and a fault pass.
fn cabinet(mut put: impl FnMut(&str, &[u8])) {
    // Powered up, initialised, a note of the third denomination is stacked, a ticket is read, the stacker is full.
    let codes: [(u8, &[u8]); 12] = [
        (0x40, &[]),
        (0x1B, &[]),
        (0x11, &[]),
        (0x12, &[]),
        (0x13, &[0x63]),
        (0x14, &[]),
        (0x15, &[]),
        (0x16, &[]),
        (0x13, b"\x6f123456789012345678"),
        (0x17, &[0x71]),
        (0x43, &[]),
        (0xC3, &[0x01]),
    ];
    let line: Vec<u8> = codes.iter().flat_map(|(code, data)| Frame::new(*code, data).bytes()).collect();
    put("cabinet/validator", &line);
    put("ebds/validator", &ebds_line());
    put("ssp/validator", &ssp_line());
    put("cabinet/noise", &[&[0, 0xFC, 2, 0xFC, 5], &line[3..17]].concat());
    // One byte for each question: paper low, printing, the barcode, validated, a jam.
    let always = epic_status::ALWAYS;
    let said = [
        0,
        epic_status::PAPER_LOW,
        0,
        epic_status::BARCODE,
        epic_status::BARCODE | epic_status::VALIDATED,
        epic_status::JAM,
    ];
    put("cabinet/epic", &said.iter().flat_map(|bits| [always | bits; 8]).collect::<Vec<u8>>());
    put("cabinet/escpos", b"\x12\x12\x12\x12\x37\x22   1\x00\x12\x7e\x52\x12");
}

/// Comes up, a note of the third denomination is stacked, a ticket is read, the stacker is full.
fn ebds_line() -> Vec<u8> {
    let reply = |mark, state, exception| Reply { mark, state, status: 0x10, exception, ..Reply::default() };
    let ticket = Some(Some("123456789012345678".to_owned()));
    let replies = [
        reply(false, 0, 0x01),
        reply(true, state::IDLING, 0),
        reply(false, state::ACCEPTING, 0),
        reply(true, state::ESCROWED, 0x18),
        reply(false, state::STACKING, 0x18),
        reply(true, state::STACKED | state::IDLING, 0x18),
        reply(false, state::IDLING, 0),
        Reply { barcode: ticket, ..reply(true, state::ESCROWED, 0) },
        Reply { status: 0x18, ..reply(false, 0, 0) },
    ];
    replies.iter().flat_map(|reply| reply.frame().bytes()).collect()
}

/// The answers to sync and settings, and the same story.
fn ssp_line() -> Vec<u8> {
    let answers: [&[u8]; 14] = [
        &[0xF0],
        &[0xF5],
        &[0xF0],
        &[0xF0],
        &[0xF0],
        &[0xF0],
        &[0xF0, 0xF1, 0xB6, 0xE8],
        &[0xF0, 0xE8],
        &[0xF0, 0xEF, 0x00],
        &[0xF0, 0xEF, 0x03],
        &[0xF0],
        &[0xF0, 0xCC],
        &[0xF0, 0xEE, 0x03],
        &[0xF0, 0xEB, 0xE7],
    ];
    let sequences = [true].into_iter().chain([false, true].into_iter().cycle());
    let frames = sequences.zip(answers).map(|(sequence, data)| cabinet::ssp::Frame::new(sequence, data));
    frames.flat_map(|frame| frame.bytes()).collect()
}

/// What hosts and the page send a cabinet's agent while a note counts and a ticket is printed, and what the agent keeps.
fn agent(mut put: impl FnMut(&str, &[u8])) {
    let own = r#"{"own":{"usable":true,"credit":"40.00","staked":"10.00","doubt":{"ticket":7,"amount":"5.00"}}}"#;
    let slip = r#"{"id":8,"number":"123456789012345678","amount":"40.00","words":{"en":"forty","zh":"肆拾元整"},"floor":"fuzz","issued":1,"expires":2}"#;
    let lines = [
        format!(r#"t{{"type":"snapshot","sequence":1,"cursor":"c","next_number":5,"reader":"r","view":{own}}}"#),
        r#"v{"type":"snapshot","sequence":1,"cursor":"c","next_number":5}"#.to_owned(),
        r#"t{"type":"update","view":{"results_added":[1],"bets_set":[{"spot":"small","stake":"5.00"}]}}"#.to_owned(),
        r#"p{"type":"bet","number":1,"changes":[{"add":"small","amount":"5.00"}]}"#.to_owned(),
        r#"t{"type":"answer","number":5,"error":{"code":"busy","message":{"en":"busy","zh":"忙"}}}"#.to_owned(),
        r#"p{"type":"cash_out","number":2}"#.to_owned(),
        format!(r#"t{{"type":"answer","number":6,"accepted":9,"ticket":{slip}}}"#),
        r#"v{"type":"answer","number":5,"accepted":10}"#.to_owned(),
        r#"p{"type":"ticket_in","ticket":"123456789012345678","number":3}"#.to_owned(),
        r#"t{"type":"bye","reason":"moved"}"#.to_owned(),
    ];
    put("agent/links", lines.join("\n").as_bytes());
    put("kept/clock", b"1767218400000 5000 0a1b2c3d-0000-4000-8000-000000000000\n");
    put("kept/addresses", b"192.0.2.7 1767218390000 staff\n2001:db8:: 1767218390000\n");
    put("kept/refused", b"35 more attempts from 192.0.2.7 were refused within a minute, for \"anna\\u{a}\" (35)\n");
    let mut state = State { note: Some(agent::Note { amount: 10_000, number: 5, vended: false }), ..State::default() };
    state.counts();
    state.note = Some(agent::Note { amount: 2_000, number: 6, vended: false });
    put("kept/state", &serde_json::to_vec(&state).expect("JSON"));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut keep, _) = Keep::open::<State>(folder.path()).expect("opened");
    keep.save(&state).expect("saved");
    put("kept/copy", &std::fs::read(folder.path().join("agent.one")).expect("a copy"));
}

/// Results, a mix and the bytes of a generator.
fn lab(mut put: impl FnMut(&str, &[u8])) {
    put(
        "lab/dice",
        b"# one evening\noutcome,time,direction\n1-2-3,2026-03-29T20:00:00Z,\n6-6-6,2026-03-29T20:01:00Z,\n",
    );
    put("lab/wheel", b"\xef\xbb\xbf00,1,cw\n\"17\",2,ccw\n\n000,3,cw\n");
    put("lab/mix", b"# weight, bets\n3,small=10 big=5\n1,triple/1=5\n");
    put("lab/generator", &[&[0], &[7; 64][..], &(0..=255).collect::<Vec<u8>>()].concat());
}

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
    log(&mut put);
    cabinet(&mut put);
    agent(&mut put);
    lab(&mut put);
    let ticket = TicketNumber::drawn("fuzz", 123_456_789_012);
    put("token/ticket", ticket.to_string().as_bytes());
    let folder = tempfile::tempdir().expect("a folder");
    let disk = RealDisk::new(folder.path()).expect("a disk");
    let snapshot = Snapshot { journal: [7; 16], sequence: floor.sequence(), chain: checkpoint.chain, state };
    let name = snapshot.write(&disk).expect("written");
    put("snapshot/file", &std::fs::read(folder.path().join(name)).expect("a file"));
    seeds
}
