//! Who receives what of an event. This is the only place that decides it: events at a table go to everyone who can see
//! the table, events about a player's money go only to that terminal, and the rest goes to staff.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use floor::{AlertKind, Event, Floor, Moment, Record, Ruling, TableId, TerminalId, VoidBy};
use rulebook::{OutcomeIndex, SpotIndex};
use serde::Serialize;
use utoipa::ToSchema;

use crate::view::{self, Money, Words};

/// Something that happened, as a feed tells it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct EventMessage {
    /// The record's place in the log.
    pub sequence: u64,
    /// When: milliseconds since 1970.
    pub at: i64,
    /// What.
    #[schema(example = "bets_closed")]
    pub kind: String,
    /// At which table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<u16>,
    /// In which round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// The result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// How much.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<Money>,
    /// The paragraph behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// Words for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Words>,
}

/// The recipients.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Everyone who can see the table.
    Table(TableId),
    /// The player at a terminal.
    Terminal(TerminalId),
}

/// An event with its audience.
#[derive(Clone, Debug)]
pub struct Told {
    /// Who.
    pub audience: Audience,
    /// What.
    pub event: EventMessage,
}

/// Which sections of a table's views have changed.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TableChange {
    /// The table itself.
    pub table: bool,
    /// So many results were added.
    pub added: usize,
    /// All results are to be sent again.
    pub results: bool,
}

/// What has changed for a terminal.
#[derive(Clone, Debug, Default)]
pub struct OwnChange {
    /// Stakes that were replaced.
    pub stakes: Vec<(SpotIndex, u16)>,
    /// All bets are to be sent again.
    pub all_bets: bool,
}

/// What a batch of records has changed, and the events to tell.
#[derive(Default)]
pub struct Changes {
    /// Tables, by id: their round always, other sections as marked.
    pub tables: BTreeMap<TableId, TableChange>,
    /// Terminals.
    pub own: HashMap<TerminalId, OwnChange>,
    /// Events.
    pub told: Vec<Told>,
    /// Terminals that were moved: their feeds restart.
    pub moved: BTreeSet<TerminalId>,
    /// Terminals whose player chose another table: their links come back at once (D29).
    pub chosen: BTreeSet<TerminalId>,
    /// Devices, staff or the floor itself.
    pub house: bool,
    /// Something the pit, a console or the cage shows.
    pub staff: bool,
}

impl Changes {
    /// What these records have changed.
    pub fn of(first: u64, records: &[Record], floor: &Floor) -> Changes {
        let mut changes = Changes::default();
        for (record, sequence) in records.iter().zip(first..) {
            changes.record(sequence, record, floor);
        }
        changes
    }

    fn table(&mut self, table: TableId) -> &mut TableChange {
        self.staff = true;
        self.tables.entry(table).or_default()
    }

    fn own(&mut self, terminal: TerminalId) -> &mut OwnChange {
        self.staff = true;
        self.own.entry(terminal).or_default()
    }

    fn tell(&mut self, audience: Audience, event: EventMessage) {
        self.told.push(Told { audience, event });
    }

    /// An event that everyone at the table sees.
    fn at_table(&mut self, table: TableId, mut event: EventMessage) {
        self.table(table);
        event.table = Some(table.0);
        self.tell(Audience::Table(table), event);
    }

    /// An event of a player's money.
    fn at_terminal(&mut self, terminal: TerminalId, event: EventMessage) {
        self.own(terminal);
        self.tell(Audience::Terminal(terminal), event);
    }

    /// Everyone who had bets in a round that has ended.
    fn bettors(&mut self, floor: &Floor, table: TableId, round: floor::RoundId) {
        let Some(archived) = floor.table(table).and_then(|table| table.archived(round)) else { return };
        for entry in archived.entries() {
            self.own(entry.terminal()).all_bets = true;
        }
    }

