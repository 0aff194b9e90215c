//! The audit of people: who moved what, with whom, and what needs review (D15, D27).
//!
//! Both the audit of a journal and the daily reports are made from this, so that they say the same.

use rulebook::Cents;
use serde::{Deserialize, Serialize};

use crate::cage::back_to_the_vault;
use crate::command::*;
use crate::dual::Moving;
use crate::event::{Event, Record};
use crate::ids::*;
use crate::service::is_against;
use crate::set_up::carried;
use crate::state::{Chip, Control, Floor, RESET_FOR, Threshold};

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
            Event::Decided { table, ruling, credited, payable, taken, uncollected, by, witness, .. } => PersonMoved {
                by: *by,
                second: *witness,
                amount: Cents::checked_sum([*credited, *payable, *taken, *uncollected])
                    .filter(|sum| sum.is_positive())?,
                visit: match **ruling {
                    Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } => {
                        visit_of(terminal).filter(|_| credited.is_positive() || taken.is_positive())
                    }
                    _ => None,
                },
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
            Event::ExpiredPaid { amount, by, witness, .. } => {
                PersonMoved { by: *by, second: *witness, amount: *amount, act: "expired", always_two: true, ..plain }
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
            Event::ShiftClosed { shift, counted, expected, witness, by, .. }
                if back_to_the_vault(*counted, *expected).is_positive() =>
            {
                let size = Cents::new(counted.get().saturating_sub(expected.get()).saturating_abs());
                let differs = size.is_positive();
                PersonMoved {
                    by: by.or_else(|| cashier_of(shift))?,
                    second: *witness,
                    amount: back_to_the_vault(*counted, *expected),
                    act: if differs { "difference" } else { "float" },
                    always_two: by.is_some()
                        || differs
                            && cashier_of(shift).is_some_and(|cashier| {
                                self.differs_today(cashier, size) > self.control.thresholds.difference
                            }),
                    ..plain
                }
            }
            Event::FloatMoved { table, movement, by, witness, .. } => {
                let of_vault = movement.of_vault().is_some();
                PersonMoved {
                    by: *by,
                    second: *witness,
                    amount: movement.amount(),
                    act: if of_vault { "table-float" } else { "chips" },
                    threshold: self.table(*table).map(|table| table.settings.hand_pay),
                    always_two: of_vault,
                    ..plain
                }
            }
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

/// A threshold that an event changes.
pub(crate) struct Change {
    pub threshold: Threshold,
    pub before: Cents,
    pub now: Cents,
}

/// Money that one person gives to one player.
pub(crate) struct Favour {
    pub by: StaffId,
    pub to: Favoured,
}

/// Who gains by it.
#[derive(
    Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, minicbor::Encode, minicbor::Decode,
)]
pub(crate) enum Favoured {
    /// A player at a terminal, and the visit that is there.
    #[n(0)]
    Terminal(#[n(0)] TerminalId, #[n(1)] Option<VisitId>),
    /// A player at a live table.
    #[n(1)]
    Position(#[n(0)] TableId, #[n(1)] Position),
}

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
        findings.extend(People::favours(floor, record));
        findings.extend(People::rulebook(floor, record));
        findings.extend(People::clock(floor, record));
        findings.extend(People::drawers(floor, &record.event));
        findings.extend(People::difference(floor, &record.event));
        findings.extend(People::reset_then_signed(floor, record));
        findings.extend(People::device(floor, &record.event));
        findings.extend(People::against_device(floor, &record.event));
        findings.extend(People::chosen(floor, &record.event));
        findings.extend(People::signatures(floor, &record.event));
        findings.extend(People::late_chips(floor, &record.event));
        findings.extend(People::offices(floor, &record.event));
        findings.extend(People::keys(floor, &record.event));
        // D28
        if let Event::DecidedAlone { by, deed, .. } = &record.event {
            let what = deed.as_ref().map_or_else(String::new, |deed| format!(" ({deed})"));
            let by_name = floor.named(*by);
            let words = format!("{by_name} acted alone: the second person was called and did not come{what}");
            findings.push(PeopleFinding { code: "decided-alone", staff: Some(*by), words });
            findings.extend(floor.control.came.values().map(|(second, _)| PeopleFinding {
                code: "call-answered",
                staff: Some(*by),
                words: format!("{by_name} acted alone, though {} had answered a call that day", floor.named(*second)),
            }));
        }
        findings
    }

