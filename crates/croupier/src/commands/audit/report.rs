//! The report of an audit: for a person to file, or for a program.

use std::path::{Path, PathBuf};

use engine::Audit;
use floor::{Account, Floor, Moment};
use receipts::LogAudit;
use rulebook::Cents;
use serde::Serialize;

use super::compare::Records;
use crate::output::Column::{Figure, Name, Words};
use crate::output::time::{self, Local};
use crate::output::{self, Answer, Form, Page};
use crate::place::Cluster;

/// What an audit saw, ready to be written.
#[derive(Serialize)]
pub struct Report {
    /// Whether the journal, its figures and the records made from it have no findings. It says nothing about people.
    figures_clean: bool,
    /// The same under its earlier name, for one release.
    clean: bool,
    /// How many findings there are about people.
    people_findings: usize,
    findings: Vec<Finding>,
    /// What people did that deserves a second look.
    people: Vec<Finding>,
    program: String,
    at: Local,
    folder: String,
    archives: Vec<String>,
    /// Whether a floor was running in the folder meanwhile.
    running: bool,
    floor: Option<FloorName>,
    journal: String,
    key: Option<String>,
    key_from: KeyFrom,
    first: u64,
    last: u64,
    from: Option<Local>,
    to: Option<Local>,
    checkpoints: u64,
    unsigned: u64,
    chain: Option<String>,
    settlements: u64,
    snapshots: u64,
    anchors: u64,
    /// The record of the snapshot with which the replay began, if not with the first record.
    replayed_after: Option<u64>,
    /// The transparency log, if there is one.
    log: Option<Log>,
    /// The records from which papers are printed, compared with the journal.
    records: Records,
    accounts: Vec<Balance>,
    #[serde(serialize_with = "output::display")]
    sum: Total,
    tables: Vec<Table>,
    tickets: Tickets,
    anchor: Option<String>,
}

/// Where the key came from by which the signatures were verified.
#[derive(Copy, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyFrom {
    /// It was given: the one that proves most.
    Elsewhere,
    /// From the folder itself.
    Folder,
    /// From the first checkpoint.
    Checkpoints,
}

/// The transparency log.
#[derive(Serialize)]
struct Log {
    since: u64,
    records: u64,
    heads: u64,
    days: u64,
    days_cosigned: u64,
}

impl Log {
    fn words(&self) -> String {
        let Log { since, records, heads, days, days_cosigned } = self;
        let from =
            if *since > 0 { format!("extends the head of {since} records that was kept; ") } else { String::new() };
        let cosigned = if *days_cosigned > 0 { format!(", {days_cosigned} of them cosigned") } else { String::new() };
        let days = if *days > 0 { format!("; {days} gaming days{cosigned}") } else { String::new() };
        format!("{from}{heads} signed heads hold for {records} records{days}")
    }
}

#[derive(Serialize)]
struct Finding {
    sequence: u64,
    what: String,
}

#[derive(Serialize)]
struct FloorName {
    name: String,
    demonstration: bool,
}

/// The accounts of one kind.
#[derive(Serialize)]
struct Balance {
    account: &'static str,
    accounts: usize,
    #[serde(serialize_with = "output::display")]
    balance: Total,
    #[serde(skip)]
    words: &'static str,
}

#[derive(Serialize)]
struct Table {
    table: u16,
    name: String,
    game: String,
    settled: u64,
    void: u64,
    #[serde(serialize_with = "output::display")]
    turnover: Cents,
    #[serde(serialize_with = "output::display")]
    house_win: Cents,
}

#[derive(Serialize)]
struct Tickets {
    outstanding: usize,
    #[serde(serialize_with = "output::display")]
    amount: Total,
}

/// A sum of money that always fits.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
struct Total(i128);

impl Total {
    fn of(amounts: impl IntoIterator<Item = Cents>) -> Total {
        Total(amounts.into_iter().map(|amount| i128::from(amount.get())).sum())
    }
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cents = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", cents / 100, cents % 100)
    }
}

impl Report {
    /// What was read is a copy of a floor on a cluster.
    pub fn is_of(&mut self, stream: &Cluster) {
        self.folder = stream.to_string();
    }

