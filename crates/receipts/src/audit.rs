//! The audit of a log: its tree is made again from the journal, and every head must be that of the records before it.

use std::io;
use std::path::{Path, PathBuf};

use tlog::entry::leaf as leaf_of_entry;
use tlog::proof::verify_consistency;
use tlog::{Checkpoint, Frontier, Note, Policy};

use crate::cosigned::Cosigned;
use crate::heads::{DAYS, Head, Heads};
use crate::prove::Prover;
use crate::{FOLDER, keys};

/// What an audit of the log saw.
#[derive(Clone, Debug, Default)]
pub struct LogAudit {
    /// How many records were put into the tree before the first that was read: those of a head kept elsewhere.
    pub since: u64,
    /// How many records there are.
    pub records: u64,
    /// Signed heads, each of which has the root of the records before it.
    pub heads: u64,
    /// Gaming days with a head.
    pub days: u64,
    /// Gaming days that enough witnesses have cosigned, or the next head after which proves them.
    pub days_cosigned: u64,
    /// Everything that is not as it should be, with the record.
    pub findings: Vec<(u64, String)>,
}

impl LogAudit {
    fn find(&mut self, sequence: u64, what: impl Into<String>) {
        self.findings.push((sequence, what.into()));
    }
}

/// Audits the log of a folder: everything, or what came after a head that was kept elsewhere. `None` if the floor has no log.
/// With a policy, its witnesses must have cosigned every gaming day.
///
/// # Errors
/// When journal or log cannot be read.
pub fn audit(
    folder: &Path,
    archives: &[PathBuf],
    since: Option<&Checkpoint>,
    policy: Option<&Policy>,
) -> io::Result<Option<LogAudit>> {
    let (Some(prover), Some(key)) = (Prover::open(folder, archives)?, keys::public(folder)?) else { return Ok(None) };
    let mut audit = LogAudit { since: since.map_or(0, |since| since.size), ..LogAudit::default() };
    let log = folder.join(FOLDER);
    let heads = Heads::new(&log, key.clone());
    if heads.is_torn()? {
        audit.find(0, "the last signed head of the log is half written, or was changed");
    }
    let mut heads = heads.after(audit.since)?.into_iter().peekable();
    let mut frontier = match since {
        None => Frontier::default(),
        Some(since) => match begin(&prover, since, &mut audit)? {
            Some(frontier) => frontier,
            None => return Ok(Some(audit)),
        },
    };
    let from = frontier.size();
    prover.entries_after(from, |entry| {
        frontier.push(leaf_of_entry(entry), |_, _| ());
        while let Some(head) = heads.next_if(|head| head.checkpoint.size <= frontier.size()) {
            if head.checkpoint.root == frontier.root() {
                audit.heads += 1;
            } else {
                audit.find(head.checkpoint.size, "the signed head of the log is not that of the records before it");
            }
        }
        Ok(())
    })?;
    audit.records = frontier.size();
    if let Some(head) = heads.next() {
        audit.find(audit.records, format!("the end is cut off: a head of {} records was signed", head.checkpoint.size));
    }
    days(&log, &Cosigned::new(&log, key), policy, &mut audit)?;
    Ok(Some(audit))
}

/// The tree of the head that was kept, if the log still begins with it.
fn begin(prover: &Prover, since: &Checkpoint, audit: &mut LogAudit) -> io::Result<Option<Frontier>> {
    let newest = prover.newest()?.map(|head| head.checkpoint);
    let Some(newest) = newest.filter(|newest| newest.origin == since.origin) else {
        audit.find(since.size, format!("the log is not {}, whose head was kept", since.origin));
        return Ok(None);
    };
    if newest.size < since.size {
        audit.find(newest.size, format!("the end is cut off: the head that was kept has {} records", since.size));
        return Ok(None);
    }
    let proof = prover.consistency(since.size, newest.size)?;
    if let Err(error) = verify_consistency(since.size, &since.root, newest.size, &newest.root, &proof) {
        audit.find(since.size, format!("the log does not extend the head that was kept: {error}"));
        return Ok(None);
    }
    let frontier = Frontier::of(prover.levels(), since.size)?;
    if frontier.root() != since.root {
        audit.find(since.size, "the files of the tree are damaged: start the floor, which makes them again");
        return Ok(None);
    }
    Ok(Some(frontier))
}

/// The heads of gaming days, by the policy.
fn days(log: &Path, cosigned: &Cosigned, policy: Option<&Policy>, audit: &mut LogAudit) -> io::Result<()> {
    let names = match std::fs::read_dir(log.join(DAYS)) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for name in names {
        let name = name?.file_name();
        let Some(day) = name.to_str().and_then(|name| name.strip_suffix(".note")) else { continue };
        let Some(found) = cosigned.day(day)? else {
            audit.find(0, format!("the head of the gaming day {day} is damaged"));
            continue;
        };
        let Checkpoint { size, root, .. } = found.head.checkpoint.clone();
        if size < audit.since {
            continue;
        }
        audit.days += 1;
        let Some(policy) = policy else { continue };
        let enough = |note: &Note| policy.verify(note).map(|_| ()).map_err(|error| error.to_string());
        let proved = enough(&found.head.note).or_else(|error| match &found.later {
            None => Err(error),
            Some((Head { note, checkpoint }, proof)) => enough(note).and_then(|()| {
                verify_consistency(size, &root, checkpoint.size, &checkpoint.root, proof)
                    .map_err(|error| error.to_string())
            }),
        });
        match proved {
            Ok(()) => audit.days_cosigned += 1,
            Err(error) => audit.find(size, format!("the head of the gaming day {day}: {error}")),
        }
    }
    Ok(())
}
