//! What the rules owe the players, from the facts of the events alone: what they brought, won and lost, less what they
//! were paid. It is compared with what is in their hands and what staff can still return.

use floor::*;

use super::Model;

impl Model {
    /// Books what an event changes. It is called before the event takes effect.
    pub(super) fn owe(&mut self, event: &Event) {
        let amount = match event {
            Event::CashIn { amount, .. } | Event::AttendantIn { amount, .. } | Event::TicketSold { amount, .. } => {
                amount.get()
            }
            Event::AttendantPaid { amount, .. }
            | Event::TicketRedeemed { amount, .. }
            | Event::CorrectionPaid { amount, .. }
            | Event::PayablePaid { amount, .. } => -amount.get(),
            // It left what is owed when it expired, and is paid by decision.
            Event::ExpiredPaid { .. } => 0,
            Event::TicketExpired { ticket }
            | Event::TicketResolved { ticket, finding: TicketFinding::PaidByHand, .. } => {
                -self.tickets.get(ticket).map_or(0, |ticket| ticket.amount)
            }
            Event::RoundSettled { table, part, parts, returns, .. } => {
                let returned: i64 = returns.iter().map(|(_, returned)| returned.get()).sum();
                let staked: i64 = self.at_table(*table).map(|(_, terminal)| terminal.staked()).sum();
                returned - if part == parts { staked } else { 0 }
            }
            Event::RoundCorrected { adjustments, .. } | Event::SettledRoundVoided { adjustments, .. } => {
                let moved = |by: &Adjustment| by.credited.get() + by.payable.get() - by.unpaid.get() - by.taken.get();
                adjustments.iter().map(moved).sum()
            }
            Event::Decided { ruling, credited, payable, taken, .. } => match **ruling {
                Ruling::Pay { .. } | Ruling::TakeBack { .. } => credited.get() + payable.get() - taken.get(),
                _ => 0,
            },
            _ => 0,
        };
        self.owed += amount;
    }
}
