//! The past rounds of a table in a few hashes (D24).
//!
//! Every round that leaves a table's list of recent rounds becomes a leaf of a Merkle tree. The floor keeps the number
//! of leaves and the roots of the complete subtrees they make (the "peaks", one for each bit set in that number), so
//! that its memory grows with the logarithm of the rounds. A recalled round is proved by the hashes beside its path.
//! Those hashes are kept while it is recalled: when it is corrected, its leaf is replaced and the path is computed
//! again. The earlier version then no longer has a proof, and the latest one can be recalled like any other.

use std::collections::BTreeMap;

use rulebook::Hash;
use serde::{Deserialize, Serialize};

/// A hash of a leaf or of two nodes.
pub type Node = Hash;

/// The past rounds of a table, as hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Accumulator {
    #[n(0)]
    count: u64,
    /// The roots of the complete subtrees, the largest first.
    #[n(1)]
    peaks: Vec<Node>,
    /// By height and position: the known inner nodes of the tree, for the recalled rounds.
    #[n(2)]
    nodes: BTreeMap<(u8, u64), Node>,
}

/// The hash of a leaf. The first byte distinguishes leaves from inner nodes.
#[must_use]
pub fn leaf(bytes: &[u8]) -> Node {
    Hash(*blake3::Hasher::new().update(&[0]).update(bytes).finalize().as_bytes())
}

/// The hash of two nodes side by side.
pub(crate) fn join(left: &Node, right: &Node) -> Node {
    Hash(*blake3::Hasher::new().update(&[1]).update(&left.0).update(&right.0).finalize().as_bytes())
}

impl Accumulator {
    /// How many leaves there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a leaf.
    pub fn append(&mut self, leaf: Node) {
        let (mut node, mut height, mut place) = (leaf, 0_u8, self.count);
        while self.count >> height & 1 == 1 {
            let Some(left) = self.peaks.pop() else { break };
            if !self.nodes.is_empty() {
                // A path that ended at one of these peaks goes on.
                self.nodes.insert((height, place - 1), left);
                self.nodes.insert((height, place), node);
            }
            node = join(&left, &node);
            height += 1;
            place >>= 1;
        }
        self.peaks.push(node);
        self.count += 1;
    }

    /// The height of the subtree a leaf is in, and the place of its root among the peaks.
    fn peak_of(&self, leaf: u64) -> Option<(u8, usize)> {
        let mut end = 0_u64;
        let heights = (0..64_u8).rev().filter(|height| self.count >> height & 1 == 1);
        for (place, height) in heights.enumerate() {
            end += 1 << height;
            if leaf < end {
                return Some((height, place));
            }
        }
        None
    }

    /// Whether a leaf has this hash, by the hashes beside its path from the bottom up.
    pub fn proves(&self, leaf: u64, hash: Node, beside: &[Node]) -> bool {
        let Some((height, peak)) = self.peak_of(leaf) else { return false };
        if beside.len() != usize::from(height) {
            return false;
        }
        let root = path(leaf, hash, beside).last().map_or(hash, |(_, node)| *node);
        self.peaks.get(peak) == Some(&root)
    }

    /// Keeps the path of a leaf that was proved.
    pub fn learn(&mut self, leaf: u64, hash: Node, beside: &[Node]) {
        self.nodes.insert((0, leaf), hash);
        for (height, sibling) in (0_u8..64).zip(beside) {
            self.nodes.insert((height, leaf >> height ^ 1), *sibling);
        }
        for (key, node) in path(leaf, hash, beside) {
            self.nodes.insert(key, node);
        }
    }

    /// Replaces a leaf whose path is known. Returns whether it could be.
    pub fn replace(&mut self, leaf: u64, hash: Node) -> bool {
        let Some((height, peak)) = self.peak_of(leaf) else { return false };
        let beside: Option<Vec<Node>> = (0..height).map(|at| self.nodes.get(&(at, leaf >> at ^ 1)).copied()).collect();
        let Some(beside) = beside else { return false };
        let root = path(leaf, hash, &beside).last().map_or(hash, |(_, node)| *node);
        self.learn(leaf, hash, &beside);
        match self.peaks.get_mut(peak) {
            Some(known) => {
                *known = root;
                true
            }
            None => false,
        }
    }

