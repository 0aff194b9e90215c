//! What was played in a time, and what should have come of it.

use std::collections::BTreeMap;

use floor::{Account, Moment, TableId};
use rulebook::{Cents, Fraction, PayTable, decimal};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::Amount;
use crate::query::Query;
use crate::query::recall::layout_at;
use crate::{Error, account};

/// Standard deviations on each side of the theoretical win: 95 % of days are within.
const BAND: f64 = 1.96;

/// Sums that can be added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) settled: i64,
    pub(crate) void: i64,
    pub(crate) corrected: i64,
    pub(crate) turnover: i64,
    pub(crate) win: i64,
    pub(crate) corrections: i64,
    pub(crate) decisions: i64,
    pub(crate) cash_in: i64,
    pub(crate) tickets_in: i64,
    pub(crate) attendant_in: i64,
    pub(crate) payable: i64,
    pub(crate) paid: i64,
    pub(crate) uncollected: i64,
    theoretical: Fraction,
    variance: f64,
    first: Option<Moment>,
    last: Option<Moment>,
}

/// The figures of a table, a game, or the house.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Figures {
    /// Rounds settled; those voided later are taken off at the time of the void.
    pub games: i64,
    /// Rounds void.
    pub void: i64,
    /// Results put right after settlement.
    pub corrected: i64,
    /// Cash, tickets and attendants' credit that came to the terminals, and cash for chips at live tables.
    pub drop: Amount,
    /// What of it is cash.
    pub cash_in: Amount,
    /// What of it are tickets.
    pub tickets_in: Amount,
    /// What of it came from attendants.
    pub attendant_in: Amount,
    /// What was bet in settled rounds; at a live table what was at risk.
    pub turnover: Amount,
    /// What the house has won, corrections included.
    pub win: Amount,
    /// What of it comes from corrections and voids after settlement.
    pub corrections: Amount,
    /// What decisions of the Shift Manager have brought; below zero if they cost.
    pub decisions: Amount,
    /// The sum of stakes times their exact edges.
    pub theoretical: Amount,
    /// The same as an exact fraction of dollars.
    pub theoretical_exact: String,
    /// The standard deviation of the win, from every round's bets and outcomes.
    pub deviation: Amount,
    /// The lower end of the band of 1.96 standard deviations around the theoretical win.
    pub low: Amount,
    /// Its upper end.
    pub high: Amount,
    /// The win as a share of the turnover.
    pub hold: Option<f64>,
    /// The theoretical win as a share of the turnover.
    pub theoretical_hold: Option<f64>,
    /// The lower end of the band, likewise.
    pub hold_low: Option<f64>,
    /// Its upper end.
    pub hold_high: Option<f64>,
    /// Whether the win is within the band; `null` if nothing was bet.
    pub within: Option<bool>,
    /// From the beginning of the first round to the end of the last.
    pub hours: f64,
    /// Rounds ended, void ones included, by those hours.
    pub games_per_hour: Option<f64>,
    /// Corrections left to be paid at the cage.
    pub payable: Amount,
    /// Corrections paid at the cage.
    pub paid: Amount,
    /// What corrections could not collect.
    pub uncollected: Amount,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.settled += other.settled;
        self.void += other.void;
        self.corrected += other.corrected;
        self.turnover += other.turnover;
        self.win += other.win;
        self.corrections += other.corrections;
        self.decisions += other.decisions;
        self.cash_in += other.cash_in;
        self.tickets_in += other.tickets_in;
        self.attendant_in += other.attendant_in;
        self.payable += other.payable;
        self.paid += other.paid;
        self.uncollected += other.uncollected;
        self.theoretical += other.theoretical;
        self.variance += other.variance;
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
    }

    fn played(&mut self, begun: Moment, ended: Moment) {
        self.first = Some(self.first.map_or(begun, |first| first.min(begun)));
        self.last = self.last.max(Some(ended));
    }

    pub(crate) fn figures(&self) -> Figures {
        let theoretical = float(self.theoretical);
        let deviation = self.variance.max(0.0).sqrt();
        let (low, high) = (theoretical - BAND * deviation, theoretical + BAND * deviation);
        let turnover = self.turnover as f64;
        let share = |amount: f64| (self.turnover > 0).then(|| amount / turnover);
        let win = self.win as f64;
        let span = self.first.zip(self.last).map_or(0, |(first, last)| last.0 - first.0);
        let hours = span as f64 / 3_600_000.0;
        let ended = (self.settled + self.void) as f64;
        Figures {
            games: self.settled,
            void: self.void,
            corrected: self.corrected,
            drop: Amount(self.cash_in + self.tickets_in + self.attendant_in),
            cash_in: Amount(self.cash_in),
            tickets_in: Amount(self.tickets_in),
            attendant_in: Amount(self.attendant_in),
            turnover: Amount(self.turnover),
            win: Amount(self.win),
            corrections: Amount(self.corrections),
            decisions: Amount(self.decisions),
            theoretical: cents(theoretical),
            theoretical_exact: (self.theoretical / Fraction::from_integer(100)).to_string(),
            deviation: cents(deviation),
            low: cents(low),
            high: cents(high),
            hold: share(win),
            theoretical_hold: share(theoretical),
            hold_low: share(low),
            hold_high: share(high),
            within: (self.turnover > 0).then_some((low..=high).contains(&win)),
            hours,
            games_per_hour: (span > 0).then(|| ended / hours),
            payable: Amount(self.payable),
            paid: Amount(self.paid),
            uncollected: Amount(self.uncollected),
        }
    }
}

