//! What the pit sees.

use floor::{AlertKind, Floor, TableId, TableMode, TerminalId};
use serde::Serialize;
use utoipa::ToSchema;

use super::console::{ExposureRow, TerminalCounts, exposure};
use super::people::{PersonRow, StaffSection, person};
use super::table::{ResultRow, RoundSection, TableSection, results, round, table};
use crate::view::{Money, Words};

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
        AlertKind::Integrity(words) => ("integrity", words.clone(), format!("记录或时钟存疑：{words}")),
        AlertKind::Access(words, count) => (
            "access",
            format!("Refused at the doors, {count} times; the latest: {words}"),
            format!("入口拒绝 {count} 次；最近一次：{words}"),
        ),
    };
    let (id, at, table) = (alert.id().0, alert.at().0, alert.table().map(|table| table.0));
    let short = |words: String| match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words,
    };
    AlertSection { id, at, table, kind: kind.to_owned(), words: Words::new(short(en), short(zh)) }
}

/// Alerts that the pit is shown at once; the others follow as these are acknowledged.
pub const SHOWN: usize = 100;
/// The most characters of an alert's words. So all alerts of a message together stay below 200 KiB, in any script.
const LONGEST: usize = 200;

/// The alerts that the pit is shown, the gravest first and of these the oldest, and how many more there are.
pub fn alerts(floor: &Floor) -> (Vec<AlertSection>, usize) {
    let mut all: Vec<&floor::Alert> = floor.alerts().collect();
    all.sort_by_key(|alert| (alert.what().class(), alert.id()));
    let more = all.len().saturating_sub(SHOWN);
    (all.into_iter().take(SHOWN).map(|found| alert(floor, found)).collect(), more)
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
    /// Further alerts, shown when these are acknowledged.
    pub more_alerts: usize,
    /// What corrections could not collect.
    pub uncollected: Money,
    /// What corrections left to be paid at the cage.
    pub payable: Money,
    /// Everybody employed.
    pub staff: Vec<StaffSection>,
    /// Links with a key that is in use at another place: each waits for approval.
    pub links: Vec<crate::links::HeldLink>,
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
