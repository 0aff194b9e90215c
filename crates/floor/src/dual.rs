//! Limits on acting alone: what one person moves without a second person, and who may sign as one (D15, D27).

use rulebook::{Act, Cents, Rank};

use crate::alone::ALONE;
use crate::command::*;
use crate::decide::{Events, amount_fits, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Alone, Floor, Staff, Table};

/// Money that one person wants to move.
#[derive(Copy, Clone)]
pub(crate) struct Moving {
    /// How much.
    pub amount: Cents,
    /// Of which visit.
    pub visit: Option<VisitId>,
    /// The threshold of the place where it happens.
    pub threshold: Option<Cents>,
}

impl Moving {
    /// So much of no visit, where only the floor's threshold applies.
    pub(crate) const fn of(amount: Cents) -> Moving {
        Moving { amount, visit: None, threshold: None }
    }

    /// The same at a place with a threshold of its own.
    pub(crate) const fn at(self, threshold: Cents) -> Moving {
        Moving { threshold: Some(threshold), ..self }
    }
}

impl Floor {
    /// The floor's thresholds (D27).
    #[must_use]
    pub fn thresholds(&self) -> Thresholds {
        self.control.thresholds
    }

    /// What a person has moved in this gaming day, alone and with a second person (D27).
    #[must_use]
    pub fn moved_by(&self, person: StaffId) -> Alone {
        self.control.alone.get(&person).copied().unwrap_or_default()
    }

    /// Of how many visits and people it is remembered what was moved alone (D27).
    #[must_use]
    pub fn moved_in_visits(&self) -> usize {
        self.control.visits.len()
    }

