//! What a round waits for and what to do, what the dealer affirms, and which grounds can be declared.

use floor::{Floor, Moment, Need, Phase, Round, Seen, Table, TableId, Wait};
use rulebook::{Affirmed, Arises, Device as Mechanism, GroundId, Rulebook};
use serde::Serialize;
use utoipa::ToSchema;

use super::table::outcome;
use crate::view::Words;

/// What a round waits for, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct WaitSection {
    /// A stable code.
    #[schema(example = "device_silent")]
    pub kind: String,
    /// The device it is about.
    pub device: Option<u16>,
    /// The paragraph or decision behind it.
    pub rule: String,
    /// What it waits for.
    pub words: Words,
    /// What to do, step by step.
    pub steps: Vec<Words>,
}

/// A point the dealer affirms (D19).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct AffirmRow {
    /// Its name, to be sent with the step.
    #[schema(example = "flat")]
    pub point: String,
    /// The paragraph that asks for it.
    pub paragraph: String,
    /// The words.
    pub words: Words,
}

/// A ground that can be declared (D23).
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct DeclareRow {
    /// Which, to be sent.
    #[schema(example = "dice-damaged")]
    pub id: String,
    /// Its paragraph.
    pub paragraph: String,
    /// The wording.
    pub words: Words,
    /// Whether a Pit Supervisor must be the second person now.
    pub takes_two: bool,
}

/// Why a result needs a second person (D19).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeedName {
    /// It does not.
    Nothing,
    /// Who entered it recorded chips after the close that win more than one person moves alone.
    LateChips,
    /// Who entered it changed the service of the device today.
    Serviced,
    /// The device should have read it and did not, or not all of it.
    Unread,
    /// The device read something else.
    Contradicts,
}

impl From<Need> for NeedName {
    fn from(need: Need) -> NeedName {
        match need {
            Need::Nothing => NeedName::Nothing,
            Need::LateChips => NeedName::LateChips,
            Need::Serviced => NeedName::Serviced,
            Need::Unread => NeedName::Unread,
            Need::Contradicts => NeedName::Contradicts,
        }
    }
}

/// The points to affirm with the next step.
pub fn affirm(floor: &Floor, table: &Table, rulebook: &Rulebook) -> Vec<AffirmRow> {
    // Where the round begins with the notice, the next step is always the entry.
    let with = floor.affirms_next(table.id()).unwrap_or(Affirmed::Result);
    let row = |affirmation: &rulebook::Affirmation| AffirmRow {
        point: affirmation.point.to_string(),
        paragraph: affirmation.paragraph.to_string(),
        words: (&affirmation.text).into(),
    };
    floor.to_affirm(table, rulebook, with).into_iter().map(row).collect()
}

/// Every ground that can be declared: all but the interruption, which is reported and attested.
pub fn grounds(floor: &Floor, table: TableId, rulebook: &Rulebook, at: Moment) -> Vec<DeclareRow> {
    let declared = rulebook.void_grounds().iter().filter(|ground| ground.arises != Arises::Attested);
    let row = |ground: &rulebook::VoidGround| DeclareRow {
        id: ground.id.to_string(),
        paragraph: ground.paragraph.to_string(),
        words: (&ground.name).into(),
        takes_two: floor.declaring_takes_two(table, ground.id, at),
    };
    declared.map(row).collect()
}

const CALL: (&str, &str) = ("Call the Pit Supervisor", "请呼叫值台主管");
const OUT: (&str, &str) = (
    "Take the device out of service; one of the two must be a Pit Supervisor, and neither enters this result",
    "将设备停用；两人中须有一名值台主管，且两人均不得输入本局结果",
);
const AFFIRM: (&str, &str) = ("Affirm the points of the document and enter the result", "确认文件所列各项并输入结果");
const NO_TUMBLE: (&str, &str) =
    ("The device in service has reported no lawful tumble or spin", "使用中的设备未报告有效的摇骰或掷球");
const NOT_LAWFUL: (&str, &str) =
    ("The tumble or spin of this round was not reported as lawful", "本局的摇骰或掷球未被报告为有效");
const UNCOUNTED: (&str, &str) = (
    "The dice were read; the device has not reported how many times they were tumbled",
    "骰子已读取；设备未报告摇骰次数",
);
const UNCOVERED: (&str, &str) = ("The dice of this round were not tumbled under the cover", "本局骰子并非在盅内摇动");
const NO_OTHER: (&str, &str) =
    ("Do not tumble or spin again: a second one never counts (D18)", "不得再次摇骰或掷球：第二次一律无效（D18）");
