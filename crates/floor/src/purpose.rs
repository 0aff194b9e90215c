//! The purpose of a call for a second person (D28): the act, what it is about, and the most money it may move.
//!
//! The Shift Manager who then acts alone does that act and no other one: a call for 10.00 does not serve for 10,000.00, and a
//! call for one terminal does not serve for another.

use std::fmt;

use rulebook::Cents;
use serde::{Deserialize, Serialize};

use crate::command::*;
use crate::decide::amount_fits;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::Floor;

/// What the number behind an act stands for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Nothing: the act has no further subject.
    Nothing,
    /// The round in progress at the table of the call. The floor fills it in.
    RoundInProgress,
    /// A round; the first one of a range.
    Round,
    /// A round, or none.
    RoundOrNone,
    /// A terminal.
    Terminal,
    /// A position at a live table.
    Position,
    /// A ticket, by its sequence.
    Ticket,
    /// What a correction left to be paid.
    Payable,
    /// The shift whose drawer it is.
    Drawer,
    /// A device.
    Device,
    /// A person employed.
    Person,
}

impl Subject {
    /// What it is called in words and in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Subject::Nothing => "nothing",
            Subject::RoundInProgress | Subject::Round | Subject::RoundOrNone => "round",
            Subject::Terminal => "terminal",
            Subject::Position => "position",
            Subject::Ticket => "ticket",
            Subject::Payable => "payable",
            Subject::Drawer => "drawer",
            Subject::Device => "device",
            Subject::Person => "person",
        }
    }
}

/// Whether an act moves money.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Moves {
    /// It moves none.
    Never,
    /// It may move some: a call that names no amount serves only where none is moved.
    Perhaps,
    /// It always does: the call names the most.
    Always,
}

/// An act of two people, for which a second person is called (D28).
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
#[cbor(index_only)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum JointAct {
    #[n(0)]
    EnterResult,
    #[n(1)]
    ConfirmResult,
    #[n(2)]
    DeclareGround,
    #[n(3)]
    DismissGround,
    #[n(4)]
    Attest,
    #[n(5)]
    KeepFirstOutcome,
    #[n(6)]
    TakeChips,
    #[n(7)]
    RemoveChips,
    #[n(8)]
    ChooseOutcome,
    #[n(9)]
    VoidByDecision,
    #[n(10)]
    VoidRounds,
    #[n(11)]
    VoidRange,
    #[n(12)]
    CorrectRange,
    #[n(13)]
    CorrectResult,
    #[n(14)]
    CorrectRecord,
    #[n(15)]
    PayByDecision,
    #[n(16)]
    TakeBackByDecision,
    #[n(17)]
    PayChipsByDecision,
    #[n(18)]
    ClaimChipsByDecision,
    #[n(19)]
    AttendantIn,
    #[n(20)]
    AttendantPay,
    #[n(21)]
    PayByHand,
    #[n(22)]
    PayCorrection,
    #[n(23)]
    RecordRecovered,
    #[n(24)]
    ResolveTicket,
    #[n(25)]
    ReprintTicket,
    #[n(26)]
    SellTicket,
    #[n(27)]
    RedeemTicket,
    #[n(28)]
    Opener,
    #[n(29)]
    Fill,
    #[n(30)]
    TableCredit,
    #[n(31)]
    Closer,
    #[n(32)]
    Drop,
    #[n(33)]
    SellChips,
    #[n(34)]
    ExchangeChips,
    #[n(35)]
    OpenDrawer,
    #[n(36)]
    CountDrawer,
    #[n(37)]
    CloseDrawer,
    #[n(38)]
    MoveDrawer,
    #[n(39)]
    HandOverDrawer,
    #[n(40)]
    ServeDrawer,
    #[n(41)]
    TakeOutOfService,
    #[n(42)]
    PutBackInService,
    #[n(43)]
    DescribeDevice,
    #[n(44)]
    AddDevice,
    #[n(45)]
    MoveDevice,
    #[n(46)]
    AddTable,
    #[n(47)]
    PinRulebook,
    #[n(48)]
    ChangeSettings,
    #[n(49)]
    InstallRulebook,
    #[n(50)]
    RaisePower,
    #[n(51)]
    SetThresholds,
    #[n(52)]
    AddStaff,
    #[n(53)]
    ChangeStaff,
    #[n(54)]
    AssignActing,
    #[n(55)]
    SealCodes,
    #[n(56)]
    AcceptLoss,
    #[n(57)]
    AcceptClock,
    #[n(58)]
    AcceptProgram,
    #[n(59)]
    ApproveProgram,
    #[n(60)]
    SetRecordingPeriod,
    #[n(61)]
    PayExpired,
}

