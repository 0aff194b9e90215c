//! Deliberate flaws, each switched on for one run: the evidence that the simulation finds what it is there to find.

/// Something that is done wrong on purpose.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// A sync that was lost counts as a success.
    LostSync,
    /// A batch is acknowledged before it is synced.
    AcknowledgedBeforeSync,
    /// The name of a new segment is forgotten when the power goes.
    LostName,
    /// A snapshot is made of records that are not durable.
    SnapshotAhead,
    /// A batch that was answered is not in the journal when the process comes back.
    LostBatch,
    /// The answers of a batch are given twice.
    AnsweredTwice,
    /// The answer to one command is given to another.
    WrongAnswer,
    /// Records without a command are published.
    ToldTwice,
    /// The records are fed something else in place of a record.
    RecordSkipped,
    /// A backup leaves out the last segment's end.
    ShortBackup,
    /// Archived segments are removed and not kept.
    ArchiveLost,
    /// The stream takes a message twice.
    DuplicateAppend,
    /// The stream takes a message that names an older one as the last.
    FenceIgnored,
    /// The stream looks at what a message names as the last when it is sent, and not when it arrives.
    CheckedWhenSent,
    /// The same of the lease: a host that was overtaken while its request was on the way takes it all the same.
    SwappedWhenSent,
    /// A host leads without the lease.
    LeaseIgnored,
    /// The lease is taken from a host that has just renewed it.
    LeaseTakenEarly,
    /// A host acknowledges what no quorum has acknowledged.
    NoQuorum,
    /// A message that a quorum has acknowledged is not in the stream.
    QuorumForgets,
}

impl Flaw {
    /// All of them.
    pub const ALL: [Flaw; 19] = [
        Flaw::LostSync,
        Flaw::AcknowledgedBeforeSync,
        Flaw::LostName,
        Flaw::SnapshotAhead,
        Flaw::LostBatch,
        Flaw::AnsweredTwice,
        Flaw::WrongAnswer,
        Flaw::ToldTwice,
        Flaw::RecordSkipped,
        Flaw::ShortBackup,
        Flaw::ArchiveLost,
        Flaw::DuplicateAppend,
        Flaw::FenceIgnored,
        Flaw::CheckedWhenSent,
        Flaw::SwappedWhenSent,
        Flaw::LeaseIgnored,
        Flaw::LeaseTakenEarly,
        Flaw::NoQuorum,
        Flaw::QuorumForgets,
    ];

    /// Whether it shows only where a floor has several hosts.
    #[must_use]
    pub const fn is_of_cluster(self) -> bool {
        matches!(
            self,
            Flaw::DuplicateAppend
                | Flaw::FenceIgnored
                | Flaw::CheckedWhenSent
                | Flaw::SwappedWhenSent
                | Flaw::LeaseIgnored
                | Flaw::LeaseTakenEarly
                | Flaw::NoQuorum
                | Flaw::QuorumForgets
        )
    }
}
