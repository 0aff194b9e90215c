//! The vocabulary of the book: every sentence that a scenario may use, in one table.

use std::sync::OnceLock;

use floor::{DisplayFault, Finding, FloatMovement, JointAct};
use rulebook::{Cents, GroundId};

use crate::people::Person;
use crate::phrase::{Filled, Phrase};

/// What the table is like before a course begins.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// The least and the most of every bet.
    Limits(Cents, Cents),
    /// How far apart paired boxes may be.
    Differential(Cents),
    /// Every bet is a multiple of this.
    Step(Cents),
    /// Milliseconds until bets close by themselves.
    BettingPeriod(i64),
    /// Milliseconds of stoppage without effect.
    Grace(i64),
    /// Payments above this need a second person.
    HandPay(Cents),
    /// The kind and layout of a terminal.
    Terminal { terminal: usize, kind: String, layout: String },
    /// What every terminal starts with.
    Credit(Cents),
    /// The table has no tumbler or wheel.
    NoDevice,
    /// A live table that records results only.
    ResultsOnly,
    /// There is a second table of the same document, open and with bets open.
    OtherTable,
    /// Nothing else happens on the floor: what people do alone is totalled over all of it (D27).
    OwnFloor,
}

/// What a member of staff does. What needs a second person names one.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    TakeTable,
    OpenTable,
    CloseTable,
    BeginRound,
    OpenBets {
        affirmed: Points,
    },
    CloseBets,
    Enter {
        outcome: String,
        affirmed: Points,
        witness: Option<Person>,
        reason: Option<String>,
    },
    Confirm {
        witness: Option<Person>,
        reason: Option<String>,
    },
    Declare {
        ground: GroundId,
        witness: Option<Person>,
    },
    ConfirmGround,
    DismissGround {
        reason: String,
        witness: Option<Person>,
    },
    VoidRounds {
        ground: GroundId,
        first: usize,
        last: usize,
        reason: String,
        witness: Option<Person>,
    },
    Correct {
        round: usize,
        outcome: String,
        reason: String,
        witness: Option<Person>,
    },
    Attest {
        finding: Finding,
        witness: Option<Person>,
    },
    DecideVoid {
        round: Option<usize>,
        reason: String,
        witness: Option<Person>,
    },
    DecidePay {
        terminal: usize,
        amount: Cents,
        reason: String,
        witness: Option<Person>,
    },
    DecideTakeBack {
        terminal: usize,
        amount: Cents,
        /// Whose payment is taken back (D7).
        round: Option<usize>,
        reason: String,
        witness: Option<Person>,
    },
    DecideReading {
        reason: String,
    },
    DisplayFault {
        what: DisplayFault,
        note: String,
    },
    Lock {
        terminal: usize,
        reason: String,
    },
    Unlock {
        terminal: usize,
    },
    AttendantIn {
        terminal: usize,
        amount: Cents,
        witness: Option<Person>,
    },
    AttendantPay {
        terminal: usize,
        amount: Cents,
        witness: Option<Person>,
    },
    AcknowledgeAlert {
        kind: String,
    },
    AssignActing {
        person: Person,
        post: Option<String>,
        witness: Option<Person>,
    },
    ChangeLimits {
        minimum: Cents,
        maximum: Cents,
        reason: String,
    },
    PlaceChips {
        player: u8,
        spot: String,
        amount: Cents,
        for_player: bool,
    },
    TakeChips {
        player: u8,
        spot: String,
        amount: Cents,
    },
    RejectExcess {
        spot: String,
    },
    AdviseMinimum {
        player: u8,
        spot: String,
    },
    RefuseUnderMinimum {
        player: u8,
        spot: String,
    },
    RefuseLate {
        player: u8,
    },
    PlayerLeft {
        player: u8,
    },
    MoveFloat {
        movement: FloatMovement,
        witness: Option<Person>,
    },
    OpenShift {
        float: Cents,
    },
    CloseShift {
        counted: Cents,
    },
    PayCorrection {
        round: usize,
        /// The round that is named as evidence (D7).
        named: usize,
        witness: Option<Person>,
    },
    RedeemTicket {
        amount: Option<Cents>,
    },
    /// A device, or its reading alone, goes out of service or comes back (D19).
    Service {
        reading: bool,
        in_service: bool,
        reason: String,
        witness: Option<Person>,
    },
    /// The round ends with the first outcome after a second tumble or spin (D18).
    KeepFirst {
        affirmed: Points,
        witness: Option<Person>,
    },
    /// An interruption is reported where it happens (D21).
    Interruption {
        failed: Failed,
    },
    /// Whether a fault of the device affects the round (D21).
    AnswerFault {
        affects: bool,
    },
    /// A wrong record of chips is removed (D20).
    RemoveChips {
        player: u8,
        spot: String,
        amount: Cents,
        reason: String,
        witness: Option<Person>,
    },
    /// The dealer says that the dice are uncovered (D20).
    DeclareUncovered,
    /// The dealer states that the ball came to rest before the close (D4, D19).
    StateRest {
        affirmed: Points,
    },
    /// A wrong record is put right after settlement (D20).
    CorrectRecord {
        round: usize,
        player: u8,
        spot: String,
        amount: Cents,
        reason: String,
        witness: Option<Person>,
    },
    /// The Shift Manager decides which outcome stands (D4, D24).
    DecideOutcome {
        round: usize,
        outcome: String,
        reason: String,
        witness: Option<Person>,
    },
    /// A range of rounds is put right or voided after its preview (D24).
    ChangeRounds {
        first: usize,
        last: usize,
        outcome: Option<String>,
        ground: Option<GroundId>,
        reason: String,
        witness: Option<Person>,
    },
    /// A preview of what a change of past rounds would move; no outcome: void (D24).
    PreviewRounds {
        first: usize,
        last: usize,
        outcome: Option<String>,
    },
    /// A second person is called (D28).
    CallSecond {
        act: JointAct,
        round: Option<usize>,
        terminal: Option<usize>,
        amount: Option<Cents>,
        other_table: bool,
        reason: String,
    },
    /// What was decided alone is countersigned (D28).
    Countersign,
    /// A second person says that they have come (D28).
    AnswerCall,
    /// What became of a ticket in doubt (D25).
    ResolveTicket {
        finding: Doubt,
        reason: String,
        witness: Option<Person>,
    },
    /// A ticket is replaced by a duplicate with another number (D27).
    Reprint {
        reason: String,
        witness: Option<Person>,
    },
    /// The duplicate came out of the printer.
    Reprinted,
    /// A new account (D27).
    Employ {
        post: String,
        witness: Option<Person>,
    },
    /// How much one person moves alone (D27).
    SetAlone {
        amount: Cents,
        reason: String,
        witness: Option<Person>,
    },
    /// The device is taken to the store, or comes from there to the table (D19).
    MoveDevice {
        to_table: bool,
        witness: Option<Person>,
    },
    /// The tables a player may choose from (D29).
    OfferTables {
        terminal: usize,
    },
}

