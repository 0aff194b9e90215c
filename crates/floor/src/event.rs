//! Events: what happened. Facts only; applying them evaluates no rule. They are the record from which a dispute is settled
//! (S5), with who did what and when (S14).

use rulebook::{Act, Cents, GroundId, Hash, OutcomeIndex, Rank, SpotIndex};
use serde::{Deserialize, Serialize};

use crate::command::*;
use crate::few::Few;
use crate::ids::*;

/// An event with when it happened and which command made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When.
    pub at: Moment,
    /// The command, on its first event; of a settlement or correction in parts, on the event with which it takes effect.
    pub origin: Option<Origin>,
    /// What.
    pub event: Event,
}

/// Bets come by the million, and each is handed from thread to thread: what is rare and large is boxed.
const _: () = assert!(size_of::<Record>() <= 128);

/// Which command made an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Who sent it.
    pub sender: Sender,
    /// The sender's own count.
    pub number: u64,
    /// A hash of what was wanted.
    pub body: u64,
}

/// Why a terminal is locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LockReason {
    /// Somebody locked it.
    Person(StaffId, String),
    /// Its meters do not agree (S11).
    Meters,
}

/// What made a round void.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VoidBy {
    /// A ground of the document.
    Ground(GroundId),
    /// The Shift Manager's decision.
    Decision,
}

/// A stake moved onto or off a spot; `group` is zero for a plain bet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Where.
    pub spot: SpotIndex,
    /// Which multi-piece bet it belongs to.
    pub group: u16,
    /// How much more, or less.
    pub delta: Cents,
}

/// A multi-piece bet that keeps its identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its number at the terminal in this round, from 1.
    pub id: u16,
    /// Its notation.
    pub bet: String,
    /// The unit.
    pub unit: Cents,
}

/// What a correction, void or decision does for one terminal's bets of a round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjustment {
    /// Whose.
    pub terminal: TerminalId,
    /// What the bets return now.
    pub entitled: Cents,
    /// Paid to the credit of the visit that made the bets.
    pub credited: Cents,
    /// Left to be paid at the cage.
    pub payable: Cents,
    /// Taken off what was still to be paid at the cage.
    pub unpaid: Cents,
    /// Taken from the credit of that visit.
    pub taken: Cents,
    /// What could not be collected, after this.
    pub uncollected: Cents,
}

/// What one player's chips of a live round get.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChipShare {
    /// Whose.
    pub position: Position,
    /// Where.
    pub spot: SpotIndex,
    /// The bet as it stood.
    pub bet: Cents,
    /// What of it won or lost, after pro rata.
    pub at_risk: Cents,
    /// What goes to the player, stakes included.
    pub returned: Cents,
}

impl ChipShare {
    /// The stake that goes back: all of it if it won, else what was not at risk.
    #[must_use]
    pub fn stake_back(&self) -> Cents {
        let spared = self.bet.get().saturating_sub(self.at_risk.get());
        if self.returned.get() > spared { self.bet } else { Cents::new(spared) }
    }

