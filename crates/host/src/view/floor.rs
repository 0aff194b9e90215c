//! The sections of the views. A feed sends them whole at first and those that changed from then on.

use floor::{
    AlertKind, ConsoleView, Device, DeviceKind, DevicePlace, Finding, Floor, Limit, Moment, Phase, Post, Table,
    TableId, TableMode, TableSettings, Terminal, TerminalId,
};
use rulebook::{Family, OutcomeIndex, Rulebook};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::Error;
use crate::view::{Money, Words};

/// A limit of a kind of bet.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LimitSection {
    /// The kind of bet.
    #[schema(example = "single")]
    pub family: String,
    /// The least a player may bet on a spot.
    pub minimum: Money,
    /// The most: per player and spot on terminals, per box on a live table.
    pub maximum: Option<Money>,
}

/// What changes rarely about a table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TableSection {
    /// Which table.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// The id of its rulebook.
    #[schema(example = "rws-sicbo")]
    pub game: String,
    /// The hash of its rulebook.
    pub rulebook: String,
    /// The title of the game.
    pub title: Words,
    /// How it is run.
    pub mode: ModeName,
    /// Whether it is open.
    pub open: bool,
    /// When it closes, once announced (S3): milliseconds since 1970.
    pub closes_at: Option<i64>,
    /// Whether a machine deals (S22).
    pub automatic: bool,
    /// Limits by kind of bet (S4).
    pub limits: Vec<LimitSection>,
    /// The largest differential of a live table.
    pub differential: Option<Money>,
    /// Limits that hold from the next round on, once announced (S12).
    pub announced: Option<Vec<LimitSection>>,
    /// Every bet is a multiple of this.
    pub step: Money,
    /// Milliseconds from opening until bets close by themselves; zero: the dealer closes (S22).
    pub betting_period: i64,
}

/// How a table is run.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeName {
    /// With Player Terminals.
    Terminals,
    /// Live, with results, voids, float and drop only.
    ResultsOnly,
    /// Live, with the chips on the layout recorded.
    BetsRecorded,
}

impl From<TableMode> for ModeName {
    fn from(mode: TableMode) -> ModeName {
        match mode {
            TableMode::Terminals => ModeName::Terminals,
            TableMode::ResultsOnly => ModeName::ResultsOnly,
            TableMode::BetsRecorded => ModeName::BetsRecorded,
        }
    }
}

impl From<ModeName> for TableMode {
    fn from(mode: ModeName) -> TableMode {
        match mode {
            ModeName::Terminals => TableMode::Terminals,
            ModeName::ResultsOnly => TableMode::ResultsOnly,
            ModeName::BetsRecorded => TableMode::BetsRecorded,
        }
    }
}

/// How far a round has come.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// The device was activated; bets are not yet open.
    Begun,
    /// Bets are taken.
    Open,
    /// No more bets.
    Closed,
    /// A result is entered and waits to be confirmed.
    Entered,
}

impl From<Phase> for PhaseName {
    fn from(phase: Phase) -> PhaseName {
        match phase {
            Phase::Begun => PhaseName::Begun,
            Phase::Open => PhaseName::Open,
            Phase::Closed => PhaseName::Closed,
            Phase::Entered => PhaseName::Entered,
        }
    }
}

/// The round in progress, for everybody.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RoundSection {
    /// Which round.
    pub id: u64,
    /// How far it has come.
    pub phase: PhaseName,
    /// What is shown or announced now, in the words of the document.
    pub notice: Option<Words>,
    /// When it began.
    pub began_at: i64,
    /// When bets close by themselves.
    pub closes_at: Option<i64>,
    /// Whether a reported ground halts it.
    pub halted: bool,
    /// Whether it waits for an attestation.
    pub interrupted: bool,
    /// The device is at work.
    pub running: bool,
    /// The dice are uncovered.
    pub uncovered: bool,
    /// The result entered.
    pub outcome: Option<String>,
}

/// A result for the history: for information only.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ResultRow {
    /// Which round.
    pub round: u64,
    /// Its result.
    #[schema(example = "2-2-3")]
    pub outcome: String,
}

/// What became of the last round.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LastRoundSection {
    /// Which round.
    pub round: u64,
    /// Its result; `null` if it is void.
    pub outcome: Option<String>,
    /// Why it is void, as far as this host saw it happen.
    pub void: Option<VoidSection>,
}

/// Why a round is void (S2).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct VoidSection {
    /// Words.
    pub words: Words,
    /// The paragraph.
    pub paragraph: Option<String>,
}

/// A stake on a spot.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct BetRow {
    /// Where.
    #[schema(example = "single/2")]
    pub spot: String,
    /// The multi-piece bet it belongs to; 0 for a plain bet.
    pub group: u16,
    /// How much stands there now; 0.00 when it is gone.
    pub stake: Money,
}

