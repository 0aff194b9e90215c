//! `croupier bias`: are the dice, is the wheel biased?

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use clap::{Args, ValueEnum};
use floor::{DeviceId, TableId};
use lab::bias::{Order, Results, examine, validate};
use records::{Reader, ResultFilter};
use rulebook::Rulebook;

use crate::game::GameArg;
use crate::output::{Answer, Form, SheetArg};
use crate::refusal::{Failure, Refusal};

/// Test recorded results for bias: faces, totals, pockets, sectors, dependence, drift.
#[derive(Args)]
#[command(after_help = "\
RESULTS.csv has one outcome per line (2-2-3, or 17), then optionally a time and the direction of the wheel (cw or ccw); a \
first line may name the columns. With --data the results are those of a table or a device in the records of a floor. The \
tests are corrected for their number (Holm, 1 %), and each says how large a bias is and how many more rounds would settle \
it. Exit code 1 if chance does not explain a result.

--validate measures the tests: how often fair devices are called biased, and how soon biased ones are found.

Examples:
  croupier bias rws-sicbo results.csv
  croupier bias rws-roulette-000 --data /srv/floor --device 4 --sheet wheel.pdf
  croupier bias rws-sicbo --validate --runs 2000")]
pub struct Bias {
    #[command(flatten)]
    game: GameArg,

    /// The file of results.
    #[arg(value_name = "RESULTS.csv", required_unless_present_any = ["data", "validate"], conflicts_with_all = ["data", "validate"])]
    results: Option<PathBuf>,

    /// The folder of a floor, with its records.
    #[arg(long, value_name = "DIR", conflicts_with = "validate")]
    data: Option<PathBuf>,

    /// Results of this table.
    #[arg(long, value_name = "N", requires = "data")]
    table: Option<u16>,

    /// Results of this tumbler or wheel, at every table where it was used.
    #[arg(long, value_name = "N", requires = "data")]
    device: Option<u16>,

    /// Whether the first die of each outcome is always the same die; by default determined from the results.
    #[arg(long, value_name = "ORDER")]
    order: Option<OrderArg>,

    /// Validate the tests by simulation instead.
    #[arg(long)]
    validate: bool,

    /// How many runs of each device.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "validate", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: u64,

    /// The seed of the runs.
    #[arg(long, value_name = "S", default_value_t = 1, requires = "validate")]
    seed: u64,

    #[command(flatten)]
    sheet: SheetArg,
}

#[derive(Copy, Clone, ValueEnum)]
enum OrderArg {
    /// The first is always the same die.
    Known,
    /// The dice are sorted, or in no fixed order.
    Unknown,
}

impl Bias {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        let rulebook = self.game.rulebook()?;
        if self.validate {
            let validation = validate(self.seed, self.runs, available_parallelism().map_or(1, usize::from));
            let paper = validation.paper();
            if let (Some(written), Form::Words) = (self.sheet.write(|| paper.clone())?, form) {
                return Ok(Answer::Done(written));
            }
            return Ok(Answer::Done(form.paper(&validation, &paper)));
        }
        let results = match (&self.results, &self.data) {
            (Some(file), _) => read(&rulebook, file)?,
            (None, Some(data)) => self.recorded(&rulebook, data)?,
            (None, None) => return Err(Failure::Usage("name a file of results, or --data".to_owned())),
        };
        if results.outcomes.is_empty() {
            return Err(Refusal::new("no_results", "there are no results").into());
        }
        let order = match self.order {
            Some(OrderArg::Known) => Order::Known,
            Some(OrderArg::Unknown) => Order::Unknown,
            None => results.order(rulebook.outcomes()),
        };
        let examination = examine(&rulebook, &results, order);
        let paper = examination.paper();
        let text = match (self.sheet.write(|| paper.clone())?, form) {
            (Some(written), Form::Words) => written,
            _ => form.paper(&examination, &paper),
        };
        Ok(if examination.biased { Answer::Findings(text) } else { Answer::Done(text) })
    }

    /// The results in the records of a floor.
    fn recorded(&self, rulebook: &Rulebook, data: &Path) -> Result<Results, Failure> {
        if self.table.is_none() && self.device.is_none() {
            let message = "say which results: --device N or --table N; a bias of one device is lost among others";
            return Err(Failure::Usage(message.to_owned()));
        }
        let file = super::records::file(data);
        if !file.is_file() {
            let message = format!(
                "{} has no records: croupier records rebuild --data {} makes them",
                data.display(),
                data.display()
            );
            return Err(Refusal::new("no_records", message).into());
        }
        let refused = |error: records::Error| Refusal::new("records", error.to_string());
        let reader = Reader::open(&file).map_err(refused)?;
        let filter = ResultFilter {
            table: self.table.map(TableId),
            device: self.device.map(DeviceId),
            ..ResultFilter::default()
        };
        let mut results = Results::new(rulebook.outcomes());
        for record in reader.query().results(&filter).map_err(refused)? {
            let outcome = rulebook.outcomes().parse(&record.outcome).map_err(|_| {
                let message =
                    format!("round {} showed {}, which {} cannot", record.round.0, record.outcome, rulebook.id());
                Refusal::new("other_game", message)
            })?;
            results.push(outcome, None);
        }
        Ok(results)
    }
}

fn read(rulebook: &Rulebook, path: &Path) -> Result<Results, Refusal> {
    let name = path.display();
    let file = File::open(path).map_err(|error| Refusal::new("unreadable_file", format!("{name}: {error}")))?;
    Results::read(rulebook.outcomes(), file)
        .map_err(|error| Refusal::new("malformed_results", format!("{name}, {error}")))
}
