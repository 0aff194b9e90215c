//! Every seed in `fuzz/corpus` runs through its target here, and `fuzz/` has a file for every target. So neither breaks
//! between two long runs. `UPDATE_GOLDEN=1` rewrites what can be regenerated: the files, and the seeds of a small
//! floor.

mod seeds;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fuzzing::TARGETS;

/// No seed is larger: a corpus is small, and what a run finds stays outside the repository.
const LARGEST: u64 = 32 * 1024;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn every_seed_goes_through_its_target() {
    let known: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&folder().join("corpus")), known, "a folder of seeds for every target");
    for (name, run) in TARGETS {
        let corpus = folder().join("corpus").join(name);
        let seeds = names(&corpus);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for seed in seeds {
            let bytes = fs::read(corpus.join(&seed)).expect("a seed");
            assert!(bytes.len() as u64 <= LARGEST, "{name}/{seed} is too large");
            run(&bytes);
            // Cut off and damaged, as a first step of what the fuzzer does.
            run(bytes.get(..bytes.len() / 2).unwrap_or_default());
            run(&bytes.iter().map(|byte| byte ^ 0x20).collect::<Vec<u8>>());
        }
    }
}

/// A few mutants of each seed (`FUZZ_MUTANTS`), always the same ones. The fuzzer, which knows what it has reached, goes much
/// further; this needs nothing but the usual tools.
#[test]
fn mutants_of_the_seeds_break_no_target() {
    let count = std::env::var("FUZZ_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(20);
    let only = std::env::var("FUZZ_TARGET").ok();
    for (name, run) in TARGETS.iter().filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name)) {
        let corpus = folder().join("corpus").join(name);
        let seeds: Vec<Vec<u8>> =
            names(&corpus).iter().map(|seed| fs::read(corpus.join(seed)).expect("a seed")).collect();
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        for seed in &seeds {
            for _ in 0..count {
                let mut bytes = seed.clone();
                for _ in 0..=chance.below(4) {
                    mutate(&mut bytes, &seeds, &mut chance);
                }
                run(&bytes);
            }
        }
    }
}

/// Numbers that look like chance and are the same every time (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or_default() % end.max(1)
    }

    fn byte(&mut self) -> u8 {
        // Ends of ranges and signs of the formats are where parsers go wrong.
        const ODD: &[u8] = b"\0\x01\x7f\x80\xff\"{}[]:,\\\n0-9e.";
        match self.below(2) {
            0 => ODD.get(self.below(ODD.len())).copied().unwrap_or_default(),
            _ => u8::try_from(self.below(256)).unwrap_or_default(),
        }
    }
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    let end = (at + chance.below(16)).min(bytes.len());
    match chance.below(5) {
        0 => bytes.insert(at, chance.byte()),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let copied = bytes[at..end].to_vec();
            bytes.splice(at..at, copied);
        }
        3 => {
            let other = &seeds[chance.below(seeds.len())];
            bytes.splice(at..end, other[chance.below(other.len())..].iter().copied().take(64));
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = chance.byte();
            }
        }
    }
}