    /// Everyone who has moved money in this gaming day.
    pub fn moved(&self) -> impl Iterator<Item = (StaffId, Alone)> + '_ {
        self.control.alone.iter().map(|(person, alone)| (*person, *alone))
    }

    /// Whether a person may still move this alone; the lowest threshold that applies counts.
    pub(crate) fn alone(&self, by: StaffId, moving: Moving) -> Result<(), Refusal> {
        let floors = self.control.thresholds.alone;
        let threshold = match moving.threshold {
            Some(threshold) if mutant!("own-threshold-alone-counts") => threshold,
            Some(threshold) => threshold.min(floors),
            None => floors,
        };
        if moving.amount > threshold {
            let words = format!("an amount above {threshold} needs a second person of the rank needed");
            return refuse(Code::SecondPerson, "D15", words);
        }
        let visit = moving.visit.and_then(|visit| self.control.visits.get(&(visit, by))).copied();
        let before = self.moved_by(by).since.max(visit.unwrap_or_default());
        let before = if mutant!("totals-forgotten") { Cents::ZERO } else { before };
        if before.get().saturating_add(moving.amount.get()) > threshold.get() {
            let moved = if self.counts_blind(by) { String::new() } else { format!("{before} ") };
            let words = format!(
                "you have moved {moved}without a second person; with {} it is more than {threshold}: a second person \
                 signs for all of it",
                moving.amount
            );
            return refuse(Code::SecondPerson, "D27", words);
        }
        Ok(())
    }

    /// The second person of a payment: needed past the threshold, and of the rank needed wherever one signs.
    pub(crate) fn signature(
        &self,
        by: StaffId,
        witness: Option<StaffId>,
        moving: Moving,
        act: Act,
        table: &Table,
    ) -> Result<Option<StaffId>, Refusal> {
        match witness {
            Some(_) => self.second_person(by, witness, act, table).map(Some),
            None => self.alone(by, moving).map(|()| None),
        }
    }

    /// The same at the cage, where a cashier or a Pit Supervisor signs.
    pub(crate) fn cage_signature(
        &self,
        by: StaffId,
        witness: Option<StaffId>,
        moving: Moving,
    ) -> Result<Option<StaffId>, Refusal> {
        match witness {
            Some(_) => self.cage_second(by, witness).map(Some),
            None => self.alone(by, moving).map(|()| None),
        }
    }

    /// A second person at the cage: another cashier, or a Pit Supervisor or above.
    pub(crate) fn cage_second(&self, first: StaffId, witness: Option<StaffId>) -> Result<StaffId, Refusal> {
        let least = if mutant!("dealer-signs-at-the-cage") { Rank::Dealer } else { Rank::PitSupervisor };
        let signs = |staff: &Staff| staff.serves_as(Post::Cashier) || staff.rank() >= Some(least);
        self.second(first, witness, signs, "a second person, a cashier or a Pit Supervisor, must sign")
    }

    /// The same for accounts and posts, where a sealed code that was opened stands for the second person, once. It is for
    /// nothing else (D27).
    pub(crate) fn account_second(
        &self,
        first: Option<StaffId>,
        witness: Option<StaffId>,
        signs: impl Fn(&Staff) -> bool,
        words: &str,
    ) -> Result<Option<StaffId>, Refusal> {
        if witness.is_none() && first.is_some_and(|first| self.sealed_code_serves(first)) {
            return Ok(None);
        }
        self.office_second(first, witness, signs, words)
    }

    /// Two people change accounts, posts and thresholds; until there are any, the host does.
    pub(crate) fn office_second(
        &self,
        first: Option<StaffId>,
        witness: Option<StaffId>,
        signs: impl Fn(&Staff) -> bool,
        words: &str,
    ) -> Result<Option<StaffId>, Refusal> {
        let Some(first) = first else { return Ok(None) };
        self.second(first, witness, |staff| signs(staff) || staff.serves_as(Post::Administrator), words).map(Some)
    }

    /// Whether a second person signs for all that the first has moved alone so far: only who could have signed for a
    /// movement above the threshold. For the pit that is the rank that hand pays need, at every table; for a person who serves
    /// at the cage only, another cashier too (D15, D27). Any other signature is for its own act.
    pub(crate) fn signs_for_total(&self, first: StaffId, second: StaffId) -> bool {
        let (Some(first), Some(second)) = (self.person(first), self.person(second)) else { return false };
        let pays = |staff: &Staff| {
            let of_rank = staff.rank() >= Some(Rank::PitSupervisor);
            of_rank && self.tables.iter().all(|table| self.rank_suffices(staff, Act::HandPay, table).is_ok())
        };
        let cage_only = first.serves_as(Post::Cashier) && first.rank().is_none();
        pays(second) || cage_only && second.serves_as(Post::Cashier)
    }

    pub(crate) fn second(
        &self,
        first: StaffId,
        witness: Option<StaffId>,
        signs: impl Fn(&Staff) -> bool,
        words: &str,
    ) -> Result<StaffId, Refusal> {
        // D28: no second person came, and the record names the first one twice.
        if witness == Some(ALONE) {
            return Ok(first);
        }
        let no = |words: &str| refusal(Code::SecondPerson, "D15", words);
        let second = witness.ok_or_else(|| no(words))?;
        if second == first {
            return Err(no(&format!("the second person is you: {words}")));
        }
        let staff = self.person(second).filter(|staff| staff.active);
        let staff = staff.ok_or_else(|| no("the second person is not employed here now"))?;
        if !signs(staff) {
            return Err(no(&format!("this person may not sign for it: {words}")));
        }
        self.independent(first, staff.id)?;
        Ok(second)
    }

    /// Two people sign only if neither made the other's account, post or password in this gaming day or the last 24 hours,
    /// and no third person made both alone: otherwise one person could have supplied both signatures (D27).
    pub(crate) fn independent(&self, first: StaffId, second: StaffId) -> Result<(), Refusal> {
        let made = &self.control.made;
        let related = made.contains(&(first, second)) || made.contains(&(second, first));
        if related && !mutant!("made-today-signs") {
            let words = "one of you created the other's account, assigned the post or reset the password in this gaming \
                         day or the last 24 hours: another second person must sign";
            return refuse(Code::SecondPerson, "D27", words);
        }
        // A person who made both accounts alone could sign for both. What two people made, neither of them has in hand: a floor
        // whose accounts, posts or passwords two administrators have just made can work.
        let alone = &self.control.made_alone;
        let mut makers = alone.range((first, StaffId(0))..=(first, StaffId(u32::MAX))).map(|(_, maker)| *maker);
        if makers.any(|maker| alone.contains(&(second, maker))) {
            let words = "one person alone made both your accounts, posts or passwords in this gaming day: another second \
                         person must sign";
            return refuse(Code::SecondPerson, "D27", words);
        }
        Ok(())
    }

    /// The floor's thresholds are set by two people, the first time too (D27).
    pub(crate) fn set_thresholds(
        &self,
        sender: Sender,
        thresholds: &Thresholds,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let by = self.administrator(sender)?;
        let words = "two administrators set thresholds";
        let witness = self.office_second(by, witness, |_| false, words)?;
        reason_fits(reason)?;
        let Thresholds { alone, redemption, difference, large_cash } = *thresholds;
        [alone, redemption, difference, large_cash].into_iter().try_for_each(amount_fits)?;
        if *thresholds == self.control.thresholds {
            return refuse(Code::NothingToDo, "D27", "these are the thresholds already");
        }
        Ok(vec![Event::ThresholdsSet { thresholds: Box::new(*thresholds), by, witness, reason: reason.into() }])
    }

    /// A table's threshold is changed by two people who may change it (D27).
    pub(crate) fn threshold_signed(
        &self,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        before: Cents,
        after: Cents,
        table: &Table,
    ) -> Result<Option<StaffId>, Refusal> {
        if before == after && witness.is_none() {
            return Ok(None);
        }
        let may = |staff: &Staff| self.authorise(Sender::Staff(staff.id), Act::ChangeLimits, table).is_ok();
        self.office_second(by, witness, may, "a threshold is changed by two people who may change it (D27)")
    }
}
