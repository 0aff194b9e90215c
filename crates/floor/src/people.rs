//! The audit of people: who moved what, with whom, and what deserves a second look (D15, D27).
//!
//! Both the audit of a journal and the daily reports are made from this, so that they say the same.

use rulebook::Cents;

use crate::command::*;
use crate::dual::Moving;
use crate::event::{Event, Record};
use crate::ids::*;
use crate::state::Floor;

/// Money that one person moved, alone or with a second person.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PersonMoved {
    /// Who.
    pub by: StaffId,
    /// The second person.
    pub second: Option<StaffId>,
    /// How much.
    pub amount: Cents,
    /// For which visit.
    pub visit: Option<VisitId>,
    /// By which act, in a word that does not change.
    pub act: &'static str,
    /// The threshold of the place where it happened.
    threshold: Option<Cents>,
    /// Whether a second person is needed whatever the amount.
    always_two: bool,
}

impl Floor {
    /// Who moves money with an event that is about to be applied.
    #[must_use]
    pub fn person_moves(&self, event: &Event) -> Option<PersonMoved> {
        let table_of = |id: TerminalId| self.terminal(id).and_then(|terminal| self.table(terminal.table));
        let visit_of = |id: TerminalId| self.terminal(id).and_then(|terminal| terminal.visit);
        let cashier_of = |id: &ShiftId| self.shifts.get(id).map(|shift| shift.cashier);
        let hand_pay = |id: TerminalId| table_of(id).map(|table| table.settings.hand_pay);
        let plain = PersonMoved {
            by: StaffId(0),
            second: None,
            amount: Cents::ZERO,
            visit: None,
            act: "",
            threshold: None,
            always_two: false,
        };
        let moved = match event {
            Event::AttendantIn { terminal, amount, by, witness } => PersonMoved {
                by: *by,
                second: *witness,
                amount: *amount,
                visit: visit_of(*terminal),
                act: "attendant-in",
                threshold: hand_pay(*terminal),
                ..plain
            },
            Event::AttendantPaid { terminal, amount, by, witness } => PersonMoved {
                by: *by,
                second: *witness,
                amount: *amount,
                visit: visit_of(*terminal),
                act: "hand-pay",
                threshold: hand_pay(*terminal),
                ..plain
            },
            Event::Decided { table, credited, payable, taken, uncollected, by, witness, .. } => PersonMoved {
                by: *by,
                second: *witness,
                amount: Cents::checked_sum([*credited, *payable, *taken, *uncollected])
                    .filter(|sum| sum.is_positive())?,
                act: "decision",
                threshold: self.table(*table).map(|table| table.settings.hand_pay),
                ..plain
            },
            Event::TicketSold { shift, amount, witness, .. } => PersonMoved {
                by: cashier_of(shift)?,
                second: *witness,
                amount: *amount,
                act: "sale",
                always_two: *amount > self.control.thresholds.redemption,
                ..plain
            },
            Event::CorrectionPaid { payable, shift, amount, witness } => PersonMoved {
                by: cashier_of(shift)?,
                second: *witness,
                amount: *amount,
                act: "payable",
                threshold: self.payables.get(payable).and_then(|p| self.table(p.table)).map(|t| t.settings.hand_pay),
                ..plain
            },
            Event::PayablePaid { amount, by, witness, .. } => {
                PersonMoved { by: *by, second: *witness, amount: *amount, act: "payable", always_two: true, ..plain }
            }
            Event::DrawerMoved { shift, amount, witness, .. } => PersonMoved {
                by: cashier_of(shift)?,
                second: *witness,
                amount: *amount,
                act: "drawer",
                always_two: true,
                ..plain
            },
            Event::ShiftOpened { cashier, float, witness, .. } => {
                PersonMoved { by: *cashier, second: *witness, amount: *float, act: "float", ..plain }
            }
            Event::ShiftClosed { shift, counted, expected, witness, .. } if counted != expected => PersonMoved {
                by: cashier_of(shift)?,
                second: *witness,
                amount: Cents::new(counted.get().saturating_sub(expected.get()).saturating_abs()),
                act: "difference",
                threshold: Some(self.control.thresholds.difference),
                ..plain
            },
            Event::FloatMoved { movement, by, witness, .. } => PersonMoved {
                by: *by,
                second: *witness,
                amount: movement.of_vault()?,
                act: "table-float",
                always_two: true,
                ..plain
            },
            Event::TicketReplaced { ticket, by, witness, .. } => PersonMoved {
                by: *by,
                second: Some(*witness),
                amount: self.tickets.get(ticket)?.amount,
                act: "reprint",
                always_two: true,
                ..plain
            },
            Event::TicketReprinted { ticket, by } => PersonMoved {
                by: *by,
                amount: self.tickets.get(ticket)?.amount,
                act: "reprint",
                always_two: true,
                ..plain
            },
            Event::TicketResolved { ticket, by: Some(by), witness, finding, .. }
                if *finding != TicketFinding::Presented =>
            {
                PersonMoved {
                    by: *by,
                    second: *witness,
                    amount: self.tickets.get(ticket)?.amount,
                    act: "doubt",
                    always_two: true,
                    ..plain
                }
            }
            Event::Recovered { amount, by, witness, .. } => PersonMoved {
                by: *by,
                second: Some(*witness),
                amount: *amount,
                act: "recovered",
                always_two: true,
                ..plain
            },
            _ => return None,
        };
        // D28: who acted alone is named twice.
        Some(PersonMoved { second: moved.second.filter(|second| *second != moved.by), ..moved })
    }
}