/// A multi-piece bet.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PiecesRow {
    /// Its number at the terminal in this round.
    pub group: u16,
    /// Its notation.
    #[schema(example = "neighbours/21/2")]
    pub bet: String,
    /// The unit.
    pub unit: Money,
}

/// The last round of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct LastBetsSection {
    /// Which round.
    pub round: u64,
    /// Its result; `null` if it is void.
    pub outcome: Option<String>,
    /// What was bet.
    pub staked: Money,
    /// What came back.
    pub returned: Money,
}

/// What a player sees of the own terminal.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OwnSection {
    /// Which terminal.
    pub terminal: u32,
    /// Its name.
    pub name: String,
    /// Its layout.
    pub layout: String,
    /// Its kind.
    pub kind: String,
    /// Whether it can be used.
    pub usable: bool,
    /// Why not.
    pub why: Option<Words>,
    /// What can be bet or cashed out.
    pub credit: Money,
    /// What is put aside for a ticket that is being printed.
    pub printing: Money,
    /// The sum of the bets.
    pub staked: Money,
    /// The player's own limit for the visit (S4).
    pub loss_limit: Option<Money>,
    /// The last round of this visit.
    pub last: Option<LastBetsSection>,
    /// The own multi-piece bets.
    pub pieces: Vec<PiecesRow>,
}

/// The text form of an outcome.
pub fn outcome(rulebook: &Rulebook, index: OutcomeIndex) -> String {
    rulebook.outcomes().outcome(index).map_or_else(String::new, |outcome| outcome.to_string())
}

fn limits(rulebook: &Rulebook, settings: &TableSettings) -> Vec<LimitSection> {
    rulebook.families().keys().map(|family| limit(*family, settings.limit_of(*family))).collect()
}

fn limit(family: Family, limit: Limit) -> LimitSection {
    let (minimum, maximum) = (limit.minimum.into(), limit.maximum.map(Money));
    LimitSection { family: family.as_str().to_owned(), minimum, maximum }
}

/// The table's own section.
pub fn table(floor: &Floor, id: TableId, automatic: bool) -> Option<TableSection> {
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let settings = table.settings();
    Some(TableSection {
        id: id.0,
        name: table.name().to_owned(),
        game: rulebook.id().to_owned(),
        rulebook: rulebook.hash().to_string(),
        title: (&rulebook.identity().title).into(),
        mode: table.mode().into(),
        open: table.is_open(),
        closes_at: table.closes_at().map(|at| at.0),
        automatic,
        limits: limits(rulebook, settings),
        differential: settings.differential.map(Money),
        announced: table.announced_settings().map(|settings| limits(rulebook, settings)),
        step: settings.step.into(),
        betting_period: settings.betting_period,
    })
}

/// The round in progress.
pub fn round(floor: &Floor, id: TableId) -> Option<RoundSection> {
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let round = table.round()?;
    let procedure = rulebook.procedure();
    let notice = match round.phase() {
        Phase::Begun => None,
        Phase::Open => Some(&procedure.opening.text),
        _ => Some(&procedure.closing.text),
    };
    let seen = round.seen();
    Some(RoundSection {
        id: round.id().0,
        phase: round.phase().into(),
        notice: notice.map(Words::from),
        began_at: round.begun_at().0,
        closes_at: round.closes_at().filter(|_| round.phase() == Phase::Open).map(|at| at.0),
        halted: round.ground().is_some(),
        interrupted: round.is_interrupted(),
        running: seen.running,
        uncovered: seen.uncovered,
        outcome: round.outcome().map(|index| outcome(rulebook, index)),
    })
}

/// Recent results, oldest first.
pub fn results(floor: &Floor, id: TableId) -> Vec<ResultRow> {
    let Some((table, rulebook)) = floor.table(id).and_then(|table| Some((table, floor.rulebook_of(table)?))) else {
        return Vec::new();
    };
    table.history().map(|(round, index)| ResultRow { round: round.0, outcome: outcome(rulebook, index) }).collect()
}

/// The newest results, oldest first.
pub fn last_results(floor: &Floor, id: TableId, count: usize) -> Vec<ResultRow> {
    let Some((table, rulebook)) = floor.table(id).and_then(|table| Some((table, floor.rulebook_of(table)?))) else {
        return Vec::new();
    };
    let row = |(round, index): (floor::RoundId, OutcomeIndex)| ResultRow {
        round: round.0,
        outcome: outcome(rulebook, index),
    };
    let mut rows: Vec<ResultRow> = table.history().rev().take(count).map(row).collect();
    rows.reverse();
    rows
}

/// What became of the last round.
pub fn last_round(
    floor: &Floor,
    id: TableId,
    why: impl Fn(floor::RoundId) -> Option<VoidSection>,
) -> Option<LastRoundSection> {
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let archived = table.archive().next_back()?;
    let outcome = archived.outcome().map(|index| outcome(rulebook, index));
    let void = if outcome.is_none() { why(archived.id()) } else { None };
    Some(LastRoundSection { round: archived.id().0, outcome, void })
}

