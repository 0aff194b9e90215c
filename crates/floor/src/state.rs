//! The state of a floor: a pure function of its events.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rulebook::{Act, Cents, Exposure, Face, GroundId, Hash, Layout, OutcomeIndex, Rank, Rulebook, SpotIndex};
use serde::{Deserialize, Serialize};

use crate::answers::Answers;
use crate::bounds;
use crate::command::*;
use crate::event::{Change, ChipShare, Group, LockReason};
use crate::ids::*;
use crate::ledger::{Books, Meters};

/// A floor: tables, terminals, staff, tickets and money.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Floor {
    pub(crate) settings: Option<FloorSettings>,
    pub(crate) now: Moment,
    pub(crate) sequence: u64,
    pub(crate) rulebooks: Vec<Installed>,
    pub(crate) raised: BTreeMap<Act, Rank>,
    pub(crate) tables: Vec<Table>,
    pub(crate) terminals: Vec<Terminal>,
    pub(crate) devices: Vec<Device>,
    pub(crate) staff: Vec<Staff>,
    pub(crate) tickets: BTreeMap<TicketId, Ticket>,
    pub(crate) ticket_numbers: BTreeMap<TicketHash, TicketId>,
    pub(crate) closed_tickets: VecDeque<TicketId>,
    pub(crate) expiries: BTreeMap<Moment, Vec<TicketId>>,
    pub(crate) shifts: BTreeMap<ShiftId, Shift>,
    pub(crate) payables: BTreeMap<PayableId, Payable>,
    pub(crate) alerts: BTreeMap<AlertId, Alert>,
    pub(crate) next: Counters,
    pub(crate) books: Books,
    pub(crate) system: Answers,
    pub(crate) programs: Programs,
}

/// Which programs have run and may run (S10).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Programs {
    /// The last one with which play was allowed.
    pub last: Option<Release>,
    /// Those approved beforehand.
    pub approved: Vec<Release>,
    /// The one that runs and nobody has accepted: play is locked.
    pub locked: Option<Release>,
}

/// The next number of everything that is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counters {
    pub round: u64,
    pub visit: u64,
    pub ticket: u64,
    pub shift: u32,
    pub alert: u64,
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
        Rulebook::parse("installed", &canonical).map(|rulebook| Installed(Arc::new(rulebook)))
    }
}

/// A gaming table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    pub(crate) id: TableId,
    pub(crate) name: String,
    pub(crate) rulebook: u8,
    pub(crate) mode: TableMode,
    pub(crate) settings: TableSettings,
    pub(crate) pending: Option<TableSettings>,
    pub(crate) open: bool,
    pub(crate) closes_at: Option<Moment>,
    pub(crate) dealer: Option<StaffId>,
    pub(crate) terminals: Vec<TerminalId>,
    pub(crate) live: u32,
    pub(crate) round: Option<Round>,
    pub(crate) archive: VecDeque<ArchivedRound>,
    pub(crate) history: VecDeque<(RoundId, OutcomeIndex)>,
    pub(crate) rounds_settled: u64,
    pub(crate) rounds_void: u64,
    pub(crate) accounts: TableAccounts,
}

/// The accounts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableAccounts {
    pub stakes: Cents,
    pub house: Cents,
    pub float: Cents,
    pub drop: Cents,
    pub chips: Cents,
    pub turnover: Cents,
}

/// How far a round has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Phase {
    /// The device was activated; bets are not yet open.
    Begun,
    /// Bets are taken.
    Open,
    /// No more bets.
    Closed,
    /// A result is entered and waits to be confirmed.
    Entered,
}

impl Phase {
    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Phase::Begun => "begun",
            Phase::Open => "open",
            Phase::Closed => "closed",
            Phase::Entered => "result entered",
        }
    }
}

/// A ground that a device reported and nobody has dealt with yet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenGround {
    /// What.
    pub ground: GroundId,
    /// Which device.
    pub device: DeviceId,
    /// Whether it is only proposed to the dealer.
    pub proposed: bool,
}

/// What the devices have said of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The tumbler was set off, or the ball spun, in this round.
    pub set_off: bool,
    /// The device said so, and not yet that it came to rest.
    pub running: bool,
    /// It was set off after the close.
    pub after_close: bool,
    /// A tumble of this round was too short; no later one cures it.
    pub short: bool,
    /// Tumbles or revolutions of the last one.
    pub times: Option<u8>,
    /// The dice were lawfully uncovered.
    pub uncovered: bool,
    /// Dice read after the close.
    pub dice: [Option<Face>; 3],
    /// The pocket read after the close.
    pub pocket: Option<OutcomeIndex>,
    /// The ball came to rest before the close (D4).
    pub rested_early: bool,
}

