//! The attack: a history that was rewritten and signed with the log's real key.

use tlog::witness::Refusal;
use witness::Uncosigned;

use crate::{Place, cosigned, head, leaves, request};

#[test]
fn a_forged_history_with_the_real_key_is_refused_by_witness_and_verifier() {
    let place = Place::new();
    let witness = place.open();
    let honest = leaves(100);
    let answer = witness.add_checkpoint(request(&honest[..60], 0).as_bytes(), 1_700_000_000).unwrap();
    place.policy().verify(&cosigned(&honest[..60], &answer)).unwrap();
    let mut forged = honest.clone();
    forged[20] = [0; 32];
    // Longer, of the same size, shorter, and as if the witness had seen nothing.
    for (size, old) in [(100, 60), (60, 60), (40, 40), (100, 0), (61, 60)] {
        let refused = witness.add_checkpoint(request(&forged[..size], old).as_bytes(), 1_700_000_001).unwrap_err();
        assert!(
            matches!(refused, Uncosigned::Refused(Refusal::Stale(60) | Refusal::Inconsistent(_))),
            "{size} from {old}: {refused}"
        );
        // The real key alone convinces no one who asks for the witness, nor does its signature of another head.
        assert!(place.policy().verify(&head(&forged[..size])).is_err());
        assert!(place.policy().verify(&cosigned(&forged[..size], &answer)).is_err());
    }
    // The honest log goes on.
    let answer = witness.add_checkpoint(request(&honest, 60).as_bytes(), 1_700_000_002).unwrap();
    place.policy().verify(&cosigned(&honest, &answer)).unwrap();
}

#[test]
fn every_byte_of_a_cosignature() {
    let place = Place::new();
    let honest = leaves(9);
    let answer = place.open().add_checkpoint(request(&honest, 0).as_bytes(), 1_700_000_000).unwrap();
    let text = cosigned(&honest, &answer).to_text().into_bytes();
    for at in 0..text.len() {
        for bit in [1u8, 0x20, 0x80] {
            let mut changed = text.clone();
            changed[at] ^= bit;
            let believed = tlog::Note::parse(&changed).ok().and_then(|note| place.policy().verify(&note).ok());
            assert!(believed.is_none(), "byte {at}, bit {bit}");
        }
    }
}
