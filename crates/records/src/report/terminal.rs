//! One terminal: its meters with the identity they must satisfy (S11), its last rounds and money (S13).

use floor::TerminalId;
use paper::{Column, Paper, Table};
use serde::Serialize;
use utoipa::ToSchema;

use super::words::Amount;
use super::{At, NoReport, UpTo, subtitles};
use crate::query::{MoneyRecord, PlayerRound, Query};

/// Rounds and movements of money that are recalled (S13).
const ROUNDS: u32 = 10;
const MOVEMENTS: u32 = 35;

/// A meter, and how it enters the credit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MeterRow {
    /// Which.
    pub meter: &'static str,
    /// `+` or `−`.
    pub sign: &'static str,
    /// How much.
    pub amount: Amount,
}

/// A round of the terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastRound {
    /// Which.
    pub round: u64,
    /// When it ended.
    pub ended: Option<At>,
    /// What has become of it.
    pub status: String,
    /// Its result.
    pub outcome: Option<String>,
    /// The layout.
    pub layout: String,
    /// Its pay table.
    pub pay_table: String,
    /// The rulebook's hash.
    pub rulebook: String,
    /// The bets in the notation.
    pub bets: Vec<String>,
    /// What was staked.
    pub staked: Amount,
    /// What the bets return.
    pub returned: Amount,
}

/// A movement of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LastMoney {
    /// Its record.
    pub sequence: u64,
    /// When.
    pub at: At,
    /// Why.
    pub cause: String,
    /// How much.
    pub amount: Amount,
    /// From which account.
    pub from: String,
    /// To which account.
    pub to: String,
    /// The round.
    pub round: Option<u64>,
}

/// One terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TerminalReport {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// Which.
    #[schema(value_type = u32)]
    pub terminal: TerminalId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its table.
    pub table: String,
    /// The meters.
    pub meters: Vec<MeterRow>,
    /// What the credit must be by them.
    pub by_meters: Amount,
    /// The credit.
    pub credit: Amount,
    /// What is put aside for a ticket that is being printed; it has not left the meters yet.
    pub prepared: Amount,
    /// Whether they agree (S11).
    pub agrees: bool,
    /// The last rounds, newest first.
    pub rounds: Vec<LastRound>,
    /// The last movements of money, newest first.
    pub money: Vec<LastMoney>,
}

impl Query<'_> {
    /// The report of a terminal.
    ///
    /// # Errors
    /// When there is no such terminal, or the database cannot be read.
    pub fn terminal_report(&self, terminal: TerminalId, journal: Option<u64>) -> Result<TerminalReport, NoReport> {
        let snapshot = self.snapshot()?;
        let mut select = self.connection.prepare_cached(
            "SELECT t.name, t.kind, b.name, m.* FROM terminals t JOIN tables b USING (table_id)
             JOIN meters m USING (terminal) WHERE terminal = ?",
        )?;
        let mut found = select.query([terminal.0])?;
        let Some(row) = found.next()? else {
            return Err(self.unknown("unknown_terminal", format!("there is no terminal {terminal}"))?);
        };
        let mut meters = Vec::new();
        let mut by_meters = 0;
        for (column, meter, sign) in METERS {
            let amount: i64 = row.get(column)?;
            by_meters += if sign == "−" { -amount } else { amount };
            meters.push(MeterRow { meter, sign, amount: Amount(amount) });
        }
        let (credit, prepared): (i64, i64) = (row.get("credit")?, row.get("prepared")?);
        let report = TerminalReport {
            up_to: self.up_to(journal)?,
            terminal,
            name: row.get(0)?,
            kind: row.get(1)?,
            table: row.get(2)?,
            meters,
            by_meters: Amount(by_meters),
            credit: Amount(credit),
            prepared: Amount(prepared),
            agrees: by_meters == credit + prepared,
            rounds: self.last_rounds(terminal, ROUNDS)?.into_iter().map(last_round).collect(),
            money: self.last_money(terminal, MOVEMENTS)?.into_iter().map(last_money).collect(),
        };
        drop(snapshot);
        Ok(report)
    }
}