    fn record(&mut self, sequence: u64, record: &Record, floor: &Floor) {
        let tell = Teller { sequence, at: record.at, floor };
        match &record.event {
            Event::BetsChanged { terminal, changes, .. } => {
                let own = self.own(*terminal);
                own.stakes.extend(changes.iter().map(|change| (change.spot, change.group)));
            }
            Event::FloorCreated(_)
            | Event::ProgramStarted { .. }
            | Event::ProgramApproved { .. }
            | Event::ProgramAccepted { .. }
            | Event::RulebookInstalled { .. }
            | Event::PowerRaised { .. }
            | Event::DeviceAdded { .. }
            | Event::DeviceMoved { .. }
            | Event::StaffAdded { .. }
            | Event::StaffChanged { .. }
            | Event::ActingAssigned { .. }
            | Event::FeatureLevelRaised { .. }
            | Event::LossFound { .. }
            | Event::LossAccepted { .. } => {
                self.house = true;
                self.staff = true;
            }
            Event::TableAdded { table, .. } => {
                self.house = true;
                self.table(*table).table = true;
            }
            Event::RulebookPinned { table, .. } | Event::SettingsChanged { table, .. } => {
                self.house = true;
                let event = tell.event("settings_changed");
                self.at_table(*table, event);
                self.table(*table).table = true;
            }
            Event::TerminalEnrolled { terminal, .. } => {
                self.house = true;
                self.own(*terminal);
            }
            Event::TerminalMoved { terminal, .. } => {
                self.house = true;
                self.moved.insert(*terminal);
                self.staff = true;
            }
            Event::TablesOffered { terminal, .. } => {
                self.house = true;
                self.own(*terminal);
            }
            Event::TableChosen { terminal, from, table, .. } => {
                self.chosen.insert(*terminal);
                self.table(*from);
                self.table(*table);
            }
            Event::DealerChanged { table, .. } => {
                self.at_table(*table, tell.event("dealer_changed"));
            }
            Event::TableOpened { table, .. } => {
                self.at_table(*table, tell.event("table_opened"));
                self.table(*table).table = true;
            }
            Event::ClosingAnnounced { table, .. } => {
                self.at_table(*table, tell.event("closing_announced"));
                self.table(*table).table = true;
            }
            Event::TableClosed { table, .. } => {
                self.at_table(*table, tell.event("table_closed"));
                self.table(*table).table = true;
            }
            Event::TerminalLocked { terminal, .. } => self.at_terminal(*terminal, tell.event("terminal_locked")),
            Event::TerminalUnlocked { terminal, .. } => self.at_terminal(*terminal, tell.event("terminal_unlocked")),
            Event::CashIn { terminal, amount } => self.at_terminal(*terminal, tell.money("cash_in", *amount)),
            Event::AttendantIn { terminal, amount, .. } => {
                self.at_terminal(*terminal, tell.money("attendant_in", *amount));
            }
            Event::TicketIn { terminal, amount, .. } => self.at_terminal(*terminal, tell.money("ticket_in", *amount)),
            Event::TicketPrepared { terminal, amount, .. } => {
                self.at_terminal(*terminal, tell.money("ticket_prepared", *amount));
            }
            Event::TicketPrinted { ticket, .. }
            | Event::PrintFailed { ticket }
            | Event::TicketResolved { ticket, .. } => {
                let kind = match &record.event {
                    Event::PrintFailed { .. } => "print_failed",
                    Event::TicketResolved { finding: floor::TicketFinding::NotPrinted, .. } => "print_failed",
                    Event::TicketResolved { finding: floor::TicketFinding::PaidByHand, .. } => "attendant_paid",
                    _ => "ticket_printed",
                };
                let found = floor.tickets().find(|found| found.id() == *ticket);
                // A ticket that was not printed is gone by now; it was the terminal itself that said so.
                let sender = match record.origin.map(|origin| origin.sender) {
                    Some(floor::Sender::Terminal(terminal)) => Some(terminal),
                    _ => None,
                };
                if let Some(terminal) = found.and_then(floor::Ticket::terminal).or(sender) {
                    self.at_terminal(terminal, tell.event(kind));
                }
                self.staff = true;
            }
            Event::AttendantPaid { terminal, amount, .. } => {
                self.at_terminal(*terminal, tell.money("attendant_paid", *amount));
            }
            Event::LossLimitSet { terminal, .. } | Event::AlertRaised { what: AlertKind::Attendant(terminal), .. } => {
                self.own(*terminal);
            }
            Event::AlertAcknowledged { .. } => {
                self.staff = true;
                // Where the alert was a call for an attendant, its terminal is told.
                for terminal in floor.terminals().iter().filter(|one| one.attended() == Some(record.at)) {
                    self.own(terminal.id());
                }
            }
            Event::TicketReprinted { .. }
            | Event::TicketReplaced { .. }
            | Event::DayBegan { .. }
            | Event::ThresholdsSet { .. }
            | Event::ShiftCounted { .. }
            | Event::Recovered { .. }
            | Event::WrongTicketTried { .. }
            | Event::CredentialChanged { .. }
            | Event::EnrolmentCodeMade { .. }
            | Event::HostKeyChanged { .. }
            | Event::CodesSealed { .. }
            | Event::SealedCodeOpened { .. }
            | Event::TicketExpired { .. }
            | Event::ShiftOpened { .. }
            | Event::ShiftClosed { .. }
            | Event::TicketSold { .. }
            | Event::TicketRedeemed { .. }
            | Event::CorrectionPaid { .. }
            | Event::PayablePaid { .. }
            | Event::ExpiredPaid { .. }
            | Event::DrawerMoved { .. }
            | Event::WrongTicketsLifted { .. }
            | Event::AlertRaised { .. }
            | Event::AlertRepeated { .. }
            | Event::ClockJumped { .. }
            | Event::ClockAccepted { .. }
            | Event::CorrectionPart { .. }
            | Event::RoundRecalled { .. }
            | Event::RoundsPutBack { .. }
            | Event::SecondPersonCalled { .. }
            | Event::CallAnswered { .. }
            | Event::DecidedAlone { .. }
            | Event::Countersigned { .. }
            | Event::Noted { .. } => self.staff = true,
            Event::RoundBegun { round, table, .. } => self.at_table(*table, tell.round("round_begun", *round)),
            Event::BetsOpened { round, table, .. } => {
                self.at_table(*table, tell.round("bets_opened", *round));
                self.table(*table).table = true;
            }
            Event::BetsClosed { round, table, .. } => self.at_table(*table, tell.round("bets_closed", *round)),
            Event::CloseAcknowledged { .. } => self.staff = true,
            Event::CountedLost { terminals, .. } => {
                for terminal in terminals {
                    self.own(*terminal);
                }
            }
            Event::Observed { table, .. } => {
                self.table(*table);
            }
            Event::GroundRaised { round, table, ground, .. } => {
                self.at_table(*table, tell.ground("round_halted", *table, *round, *ground));
            }
            Event::GroundDismissed { round, table, .. } => self.at_table(*table, tell.round("round_resumed", *round)),
            Event::ResultEntered { round, table, outcome, .. } => {
                self.at_table(*table, tell.outcome("result_entered", *table, *round, *outcome));
            }
            Event::ResultChanged { round, table, to, .. } => {
                self.at_table(*table, tell.outcome("result_changed", *table, *round, *to));
            }
            Event::RoundSettled { round, table, outcome, part, parts, .. } if part == parts => {
                self.at_table(*table, tell.outcome("round_settled", *table, *round, *outcome));
                self.table(*table).added += 1;
                self.bettors(floor, *table, *round);
            }
            Event::RoundSettled { .. } => {}
            Event::ChipsSettled { round, table, outcome, .. } => {
                self.at_table(*table, tell.outcome("round_settled", *table, *round, *outcome));
                self.table(*table).added += 1;
            }
            Event::RoundVoided { round, table, by, .. } => {
                self.at_table(*table, tell.void("round_voided", *table, *round, *by));
                self.bettors(floor, *table, *round);
            }
            Event::RoundCorrected { round, table, outcome, adjustments, .. } => {
                self.at_table(*table, tell.outcome("round_corrected", *table, *round, *outcome));
                self.table(*table).results = true;
                // The parts of a large one came before, and take effect with this.
                if adjustments.is_empty() {
                    self.bettors(floor, *table, *round);
                }
                for adjustment in adjustments {
                    let mut event = tell.round("corrected", *round);
                    event.amount = Some(Money(rulebook::Cents::new(
                        adjustment.credited.get().saturating_sub(adjustment.taken.get()),
                    )));
                    self.at_terminal(adjustment.terminal, event);
                }
            }
            Event::SettledRoundVoided { round, table, by, adjustments, .. } => {
                self.at_table(*table, tell.void("settled_round_voided", *table, *round, *by));
                self.table(*table).results = true;
                if adjustments.is_empty() {
                    self.bettors(floor, *table, *round);
                }
                for adjustment in adjustments {
                    let mut event = tell.round("corrected", *round);
                    event.amount = Some(Money(rulebook::Cents::new(
                        adjustment.credited.get().saturating_sub(adjustment.taken.get()),
                    )));
                    self.at_terminal(adjustment.terminal, event);
                }
            }
            Event::ChipsCorrected { round, table, outcome, voided, .. } => {
                let event = match (outcome, voided) {
                    (Some(outcome), _) => tell.outcome("round_corrected", *table, *round, *outcome),
                    (None, Some(by)) => tell.void("settled_round_voided", *table, *round, *by),
                    (None, None) => tell.round("settled_round_voided", *round),
                };
                self.at_table(*table, event);
                self.table(*table).results = true;
            }
            Event::StoppageRecorded { table, round, .. } => {
                self.at_table(*table, tell.round("stoppage_recorded", *round));
            }
            Event::RoundInterrupted { table, round, .. } => {
                self.at_table(*table, tell.round("round_interrupted", *round));
            }
            Event::InterruptionReported { table, round, affects: true, .. } => {
                self.at_table(*table, tell.round("round_interrupted", *round));
            }
            Event::SecondTumble { round, table, .. } => {
                self.at_table(
                    *table,
                    EventMessage { paragraph: Some("D18".to_owned()), ..tell.round("round_halted", *round) },
                );
            }
            Event::SecondTumbleSetAside { round, table, .. } | Event::StartedAgain { round, table, .. } => {
                self.at_table(*table, tell.round("round_resumed", *round));
            }
            Event::FirstOutcomeStands { round, table, outcome, .. } => {
                self.at_table(*table, tell.outcome("result_entered", *table, *round, *outcome));
            }
            Event::ServiceChanged { table, .. } => {
                self.house = true;
                self.staff = true;
                if let Some(table) = table {
                    self.table(*table);
                }
            }
            Event::DeviceDescribed { .. } => {
                self.house = true;
                self.staff = true;
            }
            Event::ResultWitnessed { table, .. }
            | Event::InterruptionReported { table, .. }
            | Event::FaultAsked { table, .. }
            | Event::FaultAnswered { table, .. }
            | Event::ObservedMeanwhile { table, .. }
            | Event::ObservedLate { table, .. } => {
                self.staff = true;
                self.table(*table);
            }
            Event::Attested { table, round, .. } => self.at_table(*table, tell.round("attested", *round)),
            Event::TerminalLost { terminal } | Event::TerminalBack { terminal } => {
                self.own(*terminal);
            }
            Event::Decided { table, round, ruling, credited, taken, .. } => {
                let mut event = tell.event("decided");
                event.round = round.map(|round| round.0);
                self.at_table(*table, event.clone());
                self.table(*table).results = true;
                if let Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } = &**ruling {
                    event.amount = Some(Money(rulebook::Cents::new(credited.get().saturating_sub(taken.get()))));
                    self.at_terminal(*terminal, event);
                }
            }
            Event::DisplayRecorded { table, .. }
            | Event::ChipsPlaced { table, .. }
            | Event::ChipsTaken { table, .. }
            | Event::ExcessRejected { table, .. }
            | Event::MinimumAdvised { table, .. }
            | Event::UnderMinimumRefused { table, .. }
            | Event::LateRefused { table, .. }
            | Event::PlayerLeft { table, .. }
            | Event::FloatMoved { table, .. }
            | Event::UncoveringDeclared { table, .. }
            | Event::EarlyRestStated { table, .. }
            | Event::ChipsRemoved { table, .. }
            | Event::RecordingPeriodSet { table, .. } => {
                self.table(*table);
            }
            Event::RecordCorrected { round, table, .. } => {
                self.at_table(*table, tell.round("record_corrected", *round));
            }
        }
    }
}

