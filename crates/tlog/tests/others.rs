//! The code of others says the same: ports of Go's x/mod by Cloudflare, and an independent tree.

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use sha2::Sha256;
use signed_note::{StandardVerifier, VerifierList};
use tlog::tree::{prove_consistency, prove_inclusion};
use tlog::{Checkpoint, Hash, Nodes, SigningKey, VerifierKey, key::Kind};
use tlog_tiles::{HashReader, check_record, check_tree, prove_record, prove_tree, split_stored_hash_index, tree_hash};

use crate::{head, leaves, log_key, root};

struct Stored<'a>(&'a [Hash]);

impl HashReader for Stored<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog_tiles::Hash>, tlog_tiles::Error> {
        let node = |index: &u64| {
            let (level, index) = split_stored_hash_index(*index);
            let Ok(hash) = self.0.node(level, index);
            tlog_tiles::Hash(hash)
        };
        Ok(indexes.iter().map(node).collect())
    }
}

fn theirs(hashes: &[Hash]) -> Vec<tlog_tiles::Hash> {
    hashes.iter().map(|hash| tlog_tiles::Hash(*hash)).collect()
}

#[test]
fn roots_and_proofs_are_those_of_tlog_tiles_to_the_byte() {
    let leaves = leaves(300);
    let stored = Stored(&leaves);
    for size in [1u64, 2, 3, 7, 8, 64, 255, 256, 257, 300] {
        let whole = tree_hash(size, &stored).unwrap();
        assert_eq!(whole.0, root(&leaves[..size as usize]));
        for index in (0..size).step_by(5).chain([size - 1]) {
            let mine = theirs(&prove_inclusion(&leaves[..], index, size).unwrap());
            assert!(mine == prove_record(size, index, &stored).unwrap(), "{index} of {size}");
            check_record(&mine, size, whole, index, tlog_tiles::Hash(leaves[index as usize])).unwrap();
        }
        for old in (1..=size).step_by(3) {
            let mine = theirs(&prove_consistency(&leaves[..], old, size).unwrap());
            assert!(mine == prove_tree(size, old, &stored).unwrap(), "{old} of {size}");
            check_tree(&mine, size, whole, old, tlog_tiles::Hash(root(&leaves[..old as usize]))).unwrap();
        }
    }
}

#[test]
fn an_independent_tree_has_the_same_roots_and_accepts_the_proofs() {
    let entries: Vec<String> = (0..100).map(|index| format!("entry {index}")).collect();
    let leaves = leaves(100);
    let mut trees = vec![MemoryBackedTree::<Sha256, String>::new()];
    for entry in &entries {
        let mut next = trees[trees.len() - 1].clone();
        next.push(entry.clone());
        trees.push(next);
    }
    for size in 1..=100usize {
        let theirs = trees[size].root();
        assert_eq!(theirs.as_bytes().as_slice(), root(&leaves[..size]));
        for index in (0..size).step_by(7) {
            let mine = prove_inclusion(&leaves[..], index as u64, size as u64).unwrap();
            let proof = trees[size].prove_inclusion(index);
            assert_eq!(proof.as_bytes(), mine.concat());
            theirs.verify_inclusion(&entries[index], index as u64, &proof).unwrap();
        }
        for old in (1..=size).step_by(7) {
            let mine = prove_consistency(&leaves[..], old as u64, size as u64).unwrap();
            let proof = trees[size].prove_consistency(size - old);
            assert_eq!(proof.as_bytes(), mine.concat());
            theirs.verify_consistency(&trees[old].root(), &proof).unwrap();
        }
    }
}

#[test]
fn signed_note_and_tlog_tiles_read_our_heads() {
    let note = head(&leaves(70), 2);
    let theirs = signed_note::Note::from_bytes(note.to_text().as_bytes()).unwrap();
    let known = VerifierList::new(vec![Box::new(StandardVerifier::new(&log_key().public().to_text()).unwrap())]);
    let (verified, unverified) = theirs.verify(&known).unwrap();
    assert_eq!((verified.len(), unverified.len()), (1, 2));
    let checkpoint = tlog_tiles::Checkpoint::from_bytes(theirs.text()).unwrap();
    let mine = Checkpoint::parse(&note.text).unwrap();
    assert_eq!((checkpoint.origin(), checkpoint.size(), checkpoint.hash().0), (&*mine.origin, mine.size, mine.root));
}

#[test]
fn keys_of_signed_note_are_keys_here() {
    let signer = signed_note::StandardSigner::new(&log_key().to_text()).unwrap();
    let line = signed_note::Signer::sign(&signer, b"a text\n").unwrap();
    assert_eq!(log_key().sign_at("a text\n", 0).signature, line);
    let another = SigningKey::new("another", Kind::Note, [9; 32]).unwrap();
    assert_eq!(VerifierKey::parse(&another.public().to_text()).unwrap(), *another.public());
}