    pub fn new(
        folder: &Path,
        archives: &[PathBuf],
        running: bool,
        key_from: KeyFrom,
        audit: &Audit,
        log: Option<LogAudit>,
        records: Records,
    ) -> Report {
        let floor = &audit.floor;
        let finding = |finding: &engine::Finding| Finding { sequence: finding.sequence, what: finding.what.clone() };
        Report {
            figures_clean: audit.is_clean(),
            clean: audit.is_clean(),
            people_findings: audit.people.len(),
            findings: audit.findings.iter().map(finding).collect(),
            people: audit.people.iter().map(finding).collect(),
            program: format!("croupier {}", env!("CARGO_PKG_VERSION")),
            at: Local(time::now()),
            folder: folder.display().to_string(),
            archives: archives.iter().map(|archive| archive.display().to_string()).collect(),
            running,
            floor: floor
                .settings()
                .map(|settings| FloorName { name: settings.name.clone(), demonstration: settings.demonstration }),
            journal: audit.journal.iter().map(|byte| format!("{byte:02x}")).collect(),
            key: audit.key.map(|key| key.to_string()),
            key_from,
            first: audit.first,
            last: audit.last,
            from: audit.times.map(|(from, _)| Local(Moment(from))),
            to: audit.times.map(|(_, to)| Local(Moment(to))),
            checkpoints: audit.checkpoints,
            unsigned: audit.unsigned,
            chain: audit.chain.map(|chain| chain.to_string()),
            settlements: audit.settlements,
            snapshots: audit.snapshots,
            anchors: audit.anchors,
            replayed_after: (audit.replayed_after > 0).then_some(audit.replayed_after),
            log: log.map(|log| Log {
                since: log.since,
                records: log.records,
                heads: log.heads,
                days: log.days,
                days_cosigned: log.days_cosigned,
            }),
            records,
            accounts: balances(floor.accounts()),
            sum: Total::of(floor.accounts().into_iter().map(|(_, balance)| balance)),
            tables: tables(floor),
            tickets: tickets(floor),
            anchor: audit.last_checkpoint.map(|checkpoint| checkpoint.to_line()),
        }
    }

    /// The report in the form that is wanted; findings are exit code 1.
    pub fn answer(&self, form: Form) -> Answer {
        let text = form.render(self, |page| self.write(page));
        if self.figures_clean { Answer::Done(text) } else { Answer::Findings(text) }
    }

    /// Whether the journal and its figures have no findings.
    pub fn is_clean(&self) -> bool {
        self.figures_clean
    }

    /// The report for a person.
    pub fn write(&self, page: &mut Page) {
        let name = self.floor.as_ref().map_or("no floor", |floor| floor.name.as_str());
        page.heading(&format!("Audit of the journal of {name}"));
        self.write_facts(page);
        if !self.tables.is_empty() {
            self.write_tables(page);
        }
        if self.floor.is_some() {
            self.write_ledger(page);
        }
        self.write_findings(page);
        self.write_people(page);
        if let Some(anchor) = &self.anchor {
            page.heading("The last checkpoint: keep this line elsewhere, and give it to a later audit with --anchor");
            page.line(anchor);
        }
    }

