//! Recording the chips of a live table after the close (D20): what stood on the layout may be recorded until the dice can be
//! seen, a wrong record is removed until then with a second person, and afterwards put right as a correction (5.9).

use std::collections::BTreeMap;

use rulebook::{Act, Cents, OutcomeIndex, Rulebook, SpotIndex};

use crate::bounds;
use crate::chips::Layout;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::{ChipShare, Event};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::{ArchivedRound, Floor, Phase, Round, Table};

/// No recording period is longer than ten minutes: by then the dice have been seen.
const LONGEST: i64 = 10 * 60 * 1000;

impl Table {
    /// Milliseconds after the close in which what stood on the layout may be recorded.
    #[must_use]
    pub fn recording_period(&self) -> i64 {
        self.recording_period.unwrap_or(bounds::RECORDING)
    }

    /// The period of the next round: one that is changed during a round holds from the next one on.
    #[must_use]
    pub fn next_recording_period(&self) -> i64 {
        self.next_recording_period.unwrap_or(self.recording_period())
    }

    /// Until when chips may be recorded after the close, as far as that is known; `None` when the dice can be seen.
    #[must_use]
    pub fn recording_until(&self) -> Option<Moment> {
        let round = self.round.as_ref().filter(|round| round.phase == Phase::Closed && !round.dice_show())?;
        round.closed_at.map(|closed| closed.after(self.recording_period()))
    }

    /// Whether the period after the close has passed at a live table. It is that of the whole round, so that what has
    /// passed stays so.
    pub(crate) fn recording_over(&self, round: &Round, at: Moment) -> bool {
        let live = self.mode != TableMode::Terminals;
        live && round.closed_at.is_some_and(|closed| at.since(closed) > self.recording_period())
    }

    /// Whether what stood at the close may still be recorded. The order of tumble and call makes no difference.
    // § rws-taisai 5.7, 5.9
    pub(crate) fn recording(&self, rulebook: &Rulebook, round: &Round, at: Moment) -> Result<(), Refusal> {
        let paragraphs = &rulebook.irregularities().after_close[..];
        if round.phase != Phase::Closed || round.dice_show() && !mutant!("records-what-is-seen") {
            let words = "no more bets: the dice can be seen, and no chips are recorded any more (D20)";
            return refuse(Code::BetsClosed, paragraphs, words);
        }
        if self.recording_over(round, at) && !mutant!("records-after-the-period") {
            let seconds = self.recording_period() / 1000;
            let words = format!("no more bets: chips are recorded for {seconds} seconds after the close (D20)");
            return refuse(Code::BetsClosed, paragraphs, words);
        }
        Ok(())
    }
}

impl Floor {
    /// The dealer says that the dice are uncovered, where no device does.
    // § rws-taisai 3.8
    pub(crate) fn declare_uncovered(&self, sender: Sender, table: TableId) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.authorise(sender, Act::EnterResult, layout.table)?;
        let round = layout.table.round_in_play(layout.rulebook)?;
        if round.phase != Phase::Closed {
            let paragraph = &layout.rulebook.procedure().closing.paragraph;
            return refuse(Code::Phase, paragraph, "bets must be closed before the dice are uncovered");
        }
        if round.dice_show() {
            return refuse(Code::NothingToDo, "D20", "the dice can be seen already");
        }
        Ok(vec![Event::UncoveringDeclared { round: round.id, table, by }])
    }

    /// A wrong record is removed by the dealer with a Pit Supervisor as second person, until the dice can be seen.
    // § rws-taisai 5.9
    pub(crate) fn remove_chips(
        &self,
        sender: Sender,
        table: TableId,
        (position, spot, amount): (Position, SpotIndex, Cents),
        reason: &str,
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.authorise(sender, Act::RejectExcess, layout.table)?;
        let witness = self.second_person(by, witness, Act::WitnessAttestation, layout.table)?;
        reason_fits(reason)?;
        let round = layout.table.round_in_play(layout.rulebook)?;
        if round.phase < Phase::Closed {
            return refuse(
                Code::Phase,
                layout.after_close(),
                "bets are open: record that the player took the chips back",
            );
        }
        if let Err(over) = layout.table.recording(layout.rulebook, round, at)
            && !mutant!("removes-what-is-seen")
        {
            let words = format!("{}; a wrong record is corrected after settlement", over.words);
            return refuse(Code::BetsClosed, layout.after_close(), words);
        }
        layout.fits(spot, position, amount)?;
        if round.chips_of(position, spot) < amount.get() {
            return refuse(Code::MoreThanStands, "D20", "more than is recorded on that spot");
        }
        let (round, reason) = (round.id, reason.into());
        Ok(vec![Event::ChipsRemoved { round, table, position, spot, amount, by, witness, reason }])
    }

    /// How long chips are recorded is said for the next round: in one that has begun nothing is changed (S12).
    pub(crate) fn set_recording_period(
        &self,
        sender: Sender,
        table: TableId,
        period: i64,
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        let layout = self.chip_layout(table)?;
        let by = match self.administrator(sender) {
            Ok(by) => by,
            Err(_) => Some(self.authorise(sender, Act::ChangeLimits, layout.table)?),
        };
        reason_fits(reason)?;
        if !(0..=LONGEST).contains(&period) {
            return refuse(Code::Settings, "D20", "chips are recorded for at most ten minutes after the close");
        }
        if layout.table.next_recording_period() == period {
            return refuse(Code::NothingToDo, "D20", "the period is set to that");
        }
        // Chips recorded after the dice lie open could be chips that never stood there: more time for that takes two people.
        let longer = period > layout.table.next_recording_period();
        let witness = match by {
            Some(by) if longer => Some(self.second_person(by, witness, Act::ChangeLimits, layout.table)?),
            _ => None,
        };
        Ok(vec![Event::RecordingPeriodSet { table, period, by, reason: reason.to_owned(), witness }])
    }

    /// The position of the chips at the close prevails over a wrong record: what one player had on one spot is put right, the
    /// boxes are worked out again, and the difference is paid in chips or claimed.
    // § rws-taisai 5.8, 5.9
    pub(crate) fn correct_record(
        &self,
        sender: Sender,
        round: RoundId,
        (position, spot, amount): (Position, SpotIndex, Cents),
        reason: &str,
        witness: Option<StaffId>,
    ) -> Events {
        self.staff_sender(sender)?;
        let (table, archived, rulebook) = self.settled_round(round)?;
        let by = self.authorise(sender, Act::CorrectAfterSettlement, table)?;
        let witness = self.second_person(by, witness, Act::CorrectAfterSettlement, table)?;
        reason_fits(reason)?;
        if table.mode != TableMode::BetsRecorded {
            return refuse(Code::NotFound, "the table's mode", "chips are not recorded at this table");
        }
        let Some(outcome) = archived.outcome else {
            return refuse(Code::RoundOver, "D20", "the round is void: every bet went back");
        };
        let layout = Layout::of_past(table, rulebook, archived)?;
        layout.fits(spot, position, if amount == Cents::ZERO { layout.step() } else { amount })?;
        let was = archived.shares.iter().find(|share| share.position == position && share.spot == spot);
        if was.map_or(Cents::ZERO, |share| share.bet) == amount {
            return refuse(Code::NothingToDo, "D20", "this is what was recorded");
        }
        let shares = archived.shares_with(&layout, (position, spot, amount), outcome)?;
        let (paid, claims) = archived.record_differs(&shares);
        let events = vec![Event::RecordCorrected {
            round,
            table: table.id,
            shares: shares.into(),
            paid: paid.into(),
            claims: claims.into(),
            by,
            witness: Some(witness),
            reason: reason.into(),
        }];
        table.tray_covers(&events).map(|()| events)
    }
}

