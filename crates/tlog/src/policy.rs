//! Policies of C2SP tlog-policy: which logs are trusted, and how many of which witnesses must have cosigned.

use std::collections::BTreeMap;

use crate::checkpoint::Checkpoint;
use crate::key::{Kind, VerifierKey};
use crate::note::{BadSignature, Note};
use crate::{Malformed, shortened};

/// The most lines of a policy, and members of a group.
const MAX_LINES: usize = 1_000;

/// A log or a witness of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Its key.
    pub key: VerifierKey,
    /// Where it is reached, if the policy says so.
    pub url: Option<String>,
}

/// How many of its members a group needs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    needed: usize,
    members: Vec<String>,
}

/// Whom to believe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    logs: Vec<Party>,
    witnesses: Vec<(String, Party)>,
    groups: BTreeMap<String, Group>,
    quorum: Option<String>,
}

/// A head that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The head.
    pub checkpoint: Checkpoint,
    /// The key of the log.
    pub log: VerifierKey,
    /// The witnesses of the policy that have cosigned, by the policy's names, and when (seconds since 1970).
    pub witnesses: Vec<(String, u64)>,
    /// Whether they are enough. A policy without a quorum asks for none.
    pub quorum: bool,
}

/// Why a head is not to be believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// It cannot be read.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// A signature is false.
    #[error(transparent)]
    Signature(#[from] BadSignature),
    /// No log of the policy has signed it.
    #[error("no log of the policy has signed the head of `{origin}`")]
    UnknownLog {
        /// The origin that it names.
        origin: String,
    },
    /// Not enough witnesses of the policy have cosigned it.
    #[error("only {cosigned} witnesses of the policy have cosigned, which is not the quorum `{quorum}`")]
    Quorum {
        /// How many have.
        cosigned: usize,
        /// The name of the quorum.
        quorum: String,
    },
}

impl Policy {
    /// A policy that trusts one log and asks for no witness.
    #[must_use]
    pub fn of_log(key: VerifierKey) -> Policy {
        Policy { logs: vec![Party { key, url: None }], ..Policy::default() }
    }

