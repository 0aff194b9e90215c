//! Money in: notes and tickets in the validator.

use super::{AGAIN, Action, Core, Refusal, Side};
use crate::agent::Kind;
use crate::agent::state::{Note, TicketIn};
use crate::agent::view::money;
use crate::validator::{self, Item, Place};

impl Core {
    pub(super) fn inhibit(&mut self) {
        let accepts = self.refuses().is_none() && self.state.ticket_in.is_none();
        // Only between two notes: what is on its way is decided in escrow.
        if self.accepts != Some(accepts) && self.state.note.is_none() {
            self.accepts = Some(accepts);
            self.actions.push(Action::Validator(validator::Order::Accept(accepts)));
        }
    }

    pub(super) fn validator(&mut self, event: validator::Event) {
        use validator::Event as Seen;
        if let Seen::Mark(mark) = event {
            self.state.mark = mark;
            return self.actions.push(Action::Validator(validator::Order::Mark(mark)));
        }
        self.ready = event == Seen::Waiting(true);
        self.in_escrow = match event {
            Seen::Lost | Seen::Back | Seen::Fault(_) | Seen::Cleared(_) => None,
            Seen::Escrow(_) => Some(true),
            _ => Some(false),
        };
        match event {
            Seen::Back => {
                self.validator = true;
                self.event(Kind::ValidatorBack, None, false);
            }
            Seen::Lost => {
                self.validator = false;
                // One that is still there is reported again when it is back.
                self.fault = None;
                self.event(Kind::ValidatorLost, None, true);
            }
            Seen::Accepting => self.event(Kind::Inserted, None, false),
            Seen::Escrow(item) => self.escrow(item),
            Seen::Stacking => {
                let about = self.state.note.map(|note| money(note.amount));
                self.event(Kind::NoteStacking, about, false);
            }
            Seen::Vended | Seen::Stacked => self.vended(event == Seen::Vended),
            Seen::Waiting(_) => self.finished(),
            Seen::Rejected(reason) => self.given_back(&format!("rejected {reason:02x}")),
            Seen::Returned => self.given_back("returned"),
            Seen::PoweredUp(place) => self.powered_up(place),
            Seen::Fault(fault) => {
                self.fault = Some(fault);
                self.event(Kind::ValidatorFault, Some(fault.name().to_owned()), true);
            }
            Seen::Cleared(fault) => {
                self.fault = None;
                self.event(Kind::ValidatorCleared, Some(fault.name().to_owned()), false);
            }
            Seen::Mark(_) => {}
        }
    }

    fn escrow(&mut self, item: Item) {
        let order = |order| Action::Validator(order);
        match item {
            Item::Note(amount) => {
                if let Some(note) = self.state.note {
                    if note.amount == amount && !note.vended {
                        // The order was lost with the agent or the line; its record stands.
                        return self.actions.push(order(validator::Order::Stack));
                    }
                    self.finished();
                }
                let room = self.own.holds.saturating_add(amount) <= self.limit;
                if self.refuses().is_some() || !room {
                    let why = self.refuses().unwrap_or("limit");
                    self.event(Kind::Returned, Some(why.to_owned()), false);
                    return self.actions.push(order(validator::Order::Return));
                }
                let number = self.number(Side::Validator);
                self.state.device_number = number;
                self.state.note = Some(Note { amount, number, vended: false });
                self.event(Kind::NoteEscrow, Some(money(amount)), false);
                self.actions.push(order(validator::Order::Stack));
            }
            Item::Barcode(digits) => self.ticket_in_escrow(digits),
            Item::Unknown(_) => {
                self.event(Kind::Returned, Some("unknown".to_owned()), false);
                self.actions.push(order(validator::Order::Return));
            }
        }
    }

    fn ticket_in_escrow(&mut self, digits: String) {
        match &self.state.ticket_in {
            Some(ticket) if ticket.digits == digits => {
                if ticket.accepted {
                    self.actions.push(Action::Validator(validator::Order::Stack));
                }
                // Otherwise it was offered, and its answer decides.
            }
            _ if self.refuses().is_some() => {
                let why = self.refuses().unwrap_or_default();
                self.event(Kind::Returned, Some(why.to_owned()), false);
                self.actions.push(Action::Validator(validator::Order::Return));
            }
            _ => {
                let number = self.number(Side::Terminal);
                self.state.ticket_in = Some(TicketIn { digits, number, accepted: false });
                self.resend(Side::Terminal);
            }
        }
    }

    /// The validator says that something counts, or is in the stacker.
    fn vended(&mut self, acknowledge: bool) {
        if let Some(note) = self.state.note {
            if !note.vended {
                self.state.counts();
                self.event(Kind::NoteStacked, Some(money(note.amount)), false);
                self.resend(Side::Validator);
            }
        } else if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.accepted) {
            self.state.ticket_in = None;
        } else if acknowledge {
            self.event(Kind::NoteUnexplained, None, true);
        }
        if acknowledge {
            self.actions.push(Action::Validator(validator::Order::Acknowledge));
        }
    }

    /// The validator waits for the next note: nothing is in it any more.
    pub(super) fn finished(&mut self) {
        if let Some(note) = self.state.note.take()
            && !note.vended
        {
            self.event(Kind::NoteUnaccounted, Some(money(note.amount)), true);
        }
        if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.accepted) {
            self.state.ticket_in = None;
            self.event(Kind::TicketPaperReturned, None, true);
        }
    }

    fn given_back(&mut self, why: &str) {
        if self.state.note.is_some_and(|note| !note.vended) {
            self.state.note = None;
        }
        self.event(Kind::Returned, Some(why.to_owned()), false);
        if self.state.ticket_in.as_ref().is_some_and(|ticket| ticket.accepted) {
            self.state.ticket_in = None;
            self.event(Kind::TicketPaperReturned, None, true);
        }
    }

    fn powered_up(&mut self, place: Place) {
        let about = match place {
            Place::Nowhere => "nowhere",
            Place::Acceptor => "acceptor",
            Place::Stacker => "stacker",
        };
        self.event(Kind::ValidatorPower, Some(about.to_owned()), place == Place::Stacker);
        match place {
            Place::Stacker => self.vended(false),
            Place::Acceptor => self.given_back("power"),
            Place::Nowhere => self.finished(),
        }
        self.actions.push(Action::Validator(validator::Order::Reset));
    }

    pub(super) fn cash_answer(&mut self, number: u64, refused: Option<Refusal>) {
        let Some(at) = self.state.unreported.iter().position(|cash| cash.number == number) else { return };
        match refused {
            None => {
                self.held = None;
                let cash = self.state.unreported.remove(at);
                self.event(Kind::NoteCredited, cash.map(|cash| money(cash.amount)), false);
            }
            // It is in the stacker: it is sent again until the floor can take it.
            Some(refusal) => {
                if !refusal.may_pass() && self.held.as_ref() != Some(&refusal.code) {
                    self.held = Some(refusal.code.clone());
                    self.event(Kind::NoteHeld, Some(refusal.code), true);
                }
                self.again = Some(self.now + AGAIN);
            }
        }
    }
}