/// Columns, what they are, and how they enter the credit.
const METERS: [(&str, &str, &str); 10] = [
    ("cash_in", "cash in", "+"),
    ("tickets_in", "tickets in", "+"),
    ("attendant_in", "attendant in", "+"),
    ("wins", "wins", "+"),
    ("bets_returned", "bets returned", "+"),
    ("tickets_out", "tickets out", "−"),
    ("attendant_out", "attendant out", "−"),
    ("wagers", "wagers", "−"),
    ("corrections", "corrections", "+"),
    ("decisions", "decisions", "+"),
];

fn last_round(PlayerRound { round, player, .. }: PlayerRound) -> LastRound {
    let bets = player.bets.iter().map(|bet| format!("{}={}", bet.spot, bet.stake));
    LastRound {
        round: round.round.0,
        ended: round.ended_at.map(At),
        status: round.status.as_str().to_owned(),
        outcome: round.outcome,
        layout: player.layout.id,
        pay_table: player.layout.pay_table.en,
        rulebook: round.rulebook,
        bets: bets.collect(),
        staked: player.staked.into(),
        returned: player.entitled.into(),
    }
}

fn last_money(money: MoneyRecord) -> LastMoney {
    LastMoney {
        sequence: money.sequence,
        at: At(money.at),
        cause: money.cause,
        amount: money.amount.into(),
        from: money.from,
        to: money.to,
        round: money.round.map(|round| round.0),
    }
}

impl TerminalReport {
    /// The report as a paper.
    #[must_use]
    pub fn paper(&self) -> Paper {
        let mut paper = Paper::new(format!("Terminal {}", self.terminal));
        paper.subtitle(format!("{}, {} at {}", self.name, self.kind, self.table));
        subtitles(&mut paper, &self.up_to);
        paper.heading("Meters (S11)");
        let mut table = Table::new("", [Column::name(""), Column::name("Meter"), Column::figure("Amount")]);
        for row in &self.meters {
            table.row([row.sign.to_owned(), row.meter.to_owned(), row.amount.to_string()]);
        }
        table.total(["=", "credit by the meters", &self.by_meters.to_string()]);
        paper.table(table);
        paper.paragraph(
            "credit = (cash in + tickets in + attendant in + wins + bets returned) − (tickets out + attendant out + \
             wagers) ± corrections and decisions",
        );
        let verdict = if self.agrees { "they agree" } else { "they do NOT agree: the terminal must be locked" };
        paper.facts([
            ("Credit", self.credit.to_string()),
            ("Put aside for a ticket being printed", self.prepared.to_string()),
            ("Credit by the meters", format!("{}: {verdict}", self.by_meters)),
        ]);
        self.put_rounds(&mut paper);
        paper.heading(format!("The last {MOVEMENTS} movements of money (S13)"));
        let names = ["When (UTC+8)", "Why"].map(Column::name);
        let rest = [Column::figure("Amount"), Column::name("From"), Column::name("To"), Column::figure("Round")];
        let mut table = Table::new("", names.into_iter().chain(rest));
        for money in &self.money {
            let round = money.round.map_or_else(String::new, |round| round.to_string());
            let (at, amount) = (money.at.to_string(), money.amount.to_string());
            table.row([at, money.cause.clone(), amount, money.from.clone(), money.to.clone(), round]);
        }
        paper.table(table);
        paper
    }

    fn put_rounds(&self, paper: &mut Paper) {
        paper.heading(format!("The last {ROUNDS} rounds (S13)"));
        if self.rounds.is_empty() {
            paper.paragraph("No bets so far.");
            return;
        }
        let columns = [
            Column::figure("Round"),
            Column::name("Ended (UTC+8)"),
            Column::name("Result"),
            Column::name("Pay table"),
            Column::words("Bets"),
            Column::figure("Staked"),
            Column::figure("Returned"),
        ];
        let mut table = Table::new("", columns);
        for round in &self.rounds {
            table.row([
                round.round.to_string(),
                round.ended.map_or_else(String::new, |at| at.to_string()),
                round.outcome.clone().unwrap_or_else(|| round.status.clone()),
                format!("{} ({})", round.pay_table, round.layout),
                round.bets.join(", "),
                round.staked.to_string(),
                round.returned.to_string(),
            ]);
        }
        paper.table(table);
    }
}