    /// A round is settled or corrected by a result that is not what its device read (D19).
    fn against_device(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let (id, round, outcome, by) = match event {
            Event::RoundSettled { table, round, outcome, part, parts, .. } if part == parts => {
                (*table, *round, *outcome, None)
            }
            Event::ChipsSettled { table, round, outcome, .. } => (*table, *round, *outcome, None),
            Event::RoundCorrected { table, round, outcome, by, .. }
            | Event::ChipsCorrected { table, round, outcome: Some(outcome), by, .. } => {
                (*table, *round, *outcome, Some(*by))
            }
            _ => return None,
        };
        let table = floor.table(id)?;
        let rulebook = floor.rulebook_of(table)?;
        let against = match table.round.as_ref().filter(|current| current.id == round) {
            Some(current) => is_against(rulebook, current.binding(), outcome),
            None => table.contradicts(rulebook, round, outcome),
        };
        let by_name = by.map_or_else(String::new, |by| format!(", as corrected by {}", floor.named(by)));
        let words = format!("the result of round {round} is not what its device read{by_name}");
        against.then_some(PeopleFinding { code: "against-device", staff: by, words })
    }

    /// A person decided which outcome stands (D24).
    fn chosen(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let Event::Decided { table, round: Some(round), ruling, by, .. } = event else { return None };
        let Ruling::Outcome { .. } = **ruling else { return None };
        let watched = floor.table(*table).is_some_and(|table| floor.serving(table).is_some());
        let unseen = if watched { "" } else { ", with no wheel in service" };
        let words = format!("{} decided which outcome of round {round} stands{unseen}", floor.named(*by));
        Some(PeopleFinding { code: "outcome-chosen", staff: Some(*by), words })
    }

    fn thresholds_changed(floor: &Floor, record: &Record, findings: &mut Vec<PeopleFinding>) {
        let (by, second) = match &record.event {
            Event::TableAdded { by, witness, .. }
            | Event::SettingsChanged { by, witness, .. }
            | Event::RulebookPinned { by, witness, .. }
            | Event::ThresholdsSet { by, witness, .. } => (*by, *witness),
            _ => return,
        };
        let alone = if by.is_some() && second.is_none() { ", without a second person" } else { "" };
        let and = second.map_or_else(String::new, |second| format!(" and {}", floor.named(second)));
        let who = by.map_or_else(String::new, |by| format!(" by {}{and}", floor.named(by)));
        // A threshold is set by two people also when its table is created.
        if let Event::TableAdded { name, settings, .. } = &record.event
            && by.is_some()
        {
            let words = format!("the threshold of the new table {name} was set to {}{who}{alone}", settings.hand_pay);
            findings.push(PeopleFinding { code: "threshold", staff: by, words });
        }
        for Change { threshold, before, now } in floor.thresholds_changed(&record.event) {
            let earlier = floor.control.changed(threshold);
            let back = earlier.is_some_and(|(at, was)| was == now && record.at.since(at) <= BACK_WITHIN);
            let (code, how) = if back { ("threshold-back", "changed back") } else { ("threshold", "changed") };
            let words = format!("the threshold {threshold} was {how} from {before} to {now}{who}{alone}");
            findings.push(PeopleFinding { code, staff: by, words });
        }
    }

    fn tickets(floor: &Floor, event: &Event, findings: &mut Vec<PeopleFinding>) {
        findings.extend(People::own_ticket(floor, event));
        match event {
            Event::TicketIn { ticket, amount, .. } | Event::TicketRedeemed { ticket, amount, .. }
                if floor.tickets.get(ticket).is_some_and(|ticket| ticket.reprints > 0) =>
            {
                let paper = floor.paper(*ticket);
                let reprinted = paper.printed_for.filter(|_| paper.duplicate_of.is_some());
                let by = reprinted.map_or_else(String::new, |by| format!(" by {}", floor.named(by)));
                let redeemed = match event {
                    Event::TicketRedeemed { shift, .. } => {
                        floor.shifts.get(shift).map(|shift| floor.named(shift.cashier))
                    }
                    Event::TicketIn { terminal, .. } => Some(format!("terminal {terminal}")),
                    _ => None,
                };
                let at = redeemed.map_or_else(String::new, |at| format!(" at {at}"));
                findings.push(PeopleFinding {
                    code: "reprint-redeemed",
                    staff: reprinted,
                    words: format!("ticket {ticket} of {amount} was printed again{by} and then redeemed{at}"),
                });
            }
            Event::TicketResolved { ticket, finding, by: Some(by), .. } if *finding != TicketFinding::Presented => {
                let amount = floor.tickets.get(ticket).map_or(Cents::ZERO, |ticket| ticket.amount);
                let how = match finding {
                    TicketFinding::InHand | TicketFinding::Presented => "in hand",
                    TicketFinding::NotPrinted => "not printed",
                    TicketFinding::PaidByHand => "not printed and paid by hand",
                };
                let by_name = floor.named(*by);
                let words = format!("ticket {ticket} of {amount} was in doubt and found {how} by {by_name}");
                findings.push(PeopleFinding { code: "doubt", staff: Some(*by), words });
            }
            Event::AlertRaised { what: AlertKind::TicketInDoubt(ticket, amount), .. } => {
                let words = format!("the printer of ticket {ticket} of {amount} did not report in time");
                findings.push(PeopleFinding { code: "doubt", staff: None, words });
            }
            _ => {}
        }
    }

