//! Reading the journal: the state at some record, and what came after it.

use floor::{Floor, Record};
use journal::{Disk, Read, Scan, Snapshot};

use crate::{Error, Mark};

/// The folder of a journal, and those of its archived segments.
pub(crate) struct Log<D: Disk> {
    pub folder: D,
    pub archives: Vec<D>,
}

/// A journal that is read on from some record.
pub(crate) struct Tail<D: Disk> {
    scan: Scan<D>,
    after: u64,
}

impl<D: Disk> Log<D> {
    /// Reads on after a record; `None` if there is no journal yet.
    pub fn after(&self, sequence: u64) -> Result<Option<Tail<D>>, Error> {
        let folders = std::iter::once(&self.folder).chain(&self.archives).map(Disk::another);
        let mut scan = Scan::new(folders.collect()).map_err(Error::journal)?;
        if scan.is_empty() {
            return Ok(None);
        }
        scan.start_at(sequence.max(1)).map_err(Error::journal)?;
        let begins = scan.begins().map_err(Error::journal)?;
        if begins > sequence.max(1) {
            return Err(Error::Archived { begins });
        }
        Ok(Some(Tail { scan, after: sequence }))
    }

    /// The state at a record, from the newest snapshot up to it and the records since, and the mark of that record.
    /// `None` where the journal does not have it.
    pub fn state_at(&self, sequence: u64) -> Result<Option<(Floor, Mark)>, Error> {
        let mut floor = self.snapshot_up_to(sequence)?;
        let Some(mut tail) = self.after(floor.sequence().min(sequence.saturating_sub(1)))? else { return Ok(None) };
        while let Some((first, records)) = tail.read(sequence)? {
            for (number, record) in (first..).zip(&records) {
                if number > floor.sequence() {
                    floor.apply(record)?;
                }
                if number == sequence {
                    return Ok(Some((floor, Mark::of(record))));
                }
            }
        }
        Ok(None)
    }

    /// The state of the newest snapshot up to a record that can be read, or of an empty floor.
    fn snapshot_up_to(&self, sequence: u64) -> Result<Floor, Error> {
        let disk = &self.folder;
        let id = self.id()?;
        for name in Snapshot::list(disk).map_err(Error::journal)? {
            let number = name.split('.').next().and_then(|number| number.parse::<u64>().ok());
            if number.is_none_or(|number| number > sequence) {
                continue;
            }
            // One that cannot be used costs time and nothing else.
            let Ok(snapshot) = Snapshot::read(disk, &name) else { continue };
            let Ok(floor) = engine::decode_state(&snapshot.state) else { continue };
            if Some(snapshot.journal) == id && floor.sequence() == snapshot.sequence {
                return Ok(floor);
            }
        }
        Ok(Floor::new())
    }

    /// The journal's own id; `None` if there is none yet.
    pub fn id(&self) -> Result<Option<[u8; 16]>, Error> {
        let mut scan = Scan::new(vec![self.folder.another()]).map_err(Error::journal)?;
        scan.id().map_err(Error::journal)
    }
}

impl<D: Disk> Tail<D> {
    /// The next records, of which none is later than the last one named; `None` when there are no more.
    pub fn read(&mut self, last: u64) -> Result<Option<(u64, Vec<Record>)>, Error> {
        while self.after < last {
            let (first, entries) = match self.scan.read().map_err(Error::journal)? {
                None => return Ok(None),
                Some(Read::Checkpoint(_)) => continue,
                Some(Read::Records { first, entries, .. }) => (first, entries),
            };
            let wanted = (first..).zip(&entries).filter(|(sequence, _)| *sequence > self.after && *sequence <= last);
            let decoded = wanted.map(|(sequence, entry)| {
                let unreadable = |error| Error::Journal(format!("record {sequence} cannot be read: {error}"));
                engine::decode(entry.time, entry.bytes).map_err(unreadable)
            });
            let records = decoded.collect::<Result<Vec<Record>, Error>>()?;
            if !records.is_empty() {
                let from = self.after + 1;
                self.after += records.len() as u64;
                return Ok(Some((from, records)));
            }
        }
        Ok(None)
    }
}
