//! The program that runs: another than the last run's locks play until two people accept it (S9, S10, D27).

use rulebook::Rank;

use crate::bounds;
use crate::command::{Body, Finding, Release, Ruling, Sender};
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::Floor;

impl Floor {
    /// Whether an act only returns money to a player, or is needed for that: it is no play (S10, D25).
    fn returns_money(&self, body: &Body) -> bool {
        let drawer = matches!(
            body,
            Body::OpenShift { .. }
                | Body::MoveDrawer { .. }
                | Body::CountShift { .. }
                | Body::CloseShift { .. }
                | Body::HandOverShift { .. }
                | Body::ServeDrawer { .. }
        );
        let returns = matches!(
            body,
            Body::PrepareTicket { .. }
                | Body::TicketPrinted { .. }
                | Body::PrintFailed { .. }
                | Body::ResolveTicket { .. }
                | Body::AttendantPay { .. }
                | Body::RedeemTicket { .. }
                | Body::LiftWrongTickets { .. }
                | Body::PayCorrection { .. }
                | Body::PayByHand { .. }
                | Body::PayExpired { .. }
        );
        // Stakes in a round that cannot go on come back with its void.
        let stakes = match body {
            Body::Decide { table, round, ruling: Ruling::VoidRound, .. } => {
                let playing = self.table(*table).and_then(|table| table.round.as_ref()).map(|round| round.id);
                playing.is_some() && *round == playing
            }
            // Nothing was established: the attestation voids the round.
            Body::Attest { finding, .. } => *finding == Finding::NotEstablished,
            _ => false,
        };
        drawer || returns || stakes
    }

    /// Acts that are possible in every state of the floor: calls for second persons and for attendants and answers to
    /// them, locking terminals, printers' reports, alerts.
    pub(crate) fn is_always_allowed(body: &Body) -> bool {
        matches!(
            body,
            Body::CallSecondPerson { .. }
                | Body::AnswerCall { .. }
                | Body::CallAttendant { .. }
                | Body::Countersign { .. }
                | Body::LockTerminal { .. }
                | Body::TicketPrinted { .. }
                | Body::Elapse
        )
    }

    /// Whether play is locked: the program is another one, or records are missing.
    pub(crate) fn is_locked(&self) -> bool {
        self.programs.locked.is_some() || self.integrity.missing.is_some()
    }

    /// With a changed program nothing is played; what keeps the floor safe continues, and players get their money.
    #[inline]
    pub(crate) fn play_unlocked(&self, body: &Body) -> Result<(), Refusal> {
        if self.is_locked() { self.allowed_while_locked(body) } else { Ok(()) }
    }

    fn allowed_while_locked(&self, body: &Body) -> Result<(), Refusal> {
        self.complete(body)?;
        let allowed = matches!(
            body,
            Body::StartProgram(_)
                | Body::ApproveProgram { .. }
                | Body::AcceptProgram { .. }
                | Body::TerminalLost { .. }
                | Body::TerminalBack { .. }
                | Body::ReportStoppage { .. }
                | Body::RaiseAlert { .. }
                | Body::Note { .. }
                | Body::ChangeCredential { .. }
                | Body::ChangeHostKey { .. }
                | Body::AcknowledgeAlert { .. }
                | Body::WrongTicket { .. }
                | Body::OpenSealedCode { .. }
                | Body::ReportLoss { .. }
                | Body::AcceptLoss { .. }
                | Body::ReportClock { .. }
                | Body::AcceptClock { .. }
        );
        // At feature level 1 the lock may stand for lost records, and then a payment could be a second one.
        let returns = self.is_tagged() && self.returns_money(body);
        if self.programs.locked.is_some() && !(allowed || returns || Floor::is_always_allowed(body)) {
            let words = "the program is not the one that ran last: two people must accept it";
            return refuse(Code::Locked, "S10", words);
        }
        Ok(())
    }

    pub(crate) fn start_program(&self, sender: Sender, release: Release, at: Moment) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "S10", "the host says which program runs");
        }
        let known = self.programs.last.is_none_or(|last| last == release);
        let approved = self.programs.approved.contains(&release);
        // A demonstration accepts by itself; the acceptance is in the log like any other.
        let demonstration = self.is_demonstration();
        let mut events = vec![Event::ProgramStarted { release, locked: !(known || approved || demonstration) }];
        events.extend(self.long_stop_alert(at));
        // The host was away until now: no one who was called could have answered (D28).
        events.extend(self.calls_again(at, at));
        Ok(events)
    }

    /// A program decides what is paid: two people let it run, an administrator and another one or a Pit Manager or above. A
    /// sealed code stands for the second, so that a floor is not locked for ever. A demonstration needs one (D27).
    fn program_signed(&self, by: StaffId, witness: Option<StaffId>) -> Result<Option<StaffId>, Refusal> {
        if witness.is_none() && self.is_demonstration() {
            return Ok(None);
        }
        let words =
            "two people let another program run, of whom the second is another administrator or a Pit Manager or above";
        let second = self.account_second(Some(by), witness, |staff| staff.rank() >= Some(Rank::PitManager), words)?;
        // Records of feature level 1 have no place for the second person.
        Ok(second.filter(|_| self.is_tagged()))
    }

    /// Whether this is a demonstration, where no money is at stake.
    pub(crate) fn is_demonstration(&self) -> bool {
        self.settings.as_ref().is_some_and(|settings| settings.demonstration)
    }

    pub(crate) fn approve_program(&self, sender: Sender, release: Release, witness: Option<StaffId>) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, "S10", "an administrator approves programs");
        };
        if self.programs.approved.contains(&release) {
            return refuse(Code::NothingToDo, "S10", "this program is approved already");
        }
        if self.programs.approved.len() >= bounds::APPROVED {
            return refuse(Code::TooMany, "bounds", format!("at most {} programs are approved", bounds::APPROVED));
        }
        let witness = self.program_signed(by, witness)?;
        Ok(vec![Event::ProgramApproved { release, by, witness }])
    }

    pub(crate) fn accept_program(&self, sender: Sender, witness: Option<StaffId>) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, "S10", "an administrator accepts the program");
        };
        let Some(release) = self.programs.locked else {
            return refuse(Code::NothingToDo, "S10", "play is not locked");
        };
        let witness = self.program_signed(by, witness)?;
        Ok(vec![Event::ProgramAccepted { release, by, witness }])
    }
}