    /// The winnings, which the dealer pays beside the stake.
    #[must_use]
    pub fn winnings(&self) -> Cents {
        Cents::new(self.returned.get().saturating_sub(self.stake_back().get()))
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Event {
    FloorCreated(FloorSettings),
    ProgramStarted {
        release: Release,
        locked: bool,
    },
    ProgramApproved {
        release: Release,
        by: StaffId,
    },
    ProgramAccepted {
        release: Release,
        by: StaffId,
    },
    RulebookInstalled {
        hash: Hash,
        canonical: String,
    },
    PowerRaised {
        act: Act,
        rank: Rank,
        by: StaffId,
    },
    TableAdded {
        table: TableId,
        name: String,
        rulebook: Hash,
        mode: TableMode,
        settings: Box<TableSettings>,
    },
    RulebookPinned {
        table: TableId,
        rulebook: Hash,
        settings: Box<TableSettings>,
        by: Option<StaffId>,
    },
    SettingsChanged {
        table: TableId,
        settings: Box<TableSettings>,
        by: Option<StaffId>,
        reason: String,
        from_next_round: bool,
    },
    TerminalEnrolled {
        terminal: TerminalId,
        table: TableId,
        name: String,
        kind: String,
        layout: u8,
    },
    TerminalMoved {
        terminal: TerminalId,
        table: TableId,
        kind: String,
        layout: u8,
    },
    DeviceAdded {
        device: DeviceId,
        name: String,
        kind: DeviceKind,
        place: DevicePlace,
    },
    DeviceMoved {
        device: DeviceId,
        place: DevicePlace,
    },
    StaffAdded {
        staff: StaffId,
        name: String,
        post: Post,
    },
    StaffChanged {
        staff: StaffId,
        post: Post,
        active: bool,
    },
    ActingAssigned {
        staff: StaffId,
        post: Option<Post>,
        by: Option<StaffId>,
    },
    DealerChanged {
        table: TableId,
        dealer: StaffId,
    },
    TableOpened {
        table: TableId,
        by: StaffId,
    },
    ClosingAnnounced {
        table: TableId,
        closes_at: Moment,
        by: StaffId,
    },
    TableClosed {
        table: TableId,
        by: StaffId,
    },
    TerminalLocked {
        terminal: TerminalId,
        reason: LockReason,
    },
    TerminalUnlocked {
        terminal: TerminalId,
        by: StaffId,
    },

    CashIn {
        terminal: TerminalId,
        amount: Cents,
    },
    AttendantIn {
        terminal: TerminalId,
        amount: Cents,
        by: StaffId,
    },
    TicketIn {
        terminal: TerminalId,
        ticket: TicketId,
        amount: Cents,
    },
    TicketPrepared {
        ticket: TicketId,
        terminal: TerminalId,
        amount: Cents,
        number: TicketHash,
    },
    TicketPrinted {
        ticket: TicketId,
        expires: Moment,
    },
    PrintFailed {
        ticket: TicketId,
    },
    AttendantPaid {
        terminal: TerminalId,
        amount: Cents,
        by: StaffId,
        witness: Option<StaffId>,
    },
    LossLimitSet {
        terminal: TerminalId,
        limit: Option<Cents>,
    },
    TicketReprinted {
        ticket: TicketId,
        by: StaffId,
    },
    TicketExpired {
        ticket: TicketId,
    },
    ShiftOpened {
        shift: ShiftId,
        cashier: StaffId,
        float: Cents,
    },
    ShiftClosed {
        shift: ShiftId,
        counted: Cents,
        expected: Cents,
    },
    TicketSold {
        ticket: TicketId,
        shift: ShiftId,
        amount: Cents,
        number: TicketHash,
        expires: Moment,
    },
    TicketRedeemed {
        ticket: TicketId,
        shift: ShiftId,
        amount: Cents,
    },
    CorrectionPaid {
        payable: PayableId,
        shift: ShiftId,
        amount: Cents,
        witness: Option<StaffId>,
    },

    RoundBegun {
        round: RoundId,
        table: TableId,
        by: Option<StaffId>,
    },
    BetsOpened {
        round: RoundId,
        table: TableId,
        closes_at: Option<Moment>,
        by: StaffId,
    },
    BetsChanged {
        terminal: TerminalId,
        changes: Few<Change>,
        added: Vec<Group>,
        removed: Vec<u16>,
    },
    BetsClosed {
        round: RoundId,
        table: TableId,
        by: Option<StaffId>,
    },
    CloseAcknowledged {
        terminal: TerminalId,
        round: RoundId,
    },
    CountedLost {
        round: RoundId,
        table: TableId,
        terminals: Vec<TerminalId>,
    },
    Observed {
        device: DeviceId,
        table: TableId,
        observation: Observation,
        counts: bool,
    },
    GroundRaised {
        round: RoundId,
        table: TableId,
        ground: GroundId,
        device: DeviceId,
        proposed: bool,
    },
    GroundDismissed {
        round: RoundId,
        table: TableId,
        ground: GroundId,
        by: StaffId,
        reason: String,
    },
    ResultEntered {
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        by: StaffId,
    },
    ResultChanged {
        round: RoundId,
        table: TableId,
        from: OutcomeIndex,
        to: OutcomeIndex,
        by: StaffId,
    },
    RoundSettled {
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        part: u16,
        parts: u16,
        returns: Vec<(TerminalId, Cents)>,
    },
    ChipsSettled {
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        shares: Vec<ChipShare>,
    },
    RoundVoided {
        round: RoundId,
        table: TableId,
        by: VoidBy,
        staff: StaffId,
        witness: Option<StaffId>,
        reason: String,
    },
    RoundCorrected {
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        adjustments: Vec<Adjustment>,
        by: StaffId,
        witness: StaffId,
        reason: String,
    },
    SettledRoundVoided {
        round: RoundId,
        table: TableId,
        by: VoidBy,
        adjustments: Vec<Adjustment>,
        staff: StaffId,
        witness: Option<StaffId>,
        reason: String,
    },
    ChipsCorrected {
        round: RoundId,
        table: TableId,
        outcome: Option<OutcomeIndex>,
        paid: Box<[(Position, Cents)]>,
        claims: Box<[(Position, Cents)]>,
        returns: Box<[Cents]>,
        voided: Option<VoidBy>,
        by: StaffId,
        witness: Option<StaffId>,
        reason: Box<str>,
    },
    StoppageRecorded {
        table: TableId,
        round: RoundId,
        from: Moment,
        to: Moment,
    },
    RoundInterrupted {
        table: TableId,
        round: RoundId,
        from: Moment,
        to: Moment,
    },
    Attested {
        table: TableId,
        round: RoundId,
        finding: Finding,
        by: StaffId,
        witness: StaffId,
    },
    TerminalLost {
        terminal: TerminalId,
    },
    TerminalBack {
        terminal: TerminalId,
    },
    Decided {
        table: TableId,
        round: Option<RoundId>,
        ruling: Box<Ruling>,
        credited: Cents,
        payable: Cents,
        taken: Cents,
        uncollected: Cents,
        by: StaffId,
        witness: Option<StaffId>,
        reason: Box<str>,
    },
    DisplayRecorded {
        table: TableId,
        what: DisplayFault,
        note: String,
        by: StaffId,
    },
    AlertRaised {
        alert: AlertId,
        table: Option<TableId>,
        what: AlertKind,
    },
    AlertAcknowledged {
        alert: AlertId,
        by: StaffId,
    },

    ChipsPlaced {
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        by: Option<StaffId>,
        for_player: bool,
        standing: bool,
    },
    ChipsTaken {
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
    },
    ExcessRejected {
        table: TableId,
        spot: SpotIndex,
        rejected: Vec<(Position, Cents)>,
        by: StaffId,
    },
    MinimumAdvised {
        table: TableId,
        position: Position,
        spot: SpotIndex,
        by: StaffId,
    },
    UnderMinimumRefused {
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        by: StaffId,
    },
    LateRefused {
        table: TableId,
        position: Position,
        by: StaffId,
    },
    PlayerLeft {
        table: TableId,
        position: Position,
    },
    FloatMoved {
        table: TableId,
        movement: FloatMovement,
        difference: Cents,
        by: StaffId,
    },

    /// Adjustments of a correction or of voids that are too many for their own events: they wait, without effect, for
    /// the event that names their round and has none of its own. Parts are numbered through the whole command.
    CorrectionPart {
        round: RoundId,
        table: TableId,
        part: u16,
        parts: u16,
        adjustments: Vec<Adjustment>,
    },
    /// The host saw something that belongs in the record (S14).
    Noted {
        words: String,
    },
    /// The dealer of a live table has declared the dice uncovered (D20).
    #[serde(skip_deserializing)]
    UncoveringDeclared {
        round: RoundId,
        table: TableId,
        by: StaffId,
    },
    /// A wrong record of chips was removed after the close, with a second person (D20).
    #[serde(skip_deserializing)]
    ChipsRemoved {
        round: RoundId,
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        by: StaffId,
        witness: StaffId,
        reason: Box<str>,
    },
    /// How long after the close chips may be recorded at a live table, in milliseconds (D20).
    #[serde(skip_deserializing)]
    RecordingPeriodSet {
        table: TableId,
        period: i64,
        by: Option<StaffId>,
        reason: String,
    },
    /// A past round was recalled, in parts without effect until the last, which has the hashes that prove it (D24).
    #[serde(skip_deserializing)]
    RoundRecalled {
        table: TableId,
        round: RoundId,
        leaf: u64,
        part: u16,
        parts: u16,
        bytes: Box<[u8]>,
        beside: Box<[[u8; 32]]>,
    },
    /// Past rounds that were recalled are put back (D24).
    #[serde(skip_deserializing)]
    RoundsPutBack {
        table: TableId,
    },
    /// A second person was called (D28).
    #[serde(skip_deserializing)]
    SecondPersonCalled {
        table: Option<TableId>,
        by: StaffId,
        reason: Box<str>,
    },
    /// The second person who was called came and signed.
    #[serde(skip_deserializing)]
    CallAnswered {
        table: Option<TableId>,
        by: StaffId,
    },
    /// What came before was done without a second person (D28).
    #[serde(skip_deserializing)]
    DecidedAlone {
        by: StaffId,
        called: Moment,
        table: Option<TableId>,
    },
    /// What was decided alone is countersigned (D28).
    #[serde(skip_deserializing)]
    Countersigned {
        alert: AlertId,
        by: StaffId,
    },
    /// The tables from which the player at a terminal may choose (D29).
    #[serde(skip_deserializing)]
    TablesOffered {
        terminal: TerminalId,
        tables: Vec<TableId>,
        by: Option<StaffId>,
    },
    /// The player has chosen a table (D29).
    #[serde(skip_deserializing)]
    TableChosen {
        terminal: TerminalId,
        from: TableId,
        table: TableId,
        layout: u8,
    },
    /// A wrong record of chips was put right after settlement: these are the shares by what stood at the close (5.9, D20).
    #[serde(skip_deserializing)]
    RecordCorrected {
        round: RoundId,
        table: TableId,
        shares: Box<[ChipShare]>,
        paid: Box<[(Position, Cents)]>,
        claims: Box<[(Position, Cents)]>,
        by: StaffId,
        witness: Option<StaffId>,
        reason: Box<str>,
    },
}
