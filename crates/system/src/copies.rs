//! Copies of a simulated journal: backup and restore, archive, rot, and what the audit says of them.

use engine::{Durable, Nobody, Outlet, Recovery, StartError, Stepped, Tag};
use floor::{Event, Floor, Record, Release};
use journal::{BLOCK, Chain, Disk, Journal, Read, Scan, Snapshot};

use crate::disk::SimDisk;
use crate::flaw::Flaw;
use crate::ground;
use crate::plan::{Fault, Trouble};
use crate::single::Single;
use crate::witness::{Check, must};

/// A listener that ignores everything.
struct Deaf;

impl Outlet for Deaf {
    fn durable(&mut self, _durable: Durable<'_>) {}
    fn stopped(&mut self, _reason: &str, _waiting: Vec<Tag>) {}
}

/// The records of a disk after one of them.
pub(crate) fn records_after(disk: &SimDisk, sequence: u64) -> Result<Vec<Record>, String> {
    let mut scan = Scan::new(vec![disk.another()]).map_err(|error| error.to_string())?.alone();
    scan.start_at(sequence + 1).map_err(|error| error.to_string())?;
    let mut records = Vec::new();
    while let Some(read) = scan.read().map_err(|error| error.to_string())? {
        let Read::Records { first, entries, .. } = read else { continue };
        for (number, entry) in (first..).zip(&entries) {
            if number > sequence {
                records.push(engine::decode(entry.time, entry.bytes).map_err(|error| error.to_string())?);
            }
        }
    }
    Ok(records)
}

/// The floor of a disk as a host finds it, without leaving anything behind.
fn found(disk: &SimDisk, options: engine::Options) -> Result<([u8; 32], Recovery), StartError> {
    let started: (Stepped<SimDisk, Nobody, Journal<SimDisk>>, _) = Stepped::start(disk.another(), options, Deaf)?;
    let (engine, recovery) = started;
    let hash = engine.read(Floor::state_hash);
    engine.kill();
    Ok((hash, recovery))
}

/// The last segment of a disk, and where it ends.
fn ending(disk: &SimDisk) -> Option<(String, u64)> {
    let mut scan = Scan::new(vec![disk.another()]).ok()?.alone();
    scan.start_at(u64::MAX).ok()?;
    while scan.read().ok()?.is_some() {}
    scan.ending().map(|ending| (ending.segment.to_string(), ending.offset))
}

/// Takes the end of the last batch away.
pub(crate) fn cut_last_batch(disk: &SimDisk) {
    let Some((name, end)) = ending(disk) else { return };
    let end = usize::try_from(end).unwrap_or(0);
    if end > 2 * BLOCK
        && let Ok(mut bytes) = disk.read(&name)
    {
        bytes[end - BLOCK..].fill(0);
        disk.put(&name, &bytes);
    }
}

impl Single<'_> {
    pub(crate) fn cut_last_batch(&mut self) {
        cut_last_batch(&self.disk);
    }

    /// A snapshot of a floor that is one record ahead of what is durable.
    pub(crate) fn snapshot_ahead(&mut self) -> Check {
        let mut floor = self.witness.crowd.floor().clone();
        let program = rulebook::Hash([0; 32]);
        let event = Event::ProgramStarted { release: Release { program, rulebooks: program }, locked: false };
        floor.apply(&Record { at: floor.now(), origin: None, event }).map_err(|misfit| misfit.to_string())?;
        let (sequence, state) = (floor.sequence(), engine::encode_state(&floor));
        let snapshot = Snapshot { journal: ground::JOURNAL, sequence, chain: Chain([0; 32]), state };
        // A disk that fails just then keeps the flaw from showing this time.
        let _ = snapshot.write(&self.disk);
        Ok(())
    }

    /// Copies the journal while it is written. What was published by then is in the copy.
    pub(crate) fn back_up(&mut self) -> Check {
        if !self.course.may(Fault::Backup) {
            return Ok(());
        }
        let Some(copy) = self.copy()? else { return Ok(()) };
        self.summary.fault(Fault::Backup);
        if self.course.has(Flaw::ShortBackup) {
            cut_last_batch(&copy);
        }
        let told = self.witness.sequence();
        let (hash, recovery) = found(&copy, self.course.options()).map_err(|error| format!("a backup: {error}"))?;
        must(recovery.sequence >= told, || format!("a backup ends at record {} of {told}", recovery.sequence))?;
        if recovery.sequence == told {
            let same = hash == self.witness.crowd.floor().state_hash();
            must(same, || format!("the floor of a backup is another: {recovery}"))?;
        }
        Ok(())
    }