    fn write_facts(&self, page: &mut Page) {
        let mut rows = vec![
            ["Audited".to_owned(), format!("{} (UTC+8) by {}", self.at.words(), self.program)],
            ["Folder".to_owned(), self.folder.clone()],
        ];
        rows.extend(self.archives.iter().map(|archive| ["Archive".to_owned(), archive.clone()]));
        if self.floor.as_ref().is_some_and(|floor| floor.demonstration) {
            rows.push(["Floor".to_owned(), "demonstration (permanently marked)".to_owned()]);
        }
        if self.running {
            rows.push(["Meanwhile".to_owned(), "a floor was running in this folder".to_owned()]);
        }
        rows.push(["Journal".to_owned(), self.journal.clone()]);
        if let Some(key) = &self.key {
            rows.push(["Public key".to_owned(), key.clone()]);
            rows.push([String::new(), self.key_from.words().to_owned()]);
        }
        let records = if self.last == 0 { "none".to_owned() } else { format!("{} to {}", self.first, self.last) };
        rows.push(["Records".to_owned(), records]);
        if let (Some(from), Some(to)) = (self.from, self.to) {
            rows.push(["Written".to_owned(), format!("{} to {} (UTC+8)", from.words(), to.words())]);
        }
        let unsigned = match self.unsigned {
            0 => String::new(),
            count => format!("; {count} {} after the last", plural(count, "record", "records")),
        };
        rows.push(["Checkpoints".to_owned(), format!("{} signed{unsigned}", self.checkpoints)]);
        rows.extend(self.chain.iter().map(|chain| ["Chain at the end".to_owned(), chain.clone()]));
        rows.push(["Settlements".to_owned(), format!("{} recomputed", self.settlements)]);
        rows.push(["Snapshots".to_owned(), format!("{} compared with the replay", self.snapshots)]);
        let anchors = match self.anchors {
            0 => "none: that the end was not cut off is not proved".to_owned(),
            count => format!("{count} {}", plural(count, "holds", "hold")),
        };
        rows.push(["Anchors".to_owned(), anchors]);
        rows.extend(self.log.iter().map(|log| ["Log".to_owned(), log.words()]));
        if let Some(after) = self.replayed_after {
            let words =
                format!("from the snapshot of record {after}, whose state is trusted; a full audit replays everything");
            rows.push(["Replay".to_owned(), words]);
        }
        rows.push(["Read model".to_owned(), self.records.words()]);
        page.rows(rows);
    }

    fn write_tables(&self, page: &mut Page) {
        page.heading("Tables");
        let columns = [
            Figure("Table"),
            Name("Name"),
            Words("Game"),
            Figure("Settled"),
            Figure("Void"),
            Figure("Turnover"),
            Figure("House win"),
        ];
        let row = |table: &Table| {
            [
                table.table.to_string(),
                table.name.clone(),
                table.game.clone(),
                table.settled.to_string(),
                table.void.to_string(),
                table.turnover.to_string(),
                table.house_win.to_string(),
            ]
        };
        page.table(&columns, self.tables.iter().map(row));
    }

    fn write_ledger(&self, page: &mut Page) {
        page.heading("Ledger");
        let row = |kind: &Balance| [kind.words.to_owned(), kind.accounts.to_string(), kind.balance.to_string()];
        let sum = ["Sum".to_owned(), String::new(), self.sum.to_string()];
        let columns = [Words("Accounts"), Figure("Number"), Figure("Balance")];
        page.table(&columns, self.accounts.iter().map(row).chain([sum]));
        page.gap();
        let Tickets { outstanding, amount } = &self.tickets;
        page.words(&format!(
            "What the house owes stands above zero, what it has below. Tickets outstanding: {outstanding}, {amount} in all."
        ));
        if let Some(brought) = self.accounts.iter().find(|balance| balance.account == FROM_ELSEWHERE) {
            page.words(&format!(
                "Chips of at least {} came to live tables from the cage or another table, without a buy-in there: these tables \
                 have taken in more than they gave out.",
                Total(-brought.balance.0)
            ));
        }
    }

    /// What people did that deserves a second look; it does not change the exit code.
    fn write_people(&self, page: &mut Page) {
        if self.people.is_empty() {
            return;
        }
        page.heading("What people did that deserves a second look");
        let row = |finding: &Finding| [finding.sequence.to_string(), finding.what.clone()];
        page.table(&[Figure("Record"), Words("What")], self.people.iter().map(row));
    }

    fn write_findings(&self, page: &mut Page) {
        page.heading("Findings");
        if self.figures_clean {
            page.words(&match self.people_findings {
                0 => "The journal and its figures: no findings. What people did: no findings.".to_owned(),
                1 => "The journal and its figures: no findings. What people did: 1 finding, see below.".to_owned(),
                n => format!("The journal and its figures: no findings. What people did: {n} findings, see below."),
            });
        } else {
            let row = |finding: &Finding| [finding.sequence.to_string(), finding.what.clone()];
            page.table(&[Figure("Record"), Words("What")], self.findings.iter().map(row));
        }
    }
}

