//! Totals by gaming day and table, booked on the day on which a thing happens.

use floor::{Account, Cause, ChipShare, Event, TableId, Transfer};
use rusqlite::params;

use super::{Before, Writer, rounds};
use crate::{Error, day, describe};

/// What an event adds to the totals of its day.
#[derive(Default)]
struct Booking {
    settled: i64,
    void: i64,
    corrected: i64,
    turnover: i64,
    win: i64,
    corrections: i64,
    decisions: i64,
}

impl Writer<'_> {
    pub(super) fn totals(&mut self, event: &Event, before: &Before, moved: &[Transfer]) -> Result<(), Error> {
        let Some((table, mut booking)) = self.booking(event, before) else { return Ok(()) };
        let house = Account::HouseWin(table);
        for Transfer { from, to, amount, cause } in moved {
            let amount = amount.get();
            let won = if *to == house { amount } else { 0 } - if *from == house { amount } else { 0 };
            booking.win += won;
            if *cause == Cause::Correction {
                booking.corrections += won;
            }
            if *cause == Cause::Decision {
                let decided = |account: &Account| if *account == Account::Decisions { amount } else { 0 };
                booking.decisions += decided(to) - decided(from);
            }
        }
        self.book(table, &booking)
    }

    /// The table an event counts for, and what it counts beside money.
    fn booking(&self, event: &Event, before: &Before) -> Option<(TableId, Booking)> {
        let mut booking = Booking::default();
        let table = match event {
            Event::RoundSettled { table, part, parts, .. } if part == parts => {
                let archived = self.state.floor.table(*table).and_then(|table| table.archive().next_back());
                booking.settled = 1;
                booking.turnover =
                    archived.map_or(0, |round| rounds::sum(round.entries().iter().map(|entry| entry.staked())));
                table
            }
            Event::ChipsSettled { table, shares, .. } => {
                booking.settled = 1;
                booking.turnover = at_risk(shares);
                table
            }
            Event::RoundVoided { table, .. } => {
                booking.void = 1;
                table
            }
            Event::RoundCorrected { table, .. } | Event::ChipsCorrected { table, outcome: Some(_), .. } => {
                booking.corrected = 1;
                table
            }
            // A void round enters no figures: what it had entered goes out again.
            Event::SettledRoundVoided { round, table, .. } => {
                let archived = describe::archived(&self.state.floor, *table, *round);
                let staked =
                    archived.map_or(0, |round| rounds::sum(round.entries().iter().map(|entry| entry.staked())));
                booking = Booking { settled: -1, void: 1, turnover: -staked, ..booking };
                table
            }
            // The record of the chips was wrong: what was at risk is counted as it stood at the close (5.9).
            Event::RecordCorrected { table, shares, .. } => {
                booking.corrected = 1;
                booking.turnover = at_risk(shares) - at_risk(&before.chips);
                table
            }
            Event::ChipsCorrected { table, outcome: None, .. } => {
                booking = Booking { settled: -1, void: 1, turnover: -at_risk(&before.chips), ..booking };
                table
            }
            Event::Decided { table, .. } | Event::FloatMoved { table, .. } => table,
            _ => return None,
        };
        Some((*table, booking))
    }

    fn book(&self, table: TableId, booking: &Booking) -> Result<(), Error> {
        let starts = self.state.floor.settings().map_or(0, |settings| settings.day_starts);
        self.connection
            .prepare_cached(
                "INSERT INTO day_totals
                 (day, table_id, settled, void, corrected, turnover, win, corrections, decisions)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (day, table_id) DO UPDATE SET settled = settled + excluded.settled,
                 void = void + excluded.void, corrected = corrected + excluded.corrected,
                 turnover = turnover + excluded.turnover, win = win + excluded.win,
                 corrections = corrections + excluded.corrections, decisions = decisions + excluded.decisions",
            )?
            .execute(params![
                day::gaming_day(self.at, starts),
                table.0,
                booking.settled,
                booking.void,
                booking.corrected,
                booking.turnover,
                booking.win,
                booking.corrections,
                booking.decisions,
            ])?;
        Ok(())
    }
}

fn at_risk(shares: &[ChipShare]) -> i64 {
    rounds::sum(shares.iter().map(|share| share.at_risk))
}
