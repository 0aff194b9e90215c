//! Alerts stay at the pit until an authorised person acknowledges them (S19); display faults are recorded.

use std::collections::BTreeSet;

use rulebook::Act;

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::{Alert, Floor, Staff};

impl Floor {
    pub(crate) fn raise_alert(&self, sender: Sender, table: Option<TableId>, what: &AlertKind) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S19", "the host raises alerts");
        }
        if let Some(table) = table {
            self.find_table(table)?;
        }
        if let AlertKind::Host(words)
        | AlertKind::Integrity(words)
        | AlertKind::Access(words, _)
        | AlertKind::CopiedKey(_, words, _) = what
        {
            reason_fits(words)?;
        }
        match self.alert(0, table, what.clone()) {
            Some(event) => Ok(vec![event]),
            None if self.alerts.values().any(|alert| alert.table == table && alert.what == *what) => {
                refuse(Code::NothingToDo, "S19", "this alert is up already")
            }
            None => refuse(Code::NothingToDo, "S19", "too many alerts of this kind wait: acknowledge some first"),
        }
    }

    /// An alert, unless the same is up already. `earlier` counts those in the same command. Refused attempts are one line
    /// with a count; so are codes for keys, a key in two places, and faults of one device. If there are many of one class,
    /// an alert takes the place of the last of its kind at its table, with a count: each is recorded, none is refused.
    pub(crate) fn alert(&self, earlier: u64, table: Option<TableId>, what: AlertKind) -> Option<Event> {
        if let AlertKind::Access(words, more) = &what
            && let Some((alert, so_far)) = self.access_alert()
        {
            let what = AlertKind::Access(words.clone(), so_far.saturating_add(*more));
            return Some(Event::AlertRepeated { alert, what, more: None });
        }
        if let AlertKind::EnrolmentCode(holder, by, more) = what
            && let Some((alert, so_far)) = self.code_alert()
        {
            let what = AlertKind::EnrolmentCode(holder, by, so_far.saturating_add(more));
            return Some(Event::AlertRepeated { alert, what, more: None });
        }
        if let AlertKind::CopiedKey(holder, words, more) = &what
            && let Some((alert, so_far)) = self.copied_key_alert(*holder)
        {
            let what = AlertKind::CopiedKey(*holder, words.clone(), so_far.saturating_add(*more));
            return Some(Event::AlertRepeated { alert, what, more: None });
        }
        if let Some(so_far) = self.link_alert(table, &what) {
            return so_far;
        }
        if let Some(known) = self.alerts.values().find(|alert| alert.table == table && alert.what == what) {
            // Each large amount counts, also one that is the same as another.
            let counts = matches!(what, AlertKind::LargeCash(..) | AlertKind::LargeCashAt(..)) && self.is_tagged();
            return counts.then_some(Event::AlertRepeated { alert: known.id, what, more: Some(1) });
        }
        if let Some(so_far) = self.alert_of_same_source(table, &what) {
            return so_far;
        }
        let alike = |alert: &&Alert| alert.what.class() == what.class() && !alert.what.has_own_line();
        let source = Source::of(table, &what);
        let first = || {
            let own = |alert: &Alert| Source::of(alert.table, &alert.what) == source;
            source.is_some() && !self.alerts.values().filter(alike).any(own)
        };
        if what.has_own_line() || self.alerts.values().filter(alike).count() < bounds::ALERTS || first() {
            return Some(self.own_alert(earlier, table, what));
        }
        if !self.is_tagged() {
            return None;
        }
        // The class is full: one line for each kind, source and table.
        let same = |alert: &&Alert| {
            std::mem::discriminant(&alert.what) == std::mem::discriminant(&what)
                && (alert.table, Source::of(alert.table, &alert.what)) == (table, source)
        };
        Some(match self.alerts.values().rfind(same) {
            Some(last) => Event::AlertRepeated { alert: last.id, what, more: Some(1) },
            None => self.own_alert(earlier, table, what),
        })
    }

    /// An alert with a line of its own, however many there are.
    pub(crate) fn own_alert(&self, earlier: u64, table: Option<TableId>, what: AlertKind) -> Event {
        Event::AlertRaised { alert: AlertId(self.next.alert.saturating_add(earlier)), table, what }
    }

    /// Numbers the alerts of one command, one after the other.
    pub(crate) fn number_alerts(&self, events: &mut [Event]) {
        let raised = events.iter_mut().filter_map(|event| match event {
            Event::AlertRaised { alert, .. } => Some(alert),
            _ => None,
        });
        for (alert, number) in raised.zip(self.next.alert..) {
            *alert = AlertId(number);
        }
    }

    /// The alerts of one device or table take no room from others: a device that holds up rounds is one line with the latest
    /// of them, faults of a device are one line with a count, and if a table has many alerts, the last of the same kind names
    /// the latest round. `None`: a line of its own.
    fn alert_of_same_source(&self, table: Option<TableId>, what: &AlertKind) -> Option<Option<Event>> {
        let repeated =
            |alert: AlertId, what, more| self.is_tagged().then_some(Event::AlertRepeated { alert, what, more });
        if let AlertKind::DeviceFault(device, number) = *what {
            let faults = |alert: &Alert| match alert.what {
                AlertKind::DeviceFault(id, last) if id == device => Some((alert.id, last, 1)),
                AlertKind::DeviceFaults(id, last, count) if id == device => Some((alert.id, last, count)),
                _ => None,
            };
            let (alert, last, count) = self.alerts.values().find_map(faults)?;
            let what = AlertKind::DeviceFaults(device, number, count.saturating_add(1));
            return Some(if last == number { None } else { repeated(alert, what, None) });
        }
        if let AlertKind::DeviceHolds(device, _) = *what {
            let same = |alert: &&Alert| matches!(alert.what, AlertKind::DeviceHolds(id, _) if id == device);
            return self.alerts.values().find(same).map(|alert| repeated(alert.id, what.clone(), None));
        }
        let source = Source::of(table, what).filter(|source| matches!(source, Source::Table(_)))?;
        let own =
            |alert: &&Alert| alert.what.class() == what.class() && Source::of(alert.table, &alert.what) == Some(source);
        if self.alerts.values().filter(own).count() < bounds::ALERTS_EACH {
            return None;
        }
        let same = |alert: &&Alert| std::mem::discriminant(&alert.what) == std::mem::discriminant(what);
        let last = self.alerts.values().filter(own).rfind(same)?;
        Some(repeated(last.id, what.clone(), Some(1)))
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

    fn copied_key_alert(&self, of: KeyHolder) -> Option<(AlertId, u32)> {
        self.alerts.values().find_map(|alert| match alert.what {
            AlertKind::CopiedKey(holder, _, count) if holder == of => Some((alert.id, count)),
            _ => None,
        })
    }

    /// A lost link is one line for a device, and one for all terminals of a table. It says when the link is back, and stays
    /// until it is acknowledged (S19). `None`: a line of its own is needed.
    // D19 · D21
    fn link_alert(&self, table: Option<TableId>, what: &AlertKind) -> Option<Option<Event>> {
        let (up, what, over) = match *what {
            AlertKind::DeviceLost(device, back) => {
                let same = |alert: &&Alert| matches!(alert.what, AlertKind::DeviceLost(id, _) if id == device);
                (self.alerts.values().find(same), AlertKind::DeviceLost(device, back), back)
            }
            AlertKind::TerminalsLost(now, most) => {
                let counts = |alert: &Alert| match alert.what {
                    AlertKind::TerminalsLost(_, so_far) if alert.table == table => Some(so_far),
                    _ => None,
                };
                let up = self.alerts.values().find(|alert| counts(alert).is_some());
                let most = most.max(now).max(up.and_then(counts).unwrap_or(0));
                (up, AlertKind::TerminalsLost(now, most), now == 0)
            }
            _ => return None,
        };
        match up {
            Some(alert) => {
                Some((alert.what != what).then_some(Event::AlertRepeated { alert: alert.id, what, more: None }))
            }
            None => over.then_some(None),
        }
    }

    /// The player calls an attendant, also from a terminal that is locked. The alert stands at the pit until someone there
    /// acknowledges it, which tells the terminal that they come (S19).
    pub(crate) fn call_attendant(&self, sender: Sender, terminal: TerminalId) -> Events {
        let found = self.find_terminal(terminal)?;
        if sender != Sender::Terminal(terminal) {
            return refuse(Code::NotForSender, "S19", "the player calls an attendant at the terminal");
        }
        if self.attendant_called(terminal).is_some() {
            return refuse(Code::NothingToDo, "S19", "an attendant is called already");
        }
        Ok(vec![self.own_alert(0, Some(found.table), AlertKind::Attendant(terminal))])
    }

    /// When the player called an attendant who has not answered yet.
    #[must_use]
    pub fn attendant_called(&self, terminal: TerminalId) -> Option<Moment> {
        self.alerts.values().find(|alert| alert.what == AlertKind::Attendant(terminal)).map(|alert| alert.at)
    }

    /// What the host refused at its doors is recorded, and changes nothing (S14).
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
        let alone = found.is_some_and(|alert| matches!(alert.what, AlertKind::DecidedAlone(..)));
        if alone && !mutant!("alone-alert-acknowledged") {
            return refuse(Code::SecondPerson, "D28", "this stands until another person has countersigned");
        }
        // D27: the person who opened a sealed code, and people created with it, cannot clear the alert about it.
        if let Some(AlertKind::SealedCode(opener, _)) = found.map(|alert| &alert.what)
            && (*opener == by || self.control.made.contains(&(by, *opener)))
        {
            let words = match *opener == by {
                true => "you opened this code: another person must acknowledge this",
                false => "your account was made with this code today: another person must acknowledge this",
            };
            return refuse(Code::SecondPerson, "D27", words);
        }
        // D27: no one clears an alert about themselves.
        if self.control.concerned.get(&alert).is_some_and(|concerned| concerned.contains(&by)) {
            return refuse(Code::SecondPerson, "D27", "this alert is about you: another person must acknowledge it");
        }
        Ok(vec![Event::AlertAcknowledged { alert, by }])
    }

    /// Whom an alert that is being raised is about: who caused it, and who is named in it.
    pub(crate) fn concerned(&self, what: &AlertKind) -> BTreeSet<StaffId> {
        match what {
            AlertKind::LargeCash(terminal, _) => {
                let at = (*terminal, StaffId(0))..=(*terminal, StaffId(u32::MAX));
                self.control.attended.range(at).map(|(_, by)| *by).collect()
            }
            AlertKind::LargeCashAt(CashPlace::Person(by), _) => BTreeSet::from([*by]),
            AlertKind::LargeCashAt(CashPlace::Table(table), _) => {
                let at = (*table, StaffId(0))..=(*table, StaffId(u32::MAX));
                self.control.traded.range(at).map(|(_, by)| *by).collect()
            }
            // The person at whose printer it waits.
            AlertKind::TicketInDoubt(ticket, _) => self.paper(*ticket).printed_for.into_iter().collect(),
            AlertKind::EnrolmentCode(..) | AlertKind::Difference(..) | AlertKind::Uncollected(..) => {
                self.control.cause.clone()
            }
            AlertKind::Host(words) | AlertKind::Integrity(words) | AlertKind::Access(words, _) => {
                let named = |person: &&Staff| person.active && is_named(words, &person.name);
                self.staff.iter().filter(named).map(|person| person.id).collect()
            }
            _ => BTreeSet::new(),
        }
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

/// Whether a name stands in a text, as whole words.
fn is_named(words: &str, name: &str) -> bool {
    let ends = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    words.match_indices(name).any(|(place, found)| {
        let (before, after) = (words.get(..place), words.get(place + found.len()..));
        ends(before.and_then(|text| text.chars().next_back())) && ends(after.and_then(|text| text.chars().next()))
    })
}

/// The source of alerts. Alerts of the host and of people have no such source.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Source {
    Device(DeviceId),
    Terminal(TerminalId),
    Table(TableId),
}

