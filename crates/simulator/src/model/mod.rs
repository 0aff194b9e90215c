//! A second, naive floor, kept by the facts of the events alone.
//!
//! It knows the documents in its own words: bets are texts, odds come from the prose, a settlement is a walk over the
//! bets. It refuses an event that the documents do not allow or that states another amount than it works out itself.
//! Nothing here reads the compiled pay tables or the floor's own state.

pub(crate) mod calls;
mod cash;
mod chips;
mod choice;
mod correct;
mod device;
mod money;
mod obligations;
mod owed;
mod powers;
mod program;
mod prorata;
mod round;
mod set_up;

use std::collections::BTreeMap;

use floor::*;
use rulebook::{Act, Face, GroundId, OutcomeIndex, Rank, SpotIndex};

use crate::game::Game;
use crate::sheet::Sheet;

pub(crate) use obligations::{Obligations, Who};

/// Whether an event may be, or why not.
pub(crate) type Check = Result<(), String>;

/// That something must hold, or else words for what is wrong.
pub(crate) fn must(holds: bool, words: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(words()) }
}

/// The naive floor.
#[derive(Clone, Default)]
pub(crate) struct Model {
    pub now: Moment,
    pub demonstration: bool,
    pub ticket_days: i64,
    pub tables: Vec<Table>,
    pub terminals: Vec<Terminal>,
    pub devices: Vec<Device>,
    pub staff: Vec<Person>,
    pub tickets: BTreeMap<TicketId, Ticket>,
    pub shifts: BTreeMap<ShiftId, Shift>,
    pub payables: BTreeMap<PayableId, Payable>,
    pub raised: BTreeMap<Act, Rank>,
    pub programs: Programs,
    pub obligations: Obligations,
    /// Large cash at terminals.
    cash: cash::Cash,
    /// By person: cents moved without a second person since one signed, or since the gaming day began (D27).
    pub alone: BTreeMap<StaffId, i64>,
    /// The same by visit, until the visit ends and nothing of it is payable.
    pub alone_in_visit: BTreeMap<(u64, StaffId), i64>,
    /// The threshold that two people have set, in cents.
    pub threshold: Option<i64>,
    /// Who opened a sealed code that has not served yet.
    pub opened: Option<StaffId>,
    /// A ticket above this is redeemed with a second person, in cents.
    pub redemption: Option<i64>,
    /// A difference above this needs one, in cents.
    pub difference: Option<i64>,
    /// What the rules owe the players at terminals, in cents.
    pub owed: i64,
    /// Calls for a second person: where, and since when (D28).
    pub calls: Vec<calls::Called>,
    /// Acts alone that wait for a countersignature.
    pub lonely_acts: BTreeMap<AlertId, (StaffId, Rank)>,
    /// Who acts alone in the command under way.
    lonely: Option<StaffId>,
    /// Acts alone whose alert has not been raised yet.
    to_countersign: u32,
    next_round: u64,
    next_visit: u64,
    next_payable: u64,
    /// Stakes that a void has given back in the command under way: no correction in it reaches them (D7).
    spared: BTreeMap<TerminalId, i64>,
    /// The ground that the report just seen must raise, at which table.
    expected: Option<(TableId, GroundId)>,
}

/// The programs that ran, may run, and wait to be accepted (S10).
#[derive(Clone, Default)]
pub(crate) struct Programs {
    pub last: Option<Release>,
    pub approved: Vec<Release>,
    pub waiting: Option<Release>,
    /// Records are missing, and there is no statement of what was lost.
    pub missing: bool,
}

#[derive(Clone)]
pub(crate) struct Table {
    pub game: Game,
    pub mode: TableMode,
    pub settings: TableSettings,
    pub pending: Option<TableSettings>,
    pub open: bool,
    pub closing: Option<Moment>,
    pub round: Option<Round>,
    pub past: Vec<Past>,
    pub history: Vec<(RoundId, OutcomeIndex)>,
    /// Chips of this table in the hands of players.
    pub in_hands: i64,
    /// The dealer who has taken the table (D26).
    pub dealer: Option<StaffId>,
    /// How long chips are recorded after the close, in milliseconds (D20).
    pub recording: i64,
    /// The same from the next round on, if it was changed during one.
    pub next_recording: Option<i64>,
    /// Who changed the service of its device, when and in which round (D19).
    pub serviced: Vec<Serviced>,
    /// The settled round that the device may still report about.
    pub reports_of: Option<RoundId>,
    /// Something was tumbled or spun that is of no round in play.
    pub stray: Option<Stray>,
    /// Where the ball lies, if the wheel has said so since it was spun.
    pub ball: Option<OutcomeIndex>,
}

