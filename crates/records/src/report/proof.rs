//! What ties a report to the journal: checkpoints, and the chain after a record.

use journal::{Checkpoint, Damage, Disk, Read, Scan};
use serde::Serialize;
use utoipa::ToSchema;

/// Where in the journal something stands, and what proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Proof {
    /// The first record.
    pub first: u64,
    /// The last record.
    pub last: u64,
    /// The last record of the batch in which the last record was written.
    pub batch_end: Option<u64>,
    /// The chain after that batch.
    pub chain: Option<String>,
    /// The first checkpoint after it, as a line for the audit.
    pub checkpoint: Option<String>,
}

/// The checkpoint of a gaming day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DayAnchor {
    /// The last record of the day.
    pub last: u64,
    /// The record up to which the checkpoint is.
    pub sequence: Option<u64>,
    /// Whether it covers the whole day.
    pub covers: bool,
    /// The checkpoint as a line for the audit; `null` if none is signed yet.
    pub line: Option<String>,
}

/// The head of the transparency log at the end of a gaming day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DayHead {
    /// How many records it covers: all before the next gaming day.
    pub size: u64,
    /// The signed note, with the cosignatures that it has.
    pub note: String,
    /// The names of the witnesses that have cosigned it.
    pub witnesses: Vec<String>,
    /// Where the witnesses missed it: the next head that they cosigned.
    pub later: Option<String>,
    /// The proof that the later head contains this one: hashes in base64.
    pub growth: Vec<String>,
}

impl DayHead {
    pub(crate) fn put(&self, paper: &mut paper::Paper) {
        paper.heading("Head of the log");
        let witnesses = if self.witnesses.is_empty() { "none".to_owned() } else { self.witnesses.join(", ") };
        paper.facts([("Records", self.size.to_string()), ("Witnesses", witnesses)]);
        let lines = self.note.lines().filter(|line| !line.is_empty());
        paper.facts(lines.map(|line| ("Note", line)));
        if let Some(later) = &self.later {
            paper.paragraph("The witnesses missed this head and cosigned the next one, which contains it:");
            paper.facts(later.lines().filter(|line| !line.is_empty()).map(|line| ("Later", line)));
        }
        paper.note(
            "Anyone who keeps this head can have it proved at any later time that the log still begins with these records: \
             croupier log head --day prints it as a file for croupier audit --since FILE.",
        );
    }
}

impl Proof {
    /// Reads the journal from the segment of the last record up to the next checkpoint.
    ///
    /// # Errors
    /// When the journal is damaged.
    pub fn read<D: Disk>(scan: &mut Scan<D>, first: u64, last: u64) -> Result<Proof, Damage> {
        let mut proof = Proof { first, last, batch_end: None, chain: None, checkpoint: None };
        if scan.is_empty() {
            return Ok(proof);
        }
        scan.start_at(last)?;
        while let Some(read) = scan.read()? {
            match read {
                Read::Records { first, entries, chain } => {
                    let end = first + entries.len() as u64 - 1;
                    if proof.chain.is_none() && (first..=end).contains(&last) {
                        proof.batch_end = Some(end);
                        proof.chain = Some(chain.to_string());
                    }
                }
                Read::Checkpoint(checkpoint) if checkpoint.sequence >= last => {
                    proof.checkpoint = Some(checkpoint.to_line());
                    return Ok(proof);
                }
                Read::Checkpoint(_) => {}
            }
        }
        Ok(proof)
    }
}

impl DayAnchor {
    /// Reads the journal for the first checkpoint that covers a record, or else the last there is.
    ///
    /// # Errors
    /// When the journal is damaged.
    pub fn read<D: Disk>(scan: &mut Scan<D>, last: u64) -> Result<DayAnchor, Damage> {
        let mut found: Option<Checkpoint> = None;
        if !scan.is_empty() {
            scan.start_at(last)?;
            while let Some(read) = scan.read()? {
                if let Read::Checkpoint(checkpoint) = read {
                    let covers = checkpoint.sequence >= last;
                    found = Some(checkpoint);
                    if covers {
                        break;
                    }
                }
            }
        }
        let sequence = found.as_ref().map(|checkpoint| checkpoint.sequence);
        Ok(DayAnchor {
            last,
            sequence,
            covers: sequence.is_some_and(|sequence| sequence >= last),
            line: found.map(|checkpoint| checkpoint.to_line()),
        })
    }

    pub(crate) fn put(&self, paper: &mut paper::Paper) {
        paper.heading("Checkpoint");
        let Some(line) = &self.line else {
            paper.paragraph(
                "No checkpoint is signed yet: one is signed every minute with new records and whenever the floor stops.",
            );
            return;
        };
        let up_to = self.sequence.unwrap_or(0);
        paper.paragraph(if self.covers {
            format!("Everything above is in records 1 to {}, which this checkpoint signs up to {up_to}:", self.last)
        } else {
            format!("The last checkpoint signs records 1 to {up_to}; those up to {} are not signed yet:", self.last)
        });
        paper.facts([("Anchor", line.as_str())]);
        paper.note(
            "Kept on paper or elsewhere, this line proves that the journal was neither changed nor cut off: copy it into \
             a file and run croupier audit --anchor FILE.",
        );
        paper.anchor("Checkpoint", format!("record {up_to}, signed; the whole line is at the end"));
    }
}
