//! What a seed decides before anything happens, and what of it is left out while a failure is shrunk.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use simulator::Chance;

use crate::flaw::Flaw;

/// What becomes of an act of a disk.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It fails. Of a write some part may be there; after a sync nothing more is known of what was to be synced.
    Fails,
    /// There is no space left, now and until the disk is repaired.
    Full,
    /// The power goes in the middle of it.
    PowerLoss,
}

/// Something that can happen to the system besides play.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A write or a sync fails, or a write is cut short.
    DiskFails,
    /// There is no space left.
    DiskFull,
    /// The power goes: what is not synced is lost, kept or torn.
    PowerLoss,
    /// The process is killed.
    Kill,
    /// The process is ended in order and started again.
    Restart,
    /// Writes take long, so that the writer has them and the decider goes on.
    SlowDisk,
    /// A bit of a snapshot or of an old segment turns over.
    BitRot,
    /// The journal is copied while it is written, and read back.
    Backup,
    /// Old segments are moved to an archive.
    Archive,
    /// The floor moves to another machine by backup and restore.
    Move,
    /// A request or its answer is lost.
    LostReply,
    /// A request is done twice.
    Duplicate,
    /// An answer comes late, after others had their turn.
    Delay,
    /// A host does not reach the cluster for a while.
    Partition,
    /// A host stands still for a while and goes on as if nothing had been.
    Pause,
    /// Hosts' clocks run at different speeds.
    Drift,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 16] = [
        Fault::DiskFails,
        Fault::DiskFull,
        Fault::PowerLoss,
        Fault::Kill,
        Fault::Restart,
        Fault::SlowDisk,
        Fault::BitRot,
        Fault::Backup,
        Fault::Archive,
        Fault::Move,
        Fault::LostReply,
        Fault::Duplicate,
        Fault::Delay,
        Fault::Partition,
        Fault::Pause,
        Fault::Drift,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Fault::DiskFails => "disk-fails",
            Fault::DiskFull => "disk-full",
            Fault::PowerLoss => "power-loss",
            Fault::Kill => "kill",
            Fault::Restart => "restart",
            Fault::SlowDisk => "slow-disk",
            Fault::BitRot => "bit-rot",
            Fault::Backup => "backup",
            Fault::Archive => "archive",
            Fault::Move => "move",
            Fault::LostReply => "lost-reply",
            Fault::Duplicate => "duplicate",
            Fault::Delay => "delay",
            Fault::Partition => "partition",
            Fault::Pause => "pause",
            Fault::Drift => "drift",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Fault, String> {
        let known = Fault::ALL.into_iter().find(|fault| fault.as_str() == text);
        known.ok_or_else(|| {
            let names = Fault::ALL.map(Fault::as_str).join(", ");
            format!("\"{text}\" is no fault; there are {names}")
        })
    }
}

/// One run: a seed and how far it goes, less what was left out to make a failure smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// The seed.
    pub seed: u64,
    /// How many steps it has.
    pub steps: u32,
    /// Faults that do not happen.
    pub without: BTreeSet<Fault>,
    /// Steps that are left out.
    pub skipped: BTreeSet<u32>,
    /// A deliberate flaw, by which it is seen that the simulation finds it.
    pub flaw: Option<Flaw>,
}

impl Course {
    /// The whole course of a seed.
    #[must_use]
    pub fn of(seed: u64, steps: u32) -> Course {
        Course { seed, steps, without: BTreeSet::new(), skipped: BTreeSet::new(), flaw: None }
    }

    /// The same with a flaw.
    #[must_use]
    pub fn with(seed: u64, steps: u32, flaw: Flaw) -> Course {
        Course { flaw: Some(flaw), ..Course::of(seed, steps) }
    }

    /// Whether the floor is one of several hosts: every third seed's is.
    #[must_use]
    pub fn is_cluster(&self) -> bool {
        self.seed % 3 == 2
    }

    /// Whether the records are compared with a rebuild after every step: those of every eighteenth seed with one host, and of
    /// every eighteenth with several, as that takes long. At the others they are behind more often.
    #[must_use]
    pub fn compares_every_step(&self) -> bool {
        matches!(self.seed % 18, 1 | 5)
    }

    /// The chance of one step, which no other step changes.
    pub(crate) fn chance(&self, step: u32, of: u64) -> Chance {
        let mixed = self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (u64::from(step) << 8) ^ of;
        Chance::of(mixed.wrapping_mul(0xD1B5_4A32_D192_ED03), simulator::USUAL)
    }

    pub(crate) fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    pub(crate) fn may(&self, fault: Fault) -> bool {
        !self.without.contains(&fault)
    }

    /// How the engines of a seed are run.
    pub(crate) fn options(&self) -> engine::Options {
        let mut chance = self.chance(0, 1);
        engine::Options {
            journal: journal::Options { segment: 0, checkpoint_every: chance.of_these([10, 50, 200]) },
            queue: chance.of_these([2, 8, 64]),
            snapshot_every: chance.of_these([5, 25, 100]),
            snapshots: chance.of_these([1, 2, 3]),
            sign_every: Duration::from_secs(60),
        }
    }
}
