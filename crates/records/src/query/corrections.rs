//! Corrections of a round, each with what it did for whom.

use floor::{Moment, Position, RoundId, StaffId, TerminalId};
use rulebook::Cents;
use rusqlite::Row;
use serde::Serialize;

use super::{Query, Words, get, maybe};
use crate::Error;

/// A result put right, or a settled round voided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CorrectionRecord {
    /// Its event.
    pub sequence: u64,
    /// When.
    pub at: Moment,
    /// The result before.
    pub was: Option<String>,
    /// The result after; `None`: the round is void.
    pub outcome: Option<String>,
    /// The ground that made it void, or `decision`.
    pub void_by: Option<String>,
    /// The ground in the words of the document.
    pub words: Option<Words>,
    /// The paragraph.
    pub paragraph: Option<String>,
    /// Who.
    pub staff: StaffId,
    /// Who witnessed it.
    pub witness: Option<StaffId>,
    /// Why.
    pub reason: String,
    /// What it did, for each player.
    pub adjustments: Vec<AdjustmentRecord>,
}

/// What a correction did for one player's bets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AdjustmentRecord {
    /// The terminal.
    pub terminal: Option<TerminalId>,
    /// Or the position at a live table.
    pub position: Option<Position>,
    /// What the bets returned before.
    pub was: Cents,
    /// What they return now.
    pub entitled: Cents,
    /// Paid to the credit, or in chips.
    pub credited: Cents,
    /// Left to be paid at the cage.
    pub payable: Cents,
    /// Taken off what was still to be paid at the cage.
    pub unpaid: Cents,
    /// Taken from the credit.
    pub taken: Cents,
    /// What could not be collected; at a live table what is claimed.
    pub uncollected: Cents,
}

impl Query<'_> {
    /// The corrections of a round in order, with the adjustments of one terminal or of all.
    pub(super) fn corrections(
        &self,
        round: RoundId,
        hash: &str,
        only: Option<TerminalId>,
    ) -> Result<Vec<CorrectionRecord>, Error> {
        let mut select =
            self.connection.prepare_cached("SELECT * FROM corrections WHERE round = ? ORDER BY sequence")?;
        let mut found = select.query([round.0])?;
        let mut corrections = Vec::new();
        while let Some(row) = found.next()? {
            let sequence = row.get("sequence")?;
            let void_by: Option<String> = row.get("void_by")?;
            corrections.push(CorrectionRecord {
                sequence,
                at: get(row, "at", Moment)?,
                was: row.get("was")?,
                outcome: row.get("outcome")?,
                words: self.ground_words(hash, void_by.as_deref())?,
                void_by,
                paragraph: row.get("paragraph")?,
                staff: get(row, "staff", StaffId)?,
                witness: maybe(row, "witness", StaffId)?,
                reason: row.get("reason")?,
                adjustments: self.adjustments(sequence, only)?,
            });
        }
        Ok(corrections)
    }

    fn adjustments(&self, sequence: u64, only: Option<TerminalId>) -> Result<Vec<AdjustmentRecord>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT * FROM adjustments WHERE sequence = ?1 AND (?2 IS NULL OR terminal = ?2) ORDER BY number",
        )?;
        let rows = select.query_map((sequence, only.map(|terminal| terminal.0)), adjustment)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn adjustment(row: &Row<'_>) -> Result<AdjustmentRecord, rusqlite::Error> {
    Ok(AdjustmentRecord {
        terminal: maybe(row, "terminal", TerminalId)?,
        position: maybe(row, "position", Position)?,
        was: get(row, "was", Cents::new)?,
        entitled: get(row, "entitled", Cents::new)?,
        credited: get(row, "credited", Cents::new)?,
        payable: get(row, "payable", Cents::new)?,
        unpaid: get(row, "unpaid", Cents::new)?,
        taken: get(row, "taken", Cents::new)?,
        uncollected: get(row, "uncollected", Cents::new)?,
    })
}
