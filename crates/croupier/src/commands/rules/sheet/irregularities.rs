//! What the rule sheet says of limits, of what goes wrong, and of who decides.

use rulebook::{LimitScope, Play, Unregistered};

use super::Sheet;
use crate::output::Column::{Name, Words};
use crate::output::Language;

impl Sheet<'_> {
    pub(super) fn limits(&mut self) {
        self.heading("Limits", "限额");
        let limits = self.rulebook.limits();
        let whose = match limits.scope {
            LimitScope::PlayerAndSpot => {
                self.say("minimum and maximum for each player's bet on a spot", "最低与最高额按每位玩家每个投注位计算")
            }
            LimitScope::Box => self.say(
                "minimum for each player's bet in a betting box, maximum for all bets in it",
                "最低额按投注格内每位玩家的投注计算，最高额按整个投注格计算",
            ),
        };
        let shown = match (limits.paragraph.is_decision(), self.rulebook.identity().play) {
            (true, _) => self.say("the document states none; shown on the terminals", "文件未有规定；显示于玩家终端"),
            (_, Play::Terminals) => self.say("on the terminals", "显示于玩家终端"),
            (_, Play::Chips) => self.say("at the table, with the largest differential", "连同最大差额显示于赌台"),
        };
        let mut facts = vec![
            self.fact(("Shown", "显示"), shown, &[&limits.paragraph]),
            self.fact(("Whose bets", "计算方式"), whose, &[&limits.source]),
        ];
        for [first, second] in &limits.differential {
            let words = format!("{first} – {second}");
            facts.push(self.fact(("Differential", "差额"), words, &[&limits.paragraph]));
        }
        facts.extend(
            [
                self.fact_if(
                    ("Responsibility", "责任"),
                    ("keeping to the limits is up to the player", "玩家须自行确保投注在限额之内"),
                    limits.responsibility.as_ref(),
                ),
                self.fact_if(
                    ("Room left", "余额"),
                    ("no player may refuse that others take it up", "玩家不得拒绝他人补足余额"),
                    limits.balance.as_ref(),
                ),
                self.fact_if(
                    ("Excess", "超额"),
                    ("rejected before the close", "停止下注前拒收"),
                    limits.excess.as_ref(),
                ),
                self.fact_if(
                    ("Excess not rejected", "未拒收的超额"),
                    ("settled pro rata, no bet scaled to below the minimum", "按比例结算，但不得低于最低投注额"),
                    limits.pro_rata.as_ref(),
                ),
                self.fact_if(
                    ("Under the minimum, in excess", "超额格内未达最低额"),
                    ("stays whole", "照原注输赢"),
                    limits.under_minimum_in_excess.as_ref(),
                ),
                self.fact_if(
                    ("Under the minimum", "未达最低额"),
                    ("pointed out, so that it can be raised or withdrawn", "告知玩家加注或收回"),
                    limits.under_minimum.as_ref(),
                ),
                self.fact_if(
                    ("Under the minimum, overlooked", "未达最低额而未发现"),
                    ("wins or loses as it stands", "照原注输赢"),
                    limits.under_minimum_unnoticed.as_ref(),
                ),
                self.fact_if(
                    ("Rounding", "取整"),
                    ("amounts at risk are cut down to the rounding unit", "计算输赢的金额向下取整"),
                    limits.rounding.as_ref(),
                ),
            ]
            .into_iter()
            .flatten(),
        );
        self.page.rows(facts);
    }

    pub(super) fn void_grounds(&mut self) {
        self.heading("What makes a round void", "作废事由");
        let columns = [
            Words(self.say("Ground", "事由")),
            Name("§"),
            Words(self.say("How it arises", "如何产生")),
            Words(self.say("Voids", "作废范围")),
        ];
        let rows: Vec<[String; 4]> = self
            .rulebook
            .void_grounds()
            .iter()
            .map(|ground| {
                [
                    self.language.of(&ground.name).to_owned(),
                    ground.paragraph.to_string(),
                    self.language.arises(ground.arises).to_owned(),
                    self.language.voids(ground.voids).to_owned(),
                ]
            })
            .collect();
        self.page.table(&columns, rows);
        let paragraph = &self.rulebook.irregularities().void_returns;
        let returned = match self.language {
            Language::En => format!("A void round returns all its bets ({paragraph})."),
            Language::Zh => format!("作废的一局退还所有投注（{paragraph}）。"),
        };
        self.page.gap();
        self.page.words(&returned);
    }

    pub(super) fn interruption(&mut self) {
        self.heading("Technical interruption", "技术中断");
        let rules = self.rulebook.irregularities();
        let terminals = ("Terminals only", "仅终端中断");
        let unregistered = rules.unregistered.as_ref().map(|(paragraph, bets)| {
            let words = match bets {
                Unregistered::Returned => self.say("go back to the players", "退还玩家"),
                Unregistered::NotPartOfRound => self.say("were not part of the round", "视为没有参与该局"),
            };
            self.fact(("Bets not registered", "未登记的投注"), words, &[paragraph])
        });
        let facts = [
            Some(self.fact(
                ("Outcome established", "已产生结果"),
                self.say(
                    "some bet has for certain won or lost: the round is concluded",
                    "任何投注已确定输赢：该局继续至完成",
                ),
                &[&rules.established],
            )),
            Some(self.fact(
                ("None established", "未产生结果"),
                self.say("the round is void", "该局作废"),
                &[&rules.not_established],
            )),
            self.fact_if(terminals, ("the round goes on", "该局继续"), rules.terminals_only.as_ref()),
            self.fact_if(
                ("Bets registered", "已登记的投注"),
                ("are settled as ever", "照常结算"),
                rules.registered.as_ref(),
            ),
            unregistered,
        ];
        self.page.rows(facts.into_iter().flatten());
    }

    pub(super) fn correction(&mut self) {
        self.heading("Errors and corrections", "错误与更正");
        let rules = self.rulebook.irregularities();
        let facts = [
            self.fact_if(
                ("Wrong result entered", "登记结果有误"),
                if self.rulebook.outcomes().wheel().is_some() {
                    ("the round is settled by what the wheel showed", "以轮盘所示结果结算")
                } else {
                    ("the round is settled by what the dice showed", "以骰子所示结果结算")
                },
                rules.wrong_result.as_ref(),
            ),
            self.fact_if(
                ("Shown or lit wrongly", "显示或亮灯有误"),
                ("bets follow the dice", "一切投注以骰子所示结果为准"),
                rules.dice_prevail.as_ref(),
            ),
            self.fact_if(
                ("Noticed in a later round", "其后一局才发现"),
                ("changes nothing in later rounds", "不影响其后各局"),
                rules.later_rounds.as_ref(),
            ),
            self.fact_if(
                ("Position of chips", "筹码位置"),
                ("bets settle by where they stand at the close", "投注以停止下注时的位置结算"),
                rules.position_of_chips.as_ref(),
            ),
            self.fact_if(
                ("Player gone", "玩家离开"),
                ("settled as if present", "投注照常结算"),
                rules.walked_away.as_ref(),
            ),
            self.fact_if(
                ("Bets for a player", "代为下注"),
                ("a Pit Employee may place them when asked", "场区员工可应玩家要求代其下注"),
                rules.on_behalf.as_ref(),
            ),
            Some(self.fact(("Displays", "显示"), self.say("are for information only", "仅供参考"), &[&rules.display])),
            rules.take_back.as_ref().map(|(words, source)| {
                self.fact(("Taking back winnings", "收回彩金"), self.language.of(words), &[source])
            }),
        ];
        self.page.rows(facts.into_iter().flatten());
    }

    pub(super) fn deciding(&mut self) {
        self.heading("Who decides", "由谁决定");
        let discretion = self.rulebook.discretion();
        let title = self.language.of(&discretion.title);
        let what = if discretion.covers_interpretation {
            self.say("what the rules do not cover, and what they mean", "规则未涵盖的情况及规则释义")
        } else {
            self.say("irregularities the rules do not cover", "规则未涵盖的异常情况")
        };
        let who = match self.language {
            Language::En => format!("{title} or above: {what}"),
            Language::Zh => format!("{title}或以上：{what}"),
        };
        let facts = [
            self.fact(("Decides", "裁定"), who, &[&discretion.paragraph]),
            self.fact(
                ("Acting", "署理"),
                self.say("whoever is assigned to a position and acting in it", "获指派并署理该职位者"),
                &[self.rulebook.acting()],
            ),
            self.fact(
                ("Higher ranks", "较高职级"),
                self.say("may do what one below may", "可执行较低职级的职责"),
                &[self.rulebook.higher()],
            ),
        ];
        self.page.rows(facts);
    }

    pub(super) fn powers(&mut self) {
        self.heading("Powers: the lowest rank for each act", "职权：各项操作的最低职级");
        let columns = [Words(self.say("Act", "操作")), Name(self.say("Lowest rank", "最低职级")), Name("§")];
        let rows: Vec<[String; 3]> = self
            .rulebook
            .powers()
            .iter()
            .map(|power| {
                [
                    self.language.act(power.act).to_owned(),
                    self.language.rank(power.rank).to_owned(),
                    power.paragraph.to_string(),
                ]
            })
            .collect();
        self.page.table(&columns, rows);
    }

    pub(super) fn paragraphs(&mut self) {
        self.heading("Every paragraph, in our words", "各段落（以我们的文字表述）");
        let inferred = self.say("number inferred", "编号为推断");
        let rows: Vec<[String; 3]> = self
            .rulebook
            .paragraphs()
            .iter()
            .map(|paragraph| {
                let number = &paragraph.number;
                [
                    if paragraph.inferred { format!("{number} *") } else { number.clone() },
                    self.language.class(paragraph.class).to_owned(),
                    self.language.of(&paragraph.text).to_owned(),
                ]
            })
            .collect();
        let columns = [Name("§"), Name(self.say("Class", "类别")), Words(self.say("What it says", "内容"))];
        self.page.table(&columns, rows);
        if self.rulebook.paragraphs().iter().any(|paragraph| paragraph.inferred) {
            self.page.gap();
            self.page.words(&format!("* {inferred}"));
        }
    }
}
