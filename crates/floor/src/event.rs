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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    RulebookPinned {
        table: TableId,
        rulebook: Hash,
        settings: Box<TableSettings>,
        by: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    SettingsChanged {
        table: TableId,
        settings: Box<TableSettings>,
        by: Option<StaffId>,
        reason: String,
        from_next_round: bool,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    StaffChanged {
        staff: StaffId,
        post: Post,
        active: bool,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    ActingAssigned {
        staff: StaffId,
        post: Option<Post>,
        by: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        from: Option<ShiftId>,
    },
    ShiftClosed {
        shift: ShiftId,
        counted: Cents,
        expected: Cents,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        reason: Option<Box<str>>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
        counts: Vec<Pile>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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

    /// What became of a ticket in doubt (D25). `expires` is for one in hand; `shift` paid the one that was paid by hand.
    #[serde(skip_deserializing)]
    TicketResolved {
        ticket: TicketId,
        finding: TicketFinding,
        expires: Option<Moment>,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        shift: Option<ShiftId>,
        reason: Option<Box<str>>,
    },
    /// A ticket's number is void, and a duplicate has one of its own; it is in doubt until it is printed (D27).
    #[serde(skip_deserializing)]
    TicketReplaced {
        ticket: TicketId,
        duplicate: TicketId,
        number: TicketHash,
        by: StaffId,
        witness: StaffId,
        reason: Box<str>,
    },
    /// A gaming day has begun: days since 1970 in local time.
    #[serde(skip_deserializing)]
    DayBegan {
        day: i64,
    },
    /// The floor's thresholds from now on (D27).
    #[serde(skip_deserializing)]
    ThresholdsSet {
        thresholds: Box<Thresholds>,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        reason: Box<str>,
    },
    /// A cashier has counted the drawer, not knowing what it should hold.
    #[serde(skip_deserializing)]
    ShiftCounted {
        shift: ShiftId,
        counts: Vec<Pile>,
        counted: Cents,
    },
    /// A claim of the house was paid after all.
    #[serde(skip_deserializing)]
    Recovered {
        table: TableId,
        round: Option<RoundId>,
        amount: Cents,
        by: StaffId,
        witness: StaffId,
        reason: Box<str>,
    },
    /// A ticket number was tried that no ticket has.
    #[serde(skip_deserializing)]
    WrongTicketTried {
        at: TicketPlace,
        mistyped: bool,
    },
    /// A person's means to sign in have changed; no secret is part of it (D27).
    #[serde(skip_deserializing)]
    CredentialChanged {
        staff: StaffId,
        what: CredentialChange,
        by: Option<StaffId>,
        second: Option<StaffId>,
    },
    /// New sealed codes; those before them are void.
    #[serde(skip_deserializing)]
    CodesSealed {
        hashes: Vec<SealedHash>,
        by: Option<StaffId>,
        witness: Option<StaffId>,
    },
    /// A sealed code was opened: for one act it stands for the second person.
    #[serde(skip_deserializing)]
    SealedCodeOpened {
        hash: SealedHash,
        by: StaffId,
        until: Moment,
        reason: Box<str>,
    },
}
