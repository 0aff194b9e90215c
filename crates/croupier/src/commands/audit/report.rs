//! The report of an audit: for a person to file, or for a program.

use std::path::{Path, PathBuf};

use engine::Audit;
use floor::{Account, Floor, Moment, TicketState};
use rulebook::Cents;
use serde::Serialize;

use crate::output::Column::{Figure, Name, Words};
use crate::output::time::{self, Local};
use crate::output::{self, Answer, Form, Page};
use crate::place::Cluster;

/// What an audit saw, ready to be written.
#[derive(Serialize)]
pub struct Report {
    /// Whether the journal and its figures have no findings. It says nothing about people.
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

    pub fn new(folder: &Path, archives: &[PathBuf], running: bool, key_from: KeyFrom, audit: &Audit) -> Report {
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
            accounts: balances(floor),
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
fn balances(floor: &Floor) -> Vec<Balance> {
    let mut accounts = floor.accounts();
    accounts.sort_by_key(|(account, _)| *account);
    let mut balances: Vec<Balance> = Vec::new();
    for (account, amount) in accounts {
        let (id, words) = kind(account);
        match balances.last_mut().filter(|balance| balance.account == id) {
            Some(balance) => {
                balance.accounts += 1;
                balance.balance.0 += i128::from(amount.get());
            }
            None => balances.push(Balance { account: id, accounts: 1, balance: Total::of([amount]), words }),
        }
    }
    balances
}

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
        Account::Chips(_) => ("chips", "Chips given out, less chips taken in"),
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
    let outstanding: Vec<Cents> = floor
        .tickets()
        .filter(|ticket| ticket.state() == TicketState::Outstanding)
        .map(floor::Ticket::amount)
        .collect();
    Tickets { outstanding: outstanding.len(), amount: Total::of(outstanding) }
}
