//! What the pit sees.

use std::collections::HashMap;

use floor::{
    AlertClass, AlertKind, CashPlace, Counted, Floor, KeyHolder, Moment, TableId, TableMode, TerminalId, TicketPlace,
    Wait,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::console::{ExposureRow, TerminalCounts, exposure};
use super::device::{DeviceSection, device};
use super::live::{FloatSection, float};
use super::people::{CallRow, PersonRow, StaffSection, person};
use super::table::{ResultRow, RoundSection, TableSection, results, round, table};
use super::waits::{DeclareRow, WaitSection, grounds, waits};
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
    /// How grave it is.
    pub severity: SeverityName,
    /// The round it is about.
    pub round: Option<u64>,
    /// The terminal it is about.
    pub terminal: Option<u32>,
}

/// How grave an alert is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeverityName {
    /// The record, money or a result is in doubt.
    High,
    /// A link or a device, or a player who waits.
    Medium,
    /// Worth a look.
    Low,
}

fn severity(what: &AlertKind) -> SeverityName {
    match what.class() {
        AlertClass::Integrity | AlertClass::Meters | AlertClass::Money => SeverityName::High,
        AlertClass::Link => SeverityName::Medium,
        AlertClass::Play => match what {
            AlertKind::Attendant(_)
            | AlertKind::DeviceFault(..)
            | AlertKind::DeviceFaults(..)
            | AlertKind::DeviceNonsense(_)
            | AlertKind::DeviceHolds(..) => SeverityName::Medium,
            _ => SeverityName::High,
        },
        AlertClass::Host | AlertClass::Access => SeverityName::Low,
    }
}

/// The round and the terminal that an alert is about.
fn about(what: &AlertKind) -> (Option<u64>, Option<u32>) {
    match *what {
        AlertKind::DeviceSilent(round)
        | AlertKind::DeviceDisagrees(round)
        | AlertKind::RestedEarly(round)
        | AlertKind::SecondTumble(round)
        | AlertKind::ReportedLate(round)
        | AlertKind::ReportedMeanwhile(round)
        | AlertKind::DeviceHolds(_, round)
        | AlertKind::Uncollected(round, _) => (Some(round.0), None),
        AlertKind::Attendant(terminal)
        | AlertKind::TerminalLost(terminal)
        | AlertKind::Meters(terminal)
        | AlertKind::LargeCash(terminal, _)
        | AlertKind::LargeCashAt(CashPlace::Terminal(terminal), _)
        | AlertKind::WrongTickets(TicketPlace::Terminal(terminal))
        | AlertKind::CopiedKey(KeyHolder::Terminal(terminal), ..) => (None, Some(terminal.0)),
        _ => (None, None),
    }
}

