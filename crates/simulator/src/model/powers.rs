//! Who may do what, by the decision's own table (D11, D15).

use floor::*;
use rulebook::{Act, GroundId, Rank};

use super::{Check, Model, must};
use crate::game::Game;

/// The lowest rank for an act.
fn lowest(game: Game, act: Act) -> Rank {
    match act {
        Act::OpenRound
        | Act::CloseBets
        | Act::EnterResult
        | Act::DeclareGround
        | Act::AttestInterruption
        | Act::CorrectBeforeSettlement
        | Act::RejectExcess
        | Act::AdviseMinimum
        | Act::RefuseLateBets
        | Act::PlaceForPlayer => Rank::Dealer,
        Act::CorrectAfterSettlement if game == Game::Electronic => Rank::ShiftManager,
        Act::CorrectAfterSettlement
        | Act::WitnessAttestation
        | Act::RecordDeviceFault
        | Act::LockTerminal
        | Act::HandPay
        | Act::AcknowledgeAlert => Rank::PitSupervisor,
        Act::VoidAffectedRounds | Act::ChangeLimits | Act::OpenTable => Rank::PitManager,
        Act::Decide => Rank::ShiftManager,
    }
}

impl Model {
    /// The rank an act needs in a game now.
    pub fn needed(&self, game: Game, act: Act) -> Rank {
        let lowest = lowest(game, act);
        self.raised.get(&act).map_or(lowest, |raised| lowest.max(*raised))
    }

    pub fn rank(&self, id: StaffId) -> Option<Rank> {
        let person = self.staff.get(id.index()).filter(|person| person.active)?;
        let rank = |post| if let Post::Pit(rank) = post { Some(rank) } else { None };
        rank(person.post).max(person.acting.and_then(rank))
    }

    /// Everybody who may do this.
    pub fn qualified(&self, game: Game, act: Act) -> Vec<StaffId> {
        let needed = self.needed(game, act);
        let people = (0..).map(StaffId).take(self.staff.len());
        people.filter(|id| self.rank(*id).is_some_and(|rank| rank >= needed)).collect()
    }

    pub fn serves_as(&self, id: StaffId, post: Post) -> bool {
        let person = self.staff.get(id.index()).filter(|person| person.active);
        person.is_some_and(|person| person.post == post || person.acting == Some(post))
    }

    /// Whoever serves in a post outside the pit.
    pub fn serving(&self, post: Post) -> Vec<StaffId> {
        (0..).map(StaffId).take(self.staff.len()).filter(|id| self.serves_as(*id, post)).collect()
    }

    pub(super) fn may(&self, table: TableId, act: Act, by: StaffId) -> Check {
        let needed = self.needed(self.table(table)?.game, act);
        must(self.rank(by).is_some_and(|rank| rank >= needed), || format!("person {by} may not {act}"))
    }

    /// Two people of the rank needed.
    fn both(&self, table: TableId, act: Act, by: StaffId, witness: Option<StaffId>) -> Check {
        self.may(table, act, by)?;
        let witness = witness.ok_or_else(|| format!("{act} needs a second person (D15)"))?;
        must(witness != by, || "the second person is the first".to_owned())?;
        self.may(table, act, witness)
    }

    /// A payment above the threshold needs two.
    fn pays(&self, table: TableId, act: Act, by: StaffId, witness: Option<StaffId>, amount: i64) -> Check {
        self.may(table, act, by)?;
        if amount <= self.table(table)?.settings.hand_pay.get() {
            return Ok(());
        }
        let witness = witness.filter(|witness| *witness != by).ok_or("a payment above the threshold needs two")?;
        self.may(table, Act::HandPay, witness)
    }

