//! What a simulated device can be told to show.

use floor::DeviceKind;
use rulebook::{Device, GroundId, Rulebook, Text, Timing};
use serde::{Deserialize, Serialize};

/// Something that goes wrong at a device, so that every ground that a device can report, and every alert about one, can
/// be shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The tumbler tumbles once less than the rules ask for.
    TooFewTumbles,
    /// A die leans.
    NotFlat,
    /// The cover comes off while bets are open.
    ExposedEarly,
    /// The tumbler is set off while bets are open, where that is not allowed.
    ActivatedEarly,
    /// One die cannot be read.
    OneDieUnreadable,
    /// The ball makes one revolution less than the rules ask for.
    TooFewRevolutions,
    /// The ball rests in no compartment.
    NoCompartment,
    /// The ball is flung out.
    FlungOut,
    /// The wheel does not turn when the ball is spun.
    WheelNotRotating,
    /// The ball is spun in the wheel's direction.
    SameDirection,
    /// The wheel stops before the ball rests.
    WheelStops,
    /// The ball rests while bets are open.
    RestsEarly,
    /// Ball and wheel run the same way as in the spin before.
    NotAlternated,
    /// The device reports nothing.
    Silent,
    /// The device reports something that makes no sense.
    Nonsense,
    /// The device has a fault of its own, and is restored a little later.
    DeviceFault,
    /// The device reads something else than there is.
    Disagree,
    /// The dealer sets the device off once more.
    SecondTumble,
    /// The tumbler tumbles and reads nothing.
    DeadReading,
    /// The device begins and never says that it ended.
    StopsReporting,
    /// The device reports a ground only now, after settlement.
    LateReport,
}

/// When a fault is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// With the next tumble or spin.
    NextDeal,
    /// At once, and only while bets are open.
    WhileBetsAreOpen,
    /// At once.
    AtOnce,
}

impl Fault {
    /// All of them, those of the tumbler first.
    pub const ALL: [Fault; 21] = [
        Fault::TooFewTumbles,
        Fault::NotFlat,
        Fault::ExposedEarly,
        Fault::ActivatedEarly,
        Fault::OneDieUnreadable,
        Fault::TooFewRevolutions,
        Fault::NoCompartment,
        Fault::FlungOut,
        Fault::WheelNotRotating,
        Fault::SameDirection,
        Fault::WheelStops,
        Fault::RestsEarly,
        Fault::NotAlternated,
        Fault::Silent,
        Fault::Nonsense,
        Fault::DeviceFault,
        Fault::Disagree,
        Fault::SecondTumble,
        Fault::DeadReading,
        Fault::StopsReporting,
        Fault::LateReport,
    ];

    /// Whether a device of that kind can show it.
    #[must_use]
    pub const fn is_for(self, kind: DeviceKind) -> bool {
        match self {
            Fault::TooFewTumbles
            | Fault::NotFlat
            | Fault::ExposedEarly
            | Fault::ActivatedEarly
            | Fault::OneDieUnreadable
            | Fault::DeadReading => matches!(kind, DeviceKind::Tumbler),
            Fault::TooFewRevolutions
            | Fault::NoCompartment
            | Fault::FlungOut
            | Fault::WheelNotRotating
            | Fault::SameDirection
            | Fault::WheelStops
            | Fault::RestsEarly
            | Fault::NotAlternated => matches!(kind, DeviceKind::Wheel),
            Fault::Silent
            | Fault::Nonsense
            | Fault::DeviceFault
            | Fault::Disagree
            | Fault::SecondTumble
            | Fault::StopsReporting
            | Fault::LateReport => {
                matches!(kind, DeviceKind::Tumbler | DeviceKind::Wheel)
            }
        }
    }

    /// The void ground it raises, where a document has it; `None` if it is only an alert at the pit.
    #[must_use]
    pub const fn ground(self) -> Option<GroundId> {
        Some(match self {
            Fault::TooFewTumbles => GroundId::TooFewTumbles,
            Fault::NotFlat => GroundId::DieNotFlat,
            Fault::ExposedEarly => GroundId::ExposedBeforeClose,
            Fault::ActivatedEarly => GroundId::ActivatedBeforeClose,
            Fault::TooFewRevolutions => GroundId::TooFewRevolutions,
            Fault::NoCompartment => GroundId::NoCompartment,
            Fault::FlungOut => GroundId::FlungOut,
            Fault::WheelNotRotating => GroundId::WheelNotRotating,
            Fault::SameDirection => GroundId::SameDirection,
            Fault::WheelStops => GroundId::WheelStopped,
            Fault::OneDieUnreadable
            | Fault::RestsEarly
            | Fault::NotAlternated
            | Fault::Silent
            | Fault::Nonsense
            | Fault::DeviceFault
            | Fault::Disagree
            | Fault::SecondTumble
            | Fault::DeadReading
            | Fault::StopsReporting
            | Fault::LateReport => return None,
        })
    }

