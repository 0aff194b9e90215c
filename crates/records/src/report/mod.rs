//! Reports: the papers a casino files, made from the records.
//!
//! Each report is data that programs read, and a [`Paper`] for people. All of them say up to which record of the journal
//! they are true. Amounts are written in dollars with two decimals, moments in local time.

#![allow(clippy::float_arithmetic)]

mod day;
mod events;
mod people;
mod proof;
mod round;
mod shift;
mod slips;
mod table;
mod tally;
mod terminal;
mod tickets;
mod voids;
mod words;

use floor::{Moment, StaffId};
use paper::Paper;
use serde::Serialize;
use utoipa::ToSchema;

use crate::query::Query;
use crate::{Error, day as calendar};

pub use day::{DayReport, GameRow, SoFar, TableRow};
pub use events::{EventRow, EventsReport};
pub use people::{CashRow, DayCashRow, DoubtRow, FindingRow, MovedRow, OutOfServiceRow, PeopleReport};
pub use proof::{DayAnchor, DayHead, Proof};
pub use round::RoundReport;
pub use shift::{ShiftCause, ShiftLine, ShiftReport, ShiftRow, ShiftsReport};
pub use slips::{PileRow, SlipReport, SlipRow, SlipsReport};
pub use table::{HourRow, LimitRow, OutcomeRow, TableReport};
pub use tally::Figures;
pub use terminal::{LastMoney, LastRound, MeterRow, TerminalReport};
pub use tickets::{AgeRow, Sum, TicketRow, TicketsReport};
pub use voids::{CorrectionRow, VoidRow, VoidsReport};
pub use words::{Amount, At};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum NoReport {
    /// The records cannot be read, or a day is not written as one.
    #[error(transparent)]
    Records(#[from] Error),
    /// There is no such thing in the records.
    #[error("{what}; the records go up to record {sequence} of {at} (UTC+8)")]
    Unknown {
        /// What is not there, in a word that does not change.
        code: &'static str,
        /// In words.
        what: String,
        /// The last record they have.
        sequence: u64,
        /// Its time.
        at: At,
    },
}

impl From<rusqlite::Error> for NoReport {
    fn from(error: rusqlite::Error) -> NoReport {
        NoReport::Records(error.into())
    }
}

/// Up to where a report is true.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UpTo {
    /// The last record of the journal that is in it.
    pub sequence: u64,
    /// When that happened.
    pub at: At,
    /// The last record of the journal, if the records are behind it.
    pub journal: Option<u64>,
}

/// Gaming days from one to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Period {
    /// The first gaming day.
    pub first: String,
    /// The last gaming day, itself included.
    pub last: String,
    /// When the first begins.
    pub from: At,
    /// When the last ends.
    pub to: At,
}

impl Period {
    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        if self.first == self.last {
            return format!("Gaming day {}", self.first);
        }
        format!("Gaming days {} to {}", self.first, self.last)
    }
}

/// What stands under the title of every report.
pub(crate) fn subtitles(paper: &mut Paper, up_to: &UpTo) {
    paper.subtitle(format!("True up to record {} of {} (UTC+8)", up_to.sequence, up_to.at));
    if let Some(journal) = up_to.journal {
        paper.subtitle(format!(
            "The records are behind: the journal goes to record {journal}. What came after record {} is missing here.",
            up_to.sequence
        ));
    }
    paper.made_by(concat!("Croupier ", env!("CARGO_PKG_VERSION")));
}

impl Query<'_> {
    /// Up to where a report is true; `journal` is the last record of the journal, where that is known.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn up_to(&self, journal: Option<u64>) -> Result<UpTo, Error> {
        let sequence = self.sequence()?;
        Ok(UpTo { sequence, at: At(self.at()?), journal: journal.filter(|journal| *journal > sequence) })
    }

    /// Gaming days; a missing one is the day of the last record, or the other end.
    ///
    /// # Errors
    /// When a day is not written as `2026-03-29`, is yet to come, or has been forgotten.
    pub fn period(&self, first: Option<&str>, last: Option<&str>) -> Result<Period, NoReport> {
        let today = self.gaming_day(self.at()?)?;
        let last = last.or(first).unwrap_or(&today).to_owned();
        let first = first.unwrap_or(&last).to_owned();
        let starts: u16 =
            self.connection.prepare_cached("SELECT day_starts FROM meta")?.query_row([], |row| row.get(0))?;
        let begins = |day: &str| calendar::begins(day, starts).ok_or_else(|| Error::Day(day.to_owned()));
        let (from, to) = (begins(&first)?, Moment(begins(&last)?.0.saturating_add(calendar::DAY)));
        if from >= to {
            return Err(self.unknown("no_such_day", format!("{last} comes before {first}"))?);
        }
        if first > today {
            return Err(self.unknown("no_such_day", format!("there is no gaming day {first} yet"))?);
        }
        let forgotten = self.forgotten_before()?;
        if let Some(forgotten) = forgotten.filter(|forgotten| first < *forgotten) {
            let what =
                format!("days before {forgotten} have been forgotten: records rebuilt into another file have them");
            return Err(self.unknown("forgotten_day", what)?);
        }
        let begun: Option<i64> =
            self.connection.prepare_cached("SELECT min(at) FROM events")?.query_row([], |row| row.get(0))?;
        if let Some(begun) = begun.filter(|begun| to.0 <= *begun) {
            let what = format!("there is no gaming day {last}: the floor began on {}", self.gaming_day(Moment(begun))?);
            return Err(self.unknown("no_such_day", what)?);
        }
        Ok(Period { first, last, from: At(from), to: At(to) })
    }

    pub(crate) fn unknown(&self, code: &'static str, what: String) -> Result<NoReport, Error> {
        Ok(NoReport::Unknown { code, what, sequence: self.sequence()?, at: At(self.at()?) })
    }

    /// The last event in the records before a moment; zero if there is none.
    pub(crate) fn last_before(&self, moment: Moment) -> Result<u64, Error> {
        if self.at()? < moment {
            return self.sequence();
        }
        let mut last = 0;
        for sql in [
            "SELECT ifnull(max(sequence), 0) FROM events WHERE at < ?",
            "SELECT ifnull(max(sequence), 0) FROM money WHERE at < ?",
        ] {
            last = last.max(self.connection.prepare_cached(sql)?.query_row([moment.0], |row| row.get::<_, u64>(0))?);
        }
        Ok(last)
    }

    /// The name of a person.
    pub(crate) fn staff_name(&self, staff: Option<StaffId>) -> Result<Option<String>, Error> {
        let Some(staff) = staff else { return Ok(None) };
        let mut select = self.connection.prepare_cached("SELECT name FROM staff WHERE staff = ?")?;
        let mut found = select.query([staff.0])?;
        let name = found.next()?.map(|row| row.get(0)).transpose()?;
        Ok(Some(name.unwrap_or_else(|| format!("staff {staff}"))))
    }
}
