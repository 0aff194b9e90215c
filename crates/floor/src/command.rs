//! Commands: what a sender wants done.

use rulebook::{Act, Cents, Face, Family, GroundId, Hash, OutcomeIndex, Play, Point, Rank, Rulebook, SpotIndex};
use serde::{Deserialize, Serialize};

use crate::few::Few;
use crate::ids::*;
use crate::purpose::Purpose;

/// Who sends a command. The host has proved it.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
pub enum Sender {
    /// The host itself: deadlines, lost links, restarts.
    #[n(0)]
    System,
    /// A Player Terminal.
    #[n(1)]
    Terminal(#[n(0)] TerminalId),
    /// A person.
    #[n(2)]
    Staff(#[n(0)] StaffId),
    /// A device.
    #[n(3)]
    Device(#[n(0)] DeviceId),
}

/// A command of a sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Command {
    /// Who.
    pub sender: Sender,
    /// The sender's own count, so that a retry is known as one.
    pub number: u64,
    /// When it reached the host.
    pub at: Moment,
    /// What.
    pub body: Body,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Body {
    /// Makes the floor. The first command of all.
    CreateFloor(FloorSettings),
    /// The host has started with this program and these rulebooks (S10).
    StartProgram(Release),
    /// Two people approve a program before it is started (D27).
    ApproveProgram {
        release: Release,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Two people accept the program that runs, which unlocks play (D27).
    AcceptProgram {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Keeps a rulebook's canonical form, so that tables can be run by it.
    InstallRulebook {
        canonical: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Asks for a higher rank than the rulebooks do; never for a lower one (D11).
    RaisePower {
        act: Act,
        rank: Rank,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Sets up a table.
    AddTable {
        name: String,
        rulebook: Hash,
        mode: TableMode,
        settings: Box<TableSettings>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Runs a table by another rulebook.
    PinRulebook {
        table: TableId,
        rulebook: Hash,
        settings: Box<TableSettings>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Changes limits, periods and thresholds from the next round on.
    ChangeSettings {
        table: TableId,
        settings: Box<TableSettings>,
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Sets up a terminal at a table.
    EnrolTerminal { table: TableId, name: String, kind: String, layout: String },
    /// Moves a terminal to another table or layout.
    MoveTerminal { terminal: TerminalId, table: TableId, kind: String, layout: String },
    /// Sets up a device.
    AddDevice {
        name: String,
        kind: DeviceKind,
        place: DevicePlace,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        measures: Option<Measures>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Moves a device.
    MoveDevice {
        device: DeviceId,
        place: DevicePlace,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Employs a person.
    AddStaff {
        name: String,
        #[serde(deserialize_with = "AnyPost::deserialize")]
        post: Post,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Changes a person's post, or ends it.
    ChangeStaff {
        staff: StaffId,
        #[serde(deserialize_with = "AnyPost::deserialize")]
        post: Post,
        active: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Assigns a person to act in another position, or ends that.
    AssignActing {
        staff: StaffId,
        #[serde(deserialize_with = "any_post_or_none")]
        post: Option<Post>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Takes over a table as its dealer.
    TakeTable { table: TableId },
    /// Opens a table.
    OpenTable { table: TableId },
    /// Announces on the screens that a table will close (S3).
    AnnounceClosing { table: TableId },
    /// Closes a table.
    CloseTable { table: TableId },
    /// Locks a terminal.
    LockTerminal { terminal: TerminalId, reason: String },
    /// Unlocks a terminal.
    UnlockTerminal { terminal: TerminalId },

    /// Cash into a terminal, by its validator.
    CashIn { terminal: TerminalId, amount: Cents },
    /// Credit by an attendant.
    AttendantIn {
        terminal: TerminalId,
        amount: Cents,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// A ticket into a terminal.
    TicketIn { terminal: TerminalId, number: TicketHash },
    /// The first step of a cash-out: a ticket is prepared for the whole credit.
    PrepareTicket { terminal: TerminalId, number: TicketHash },
    /// The second: it was printed.
    TicketPrinted { ticket: TicketId },
    /// Or it was not, and nothing is lost.
    PrintFailed { ticket: TicketId },
    /// An attendant pays credit out by hand.
    AttendantPay { terminal: TerminalId, amount: Cents, witness: Option<StaffId> },
    /// A player's own limit for what the visit may lose; `None` lifts it.
    SetLossLimit { terminal: TerminalId, limit: Option<Cents> },
    /// Replaces a ticket by a duplicate with a number of its own; the old number is void (D27).
    ReprintTicket {
        ticket: TicketId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<TicketHash>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// A cashier begins a shift with a float.
    OpenShift {
        float: Cents,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// A cashier ends the shift with what was counted.
    CloseShift {
        counted: Cents,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// A cashier sells a ticket for cash.
    SellTicket {
        amount: Cents,
        number: TicketHash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// A cashier pays a ticket.
    /// A cashier pays what a correction left, on the evidence of the round; a decision about no round has none.
    PayCorrection { payable: PayableId, round: Option<RoundId>, witness: Option<StaffId> },
    RedeemTicket {
        number: TicketHash,
        amount: Option<Cents>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },

    /// Begins a round where the document has the dealer activate the tumbler first.
    BeginRound { table: TableId },
    /// Shows or announces that bets can be placed.
    OpenBets {
        table: TableId,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        affirmed: Vec<Point>,
    },
    /// Places, raises and withdraws bets, all or nothing.
    Bet { changes: Few<BetChange> },
    /// Withdraws all bets.
    ClearBets,
    /// Places the bets of the last round again.
    RepeatBets { doubled: bool },
    /// Shows or announces that no more bets can be placed.
    CloseBets { table: TableId },
    /// A terminal has shown the close.
    AcknowledgeClose { round: RoundId },
    /// A device reports.
    Observe(Observation),
    /// The dealer enters what the dice or the wheel show, or puts an entry right before it is settled.
    EnterResult {
        table: TableId,
        outcome: OutcomeIndex,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        affirmed: Vec<Point>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The dealer confirms the result: the round is settled.
    ConfirmResult {
        table: TableId,
        /// What the dealer confirms, so that nothing else is settled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<OutcomeIndex>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The dealer declares a void ground.
    DeclareGround {
        table: TableId,
        ground: GroundId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// The dealer confirms what a device reported: the round is void.
    ConfirmGround { table: TableId },
    /// What a device reported is put aside: a measured ground as a device fault, a proposed one as not so.
    DismissGround {
        table: TableId,
        reason: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Voids rounds affected by damage, settled ones too.
    VoidRounds { table: TableId, ground: GroundId, rounds: Vec<RoundId>, reason: String, witness: Option<StaffId> },
    /// The host was away from one moment to another (D6).
    ReportStoppage { from: Moment, terminals_back: bool },
    /// The dealer attests what an interruption did, with a witness (D6).
    Attest { table: TableId, finding: Finding, witness: Option<StaffId> },
    /// A terminal's link is gone.
    TerminalLost { terminal: TerminalId },
    /// A terminal's link is back.
    TerminalBack { terminal: TerminalId },
    /// A wrong result is put right after settlement.
    CorrectResult { round: RoundId, outcome: OutcomeIndex, reason: String, witness: Option<StaffId> },
    /// The Shift Manager decides what no rule covers.
    Decide { table: TableId, round: Option<RoundId>, ruling: Ruling, reason: String, witness: Option<StaffId> },
    /// Lit areas or a display were wrong; recorded, and without effect on bets.
    RecordDisplay { table: TableId, what: DisplayFault, note: String },
    /// Raises an alert at the pit.
    RaiseAlert { table: Option<TableId>, what: AlertKind },
    /// Acknowledges an alert.
    AcknowledgeAlert { alert: AlertId },
    /// The host saw something that belongs in the record: sign-ins, keys, the clock (S14).
    Note { words: String },
    /// Lets the deadlines that have passed take effect.
    Elapse,
    /// Locks every terminal whose meters do not agree (S11).
    CheckMeters,

    /// Chips on a live table: a player's, or placed for one by a Pit Employee.
    PlaceChips { table: TableId, position: Position, spot: SpotIndex, amount: Cents, for_player: bool },
    /// Chips taken back by the player.
    TakeChips {
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Rejects what exceeds a box or the differential, the latest chips first.
    RejectExcess { table: TableId, spot: SpotIndex },
    /// Points out a bet under the minimum.
    AdviseMinimum { table: TableId, position: Position, spot: SpotIndex },
    /// Refuses a bet under the minimum before the close.
    RefuseUnderMinimum { table: TableId, position: Position, spot: SpotIndex },
    /// Records that a late bet was refused.
    RefuseLate { table: TableId, position: Position },
    /// A player has walked away; the bets stand.
    PlayerLeft { table: TableId, position: Position },
    /// Money for the table's chips: opener, fill, credit, closer, drop.
    MoveFloat {
        table: TableId,
        movement: FloatMovement,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        counts: Vec<Pile>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
        /// Why what was counted differs from what should be there (D27).
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Lets this and every newer program write what that feature level has. Hosts that know less can no longer serve.
    RaiseFeatureLevel { level: u8 },

    /// A client holds a signed cursor that names a record the journal does not have: play locks.
    ReportLoss { epoch: u32, record: u64, words: String },
    /// Two people state what was lost, which unlocks play.
    AcceptLoss { statement: String, witness: Option<StaffId> },
    /// A host's clock is so many milliseconds ahead of the time that has passed; zero when it is right again.
    ReportClock { ahead: i64 },
    /// Two people accept the clock as it is: time goes on from there.
    AcceptClock {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        witness: Option<StaffId>,
    },
    /// Chips that a Pit Employee placed for a player, where a chip reader reports them (5.13).
    PlaceForPlayer { table: TableId, position: Position, spot: SpotIndex, amount: Cents, employee: StaffId },
    /// The dealer of a live table declares that the dice are uncovered: from then on no chips are recorded (D20).
    DeclareUncovered { table: TableId },
    /// The dealer states that the ball has come to rest, where no wheel in service says so, and affirms what no device has
    /// measured of its spin (D4, D19).
    StateEarlyRest {
        table: TableId,
        #[serde(default)]
        affirmed: Vec<Point>,
    },
    /// Removes a wrong record of chips after the close, before the dice can be seen (D20).
    RemoveChips {
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        reason: String,
        witness: Option<StaffId>,
    },
    /// How long after the close what stood on a live layout may still be recorded, in milliseconds (D20).
    SetRecordingPeriod { table: TableId, period: i64, reason: String, witness: Option<StaffId> },
    /// Puts a wrong record of chips right after settlement: what one player had on one spot at the close (5.9, D20).
    CorrectRecord {
        round: RoundId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        reason: String,
        witness: Option<StaffId>,
    },
    /// A past round comes back with the hashes that prove it, and with what its device read (D24). The host looks both up.
    RecallRound {
        table: TableId,
        leaf: u64,
        bytes: Vec<u8>,
        beside: Vec<Hash>,
        #[serde(default)]
        read: Vec<u8>,
    },
    /// Past rounds that were recalled are put back (D24).
    PutBack { table: TableId },
    /// Corrects or voids a range of a table's settled rounds; no outcome: void. The preview is named by its hash (D24).
    ChangeRounds {
        table: TableId,
        changes: Vec<(RoundId, Option<OutcomeIndex>)>,
        ground: Option<GroundId>,
        reason: String,
        preview: Hash,
        witness: Option<StaffId>,
    },
    /// Calls a second person to a table, or to the pit, for one act (D28).
    CallSecondPerson { table: Option<TableId>, reason: String, purpose: Purpose },
    /// Countersigns what was decided alone (D28).
    Countersign { alert: AlertId },
    /// The tables from which the player at a terminal may choose; none: the terminal serves its own table only (D29).
    OfferTables { terminal: TerminalId, tables: Vec<TableId> },
    /// The player chooses a table (D29).
    ChooseTable { terminal: TerminalId, table: TableId },
    /// The player calls an attendant to the terminal.
    CallAttendant { terminal: TerminalId },
    /// The Shift Manager decides which outcome stands, where the ball came to rest before the close (D24).
    ChooseOutcome { table: TableId, round: RoundId, outcome: OutcomeIndex, reason: String, witness: Option<StaffId> },

    /// Says what became of a ticket in doubt, without its terminal (D25).
    ResolveTicket { ticket: TicketId, finding: TicketFinding, reason: String, witness: Option<StaffId> },
    /// Sets the floor's thresholds (D27).
    SetThresholds { thresholds: Thresholds, reason: String, witness: Option<StaffId> },
    /// A cashier counts the drawer, before anything says what it should hold.
    CountShift { counts: Vec<Pile>, witness: Option<StaffId> },
    /// A cashier hands a counted drawer over to another cashier, who signs for it.
    HandOverShift { reason: String, witness: Option<StaffId> },
    /// Records that a claim of the house was paid after all.
    RecordRecovered {
        table: TableId,
        round: Option<RoundId>,
        amount: Cents,
        reason: String,
        witness: Option<StaffId>,
        /// Of whom it was collected, where more than one owes something of the round (D7).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        debtor: Option<Debtor>,
    },
    /// The host was given a ticket number that no ticket has.
    WrongTicket { at: TicketPlace, mistyped: bool },
    /// The means by which a person signs in are about to change (D27). The host says so before it changes them; `by` is
    /// missing where the host itself did it.
    ChangeCredential { staff: StaffId, what: CredentialChange, by: Option<StaffId>, second: Option<StaffId> },
    /// The hashes of new sealed codes, for when a second person is lost (D27).
    SealCodes { hashes: Vec<SealedHash>, witness: Option<StaffId> },
    /// An administrator opens a sealed code.
    OpenSealedCode { hash: SealedHash, reason: String },

    /// Takes a tumbler or wheel, or only its reading of results, out of service or puts it back (D19).
    ChangeService { device: DeviceId, function: Function, in_service: bool, reason: String, witness: Option<StaffId> },
    /// Says what a device measures (D19).
    DescribeDevice { device: DeviceId, measures: Measures, witness: Option<StaffId> },
    /// After a second tumble or spin, ends the round with the first outcome (D18).
    KeepFirstOutcome {
        table: TableId,
        witness: Option<StaffId>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        affirmed: Vec<Point>,
    },
    /// Reports a technical interruption where it happens (D21).
    ReportInterruption { table: TableId, failed: Failed, note: Option<String> },
    /// Says whether a fault of the device affects the continuation of the round (D21).
    AnswerFault { table: TableId, affects: bool },
    /// A one-time code is about to be made, with which a terminal or device enrols a key (D27). The host says so before it
    /// makes one.
    IssueCode { holder: KeyHolder, by: StaffId, second: Option<StaffId> },
    /// The key of a host of the floor is about to be enrolled, replaced or, without a key, revoked (D27). The host says so
    /// before it does it.
    ChangeHostKey { host: String, key: Option<Hash>, replaces: bool, by: StaffId, second: Option<StaffId> },
    /// The pit pays what a correction or decision left, by hand and with a second person: the cage may be dead (D25).
    PayByHand { payable: PayableId, round: Option<RoundId>, witness: Option<StaffId> },
    /// Cash between the vault and a cashier's drawer, counted by denomination.
    MoveDrawer { movement: DrawerMovement, counts: Vec<Pile>, witness: Option<StaffId> },
    /// Lifts the stop after wrong ticket numbers at one place.
    LiftWrongTickets { at: TicketPlace },
    /// Counts, closes or hands over the drawer of a cashier who has left, by two others (D27).
    ServeDrawer { shift: ShiftId, act: DrawerAct, witness: Option<StaffId> },
    /// A second person who was called to a table, or to the pit, has come (D28).
    AnswerCall { table: Option<TableId> },
    /// Pays an expired ticket, named by its id, by decision of the Shift Manager and with a second person (S15, D27).
    PayExpired { ticket: TicketId, reason: String, witness: Option<StaffId> },
}

impl Body {
    /// Opens bets where the dealer has nothing to affirm.
    #[must_use]
    pub const fn open_bets(table: TableId) -> Body {
        Body::OpenBets { table, affirmed: Vec::new() }
    }

    /// Enters a result where the dealer has nothing to affirm and no second person is needed.
    #[must_use]
    pub const fn enter_result(table: TableId, outcome: OutcomeIndex) -> Body {
        Body::EnterResult { table, outcome, affirmed: Vec::new(), witness: None, reason: None }
    }

    /// Confirms a result that needs no second person.
    #[must_use]
    pub const fn confirm_result(table: TableId) -> Body {
        Body::ConfirmResult { table, outcome: None, witness: None, reason: None }
    }

    /// Declares a ground that needs no second person.
    #[must_use]
    pub const fn declare_ground(table: TableId, ground: GroundId) -> Body {
        Body::DeclareGround { table, ground, witness: None }
    }

    /// Puts a report aside without a second person.
    #[must_use]
    pub const fn dismiss_ground(table: TableId, reason: String) -> Body {
        Body::DismissGround { table, reason, witness: None }
    }

    /// Sets up a device that measures what its kind usually does.
    #[must_use]
    pub const fn add_device(name: String, kind: DeviceKind, place: DevicePlace) -> Body {
        Body::AddDevice { name, kind, place, measures: None, witness: None }
    }
}

/// What a tumbler or wheel measures, and whether it reads results (D19).
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Measures {
    /// The number of tumbles or revolutions.
    #[n(0)]
    pub times: bool,
    /// Which way the ball is spun, and whether the wheel turns.
    #[n(1)]
    pub direction: bool,
    /// Whether the cover is on.
    #[n(2)]
    pub cover: bool,
    /// Whether each die lies flat.
    #[n(3)]
    pub flat: bool,
    /// The result.
    #[n(4)]
    pub reads: bool,
}

impl Measures {
    /// What a device of this kind measures unless its own data say otherwise. A wheel as it is sold counts no
    /// revolutions.
    #[must_use]
    pub const fn usual(kind: DeviceKind) -> Measures {
        let tumbler = matches!(kind, DeviceKind::Tumbler);
        let wheel = matches!(kind, DeviceKind::Wheel);
        Measures { times: tumbler, direction: wheel, cover: tumbler, flat: tumbler, reads: tumbler || wheel }
    }
}

/// The part of a device that is in service or not (D19).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum Function {
    /// All of it.
    #[n(0)]
    Device,
    /// Its reading of results.
    #[n(1)]
    Reading,
}

/// What failed in an interruption (D21).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum Failed {
    /// Power at the table.
    #[n(0)]
    Power,
    /// The tumbler or the wheel.
    #[n(1)]
    Device,
    /// The dealer's console.
    #[n(2)]
    Console,
    /// A display.
    #[n(3)]
    Display,
    /// Some of the terminals.
    #[n(4)]
    SomeTerminals,
    /// All of the terminals.
    #[n(5)]
    AllTerminals,
}

impl Failed {
    /// Whether the round goes on whatever happens: terminals and displays alone never interrupt it.
    #[must_use]
    // § etg 5.2 · mbs-sicbo 5.9 · rws-taisai 5.10, 5.11
    pub const fn goes_on(self) -> bool {
        matches!(self, Failed::Display | Failed::SomeTerminals | Failed::AllTerminals)
    }
}

/// Pieces of one denomination, as they were counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Pile {
    /// What a piece is worth.
    #[n(0)]
    pub denomination: Cents,
    /// How many pieces.
    #[n(1)]
    pub pieces: u32,
}

/// What became of a ticket in doubt (D25).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum TicketFinding {
    /// The player has the paper: it can be paid.
    #[n(0)]
    InHand,
    /// It was not printed: the credit is back on the terminal.
    #[n(1)]
    NotPrinted,
    /// It was not printed, and the amount was paid by hand.
    #[n(2)]
    PaidByHand,
    /// The paper was presented at the cage or a terminal.
    #[n(3)]
    Presented,
}

/// Where a ticket number was typed or scanned.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
pub enum TicketPlace {
    /// At a terminal.
    #[n(0)]
    Terminal(#[n(0)] TerminalId),
    /// By a person at the cage.
    #[n(1)]
    Staff(#[n(0)] StaffId),
}

/// Which way cash goes between the vault and a cashier's drawer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[serde(rename_all = "snake_case")]
#[cbor(index_only)]
pub enum DrawerMovement {
    /// Into the drawer.
    #[n(0)]
    Fill,
    /// Out of it.
    #[n(1)]
    Credit,
}

/// What two others do with the drawer of a cashier who has left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum DrawerAct {
    /// Counts it.
    Count { counts: Vec<Pile> },
    /// Ends its shift with what was counted.
    Close { counted: Cents, reason: String },
    /// Gives it to the second person, a cashier, who begins a shift with it.
    HandOver { reason: String },
}

/// What was counted and differs from what should be there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum Counted {
    /// The tray of a live table.
    #[n(0)]
    Tray(#[n(0)] TableId),
    /// Its drop box.
    #[n(1)]
    Drop(#[n(0)] TableId),
    /// The drawer of a shift.
    #[n(2)]
    Drawer(#[n(0)] ShiftId),
}

/// Who owes the house what a correction could not collect (D7).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum Debtor {
    /// The visit that had bets in the round at a terminal.
    #[n(0)]
    Terminal(#[n(0)] TerminalId),
    /// The player who stood there at a live table.
    #[n(1)]
    Position(#[n(0)] Position),
}

/// Who holds a key of their own.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum KeyHolder {
    /// A terminal.
    #[n(0)]
    Terminal(#[n(0)] TerminalId),
    /// A device.
    #[n(1)]
    Device(#[n(0)] DeviceId),
}

/// What changes about a person's means of signing in (D27).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[serde(rename_all = "snake_case")]
pub enum CredentialChange {
    /// A login with its first password.
    #[n(0)]
    Created,
    /// A new password that another person chose; its owner must change it before it can be used.
    #[n(1)]
    PasswordReset,
    /// The owner chose a new password.
    #[n(2)]
    PasswordChanged,
    /// The owner added a passkey.
    #[n(3)]
    PasskeyAdded,
    /// A passkey can no longer be used.
    #[n(4)]
    PasskeyRemoved,
    /// The waits after wrong passwords were lifted.
    #[n(5)]
    Unlocked,
}

/// The hash of a sealed code. The code itself is on paper in a sealed envelope.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
#[cbor(transparent)]
pub struct SealedHash(
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    #[serde(with = "rulebook::hex")]
    pub [u8; 32],
);

/// How much may be moved without a second person, and what is reported (D15, D27).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Thresholds {
    /// The most one person moves alone in a gaming day, and for one visit; a table's own threshold may be lower.
    #[n(0)]
    pub alone: Cents,
    /// A ticket above this is redeemed with a second person.
    #[n(1)]
    pub redemption: Cents,
    /// A difference at the cage above this needs a second person, even if nothing else was moved alone.
    #[n(2)]
    pub difference: Cents,
    /// Cash of a visit or gaming day from this on is reported.
    #[n(3)]
    pub large_cash: Cents,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds {
            alone: Cents::new(1_000_000),
            redemption: Cents::new(1_000_000),
            difference: Cents::new(10_000),
            large_cash: Cents::new(1_000_000),
        }
    }
}

/// A program with the rulebooks inside it, by their hashes (S9).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Release {
    /// Of the program's file.
    #[n(0)]
    pub program: Hash,
    /// Of the rulebooks it carries.
    #[n(1)]
    pub rulebooks: Hash,
}

/// What the floor is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct FloorSettings {
    /// A name that tickets and paths carry.
    #[n(0)]
    pub name: String,
    /// Whether it is a demonstration, for ever.
    #[n(1)]
    pub demonstration: bool,
    /// When a gaming day begins, in minutes after midnight, local time.
    #[n(2)]
    pub day_starts: u16,
    /// Days until a ticket expires.
    #[n(3)]
    pub ticket_days: u16,
    /// The feature level it begins with; the floor sets it, whatever the command says.
    #[n(4)]
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
}

impl Default for FloorSettings {
    fn default() -> FloorSettings {
        FloorSettings { name: String::new(), demonstration: false, day_starts: 6 * 60, ticket_days: 30, level: None }
    }
}

/// How a table is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum TableMode {
    /// With Player Terminals.
    #[n(0)]
    Terminals,
    /// Live, with results, voids, float and drop only.
    #[n(1)]
    ResultsOnly,
    /// Live, with the chips on the layout recorded.
    #[n(2)]
    BetsRecorded,
}

/// The least and the most.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Limit {
    /// The least a player may bet on a spot.
    #[n(0)]
    pub minimum: Cents,
    /// The most: per player and spot on terminals, per box on a live table.
    #[n(1)]
    pub maximum: Option<Cents>,
}

/// What can be set at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct TableSettings {
    /// The limit of families not named below.
    #[n(0)]
    pub limit: Limit,
    /// Limits of single families.
    #[n(1)]
    pub families: Vec<(Family, Limit)>,
    /// The largest difference between paired boxes of a live table.
    #[n(2)]
    pub differential: Option<Cents>,
    /// The most the house may stand to lose on any outcome.
    #[n(3)]
    pub liability: Option<Cents>,
    /// Every bet is a multiple of this (D9).
    #[n(4)]
    pub step: Cents,
    /// Milliseconds from opening until bets close by themselves; zero: the dealer closes.
    #[n(5)]
    pub betting_period: i64,
    /// Milliseconds of stoppage that do not affect continuation (D6).
    #[n(6)]
    pub grace: i64,
    /// Payments above this need a second person (D15).
    #[n(7)]
    pub hand_pay: Cents,
    /// Milliseconds between the announcement and the closing of the table (S3).
    #[n(8)]
    pub closing_notice: i64,
}

/// The limits of the boxes of a live table, as they were when a round was settled (D20).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct BoxSettings {
    /// The limit of families not named below.
    #[n(0)]
    pub limit: Limit,
    /// Limits of single families.
    #[n(1)]
    pub families: Vec<(Family, Limit)>,
    /// The largest difference between paired boxes.
    #[n(2)]
    pub differential: Option<Cents>,
    /// Every bet is a multiple of this (D9).
    #[n(3)]
    pub step: Cents,
}

impl BoxSettings {
    /// The limit of a family.
    #[must_use]
    pub fn limit_of(&self, family: Family) -> Limit {
        limit_of(&self.families, self.limit, family)
    }
}

fn limit_of(families: &[(Family, Limit)], usual: Limit, family: Family) -> Limit {
    families.iter().find(|(of, _)| *of == family).map_or(usual, |(_, limit)| *limit)
}

impl TableSettings {
    /// The limits of the boxes of a live table.
    #[must_use]
    pub fn boxes(&self) -> BoxSettings {
        let TableSettings { limit, families, differential, step, .. } = self.clone();
        BoxSettings { limit, families, differential, step }
    }

    /// Settings that work: 1.00 to 1,000.00 in steps of 1.00, 20 seconds to bet, 10 seconds' grace.
    #[must_use]
    pub fn usual() -> TableSettings {
        TableSettings {
            limit: Limit { minimum: Cents::new(100), maximum: Some(Cents::new(100_000)) },
            families: Vec::new(),
            differential: None,
            liability: None,
            step: Cents::new(100),
            betting_period: 20_000,
            grace: 10_000,
            hand_pay: Cents::new(1_000_000),
            closing_notice: 60_000,
        }
    }

    /// Settings that work for a document: at a live table the dealer calls the close, and no clock runs.
    #[must_use]
    pub fn of(rulebook: &Rulebook) -> TableSettings {
        let mut settings = TableSettings::usual();
        if rulebook.identity().play == Play::Chips {
            settings.betting_period = 0;
        }
        settings
    }

    /// The limit of a family.
    #[must_use]
    pub fn limit_of(&self, family: Family) -> Limit {
        limit_of(&self.families, self.limit, family)
    }
}

/// What a device is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum DeviceKind {
    /// A dice tumbler.
    #[n(0)]
    Tumbler,
    /// A roulette wheel.
    #[n(1)]
    Wheel,
    /// A cash validator.
    #[n(2)]
    Validator,
    /// Something that records the chips on a live table.
    #[n(3)]
    ChipReader,
}

/// Where a device is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum DevicePlace {
    /// In the store.
    #[n(0)]
    Store,
    /// At a table.
    #[n(1)]
    Table(#[n(0)] TableId),
    /// In a terminal.
    #[n(2)]
    Terminal(#[n(0)] TerminalId),
}

impl DevicePlace {
    /// The table, if it is one.
    #[must_use]
    pub const fn table(self) -> Option<TableId> {
        match self {
            DevicePlace::Table(table) => Some(table),
            DevicePlace::Store | DevicePlace::Terminal(_) => None,
        }
    }
}

/// What a person is employed or assigned as.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum Post {
    /// In the pit.
    #[n(0)]
    Pit(#[n(0)] Rank),
    /// At the cage.
    #[n(1)]
    Cashier,
    /// Reads everything, changes nothing.
    #[n(2)]
    Auditor,
    /// Configures, never touches a round.
    #[n(3)]
    Administrator,
    /// Tests and enrols devices and terminals; touches neither rounds nor money (D30).
    #[n(4)]
    #[serde(skip_deserializing)]
    Technician,
}

/// Every post, for commands: encoding 1 of records reads the first four only.
#[derive(Deserialize)]
#[serde(remote = "Post")]
enum AnyPost {
    Pit(Rank),
    Cashier,
    Auditor,
    Administrator,
    Technician,
}

fn any_post_or_none<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Post>, D::Error> {
    #[derive(Deserialize)]
    struct Read(#[serde(with = "AnyPost")] Post);
    Ok(Option::<Read>::deserialize(from)?.map(|read| read.0))
}

/// What the log keeps of a ticket's number: its encryption under the floor's key. The number itself is cash.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
#[cbor(transparent)]
pub struct TicketHash(
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    #[serde(with = "rulebook::hex")]
    pub [u8; 16],
);

/// A change to a terminal's bets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum BetChange {
    /// Places a bet or raises it.
    Add { spot: SpotIndex, amount: Cents },
    /// Withdraws a bet or lowers it.
    Take { spot: SpotIndex, amount: Cents },
    /// Places a multi-piece bet: one unit on each piece.
    AddPieces { bet: String, unit: Cents },
    /// Withdraws a multi-piece bet whole.
    TakePieces { group: u16 },
}

/// What a device saw.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[allow(missing_docs)]
pub enum Observation {
    /// The tumbler was set off.
    #[n(0)]
    Activated,
    /// It has tumbled so many times and come to rest.
    #[n(1)]
    Tumbled {
        #[n(0)]
        times: u8,
    },
    /// The cover is off.
    #[n(2)]
    Uncovered,
    /// The cover is on.
    #[n(3)]
    Covered,
    /// The dice, as far as they could be read.
    #[n(4)]
    DiceRead {
        #[n(0)]
        dice: [Option<Face>; 3],
    },
    /// A die does not lie flat.
    #[n(5)]
    NotFlat,
    /// The ball was spun.
    #[n(6)]
    Spun {
        #[n(0)]
        against_rotation: bool,
        #[n(1)]
        wheel_rotating: bool,
    },
    /// It has run so many times around.
    #[n(7)]
    Revolved {
        #[n(0)]
        times: u8,
    },
    /// It rests in a pocket.
    #[n(8)]
    Rested {
        #[n(0)]
        pocket: OutcomeIndex,
    },
    /// It rests in no compartment.
    #[n(9)]
    NoCompartment,
    /// It was flung out.
    #[n(10)]
    FlungOut,
    /// The wheel has stopped.
    #[n(11)]
    WheelStopped,
    /// The device has a fault of its own, by its number.
    #[n(12)]
    Fault {
        #[n(0)]
        number: u16,
    },
    /// The fault is gone.
    #[n(13)]
    Restored,
}

/// What an interruption did (D6).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum Finding {
    /// Continuation is not affected.
    #[n(0)]
    NotAffected,
    /// It is, and an outcome is established.
    #[n(1)]
    Established,
    /// It is, and none is.
    #[n(2)]
    NotEstablished,
}

/// What the Shift Manager decides.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[allow(missing_docs)]
pub enum Ruling {
    /// A round is void.
    #[n(0)]
    VoidRound,
    /// A player is paid.
    #[n(1)]
    Pay {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        amount: Cents,
    },
    /// A payment is taken back.
    #[n(2)]
    TakeBack {
        #[n(0)]
        terminal: TerminalId,
        #[n(1)]
        amount: Cents,
    },
    /// How the rules are to be read.
    #[n(3)]
    Reading,
    /// A player at a live table is paid in chips.
    #[n(4)]
    PayChips {
        #[n(0)]
        position: Position,
        #[n(1)]
        amount: Cents,
    },
    /// A payment at a live table is claimed back; the pit pursues it.
    #[n(5)]
    ClaimChips {
        #[n(0)]
        position: Position,
        #[n(1)]
        amount: Cents,
    },
    /// Which outcome stands, where the ball came to rest before the close (D4, D24).
    #[n(100)]
    #[serde(skip_deserializing)]
    Outcome {
        #[n(0)]
        outcome: OutcomeIndex,
    },
}

/// What was shown wrongly.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum DisplayFault {
    /// The lit areas failed or were wrong (Tai Sai 5.10).
    #[n(0)]
    LitAreas,
    /// A display of results was wrong.
    #[n(1)]
    Results,
}

/// What an alert is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum AlertKind {
    /// A terminal is lost.
    #[n(0)]
    TerminalLost(#[n(0)] TerminalId),
    /// A device has a fault, by its number.
    #[n(1)]
    DeviceFault(#[n(0)] DeviceId, #[n(1)] u16),
    /// A device has said nothing of this round.
    #[n(2)]
    DeviceSilent(#[n(0)] RoundId),
    /// A device read something else than the dealer entered.
    #[n(3)]
    DeviceDisagrees(#[n(0)] RoundId),
    /// A device's report made no sense at that moment.
    #[n(4)]
    DeviceNonsense(#[n(0)] DeviceId),
    /// The ball came to rest before the close (D4).
    #[n(5)]
    RestedEarly(#[n(0)] RoundId),
    /// A correction could not be collected in full.
    #[n(6)]
    Uncollected(#[n(0)] RoundId, #[n(1)] Cents),
    /// A terminal's meters do not agree.
    #[n(7)]
    Meters(#[n(0)] TerminalId),
    /// Anything the host watches: sign-ins, disk, clock.
    #[n(8)]
    Host(#[n(0)] String),
    /// A second tumble or spin in one round (D18).
    #[n(80)]
    #[serde(skip_deserializing)]
    SecondTumble(#[n(0)] RoundId),
    /// A device reported something about this round after it was settled (D19).
    #[n(81)]
    #[serde(skip_deserializing)]
    ReportedLate(#[n(0)] RoundId),
    /// A device reported the cover off or a reading of this round while it was interrupted (D6, D19).
    #[n(85)]
    #[serde(skip_deserializing)]
    ReportedMeanwhile(#[n(0)] RoundId),
    /// The record itself is in doubt: records are missing.
    #[n(150)]
    #[serde(skip_deserializing)]
    Integrity(#[n(0)] String),
    /// Attempts at the doors that were refused: the latest in words, and how many there were since it was raised.
    #[n(151)]
    #[serde(skip_deserializing)]
    Access(#[n(0)] String, #[n(1)] u32),
    /// A person of this rank acted without a second person, who was called and did not come (D28); the number tells such acts
    /// apart.
    #[n(100)]
    #[serde(skip_deserializing)]
    DecidedAlone(#[n(0)] StaffId, #[n(1)] Rank, #[n(2)] u64, #[n(3)] Option<Box<Deed>>),
    /// A ticket's printer has not reported (D25).
    #[n(120)]
    #[serde(skip_deserializing)]
    TicketInDoubt(#[n(0)] TicketId, #[n(1)] Cents),
    /// Many wrong ticket numbers were tried at one place.
    #[n(121)]
    #[serde(skip_deserializing)]
    WrongTickets(#[n(0)] TicketPlace),
    /// Cash of a visit has reached the amount that is reported.
    #[n(122)]
    #[serde(skip_deserializing)]
    LargeCash(#[n(0)] TerminalId, #[n(1)] Cents),
    /// A sealed code was opened; the number tells openings apart.
    #[n(123)]
    #[serde(skip_deserializing)]
    SealedCode(#[n(0)] StaffId, #[n(1)] Option<u64>),
    /// A ticket resolved as not printed was presented, or its printer says that it was printed.
    #[n(124)]
    #[serde(skip_deserializing)]
    VoidTicket(#[n(0)] TicketId),
    /// One-time codes for keys were made: the latest one for whom and by whom, and how many since it was raised.
    #[n(125)]
    #[serde(skip_deserializing)]
    EnrolmentCode(#[n(0)] KeyHolder, #[n(1)] StaffId, #[n(2)] u32),
    /// A count differs from what should be there by more than the threshold (D27).
    #[n(126)]
    #[serde(skip_deserializing)]
    Difference(#[n(0)] Counted, #[n(1)] Cents),
    /// A printer says that it printed a ticket which a duplicate has replaced: its number is void.
    #[n(127)]
    #[serde(skip_deserializing)]
    ReplacedTicket(#[n(0)] TicketId, #[n(1)] TicketId),
    /// A device of a table has no link to the host (D19), and whether it has come back since.
    #[n(86)]
    #[serde(skip_deserializing)]
    DeviceLost(#[n(0)] DeviceId, #[n(1)] bool),
    /// Terminals of one table that were lost during a round (D21): how many are lost now, and how many were at most.
    #[n(87)]
    #[serde(skip_deserializing)]
    TerminalsLost(#[n(0)] u32, #[n(1)] u32),
    /// A device has reported several faults since the alert was raised: the number of the latest, and how many.
    #[n(88)]
    #[serde(skip_deserializing)]
    DeviceFaults(#[n(0)] DeviceId, #[n(1)] u16, #[n(2)] u32),
    /// A device in service holds up this round: it is running, or has reported no tumble or spin, and says nothing (D19).
    #[n(89)]
    #[serde(skip_deserializing)]
    DeviceHolds(#[n(0)] DeviceId, #[n(1)] RoundId),
    /// Cash at the cage, at a live table or at a terminal has reached the amount that is reported: at once, or in a gaming
    /// day.
    #[n(128)]
    #[serde(skip_deserializing)]
    LargeCashAt(#[n(0)] CashPlace, #[n(1)] Cents),
    /// The key of a terminal or device is used in two places (S8): where, in words, and how often since it was raised.
    #[n(152)]
    #[serde(skip_deserializing)]
    CopiedKey(#[n(0)] KeyHolder, #[n(1)] String, #[n(2)] u32),
    /// The player at a terminal calls an attendant.
    #[n(180)]
    #[serde(skip_deserializing)]
    Attendant(#[n(0)] TerminalId),
}

/// Where cash changes hands without a visit, or in several: who the player is, the floor does not know.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
pub enum CashPlace {
    /// From a person's hand: a cashier's counter, or by hand at the pit.
    #[n(0)]
    Person(#[n(0)] StaffId),
    /// At a live table.
    #[n(1)]
    Table(#[n(0)] TableId),
    /// At a terminal, in several visits of a gaming day.
    #[n(2)]
    Terminal(#[n(0)] TerminalId),
}

/// What one person did without a second person (D28), so that who countersigns knows what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Deed {
    /// What was done, in words that follow "may".
    #[n(0)]
    pub act: Box<str>,
    /// How much money it moved.
    #[n(1)]
    pub amount: Option<Cents>,
}

/// Money for the chips of a live table.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub enum FloatMovement {
    /// Chips brought when the table opens.
    #[n(0)]
    Opener(#[n(0)] Cents),
    /// Chips brought later.
    #[n(1)]
    Fill(#[n(0)] Cents),
    /// Chips taken away.
    #[n(2)]
    Credit(#[n(0)] Cents),
    /// A player buys chips: cash into the drop, chips to the player.
    #[n(3)]
    BuyIn(#[n(0)] Cents),
    /// A player's chips are exchanged away from the table.
    #[n(4)]
    ChipsOut(#[n(0)] Cents),
    /// What was counted when the table closes.
    #[n(5)]
    Closer(#[n(0)] Cents),
    /// The drop box is taken away with what was counted.
    #[n(6)]
    Drop(#[n(0)] Cents),
}
