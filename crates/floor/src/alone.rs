//! When no second person is available (D28): after a call that was not answered within 15 minutes the Shift Manager or above
//! acts alone, and an alert stands until another person of at least that rank has countersigned.
//!
//! There is one mechanism for every act that needs two people, in front of all of them: an act that is refused because
//! its second person is missing is decided again without one, and the record shows it. A call names its act and its
//! amount (`purpose.rs`), and is valid for no other act and no larger amount. Only time in which the floor was in service
//! counts as waiting: after a stoppage the host calls again, and the time starts again.

use rulebook::{Cents, Rank};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::{ChipsChange, Event};
use crate::ids::*;
use crate::purpose::Purpose;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Call, Floor};

/// Stands where the second person would, while an act is decided again without one. No member of staff ever has it.
pub(crate) const ALONE: StaffId = StaffId(u32::MAX);

impl Body {
    /// The second person of an act that may need one.
    pub fn witness_mut(&mut self) -> Option<&mut Option<StaffId>> {
        match self {
            Body::InstallRulebook { witness, .. }
            | Body::RaisePower { witness, .. }
            | Body::ApproveProgram { witness, .. }
            | Body::SetRecordingPeriod { witness, .. }
            | Body::AcceptProgram { witness, .. }
            | Body::AddTable { witness, .. }
            | Body::AcceptClock { witness, .. }
            | Body::ServeDrawer { witness, .. }
            | Body::PinRulebook { witness, .. }
            | Body::ChangeSettings { witness, .. }
            | Body::AddDevice { witness, .. }
            | Body::MoveDevice { witness, .. }
            | Body::AddStaff { witness, .. }
            | Body::ChangeStaff { witness, .. }
            | Body::AssignActing { witness, .. }
            | Body::AttendantIn { witness, .. }
            | Body::AttendantPay { witness, .. }
            | Body::ReprintTicket { witness, .. }
            | Body::OpenShift { witness, .. }
            | Body::CloseShift { witness, .. }
            | Body::CountShift { witness, .. }
            | Body::SellTicket { witness, .. }
            | Body::PayByHand { witness, .. }
            | Body::PayExpired { witness, .. }
            | Body::MoveDrawer { witness, .. }
            | Body::PayCorrection { witness, .. }
            | Body::RedeemTicket { witness, .. }
            | Body::EnterResult { witness, .. }
            | Body::ConfirmResult { witness, .. }
            | Body::DeclareGround { witness, .. }
            | Body::DismissGround { witness, .. }
            | Body::VoidRounds { witness, .. }
            | Body::Attest { witness, .. }
            | Body::CorrectResult { witness, .. }
            | Body::Decide { witness, .. }
            | Body::MoveFloat { witness, .. }
            | Body::AcceptLoss { witness, .. }
            | Body::RemoveChips { witness, .. }
            | Body::TakeChips { witness, .. }
            | Body::CorrectRecord { witness, .. }
            | Body::ChangeRounds { witness, .. }
            | Body::ChooseOutcome { witness, .. }
            | Body::ResolveTicket { witness, .. }
            | Body::SetThresholds { witness, .. }
            | Body::HandOverShift { witness, .. }
            | Body::RecordRecovered { witness, .. }
            | Body::SealCodes { witness, .. }
            | Body::ChangeService { witness, .. }
            | Body::DescribeDevice { witness, .. }
            | Body::KeepFirstOutcome { witness, .. } => Some(witness),
            _ => None,
        }
    }
}

