//! Rounds: found by table, time, result and status.

use floor::{DeviceId, Moment, RoundId, StaffId, TableId};
use rulebook::{Cents, GroundId};
use rusqlite::{OptionalExtension, Row, params_from_iter};
use serde::Serialize;

use super::filter::{self, Filter};
use super::{Page, Query, Words, get, maybe, unknown};
use crate::Error;

/// What has become of a round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundStatus {
    /// It is being played.
    Open,
    /// It was settled by its result.
    Settled,
    /// It is void: there is no result, and every bet went back.
    Void,
    /// It was settled, and its result put right afterwards.
    Corrected,
}

impl RoundStatus {
    /// All of them.
    pub const ALL: [RoundStatus; 4] =
        [RoundStatus::Open, RoundStatus::Settled, RoundStatus::Void, RoundStatus::Corrected];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            RoundStatus::Open => "open",
            RoundStatus::Settled => "settled",
            RoundStatus::Void => "void",
            RoundStatus::Corrected => "corrected",
        }
    }

    /// The status of that text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<RoundStatus> {
        RoundStatus::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

/// Which rounds; what is not said is not asked for.
#[derive(Clone, Debug, Default)]
pub struct RoundFilter {
    /// Of that table.
    pub table: Option<TableId>,
    /// Begun at that moment or later.
    pub from: Option<Moment>,
    /// Begun before that moment.
    pub to: Option<Moment>,
    /// With that result, dice in any order.
    pub outcome: Option<String>,
    /// With that status.
    pub status: Option<RoundStatus>,
    /// Older than that round: the `next` of the page before.
    pub before: Option<u64>,
    /// How many at most; 50 by default, never more than 1,000.
    pub limit: Option<u32>,
}

/// Why a round is void.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoidRecord {
    /// The ground, or `decision`; `None` if the log does not say.
    pub by: Option<String>,
    /// The ground in the words of the document.
    pub words: Option<Words>,
    /// The paragraph.
    pub paragraph: Option<String>,
    /// What was said about it.
    pub reason: Option<String>,
    /// Who declared, confirmed or decided it.
    pub staff: Option<StaffId>,
    /// Who witnessed it.
    pub witness: Option<StaffId>,
}

/// A round in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoundSummary {
    /// Which.
    pub round: RoundId,
    /// Where.
    pub table: TableId,
    /// The table's name.
    pub table_name: String,
    /// The game's id.
    pub game: String,
    /// The version of its document.
    pub version: String,
    /// The hash of its rulebook.
    pub rulebook: String,
    /// The tumbler or wheel that stood at the table.
    pub device: Option<DeviceId>,
    /// When it began.
    pub begun_at: Moment,
    /// When bets opened.
    pub opened_at: Option<Moment>,
    /// When bets closed.
    pub closed_at: Option<Moment>,
    /// When it was settled or void.
    pub ended_at: Option<Moment>,
    /// What has become of it.
    pub status: RoundStatus,
    /// The result as it stands.
    pub outcome: Option<String>,
    /// Terminals, or positions of a live table, with bets at the end.
    pub players: u64,
    /// What was bet.
    pub staked: Cents,
    /// What the bets return by the result as it stands.
    pub returned: Cents,
    /// How often it was put right after settlement.
    pub corrections: u64,
    /// Why it is void, if it is.
    pub void: Option<VoidRecord>,
}

pub(super) const SELECT: &str = "SELECT r.*, t.name AS table_name, b.game, b.version, b.hash,
    (SELECT count(*) FROM corrections c WHERE c.round = r.round) AS corrections
    FROM rounds r JOIN tables t USING (table_id) JOIN rulebooks b ON b.rulebook = r.rulebook";

