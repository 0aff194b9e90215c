//! The file of state: durable before an answer, never rolled back, never taken for an empty one.

use std::fs;

use tlog::Policy;
use witness::Witness;

use crate::{Place, cosigned, leaves, log_key, request};

fn opened(place: &Place) -> Result<Witness, String> {
    let logs = Policy::of_log(log_key().public().clone());
    Witness::open(&place.key, &place.state, logs).map_err(|error| error.to_string())
}

#[test]
fn what_was_cosigned_is_known_to_the_next_process() {
    let place = Place::new();
    let leaves = leaves(50);
    place.open().add_checkpoint(request(&leaves[..30], 0).as_bytes(), 1_700_000_000).unwrap();
    let witness = place.open();
    assert_eq!(witness.heads()[0].size, 30);
    assert!(witness.add_checkpoint(request(&leaves, 0).as_bytes(), 1_700_000_000).is_err());
    let answer = witness.add_checkpoint(request(&leaves, 30).as_bytes(), 1_700_000_000).unwrap();
    place.policy().verify(&cosigned(&leaves, &answer)).unwrap();
}

/// A kill leaves the file before or the file after: never a part of it.
#[test]
fn a_kill_before_the_answer_and_one_while_the_file_is_written() {
    let place = Place::new();
    let leaves = leaves(50);
    let before = fs::read(&place.state).unwrap();
    place.open().add_checkpoint(request(&leaves[..30], 0).as_bytes(), 1_700_000_000).unwrap();
    let after = fs::read(&place.state).unwrap();
    // Killed before the new file had its name: what was begun beside it is ignored, and nothing was given out.
    for length in [0, 1, after.len() / 2, after.len()] {
        fs::write(&place.state, &before).unwrap();
        let unfinished = place.state.with_file_name("witness.state.new");
        fs::write(&unfinished, &after[..length]).unwrap();
        assert!(opened(&place).unwrap().heads().is_empty());
    }
    // Killed after it, before the answer was sent: the log asks again from the size it is told, and gets a signature.
    fs::write(&place.state, &after).unwrap();
    let witness = opened(&place).unwrap();
    assert!(witness.add_checkpoint(request(&leaves[..30], 0).as_bytes(), 1_700_000_000).is_err());
    let answer = witness.add_checkpoint(request(&leaves[..30], 30).as_bytes(), 1_700_000_000).unwrap();
    place.policy().verify(&cosigned(&leaves[..30], &answer)).unwrap();
}

#[test]
fn a_state_that_cannot_be_written_signs_nothing() {
    let place = Place::new();
    let leaves = leaves(50);
    let witness = place.open();
    witness.add_checkpoint(request(&leaves[..30], 0).as_bytes(), 1_700_000_000).unwrap();
    let kept = fs::read(&place.state).unwrap();
    // A folder in the way of the new file.
    fs::remove_file(&place.state).unwrap();
    fs::create_dir(&place.state).unwrap();
    fs::write(place.state.join("x"), "x").unwrap();
    assert!(witness.add_checkpoint(request(&leaves, 30).as_bytes(), 1_700_000_000).is_err());
    assert_eq!(witness.heads()[0].size, 30);
    fs::remove_dir_all(&place.state).unwrap();
    fs::write(&place.state, kept).unwrap();
    assert!(witness.add_checkpoint(request(&leaves, 30).as_bytes(), 1_700_000_000).is_ok());
}

#[test]
fn every_byte_of_the_state_is_checked() {
    let place = Place::new();
    place.open().add_checkpoint(request(&leaves(20), 0).as_bytes(), 1_700_000_000).unwrap();
    let state = fs::read(&place.state).unwrap();
    for at in 0..state.len() {
        let mut changed = state.clone();
        changed[at] ^= 1;
        fs::write(&place.state, &changed).unwrap();
        assert!(opened(&place).is_err(), "byte {at}");
        fs::write(&place.state, &state[..at]).unwrap();
        // Without any head it is what `keygen` made, which only its owner can have put there.
        let first = state.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        assert_eq!(opened(&place).is_ok(), at == first, "{at} bytes");
    }
}

#[test]
fn a_missing_state_and_that_of_another_witness_are_refused() {
    let (place, other) = (Place::new(), Place::new());
    fs::copy(&other.state, &place.state).unwrap();
    assert!(opened(&place).unwrap_err().contains("another key"));
    fs::remove_file(&place.state).unwrap();
    assert!(opened(&place).unwrap_err().contains("the state is missing"));
    // A key is made once.
    assert!(witness::keygen("again.example", &place.key, &place.state).is_err());
    assert!(!place.state.exists());
}

#[test]
fn a_clock_that_is_set_back_makes_no_older_cosignature() {
    let place = Place::new();
    let leaves = leaves(3);
    let witness = place.open();
    witness.add_checkpoint(request(&leaves[..2], 0).as_bytes(), 1_700_000_000).unwrap();
    let answer = witness.add_checkpoint(request(&leaves, 2).as_bytes(), 1_600_000_000).unwrap();
    let verified = place.policy().verify(&cosigned(&leaves, &answer)).unwrap();
    assert_eq!(verified.witnesses, [("w".to_owned(), 1_700_000_000)]);
}