    /// A backup, unless its own disk has failed.
    fn copy(&mut self) -> Result<Option<SimDisk>, String> {
        let copy = SimDisk::new(self.course.seed ^ 2);
        if self.chance.one_in(8) {
            copy.plan(u32::try_from(self.chance.below(6)).unwrap_or(0), Trouble::Full);
        }
        match engine::backup_on(&self.disk, &copy) {
            Ok(_) => {
                copy.repair();
                Ok(Some(copy))
            }
            Err(_) if copy.happened() => Ok(None),
            Err(error) => Err(format!("no backup can be made: {error}")),
        }
    }

    /// Moves old segments away; the disk of the archive may fail in between.
    pub(crate) fn archive(&mut self) -> Check {
        if !self.course.may(Fault::Archive) {
            return Ok(());
        }
        self.archive.repair();
        if self.chance.one_in(6) {
            let trouble = self.chance.of_these([Trouble::Fails, Trouble::Full, Trouble::PowerLoss]);
            self.archive.plan(u32::try_from(self.chance.below(4)).unwrap_or(0), trouble);
        }
        let moved = engine::archive_on(&self.disk, &self.archive);
        let failed = self.archive.happened() || self.disk.happened();
        self.archive.repair();
        match moved {
            Ok(moved) => {
                for name in moved {
                    self.summary.fault(Fault::Archive);
                    if self.course.has(Flaw::ArchiveLost) {
                        self.archive.unlink(&name);
                    }
                }
                Ok(())
            }
            Err(error) if failed || error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(format!("nothing can be archived: {error}")),
        }
    }

    /// A bit turns over in a copy of the disk: it is noticed, or makes no difference. What cannot be told from a batch that
    /// was never acknowledged is the last one, and that something was cut off is said.
    pub(crate) fn rot(&mut self) -> Check {
        if !self.course.may(Fault::BitRot) {
            return Ok(());
        }
        let copy = self.disk.image(self.course.seed);
        let names = copy.list().map_err(|error| error.to_string())?;
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.contains("journal.")).collect();
        let Some(name) = self.chance.pick(&names) else { return Ok(()) };
        let at = self.chance.below(copy.size(name).max(1));
        copy.flip(name, at, u8::try_from(self.chance.below(8)).unwrap_or(0));
        self.summary.fault(Fault::BitRot);
        let Ok((hash, recovery)) = found(&copy, self.course.options()) else { return Ok(()) };
        let told = self.witness.sequence();
        if recovery.sequence == told {
            let same = hash == self.witness.crowd.floor().state_hash();
            return must(same, || format!("a bit of {name} has turned over, and the floor is another: {recovery}"));
        }
        must(recovery.sequence > told || recovery.cut > 0, || {
            format!("a bit of {name} has turned over, and nothing is said of what is lost: {recovery}")
        })
    }

    /// The floor is ended, copied to another machine, and started there.
    pub(crate) fn move_house(&mut self) -> Check {
        if !self.course.may(Fault::Move) {
            return Ok(());
        }
        self.end()?;
        self.disk.repair();
        if let Some(copy) = self.copy()? {
            self.summary.fault(Fault::Move);
            self.disk.moves_to(&copy);
        }
        self.start()
    }

    /// Everything is read from the first record on, with every published checkpoint as an anchor.
    pub(crate) fn audit(&mut self) -> Check {
        if !self.course.seed.is_multiple_of(8) {
            return Ok(());
        }
        self.summary.check("audits");
        let folders = vec![self.archive.another(), self.disk.another()];
        let audit = engine::audit(folders, &self.anchors, Some(ground::key().public()), |_, _| {});
        must(audit.is_clean(), || format!("the audit finds {:?}", audit.findings.first().map(|one| &one.what)))
    }
}
