//! What a log contains: for each record a salted commitment, which shows nothing of it and binds to it.
//!
//! A record that lists several terminals is committed to by the root of a small tree, so that what concerns one terminal can
//! be shown without the others.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest, Sha256};

use crate::Malformed;
use crate::proof::{inclusion_length, root_from_inclusion};
use crate::read::Reader;
use crate::tree::{Frontier, Hash, leaf_hash, prove_inclusion};

/// The bytes of an entry.
pub const SIZE: usize = 33;
/// An entry.
pub type Entry = [u8; SIZE];
/// What hides a record or an item.
pub type Salt = [u8; 16];

const PLAIN: u8 = 1;
const LISTED: u8 = 2;
const HEAD: u8 = 3;

/// The secret from which all salts of a log come. It can open every entry by guessing, so it is never given away.
#[derive(Clone)]
pub struct SaltKey(Hmac<Sha256>);

impl std::fmt::Debug for SaltKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SaltKey(…)")
    }
}

impl SaltKey {
    /// The key of these bytes.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> SaltKey {
        // A key that is shorter than a block is filled with zeros.
        let mut block = [0; 64];
        block[..32].copy_from_slice(secret);
        SaltKey(Hmac::new((&block).into()))
    }

    fn mac(&self, parts: [&[u8]; 2]) -> [u8; 32] {
        self.0.clone().chain_update(parts[0]).chain_update(parts[1]).finalize().into_bytes().into()
    }

    /// The salt of a record: two records share one calculation.
    #[must_use]
    pub fn record(&self, index: u64) -> Salt {
        let both = self.mac([&(index >> 1).to_be_bytes(), &[]]);
        half(&both, index & 1 == 1)
    }

    /// The salts of consecutive records.
    pub fn records(&self, first: u64) -> impl Iterator<Item = Salt> + use<'_> {
        let mut both = (u64::MAX, [0; 32]);
        (first..).map(move |index| {
            if both.0 != index >> 1 {
                both = (index >> 1, self.mac([&(index >> 1).to_be_bytes(), &[]]));
            }
            half(&both.1, index & 1 == 1)
        })
    }

    /// The salt of an item of a record.
    #[must_use]
    pub fn item(&self, index: u64, item: u32) -> Salt {
        half(&self.mac([&index.to_be_bytes(), &item.to_be_bytes()]), false)
    }
}

fn half(both: &[u8; 32], second: bool) -> Salt {
    let mut salt = [0; 16];
    salt.copy_from_slice(if second { &both[16..] } else { &both[..16] });
    salt
}

fn entry(kind: u8, commitment: Sha256) -> Entry {
    let mut entry = [kind; SIZE];
    entry[1..].copy_from_slice(&commitment.finalize());
    entry
}

/// The entry of a plain record.
#[must_use]
pub fn plain(salt: &Salt, time: i64, record: &[u8]) -> Entry {
    entry(PLAIN, Sha256::new().chain_update(salt).chain_update(time.to_be_bytes()).chain_update(record))
}

fn listed(salt: &Salt, time: i64, items: &Hash, count: u32, head: &[u8]) -> Entry {
    let commitment = Sha256::new().chain_update(salt).chain_update(time.to_be_bytes()).chain_update(items);
    entry(LISTED, commitment.chain_update(count.to_be_bytes()).chain_update(head))
}

/// A record that lists several terminals: what it says of each, and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The record with its list emptied.
    pub head: Vec<u8>,
    /// What was in the list.
    pub items: Vec<Vec<u8>>,
}

impl Listed {
    fn leaves(&self, key: &SaltKey, index: u64) -> Vec<Hash> {
        let leaves = self.items.iter().zip(0u32..);
        leaves.map(|(item, place)| leaf_hash(&[&key.item(index, place)[..], item].concat())).collect()
    }

