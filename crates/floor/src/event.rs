//! Events: what happened. Facts only; applying them evaluates no rule. They are the record from which a dispute is settled
//! (S5), with who did what and when (S14).

use rulebook::{Act, Cents, GroundId, Hash, OutcomeIndex, Rank, SpotIndex};
use serde::{Deserialize, Serialize};

use crate::command::*;
use crate::few::Few;
use crate::ids::*;

/// An event with when it happened and which command made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Record {
    /// When.
    #[n(0)]
    pub at: Moment,
    /// The command, on its first event; of a settlement or correction in parts, on the event with which it takes effect.
    #[n(1)]
    pub origin: Option<Origin>,
    /// What.
    #[n(2)]
    pub event: Event,
}

/// Bets come by the million, and each is handed from thread to thread: what is rare and large is boxed.
const _: () = assert!(size_of::<Record>() <= 128);

/// Which command made an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Origin {
    /// Who sent it.
    #[n(0)]
    pub sender: Sender,
    /// The sender's own count.
    #[n(1)]
    pub number: u64,
    /// A hash of what was wanted.
    #[n(2)]
    pub body: u64,
}

/// Why a terminal is locked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum LockReason {
    /// Somebody locked it.
    #[n(0)]
    Person(#[n(0)] StaffId, #[n(1)] String),
    /// Its meters do not agree (S11).
    #[n(1)]
    Meters,
}

/// What made a round void.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum VoidBy {
    /// A ground of the document.
    #[n(0)]
    Ground(#[n(0)] GroundId),
    /// The Shift Manager's decision.
    #[n(1)]
    Decision,
}

/// A stake moved onto or off a spot; `group` is zero for a plain bet.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Change {
    /// Where.
    #[n(0)]
    pub spot: SpotIndex,
    /// Which multi-piece bet it belongs to.
    #[n(1)]
    pub group: u16,
    /// How much more, or less.
    #[n(2)]
    pub delta: Cents,
}

/// A multi-piece bet that keeps its identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Group {
    /// Its number at the terminal in this round, from 1.
    #[n(0)]
    pub id: u16,
    /// Its notation.
    #[n(1)]
    pub bet: String,
    /// The unit.
    #[n(2)]
    pub unit: Cents,
}

/// What a correction, void or decision does for one terminal's bets of a round.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Adjustment {
    /// Whose.
    #[n(0)]
    pub terminal: TerminalId,
    /// What the bets return now.
    #[n(1)]
    pub entitled: Cents,
    /// Paid to the credit of the visit that made the bets.
    #[n(2)]
    pub credited: Cents,
    /// Left to be paid at the cage.
    #[n(3)]
    pub payable: Cents,
    /// Taken off what was still to be paid at the cage.
    #[n(4)]
    pub unpaid: Cents,
    /// Taken from the credit of that visit.
    #[n(5)]
    pub taken: Cents,
    /// What could not be collected, after this.
    #[n(6)]
    pub uncollected: Cents,
}

/// What one player's chips of a live round get.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct ChipShare {
    /// Whose.
    #[n(0)]
    pub position: Position,
    /// Where.
    #[n(1)]
    pub spot: SpotIndex,
    /// The bet as it stood.
    #[n(2)]
    pub bet: Cents,
    /// What of it won or lost, after pro rata.
    #[n(3)]
    pub at_risk: Cents,
    /// What goes to the player, stakes included.
    #[n(4)]
    pub returned: Cents,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[allow(missing_docs)]