/// A round in progress.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Round {
    pub(crate) id: RoundId,
    pub(crate) phase: Phase,
    pub(crate) begun_at: Moment,
    pub(crate) closes_at: Option<Moment>,
    pub(crate) closed_at: Option<Moment>,
    pub(crate) outcome: Option<OutcomeIndex>,
    pub(crate) ground: Option<OpenGround>,
    /// Further grounds reported while that one is open; each is dealt with in its turn.
    pub(crate) waiting: Vec<OpenGround>,
    /// Since when a ground has halted the round.
    pub(crate) halted_at: Option<Moment>,
    pub(crate) interrupted: Option<Moment>,
    pub(crate) awaiting: u32,
    pub(crate) seen: Seen,
    pub(crate) exposure: Exposure,
    pub(crate) returns: Vec<(TerminalId, Cents)>,
    pub(crate) chips: Vec<Chip>,
    pub(crate) left: Vec<Position>,
}

/// Chips on a spot of a live table, in the order they were placed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chip {
    /// Whose.
    pub position: Position,
    /// Where.
    pub spot: SpotIndex,
    /// How much.
    pub amount: Cents,
    /// The Pit Employee who placed them for the player (5.13).
    pub placed_by: Option<StaffId>,
}

/// A round that has been settled or voided.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArchivedRound {
    pub(crate) id: RoundId,
    pub(crate) rulebook: u8,
    /// `None`: void.
    pub(crate) outcome: Option<OutcomeIndex>,
    pub(crate) ended_at: Moment,
    pub(crate) entries: Vec<Entry>,
    pub(crate) shares: Vec<ChipShare>,
    /// What the pit claims of players at a live table.
    pub(crate) claims: Vec<(Position, Cents)>,
}

/// One terminal's bets of a past round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub(crate) terminal: TerminalId,
    pub(crate) visit: Option<VisitId>,
    pub(crate) layout: u8,
    pub(crate) stakes: Vec<Stake>,
    pub(crate) groups: Vec<Group>,
    pub(crate) staked: Cents,
    /// What the bets return by the result as it stands.
    pub(crate) entitled: Cents,
    /// What has been paid for them, at the cage to come included.
    pub(crate) paid: Cents,
    pub(crate) payable: Option<PayableId>,
}

/// A stake on a spot; `group` is zero for a plain bet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stake {
    /// Where.
    pub spot: SpotIndex,
    /// Which multi-piece bet it belongs to.
    pub group: u16,
    /// How much.
    pub amount: Cents,
}

/// A Player Terminal.
///
/// On a large floor a bet costs what its cache misses cost: everything a bet looks at comes first, in three lines.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Terminal {
    pub(crate) id: TerminalId,
    pub(crate) table: TableId,
    pub(crate) layout: u8,
    pub(crate) live: bool,
    pub(crate) locked: Option<Box<LockReason>>,
    pub(crate) credit: Cents,
    pub(crate) staked: Cents,
    pub(crate) prepared: Cents,
    pub(crate) stakes: Vec<Stake>,
    pub(crate) answers: Answers,
    pub(crate) visit: Option<VisitId>,
    pub(crate) lost_in_visit: Cents,
    pub(crate) loss_limit: Option<Cents>,
    pub(crate) groups: Vec<Group>,
    pub(crate) meters: Meters,
    pub(crate) drop: Cents,
    pub(crate) acknowledged: Option<RoundId>,
    pub(crate) last_round: Option<RoundId>,
    pub(crate) name: String,
    pub(crate) kind: String,
}

/// A device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Device {
    pub(crate) id: DeviceId,
    pub(crate) name: String,
    pub(crate) kind: DeviceKind,
    pub(crate) place: DevicePlace,
    pub(crate) fault: Option<u16>,
    pub(crate) answers: Answers,
}

/// A person employed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Staff {
    pub(crate) id: StaffId,
    pub(crate) name: String,
    pub(crate) post: Post,
    pub(crate) acting: Option<Post>,
    pub(crate) active: bool,
    pub(crate) shift: Option<ShiftId>,
    pub(crate) answers: Answers,
}

/// What has become of a ticket.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TicketState {
    /// The amount is put aside; the printer has not answered.
    Prepared,
    /// It can be redeemed.
    Outstanding,
    /// It has been paid.
    Paid,
    /// Nobody came.
    Expired,
}

