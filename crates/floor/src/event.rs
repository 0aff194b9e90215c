//! Events: what happened. Facts only; applying them evaluates no rule. They are the record from which a dispute is settled
//! (S5), with who did what and when (S14).

use rulebook::{Act, Cents, GroundId, Hash, OutcomeIndex, Point, Rank, SpotIndex};
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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        measures: Option<Measures>,
    },
    DeviceMoved {
        device: DeviceId,
        place: DevicePlace,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
        affirmed: Vec<Point>,
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
        #[serde(skip_deserializing, skip_serializing_if = "std::ops::Not::not")]
        unread: bool,
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
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        entry: Option<Box<EntryRecord>>,
    },
    ResultChanged {
        round: RoundId,
        table: TableId,
        from: OutcomeIndex,
        to: OutcomeIndex,
        by: StaffId,
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        entry: Option<Box<EntryRecord>>,
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

    /// A second tumble or spin in one round: it halts the round and changes nothing that was read (D18).
    #[serde(skip_deserializing)]
    SecondTumble {
        round: RoundId,
        table: TableId,
        device: DeviceId,
    },
    /// The dealer starts again before the notice (D18).
    #[serde(skip_deserializing)]
    StartedAgain {
        round: RoundId,
        table: TableId,
        device: DeviceId,
    },
    /// The round ends with its first outcome (D18).
    #[serde(skip_deserializing)]
    FirstOutcomeStands {
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        by: StaffId,
        witness: StaffId,
    },
    /// The Shift Manager has decided that the report of a second tumble or spin was false (D18).
    #[serde(skip_deserializing)]
    SecondTumbleSetAside {
        round: RoundId,
        table: TableId,
        by: StaffId,
        reason: Box<str>,
    },
    /// A device, or its reading of results, went out of service or came back (D19).
    #[serde(skip_deserializing)]
    ServiceChanged {
        device: DeviceId,
        table: Option<TableId>,
        function: Function,
        in_service: bool,
        by: StaffId,
        witness: StaffId,
        reason: Box<str>,
    },
    /// What a device measures (D19).
    #[serde(skip_deserializing)]
    DeviceDescribed {
        device: DeviceId,
        measures: Measures,
        by: Option<StaffId>,
        witness: Option<StaffId>,
    },
    /// A second person stands by the result that is entered (D19).
    #[serde(skip_deserializing)]
    ResultWitnessed {
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        need: Need,
        by: StaffId,
        witness: StaffId,
        reason: Option<Box<str>>,
    },
    /// An interruption reported where it happened; `affects`: the round waits for its attestation (D21).
    #[serde(skip_deserializing)]
    InterruptionReported {
        round: RoundId,
        table: TableId,
        failed: Failed,
        affects: bool,
        by: StaffId,
        note: Option<Box<str>>,
    },
    /// A device fault during the round: the dealer says whether it affects the continuation (D21).
    #[serde(skip_deserializing)]
    FaultAsked {
        round: RoundId,
        table: TableId,
        device: DeviceId,
        number: u16,
    },
    /// The dealer has said so (D21).
    #[serde(skip_deserializing)]
    FaultAnswered {
        round: RoundId,
        table: TableId,
        affects: bool,
        by: StaffId,
    },
    /// What a device reported about a round that was settled already (D19).
    #[serde(skip_deserializing)]
    ObservedLate {
        round: RoundId,
        table: TableId,
        device: DeviceId,
        observation: Observation,
    },
}

/// What stands behind the entry of a result (D19).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRecord {
    /// The points the dealer affirmed.
    pub affirmed: Vec<Point>,
    /// Why a second person is needed.
    pub need: Need,
    /// The second person.
    pub witness: Option<StaffId>,
    /// Why the entry differs from a reading.
    pub reason: Option<Box<str>>,
}

/// Why a result needs a second person, the weightiest reason last (D19).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Need {
    /// It does not.
    #[default]
    Nothing,
    /// Who enters it changed the service of the device earlier in the gaming day.
    Serviced,
    /// The device should have read the result, and did not or not all of it.
    Unread,
    /// It differs from what the device read.
    Contradicts,
}