macro_rules! joint_acts {
    ($($name:ident = $text:literal $subject:ident $moves:ident $words:literal),+ $(,)?) => {
        impl JointAct {
            /// All of them.
            pub const ALL: &'static [JointAct] = &[$(JointAct::$name),+];

            /// The text form.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(JointAct::$name => $text),+ }
            }

            /// In words that follow "may".
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(JointAct::$name => $words),+ }
            }

            /// What the number behind it stands for.
            #[must_use]
            pub const fn subject(self) -> Subject {
                match self { $(JointAct::$name => Subject::$subject),+ }
            }

            /// Whether it moves money.
            #[must_use]
            pub const fn moves(self) -> Moves {
                match self { $(JointAct::$name => Moves::$moves),+ }
            }
        }
    };
}

joint_acts! {
    EnterResult = "enter_result" RoundInProgress Never "enter a result",
    ConfirmResult = "confirm_result" RoundInProgress Never "confirm a result",
    DeclareGround = "declare_ground" RoundInProgress Never "declare a void ground",
    DismissGround = "dismiss_ground" RoundInProgress Never "set a device's report aside",
    Attest = "attest" RoundInProgress Never "attest an interruption",
    KeepFirstOutcome = "keep_first_outcome" RoundInProgress Never "end the round with its first outcome",
    TakeChips = "take_chips" RoundInProgress Never "record chips",
    RemoveChips = "remove_chips" RoundInProgress Never "remove a wrong record of chips",
    ChooseOutcome = "choose_outcome" Round Never "decide which outcome stands",
    VoidByDecision = "void_by_decision" Round Perhaps "void a round by decision",
    VoidRounds = "void_rounds" Round Perhaps "void affected rounds",
    VoidRange = "void_range" Round Perhaps "void a range of rounds",
    CorrectRange = "correct_range" Round Perhaps "correct a range of rounds",
    CorrectResult = "correct_result" Round Perhaps "correct a settled round",
    CorrectRecord = "correct_record" Round Perhaps "correct a record of chips",
    PayByDecision = "pay_by_decision" Terminal Always "pay by decision",
    TakeBackByDecision = "take_back_by_decision" Terminal Always "take back by decision",
    PayChipsByDecision = "pay_chips_by_decision" Position Always "pay chips by decision",
    ClaimChipsByDecision = "claim_chips_by_decision" Position Always "claim chips by decision",
    AttendantIn = "attendant_in" Terminal Always "put credit on a terminal",
    AttendantPay = "attendant_pay" Terminal Always "pay credit out by hand",
    PayByHand = "pay_by_hand" Payable Always "pay by hand what a correction left",
    PayCorrection = "pay_correction" Payable Always "pay what a correction left",
    RecordRecovered = "record_recovered" RoundOrNone Always "record a claim as recovered",
    ResolveTicket = "resolve_ticket" Ticket Always "say what became of a ticket in doubt",
    ReprintTicket = "reprint_ticket" Ticket Always "reprint a ticket",
    SellTicket = "sell_ticket" Nothing Always "sell a ticket",
    RedeemTicket = "redeem_ticket" Nothing Always "redeem a ticket",
    Opener = "opener" Nothing Always "bring the opener of a table",
    Fill = "fill" Nothing Always "bring a fill to a table",
    TableCredit = "table_credit" Nothing Always "take chips back from a table",
    Closer = "closer" Nothing Always "count a table's closer",
    Drop = "drop" Nothing Always "count a table's drop",
    SellChips = "sell_chips" Nothing Always "sell chips",
    ExchangeChips = "exchange_chips" Nothing Always "exchange chips",
    OpenDrawer = "open_drawer" Nothing Perhaps "open a shift",
    CountDrawer = "count_drawer" Nothing Never "count a drawer",
    CloseDrawer = "close_drawer" Nothing Perhaps "close a shift",
    MoveDrawer = "move_drawer" Nothing Always "move cash between vault and drawer",
    HandOverDrawer = "hand_over_drawer" Nothing Never "hand a drawer over",
    ServeDrawer = "serve_drawer" Drawer Perhaps "count, close or hand over another cashier's drawer",
    TakeOutOfService = "take_out_of_service" Device Never "take a device out of service",
    PutBackInService = "put_back_in_service" Device Never "put a device back in service",
    DescribeDevice = "describe_device" Device Never "say what a device measures",
    AddDevice = "add_device" Nothing Never "set up a device",
    MoveDevice = "move_device" Device Never "move a device",
    AddTable = "add_table" Nothing Never "set up a table",
    PinRulebook = "pin_rulebook" Nothing Never "change a table's rulebook",
    ChangeSettings = "change_settings" Nothing Never "change a table's settings",
    InstallRulebook = "install_rulebook" Nothing Never "install a rulebook",
    RaisePower = "raise_power" Nothing Never "raise a power",
    SetThresholds = "set_thresholds" Nothing Never "set thresholds",
    AddStaff = "add_staff" Nothing Never "employ a person",
    ChangeStaff = "change_staff" Person Never "change a person's post",
    AssignActing = "assign_acting" Person Never "assign an acting post",
    SealCodes = "seal_codes" Nothing Never "seal codes",
    AcceptLoss = "accept_loss" Nothing Never "state what was lost",
    AcceptClock = "accept_clock" Nothing Never "accept the clock",
    AcceptProgram = "accept_program" Nothing Never "accept another program",
    ApproveProgram = "approve_program" Nothing Never "approve a program",
    SetRecordingPeriod = "set_recording_period" Nothing Never "set how long chips are recorded",
    PayExpired = "pay_expired" Ticket Always "pay an expired ticket",
}

