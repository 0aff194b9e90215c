//! Words for the rule sheet in both languages.

use clap::ValueEnum;
use rulebook::{Act, Arises, Begins, Class, Colour, Mark, Rank, Text, Timing, Voids};

/// A language of the rule sheet.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// English
    En,
    /// 简体中文
    Zh,
}

impl Language {
    /// The one of two wordings that is in this language.
    pub fn pick<'a>(self, en: &'a str, zh: &'a str) -> &'a str {
        match self {
            Language::En => en,
            Language::Zh => zh,
        }
    }

    /// The words of the rulebook in this language.
    pub fn of(self, text: &Text) -> &str {
        self.pick(&text.en, &text.zh)
    }

    pub fn mark(self, mark: &Mark) -> String {
        let decision = mark.decision();
        match mark {
            Mark::Inferred(_) => format!("{} ({decision})", self.pick("inferred", "推断")),
            Mark::Assumed(_) => format!("{} ({decision})", self.pick("assumed", "假定")),
        }
    }

    pub fn begins(self, begins: Begins) -> &'static str {
        match begins {
            Begins::Notice => self.pick("with the notice for bets on the terminals", "终端显示下注通知"),
            Begins::Announcement => self.pick("with the dealer's call for bets", "荷官宣布请下注"),
            Begins::Activation => self.pick(
                "when the dealer sets off the tumbler; bets are taken from the notice that follows",
                "荷官启动骰盅；其后终端显示通知方可下注",
            ),
        }
    }

    pub fn timing(self, timing: Timing) -> &'static str {
        let zh = match timing {
            Timing::BeforeNotice => "在开放下注之前",
            Timing::AfterClose => "仅在停止下注之后",
            Timing::BeforeOrAfterClose => "在该局之内，停止下注之前或之后均可",
        };
        self.pick(timing.words(), zh)
    }

    pub fn arises(self, arises: Arises) -> &'static str {
        match arises {
            Arises::Device => self.pick("a device measures it", "由装置测得"),
            Arises::DeviceOrDeclared => {
                self.pick("a device measures it, or the dealer declares it", "由装置测得，或由荷官宣布")
            }
            Arises::Proposed => self.pick("a device proposes it, the dealer confirms", "由装置提出，荷官确认"),
            Arises::Declared => self.pick("the dealer declares it", "由荷官宣布"),
            Arises::Attested => self.pick("attested after the interruption", "中断后经见证确认"),
        }
    }

    pub fn voids(self, voids: Voids) -> &'static str {
        match voids {
            Voids::CurrentRound => self.pick("the current round", "当前一局"),
            Voids::AffectedRounds => {
                self.pick("all affected rounds, settled ones too", "所有受影响的各局（包括已结算的）")
            }
        }
    }

    pub fn rank(self, rank: Rank) -> &'static str {
        match rank {
            Rank::Dealer => self.pick("Dealer", "荷官"),
            Rank::PitSupervisor => self.pick("Pit Supervisor", "区域主管"),
            Rank::PitManager => self.pick("Pit Manager", "区域经理"),
            Rank::ShiftManager => self.pick("Shift Manager", "值班经理"),
            Rank::CasinoManager => self.pick("Casino Manager", "赌场经理"),
        }
    }

    pub fn act(self, act: Act) -> &'static str {
        match act {
            Act::OpenRound => self.pick("Open a round", "开局"),
            Act::CloseBets => self.pick("Close the bets", "停止下注"),
            Act::EnterResult => self.pick("Enter the result", "登记结果"),
            Act::DeclareGround => self.pick("Declare a void ground", "宣布作废事由"),
            Act::AttestInterruption => self.pick("Attest an interruption", "确认技术中断"),
            Act::CorrectBeforeSettlement => self.pick("Correct a result before settlement", "结算前更正结果"),
            Act::CorrectAfterSettlement => self.pick("Correct a result after settlement", "结算后更正结果"),
            Act::WitnessAttestation => self.pick("Witness an attestation", "见证确认"),
            Act::RecordDeviceFault => self.pick("Record a device's report as its fault", "将装置报告记录为装置故障"),
            Act::LockTerminal => self.pick("Lock a terminal", "锁定终端"),
            Act::HandPay => self.pick("Pay by hand", "人工派彩"),
            Act::AcknowledgeAlert => self.pick("Acknowledge an alert", "确认警报"),
            Act::VoidAffectedRounds => self.pick("Name affected rounds to void", "指定须作废的受影响各局"),
            Act::ChangeLimits => self.pick("Change the limits", "更改限额"),
            Act::OpenTable => self.pick("Open or close the table", "开台或关台"),
            Act::Decide => self.pick("Decide what no rule covers", "裁定规则未涵盖的情况"),
            Act::RejectExcess => self.pick("Reject excess", "拒收超额投注"),
            Act::AdviseMinimum => self.pick("Point out a bet under the minimum", "告知投注未达最低额"),
            Act::RefuseLateBets => self.pick("Refuse late bets", "拒绝停止下注后的投注"),
            Act::PlaceForPlayer => self.pick("Place a bet for a player", "代玩家下注"),
        }
    }

    pub fn class(self, class: Class) -> &'static str {
        let zh = match class {
            Class::Heading => "标题",
            Class::Definition => "定义",
            Class::Layout => "版面",
            Class::Procedure => "程序",
            Class::Odds => "赔率",
            Class::Limits => "限额",
            Class::Irregularity => "异常",
            Class::Power => "职权",
            Class::Display => "显示",
        };
        self.pick(class.as_str(), zh)
    }

    pub fn colour(self, colour: Colour) -> &'static str {
        let zh = match colour {
            Colour::Green => "绿",
            Colour::Red => "红",
            Colour::Black => "黑",
        };
        self.pick(colour.as_str(), zh)
    }
}
