//! The host itself: deadlines, links, stoppages.

use floor::*;

use super::{Deed, Scene, reason, some_release};
use crate::chance::Chance;

impl Scene<'_> {
    pub(super) fn host(&self, chance: &mut Chance) -> Option<Deed> {
        let lost: Vec<TerminalId> = self.links(false);
        let body = match chance.below(20) {
            0..12 if !lost.is_empty() => Body::TerminalBack { terminal: chance.pick(&lost)? },
            0 => Body::TerminalLost { terminal: chance.pick(&self.links(true))? },
            12 => self.stoppage(chance),
            13 => Body::RaiseAlert { table: self.some_table(chance), what: AlertKind::Host(reason()) },
            14 => Body::CheckMeters,
            15 if chance.one_in(2) => Body::Elapse,
            15 | 19 => self.past_rounds(chance)?,
            16 => self.start(chance),
            17 if !chance.one_in(8) => {
                let person = StaffId(u32::try_from(chance.below(self.model.staff.len())).ok()?);
                match chance.below(3) {
                    0 => {
                        let what = CredentialChange::PasswordChanged;
                        Body::ChangeCredential { staff: person, what, by: Some(person), second: None }
                    }
                    // The same place is tried again and again.
                    _ => Body::WrongTicket { at: TicketPlace::Staff(StaffId(9)), mistyped: chance.one_in(2) },
                }
            }
            18 if chance.one_in(2) => {
                Body::RaiseAlert { table: None, what: AlertKind::Access(reason(), 1 + chance.below(9) as u32) }
            }
            18 => Body::ReportClock { ahead: chance.of_these([0, 5_000, 3_600_000]) },
            17 if chance.one_in(4) => {
                let record = self.floor.sequence() + 1 + chance.below(9) as u64;
                Body::ReportLoss { epoch: self.floor.epoch(), record, words: reason() }
            }
            _ => return None,
        };
        Some((Sender::System, body))
    }

    /// Past rounds are looked up in the journal and put back (D24); now and then the wrong one is sent.
    fn past_rounds(&self, chance: &mut Chance) -> Option<Body> {
        let table = self.some_table(chance)?;
        if chance.one_in(6) {
            return Some(Body::PutBack { table });
        }
        let place = chance.below(self.kept.count(table).max(1));
        let mut recall = self.kept.recall(table, place)?;
        if let Body::RecallRound { bytes, .. } = &mut recall
            && chance.one_in(10)
        {
            bytes.push(0);
        }
        Some(recall)
    }

    /// Whether something is due to happen by itself.
    pub(super) fn is_due(&self) -> bool {
        let at = self.at.max(self.floor.now());
        self.floor.next_deadline().is_some_and(|deadline| deadline <= at)
    }

    fn links(&self, up: bool) -> Vec<TerminalId> {
        let ids = (0..).map(TerminalId).zip(&self.model.terminals);
        ids.filter(|(_, terminal)| terminal.live == up).map(|(id, _)| id).collect()
    }

    /// The host has started: mostly with the program that ran before.
    pub fn start(&self, chance: &mut Chance) -> Body {
        let last = self.model.programs.last.filter(|_| !chance.one_in(8));
        Body::StartProgram(last.unwrap_or_else(|| some_release(chance)))
    }

    /// The host says that it was away; its clock may have been wrong.
    pub fn stoppage(&self, chance: &mut Chance) -> Body {
        let away = match chance.below(10) {
            0 => -chance.between(1, 5_000),
            1..5 => chance.between(0, 4_000),
            _ => chance.between(4_000, 120_000),
        };
        Body::ReportStoppage { from: self.at.after(-away), terminals_back: !chance.one_in(4) }
    }
}
