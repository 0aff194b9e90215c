//! Live Tai Sai: chips in betting boxes, the differential, and pro rata (3.3–3.5, 5.1–5.3, 5.13; D8).

use std::collections::BTreeMap;

use rulebook::prorata::{self, BoxLimits, Share};
use rulebook::{Act, Cents, Citation, OutcomeIndex, PayTable, Rulebook, SpotIndex};

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, amount_fits};
use crate::event::{ChipShare, Event, VoidBy};
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{ArchivedRound, Floor, Phase, Round, Table};

/// A live table whose chips are recorded, with what a bet is checked against.
pub(crate) struct Layout<'a> {
    pub(crate) table: &'a Table,
    pub(crate) rulebook: &'a Rulebook,
    /// The limits a past round was settled by; otherwise those of the table hold.
    pinned: Option<&'a BoxSettings>,
    pays: &'a PayTable,
    paragraph: &'a Citation,
}

impl Round {
    /// What the chips win that were recorded after the close, by who recorded them; `None`: a chip reader (D20).
    pub(crate) fn late_wins(&self, shares: &[ChipShare]) -> BTreeMap<Option<StaffId>, Cents> {
        let mut wins = BTreeMap::new();
        for chip in self.chips.iter().filter(|chip| chip.late) {
            let same = |share: &&ChipShare| (share.position, share.spot) == (chip.position, chip.spot);
            let Some(share) = shares.iter().find(same) else { continue };
            // Of what the player wins there, the part of these chips.
            let winnings = i128::from(share.returned.get()) - i128::from(share.bet.get());
            let part = winnings.saturating_mul(chip.amount.get().into()).checked_div(share.bet.get().into());
            let part = i64::try_from(part.unwrap_or(0).max(0)).unwrap_or(i64::MAX);
            if part > 0 {
                let sum: &mut Cents = wins.entry(chip.recorded_by).or_default();
                *sum = Cents::new(sum.get().saturating_add(part));
            }
        }
        wins
    }
}