impl Event {
    /// The alert that it raises.
    pub(crate) fn alerts(&self) -> Option<&AlertKind> {
        match self {
            Event::AlertRaised { what, .. } => Some(what),
            _ => None,
        }
    }
}

impl Source {
    fn of(table: Option<TableId>, what: &AlertKind) -> Option<Source> {
        match *what {
            AlertKind::DeviceFault(device, _)
            | AlertKind::DeviceFaults(device, ..)
            | AlertKind::DeviceNonsense(device)
            | AlertKind::DeviceHolds(device, _)
            | AlertKind::DeviceLost(device, _) => Some(Source::Device(device)),
            AlertKind::TerminalLost(terminal)
            | AlertKind::Meters(terminal)
            | AlertKind::Attendant(terminal)
            | AlertKind::LargeCash(terminal, _) => Some(Source::Terminal(terminal)),
            AlertKind::WrongTickets(TicketPlace::Terminal(terminal))
            | AlertKind::LargeCashAt(CashPlace::Terminal(terminal), _)
            | AlertKind::CopiedKey(KeyHolder::Terminal(terminal), ..) => Some(Source::Terminal(terminal)),
            AlertKind::CopiedKey(KeyHolder::Device(device), ..) => Some(Source::Device(device)),
            AlertKind::DeviceSilent(_)
            | AlertKind::DeviceDisagrees(_)
            | AlertKind::RestedEarly(_)
            | AlertKind::SecondTumble(_)
            | AlertKind::ReportedLate(_)
            | AlertKind::ReportedMeanwhile(_)
            | AlertKind::TerminalsLost(..) => table.map(Source::Table),
            _ => None,
        }
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
    /// A terminal or device is lost.
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
            | AlertKind::ReplacedTicket(..)
            | AlertKind::Difference(..)
            | AlertKind::LargeCash(..)
            | AlertKind::LargeCashAt(..)
            | AlertKind::SealedCode(..) => AlertClass::Money,
            AlertKind::TerminalLost(_) | AlertKind::DeviceLost(..) | AlertKind::TerminalsLost(..) => AlertClass::Link,
            AlertKind::Host(_) | AlertKind::EnrolmentCode(..) | AlertKind::CopiedKey(..) => AlertClass::Host,
            AlertKind::Access(..) => AlertClass::Access,
            _ => AlertClass::Play,
        }
    }

    /// Whether it has a line of its own however many there are, and takes no room from others. There is one for each ticket
    /// in doubt, each sealed code, each call for a second person that was not answered and each terminal that calls an
    /// attendant, and all of these are bounded.
    #[must_use]
    pub fn has_own_line(&self) -> bool {
        matches!(
            self,
            AlertKind::TicketInDoubt(..)
                | AlertKind::SealedCode(..)
                | AlertKind::DecidedAlone(..)
                | AlertKind::Attendant(_)
        )
    }
}