impl Floor {
    /// The calls for a second person that wait.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter()
    }

    /// A second person is called to a table, or to the pit, for one act.
    pub(crate) fn call_second_person(
        &self,
        sender: Sender,
        table: Option<TableId>,
        reason: &str,
        purpose: Purpose,
        at: Moment,
    ) -> Events {
        let staff = self.staff_sender(sender)?;
        if staff.rank().is_none() {
            return refuse(Code::Rank, "D28", "only the pit may do this");
        }
        if let Some(table) = table {
            self.find_table(table)?;
        }
        reason_fits(reason)?;
        let purpose = self.purpose_fits(purpose, table)?;
        // Several people call to one place, and one person for several acts; for the same act one call is enough.
        let same = |call: &Call| call.purpose == Some(purpose) && (call.table == table || call.by == staff.id);
        if self.calls.iter().any(|call| !call.is_over(at) && same(call)) {
            return refuse(Code::NothingToDo, "D28", "a second person is called already");
        }
        // One person who calls for everything would have an unanswered call for whatever comes up later.
        let own = self.calls.iter().filter(|call| call.by == staff.id && !call.is_over(at)).count();
        if own >= bounds::CALLS_OF_ONE {
            let words = format!("{own} calls of yours wait: a person has at most {} at a time", bounds::CALLS_OF_ONE);
            return refuse(Code::TooMany, "D28", words);
        }
        if self.calls.iter().filter(|call| !call.is_over(at)).count() >= bounds::CALLS {
            return refuse(Code::TooMany, "bounds", "too many calls for a second person wait");
        }
        purpose.act.is_of_the_pit()?;
        let purpose = Some(Box::new(purpose));
        Ok(vec![Event::SecondPersonCalled { table, by: staff.id, reason: reason.into(), purpose }])
    }

    /// The calls that waited while no one could come, because the floor was not in service: each is made again, so that its
    /// time begins anew (D28). `since`: only those that were made before.
    pub(crate) fn calls_again(&self, since: Moment, at: Moment) -> impl Iterator<Item = Event> + '_ {
        let waited = move |call: &&Call| call.at <= since && !call.is_over(at);
        self.calls.iter().filter(waited).map(|call| Event::SecondPersonCalled {
            table: call.table,
            by: call.by,
            reason: call.reason.clone(),
            purpose: call.purpose.map(Box::new),
        })
    }

    /// The table that an act of two people is about; none for what concerns the cage or the floor.
    pub(crate) fn table_of(&self, body: &Body) -> Option<TableId> {
        match body {
            Body::PinRulebook { table, .. }
            | Body::ChangeSettings { table, .. }
            | Body::EnterResult { table, .. }
            | Body::ConfirmResult { table, .. }
            | Body::DeclareGround { table, .. }
            | Body::DismissGround { table, .. }
            | Body::VoidRounds { table, .. }
            | Body::Attest { table, .. }
            | Body::Decide { table, .. }
            | Body::MoveFloat { table, .. }
            | Body::RemoveChips { table, .. }
            | Body::TakeChips { table, .. }
            | Body::ChangeRounds { table, .. }
            | Body::ChooseOutcome { table, .. }
            | Body::RecordRecovered { table, .. }
            | Body::SetRecordingPeriod { table, .. }
            | Body::KeepFirstOutcome { table, .. } => Some(*table),
            Body::PayByHand { payable, .. } => self.payables.get(payable).map(|payable| payable.table),
            Body::CorrectResult { round, .. } | Body::CorrectRecord { round, .. } => {
                self.settled_round(*round).ok().map(|(table, ..)| table.id)
            }
            Body::ResolveTicket { ticket, .. }
            | Body::ReprintTicket { ticket, .. }
            | Body::PayExpired { ticket, .. } => {
                let terminal = self.tickets.get(ticket)?.terminal?;
                self.find_terminal(terminal).ok().map(|terminal| terminal.table)
            }
            Body::AttendantIn { terminal, .. } | Body::AttendantPay { terminal, .. } => {
                self.find_terminal(*terminal).ok().map(|terminal| terminal.table)
            }
            Body::MoveDevice { device, place, .. } => {
                self.device(*device).and_then(|device| device.table()).or_else(|| place.table())
            }
            Body::AddDevice { place, .. } => place.table(),
            Body::ChangeService { device, .. } | Body::DescribeDevice { device, .. } => {
                self.device(*device).and_then(|device| device.table())
            }
            _ => None,
        }
    }

    /// The calls that are about an act: one to its table, or to the pit. An act about no table needs a call to the pit.
    fn calls_for(&self, body: &Body, at: Moment) -> impl Iterator<Item = &Call> + use<'_> {
        let about = self.table_of(body);
        let fits = move |call: &&Call| call.table.is_none() || call.table == about;
        self.calls.iter().filter(move |call| !call.is_over(at)).filter(fits)
    }

    /// The unanswered calls that would let this person act alone: their own, or that of a person who could not sign for
    /// them. A caller who could sign is the second person, and is there.
    fn unanswered(&self, by: StaffId, body: &Body, at: Moment) -> impl Iterator<Item = &Call> {
        let least = if mutant!("pit-manager-acts-alone") { Rank::PitManager } else { Rank::ShiftManager };
        let may = self.person(by).is_some_and(|person| person.active && person.rank() >= Some(least));
        let waited =
            move |call: &&Call| may && (at.since(call.at) >= bounds::SECOND_PERSON_WITHIN || mutant!("alone-at-once"));
        self.calls_for(body, at)
            .filter(waited)
            .filter(move |call| call.by == by || !self.could_sign(call.by, by, body, at))
    }

    /// Whether the act of one person would be accepted with another as the second.
    fn could_sign(&self, second: StaffId, by: StaffId, body: &Body, at: Moment) -> bool {
        let mut signed = body.clone();
        let Some(witness) = signed.witness_mut() else { return false };
        *witness = Some(second);
        self.decide_act(Sender::Staff(by), &signed, at).is_ok()
    }

    /// Decides an act that was refused for want of a second person, if D28 lets its sender act alone.
    pub(crate) fn decide_alone(&self, sender: Sender, body: &Body, at: Moment, refused: Refusal) -> Events {
        let Sender::Staff(by) = sender else { return Err(refused) };
        let mut alone = body.clone();
        let unsigned = alone.witness_mut().is_some_and(|witness| witness.is_none());
        if refused.code != Code::SecondPerson || self.calls.is_empty() || !unsigned {
            return Err(refused);
        }
        let Some(call) = self.unanswered(by, body, at).find(|call| self.is_called_for(call.purpose, body)) else {
            return Err(self.called_for_something_else(by, body, at).unwrap_or(refused));
        };
        if let Some(witness) = alone.witness_mut() {
            *witness = Some(ALONE);
        }
        let mut events = self.decide_act(sender, &alone, at)?;
        let amount = self.moved_with(&events);
        call.purpose.map_or(Ok(()), |purpose| purpose.covers(amount))?;
        self.below_ceiling(by, amount)?;
        let act = self.joint_act(body).map_or_else(|| body.doing(), |(act, _)| act.words());
        let deed = Some(Box::new(Deed { act: act.into(), amount }));
        events.iter_mut().for_each(|event| event.leave_unsigned(by));
        let earlier = events.iter().filter(|event| matches!(event, Event::AlertRaised { .. })).count() as u64;
        let rank = self.person(by).and_then(|person| person.rank()).unwrap_or(Rank::ShiftManager);
        let what = AlertKind::DecidedAlone(by, rank, self.sequence, deed.clone());
        events.push(Event::DecidedAlone { by, called: call.at, table: call.table, deed });
        events.push(self.own_alert(earlier, call.table, what));
        Ok(events)
    }

    /// What one person has moved alone and no one has countersigned yet has a ceiling: ten times the floor's threshold. Beyond
    /// it another person countersigns first, or signs (D28).
    fn below_ceiling(&self, by: StaffId, amount: Option<Cents>) -> Result<(), Refusal> {
        let Some(amount) = amount else { return Ok(()) };
        let ceiling = self.control.thresholds.alone.get().saturating_mul(bounds::ALONE_TIMES);
        let uncountersigned = self.alerts.values().filter_map(|alert| match &alert.what {
            AlertKind::DecidedAlone(person, _, _, deed) if *person == by => deed.as_ref()?.amount,
            _ => None,
        });
        let waits = uncountersigned.fold(0_i64, |sum, moved| sum.saturating_add(moved.get()));
        let total = waits.saturating_add(amount.get());
        if total <= ceiling {
            return Ok(());
        }
        let words = format!(
            "{} moved alone waits for a countersignature, and {amount} more is above the ceiling of {}: another person \
             countersigns first, or signs this act",
            Cents::new(waits),
            Cents::new(ceiling)
        );
        refuse(Code::SecondPerson, "D28", words)
    }

    /// Why an unanswered call does not serve for this act: it was for another one.
    fn called_for_something_else(&self, by: StaffId, body: &Body, at: Moment) -> Option<Refusal> {
        let call = self.unanswered(by, body, at).next()?;
        let (act, subject) = self.joint_act(body)?;
        let wanted = Purpose { act, subject, amount: None };
        let words = match call.purpose {
            Some(purpose) => format!("a second person was called to {purpose}; this is to {wanted}: call for this act"),
            None => format!("the call of the second person does not say what for: call again, to {wanted}"),
        };
        Some(refusal(Code::SecondPerson, "D28", words))
    }

    /// The money that the events of one act move.
    fn moved_with(&self, events: &[Event]) -> Option<Cents> {
        let moved = |event: &Event| match event {
            Event::CorrectionPart { chips: Some(change), .. } => {
                let ChipsChange { paid, claims, .. } = &**change;
                paid.iter().chain(claims.iter()).fold(0_i64, |sum, (_, amount)| sum.saturating_add(amount.get()))
            }
            Event::RoundCorrected { adjustments, .. }
            | Event::SettledRoundVoided { adjustments, .. }
            | Event::CorrectionPart { adjustments, .. } => adjustments.iter().fold(0_i64, |sum, one| {
                let parts = [one.credited, one.payable, one.unpaid, one.taken, one.uncollected];
                parts.iter().fold(sum, |sum, part| sum.saturating_add(part.get()))
            }),
            Event::ChipsCorrected { paid, claims, .. } | Event::RecordCorrected { paid, claims, .. } => {
                paid.iter().chain(claims.iter()).fold(0_i64, |sum, (_, amount)| sum.saturating_add(amount.get()))
            }
            Event::TicketRedeemed { amount, .. } => amount.get(),
            _ => self.person_moves(event).map_or(0, |moved| moved.amount.get()),
        };
        let sum = events.iter().map(moved).fold(0_i64, i64::saturating_add);
        (sum > 0).then(|| Cents::new(sum))
    }

    /// A second person who signs an act answers the call for it, or another one to that place: they are there.
    pub(crate) fn answered(&self, body: &Body, at: Moment) -> Option<Event> {
        if self.calls.is_empty() {
            return None;
        }
        let signed = body.clone().witness_mut().copied().flatten().filter(|witness| *witness != ALONE)?;
        let for_it = self.calls_for(body, at).find(|call| self.is_called_for(call.purpose, body));
        let call = for_it.or_else(|| self.calls_for(body, at).next())?;
        Some(Event::CallAnswered { table: call.table, by: signed, came: false })
    }

    /// A second person who has come answers the calls of others to that place, whether or not they will sign. This ends
    /// them: the callers need their signature, or call again and wait again (D28).
    pub(crate) fn answer_call(&self, sender: Sender, table: Option<TableId>, at: Moment) -> Events {
        let staff = self.staff_sender(sender)?;
        if staff.rank() < Some(Rank::PitSupervisor) && !staff.serves_as(Post::Administrator) {
            return refuse(Code::Rank, "D28", "only a Pit Supervisor or above, or an administrator, may do this");
        }
        let mut there = self.calls.iter().filter(|call| call.table == table && !call.is_over(at)).peekable();
        if there.peek().is_none() {
            return refuse(Code::NothingToDo, "D28", "no second person is called there");
        }
        if there.all(|call| call.by == staff.id) {
            return refuse(Code::SecondPerson, "D28", "another person answers this call");
        }
        Ok(vec![Event::CallAnswered { table, by: staff.id, came: true }])
    }

    /// Another person of at least that rank countersigns what was decided alone.
    pub(crate) fn countersign(&self, sender: Sender, alert: AlertId) -> Events {
        let staff = self.staff_sender(sender)?;
        let Some((first, rank)) = self.alerts.get(&alert).and_then(|alert| match &alert.what {
            AlertKind::DecidedAlone(by, rank, ..) => Some((*by, *rank)),
            _ => None,
        }) else {
            return refuse(Code::NotFound, "D28", "nothing under this number waits for a countersignature");
        };
        if staff.id == first {
            return refuse(Code::SecondPerson, "D28", "another person must countersign");
        }
        if staff.rank() < Some(rank) {
            return refuse(Code::Rank, "D28", "only a person of at least the same rank may do this");
        }
        // A person who could not have been the second person cannot countersign either (D27).
        self.independent(first, staff.id)?;
        Ok(vec![Event::Countersigned { alert, by: staff.id }])
    }
}

