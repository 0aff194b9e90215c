//! `croupier report`: the papers a casino files, from the records of a floor.

use clap::{Args, Subcommand};
use floor::{RoundId, ShiftId, TableId, TerminalId};
use host::witnesses::day_head;
use journal::{Ending, RealDisk, Scan};
use paper::Paper;
use records::report::{DayAnchor, NoReport, Proof};
use records::{Kind, Query, Reader};
use serde::Serialize;

use crate::data::{self, ArchiveArg, DataArg};
use crate::output::{Answer, Form, SheetArg};
use crate::refusal::{Failure, Refusal};

/// Print the papers a casino files: the day, a table, a terminal, shifts, slips, tickets, people, voids, events, a round.
#[derive(Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "\
Reports come from the records beside the journal, and state up to which record they go. A day is a gaming day, written \
2026-03-29; the default is the day of the last record. --sheet writes the report as .pdf, .html, .csv or .txt. Exit code 1 \
if figures that must agree do not.

Examples:
  croupier report day --data /srv/floor --sheet day.pdf
  croupier report day 2026-03-29 --json
  croupier report table 1 --from 2026-03-01 --to 2026-03-31
  croupier report terminal 8
  croupier report shift 3 --sheet handover.pdf
  croupier report tickets
  croupier report people 2026-03-29
  croupier report voids --from 2026-03-01 --to 2026-03-31
  croupier report events --kind fault
  croupier report round 4711 --sheet dispute.pdf")]
pub struct Report {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// The gaming day by table and game: drop, turnover, win, hold against its band, and the day's checkpoint.
    #[command(after_help = "\
The theoretical win is every stake times its exact edge; the band is 1.96 standard deviations on each side, from the \
exact distribution of every round. The checkpoint is printed as `croupier journal anchor` prints it.

Examples:
  croupier report day --data /srv/floor
  croupier report day 2026-03-29 --sheet day.pdf")]
    Day {
        /// The gaming day.
        #[arg(value_name = "DATE")]
        day: Option<String>,
        #[command(flatten)]
        to: To,
    },
    /// One table by hour (by day, if more than three), with its results and the limits in force.
    #[command(after_help = "\
Examples:
  croupier report table 1 --data /srv/floor
  croupier report table 1 --from 2026-03-01 --to 2026-03-31 --sheet march.html")]
    Table {
        /// The table, by its number.
        #[arg(value_name = "N")]
        table: u16,
        #[command(flatten)]
        days: Days,
        #[command(flatten)]
        to: To,
    },
    /// A terminal's meters with the identity they must satisfy, its last rounds and money.
    #[command(after_help = "\
Examples:
  croupier report terminal 8 --data /srv/floor")]
    Terminal {
        /// The terminal, by its number.
        #[arg(value_name = "N")]
        terminal: u32,
        #[command(flatten)]
        to: To,
    },
    /// A cashier's handover: float, in, out, expected, counted, difference. Without a number, all shifts.
    #[command(after_help = "\
Examples:
  croupier report shift --data /srv/floor
  croupier report shift 3 --sheet handover.pdf")]
    Shift {
        /// The shift, by its number.
        #[arg(value_name = "N")]
        shift: Option<u32>,
        #[command(flatten)]
        to: To,
    },
    /// Slips of the cage and of live tables on a day, with counts, reason and second person. With a number, that slip again.
    #[command(after_help = "\
Examples:
  croupier report slips --data /srv/floor
  croupier report slips 2026-03-29 --sheet slips.csv
  croupier report slips --number 4711 --sheet slip.pdf")]
    Slips {
        /// The gaming day.
        #[arg(value_name = "DATE")]
        day: Option<String>,
        /// One slip, by its number.
        #[arg(long, value_name = "N", conflicts_with = "day")]
        number: Option<u64>,
        #[command(flatten)]
        to: To,
    },
    /// Tickets issued, redeemed and expired on a day, and those outstanding with their ages; never a number.
    #[command(after_help = "\
Examples:
  croupier report tickets --data /srv/floor
  croupier report tickets 2026-03-29 --sheet tickets.csv")]
    Tickets {
        /// The gaming day.
        #[arg(value_name = "DATE")]
        day: Option<String>,
        #[command(flatten)]
        to: To,
    },
    /// Money moved alone, acts that need review, tickets in doubt, large cash.
    #[command(after_help = "\
Examples:
  croupier report people --data /srv/floor
  croupier report people 2026-03-29 --sheet people.pdf")]
    People {
        /// The gaming day.
        #[arg(value_name = "DATE")]
        day: Option<String>,
        #[command(flatten)]
        to: To,
    },
    /// Void rounds and corrections, with the person, the second person, the reason and the paragraph.
    #[command(after_help = "\
Examples:
  croupier report voids --data /srv/floor --from 2026-03-01 --to 2026-03-31")]
    Voids {
        #[command(flatten)]
        days: Days,
        #[command(flatten)]
        to: To,
    },
    /// Significant events: power, links, faults, hand pays, configuration, access and the like.
    #[command(after_help = "\
Examples:
  croupier report events --data /srv/floor --kind fault --from 2026-03-01")]
    Events {
        /// Only events of this kind: power, link, fault, hand-pay, configuration, table, lock, display, discretion,
        /// irregularity, ticket, cage, alert or access.
        #[arg(long, value_name = "KIND", value_parser = kind)]
        kind: Option<Kind>,
        #[command(flatten)]
        days: Days,
        #[command(flatten)]
        to: To,
    },
    /// One round for a dispute: every bet, the result, the pay table and its hash, every event, and the chain proof.
    #[command(after_help = "\
Examples:
  croupier report round 4711 --data /srv/floor --sheet dispute.pdf")]
    Round {
        /// The round, by its number.
        #[arg(value_name = "N")]
        round: u64,
        #[command(flatten)]
        to: To,
    },
}