/// What failed in an interruption.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    Power,
    Device,
    Console,
    Display,
    SomeTerminals,
    AllTerminals,
}

/// What became of a ticket in doubt.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    InHand,
    NotPrinted,
    PaidByHand,
}

/// What a dealer affirms with an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// Nothing.
    None,
    /// Everything that the document asks for and no device answers for.
    Everything,
    /// These.
    These(Vec<String>),
}

/// What a terminal does, for its player or by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum TerminalAct {
    Bet(Vec<(String, Cents)>),
    Withdraw(Vec<(String, Cents)>),
    Clear,
    Repeat {
        doubled: bool,
    },
    /// It shows that there are no more bets.
    ShowClose,
    Lost,
    Back,
    Cash(Cents),
    CashOut,
    Printed,
    PrintFailed,
    TicketIn,
    /// The paper that a duplicate has replaced (D27).
    ReplacedTicketIn,
    /// No amount: it is lifted.
    LossLimit(Option<Cents>),
    /// The player chooses the other table of the course, or the first one again (D29).
    Choose {
        other: bool,
    },
}

/// What a tumbler or wheel reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    Activated,
    Tumbled(u8),
    Uncovered,
    Covered,
    /// The dice; a question mark for one that was not read.
    Read(String),
    NotFlat,
    Spun {
        against_rotation: bool,
        wheel_rotating: bool,
    },
    Revolved(u8),
    Rested(String),
    NoCompartment,
    FlungOut,
    WheelStopped,
    Fault(u16),
    Restored,
}

/// Several steps in one sentence, as the document of the table has them.
#[derive(Clone, Debug, PartialEq)]
pub enum Passage {
    /// Bets are open: the dealer opens them, under MBS after three tumbles.
    BetsOpen,
    /// The dealer closes the bets and every terminal that is there shows it.
    BetsClose,
    /// After the close: a lawful tumble or spin that the device saw and read.
    Shown(String),
    /// The dealer enters what the device read and confirms it.
    Ends(String),
    /// A whole round after the bets: closed, dealt, entered, confirmed.
    Finish(String),
    /// So many rounds without bets.
    Several { rounds: usize, outcome: String },
}

/// What the host does or undergoes.
#[derive(Clone, Debug, PartialEq)]
pub enum HostAct {
    /// It is killed and started again after so many seconds.
    Restart { after: i64 },
    /// Time passes.
    Wait { seconds: i64 },
}

/// What must be so.
#[derive(Clone, Debug, PartialEq)]
pub enum See {
    Credit {
        terminal: usize,
        amount: Cents,
    },
    Staked {
        terminal: usize,
        amount: Cents,
    },
    Phase(String),
    NoRound,
    Interrupted(bool),
    Halted {
        ground: GroundId,
    },
    NotHalted,
    Void {
        round: usize,
    },
    /// It is void under a paragraph; without one, under one of those the section is about.
    VoidUnder {
        round: usize,
        rule: Option<String>,
    },
    Ended {
        round: usize,
        outcome: String,
    },
    Proposal(Finding),
    Alert(String),
    NoAlert(String),
    Payable {
        round: usize,
        amount: Cents,
    },
    NothingPayable,
    Results(Vec<String>),
    Notice {
        terminal: usize,
        text: String,
    },
    Limits {
        family: String,
        minimum: Cents,
        maximum: Cents,
    },
    Box {
        spot: String,
        amount: Cents,
    },
    Excess {
        spot: String,
        amount: Cents,
    },
    Returned {
        player: u8,
        amount: Cents,
    },
    AtRisk {
        player: u8,
        spot: String,
        amount: Cents,
    },
    /// What the preview says that was looked at last (D24).
    Preview {
        moved: Moved,
        amount: Cents,
    },
}

