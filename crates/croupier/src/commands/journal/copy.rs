//! `croupier journal copy`: a journal from a folder to a cluster, or from a cluster to a folder.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use cluster::{HostKey, Stream, to_stream};
use journal::{Disk, Journal, Key, OpenError, RealDisk, Scan, SegmentName};
use serde::Serialize;

use crate::data::{self, ArchiveArg};
use crate::output::{Form, progress};
use crate::place::{self, Cluster, ClusterArgs, Place};
use crate::refusal::{Failure, Refusal};

/// Copy a journal from a folder to a cluster, or from a cluster to a folder.
#[derive(Args)]
#[command(after_help = "\
FROM and TO are a folder, or a floor on a NATS JetStream cluster: nats://host:4222[,nats://host:4222…]/FLOOR. The copy is \
the same byte for byte: records, chain and checkpoints. The key that signs them is copied too. A copy that was interrupted, \
or that is out of date, continues where it ends. Nothing is overwritten: where the other side has another journal, or more \
than this one, the copy is refused.

No floor may run in the folder meanwhile. From folder to folder there is `croupier backup`.

Examples:
  croupier journal copy /srv/floor nats://one:4222,nats://two:4222,nats://three:4222/main
  croupier journal copy nats://one:4222/main /srv/floor
  croupier journal copy /srv/floor nats://localhost:4222/main --replicas 1
  croupier journal copy /srv/floor nats://one:4222/main --archive /archive/floor")]
pub struct Copy {
    /// The source: a folder or a floor on a cluster.
    #[arg(value_name = "FROM")]
    from: Place,

    /// The target: a folder or a floor on a cluster.
    #[arg(value_name = "TO")]
    to: Place,

    #[command(flatten)]
    archive: ArchiveArg,

    #[command(flatten)]
    cluster: ClusterArgs,
}

#[derive(Serialize)]
struct Copied {
    from: String,
    to: String,
    /// Batches and checkpoints.
    messages: u64,
    records: u64,
    chain: String,
    key: String,
}

impl Copy {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let copied = match (&self.from, &self.to) {
            (Place::Folder(folder), Place::Cluster(cluster)) => self.publish(folder, cluster)?,
            (Place::Cluster(cluster), Place::Folder(folder)) => self.fetch(cluster, folder)?,
            (Place::Folder(_), Place::Folder(_)) => {
                return Err(Failure::Usage(
                    "from folder to folder a journal is copied by `croupier backup`".to_owned(),
                ));
            }
            (Place::Cluster(_), Place::Cluster(_)) => {
                return Err(Failure::Usage("from cluster to cluster a journal goes through a folder".to_owned()));
            }
        };
        Ok(form.render(&copied, |page| {
            page.words(&format!("Records 1 to {} of {} are in {}.", copied.records, copied.from, copied.to));
            page.words("The chain at the end:");
            page.line(&copied.chain);
        }))
    }

    fn publish(&self, folder: &Path, cluster: &Cluster) -> Result<Copied, Refusal> {
        let floor = cluster.floor()?;
        data::holds_journal(folder)?;
        if data::in_use(folder) {
            let words = format!("{} is in use: stop the floor that runs there", folder.display());
            return Err(Refusal::new("in_use", words));
        }
        let mut scan = data::scan(self.archive.with(folder)?)?;
        if scan.first() != Some(SegmentName(1)) {
            let words = "the older segments are archived: give their folder with --archive";
            return Err(Refusal::new("archived_records", words));
        }
        let (id, key) = (scan.id()?.unwrap_or_default(), key(folder)?);
        place::runtime()?.block_on(async {
            let connection = self.cluster.connect(cluster).await?;
            if Stream::open(&connection, floor).await?.is_some_and(|stream| stream.journal() != id) {
                return Err(another(cluster));
            }
            if connection.journal_key(floor, Some(&key)).await?.public() != key.public() {
                return Err(another(cluster));
            }
            let mut stream = Stream::create(&connection, floor, id).await?;
            // The folder of a host has its key: the copy is then signed as if the host had written it.
            let host = HostKey::find(folder).map_err(|error| Refusal::disk("cannot read host.key", &error))?;
            if let Some(host) = host {
                stream = stream.signed_by(Arc::new(host));
            }
            let bar = progress("Copying", scan.size());
            let last = to_stream(&mut scan, &stream, |_, bytes| bar.set_position(bytes)).await;
            bar.finish_and_clear();
            let messages = last?;
            let ending = scan.ending().ok_or_else(|| Refusal::new("disk", "the journal has no end"))?;
            Ok(Copied {
                from: folder.display().to_string(),
                to: cluster.to_string(),
                messages: messages - 1,
                records: ending.sequence,
                chain: ending.chain.to_string(),
                key: key.public().to_string(),
            })
        })
    }

    fn fetch(&self, cluster: &Cluster, folder: &Path) -> Result<Copied, Refusal> {
        let disk = |error: std::io::Error| Refusal::disk("cannot copy into the folder", &error);
        place::runtime()?.block_on(async {
            let (connection, floor, stream) = self.cluster.stream(cluster).await?;
            let key = connection.journal_key(&floor, None).await?;
            let to = RealDisk::new(folder).map_err(disk)?;
            let _lock = to.lock().map_err(disk)?;
            let options = journal::Options::default();
            let mut copy = if Scan::new(vec![to.another()]).map_err(disk)?.is_empty() {
                Journal::copy_of(to, options, stream.journal(), key).map_err(disk)?
            } else {
                Journal::open(to, options, None, |_, _| Ok(())).map_err(unopened)?.0
            };
            if copy.id() != stream.journal() {
                let words = format!("{} has another journal than {cluster}", folder.display());
                return Err(Refusal::new("another_journal", words));
            }
            let messages = place::follow(&stream, &mut copy).await?;
            Ok(Copied {
                from: cluster.to_string(),
                to: folder.display().to_string(),
                messages: messages - 1,
                records: copy.sequence(),
                chain: copy.chain().to_string(),
                key: copy.public_key().to_string(),
            })
        })
    }
}

fn another(cluster: &Cluster) -> Refusal {
    Refusal::new("another_journal", format!("{cluster} has another journal"))
}

fn unopened(error: OpenError) -> Refusal {
    match error {
        OpenError::Disk(error) => Refusal::disk("the journal of the folder cannot be opened", &error),
        OpenError::Damage(damage) => damage.into(),
        OpenError::Snapshot(_) => {
            let words = "the older segments of the folder are archived: copy into an empty folder";
            Refusal::new("archived_records", words)
        }
    }
}

/// The key that signs the journal of a folder.
fn key(folder: &Path) -> Result<Key, Refusal> {
    let bytes = RealDisk::to_read(folder).read("journal.key");
    let bytes = bytes.map_err(|error| Refusal::disk("the key that signs the journal cannot be read", &error))?;
    let secret = <[u8; 32]>::try_from(&bytes[..]);
    secret.map(Key::new).map_err(|_| Refusal::new("malformed_key", "journal.key does not hold a key"))
}
