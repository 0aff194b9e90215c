//! Receipts as digits: the slip that gives the right to fetch a receipt, and the receipt itself, for QR codes.

use crate::Malformed;
use crate::checkpoint::Checkpoint;
use crate::decimal::{from_digits, to_digits};
use crate::entry::{Opening, Salt, leaf};
use crate::key::Kind;
use crate::note::{Note, SignatureLine};
use crate::policy::Policy;
use crate::proof::{inclusion_length, root_from_inclusion};
use crate::proof_file::ProofFile;
use crate::read::{Reader, write_uvarint};
use crate::tree::Hash;

const VERSION: u8 = 1;
/// The most witnesses of a receipt.
const MAX_WITNESSES: usize = 16;

/// Which record, and its salt: the right to fetch its receipt, and what opens its entry together with the record.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// The index of the entry.
    pub index: u64,
    /// The salt of the record.
    pub salt: Salt,
}

impl Slip {
    /// The digits.
    #[must_use]
    pub fn to_digits(&self) -> String {
        let mut bytes = vec![VERSION];
        write_uvarint(&mut bytes, self.index);
        bytes.extend_from_slice(&self.salt);
        to_digits(&bytes)
    }

    /// Reads the digits.
    ///
    /// # Errors
    /// When they are no slip.
    pub fn parse(digits: &str) -> Result<Slip, Malformed> {
        let bytes = from_digits(digits).ok_or_else(|| Malformed::new("slip", "it is not made of digits"))?;
        let mut reader = Reader::new("slip", &bytes);
        if reader.byte()? != VERSION {
            return Err(reader.wrong("it is of another version"));
        }
        let slip = Slip { index: reader.uvarint()?, salt: reader.array()? };
        reader.end()?;
        Ok(slip)
    }
}

/// A witness's part of a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    /// The id of its key.
    pub id: [u8; 4],
    /// When, in seconds since 1970.
    pub time: u64,
    /// The signature.
    pub signature: [u8; 64],
}

/// A receipt without anything that the policy or the tree gives: names, origin, root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compact {
    /// The id of the log's key.
    pub log: [u8; 4],
    /// The size of the tree.
    pub size: u64,
    /// The index of the entry.
    pub index: u64,
    /// What the entry is made from.
    pub opening: Vec<u8>,
    /// The siblings, that of the leaf first.
    pub path: Vec<Hash>,
    /// The log's signature.
    pub signature: [u8; 64],
    /// The witnesses'.
    pub cosignatures: Vec<Cosignature>,
}

impl Compact {
    /// The receipt of a proof; signatures of keys that the policy does not have are left out.
    ///
    /// # Errors
    /// When the proof has no opening, or no log of the policy has signed it.
    pub fn of(proof: &ProofFile, policy: &Policy) -> Result<Compact, Malformed> {
        let wrong = |what: &str| Malformed::new("receipt", what);
        let checkpoint = Checkpoint::parse(&proof.note.text)?;
        let opening = proof.extra.clone().ok_or_else(|| wrong("the proof does not say what the entry is made from"))?;
        let is_log = |line: &&SignatureLine| {
            policy.logs().iter().any(|log| log.key.name() == line.name && log.key.id() == line.id)
        };
        let log = proof.note.signatures.iter().find(is_log);
        let log = log.ok_or_else(|| wrong("no log of the policy has signed the head"))?;
        let signature = log.signature.as_slice().try_into().map_err(|_| wrong("a signature is not of 64 bytes"))?;
        let is_witness = |line: &&SignatureLine| {
            let parties = policy.witnesses().iter();
            parties.map(|(_, party)| &party.key).any(|key| key.name() == line.name && key.id() == line.id)
        };
        let mut cosignatures = Vec::new();
        for line in proof.note.signatures.iter().filter(is_witness).take(MAX_WITNESSES) {
            let mut reader = Reader::new("cosignature", &line.signature);
            let time = u64::from_be_bytes(reader.array()?);
            let signature = reader.array()?;
            reader.end()?;
            cosignatures.push(Cosignature { id: line.id, time, signature });
        }
        let (index, path) = (proof.index, proof.path.clone());
        Ok(Compact { log: log.id, size: checkpoint.size, index, opening, path, signature, cosignatures })
    }