/// The spots lit over the table: those that win by the result shown, on any of its layouts.
pub fn lit(floor: &Floor, id: TableId) -> Vec<String> {
    let lit = floor.display_view(id).map(|view| view.lit).unwrap_or_default();
    lit.iter().map(ToString::to_string).collect()
}

/// A terminal's own section.
pub fn own(floor: &Floor, id: TerminalId) -> Option<OwnSection> {
    let terminal = floor.terminal(id)?;
    let layout = floor.layout_of(terminal)?;
    let table = floor.table(terminal.table())?;
    let rulebook = floor.rulebook_of(table)?;
    let last = terminal.last_round().and_then(|round| table.archived(round)).and_then(|archived| {
        let entry = archived.entry(id).filter(|entry| entry.visit().is_some() && entry.visit() == terminal.visit())?;
        Some(LastBetsSection {
            round: archived.id().0,
            outcome: archived.outcome().map(|index| outcome(rulebook, index)),
            staked: entry.staked().into(),
            returned: entry.entitled().into(),
        })
    });
    let why = unusable(terminal);
    Some(OwnSection {
        terminal: id.0,
        name: terminal.name().to_owned(),
        layout: layout.id().to_owned(),
        kind: terminal.kind().to_owned(),
        usable: why.is_none(),
        why,
        credit: terminal.credit().into(),
        printing: terminal.prepared().into(),
        staked: terminal.staked().into(),
        loss_limit: terminal.loss_limit().map(Money),
        last,
        pieces: terminal
            .groups()
            .iter()
            .map(|group| PiecesRow { group: group.id, bet: group.bet.clone(), unit: group.unit.into() })
            .collect(),
    })
}

fn unusable(terminal: &Terminal) -> Option<Words> {
    match terminal.locked() {
        Some(floor::LockReason::Person(_, reason)) => {
            Some(Words::new(format!("This terminal is locked: {reason}"), format!("终端已锁定：{reason}")))
        }
        Some(floor::LockReason::Meters) => {
            Some(Words::new("This terminal is locked: its meters do not agree", "终端已锁定：计数不符"))
        }
        None if !terminal.is_live() => Some(Words::new("This terminal is not connected", "终端未连接")),
        None => None,
    }
}

/// The bets that stand at a terminal.
pub fn bets(floor: &Floor, id: TerminalId) -> Vec<BetRow> {
    let Some((terminal, layout)) = floor.terminal(id).and_then(|t| Some((t, floor.layout_of(t)?))) else {
        return Vec::new();
    };
    let row = |stake: &floor::Stake| {
        let spot = layout.table().spot(stake.spot)?.spot.to_string();
        Some(BetRow { spot, group: stake.group, stake: stake.amount.into() })
    };
    terminal.stakes().iter().filter_map(row).collect()
}

/// A person, by name.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PersonRow {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
}

/// How many terminals a table has.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TerminalCounts {
    /// Enrolled at the table.
    pub enrolled: usize,
    /// With a link.
    pub live: u32,
    /// With bets in this round.
    pub betting: usize,
}

/// A terminal as the console sees it: no bets, no credit, only how much is staked.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ConsoleTerminal {
    /// Which.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its layout.
    pub layout: String,
    /// Whether its link is up.
    pub live: bool,
    /// Whether it is locked.
    pub locked: bool,
    /// Whether it has acknowledged the close of this round (D12).
    pub acknowledged: bool,
    /// What it has staked in all.
    pub staked: Money,
}

/// What an outcome would cost the house.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ExposureRow {
    /// The outcome.
    pub outcome: String,
    /// What the house would lose; negative where it would win.
    pub loss: Money,
}

/// The result entered, and what it would return in all.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct EnteredSection {
    /// The result.
    pub outcome: String,
    /// What would be returned in all.
    pub returns: Money,
}

/// A ground that a device has reported.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct GroundSection {
    /// Which ground.
    pub id: String,
    /// Words for it.
    pub name: Words,
    /// Its paragraph.
    pub paragraph: String,
    /// Whether it is only proposed to the dealer.
    pub proposed: bool,
    /// The device that reported it.
    pub device: u16,
}

/// A device as the console sees it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DeviceSection {
    /// Which.
    pub id: u16,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DeviceKindName,
    /// Where it is.
    pub place: PlaceSection,
    /// Its fault, by its number.
    pub fault: Option<u16>,
    /// Whether it is simulated (S21).
    pub simulated: bool,
}

/// What a device is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKindName {
    /// A dice tumbler.
    Tumbler,
    /// A roulette wheel.
    Wheel,
    /// A cash validator.
    Validator,
    /// Something that records the chips on a live table.
    ChipReader,
}