/// Which gaming days.
#[derive(Args)]
struct Days {
    /// From this gaming day on.
    #[arg(long, value_name = "DATE")]
    from: Option<String>,

    /// Up to and including this gaming day; if only --from is given, up to the last.
    #[arg(long = "to", value_name = "DATE")]
    to_day: Option<String>,
}

/// From where, and whereto.
#[derive(Args)]
struct To {
    #[command(flatten)]
    data: DataArg,

    #[command(flatten)]
    archive: ArchiveArg,

    #[command(flatten)]
    sheet: SheetArg,
}

fn kind(text: &str) -> Result<Kind, String> {
    let known = || Kind::ALL.map(Kind::as_str).join(", ");
    Kind::parse(text).ok_or_else(|| format!("there are {}", known()))
}

impl Report {
    pub fn run(&self, form: Form) -> Result<Answer, Failure> {
        match &self.command {
            Command::Day { day, to } => to.report(form, |query, source| {
                let mut report = query.day_report(day.as_deref(), source.last)?;
                if let Some(mut scan) = source.scan()? {
                    report.anchor = Some(DayAnchor::read(&mut scan, report.last_record).map_err(Refusal::from)?);
                }
                let unreadable = |error| Refusal::disk("the log cannot be read", &error);
                report.head = day_head(to.data.path(), &report.period.first).map_err(unreadable)?;
                let (mut paper, sound) = (report.paper(), report.agrees);
                let line = report.anchor.as_ref().and_then(|anchor| anchor.line.as_deref());
                if let Some(line) = line.filter(|_| to.sheet.is_text()) {
                    // Text ends with the line whole and by itself, as the audit reads it.
                    paper.anchor("", line);
                }
                Ok((report, paper, sound))
            }),
            Command::Table { table, days, to } => to.report(form, |query, source| {
                let (first, last) = days.of(query)?;
                let report = query.table_report(TableId(*table), first, last.as_deref(), source.last)?;
                let (paper, sound) = (report.paper(), report.agrees);
                Ok((report, paper, sound))
            }),
            Command::Terminal { terminal, to } => to.report(form, |query, source| {
                let report = query.terminal_report(TerminalId(*terminal), source.last)?;
                let (paper, sound) = (report.paper(), report.agrees);
                Ok((report, paper, sound))
            }),
            Command::Shift { shift: Some(shift), to } => to.report(form, |query, source| {
                let report = query.shift_report(ShiftId(*shift), source.last)?;
                let (paper, sound) = (report.paper(), report.shift.agrees);
                Ok((report, paper, sound))
            }),
            Command::Shift { shift: None, to } => to.report(form, |query, source| {
                let report = query.shifts_report(source.last)?;
                let paper = report.paper();
                Ok((report, paper, true))
            }),
            Command::Slips { number: Some(number), to, .. } => to.report(form, |query, source| {
                let report = query.slip_report(*number, source.last)?;
                let paper = report.paper();
                Ok((report, paper, true))
            }),
            Command::Slips { day, to, .. } => to.report(form, |query, source| {
                let report = query.slips_report(day.as_deref(), source.last)?;
                let paper = report.paper();
                Ok((report, paper, true))
            }),
            Command::Tickets { day, to } => to.report(form, |query, source| {
                let report = query.tickets_report(day.as_deref(), source.last)?;
                let (paper, sound) = (report.paper(), report.agrees);
                Ok((report, paper, sound))
            }),
            Command::People { day, to } => to.report(form, |query, source| {
                let report = query.people_report(day.as_deref(), source.last)?;
                let paper = report.paper();
                Ok((report, paper, true))
            }),
            Command::Voids { days, to } => to.report(form, |query, source| {
                let (first, last) = days.of(query)?;
                let report = query.voids_report(first, last.as_deref(), source.last)?;
                let paper = report.paper();
                Ok((report, paper, true))
            }),
            Command::Events { kind, days, to } => to.report(form, |query, source| {
                let (first, last) = days.of(query)?;
                let report = query.events_report(*kind, first, last.as_deref(), source.last)?;
                let paper = report.paper();
                Ok((report, paper, true))
            }),
            Command::Round { round, to } => to.report(form, |query, source| {
                let mut report = query.round_report(RoundId(*round), source.last)?;
                if let Some(mut scan) = source.scan()? {
                    let proof = Proof::read(&mut scan, report.first_record, report.last_record);
                    report.proof = Some(proof.map_err(Refusal::from)?);
                }
                let paper = report.paper();
                Ok((report, paper, true))
            }),
        }
    }
}

