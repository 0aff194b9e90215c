//! What happened, in words: which kind of event, about whom, and a sentence for a person.

mod cage;
mod device;
mod house;
mod irregular;
mod names;
mod play;

use floor::{AlertKind, ArchivedRound, DeviceId, Event, Floor, Record, RoundId, Sender, StaffId, TableId, TerminalId};
use rulebook::Rulebook;
use serde::Serialize;
use utoipa::ToSchema;

use names::Names;
pub(crate) use names::{changes, spot_name};

/// The kinds of significant events (S14).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The host was away or came back, and what that did to a round.
    Power,
    /// Links lost and back.
    Link,
    /// Faults of devices, and that they are gone.
    Fault,
    /// Money by hand.
    HandPay,
    /// What the house is: programs, rulebooks, tables, terminals, devices, people and their powers.
    Configuration,
    /// Tables opened and closed, and who deals.
    Table,
    /// Terminals locked and unlocked.
    Lock,
    /// Displays that were wrong.
    Display,
    /// What the Shift Manager decided.
    Discretion,
    /// Void grounds, void rounds, results put right.
    Irregularity,
    /// Tickets that were not printed, or printed again.
    Ticket,
    /// Shifts of the cage and floats of tables.
    Cage,
    /// Alerts raised and acknowledged.
    Alert,
    /// Who signed in and who was refused, and keys given and revoked.
    Access,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 14] = [
        Kind::Power,
        Kind::Link,
        Kind::Fault,
        Kind::HandPay,
        Kind::Configuration,
        Kind::Table,
        Kind::Lock,
        Kind::Display,
        Kind::Discretion,
        Kind::Irregularity,
        Kind::Ticket,
        Kind::Cage,
        Kind::Alert,
        Kind::Access,
    ];

    /// The text form.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Power => "power",
            Kind::Link => "link",
            Kind::Fault => "fault",
            Kind::HandPay => "hand-pay",
            Kind::Configuration => "configuration",
            Kind::Table => "table",
            Kind::Lock => "lock",
            Kind::Display => "display",
            Kind::Discretion => "discretion",
            Kind::Irregularity => "irregularity",
            Kind::Ticket => "ticket",
            Kind::Cage => "cage",
            Kind::Alert => "alert",
            Kind::Access => "access",
        }
    }

    /// The kind of that text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// An event in words, with whom it is about.
#[derive(Debug, Default)]
pub(crate) struct Happening {
    pub kind: Option<Kind>,
    pub code: &'static str,
    pub table: Option<TableId>,
    pub round: Option<RoundId>,
    pub terminal: Option<TerminalId>,
    pub device: Option<DeviceId>,
    pub staff: Option<StaffId>,
    pub words: String,
}

/// An event that matters to its round only.
fn plain(code: &'static str, words: String) -> Happening {
    Happening { code, words, ..Happening::default() }
}

/// A significant event.
fn significant(kind: Kind, code: &'static str, words: String) -> Happening {
    Happening { kind: Some(kind), code, words, ..Happening::default() }
}

impl Happening {
    fn table(mut self, table: TableId) -> Happening {
        self.table = Some(table);
        self
    }

    fn round(mut self, round: RoundId) -> Happening {
        self.round = Some(round);
        self
    }

    fn terminal(mut self, terminal: TerminalId) -> Happening {
        self.terminal = Some(terminal);
        self
    }

    fn device(mut self, device: DeviceId) -> Happening {
        self.device = Some(device);
        self
    }

    fn staff(mut self, staff: impl Into<Option<StaffId>>) -> Happening {
        self.staff = staff.into();
        self
    }
}

