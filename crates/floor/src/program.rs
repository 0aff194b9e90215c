//! The program that runs: another than the last run's locks play until an administrator accepts it (S9, S10).

use crate::bounds;
use crate::command::{Body, Release, Sender};
use crate::decide::Events;
use crate::event::Event;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::Floor;

impl Floor {
    /// With another program than the last run's nothing is played; what keeps the floor safe goes on.
    pub(crate) fn play_unlocked(&self, body: &Body) -> Result<(), Refusal> {
        self.complete(body)?;
        let allowed = matches!(
            body,
            Body::StartProgram(_)
                | Body::ApproveProgram(_)
                | Body::AcceptProgram
                | Body::TerminalLost { .. }
                | Body::TerminalBack { .. }
                | Body::ReportStoppage { .. }
                | Body::RaiseAlert { .. }
                | Body::Note { .. }
                | Body::ChangeCredential { .. }
                | Body::AcknowledgeAlert { .. }
                | Body::ReportLoss { .. }
                | Body::AcceptLoss { .. }
                | Body::ReportClock { .. }
                | Body::AcceptClock
        );
        if self.programs.locked.is_some() && !allowed {
            let words = "the program is not the one that ran last: an administrator must accept it";
            return refuse(Code::Locked, "S10", words);
        }
        Ok(())
    }

    pub(crate) fn start_program(&self, sender: Sender, release: Release) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S10", "the host says which program runs");
        }
        let known = self.programs.last.is_none_or(|last| last == release);
        let approved = self.programs.approved.contains(&release);
        // A demonstration accepts by itself; that it did stands in the log like any other start.
        let demonstration = self.settings.as_ref().is_some_and(|settings| settings.demonstration);
        Ok(vec![Event::ProgramStarted { release, locked: !(known || approved || demonstration) }])
    }

    pub(crate) fn approve_program(&self, sender: Sender, release: Release) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, "S10", "an administrator approves programs");
        };
        if self.programs.approved.contains(&release) {
            return refuse(Code::NothingToDo, "S10", "this program is approved already");
        }
        if self.programs.approved.len() >= bounds::APPROVED {
            return refuse(Code::TooMany, "bounds", format!("at most {} programs are approved", bounds::APPROVED));
        }
        Ok(vec![Event::ProgramApproved { release, by }])
    }

    pub(crate) fn accept_program(&self, sender: Sender) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, "S10", "an administrator accepts the program");
        };
        match self.programs.locked {
            Some(release) => Ok(vec![Event::ProgramAccepted { release, by }]),
            None => refuse(Code::NothingToDo, "S10", "play is not locked"),
        }
    }
}