impl Days {
    /// The first and the last day. With the first alone, the report runs to the day of the last record.
    fn of(&self, query: &Query<'_>) -> Result<(Option<&str>, Option<String>), records::Error> {
        let last = match (&self.from, &self.to_day) {
            (Some(_), None) => Some(query.gaming_day(query.at()?)?),
            (_, last) => last.clone(),
        };
        Ok((self.from.as_deref(), last))
    }
}

/// Why there is nothing to print.
struct Failed(Refusal);

impl From<NoReport> for Failed {
    fn from(error: NoReport) -> Failed {
        Failed(match &error {
            NoReport::Unknown { code, .. } => Refusal::new(code, error.to_string()),
            NoReport::Records(records::Error::Day(_)) => Refusal::new("malformed_day", error.to_string()),
            NoReport::Records(_) => Refusal::new("records", error.to_string()),
        })
    }
}

impl From<records::Error> for Failed {
    fn from(error: records::Error) -> Failed {
        NoReport::Records(error).into()
    }
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Failed {
        Failed(refusal)
    }
}

/// The journal beside the records, if it is there.
struct Source<'a> {
    to: &'a To,
    /// Its last record.
    last: Option<u64>,
}

impl Source<'_> {
    fn scan(&self) -> Result<Option<Scan<RealDisk>>, Refusal> {
        match self.last {
            None => Ok(None),
            Some(_) => data::scan(self.to.archive.with(self.to.data.path())?).map(Some),
        }
    }
}

impl To {
    /// Makes a report and puts it where it belongs.
    fn report<R: Serialize>(
        &self,
        form: Form,
        make: impl FnOnce(&Query<'_>, &Source<'_>) -> Result<(R, Paper, bool), Failed>,
    ) -> Result<Answer, Failure> {
        let folder = self.data.path();
        let file = super::records::file(folder);
        if !file.is_file() {
            let message = format!(
                "there are no records in {}: croupier records rebuild --data {} makes them",
                file.display(),
                folder.display()
            );
            return Err(Refusal::new("no_records", message).into());
        }
        let reader = Reader::open(&file).map_err(|error| Failed::from(error).0)?;
        let query = reader.query();
        let sequence = query.sequence().map_err(|error| Failed::from(error).0)?;
        let source = Source { to: self, last: self.journal_end(sequence)? };
        let (report, paper, sound) = make(&query, &source).map_err(|failed| failed.0)?;
        let text = match (self.sheet.write(|| paper.clone())?, form) {
            (Some(written), Form::Words) => written,
            _ => form.paper(&report, &paper),
        };
        Ok(if sound { Answer::Done(text) } else { Answer::Findings(text) })
    }

    /// The last record of the journal. Where there is none beside the records, they cannot be behind it.
    fn journal_end(&self, records: u64) -> Result<Option<u64>, Refusal> {
        if data::holds_journal(self.data.path()).is_err() {
            return Ok(None);
        }
        let mut scan = data::scan(vec![RealDisk::to_read(self.data.path())])?;
        scan.start_at(records)?;
        while scan.read()?.is_some() {}
        Ok(scan.ending().map(|Ending { sequence, .. }| sequence))
    }
}