impl Floor {
    // § rws-taisai 2.1.1
    pub(crate) fn chip_layout(&self, table: TableId) -> Result<Layout<'_>, Refusal> {
        let (table, rulebook) = self.find_table(table)?;
        if table.mode != TableMode::BetsRecorded {
            return refuse(Code::NotFound, "the table's mode", "chips are not recorded at this table");
        }
        Layout::of(table, rulebook)
    }

    /// The dealer, another Pit Employee or a chip reader of the table records what stands on the layout.
    // § rws-taisai 5.13
    fn recorder(&self, sender: Sender, table: &Table, act: Act) -> Result<Option<StaffId>, Refusal> {
        if let Sender::Device(id) = sender {
            let here = self.device(id).is_some_and(|device| {
                device.kind == DeviceKind::ChipReader && device.place == DevicePlace::Table(table.id)
            });
            return if here {
                Ok(None)
            } else {
                refuse(Code::NotForSender, "D11", "this device does not read chips here")
            };
        }
        self.authorise_any(sender, act, table).map(Some)
    }

    // § rws-taisai 3.2, 3.4, 3.6, 5.7, 5.9, 5.13
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn place_chips(
        &self,
        sender: Sender,
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: Cents,
        (for_player, employee): (bool, Option<StaffId>),
        at: Moment,
    ) -> Events {
        let layout = self.chip_layout(table)?;
        let act = if for_player { Act::PlaceForPlayer } else { Act::OpenRound };
        let recorder = self.recorder(sender, layout.table, act)?;
        let by = if for_player { Some(self.placed_by(recorder, employee, layout.table)?) } else { recorder };
        let round = layout.table.round_in_play(layout.rulebook)?;
        let standing = match round.phase {
            Phase::Open => {
                layout.open(at)?;
                false
            }
            // What stood at the close may be recorded until the dice can be seen: recording is not placing.
            Phase::Closed => {
                if round.second.is_some() {
                    self.not_halted(layout.rulebook, round)?;
                }
                layout.table.recording(layout.rulebook, round, at)?;
                !mutant!("late-chips-not-marked")
            }
            Phase::Begun => {
                return refuse(Code::Phase, &layout.rulebook.procedure().opening.paragraph, "bets are not open");
            }
            _ => return refuse(Code::BetsClosed, layout.after_close(), "no more bets: bets are closed"),
        };
        layout.fits(spot, position, amount)?;
        if round.chips.len() >= bounds::CHIPS {
            return refuse(Code::TooMany, "bounds", "too many chips recorded in one round");
        }
        Ok(vec![Event::ChipsPlaced { table, position, spot, amount, by, for_player, standing }])
    }

    /// A bet placed for a player names the Pit Employee who placed it: the one who records it, or where a chip reader
    /// reports it, another (5.13, D20).
    // § rws-taisai 5.13
    fn placed_by(
        &self,
        recorder: Option<StaffId>,
        employee: Option<StaffId>,
        table: &Table,
    ) -> Result<StaffId, Refusal> {
        let named = match (employee, recorder) {
            (Some(employee), Some(recorder)) if employee != recorder => {
                let words = "a Pit Employee who places a bet for a player records it in their own name";
                return refuse(Code::NotForSender, "5.13", words);
            }
            (_, Some(recorder)) => return Ok(recorder),
            (Some(employee), None) => employee,
            (None, None) => {
                let words = "name the Pit Employee who placed the bet for the player";
                return refuse(Code::NotFound, "5.13", words);
            }
        };
        self.authorise_any(Sender::Staff(named), Act::PlaceForPlayer, table)
    }

    /// A player takes chips back before the close. The bet of one who has left is settled as it stands: only a Pit
    /// Supervisor, as second person, lets it be taken back.
    // § rws-taisai 5.3, 5.7
    pub(crate) fn take_chips(
        &self,
        sender: Sender,
        table: TableId,
        (position, spot, amount): (Position, SpotIndex, Cents),
        witness: Option<StaffId>,
        at: Moment,
    ) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.recorder(sender, layout.table, Act::OpenRound)?;
        let left = layout.table.round.as_ref().is_some_and(|round| round.left.contains(&position));
        let witness = match (by, witness) {
            (_, None) if !left => None,
            (Some(by), _) => {
                let walked_away = layout.rulebook.irregularities().walked_away.as_ref();
                let words = "the player has left, and the bet is settled as it stands: a Pit Supervisor must be the second \
                             person";
                let second = self.second_person(by, witness, Act::WitnessAttestation, layout.table);
                Some(second.or_else(|_| refuse(Code::SecondPerson, walked_away, words))?)
            }
            (None, _) => {
                return refuse(Code::NotForSender, "5.3", "the player has left: a Pit Employee takes chips back there");
            }
        };
        let round = layout.open(at)?;
        layout.fits(spot, position, amount)?;
        if round.chips_of(position, spot) < amount.get() {
            return refuse(Code::MoreThanStands, layout.paragraph, "more than stands on that spot");
        }
        // A record of feature level 1 has no room for the name.
        let by = by.filter(|_| self.is_tagged());
        Ok(vec![Event::ChipsTaken { table, position, spot, amount, by, witness }])
    }

    /// Excess is rejected before the close, the latest chips first (5.1).
    // § rws-taisai 5.1
    pub(crate) fn reject_excess(&self, sender: Sender, table: TableId, spot: SpotIndex, at: Moment) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.authorise(sender, Act::RejectExcess, layout.table)?;
        let round = layout.open(at)?;
        let mut excess = layout.excess(round, spot);
        if excess <= 0 {
            return refuse(
                Code::NothingToDo,
                layout.rulebook.limits().excess.as_ref(),
                "nothing exceeds the limits there",
            );
        }
        let mut rejected = Vec::new();
        let mut latest: Vec<_> = round.chips.iter().rev().filter(|chip| chip.spot == spot).collect();
        if mutant!("first-chips-rejected-first") {
            latest.reverse();
        }
        for chip in latest {
            let cut = chip.amount.get().min(excess);
            rejected.push((chip.position, Cents::new(cut)));
            excess -= cut;
            if excess == 0 {
                break;
            }
        }
        Ok(vec![Event::ExcessRejected { table, spot, rejected, by }])
    }

    fn under_minimum(
        &self,
        layout: &Layout,
        position: Position,
        spot: SpotIndex,
        at: Moment,
    ) -> Result<Cents, Refusal> {
        let round = layout.open(at)?;
        let stands = round.chips_of(position, spot);
        if stands == 0 || stands >= layout.limit(spot).minimum.get() {
            let words = "no bet there is under the minimum";
            return refuse(Code::NothingToDo, layout.rulebook.limits().under_minimum.as_ref(), words);
        }
        Ok(Cents::new(stands))
    }

    /// A bet under the minimum is pointed out, so that it can be raised or withdrawn (5.2).
    // § rws-taisai 5.2
    pub(crate) fn advise_minimum(
        &self,
        sender: Sender,
        table: TableId,
        position: Position,
        spot: SpotIndex,
        at: Moment,
    ) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.authorise(sender, Act::AdviseMinimum, layout.table)?;
        self.under_minimum(&layout, position, spot, at)?;
        Ok(vec![Event::MinimumAdvised { table, position, spot, by }])
    }

    // § rws-taisai 5.2
    pub(crate) fn refuse_under_minimum(
        &self,
        sender: Sender,
        table: TableId,
        position: Position,
        spot: SpotIndex,
        at: Moment,
    ) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.authorise(sender, Act::AdviseMinimum, layout.table)?;
        let amount = self.under_minimum(&layout, position, spot, at)?;
        // § rws-taisai 5.2
        let advised = layout.table.round.as_ref().is_some_and(|round| round.advised.contains(&(position, spot)));
        if !advised {
            let words = "point the minimum out to the player first";
            return refuse(Code::NotAdvised, layout.rulebook.limits().under_minimum.as_ref(), words);
        }
        Ok(vec![Event::UnderMinimumRefused { table, position, spot, amount, by }])
    }

    /// The dealer refuses what comes after the close; that it was refused is on record (5.7).
    // § rws-taisai 5.7
    pub(crate) fn refuse_late(&self, sender: Sender, table: TableId, position: Position) -> Events {
        let layout = self.chip_layout(table)?;
        let by = self.authorise(sender, Act::RefuseLateBets, layout.table)?;
        position_fits(position)?;
        let round = layout.table.round_in_play(layout.rulebook)?;
        if round.phase < Phase::Closed {
            return refuse(Code::Phase, layout.after_close(), "bets are not closed");
        }
        Ok(vec![Event::LateRefused { table, position, by }])
    }

    /// A player who walks away is settled as if present (5.3).
    // § rws-taisai 5.3
    pub(crate) fn player_left(&self, sender: Sender, table: TableId, position: Position) -> Events {
        let layout = self.chip_layout(table)?;
        self.authorise_any(sender, Act::OpenRound, layout.table)?;
        let round = layout.table.round_in_play(layout.rulebook)?;
        let stands = round.chips.iter().any(|chip| chip.position == position);
        if !stands || round.left.contains(&position) {
            let walked_away = layout.rulebook.irregularities().walked_away.as_ref();
            return refuse(Code::NothingToDo, walked_away, "no player with bets stands there");
        }
        Ok(vec![Event::PlayerLeft { table, position }])
    }

    // § rws-taisai 3.9, 5.3, 5.9
    pub(crate) fn settle_chips(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        round: &Round,
        outcome: OutcomeIndex,
    ) -> Events {
        let shares = Layout::of(table, rulebook)?.shares(round, outcome)?;
        // A record of feature level 1 has no room for the limits. A round without chips has them too: a bet may be added later.
        let recorded = table.mode == TableMode::BetsRecorded;
        let limits = (self.is_tagged() && recorded).then(|| Box::new(table.settings.boxes()));
        let late = self.late_win_alert(table, round, &shares);
        let settled = Event::ChipsSettled { round: round.id, table: table.id, outcome, shares, limits };
        Ok([settled].into_iter().chain(late).collect())
    }

    /// Chips that were recorded after the close are shown to the pit when, with this round, what they win in a gaming day for
    /// the person who recorded them is more than the table's hand-pay threshold: no second person signs for them (D20, D27).
    fn late_win_alert(&self, table: &Table, round: &Round, shares: &[ChipShare]) -> Option<Event> {
        let of_day = |by: Option<StaffId>, won: Cents| {
            let before = by.and_then(|by| self.control.late.get(&by)).copied().unwrap_or_default();
            Cents::new(before.get().saturating_add(won.get()))
        };
        let (by, won) = round.late_wins(shares).into_iter().max_by_key(|(by, won)| of_day(*by, *won))?;
        let sum = of_day(by, won);
        if sum <= table.settings.hand_pay || !self.is_tagged() {
            return None;
        }
        let by = by.map_or_else(String::new, |by| format!(" by {}", self.named(by)));
        let today = if sum == won { String::new() } else { format!(", {sum} in this gaming day") };
        let words = format!("Round {}: chips recorded after the close{by} win {won}{today}", round.id);
        self.alert(0, Some(table.id), AlertKind::Host(words))
    }

    /// Whether what a person recorded after the close wins with this outcome, together with such chips earlier in the gaming
    /// day, more than one person moves alone: then that person does not enter the outcome alone (D20, D27).
    pub(crate) fn late_chips_win(
        &self,
        table: &Table,
        rulebook: &Rulebook,
        round: &Round,
        outcome: OutcomeIndex,
        by: StaffId,
    ) -> bool {
        let own = |chip: &crate::state::Chip| chip.late && chip.recorded_by == Some(by);
        if !self.is_tagged() || !round.chips.iter().any(own) {
            return false;
        }
        let shares = Layout::of(table, rulebook).and_then(|layout| layout.shares(round, outcome)).unwrap_or_default();
        let won = round.late_wins(&shares).get(&Some(by)).copied().unwrap_or_default();
        let before = self.control.late.get(&by).copied().unwrap_or_default();
        let threshold = table.settings.hand_pay.min(self.control.thresholds.alone);
        won.is_positive() && before.get().saturating_add(won.get()) > threshold.get()
    }

    /// What the chips on a live table would return on an outcome.
    pub(crate) fn chips_would_return(&self, table: &Table, round: &Round, outcome: OutcomeIndex) -> Option<Cents> {
        let shares = Layout::of(table, self.rulebook_of(table)?).ok()?.shares(round, outcome).ok()?;
        Cents::checked_sum(shares.iter().map(|share| share.returned))
    }

    /// What a correction adds is paid in chips, what it takes stands as the pit's claim. A void has no outcome and gives
    /// every bet back.
    // § rws-taisai 5.8, 5.10, 5.12
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn correct_chips(
        &self,
        table: &Table,
        archived: &ArchivedRound,
        rulebook: &Rulebook,
        outcome: Result<OutcomeIndex, VoidBy>,
        by: StaffId,
        witness: Option<StaffId>,
        reason: &str,
    ) -> Events {
        let (outcome, voided) = (outcome.ok(), outcome.err());
        let pays = rulebook.layouts().first().map(|layout| layout.table());
        // A claim stands even where no record of its player is left.
        let mut totals: BTreeMap<Position, (i64, i64)> =
            archived.claims.iter().map(|(position, _)| (*position, (0, 0))).collect();
        let mut returns = Vec::with_capacity(archived.shares.len());
        for share in &archived.shares {
            let now = match outcome {
                None => Some(share.bet),
                Some(outcome) => {
                    pays.and_then(|pays| share_returns(pays, share.spot, share.bet, share.at_risk, outcome))
                }
            };
            let now = now.ok_or_else(|| refusal(Code::Amount, "bounds", "the amounts are too large"))?;
            returns.push(now);
            let total = totals.entry(share.position).or_default();
            total.0 = total.0.saturating_add(share.returned.get());
            total.1 = total.1.saturating_add(now.get());
        }
        let (mut paid, mut claims) = (Vec::new(), Vec::new());
        for (position, (was, now)) in totals {
            let claimed = archived.claims.iter().find(|(of, _)| *of == position).map_or(0, |(_, claim)| claim.get());
            let claimed = if mutant!("claim-paid-out") { 0 } else { claimed };
            let difference = now - was - claimed;
            if difference > 0 {
                paid.push((position, Cents::new(difference)));
            } else if difference < 0 {
                claims.push((position, Cents::new(-difference)));
            }
        }
        let (round, table) = (archived.id, table.id);
        Ok(vec![Event::ChipsCorrected {
            round,
            table,
            outcome,
            paid: paid.into(),
            claims: claims.into(),
            returns: returns.into(),
            voided,
            by,
            witness,
            reason: reason.into(),
        }])
    }

    /// What exceeds a box or the differential at a live table now, spot by spot, for the console.
    #[must_use]
    pub fn excess(&self, table: TableId) -> Vec<(SpotIndex, Cents)> {
        let Ok(layout) = self.chip_layout(table) else { return Vec::new() };
        let Some(round) = &layout.table.round else { return Vec::new() };
        let spots = layout.pays.indices();
        spots
            .map(|spot| (spot, Cents::new(layout.excess(round, spot))))
            .filter(|(_, excess)| excess.is_positive())
            .collect()
    }

    /// Bets under the minimum at a live table now, for the console.
    #[must_use]
    pub fn under_minimum_bets(&self, table: TableId) -> Vec<(Position, SpotIndex, Cents)> {
        let Ok(layout) = self.chip_layout(table) else { return Vec::new() };
        let Some(round) = &layout.table.round else { return Vec::new() };
        let under = |(_, spot, amount): &(Position, SpotIndex, Cents)| *amount < layout.limit(*spot).minimum;
        round.bets_by_player().into_iter().filter(under).collect()
    }
}