struct Teller<'a> {
    sequence: u64,
    at: Moment,
    floor: &'a Floor,
}

impl Teller<'_> {
    fn event(&self, kind: &str) -> EventMessage {
        EventMessage {
            sequence: self.sequence,
            at: self.at.0,
            kind: kind.to_owned(),
            table: None,
            round: None,
            outcome: None,
            amount: None,
            paragraph: None,
            words: None,
        }
    }

    fn money(&self, kind: &str, amount: rulebook::Cents) -> EventMessage {
        EventMessage { amount: Some(amount.into()), ..self.event(kind) }
    }

    fn round(&self, kind: &str, round: floor::RoundId) -> EventMessage {
        EventMessage { round: Some(round.0), ..self.event(kind) }
    }

    fn outcome(&self, kind: &str, table: TableId, round: floor::RoundId, index: OutcomeIndex) -> EventMessage {
        let rulebook = self.floor.table(table).and_then(|table| self.floor.rulebook_of(table));
        let outcome = rulebook.map(|rulebook| view::outcome(rulebook, index));
        EventMessage { outcome, ..self.round(kind, round) }
    }

    fn ground(&self, kind: &str, table: TableId, round: floor::RoundId, ground: rulebook::GroundId) -> EventMessage {
        let rulebook = self.floor.table(table).and_then(|table| self.floor.rulebook_of(table));
        let mut event = self.round(kind, round);
        if let Some(ground) = rulebook.and_then(|rulebook| rulebook.ground(ground)) {
            event.paragraph = Some(ground.paragraph.to_string());
            event.words = Some((&ground.name).into());
        }
        event
    }

    fn void(&self, kind: &str, table: TableId, round: floor::RoundId, by: VoidBy) -> EventMessage {
        let rulebook = self.floor.table(table).and_then(|table| self.floor.rulebook_of(table));
        let mut event = self.round(kind, round);
        if let Some(why) = rulebook.and_then(|rulebook| view::void(rulebook, by)) {
            event.words = Some(why.words);
            event.paragraph = why.paragraph;
        }
        event
    }
}