#[test]
fn seeds_are_what_they_are_meant_for() {
    let seed = |place: &str| fs::read(folder().join("corpus").join(place)).expect("a seed");
    let text = |place: &str| String::from_utf8(seed(place)).expect("UTF-8");
    for name in ["attestation", "key", "key-p256", "client"] {
        assert!(host::parse::passkey(&seed(&format!("passkey/{name}"))), "passkey/{name}");
    }
    assert!(host::parse::head(&text("head/proxied")));
    assert!(host::parse::token(&text("token/ticket")) && host::parse::token(&text("token/cursor")));
    for name in names(&folder().join("corpus/hosts")) {
        assert!(host::parse::between_hosts(&seed(&format!("hosts/{name}"))), "hosts/{name}");
    }
    for name in names(&folder().join("corpus/feed")) {
        assert!(host::parse::feed_message(&text(&format!("feed/{name}"))), "feed/{name}");
    }
    for name in names(&folder().join("corpus/body")) {
        let bytes = seed(&format!("body/{name}"));
        let (which, body) = bytes.split_first().expect("not empty");
        // A new request may have moved the others.
        let is_one = |which: u8| host::parse::body(usize::from(which), body);
        assert!(is_one(*which) || (0..=u8::MAX).any(is_one), "body/{name}");
    }
    for name in names(&folder().join("corpus/record")) {
        assert!(engine::decode(1, &seed(&format!("record/{name}"))).is_ok(), "record/{name}");
    }
    for name in names(&folder().join("corpus/pipe")) {
        let line = serde_json::from_slice::<(floor::Sender, floor::Body)>(&seed(&format!("pipe/{name}")));
        assert!(line.is_ok(), "pipe/{name}: {line:?}");
    }
    assert!(engine::decode_state(&seed("snapshot/state")).is_ok());
    assert!(tlog::Note::parse(&seed("log/note")).is_ok() && tlog::Opening::parse(&seed("log/opening")).is_ok());
    assert!(tlog::Policy::parse(&text("log/policy")).is_ok() && tlog::ProofFile::parse(&text("log/proof")).is_ok());
    assert!(tlog::compact::Compact::parse(&text("log/compact")).is_ok());
    assert!(tlog::tile::parse(&text("log/tile")).is_some());
    for name in ["clock", "addresses"] {
        assert!(host::parse::kept(&text(&format!("kept/{name}"))), "kept/{name}");
    }
    assert!(cabinet::agent::kept::<cabinet::agent::State>(&seed("kept/copy")).is_some());
    assert!(serde_json::from_slice::<cabinet::agent::State>(&seed("kept/state")).is_ok());
    for (name, game) in [("dice", "rws-sicbo"), ("wheel", "rws-roulette-000")] {
        let game = rulebook::library::find(game).expect("a game");
        let read = lab::bias::Results::read(game.outcomes(), &seed(&format!("lab/{name}"))[..]);
        assert!(read.is_ok_and(|results| results.outcomes.len() >= 2), "lab/{name}");
    }
    assert_eq!(lab::session::mix(&text("lab/mix")).map(|lines| lines.len()), Ok(2));
    let frames = cabinet::id003::Reader::default().feed(&seed("cabinet/validator"));
    assert!(frames.len() == 12 && frames.iter().all(Result::is_ok), "{frames:?}");
    let frames = cabinet::ebds::Reader::default().feed(&seed("ebds/validator"));
    assert!(frames.len() == 9 && frames.iter().all(Result::is_ok), "{frames:?}");
    let frames = cabinet::ssp::Reader::default().feed(&seed("ssp/validator"));
    assert!(frames.len() == 14 && frames.iter().all(Result::is_ok), "{frames:?}");
    for word in text("words/bets").lines() {
        assert!(word.parse::<rulebook::Bet>().is_ok(), "{word}");
    }
}

#[test]
fn fuzz_has_a_file_for_every_target() {
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).expect("a manifest");
    let files: BTreeSet<String> = TARGETS.iter().map(|(name, _)| format!("{name}.rs")).collect();
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for (name, _) in TARGETS {
        let file = folder().join("targets").join(format!("{name}.rs"));
        let expected = format!("#![no_main]\n\nlibfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzzing::{name}(bytes));\n");
        if update {
            fs::write(&file, &expected).expect("written");
        }
        assert_eq!(fs::read_to_string(&file).expect("a file"), expected, "{name}");
        let binary = format!("[[bin]]\nname = \"{name}\"\npath = \"targets/{name}.rs\"\n");
        assert!(manifest.contains(&binary), "fuzz/Cargo.toml does not name {name}");
    }
    assert_eq!(names(&folder().join("targets")), files);
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}

/// Seeds that have to be made are there. They stay as they are while they can be read, so that formats of earlier versions
/// are tried too; `UPDATE_GOLDEN=1` writes those of today.
#[test]
fn seeds_of_a_small_floor_are_there() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    // Commands of every kind are written anew only.
    for (place, bytes) in update.then(seeds::commands).unwrap_or_default() {
        fs::write(folder().join("corpus").join(place), bytes).expect("written");
    }
    for (place, bytes) in seeds::made() {
        let file = folder().join("corpus").join(&place);
        if update {
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(&file, &bytes).expect("written");
        }
        assert!(file.is_file(), "{place}: UPDATE_GOLDEN=1 writes it");
    }
}
