//! What a forger does to a journal: takes it apart into batches, changes them, and seals it again, with or without the
//! key. The format is written out here a second time, from its description and not from the code.

use ed25519_dalek::{Signer, SigningKey};
use engine::encode;
use floor::Record;
use journal::{BLOCK, Chain, Disk};

use super::disk::MemDisk;

const HEADER: usize = 68;

/// A batch: magic, checksum, length, count, first sequence, time, kind, chain, and then its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub count: u32,
    pub first: u64,
    pub time: i64,
    pub checkpoint: bool,
    pub payload: Vec<u8>,
    chain: [u8; 32],
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("so many bytes")
}

impl Piece {
    fn sealed(&mut self, before: Chain) -> Vec<u8> {
        let mut fields = Vec::new();
        fields.extend((self.payload.len() as u32).to_le_bytes());
        fields.extend(self.count.to_le_bytes());
        fields.extend(self.first.to_le_bytes());
        fields.extend(self.time.to_le_bytes());
        fields.extend(u32::from(self.checkpoint).to_le_bytes());
        self.chain = before.after(&fields, &self.payload).0;
        self.bytes(&fields)
    }

    fn bytes(&self, fields: &[u8]) -> Vec<u8> {
        let sealed = [fields, &self.chain, &self.payload].concat();
        let mut bytes = b"BTCH".to_vec();
        bytes.extend(crc32fast::hash(&sealed).to_le_bytes());
        bytes.extend(sealed);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        bytes
    }

    /// One record, in place of whatever the batch held.
    pub fn hold(&mut self, record: &Record) {
        let mut bytes = Vec::new();
        encode(record, &mut bytes);
        self.payload = vec![0];
        let mut length = bytes.len();
        while length >= 0x80 {
            self.payload.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.payload.push(length as u8);
        self.payload.extend(bytes);
        (self.count, self.time) = (1, record.at.0);
    }
}

/// A segment taken apart.
#[derive(Clone)]
pub struct Parts {
    header: Vec<u8>,
    pub pieces: Vec<Piece>,
    size: usize,
}

impl Parts {
    pub fn of(disk: &MemDisk, name: &str) -> Parts {
        let bytes = disk.bytes(name);
        let mut pieces = Vec::new();
        let mut at = BLOCK;
        while bytes[at..].starts_with(b"BTCH") {
            let length = u32::from_le_bytes(number(&bytes, at + 8)) as usize;
            pieces.push(Piece {
                count: u32::from_le_bytes(number(&bytes, at + 12)),
                first: u64::from_le_bytes(number(&bytes, at + 16)),
                time: i64::from_le_bytes(number(&bytes, at + 24)),
                checkpoint: bytes[at + 32] == 1,
                chain: number(&bytes, at + 36),
                payload: bytes[at + HEADER..at + HEADER + length].to_vec(),
            });
            at = (at + HEADER + length).next_multiple_of(BLOCK);
        }
        Parts { header: bytes[..BLOCK].to_vec(), pieces, size: bytes.len() }
    }

    /// The chain after the last batch of records.
    pub fn chain_of_records(&self) -> Chain {
        Chain(self.pieces.iter().rfind(|piece| !piece.checkpoint).expect("a batch").chain)
    }

    /// Puts the batches back as they are.
    pub fn put_raw(&self, disk: &MemDisk, name: &str) {
        let fields = |piece: &Piece| {
            let mut fields = (piece.payload.len() as u32).to_le_bytes().to_vec();
            fields.extend(piece.count.to_le_bytes());
            fields.extend(piece.first.to_le_bytes());
            fields.extend(piece.time.to_le_bytes());
            fields.extend(u32::from(piece.checkpoint).to_le_bytes());
            fields
        };
        let mut bytes = self.header.clone();
        self.pieces.iter().for_each(|piece| bytes.extend(piece.bytes(&fields(piece))));
        bytes.resize(bytes.len().max(self.size), 0);
        disk.put(name, &bytes);
    }

    /// Counts the records and recomputes every hash; with the key, signs the checkpoints too.
    pub fn put_sealed(mut self, disk: &MemDisk, name: &str, key: Option<&SigningKey>) {
        let journal: [u8; 16] = number(&self.header, 16);
        let mut next = u64::from_le_bytes(number(&self.header, 40));
        let mut chain = Chain(number(&self.header, 48));
        let mut bytes = self.header.clone();
        for piece in &mut self.pieces {
            piece.first = next;
            if let Some(key) = key.filter(|_| piece.checkpoint) {
                let signed = [&b"croupier checkpoint"[..], &journal, &(next - 1).to_le_bytes(), &chain.0].concat();
                let signature = key.sign(&signed).to_bytes();
                let public = key.verifying_key().to_bytes();
                piece.payload = [&(next - 1).to_le_bytes()[..], &chain.0, &public, &signature].concat();
            }
            bytes.extend(piece.sealed(chain));
            chain = Chain(piece.chain);
            next += u64::from(piece.count);
        }
        bytes.resize(bytes.len().max(self.size), 0);
        disk.put(name, &bytes);
    }
}

/// The secret key of a journal, as an insider has it.
pub fn secret(disk: &MemDisk) -> SigningKey {
    SigningKey::from_bytes(&disk.read("journal.key").expect("a key").try_into().expect("of 32 bytes"))
}
