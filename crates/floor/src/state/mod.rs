//! The state of a floor: a pure function of its events.

mod control;
mod paper;
mod round;
mod terminal;

pub use control::{Alone, LastTicket, TicketBecame};
pub(crate) use control::{Control, Paper, RESET_FOR, Threshold, VisitCash};
pub use paper::*;
pub use round::*;
pub use terminal::*;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rulebook::{Act, Cents, Hash, Layout, OutcomeIndex, Rank, Rulebook};
use serde::{Deserialize, Serialize};

use crate::accumulator::Accumulator;
use crate::answers::Answers;
use crate::bounds;
use crate::command::*;
use crate::event::{Adjustment, ChipsChange};
use crate::ids::*;
use crate::ledger::Books;
use crate::past::Recalled;
use crate::purpose::Purpose;

/// A floor: tables, terminals, staff, tickets and money.
#[derive(Clone, Debug, Default, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Floor {
    #[n(0)]
    pub(crate) settings: Option<FloorSettings>,
    #[n(1)]
    pub(crate) now: Moment,
    #[n(2)]
    pub(crate) sequence: u64,
    #[n(3)]
    pub(crate) rulebooks: Vec<Installed>,
    #[n(4)]
    pub(crate) raised: BTreeMap<Act, Rank>,
    #[n(5)]
    pub(crate) tables: Vec<Table>,
    #[n(6)]
    pub(crate) terminals: Vec<Terminal>,
    #[n(7)]
    pub(crate) devices: Vec<Device>,
    #[n(8)]
    pub(crate) staff: Vec<Staff>,
    #[n(9)]
    pub(crate) tickets: BTreeMap<TicketId, Ticket>,
    #[n(10)]
    pub(crate) ticket_numbers: BTreeMap<TicketHash, TicketId>,
    #[n(11)]
    pub(crate) closed_tickets: VecDeque<TicketId>,
    #[n(12)]
    pub(crate) expiries: BTreeMap<Moment, Vec<TicketId>>,
    #[n(13)]
    pub(crate) shifts: BTreeMap<ShiftId, Shift>,
    #[n(14)]
    pub(crate) payables: BTreeMap<PayableId, Payable>,
    #[n(15)]
    pub(crate) alerts: BTreeMap<AlertId, Alert>,
    #[n(16)]
    pub(crate) next: Counters,
    #[n(17)]
    pub(crate) books: Books,
    #[n(18)]
    pub(crate) system: Answers,
    #[n(19)]
    pub(crate) programs: Programs,
    /// By round: adjustments of a command that is written in parts and has not taken effect yet. A state of version 1
    /// ends before it.
    #[n(20)]
    pub(crate) adjusting: Vec<(RoundId, Vec<Adjustment>)>,
    /// The same for rounds of a live table.
    #[n(31)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) adjusting_chips: Vec<(RoundId, ChipsChange)>,
    /// Zero for a floor of before feature levels.
    #[n(21)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) level: u8,
    /// Dual control (D25, D27).
    #[n(23)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) control: Control,
    /// Which run writes, and whether records are missing.
    #[n(22)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) integrity: Integrity,
    /// Calls for a second person that wait (D28).
    #[n(30)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) calls: Vec<Call>,
}

/// By which a cursor of this floor is judged.
#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Integrity {
    /// Grows whenever a loss is accepted: cursors from before it say nothing about the records that follow.
    #[n(0)]
    pub epoch: u32,
    /// The record with which the current run of a host began.
    #[n(1)]
    pub run: u64,
    /// The epoch and record that a cursor named and the journal does not have: play is locked.
    #[n(2)]
    pub missing: Option<(u32, u64)>,
    /// By how many milliseconds the clock of the host in charge is ahead of the time that has passed.
    #[n(3)]
    pub clock: Option<i64>,
}