pub(crate) fn position_fits(position: Position) -> Result<(), Refusal> {
    if position.0 == 0 || position.0 > bounds::POSITIONS {
        return refuse(Code::NotFound, "bounds", format!("positions run from 1 to {}", bounds::POSITIONS));
    }
    Ok(())
}

impl Round {
    pub(crate) fn chips_of(&self, position: Position, spot: SpotIndex) -> i64 {
        let of = |chip: &&crate::Chip| chip.position == position && chip.spot == spot;
        self.chips.iter().filter(of).map(|chip| chip.amount.get()).sum()
    }

    fn in_box(&self, spot: SpotIndex) -> i64 {
        self.chips.iter().filter(|chip| chip.spot == spot).map(|chip| chip.amount.get()).sum()
    }

    /// Bets of one player in one box are one bet.
    fn bets_by_player(&self) -> Vec<(Position, SpotIndex, Cents)> {
        let mut bets: BTreeMap<(SpotIndex, Position), i64> = BTreeMap::new();
        for chip in &self.chips {
            let bet = bets.entry((chip.spot, chip.position)).or_default();
            *bet = bet.saturating_add(chip.amount.get());
        }
        bets.into_iter().map(|((spot, position), amount)| (position, spot, Cents::new(amount))).collect()
    }
}