pub enum Event {
    #[n(0)]
    FloorCreated(#[n(0)] FloorSettings),
    #[n(1)]
    ProgramStarted {
        #[n(0)]
        release: Release,
        #[n(1)]
        locked: bool,
    },
    #[n(2)]
    ProgramApproved {
        #[n(0)]
        release: Release,
        #[n(1)]
        by: StaffId,
    },
    #[n(3)]
    ProgramAccepted {
        #[n(0)]
        release: Release,
        #[n(1)]
        by: StaffId,
    },
    #[n(4)]
    RulebookInstalled {
        #[n(0)]
        hash: Hash,
        #[n(1)]
        canonical: String,
    },
    #[n(5)]
    PowerRaised {
        #[n(0)]
        act: Act,
        #[n(1)]
        rank: Rank,
        #[n(2)]
        by: StaffId,
    },
    #[n(6)]
    TableAdded {
        #[n(0)]
        table: TableId,
        #[n(1)]
        name: String,
        #[n(2)]
        rulebook: Hash,
        #[n(3)]
        mode: TableMode,
        #[n(4)]
        settings: Box<TableSettings>,
    },
    #[n(7)]
    RulebookPinned {
        #[n(0)]
        table: TableId,
        #[n(1)]
        rulebook: Hash,
        #[n(2)]
        settings: Box<TableSettings>,
        #[n(3)]
        by: Option<StaffId>,
    },
    #[n(8)]
    SettingsChanged {
        #[n(0)]
        table: TableId,
        #[n(1)]
        settings: Box<TableSettings>,
        #[n(2)]
        by: Option<StaffId>,
        #[n(3)]
        reason: String,
        #[n(4)]
        from_next_round: bool,
    },
    #[n(9)]
    TerminalEnrolled {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        name: String,
        #[n(3)]
        kind: String,
        #[n(4)]
        layout: u8,
    },
    #[n(10)]
    TerminalMoved {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        kind: String,
        #[n(3)]
        layout: u8,
    },
    #[n(11)]
    DeviceAdded {
        #[n(0)]
        device: DeviceId,
        #[n(1)]
        name: String,
        #[n(2)]
        kind: DeviceKind,
        #[n(3)]
        place: DevicePlace,
    },
    #[n(12)]
    DeviceMoved {
        #[n(0)]
        device: DeviceId,
        #[n(1)]
        place: DevicePlace,
    },
    #[n(13)]
    StaffAdded {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        name: String,
        #[n(2)]
        post: Post,
    },
    #[n(14)]
    StaffChanged {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        post: Post,
        #[n(2)]
        active: bool,
    },
    #[n(15)]
    ActingAssigned {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        post: Option<Post>,
        #[n(2)]
        by: Option<StaffId>,
    },
    #[n(16)]
    DealerChanged {
        #[n(0)]
        table: TableId,
        #[n(1)]
        dealer: StaffId,
    },
    #[n(17)]
    TableOpened {
        #[n(0)]
        table: TableId,
        #[n(1)]
        by: StaffId,
    },
    #[n(18)]
    ClosingAnnounced {
        #[n(0)]
        table: TableId,
        #[n(1)]
        closes_at: Moment,
        #[n(2)]
        by: StaffId,
    },
    #[n(19)]
    TableClosed {
        #[n(0)]
        table: TableId,
        #[n(1)]
        by: StaffId,
    },
    #[n(20)]
    TerminalLocked {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        reason: LockReason,
    },
    #[n(21)]
    TerminalUnlocked {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        by: StaffId,
    },

    #[n(22)]
    CashIn {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        amount: Cents,
    },
    #[n(23)]
    AttendantIn {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        amount: Cents,
        #[n(2)]
        by: StaffId,
    },
    #[n(24)]
    TicketIn {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        ticket: TicketId,
        #[n(2)]
        amount: Cents,
    },
    #[n(25)]
    TicketPrepared {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        terminal: TerminalId,
        #[n(2)]
        amount: Cents,
        #[n(3)]
        number: TicketHash,
    },
    #[n(26)]
    TicketPrinted {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        expires: Moment,
    },
    #[n(27)]
    PrintFailed {
        #[n(0)]
        ticket: TicketId,
    },
    #[n(28)]
    AttendantPaid {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        amount: Cents,
        #[n(2)]
        by: StaffId,
        #[n(3)]
        witness: Option<StaffId>,
    },
    #[n(29)]
    LossLimitSet {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        limit: Option<Cents>,
    },
    #[n(30)]
    TicketReprinted {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        by: StaffId,
    },
    #[n(31)]
    TicketExpired {
        #[n(0)]
        ticket: TicketId,
    },
    #[n(32)]
    ShiftOpened {
        #[n(0)]
        shift: ShiftId,
        #[n(1)]
        cashier: StaffId,
        #[n(2)]
        float: Cents,
    },
    #[n(33)]
    ShiftClosed {
        #[n(0)]
        shift: ShiftId,
        #[n(1)]
        counted: Cents,
        #[n(2)]
        expected: Cents,
    },
    #[n(34)]
    TicketSold {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        shift: ShiftId,
        #[n(2)]
        amount: Cents,
        #[n(3)]
        number: TicketHash,
        #[n(4)]
        expires: Moment,
    },
    #[n(35)]
    TicketRedeemed {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        shift: ShiftId,
        #[n(2)]
        amount: Cents,
    },
    #[n(36)]
    CorrectionPaid {
        #[n(0)]
        payable: PayableId,
        #[n(1)]
        shift: ShiftId,
        #[n(2)]
        amount: Cents,
        #[n(3)]
        witness: Option<StaffId>,
    },

    #[n(37)]
    RoundBegun {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: Option<StaffId>,
    },
    #[n(38)]
    BetsOpened {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        closes_at: Option<Moment>,
        #[n(3)]
        by: StaffId,
    },
    #[n(39)]
    BetsChanged {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        changes: Few<Change>,
        #[n(2)]
        added: Vec<Group>,
        #[n(3)]
        removed: Vec<u16>,
        /// Absent in records of level 1.
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        round: Option<RoundId>,
    },
    #[n(40)]
    BetsClosed {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: Option<StaffId>,
    },
    #[n(41)]
    CloseAcknowledged {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        round: RoundId,
    },
    #[n(42)]
    CountedLost {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        terminals: Vec<TerminalId>,
    },
    #[n(43)]
    Observed {
        #[n(0)]
        device: DeviceId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        observation: Observation,
        #[n(3)]
        counts: bool,
    },
    #[n(44)]
    GroundRaised {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        ground: GroundId,
        #[n(3)]
        device: DeviceId,
        #[n(4)]
        proposed: bool,
    },
    #[n(45)]
    GroundDismissed {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        ground: GroundId,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        reason: String,
    },
    #[n(46)]
    ResultEntered {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: OutcomeIndex,
        #[n(3)]
        by: StaffId,
    },
    #[n(47)]
    ResultChanged {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        from: OutcomeIndex,
        #[n(3)]
        to: OutcomeIndex,
        #[n(4)]
        by: StaffId,
    },
    #[n(48)]
    RoundSettled {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: OutcomeIndex,
        #[n(3)]
        part: u16,
        #[n(4)]
        parts: u16,
        #[n(5)]
        returns: Vec<(TerminalId, Cents)>,
    },
    #[n(49)]
    ChipsSettled {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: OutcomeIndex,
        #[n(3)]
        shares: Vec<ChipShare>,
    },
    #[n(50)]
    RoundVoided {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: VoidBy,
        #[n(3)]
        staff: StaffId,
        #[n(4)]
        witness: Option<StaffId>,
        #[n(5)]
        reason: String,
    },
    #[n(51)]
    RoundCorrected {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: OutcomeIndex,
        #[n(3)]
        adjustments: Vec<Adjustment>,
        #[n(4)]
        by: StaffId,
        #[n(5)]
        witness: StaffId,
        #[n(6)]
        reason: String,
    },
    #[n(52)]
    SettledRoundVoided {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: VoidBy,
        #[n(3)]
        adjustments: Vec<Adjustment>,
        #[n(4)]
        staff: StaffId,
        #[n(5)]
        witness: Option<StaffId>,
        #[n(6)]
        reason: String,
    },
    #[n(53)]
    ChipsCorrected {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: Option<OutcomeIndex>,
        #[n(3)]
        paid: Box<[(Position, Cents)]>,
        #[n(4)]
        claims: Box<[(Position, Cents)]>,
        #[n(5)]
        returns: Box<[Cents]>,
        #[n(6)]
        voided: Option<VoidBy>,
        #[n(7)]
        by: StaffId,
        #[n(8)]
        witness: Option<StaffId>,
        #[n(9)]
        reason: Box<str>,
    },
    #[n(54)]
    StoppageRecorded {
        #[n(0)]
        table: TableId,
        #[n(1)]
        round: RoundId,
        #[n(2)]
        from: Moment,
        #[n(3)]
        to: Moment,
    },
    #[n(55)]
    RoundInterrupted {
        #[n(0)]
        table: TableId,
        #[n(1)]
        round: RoundId,
        #[n(2)]
        from: Moment,
        #[n(3)]
        to: Moment,
    },
    #[n(56)]
    Attested {
        #[n(0)]
        table: TableId,
        #[n(1)]
        round: RoundId,
        #[n(2)]
        finding: Finding,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        witness: StaffId,
    },
    #[n(57)]
    TerminalLost {
        #[n(0)]
        terminal: TerminalId,
    },
    #[n(58)]
    TerminalBack {
        #[n(0)]
        terminal: TerminalId,
    },
    #[n(59)]
    Decided {
        #[n(0)]
        table: TableId,
        #[n(1)]
        round: Option<RoundId>,
        #[n(2)]
        ruling: Box<Ruling>,
        #[n(3)]
        credited: Cents,
        #[n(4)]
        payable: Cents,
        #[n(5)]
        taken: Cents,
        #[n(6)]
        uncollected: Cents,
        #[n(7)]
        by: StaffId,
        #[n(8)]
        witness: Option<StaffId>,
        #[n(9)]
        reason: Box<str>,
    },
    #[n(60)]
    DisplayRecorded {
        #[n(0)]
        table: TableId,
        #[n(1)]
        what: DisplayFault,
        #[n(2)]
        note: String,
        #[n(3)]
        by: StaffId,
    },
    #[n(61)]
    AlertRaised {
        #[n(0)]
        alert: AlertId,
        #[n(1)]
        table: Option<TableId>,
        #[n(2)]
        what: AlertKind,
    },
    #[n(62)]
    AlertAcknowledged {
        #[n(0)]
        alert: AlertId,
        #[n(1)]
        by: StaffId,
    },

    #[n(63)]
    ChipsPlaced {
        #[n(0)]
        table: TableId,
        #[n(1)]
        position: Position,
        #[n(2)]
        spot: SpotIndex,
        #[n(3)]
        amount: Cents,
        #[n(4)]
        by: Option<StaffId>,
        #[n(5)]
        for_player: bool,
        #[n(6)]
        standing: bool,
    },
    #[n(64)]
    ChipsTaken {
        #[n(0)]
        table: TableId,
        #[n(1)]
        position: Position,
        #[n(2)]
        spot: SpotIndex,
        #[n(3)]
        amount: Cents,
    },
    #[n(65)]
    ExcessRejected {
        #[n(0)]
        table: TableId,
        #[n(1)]
        spot: SpotIndex,
        #[n(2)]
        rejected: Vec<(Position, Cents)>,
        #[n(3)]
        by: StaffId,
    },
    #[n(66)]
    MinimumAdvised {
        #[n(0)]
        table: TableId,
        #[n(1)]
        position: Position,
        #[n(2)]
        spot: SpotIndex,
        #[n(3)]
        by: StaffId,
    },
    #[n(67)]
    UnderMinimumRefused {
        #[n(0)]
        table: TableId,
        #[n(1)]
        position: Position,
        #[n(2)]
        spot: SpotIndex,
        #[n(3)]
        amount: Cents,
        #[n(4)]
        by: StaffId,
    },
    #[n(68)]
    LateRefused {
        #[n(0)]
        table: TableId,
        #[n(1)]
        position: Position,
        #[n(2)]
        by: StaffId,
    },
    #[n(69)]
    PlayerLeft {
        #[n(0)]
        table: TableId,
        #[n(1)]
        position: Position,
    },
    #[n(70)]
    FloatMoved {
        #[n(0)]
        table: TableId,
        #[n(1)]
        movement: FloatMovement,
        #[n(2)]
        difference: Cents,
        #[n(3)]
        by: StaffId,
    },

    /// Adjustments of a correction or of voids that are too many for their own events: they wait, without effect, for
    /// the event that names their round and has none of its own. Parts are numbered through the whole command.
    #[n(71)]
    CorrectionPart {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        part: u16,
        #[n(3)]
        parts: u16,
        #[n(4)]
        adjustments: Vec<Adjustment>,
    },
    /// The host saw something that belongs in the record (S14).
    #[n(72)]
    Noted {
        #[n(0)]
        words: String,
    },
    /// What newer programs may write is allowed from here on.
    #[n(79)]
    #[serde(skip_deserializing)]
    FeatureLevelRaised {
        #[n(0)]
        level: u8,
        #[n(1)]
        by: Option<StaffId>,
    },
    /// A signed cursor names a record that the journal does not have: play is locked.
    #[n(150)]
    #[serde(skip_deserializing)]
    LossFound {
        #[n(0)]
        epoch: u32,
        #[n(1)]
        record: u64,
        #[n(2)]
        words: String,
    },
    /// Two people have stated what was lost: play is unlocked, and cursors from before no longer count.
    #[n(151)]
    #[serde(skip_deserializing)]
    LossAccepted {
        #[n(0)]
        statement: String,
        #[n(1)]
        by: StaffId,
        #[n(2)]
        witness: StaffId,
    },
    /// What an alert is about has happened again: it is one line with a count.
    #[n(152)]
    #[serde(skip_deserializing)]
    AlertRepeated {
        #[n(0)]
        alert: AlertId,
        #[n(1)]
        what: AlertKind,
    },
    /// A host's clock went ahead of the time that has passed, by so many milliseconds, or is right again. Until it is
    /// accepted, the floor's time goes on as if it had not.
    #[n(153)]
    #[serde(skip_deserializing)]
    ClockJumped {
        #[n(0)]
        ahead: i64,
    },
    /// An administrator has accepted the clock.
    #[n(154)]
    #[serde(skip_deserializing)]
    ClockAccepted {
        #[n(0)]
        ahead: i64,
        #[n(1)]
        by: StaffId,
    },
    /// The means by which a person signs in changed: who did it, and who confirmed it (D27).
    #[n(170)]
    #[serde(skip_deserializing)]
    CredentialChanged {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        what: CredentialChange,
        #[n(2)]
        by: Option<StaffId>,
        #[n(3)]
        second: Option<StaffId>,
    },
}