/// A call for a second person (D28).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Call {
    /// To which table; `None`: to the pit.
    #[n(0)]
    pub table: Option<TableId>,
    /// Who called.
    #[n(1)]
    pub by: StaffId,
    /// When.
    #[n(2)]
    pub at: Moment,
    /// What for, in words.
    #[n(3)]
    pub reason: Box<str>,
    /// For what act; `None` in a call of before calls named it, which serves for no act.
    #[n(4)]
    pub purpose: Option<Purpose>,
}

/// Which programs have run and may run (S10).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Programs {
    /// The last one with which play was allowed.
    #[n(0)]
    pub last: Option<Release>,
    /// Those approved beforehand.
    #[n(1)]
    pub approved: Vec<Release>,
    /// The running program, if it has not been accepted: play is locked.
    #[n(2)]
    pub locked: Option<Release>,
}

/// The next number of everything that is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Counters {
    #[n(0)]
    pub round: u64,
    #[n(1)]
    pub visit: u64,
    #[n(2)]
    pub ticket: u64,
    #[n(3)]
    pub shift: u32,
    #[n(4)]
    pub alert: u64,
    #[n(5)]
    pub payable: u64,
}

/// A rulebook kept by its canonical text.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Installed(pub Arc<Rulebook>);

impl From<Installed> for String {
    fn from(installed: Installed) -> String {
        installed.0.canonical().to_owned()
    }
}

impl TryFrom<String> for Installed {
    type Error = rulebook::Incoherence;

    fn try_from(canonical: String) -> Result<Installed, rulebook::Incoherence> {
        rulebook::library::shared(&canonical).map(Installed)
    }
}

impl<C> minicbor::Encode<C> for Installed {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut minicbor::Encoder<W>,
        context: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        self.0.canonical().encode(e, context)
    }
}

impl<C> minicbor::Decode<'_, C> for Installed {
    fn decode(d: &mut minicbor::Decoder<'_>, _: &mut C) -> Result<Installed, minicbor::decode::Error> {
        Installed::try_from(d.str()?.to_owned()).map_err(minicbor::decode::Error::message)
    }
}

/// A gaming table.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Table {
    #[n(0)]
    pub(crate) id: TableId,
    #[n(1)]
    pub(crate) name: String,
    #[n(2)]
    pub(crate) rulebook: u8,
    #[n(3)]
    pub(crate) mode: TableMode,
    #[n(4)]
    pub(crate) settings: TableSettings,
    #[n(5)]
    pub(crate) pending: Option<TableSettings>,
    #[n(6)]
    pub(crate) open: bool,
    #[n(7)]
    pub(crate) closes_at: Option<Moment>,
    #[n(8)]
    pub(crate) dealer: Option<StaffId>,
    #[n(9)]
    pub(crate) terminals: Vec<TerminalId>,
    #[n(10)]
    pub(crate) live: u32,
    #[n(11)]
    pub(crate) round: Option<Round>,
    #[n(12)]
    pub(crate) archive: VecDeque<ArchivedRound>,
    #[n(13)]
    pub(crate) history: VecDeque<(RoundId, OutcomeIndex)>,
    #[n(14)]
    pub(crate) rounds_settled: u64,
    #[n(15)]
    pub(crate) rounds_void: u64,
    #[n(16)]
    pub(crate) accounts: TableAccounts,
    /// Milliseconds after the close in which chips may be recorded; `None`: as usual (D20).
    #[n(30)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) recording_period: Option<i64>,
    /// The period from the next round on, if it was changed during a round.
    #[n(40)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) next_recording_period: Option<i64>,
    /// Rounds that have left the list of recent ones, as hashes (D24).
    #[n(31)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) past: Accumulator,
    /// Those of them that are recalled.
    #[n(32)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) recalled: Vec<Recalled>,
    /// When the last of them was.
    #[n(33)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) recalled_at: Moment,
    /// The parts of one that is being recalled.
    #[cbor(n(34), default, with = "minicbor::bytes")]
    #[serde(skip)]
    pub(crate) recalling: Vec<u8>,
    /// Who changed the service of its device in this gaming day, and in which round (D19).
    #[n(17)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) serviced: Vec<Serviced>,
    /// The settled round that a device may still report about: it has not been set off since (D19).
    #[n(18)]
    #[serde(skip)]
    pub(crate) reports_of: Option<RoundId>,
    /// What the device read of the recent settled rounds, for corrections that contradict it (D19).
    #[n(41)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) readings: VecDeque<(RoundId, Seen)>,
    /// What was tumbled or spun outside of a round, or in one that became void: it does not count for the next (D18).
    #[n(42)]
    #[cbor(default)]
    #[serde(skip)]
    pub(crate) earlier: Earlier,
    /// Where the ball came to rest last, until it is spun again: a wheel repeats that (D18).
    #[n(43)]
    #[serde(skip)]
    pub(crate) rest: Option<OutcomeIndex>,
}

