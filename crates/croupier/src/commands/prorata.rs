//! `croupier prorata`: what of the bets in an overfull betting box is at risk.

use clap::Args;
use rulebook::Cents;
use rulebook::prorata::{self, BoxLimits, Share, Sides};
use serde::Serialize;

use crate::output::Column::{Figure, Words};
use crate::output::{Form, Page};
use crate::refusal::{Failure, Refusal};

/// Settle an overfull betting box pro rata (Tai Sai 5.1.1, 5.1.2; D8).
#[derive(Args)]
#[command(after_help = "\
Bets of one player are one bet. Bets under the minimum stay whole; the others share what is left of the \
maximum, none falling below the minimum. With a differential, the heavier side may exceed the lighter one by \
no more than that.

Examples:
  croupier prorata --min 25 --max 1000 A=900 B=300 C=20
  croupier prorata --min 25 --max 1000 A=900 B=300 --differential 500 --against X=200 --against Y=50
  croupier prorata --min 25 --max 1000 --step 5 A=900 B=300 C=20")]
pub struct Prorata {
    /// The least a player may bet in the box.
    #[arg(long, value_name = "AMOUNT", default_value = "0", allow_negative_numbers = true)]
    min: String,

    /// The most the whole box may hold; without it there is no maximum.
    #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true)]
    max: Option<String>,

    /// The step to which amounts at risk are rounded down: a cent, or the table's smallest chip.
    #[arg(long, value_name = "AMOUNT", default_value = "0.01", allow_negative_numbers = true)]
    step: String,

    /// The largest permitted difference between the two sides.
    #[arg(long, value_name = "AMOUNT", requires = "against", allow_negative_numbers = true)]
    differential: Option<String>,

    /// A bet on the other side; give the option once for each.
    #[arg(long, value_name = "PLAYER=AMOUNT", requires = "differential")]
    against: Vec<String>,

    /// The bets in the box.
    #[arg(value_name = "PLAYER=AMOUNT", required = true)]
    bets: Vec<String>,
}

#[derive(Serialize)]
struct Apportioned {
    bets: Vec<Row>,
    against: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    player: String,
    bet: String,
    at_risk: String,
    returned: String,
}

impl Prorata {
    pub fn run(&self, form: Form) -> Result<String, Failure> {
        let sides = self.work_out()?;
        let rows = |shares: &[Share<&str>]| shares.iter().map(row).collect();
        let apportioned = Apportioned { bets: rows(&sides.bets), against: rows(&sides.against) };
        Ok(form.render(&apportioned, |page| write(page, &sides)))
    }

    fn work_out(&self) -> Result<Sides<&str>, Refusal> {
        let limits = BoxLimits {
            minimum: amount("--min", &self.min)?,
            maximum: self.max.as_deref().map(|text| amount("--max", text)).transpose()?,
            step: amount("--step", &self.step)?,
        };
        let bets = read(&self.bets)?;
        Ok(match &self.differential {
            None => Sides { bets: prorata::one_box(&bets, limits)?, against: Vec::new() },
            Some(differential) => {
                let differential = amount("--differential", differential)?;
                prorata::differential(&bets, &read(&self.against)?, differential, limits)?
            }
        })
    }
}

fn amount(option: &str, text: &str) -> Result<Cents, Refusal> {
    text.parse().map_err(|error| Refusal::from(error).about(option))
}

fn read(bets: &[String]) -> Result<Vec<(&str, Cents)>, Refusal> {
    bets.iter().map(|text| bet(text)).collect()
}

fn bet(text: &str) -> Result<(&str, Cents), Refusal> {
    match text.split_once('=') {
        Some((player, amount)) if !player.is_empty() => Ok((player, amount.parse()?)),
        _ => {
            let message = format!("\"{text}\" is not a bet: write PLAYER=AMOUNT, as in A=900");
            Err(Refusal::new("malformed_bet", message))
        }
    }
}

fn row(share: &Share<&str>) -> Row {
    Row {
        player: share.player.to_owned(),
        bet: share.bet.to_string(),
        at_risk: share.at_risk.to_string(),
        returned: share.returned().to_string(),
    }
}

fn write(page: &mut Page, sides: &Sides<&str>) {
    side(page, "The box", &sides.bets);
    if !sides.against.is_empty() {
        side(page, "The box against it", &sides.against);
    }
}

fn side(page: &mut Page, title: &str, shares: &[Share<&str>]) {
    page.heading(title);
    let total = |amount: fn(&Share<&str>) -> Cents| {
        Cents::checked_sum(shares.iter().map(amount)).map_or_else(|| "too large".to_owned(), |sum| sum.to_string())
    };
    let cells = |share: &Share<&str>| {
        [share.player.to_owned(), share.bet.to_string(), share.at_risk.to_string(), share.returned().to_string()]
    };
    let sum =
        ["Total".to_owned(), total(|share| share.bet), total(|share| share.at_risk), total(|share| share.returned())];
    page.table(
        &[Words("Player"), Figure("Bet"), Figure("At risk"), Figure("Returned")],
        shares.iter().map(cells).chain([sum]),
    );
}