/// An alert with its words.
pub fn alert(floor: &Floor, alert: &floor::Alert) -> AlertSection {
    let terminal = |id: TerminalId| floor.terminal(id).map_or_else(|| id.to_string(), |t| t.name().to_owned());
    let named = |id: floor::DeviceId| floor.device(id).map_or_else(|| format!("device {id}"), |d| d.name().to_owned());
    let table_name = |id: TableId| floor.table(id).map_or_else(|| id.to_string(), |t| t.name().to_owned());
    let (kind, en, zh) = match alert.what() {
        AlertKind::TerminalLost(id) => {
            ("terminal_lost", format!("{} is lost", terminal(*id)), format!("终端 {} 断线", terminal(*id)))
        }
        AlertKind::DeviceFault(id, number) => (
            "device_fault",
            format!("{} reports fault {number}", named(*id)),
            format!("设备 {} 报告故障 {number}", named(*id)),
        ),
        AlertKind::DeviceFaults(id, number, count) => (
            "device_fault",
            format!("{} reports fault {number}; {count} faults since", named(*id)),
            format!("设备 {} 报告故障 {number}；其间共 {count} 次", named(*id)),
        ),
        AlertKind::DeviceSilent(round) => (
            "device_silent",
            format!("Round {round}: no complete device reading"),
            format!("第 {round} 局没有完整的设备读数"),
        ),
        AlertKind::DeviceDisagrees(round) => (
            "device_disagrees",
            format!("The device read something else than was entered in round {round}"),
            format!("第 {round} 局设备读数与输入结果不符"),
        ),
        AlertKind::DeviceNonsense(id) => (
            "device_nonsense",
            format!("{}: out-of-sequence report", named(*id)),
            format!("设备 {} 的报告不合时序", named(*id)),
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
        AlertKind::TicketInDoubt(ticket, amount) => (
            "ticket_in_doubt",
            format!("Ticket {ticket} of {amount}: the printer has not reported"),
            format!("兑现券 {ticket}（{amount}）：打印机未回报"),
        ),
        AlertKind::WrongTickets(place) => {
            let place = match place {
                TicketPlace::Terminal(id) => terminal(*id),
                TicketPlace::Staff(id) => {
                    floor.person(*id).map_or_else(|| id.to_string(), |person| person.name().to_owned())
                }
            };
            (
                "wrong_tickets",
                format!("Many wrong ticket numbers: {place}"),
                format!("多次输入错误的兑现券号码：{place}"),
            )
        }
        AlertKind::Attendant(id) => {
            ("attendant", format!("{} calls an attendant", terminal(*id)), format!("终端 {} 呼叫服务员", terminal(*id)))
        }
        AlertKind::LargeCash(id, amount) => (
            "large_cash",
            format!("Large cash of {amount} at {}", terminal(*id)),
            format!("终端 {} 大额现金 {amount}", terminal(*id)),
        ),
        AlertKind::LargeCashAt(place, amount) => {
            let (en, zh) = match place {
                CashPlace::Person(id) => {
                    let name = floor.person(*id).map_or_else(|| id.to_string(), |person| person.name().to_owned());
                    (format!("the counter of {name}"), format!("{name} 经手"))
                }
                CashPlace::Table(id) => (table_name(*id), format!("赌台 {}", table_name(*id))),
                CashPlace::Terminal(id) => {
                    (format!("{} in the gaming day", terminal(*id)), format!("终端 {} 本营业日累计", terminal(*id)))
                }
            };
            ("large_cash", format!("Large cash of {amount} at {en}"), format!("{zh}大额现金 {amount}"))
        }
        AlertKind::SealedCode(id, _) => {
            let name = floor.person(*id).map_or_else(|| id.to_string(), |person| person.name().to_owned());
            ("sealed_code", format!("{name} opened a sealed code"), format!("{name} 启用了密封应急码"))
        }
        AlertKind::EnrolmentCode(holder, by, count) => {
            let name = floor.person(*by).map_or_else(|| by.to_string(), |person| person.name().to_owned());
            let (en, zh) = match holder {
                KeyHolder::Terminal(id) => (terminal(*id), format!("终端 {}", terminal(*id))),
                KeyHolder::Device(id) => (named(*id), format!("设备 {}", named(*id))),
            };
            (
                "enrolment_code",
                format!("Codes for keys made: {count}; the latest for {en}, by {name}"),
                format!("已生成 {count} 个登记码；最近一个用于{zh}，操作人 {name}"),
            )
        }
        AlertKind::VoidTicket(ticket) => (
            "void_ticket",
            format!("Ticket {ticket} is on paper, though it was found not printed"),
            format!("兑现券 {ticket} 曾被判定未打印，但实际已打印"),
        ),
        AlertKind::ReplacedTicket(ticket, duplicate) => (
            "replaced_ticket",
            format!("Ticket {ticket} is on paper, though ticket {duplicate} has replaced it: its number is void"),
            format!("兑现券 {ticket} 已打印，但已由兑现券 {duplicate} 补发取代，其号码作废"),
        ),
        AlertKind::Difference(counted, difference) => {
            let (en, zh) = match counted {
                Counted::Tray(id) => {
                    (format!("The tray of {}", table_name(*id)), format!("赌台 {} 的筹码盘", table_name(*id)))
                }
                Counted::Drop(id) => {
                    (format!("The drop box of {}", table_name(*id)), format!("赌台 {} 的钱箱", table_name(*id)))
                }
                Counted::Drawer(shift) => {
                    let whose = floor.shifts().find(|open| open.id() == *shift).map(floor::Shift::cashier);
                    let whose = whose.and_then(|id| floor.person(id)).map(|person| format!(" ({})", person.name()));
                    let whose = whose.unwrap_or_default();
                    (format!("The drawer of shift {shift}{whose}"), format!("班次 {shift}{whose} 的现金抽屉"))
                }
            };
            (
                "difference",
                format!("{en} was counted with a difference of {difference}"),
                format!("{zh}清点差额 {difference}"),
            )
        }
        AlertKind::Host(words) => {
            let zh = crate::links::in_chinese(words).or_else(|| late_win_in_chinese(words));
            ("host", words.clone(), zh.unwrap_or_else(|| words.clone()))
        }
        AlertKind::Integrity(words) => {
            let zh = dismissal_in_chinese(words).unwrap_or_else(|| format!("记录或时钟存疑：{words}"));
            ("integrity", words.clone(), zh)
        }
        AlertKind::CopiedKey(_, words, count) => {
            let en = crate::links::counted(words, *count);
            let zh = crate::links::in_chinese(&en).unwrap_or_else(|| en.clone());
            ("copied_key", en, zh)
        }
        AlertKind::Access(words, count) => (
            "access",
            if *count == 1 {
                format!("Refused at the doors: {words}")
            } else {
                format!("Refused at the doors, {count} times; the latest: {words}")
            },
            format!("入口拒绝 {count} 次；最近一次：{words}"),
        ),
        AlertKind::DecidedAlone(by, _, _, deed) => {
            let what = deed.as_ref().map_or_else(String::new, |deed| format!(" ({deed})"));
            let who = floor.person(*by).map_or_else(|| by.to_string(), |person| person.name().to_owned());
            (
                "decided_alone",
                format!("{who} acted without a second person{what}: another person must countersign"),
                format!("{who} 在无第二人的情况下作出决定{what}，须由另一人补签"),
            )
        }
        AlertKind::SecondTumble(round) => (
            "second_tumble",
            format!("Round {round}: a second tumble or spin was reported; it never counts (D18)"),
            format!("第 {round} 局报告再次摇骰或掷球；第二次一律无效（D18）"),
        ),
        AlertKind::ReportedLate(round) => (
            "reported_late",
            format!("A device reported about round {round} after it was settled"),
            format!("第 {round} 局结算后设备才作出报告"),
        ),
        AlertKind::DeviceLost(id, false) => (
            "device_lost",
            format!(
                "{} has no link to the host: check its power and cable. If it stays lost, two people take it out of \
                 service and the dealer affirms (D19)",
                named(*id)
            ),
            format!("设备 {} 与主机断线：请检查电源与连线；若未恢复，由两人将其停用，改由荷官确认（D19）", named(*id)),
        ),
        AlertKind::DeviceLost(id, true) => (
            "device_back",
            format!("{} had no link to the host and is back", named(*id)),
            format!("设备 {} 曾与主机断线，现已恢复", named(*id)),
        ),
        AlertKind::DeviceHolds(id, round) => (
            "device_holds",
            format!(
                "{} holds up round {round} and reports nothing: call the Pit Supervisor; two people take it out of service, \
                 and the dealer affirms (D19)",
                named(*id)
            ),
            format!(
                "设备 {} 未再报告，第 {round} 局无法继续：请召值台主管，由两人将其停用，再由荷官确认（D19）",
                named(*id)
            ),
        ),
        AlertKind::TerminalsLost(0, most) => (
            "terminals_back",
            format!("Terminals lost during a round: all are back (at most {most} were lost)"),
            format!("本局有终端断线，现已全部恢复（最多 {most} 台）"),
        ),
        AlertKind::TerminalsLost(now, _) => (
            "terminals_lost",
            format!(
                "Terminals lost during a round: {now}. Registered bets stand (5.2, MBS 5.9). Check power and network; if \
                 more than the terminals failed, report an interruption (D21)"
            ),
            format!(
                "本局有 {now} 台终端断线。已登记的投注有效（5.2、MBS 5.9）。请检查电源与网络；若不只是终端故障，请报告中断（D21）"
            ),
        ),
        AlertKind::ReportedMeanwhile(round) => (
            "reported_meanwhile",
            format!("Round {round}: a device reported the cover off or the dice while the round was interrupted"),
            format!("第 {round} 局中断期间，设备报告了揭盅或骰子读数"),
        ),
    };
    let (id, at, table) = (alert.id().0, alert.at().0, alert.table().map(|table| table.0));
    // Where there are many, the line stands for earlier ones too.
    let [more_en, more_zh] = match alert.more() {
        0 => [String::new(), String::new()],
        more => [format!(" (and {more} earlier: see the record)"), format!("（此前另有 {more} 次，详见记录）")],
    };
    let words = Words::new(short(en, &more_en), short(zh, &more_zh));
    let (round, about) = about(alert.what());
    let severity = severity(alert.what());
    AlertSection { id, at, table, kind: kind.to_owned(), words, severity, round, terminal: about }
}

/// The beginning of an alert's words, and what follows them.
fn short(words: String, after: &str) -> String {
    let most = LONGEST.saturating_sub(after.chars().count());
    match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}…{after}", words.get(..end).unwrap_or_default()),
        None => words + after,
    }
}

