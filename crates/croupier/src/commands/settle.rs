//! `croupier settle`: what bets return on an outcome.

use clap::Args;
use rulebook::{Bet, Cents, Layout, OutcomeIndex, Rulebook};
use serde::Serialize;

use crate::bets;
use crate::game::{GameArg, LayoutArg};
use crate::output::Column::{Figure, Name, Words};
use crate::output::{self, Form, Page};
use crate::refusal::{Failure, Refusal};

/// Settle bets on an outcome by the pay table of a layout.
#[derive(Args)]
#[command(after_help = "\
A BET is SPOT=AMOUNT, as in double/5=20.00; for a multi-piece bet the amount is that of one piece, as in tiers=5.00. An \
AMOUNT is digits, optionally with a point and one or two digits.

No table limits apply here, only that every payout is whole cents: where a layout has half odds, stakes go \
in steps of 0.02.

Examples:
  croupier settle rws-sicbo --layout a --outcome 2-2-3 single/2=10.00 double/2=5.00
  croupier settle rws-roulette-000 --outcome 00 split/0-00=5 green=10 neighbours/21/2=1")]
pub struct Settle {
    #[command(flatten)]
    game: GameArg,

    #[command(flatten)]
    layout: LayoutArg,

    /// What the round showed: three dice (2-2-3) or a pocket (17, 0, 00, 000).
    #[arg(long, value_name = "OUTCOME", allow_negative_numbers = true)]
    outcome: String,

    /// The bets, in any number.
    #[arg(value_name = "BET", required = true)]
    bets: Vec<String>,
}

#[derive(Serialize)]
struct Settlement<'a> {
    game: &'a str,
    version: &'a str,
    layout: &'a str,
    hash: String,
    outcome: String,
    bets: Vec<Settled>,
    #[serde(serialize_with = "output::display")]
    staked: Cents,
    #[serde(serialize_with = "output::display")]
    returned: Cents,
}

#[derive(Serialize)]
struct Settled {
    spot: String,
    #[serde(serialize_with = "output::display")]
    stake: Cents,
    won: bool,
    pays: Option<String>,
    #[serde(serialize_with = "output::display")]
    returned: Cents,
    paragraph: String,
    /// The multi-piece bet it is a piece of.
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<String>,
}

impl Settle {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let rulebook = self.game.rulebook()?;
        let layout = self.layout.one(&rulebook)?;
        let outcome = rulebook
            .outcomes()
            .parse(&self.outcome)
            .map_err(|error| Refusal::new("malformed_outcome", error.to_string()).by(rulebook.outcomes_paragraph()))?;
        let mut settled = Vec::with_capacity(self.bets.len());
        for text in &self.bets {
            for (bet, of) in bets::read(&rulebook, layout, text)? {
                settled.push(settle(layout, outcome, bet, of)?);
            }
        }
        let total = |amount: fn(&Settled) -> Cents| {
            Cents::checked_sum(settled.iter().map(amount))
                .ok_or_else(|| Refusal::new("amount_too_large", "the bets add up to too large an amount"))
        };
        let (staked, returned) = (total(|bet| bet.stake)?, total(|bet| bet.returned)?);
        let settlement = Settlement {
            game: rulebook.id(),
            version: &rulebook.identity().version,
            layout: layout.id(),
            hash: rulebook.hash().to_string(),
            outcome: self.outcome.clone(),
            bets: settled,
            staked,
            returned,
        };
        Ok(form.render(&settlement, |page| write(page, &rulebook, layout, &settlement)))
    }
}

fn settle(layout: &Layout, outcome: OutcomeIndex, bet: Bet, of: Option<String>) -> Result<Settled, Refusal> {
    let table = layout.table();
    let spot = bets::place(layout, bet)?;
    let too_large = || Refusal::new("amount_too_large", format!("{bet}: the amount is too large"));
    let returned = table.returned(spot, outcome, bet.stake).ok_or_else(too_large)?;
    let pays = table.odds(spot, outcome);
    Ok(Settled {
        spot: bet.spot.to_string(),
        stake: bet.stake,
        won: pays.is_some(),
        pays: pays.map(|odds| odds.to_string()),
        returned,
        paragraph: table.spot(spot).map_or_else(String::new, |priced| priced.paragraph.to_string()),
        of,
    })
}

fn write(page: &mut Page, rulebook: &Rulebook, layout: &Layout, settlement: &Settlement) {
    let title = &rulebook.identity().title.en;
    page.heading(&format!("{title}, {}: {}", layout.name().en, settlement.outcome));
    let row = |bet: &Settled| {
        [
            match &bet.of {
                Some(of) => format!("{} (of {of})", bet.spot),
                None => bet.spot.clone(),
            },
            bet.stake.to_string(),
            bet.pays.as_ref().map_or_else(|| "loses".to_owned(), |odds| format!("{odds} to 1")),
            bet.returned.to_string(),
            bet.paragraph.clone(),
        ]
    };
    let (staked, returned) = (settlement.staked.to_string(), settlement.returned.to_string());
    let sum = ["Total", &staked, "", &returned, ""].map(str::to_owned);
    let rows = settlement.bets.iter().map(row).chain([sum]);
    page.table(&[Name("Bet"), Figure("Stake"), Figure("Pays"), Figure("Returned"), Words("§")], rows);
}
