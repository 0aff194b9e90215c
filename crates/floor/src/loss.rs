//! Records that were lost: a cursor of this floor names a record that the journal does not have (S10, S23).
//!
//! A host signs the cursors that it gives to clients. One that comes back and names a record beyond the end of the journal
//! proves that records were shown and are gone, as after a restore from an old backup. Play stops until two people have
//! stated what was lost.

use rulebook::{Hash, Rank};

use crate::alone::ALONE;
use crate::command::{AlertKind, Body, Post, Release, Sender};
use crate::decide::{Events, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{Floor, Staff};

/// The rule behind the lock: after an interruption the host returns to the exact state before it.
const RULE: &str = "S10";

impl Floor {
    /// Whether a command may be given while records are missing. Staff can be changed, so that there are two people who
    /// can sign the statement.
    pub(crate) fn complete(&self, body: &Body) -> Result<(), Refusal> {
        let allowed = matches!(
            body,
            Body::StartProgram(_)
                | Body::ApproveProgram { .. }
                | Body::AcceptProgram { .. }
                | Body::AddStaff { .. }
                | Body::ChangeStaff { .. }
                | Body::AssignActing { .. }
                | Body::TerminalLost { .. }
                | Body::TerminalBack { .. }
                | Body::ReportStoppage { .. }
                | Body::RaiseAlert { .. }
                | Body::Note { .. }
                | Body::AcknowledgeAlert { .. }
                | Body::ReportLoss { .. }
                | Body::AcceptLoss { .. }
                | Body::ReportClock { .. }
                | Body::AcceptClock { .. }
        );
        // Nothing is paid: the missing record may be that of this very payment.
        if self.integrity.missing.is_some() && !allowed && !Floor::is_always_allowed(body) {
            let words = "records of the journal are missing: two people must state what was lost";
            return refuse(Code::Locked, RULE, words);
        }
        Ok(())
    }

    pub(crate) fn report_loss(&self, sender: Sender, epoch: u32, record: u64, words: &str) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, RULE, "the host reports missing records");
        }
        reason_fits(words)?;
        if !self.is_tagged() {
            return self.lock_for_loss(words);
        }
        if self.integrity.missing.is_some() {
            return refuse(Code::NothingToDo, RULE, "play is locked already");
        }
        if epoch < self.integrity.epoch {
            return refuse(Code::NothingToDo, RULE, "this loss has been accepted");
        }
        let mut events = vec![Event::LossFound { epoch, record, words: words.to_owned() }];
        events.extend(self.alert(0, None, AlertKind::Integrity(words.to_owned())));
        Ok(events)
    }

    /// Feature level 1 has no record of a loss. Play locks by what it does have, as for another program, until two
    /// people accept it; a note and an alert say why.
    fn lock_for_loss(&self, words: &str) -> Events {
        if self.programs.locked.is_some() {
            return refuse(Code::NothingToDo, RULE, "play is locked already");
        }
        let unknown = Release { program: Hash([0; 32]), rulebooks: Hash([0; 32]) };
        let release = self.programs.last.unwrap_or(unknown);
        let mut events =
            vec![Event::ProgramStarted { release, locked: true }, Event::Noted { words: words.to_owned() }];
        events.extend(self.alert(0, None, AlertKind::Host(words.to_owned())));
        Ok(events)
    }

    /// An administrator and a Shift Manager or above sign together, in either order (D15).
    pub(crate) fn accept_loss(&self, sender: Sender, statement: &str, witness: Option<StaffId>) -> Events {
        let by = self.staff_sender(sender)?;
        let manages = |staff: &Staff| staff.rank().is_some_and(|rank| rank >= Rank::ShiftManager);
        let administers = |staff: &Staff| staff.serves_as(Post::Administrator);
        if !manages(by) && !administers(by) {
            return refuse(Code::Rank, "D11", "an administrator or a Shift Manager states what was lost");
        }
        let named = witness.and_then(|id| self.staff.get(id.index()));
        let fits = |second: &&Staff| administers(by) && manages(second) || manages(by) && administers(second);
        let second = named.filter(|staff| staff.active && staff.id != by.id).filter(fits);
        // D28: after an unanswered call the Shift Manager signs alone, and the record names no other person.
        let alone = Some(by).filter(|by| witness == Some(ALONE) && manages(by));
        let Some(second) = second.or(alone) else {
            return refuse(Code::SecondPerson, "D15", "an administrator and a Shift Manager must sign together");
        };
        reason_fits(statement)?;
        if self.integrity.missing.is_none() {
            return refuse(Code::NothingToDo, RULE, "no records are missing");
        }
        Ok(vec![Event::LossAccepted { statement: statement.to_owned(), by: by.id, witness: second.id }])
    }
}
