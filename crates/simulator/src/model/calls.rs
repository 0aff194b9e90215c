//! When no second person comes (D28), in the model's own words.

use floor::*;
use rulebook::Rank;

use super::{Check, Model, must};

/// A call for a second person.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Called {
    pub by: StaffId,
    pub table: Option<TableId>,
    pub at: Moment,
    /// The act it is for, what that is about, and the most it may move.
    pub purpose: Option<Purpose>,
}

/// A quarter of an hour.
pub(crate) const PATIENCE: i64 = 15 * 60 * 1000;

impl Called {
    /// It lapses after an hour.
    fn waits(&self, now: Moment) -> bool {
        now.since(self.at) <= 4 * PATIENCE
    }
}

impl Model {
    /// Who acts without a second person in the records of one command: then the record names the first one twice.
    pub(super) fn unaccompanied(&mut self, records: &[Record]) {
        self.lonely = records.iter().find_map(|record| match record.event {
            Event::DecidedAlone { by, .. } => Some(by),
            _ => None,
        });
    }

    /// That two people did it, or one whom D28 lets act alone.
    pub(super) fn are_two(&self, by: StaffId, witness: StaffId) -> Check {
        must(by != witness || self.lonely == Some(by), || "the second person is the first".to_owned())
    }

    /// Takes an event about calls in; false if it is something else.
    pub(super) fn called(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::SecondPersonCalled { table, by, purpose, .. } => {
                let purpose = purpose.as_deref().copied();
                // After a stoppage the host calls again for every caller.
                let now = self.now;
                let same = |call: &Called| (call.table, call.by, call.purpose) == (*table, *by, purpose);
                let again = self.calls.iter().any(same);
                must(again || self.rank(*by).is_some(), || format!("person {by} is not of the pit"))?;
                must(purpose.is_some(), || "a call does not say what for".to_owned())?;
                self.calls.retain(|call| call.table != *table || call.waits(now) && !same(call));
                let of_one = self.calls.iter().filter(|call| call.by == *by && call.waits(now)).count();
                must(of_one < 4, || format!("person {by} calls for everything"))?;
                self.calls.push(Called { by: *by, table: *table, at: self.now, purpose });
            }
            Event::CallAnswered { table, by, came } => {
                let comes = self.rank(*by) >= Some(Rank::PitSupervisor) || self.serves_as(*by, Post::Administrator);
                must(!came || comes, || format!("person {by} may not answer a call"))?;
                must(self.calls.iter().any(|call| call.table == *table), || "nobody had called".to_owned())?;
                self.calls.retain(|call| call.table != *table || *came && call.by == *by);
            }
            Event::DecidedAlone { by, called, table, deed } => {
                must(self.rank(*by) >= Some(Rank::ShiftManager), || format!("person {by} may not act alone"))?;
                // The host has made several calls again at one moment after a stoppage.
                let calls = self.calls.iter().filter(|call| (call.table, call.at) == (*table, *called));
                let purposes: Vec<_> = calls.filter_map(|call| call.purpose).collect();
                let fits = |purpose: &&Purpose| deed.as_ref().is_some_and(|deed| *deed.act == *purpose.act.words());
                let largest = purposes.iter().filter(fits).max_by_key(|purpose| purpose.amount);
                let purpose = *largest.or(purposes.first()).ok_or("nobody had called")?;
                let deed = deed.as_deref().ok_or("what was done alone is not named")?;
                must(*deed.act == *purpose.act.words(), || {
                    format!("called to {}, and did alone: {}", purpose.act.words(), deed.act)
                })?;
                must(deed.amount.unwrap_or_default() <= purpose.amount.unwrap_or_default(), || {
                    format!("called for {:?}, and moved {:?} alone", purpose.amount, deed.amount)
                })?;
                must(self.now.since(*called) >= PATIENCE, || "a second person could still come".to_owned())?;
                self.calls.retain(|call| (call.table, call.at) != (*table, *called));
                self.to_countersign += 1;
            }
            Event::AlertRaised { alert, what: AlertKind::DecidedAlone(by, rank, ..), .. } => {
                must(self.rank(*by) == Some(*rank), || "another rank is named".to_owned())?;
                self.lonely_acts.insert(*alert, (*by, *rank));
                self.to_countersign = self.to_countersign.checked_sub(1).ok_or("nobody acted alone")?;
            }
            Event::AlertAcknowledged { alert, .. } if self.lonely_acts.contains_key(alert) => {
                return Err("an act alone was acknowledged and not countersigned".to_owned());
            }
            Event::Countersigned { alert, by } => {
                let (first, rank) = self.lonely_acts.remove(alert).ok_or("nothing to countersign")?;
                let fits = *by != first && self.rank(*by) >= Some(rank);
                must(fits, || format!("person {by} may not countersign for person {first}"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