/// Something that deserves a second look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleFinding {
    /// What it is, in a word that does not change.
    pub code: &'static str,
    /// Who did it.
    pub staff: Option<StaffId>,
    /// In words.
    pub words: String,
}

/// The audit of people. What it has to remember from record to record is part of the floor.
#[derive(Copy, Clone, Debug, Default)]
pub struct People;

/// A threshold that is back within this time was changed for one act.
const BACK_WITHIN: i64 = 24 * 60 * 60 * 1000;

impl People {
    /// Looks at a record that is about to be applied.
    #[must_use]
    pub fn observe(floor: &Floor, record: &Record) -> Vec<PeopleFinding> {
        let mut findings = Vec::new();
        if let Some(moved) = floor.person_moves(&record.event) {
            findings.extend(alone(floor, &moved));
        }
        People::thresholds_changed(floor, record, &mut findings);
        People::tickets(floor, &record.event, &mut findings);
        People::favours(floor, &record.event, &mut findings);
        findings.extend(People::device(floor, &record.event));
        match &record.event {
            Event::AlertRaised { what: AlertKind::DeviceDisagrees(round), .. } => findings.push(PeopleFinding {
                code: "against-device",
                staff: None,
                words: format!("the result of round {round} is not what its device read"),
            }),
            Event::SealedCodeOpened { by, .. } => findings.push(PeopleFinding {
                code: "sealed-code",
                staff: Some(*by),
                words: format!("staff {by} opened a sealed code in place of a second person"),
            }),
            // D27: the holder of the key acts as that terminal or device.
            Event::EnrolmentCodeMade { holder, by, second } => {
                let holder = match holder {
                    KeyHolder::Terminal(terminal) => format!("terminal {terminal}"),
                    KeyHolder::Device(device) => format!("device {device}"),
                };
                findings.push(PeopleFinding {
                    code: "enrolment-code",
                    staff: Some(*by),
                    words: format!("staff {by} and {second} made a code for a key of {holder}"),
                });
            }
            // D28
            Event::DecidedAlone { by, deed, .. } => {
                let what = deed.as_ref().map_or_else(String::new, |deed| format!(" ({deed})"));
                let words = format!("staff {by} acted without a second person, who was called and did not come{what}");
                findings.push(PeopleFinding { code: "decided-alone", staff: Some(*by), words });
            }
            Event::StaffChanged { staff, active: false, by: Some(by), witness, .. } => {
                let alone = if witness.is_none() { ", without a second person" } else { "" };
                findings.push(PeopleFinding {
                    code: "dismissed",
                    staff: Some(*by),
                    words: format!("staff {by} dismissed staff {staff}{alone}"),
                });
            }
            Event::StaffAdded { by: Some(by), witness: None, staff, .. }
            | Event::ActingAssigned { by: Some(by), witness: None, staff, post: Some(_) } => {
                findings.push(PeopleFinding {
                    code: "account-alone",
                    staff: Some(*by),
                    words: format!("staff {by} created or assigned staff {staff} without a second person"),
                });
            }
            _ => {}
        }
        findings
    }

    fn thresholds_changed(floor: &Floor, record: &Record, findings: &mut Vec<PeopleFinding>) {
        let (place, now, by, second) = match &record.event {
            Event::SettingsChanged { table, settings, by, witness, .. }
            | Event::RulebookPinned { table, settings, by, witness, .. } => {
                (Some(*table), settings.hand_pay, *by, *witness)
            }
            Event::ThresholdsSet { thresholds, by, witness, .. } => (None, thresholds.alone, *by, *witness),
            _ => return,
        };
        let Some(before) = floor.threshold_of(place).filter(|before| *before != now) else { return };
        let earlier = floor.control.before.get(&place);
        let back = earlier.is_some_and(|(at, was)| *was == now && record.at.since(*at) <= BACK_WITHIN);
        let place = place.map_or_else(|| "the floor".to_owned(), |table| format!("table {table}"));
        let alone = if by.is_some() && second.is_none() { ", without a second person" } else { "" };
        let (code, how) = if back { ("threshold-back", "changed back") } else { ("threshold", "changed") };
        let words = format!("the threshold of {place} was {how} from {before} to {now}{alone}");
        findings.push(PeopleFinding { code, staff: by, words });
    }