impl Query<'_> {
    /// Rounds, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn rounds(&self, filter: &RoundFilter) -> Result<Page<RoundSummary>, Error> {
        let snapshot = self.snapshot()?;
        let page = filter::page(filter.limit);
        let mut wanted = Filter::default()
            .and("r.table_id = ?", filter.table.map(|table| i64::from(table.0)))
            .and("r.begun_at >= ?", filter.from.map(|from| from.0))
            .and("r.begun_at < ?", filter.to.map(|to| to.0))
            .and("r.outcome_sorted = ?", filter.outcome.as_deref().map(sorted))
            .and("r.status = ?", filter.status.map(|status| status.as_str().to_owned()))
            .and("r.round < ?", filter.before.map(filter::number));
        if filter.status.is_some_and(|status| status != RoundStatus::Settled) {
            // Almost all rounds are settled, and the index is of the others.
            wanted = wanted.always("r.status <> 'settled'");
        }
        let sql = wanted.sql(SELECT, &format!("ORDER BY r.round DESC {}", filter::limit(page)));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(wanted.values()))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            rows.push(self.summary(row)?);
        }
        let next = filter::cut(&mut rows, page, |row| row.round.0);
        let answer = Page { sequence: self.sequence()?, rows, next };
        drop(snapshot);
        Ok(answer)
    }

    /// One round in short.
    pub(super) fn round_summary(&self, round: RoundId) -> Result<Option<RoundSummary>, Error> {
        let mut statement = self.connection.prepare_cached(&format!("{SELECT} WHERE r.round = ?"))?;
        let mut found = statement.query([round.0])?;
        found.next()?.map(|row| self.summary(row)).transpose()
    }

    pub(super) fn summary(&self, row: &Row<'_>) -> Result<RoundSummary, Error> {
        let status: String = row.get("status")?;
        let status = RoundStatus::parse(&status).ok_or_else(|| unknown(&status))?;
        let hash: String = row.get("hash")?;
        let void = match status {
            RoundStatus::Void => Some(self.void(row, &hash)?),
            _ => None,
        };
        Ok(RoundSummary {
            round: get(row, "round", RoundId)?,
            table: get(row, "table_id", TableId)?,
            table_name: row.get("table_name")?,
            game: row.get("game")?,
            version: row.get("version")?,
            rulebook: hash,
            device: maybe(row, "device", DeviceId)?,
            begun_at: get(row, "begun_at", Moment)?,
            opened_at: maybe(row, "opened_at", Moment)?,
            closed_at: maybe(row, "closed_at", Moment)?,
            ended_at: maybe(row, "ended_at", Moment)?,
            status,
            outcome: row.get("outcome")?,
            players: row.get("players")?,
            staked: get(row, "staked", Cents::new)?,
            returned: get(row, "returned", Cents::new)?,
            corrections: row.get("corrections")?,
            void,
        })
    }

    fn void(&self, row: &Row<'_>, hash: &str) -> Result<VoidRecord, Error> {
        let by: Option<String> = row.get("void_by")?;
        Ok(VoidRecord {
            words: self.ground_words(hash, by.as_deref())?,
            by,
            paragraph: row.get("paragraph")?,
            reason: row.get("reason")?,
            staff: maybe(row, "staff", StaffId)?,
            witness: maybe(row, "witness", StaffId)?,
        })
    }

    /// A ground in the words of the document.
    pub(crate) fn ground_words(&self, hash: &str, by: Option<&str>) -> Result<Option<Words>, Error> {
        let Some(ground) = by.and_then(GroundId::parse) else { return Ok(None) };
        let rulebook = self.rulebook(hash)?;
        Ok(rulebook.ground(ground).map(|listed| Words::from(&listed.name)))
    }

    /// The name of a terminal.
    pub(crate) fn terminal_name(&self, terminal: floor::TerminalId) -> Result<String, Error> {
        let mut select = self.connection.prepare_cached("SELECT name FROM terminals WHERE terminal = ?")?;
        let name: Option<String> = select.query_row([terminal.0], |row| row.get(0)).optional()?;
        Ok(name.unwrap_or_else(|| format!("terminal {terminal}")))
    }
}

/// Dice in order; the search treats `4-2-2` and `2-2-4` as equal.
fn sorted(outcome: &str) -> String {
    let mut parts: Vec<&str> = outcome.trim().split('-').collect();
    parts.sort_unstable();
    parts.join("-")
}