/// A person who changed the service of a table's device (D19).
#[derive(Copy, Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub(crate) struct Serviced {
    #[n(0)]
    pub staff: StaffId,
    #[n(1)]
    pub round: Option<RoundId>,
    #[n(2)]
    pub at: Moment,
}

/// The accounts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub(crate) struct TableAccounts {
    #[n(0)]
    pub stakes: Cents,
    #[n(1)]
    pub house: Cents,
    #[n(2)]
    pub float: Cents,
    #[n(3)]
    pub drop: Cents,
    #[n(4)]
    pub chips: Cents,
    #[n(5)]
    pub turnover: Cents,
}

/// A person employed.
#[derive(Clone, Debug, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Staff {
    #[n(0)]
    pub(crate) id: StaffId,
    #[n(1)]
    pub(crate) name: String,
    #[n(2)]
    pub(crate) post: Post,
    #[n(3)]
    pub(crate) acting: Option<Post>,
    #[n(4)]
    pub(crate) active: bool,
    #[n(5)]
    pub(crate) shift: Option<ShiftId>,
    #[n(6)]
    pub(crate) answers: Answers,
}

impl Floor {
    /// A floor on which nothing has happened.
    #[must_use]
    pub fn new() -> Floor {
        Floor::default()
    }

    /// How many events have been applied.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The latest moment known.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.now
    }

    /// What the floor is, once it has been made.
    #[must_use]
    pub fn settings(&self) -> Option<&FloorSettings> {
        self.settings.as_ref()
    }

    /// The running program, if it has not been accepted yet: until then play is locked (S10).
    #[must_use]
    pub fn locked_by(&self) -> Option<Release> {
        self.programs.locked
    }

    /// Grows whenever a loss of records is accepted; part of every cursor.
    #[must_use]
    pub fn epoch(&self) -> u32 {
        self.integrity.epoch
    }

    /// The record with which the current run of a host began; part of every cursor.
    #[must_use]
    pub fn run(&self) -> u64 {
        self.integrity.run
    }

    /// The record that a cursor named and the journal does not have: until its loss is accepted play is locked.
    #[must_use]
    pub fn missing_record(&self) -> Option<u64> {
        self.integrity.missing.map(|(_, record)| record)
    }

    /// The last program with which play was allowed (S10).
    #[must_use]
    pub fn last_release(&self) -> Option<Release> {
        self.programs.last
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The terminals.
    #[must_use]
    pub fn terminals(&self) -> &[Terminal] {
        &self.terminals
    }

    /// A table.
    #[must_use]
    pub fn table(&self, id: TableId) -> Option<&Table> {
        self.tables.get(id.index())
    }

    /// A terminal.
    #[must_use]
    #[inline]
    pub fn terminal(&self, id: TerminalId) -> Option<&Terminal> {
        self.terminals.get(id.index())
    }

    /// The devices.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// A device.
    #[must_use]
    pub fn device(&self, id: DeviceId) -> Option<&Device> {
        self.devices.get(id.index())
    }

    /// The people employed, now or once.
    #[must_use]
    pub fn staff(&self) -> &[Staff] {
        &self.staff
    }

    /// A person.
    #[must_use]
    pub fn person(&self, id: StaffId) -> Option<&Staff> {
        self.staff.get(id.index())
    }

    /// The ticket with a number, by the hash that the log keeps of it.
    #[must_use]
    pub fn ticket_with(&self, number: TicketHash) -> Option<&Ticket> {
        self.ticket_numbers.get(&number).and_then(|id| self.tickets.get(id))
    }

    /// The tickets that are still known.
    pub fn tickets(&self) -> impl DoubleEndedIterator<Item = &Ticket> {
        self.tickets.values()
    }

    /// What is still to be paid at the cage for corrections.
    pub fn payables(&self) -> impl Iterator<Item = &Payable> {
        self.payables.values()
    }

    /// The unacknowledged alerts.
    pub fn alerts(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.values()
    }

    /// The open shifts of the cage.
    pub fn shifts(&self) -> impl Iterator<Item = &Shift> {
        self.shifts.values()
    }

    /// The installed rulebooks, in the order they were installed.
    pub fn rulebooks(&self) -> impl Iterator<Item = &Rulebook> {
        self.rulebooks.iter().map(|installed| &*installed.0)
    }

    /// An installed rulebook.
    #[must_use]
    pub fn rulebook(&self, hash: Hash) -> Option<&Rulebook> {
        self.rulebooks.iter().find(|installed| installed.0.hash() == hash).map(|installed| &*installed.0)
    }

    pub(crate) fn rulebook_at(&self, place: u8) -> Option<&Rulebook> {
        self.rulebooks.get(usize::from(place)).map(|installed| &*installed.0)
    }

    /// The rulebook a table is run by, to be kept.
    #[must_use]
    pub fn shared_rulebook(&self, table: &Table) -> Option<Arc<Rulebook>> {
        self.rulebooks.get(usize::from(table.rulebook)).map(|installed| Arc::clone(&installed.0))
    }

    /// The rulebook a table is run by.
    #[must_use]
    #[inline]
    pub fn rulebook_of(&self, table: &Table) -> Option<&Rulebook> {
        self.rulebook_at(table.rulebook)
    }

    /// The layout of a terminal.
    #[must_use]
    pub fn layout_of(&self, terminal: &Terminal) -> Option<&Layout> {
        let table = self.table(terminal.table)?;
        self.rulebook_of(table)?.layouts().get(usize::from(terminal.layout))
    }

    /// A hash of the whole state: two floors with the same hash are the same.
    #[must_use]
    pub fn state_hash(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }

    /// The state as bytes, from which it can be read again.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = minicbor::encode(self, &mut bytes);
        bytes
    }

    /// Reads a state.
    ///
    /// # Errors
    /// When the bytes are not a state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Floor, minicbor::decode::Error> {
        minicbor::decode(bytes)
    }

    /// What releases with feature level 1 knew of the state, as they wrote it.
    #[must_use]
    pub fn to_level_1_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads a state as releases with feature level 1 wrote it.
    ///
    /// # Errors
    /// When the bytes are not a state.
    pub fn from_level_1_bytes(bytes: &[u8]) -> Result<Floor, postcard::Error> {
        postcard::from_bytes(bytes)
    }
}