    /// A cashier pays a ticket whose number was on their own screen (D27).
    fn own_ticket(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let Event::TicketRedeemed { ticket, shift, amount, witness } = event else { return None };
        let cashier = floor.shifts.get(shift)?.cashier;
        floor.paper(*ticket).printed_for.filter(|printed_for| *printed_for == cashier)?;
        let signed = match witness.filter(|witness| *witness != cashier) {
            Some(second) => format!("; {} signed", floor.named(second)),
            None => ", without a second person".to_owned(),
        };
        let name = floor.named(cashier);
        let words = format!("{name} paid ticket {ticket} of {amount}, which they had sold or printed again{signed}");
        Some(PeopleFinding { code: "own-ticket", staff: Some(cashier), words })
    }

    /// A rulebook is the pay table (D27, S9): who installed one or runs a table by one, and whether the program carries it.
    fn rulebook(floor: &Floor, record: &Record) -> Option<PeopleFinding> {
        let sent = record.origin.and_then(|origin| match origin.sender {
            Sender::Staff(by) => Some(by),
            _ => None,
        });
        let (hash, by, second, what) = match &record.event {
            Event::RulebookInstalled { hash, by, witness, .. } => (*hash, *by, *witness, "installed".to_owned()),
            Event::RulebookPinned { table, rulebook, by, witness, .. } => {
                (*rulebook, *by, *witness, format!("made to run table {table}"))
            }
            Event::TableAdded { rulebook, by, witness, name, .. } => {
                (*rulebook, *by, *witness, format!("made to run the new table {name}"))
            }
            _ => return None,
        };
        let by = by.or(sent);
        let foreign = !carried(hash);
        let new_table = matches!(record.event, Event::TableAdded { .. }) && second.is_some();
        if !foreign && (by.is_none() || new_table) {
            return None;
        }
        let who = by.map_or_else(|| "the host".to_owned(), |by| floor.named(by));
        let and = second.map_or_else(String::new, |second| format!(" and {}", floor.named(second)));
        let alone = if by.is_some() && second.is_none() { ", without a second person" } else { "" };
        let (code, words) = match foreign {
            true => ("rulebook-unapproved", ", which this program does not carry,"),
            false => ("rulebook", ""),
        };
        let words = format!("rulebook {hash}{words} was {what} by {who}{and}{alone}");
        Some(PeopleFinding { code, staff: by, words })
    }

    /// A clock that was accepted, or a start long after the last record (S14).
    fn clock(floor: &Floor, record: &Record) -> Option<PeopleFinding> {
        let (staff, words) = match &record.event {
            Event::ClockAccepted { ahead, by, witness } => {
                let and = witness.map_or_else(
                    || ", without a second person".to_owned(),
                    |second| format!(" and {}", floor.named(second)),
                );
                (
                    Some(*by),
                    format!("the clock, ahead by {} s, was accepted by {}{and}", ahead / 1000, floor.named(*by)),
                )
            }
            Event::ProgramStarted { .. } => {
                let stood = floor.long_stop(record.at)?;
                (None, format!("the program was started {} h after the last record", stood / 3_600_000))
            }
            _ => return None,
        };
        Some(PeopleFinding { code: "clock", staff, words })
    }

