//! `croupier audit`: chain, signatures, replay, ledger, every settlement recomputed, and the records compared.

mod compare;
pub mod report;

use std::path::{Path, PathBuf};

use clap::Args;

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

Only an anchor proves that the end was not cut off: a checkpoint that was kept elsewhere, as printed at the end of every \
audit and by `croupier journal anchor`. The file may be a whole report of an earlier audit.

Examples:
  croupier audit --data /srv/floor
  croupier audit nats://one:4222,nats://two:4222/main --key floor.pub
  croupier audit --archive /archive/floor --anchor yesterday.txt --key floor.pub > report.txt")]
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

    /// The public key that must have signed; without it the one in the folder, which proves less.
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Audit {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let place = self.data.readable(self.stream.as_ref(), &self.cluster)?;
        let mut report = audit(place.folder(), &self.archive, &self.anchor, self.key.as_deref())?;
        if let Some(stream) = &self.stream {
            report.is_of(stream);
        }
        Ok(report.answer(form))
    }
}

/// Audits the journal of a folder.
pub fn audit(data: &Path, archive: &ArchiveArg, anchors: &[PathBuf], key: Option<&Path>) -> Result<Report, Refusal> {
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
    let mut audit = engine::audit(folders, &kept, given, |read, of| {
        bar.set_length(of);
        bar.set_position(read);
    });
    bar.finish_and_clear();
    let records = compare::records(data, archive, running, &audit);
    audit.findings.extend(records.findings());
    Ok(Report::new(data, archive.folders(), running, key_from, &audit, records))
}
