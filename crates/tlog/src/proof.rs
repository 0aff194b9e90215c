//! Verifying proofs, by the algorithms of RFC 9162, sections 2.1.3.2 and 2.1.4.2.

use crate::tree::{Hash, MAX_LEVELS, empty_root, node_hash};
use crate::{Malformed, hash_from_base64};

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// The index is not in the tree.
    #[error("entry {index} is not in a tree of {size}")]
    Outside {
        /// Of the leaf.
        index: u64,
        /// Of the tree.
        size: u64,
    },
    /// The sizes are in the wrong order.
    #[error("a tree of {old} is not the beginning of a tree of {size}")]
    Backwards {
        /// The size that should be the smaller.
        old: u64,
        /// The size that should be the larger.
        size: u64,
    },
    /// The proof has too few or too many hashes.
    #[error("the proof has {0} hashes, which is not the number for these sizes")]
    Length(usize),
    /// The hashes give another root.
    #[error("the proof leads to another root")]
    Root,
}

/// Reads a proof from text: hashes in base64, one in a line.
///
/// # Errors
/// When a line is no hash, or there are too many.
pub fn parse(text: &str) -> Result<Vec<Hash>, Malformed> {
    let lines = text.lines().take(MAX_LEVELS + 2);
    let proof: Vec<Hash> = lines.map(|line| hash_from_base64("proof", line)).collect::<Result<_, _>>()?;
    if proof.len() > MAX_LEVELS + 1 {
        return Err(Malformed::new("proof", "it has too many hashes"));
    }
    Ok(proof)
}

/// How many hashes the proof of an index has.
#[must_use]
pub fn inclusion_length(index: u64, size: u64) -> usize {
    let (mut place, mut last, mut length) = (index, size.saturating_sub(1), 0);
    // The right edge of the tree has no sibling where it is not complete.
    while last > 0 {
        if place & 1 == 1 || place != last {
            length += 1;
        }
        place >>= 1;
        last >>= 1;
    }
    length
}

/// The root to which a leaf and its proof lead.
///
/// # Errors
/// When the index is not in the tree, or the number of hashes is wrong.
pub fn root_from_inclusion(leaf: Hash, index: u64, size: u64, path: &[Hash]) -> Result<Hash, Unproved> {
    if index >= size {
        return Err(Unproved::Outside { index, size });
    }
    if path.len() > MAX_LEVELS {
        return Err(Unproved::Length(path.len()));
    }
    let (mut place, mut last, mut root) = (index, size - 1, leaf);
    for sibling in path {
        if last == 0 {
            return Err(Unproved::Length(path.len()));
        }
        if place & 1 == 1 || place == last {
            root = node_hash(sibling, &root);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            root = node_hash(&root, sibling);
        }
        place >>= 1;
        last >>= 1;
    }
    if last == 0 { Ok(root) } else { Err(Unproved::Length(path.len())) }
}

/// Verifies that a leaf is in the tree of that root.
///
/// # Errors
/// When it is not proved.
pub fn verify_inclusion(leaf: Hash, index: u64, size: u64, path: &[Hash], root: &Hash) -> Result<(), Unproved> {
    let found = root_from_inclusion(leaf, index, size, path)?;
    if found == *root { Ok(()) } else { Err(Unproved::Root) }
}

/// Verifies that the tree of the old root is the beginning of the tree of the new one.
///
/// # Errors
/// When it is not proved.
pub fn verify_consistency(old: u64, old_root: &Hash, size: u64, root: &Hash, proof: &[Hash]) -> Result<(), Unproved> {
    if old > size {
        return Err(Unproved::Backwards { old, size });
    }
    if old == size || old == 0 {
        let same = if old == 0 { *old_root == empty_root() } else { old_root == root };
        return match (proof, same) {
            ([], true) => Ok(()),
            ([], false) => Err(Unproved::Root),
            _ => Err(Unproved::Length(proof.len())),
        };
    }
    if proof.len() > MAX_LEVELS {
        return Err(Unproved::Length(proof.len()));
    }
    let mut hashes = proof.iter();
    let first = if old.is_power_of_two() { Some(old_root) } else { hashes.next() };
    let first = first.ok_or(Unproved::Length(proof.len()))?;
    let (mut place, mut last) = (old - 1, size - 1);
    while place & 1 == 1 {
        place >>= 1;
        last >>= 1;
    }
    let (mut old_found, mut found) = (*first, *first);
    for hash in hashes {
        if last == 0 {
            return Err(Unproved::Length(proof.len()));
        }
        if place & 1 == 1 || place == last {
            old_found = node_hash(hash, &old_found);
            found = node_hash(hash, &found);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            found = node_hash(&found, hash);
        }
        place >>= 1;
        last >>= 1;
    }
    if last != 0 {
        return Err(Unproved::Length(proof.len()));
    }
    if old_found == *old_root && found == *root { Ok(()) } else { Err(Unproved::Root) }
}