    /// The drawer of a cashier who had left, in the hands of others (D27).
    fn drawers(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let (shift, by, second, how) = match event {
            Event::ShiftCounted { shift, by: Some(by), witness, .. } => (shift, *by, *witness, "counted"),
            Event::ShiftClosed { shift, by: Some(by), witness, .. } => (shift, *by, *witness, "closed"),
            _ => return None,
        };
        let whose = floor.shifts.get(shift).map_or_else(String::new, |shift| floor.named(shift.cashier));
        let and = second.map_or_else(String::new, |second| format!(" and {}", floor.named(second)));
        let words = format!("the drawer of {whose} was {how} by {}{and}", floor.named(by));
        Some(PeopleFinding { code: "drawer-by-others", staff: Some(by), words })
    }

    /// A count that is off by more than the threshold: of a drawer, a tray or a drop box (D27).
    fn difference(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let (staff, difference, what) = match event {
            Event::ShiftClosed { shift, counted, expected, .. } => {
                let cashier = floor.shifts.get(shift).map(|shift| shift.cashier);
                let whose = cashier.map_or_else(String::new, |cashier| format!(" of {}", floor.named(cashier)));
                let difference = counted.get().saturating_sub(expected.get());
                (cashier, Cents::new(difference), format!("the drawer{whose}"))
            }
            Event::FloatMoved { table, movement, difference, by, .. } => {
                let (counted, difference) = floor.table(*table)?.differs(*movement, *difference)?;
                let what = match counted {
                    Counted::Drop(table) => format!("the drop box of table {table}"),
                    _ => format!("the tray of table {table}"),
                };
                (Some(*by), difference, format!("{what}, counted by {},", floor.named(*by)))
            }
            _ => return None,
        };
        let size = Cents::new(difference.get().saturating_abs());
        let sum = match (event, staff) {
            (Event::ShiftClosed { .. }, Some(cashier)) if size.is_positive() => floor.differs_today(cashier, size),
            _ => size,
        };
        (sum > floor.control.thresholds.difference).then(|| PeopleFinding {
            code: "difference",
            staff,
            words: format!("{what} was {size} {}", if difference < Cents::ZERO { "short" } else { "over" }),
        })
    }

    /// Two people sign together of whom one reset the other's password some days ago: one could have been both (D27).
    fn reset_then_signed(floor: &Floor, record: &Record) -> Option<PeopleFinding> {
        let (by, second) = record.event.signed(floor)?;
        let recent = |whose, by| {
            let reset = floor.control.resets.get(&(whose, by)).filter(|reset| record.at.since(**reset) < RESET_FOR)?;
            Some((whose, by, record.at.since(*reset) / 3_600_000))
        };
        let (whose, resetter, hours) = recent(second, by).or_else(|| recent(by, second))?;
        let (whose, name) = (floor.named(whose), floor.named(resetter));
        let words = format!("{whose} signed together with {name}, who had reset their password {hours} h before");
        Some(PeopleFinding { code: "reset-then-signed", staff: Some(resetter), words })
    }

    /// A tumbler or wheel that goes out of service or leaves its table: from then on the dealer's word counts (D19).
    fn device(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let (by, words) = match event {
            Event::ServiceChanged { device, function, in_service: false, by, witness, reason, .. } => {
                let what = match function {
                    Function::Device => "device",
                    Function::Reading => "the reading of device",
                };
                let (first, second) = (floor.named(*by), floor.named(*witness));
                (Some(*by), format!("{first} and {second} took {what} {device} out of service: {reason}"))
            }
            Event::DeviceMoved { device, by, .. } => {
                let table = floor.device(*device).filter(|found| found.is_mechanism())?.table()?;
                let who = by.map_or_else(String::new, |by| format!(" by {}", floor.named(by)));
                (*by, format!("device {device} was moved away from table {table}{who}"))
            }
            _ => return None,
        };
        Some(PeopleFinding { code: "out-of-service", staff: by, words })
    }

    /// Two signatures that one person could have supplied (D27).
    fn signatures(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let (by, second) = event.signed(floor)?;
        let refused = floor.independent(by, second).err()?;
        let words = format!("{} signed for {}: {}", floor.named(second), floor.named(by), refused.words);
        Some(PeopleFinding { code: "not-independent", staff: Some(by), words })
    }

