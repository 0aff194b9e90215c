//! A round whole: every bet of every player, the result, corrections, and who did what (S5).

use floor::{DeviceId, Moment, Position, RoundId, StaffId, TerminalId};
use rulebook::Cents;
use rusqlite::Row;
use serde::Serialize;

use super::recall::{layout_at, layout_record};
use super::{CorrectionRecord, LayoutRecord, PlayerBets, Query, RoundSummary, get, maybe};
use crate::Error;
use crate::changes::{self, Line, What};
use crate::describe;

/// Everything about a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundRecord {
    /// Up to which event of the log this is true.
    pub sequence: u64,
    /// The round in short.
    pub summary: RoundSummary,
    /// The bets of every terminal.
    pub players: Vec<PlayerBets>,
    /// The layout of a live table.
    pub chip_layout: Option<LayoutRecord>,
    /// The chips of a live table.
    pub chips: Vec<ChipShareRecord>,
    /// Corrections, with their effect on everyone.
    pub corrections: Vec<CorrectionRecord>,
    /// Every event, in order.
    pub lines: Vec<RoundLine>,
}

/// A player's chips in a box of a live table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChipShareRecord {
    /// Whose.
    pub position: Position,
    /// Where, in the notation.
    pub spot: String,
    /// The paragraph of its odds.
    pub paragraph: String,
    /// The bet as it stood.
    pub bet: Cents,
    /// What of it won or lost, after pro rata.
    pub at_risk: Cents,
    /// The odds it is paid at; `None` if it lost or the round is void.
    pub odds: Option<String>,
    /// What was returned when the round was settled or void.
    pub returned: Cents,
    /// What the bet returns by the result as it stands.
    pub entitled: Cents,
}

/// An event of a round, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundLine {
    /// The event's number.
    pub sequence: u64,
    /// When.
    pub at: Moment,
    /// What, in a word that does not change.
    pub code: String,
    /// The terminal it is about.
    pub terminal: Option<TerminalId>,
    /// The device it is about.
    pub device: Option<DeviceId>,
    /// Who did it.
    pub staff: Option<StaffId>,
    /// What, in words.
    pub words: String,
}

impl Query<'_> {
    /// A round whole; `None` if there is no such round.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn round(&self, round: RoundId) -> Result<Option<RoundRecord>, Error> {
        let snapshot = self.snapshot()?;
        let Some(summary) = self.round_summary(round)? else { return Ok(None) };
        let (chip_layout, chips) = self.chips(&summary)?;
        let found = RoundRecord {
            sequence: self.sequence()?,
            players: self.players(&summary, None)?,
            chip_layout,
            chips,
            corrections: self.corrections(round, &summary.rulebook, None)?,
            lines: self.lines(&summary)?,
            summary,
        };
        drop(snapshot);
        Ok(Some(found))
    }

    /// The events of a round that concern one player: that terminal's, and those of the table.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn player_lines(&self, round: RoundId, terminal: TerminalId) -> Result<Vec<RoundLine>, Error> {
        let snapshot = self.snapshot()?;
        let Some(summary) = self.round_summary(round)? else { return Ok(Vec::new()) };
        let mut lines = self.lines(&summary)?;
        lines.retain(|line| line.terminal.is_none_or(|of| of == terminal));
        drop(snapshot);
        Ok(lines)
    }

    fn chips(&self, summary: &RoundSummary) -> Result<(Option<LayoutRecord>, Vec<ChipShareRecord>), Error> {
        let mut select =
            self.connection.prepare_cached("SELECT * FROM chip_shares WHERE round = ? ORDER BY position, spot")?;
        let mut found = select.query([summary.round.0])?;
        let rulebook = self.rulebook(&summary.rulebook)?;
        let outcome = summary.outcome.as_deref().and_then(|outcome| rulebook.outcomes().parse(outcome).ok());
        let layout = layout_at(&rulebook, 0)?;
        let table = layout.table();
        let mut chips = Vec::new();
        while let Some(row) = found.next()? {
            let index = table.index_at(row.get("spot")?);
            let priced = index.and_then(|index| Some((index, table.spot(index)?)));
            let (index, priced) = priced.ok_or_else(|| Error::damaged("chips on no spot of their layout"))?;
            chips.push(ChipShareRecord {
                position: get(row, "position", Position)?,
                spot: priced.spot.to_string(),
                paragraph: priced.paragraph.to_string(),
                bet: get(row, "bet", Cents::new)?,
                at_risk: get(row, "at_risk", Cents::new)?,
                odds: outcome.and_then(|outcome| table.odds(index, outcome)).map(|odds| odds.to_string()),
                returned: get(row, "returned", Cents::new)?,
                entitled: get(row, "entitled", Cents::new)?,
            });
        }
        let shown = (!chips.is_empty()).then(|| layout_record(layout));
        Ok((shown, chips))
    }

    /// Every event of a round in order: changes of bets from their lists, everything else from its rows.
    fn lines(&self, summary: &RoundSummary) -> Result<Vec<RoundLine>, Error> {
        let mut select = self.connection.prepare_cached("SELECT * FROM events WHERE round = ? ORDER BY sequence")?;
        let mut lines: Vec<RoundLine> = select.query_map([summary.round.0], line)?.collect::<Result<_, _>>()?;
        let mut select = self.connection.prepare_cached("SELECT lines FROM changes WHERE round = ? ORDER BY first")?;
        let lists = select.query_map([summary.round.0], |row| row.get::<_, Vec<u8>>(0))?;
        for list in lists {
            for change in changes::read(&list?)? {
                lines.push(self.change(summary, change)?);
            }
        }
        lines.sort_by_key(|line| line.sequence);
        Ok(lines)
    }

    fn change(&self, summary: &RoundSummary, line: Line) -> Result<RoundLine, Error> {
        let name = self.terminal_name(line.terminal)?;
        let (code, words) = match line.what {
            What::Acknowledged => ("close-acknowledged", format!("{name} has shown the close")),
            What::Bets { layout, changes, added, removed } => {
                let rulebook = self.rulebook(&summary.rulebook)?;
                let pays = rulebook.layouts().get(usize::from(layout)).map(|layout| layout.table());
                let mut words = format!("{name}: {}", describe::changes(pays, &changes));
                for group in added {
                    words.push_str(&format!("; [{}] is {} at {}", group.id, group.bet, group.unit));
                }
                for group in removed {
                    words.push_str(&format!("; [{group}] withdrawn"));
                }
                ("bets-changed", words)
            }
        };
        Ok(RoundLine {
            sequence: line.sequence,
            at: line.at,
            code: code.to_owned(),
            terminal: Some(line.terminal),
            device: None,
            staff: None,
            words,
        })
    }
}

fn line(row: &Row<'_>) -> Result<RoundLine, rusqlite::Error> {
    Ok(RoundLine {
        sequence: row.get("sequence")?,
        at: get(row, "at", Moment)?,
        code: row.get("code")?,
        terminal: maybe(row, "terminal", TerminalId)?,
        device: maybe(row, "device", DeviceId)?,
        staff: maybe(row, "staff", StaffId)?,
        words: row.get("words")?,
    })
}