/// Alerts that the pit is shown at once; the others follow as these are acknowledged.
pub const SHOWN: usize = 100;
/// The most characters of an alert's words. So all alerts of a message together stay below 200 KiB, in any script.
const LONGEST: usize = 200;

/// This many of each kind are shown before further ones of any other kind.
const SHOWN_EACH: usize = 4;

/// The most bytes of a table in a message to the pit.
const TABLE_BYTES: usize = 64 * 1024;
/// The most bytes of all tables together. With 640 KiB for everything else a message stays below 2 MiB.
const TABLES_BYTES: usize = 1_344 * 1024;

/// The tables of a message to the pit, open ones before closed ones as far as they fit, in their order; and how many more
/// there are.
pub fn tables_that_fit(mut tables: Vec<PitTableSection>) -> (Vec<PitTableSection>, usize) {
    let all = tables.len();
    // So few always fit.
    if all <= TABLES_BYTES / TABLE_BYTES {
        return (tables, 0);
    }
    tables.sort_by_key(|one| !one.table.open);
    let mut left = TABLES_BYTES;
    let mut fits = |one: &PitTableSection| {
        let bytes = serde_json::to_vec(one).map_or(usize::MAX, |bytes| bytes.len().saturating_add(1));
        let rest = left.checked_sub(bytes);
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    tables.truncate(tables.iter().take_while(|one| fits(one)).count());
    tables.sort_by_key(|one| one.table.id);
    let more = all - tables.len();
    (tables, more)
}

/// In Chinese, if these are the words about chips that were recorded late and won.
fn late_win_in_chinese(words: &str) -> Option<String> {
    let (round, rest) = words.strip_prefix("Round ")?.split_once(": chips recorded after the close")?;
    let (by, won) = rest.split_once(" win ")?;
    let by = by.strip_prefix(" by ").map_or_else(String::new, |by| format!("（记录人：{by}）"));
    Some(format!("第 {round} 局：截止下注后补录的筹码{by}赢得 {won}"))
}

/// In Chinese, if these are the words about the dismissal of a Pit Manager or above.
fn dismissal_in_chinese(words: &str) -> Option<String> {
    let (whom, by) = words.split_once(" was dismissed by ")?;
    Some(format!("{whom} 已被 {by} 停职"))
}

/// The alerts that the pit is shown, the gravest first and of these the newest, and how many more there are. However many
/// there are of one kind, the newest of every other are among them.
pub fn alerts(floor: &Floor) -> (Vec<AlertSection>, usize) {
    let mut all: Vec<&floor::Alert> = floor.alerts().collect();
    let order = |alert: &floor::Alert| (alert.what().class(), std::cmp::Reverse(alert.id()));
    all.sort_by_key(|alert| order(alert));
    let mut of_kind = HashMap::new();
    let mut chosen: Vec<(bool, &floor::Alert)> = Vec::with_capacity(all.len());
    for alert in all {
        let so_far: &mut usize = of_kind.entry(std::mem::discriminant(alert.what())).or_default();
        *so_far += 1;
        chosen.push((*so_far > SHOWN_EACH, alert));
    }
    let more = chosen.len().saturating_sub(SHOWN);
    // The order among these, and among the others, stays.
    chosen.sort_by_key(|(later, _)| *later);
    chosen.truncate(SHOWN);
    chosen.sort_by_key(|(_, alert)| order(alert));
    (chosen.into_iter().map(|(_, found)| alert(floor, found)).collect(), more)
}

/// The alerts that the console of a table shows: links that are lost now, and a device that holds up the round (D19, D21).
pub fn table_alerts(floor: &Floor, table: TableId) -> Vec<AlertSection> {
    let round = floor.table(table).and_then(floor::Table::round).map(floor::Round::id);
    let stands = |what: &AlertKind| match what {
        AlertKind::DeviceLost(_, back) => !back,
        AlertKind::TerminalsLost(now, _) => *now > 0,
        AlertKind::DeviceHolds(device, of) => {
            let waits = floor.waits_for(table, floor.now());
            round == Some(*of) && waits.and_then(Wait::holding) == Some(*device)
        }
        _ => false,
    };
    let here = floor.alerts().filter(|found| found.table() == Some(table) && stands(found.what()));
    here.map(|found| alert(floor, found)).collect()
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
    /// Its tumbler or wheel, with its service state (D19).
    pub devices: Vec<DeviceSection>,
    /// What the round waits for, and what to do.
    pub waits: Option<WaitSection>,
    /// Every ground of the document that can be declared (D23).
    pub grounds: Vec<DeclareRow>,
    /// Payments at this table above this need a second person (D15).
    pub hand_pay: Money,
    /// The chips and the drop of a live table.
    pub float: Option<FloatSection>,
    /// Milliseconds after the close in which chips may be recorded from the next round on, where they are recorded (D20).
    pub recording_period: Option<i64>,
}

/// What the pit sees of the whole floor.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PitSection {
    /// Every table; on a very large floor as many as fit into a message, open ones before closed ones.
    pub tables: Vec<PitTableSection>,
    /// Further tables, which do not fit.
    pub more_tables: usize,
    /// Alerts to acknowledge (S19).
    pub alerts: Vec<AlertSection>,
    /// Further alerts, shown when these are acknowledged.
    pub more_alerts: usize,
    /// What corrections could not collect.
    pub uncollected: Money,
    /// What corrections left to be paid at the cage.
    pub payable: Money,
    /// The same, one by one: two people pay by hand what the cage cannot (D25, D27). Of this and the lists below, the
    /// first 100; `more` says how many more there are, and the list of the pit has them.
    pub payables: Vec<super::cage::PayableRow>,
    /// Places that are stopped after wrong ticket numbers. One that has waited long enough goes by itself.
    pub stops: Vec<StopRow>,
    /// People: those at tables first.
    pub staff: Vec<StaffSection>,
    /// Tickets in doubt (D25), oldest first.
    pub doubts: Vec<DoubtSection>,
    /// The gaming day that the floor counts in, as `2026-03-29` (D27); `null` at feature level 1, which keeps none.
    #[schema(example = "2026-03-29")]
    pub gaming_day: Option<String>,
    /// Who has moved what in this gaming day (D27).
    pub moved: Vec<MovedSection>,
    /// The floor's thresholds (D27).
    pub thresholds: ThresholdsSection,
    /// Calls that wait for a second person (D28).
    pub calls: Vec<CallRow>,
    /// Open drawers of the cage (D27).
    pub drawers: Vec<super::held::DrawerRow>,
    /// Money of players at terminals that are lost or locked (D25).
    pub held: Vec<super::held::HeldRow>,
    /// Links with a key that is in use at another place: each waits for approval.
    pub links: Vec<crate::links::HeldLink>,
    /// How many more rows the lists have; absent if none has more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<super::pit_lists::MoreSection>,
}

