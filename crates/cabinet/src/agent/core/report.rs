//! What the floor is told of the cabinet, for its record and its pit (S14, S19).

use serde_json::{Value, json};

use super::{AGAIN, Core, Refusal, Side};
use crate::agent::Kind;

impl Core {
    /// Whether staff should look at this cabinet, and whether it takes no money: the two lamps of its tower.
    #[must_use]
    pub fn lamps(&self) -> Lamps {
        let wrong = self.fault.is_some() || self.is_open() || self.state.reports.iter().any(|event| event.alert);
        Lamps { attention: wrong || self.own.called, service: self.refuses().is_some() }
    }

    /// Tells the floor of the oldest event that it does not know, one at a time and in order.
    pub(super) fn report(&mut self) {
        if !self.up[0] || self.reporting.is_some() || self.again.is_some() {
            return;
        }
        let Some(event) = self.state.reports.front().cloned() else { return };
        let number = self.number(Side::Terminal);
        self.reporting = Some(number);
        let message = match event.kind {
            Kind::Attendant => json!({ "type": "call_attendant", "number": number }),
            kind => {
                json!({ "type": "cabinet", "number": number, "event": kind, "about": event.about, "at": event.at })
            }
        };
        self.send(Side::Terminal, message);
    }

    /// The floor has answered; whether it was about a report.
    pub(super) fn reported_answer(&mut self, number: u64, refused: Option<&Refusal>) -> bool {
        if self.reporting != Some(number) {
            return false;
        }
        self.reporting = None;
        match refused {
            Some(refusal) if refusal.may_pass() => self.again = Some(self.now + AGAIN),
            // On record; or an attendant is called already, or a host of an earlier version does not know it.
            _ => drop(self.state.reports.pop_front()),
        }
        true
    }

    /// A button of the deck does what the same button of the page does.
    pub(super) fn button(&mut self, name: &str) {
        let message: Value = match name {
            "attendant" => return self.event(Kind::Attendant, None, true),
            "clear" | "cash_out" => json!({ "type": name }),
            "repeat" | "double" => json!({ "type": "repeat", "doubled": name == "double", "sent": self.wall }),
            _ => return,
        };
        // No page has this number: what is shown comes with the next update.
        self.page(u64::MAX, message);
    }
}

/// The lamps of the tower.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Lamps {
    /// Staff are wanted.
    pub attention: bool,
    /// No money is taken.
    pub service: bool,
}
