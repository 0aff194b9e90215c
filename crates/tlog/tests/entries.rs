//! Entries and their openings.

use tlog::entry::{Content, Listed, leaf, plain};
use tlog::{Opening, SaltKey};

fn key() -> SaltKey {
    SaltKey::new(&[5; 32])
}

fn listed(items: u32) -> Listed {
    Listed { head: b"a round".to_vec(), items: (0..items).map(|item| format!("item {item}").into_bytes()).collect() }
}

#[test]
fn salts_are_of_records_and_of_items() {
    let salts: Vec<_> = key().records(3).take(4).collect();
    let single: Vec<_> = (3..7).map(|index| key().record(index)).collect();
    assert_eq!(salts, single);
    let mut all = single;
    all.extend((0..4).flat_map(|index| (0..4).map(move |item| key().item(index, item))));
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count);
    assert_ne!(key().record(0), SaltKey::new(&[6; 32]).record(0));
}

/// HMAC-SHA-256 and SHA-256 over exactly these bytes, worked out by Python's hmac and hashlib.
#[test]
fn entries_are_as_written_down() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(hex(&key().record(4)), GOLDEN[0]);
    assert_eq!(hex(&key().record(5)), GOLDEN[1]);
    assert_eq!(hex(&key().item(4, 2)), GOLDEN[2]);
    assert_eq!(hex(&plain(&key().record(4), 1_700_000_000_000, b"record")), GOLDEN[3]);
    assert_eq!(hex(&listed(3).entry(&key(), 4, 1_700_000_000_000)), GOLDEN[4]);
    assert_eq!(hex(&listed(0).entry(&key(), 4, -1)), GOLDEN[5]);
}

const GOLDEN: [&str; 6] = [
    "ad0dd0e2c757640cc348eba258f6d283",
    "843f6ff30f2a37c46248155a1292d209",
    "1d3a07e048823ebc925f6d34ec901d7c",
    "013377b95d275ae91d8fe85fc4b577ad817a65c8a727a69eee4d0279dffd397ed7",
    "02c59abc3cb618ea62ce3d6f45af45449938293a3a2f223ba438b1d2bf6df9f38c",
    "0267d434179a92d031a5f7e34618208deb104fc5e62b8d1a751541c1a502e3c665",
];

#[test]
fn every_opening_gives_its_entry() {
    let opening = Opening::plain(&key(), 9, -5, b"some record");
    let read = Opening::parse(&opening.to_bytes()).unwrap();
    assert_eq!(read, opening);
    assert_eq!(read.entry().unwrap(), plain(&key().record(9), -5, b"some record"));
    for count in [1, 2, 3, 20, 257] {
        let record = listed(count);
        let entry = record.entry(&key(), 77, 12);
        for item in 0..count {
            let opening = record.open(&key(), 77, 12, item).unwrap();
            let read = Opening::parse(&opening.to_bytes()).unwrap();
            assert_eq!(read, opening);
            assert_eq!(leaf(&read.entry().unwrap()), leaf(&entry));
        }
        let opening = Opening::parse(&record.open_head(&key(), 77, 12).to_bytes()).unwrap();
        assert_eq!(opening.entry().unwrap(), entry);
        assert!(record.open(&key(), 77, 12, count).is_none());
    }
    let empty = listed(0);
    assert_eq!(empty.open_head(&key(), 1, 2).entry().unwrap(), empty.entry(&key(), 1, 2));
}

/// One terminal's payout is shown without any byte of another's.
#[test]
fn an_opening_of_one_item_shows_no_other() {
    let record = listed(16_384);
    let bytes = record.open(&key(), 5, 5, 7_000).unwrap().to_bytes();
    assert_eq!(bytes.len(), 1 + 16 + 8 + 4 + 4 + 16 + 2 + "item 7000".len() + 14 * 32 + "a round".len());
    for other in [6_999, 7_001, 0, 16_383] {
        let (item, salt) = (format!("item {other}"), key().item(5, other));
        assert!(!bytes.windows(item.len()).any(|window| window == item.as_bytes()));
        assert!(!bytes.windows(16).any(|window| window == salt));
    }
    // The head is opened with neither an item nor its salt.
    let head = record.open_head(&key(), 5, 5);
    assert!(matches!(&head.content, Content::Head { count: 16_384, .. }));
    assert_eq!(head.to_bytes().len(), 1 + 16 + 8 + 4 + 32 + "a round".len());
}

#[test]
fn openings_that_are_none() {
    let bytes = listed(4).open(&key(), 5, 5, 3).unwrap().to_bytes();
    for end in 0..bytes.len() - "a round".len() {
        assert!(Opening::parse(&bytes[..end]).is_err(), "{end}");
    }
    for wrong in [&[][..], &[4; 60], &[2; 40]] {
        assert!(Opening::parse(wrong).is_err());
    }
    let mut outside = bytes;
    outside[25..29].copy_from_slice(&3u32.to_be_bytes());
    assert!(Opening::parse(&outside).unwrap_err().to_string().contains("no item 3 among 3"));
}