const START_AGAIN: (&str, &str) = (
    "Before the notice, with the dice unexposed: declare the ground or start again (D18)",
    "开放下注前且骰子未外露：宣布作废理由或重新摇骰（D18）",
);
const SILENT: (&str, &str) = ("If the device reports nothing:", "若设备没有报告：");
const NOT_SAID: (&str, &str) = ("If it was lawful and the device did not say so:", "若该次有效而设备未如实报告：");
const DECLARE: (&str, &str) = (
    "Declare any ground of the document that applies; once dice or ball can be seen, a Pit Supervisor signs too",
    "符合文件所列任何理由的，宣布该理由；骰子或球已可见时，值台主管须一同签署",
);
const UNRULED: (&str, &str) =
    ("What no paragraph covers, the Shift Manager decides", "条文未涵盖的情形，由值班经理裁定");
const STATE: (&str, &str) = (
    "For its outcome to stand, the dealer affirms what the wheel does not measure (Ball at rest)",
    "若该结果将予维持，荷官须确认轮盘未测量的各项（球已停定）",
);
const SHIFT: (&str, &str) = ("The Shift Manager decides", "由值班经理裁定");

/// Where the ball came to rest before the close, if that was read.
fn early_ball(floor: &Floor, table: TableId, rulebook: &Rulebook) -> Words {
    let early = floor.table(table).and_then(|table| table.round()?.seen().early);
    match early.map(|index| outcome(rulebook, index)) {
        Some(pocket) => Words::new(
            format!("The ball came to rest in {pocket} before the close"),
            format!("停止下注前球已停定在 {pocket}"),
        ),
        None => Words::new("The ball came to rest before the close", "停止下注前球已停定"),
    }
}

/// What to do where dice tumbled under the cover were seen too early, with the paragraph of this document.
fn exposed(rulebook: &Rulebook) -> Option<Words> {
    let ground = rulebook.void_grounds().iter().find(|ground| ground.id == GroundId::ExposedBeforeClose)?;
    let paragraph = &ground.paragraph;
    Some(Words::new(
        format!(
            "If dice tumbled under the cover were exposed before the close, declare {paragraph}: the round is void"
        ),
        format!("若盅内已摇之骰在停止下注前外露，宣布 {paragraph}：本局作废"),
    ))
}

/// No lawful tumble or spin was reported. Only where none was made in the round is one advised: a second one never replaces
/// the first and never cures it (D18). Where one was made, a ground is declared or a second person called.
fn silent(floor: &Floor, table: TableId, rulebook: &Rulebook, device: Option<u16>) -> WaitSection {
    let round = floor.table(table).and_then(Table::round);
    let made = round.is_some_and(was_made);
    let bare = round.is_some_and(|round| round.seen().bare);
    let begun = round.is_some_and(|round| round.phase() == Phase::Begun && may_repeat(round.seen()));
    let mut steps = Vec::new();
    let (kind, words) = match (made, bare) {
        (false, _) => ("device_silent", NO_TUMBLE),
        (true, false) if round.is_some_and(|round| round.seen().is_uncounted()) => ("not_lawful", UNCOUNTED),
        (true, false) => ("not_lawful", NOT_LAWFUL),
        (true, true) => ("bare", UNCOVERED),
    };
    match made {
        false => steps.push(said(tumble_once(rulebook))),
        true if begun => steps.push(said(START_AGAIN)),
        true => steps.push(said(NO_OTHER)),
    }
    steps.extend(exposed(rulebook));
    match (made, bare) {
        (false, _) => steps.extend([SILENT, CALL, OUT, AFFIRM].map(said)),
        (true, false) => steps.extend([DECLARE, NOT_SAID, CALL, OUT, AFFIRM].map(said)),
        (true, true) => steps.extend([DECLARE, CALL, UNRULED].map(said)),
    }
    let rule = rulebook.procedure().device_paragraph.to_string();
    WaitSection { kind: kind.to_owned(), device, rule, words: said(words), steps }
}

/// Whether a tumble or spin was made in the round. The dealer who begins a round sets the tumbler off with it (MBS): until the
/// device reports of it, nothing is wrong with that tumble.
fn was_made(round: &Round) -> bool {
    let seen = round.seen();
    let told = round.phase() > Phase::Begun || seen.reported() || seen.is_uncounted();
    seen.is_unannounced() || seen.set_off && told
}

fn said((en, zh): (&str, &str)) -> Words {
    Words::new(en, zh)
}

/// Dice that no one has seen or read may be tumbled anew before the notice, where the document has the tumble before it
/// (MBS).
fn may_repeat(seen: &Seen) -> bool {
    let read = seen.dice.iter().chain(&seen.concealed).any(Option::is_some);
    !seen.exposed && !seen.uncovered && !seen.bare && !read
}

/// The first tumble or spin of the round; dice that are tumbled under a cover lie under it.
fn tumble_once(rulebook: &Rulebook) -> (&'static str, &'static str) {
    match rulebook.procedure().device {
        Mechanism::Tumbler { covered: true, .. } => (
            "If the dice were not tumbled in this round yet: tumble them under the cover, once",
            "若本局尚未摇骰：盖好骰盅，摇骰一次",
        ),
        Mechanism::Tumbler { .. } => {
            ("If the dice were not tumbled in this round yet: tumble them, once", "若本局尚未摇骰：摇骰一次")
        }
        Mechanism::Wheel { .. } => {
            ("If the ball was not spun in this round yet: spin it, once", "若本局尚未掷球：掷球一次")
        }
    }
}

