//! Money by hand, tickets that went wrong, shifts and floats.

use floor::{Event, FloatMovement, StaffId};
use rulebook::Cents;

use super::{Happening, Kind, Names, significant};

pub(super) fn describe(names: Names, event: &Event) -> Option<Happening> {
    Some(match event {
        Event::AttendantIn { terminal, amount, by, .. } => {
            let words = format!("{amount} put into {} by {}", names.terminal(*terminal), names.staff(*by));
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
        Event::PrintFailed { ticket } => {
            significant(Kind::Ticket, "print-failed", format!("ticket {ticket} was not printed; its credit is back"))
        }
        Event::TicketReprinted { ticket, by } => {
            let words = format!("ticket {ticket} printed again by {}", names.staff(*by));
            significant(Kind::Ticket, "ticket-reprinted", words).staff(*by)
        }
        Event::ShiftOpened { shift, cashier, float, .. } => {
            let words = format!("shift {shift} opened by {} with {float}", names.staff(*cashier));
            significant(Kind::Cage, "shift-opened", words).staff(*cashier)
        }
        Event::ShiftClosed { shift, counted, expected, .. } => {
            let words =
                format!("shift {shift} closed: {counted} counted, {expected} expected{}", off(*counted, *expected));
            significant(Kind::Cage, "shift-closed", words)
        }
        Event::FloatMoved { table, movement, difference, by, .. } => {
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
            let words = format!("{what} of {amount} at {} by {}{off}", names.table(*table), names.staff(*by));
            significant(Kind::Cage, "float-moved", words).table(*table).staff(*by)
        }
        _ => return None,
    })
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