impl KeyFrom {
    fn words(self) -> &'static str {
        match self {
            KeyFrom::Elsewhere => "as given: every checkpoint is signed with it",
            KeyFrom::Folder => "from the folder itself: compare it with the one you keep",
            KeyFrom::Checkpoints => "from the first checkpoint: compare it with the one you keep",
        }
    }
}

fn plural<'a>(count: u64, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}

/// The accounts by kind, in the order of the ledger.
fn balances(mut accounts: Vec<(Account, Cents)>) -> Vec<Balance> {
    accounts.sort_by_key(|(account, _)| *account);
    let mut balances: Vec<Balance> = Vec::new();
    for (account, amount) in accounts {
        let (id, words) = match account {
            // Cash chips are good at every table: what a table takes in beyond what it has given out was brought there.
            Account::Chips(_) if amount < Cents::ZERO => {
                (FROM_ELSEWHERE, "Chips brought to live tables from elsewhere")
            }
            account => kind(account),
        };
        match balances.iter_mut().find(|balance| balance.account == id) {
            Some(balance) => {
                balance.accounts += 1;
                balance.balance.0 += i128::from(amount.get());
            }
            None => balances.push(Balance { account: id, accounts: 1, balance: Total::of([amount]), words }),
        }
    }
    balances
}

/// Chips that came from the cage or another table to a live table: it has taken in more than it has given out.
const FROM_ELSEWHERE: &str = "chips-from-elsewhere";

fn kind(account: Account) -> (&'static str, &'static str) {
    match account {
        Account::World => ("world", "Outside the floor"),
        Account::CashDrop(_) => ("cash-drop", "Cash in terminals"),
        Account::CageFloat(_) => ("cage-float", "Floats of open cage shifts"),
        Account::TicketsOutstanding => ("tickets-outstanding", "Tickets outstanding"),
        Account::TicketsPrepared(_) => ("tickets-prepared", "Tickets prepared, not yet printed"),
        Account::TicketsExpired => ("tickets-expired", "Tickets expired"),
        Account::Credit(_) => ("credit", "Credit on terminals"),
        Account::Stakes(_) => ("stakes", "Stakes of rounds in progress"),
        Account::HouseWin(_) => ("house-win", "House win"),
        Account::CorrectionPayable => ("correction-payable", "Corrections to be paid at the cage"),
        Account::Uncollected => ("uncollected", "Corrections not collected"),
        Account::Attendant => ("attendant", "Paid in and out by attendants"),
        Account::Decisions => ("decisions", "Moved by decisions"),
        Account::Differences => ("differences", "Differences found when counting"),
        Account::TableFloat(_) => ("table-float", "Chips in the trays of live tables"),
        Account::TableDrop(_) => ("table-drop", "Cash in the drop boxes of live tables"),
        Account::Chips(_) => ("chips", "Chips of live tables with players"),
    }
}

fn tables(floor: &Floor) -> Vec<Table> {
    let row = |table: floor::PitTable| Table {
        table: table.table.id.0,
        game: table.table.game.en.clone(),
        name: table.table.name,
        settled: table.rounds.0,
        void: table.rounds.1,
        turnover: table.turnover,
        house_win: table.win,
    };
    floor.pit_view().tables.into_iter().map(row).collect()
}

fn tickets(floor: &Floor) -> Tickets {
    let outstanding: Vec<Cents> = floor.owed_tickets().map(floor::Ticket::amount).collect();
    Tickets { outstanding: outstanding.len(), amount: Total::of(outstanding) }
}

#[cfg(test)]
mod tests {
    use floor::TableId;

    use super::*;

    #[test]
    fn chips_that_players_brought_are_told_from_those_that_a_table_gave_out() {
        let chips = |table, dollars: i64| (Account::Chips(TableId(table)), Cents::new(dollars * 100));
        let found = balances(vec![chips(1, 300), chips(2, -500), (Account::World, Cents::ZERO), chips(3, 40)]);
        let found: Vec<_> = found.iter().map(|one| (one.account, one.accounts, one.balance.to_string())).collect();
        let expected = [("world", 1, "0.00"), ("chips", 2, "340.00"), (FROM_ELSEWHERE, 1, "-500.00")];
        assert_eq!(found, expected.map(|(account, count, balance)| (account, count, balance.to_owned())));
    }
}
