//! Recall at a terminal: its last rounds, complete and with their pay table (S13).

use floor::{RoundId, TerminalId, VisitId};
use rulebook::{Cents, Layout, OutcomeIndex, Rulebook};
use rusqlite::Row;
use serde::Serialize;
use utoipa::ToSchema;

use super::{CorrectionRecord, Query, RoundSummary, Words, get, maybe};
use crate::Error;

/// A bet and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BetRecord {
    /// Where, in the notation.
    pub spot: String,
    /// The multi-piece bet it belongs to.
    pub pieces: Option<String>,
    /// How much.
    pub stake: Cents,
    /// The paragraph of its odds.
    pub paragraph: String,
    /// The odds it is paid at; `None` if it lost or the round is void.
    pub odds: Option<String>,
    /// What it returns by the result as it stands, stake included.
    pub returned: Cents,
}

/// A layout, and the pay table its bets are paid by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LayoutRecord {
    /// Its id.
    pub id: String,
    /// Words for it.
    pub name: Words,
    /// The appendix that draws it.
    pub paragraph: String,
    /// Words for the pay table.
    pub pay_table: Words,
    /// The paragraph of the pay table.
    pub pay_table_paragraph: String,
}

/// A whole pay table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PayTableRecord {
    /// The game's id.
    pub game: String,
    /// The hash of its rulebook.
    pub rulebook: String,
    /// The layout.
    pub layout: LayoutRecord,
    /// Every spot in the document's order.
    pub spots: Vec<PricedSpotRecord>,
}

/// A spot with its odds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PricedSpotRecord {
    /// Where, in the notation.
    pub spot: String,
    /// The paragraph of its odds.
    pub paragraph: String,
    /// What it can be paid at, lowest first.
    pub odds: Vec<String>,
}

/// One player's round, complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerRound {
    /// Up to which event of the log this is true.
    pub sequence: u64,
    /// The round, its result, and why it is void if it is.
    pub round: RoundSummary,
    /// The bets.
    pub player: PlayerBets,
    /// Corrections, with what each did for this terminal.
    pub corrections: Vec<CorrectionRecord>,
}

/// One player's bets of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayerBets {
    /// Whose bets.
    pub terminal: TerminalId,
    /// The terminal's name.
    pub terminal_name: String,
    /// The visit that made them.
    pub visit: Option<VisitId>,
    /// The layout they were made on, and its pay table.
    pub layout: LayoutRecord,
    /// Every bet.
    pub bets: Vec<BetRecord>,
    /// The sum of the stakes.
    pub staked: Cents,
    /// What was returned when the round was settled or void.
    pub returned: Cents,
    /// What the bets return by the result as it stands.
    pub entitled: Cents,
}

/// The form of a terminal's bets of a round in the database.
struct Settlement {
    terminal: TerminalId,
    visit: Option<VisitId>,
    layout: usize,
    staked: Cents,
    returned: Cents,
    entitled: Cents,
}

