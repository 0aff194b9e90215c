//! `croupier journal dump`: the records as lines of JSON.

use std::io::{self, BufWriter, ErrorKind, Write};

use clap::Args;
use floor::{Event, Record, Sender};
use journal::{Damage, Read};
use serde::Serialize;

use crate::data::{self, ArchiveArg, DataArg};
use crate::output::time::Local;
use crate::place::{Cluster, ClusterArgs};
use crate::refusal::{Failure, Refusal};

/// Print the records as lines of JSON: sequence, time, origin, event.
#[derive(Args)]
#[command(after_help = "\
A line is {\"sequence\",\"at\",\"time\",\"origin\",\"event\"}: `at` in milliseconds since 1970, `time` the same in \
local time; the origin on the first event of a command, else null. Amounts are whole cents, spots and outcomes \
their places in the table (`croupier rules export`). The chain is verified on the way; damage ends the dump with \
exit code 1. The floor may run meanwhile.

Examples:
  croupier journal dump --data /srv/floor | jq 'select(.event.CashIn)'
  croupier journal dump nats://one:4222/main | tail -n 1
  croupier journal dump --from 1000 --to 1010")]
pub struct Dump {
    /// A floor on a cluster, fetched into a temporary folder first: `nats://host:4222,nats://host:4222/FLOOR`.
    #[arg(value_name = "STREAM", conflicts_with_all = ["data", "archive"])]
    stream: Option<Cluster>,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,

    /// The first record.
    #[arg(long, value_name = "N", default_value_t = 1)]
    from: u64,

    /// The last record; without it the last there is.
    #[arg(long, value_name = "N")]
    to: Option<u64>,
}

#[derive(Serialize)]
struct Line<'a> {
    sequence: u64,
    at: i64,
    time: Local,
    origin: Option<Origin>,
    event: &'a Event,
}

#[derive(Serialize)]
struct Origin {
    sender: Sender,
    number: u64,
    /// The hash of what was wanted, as text: it does not fit the numbers of every reader of JSON.
    body: String,
}

impl Dump {
    pub fn run(&self) -> Result<String, Failure> {
        let mut out = BufWriter::new(io::stdout().lock());
        match self.write(&mut out) {
            // A reader that has gone away has seen what it wanted.
            Err(Ended::Output(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(String::new()),
            Err(Ended::Output(error)) => Err(Refusal::new("output", format!("cannot write the dump: {error}")).into()),
            Err(Ended::Journal(refusal)) => {
                // What came before the damage is still worth having.
                let _ = out.flush();
                Err(refusal.into())
            }
            Ok(()) => Ok(String::new()),
        }
    }

    fn write(&self, out: &mut impl Write) -> Result<(), Ended> {
        let place = self.data.readable(self.stream.as_ref(), &self.cluster)?;
        let mut scan = data::scan(self.archive.with(place.folder())?)?;
        let begins = scan.begins()?;
        if begins > self.from {
            let message = format!(
                "the records before {begins} are not here: name the folder of the archive, or begin with --from {begins}"
            );
            return Err(Refusal::new("archived_records", message).into());
        }
        scan.start_at(self.from)?;
        let last = self.to.unwrap_or(u64::MAX);
        while let Some(read) = scan.read()? {
            let Read::Records { first, entries, .. } = read else { continue };
            for (entry, sequence) in entries.iter().zip(first..) {
                if sequence > last {
                    return Ok(out.flush()?);
                }
                if sequence >= self.from {
                    let record = engine::decode(entry.time, entry.bytes).map_err(|error| {
                        Refusal::new("damaged_journal", format!("record {sequence} cannot be read: {error}"))
                    })?;
                    serde_json::to_writer(&mut *out, &line(sequence, &record)).map_err(io::Error::from)?;
                    out.write_all(b"\n")?;
                }
            }
        }
        Ok(out.flush()?)
    }
}

fn line(sequence: u64, record: &Record) -> Line<'_> {
    let origin = record.origin.map(|origin| Origin {
        sender: origin.sender,
        number: origin.number,
        body: format!("{:016x}", origin.body),
    });
    Line { sequence, at: record.at.0, time: Local(record.at), origin, event: &record.event }
}

/// What ended a dump early.
enum Ended {
    Output(io::Error),
    Journal(Refusal),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Ended {
        Ended::Output(error)
    }
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Ended {
        Ended::Journal(refusal)
    }
}

impl From<Damage> for Ended {
    fn from(damage: Damage) -> Ended {
        Ended::Journal(damage.into())
    }
}
