//! What the dealer's console shows beside the table.

use floor::{ConsoleView, Device, DevicePlace, Finding, Floor, Moment, Table, TableId, TableMode};
use rulebook::Rulebook;
use serde::Serialize;
use utoipa::ToSchema;

use super::device::{DeviceSection, FailedName, device};
use super::live::{BoxSection, FloatSection, PayoutRow, box_section, float, payouts};
use super::people::{CallRow, PersonRow, calls, person};
use super::pit::{AlertSection, table_alerts};
use super::table::{PhaseName, outcome};
use super::waits::{AffirmRow, DeclareRow, NeedName, WaitSection, affirm, grounds, waits};
use crate::error::Error;
use crate::view::{Money, Words};

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
    /// Whether it counts as lost for this round, because it has not acknowledged the close (D12).
    pub lost: bool,
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
    /// Why a second person must confirm it: `nothing`, `late_chips`, `serviced`, `unread` or `contradicts` (D19).
    pub needs: NeedName,
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
    /// The device has said that it ended.
    pub ended: bool,
    /// Two readings of it differ; the first is shown.
    pub contradicted: bool,
    /// Where the ball came to rest before the close, if that was read (D4, D24).
    pub early: Option<String>,
    /// Dice read under the cover or before the close, shown once bets are closed; no one alone enters anything else (D19).
    pub concealed: Vec<Option<String>>,
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
    /// Each finding that can be attested, with its paragraph.
    pub findings: Vec<FindingChoice>,
    /// Bets that have conclusively won or lost, as far as the host knows; the first hundred.
    pub concluded: Vec<ConcludedRow>,
    /// How many there are.
    pub concluded_in_all: usize,
}

/// A finding that can be attested (D6).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FindingChoice {
    /// Which, to be sent.
    pub finding: FindingName,
    /// The paragraph or decision behind it.
    pub paragraph: String,
    /// Whether it goes against what the host knows: it is then refused (D22).
    pub against: bool,
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
    /// End the round with its first outcome (D18).
    pub keep_first_outcome: Option<Error>,
    /// Report an interruption (D21).
    pub report_interruption: Option<Error>,
    /// Say whether a device fault affects the round (D21).
    pub answer_fault: Option<Error>,
    /// Open the table.
    pub open_table: Option<Error>,
    /// Announce its closing.
    pub announce_closing: Option<Error>,
    /// Close it.
    pub close_table: Option<Error>,
    /// Record chips on a live table, also after the close (D20).
    pub record_chips: Option<Error>,
    /// Refuse a late bet at a live table (5.7).
    pub refuse_late: Option<Error>,
    /// Declare the dice of a live table uncovered (D20).
    pub declare_uncovered: Option<Error>,
    /// State that the ball came to rest before the close (D4, D19).
    pub state_early_rest: Option<Error>,
}

/// What the dealer's console shows beside the table.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ConsoleSection {
    /// The round that all of this is about; `null` if none is in play.
    pub round: Option<u64>,
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
    /// The result entered.
    pub entered: Option<EnteredSection>,
    /// The ground a device has reported.
    pub ground: Option<GroundSection>,
    /// The devices at the table.
    pub devices: Vec<DeviceSection>,
    /// What they have said of the first tumble or spin of the round, which gives the outcome (D18).
    pub seen: Option<SeenSection>,
    /// What they have said of later ones, each with its own readings (D18).
    pub later: Vec<SeenSection>,
    /// What was reported while the round was interrupted: it does not count, and it binds the attestation and the entry
    /// (D6, D22); `null` if nothing was.
    pub meanwhile: Option<SeenSection>,
    /// The device whose report of a second tumble or spin halts the round (D18).
    pub second: Option<u16>,
    /// The first outcome, if it was completely read or entered (D18).
    pub first_outcome: Option<String>,
    /// Links of the table that are lost, and what to do (D19, D21).
    pub alerts: Vec<AlertSection>,
    /// What the round waits for, and what to do.
    pub waits: Option<WaitSection>,
    /// What the dealer affirms with the next step: the notice before bets are open, the entry after the close (D19).
    pub affirm: Vec<AffirmRow>,
    /// Every ground of the document that can be declared (D23).
    pub grounds: Vec<DeclareRow>,
    /// What was reported to have failed in this round (D21).
    pub failed: Vec<FailedName>,
    /// What the host proposes after an interruption.
    pub proposal: Option<ProposalSection>,
    /// The boxes of a live table.
    pub boxes: Vec<BoxSection>,
    /// The positions of a live table: from 1 to so many.
    pub positions: u8,
    /// Positions of a live table whose players have left: two people take back their chips (Tai Sai 5.3).
    pub left: Vec<u8>,
    /// Until when chips may be recorded after the close; `null` when bets are open or the dice can be seen (D20).
    pub recording_until: Option<i64>,
    /// What the last round of a live table paid.
    pub payouts: Vec<PayoutRow>,
    /// The chips of a live table.
    pub float: Option<FloatSection>,
    /// The call for a second person to this table (D28).
    pub called: Option<CallRow>,
    /// What the person at the console may do now.
    pub may: MaySection,
}