impl JointAct {
    /// Reads the text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<JointAct> {
        JointAct::ALL.iter().copied().find(|act| act.as_str() == text)
    }
}

impl JointAct {
    /// No one of the pit does what is an administrator's or a technician's, alone or with a second person: a call for it
    /// would serve no one (D28).
    pub(crate) fn is_of_the_pit(self) -> Result<(), Refusal> {
        let of_the_office = matches!(
            self,
            JointAct::DescribeDevice
                | JointAct::AddDevice
                | JointAct::MoveDevice
                | JointAct::AddTable
                | JointAct::PinRulebook
                | JointAct::InstallRulebook
                | JointAct::RaisePower
                | JointAct::SetThresholds
                | JointAct::AddStaff
                | JointAct::ChangeStaff
                | JointAct::SealCodes
                | JointAct::AcceptClock
                | JointAct::AcceptProgram
                | JointAct::ApproveProgram
        );
        if of_the_office {
            let words = format!("pit staff cannot {}: only an administrator can, with a second person", self.words());
            return refuse(Code::Rank, "D28", words);
        }
        Ok(())
    }
}

/// What a second person is called for (D28).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, minicbor::Encode, minicbor::Decode)]
pub struct Purpose {
    /// The act.
    #[n(0)]
    pub act: JointAct,
    /// The number of what it is about: a round, a terminal, a ticket and so on.
    #[n(1)]
    #[serde(default)]
    pub subject: Option<u64>,
    /// The most money it may move.
    #[n(2)]
    #[serde(default)]
    pub amount: Option<Cents>,
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.act.words())?;
        if let Some(subject) = self.subject {
            write!(f, ", {} {subject}", self.act.subject().as_str())?;
        }
        self.amount.map_or(Ok(()), |amount| write!(f, ", at most {amount}"))
    }
}

impl Purpose {
    /// Whether an act is the one called for.
    fn is_for(&self, act: JointAct, subject: Option<u64>) -> bool {
        (self.act, self.subject) == (act, subject)
    }

    /// What is done alone moves no more than the call named (D28).
    pub(crate) fn covers(&self, moved: Option<Cents>) -> Result<(), Refusal> {
        let Some(moved) = moved.filter(|moved| *moved > self.amount.unwrap_or(Cents::ZERO)) else { return Ok(()) };
        let named = match self.amount {
            Some(amount) => format!("for at most {amount}"),
            None => "for an act that moves no money".to_owned(),
        };
        let words = format!("a second person was called {named}; this moves {moved}: call for that amount");
        refuse(Code::SecondPerson, "D28", words)
    }
}

impl Floor {
    /// What a command is, as an act of two people, and what it is about. `None` where one person is always enough.
    #[must_use]
    pub fn joint_act(&self, body: &Body) -> Option<(JointAct, Option<u64>)> {
        let act = joint_act(body)?;
        Some((act, subject(body).or_else(|| self.round_of(act, self.table_of(body)))))
    }

    /// The round in progress, for acts that are about it.
    fn round_of(&self, act: JointAct, table: Option<TableId>) -> Option<u64> {
        let about = act.subject() == Subject::RoundInProgress;
        self.table(table?)?.round.as_ref().filter(|_| about).map(|round| round.id.0)
    }

