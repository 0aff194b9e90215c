//! Corrections and voids after settlement: what was settled stays on record, what holds now stands beside it.

use std::collections::BTreeMap;

use floor::{Adjustment, ChipShare, Event, Position, RoundId, StaffId, TableId, VoidBy};
use rulebook::{Cents, OutcomeIndex};
use rusqlite::params;

use super::{Before, Writer, rounds};
use crate::{Error, describe, names};

/// A correction or void, whatever kind of table it is about.
struct Correction<'e> {
    round: RoundId,
    table: TableId,
    outcome: Option<OutcomeIndex>,
    void: Option<VoidBy>,
    staff: StaffId,
    witness: Option<StaffId>,
    reason: &'e str,
    /// What a record of chips said before, and what it says now, if that was put right and not the result (5.9).
    record: Option<[String; 2]>,
}

impl Writer<'_> {
    pub(super) fn correction(&mut self, event: &Event, before: &Before) -> Result<(), Error> {
        match event {
            Event::RoundCorrected { round, table, outcome, adjustments, by, witness, reason } => {
                self.adjusted(adjustments, *round, before)?;
                let (round, table, outcome) = (*round, *table, Some(*outcome));
                // Who acted alone is named twice in the event (D28): there was no second person.
                let (staff, witness) = (*by, Some(*witness).filter(|witness| witness != by));
                self.corrected(
                    Correction { round, table, outcome, void: None, staff, witness, reason, record: None },
                    before,
                )
            }
            Event::SettledRoundVoided { round, table, by, adjustments, staff, witness, reason } => {
                self.adjusted(adjustments, *round, before)?;
                let (round, table, void) = (*round, *table, Some(*by));
                let (staff, witness) = (*staff, *witness);
                self.corrected(
                    Correction { round, table, outcome: None, void, staff, witness, reason, record: None },
                    before,
                )
            }
            Event::ChipsCorrected { round, table, outcome, paid, claims, returns, voided, by, witness, reason } => {
                self.chips_adjusted(*round, &before.chips, returns, paid, claims)?;
                let (round, table, outcome, void) = (*round, *table, *outcome, *voided);
                let (staff, witness) = (*by, *witness);
                self.corrected(Correction { round, table, outcome, void, staff, witness, reason, record: None }, before)
            }
            Event::RecordCorrected { round, table, shares, paid, claims, by, witness, reason } => {
                self.record_adjusted(*round, &before.chips, shares, paid, claims)?;
                let record = self.put_right(*table, *round, &before.chips, shares);
                let (round, table, outcome) = (*round, *table, before.outcome);
                let (staff, witness) = (*by, *witness);
                self.corrected(Correction { round, table, outcome, void: None, staff, witness, reason, record }, before)
            }
            _ => Ok(()),
        }
    }

    /// The one bet of which the record was put right, as it was recorded and as it stood at the close.
    fn put_right(&self, table: TableId, round: RoundId, was: &[ChipShare], now: &[ChipShare]) -> Option<[String; 2]> {
        let bet = |shares: &[ChipShare], share: &ChipShare| {
            let same = |other: &&ChipShare| (other.position, other.spot) == (share.position, share.spot);
            shares.iter().find(same).map_or(Cents::ZERO, |share| share.bet)
        };
        let share = was.iter().chain(now).find(|share| bet(was, share) != bet(now, share))?;
        let pays = describe::rulebook(&self.state.floor, table, round).and_then(|rulebook| rulebook.layouts().first());
        let spot = describe::spot_name(pays.map(|layout| layout.table()), share.spot);
        Some([was, now].map(|shares| format!("position {} {spot}={}", share.position, bet(shares, share))))
    }

    /// A corrected record of chips: the shares by the position at the close take its place (5.9).
    fn record_adjusted(
        &self,
        round: RoundId,
        was: &[ChipShare],
        now: &[ChipShare],
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
    ) -> Result<(), Error> {
        // What the settlement returned stays on record; chips that were not recorded then had nothing of it.
        let mut settled: BTreeMap<(u8, usize), i64> = BTreeMap::new();
        let mut select =
            self.connection.prepare_cached("SELECT position, spot, returned FROM chip_shares WHERE round = ?")?;
        let mut rows = select.query([round.0])?;
        while let Some(row) = rows.next()? {
            settled.insert((row.get(0)?, row.get(1)?), row.get(2)?);
        }
        self.connection.prepare_cached("DELETE FROM chip_shares WHERE round = ?")?.execute([round.0])?;
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO chip_shares (round, position, spot, bet, at_risk, returned, entitled)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )?;
        for share in now {
            let (position, spot) = (share.position.0, share.spot.get());
            let settled = settled.get(&(position, spot)).copied().unwrap_or(0);
            let (bet, at_risk, entitled) = (share.bet.get(), share.at_risk.get(), share.returned.get());
            insert.execute(params![round.0, position, spot, bet, at_risk, settled, entitled])?;
        }
        let staked = rounds::sum(now.iter().map(|share| share.bet));
        self.connection
            .prepare_cached("UPDATE rounds SET staked = ? WHERE round = ?")?
            .execute(params![staked, round.0])?;
        let mut totals: BTreeMap<Position, (i64, i64)> = BTreeMap::new();
        for (list, new) in [(was, false), (now, true)] {
            for share in list {
                let total = totals.entry(share.position).or_default();
                let side = if new { &mut total.1 } else { &mut total.0 };
                *side = side.saturating_add(share.returned.get());
            }
        }
        // A claim stands also where no bet of its player is left.
        for (position, _) in paid.iter().chain(claims) {
            totals.entry(*position).or_default();
        }
        let of = |list: &[(Position, Cents)], position: Position| {
            list.iter().find(|(of, _)| *of == position).map_or(0, |(_, amount)| amount.get())
        };
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO adjustments
             (sequence, number, position, was, entitled, credited, payable, unpaid, taken, uncollected)
             VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, ?)",
        )?;
        for (number, (position, (was, now))) in totals.into_iter().enumerate() {
            let (credited, uncollected) = (of(paid, position), of(claims, position));
            insert.execute(params![self.sequence, number, position.0, was, now, credited, uncollected])?;
        }
        Ok(())
    }

    fn corrected(&self, correction: Correction<'_>, before: &Before) -> Result<(), Error> {
        let floor = &self.state.floor;
        let archived = describe::archived(floor, correction.table, correction.round);
        let rulebook = describe::rulebook(floor, correction.table, correction.round);
        let shown = |outcome: Option<OutcomeIndex>| outcome.zip(rulebook).and_then(|(o, r)| rounds::shown(r, o));
        let sorted = correction.outcome.zip(rulebook).and_then(|(o, r)| rounds::sorted(r, o));
        let by = match correction.outcome {
            None => correction.void.zip(rulebook).and_then(|(by, rulebook)| rounds::paragraph(rulebook, by)),
            // The position of the chips at the close prevails over a wrong record (5.9).
            Some(_) if correction.record.is_some() => {
                rulebook.and_then(|r| r.irregularities().position_of_chips.as_ref()).map(|cited| cited.as_str())
            }
            Some(_) => rulebook.and_then(|r| r.irregularities().correction()).map(|cited| cited.as_str()),
        };
        let [record_was, record] = correction.record.map_or([None, None], |record| record.map(Some));
        let void_by = correction.void.map(names::void_by);
        // A record that must name two people names the one who acted alone twice (D28): here there is no second one.
        let witness = correction.witness.filter(|witness| *witness != correction.staff).map(|staff| staff.0);
        self.connection
            .prepare_cached(
                "INSERT INTO corrections
                 (sequence, round, at, was, outcome, void_by, paragraph, staff, witness, reason, record_was, record)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                self.sequence,
                correction.round.0,
                self.at.0,
                shown(before.outcome),
                shown(correction.outcome),
                void_by,
                by,
                correction.staff.0,
                witness,
                correction.reason,
                record_was,
                record,
            ])?;
        let returned = archived.map(|archived| {
            let entries = archived.entries().iter().map(|entry| entry.entitled());
            rounds::sum(entries.chain(archived.shares().iter().map(|share| share.returned)))
        });
        match correction.outcome {
            Some(_) => self
                .connection
                .prepare_cached(
                    "UPDATE rounds SET status = 'corrected', outcome = ?2, outcome_sorted = ?3, returned = ?4
                     WHERE round = ?1",
                )?
                .execute(params![correction.round.0, shown(correction.outcome), sorted, returned])?,
            None => self
                .connection
                .prepare_cached(
                    "UPDATE rounds SET status = 'void', outcome = NULL, outcome_sorted = NULL, returned = ?2,
                     void_by = ?3, paragraph = ?4, reason = ?5, staff = ?6, witness = ?7 WHERE round = ?1",
                )?
                .execute(params![
                    correction.round.0,
                    returned,
                    void_by,
                    by,
                    correction.reason,
                    correction.staff.0,
                    witness
                ])?,
        };
        Ok(())
    }

    fn adjusted(&self, adjustments: &[Adjustment], round: RoundId, before: &Before) -> Result<(), Error> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO adjustments
             (sequence, number, terminal, was, entitled, credited, payable, unpaid, taken, uncollected)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?;
        let mut update =
            self.connection.prepare_cached("UPDATE settlements SET entitled = ? WHERE round = ? AND terminal = ?")?;
        for (number, adjustment) in adjustments.iter().enumerate() {
            let was = before.entry(adjustment).map_or(Cents::ZERO, |(_, was, _)| was);
            insert.execute(params![
                self.sequence,
                number,
                adjustment.terminal.0,
                was.get(),
                adjustment.entitled.get(),
                adjustment.credited.get(),
                adjustment.payable.get(),
                adjustment.unpaid.get(),
                adjustment.taken.get(),
                adjustment.uncollected.get(),
            ])?;
            update.execute(params![adjustment.entitled.get(), round.0, adjustment.terminal.0])?;
        }
        Ok(())
    }

    /// At a live table what a correction adds is paid in chips, and what it takes is claimed of the player.
    fn chips_adjusted(
        &self,
        round: RoundId,
        shares: &[ChipShare],
        returns: &[Cents],
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
    ) -> Result<(), Error> {
        let mut update = self
            .connection
            .prepare_cached("UPDATE chip_shares SET entitled = ? WHERE round = ? AND position = ? AND spot = ?")?;
        let mut totals: BTreeMap<Position, (i64, i64)> = BTreeMap::new();
        for (share, returned) in shares.iter().zip(returns) {
            update.execute(params![returned.get(), round.0, share.position.0, share.spot.get()])?;
            let total = totals.entry(share.position).or_default();
            total.0 = total.0.saturating_add(share.returned.get());
            total.1 = total.1.saturating_add(returned.get());
        }
        // A claim stands also where no bet of its player is left.
        for (position, _) in paid.iter().chain(claims) {
            totals.entry(*position).or_default();
        }
        let of = |list: &[(Position, Cents)], position: Position| {
            list.iter().find(|(of, _)| *of == position).map_or(0, |(_, amount)| amount.get())
        };
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO adjustments
             (sequence, number, position, was, entitled, credited, payable, unpaid, taken, uncollected)
             VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, ?)",
        )?;
        for (number, (position, (was, now))) in totals.into_iter().enumerate() {
            let (credited, uncollected) = (of(paid, position), of(claims, position));
            insert.execute(params![self.sequence, number, position.0, was, now, credited, uncollected])?;
        }
        Ok(())
    }
}

impl Before {
    /// What the terminal of an adjustment was entitled to before it.
    pub(super) fn entry(&self, adjustment: &Adjustment) -> Option<(floor::TerminalId, Cents, Cents)> {
        let place = self.entries.binary_search_by_key(&adjustment.terminal, |(terminal, ..)| *terminal).ok()?;
        self.entries.get(place).copied()
    }
}
