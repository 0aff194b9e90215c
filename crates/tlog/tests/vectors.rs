//! Published vectors: the tree of RFC 6962 as its reference implementations test it, and a note of Go's x/mod.

use tlog::proof::{inclusion_length, verify_consistency, verify_inclusion};
use tlog::tree::{empty_root, leaf_hash, prove_consistency, prove_inclusion};
use tlog::{Hash, Note, SigningKey, VerifierKey, tree};

use crate::{leaves, root};

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|place| u8::from_str_radix(&digits[place..place + 2], 16).unwrap()).collect()
}

const ENTRIES: [&str; 8] =
    ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const ROOTS: [&str; 8] = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

#[test]
fn the_tree_is_that_of_rfc_6962() {
    assert_eq!(empty_root().to_vec(), hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    let leaves: Vec<Hash> = ENTRIES.iter().map(|entry| leaf_hash(&hex(entry))).collect();
    for (size, expected) in (1..).zip(ROOTS) {
        assert_eq!(root(&leaves[..size]).to_vec(), hex(expected), "{size}");
        let Ok(other) = tree::root(&leaves[..], size as u64);
        assert_eq!(other, root(&leaves[..size]));
    }
}

/// The proofs of the example in RFC 6962, section 2.1.3, in the words of that section.
#[test]
fn proofs_have_the_nodes_of_the_example() {
    let leaves = leaves(7);
    let node = |level: u32, index: usize| root(&leaves[index << level..((index + 1) << level).min(7)]);
    let (a, c, d, f, g, h, i, j, k, l) = (
        leaves[0],
        leaves[2],
        leaves[3],
        leaves[5],
        node(1, 0),
        node(1, 1),
        node(1, 2),
        leaves[6],
        node(2, 0),
        node(2, 1),
    );
    let inclusion = |index| prove_inclusion(&leaves[..], index, 7).unwrap();
    assert_eq!(inclusion(0), [leaves[1], h, l]);
    assert_eq!(inclusion(3), [c, g, l]);
    assert_eq!(inclusion(4), [f, j, k]);
    assert_eq!(inclusion(6), [i, k]);
    let consistency = |old| prove_consistency(&leaves[..], old, 7).unwrap();
    assert_eq!(consistency(3), [c, d, g, l]);
    assert_eq!(consistency(4), [l]);
    assert_eq!(consistency(6), [i, j, k]);
    assert_eq!(inclusion(1)[0], a);
}

#[test]
fn every_proof_of_small_trees_holds_and_no_other() {
    let leaves = leaves(40);
    for size in 0..=leaves.len() as u64 {
        let whole = root(&leaves[..size as usize]);
        for index in 0..size {
            let path = prove_inclusion(&leaves[..], index, size).unwrap();
            assert_eq!(path.len(), inclusion_length(index, size), "{index} of {size}");
            verify_inclusion(leaves[index as usize], index, size, &path, &whole).unwrap();
            for other in (0..size).filter(|other| *other != index) {
                assert!(verify_inclusion(leaves[index as usize], other, size, &path, &whole).is_err());
            }
            let mut longer = path.clone();
            longer.push(whole);
            assert!(verify_inclusion(leaves[index as usize], index, size, &longer, &whole).is_err());
            let shorter = path.split_last().map_or(&path[..0], |(_, rest)| rest);
            assert!(path.is_empty() || verify_inclusion(leaves[index as usize], index, size, shorter, &whole).is_err());
        }
        for old in 0..=size {
            let before = root(&leaves[..old as usize]);
            let proof = prove_consistency(&leaves[..], old, size).unwrap();
            verify_consistency(old, &before, size, &whole, &proof).unwrap();
            for wrong in (0..=size).filter(|wrong| *wrong != old) {
                assert!(
                    verify_consistency(wrong, &before, size, &whole, &proof).is_err(),
                    "{wrong} for {old} of {size}"
                );
            }
        }
    }
    assert!(verify_inclusion(leaves[0], 0, 0, &[], &empty_root()).is_err());
    assert!(verify_consistency(5, &leaves[0], 4, &leaves[0], &[]).is_err());
}

#[test]
fn a_note_of_gos_documentation_verifies() {
    let key = VerifierKey::parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").unwrap();
    let text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    let line =
        "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    let note = Note::parse(format!("{text}\n{line}").as_bytes()).unwrap();
    assert_eq!(note.verify([&key]).unwrap().len(), 1);
    let secret = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    let secret = SigningKey::parse(secret).unwrap();
    assert_eq!(secret.public(), &key);
    assert_eq!(secret.sign_at(text, 0).to_text(), line);
}
