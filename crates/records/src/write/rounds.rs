//! Rounds: opened, closed, ended; their bets, once they stand for good.

use floor::{
    ArchivedRound, Chip, ChipShare, DeviceId, DeviceKind, DevicePlace, Event, RoundId, StaffId, TableId, VoidBy,
};
use rulebook::{Cents, OutcomeIndex, Rulebook};
use rusqlite::params;

use super::{Before, Writer};
use crate::{Error, describe, names};

/// How a round ended.
struct End<'e> {
    round: RoundId,
    table: TableId,
    status: &'static str,
    outcome: Option<OutcomeIndex>,
    void: Option<Void<'e>>,
}

/// Why a round is void, and by whom.
struct Void<'e> {
    by: VoidBy,
    reason: &'e str,
    staff: StaffId,
    witness: Option<StaffId>,
}

impl Writer<'_> {
    pub(super) fn round(&mut self, event: &Event, before: &Before) -> Result<(), Error> {
        match event {
            Event::RoundBegun { round, table, .. } => self.round_begun(*round, *table, false),
            Event::BetsOpened { round, table, .. } => self.round_begun(*round, *table, true),
            Event::BetsClosed { round, .. } => {
                self.connection
                    .prepare_cached("UPDATE rounds SET closed_at = ? WHERE round = ?")?
                    .execute(params![self.at.0, round.0])?;
                Ok(())
            }
            Event::RoundSettled { round, table, outcome, part, parts, .. } if part == parts => {
                let (round, table) = (*round, *table);
                self.round_ended(End { round, table, status: "settled", outcome: Some(*outcome), void: None }, &[])
            }
            Event::ChipsSettled { round, table, outcome, shares, .. } => {
                let (round, table) = (*round, *table);
                self.round_ended(End { round, table, status: "settled", outcome: Some(*outcome), void: None }, shares)
            }
            Event::RoundVoided { round, table, by, staff, witness, reason } => {
                let void = Some(Void { by: *by, reason, staff: *staff, witness: *witness });
                let (round, table) = (*round, *table);
                self.round_ended(End { round, table, status: "void", outcome: None, void }, &before.chips)
            }
            _ => Ok(()),
        }
    }

    fn round_begun(&self, round: RoundId, table: TableId, bets_open: bool) -> Result<(), Error> {
        let opened_at = bets_open.then_some(self.at.0);
        let rulebook = self.rulebook_at(table).and_then(|rulebook| self.rulebook_place(rulebook.hash()));
        self.connection
            .prepare_cached(
                "INSERT INTO rounds (round, table_id, rulebook, device, first_sequence, begun_at, opened_at, status)
                 VALUES (?, ?, ?, ?, ?, ?, ?, 'open')
                 ON CONFLICT (round) DO UPDATE SET opened_at = excluded.opened_at",
            )?
            .execute(params![
                round.0,
                table.0,
                rulebook,
                self.device_at(table).map(|device| device.0),
                self.sequence,
                self.at.0,
                opened_at
            ])?;
        Ok(())
    }

    pub(super) fn rulebook_at(&self, table: TableId) -> Option<&Rulebook> {
        let floor = &self.state.floor;
        floor.table(table).and_then(|table| floor.rulebook_of(table))
    }

    /// The tumbler or wheel that stands at a table.
    fn device_at(&self, table: TableId) -> Option<DeviceId> {
        let here = |device: &&floor::Device| {
            device.place() == DevicePlace::Table(table)
                && matches!(device.kind(), DeviceKind::Tumbler | DeviceKind::Wheel)
        };
        self.state.floor.devices().iter().find(here).map(floor::Device::id)
    }

    fn round_ended(&mut self, end: End<'_>, shares: &[ChipShare]) -> Result<(), Error> {
        self.gather_changes(end.round, end.table)?;
        let floor = &self.state.floor;
        let Some(archived) = describe::archived(floor, end.table, end.round) else {
            return Err(Error::damaged("an ended round is not in the archive"));
        };
        self.bets(archived)?;
        self.chip_shares(end.round, shares)?;
        let rulebook = self.rulebook_at(end.table);
        let staked = archived.entries().iter().map(|entry| entry.staked()).chain(shares.iter().map(|share| share.bet));
        let returned =
            archived.entries().iter().map(|entry| entry.entitled()).chain(shares.iter().map(|share| share.returned));
        let paragraph = end.void.as_ref().zip(rulebook).and_then(|(void, rulebook)| paragraph(rulebook, void.by));
        self.connection
            .prepare_cached(
                "UPDATE rounds SET ended_at = ?2, status = ?3, outcome = ?4, outcome_sorted = ?5, players = ?6,
                 staked = ?7, returned = ?8, void_by = ?9, paragraph = ?10, reason = ?11, staff = ?12, witness = ?13
                 WHERE round = ?1",
            )?
            .execute(params![
                end.round.0,
                self.at.0,
                end.status,
                end.outcome.zip(rulebook).and_then(|(outcome, rulebook)| shown(rulebook, outcome)),
                end.outcome.zip(rulebook).and_then(|(outcome, rulebook)| sorted(rulebook, outcome)),
                players(archived, shares),
                sum(staked),
                sum(returned),
                end.void.as_ref().map(|void| names::void_by(void.by)),
                paragraph,
                end.void.as_ref().map(|void| void.reason),
                end.void.as_ref().map(|void| void.staff.0),
                end.void.as_ref().and_then(|void| void.witness).map(|staff| staff.0),
            ])?;
        Ok(())
    }

    fn bets(&self, archived: &ArchivedRound) -> Result<(), Error> {
        let round = archived.id().0;
        let mut settlement = self.connection.prepare_cached(
            "INSERT INTO settlements (round, terminal, visit, layout, staked, returned, entitled)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        )?;
        let mut bet = self.connection.prepare_cached(
            "INSERT INTO bets (round, terminal, number, spot, pieces, stake) VALUES (?, ?, ?, ?, ?, ?)",
        )?;
        let mut pieces = self
            .connection
            .prepare_cached("INSERT INTO pieces (round, terminal, number, bet, unit) VALUES (?, ?, ?, ?, ?)")?;
        for entry in archived.entries() {
            let terminal = entry.terminal().0;
            settlement.execute(params![
                round,
                terminal,
                entry.visit().map(|visit| visit.0),
                entry.layout(),
                entry.staked().get(),
                entry.entitled().get()
            ])?;
            for (number, stake) in entry.stakes().iter().enumerate() {
                bet.execute(params![round, terminal, number, stake.spot.get(), stake.group, stake.amount.get()])?;
            }
            for group in entry.groups() {
                pieces.execute(params![round, terminal, group.id, group.bet, group.unit.get()])?;
            }
        }
        Ok(())
    }

    fn chip_shares(&self, round: RoundId, shares: &[ChipShare]) -> Result<(), Error> {
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO chip_shares (round, position, spot, bet, at_risk, returned, entitled)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        )?;
        for share in shares {
            insert.execute(params![
                round.0,
                share.position.0,
                share.spot.get(),
                share.bet.get(),
                share.at_risk.get(),
                share.returned.get()
            ])?;
        }
        Ok(())
    }

    /// The lists of several batches become one, so that a round's changes are in one place.
    fn gather_changes(&mut self, round: RoundId, table: TableId) -> Result<(), Error> {
        let pending = self.state.pending.get_mut(table.index()).filter(|pending| pending.round == Some(round));
        let (last, mut rest) = match pending {
            Some(pending) => {
                pending.round = None;
                (Some(pending.first), std::mem::take(&mut pending.lines))
            }
            None => (None, Vec::new()),
        };
        let mut select =
            self.connection.prepare_cached("SELECT first, lines FROM changes WHERE round = ? ORDER BY first")?;
        let earlier = select.query_map([round.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let earlier: Vec<(u64, Vec<u8>)> = earlier.collect::<Result<_, _>>()?;
        let Some(first) = earlier.first().map(|(first, _)| *first).or(last) else { return Ok(()) };
        if earlier.len() > 1 || last.is_some() {
            let mut lines: Vec<u8> = earlier.into_iter().flat_map(|(_, lines)| lines).collect();
            lines.append(&mut rest);
            self.connection.prepare_cached("DELETE FROM changes WHERE round = ?")?.execute([round.0])?;
            self.connection
                .prepare_cached("INSERT INTO changes (round, first, lines) VALUES (?, ?, ?)")?
                .execute(params![round.0, first, lines])?;
        }
        Ok(())
    }
}

/// Chips on a layout when its round is void: one bet of a player in a box, and all of it is returned.
pub(super) fn returned_chips(chips: &[Chip]) -> Vec<ChipShare> {
    let mut shares: Vec<ChipShare> = Vec::new();
    for chip in chips {
        let known = shares.iter_mut().find(|share| share.position == chip.position && share.spot == chip.spot);
        match known {
            Some(share) => {
                share.bet = Cents::new(share.bet.get().saturating_add(chip.amount.get()));
                share.returned = share.bet;
            }
            None => shares.push(ChipShare {
                position: chip.position,
                spot: chip.spot,
                bet: chip.amount,
                at_risk: Cents::ZERO,
                returned: chip.amount,
            }),
        }
    }
    shares
}

/// An outcome in the notation.
pub(super) fn shown(rulebook: &Rulebook, outcome: OutcomeIndex) -> Option<String> {
    rulebook.outcomes().outcome(outcome).map(|outcome| outcome.to_string())
}

/// An outcome with its dice in order, for the search.
pub(super) fn sorted(rulebook: &Rulebook, outcome: OutcomeIndex) -> Option<String> {
    rulebook.outcomes().outcome(outcome).map(|outcome| outcome.sorted().to_string())
}

/// The paragraph that makes a round void.
pub(super) fn paragraph(rulebook: &Rulebook, by: VoidBy) -> Option<&str> {
    match by {
        VoidBy::Ground(ground) => rulebook.ground(ground).map(|ground| ground.paragraph.as_str()),
        VoidBy::Decision => Some(rulebook.discretion().paragraph.as_str()),
    }
}

pub(super) fn sum(amounts: impl Iterator<Item = Cents>) -> i64 {
    amounts.fold(0_i64, |sum, amount| sum.saturating_add(amount.get()))
}

/// Terminals, or positions of a live table, with bets.
fn players(archived: &ArchivedRound, shares: &[ChipShare]) -> usize {
    let mut positions: Vec<u8> = shares.iter().map(|share| share.position.0).collect();
    positions.sort_unstable();
    positions.dedup();
    archived.entries().len() + positions.len()
}