impl Query<'_> {
    /// The last rounds in which a terminal had bets, newest first. S13 asks for ten.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last_rounds(&self, terminal: TerminalId, limit: u32) -> Result<Vec<PlayerRound>, Error> {
        let snapshot = self.snapshot()?;
        let mut select = self
            .connection
            .prepare_cached("SELECT round FROM settlements WHERE terminal = ? ORDER BY round DESC LIMIT ?")?;
        let rounds = select.query_map((terminal.0, limit), |row| get(row, "round", RoundId))?;
        let mut last = Vec::new();
        for round in rounds {
            last.extend(self.one_player(round?, terminal)?);
        }
        drop(snapshot);
        Ok(last)
    }

    /// The last rounds in which a visit had bets, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn visit_rounds(&self, terminal: TerminalId, visit: VisitId, limit: u32) -> Result<Vec<PlayerRound>, Error> {
        let mut last = self.last_rounds(terminal, limit)?;
        last.retain(|found| found.player.visit == Some(visit));
        Ok(last)
    }

    /// The first record of a round; `None` if there is no such round.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn first_record(&self, round: RoundId) -> Result<Option<u64>, Error> {
        let mut select = self.connection.prepare_cached("SELECT first_sequence FROM rounds WHERE round = ?")?;
        let mut rows = select.query([round.0])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    }

    /// One player's round; `None` if the terminal had no bets in it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn player_round(&self, round: RoundId, terminal: TerminalId) -> Result<Option<PlayerRound>, Error> {
        let snapshot = self.snapshot()?;
        let found = self.one_player(round, terminal)?;
        drop(snapshot);
        Ok(found)
    }

    fn one_player(&self, round: RoundId, terminal: TerminalId) -> Result<Option<PlayerRound>, Error> {
        let Some(summary) = self.round_summary(round)? else { return Ok(None) };
        let Some(player) = self.players(&summary, Some(terminal))?.pop() else { return Ok(None) };
        let corrections = self.corrections(round, &summary.rulebook, Some(terminal))?;
        Ok(Some(PlayerRound { sequence: self.sequence()?, round: summary, player, corrections }))
    }

    /// The pay table of a layout of an installed rulebook.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pay_table(&self, rulebook: &str, layout: &str) -> Result<Option<PayTableRecord>, Error> {
        let known: bool = self
            .connection
            .prepare_cached("SELECT count(*) FROM rulebooks WHERE hash = ?")?
            .query_row([rulebook], |row| row.get(0))?;
        if !known {
            return Ok(None);
        }
        let hash = rulebook;
        let rulebook = self.rulebook(hash)?;
        let Some(layout) = rulebook.layout(layout) else { return Ok(None) };
        let table = layout.table();
        let spots = table.spots().iter().zip(table.indices()).map(|(priced, index)| {
            let mut cells: Vec<(u32, OutcomeIndex)> =
                table.winners(index).iter().map(|(outcome, cell)| (*cell, *outcome)).collect();
            cells.sort_unstable();
            cells.dedup_by_key(|(cell, _)| *cell);
            let odds = cells.iter().filter_map(|(_, outcome)| table.odds(index, *outcome));
            PricedSpotRecord {
                spot: priced.spot.to_string(),
                paragraph: priced.paragraph.to_string(),
                odds: odds.map(|odds| odds.to_string()).collect(),
            }
        });
        Ok(Some(PayTableRecord {
            game: rulebook.id().to_owned(),
            rulebook: hash.to_owned(),
            layout: layout_record(layout),
            spots: spots.collect(),
        }))
    }

    /// The bets of one terminal, or of all, in a round.
    pub(super) fn players(&self, summary: &RoundSummary, only: Option<TerminalId>) -> Result<Vec<PlayerBets>, Error> {
        let round = summary.round;
        let rulebook = self.rulebook(&summary.rulebook)?;
        let outcome = summary.outcome.as_deref().and_then(|outcome| rulebook.outcomes().parse(outcome).ok());
        let mut select = self.connection.prepare_cached(
            "SELECT * FROM settlements WHERE round = ?1 AND (?2 IS NULL OR terminal = ?2) ORDER BY terminal",
        )?;
        let found = select.query_map((round.0, only.map(|terminal| terminal.0)), settlement)?;
        let mut players = Vec::new();
        for settlement in found {
            let settlement = settlement?;
            let layout = layout_at(&rulebook, settlement.layout)?;
            players.push(PlayerBets {
                terminal: settlement.terminal,
                terminal_name: self.terminal_name(settlement.terminal)?,
                visit: settlement.visit,
                layout: layout_record(layout),
                bets: self.bets(round, settlement.terminal, layout, outcome)?,
                staked: settlement.staked,
                returned: settlement.returned,
                entitled: settlement.entitled,
            });
        }
        Ok(players)
    }

    fn bets(
        &self,
        round: RoundId,
        terminal: TerminalId,
        layout: &Layout,
        outcome: Option<OutcomeIndex>,
    ) -> Result<Vec<BetRecord>, Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT b.spot, b.stake, p.bet FROM bets b
             LEFT JOIN pieces p ON p.round = b.round AND p.terminal = b.terminal AND p.number = b.pieces
             WHERE b.round = ? AND b.terminal = ? ORDER BY b.number",
        )?;
        let found = select.query_map((round.0, terminal.0), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let table = layout.table();
        let mut bets = Vec::new();
        for bet in found {
            let (spot, stake, pieces): (usize, i64, Option<String>) = bet?;
            let stake = Cents::new(stake);
            let index = table.index_at(spot).ok_or_else(|| Error::damaged("a bet on no spot of its layout"))?;
            let priced = table.spot(index).ok_or_else(|| Error::damaged("a bet on no spot of its layout"))?;
            bets.push(BetRecord {
                spot: priced.spot.to_string(),
                pieces,
                stake,
                paragraph: priced.paragraph.to_string(),
                odds: outcome.and_then(|outcome| table.odds(index, outcome)).map(|odds| odds.to_string()),
                returned: match outcome {
                    Some(outcome) => table.returned(index, outcome, stake).unwrap_or(Cents::ZERO),
                    None => stake,
                },
            });
        }
        Ok(bets)
    }
}

fn settlement(row: &Row<'_>) -> Result<Settlement, rusqlite::Error> {
    Ok(Settlement {
        terminal: get(row, "terminal", TerminalId)?,
        visit: maybe(row, "visit", VisitId)?,
        layout: row.get("layout")?,
        staked: get(row, "staked", Cents::new)?,
        returned: get(row, "returned", Cents::new)?,
        entitled: get(row, "entitled", Cents::new)?,
    })
}

pub(crate) fn layout_at(rulebook: &Rulebook, place: usize) -> Result<&Layout, Error> {
    rulebook.layouts().get(place).ok_or_else(|| Error::damaged("a layout its rulebook does not have"))
}

pub(super) fn layout_record(layout: &Layout) -> LayoutRecord {
    LayoutRecord {
        id: layout.id().to_owned(),
        name: layout.name().into(),
        paragraph: layout.paragraph().to_string(),
        pay_table: layout.pay_table_name().into(),
        pay_table_paragraph: layout.pay_table_paragraph().to_string(),
    }
}
