//! Money by hand, tickets that went wrong, shifts and floats.

use floor::{Debtor, DrawerMovement, Event, FloatMovement, Pile, StaffId, TicketFinding, TicketPlace};
use rulebook::Cents;

use super::{Happening, Kind, Names, significant};

pub(super) fn describe(names: Names, event: &Event) -> Option<Happening> {
    Some(match event {
        Event::AttendantIn { terminal, amount, by, witness } => {
            let words = format!("{amount} put into {} by {}", names.terminal(*terminal), names.both(*by, *witness));
            significant(Kind::HandPay, "attendant-in", words).terminal(*terminal).staff(*by)
        }
        Event::AttendantPaid { terminal, amount, by, witness } => {
            let words =
                format!("{amount} of {} paid by hand by {}", names.terminal(*terminal), names.both(*by, *witness));
            significant(Kind::HandPay, "attendant-paid", words).terminal(*terminal).staff(*by)
        }
        Event::CorrectionPaid { payable, shift, amount, witness } => {
            let witness = witness.map_or_else(String::new, |by| format!(", witnessed by {}", names.staff(by)));
            let words =
                format!("{amount} of a correction paid at the cage in shift {shift} (payment {payable}){witness}");
            significant(Kind::HandPay, "correction-paid", words).staff(cashier(names, *shift))
        }
        Event::PayablePaid { payable, amount, by, witness } => {
            let who = names.both(*by, *witness);
            let words = format!("{amount} of a correction paid by hand by {who} (payment {payable})");
            significant(Kind::HandPay, "payable-paid", words).staff(*by)
        }
        Event::ExpiredPaid { ticket, amount, shift, by, witness, reason } => {
            let who = names.both(*by, *witness);
            let from = shift.map_or_else(|| "by hand".to_owned(), |shift| format!("from the drawer of shift {shift}"));
            let words = format!("expired ticket {ticket} of {amount} paid {from} by decision of {who}: {reason}");
            significant(Kind::Ticket, "expired-paid", words).staff(*by)
        }
        Event::DrawerMoved { shift, movement, amount, counts, witness } => {
            let way = match movement {
                DrawerMovement::Fill => "brought to",
                DrawerMovement::Credit => "taken from",
            };
            let second = witness.map_or_else(String::new, |by| format!(", witnessed by {}", names.staff(by)));
            let words = format!("{amount} {way} the drawer of shift {shift}{second}{}", piles(counts));
            significant(Kind::Cage, "drawer-moved", words).staff(cashier(names, *shift))
        }
        Event::WrongTicketsLifted { at, by } => {
            let place = match at {
                TicketPlace::Terminal(terminal) => names.terminal(*terminal),
                TicketPlace::Staff(staff) => names.staff(*staff),
            };
            let words = format!("the stop after wrong ticket numbers at {place} was lifted by {}", names.staff(*by));
            significant(Kind::Ticket, "wrong-tickets-lifted", words).staff(*by)
        }
        Event::PrintFailed { ticket } => {
            significant(Kind::Ticket, "print-failed", format!("ticket {ticket} was not printed; its credit is back"))
        }
        Event::TicketReprinted { ticket, by } => {
            let words = format!("ticket {ticket} printed again by {}", names.staff(*by));
            significant(Kind::Ticket, "ticket-reprinted", words).staff(*by)
        }
        Event::TicketResolved { ticket, finding, by, witness, reason, .. } => {
            let how = match finding {
                TicketFinding::InHand => "in hand",
                TicketFinding::NotPrinted => "not printed; its credit is back",
                TicketFinding::PaidByHand => "not printed; paid by hand",
                TicketFinding::Presented => "in hand: its paper was presented",
            };
            let who = by.map_or_else(|| "a terminal".to_owned(), |by| names.both(by, *witness));
            let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            let words = format!("ticket {ticket} in doubt found {how} by {who}{why}");
            significant(Kind::Ticket, "ticket-resolved", words).staff(*by)
        }
        Event::TicketReplaced { ticket, duplicate, by, witness, reason, .. } => {
            let who = names.both(*by, Some(*witness));
            let words = format!("ticket {ticket} void, its duplicate is ticket {duplicate}, by {who}: {reason}");
            significant(Kind::Ticket, "ticket-replaced", words).staff(*by)
        }
        Event::WrongTicketTried { at, mistyped } => {
            let what = if *mistyped { "mistyped" } else { "unknown" };
            match at {
                TicketPlace::Terminal(terminal) => {
                    let words = format!("{what} ticket number at {}", names.terminal(*terminal));
                    significant(Kind::Ticket, "wrong-ticket", words).terminal(*terminal)
                }
                TicketPlace::Staff(staff) => {
                    let words = format!("{what} ticket number typed by {}", names.staff(*staff));
                    significant(Kind::Ticket, "wrong-ticket", words).staff(*staff)
                }
            }
        }
        Event::ShiftCounted { shift, counts, counted, witness, by } => {
            let again = match (by, witness) {
                (Some(by), witness) => format!(" by {}", names.both(*by, *witness)),
                (None, Some(second)) => format!(" again, witnessed by {}", names.staff(*second)),
                (None, None) => String::new(),
            };
            let words = format!("drawer of shift {shift} counted{again}: {counted}{}", piles(counts));
            significant(Kind::Cage, "shift-counted", words).staff(cashier(names, *shift))
        }
        Event::Recovered { table, round, amount, by, witness, reason, debtor } => {
            let of = round.map_or_else(String::new, |round| format!(" of round {round}"));
            let from = match debtor {
                Some(Debtor::Terminal(terminal)) => format!(" from the visit at {}", names.terminal(*terminal)),
                Some(Debtor::Position(position)) => format!(" from the player at position {}", position.0),
                None => String::new(),
            };
            let words = format!("{amount}{of} recovered{from} by {}: {reason}", names.both(*by, Some(*witness)));
            let happening = significant(Kind::Cage, "recovered", words).table(*table).staff(*by);
            match debtor {
                Some(Debtor::Terminal(terminal)) => happening.terminal(*terminal),
                _ => happening,
            }
        }
        Event::ShiftOpened { shift, cashier, float, witness, from } => {
            let from = from.map_or_else(String::new, |from| format!(", handed over from shift {from}"));
            let words = format!("shift {shift} opened by {} with {float}{from}", names.both(*cashier, *witness));
            significant(Kind::Cage, "shift-opened", words).staff(*cashier)
        }
        Event::ShiftClosed { shift, counted, expected, reason, witness, by } => {
            let by = by.map_or_else(String::new, |by| format!(" by {}", names.staff(by)));
            let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            let witness = witness.map_or_else(String::new, |by| format!(", witnessed by {}", names.staff(by)));
            let off = off(*counted, *expected);
            let words = format!("shift {shift} closed{by}: {counted} counted, {expected} expected{off}{witness}{why}");
            significant(Kind::Cage, "shift-closed", words)
        }
        Event::FloatMoved { table, movement, difference, by, counts, witness, reason } => {
            let why = reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
            let (what, amount) = match movement {
                FloatMovement::Opener(amount) => ("opener", amount),
                FloatMovement::Fill(amount) => ("fill", amount),
                FloatMovement::Credit(amount) => ("credit", amount),
                FloatMovement::BuyIn(amount) => ("buy-in", amount),
                FloatMovement::ChipsOut(amount) => ("chips out", amount),
                FloatMovement::Closer(amount) => ("closer", amount),
                FloatMovement::Drop(amount) => ("drop", amount),
            };
            let off = off(*difference, Cents::ZERO);
            let (table_name, who) = (names.table(*table), names.both(*by, *witness));
            let words = format!("{what} of {amount} at {table_name} by {who}{off}{}{why}", piles(counts));
            significant(Kind::Cage, "float-moved", words).table(*table).staff(*by)
        }
        _ => return None,
    })
}

/// A count by denomination.
fn piles(counts: &[Pile]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let pile = |pile: &Pile| format!("{} × {}", pile.pieces, pile.denomination);
    format!(" ({})", counts.iter().map(pile).collect::<Vec<_>>().join(", "))
}

fn cashier(names: Names, shift: floor::ShiftId) -> Option<StaffId> {
    names.0.shifts().find(|open| open.id() == shift).map(|open| open.cashier())
}

/// By how much a count differs, if it does.
fn off(counted: Cents, expected: Cents) -> String {
    match counted.checked_sub(expected) {
        Some(Cents::ZERO) | None => String::new(),
        Some(difference) => format!(", a difference of {difference}"),
    }
}