    fn tickets(floor: &Floor, event: &Event, findings: &mut Vec<PeopleFinding>) {
        match event {
            Event::TicketIn { ticket, amount, .. } | Event::TicketRedeemed { ticket, amount, .. }
                if floor.tickets.get(ticket).is_some_and(|ticket| ticket.reprints > 0) =>
            {
                findings.push(PeopleFinding {
                    code: "reprint-redeemed",
                    staff: None,
                    words: format!("ticket {ticket} of {amount} was printed again and then redeemed"),
                });
            }
            Event::TicketResolved { ticket, finding, by: Some(by), .. } if *finding != TicketFinding::Presented => {
                let amount = floor.tickets.get(ticket).map_or(Cents::ZERO, |ticket| ticket.amount);
                let how = match finding {
                    TicketFinding::InHand | TicketFinding::Presented => "in hand",
                    TicketFinding::NotPrinted => "not printed",
                    TicketFinding::PaidByHand => "not printed and paid by hand",
                };
                let words = format!("ticket {ticket} of {amount} was in doubt and found {how} by staff {by}");
                findings.push(PeopleFinding { code: "doubt", staff: Some(*by), words });
            }
            Event::AlertRaised { what: AlertKind::TicketInDoubt(ticket, amount), .. } => {
                let words = format!("the printer of ticket {ticket} of {amount} did not report in time");
                findings.push(PeopleFinding { code: "doubt", staff: None, words });
            }
            _ => {}
        }
    }

    /// A tumbler or wheel that goes out of service or leaves its table: from then on the dealer's word counts (D19).
    fn device(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let (by, words) = match event {
            Event::ServiceChanged { device, function, in_service: false, by, witness, reason, .. } => {
                let what = match function {
                    Function::Device => "device",
                    Function::Reading => "the reading of device",
                };
                (Some(*by), format!("staff {by} and {witness} took {what} {device} out of service: {reason}"))
            }
            Event::DeviceMoved { device, by, .. } => {
                let table = floor.device(*device).filter(|found| found.is_mechanism())?.table()?;
                (*by, format!("device {device} was moved away from table {table}"))
            }
            _ => return None,
        };
        Some(PeopleFinding { code: "out-of-service", staff: by, words })
    }

    fn favours(floor: &Floor, event: &Event, findings: &mut Vec<PeopleFinding>) {
        let Some((by, terminal, visit)) = floor.favoured(event) else { return };
        let times = floor.control.favours.get(&(visit, by)).copied().unwrap_or(0).saturating_add(1);
        if times > 1 {
            findings.push(PeopleFinding {
                code: "favours-one-visit",
                staff: Some(by),
                words: format!("staff {by} has given money to the visit at terminal {terminal} {times} times"),
            });
        }
    }
}

impl Floor {
    /// The threshold of a table as it will be, or of the floor.
    pub(crate) fn threshold_of(&self, place: Option<TableId>) -> Option<Cents> {
        match place {
            None => Some(self.control.thresholds.alone),
            Some(table) => self.table(table).map(|table| table.pending.as_ref().unwrap_or(&table.settings).hand_pay),
        }
    }

    /// The one visit that a correction or decision gives money to, and who does it. What gives to many favours none.
    pub(crate) fn favoured(&self, event: &Event) -> Option<(StaffId, TerminalId, VisitId)> {
        let (by, terminal) = match event {
            Event::RoundCorrected { adjustments, by, .. } => {
                let mut gains = adjustments.iter().filter(|adjustment| adjustment.credited.is_positive());
                (*by, gains.next().filter(|_| gains.next().is_none())?.terminal)
            }
            Event::Decided { ruling, credited, by, .. } if credited.is_positive() => match **ruling {
                Ruling::Pay { terminal, .. } => (*by, terminal),
                _ => return None,
            },
            _ => return None,
        };
        let visit = self.terminal(terminal)?.visit?;
        Some((by, terminal, visit))
    }
}

/// A movement without the second person that it needs.
fn alone(floor: &Floor, moved: &PersonMoved) -> Option<PeopleFinding> {
    let PersonMoved { by, second, amount, visit, act, threshold, always_two } = *moved;
    let needed = always_two || floor.alone(by, Moving { amount, visit, threshold }).is_err();
    (second.is_none() && needed).then(|| PeopleFinding {
        code: "alone",
        staff: Some(by),
        words: format!("staff {by} moved {amount} ({act}) without the second person that it needs"),
    })
}
