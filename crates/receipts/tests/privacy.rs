//! What a receipt shows: nothing of another player.

use floor::Event;
use receipts::{Chosen, Prover, leaf};
use tlog::Opening;

use crate::{house::T1, played, tree, write};

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_receipt_opens_only_the_players_own_part() {
    let folder = tempfile::tempdir().unwrap();
    let records = played(3);
    let count = write(folder.path(), &records, 9);
    let head = tree(folder.path(), count).unwrap().sign().unwrap().clone();
    let prover = Prover::open(folder.path(), &[]).unwrap().unwrap();
    let proofs = prover
        .choose(1, &head, |_, record| match &record.event {
            Event::RoundSettled { .. } => Chosen::For(T1.0),
            _ => Chosen::Nothing,
        })
        .unwrap();
    assert_eq!(proofs.len(), 3);
    let salt = receipts::keys::salt(folder.path()).unwrap().unwrap();
    let mut others = 0;
    for proof in &proofs {
        let record = &records[proof.index as usize];
        let mut bytes = Vec::new();
        engine::encode(record, &mut bytes);
        let listed = leaf::split(&bytes).unwrap();
        let shown = proof.extra.as_ref().unwrap();
        let opening = Opening::parse(shown).unwrap();
        let (_, item) = leaf::shown(&opening);
        for (place, other) in (0..).zip(&listed.items) {
            if Some(&other[..]) == item {
                continue;
            }
            others += 1;
            assert!(!contains(shown, other), "an item of another");
            assert!(!contains(shown, &salt.item(proof.index, place)), "the salt of another's item");
        }
    }
    assert!(others >= 3);
    // A terminal that had no bet has no item; a record that lists none has none either.
    let none = prover.choose(1, &head, |_, _| Chosen::For(99)).unwrap();
    assert!(none.is_empty());
}

#[test]
fn records_that_list_terminals_are_taken_apart_and_no_others() {
    for record in played(2) {
        let mut bytes = Vec::new();
        engine::encode(&record, &mut bytes);
        let listed = leaf::split(&bytes);
        let expected = matches!(record.event, Event::RoundSettled { .. } | Event::CountedLost { .. });
        assert_eq!(listed.is_some(), expected, "{:?}", record.event);
        if let Some(listed) = listed {
            // The head is the record with its list emptied, as any release reads it.
            let head = engine::decode(record.at.0, &listed.head).unwrap();
            let Event::RoundSettled { returns, .. } = &record.event else { panic!("{record:?}") };
            assert!(matches!(&head.event, Event::RoundSettled { returns, .. } if returns.is_empty()));
            assert_eq!(listed.items.len(), returns.len());
        }
    }
    for wrong in [&[][..], &[2], &[2, 0], &[2, 0, 0x82], &[2, 0, 0x82, 0xf6, 0x82, 0x18, 48], &[1, 48, 0]] {
        assert_eq!(leaf::split(wrong), None);
    }
}