/// What a preview says of money.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Paid to players who are there.
    Paid,
    /// Left at the cage for players who are gone.
    Payable,
    /// Taken back from credits.
    Taken,
    /// Cannot be collected.
    Uncollected,
}

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub enum Do {
    Given(Given),
    Staff(Person, Act),
    Terminal(usize, TerminalAct),
    Device(Report),
    Passage(Passage),
    Host(HostAct),
    See(See),
}

/// Where a step can be taken.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// Against the floor and over HTTP.
    Both,
    /// Against the floor and over HTTP, on a floor whose time it moves.
    Clock,
    /// Over HTTP only while nothing else is played on the same floor.
    Alone,
}

/// A sentence of the vocabulary.
pub struct Sentence {
    /// Its form.
    pub phrase: Phrase,
    /// Where it can be taken.
    pub place: Where,
    /// What it means.
    pub make: fn(&Filled) -> Result<Do, String>,
}

fn staff(filled: &Filled, act: Act) -> Result<Do, String> {
    Ok(Do::Staff(filled.person("person")?, act))
}

fn terminal(filled: &Filled, act: TerminalAct) -> Result<Do, String> {
    Ok(Do::Terminal(number(filled, "terminal")?, act))
}

/// Terminals, players and rounds count from 1 in the book.
fn number(filled: &Filled, name: &str) -> Result<usize, String> {
    match filled.number::<usize>(name)? {
        0 => Err(format!("<{name}> counts from 1")),
        given => Ok(given),
    }
}

fn player(filled: &Filled) -> Result<u8, String> {
    filled.number("player")
}

fn ground(filled: &Filled) -> Result<GroundId, String> {
    let text = filled.text("ground")?;
    GroundId::parse(&text).ok_or_else(|| format!("'{text}' is not a void ground"))
}

fn maybe_number(filled: &Filled, name: &str) -> Result<Option<usize>, String> {
    filled.get(name).map(|_| number(filled, name)).transpose()
}

/// A call names its act and, where there is one, its round or terminal and its amount (D28).
fn call_second(f: &Filled, other_table: bool) -> Result<Do, String> {
    let name = f.text("act")?;
    let act = JointAct::parse(&name.replace('-', "_")).ok_or_else(|| format!("'{name}' is no act of two people"))?;
    let (round, terminal) = (maybe_number(f, "round")?, maybe_number(f, "terminal")?);
    let amount = f.get("amount").map(|_| f.amount("amount")).transpose()?;
    staff(f, Act::CallSecond { other_table, act, round, terminal, amount, reason: f.text("text")? })
}

fn witness(filled: &Filled) -> Result<Option<Person>, String> {
    filled.maybe_person("witness")
}

fn points(filled: &Filled) -> Points {
    match filled.get("points") {
        None => Points::None,
        Some("everything") => Points::Everything,
        Some(list) => Points::These(list.split(',').map(str::to_owned).collect()),
    }
}

fn finding(filled: &Filled) -> Result<Finding, String> {
    match filled.text("finding")?.as_str() {
        "not-affected" => Ok(Finding::NotAffected),
        "established" => Ok(Finding::Established),
        "none-established" => Ok(Finding::NotEstablished),
        other => Err(format!("'{other}' is no finding: not-affected, established or none-established")),
    }
}

/// `small=5.00 single/2=1.00`.
fn bets(filled: &Filled) -> Result<Vec<(String, Cents)>, String> {
    filled.text("bets")?.split(' ').map(bet).collect()
}

fn bet(text: &str) -> Result<(String, Cents), String> {
    let (spot, amount) = text.split_once('=').ok_or_else(|| format!("'{text}' is no SPOT=AMOUNT"))?;
    Ok((spot.to_owned(), amount.parse().map_err(|error| format!("'{text}': {error}"))?))
}

/// The one bet of a live player.
fn chips(filled: &Filled) -> Result<(String, Cents), String> {
    bet(&filled.text("bet")?)
}

fn failed(filled: &Filled) -> Result<Failed, String> {
    Ok(match filled.text("what")?.as_str() {
        "power" => Failed::Power,
        "device" => Failed::Device,
        "console" => Failed::Console,
        "display" => Failed::Display,
        "some-terminals" => Failed::SomeTerminals,
        "all-terminals" => Failed::AllTerminals,
        other => return Err(format!("'{other}' is nothing that can fail")),
    })
}

fn service(f: &Filled, reading: bool, in_service: bool) -> Result<Do, String> {
    staff(f, Act::Service { reading, in_service, reason: f.text("text")?, witness: witness(f)? })
}

fn resolve(f: &Filled, finding: Doubt) -> Result<Do, String> {
    staff(f, Act::ResolveTicket { finding, reason: f.text("text")?, witness: witness(f)? })
}

fn preview(f: &Filled, moved: Moved) -> Result<Do, String> {
    Ok(Do::See(See::Preview { moved, amount: f.amount("amount")? }))
}

fn seconds(filled: &Filled) -> Result<i64, String> {
    Ok(filled.number::<i64>("n")? * 1_000)
}