    /// The digits.
    #[must_use]
    pub fn to_digits(&self) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&self.log);
        write_uvarint(&mut bytes, self.size);
        write_uvarint(&mut bytes, self.index);
        write_uvarint(&mut bytes, self.opening.len() as u64);
        bytes.extend_from_slice(&self.opening);
        self.path.iter().for_each(|hash| bytes.extend_from_slice(hash));
        bytes.extend_from_slice(&self.signature);
        bytes.push(u8::try_from(self.cosignatures.len()).unwrap_or(u8::MAX));
        for cosignature in &self.cosignatures {
            bytes.extend_from_slice(&cosignature.id);
            write_uvarint(&mut bytes, cosignature.time);
            bytes.extend_from_slice(&cosignature.signature);
        }
        to_digits(&bytes)
    }

    /// Reads the digits.
    ///
    /// # Errors
    /// When they are no receipt.
    pub fn parse(digits: &str) -> Result<Compact, Malformed> {
        let bytes = from_digits(digits).ok_or_else(|| Malformed::new("receipt", "it is not made of digits"))?;
        let mut reader = Reader::new("receipt", &bytes);
        if reader.byte()? != VERSION {
            return Err(reader.wrong("it is of another version"));
        }
        let (log, size, index) = (reader.array()?, reader.uvarint()?, reader.uvarint()?);
        if index >= size {
            return Err(reader.wrong(format!("entry {index} is not in a tree of {size}")));
        }
        let length = usize::try_from(reader.uvarint()?).map_err(|_| reader.wrong("the opening is too long"))?;
        let opening = reader.take(length)?.to_vec();
        let path = reader.hashes(inclusion_length(index, size))?;
        let signature = reader.array()?;
        let count = reader.byte()?;
        if usize::from(count) > MAX_WITNESSES {
            return Err(reader.wrong("it has too many witnesses"));
        }
        let mut cosignatures = Vec::new();
        for _ in 0..count {
            cosignatures.push(Cosignature { id: reader.array()?, time: reader.uvarint()?, signature: reader.array()? });
        }
        reader.end()?;
        Ok(Compact { log, size, index, opening, path, signature, cosignatures })
    }

    /// The proof that this stands for, byte for byte. What it proves is to be verified as with every other proof.
    ///
    /// # Errors
    /// When the policy does not know the log or a witness, or the opening cannot be read.
    pub fn expand(&self, policy: &Policy) -> Result<ProofFile, Malformed> {
        let wrong = |what: &str| Malformed::new("receipt", what);
        let log = policy.logs().iter().find(|log| log.key.id() == self.log && log.key.kind() == Kind::Note);
        let log = log.ok_or_else(|| wrong("the policy does not know its log"))?;
        let entry = Opening::parse(&self.opening)?.entry()?;
        let root = root_from_inclusion(leaf(&entry), self.index, self.size, &self.path);
        let root = root.map_err(|error| wrong(&error.to_string()))?;
        let text = Checkpoint { origin: log.key.name().to_owned(), size: self.size, root }.to_text();
        let line = |name: &str, id, signature| SignatureLine { name: name.to_owned(), id, signature };
        let mut signatures = vec![line(log.key.name(), self.log, self.signature.to_vec())];
        for cosignature in &self.cosignatures {
            let witness = policy.witnesses().iter().find(|(_, party)| party.key.id() == cosignature.id);
            let (_, party) = witness.ok_or_else(|| wrong("the policy does not know a witness of it"))?;
            let bytes = [&cosignature.time.to_be_bytes()[..], &cosignature.signature].concat();
            signatures.push(line(party.key.name(), cosignature.id, bytes));
        }
        let (extra, path) = (Some(self.opening.clone()), self.path.clone());
        Ok(ProofFile { extra, index: self.index, path, note: Note { text, signatures } })
    }
}