/// A place where no ticket number may be tried for a while (S16).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct StopRow {
    /// The terminal; or it is a person.
    pub terminal: Option<u32>,
    /// The person.
    pub staff: Option<u32>,
    /// Its name.
    pub name: String,
    /// How many wrong numbers were tried.
    pub tried: u16,
    /// Whether they were mistyped, by their check digits.
    pub mistyped: bool,
    /// Until when it stands, unless it is lifted.
    pub until: i64,
}

/// A place where no ticket number may be tried for a while.
pub fn stop(floor: &Floor, stop: floor::TicketStop) -> StopRow {
    let (terminal, staff, name) = match stop.place {
        TicketPlace::Terminal(id) => (Some(id.0), None, floor.terminal(id).map(|found| found.name().to_owned())),
        TicketPlace::Staff(id) => (None, Some(id.0), floor.person(id).map(|found| found.name().to_owned())),
    };
    let name = name.unwrap_or_default();
    StopRow { terminal, staff, name, tried: stop.tried, mistyped: stop.mistyped, until: stop.until.0 }
}

/// A ticket whose printer has not reported (D25). Its number is shown nowhere.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DoubtSection {
    /// Which ticket.
    pub ticket: u64,
    /// The terminal that prepared it.
    pub terminal: Option<u32>,
    /// That terminal's name.
    pub name: Option<String>,
    /// How much.
    pub amount: Money,
    /// Since when.
    pub since: i64,
    /// Whether it replaces another ticket's number.
    pub duplicate: bool,
    /// Who prints it, if no terminal does.
    pub printed_for: Option<u32>,
}