impl std::fmt::Display for Deed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.act)?;
        self.amount.map_or(Ok(()), |amount| write!(f, ": {amount}"))
    }
}

impl Event {
    /// An act of one person alone has no second signature (D28). The record of a few acts must name two people, and
    /// there the person who acted is named twice.
    fn leave_unsigned(&mut self, by: StaffId) {
        match self {
            Event::RulebookInstalled { witness, .. }
            | Event::PowerRaised { witness, .. }
            | Event::ProgramApproved { witness, .. }
            | Event::ProgramAccepted { witness, .. }
            | Event::TableAdded { witness, .. }
            | Event::ClockAccepted { witness, .. }
            | Event::RulebookPinned { witness, .. }
            | Event::SettingsChanged { witness, .. }
            | Event::DeviceAdded { witness, .. }
            | Event::DeviceMoved { witness, .. }
            | Event::DeviceDescribed { witness, .. }
            | Event::StaffAdded { witness, .. }
            | Event::StaffChanged { witness, .. }
            | Event::ActingAssigned { witness, .. }
            | Event::AttendantIn { witness, .. }
            | Event::AttendantPaid { witness, .. }
            | Event::ShiftOpened { witness, .. }
            | Event::ShiftCounted { witness, .. }
            | Event::ShiftClosed { witness, .. }
            | Event::TicketSold { witness, .. }
            | Event::TicketRedeemed { witness, .. }
            | Event::TicketResolved { witness, .. }
            | Event::CorrectionPaid { witness, .. }
            | Event::PayablePaid { witness, .. }
            | Event::ExpiredPaid { witness, .. }
            | Event::DrawerMoved { witness, .. }
            | Event::RoundVoided { witness, .. }
            | Event::SettledRoundVoided { witness, .. }
            | Event::ChipsCorrected { witness, .. }
            | Event::RecordCorrected { witness, .. }
            | Event::Decided { witness, .. }
            | Event::FloatMoved { witness, .. }
            | Event::ThresholdsSet { witness, .. }
            | Event::SecondTumbleSetAside { witness, .. }
            | Event::ChipsTaken { witness, .. }
            | Event::CodesSealed { witness, .. } => *witness = witness.filter(|witness| *witness != by),
            _ => {}
        }
    }
}

impl Call {
    /// A call expires: a person who still needs a second person calls again.
    #[must_use]
    pub fn is_over(&self, at: Moment) -> bool {
        at.since(self.at) > bounds::CALL_STANDS
    }
}
