//! The generator check: good bytes pass, bad ones of many kinds fail.

use lab::generator::{CheckError, LEAST_BYTES, check, check_bytes};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn good(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; 400_000];
    ChaCha20Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
    bytes
}

#[test]
fn good_bytes_pass() {
    let check = check_bytes("seed 1", &good(1)).unwrap();
    assert!(check.passed, "{:?}", check.tests.iter().filter(|test| !test.passed).collect::<Vec<_>>());
    assert_eq!(check.tests.len(), 43);
}

#[test]
fn of_a_hundred_good_ones_about_one_fails() {
    let failed = (0..100).filter(|seed| !check_bytes("", &good(1_000 + seed)).unwrap().passed).count();
    assert!(failed <= 5, "{failed}");
}

/// What a bad generator makes of a byte at a place.
type Spoil = fn(usize, u8) -> u8;

#[test]
fn bad_bytes_fail() {
    let spoils: [(&str, Spoil); 7] = [
        ("zeros", |_, _| 0),
        ("a counter, too even to be chance", |n, _| n as u8),
        ("a bit that is one too often", |n, byte| if n % 50 == 0 { byte | 1 } else { byte }),
        ("short period", |n, _| (n % 251) as u8),
        ("low values too often", |n, byte| if n % 40 == 0 { byte % 128 } else { byte }),
        ("every other byte is the one before", |n, byte| if n % 64 == 1 { 77 } else { byte }),
        ("a linear generator of eight bits", |n, _| (n as u8).wrapping_mul(5).wrapping_add((n >> 8) as u8)),
    ];
    for (name, spoil) in spoils {
        let bytes: Vec<u8> = good(2).into_iter().enumerate().map(|(n, byte)| spoil(n, byte)).collect();
        assert!(!check_bytes(name, &bytes).unwrap().passed, "{name}");
    }
}

#[test]
fn too_few_bytes_are_refused() {
    assert!(matches!(check_bytes("", &[0; 100]), Err(CheckError::TooFew(100))));
    let mut source = lab::generator::Recorded::new(&[0; 5]);
    assert!(matches!(check("", &mut source, LEAST_BYTES), Err(CheckError::Source(_))));
}