/// Tallies by the part of a time and the table.
pub(crate) type Tallies = BTreeMap<(i64, TableId), Tally>;

/// Which times and tables.
#[derive(Copy, Clone)]
pub(crate) struct Span {
    pub(crate) from: Moment,
    pub(crate) to: Moment,
    pub(crate) table: Option<TableId>,
    /// The length of the parts, in milliseconds.
    pub(crate) part: i64,
}

impl Span {
    fn part_of(&self, at: i64) -> i64 {
        self.from.0 + (at - self.from.0).div_euclid(self.part) * self.part
    }
}

/// A round that counts in a time.
struct Counted {
    round: u64,
    table: TableId,
    hash: String,
    begun: Moment,
    at: Moment,
    sign: i64,
}

impl Query<'_> {
    /// Everything that happened in a time, by its parts and by table.
    pub(crate) fn tallies(&self, span: Span) -> Result<Tallies, Error> {
        let mut tallies = Tallies::new();
        self.tally_rounds(span, &mut tallies)?;
        self.tally_voids(span, &mut tallies)?;
        self.tally_money(span, &mut tallies)?;
        Ok(tallies)
    }

    /// Rounds that were settled in the time, whatever became of them later, and those voided later, taken off.
    fn tally_rounds(&self, span: Span, tallies: &mut Tallies) -> Result<(), Error> {
        let mut select = self.connection.prepare_cached(
            "SELECT r.round, r.table_id, b.hash, r.begun_at, r.ended_at, 1 FROM rounds r JOIN rulebooks b USING (rulebook)
             WHERE r.ended_at >= ?1 AND r.ended_at < ?2 AND r.begun_at < ?2 AND (?3 IS NULL OR r.table_id = ?3)
             AND (r.status <> 'void' OR EXISTS (SELECT 1 FROM corrections c WHERE c.round = r.round))
             UNION ALL
             SELECT r.round, r.table_id, b.hash, r.begun_at, c.at, -1
             FROM corrections c JOIN rounds r USING (round) JOIN rulebooks b USING (rulebook)
             WHERE c.at >= ?1 AND c.at < ?2 AND c.outcome IS NULL AND (?3 IS NULL OR r.table_id = ?3)",
        )?;
        let counted = select.query_map((span.from.0, span.to.0, span.table.map(|table| table.0)), |row| {
            Ok(Counted {
                round: row.get(0)?,
                table: TableId(row.get(1)?),
                hash: row.get(2)?,
                begun: Moment(row.get(3)?),
                at: Moment(row.get(4)?),
                sign: row.get(5)?,
            })
        })?;
        for counted in counted {
            let counted = counted?;
            let theory = self.theory(counted.round, &counted.hash)?;
            let tally = tallies.entry((span.part_of(counted.at.0), counted.table)).or_default();
            tally.settled += counted.sign;
            tally.turnover += counted.sign * theory.staked;
            tally.theoretical += theory.win * Fraction::from_integer(i128::from(counted.sign));
            tally.variance += theory.variance * counted.sign as f64;
            if counted.sign > 0 {
                tally.played(counted.begun, counted.at);
            } else {
                tally.void += 1;
            }
        }
        Ok(())
    }

    /// Rounds void without having been settled, and results put right.
    fn tally_voids(&self, span: Span, tallies: &mut Tallies) -> Result<(), Error> {
        let wanted = (span.from.0, span.to.0, span.table.map(|table| table.0));
        let mut select = self.connection.prepare_cached(
            "SELECT table_id, begun_at, ended_at FROM rounds r WHERE status = 'void' AND status <> 'settled'
             AND ended_at >= ?1 AND ended_at < ?2 AND (?3 IS NULL OR table_id = ?3)
             AND NOT EXISTS (SELECT 1 FROM corrections c WHERE c.round = r.round)",
        )?;
        let mut rows = select.query(wanted)?;
        while let Some(row) = rows.next()? {
            let (begun, ended) = (Moment(row.get(1)?), Moment(row.get(2)?));
            let tally = tallies.entry((span.part_of(ended.0), TableId(row.get(0)?))).or_default();
            tally.void += 1;
            tally.played(begun, ended);
        }
        let mut select = self.connection.prepare_cached(
            "SELECT r.table_id, c.at FROM corrections c JOIN rounds r USING (round) WHERE c.outcome IS NOT NULL
             AND c.at >= ?1 AND c.at < ?2 AND (?3 IS NULL OR r.table_id = ?3)",
        )?;
        let mut rows = select.query(wanted)?;
        while let Some(row) = rows.next()? {
            tallies.entry((span.part_of(row.get(1)?), TableId(row.get(0)?))).or_default().corrected += 1;
        }
        Ok(())
    }

    fn tally_money(&self, span: Span, tallies: &mut Tallies) -> Result<(), Error> {
        // What has no table of its own belongs to that of its round, or of its terminal.
        let mut select = self.connection.prepare_cached(
            "SELECT coalesce(m.table_id, r.table_id, t.table_id) AS of_table, m.at, m.cause, m.amount, m.source, m.target
             FROM money m LEFT JOIN rounds r ON r.round = m.round LEFT JOIN terminals t ON t.terminal = m.terminal
             WHERE m.number >= ?1 AND m.at < ?2 AND of_table IS NOT NULL AND (?3 IS NULL OR of_table = ?3)
             AND m.cause NOT IN ('wager', 'bet-returned')",
        )?;
        let first = self.first_money(span.from)?;
        let mut rows = select.query((first, span.to.0, span.table.map(|table| table.0)))?;
        while let Some(row) = rows.next()? {
            let table = TableId(row.get(0)?);
            let tally = tallies.entry((span.part_of(row.get(1)?), table)).or_default();
            let (cause, amount): (String, i64) = (row.get(2)?, row.get(3)?);
            let (source, target): (String, String) = (row.get(4)?, row.get(5)?);
            tally.money(table, &cause, amount, &source, &target);
        }
        Ok(())
    }

    /// The first movement of money at a moment or later. They are in the order of time.
    fn first_money(&self, from: Moment) -> Result<i64, Error> {
        let bounds = "SELECT ifnull(min(number), 0), ifnull(max(number), 0) FROM money";
        let (mut low, last): (i64, i64) =
            self.connection.prepare_cached(bounds)?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut high = last + 1;
        let mut select =
            self.connection.prepare_cached("SELECT at FROM money WHERE number >= ? ORDER BY number LIMIT 1")?;
        while low < high {
            let middle = low + (high - low) / 2;
            let mut found = select.query([middle])?;
            let at: Option<i64> = found.next()?.map(|row| row.get(0)).transpose()?;
            if at.is_some_and(|at| at < from.0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// What the bets of a round should bring the house, over all its outcomes.
    fn theory(&self, round: u64, hash: &str) -> Result<Theory, Error> {
        let rulebook = self.rulebook(hash)?;
        let mut theory = Returns::default();
        let mut select = self.connection.prepare_cached(
            "SELECT s.layout, b.spot, sum(b.stake) FROM bets b JOIN settlements s USING (round, terminal)
             WHERE b.round = ?1 GROUP BY s.layout, b.spot
             UNION ALL SELECT 0, spot, sum(at_risk) FROM chip_shares WHERE round = ?1 GROUP BY spot",
        )?;
        let mut rows = select.query([round])?;
        while let Some(row) = rows.next()? {
            let table = layout_at(&rulebook, row.get(0)?)?.table();
            theory.bet(table, row.get(1)?, row.get(2)?)?;
        }
        Ok(theory.over_outcomes())
    }
}

impl Tally {
    fn money(&mut self, table: TableId, cause: &str, amount: i64, source: &str, target: &str) {
        let moved = |account: Account| {
            let name = account::account(account);
            amount * (i64::from(target == name) - i64::from(source == name))
        };
        let won = moved(Account::HouseWin(table));
        self.win += won;
        match cause {
            "cash-in" => self.cash_in += amount,
            "ticket-in" => self.tickets_in += amount,
            "attendant-in" => self.attendant_in += amount,
            "correction" => self.corrections += won,
            "decision" => self.decisions += moved(Account::Decisions),
            _ => {}
        }
        let payable = moved(Account::CorrectionPayable);
        if cause == "paid" {
            self.paid -= payable;
        } else {
            self.payable += payable;
        }
        self.uncollected -= moved(Account::Uncollected);
    }
}

/// What the bets of a round return in each outcome, in cents.
#[derive(Default)]
struct Returns {
    staked: i64,
    returned: Vec<i128>,
}

struct Theory {
    staked: i64,
    win: Fraction,
    variance: f64,
}

impl Returns {
    fn bet(&mut self, table: &PayTable, spot: usize, stake: i64) -> Result<(), Error> {
        let spot = table.index_at(spot).ok_or_else(|| Error::damaged("a bet on no spot of its layout"))?;
        self.returned.resize(self.returned.len().max(table.outcomes()), 0);
        self.staked += stake;
        for (outcome, _) in table.winners(spot) {
            let returned = table.returned(spot, *outcome, Cents::new(stake)).unwrap_or(Cents::ZERO);
            if let Some(sum) = self.returned.get_mut(outcome.get()) {
                *sum += i128::from(returned.get());
            }
        }
        Ok(())
    }

    /// Every outcome is equally likely. All bets of a round hang on the same outcome, so that their variances do not
    /// simply add up: the variance is that of their sum.
    fn over_outcomes(&self) -> Theory {
        let outcomes = self.returned.len() as i128;
        if outcomes == 0 {
            return Theory { staked: 0, win: Fraction::from_integer(0), variance: 0.0 };
        }
        let sum: i128 = self.returned.iter().sum();
        let squares: i128 = self.returned.iter().map(|returned| returned * returned).sum();
        let win = Fraction::from_integer(i128::from(self.staked)) - Fraction::new(sum, outcomes);
        let variance = (outcomes * squares - sum * sum) as f64 / (outcomes * outcomes) as f64;
        Theory { staked: self.staked, win, variance }
    }
}

fn float(fraction: Fraction) -> f64 {
    decimal(fraction, 6).parse().unwrap_or(0.0)
}

fn cents(amount: f64) -> Amount {
    Amount(amount.round() as i64)
}
