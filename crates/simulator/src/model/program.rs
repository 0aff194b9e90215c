//! Another program than the last run's locks play until an administrator accepts it (S10).

use floor::*;
use rulebook::GroundId;

use super::{Model, must};

impl Model {
    /// Takes an event about the program in; false if it is something else, which a locked floor does not do.
    pub(super) fn programs(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::ProgramStarted { release, locked } => {
                let programs = &mut self.programs;
                let known = programs.last.is_none_or(|last| last == *release) || programs.approved.contains(release);
                let locks = !known && !self.demonstration;
                must(*locked == locks, || format!("play is locked: {locked}, and should be: {locks}"))?;
                programs.approved.retain(|approved| approved != release);
                programs.waiting = locks.then_some(*release);
                if !locks {
                    programs.last = Some(*release);
                }
            }
            Event::ProgramApproved { release, .. } => self.programs.approved.push(*release),
            Event::ProgramAccepted { release, .. } => {
                must(self.programs.waiting.take() == Some(*release), || "another program waits".to_owned())?;
                self.programs.last = Some(*release);
            }
            Event::TerminalLost { .. }
            | Event::TerminalBack { .. }
            | Event::StoppageRecorded { .. }
            | Event::RoundInterrupted { .. }
            | Event::AlertRaised { .. }
            | Event::WrongTicketTried { .. }
            | Event::CredentialChanged { .. }
            | Event::HostKeyChanged { .. }
            | Event::SealedCodeOpened { .. }
            | Event::SecondPersonCalled { .. }
            | Event::CallAnswered { .. }
            | Event::DecidedAlone { .. }
            | Event::Countersigned { .. }
            | Event::TerminalLocked { .. }
            | Event::TicketPrinted { .. }
            | Event::DayBegan { .. }
            | Event::AlertAcknowledged { .. }
            | Event::AlertRepeated { .. }
            | Event::ClockJumped { .. }
            | Event::ClockAccepted { .. } => return Ok(false),
            Event::LossFound { .. } => self.programs.missing = true,
            Event::LossAccepted { .. } => {
                must(std::mem::take(&mut self.programs.missing), || "nothing is missing".to_owned())?;
            }
            // So that there are two who can state what was lost.
            Event::StaffAdded { .. } | Event::StaffChanged { .. } | Event::ActingAssigned { .. }
                if self.programs.waiting.is_none() =>
            {
                return Ok(false);
            }
            _ if self.programs.missing => return Err("records are missing".to_owned()),
            // Players get their money while play is locked.
            Event::TicketPrepared { .. }
            | Event::PrintFailed { .. }
            | Event::TicketResolved { .. }
            | Event::AttendantPaid { .. }
            | Event::TicketRedeemed { .. }
            | Event::WrongTicketsLifted { .. }
            | Event::CorrectionPaid { .. }
            | Event::PayablePaid { .. }
            | Event::ExpiredPaid { .. }
            | Event::ShiftOpened { .. }
            | Event::ShiftCounted { .. }
            | Event::ShiftClosed { .. }
            | Event::DrawerMoved { .. }
            | Event::RoundVoided { by: VoidBy::Decision | VoidBy::Ground(GroundId::Interruption), .. }
            | Event::Attested { finding: Finding::NotEstablished, .. } => return Ok(false),
            _ => return must(self.programs.waiting.is_none(), || "play is locked".to_owned()).map(|()| false),
        }
        Ok(true)
    }
}