    /// Chips that were recorded after the close and win (D20): at a table without a device, no other witness has seen
    /// them.
    fn late_chips(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let Event::ChipsSettled { round, table, outcome, .. } = event else { return None };
        let found = floor.table(*table)?;
        let layout = floor.rulebook_of(found)?.layouts().first()?;
        let wins = |chip: &&Chip| chip.late && layout.table().cell(chip.spot, *outcome) > 0;
        let late: Vec<&Chip> = found.round.as_ref()?.chips.iter().filter(wins).collect();
        let staff = late.first()?.recorded_by;
        let sum: i64 = late.iter().map(|chip| chip.amount.get()).fold(0, i64::saturating_add);
        let by = staff.map_or_else(String::new, |by| format!(" by {}", floor.named(by)));
        let words =
            format!("chips of {} recorded after the close{by} won in round {round} at table {table}", Cents::new(sum));
        Some(PeopleFinding { code: "late-chips", staff, words })
    }

    /// One finding for all whom an event favours again, named by the one who was most often.
    fn favours(floor: &Floor, record: &Record) -> Option<PeopleFinding> {
        let again: Vec<_> = floor
            .favoured(&floor.whole(&record.event))
            .into_iter()
            .filter(|favour| record.origin.is_some() || !floor.control.has_favoured(favour))
            .map(|Favour { by, to }| {
                let (times, whom) = floor.control.favoured_before(by, to);
                (times.saturating_add(1), by, whom)
            })
            .filter(|(times, ..)| *times > 1)
            .collect();
        let others = again.len().checked_sub(1)?;
        let (times, by, whom) = again.into_iter().max_by_key(|(times, ..)| *times)?;
        let more = if others == 0 { String::new() } else { format!(", and again to {others} more") };
        let words = format!("{} has given money to {whom} {times} times{more}", floor.named(by));
        Some(PeopleFinding { code: "favours-one-visit", staff: Some(by), words })
    }
}

impl Control {
    /// How often one person gave money to a player before, and to whom in words: to the visit, or in the gaming day.
    fn favoured_before(&self, by: StaffId, to: Favoured) -> (u32, String) {
        match to {
            Favoured::Terminal(terminal, visit) => {
                let of_visit = visit.and_then(|visit| self.favours.get(&(visit, by))).copied().unwrap_or(0);
                let of_day = self.favours_at.get(&(terminal, by)).copied().unwrap_or(0);
                let whom = if of_visit >= of_day { "the visit" } else { "players" };
                (of_visit.max(of_day), format!("{whom} at terminal {terminal}"))
            }
            Favoured::Position(table, position) => {
                let times = self.favours_chips.get(&(table, position, by)).copied().unwrap_or(0);
                (times, format!("position {position} of table {table}"))
            }
        }
    }

    /// Whether an earlier event of the same act gave to this player already: a range of rounds is one act.
    fn has_favoured(&self, favour: &Favour) -> bool {
        self.favoured_now.contains(&(favour.by, favour.to))
    }

    /// One more time.
    pub(crate) fn favour(&mut self, favour: Favour) {
        if self.has_favoured(&favour) {
            return;
        }
        let Favour { by, to } = favour;
        self.favoured_now.insert((by, to));
        let more = |times: &mut u32| *times = times.saturating_add(1);
        match to {
            Favoured::Terminal(terminal, visit) => {
                if let Some(visit) = visit {
                    more(self.favours.entry((visit, by)).or_default());
                }
                more(self.favours_at.entry((terminal, by)).or_default());
            }
            Favoured::Position(table, position) => {
                more(self.favours_chips.entry((table, position, by)).or_default());
            }
        }
    }
}

impl Floor {
    /// A person for a reader: the name, and the number, which distinguishes two people of one name.
    pub(crate) fn named(&self, id: StaffId) -> String {
        self.person(id).map_or_else(|| format!("staff {id}"), |person| format!("{} (staff {id})", person.name))
    }

    /// The thresholds that an event is about to change.
    pub(crate) fn thresholds_changed(&self, event: &Event) -> Vec<Change> {
        let set = match event {
            Event::SettingsChanged { table, settings, .. } | Event::RulebookPinned { table, settings, .. } => {
                let before = self.table(*table).map(|table| table.pending.as_ref().unwrap_or(&table.settings).hand_pay);
                vec![(Threshold::Alone(Some(*table)), before, settings.hand_pay)]
            }
            Event::ThresholdsSet { thresholds: now, .. } => {
                let was = &self.control.thresholds;
                vec![
                    (Threshold::Alone(None), Some(was.alone), now.alone),
                    (Threshold::Redemption, Some(was.redemption), now.redemption),
                    (Threshold::Difference, Some(was.difference), now.difference),
                    (Threshold::LargeCash, Some(was.large_cash), now.large_cash),
                ]
            }
            _ => Vec::new(),
        };
        let changes = set.into_iter().filter_map(|(threshold, before, now)| {
            before.filter(|before| *before != now).map(|before| Change { threshold, before, now })
        });
        changes.collect()
    }

