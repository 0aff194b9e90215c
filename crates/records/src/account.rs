//! Accounts and causes in words that stay the same.

use floor::{Account, Cause, ShiftId, TableId, TerminalId};

/// The text form of an account: its kind and, where there are many, whose.
pub(crate) fn account(account: Account) -> String {
    match account {
        Account::World => "world".to_owned(),
        Account::CashDrop(id) => format!("cash-drop/{id}"),
        Account::CageFloat(id) => format!("cage-float/{id}"),
        Account::TicketsOutstanding => "tickets-outstanding".to_owned(),
        Account::TicketsPrepared(id) => format!("tickets-prepared/{id}"),
        Account::TicketsExpired => "tickets-expired".to_owned(),
        Account::Credit(id) => format!("credit/{id}"),
        Account::Stakes(id) => format!("stakes/{id}"),
        Account::HouseWin(id) => format!("house-win/{id}"),
        Account::CorrectionPayable => "correction-payable".to_owned(),
        Account::Uncollected => "uncollected".to_owned(),
        Account::Attendant => "attendant".to_owned(),
        Account::Decisions => "decisions".to_owned(),
        Account::Differences => "differences".to_owned(),
        Account::TableFloat(id) => format!("table-float/{id}"),
        Account::TableDrop(id) => format!("table-drop/{id}"),
        Account::Chips(id) => format!("chips/{id}"),
    }
}

/// The text form of a cause.
pub(crate) const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::CashIn => "cash-in",
        Cause::TicketIn => "ticket-in",
        Cause::AttendantIn => "attendant-in",
        Cause::Wager => "wager",
        Cause::BetReturned => "bet-returned",
        Cause::Collect => "collect",
        Cause::Win => "win",
        Cause::TicketPrepared => "ticket-prepared",
        Cause::PrintFailed => "print-failed",
        Cause::TicketOut => "ticket-out",
        Cause::AttendantOut => "attendant-out",
        Cause::Correction => "correction",
        Cause::Decision => "decision",
        Cause::Sold => "sold",
        Cause::Redeemed => "redeemed",
        Cause::Expired => "expired",
        Cause::Paid => "paid",
        Cause::Float => "float",
        Cause::Recovered => "recovered",
    }
}

/// The terminal an account belongs to.
pub(crate) const fn terminal(account: Account) -> Option<TerminalId> {
    match account {
        Account::CashDrop(id) | Account::TicketsPrepared(id) | Account::Credit(id) => Some(id),
        _ => None,
    }
}

/// The shift an account belongs to.
pub(crate) const fn shift(account: Account) -> Option<ShiftId> {
    match account {
        Account::CageFloat(id) => Some(id),
        _ => None,
    }
}

/// The table an account belongs to.
pub(crate) const fn table(account: Account) -> Option<TableId> {
    match account {
        Account::Stakes(id)
        | Account::HouseWin(id)
        | Account::TableFloat(id)
        | Account::TableDrop(id)
        | Account::Chips(id) => Some(id),
        _ => None,
    }
}
