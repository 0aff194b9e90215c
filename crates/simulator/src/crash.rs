//! The power fails between any two events: the floor is discarded and rebuilt.

use floor::{DeviceId, Floor, Record, StaffId};

use crate::run::Run;

/// A state as bytes, and how much of the log it covers.
pub(crate) struct Snapshot {
    pub covers: usize,
    pub bytes: Vec<u8>,
}

impl Run {
    /// Rebuilds the floor from what is durable; it must be the same floor.
    pub(crate) fn crash(&mut self) -> Result<(), String> {
        self.summary.crashes += 1;
        let rebuilt = match self.chance.below(80) {
            0 => self.read_whole_log()?,
            1..4 => self.read_snapshot()?,
            _ => replay(self.house.floor.clone(), &self.log)?,
        };
        if rebuilt.state_hash() != self.floor.state_hash() {
            return Err("the floor made anew is another floor".to_owned());
        }
        self.floor = rebuilt;
        Ok(())
    }

    /// From the first event of all.
    fn read_whole_log(&self) -> Result<Floor, String> {
        replay(replay(Floor::new(), &self.house.log)?, &self.log)
    }

    /// From a snapshot and the events after it, both through their bytes.
    fn read_snapshot(&mut self) -> Result<Floor, String> {
        // What a snapshot forgets shows in what happens after it, so that half of them are of this very moment.
        if self.chance.one_in(2) {
            self.take_snapshot();
        }
        let snapshot = self.snapshot.take();
        let snapshot = snapshot.unwrap_or_else(|| Snapshot { covers: 0, bytes: self.house.floor.to_bytes() });
        let floor =
            Floor::from_bytes(&snapshot.bytes).map_err(|error| format!("a snapshot cannot be read: {error}"))?;
        let tail = self.log.get(snapshot.covers..).unwrap_or_default();
        let bytes = minicbor::to_vec(tail).map_err(|error| error.to_string())?;
        let read: Vec<Record> = minicbor::decode(&bytes).map_err(|error| format!("a log cannot be read: {error}"))?;
        if read != tail {
            return Err("events are not what their bytes say".to_owned());
        }
        let floor = replay(floor, &read)?;
        // The hash knows only what is written down; here everything is compared.
        if everything(&floor) != everything(&self.floor) {
            return Err("a snapshot forgets something".to_owned());
        }
        Ok(floor)
    }

    pub(crate) fn take_snapshot(&mut self) {
        self.snapshot = Some(Snapshot { covers: self.log.len(), bytes: self.floor.to_bytes() });
    }
}

fn everything(floor: &Floor) -> String {
    let devices: Vec<_> = (0..).map_while(|id| floor.device(DeviceId(id))).collect();
    let staff: Vec<_> = (0..).map_while(|id| floor.person(StaffId(id))).collect();
    let (tickets, shifts): (Vec<_>, Vec<_>) = (floor.tickets().collect(), floor.shifts().collect());
    let (payables, alerts): (Vec<_>, Vec<_>) = (floor.payables().collect(), floor.alerts().collect());
    let (tables, terminals) = (floor.tables(), floor.terminals());
    format!("{tables:?} {terminals:?} {devices:?} {staff:?} {tickets:?} {shifts:?} {payables:?} {alerts:?}")
}

fn replay(mut floor: Floor, log: &[Record]) -> Result<Floor, String> {
    for record in log {
        floor.apply(record).map_err(|misfit| format!("replay: {misfit}"))?;
    }
    Ok(floor)
}
