//! The tree of RFC 6962, section 2.1: hashes, growth, and the proofs that it gives.

use sha2::{Digest, Sha256};

/// A SHA-256 hash: of a leaf, of a node, or the root.
pub type Hash = [u8; 32];

/// The most levels of a tree: sizes are 64-bit numbers.
pub const MAX_LEVELS: usize = 64;

/// The hash of an entry.
#[must_use]
pub fn leaf_hash(entry: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(entry).finalize().into()
}

/// The hash of two subtrees.
#[must_use]
pub fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root of the empty tree.
#[must_use]
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// The roots of the complete subtrees of a tree, the largest first: everything that growth needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Hash>,
}

impl Frontier {
    /// The frontier of the tree of that size, from its nodes.
    ///
    /// # Errors
    /// When a node cannot be read.
    pub fn of<N: Nodes + ?Sized>(nodes: &N, size: u64) -> Result<Frontier, N::Error> {
        let mut peaks = Vec::new();
        let mut begin = 0;
        for level in (0..64u8).rev() {
            if size >> level & 1 == 1 {
                peaks.push(nodes.node(level, begin >> level)?);
                begin += 1 << level;
            }
        }
        Ok(Frontier { size, peaks })
    }

    /// How many leaves there are.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf by its hash. Every subtree of 256, 65,536 … leaves that is completed is handed over with its level
    /// in tiles; the leaf itself is level 0.
    pub fn push(&mut self, leaf: Hash, mut completed: impl FnMut(u8, Hash)) {
        completed(0, leaf);
        let mut hash = leaf;
        let mut level = 0u8;
        while level < 63 && self.size >> level & 1 == 1 {
            let Some(left) = self.peaks.pop() else { break };
            hash = node_hash(&left, &hash);
            level += 1;
            if level.is_multiple_of(8) {
                completed(level / 8, hash);
            }
        }
        self.peaks.push(hash);
        self.size = self.size.saturating_add(1);
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> Hash {
        let mut peaks = self.peaks.iter().rev();
        let Some(last) = peaks.next() else { return empty_root() };
        peaks.fold(*last, |right, left| node_hash(left, &right))
    }
}

/// The hashes of complete subtrees.
pub trait Nodes {
    /// Why a node cannot be read.
    type Error;

    /// The root of the complete subtree of `2^level` leaves with this index among them.
    ///
    /// # Errors
    /// When it cannot be read.
    fn node(&self, level: u8, index: u64) -> Result<Hash, Self::Error>;
}

/// Leaves in memory: for small trees.
impl Nodes for [Hash] {
    type Error = std::convert::Infallible;

    fn node(&self, level: u8, index: u64) -> Result<Hash, Self::Error> {
        let (begin, length) = (usize::try_from(index << level).unwrap_or(usize::MAX), 1usize << level.min(40));
        let mut frontier = Frontier::default();
        for leaf in self.iter().skip(begin).take(length) {
            frontier.push(*leaf, |_, _| ());
        }
        Ok(frontier.root())
    }
}

/// The largest power of two below a number of leaves.
fn split(leaves: u64) -> u64 {
    1 << (63 - (leaves - 1).leading_zeros())
}

/// The root of the leaves from `begin` on; `begin` is a multiple of the power of two at or above the number of leaves.
fn root_of<N: Nodes + ?Sized>(nodes: &N, begin: u64, leaves: u64) -> Result<Hash, N::Error> {
    if leaves == 0 {
        return Ok(empty_root());
    }
    if leaves.is_power_of_two() {
        let level = leaves.trailing_zeros();
        return nodes.node(u8::try_from(level).unwrap_or(63), begin >> level);
    }
    let left = split(leaves);
    Ok(node_hash(&root_of(nodes, begin, left)?, &root_of(nodes, begin + left, leaves - left)?))
}

/// The root of the first `size` leaves.
///
/// # Errors
/// When a node cannot be read.
pub fn root<N: Nodes + ?Sized>(nodes: &N, size: u64) -> Result<Hash, N::Error> {
    root_of(nodes, 0, size)
}

/// The proof that the leaf of an index is in the tree of that size: siblings, that of the leaf first. Empty when the index
/// is not below the size.
///
/// # Errors
/// When a node cannot be read.
pub fn prove_inclusion<N: Nodes + ?Sized>(nodes: &N, index: u64, size: u64) -> Result<Vec<Hash>, N::Error> {
    let mut path = Vec::new();
    if index >= size {
        return Ok(path);
    }
    let (mut begin, mut leaves) = (0, size);
    while leaves > 1 {
        let left = split(leaves);
        if index - begin < left {
            path.push(root_of(nodes, begin + left, leaves - left)?);
            leaves = left;
        } else {
            path.push(root_of(nodes, begin, left)?);
            begin += left;
            leaves -= left;
        }
    }
    path.reverse();
    Ok(path)
}

/// The proof that the tree of size `old` is the beginning of the tree of that size. Empty when `old` is zero, the same
/// size or larger.
///
/// # Errors
/// When a node cannot be read.
pub fn prove_consistency<N: Nodes + ?Sized>(nodes: &N, old: u64, size: u64) -> Result<Vec<Hash>, N::Error> {
    let mut proof = Vec::new();
    if old == 0 || old >= size {
        return Ok(proof);
    }
    // Whether the subtree at hand is one of the old tree's, whose root the verifier has.
    let (mut begin, mut leaves, mut old, mut known) = (0, size, old, true);
    while old != leaves {
        let left = split(leaves);
        if old <= left {
            proof.push(root_of(nodes, begin + left, leaves - left)?);
            leaves = left;
        } else {
            proof.push(root_of(nodes, begin, left)?);
            begin += left;
            leaves -= left;
            old -= left;
            known = false;
        }
    }
    if !known {
        proof.push(root_of(nodes, begin, leaves)?);
    }
    proof.reverse();
    Ok(proof)
}
