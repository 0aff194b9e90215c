//! `croupier records recall`: what a terminal did last (S13).

use clap::Args;
use floor::TerminalId;
use records::{BetRecord, CorrectionRecord, MoneyRecord, PayTableRecord, PlayerRound, Query, Reader};
use rulebook::Spot;
use serde_json::{Value, json};

use super::{file, refused};
use crate::data::DataArg;
use crate::output::Column::{Figure, Name, Words};
use crate::output::group::{group, summary};
use crate::output::time::Local;
use crate::output::{Form, Page};
use crate::refusal::{Failure, Refusal};

/// Print a terminal's last rounds, complete with their pay table, and its last money transactions (S13).
#[derive(Args)]
#[command(after_help = "\
The answer comes from the records, and states up to which record of the journal they go.

Examples:
  croupier records recall --data /srv/floor --terminal 3
  croupier records recall --terminal 3 --rounds 100 --json")]
pub struct Recall {
    #[command(flatten)]
    data: DataArg,

    /// The terminal, by its number.
    #[arg(long, value_name = "N")]
    terminal: u32,

    /// How many rounds.
    #[arg(long, value_name = "N", default_value_t = 10)]
    rounds: u32,

    /// How many money transactions.
    #[arg(long, value_name = "N", default_value_t = 35)]
    transactions: u32,
}

/// What is recalled.
struct Recalled {
    sequence: u64,
    at: Local,
    name: String,
    rounds: Vec<PlayerRound>,
    money: Vec<MoneyRecord>,
    pay_tables: Vec<PayTableRecord>,
}

impl Recall {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let file = file(self.data.path());
        if !file.exists() {
            let message = format!("there are no records in {}: croupier records rebuild makes them", file.display());
            return Err(Refusal::new("no_records", message).into());
        }
        let reader = Reader::open(&file).map_err(|error| refused(&error))?;
        let recalled = self.recall(&reader.query()).map_err(|error| refused(&error))?;
        let Some(recalled) = recalled else {
            let message = format!("there is no terminal {} in these records", self.terminal);
            return Err(Refusal::new("unknown_terminal", message).into());
        };
        Ok(form.render(&recalled.json(self.terminal), |page| recalled.write(page)))
    }

    fn recall(&self, query: &Query<'_>) -> Result<Option<Recalled>, records::Error> {
        let terminal = TerminalId(self.terminal);
        let Some(known) = query.terminals()?.into_iter().find(|known| known.terminal == terminal) else {
            return Ok(None);
        };
        let rounds = query.last_rounds(terminal, self.rounds)?;
        let mut used: Vec<(&str, &str)> =
            rounds.iter().map(|round| (round.round.rulebook.as_str(), round.player.layout.id.as_str())).collect();
        used.sort_unstable();
        used.dedup();
        let mut pay_tables = Vec::new();
        for (rulebook, layout) in used {
            pay_tables.extend(query.pay_table(rulebook, layout)?);
        }
        Ok(Some(Recalled {
            sequence: query.sequence()?,
            at: Local(query.at()?),
            name: known.name,
            money: query.last_money(terminal, self.transactions)?,
            pay_tables,
            rounds,
        }))
    }
}

impl Recalled {
    fn json(&self, terminal: u32) -> Value {
        json!({
            "sequence": self.sequence,
            "at": self.at,
            "terminal": terminal,
            "name": self.name,
            "rounds": self.rounds.iter().map(round).collect::<Vec<_>>(),
            "money": self.money.iter().map(transaction).collect::<Vec<_>>(),
            "pay_tables": self.pay_tables,
        })
    }

    fn write(&self, page: &mut Page) {
        page.heading(&format!("Recall of {}", self.name));
        page.words(&format!("True up to record {} of {} (UTC+8).", self.sequence, self.at.words()));
        for round in &self.rounds {
            write_round(page, round);
        }
        if self.rounds.is_empty() {
            page.words("No bets so far.");
        }
        page.heading("Money, the latest first");
        let row = |money: &MoneyRecord| {
            [
                Local(money.at).words(),
                money.cause.clone(),
                money.amount.to_string(),
                money.from.clone(),
                money.to.clone(),
                money.round.map_or_else(String::new, |round| round.to_string()),
            ]
        };
        let columns =
            [Name("When (UTC+8)"), Name("Why"), Figure("Amount"), Words("From"), Words("To"), Figure("Round")];
        page.table(&columns, self.money.iter().map(row));
        for table in &self.pay_tables {
            write_pay_table(page, table);
        }
    }
}