impl From<DeviceKind> for DeviceKindName {
    fn from(kind: DeviceKind) -> DeviceKindName {
        match kind {
            DeviceKind::Tumbler => DeviceKindName::Tumbler,
            DeviceKind::Wheel => DeviceKindName::Wheel,
            DeviceKind::Validator => DeviceKindName::Validator,
            DeviceKind::ChipReader => DeviceKindName::ChipReader,
        }
    }
}

impl From<DeviceKindName> for DeviceKind {
    fn from(kind: DeviceKindName) -> DeviceKind {
        match kind {
            DeviceKindName::Tumbler => DeviceKind::Tumbler,
            DeviceKindName::Wheel => DeviceKind::Wheel,
            DeviceKindName::Validator => DeviceKind::Validator,
            DeviceKindName::ChipReader => DeviceKind::ChipReader,
        }
    }
}

/// Where a device is: at a table, in a terminal, or in the store when neither is given.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceSection {
    /// At a table.
    #[serde(default)]
    pub table: Option<u16>,
    /// In a terminal.
    #[serde(default)]
    pub terminal: Option<u32>,
}

impl From<DevicePlace> for PlaceSection {
    fn from(place: DevicePlace) -> PlaceSection {
        match place {
            DevicePlace::Store => PlaceSection { table: None, terminal: None },
            DevicePlace::Table(table) => PlaceSection { table: Some(table.0), terminal: None },
            DevicePlace::Terminal(terminal) => PlaceSection { table: None, terminal: Some(terminal.0) },
        }
    }
}

/// What the devices have said of the round.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SeenSection {
    /// The tumbler was set off, or the ball spun, in this round.
    pub set_off: bool,
    /// The device is at work.
    pub running: bool,
    /// Tumbles or revolutions of the last one.
    pub times: Option<u8>,
    /// The dice were lawfully uncovered.
    pub uncovered: bool,
    /// What was read after the close, complete or in part: faces with `null` for one not read, or the pocket.
    pub read: Vec<Option<String>>,
    /// The ball came to rest before the close (D4).
    pub rested_early: bool,
}

/// What the host proposes after an interruption (D6).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ProposalSection {
    /// The phase the round was in.
    pub phase: PhaseName,
    /// What the host proposes to attest.
    pub finding: FindingName,
    /// The paragraph behind it.
    pub paragraph: String,
    /// Bets that have conclusively won or lost, as far as the host knows; the first hundred.
    pub concluded: Vec<ConcludedRow>,
    /// How many there are.
    pub concluded_in_all: usize,
}

/// A bet that has conclusively won or lost.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ConcludedRow {
    /// Which spot.
    pub spot: String,
    /// Whether it has won.
    pub won: bool,
}

/// What an interruption did (D6).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingName {
    /// Continuation is not affected.
    NotAffected,
    /// It is, and an outcome is established.
    Established,
    /// It is, and none is.
    NotEstablished,
}

impl From<Finding> for FindingName {
    fn from(finding: Finding) -> FindingName {
        match finding {
            Finding::NotAffected => FindingName::NotAffected,
            Finding::Established => FindingName::Established,
            Finding::NotEstablished => FindingName::NotEstablished,
        }
    }
}

impl From<FindingName> for Finding {
    fn from(finding: FindingName) -> Finding {
        match finding {
            FindingName::NotAffected => Finding::NotAffected,
            FindingName::Established => Finding::Established,
            FindingName::NotEstablished => Finding::NotEstablished,
        }
    }
}

/// A player's chips in a box.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PositionAmount {
    /// Where the player stands.
    pub position: u8,
    /// How much.
    pub amount: Money,
}

/// A betting box of a live table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct BoxSection {
    /// Which spot.
    pub spot: String,
    /// Who has how much there.
    pub bets: Vec<PositionAmount>,
    /// The sum.
    pub total: Money,
    /// What exceeds the box or the differential.
    pub excess: Money,
    /// Positions whose bet is under the minimum.
    pub under_minimum: Vec<u8>,
}

/// What a player of a live table got in the last round, in the order of paying.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PayoutRow {
    /// Where the player stands.
    pub position: u8,
    /// Where the bet was.
    pub spot: String,
    /// The bet as it stood.
    pub bet: Money,
    /// What of it won or lost, after pro rata.
    pub at_risk: Money,
    /// What goes to the player, stakes included.
    pub returned: Money,
}

/// The chips of a live table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FloatSection {
    /// Chips in the float.
    pub float: Money,
    /// Cash in the drop.
    pub drop: Money,
    /// Chips with players.
    pub with_players: Money,
}

