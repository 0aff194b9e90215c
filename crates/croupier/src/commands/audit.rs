//! `croupier audit`: chain, signatures, replay, ledger, every settlement recomputed, and the records compared.

mod compare;
pub mod report;

use std::path::{Path, PathBuf};

use clap::Args;
use engine::Finding;
use receipts::LogAudit;
use tlog::{Checkpoint, Policy};

use crate::commands::verify;
use crate::data::{self, ArchiveArg, DataArg};
use crate::output::{Answer, Form, progress};
use crate::place::{Cluster, ClusterArgs};
use crate::refusal::{Failure, Refusal};
use report::{KeyFrom, Report};

/// Audit a floor's journal from its first record: chain, signatures, ledger, every settlement, and the records made from it.
#[derive(Args)]
#[command(after_help = "\
Every byte is read and every record replayed; every settlement is recomputed from the bets and the rulebook \
of its round. The records (records.sqlite), from which papers are printed, are made anew in a temporary file and compared \
row by row: a table that was edited is named. Nothing is changed, and the floor may run meanwhile. Exit code 0: no \
findings; 1: findings.

The transparency log is audited too: its tree is made again, and every signed head must be that of the records before it. With \
--since and a head that you kept, such as `croupier log head --day` or a day report gives it, only what came after it is audited: \
that the log still begins with these records is proved by the head. The replay then begins with a snapshot in the folder, whose \
state is trusted.

Only an anchor proves that the end was not cut off: a checkpoint that was kept elsewhere, as printed at the end of every \
audit and by `croupier journal anchor`. The file may be a whole report of an earlier audit.

Examples:
  croupier audit --data /srv/floor
  croupier audit nats://one:4222,nats://two:4222/main --key floor.pub
  croupier audit --archive /archive/floor --anchor yesterday.txt --key floor.pub > report.txt
  croupier audit --data /srv/floor --since 2026-03-29.note --policy policy.txt")]
pub struct Audit {
    /// A floor on a cluster, fetched into a temporary folder first: `nats://host:4222,nats://host:4222/FLOOR`.
    #[arg(value_name = "STREAM", conflicts_with_all = ["data", "archive"])]
    stream: Option<Cluster>,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,

    /// A file with one or more checkpoints that were kept elsewhere; give the option once for each.
    #[arg(long, value_name = "FILE")]
    anchor: Vec<PathBuf>,

    /// A signed head of the log that was kept elsewhere: only what came after it is audited.
    #[arg(long, value_name = "NOTE", conflicts_with_all = ["stream", "anchor"])]
    since: Option<PathBuf>,

    /// Whom to believe about heads of the log (C2SP tlog-policy): its witnesses must have cosigned every gaming day and the head of
    /// --since. Without it the key in the folder is believed, which proves less.
    #[arg(long, value_name = "FILE", conflicts_with = "stream")]
    policy: Option<PathBuf>,

    /// The public key that must have signed; without it the one in the folder, which proves less.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Audit {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let place = self.data.readable(self.stream.as_ref(), &self.cluster)?;
        let trust = LogTrust::read(place.folder(), self.since.as_deref(), self.policy.as_deref())?;
        let mut report = audit_by(place.folder(), &self.archive, &self.anchor, self.key.as_deref(), &trust)?;
        if let Some(stream) = &self.stream {
            report.is_of(stream);
        }
        Ok(report.answer(form))
    }
}

/// What is known of the log from elsewhere.
#[derive(Default)]
struct LogTrust {
    since: Option<Checkpoint>,
    policy: Option<Policy>,
}

impl LogTrust {
    fn read(data: &Path, since: Option<&Path>, policy: Option<&Path>) -> Result<LogTrust, Refusal> {
        let policy = policy.map(verify::policy).transpose()?;
        let Some(file) = since else { return Ok(LogTrust { since: None, policy }) };
        let note = verify::note(file)?;
        let believed = match &policy {
            Some(policy) => policy.clone(),
            None => {
                let unreadable = |error| Refusal::disk("the log cannot be read", &error);
                let none = || Refusal::new("no_log", "the floor has no log");
                Policy::of_log(receipts::keys::public(data).map_err(unreadable)?.ok_or_else(none)?)
            }
        };
        let verified = believed.verify(&note);
        let verified =
            verified.map_err(|error| Refusal::new("not_believed", format!("{}: {error}", file.display())))?;
        Ok(LogTrust { since: Some(verified.checkpoint), policy })
    }
}

/// Audits the journal of a folder.
pub fn audit(data: &Path, archive: &ArchiveArg, anchors: &[PathBuf], key: Option<&Path>) -> Result<Report, Refusal> {
    audit_by(data, archive, anchors, key, &LogTrust::default())
}

fn audit_by(
    data: &Path,
    archive: &ArchiveArg,
    anchors: &[PathBuf],
    key: Option<&Path>,
    trust: &LogTrust,
) -> Result<Report, Refusal> {
    let folders = archive.with(data)?;
    let given = key.map(data::key).transpose()?;
    let key_from = match given {
        Some(_) => KeyFrom::Elsewhere,
        None if data.join("journal.pub").exists() => KeyFrom::Folder,
        None => KeyFrom::Checkpoints,
    };
    let mut kept = Vec::new();
    for file in anchors {
        kept.extend(data::anchors(file)?);
    }
    let running = data::in_use(data);
    let bar = progress("Auditing", 0);
    let since = trust.since.as_ref().map(|since| since.size);
    let mut audit = engine::audit_since(folders, since, &kept, given, |read, of| {
        bar.set_length(of);
        bar.set_position(read);
    });
    bar.finish_and_clear();
    let log = log(data, archive, trust, &mut audit);
    let records = match since {
        None => compare::records(data, archive, running, &audit),
        Some(_) => compare::Records::NotCompared { why: "only what came after a head was audited".to_owned() },
    };
    audit.findings.extend(records.findings());
    Ok(Report::new(data, archive.folders(), running, key_from, &audit, log, records))
}

/// Audits the log beside the journal, as far as there is one.
fn log(data: &Path, archive: &ArchiveArg, trust: &LogTrust, audit: &mut engine::Audit) -> Option<LogAudit> {
    let finding = |sequence, what: String| Finding { sequence, what: format!("log: {what}") };
    match receipts::audit(data, archive.folders(), trust.since.as_ref(), trust.policy.as_ref()) {
        Ok(log) => {
            let found = log.iter().flat_map(|log| log.findings.clone());
            audit.findings.extend(found.map(|(sequence, what)| finding(sequence, what)));
            log
        }
        // A journal that cannot be read to its end has findings of its own.
        Err(_) if !audit.is_clean() => None,
        Err(error) => {
            audit.findings.push(finding(audit.last, error.to_string()));
            None
        }
    }
}