    /// A call names its act, what that is about and the most it may move (D28). What it says of the round in progress the
    /// floor knows itself.
    pub(crate) fn purpose_fits(&self, purpose: Purpose, table: Option<TableId>) -> Result<Purpose, Refusal> {
        let Purpose { act, subject, amount } = purpose;
        let kind = act.subject();
        let subject = match kind {
            Subject::Nothing => None,
            Subject::RoundInProgress => match self.round_of(act, table) {
                Some(round) => Some(round),
                None => {
                    let words = format!("to {} there must be a round in progress: call to its table", act.words());
                    return refuse(Code::NotFound, "D28", words);
                }
            },
            Subject::RoundOrNone => subject,
            _ if subject.is_none() => {
                let words = format!("a call names what it is for: to {}, name the {}", act.words(), kind.as_str());
                return refuse(Code::NotFound, "D28", words);
            }
            _ => subject,
        };
        match (act.moves(), amount) {
            (Moves::Always, None) => {
                let words = format!("a call names its amount: to {}, name the most it may move", act.words());
                return refuse(Code::Amount, "D28", words);
            }
            (Moves::Never, Some(_)) => {
                return refuse(Code::Amount, "D28", format!("to {} moves no money: name no amount", act.words()));
            }
            (_, Some(amount)) => amount_fits(amount)?,
            (_, None) => {}
        }
        Ok(Purpose { act, subject, amount })
    }

    /// Whether a call was for this act. Calls recorded before calls named their act serve for none.
    pub(crate) fn is_called_for(&self, purpose: Option<Purpose>, body: &Body) -> bool {
        let wanted = purpose.zip(self.joint_act(body));
        wanted.is_some_and(|(purpose, (act, subject))| purpose.is_for(act, subject))
    }
}

fn joint_act(body: &Body) -> Option<JointAct> {
    Some(match body {
        Body::EnterResult { .. } => JointAct::EnterResult,
        Body::ConfirmResult { .. } => JointAct::ConfirmResult,
        Body::DeclareGround { .. } => JointAct::DeclareGround,
        Body::DismissGround { .. } => JointAct::DismissGround,
        Body::Attest { .. } => JointAct::Attest,
        Body::KeepFirstOutcome { .. } => JointAct::KeepFirstOutcome,
        Body::TakeChips { .. } => JointAct::TakeChips,
        Body::RemoveChips { .. } => JointAct::RemoveChips,
        Body::ChooseOutcome { .. } => JointAct::ChooseOutcome,
        Body::VoidRounds { .. } => JointAct::VoidRounds,
        Body::ChangeRounds { changes, .. } if changes.iter().all(|(_, outcome)| outcome.is_none()) => {
            JointAct::VoidRange
        }
        Body::ChangeRounds { .. } => JointAct::CorrectRange,
        Body::CorrectResult { .. } => JointAct::CorrectResult,
        Body::CorrectRecord { .. } => JointAct::CorrectRecord,
        Body::Decide { ruling, .. } => by_decision(ruling)?,
        Body::AttendantIn { .. } => JointAct::AttendantIn,
        Body::AttendantPay { .. } => JointAct::AttendantPay,
        Body::PayByHand { .. } => JointAct::PayByHand,
        Body::PayCorrection { .. } => JointAct::PayCorrection,
        Body::RecordRecovered { .. } => JointAct::RecordRecovered,
        Body::ResolveTicket { .. } => JointAct::ResolveTicket,
        Body::ReprintTicket { .. } => JointAct::ReprintTicket,
        Body::SellTicket { .. } => JointAct::SellTicket,
        Body::RedeemTicket { .. } => JointAct::RedeemTicket,
        Body::MoveFloat { movement, .. } => of_float(movement),
        Body::ChangeService { in_service: true, .. } => JointAct::PutBackInService,
        Body::ChangeService { .. } => JointAct::TakeOutOfService,
        _ => return of_the_house(body),
    })
}