/// Whether each of the dealer's next steps is allowed: `null`, or why not.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MaySection {
    /// Take the table over.
    pub take_table: Option<Error>,
    /// Begin the round with the activation.
    pub begin_round: Option<Error>,
    /// Open bets.
    pub open_bets: Option<Error>,
    /// Close bets.
    pub close_bets: Option<Error>,
    /// Enter a result.
    pub enter_result: Option<Error>,
    /// Confirm it.
    pub confirm_result: Option<Error>,
    /// Declare a void ground.
    pub declare_ground: Option<Error>,
    /// Open the table.
    pub open_table: Option<Error>,
    /// Announce its closing.
    pub announce_closing: Option<Error>,
    /// Close it.
    pub close_table: Option<Error>,
}

/// What the dealer's console shows beside the table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ConsoleSection {
    /// The dealer who has the table.
    pub dealer: Option<PersonRow>,
    /// How many terminals.
    pub terminals: TerminalCounts,
    /// Each of them, the first thousand.
    pub list: Vec<ConsoleTerminal>,
    /// Live terminals that have not yet acknowledged the close (D12).
    pub awaiting: u32,
    /// Stakes in all.
    pub staked: Money,
    /// The outcome that costs the house most.
    pub worst: Option<ExposureRow>,
    /// What each outcome would cost, in the order of the rulebook's outcomes.
    pub exposure: Vec<ExposureRow>,
    /// The result entered.
    pub entered: Option<EnteredSection>,
    /// The ground a device has reported.
    pub ground: Option<GroundSection>,
    /// The devices at the table.
    pub devices: Vec<DeviceSection>,
    /// What they have said of the round.
    pub seen: Option<SeenSection>,
    /// What the host proposes after an interruption.
    pub proposal: Option<ProposalSection>,
    /// The boxes of a live table.
    pub boxes: Vec<BoxSection>,
    /// What the last round of a live table paid.
    pub payouts: Vec<PayoutRow>,
    /// The chips of a live table.
    pub float: Option<FloatSection>,
    /// What the person at the console may do now.
    pub may: MaySection,
}

/// A device, for the console and the administration.
pub fn device(device: &Device, simulated: bool) -> DeviceSection {
    DeviceSection {
        id: device.id().0,
        name: device.name().to_owned(),
        kind: device.kind().into(),
        place: device.place().into(),
        fault: device.fault(),
        simulated,
    }
}

/// A person by the id.
pub fn person(floor: &Floor, id: floor::StaffId) -> Option<PersonRow> {
    floor.person(id).map(|staff| PersonRow { id: id.0, name: staff.name().to_owned() })
}

/// What each outcome would cost the house.
pub fn exposure(rulebook: &Rulebook, table: &Table) -> Vec<ExposureRow> {
    let Some(round) = table.round().filter(|_| table.mode() == TableMode::Terminals) else { return Vec::new() };
    let row = |index| ExposureRow { outcome: outcome(rulebook, index), loss: round.exposure().liability(index).into() };
    rulebook.outcomes().indices().map(row).collect()
}

/// What the console shows, without what its person may do.
pub fn console(floor: &Floor, id: TableId, may: MaySection, simulated: bool) -> Option<ConsoleSection> {
    let ConsoleView { dealer, terminals, awaiting, staked, worst, entered, ground, proposal, boxes, .. } =
        floor.console_view(id)?;
    let table = floor.table(id)?;
    let rulebook = floor.rulebook_of(table)?;
    let this_round = table.round().map(floor::Round::id);
    let list =
        table.terminals().iter().take(1_000).filter_map(|id| floor.terminal(*id)).map(|terminal| ConsoleTerminal {
            id: terminal.id().0,
            name: terminal.name().to_owned(),
            layout: floor.layout_of(terminal).map_or_else(String::new, |layout| layout.id().to_owned()),
            live: terminal.is_live(),
            locked: terminal.locked().is_some(),
            acknowledged: this_round.is_some() && terminal.acknowledged() == this_round,
            staked: terminal.staked().into(),
        });
    let row = |(index, loss): (OutcomeIndex, _)| ExposureRow { outcome: outcome(rulebook, index), loss: Money(loss) };
    let here = |device: &&Device| device.place() == DevicePlace::Table(id);
    let live = table.mode() != TableMode::Terminals;
    Some(ConsoleSection {
        dealer: dealer.and_then(|id| person(floor, id)),
        terminals: TerminalCounts { enrolled: terminals.0, live: terminals.1, betting: terminals.2 },
        list: list.collect(),
        awaiting,
        staked: staked.into(),
        worst: worst.map(row),
        exposure: exposure(rulebook, table),
        entered: entered
            .map(|(index, returns)| EnteredSection { outcome: outcome(rulebook, index), returns: returns.into() }),
        ground: ground.map(|(open, paragraph, name)| GroundSection {
            id: open.ground.as_str().to_owned(),
            name: (&name).into(),
            paragraph: paragraph.to_string(),
            proposed: open.proposed,
            device: open.device.0,
        }),
        devices: floor.devices().iter().filter(here).map(|found| device(found, simulated)).collect(),
        seen: table.round().map(|round| seen(rulebook, round)),
        proposal: proposal.map(|proposal| ProposalSection {
            phase: proposal.phase.into(),
            finding: proposal.finding.into(),
            paragraph: proposal.paragraph,
            concluded_in_all: proposal.concluded.len(),
            concluded: proposal
                .concluded
                .iter()
                .take(100)
                .map(|(spot, conclusion)| ConcludedRow {
                    spot: spot.to_string(),
                    won: *conclusion == rulebook::Conclusion::Won,
                })
                .collect(),
        }),
        boxes: boxes.iter().map(box_section).collect(),
        payouts: if live { payouts(floor, table) } else { Vec::new() },
        float: live.then(|| FloatSection {
            float: table.float().into(),
            drop: table.drop().into(),
            with_players: table.chips_with_players().into(),
        }),
        may,
    })
}

