//! Alerts stay at the pit until somebody authorised acknowledges them (S19); display faults are recorded.

use rulebook::Act;

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::Floor;

impl Floor {
    pub(crate) fn raise_alert(&self, sender: Sender, table: Option<TableId>, what: &AlertKind) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S19", "the host raises alerts");
        }
        if let Some(table) = table {
            self.find_table(table)?;
        }
        if let AlertKind::Host(words) | AlertKind::Integrity(words) | AlertKind::Access(words, _) = what {
            reason_fits(words)?;
        }
        match self.alert(0, table, what.clone()) {
            Some(event) => Ok(vec![event]),
            None => refuse(Code::NothingToDo, "S19", "this alert is up already, or there are too many"),
        }
    }

    /// An alert, unless the same is up already or there are too many of its kind. `earlier` counts those in the same
    /// command. What was refused at the doors is one line with a count; so are codes for keys.
    pub(crate) fn alert(&self, earlier: u64, table: Option<TableId>, what: AlertKind) -> Option<Event> {
        if let AlertKind::Access(words, more) = &what
            && let Some((id, so_far)) = self.access_alert()
        {
            let what = AlertKind::Access(words.clone(), so_far.saturating_add(*more));
            return Some(Event::AlertRepeated { alert: id, what });
        }
        if let AlertKind::EnrolmentCode(holder, by, more) = what
            && let Some((id, so_far)) = self.code_alert()
        {
            let what = AlertKind::EnrolmentCode(holder, by, so_far.saturating_add(more));
            return Some(Event::AlertRepeated { alert: id, what });
        }
        let known = self.alerts.values().any(|alert| alert.table == table && alert.what == what);
        let room = self.alerts.values().filter(|alert| alert.what.class() == what.class()).count() < bounds::ALERTS;
        (room && !known).then(|| Event::AlertRaised { alert: AlertId(self.next.alert + earlier), table, what })
    }

    fn access_alert(&self) -> Option<(AlertId, u32)> {
        self.alerts.values().find_map(|alert| match alert.what {
            AlertKind::Access(_, count) => Some((alert.id, count)),
            _ => None,
        })
    }

    fn code_alert(&self) -> Option<(AlertId, u32)> {
        self.alerts.values().find_map(|alert| match alert.what {
            AlertKind::EnrolmentCode(_, _, count) => Some((alert.id, count)),
            _ => None,
        })
    }

    /// What the host saw at its doors is recorded, and changes nothing (S14).
    pub(crate) fn note(&self, sender: Sender, words: &str) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S14", "the host keeps these notes");
        }
        reason_fits(words)?;
        Ok(vec![Event::Noted { words: words.to_owned() }])
    }

    pub(crate) fn acknowledge_alert(&self, sender: Sender, alert: AlertId) -> Events {
        let staff = self.staff_sender(sender)?;
        let by = staff.id;
        let found = self.alerts.get(&alert);
        // The rank is that of the table's rulebook; an alert of no table needs what the decision asks for.
        match found.and_then(|alert| alert.table).or_else(|| self.tables.first().map(|table| table.id)) {
            Some(table) => drop(self.authorise(sender, Act::AcknowledgeAlert, self.find_table(table)?.0)?),
            None => {
                if staff.rank().is_none_or(|rank| rank < rulebook::Rank::PitSupervisor) {
                    return refuse(Code::Rank, "D11", "acknowledging needs a Pit Supervisor or above");
                }
            }
        }
        if found.is_none() {
            return refuse(Code::NotFound, "S19", "there is no such alert");
        }
        if found.is_some_and(|alert| matches!(alert.what, AlertKind::DecidedAlone(..))) {
            return refuse(Code::SecondPerson, "D28", "this stands until another person has countersigned");
        }
        // D27: who opened a sealed code, and whom they made with it, do not clear the alert about it.
        if let Some(AlertKind::SealedCode(opener, _)) = found.map(|alert| &alert.what)
            && (*opener == by || self.control.made.contains(&(by, *opener)))
        {
            let words = "another person than who opened the code, or was made with it today, must acknowledge this";
            return refuse(Code::SecondPerson, "D27", words);
        }
        Ok(vec![Event::AlertAcknowledged { alert, by }])
    }

    /// Lit areas or displays that were wrong change no bet: what the dice or the wheel show prevails.
    // § etg 5.8 · mbs-sicbo 6.3 · rws-taisai 5.10, 5.11
    pub(crate) fn record_display(&self, sender: Sender, table: TableId, what: DisplayFault, note: &str) -> Events {
        let (found, _) = self.find_table(table)?;
        let by = self.authorise_any(sender, Act::EnterResult, found)?;
        reason_fits(note)?;
        Ok(vec![Event::DisplayRecorded { table, what, note: note.to_owned(), by }])
    }
}

/// Alerts that share their room, the gravest first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AlertClass {
    /// The record or the clock is in doubt.
    Integrity,
    /// A terminal's meters.
    Meters,
    /// Money that is owed or in doubt.
    Money,
    /// A device, a reading, a round.
    Play,
    /// A terminal is lost.
    Link,
    /// What the host watches: disk, pace, liability.
    Host,
    /// What was refused at the doors.
    Access,
}

impl AlertKind {
    /// With which others it shares its room.
    #[must_use]
    pub fn class(&self) -> AlertClass {
        match self {
            AlertKind::Integrity(_) => AlertClass::Integrity,
            AlertKind::Meters(_) => AlertClass::Meters,
            AlertKind::Uncollected(..)
            | AlertKind::TicketInDoubt(..)
            | AlertKind::VoidTicket(_)
            | AlertKind::LargeCash(..)
            | AlertKind::SealedCode(..) => AlertClass::Money,
            AlertKind::TerminalLost(_) => AlertClass::Link,
            AlertKind::Host(_) | AlertKind::EnrolmentCode(..) => AlertClass::Host,
            AlertKind::Access(..) => AlertClass::Access,
            _ => AlertClass::Play,
        }
    }
}