    /// The players to whom a correction, void or decision gives money, as credit, at the cage or in chips, and who does it.
    pub(crate) fn favoured(&self, event: &Event) -> Vec<Favour> {
        let at = |terminal: TerminalId| self.terminal(terminal).map(|found| Favoured::Terminal(terminal, found.visit));
        let gains = |by: StaffId, to: Option<Favoured>| to.map(|to| Favour { by, to });
        match event {
            Event::RoundCorrected { round, adjustments, by, .. }
            | Event::SettledRoundVoided { round, adjustments, staff: by, .. } => {
                let adjustments = self.effective(*round, adjustments).iter();
                let gaining = adjustments.filter(|one| one.credited.is_positive() || one.payable.is_positive());
                gaining.filter_map(|one| gains(*by, at(one.terminal))).collect()
            }
            Event::ChipsCorrected { table, paid, by, .. } | Event::RecordCorrected { table, paid, by, .. } => {
                let to = |position: Position| Favour { by: *by, to: Favoured::Position(*table, position) };
                paid.iter().map(|(position, _)| to(*position)).collect()
            }
            Event::Decided { table, ruling, credited, payable, by, .. }
                if credited.is_positive() || payable.is_positive() =>
            {
                let to = match **ruling {
                    Ruling::Pay { terminal, .. } => at(terminal),
                    Ruling::PayChips { position, .. } => Some(Favoured::Position(*table, position)),
                    _ => None,
                };
                gains(*by, to).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Event {
    /// The two people whose names stand under an event that is about to be applied.
    pub(crate) fn signed(&self, floor: &Floor) -> Option<(StaffId, StaffId)> {
        let two = match self {
            Event::RulebookInstalled { by, witness, .. }
            | Event::TableAdded { by, witness, .. }
            | Event::RulebookPinned { by, witness, .. }
            | Event::SettingsChanged { by, witness, .. }
            | Event::DeviceAdded { by, witness, .. }
            | Event::DeviceMoved { by, witness, .. }
            | Event::DeviceDescribed { by, witness, .. }
            | Event::StaffAdded { by, witness, .. }
            | Event::StaffChanged { by, witness, .. }
            | Event::ActingAssigned { by, witness, .. }
            | Event::ThresholdsSet { by, witness, .. }
            | Event::CodesSealed { by, witness, .. }
            | Event::CredentialChanged { by, second: witness, .. } => (*by, *witness),
            Event::PowerRaised { by, witness, .. }
            | Event::ProgramApproved { by, witness, .. }
            | Event::ProgramAccepted { by, witness, .. } => (Some(*by), *witness),
            Event::RoundVoided { staff, witness, .. } | Event::SettledRoundVoided { staff, witness, .. } => {
                (Some(*staff), *witness)
            }
            Event::ClockAccepted { by, witness, .. }
            | Event::ChipsCorrected { by, witness, .. }
            | Event::RecordCorrected { by, witness, .. }
            | Event::SecondTumbleSetAside { by, witness, .. } => (Some(*by), *witness),
            Event::LossAccepted { by, witness, .. }
            | Event::RoundCorrected { by, witness, .. }
            | Event::Attested { by, witness, .. }
            | Event::ChipsRemoved { by, witness, .. }
            | Event::FirstOutcomeStands { by, witness, .. }
            | Event::ServiceChanged { by, witness, .. }
            | Event::ResultWitnessed { by, witness, .. }
            | Event::EnrolmentCodeMade { by, second: witness, .. } => (Some(*by), Some(*witness)),
            _ => floor.person_moves(self).map(|moved| (Some(moved.by), moved.second))?,
        };
        two.0.zip(two.1).filter(|(by, second)| by != second)
    }
}

/// A movement without the second person that it needs.
fn alone(floor: &Floor, moved: &PersonMoved) -> Option<PeopleFinding> {
    let PersonMoved { by, second, amount, visit, act, threshold, always_two } = *moved;
    let needed = always_two || floor.alone(by, Moving { amount, visit, threshold }).is_err();
    (second.is_none() && needed).then(|| PeopleFinding {
        code: "alone",
        staff: Some(by),
        words: format!("{} moved {amount} ({act}) without the second person that it needs", floor.named(by)),
    })
}