impl<'a> Layout<'a> {
    pub(crate) fn of(table: &'a Table, rulebook: &'a Rulebook) -> Result<Layout<'a>, Refusal> {
        match rulebook.layouts().first() {
            Some(layout) => {
                let (pays, paragraph) = (layout.table(), layout.offer_paragraph());
                Ok(Layout { table, rulebook, pinned: None, pays, paragraph })
            }
            None => refuse(Code::NotOffered, "the rulebook", "the game has no layout"),
        }
    }

    /// The layout as it was when a past round was settled (D20).
    pub(crate) fn of_past(
        table: &'a Table,
        rulebook: &'a Rulebook,
        archived: &'a ArchivedRound,
    ) -> Result<Layout<'a>, Refusal> {
        Ok(Layout { pinned: archived.limits.as_deref(), ..Layout::of(table, rulebook)? })
    }

    pub(crate) fn step(&self) -> Cents {
        self.pinned.map_or(self.table.settings.step, |pinned| pinned.step)
    }

    fn differential(&self) -> Option<Cents> {
        self.pinned.map_or(self.table.settings.differential, |pinned| pinned.differential)
    }

    pub(crate) fn after_close(&self) -> &[Citation] {
        &self.rulebook.irregularities().after_close
    }

    /// The round, if bets are open.
    // § rws-taisai 3.6, 5.7
    fn open(&self, at: Moment) -> Result<&Round, Refusal> {
        let round = self.table.round_in_play(self.rulebook)?;
        let over = round.closes_at.is_some_and(|closes_at| at >= closes_at);
        match round.phase {
            Phase::Open if !over && !round.is_halted() => Ok(round),
            Phase::Open if round.is_halted() => refuse(Code::GroundOpen, "D5", "the round is halted"),
            Phase::Begun => refuse(Code::Phase, &self.rulebook.procedure().opening.paragraph, "bets are not open"),
            _ => refuse(Code::BetsClosed, self.after_close(), "no more bets: bets are closed"),
        }
    }

    fn limit(&self, spot: SpotIndex) -> Limit {
        let settings = &self.table.settings;
        match (self.pays.spot(spot), self.pinned) {
            (Some(priced), Some(pinned)) => pinned.limit_of(priced.spot.family()),
            (Some(priced), None) => settings.limit_of(priced.spot.family()),
            (None, pinned) => pinned.map_or(settings.limit, |pinned| pinned.limit),
        }
    }

    // § rws-taisai 2.1.1, Appendix A, Appendix B
    pub(crate) fn fits(&self, spot: SpotIndex, position: Position, amount: Cents) -> Result<(), Refusal> {
        if self.pays.spot(spot).is_none() {
            return refuse(Code::NotOffered, self.paragraph, "this layout does not offer that spot");
        }
        position_fits(position)?;
        amount_fits(amount)?;
        if !amount.is_multiple_of(self.step()) {
            return refuse(Code::OffStep, "D9", format!("chips are multiples of {}", self.step()));
        }
        Ok(())
    }

    /// The box on the other side of a differential.
    // § rws-taisai 1.3
    pub(crate) fn paired(&self, spot: SpotIndex) -> Option<SpotIndex> {
        let spot = self.pays.spot(spot)?.spot;
        let pairs = &self.rulebook.limits().differential;
        pairs.iter().find_map(|[a, b]| {
            let other = if *a == spot {
                b
            } else if *b == spot {
                a
            } else {
                return None;
            };
            self.pays.index(*other)
        })
    }

    /// What stands in a box beyond its maximum or the differential.
    // § rws-taisai 1.3, 3.4, 3.5, 5.1
    fn excess(&self, round: &Round, spot: SpotIndex) -> i64 {
        let total = round.in_box(spot);
        let over_box = self.limit(spot).maximum.map_or(0, |maximum| total.saturating_sub(maximum.get()));
        let over_pair = match (self.paired(spot), self.differential()) {
            (Some(other), Some(differential)) => {
                total.saturating_sub(round.in_box(other)).saturating_sub(differential.get())
            }
            _ => 0,
        };
        over_box.max(over_pair).max(0)
    }

    fn box_limits(&self, spot: SpotIndex) -> BoxLimits {
        let limit = self.limit(spot);
        BoxLimits { minimum: limit.minimum, maximum: limit.maximum, step: self.step() }
    }

    /// Every player's share of every box, pro rata where excess was not rejected (5.1.1, 5.1.2, 5.2.1; D8).
    // § rws-taisai 3.4, 5.1.1, 5.1.2, 5.2.1, 5.9
    fn shares(&self, round: &Round, outcome: OutcomeIndex) -> Result<Vec<ChipShare>, Refusal> {
        self.shares_of(&round.bets_by_player(), outcome)
    }

    /// The same for bets that are named.
    // § rws-taisai 3.4, 5.1.1, 5.1.2, 5.2.1, 5.9
    pub(crate) fn shares_of(
        &self,
        bets: &[(Position, SpotIndex, Cents)],
        outcome: OutcomeIndex,
    ) -> Result<Vec<ChipShare>, Refusal> {
        let in_box = |spot: SpotIndex| -> Vec<(Position, Cents)> {
            bets.iter().filter(|(_, of, _)| *of == spot).map(|(position, _, amount)| (*position, *amount)).collect()
        };
        let failed = |error: prorata::ProrataError| refusal(Code::Amount, "D8", error.to_string());
        let mut shares = Vec::with_capacity(bets.len());
        for spot in self.pays.indices() {
            let own = in_box(spot);
            if own.is_empty() {
                continue;
            }
            let worked_out: Vec<Share<Position>> = match (self.paired(spot), self.differential()) {
                (Some(other), Some(differential)) if !mutant!("differential-not-prorated") => {
                    let limits = [self.box_limits(spot), self.box_limits(other)];
                    prorata::pair(&own, &in_box(other), differential, limits).map_err(failed)?.bets
                }
                _ => prorata::one_box(&own, self.box_limits(spot)).map_err(failed)?,
            };
            for Share { player: position, bet, at_risk } in worked_out {
                let returned = share_returns(self.pays, spot, bet, at_risk, outcome);
                let returned = returned.ok_or_else(|| refusal(Code::Amount, "bounds", "the amounts are too large"))?;
                shares.push(ChipShare { position, spot, bet, at_risk, returned });
            }
        }
        Ok(shares)
    }
}

/// What is at risk wins or loses; the rest goes back whatever the dice show.
fn share_returns(pays: &PayTable, spot: SpotIndex, bet: Cents, at_risk: Cents, outcome: OutcomeIndex) -> Option<Cents> {
    let won = pays.returned(spot, outcome, at_risk)?;
    if won == Cents::ZERO && mutant!("excess-lost-with-the-bet") {
        return Some(won);
    }
    won.checked_add(bet.checked_sub(at_risk)?)
}