fn box_section(found: &floor::BoxView) -> BoxSection {
    BoxSection {
        spot: found.spot.to_string(),
        bets: found
            .bets
            .iter()
            .map(|(position, amount)| PositionAmount { position: position.0, amount: (*amount).into() })
            .collect(),
        total: found.total.into(),
        excess: found.excess.into(),
        under_minimum: found.under_minimum.iter().map(|position| position.0).collect(),
    }
}

fn payouts(floor: &Floor, table: &Table) -> Vec<PayoutRow> {
    let layout = floor.rulebook_of(table).and_then(|rulebook| rulebook.layouts().first());
    let Some((layout, archived)) = layout.zip(table.archive().next_back()) else { return Vec::new() };
    let row = |share: &floor::ChipShare| {
        let spot = layout.table().spot(share.spot)?.spot.to_string();
        let (bet, at_risk, returned) = (share.bet.into(), share.at_risk.into(), share.returned.into());
        Some(PayoutRow { position: share.position.0, spot, bet, at_risk, returned })
    };
    archived.shares().iter().filter_map(row).collect()
}

fn seen(rulebook: &Rulebook, round: &floor::Round) -> SeenSection {
    let seen = round.seen();
    let read = match rulebook.outcomes().wheel() {
        Some(_) => seen.pocket.map(|index| Some(outcome(rulebook, index))).into_iter().collect(),
        None if seen.dice.iter().all(Option::is_none) => Vec::new(),
        None => seen.dice.iter().map(|face| face.map(|face| face.dots().to_string())).collect(),
    };
    SeenSection {
        set_off: seen.set_off,
        running: seen.running,
        times: seen.times,
        uncovered: seen.uncovered,
        read,
        rested_early: seen.rested_early,
    }
}

/// An alert at the pit.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AlertSection {
    /// Which.
    pub id: u64,
    /// Since when.
    pub at: i64,
    /// Which table.
    pub table: Option<u16>,
    /// A stable code of what it is about.
    pub kind: String,
    /// Words.
    pub words: Words,
}

/// An alert with its words.
pub fn alert(floor: &Floor, alert: &floor::Alert) -> AlertSection {
    let terminal = |id: TerminalId| floor.terminal(id).map_or_else(|| id.to_string(), |t| t.name().to_owned());
    let device = |id: floor::DeviceId| floor.device(id).map_or_else(|| format!("device {id}"), |d| d.name().to_owned());
    let (kind, en, zh) = match alert.what() {
        AlertKind::TerminalLost(id) => {
            ("terminal_lost", format!("{} is lost", terminal(*id)), format!("终端 {} 断线", terminal(*id)))
        }
        AlertKind::DeviceFault(id, number) => (
            "device_fault",
            format!("{} reports fault {number}", device(*id)),
            format!("设备 {} 报告故障 {number}", device(*id)),
        ),
        AlertKind::DeviceSilent(round) => {
            ("device_silent", format!("No device said anything of round {round}"), format!("第 {round} 局没有设备读数"))
        }
        AlertKind::DeviceDisagrees(round) => (
            "device_disagrees",
            format!("The device read something else than was entered in round {round}"),
            format!("第 {round} 局设备读数与输入结果不符"),
        ),
        AlertKind::DeviceNonsense(id) => (
            "device_nonsense",
            format!("{} reported what makes no sense now", device(*id)),
            format!("设备 {} 的报告不合时序", device(*id)),
        ),
        AlertKind::RestedEarly(round) => (
            "rested_early",
            format!("The ball came to rest before the close of round {round}"),
            format!("第 {round} 局停止下注前球已停定"),
        ),
        AlertKind::Uncollected(round, amount) => (
            "uncollected",
            format!("{amount} of round {round} could not be collected"),
            format!("第 {round} 局有 {amount} 未能收回"),
        ),
        AlertKind::Meters(id) => (
            "meters",
            format!("The meters of {} do not agree", terminal(*id)),
            format!("终端 {} 计数不符", terminal(*id)),
        ),
        AlertKind::Host(words) => ("host", words.clone(), words.clone()),
    };
    let (id, at, table) = (alert.id().0, alert.at().0, alert.table().map(|table| table.0));
    AlertSection { id, at, table, kind: kind.to_owned(), words: Words::new(en, zh) }
}