type Amounts = Vec<(Position, Cents)>;

impl ArchivedRound {
    /// The shares with one bet corrected. Its box and the paired box are computed again by the limits by which the
    /// round was settled; every other share stays. A round of an earlier version does not know its limits: there only
    /// the corrected share changes, so that limits changed since then move no money.
    // § rws-taisai 3.4, 5.1.1, 5.9
    fn shares_with(
        &self,
        layout: &Layout,
        (position, spot, amount): (Position, SpotIndex, Cents),
        outcome: OutcomeIndex,
    ) -> Result<Vec<ChipShare>, Refusal> {
        let pair = layout.paired(spot);
        let mut kept: BTreeMap<(SpotIndex, Position), ChipShare> =
            self.shares.iter().map(|share| ((share.spot, share.position), *share)).collect();
        let concerned = kept.values().filter(|share| share.spot == spot || Some(share.spot) == pair);
        let mut bets: BTreeMap<(SpotIndex, Position), Cents> =
            concerned.map(|share| ((share.spot, share.position), share.bet)).collect();
        bets.insert((spot, position), amount);
        bets.retain(|_, bet| bet.is_positive());
        kept.remove(&(spot, position));
        let bets: Vec<_> = bets.into_iter().map(|((spot, position), amount)| (position, spot, amount)).collect();
        for share in layout.shares_of(&bets, outcome)? {
            if self.limits.is_some() || (share.spot, share.position) == (spot, position) {
                kept.insert((share.spot, share.position), share);
            }
        }
        Ok(kept.into_values().collect())
    }

    /// What each player is paid, or what is claimed of each, by other shares. Chips that were not recorded never left the
    /// player's side of the books, so that winnings and losses are compared and not what went back.
    fn record_differs(&self, shares: &[ChipShare]) -> (Amounts, Amounts) {
        // A claim stands even where no record of its player is left.
        let mut nets: BTreeMap<Position, (i64, i64)> =
            self.claims.iter().map(|(position, _)| (*position, (0, 0))).collect();
        let net = |share: &ChipShare| share.returned.get().saturating_sub(share.bet.get());
        for share in &self.shares {
            let total = nets.entry(share.position).or_default();
            total.0 = total.0.saturating_add(net(share));
        }
        for share in shares {
            let total = nets.entry(share.position).or_default();
            total.1 = total.1.saturating_add(net(share));
        }
        let (mut paid, mut claims) = (Vec::new(), Vec::new());
        for (position, (was, now)) in nets {
            let claimed = self.claims.iter().find(|(of, _)| *of == position).map_or(0, |(_, claim)| claim.get());
            let difference = now.saturating_sub(was).saturating_sub(claimed);
            if difference > 0 {
                paid.push((position, Cents::new(difference)));
            } else if difference < 0 {
                claims.push((position, Cents::new(difference.saturating_neg())));
            }
        }
        (paid, claims)
    }
}