/// A ticket in doubt.
pub fn doubt(floor: &Floor, doubt: &floor::Doubt) -> DoubtSection {
    DoubtSection {
        ticket: doubt.ticket.0,
        terminal: doubt.terminal.map(|id| id.0),
        name: doubt.terminal.and_then(|id| floor.terminal(id)).map(|terminal| terminal.name().to_owned()),
        amount: doubt.amount.into(),
        since: doubt.since.0,
        duplicate: doubt.duplicate,
        printed_for: doubt.printed_for.map(|id| id.0),
    }
}

/// What a person has moved in this gaming day (D27).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct MovedSection {
    /// Who.
    pub staff: u32,
    /// The name.
    pub name: String,
    /// Without a second person, since the last signature.
    pub since: Money,
    /// Without a second person, in the whole day.
    pub today: Money,
    /// With a second person.
    pub signed: Money,
    /// How many times a second person signed.
    pub signatures: u32,
}

/// What a person has moved.
pub fn moved(floor: &Floor, staff: floor::StaffId, alone: floor::Alone) -> MovedSection {
    MovedSection {
        staff: staff.0,
        name: floor.person(staff).map_or_else(|| staff.to_string(), |person| person.name().to_owned()),
        since: alone.since.into(),
        today: alone.today.into(),
        signed: alone.signed.into(),
        signatures: alone.signatures,
    }
}