    /// Forgets the inside of the tree: no round is recalled any more.
    pub fn forget(&mut self) {
        self.nodes.clear();
    }
}

/// The nodes above a leaf, from its parent up.
fn path(leaf: u64, hash: Node, beside: &[Node]) -> Vec<((u8, u64), Node)> {
    let mut node = hash;
    let mut nodes = Vec::with_capacity(beside.len());
    for (height, sibling) in (0_u8..64).zip(beside) {
        let place = leaf >> height;
        node = if place & 1 == 0 { join(&node, sibling) } else { join(sibling, &node) };
        nodes.push(((height + 1, place >> 1), node));
    }
    nodes
}

/// The hashes beside the path of a leaf, computed from all leaves: the host sends them with a round it recalls.
#[must_use]
pub fn proof(leaves: &[Node], leaf: u64) -> Option<Vec<Node>> {
    let at = usize::try_from(leaf).ok().filter(|at| *at < leaves.len())?;
    // The complete subtree the leaf is in.
    let (mut start, mut size) = (0, 0);
    for height in (0..usize::BITS).rev().filter(|height| leaves.len() >> height & 1 == 1) {
        size = 1 << height;
        if at < start + size {
            break;
        }
        start += size;
    }
    let mut level = leaves.get(start..start + size)?.to_vec();
    let (mut place, mut beside) = (at - start, Vec::new());
    while level.len() > 1 {
        beside.push(*level.get(place ^ 1)?);
        level = level.chunks(2).filter_map(|pair| Some(join(pair.first()?, pair.get(1)?))).collect();
        place >>= 1;
    }
    Some(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: u64) -> Vec<Node> {
        (0..count).map(|number| leaf(&number.to_le_bytes())).collect()
    }

    fn filled(leaves: &[Node]) -> Accumulator {
        let mut accumulator = Accumulator::default();
        leaves.iter().for_each(|leaf| accumulator.append(*leaf));
        accumulator
    }

    #[test]
    fn every_leaf_is_proved_and_no_other() {
        for count in 1..70 {
            let all = leaves(count);
            let accumulator = filled(&all);
            assert_eq!(accumulator.peaks.len(), count.count_ones() as usize);
            for (number, leaf) in (0..).zip(&all) {
                let beside = proof(&all, number).unwrap();
                assert!(accumulator.proves(number, *leaf, &beside), "{number} of {count}");
                assert!(!accumulator.proves(number, super::leaf(b"another"), &beside));
                assert!(!accumulator.proves(number + 1, *leaf, &beside) || count == 1);
                assert!(beside.is_empty() || !accumulator.proves(number, *leaf, &beside[1..]));
            }
            assert!(!accumulator.proves(count, all[0], &[]), "beyond the end");
            assert_eq!(proof(&all, count), None);
        }
    }

    #[test]
    fn a_replaced_leaf_is_proved_and_the_old_one_is_not() {
        for count in 1..40_u64 {
            for number in 0..count {
                let mut all = leaves(count);
                let mut accumulator = filled(&all);
                let beside = proof(&all, number).unwrap();
                let old = all[number as usize];
                accumulator.learn(number, old, &beside);
                // Rounds go on while it is there: the path grows with the tree.
                for more in 0..number % 5 {
                    all.push(leaf(&[7, more as u8]));
                    accumulator.append(all[all.len() - 1]);
                }
                let new = leaf(b"corrected");
                assert!(accumulator.replace(number, new), "{number} of {count}");
                all[number as usize] = new;
                accumulator.forget();
                assert_eq!(accumulator, filled(&all), "{number} of {count}");
                let beside = proof(&all, number).unwrap();
                assert!(accumulator.proves(number, new, &beside));
                assert!(!accumulator.proves(number, old, &beside));
            }
        }
    }

    #[test]
    fn several_leaves_are_replaced_one_after_the_other() {
        let mut all = leaves(100);
        let mut accumulator = filled(&all);
        for number in 10..60 {
            accumulator.learn(number, all[number as usize], &proof(&all, number).unwrap());
        }
        for number in 10..60_u64 {
            all[number as usize] = leaf(&[1, number as u8]);
            assert!(accumulator.replace(number, all[number as usize]));
        }
        accumulator.forget();
        assert_eq!(accumulator, filled(&all));
    }
}