/// A table as the pit sees it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PitTableSection {
    /// The table.
    pub table: TableSection,
    /// The round in progress.
    pub round: Option<RoundSection>,
    /// The last results, at most twenty, oldest first.
    pub results: Vec<ResultRow>,
    /// The dealer who has it.
    pub dealer: Option<PersonRow>,
    /// Terminals with a visit.
    pub players: usize,
    /// How many terminals.
    pub terminals: TerminalCounts,
    /// Rounds settled.
    pub rounds: u64,
    /// Rounds void.
    pub void: u64,
    /// What has been bet in settled rounds.
    pub turnover: Money,
    /// What the house has won.
    pub win: Money,
    /// Rounds that ended in the last hour.
    pub games_per_hour: u32,
    /// What the house stands to lose in the round, at worst.
    pub liability: Option<Money>,
    /// The most it may stand to lose.
    pub liability_limit: Option<Money>,
    /// What each outcome would cost, for a heat strip.
    pub exposure: Vec<ExposureRow>,
}

/// What the pit sees of the whole floor.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PitSection {
    /// Every table.
    pub tables: Vec<PitTableSection>,
    /// Alerts to acknowledge (S19).
    pub alerts: Vec<AlertSection>,
    /// What corrections could not collect.
    pub uncollected: Money,
    /// What corrections left to be paid at the cage.
    pub payable: Money,
    /// Everybody employed.
    pub staff: Vec<StaffSection>,
}

/// A person, for the pit and the administration.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct StaffSection {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
    /// What the person is employed as.
    pub post: PostName,
    /// What the person is acting as.
    pub acting: Option<PostName>,
    /// Whether the person is employed now.
    pub active: bool,
    /// The tables this person deals at.
    pub tables: Vec<u16>,
}

/// What a person is employed or assigned as.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PostName {
    /// A dealer.
    Dealer,
    /// A Pit Supervisor.
    PitSupervisor,
    /// A Pit Manager.
    PitManager,
    /// The Shift Manager.
    ShiftManager,
    /// The Casino Manager.
    CasinoManager,
    /// At the cage.
    Cashier,
    /// Reads everything, changes nothing.
    Auditor,
    /// Configures, never touches a round.
    Administrator,
}

impl From<Post> for PostName {
    fn from(post: Post) -> PostName {
        use rulebook::Rank;
        match post {
            Post::Pit(Rank::Dealer) => PostName::Dealer,
            Post::Pit(Rank::PitSupervisor) => PostName::PitSupervisor,
            Post::Pit(Rank::PitManager) => PostName::PitManager,
            Post::Pit(Rank::ShiftManager) => PostName::ShiftManager,
            Post::Pit(Rank::CasinoManager) => PostName::CasinoManager,
            Post::Cashier => PostName::Cashier,
            Post::Auditor => PostName::Auditor,
            Post::Administrator => PostName::Administrator,
        }
    }
}

impl From<PostName> for Post {
    fn from(post: PostName) -> Post {
        use rulebook::Rank;
        match post {
            PostName::Dealer => Post::Pit(Rank::Dealer),
            PostName::PitSupervisor => Post::Pit(Rank::PitSupervisor),
            PostName::PitManager => Post::Pit(Rank::PitManager),
            PostName::ShiftManager => Post::Pit(Rank::ShiftManager),
            PostName::CasinoManager => Post::Pit(Rank::CasinoManager),
            PostName::Cashier => Post::Cashier,
            PostName::Auditor => Post::Auditor,
            PostName::Administrator => Post::Administrator,
        }
    }
}

/// A person with the tables this person deals at.
pub fn staff(floor: &Floor, staff: &floor::Staff) -> StaffSection {
    let deals = |table: &&Table| table.dealer() == Some(staff.id());
    StaffSection {
        id: staff.id().0,
        name: staff.name().to_owned(),
        post: staff.post().into(),
        acting: staff.acting().map(PostName::from),
        active: staff.is_active(),
        tables: floor.tables().iter().filter(deals).map(|table| table.id().0).collect(),
    }
}