/// The floor's thresholds (D27).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ThresholdsSection {
    /// The most one person moves alone in a gaming day, and for one visit.
    pub alone: Money,
    /// A ticket above this is redeemed with a second person.
    pub redemption: Money,
    /// A difference at the cage above this needs a second person.
    pub difference: Money,
    /// Cash from this on is reported.
    pub large_cash: Money,
}

/// The floor's thresholds.
pub fn thresholds(floor: &Floor) -> ThresholdsSection {
    let floor::Thresholds { alone, redemption, difference, large_cash } = floor.thresholds();
    ThresholdsSection {
        alone: alone.into(),
        redemption: redemption.into(),
        difference: difference.into(),
        large_cash: large_cash.into(),
    }
}

/// What two administrators hold together (D27).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ControlSection {
    /// The floor's thresholds.
    pub thresholds: ThresholdsSection,
    /// Sealed codes that have not been opened.
    pub sealed: usize,
    /// Who opened a sealed code that has not served yet.
    pub opened_by: Option<PersonRow>,
    /// Until when it stands for a second person.
    pub opened_until: Option<i64>,
}

/// What two administrators hold together.
pub fn control(floor: &Floor) -> ControlSection {
    let opened = floor.opened_code();
    ControlSection {
        thresholds: thresholds(floor),
        sealed: floor.sealed_codes(),
        opened_by: opened.and_then(|(by, _)| person(floor, by)),
        opened_until: opened.map(|(_, until)| until.0),
    }
}

/// What the pit sees of a table.
pub fn pit_table(
    floor: &Floor,
    id: TableId,
    automatic: bool,
    games_per_hour: u32,
    at: Moment,
) -> Option<PitTableSection> {
    let demonstration = floor.settings().is_some_and(|settings| settings.demonstration);
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
        devices: floor.mechanisms(id).map(|found| device(floor, found, demonstration)).collect(),
        waits: waits(floor, id, rulebook, at),
        grounds: grounds(floor, id, rulebook, at),
        hand_pay: found.settings().hand_pay.into(),
        float: float(found),
        recording_period: (found.mode() == TableMode::BetsRecorded).then(|| found.next_recording_period()),
    })
}
