//! A search as a file, so that it can be gone on with.
//!
//! One line of JSON says which floor it is and how far it has come; then every state follows as its link and its hash, in
//! fourteen bytes.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::phases::Phases;
use crate::search::{Broken, Link, Search};
use crate::spec::Spec;

#[derive(Serialize, Deserialize)]
struct Head {
    game: String,
    floor: String,
    /// A hash of everything that can be sent: a file of another alphabet cannot be gone on with.
    alphabet: u64,
    states: usize,
    level: usize,
    next: usize,
    end: usize,
    depth: usize,
    transitions: u64,
    asked: u64,
    milliseconds: u64,
    phases: Phases,
    /// What does not hold, with the shortest way to it.
    broken: Vec<Broken>,
}

const BYTES: usize = 14;

fn wrong(words: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, words.into())
}

impl Search {
    fn alphabet_hash(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(format!("{:?} {:?}", self.moves, self.world.spec).as_bytes())
    }

    /// Writes how far the search has come, with what it found broken.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(std::fs::File::create(path)?);
        let head = Head {
            game: self.world.spec.game.to_owned(),
            floor: self.world.spec.name.to_owned(),
            alphabet: self.alphabet_hash(),
            states: self.links.len(),
            level: self.level,
            next: self.next,
            end: self.end,
            depth: self.depth,
            transitions: self.found.transitions,
            asked: self.found.asked,
            milliseconds: u64::try_from(self.found.took.as_millis()).unwrap_or(u64::MAX),
            phases: self.found.phases.clone(),
            broken: self.found.broken.values().cloned().collect(),
        };
        writeln!(file, "{}", serde_json::to_string(&head)?)?;
        for link in &self.links {
            file.write_all(&link.parent.to_le_bytes())?;
            file.write_all(&link.by.to_le_bytes())?;
            file.write_all(&link.hash.to_le_bytes())?;
        }
        file.flush()
    }

    /// Reads a search of a floor that was saved.
    ///
    /// # Errors
    /// If the file cannot be read, or is of another floor or another program.
    pub fn resume(path: &Path, spec: Spec) -> io::Result<Search> {
        let mut file = BufReader::new(std::fs::File::open(path)?);
        let mut line = String::new();
        file.read_line(&mut line)?;
        let head: Head = serde_json::from_str(&line)?;
        if (head.game.as_str(), head.floor.as_str()) != (spec.game, spec.name) {
            return Err(wrong(format!("the file is of another floor: {}, {}", head.game, head.floor)));
        }
        let mut search = Search::of(spec).map_err(wrong)?;
        if search.alphabet_hash() != head.alphabet {
            return Err(wrong("the file is of another version of this floor: begin anew"));
        }
        search.links.clear();
        let mut bytes = [0; BYTES];
        for _ in 0..head.states {
            file.read_exact(&mut bytes)?;
            let [a, b, c, d, e, f, hash @ ..] = bytes;
            let (parent, by) = (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]));
            let hash = u64::from_le_bytes(hash);
            search.seen.insert(hash);
            search.links.push(Link { parent, by, hash });
        }
        (search.level, search.next, search.end, search.depth) = (head.level, head.next, head.end, head.depth);
        let found = &mut search.found;
        (found.transitions, found.asked, found.depth) = (head.transitions, head.asked, head.depth);
        (found.took, found.phases) = (Duration::from_millis(head.milliseconds), head.phases);
        found.broken = head.broken.into_iter().map(|broken| (broken.violation.property, broken)).collect();
        Ok(search)
    }
}