/// What the pit sees of a table.
pub fn pit_table(floor: &Floor, id: TableId, automatic: bool, games_per_hour: u32) -> Option<PitTableSection> {
    let found = floor.table(id)?;
    let rulebook = floor.rulebook_of(found)?;
    let visited = |id: &&TerminalId| floor.terminal(**id).is_some_and(|terminal| terminal.visit().is_some());
    let betting = |id: &&TerminalId| floor.terminal(**id).is_some_and(|terminal| !terminal.stakes().is_empty());
    let (rounds, void) = found.rounds();
    let mut results = results(floor, id);
    results.drain(..results.len().saturating_sub(20));
    Some(PitTableSection {
        table: table(floor, id, automatic)?,
        round: round(floor, id),
        results,
        dealer: found.dealer().and_then(|id| person(floor, id)),
        players: found.terminals().iter().filter(visited).count(),
        terminals: TerminalCounts {
            enrolled: found.terminals().len(),
            live: found.live_terminals(),
            betting: found.terminals().iter().filter(betting).count(),
        },
        rounds,
        void,
        turnover: found.turnover().into(),
        win: found.house_win().into(),
        games_per_hour,
        liability: found
            .round()
            .filter(|_| found.mode() == TableMode::Terminals)
            .map(|round| round.exposure().worst().1.into()),
        liability_limit: found.settings().liability.map(Money),
        exposure: exposure(rulebook, found),
    })
}

/// A cashier's shift.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ShiftSection {
    /// Which.
    pub id: u32,
    /// The float it was opened with.
    pub float: Money,
    /// What the drawer must hold now.
    pub cash: Money,
}

/// Tickets outstanding.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct OutstandingSection {
    /// How many.
    pub count: usize,
    /// How much.
    pub amount: Money,
}

/// What a correction left to be paid.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PayableRow {
    /// Which.
    pub id: u64,
    /// The round that is its evidence.
    pub round: Option<u64>,
    /// The table.
    pub table: u16,
    /// The terminal at which the bet was made.
    pub terminal: u32,
    /// How much.
    pub amount: Money,
}

/// What a cashier sees.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct CageSection {
    /// The own shift.
    pub shift: Option<ShiftSection>,
    /// Tickets outstanding.
    pub outstanding: OutstandingSection,
    /// What corrections left to be paid.
    pub payables: Vec<PayableRow>,
}

/// What a cashier sees.
pub fn cage(floor: &Floor, cashier: floor::StaffId) -> CageSection {
    let view = floor.cage_view(cashier);
    CageSection {
        shift: view.shift.map(|(id, float, cash)| ShiftSection { id: id.0, float: float.into(), cash: cash.into() }),
        outstanding: OutstandingSection { count: view.outstanding.0, amount: view.outstanding.1.into() },
        payables: view
            .payables
            .iter()
            .map(|payable| PayableRow {
                id: payable.id().0,
                round: payable.round().map(|round| round.0),
                table: payable.table().0,
                terminal: payable.terminal().0,
                amount: payable.amount().into(),
            })
            .collect(),
    }
}

/// A terminal, for the administration and the pit.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct TerminalRow {
    /// Which.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its table.
    pub table: u16,
    /// Its layout.
    pub layout: String,
    /// Its kind.
    pub kind: String,
    /// Whether its link is up.
    pub live: bool,
    /// Why it is locked.
    pub locked: Option<String>,
    /// Whether somebody plays there.
    pub visited: bool,
}

/// A terminal.
pub fn terminal(floor: &Floor, terminal: &Terminal) -> TerminalRow {
    TerminalRow {
        id: terminal.id().0,
        name: terminal.name().to_owned(),
        table: terminal.table().0,
        layout: floor.layout_of(terminal).map_or_else(String::new, |layout| layout.id().to_owned()),
        kind: terminal.kind().to_owned(),
        live: terminal.is_live(),
        locked: terminal.locked().map(|reason| match reason {
            floor::LockReason::Person(_, reason) => reason.clone(),
            floor::LockReason::Meters => "its meters do not agree (S11)".to_owned(),
        }),
        visited: terminal.visit().is_some(),
    }
}

/// The floor for everybody.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FloorSection {
    /// Its name, as in the paths.
    pub name: String,
    /// Whether it is a demonstration (S21).
    pub demonstration: bool,
    /// The last durable record.
    pub sequence: u64,
    /// The host's clock.
    pub now: i64,
    /// Whether play is locked until the program is accepted (S10).
    pub locked: bool,
    /// Its tables.
    pub tables: Vec<TableSection>,
    /// Its terminals, without what anybody has on them.
    pub terminals: Vec<TerminalRow>,
}

/// The floor for everybody.
pub fn floor(floor: &Floor, now: Moment, automatic: impl Fn(TableId) -> bool) -> FloorSection {
    let settings = floor.settings();
    let tables = floor.tables().iter().filter_map(|found| table(floor, found.id(), automatic(found.id())));
    FloorSection {
        name: settings.map_or_else(String::new, |settings| settings.name.clone()),
        demonstration: settings.is_some_and(|settings| settings.demonstration),
        sequence: floor.sequence(),
        now: now.0,
        locked: floor.locked_by().is_some(),
        tables: tables.collect(),
        terminals: floor.terminals().iter().map(|found| terminal(floor, found)).collect(),
    }
}