    /// Reads a policy.
    ///
    /// # Errors
    /// In which line, and what is wrong.
    pub fn parse(text: &str) -> Result<Policy, Malformed> {
        let mut policy = Policy::default();
        if text.lines().count() > MAX_LINES {
            return Err(Malformed::new("policy", "it is too long"));
        }
        for (line, place) in text.lines().zip(1..) {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if words.first().is_none_or(|word| word.starts_with('#')) {
                continue;
            }
            policy.line(&words).map_err(|what| Malformed::new("policy", format!("line {place}: {what}")))?;
        }
        if policy.logs.is_empty() {
            return Err(Malformed::new("policy", "it names no log"));
        }
        Ok(policy)
    }

    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        let party = |vkey: &str, kind: Kind, url: Option<&str>| {
            let key = VerifierKey::parse(vkey).map_err(|error| error.to_string())?;
            if key.kind() != kind {
                return Err("the key is of the wrong type for this line".to_owned());
            }
            Ok(Party { key, url: url.map(str::to_owned) })
        };
        match *words {
            ["log", vkey] => self.logs.push(party(vkey, Kind::Note, None)?),
            ["log", vkey, url] => self.logs.push(party(vkey, Kind::Note, Some(url))?),
            ["witness", name, vkey] => self.witness(name, party(vkey, Kind::Cosignature, None)?)?,
            ["witness", name, vkey, url] => self.witness(name, party(vkey, Kind::Cosignature, Some(url))?)?,
            ["group", name, needed, ref members @ ..] => self.group(name, needed, members)?,
            ["quorum", name] => {
                if self.quorum.is_some() {
                    return Err("there is a quorum already".to_owned());
                }
                if name != "none" && !self.is_known(name) {
                    return Err(format!("`{}` is no witness and no group above", shortened(name)));
                }
                self.quorum = Some(name.to_owned());
            }
            _ => return Err("it is no line of log, witness, group or quorum".to_owned()),
        }
        Ok(())
    }

    fn is_known(&self, name: &str) -> bool {
        self.groups.contains_key(name) || self.witnesses.iter().any(|(known, _)| known == name)
    }

    fn new_name(&self, name: &str) -> Result<(), String> {
        match name {
            "none" | "any" | "all" => Err(format!("`{name}` cannot be a name")),
            _ if self.is_known(name) => Err(format!("`{}` is there already", shortened(name))),
            _ => Ok(()),
        }
    }

    fn witness(&mut self, name: &str, party: Party) -> Result<(), String> {
        self.new_name(name)?;
        if self.witnesses.iter().any(|(_, known)| known.key == party.key) {
            return Err("the key of the witness is there already".to_owned());
        }
        self.witnesses.push((name.to_owned(), party));
        Ok(())
    }

    fn group(&mut self, name: &str, needed: &str, members: &[&str]) -> Result<(), String> {
        self.new_name(name)?;
        if let Some(unknown) = members.iter().find(|member| !self.is_known(member)) {
            return Err(format!("`{}` is no witness and no group above", shortened(unknown)));
        }
        let mut unique = members.to_vec();
        unique.sort_unstable();
        unique.dedup();
        let needed = match needed {
            "any" => 1,
            "all" => members.len(),
            number => number.parse().map_err(|_| "a group needs any, all or a number".to_owned())?,
        };
        if unique.len() != members.len() || !(1..=members.len()).contains(&needed) {
            return Err("a group has different members, and needs at least one and at most all".to_owned());
        }
        let members = members.iter().map(|member| (*member).to_owned()).collect();
        self.groups.insert(name.to_owned(), Group { needed, members });
        Ok(())
    }

    /// The logs.
    #[must_use]
    pub fn logs(&self) -> &[Party] {
        &self.logs
    }

    /// The witnesses, with the policy's names for them.
    #[must_use]
    pub fn witnesses(&self) -> &[(String, Party)] {
        &self.witnesses
    }

    /// Whether these witnesses are enough.
    #[must_use]
    pub fn is_quorum(&self, cosigned: &[&str]) -> bool {
        match self.quorum.as_deref() {
            None | Some("none") => true,
            Some(name) => self.holds(name, cosigned),
        }
    }

    /// Groups name only what is above them, so this ends.
    fn holds(&self, name: &str, cosigned: &[&str]) -> bool {
        match self.groups.get(name) {
            Some(group) => group.members.iter().filter(|member| self.holds(member, cosigned)).count() >= group.needed,
            None => cosigned.contains(&name),
        }
    }

    /// Verifies a head as far as it goes: its log must be known, and no signature may be false.
    ///
    /// # Errors
    /// Why it is not to be believed.
    pub fn examine(&self, note: &Note) -> Result<Verified, Distrust> {
        let checkpoint = Checkpoint::parse(&note.text)?;
        // The name of a log's key is its origin.
        let keys = self.logs.iter().map(|log| &log.key).filter(|key| key.name() == checkpoint.origin);
        let signed = note.verify(keys)?;
        let Some(log) = signed.first().map(|signed| signed.key.clone()) else {
            return Err(Distrust::UnknownLog { origin: checkpoint.origin });
        };
        let signed = note.verify(self.witnesses.iter().map(|(_, party)| &party.key))?;
        let witnesses: Vec<(String, u64)> = self
            .witnesses
            .iter()
            .filter_map(|(name, party)| {
                let signed = signed.iter().find(|signed| *signed.key == party.key)?;
                Some((name.clone(), signed.time?))
            })
            .collect();
        let names: Vec<&str> = witnesses.iter().map(|(name, _)| name.as_str()).collect();
        let quorum = self.is_quorum(&names);
        Ok(Verified { checkpoint, log, witnesses, quorum })
    }

    /// Verifies a head: its log must be known and its witnesses enough.
    ///
    /// # Errors
    /// Why it is not to be believed.
    pub fn verify(&self, note: &Note) -> Result<Verified, Distrust> {
        let verified = self.examine(note)?;
        if verified.quorum {
            return Ok(verified);
        }
        let quorum = self.quorum.clone().unwrap_or_default();
        Err(Distrust::Quorum { cosigned: verified.witnesses.len(), quorum })
    }
}