    fn count(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    fn root(leaves: &[Hash]) -> Hash {
        let mut frontier = Frontier::default();
        leaves.iter().for_each(|leaf| frontier.push(*leaf, |_, _| ()));
        frontier.root()
    }

    /// The entry of the record.
    #[must_use]
    pub fn entry(&self, key: &SaltKey, index: u64, time: i64) -> Entry {
        let items = Listed::root(&self.leaves(key, index));
        listed(&key.record(index), time, &items, self.count(), &self.head)
    }

    /// Opens the record for one item; `None` if there is no such item, or it is longer than an opening can hold.
    #[must_use]
    pub fn open(&self, key: &SaltKey, index: u64, time: i64, item: u32) -> Option<Opening> {
        let content = self.items.get(item as usize).filter(|item| item.len() <= usize::from(u16::MAX))?;
        let leaves = self.leaves(key, index);
        let Ok(path) = prove_inclusion(leaves.as_slice() as &[Hash], item.into(), leaves.len() as u64);
        Some(Opening {
            salt: key.record(index),
            time,
            content: Content::Listed {
                count: self.count(),
                item,
                salt: key.item(index, item),
                content: content.clone(),
                path,
                head: self.head.clone(),
            },
        })
    }

    /// Opens the record without its items.
    #[must_use]
    pub fn open_head(&self, key: &SaltKey, index: u64, time: i64) -> Opening {
        let items = Listed::root(&self.leaves(key, index));
        let content = Content::Head { count: self.count(), items, head: self.head.clone() };
        Opening { salt: key.record(index), time, content }
    }
}

/// What an opening shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A record.
    Record(Vec<u8>),
    /// One item of a record.
    Listed {
        /// How many items the record has.
        count: u32,
        /// Which of them this is.
        item: u32,
        /// The item's own salt.
        salt: Salt,
        /// The item.
        content: Vec<u8>,
        /// Its path among the items.
        path: Vec<Hash>,
        /// The record with its list emptied.
        head: Vec<u8>,
    },
    /// A record without its items.
    Head {
        /// How many items the record has.
        count: u32,
        /// The root of their tree.
        items: Hash,
        /// The record with its list emptied.
        head: Vec<u8>,
    },
}

/// What an entry was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The salt of the record.
    pub salt: Salt,
    /// The time of the record, in milliseconds since 1970.
    pub time: i64,
    /// What is shown of it.
    pub content: Content,
}

impl Opening {
    /// Opens a plain record.
    #[must_use]
    pub fn plain(key: &SaltKey, index: u64, time: i64, record: &[u8]) -> Opening {
        Opening { salt: key.record(index), time, content: Content::Record(record.to_vec()) }
    }

    /// The bytes, as proofs and receipts carry them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.push(match self.content {
            Content::Record(_) => PLAIN,
            Content::Listed { .. } => LISTED,
            Content::Head { .. } => HEAD,
        });
        bytes.extend_from_slice(&self.salt);
        bytes.extend_from_slice(&self.time.to_be_bytes());
        match &self.content {
            Content::Record(record) => bytes.extend_from_slice(record),
            Content::Listed { count, item, salt, content, path, head } => {
                bytes.extend_from_slice(&count.to_be_bytes());
                bytes.extend_from_slice(&item.to_be_bytes());
                bytes.extend_from_slice(salt);
                bytes.extend_from_slice(&u16::try_from(content.len()).unwrap_or(u16::MAX).to_be_bytes());
                bytes.extend_from_slice(content);
                path.iter().for_each(|hash| bytes.extend_from_slice(hash));
                bytes.extend_from_slice(head);
            }
            Content::Head { count, items, head } => {
                bytes.extend_from_slice(&count.to_be_bytes());
                bytes.extend_from_slice(items);
                bytes.extend_from_slice(head);
            }
        }
        bytes
    }

    /// Reads an opening.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(bytes: &[u8]) -> Result<Opening, Malformed> {
        let mut reader = Reader::new("opening", bytes);
        let kind = reader.byte()?;
        let (salt, time) = (reader.array()?, reader.i64()?);
        let content = match kind {
            PLAIN => Content::Record(reader.rest().to_vec()),
            LISTED => {
                let (count, item, salt) = (reader.u32()?, reader.u32()?, reader.array()?);
                if item >= count {
                    return Err(reader.wrong(format!("there is no item {item} among {count}")));
                }
                let length = u16::from_be_bytes(reader.array()?);
                let content = reader.take(length.into())?.to_vec();
                let path = reader.hashes(inclusion_length(item.into(), count.into()))?;
                Content::Listed { count, item, salt, content, path, head: reader.rest().to_vec() }
            }
            HEAD => {
                let (count, items) = (reader.u32()?, reader.array()?);
                Content::Head { count, items, head: reader.rest().to_vec() }
            }
            kind => return Err(reader.wrong(format!("{kind} is no kind of opening"))),
        };
        reader.end()?;
        Ok(Opening { salt, time, content })
    }

    /// The entry that this opens.
    ///
    /// # Errors
    /// When the item's path does not fit.
    pub fn entry(&self) -> Result<Entry, Malformed> {
        match &self.content {
            Content::Record(record) => Ok(plain(&self.salt, self.time, record)),
            Content::Head { count, items, head } => Ok(listed(&self.salt, self.time, items, *count, head)),
            Content::Listed { count, item, salt, content, path, head } => {
                let leaf = leaf_hash(&[&salt[..], content].concat());
                let items = root_from_inclusion(leaf, (*item).into(), (*count).into(), path);
                let items = items.map_err(|error| Malformed::new("opening", error.to_string()))?;
                Ok(listed(&self.salt, self.time, &items, *count, head))
            }
        }
    }
}

/// The hash of the leaf that an entry is in the tree.
#[must_use]
pub fn leaf(entry: &Entry) -> Hash {
    leaf_hash(entry)
}
