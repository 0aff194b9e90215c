//! The rule sheet: a rulebook as a dealer reads it.

mod bets;
mod irregularities;

use rulebook::{Citation, Device, Layout, Mark, Play, Rulebook};

use crate::output::{Language, Page};

/// Writes the whole sheet, with the odds of the layouts that are asked for.
pub fn write(page: &mut Page, language: Language, rulebook: &Rulebook, layouts: &[Layout]) {
    let mut sheet = Sheet { page, language, rulebook, layouts };
    sheet.identity();
    sheet.round();
    sheet.layouts();
    sheet.bets();
    sheet.odds();
    sheet.multi_piece();
    sheet.wheel();
    sheet.limits();
    sheet.void_grounds();
    sheet.interruption();
    sheet.correction();
    sheet.deciding();
    sheet.powers();
    sheet.paragraphs();
}

struct Sheet<'a> {
    page: &'a mut Page,
    language: Language,
    rulebook: &'a Rulebook,
    layouts: &'a [Layout],
}

/// What the rules say of one matter, and where.
type Fact = [String; 3];

impl Sheet<'_> {
    fn say<'b>(&self, en: &'b str, zh: &'b str) -> &'b str {
        self.language.pick(en, zh)
    }

    fn heading(&mut self, en: &str, zh: &str) {
        self.page.heading(self.language.pick(en, zh));
    }

    fn fact(&self, (en, zh): (&str, &str), words: impl Into<String>, citations: &[&Citation]) -> Fact {
        [self.say(en, zh).to_owned(), words.into(), cited(citations)]
    }

    /// A fact in the words of its paragraph.
    fn stated(&self, matter: (&str, &str), citation: &Citation) -> Fact {
        let paragraph = self.rulebook.paragraphs().iter().find(|paragraph| paragraph.number == citation.as_str());
        self.fact(matter, paragraph.map_or("", |paragraph| self.language.of(&paragraph.text)), &[citation])
    }

    /// A fact that some documents have and others not.
    fn fact_if(&self, matter: (&str, &str), words: (&str, &str), citation: Option<&Citation>) -> Option<Fact> {
        citation.map(|citation| self.fact(matter, self.say(words.0, words.1), &[citation]))
    }

    fn identity(&mut self) {
        let identity = self.rulebook.identity();
        let title = format!("{} · {}", self.language.of(&identity.title), self.rulebook.id());
        let standing = if identity.approved {
            self.say("approved document", "核准文件")
        } else {
            self.say("example of the house, not an approved document", "自拟示例，非核准文件")
        };
        let play = match identity.play {
            Play::Terminals => self.say("with credits on Player Terminals", "玩家终端，使用积分"),
            Play::Chips => self.say("with chips on a live table", "真人赌台，使用筹码"),
        };
        let mut facts = vec![
            [self.say("Operator", "经营者").to_owned(), identity.operator.clone()],
            [self.say("Version", "版本").to_owned(), format!("{}{}{standing}", identity.version, self.say(", ", "，"))],
        ];
        if let Some(from) = &identity.in_force_from {
            let zone = self.say("Singapore time", "新加坡时间");
            facts.push([
                self.say("In force from", "生效日期").to_owned(),
                format!("{}{}{zone}", from.replace('T', " "), self.say(", ", "，")),
            ]);
        }
        facts.push([self.say("Played", "玩法").to_owned(), play.to_owned()]);
        facts.push([self.say("Hash", "校验值").to_owned(), self.rulebook.hash().to_string()]);
        self.page.heading(&title);
        self.page.rows(facts);
        self.page.gap();
        self.page.words(self.say(
            "§ names the document's paragraph; D… is a decision of ours where the document is silent (docs/rules.md).",
            "§ 为文件段落编号；D… 为文件未有规定时我们的决定（见 docs/rules.md）。",
        ));
    }

    fn round(&mut self) {
        self.heading("How a round goes", "一局的流程");
        let procedure = self.rulebook.procedure();
        let language = self.language;
        let quote = |quoted: bool| if quoted { "" } else { self.say(" (our words)", "（用语为我们所拟）") };
        let announced = |text: &rulebook::Text, quoted: bool| format!("“{}”{}", language.of(text), quote(quoted));
        let (device, matter) = match procedure.device {
            Device::Tumbler { covered, minimum } => (tumbler(language, covered, minimum), ("Tumble", "摇骰")),
            Device::Wheel { against_rotation, minimum } => {
                (spin(language, against_rotation, minimum), ("Spin", "掷球"))
            }
        };
        let irregularities = self.rulebook.irregularities();
        let after_close: Vec<&Citation> = irregularities.after_close.iter().collect();
        let no_more = self.say("nothing is placed, raised or withdrawn", "不得下注、加注或收回投注");
        let mut facts = vec![
            self.fact(("Begins", "开始"), language.begins(procedure.begins), &[&procedure.begins_paragraph]),
            self.fact(
                ("Opening", "开放下注"),
                announced(&procedure.opening.text, procedure.opening.quoted),
                &[&procedure.opening.paragraph],
            ),
            self.fact(
                matter,
                format!("{device}{}{}", self.say("; ", "；"), language.timing(procedure.timing)),
                &[&procedure.device_paragraph, &procedure.timing_paragraph],
            ),
            self.fact(
                ("Closing", "停止下注"),
                announced(&procedure.closing.text, procedure.closing.quoted),
                &[&procedure.closing.paragraph],
            ),
            self.fact(("After the close", "停止下注后"), no_more, &after_close),
            self.fact(("Result", "结果"), language.of(&procedure.result), &[&procedure.result_paragraph]),
            self.stated(("Settlement", "结算"), &procedure.settles),
            self.stated(("Ends", "结束"), &procedure.ends),
        ];
        if procedure.timing == rulebook::Timing::BeforeNotice {
            // The device is what begins this round: it stands before the opening.
            facts.swap(1, 2);
        }
        self.page.rows(facts);
    }

    fn marked(&self, mark: Option<&Mark>) -> String {
        mark.map(|mark| self.language.mark(mark)).unwrap_or_default()
    }
}

fn tumbler(language: Language, covered: bool, minimum: u8) -> String {
    match (language, covered) {
        (Language::En, true) => format!("under cover, at least {minimum} tumbles"),
        (Language::En, false) => format!("in the open, at least {minimum} tumbles"),
        (Language::Zh, true) => format!("加盖摇骰，至少 {minimum} 次"),
        (Language::Zh, false) => format!("开放摇骰，至少 {minimum} 次"),
    }
}

fn spin(language: Language, against_rotation: bool, minimum: u8) -> String {
    match (language, against_rotation) {
        (Language::En, true) => format!("against the wheel's rotation, at least {minimum} revolutions"),
        (Language::En, false) => format!("at least {minimum} revolutions"),
        (Language::Zh, true) => format!("逆轮盘转动方向，至少 {minimum} 圈"),
        (Language::Zh, false) => format!("至少 {minimum} 圈"),
    }
}

/// Each citation once, in the order given.
fn cited(citations: &[&Citation]) -> String {
    let mut once: Vec<&str> = Vec::with_capacity(citations.len());
    for citation in citations {
        if !once.contains(&citation.as_str()) {
            once.push(citation.as_str());
        }
    }
    once.join(", ")
}
