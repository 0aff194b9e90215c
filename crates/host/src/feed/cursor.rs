//! Cursors: what a client has seen, in a token that only hosts of this floor can make.
//!
//! A cursor names the epoch, the run and the record up to which a client was shown the floor. A MAC over them and the
//! journal's id proves that a host of this floor issued it. An invalid token is ignored: its client gets a fresh
//! snapshot, as one without a token does. So a forged token cannot stop play.
//!
//! A floor that was brought back from a backup issues tokens of its own, which name that copy in the MAC: to the floor
//! from which the backup was taken they are invalid, so that a copy that ran ahead cannot stop the original. The copy
//! itself accepts the tokens of its originals: it is there that a client may have seen more than was brought back.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use floor::Floor;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Epoch, run and sequence.
const PLACE: usize = 4 + 8 + 8;
/// So much of the MAC is in a token.
const MAC: usize = 16;
/// The length of a token, which is unpadded base64.
const LENGTH: usize = (PLACE + MAC) / 3 * 4;

/// A place in the records of a floor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The floor's epoch when it was given out.
    pub epoch: u32,
    /// The record with which the run that gave it out began.
    pub run: u64,
    /// The last record that its client was shown.
    pub sequence: u64,
}

/// What a cursor means to a floor.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The client has seen everything up to this record.
    Known(u64),
    /// It is from before an accepted loss: nothing follows from it.
    Old,
    /// It names a record that the journal does not have.
    Lost,
}

impl Cursor {
    /// The place of a floor as it is.
    #[must_use]
    pub fn of(floor: &Floor) -> Cursor {
        Cursor { epoch: floor.epoch(), run: floor.run(), sequence: floor.sequence() }
    }

    /// Its meaning to a floor. Everything an earlier run showed was written before the current run began, so a loss is
    /// noticed even where new records have taken the numbers of the lost ones.
    #[must_use]
    pub fn standing(self, floor: &Floor) -> Standing {
        if self.epoch < floor.epoch() {
            return Standing::Old;
        }
        let here = Cursor::of(floor);
        let kept = match self.run {
            run if run == here.run => self.sequence <= here.sequence,
            run if run < here.run => self.sequence < here.run,
            _ => false,
        };
        if self.epoch == here.epoch && kept { Standing::Known(self.sequence) } else { Standing::Lost }
    }

    fn bytes(self) -> [u8; PLACE] {
        let mut bytes = [0; PLACE];
        let fields =
            self.epoch.to_be_bytes().into_iter().chain(self.run.to_be_bytes()).chain(self.sequence.to_be_bytes());
        bytes.iter_mut().zip(fields).for_each(|(byte, field)| *byte = field);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Cursor> {
        let (epoch, rest) = bytes.split_first_chunk()?;
        let (run, sequence) = rest.split_first_chunk()?;
        Some(Cursor {
            epoch: u32::from_be_bytes(*epoch),
            run: u64::from_be_bytes(*run),
            sequence: u64::from_be_bytes(sequence.try_into().ok()?),
        })
    }
}

/// Makes and checks the cursors of a floor. All its hosts have the same key.
pub struct Cursors {
    /// Of the floor as it is, and before it of the floors that it is a copy of.
    mac: Hmac<Sha256>,
    originals: Vec<Hmac<Sha256>>,
}

impl Cursors {
    /// With the floor's key, for one journal.
    #[must_use]
    pub fn new(key: &[u8; 32], journal: [u8; 16]) -> Cursors {
        // A block of the hash, which a shorter key is filled up to with zeros.
        let mut block = [0; 64];
        block.iter_mut().zip(key).for_each(|(byte, of_key)| *byte = *of_key);
        let mut mac = Hmac::new(&block.into());
        mac.update(b"croupier cursor");
        mac.update(&journal);
        Cursors { mac, originals: Vec::new() }
    }

    /// The same for a copy of that floor, by the names of all copies in between, the latest one last.
    #[must_use]
    pub fn of_copies(self, names: &[[u8; 16]]) -> Cursors {
        names.iter().fold(self, |Cursors { mac, mut originals }, name| {
            originals.push(mac.clone());
            Cursors { mac: mac.chain_update(b"copy").chain_update(name), originals }
        })
    }

    /// The token of a place.
    #[must_use]
    pub fn token(&self, cursor: Cursor) -> String {
        let place = cursor.bytes();
        let mac = self.mac.clone().chain_update(place).finalize().into_bytes();
        let mut bytes = [0; PLACE + MAC];
        bytes.iter_mut().zip(place.iter().chain(mac.iter())).for_each(|(byte, from)| *byte = *from);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place of a token, if this floor gave it out, or one that it is a copy of.
    #[must_use]
    pub fn read(&self, token: &str) -> Option<Cursor> {
        if token.len() != LENGTH {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (place, mac) = bytes.split_at_checked(PLACE)?;
        let is_of = |key: &Hmac<Sha256>| key.clone().chain_update(place).verify_truncated_left(mac).is_ok();
        (is_of(&self.mac) || self.originals.iter().any(is_of)).then(|| Cursor::read(place))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE_OF: Cursor = Cursor { epoch: 3, run: 1_000, sequence: 1_234_567 };

    #[test]
    fn a_token_is_read_by_its_own_floor_and_by_no_other() {
        let cursors = Cursors::new(&[1; 32], [2; 16]);
        let token = cursors.token(PLACE_OF);
        assert_eq!(token.len(), LENGTH);
        assert_eq!(cursors.read(&token), Some(PLACE_OF));
        assert_eq!(Cursors::new(&[9; 32], [2; 16]).read(&token), None, "another key");
        assert_eq!(Cursors::new(&[1; 32], [9; 16]).read(&token), None, "another journal");
    }

    #[test]
    fn a_copy_reads_the_tokens_of_its_originals_and_they_none_of_its_own() {
        let floor = |copies: &[[u8; 16]]| Cursors::new(&[1; 32], [2; 16]).of_copies(copies);
        let (original, copy, of_copy, other) =
            (floor(&[]), floor(&[[3; 16]]), floor(&[[3; 16], [4; 16]]), floor(&[[5; 16]]));
        let tokens = [&original, &copy, &of_copy, &other].map(|floor| floor.token(PLACE_OF));
        let reads = |floor: &Cursors| tokens.each_ref().map(|token| floor.read(token).is_some());
        assert_eq!(reads(&original), [true, false, false, false]);
        assert_eq!(reads(&copy), [true, true, false, false]);
        assert_eq!(reads(&of_copy), [true, true, true, false]);
        assert_eq!(reads(&other), [true, false, false, true]);
    }

    #[test]
    fn a_token_with_any_character_changed_proves_nothing() {
        let cursors = Cursors::new(&[1; 32], [2; 16]);
        let token = cursors.token(PLACE_OF);
        for place in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            assert_eq!(cursors.read(std::str::from_utf8(&changed).unwrap()), None, "character {place}");
        }
        for text in ["", "0", "99999999999999999", &token[1..], &format!("{token}A"), "ü".repeat(24).as_str()] {
            assert_eq!(cursors.read(text), None, "{text}");
        }
    }
}