impl Table {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> TableId {
        self.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The round in progress.
    #[must_use]
    pub fn round(&self) -> Option<&Round> {
        self.round.as_ref()
    }

    /// Recent results, oldest first. Void rounds have none.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = (RoundId, OutcomeIndex)> + '_ {
        self.history.iter().copied()
    }

    /// Past rounds that can still be corrected, oldest first.
    pub fn archive(&self) -> impl DoubleEndedIterator<Item = &ArchivedRound> {
        self.archive.iter()
    }

    /// What the house has won at the table.
    #[must_use]
    pub fn house_win(&self) -> Cents {
        self.accounts.house
    }

    /// Its settings now.
    #[must_use]
    pub fn settings(&self) -> &TableSettings {
        &self.settings
    }

    /// How it is run.
    #[must_use]
    pub fn mode(&self) -> TableMode {
        self.mode
    }

    /// Its terminals, by their ids.
    #[must_use]
    pub fn terminals(&self) -> &[TerminalId] {
        &self.terminals
    }

    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// When it closes, once that is announced (S3).
    #[must_use]
    pub fn closes_at(&self) -> Option<Moment> {
        self.closes_at
    }

    /// The dealer who has it.
    #[must_use]
    pub fn dealer(&self) -> Option<StaffId> {
        self.dealer
    }

