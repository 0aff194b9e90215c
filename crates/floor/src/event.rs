//! Events: what happened. Facts only; applying them evaluates no rule. They are the record from which a dispute is settled
//! (S5), with who did what and when (S14).

use rulebook::{Act, Cents, GroundId, Hash, OutcomeIndex, Point, Rank, SpotIndex};
use serde::{Deserialize, Serialize};

use crate::command::*;
use crate::few::Few;
use crate::ids::*;
use crate::purpose::Purpose;

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

/// Bets are by far the most frequent events, and each is passed between threads: rare large fields are boxed.
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
    /// A person locked it.
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

/// What a correction or void of one round of a live table pays, claims, and lets each bet return.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct ChipsChange {
    /// Paid in chips, by position.
    #[n(0)]
    pub paid: Box<[(Position, Cents)]>,
    /// Claimed by the pit, by position.
    #[n(1)]
    pub claims: Box<[(Position, Cents)]>,
    /// What each bet returns, in the order of the round's shares.
    #[n(2)]
    pub returns: Box<[Cents]>,
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
        /// The second person (D27).
        #[n(2)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(3)]
    ProgramAccepted {
        #[n(0)]
        release: Release,
        #[n(1)]
        by: StaffId,
        /// The second person (D27).
        #[n(2)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(4)]
    RulebookInstalled {
        #[n(0)]
        hash: Hash,
        #[n(1)]
        canonical: String,
        #[n(2)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(5)]
    PowerRaised {
        #[n(0)]
        act: Act,
        #[n(1)]
        rank: Rank,
        #[n(2)]
        by: StaffId,
        /// The second person (D27).
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(6)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        measures: Option<Measures>,
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(6)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(12)]
    DeviceMoved {
        #[n(0)]
        device: DeviceId,
        #[n(1)]
        place: DevicePlace,
        #[n(2)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(13)]
    StaffAdded {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        name: String,
        #[n(2)]
        post: Post,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(14)]
    StaffChanged {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        post: Post,
        #[n(2)]
        active: bool,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    #[n(15)]
    ActingAssigned {
        #[n(0)]
        staff: StaffId,
        #[n(1)]
        post: Option<Post>,
        #[n(2)]
        by: Option<StaffId>,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        from: Option<ShiftId>,
    },
    #[n(33)]
    ShiftClosed {
        #[n(0)]
        shift: ShiftId,
        #[n(1)]
        counted: Cents,
        #[n(2)]
        expected: Cents,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        reason: Option<Box<str>>,
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        /// Who closed it, if it was not the cashier.
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
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
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        /// The paper has not been printed yet (D25).
        #[n(6)]
        #[cbor(default, skip_if = "is_false")]
        #[serde(skip_deserializing, skip_serializing_if = "is_false")]
        in_doubt: bool,
    },
    #[n(35)]
    TicketRedeemed {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        shift: ShiftId,
        #[n(2)]
        amount: Cents,
        #[n(3)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(4)]
        #[cbor(default, skip_if = "Vec::is_empty")]
        #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
        affirmed: Vec<Point>,
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
        #[n(4)]
        #[cbor(default, skip_if = "is_false")]
        #[serde(skip_deserializing, skip_serializing_if = "is_false")]
        unread: bool,
        /// Dice read under the cover or before the close: they establish nothing, and they bind who enters the result.
        #[n(5)]
        #[cbor(default, skip_if = "is_false")]
        #[serde(skip_deserializing, skip_serializing_if = "is_false")]
        concealed: bool,
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
        /// What was tumbled stays the first tumble of the round (5.3.3): only the time of its activation was put aside.
        #[n(5)]
        #[cbor(default, skip_if = "is_false")]
        #[serde(skip_deserializing, skip_serializing_if = "is_false")]
        kept: bool,
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
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        entry: Option<Box<EntryRecord>>,
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
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        entry: Option<Box<EntryRecord>>,
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
        /// The limits by which the boxes were worked out, for a later correction of the record (D20).
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        limits: Option<Box<BoxSettings>>,
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
        /// Who recorded it; `None`: a chip reader, or a record of before.
        #[n(4)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        by: Option<StaffId>,
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
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
        #[n(4)]
        #[cbor(default, skip_if = "Vec::is_empty")]
        #[serde(skip_deserializing, skip_serializing_if = "Vec::is_empty")]
        counts: Vec<Pile>,
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        /// Why the count differs.
        #[n(6)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        reason: Option<Box<str>>,
    },

    /// Adjustments of a correction or of voids that are too many for their own events, or what the rounds of a live table
    /// pay and claim: they wait, without effect, for the event that names their round and has none of its own. Parts are numbered through the whole command.
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
        /// At a live table: what the round pays and claims.
        #[n(5)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        chips: Option<Box<ChipsChange>>,
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
        /// It takes the place of what the line was about, because there are many: so many more of its kind.
        #[n(2)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        more: Option<u32>,
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
        #[n(2)]
        witness: Option<StaffId>,
    },
    /// The dealer of a live table has declared the dice uncovered (D20).
    #[serde(skip_deserializing)]
    #[n(100)]
    UncoveringDeclared {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: StaffId,
    },
    /// The dealer has stated that the ball came to rest before the close, and affirmed what no device has measured of its
    /// spin (D4, D19). `late`: only after the close, so that no one knows whether a bet changed after it.
    #[serde(skip_deserializing)]
    #[n(96)]
    EarlyRestStated {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: StaffId,
        #[n(3)]
        affirmed: Vec<Point>,
        #[n(4)]
        late: bool,
    },
    /// A wrong record of chips was removed after the close, with a second person (D20).
    #[serde(skip_deserializing)]
    #[n(101)]
    ChipsRemoved {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        position: Position,
        #[n(3)]
        spot: SpotIndex,
        #[n(4)]
        amount: Cents,
        #[n(5)]
        by: StaffId,
        #[n(6)]
        witness: StaffId,
        #[n(7)]
        reason: Box<str>,
    },
    /// How long after the close chips may be recorded at a live table, in milliseconds (D20).
    #[serde(skip_deserializing)]
    #[n(102)]
    RecordingPeriodSet {
        #[n(0)]
        table: TableId,
        #[n(1)]
        period: i64,
        #[n(2)]
        by: Option<StaffId>,
        #[n(3)]
        reason: String,
        /// The second person, for a longer period.
        #[n(4)]
        witness: Option<StaffId>,
    },
    /// A past round was recalled, in parts without effect until the last, which has the hashes that prove it (D24).
    #[serde(skip_deserializing)]
    #[n(103)]
    RoundRecalled {
        #[n(0)]
        table: TableId,
        #[n(1)]
        round: RoundId,
        #[n(2)]
        leaf: u64,
        #[n(3)]
        part: u16,
        #[n(4)]
        parts: u16,
        #[cbor(n(5), with = "minicbor::bytes")]
        bytes: Vec<u8>,
        #[n(6)]
        beside: Vec<Hash>,
        /// What the device read of it, with the last part; it is not part of what the hashes prove.
        #[n(7)]
        #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
        read: Option<Vec<u8>>,
    },
    /// Past rounds that were recalled are put back (D24).
    #[serde(skip_deserializing)]
    #[n(104)]
    RoundsPutBack {
        #[n(0)]
        table: TableId,
    },
    /// A second person was called (D28).
    #[serde(skip_deserializing)]
    #[n(105)]
    SecondPersonCalled {
        #[n(0)]
        table: Option<TableId>,
        #[n(1)]
        by: StaffId,
        #[n(2)]
        reason: Box<str>,
        /// For what act; missing in records of before calls named it.
        #[n(3)]
        purpose: Option<Box<Purpose>>,
    },
    /// The second person who was called came and signed, or came and said so.
    #[serde(skip_deserializing)]
    #[n(106)]
    CallAnswered {
        #[n(0)]
        table: Option<TableId>,
        #[n(1)]
        by: StaffId,
        /// Whether that person has signed nothing yet.
        #[n(2)]
        #[cbor(default, skip_if = "is_false")]
        came: bool,
    },
    /// What came before was done without a second person (D28).
    #[serde(skip_deserializing)]
    #[n(107)]
    DecidedAlone {
        #[n(0)]
        by: StaffId,
        #[n(1)]
        called: Moment,
        #[n(2)]
        table: Option<TableId>,
        #[n(3)]
        deed: Option<Box<Deed>>,
    },
    /// What was decided alone is countersigned (D28).
    #[serde(skip_deserializing)]
    #[n(108)]
    Countersigned {
        #[n(0)]
        alert: AlertId,
        #[n(1)]
        by: StaffId,
    },
    /// The tables from which the player at a terminal may choose (D29).
    #[serde(skip_deserializing)]
    #[n(109)]
    TablesOffered {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        tables: Vec<TableId>,
        #[n(2)]
        by: Option<StaffId>,
    },
    /// The player has chosen a table (D29).
    #[serde(skip_deserializing)]
    #[n(110)]
    TableChosen {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        from: TableId,
        #[n(2)]
        table: TableId,
        #[n(3)]
        layout: u8,
    },
    /// A wrong record of chips was put right after settlement: these are the shares by what stood at the close (5.9, D20).
    #[serde(skip_deserializing)]
    #[n(111)]
    RecordCorrected {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        shares: Box<[ChipShare]>,
        #[n(3)]
        paid: Box<[(Position, Cents)]>,
        #[n(4)]
        claims: Box<[(Position, Cents)]>,
        #[n(5)]
        by: StaffId,
        #[n(6)]
        witness: Option<StaffId>,
        #[n(7)]
        reason: Box<str>,
    },
    /// What became of a ticket in doubt (D25). `expires` is for one in hand; `shift` paid the one that was paid by hand.
    #[n(120)]
    #[serde(skip_deserializing)]
    TicketResolved {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        finding: TicketFinding,
        #[n(2)]
        expires: Option<Moment>,
        #[n(3)]
        by: Option<StaffId>,
        #[n(4)]
        witness: Option<StaffId>,
        #[n(5)]
        shift: Option<ShiftId>,
        #[n(6)]
        reason: Option<Box<str>>,
    },
    /// A ticket's number is void, and a duplicate has one of its own; it is in doubt until it is printed (D27).
    #[n(121)]
    #[serde(skip_deserializing)]
    TicketReplaced {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        duplicate: TicketId,
        #[n(2)]
        number: TicketHash,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        witness: StaffId,
        #[n(5)]
        reason: Box<str>,
    },
    /// A gaming day has begun: days since 1970 in local time.
    #[n(122)]
    #[serde(skip_deserializing)]
    DayBegan {
        #[n(0)]
        day: i64,
    },
    /// The floor's thresholds from now on (D27).
    #[n(123)]
    #[serde(skip_deserializing)]
    ThresholdsSet {
        #[n(0)]
        thresholds: Box<Thresholds>,
        #[n(1)]
        by: Option<StaffId>,
        #[n(2)]
        witness: Option<StaffId>,
        #[n(3)]
        reason: Box<str>,
    },
    /// A cashier has counted the drawer, not knowing what it should hold.
    #[n(124)]
    #[serde(skip_deserializing)]
    ShiftCounted {
        #[n(0)]
        shift: ShiftId,
        #[n(1)]
        counts: Vec<Pile>,
        #[n(2)]
        counted: Cents,
        #[n(3)]
        witness: Option<StaffId>,
        /// Who counted it, if it was not the cashier.
        #[n(4)]
        by: Option<StaffId>,
    },
    /// A claim of the house was paid after all.
    #[n(125)]
    #[serde(skip_deserializing)]
    Recovered {
        #[n(0)]
        table: TableId,
        #[n(1)]
        round: Option<RoundId>,
        #[n(2)]
        amount: Cents,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        witness: StaffId,
        #[n(5)]
        reason: Box<str>,
        /// Of whom it was collected.
        #[n(6)]
        debtor: Option<Debtor>,
    },
    /// A ticket number was tried that no ticket has.
    #[n(126)]
    #[serde(skip_deserializing)]
    WrongTicketTried {
        #[n(0)]
        at: TicketPlace,
        #[n(1)]
        mistyped: bool,
    },
    /// New sealed codes; those before them are void.
    #[n(127)]
    #[serde(skip_deserializing)]
    CodesSealed {
        #[n(0)]
        hashes: Vec<SealedHash>,
        #[n(1)]
        by: Option<StaffId>,
        #[n(2)]
        witness: Option<StaffId>,
    },
    /// A sealed code was opened: for one act it stands for the second person.
    #[n(128)]
    #[serde(skip_deserializing)]
    SealedCodeOpened {
        #[n(0)]
        hash: SealedHash,
        #[n(1)]
        by: StaffId,
        #[n(2)]
        until: Moment,
        #[n(3)]
        reason: Box<str>,
    },

    /// The pit paid what a correction or decision left, by hand (D25).
    #[n(129)]
    #[serde(skip_deserializing)]
    PayablePaid {
        #[n(0)]
        payable: PayableId,
        #[n(1)]
        amount: Cents,
        #[n(2)]
        by: StaffId,
        #[n(3)]
        witness: Option<StaffId>,
    },
    /// Cash went between the vault and the drawer of a shift.
    #[n(130)]
    #[serde(skip_deserializing)]
    DrawerMoved {
        #[n(0)]
        shift: ShiftId,
        #[n(1)]
        movement: DrawerMovement,
        #[n(2)]
        amount: Cents,
        #[n(3)]
        counts: Vec<Pile>,
        #[n(4)]
        witness: Option<StaffId>,
    },
    /// The stop after wrong ticket numbers at one place was lifted.
    #[n(131)]
    #[serde(skip_deserializing)]
    WrongTicketsLifted {
        #[n(0)]
        at: TicketPlace,
        #[n(1)]
        by: StaffId,
    },

    /// A second tumble or spin in one round: it halts the round and changes nothing that was read (D18).
    #[n(80)]
    #[serde(skip_deserializing)]
    SecondTumble {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        device: DeviceId,
    },
    /// The dealer starts again before the notice (D18).
    #[n(81)]
    #[serde(skip_deserializing)]
    StartedAgain {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        device: DeviceId,
    },
    /// The round ends with its first outcome (D18).
    #[n(82)]
    #[serde(skip_deserializing)]
    FirstOutcomeStands {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: OutcomeIndex,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        witness: StaffId,
        #[n(5)]
        #[cbor(default, skip_if = "Vec::is_empty")]
        affirmed: Vec<Point>,
    },
    /// The Shift Manager has decided that the report of a second tumble or spin was false (D18).
    #[n(83)]
    #[serde(skip_deserializing)]
    SecondTumbleSetAside {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        by: StaffId,
        #[n(3)]
        reason: Box<str>,
        #[n(4)]
        witness: Option<StaffId>,
        /// The first outcome had not been completely read: what is read from now on may be of either tumble.
        #[n(5)]
        #[cbor(default, skip_if = "is_false")]
        doubtful: bool,
    },
    /// A device, or its reading of results, went out of service or came back (D19).
    #[n(84)]
    #[serde(skip_deserializing)]
    ServiceChanged {
        #[n(0)]
        device: DeviceId,
        #[n(1)]
        table: Option<TableId>,
        #[n(2)]
        function: Function,
        #[n(3)]
        in_service: bool,
        #[n(4)]
        by: StaffId,
        #[n(5)]
        witness: StaffId,
        #[n(6)]
        reason: Box<str>,
    },
    /// What a device measures (D19).
    #[n(85)]
    #[serde(skip_deserializing)]
    DeviceDescribed {
        #[n(0)]
        device: DeviceId,
        #[n(1)]
        measures: Measures,
        #[n(2)]
        by: Option<StaffId>,
        #[n(3)]
        witness: Option<StaffId>,
    },
    /// A second person stands by the result that is entered (D19).
    #[n(86)]
    #[serde(skip_deserializing)]
    ResultWitnessed {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        outcome: OutcomeIndex,
        #[n(3)]
        need: Need,
        #[n(4)]
        by: StaffId,
        #[n(5)]
        witness: StaffId,
        #[n(6)]
        reason: Option<Box<str>>,
    },
    /// An interruption reported where it happened; `affects`: the round waits for its attestation (D21).
    #[n(87)]
    #[serde(skip_deserializing)]
    InterruptionReported {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        failed: Failed,
        #[n(3)]
        affects: bool,
        #[n(4)]
        by: StaffId,
        #[n(5)]
        note: Option<Box<str>>,
    },
    /// A device fault during the round: the dealer says whether it affects the continuation (D21).
    #[n(88)]
    #[serde(skip_deserializing)]
    FaultAsked {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        device: DeviceId,
        #[n(3)]
        number: u16,
    },
    /// The dealer has said so (D21).
    #[n(89)]
    #[serde(skip_deserializing)]
    FaultAnswered {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        affects: bool,
        #[n(3)]
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
    /// A one-time code was made, with which a terminal or device enrols a key: by whom, and who confirmed it (D27).
    #[n(171)]
    #[serde(skip_deserializing)]
    EnrolmentCodeMade {
        #[n(0)]
        holder: KeyHolder,
        #[n(1)]
        by: StaffId,
        #[n(2)]
        second: StaffId,
    },
    /// The key of a host of the floor was enrolled, replaced or, without a key, revoked: by whom, and who confirmed it
    /// (D27).
    #[n(172)]
    #[serde(skip_deserializing)]
    HostKeyChanged {
        #[n(0)]
        host: String,
        #[n(1)]
        key: Option<Hash>,
        #[n(2)]
        replaces: bool,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        second: Option<StaffId>,
    },
    /// What a device reported about a round that was settled already (D19).
    #[n(90)]
    #[serde(skip_deserializing)]
    ObservedLate {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        device: DeviceId,
        #[n(3)]
        observation: Observation,
    },
    /// A device reported the cover off or a reading while the round was interrupted: it does not count, and it binds the
    /// attestation and the entry (D6, D19, D22).
    #[n(95)]
    #[serde(skip_deserializing)]
    ObservedMeanwhile {
        #[n(0)]
        round: RoundId,
        #[n(1)]
        table: TableId,
        #[n(2)]
        device: DeviceId,
        #[n(3)]
        observation: Observation,
    },

    /// An expired ticket was paid after all, by decision (S15, D27): from the drawer of a shift, or by hand at the pit.
    #[n(132)]
    #[serde(skip_deserializing)]
    ExpiredPaid {
        #[n(0)]
        ticket: TicketId,
        #[n(1)]
        amount: Cents,
        #[n(2)]
        shift: Option<ShiftId>,
        #[n(3)]
        by: StaffId,
        #[n(4)]
        witness: Option<StaffId>,
        #[n(5)]
        reason: Box<str>,
    },
}

/// Whether a field that was added later is left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde and minicbor pass a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// What stands behind the entry of a result (D19).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct EntryRecord {
    /// The points the dealer affirmed.
    #[n(0)]
    pub affirmed: Vec<Point>,
    /// Why a second person is needed.
    #[n(1)]
    pub need: Need,
    /// The second person.
    #[n(2)]
    pub witness: Option<StaffId>,
    /// Why the entry differs from a reading.
    #[n(3)]
    pub reason: Option<Box<str>>,
}

/// Why a result needs a second person, the weightiest reason last (D19).
#[derive(
    Copy,
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    minicbor::Encode,
    minicbor::Decode,
)]
#[cbor(index_only)]
pub enum Need {
    /// It does not.
    #[n(0)]
    #[default]
    Nothing,
    /// Who enters it recorded chips after the close that win with it more than one person moves alone (D20, D27).
    #[n(4)]
    LateChips,
    /// Who enters it changed the service of the device earlier in the gaming day.
    #[n(1)]
    Serviced,
    /// The device should have read the result, and did not or not all of it.
    #[n(2)]
    Unread,
    /// It differs from what the device read.
    #[n(3)]
    Contradicts,
}