fn round(record: &PlayerRound) -> Value {
    let (round, player) = (&record.round, &record.player);
    json!({
        "round": round.round,
        "table": round.table,
        "table_name": round.table_name,
        "game": round.game,
        "version": round.version,
        "rulebook": round.rulebook,
        "status": round.status,
        "begun": Local(round.begun_at),
        "ended": round.ended_at.map(Local),
        "outcome": round.outcome,
        "visit": player.visit,
        "layout": player.layout.id,
        "bets": player.bets.iter().map(bet).collect::<Vec<_>>(),
        "staked": player.staked.to_string(),
        "returned": player.returned.to_string(),
        "entitled": player.entitled.to_string(),
        "corrections": record.corrections.iter().map(correction).collect::<Vec<_>>(),
    })
}

fn bet(bet: &BetRecord) -> Value {
    json!({
        "spot": bet.spot,
        "of": bet.pieces,
        "stake": bet.stake.to_string(),
        "pays": bet.odds,
        "returned": bet.returned.to_string(),
        "paragraph": bet.paragraph,
    })
}

fn correction(correction: &CorrectionRecord) -> Value {
    let adjustments = correction.adjustments.iter().map(|adjustment| {
        json!({
            "was": adjustment.was.to_string(),
            "entitled": adjustment.entitled.to_string(),
            "credited": adjustment.credited.to_string(),
            "payable": adjustment.payable.to_string(),
            "unpaid": adjustment.unpaid.to_string(),
            "taken": adjustment.taken.to_string(),
            "uncollected": adjustment.uncollected.to_string(),
        })
    });
    json!({
        "sequence": correction.sequence,
        "at": Local(correction.at),
        "was": correction.was,
        "outcome": correction.outcome,
        "void_by": correction.void_by,
        "paragraph": correction.paragraph,
        "staff": correction.staff,
        "witness": correction.witness,
        "reason": correction.reason,
        "adjustments": adjustments.collect::<Vec<_>>(),
    })
}

fn transaction(money: &MoneyRecord) -> Value {
    json!({
        "sequence": money.sequence,
        "at": Local(money.at),
        "cause": money.cause,
        "amount": money.amount.to_string(),
        "from": money.from,
        "to": money.to,
        "round": money.round,
        "ticket": money.ticket,
        "staff": money.staff,
    })
}

fn write_round(page: &mut Page, record: &PlayerRound) {
    let (round, player) = (&record.round, &record.player);
    let outcome = round.outcome.as_deref().unwrap_or("no result");
    page.heading(&format!("Round {} at {}: {outcome}, {}", round.round, round.table_name, round.status.as_str()));
    let ended = round.ended_at.map_or_else(|| "in progress".to_owned(), |at| Local(at).words());
    page.words(&format!(
        "{} to {ended} (UTC+8); {} version {}, {}, {}",
        Local(round.begun_at).words(),
        round.game,
        round.version,
        player.layout.name.en,
        player.layout.pay_table.en
    ));
    let row = |bet: &BetRecord| {
        [
            bet.pieces.as_ref().map_or_else(|| bet.spot.clone(), |of| format!("{} (of {of})", bet.spot)),
            bet.stake.to_string(),
            bet.odds.as_ref().map_or_else(|| "–".to_owned(), |odds| format!("{odds} to 1")),
            bet.returned.to_string(),
            bet.paragraph.clone(),
        ]
    };
    let total =
        ["Total".to_owned(), player.staked.to_string(), String::new(), player.entitled.to_string(), String::new()];
    let columns = [Name("Bet"), Figure("Stake"), Figure("Paid at"), Figure("Returned"), Words("§")];
    page.table(&columns, player.bets.iter().map(row).chain([total]));
    for correction in &record.corrections {
        let to = correction.outcome.as_deref().unwrap_or("void");
        let when = Local(correction.at).words();
        page.words(&format!(
            "Corrected {when} from {} to {to}: {}",
            correction.was.as_deref().unwrap_or("void"),
            correction.reason
        ));
    }
}

fn write_pay_table(page: &mut Page, table: &PayTableRecord) {
    page.heading(&format!("{} of {}, {}", table.layout.pay_table.en, table.game, table.layout.name.en));
    let spots = table.spots.iter().filter_map(|priced| Some((priced.spot.parse::<Spot>().ok()?, priced)));
    let keyed = spots.map(|(spot, priced)| (spot, (priced.odds.join(" / "), priced.paragraph.clone())));
    let row = |group: crate::output::group::Group<(String, String)>| [summary(&group.spots), group.key.0, group.key.1];
    page.table(&[Words("Spot"), Figure("Pays"), Words("§")], group(keyed).into_iter().map(row));
}