    /// Settings that hold from the next round on.
    #[must_use]
    pub fn announced_settings(&self) -> Option<&TableSettings> {
        self.pending.as_ref()
    }

    /// Terminals whose link is up.
    #[must_use]
    pub fn live_terminals(&self) -> u32 {
        self.live
    }

    /// Rounds settled, and rounds that were void.
    #[must_use]
    pub fn rounds(&self) -> (u64, u64) {
        (self.rounds_settled, self.rounds_void)
    }

    /// Stakes of the round in progress.
    #[must_use]
    pub fn stakes(&self) -> Cents {
        self.accounts.stakes
    }

    /// What has been bet in settled rounds.
    #[must_use]
    pub fn turnover(&self) -> Cents {
        self.accounts.turnover
    }

    /// The chips that this live table has given out and not got back. Cash chips are good at every table: players may have
    /// brought others, or taken these elsewhere.
    #[must_use]
    pub fn chips_with_players(&self) -> Cents {
        Cents::new(self.accounts.chips.get().max(0))
    }

    /// The chips that came to this live table beyond what it has given out: they were bought at the cage or at another
    /// table. At least so many; others may have come and gone.
    #[must_use]
    pub fn chips_from_elsewhere(&self) -> Cents {
        Cents::new(self.accounts.chips.get().min(0).saturating_neg())
    }

    /// A round that has ended and can still be corrected.
    #[must_use]
    pub fn archived(&self, round: RoundId) -> Option<&ArchivedRound> {
        let recalled = self.recalled.iter().map(|recalled| &recalled.round);
        self.archive.iter().rev().chain(recalled).find(|archived| archived.id == round)
    }

    pub(crate) fn archived_mut(&mut self, round: RoundId) -> Option<&mut ArchivedRound> {
        let recalled = self.recalled.iter_mut().map(|recalled| &mut recalled.round);
        self.archive.iter_mut().rev().chain(recalled).find(|archived| archived.id == round)
    }

    /// Keeps a round among the recent ones; the one it takes the place of is hashed from feature level 2 on (D24).
    pub(crate) fn keep(&mut self, archived: ArchivedRound, hashed: bool) {
        if self.archive.len() >= bounds::CORRECTABLE
            && let Some(leaves) = self.archive.pop_front()
            && hashed
        {
            self.past.append(leaves.leaf());
        }
        self.archive.push_back(archived);
    }

    pub(crate) fn remember(&mut self, round: RoundId, outcome: OutcomeIndex) {
        if self.history.len() >= bounds::HISTORY {
            self.history.pop_front();
        }
        self.history.push_back((round, outcome));
    }
}

impl Staff {
    /// The id.
    #[must_use]
    pub fn id(&self) -> StaffId {
        self.id
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the person is employed as.
    #[must_use]
    pub fn post(&self) -> Post {
        self.post
    }

    /// The position the person is acting in.
    #[must_use]
    pub fn acting(&self) -> Option<Post> {
        self.acting
    }

    /// Whether the person is employed now.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// The shift at the cage.
    #[must_use]
    pub fn shift(&self) -> Option<ShiftId> {
        self.shift
    }
}