/// A record in words. `None` for what has a better place: changes of bets, and money that moves in the ordinary way.
/// `about` is whom it is about, where the event itself does not say.
pub(crate) fn happening(
    floor: &Floor,
    record: &Record,
    about: Option<(TerminalId, Option<RoundId>)>,
) -> Option<Happening> {
    let names = Names(floor);
    let mut happening = match &record.event {
        Event::FloorCreated(_)
        | Event::ProgramStarted { .. }
        | Event::ProgramApproved { .. }
        | Event::ProgramAccepted { .. }
        | Event::RulebookInstalled { .. }
        | Event::PowerRaised { .. }
        | Event::TableAdded { .. }
        | Event::RulebookPinned { .. }
        | Event::SettingsChanged { .. }
        | Event::TerminalEnrolled { .. }
        | Event::TerminalMoved { .. }
        | Event::DeviceAdded { .. }
        | Event::DeviceMoved { .. }
        | Event::StaffAdded { .. }
        | Event::StaffChanged { .. }
        | Event::ActingAssigned { .. }
        | Event::DealerChanged { .. }
        | Event::TableOpened { .. }
        | Event::ClosingAnnounced { .. }
        | Event::TableClosed { .. }
        | Event::TerminalLocked { .. }
        | Event::TerminalUnlocked { .. }
        | Event::TerminalLost { .. }
        | Event::TerminalBack { .. }
        | Event::AlertRaised { .. }
        | Event::AlertAcknowledged { .. }
        | Event::RecordingPeriodSet { .. }
        | Event::SecondPersonCalled { .. }
        | Event::CallAnswered { .. }
        | Event::DecidedAlone { .. }
        | Event::Countersigned { .. }
        | Event::TablesOffered { .. }
        | Event::TableChosen { .. }
        | Event::RoundRecalled { .. }
        | Event::RoundsPutBack { .. }
        | Event::DayBegan { .. }
        | Event::ThresholdsSet { .. }
        | Event::CredentialChanged { .. }
        | Event::EnrolmentCodeMade { .. }
        | Event::HostKeyChanged { .. }
        | Event::CodesSealed { .. }
        | Event::SealedCodeOpened { .. }
        | Event::Noted { .. }
        | Event::FeatureLevelRaised { .. }
        | Event::AlertRepeated { .. }
        | Event::ClockJumped { .. }
        | Event::ClockAccepted { .. }
        | Event::LossFound { .. }
        | Event::LossAccepted { .. } => house::describe(names, &record.event)?,
        Event::AttendantIn { .. }
        | Event::AttendantPaid { .. }
        | Event::PrintFailed { .. }
        | Event::TicketReprinted { .. }
        | Event::TicketResolved { .. }
        | Event::TicketReplaced { .. }
        | Event::WrongTicketTried { .. }
        | Event::ShiftCounted { .. }
        | Event::Recovered { .. }
        | Event::ShiftOpened { .. }
        | Event::ShiftClosed { .. }
        | Event::CorrectionPaid { .. }
        | Event::PayablePaid { .. }
        | Event::ExpiredPaid { .. }
        | Event::DrawerMoved { .. }
        | Event::WrongTicketsLifted { .. }
        | Event::FloatMoved { .. } => cage::describe(names, &record.event)?,
        Event::RoundBegun { .. }
        | Event::BetsOpened { .. }
        | Event::BetsClosed { .. }
        | Event::CountedLost { .. }
        | Event::Observed { .. }
        | Event::ResultEntered { .. }
        | Event::ResultChanged { .. }
        | Event::RoundSettled { .. }
        | Event::ChipsSettled { .. }
        | Event::ChipsPlaced { .. }
        | Event::ChipsTaken { .. }
        | Event::ExcessRejected { .. }
        | Event::MinimumAdvised { .. }
        | Event::UnderMinimumRefused { .. }
        | Event::LateRefused { .. }
        | Event::UncoveringDeclared { .. }
        | Event::EarlyRestStated { .. }
        | Event::PlayerLeft { .. } => play::describe(names, &record.event)?,
        Event::GroundRaised { .. }
        | Event::GroundDismissed { .. }
        | Event::RoundVoided { .. }
        | Event::RoundCorrected { .. }
        | Event::SettledRoundVoided { .. }
        | Event::ChipsCorrected { .. }
        | Event::ChipsRemoved { .. }
        | Event::RecordCorrected { .. }
        | Event::StoppageRecorded { .. }
        | Event::RoundInterrupted { .. }
        | Event::Attested { .. }
        | Event::Decided { .. }
        | Event::DisplayRecorded { .. } => irregular::describe(names, &record.event)?,
        Event::SecondTumble { .. }
        | Event::StartedAgain { .. }
        | Event::FirstOutcomeStands { .. }
        | Event::SecondTumbleSetAside { .. }
        | Event::ServiceChanged { .. }
        | Event::DeviceDescribed { .. }
        | Event::ResultWitnessed { .. }
        | Event::InterruptionReported { .. }
        | Event::FaultAsked { .. }
        | Event::FaultAnswered { .. }
        | Event::ObservedMeanwhile { .. }
        | Event::ObservedLate { .. } => device::describe(names, &record.event)?,
        Event::BetsChanged { .. }
        | Event::CloseAcknowledged { .. }
        | Event::CashIn { .. }
        | Event::TicketIn { .. }
        | Event::TicketPrepared { .. }
        | Event::TicketPrinted { .. }
        | Event::LossLimitSet { .. }
        | Event::TicketExpired { .. }
        | Event::TicketSold { .. }
        | Event::TicketRedeemed { .. }
        | Event::CorrectionPart { .. } => return None,
    };
    if let Some((terminal, round)) = about {
        happening.terminal = Some(terminal);
        happening.round = round;
    }
    if let (None, Some(Sender::Staff(staff))) = (happening.staff, record.origin.map(|origin| origin.sender)) {
        happening.staff = Some(staff);
    }
    let seat = happening.terminal.and_then(|terminal| floor.terminal(terminal)).map(|terminal| terminal.table());
    happening.table = happening.table.or(seat);
    let playing = happening.table.and_then(|table| floor.table(table)).and_then(|table| table.round());
    happening.round = happening.round.or(playing.map(|round| round.id()));
    Some(happening)
}

/// An alert: its code, and words for the pit.
pub(crate) fn alert(floor: &Floor, what: &AlertKind) -> (&'static str, String) {
    house::alert(Names(floor), what)
}

/// A past round of a table that can still be corrected.
pub(crate) fn archived(floor: &Floor, table: TableId, round: RoundId) -> Option<&ArchivedRound> {
    floor.table(table)?.archived(round)
}

/// The rulebook of a round: the one it was played by, or the table's while it is played.
pub(crate) fn rulebook(floor: &Floor, table: TableId, round: RoundId) -> Option<&Rulebook> {
    match archived(floor, table, round) {
        Some(past) => floor.rulebooks().nth(usize::from(past.rulebook())),
        None => floor.rulebook_of(floor.table(table)?),
    }
}