/// What the round waits for.
pub fn waits(floor: &Floor, table: TableId, rulebook: &Rulebook, at: Moment) -> Option<WaitSection> {
    let wait = floor.waits_for(table, at)?;
    let device = match wait {
        Wait::Fault(device, _) | Wait::Running(device) | Wait::Covered(device) | Wait::Silent(device) => Some(device.0),
        _ => None,
    };
    let paragraph = rulebook.procedure().device_paragraph.to_string();
    let (kind, rule, words, steps) = match wait {
        Wait::Attestation => (
            "attestation",
            rulebook.irregularities().established.to_string(),
            Words::new("The round is interrupted", "本局已中断"),
            vec![CALL, ("Attest together what the interruption did", "共同确认中断的影响")],
        ),
        Wait::Ground => (
            "ground",
            "D5".to_owned(),
            Words::new("A device has reported a void ground", "设备报告了作废理由"),
            vec![
                ("Confirm it: the round is void", "确认：本局作废"),
                ("Or have it recorded as a device fault by a Pit Supervisor", "或由值台主管记录为设备故障"),
            ],
        ),
        Wait::SecondTumble(Some(index)) => (
            "second_tumble",
            "D18".to_owned(),
            Words::new(
                format!("A second tumble or spin: the first outcome {} stands", outcome(rulebook, index)),
                format!("再次摇骰或掷球：以首次结果 {} 为准", outcome(rulebook, index)),
            ),
            vec![CALL, ("End the round with the first outcome", "以首次结果结束本局")],
        ),
        Wait::SecondTumble(None) => (
            "second_tumble",
            "D18".to_owned(),
            Words::new(
                "A second tumble or spin: the first outcome was neither completely read nor entered in agreement with what was read",
                "再次摇骰或掷球：首次结果未完整读取，亦无与读数相符的输入",
            ),
            vec![SHIFT],
        ),
        Wait::Fault(_, number) => (
            "device_fault",
            "D21".to_owned(),
            Words::new(format!("The device reported fault {number}"), format!("设备报告故障 {number}")),
            vec![("Say whether it affects the round", "请说明是否影响本局")],
        ),
        Wait::EarlyBall => {
            let stated = floor.table(table).and_then(Table::round).is_some_and(Round::rest_is_stated);
            let steps = if stated { vec![SHIFT] } else { vec![STATE, SHIFT] };
            ("rested_early", "D4".to_owned(), early_ball(floor, table, rulebook), steps)
        }
        Wait::Terminals(count) => (
            "terminals",
            "D12".to_owned(),
            Words::new(
                format!("{count} terminals have not shown the close"),
                format!("{count} 台终端尚未显示停止下注"),
            ),
            Vec::new(),
        ),
        Wait::Returning(count) => (
            "terminals_away",
            "D6".to_owned(),
            Words::new(
                format!("{count} terminals are not back after the stoppage"),
                format!("停顿后尚有 {count} 台终端未恢复连接"),
            ),
            Vec::new(),
        ),
        Wait::Running(_) => (
            "device_running",
            paragraph,
            Words::new("The device is running", "设备运行中"),
            vec![("If it has stopped reporting:", "若设备停止报告："), CALL, OUT, AFFIRM],
        ),
        Wait::Covered(_) => (
            "covered",
            paragraph,
            Words::new("The dice lie under the cover: uncover them", "骰子在盅内：请开盅"),
            vec![("If the device does not report that the cover is off:", "若设备未报告开盅："), CALL, OUT, AFFIRM],
        ),
        Wait::Silent(_) => return Some(silent(floor, table, rulebook, device)),
        Wait::SecondPerson(need) => {
            let words = match need {
                Need::Contradicts => Words::new("The device read something else", "设备读数与输入结果不符"),
                Need::Unread => Words::new(
                    "The device has not reported the start, or has not read the result",
                    "设备未报告开始，或未读取结果",
                ),
                Need::Serviced => Words::new(
                    "Who entered the result changed the device's service today, or set a report of it aside: a second \
                     person signs",
                    "输入结果者今日更改过设备状态，或曾搁置其报告：须第二人签署",
                ),
                Need::LateChips => Words::new(
                    "Who entered the result recorded chips after the close that win with it: a second person signs",
                    "输入结果者在截止后补记的筹码因该结果中彩：须第二人签署",
                ),
                Need::Nothing => Words::new("A second person signs for the result", "该结果须第二人签署"),
            };
            let rule = if need == Need::LateChips { "D20" } else { "D19" };
            let confirm = ("The Pit Supervisor confirms with the dealer", "值台主管与荷官共同确认");
            ("second_person", rule.to_owned(), words, vec![CALL, confirm])
        }
    };
    let steps = steps.into_iter().map(|(en, zh)| Words::new(en, zh)).collect();
    Some(WaitSection { kind: kind.to_owned(), device, rule, words, steps })
}
