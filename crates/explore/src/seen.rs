//! The hashes of all states seen so far, shared by all threads.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is put in is a hash already.
#[derive(Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |sum, byte| sum.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

type Shard = Mutex<HashSet<u64, BuildHasherDefault<AsItIs>>>;

const SHARDS: usize = 64;

/// The set, in parts that are locked one by one.
pub(crate) struct Seen(Vec<Shard>);

impl Default for Seen {
    fn default() -> Seen {
        Seen((0..SHARDS).map(|_| Shard::default()).collect())
    }
}

impl Seen {
    /// Puts a hash in; whether it is new.
    pub fn insert(&self, hash: u64) -> bool {
        let shard = usize::try_from(hash >> 58).unwrap_or(0) % SHARDS;
        let mut shard: MutexGuard<'_, _> = self.0[shard].lock().unwrap_or_else(PoisonError::into_inner);
        shard.insert(hash)
    }
}