/// What became of a tumble or spin that is of no round in play.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(crate) enum Stray {
    RunsFromBefore,
    RunsFromVoid,
    Lies,
}

#[derive(Clone)]
pub(crate) struct Serviced {
    pub staff: StaffId,
    pub round: Option<RoundId>,
    pub at: Moment,
}

/// A round in progress.
#[derive(Clone)]
pub(crate) struct Round {
    pub id: RoundId,
    pub phase: Phase,
    pub begun: Moment,
    /// When bets close by themselves.
    pub deadline: Option<Moment>,
    /// Since when the betting period stands still.
    pub halted: Option<Moment>,
    pub interrupted: Option<Moment>,
    pub closed: Option<Moment>,
    /// When the host was back after a stoppage since the close.
    pub back: Option<Moment>,
    /// Live terminals that have not shown the close.
    pub awaiting: Vec<TerminalId>,
    pub outcome: Option<OutcomeIndex>,
    /// Open grounds that devices have reported, in order.
    pub grounds: Vec<GroundId>,
    pub set_off: bool,
    /// Set off, and not yet come to rest.
    pub running: bool,
    /// Set off when the document allows it.
    pub in_time: bool,
    pub uncovered: bool,
    /// What was read after the close, under no cover.
    pub dice: [Option<Face>; 3],
    pub pocket: Option<OutcomeIndex>,
    pub at_rest: bool,
    pub rested_early: bool,
    pub returns: Vec<(TerminalId, i64)>,
    pub chips: Vec<Chip>,
    pub left: Vec<Position>,
    /// The dice can be seen (D20).
    pub visible: bool,
    /// The cover is off, as far as a device said.
    pub off: bool,
    /// The cover came off after the close.
    pub lifted: bool,
    /// It was tumbled with the cover off.
    pub bare: bool,
    /// Read under the cover or before the close.
    pub concealed: [Option<Face>; 3],
    /// What was read while the round was interrupted, and whether two such readings differ.
    pub meanwhile: ([Option<rulebook::Face>; 3], bool),
    /// The cover came off before the attestation (D6): a higher rank signs for it.
    pub uncovered_meanwhile: bool,
    /// What the dealer affirmed with the statement that the ball came to rest before the close (D4, D19).
    pub stated_rest: Option<Vec<rulebook::Point>>,
    /// The dealer has declared the dice uncovered.
    pub declared: bool,
    /// A second tumble was set aside before the first was read.
    pub doubtful: bool,
    /// Terminals that are not back after a stoppage: since when, until when, which.
    pub away: Option<(Moment, Moment, Vec<TerminalId>)>,
    /// Bets under the minimum that were pointed out.
    pub advised: Vec<(Position, SpotIndex)>,
    /// The device has said that the first tumble or spin ended.
    pub ended: bool,
    /// The wheel reported a spin once more after its count.
    pub spun_again: bool,
    /// It counted so many tumbles or revolutions.
    pub times: Option<u8>,
    /// It was too short.
    pub short: bool,
    /// The cover was off.
    pub exposed: bool,
    /// Two readings of it differ.
    pub contradicted: bool,
    /// A second tumble or spin halts the round (D18).
    pub second: bool,
    /// An attestation stands for what the device did not report (D19).
    pub replaced: bool,
    /// A device fault waits for the dealer's answer (D21).
    pub fault: bool,
    /// Who entered the result, and which need of a second person is met (D19).
    pub entered: Option<(StaffId, Need)>,
    /// Who set a measured ground aside (D19).
    pub set_aside: Vec<StaffId>,
    /// The outcome that the Shift Manager decided on (D24).
    pub chosen: Option<OutcomeIndex>,
    /// A bet changed after the ball had come to rest.
    pub changed_after_rest: bool,
    /// Where the ball came to rest before the close, if that was read.
    pub early: Option<OutcomeIndex>,
    /// Where later spins came to rest.
    pub later: Vec<OutcomeIndex>,
    /// The last of them has not ended.
    pub later_runs: bool,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Chip {
    pub position: Position,
    pub spot: &'static str,
    pub amount: i64,
    /// Who recorded it after the close.
    pub late: Option<StaffId>,
}

/// A round that is over.
#[derive(Clone)]
pub(crate) struct Past {
    pub id: RoundId,
    pub outcome: Option<OutcomeIndex>,
    pub bets: Vec<PastBets>,
    pub shares: Vec<PastShare>,
    pub claims: BTreeMap<Position, i64>,
    /// The table's settings when it was settled: a record put right is worked out by them (D20).
    pub settings: TableSettings,
}

/// The bets of one visit in a past round.
#[derive(Clone)]
pub(crate) struct PastBets {
    pub terminal: TerminalId,
    pub visit: Option<u64>,
    sheet: &'static Sheet,
    pub bets: Bets,
    pub staked: i64,
    /// What was paid for them, what waits at the cage included.
    received: i64,
    /// What waits at the cage.
    waiting: Option<PayableId>,
}

/// What one player's chips in one box got.
#[derive(Clone)]
pub(crate) struct PastShare {
    position: Position,
    spot: &'static str,
    bet: i64,
    at_risk: i64,
    returned: i64,
}

/// Stakes by the text of the spot and the multi-piece bet they belong to.
pub(crate) type Bets = BTreeMap<(&'static str, u16), i64>;

#[derive(Clone)]
pub(crate) struct Terminal {
    pub table: TableId,
    pub kind: String,
    pub layout: u8,
    pub live: bool,
    pub locked: bool,
    pub credit: i64,
    pub prepared: i64,
    pub bets: Bets,
    pub visit: Option<u64>,
    /// The tables that the player may choose (D29).
    pub choices: Vec<TableId>,
    pub lost: i64,
    pub loss_limit: Option<i64>,
}

#[derive(Clone)]
pub(crate) struct Device {
    pub kind: DeviceKind,
    pub place: DevicePlace,
    pub measures: Measures,
    pub out: bool,
    /// The round in which it came back: it serves from the next one.
    pub back_in: Option<RoundId>,
    /// Its reading of results is out of service.
    pub unread: bool,
    pub unread_until: Option<RoundId>,
    /// The cover is off, as it said last.
    pub off: bool,
}

#[derive(Clone)]
pub(crate) struct Person {
    pub post: Post,
    pub acting: Option<Post>,
    pub active: bool,
}

#[derive(Clone)]
pub(crate) struct Ticket {
    pub number: TicketHash,
    pub amount: i64,
    pub terminal: Option<TerminalId>,
    pub state: TicketState,
    pub expires: Moment,
    /// The person at whose place a duplicate is printed.
    pub printed_for: Option<StaffId>,
}

#[derive(Clone)]
pub(crate) struct Shift {
    pub cashier: StaffId,
    pub cash: i64,
    /// What was counted last.
    pub counted: Option<i64>,
}

#[derive(Clone)]
pub(crate) struct Payable {
    pub table: TableId,
    pub round: Option<RoundId>,
    pub visit: Option<u64>,
    pub amount: i64,
}

impl Terminal {
    pub fn staked(&self) -> i64 {
        self.bets.values().sum()
    }

    /// Neither credit nor bets (D7).
    fn is_empty(&self) -> bool {
        self.credit == 0 && self.prepared == 0 && self.bets.is_empty()
    }
}

impl Round {
    /// Bets are closed and every live terminal shows it (D12).
    pub fn close_is_shown(&self) -> bool {
        self.phase >= Phase::Closed && self.awaiting.is_empty()
    }

    /// Nothing is done to a round while a ground is open or an attestation is due (D5, D6).
    fn in_play(&self) -> Check {
        must(self.interrupted.is_none(), || format!("round {} is interrupted", self.id))?;
        must(!self.second, || format!("round {} is halted by a second tumble or spin (D18)", self.id))?;
        must(self.grounds.is_empty(), || format!("a ground of round {} is open: {:?}", self.id, self.grounds))
    }
}

impl Model {
    /// Takes in the events of one command, or says what is wrong with them.
    pub fn take(&mut self, records: &[Record]) -> Check {
        self.spared.clear();
        self.unaccompanied(records);
        records.iter().try_for_each(|record| self.take_one(record))?;
        must(self.to_countersign == 0, || "an act alone without its alert (D28)".to_owned())?;
        self.large_cash_is_alerted()?;
        match self.expected.take() {
            Some((table, ground)) => Err(format!("table {table}: {ground} was reported and not raised")),
            None => Ok(()),
        }
    }

    fn take_one(&mut self, record: &Record) -> Check {
        must(record.at >= self.now, || "time runs backwards".to_owned())?;
        self.now = record.at;
        self.authority(&record.event)?;
        self.totals(&record.event)?;
        self.large_cash(&record.event)?;
        self.owe(&record.event);
        let taken = self.programs(&record.event)?
            || self.called(&record.event)?
            || self.choices(&record.event)?
            || self.set_up(&record.event)?
            || self.money(&record.event)?
            || self.rounds(&record.event)?
            || self.physical(&record.event)?
            || self.corrections(&record.event)?
            || self.live(&record.event)?;
        must(taken, || "nobody knows this event".to_owned())
    }

    pub fn table(&self, id: TableId) -> Result<&Table, String> {
        self.tables.get(id.index()).ok_or_else(|| format!("no table {id}"))
    }

    fn table_mut(&mut self, id: TableId) -> Result<&mut Table, String> {
        self.tables.get_mut(id.index()).ok_or_else(|| format!("no table {id}"))
    }

    fn round_mut(&mut self, table: TableId, id: RoundId) -> Result<&mut Round, String> {
        let round = self.table_mut(table)?.round.as_mut();
        round.filter(|round| round.id == id).ok_or_else(|| format!("round {id} is not in progress at table {table}"))
    }

    pub fn terminal(&self, id: TerminalId) -> Result<&Terminal, String> {
        self.terminals.get(id.index()).ok_or_else(|| format!("no terminal {id}"))
    }

    fn terminal_mut(&mut self, id: TerminalId) -> Result<&mut Terminal, String> {
        self.terminals.get_mut(id.index()).ok_or_else(|| format!("no terminal {id}"))
    }

    /// The odds of a terminal's layout.
    pub fn sheet(&self, terminal: &Terminal) -> Result<&'static Sheet, String> {
        let game = self.table(terminal.table)?.game;
        Sheet::of(game, terminal.layout).ok_or_else(|| format!("{game:?} has no layout {}", terminal.layout))
    }

    /// The terminals at a table.
    pub fn at_table(&self, table: TableId) -> impl Iterator<Item = (TerminalId, &Terminal)> {
        let ids = (0..).map(TerminalId);
        ids.zip(&self.terminals).filter(move |(_, terminal)| terminal.table == table)
    }

    fn begin_visit(&mut self, id: TerminalId) -> Check {
        let next = self.next_visit;
        let terminal = self.terminal_mut(id)?;
        if terminal.visit.is_none() {
            terminal.visit = Some(next);
            terminal.lost = 0;
            self.next_visit += 1;
        }
        Ok(())
    }

    fn end_visit(&mut self, id: TerminalId) -> Check {
        let terminal = self.terminal_mut(id)?;
        if terminal.is_empty()
            && let Some(visit) = terminal.visit.take()
        {
            terminal.loss_limit = None;
            terminal.lost = 0;
            self.alone_in_visit.retain(|(of, _), _| *of != visit);
        }
        Ok(())
    }

    /// Credit comes or goes; it never falls below zero.
    fn credit(&mut self, id: TerminalId, amount: i64) -> Check {
        let terminal = self.terminal_mut(id)?;
        terminal.credit += amount;
        must(terminal.credit >= 0, || format!("terminal {id} would have a credit of {} cents", terminal.credit))
    }
}