    /// Whoever an event names may do what it says.
    pub(super) fn authority(&self, event: &Event) -> Check {
        match event {
            Event::PowerRaised { by, .. }
            | Event::ProgramApproved { by, .. }
            | Event::ProgramAccepted { by, .. }
            | Event::ClockAccepted { by, .. } => {
                must(self.serves_as(*by, Post::Administrator), || "no administrator".to_owned())
            }
            Event::LossAccepted { by, witness, .. } => {
                must(by != witness, || "the second person is the first".to_owned())?;
                let manages = |id| self.rank(id).is_some_and(|rank| rank >= Rank::ShiftManager);
                let administers = |id| self.serves_as(id, Post::Administrator);
                let fits = manages(*by) && administers(*witness) || administers(*by) && manages(*witness);
                must(fits, || "not an administrator and a Shift Manager".to_owned())
            }
            Event::TableOpened { table, by }
            | Event::ClosingAnnounced { table, by, .. }
            | Event::TableClosed { table, by } => self.may(*table, Act::OpenTable, *by),
            Event::DealerChanged { table, dealer } => self.may(*table, Act::OpenRound, *dealer),
            Event::SettingsChanged { table, by: Some(by), .. } => {
                if self.serves_as(*by, Post::Administrator) {
                    Ok(())
                } else {
                    self.may(*table, Act::ChangeLimits, *by)
                }
            }
            Event::TerminalUnlocked { terminal, by }
            | Event::TerminalLocked { terminal, reason: LockReason::Person(by, _) } => {
                self.may(self.terminal(*terminal)?.table, Act::LockTerminal, *by)
            }
            Event::AttendantIn { terminal, by, .. } => self.may(self.terminal(*terminal)?.table, Act::HandPay, *by),
            Event::AttendantPaid { terminal, amount, by, witness } => {
                self.pays(self.terminal(*terminal)?.table, Act::HandPay, *by, *witness, amount.get())
            }
            Event::ShiftOpened { cashier, .. } => {
                must(self.serves_as(*cashier, Post::Cashier), || "no cashier".to_owned())
            }
            Event::RoundBegun { table, by: Some(by), .. } | Event::BetsOpened { table, by, .. } => {
                self.may(*table, Act::OpenRound, *by)
            }
            Event::BetsClosed { table, by: Some(by), .. } => self.may(*table, Act::CloseBets, *by),
            Event::ResultEntered { table, by, .. } => self.may(*table, Act::EnterResult, *by),
            Event::ResultChanged { table, by, .. } => self.may(*table, Act::CorrectBeforeSettlement, *by),
            Event::GroundDismissed { table, by, ground, .. } => {
                let proposed = matches!(ground, GroundId::DieNotFlat | GroundId::NoCompartment | GroundId::FlungOut);
                self.may(*table, if proposed { Act::DeclareGround } else { Act::RecordDeviceFault }, *by)
            }
            Event::RoundVoided { table, by: VoidBy::Decision, staff, .. } => self.may(*table, Act::Decide, *staff),
            Event::RoundVoided { table, by: VoidBy::Ground(GroundId::Interruption), staff, .. } => {
                self.may(*table, Act::AttestInterruption, *staff)
            }
            // With a witness it is one of the rounds that damage affected, or a declaration that takes two (D23).
            Event::RoundVoided { table, staff, witness: Some(witness), .. } => {
                must(staff != witness, || "the second person is the first".to_owned())?;
                self.both(*table, Act::VoidAffectedRounds, *staff, Some(*witness)).or_else(|_| {
                    self.may(*table, Act::DeclareGround, *staff)?;
                    self.may(*table, Act::WitnessAttestation, *witness)
                })
            }
            Event::RoundVoided { table, by: VoidBy::Ground(ground), staff, witness: None, .. } => {
                self.may(*table, Act::DeclareGround, *staff)?;
                self.alone_may_declare(*table, *ground)
            }
            Event::RoundCorrected { table, by, witness, .. } => {
                self.both(*table, Act::CorrectAfterSettlement, *by, Some(*witness))
            }
            Event::SettledRoundVoided { table, by, staff, witness, .. } => {
                let decides = if *by == VoidBy::Decision { Act::Decide } else { Act::VoidAffectedRounds };
                self.may(*table, decides, *staff)?;
                self.both(*table, Act::VoidAffectedRounds, *staff, *witness)
            }
            Event::ChipsCorrected { table, by, witness, outcome, .. } => {
                let act = if outcome.is_some() { Act::CorrectAfterSettlement } else { Act::VoidAffectedRounds };
                self.both(*table, act, *by, *witness)
            }
            Event::Attested { table, by, witness, .. } => {
                self.may(*table, Act::AttestInterruption, *by)?;
                must(by != witness, || "the witness is the dealer".to_owned())?;
                self.may(*table, Act::WitnessAttestation, *witness)
            }
            Event::Decided { table, ruling, by, witness, .. } => match &**ruling {
                Ruling::Pay { amount, .. } | Ruling::PayChips { amount, .. } => {
                    self.pays(*table, Act::Decide, *by, *witness, amount.get())
                }
                _ => self.may(*table, Act::Decide, *by),
            },
            Event::DisplayRecorded { table, by, .. } => self.may(*table, Act::EnterResult, *by),
            Event::ExcessRejected { table, by, .. } => self.may(*table, Act::RejectExcess, *by),
            Event::MinimumAdvised { table, by, .. } | Event::UnderMinimumRefused { table, by, .. } => {
                self.may(*table, Act::AdviseMinimum, *by)
            }
            Event::LateRefused { table, by, .. } => self.may(*table, Act::RefuseLateBets, *by),
            Event::ChipsPlaced { table, by: Some(by), for_player, .. } => {
                self.may(*table, if *for_player { Act::PlaceForPlayer } else { Act::OpenRound }, *by)
            }
            _ => Ok(()),
        }
    }
}