/// Acts at the cage and in the office.
fn of_the_house(body: &Body) -> Option<JointAct> {
    Some(match body {
        Body::OpenShift { .. } => JointAct::OpenDrawer,
        Body::CountShift { .. } => JointAct::CountDrawer,
        Body::CloseShift { .. } => JointAct::CloseDrawer,
        Body::MoveDrawer { .. } => JointAct::MoveDrawer,
        Body::HandOverShift { .. } => JointAct::HandOverDrawer,
        Body::ServeDrawer { .. } => JointAct::ServeDrawer,
        Body::DescribeDevice { .. } => JointAct::DescribeDevice,
        Body::AddDevice { .. } => JointAct::AddDevice,
        Body::MoveDevice { .. } => JointAct::MoveDevice,
        Body::AddTable { .. } => JointAct::AddTable,
        Body::PinRulebook { .. } => JointAct::PinRulebook,
        Body::ChangeSettings { .. } => JointAct::ChangeSettings,
        Body::InstallRulebook { .. } => JointAct::InstallRulebook,
        Body::RaisePower { .. } => JointAct::RaisePower,
        Body::SetThresholds { .. } => JointAct::SetThresholds,
        Body::AddStaff { .. } => JointAct::AddStaff,
        Body::ChangeStaff { .. } => JointAct::ChangeStaff,
        Body::AssignActing { .. } => JointAct::AssignActing,
        Body::SealCodes { .. } => JointAct::SealCodes,
        Body::AcceptLoss { .. } => JointAct::AcceptLoss,
        Body::AcceptClock { .. } => JointAct::AcceptClock,
        Body::AcceptProgram { .. } => JointAct::AcceptProgram,
        Body::ApproveProgram { .. } => JointAct::ApproveProgram,
        Body::SetRecordingPeriod { .. } => JointAct::SetRecordingPeriod,
        Body::PayExpired { .. } => JointAct::PayExpired,
        _ => return None,
    })
}

fn by_decision(ruling: &Ruling) -> Option<JointAct> {
    Some(match ruling {
        Ruling::VoidRound => JointAct::VoidByDecision,
        Ruling::Pay { .. } => JointAct::PayByDecision,
        Ruling::TakeBack { .. } => JointAct::TakeBackByDecision,
        Ruling::PayChips { .. } => JointAct::PayChipsByDecision,
        Ruling::ClaimChips { .. } => JointAct::ClaimChipsByDecision,
        Ruling::Outcome { .. } => JointAct::ChooseOutcome,
        Ruling::Reading => return None,
    })
}

fn of_float(movement: &FloatMovement) -> JointAct {
    match movement {
        FloatMovement::Opener(_) => JointAct::Opener,
        FloatMovement::Fill(_) => JointAct::Fill,
        FloatMovement::Credit(_) => JointAct::TableCredit,
        FloatMovement::BuyIn(_) => JointAct::SellChips,
        FloatMovement::ChipsOut(_) => JointAct::ExchangeChips,
        FloatMovement::Closer(_) => JointAct::Closer,
        FloatMovement::Drop(_) => JointAct::Drop,
    }
}

/// The number of what a command is about, as the command names it.
fn subject(body: &Body) -> Option<u64> {
    match body {
        Body::ChooseOutcome { round, .. } | Body::CorrectResult { round, .. } | Body::CorrectRecord { round, .. } => {
            Some(round.0)
        }
        Body::VoidRounds { rounds, .. } => rounds.iter().map(|round| round.0).min(),
        Body::ChangeRounds { changes, .. } => changes.iter().map(|(round, _)| round.0).min(),
        Body::Decide { round, ruling, .. } => match ruling {
            Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } => Some(terminal.0.into()),
            Ruling::PayChips { position, .. } | Ruling::ClaimChips { position, .. } => Some(position.0.into()),
            Ruling::VoidRound | Ruling::Outcome { .. } | Ruling::Reading => round.map(|round| round.0),
        },
        Body::AttendantIn { terminal, .. } | Body::AttendantPay { terminal, .. } => Some(terminal.0.into()),
        Body::PayByHand { payable, .. } | Body::PayCorrection { payable, .. } => Some(payable.0),
        Body::RecordRecovered { round, .. } => round.map(|round| round.0),
        Body::ResolveTicket { ticket, .. } | Body::ReprintTicket { ticket, .. } | Body::PayExpired { ticket, .. } => {
            Some(ticket.0)
        }
        Body::ServeDrawer { shift, .. } => Some(shift.0.into()),
        Body::ChangeService { device, .. } | Body::DescribeDevice { device, .. } | Body::MoveDevice { device, .. } => {
            Some(device.0.into())
        }
        Body::ChangeStaff { staff, .. } | Body::AssignActing { staff, .. } => Some(staff.0.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_of_an_act_is_read_back() {
        for act in JointAct::ALL {
            assert_eq!(JointAct::parse(act.as_str()), Some(*act));
        }
        assert_eq!(JointAct::parse("everything"), None);
    }
}