/// A ticket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    pub(crate) id: TicketId,
    pub(crate) number: TicketHash,
    pub(crate) amount: Cents,
    pub(crate) terminal: Option<TerminalId>,
    pub(crate) state: TicketState,
    pub(crate) issued: Moment,
    pub(crate) expires: Moment,
    pub(crate) reprints: u16,
}

/// A cashier's shift.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    pub(crate) id: ShiftId,
    pub(crate) cashier: StaffId,
    pub(crate) opened: Moment,
    pub(crate) opening: Cents,
    pub(crate) float: Cents,
}

/// What a correction left to be paid at the cage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payable {
    pub(crate) id: PayableId,
    pub(crate) table: TableId,
    pub(crate) round: Option<RoundId>,
    pub(crate) terminal: TerminalId,
    pub(crate) visit: Option<VisitId>,
    pub(crate) amount: Cents,
}

/// An alert at the pit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    pub(crate) id: AlertId,
    pub(crate) at: Moment,
    pub(crate) table: Option<TableId>,
    pub(crate) what: AlertKind,
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

    /// The program that runs and that nobody has accepted yet: until then play is locked (S10).
    #[must_use]
    pub fn locked_by(&self) -> Option<Release> {
        self.programs.locked
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

    /// The tickets that are still known.
    pub fn tickets(&self) -> impl Iterator<Item = &Ticket> {
        self.tickets.values()
    }

    /// What is still to be paid at the cage for corrections.
    pub fn payables(&self) -> impl Iterator<Item = &Payable> {
        self.payables.values()
    }

    /// The alerts that nobody has acknowledged.
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
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        *blake3::hash(&bytes).as_bytes()
    }

    /// The state as bytes, from which it can be read again.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads a state.
    ///
    /// # Errors
    /// When the bytes are not a state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Floor, postcard::Error> {
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

    pub(crate) fn archived(&self, round: RoundId) -> Option<&ArchivedRound> {
        self.archive.iter().rev().find(|archived| archived.id == round)
    }

    pub(crate) fn archived_mut(&mut self, round: RoundId) -> Option<&mut ArchivedRound> {
        self.archive.iter_mut().rev().find(|archived| archived.id == round)
    }

    pub(crate) fn keep(&mut self, archived: ArchivedRound) {
        if self.archive.len() >= bounds::CORRECTABLE {
            self.archive.pop_front();
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

impl ArchivedRound {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RoundId {
        self.id
    }

    /// The place of the rulebook it was played by, in the order of installation.
    #[must_use]
    pub fn rulebook(&self) -> u8 {
        self.rulebook
    }

    /// Its result; `None` if it is void.
    #[must_use]
    pub fn outcome(&self) -> Option<OutcomeIndex> {
        self.outcome
    }

    /// The terminals' bets.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the pit claims of players at a live table.
    #[must_use]
    pub fn claims(&self) -> &[(Position, Cents)] {
        &self.claims
    }

    /// The chips of a live table, as settled.
    #[must_use]
    pub fn shares(&self) -> &[ChipShare] {
        &self.shares
    }

    pub(crate) fn entry(&self, terminal: TerminalId) -> Option<&Entry> {
        let place = self.entries.binary_search_by_key(&terminal, |entry| entry.terminal).ok()?;
        self.entries.get(place)
    }

    pub(crate) fn entry_mut(&mut self, terminal: TerminalId) -> Option<&mut Entry> {
        let place = self.entries.binary_search_by_key(&terminal, |entry| entry.terminal).ok()?;
        self.entries.get_mut(place)
    }
}

impl Entry {
    /// Whose.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// The visit that made them.
    #[must_use]
    pub fn visit(&self) -> Option<VisitId> {
        self.visit
    }

    /// The place of the layout they were made on in the round's rulebook.
    #[must_use]
    pub fn layout(&self) -> u8 {
        self.layout
    }

    /// The multi-piece bets among them.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The stakes.
    #[must_use]
    pub fn stakes(&self) -> &[Stake] {
        &self.stakes
    }

    /// The sum of the stakes.
    #[must_use]
    pub fn staked(&self) -> Cents {
        self.staked
    }

    /// What they return by the result as it stands.
    #[must_use]
    pub fn entitled(&self) -> Cents {
        self.entitled
    }

    /// What has been paid for them.
    #[must_use]
    pub fn paid(&self) -> Cents {
        self.paid
    }
}

impl Round {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RoundId {
        self.id
    }

    /// How far it has come.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether bets are closed and every live terminal shows it: the close that the documents speak of (D12).
    pub(crate) fn close_shown(&self) -> bool {
        self.phase >= Phase::Closed && self.awaiting == 0
    }

    /// The ground a device has reported.
    #[must_use]
    pub fn ground(&self) -> Option<OpenGround> {
        self.ground
    }

    /// Whether it waits for an attestation.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// The result entered.
    #[must_use]
    pub fn outcome(&self) -> Option<OutcomeIndex> {
        self.outcome
    }

    /// What its bets would return on each outcome.
    #[must_use]
    pub fn exposure(&self) -> &Exposure {
        &self.exposure
    }

    /// Live terminals that have not yet acknowledged the close.
    #[must_use]
    pub fn awaiting(&self) -> u32 {
        self.awaiting
    }

    /// When bets close by themselves.
    #[must_use]
    pub fn closes_at(&self) -> Option<Moment> {
        self.closes_at
    }

    /// What the devices have said.
    #[must_use]
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// The chips on a live table.
    #[must_use]
    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }
}

impl Terminal {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> TerminalId {
        self.id
    }

    /// Its table.
    #[must_use]
    pub fn table(&self) -> TableId {
        self.table
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The place of its layout in its table's rulebook.
    #[must_use]
    pub fn layout(&self) -> u8 {
        self.layout
    }

    /// What can be bet or cashed out.
    #[must_use]
    pub fn credit(&self) -> Cents {
        self.credit
    }

    /// What is put aside for a ticket that is being printed.
    #[must_use]
    pub fn prepared(&self) -> Cents {
        self.prepared
    }

    /// The stakes in the round.
    #[must_use]
    pub fn stakes(&self) -> &[Stake] {
        &self.stakes
    }

    /// Their sum.
    #[must_use]
    pub fn staked(&self) -> Cents {
        self.staked
    }

    /// The multi-piece bets in the round.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The meters.
    #[must_use]
    pub fn meters(&self) -> &Meters {
        &self.meters
    }

    /// The visit that goes on.
    #[must_use]
    pub fn visit(&self) -> Option<VisitId> {
        self.visit
    }

    /// Whether its link is up.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.live
    }

    /// Why it is locked, if it is.
    #[must_use]
    pub fn locked(&self) -> Option<&LockReason> {
        self.locked.as_deref()
    }

    pub(crate) fn change(&mut self, change: Change) {
        let found = self.stakes.iter().position(|s| s.spot == change.spot && s.group == change.group);
        match found.and_then(|place| self.stakes.get_mut(place).map(|stake| (place, stake))) {
            Some((place, stake)) => {
                stake.amount = Cents::new(stake.amount.get().saturating_add(change.delta.get()));
                if stake.amount == Cents::ZERO {
                    self.stakes.remove(place);
                }
            }
            None => self.stakes.push(Stake { spot: change.spot, group: change.group, amount: change.delta }),
        }
    }
}

impl Device {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> DeviceId {
        self.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> DevicePlace {
        self.place
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
}

impl Ticket {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> TicketId {
        self.id
    }

    /// Its amount.
    #[must_use]
    pub fn amount(&self) -> Cents {
        self.amount
    }

    /// What has become of it.
    #[must_use]
    pub fn state(&self) -> TicketState {
        self.state
    }

    /// When it expires.
    #[must_use]
    pub fn expires(&self) -> Moment {
        self.expires
    }

    /// The terminal that printed it; `None` if the cage sold it.
    #[must_use]
    pub fn terminal(&self) -> Option<TerminalId> {
        self.terminal
    }

    /// When it was printed or sold.
    #[must_use]
    pub fn issued(&self) -> Moment {
        self.issued
    }

    /// How often it was printed again; a reprint says that it is one (S15).
    #[must_use]
    pub fn reprints(&self) -> u16 {
        self.reprints
    }
}

impl Payable {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> PayableId {
        self.id
    }

    /// The round it comes from.
    #[must_use]
    pub fn round(&self) -> Option<RoundId> {
        self.round
    }

    /// The terminal at which the bet was made.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// How much.
    #[must_use]
    pub fn amount(&self) -> Cents {
        self.amount
    }
}

impl Alert {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> AlertId {
        self.id
    }

    /// Since when.
    #[must_use]
    pub fn at(&self) -> Moment {
        self.at
    }

    /// Which table.
    #[must_use]
    pub fn table(&self) -> Option<TableId> {
        self.table
    }

    /// What it is about.
    #[must_use]
    pub fn what(&self) -> &AlertKind {
        &self.what
    }
}