/// What each outcome would cost the house.
pub fn exposure(rulebook: &Rulebook, table: &Table) -> Vec<ExposureRow> {
    let Some(round) = table.round().filter(|_| table.mode() == TableMode::Terminals) else { return Vec::new() };
    let row = |index| ExposureRow { outcome: outcome(rulebook, index), loss: round.exposure().liability(index).into() };
    rulebook.outcomes().indices().map(row).collect()
}

/// What the console shows, without what its person may do.
pub fn console(floor: &Floor, id: TableId, may: MaySection, simulated: bool, at: Moment) -> Option<ConsoleSection> {
    let ConsoleView { dealer, terminals, awaiting, staked, entered, ground, proposal, boxes, .. } =
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
            lost: this_round.is_some() && terminal.lost_in() == this_round,
            staked: terminal.staked().into(),
        });
    let here = |device: &&Device| device.place() == DevicePlace::Table(id);
    let live = table.mode() != TableMode::Terminals;
    let records = table.mode() == TableMode::BetsRecorded;
    Some(ConsoleSection {
        round: this_round.map(|round| round.0),
        dealer: dealer.and_then(|id| person(floor, id)),
        terminals: TerminalCounts { enrolled: terminals.0, live: terminals.1, betting: terminals.2 },
        list: list.collect(),
        awaiting,
        staked: staked.into(),
        entered: entered.map(|(index, returns)| EnteredSection {
            outcome: outcome(rulebook, index),
            returns: returns.into(),
            needs: floor.entered_need(id, at).into(),
        }),
        ground: ground.map(|(open, paragraph, name)| GroundSection {
            id: open.ground.as_str().to_owned(),
            name: (&name).into(),
            paragraph: paragraph.to_string(),
            proposed: open.proposed,
            device: open.device.0,
        }),
        devices: floor.devices().iter().filter(here).map(|found| device(floor, found, simulated)).collect(),
        seen: table.round().map(|round| seen(rulebook, round, round.seen())),
        later: table
            .round()
            .map(|round| round.later().iter().map(|one| seen(rulebook, round, one)).collect())
            .unwrap_or_default(),
        meanwhile: table
            .round()
            .filter(|round| *round.meanwhile() != floor::Seen::default())
            .map(|round| seen(rulebook, round, round.meanwhile())),
        second: table.round().and_then(floor::Round::second).map(|device| device.0),
        alerts: table_alerts(floor, id),
        first_outcome: floor.first_outcome(id).map(|index| outcome(rulebook, index)),
        waits: waits(floor, id, rulebook, at),
        affirm: affirm(floor, table, rulebook),
        grounds: grounds(floor, id, rulebook, at),
        failed: table
            .round()
            .map(|round| round.failed().iter().map(|failed| (*failed).into()).collect())
            .unwrap_or_default(),
        proposal: proposal.map(|proposal| ProposalSection {
            phase: proposal.phase.into(),
            finding: proposal.finding.into(),
            findings: findings(rulebook, &proposal),
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
        positions: if live { floor::bounds::POSITIONS } else { 0 },
        left: table.round().map(|round| round.left().iter().map(|at| at.0).collect()).unwrap_or_default(),
        recording_until: table.recording_until().filter(|_| records).map(|at| at.0),
        payouts: if live { payouts(floor, table) } else { Vec::new() },
        float: float(table),
        called: calls(floor, at).into_iter().find(|call| call.table == Some(id.0)),
        may,
    })
}

fn findings(rulebook: &Rulebook, proposal: &floor::Proposal) -> Vec<FindingChoice> {
    let irregularities = rulebook.irregularities();
    // Tai Sai has no terminals: that the round continues is then our decision.
    let goes_on = irregularities.terminals_only.as_ref().map_or_else(|| "D6".to_owned(), ToString::to_string);
    let choice = |finding, paragraph, against| FindingChoice { finding, paragraph, against };
    vec![
        choice(FindingName::NotAffected, goes_on, false),
        choice(FindingName::Established, irregularities.established.to_string(), proposal.phase < floor::Phase::Closed),
        choice(
            FindingName::NotEstablished,
            irregularities.not_established.to_string(),
            proposal.finding == Finding::Established,
        ),
    ]
}

fn seen(rulebook: &Rulebook, round: &floor::Round, seen: &floor::Seen) -> SeenSection {
    // While bets are open no one is told what dice under the cover were read as: someone could still bet on them.
    let sealed = round.phase() < floor::Phase::Closed;
    let read = match rulebook.outcomes().wheel() {
        Some(_) => seen.pocket.map(|index| Some(outcome(rulebook, index))).into_iter().collect(),
        None if sealed => Vec::new(),
        None => faces(&seen.dice),
    };
    SeenSection {
        set_off: seen.set_off,
        running: seen.running,
        times: seen.times,
        uncovered: seen.uncovered,
        read,
        rested_early: seen.rested_early,
        ended: seen.has_ended(),
        contradicted: seen.contradicted,
        early: seen.early.map(|index| outcome(rulebook, index)),
        concealed: if sealed { Vec::new() } else { faces(&seen.concealed) },
    }
}

/// Dice as far as they were read; nothing where none was.
fn faces(dice: &[Option<rulebook::Face>; 3]) -> Vec<Option<String>> {
    let read = dice.iter().any(Option::is_some);
    dice.iter().filter(|_| read).map(|face| face.map(|face| face.dots().to_string())).collect()
}