type Row = (&'static str, Where, fn(&Filled) -> Result<Do, String>);

/// The table. The first row that fits a sentence says what it means.
const TABLE: &[Row] = &[
    // ---- before a course
    ("given limits <amount:least> to <amount:most>", Where::Both, |f| {
        Ok(Do::Given(Given::Limits(f.amount("least")?, f.amount("most")?)))
    }),
    ("given a differential of <amount>", Where::Both, |f| Ok(Do::Given(Given::Differential(f.amount("amount")?)))),
    ("given a step of <amount>", Where::Both, |f| Ok(Do::Given(Given::Step(f.amount("amount")?)))),
    ("given a betting period of <n> seconds", Where::Both, |f| Ok(Do::Given(Given::BettingPeriod(seconds(f)?)))),
    ("given a grace period of <n> seconds", Where::Both, |f| Ok(Do::Given(Given::Grace(seconds(f)?)))),
    ("given a hand-pay threshold of <amount>", Where::Both, |f| Ok(Do::Given(Given::HandPay(f.amount("amount")?)))),
    ("given <terminal> is <word:kind> with layout <word:layout>", Where::Both, |f| {
        let (kind, layout) = (f.text("kind")?, f.text("layout")?);
        Ok(Do::Given(Given::Terminal { terminal: number(f, "terminal")?, kind, layout }))
    }),
    ("given credit of <amount>", Where::Both, |f| Ok(Do::Given(Given::Credit(f.amount("amount")?)))),
    ("given no device", Where::Both, |_| Ok(Do::Given(Given::NoDevice))),
    ("given another table", Where::Both, |_| Ok(Do::Given(Given::OtherTable))),
    ("given a floor of its own", Where::Alone, |_| Ok(Do::Given(Given::OwnFloor))),
    ("given results only", Where::Both, |_| Ok(Do::Given(Given::ResultsOnly))),
    // ---- passages
    ("bets open", Where::Both, |_| Ok(Do::Passage(Passage::BetsOpen))),
    ("bets close", Where::Both, |_| Ok(Do::Passage(Passage::BetsClose))),
    ("the dice are tumbled and show <outcome>", Where::Both, |f| Ok(Do::Passage(Passage::Shown(f.text("outcome")?)))),
    ("the ball is spun and rests in <outcome>", Where::Both, |f| Ok(Do::Passage(Passage::Shown(f.text("outcome")?)))),
    ("the result <outcome> is entered and confirmed", Where::Both, |f| {
        Ok(Do::Passage(Passage::Ends(f.text("outcome")?)))
    }),
    ("the round is played to its end with <outcome>", Where::Both, |f| {
        Ok(Do::Passage(Passage::Finish(f.text("outcome")?)))
    }),
    ("<n> rounds without bets are played to their end with <outcome>", Where::Both, |f| {
        Ok(Do::Passage(Passage::Several { rounds: f.number("n")?, outcome: f.text("outcome")? }))
    }),
    // ---- the table
    ("<person> takes the table", Where::Both, |f| staff(f, Act::TakeTable)),
    ("<person> opens the table", Where::Both, |f| staff(f, Act::OpenTable)),
    ("<person> closes the table", Where::Both, |f| staff(f, Act::CloseTable)),
    ("<person> changes the limits to <amount:least> to <amount:most> because <text>", Where::Both, |f| {
        let (minimum, maximum) = (f.amount("least")?, f.amount("most")?);
        staff(f, Act::ChangeLimits { minimum, maximum, reason: f.text("text")? })
    }),
    ("<person> assigns <person:other> to act as <word:post> [with <person:witness>]", Where::Alone, |f| {
        let (person, post) = (f.person("other")?, Some(f.text("post")?));
        staff(f, Act::AssignActing { person, post, witness: witness(f)? })
    }),
    ("<person> ends the acting of <person:other> [with <person:witness>]", Where::Alone, |f| {
        staff(f, Act::AssignActing { person: f.person("other")?, post: None, witness: witness(f)? })
    }),
    // ---- the round
    ("<person> begins the round", Where::Both, |f| staff(f, Act::BeginRound)),
    ("<person> opens bets [affirming <points>]", Where::Both, |f| staff(f, Act::OpenBets { affirmed: points(f) })),
    ("<person> closes bets", Where::Both, |f| staff(f, Act::CloseBets)),
    ("<person> enters <outcome> [affirming <points>] [with <person:witness>] [because <text>]", Where::Both, |f| {
        let (outcome, affirmed) = (f.text("outcome")?, points(f));
        staff(f, Act::Enter { outcome, affirmed, witness: witness(f)?, reason: f.get("text").map(str::to_owned) })
    }),
    ("<person> confirms the result [with <person:witness>] [because <text>]", Where::Both, |f| {
        staff(f, Act::Confirm { witness: witness(f)?, reason: f.get("text").map(str::to_owned) })
    }),
    ("<person> declares <ground> [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::Declare { ground: ground(f)?, witness: witness(f)? })
    }),
    ("<person> confirms the ground", Where::Both, |f| staff(f, Act::ConfirmGround)),
    ("<person> puts the report aside because <text> [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::DismissGround { reason: f.text("text")?, witness: witness(f)? })
    }),
    (
        "<person> voids <round:first> [to <round:last>] for <ground> because <text> [with <person:witness>]",
        Where::Both,
        |f| {
            let first = number(f, "first")?;
            let last = if f.get("last").is_some() { number(f, "last")? } else { first };
            let (ground, reason) = (ground(f)?, f.text("text")?);
            staff(f, Act::VoidRounds { ground, first, last, reason, witness: witness(f)? })
        },
    ),
    ("<person> corrects <round> to <outcome> because <text> [with <person:witness>]", Where::Both, |f| {
        let (round, outcome, reason) = (number(f, "round")?, f.text("outcome")?, f.text("text")?);
        staff(f, Act::Correct { round, outcome, reason, witness: witness(f)? })
    }),
    ("<person> attests <finding> [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::Attest { finding: finding(f)?, witness: witness(f)? })
    }),
    ("<person> decides that <round> is void because <text> [with <person:witness>]", Where::Both, |f| {
        let round = Some(number(f, "round")?);
        staff(f, Act::DecideVoid { round, reason: f.text("text")?, witness: witness(f)? })
    }),
    ("<person> decides to pay <terminal> <amount> because <text> [with <person:witness>]", Where::Both, |f| {
        let (terminal, amount) = (number(f, "terminal")?, f.amount("amount")?);
        staff(f, Act::DecidePay { terminal, amount, reason: f.text("text")?, witness: witness(f)? })
    }),
    (
        "<person> decides to take back <amount> from <terminal> [of <round>] because <text> [with <person:witness>]",
        Where::Both,
        |f| {
            let (terminal, amount, round) = (number(f, "terminal")?, f.amount("amount")?, maybe_number(f, "round")?);
            staff(f, Act::DecideTakeBack { terminal, amount, round, reason: f.text("text")?, witness: witness(f)? })
        },
    ),
    ("<person> decides how the rules are read: <text>", Where::Both, |f| {
        staff(f, Act::DecideReading { reason: f.text("text")? })
    }),
    ("<person> records that the lit areas were wrong: <text>", Where::Both, |f| {
        staff(f, Act::DisplayFault { what: DisplayFault::LitAreas, note: f.text("text")? })
    }),
    ("<person> records that a display was wrong: <text>", Where::Both, |f| {
        staff(f, Act::DisplayFault { what: DisplayFault::Results, note: f.text("text")? })
    }),
    ("<person> acknowledges the alert <word:kind>", Where::Both, |f| {
        staff(f, Act::AcknowledgeAlert { kind: f.text("kind")? })
    }),
    // ---- terminals
    ("<terminal> bets <bets>", Where::Both, |f| terminal(f, TerminalAct::Bet(bets(f)?))),
    ("<terminal> withdraws <bets>", Where::Both, |f| terminal(f, TerminalAct::Withdraw(bets(f)?))),
    ("<terminal> withdraws everything", Where::Both, |f| terminal(f, TerminalAct::Clear)),
    ("<terminal> repeats its bets", Where::Both, |f| terminal(f, TerminalAct::Repeat { doubled: false })),
    ("<terminal> repeats its bets doubled", Where::Both, |f| terminal(f, TerminalAct::Repeat { doubled: true })),
    ("<terminal> shows the close", Where::Both, |f| terminal(f, TerminalAct::ShowClose)),
    ("<terminal> is lost", Where::Both, |f| terminal(f, TerminalAct::Lost)),
    ("<terminal> is back", Where::Both, |f| terminal(f, TerminalAct::Back)),
    ("<terminal> takes cash of <amount>", Where::Both, |f| terminal(f, TerminalAct::Cash(f.amount("amount")?))),
    ("<terminal> cashes out", Where::Both, |f| terminal(f, TerminalAct::CashOut)),
    ("<terminal> has printed the ticket", Where::Both, |f| terminal(f, TerminalAct::Printed)),
    ("<terminal> could not print the ticket", Where::Both, |f| terminal(f, TerminalAct::PrintFailed)),
    ("<terminal> takes the ticket in", Where::Both, |f| terminal(f, TerminalAct::TicketIn)),
    ("<terminal> takes the replaced ticket in", Where::Both, |f| terminal(f, TerminalAct::ReplacedTicketIn)),
    ("<terminal> sets a loss limit of <amount>", Where::Both, |f| {
        terminal(f, TerminalAct::LossLimit(Some(f.amount("amount")?)))
    }),
    ("<terminal> lifts its loss limit", Where::Both, |f| terminal(f, TerminalAct::LossLimit(None))),
    ("<person> locks <terminal> because <text>", Where::Both, |f| {
        staff(f, Act::Lock { terminal: number(f, "terminal")?, reason: f.text("text")? })
    }),
    ("<person> unlocks <terminal>", Where::Both, |f| staff(f, Act::Unlock { terminal: number(f, "terminal")? })),
    ("<person> puts <amount> on <terminal> [with <person:witness>]", Where::Both, |f| {
        let (terminal, amount) = (number(f, "terminal")?, f.amount("amount")?);
        staff(f, Act::AttendantIn { terminal, amount, witness: witness(f)? })
    }),
    ("<person> pays <amount> of <terminal> by hand [with <person:witness>]", Where::Both, |f| {
        let (terminal, amount) = (number(f, "terminal")?, f.amount("amount")?);
        staff(f, Act::AttendantPay { terminal, amount, witness: witness(f)? })
    }),
    // ---- the tumbler or wheel
    ("device is set off", Where::Both, |_| Ok(Do::Device(Report::Activated))),
    ("device tumbles <n> times", Where::Both, |f| Ok(Do::Device(Report::Tumbled(f.number("n")?)))),
    ("device sees the cover off", Where::Both, |_| Ok(Do::Device(Report::Uncovered))),
    ("device sees the cover on", Where::Both, |_| Ok(Do::Device(Report::Covered))),
    ("device reads <outcome>", Where::Both, |f| Ok(Do::Device(Report::Read(f.text("outcome")?)))),
    ("device sees a die not flat", Where::Both, |_| Ok(Do::Device(Report::NotFlat))),
    ("device sees the ball spun", Where::Both, |_| {
        Ok(Do::Device(Report::Spun { against_rotation: true, wheel_rotating: true }))
    }),
    ("device sees the ball spun with the wheel", Where::Both, |_| {
        Ok(Do::Device(Report::Spun { against_rotation: false, wheel_rotating: true }))
    }),
    ("device sees the ball spun over a standing wheel", Where::Both, |_| {
        Ok(Do::Device(Report::Spun { against_rotation: true, wheel_rotating: false }))
    }),
    ("device counts <n> revolutions", Where::Both, |f| Ok(Do::Device(Report::Revolved(f.number("n")?)))),
    ("device sees the ball rest in <outcome>", Where::Both, |f| Ok(Do::Device(Report::Rested(f.text("outcome")?)))),
    ("device sees the ball in no compartment", Where::Both, |_| Ok(Do::Device(Report::NoCompartment))),
    ("device sees the ball flung out", Where::Both, |_| Ok(Do::Device(Report::FlungOut))),
    ("device sees the wheel stop", Where::Both, |_| Ok(Do::Device(Report::WheelStopped))),
    ("device reports fault <n>", Where::Both, |f| Ok(Do::Device(Report::Fault(f.number("n")?)))),
    ("device reports that the fault is gone", Where::Both, |_| Ok(Do::Device(Report::Restored))),
    // ---- live chips
    ("<person> records <player> <word:bet>", Where::Both, |f| {
        let (spot, amount) = chips(f)?;
        staff(f, Act::PlaceChips { player: player(f)?, spot, amount, for_player: false })
    }),
    ("<person> places <word:bet> for <player>", Where::Both, |f| {
        let (spot, amount) = chips(f)?;
        staff(f, Act::PlaceChips { player: player(f)?, spot, amount, for_player: true })
    }),
    ("<person> records that <player> takes back <word:bet>", Where::Both, |f| {
        let (spot, amount) = chips(f)?;
        staff(f, Act::TakeChips { player: player(f)?, spot, amount })
    }),
    ("<person> rejects the excess on <spot>", Where::Both, |f| staff(f, Act::RejectExcess { spot: f.text("spot")? })),
    ("<person> points out the minimum on <spot> to <player>", Where::Both, |f| {
        staff(f, Act::AdviseMinimum { player: player(f)?, spot: f.text("spot")? })
    }),
    ("<person> refuses the bet on <spot> of <player>", Where::Both, |f| {
        staff(f, Act::RefuseUnderMinimum { player: player(f)?, spot: f.text("spot")? })
    }),
    ("<person> refuses a late bet of <player>", Where::Both, |f| staff(f, Act::RefuseLate { player: player(f)? })),
    ("<person> records that <player> walked away", Where::Both, |f| staff(f, Act::PlayerLeft { player: player(f)? })),
    // ---- the cage
    ("<person> opens a shift with <amount>", Where::Alone, |f| staff(f, Act::OpenShift { float: f.amount("amount")? })),
    ("<person> closes the shift with <amount>", Where::Alone, |f| {
        staff(f, Act::CloseShift { counted: f.amount("amount")? })
    }),
    ("<person> redeems the ticket [for <amount>]", Where::Both, |f| {
        let amount = f.get("amount").map(|_| f.amount("amount")).transpose()?;
        staff(f, Act::RedeemTicket { amount })
    }),
    ("<person> pays the correction of <round> [with <person:witness>]", Where::Both, |f| {
        let round = number(f, "round")?;
        staff(f, Act::PayCorrection { round, named: round, witness: witness(f)? })
    }),
    ("<person> pays the correction of <round> as one of <round:other>", Where::Both, |f| {
        staff(f, Act::PayCorrection { round: number(f, "round")?, named: number(f, "other")?, witness: None })
    }),
    // ---- devices in and out of service, second tumbles, interruptions (D18, D19, D21)
    ("<person> takes the device out of service because <text> [with <person:witness>]", Where::Both, |f| {
        service(f, false, false)
    }),
    ("<person> puts the device back in service because <text> [with <person:witness>]", Where::Both, |f| {
        service(f, false, true)
    }),
    ("<person> moves the device to the store [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::MoveDevice { to_table: false, witness: witness(f)? })
    }),
    ("<person> brings the device from the store to the table [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::MoveDevice { to_table: true, witness: witness(f)? })
    }),
    ("<person> takes the reading out of service because <text> [with <person:witness>]", Where::Both, |f| {
        service(f, true, false)
    }),
    ("<person> puts the reading back in service because <text> [with <person:witness>]", Where::Both, |f| {
        service(f, true, true)
    }),
    ("<person> ends the round with the first outcome [affirming <points>] [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::KeepFirst { affirmed: points(f), witness: witness(f)? })
    }),
    ("<person> reports that <what> failed", Where::Both, |f| staff(f, Act::Interruption { failed: failed(f)? })),
    ("<person> says that the fault affects the round", Where::Both, |f| staff(f, Act::AnswerFault { affects: true })),
    ("<person> says that the fault does not affect the round", Where::Both, |f| {
        staff(f, Act::AnswerFault { affects: false })
    }),
    // ---- live records (D20)
    ("<person> removes the record <word:bet> of <player> because <text> [with <person:witness>]", Where::Both, |f| {
        let (spot, amount) = chips(f)?;
        staff(f, Act::RemoveChips { player: player(f)?, spot, amount, reason: f.text("text")?, witness: witness(f)? })
    }),
    ("<person> declares that the dice are uncovered", Where::Both, |f| staff(f, Act::DeclareUncovered)),
    (
        "<person> corrects the record of <player> in <round> to <word:bet> because <text> [with <person:witness>]",
        Where::Both,
        |f| {
            let ((spot, amount), round) = (chips(f)?, number(f, "round")?);
            let (player, reason) = (player(f)?, f.text("text")?);
            staff(f, Act::CorrectRecord { round, player, spot, amount, reason, witness: witness(f)? })
        },
    ),
    ("<person> states that the ball has come to rest [affirming <points>]", Where::Both, |f| {
        staff(f, Act::StateRest { affirmed: points(f) })
    }),
    // ---- past rounds, acting alone, a choice of tables (D24, D28, D29)
    ("<person> decides that <outcome> stands in <round> because <text> [with <person:witness>]", Where::Both, |f| {
        let (round, outcome, reason) = (number(f, "round")?, f.text("outcome")?, f.text("text")?);
        staff(f, Act::DecideOutcome { round, outcome, reason, witness: witness(f)? })
    }),
    (
        "<person> changes <round:first> to <round:last> into <outcome> because <text> [with <person:witness>]",
        Where::Both,
        |f| {
            let (first, last, outcome) = (number(f, "first")?, number(f, "last")?, Some(f.text("outcome")?));
            staff(
                f,
                Act::ChangeRounds { first, last, outcome, ground: None, reason: f.text("text")?, witness: witness(f)? },
            )
        },
    ),
    (
        "<person> changes <round:first> to <round:last> into void for <ground> because <text> [with <person:witness>]",
        Where::Both,
        |f| {
            let (first, last, ground) = (number(f, "first")?, number(f, "last")?, Some(ground(f)?));
            staff(
                f,
                Act::ChangeRounds { first, last, outcome: None, ground, reason: f.text("text")?, witness: witness(f)? },
            )
        },
    ),
    ("<person> looks at what changing <round:first> to <round:last> into <outcome> would move", Where::Both, |f| {
        let (first, last) = (number(f, "first")?, number(f, "last")?);
        let outcome = Some(f.text("outcome")?).filter(|outcome| outcome != "void");
        staff(f, Act::PreviewRounds { first, last, outcome })
    }),
    (
        "<person> calls a second person for <word:act> [of <round>] [of <terminal>] [up to <amount>] because <text>",
        Where::Both,
        |f| call_second(f, false),
    ),
    (
        "<person> calls a second person to the other table for <word:act> [of <round>] [up to <amount>] because <text>",
        Where::Both,
        |f| call_second(f, true),
    ),
    ("<person> answers the call", Where::Both, |f| staff(f, Act::AnswerCall)),
    ("<person> countersigns", Where::Both, |f| staff(f, Act::Countersign)),
    ("<person> lets <terminal> choose between the tables", Where::Both, |f| {
        staff(f, Act::OfferTables { terminal: number(f, "terminal")? })
    }),
    ("<terminal> chooses the other table", Where::Both, |f| terminal(f, TerminalAct::Choose { other: true })),
    ("<terminal> chooses the first table", Where::Both, |f| terminal(f, TerminalAct::Choose { other: false })),
    // ---- tickets in doubt (D25)
    ("<person> finds the ticket in hand because <text> [with <person:witness>]", Where::Both, |f| {
        resolve(f, Doubt::InHand)
    }),
    ("<person> finds the ticket not printed because <text> [with <person:witness>]", Where::Both, |f| {
        resolve(f, Doubt::NotPrinted)
    }),
    ("<person> pays the ticket by hand because <text> [with <person:witness>]", Where::Both, |f| {
        resolve(f, Doubt::PaidByHand)
    }),
    ("<person> prints the ticket again because <text> [with <person:witness>]", Where::Both, |f| {
        staff(f, Act::Reprint { reason: f.text("text")?, witness: witness(f)? })
    }),
    ("<person> has the duplicate printed", Where::Both, |f| staff(f, Act::Reprinted)),
    // ---- accounts and thresholds (D27)
    ("<person> employs a <word:post> [with <person:witness>]", Where::Alone, |f| {
        staff(f, Act::Employ { post: f.text("post")?, witness: witness(f)? })
    }),
    (
        "<person> sets what one person moves alone to <amount> because <text> [with <person:witness>]",
        Where::Alone,
        |f| {
            let (amount, reason) = (f.amount("amount")?, f.text("text")?);
            staff(f, Act::SetAlone { amount, reason, witness: witness(f)? })
        },
    ),
    // ---- the host
    ("the host restarts", Where::Alone, |_| Ok(Do::Host(HostAct::Restart { after: 1 }))),
    ("the host restarts after <n> seconds", Where::Clock, |f| Ok(Do::Host(HostAct::Restart { after: f.number("n")? }))),
    ("<n> seconds pass", Where::Clock, |f| Ok(Do::Host(HostAct::Wait { seconds: f.number("n")? }))),
    // ---- what must be so
    ("<terminal> has credit <amount>", Where::Both, |f| {
        Ok(Do::See(See::Credit { terminal: number(f, "terminal")?, amount: f.amount("amount")? }))
    }),
    ("<terminal> has <amount> staked", Where::Both, |f| {
        Ok(Do::See(See::Staked { terminal: number(f, "terminal")?, amount: f.amount("amount")? }))
    }),
    ("<terminal> shows the notice <text>", Where::Both, |f| {
        Ok(Do::See(See::Notice { terminal: number(f, "terminal")?, text: f.text("text")? }))
    }),
    ("the round is <phase>", Where::Both, |f| {
        Ok(Do::See(match f.text("phase")?.as_str() {
            "interrupted" => See::Interrupted(true),
            phase @ ("begun" | "open" | "closed" | "entered") => See::Phase(phase.to_owned()),
            other => return Err(format!("'{other}' is no phase: begun, open, closed, entered or interrupted")),
        }))
    }),
    ("the round is not interrupted", Where::Both, |_| Ok(Do::See(See::Interrupted(false)))),
    ("the round is halted by <ground>", Where::Both, |f| Ok(Do::See(See::Halted { ground: ground(f)? }))),
    ("the round is not halted", Where::Both, |_| Ok(Do::See(See::NotHalted))),
    ("no round is on", Where::Both, |_| Ok(Do::See(See::NoRound))),
    ("<round> is void", Where::Both, |f| Ok(Do::See(See::Void { round: number(f, "round")? }))),
    ("<round> is void under this paragraph", Where::Both, |f| {
        Ok(Do::See(See::VoidUnder { round: number(f, "round")?, rule: None }))
    }),
    ("<round> is void under <word:rule>", Where::Both, |f| {
        Ok(Do::See(See::VoidUnder { round: number(f, "round")?, rule: Some(f.text("rule")?) }))
    }),
    ("<round> ended with <outcome>", Where::Both, |f| {
        Ok(Do::See(See::Ended { round: number(f, "round")?, outcome: f.text("outcome")? }))
    }),
    ("the console proposes <finding>", Where::Both, |f| Ok(Do::See(See::Proposal(finding(f)?)))),
    ("the pit sees the alert <word:kind>", Where::Both, |f| Ok(Do::See(See::Alert(f.text("kind")?)))),
    ("the pit sees no alert <word:kind>", Where::Both, |f| Ok(Do::See(See::NoAlert(f.text("kind")?)))),
    ("the cage owes <amount> for <round>", Where::Both, |f| {
        Ok(Do::See(See::Payable { round: number(f, "round")?, amount: f.amount("amount")? }))
    }),
    ("the cage owes nothing", Where::Both, |_| Ok(Do::See(See::NothingPayable))),
    ("the results are <word:list>", Where::Both, |f| {
        let list = f.text("list")?;
        let list = if list == "none" { Vec::new() } else { list.split(',').map(str::to_owned).collect() };
        Ok(Do::See(See::Results(list)))
    }),
    ("the limits of <word:family> are <amount:least> to <amount:most>", Where::Both, |f| {
        let (minimum, maximum) = (f.amount("least")?, f.amount("most")?);
        Ok(Do::See(See::Limits { family: f.text("family")?, minimum, maximum }))
    }),
    ("the box <spot> holds <amount>", Where::Both, |f| {
        Ok(Do::See(See::Box { spot: f.text("spot")?, amount: f.amount("amount")? }))
    }),
    ("the box <spot> is <amount> over", Where::Both, |f| {
        Ok(Do::See(See::Excess { spot: f.text("spot")?, amount: f.amount("amount")? }))
    }),
    ("<player> gets back <amount>", Where::Both, |f| {
        Ok(Do::See(See::Returned { player: player(f)?, amount: f.amount("amount")? }))
    }),
    ("the preview pays <amount> to players", Where::Both, |f| preview(f, Moved::Paid)),
    ("the preview leaves <amount> at the cage", Where::Both, |f| preview(f, Moved::Payable)),
    ("the preview takes <amount> from players", Where::Both, |f| preview(f, Moved::Taken)),
    ("the preview cannot collect <amount>", Where::Both, |f| preview(f, Moved::Uncollected)),
    ("<player> has <amount> at risk on <spot>", Where::Both, |f| {
        Ok(Do::See(See::AtRisk { player: player(f)?, spot: f.text("spot")?, amount: f.amount("amount")? }))
    }),
];

/// Every sentence, read once.
pub fn vocabulary() -> &'static [Sentence] {
    static READ: OnceLock<Vec<Sentence>> = OnceLock::new();
    READ.get_or_init(|| {
        let read = |(text, place, make): &Row| Sentence { phrase: Phrase::new(text), place: *place, make: *make };
        TABLE.iter().map(read).collect()
    })
}
