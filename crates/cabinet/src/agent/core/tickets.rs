//! What the floor answers the terminal, and money out: tickets at the printer.

use super::{AGAIN, Action, Core, Refusal, Side};
use crate::agent::Kind;
use crate::agent::state::{Outcome, Print};
use crate::printer::{self, Slip};
use crate::validator;
use serde_json::json;

impl Core {
    pub(super) fn terminal_answer(
        &mut self,
        number: u64,
        refused: Option<Refusal>,
        slip: Option<Box<Slip>>,
        accepted: Option<u64>,
    ) {
        if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.number == number && !ticket.accepted) {
            return self.ticket_answer(refused);
        }
        if let Some(print) = self.state.print
            && print.outcome.is_some_and(|(_, reported)| reported == number)
        {
            match refused {
                Some(refusal) if refusal.may_pass() => self.again = Some(self.now + AGAIN),
                // A number that a command of a page had used before the agent came up again.
                Some(refusal) if refusal.code == "number_reused" => {
                    let number = self.number(Side::Terminal);
                    self.state.print = Some(Print { outcome: print.outcome.map(|(what, _)| (what, number)), ..print });
                    self.resend(Side::Terminal);
                }
                // Taken, or resolved by others before: the first report decides (D25).
                _ => self.state.print = None,
            }
            return;
        }
        if self.reported_answer(number, refused.as_ref()) {
            return;
        }
        if self.job == Some(number) {
            self.job = None;
            match slip {
                Some(slip) => self.print(slip),
                None => self.again = Some(self.now + AGAIN),
            }
            return;
        }
        if let Some((page, own)) = self.pages.remove(&number) {
            let mut answer = json!({ "type": "answer", "number": own });
            if let Some(accepted) = accepted {
                answer["accepted"] = accepted.into();
            }
            if let Some(refusal) = refused {
                answer["error"] = refusal.error;
            }
            // The number is cash: it goes to the printer and to no screen (D27).
            self.actions.push(Action::Page(page, answer));
            if let Some(slip) = slip {
                self.print(slip);
            }
        }
    }

    fn ticket_answer(&mut self, refused: Option<Refusal>) {
        let Some(ticket) = &mut self.state.ticket_in else { return };
        match refused {
            None => {
                ticket.accepted = true;
                self.event(Kind::TicketTaken, None, false);
                if self.in_escrow == Some(false) {
                    // The paper came out before the floor had answered.
                    return self.finished();
                }
                self.actions.push(Action::Validator(validator::Order::Stack));
            }
            Some(refusal) if refusal.may_pass() => self.again = Some(self.now + AGAIN),
            Some(refusal) if refusal.code == "number_reused" => {
                let number = self.number(Side::Terminal);
                if let Some(ticket) = &mut self.state.ticket_in {
                    ticket.number = number;
                }
                self.resend(Side::Terminal);
            }
            Some(refusal) => {
                self.state.ticket_in = None;
                self.event(Kind::Returned, Some(refusal.code), false);
                self.actions.push(Action::Validator(validator::Order::Return));
            }
        }
    }

    /// A ticket is in doubt and not at the printer: its print job is asked for.
    pub(super) fn ask_for_job(&mut self) {
        let Some(doubt) = self.own.doubt else { return };
        if self.state.print.is_some_and(|print| print.ticket != doubt && print.outcome.is_none()) {
            self.state.print = None;
        }
        let waits = self.state.print.is_none_or(|print| !print.sent && self.slip.is_none());
        if waits && self.job.is_none() && self.again.is_none() && self.printer_ready && self.up[0] {
            let number = self.number(Side::Terminal);
            self.job = Some(number);
            self.send(Side::Terminal, json!({ "type": "print_job", "number": number }));
        }
    }

    fn print(&mut self, slip: Box<Slip>) {
        if !slip.is_printable() || self.state.print.is_some_and(|print| print.ticket == slip.id && print.sent) {
            return;
        }
        self.state.print = Some(Print { ticket: slip.id, sent: false, outcome: None });
        self.slip = Some(slip);
        self.event(Kind::TicketPrinting, None, false);
        self.actions.push(Action::Printer(printer::Order::Clear));
    }

    pub(super) fn printer(&mut self, event: printer::Event) {
        use printer::Event as Seen;
        match event {
            Seen::Cleared => {
                if let (Some(print), Some(slip)) = (&mut self.state.print, self.slip.take()) {
                    // Durable before the first byte: from now on the ticket may be on paper.
                    print.sent = true;
                    self.actions.push(Action::Printer(printer::Order::Print(slip)));
                }
            }
            Seen::Printed => self.reported(Outcome::Printed),
            Seen::Failed => self.reported(Outcome::Failed),
            Seen::Doubtful => self.event(Kind::TicketDoubtful, None, true),
            Seen::Ready(ready) => self.printer_ready = ready,
            Seen::PaperLow(true) => self.event(Kind::PaperLow, None, true),
            Seen::PaperLow(false) => self.event(Kind::PaperFull, None, false),
            Seen::Jam(true) => self.event(Kind::PrinterJam, None, true),
            Seen::Jam(false) => self.event(Kind::PrinterCleared, None, false),
            Seen::Presented(_) => {}
            Seen::Lost => {
                self.printer_ready = false;
                self.event(Kind::PrinterLost, None, true);
            }
            Seen::Back => self.event(Kind::PrinterBack, None, false),
        }
    }

    fn reported(&mut self, outcome: Outcome) {
        let Some(print) = self.state.print.filter(|print| print.outcome.is_none()) else { return };
        // Its number is chosen when the floor has said which are free.
        self.state.print = Some(Print { outcome: Some((outcome, 0)), ..print });
        let printed = outcome == Outcome::Printed;
        self.event(if printed { Kind::TicketPrinted } else { Kind::TicketFailed }, None, !printed);
        self.resend(Side::Terminal);
    }
}