    /// What it rests on in a rulebook: the ground's paragraph, or our decision or standard where there is no ground.
    /// `None` if it cannot be shown in that game.
    #[must_use]
    pub fn rule(self, rulebook: &Rulebook) -> Option<String> {
        if !self.is_for(kind_of(rulebook)) {
            return None;
        }
        if let Some(ground) = self.ground() {
            return rulebook.ground(ground).map(|ground| ground.paragraph.to_string());
        }
        // Where the dealer begins the round, no count of tumbles comes out of turn.
        if self == Fault::Nonsense && rulebook.procedure().timing == Timing::BeforeNotice {
            return None;
        }
        let rule = match self {
            Fault::SecondTumble => "D18",
            Fault::DeadReading | Fault::StopsReporting | Fault::LateReport | Fault::Silent | Fault::Disagree => "D19",
            Fault::DeviceFault => "D21",
            Fault::RestsEarly => "D4",
            Fault::NotAlternated => "S19",
            _ => "D5",
        };
        Some(rule.to_owned())
    }

    /// What can be shown in a game.
    #[must_use]
    pub fn menu(rulebook: &Rulebook) -> Vec<Fault> {
        Fault::ALL.into_iter().filter(|fault| fault.rule(rulebook).is_some()).collect()
    }

    /// When it is shown.
    #[must_use]
    pub const fn shown(self) -> Shown {
        match self {
            Fault::ExposedEarly | Fault::ActivatedEarly | Fault::RestsEarly => Shown::WhileBetsAreOpen,
            Fault::DeviceFault | Fault::SecondTumble | Fault::LateReport => Shown::AtOnce,
            _ => Shown::NextDeal,
        }
    }

    /// Words for the menu.
    #[must_use]
    pub fn words(self) -> Text {
        let (en, zh) = match self {
            Fault::TooFewTumbles => ("Too few tumbles", "摇动次数不足"),
            Fault::NotFlat => ("A die does not lie flat", "有骰子未平放"),
            Fault::ExposedEarly => ("Cover comes off before the close", "停止下注前盖子打开"),
            Fault::ActivatedEarly => ("Tumbler set off before the close", "停止下注前启动骰盅"),
            Fault::OneDieUnreadable => ("One die cannot be read", "有一粒骰子无法读取"),
            Fault::TooFewRevolutions => ("Too few revolutions", "球旋转圈数不足"),
            Fault::NoCompartment => ("Ball in no compartment", "球未落入任何一格"),
            Fault::FlungOut => ("Ball flung out of the wheel", "球飞出轮盘"),
            Fault::WheelNotRotating => ("Wheel does not turn at the spin", "掷球时轮盘没有转动"),
            Fault::SameDirection => ("Ball spun in the wheel's direction", "球与轮盘同向旋转"),
            Fault::WheelStops => ("Wheel stops before the ball rests", "球停定前轮盘停止转动"),
            Fault::RestsEarly => ("Ball rests before the close", "停止下注前球已停定"),
            Fault::NotAlternated => ("Direction not alternated", "旋转方向未交替"),
            Fault::Silent => ("Device reports nothing", "设备没有报告"),
            Fault::Nonsense => ("Device reports nonsense", "设备报告不合理"),
            Fault::DeviceFault => ("Device fault, restored after a while", "设备故障，稍后恢复"),
            Fault::Disagree => ("Device reads something else", "设备读数与实际不符"),
            Fault::SecondTumble => ("A second tumble or spin", "再次摇骰或掷球"),
            Fault::DeadReading => ("Device reads nothing", "设备没有读数"),
            Fault::StopsReporting => ("Device begins and stops reporting", "设备启动后停止报告"),
            Fault::LateReport => ("A report after settlement", "结算后才作出报告"),
        };
        Text { en: en.to_owned(), zh: zh.to_owned() }
    }
}

/// The device that a game is played with.
pub(super) fn kind_of(rulebook: &Rulebook) -> DeviceKind {
    match rulebook.procedure().device {
        Device::Tumbler { .. } => DeviceKind::Tumbler,
        Device::Wheel { .. } => DeviceKind::Wheel,
    }
}
