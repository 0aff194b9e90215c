//! A live table: chips in boxes, the float, and settling pro rata.

use std::collections::BTreeMap;

use floor::*;
use rulebook::{Cents, OutcomeIndex, SpotIndex};

use super::prorata::{BoxLimits, at_risk, cap};
use super::{Check, Chip, Model, Past, PastShare, Table, Who, must};
use crate::sheet::Sheet;

impl Model {
    /// Takes an event of a live table in; false if it is something else.
    pub(super) fn live(&mut self, event: &Event) -> Result<bool, String> {
        match event {
            Event::ChipsPlaced { table, position, spot, amount, standing, by, .. } => {
                self.placed(*table, *position, *spot, amount.get(), (*standing, *by))?;
            }
            Event::ChipsTaken { table, position, spot, amount, .. } => {
                self.taken(*table, *position, *spot, amount.get())?;
            }
            Event::UnderMinimumRefused { table, position, spot, amount, .. } => {
                let whole = self.stands(*table, *position, *spot)?;
                must(whole == amount.get(), || "a bet under the minimum is refused whole".to_owned())?;
                self.under_minimum(*table, *position, *spot)?;
                let round = self.table(*table)?.round.as_ref().ok_or("no round")?;
                must(round.advised.contains(&(*position, *spot)), || "refused without advice (5.2)".to_owned())?;
                self.taken(*table, *position, *spot, amount.get())?;
            }
            Event::MinimumAdvised { table, position, spot, .. } => {
                self.under_minimum(*table, *position, *spot)?;
                let round = self.table_mut(*table)?.round.as_mut().ok_or("no round")?;
                round.advised.push((*position, *spot));
            }
            Event::UncoveringDeclared { table, .. } => {
                let round = self.table_mut(*table)?.round.as_mut().ok_or("no round")?;
                must(round.phase == Phase::Closed && !round.dice_show(), || "nothing to uncover".to_owned())?;
                (round.visible, round.declared) = (true, true);
            }
            Event::ChipsRemoved { table, position, spot, amount, .. } => {
                self.recording(*table)?;
                self.lifted(*table, *position, *spot, amount.get())?;
            }
            Event::RecordCorrected { round, table, shares, paid, claims, .. } => {
                self.record_corrected(*round, *table, shares, paid, claims)?;
            }
            Event::ExcessRejected { table, spot, rejected, .. } => self.rejected(*table, *spot, rejected)?,
            Event::LateRefused { table, .. } => {
                let round = self.table(*table)?.round.as_ref().ok_or("no round")?;
                must(round.phase >= Phase::Closed, || "nothing is late before the close".to_owned())?;
            }
            Event::PlayerLeft { table, position } => {
                let round = self.table_mut(*table)?.round.as_mut().ok_or("no round")?;
                must(round.chips.iter().any(|chip| chip.position == *position), || "nobody left".to_owned())?;
                round.left.push(*position);
            }
            Event::ChipsSettled { round, table, outcome, shares, .. } => {
                self.chips_settled(*round, *table, *outcome, shares)?;
            }
            Event::ChipsCorrected { round, table, outcome, paid, claims, returns, .. } => {
                self.chips_corrected(*round, *table, *outcome, paid, claims, returns)?;
            }
            Event::FloatMoved { table, movement, difference, reason, .. } => {
                let table = self.table_mut(*table)?;
                must(table.mode != TableMode::Terminals, || "terminals have no chips".to_owned())?;
                // Where bets are not recorded, the tray's gain is the house's.
                let explained = match movement {
                    FloatMovement::Drop(_) => reason.is_some(),
                    FloatMovement::Closer(_) if table.mode == TableMode::BetsRecorded => reason.is_some(),
                    _ => true,
                };
                must(difference.get() == 0 || explained, || "a difference without a reason (D27)".to_owned())?;
                table.in_hands += match movement {
                    FloatMovement::BuyIn(amount) => amount.get(),
                    FloatMovement::ChipsOut(amount) => -amount.get(),
                    FloatMovement::Closer(_) => -difference.get(),
                    _ => 0,
                };
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The table, if its chips are recorded, with the odds of its layout.
    fn layout(&mut self, table: TableId) -> Result<(&mut Table, &'static Sheet), String> {
        let table = self.table_mut(table)?;
        must(table.mode == TableMode::BetsRecorded, || "chips are not recorded here".to_owned())?;
        let sheet = Sheet::of(table.game, 0).ok_or("no layout")?;
        Ok((table, sheet))
    }

    fn placed(
        &mut self,
        table: TableId,
        position: Position,
        spot: SpotIndex,
        amount: i64,
        (standing, by): (bool, Option<StaffId>),
    ) -> Check {
        let now = self.now;
        let (found, sheet) = self.layout(table)?;
        let spot = sheet.text(spot).ok_or("no such spot")?;
        let round = found.round.as_mut().ok_or("no round is in progress")?;
        must(round.interrupted.is_none(), || "the round is interrupted".to_owned())?;
        if standing {
            // Recording what stood at the close is not placing, and ends when the dice can be seen.
            let late = round.closed.is_none_or(|closed| now.since(closed) > found.recording);
            must(round.phase == Phase::Closed && !round.dice_show() && !late, || "the dice can be seen".to_owned())?;
        } else {
            round.in_play()?;
            let open = round.phase == Phase::Open && round.deadline.is_none_or(|deadline| now < deadline);
            must(open, || "bets are closed".to_owned())?;
        }
        must(amount > 0 && amount % found.settings.step.get() == 0, || format!("chips of {amount} cents"))?;
        round.chips.push(Chip { position, spot, amount, late: by.filter(|_| standing) });
        let id = round.id;
        found.in_hands -= amount;
        self.obligations.change(id, Who::Position(position), amount)
    }

    fn stands(&mut self, table: TableId, position: Position, spot: SpotIndex) -> Result<i64, String> {
        let (found, sheet) = self.layout(table)?;
        let spot = sheet.text(spot);
        let chips = found.round.iter().flat_map(|round| &round.chips);
        Ok(chips.filter(|chip| chip.position == position && Some(chip.spot) == spot).map(|chip| chip.amount).sum())
    }

    fn under_minimum(&mut self, table: TableId, position: Position, spot: SpotIndex) -> Check {
        let stands = self.stands(table, position, spot)?;
        let (found, sheet) = self.layout(table)?;
        let minimum = Boxes(&found.settings).limits(sheet.text(spot).ok_or("no such spot")?)?.minimum;
        must(0 < stands && stands < minimum, || format!("{stands} cents are not under the minimum of {minimum}"))
    }

    /// Chips may be recorded after the close.
    fn recording(&self, table: TableId) -> Check {
        let found = self.table(table)?;
        let round = found.round.as_ref().ok_or("no round is in progress")?;
        let late = round.closed.is_none_or(|closed| self.now.since(closed) > found.recording);
        must(round.phase == Phase::Closed && !round.dice_show() && !late, || "the dice can be seen".to_owned())
    }

    /// Chips go back to a player, the latest first.
    fn taken(&mut self, table: TableId, position: Position, spot: SpotIndex, amount: i64) -> Check {
        let (found, _) = self.layout(table)?;
        let round = found.round.as_mut().ok_or("no round is in progress")?;
        round.in_play()?;
        must(round.phase == Phase::Open, || "bets are closed".to_owned())?;
        self.lifted(table, position, spot, amount)
    }

    fn lifted(&mut self, table: TableId, position: Position, spot: SpotIndex, amount: i64) -> Check {
        let (found, sheet) = self.layout(table)?;
        let index = spot;
        let spot = sheet.text(spot).ok_or("no such spot")?;
        let round = found.round.as_mut().ok_or("no round is in progress")?;
        let mut left = amount;
        for chip in round.chips.iter_mut().rev().filter(|chip| chip.position == position && chip.spot == spot) {
            let cut = chip.amount.min(left);
            chip.amount -= cut;
            left -= cut;
        }
        round.chips.retain(|chip| chip.amount > 0);
        must(left == 0, || "more was taken than stood there".to_owned())?;
        if !round.chips.iter().any(|chip| chip.position == position && chip.spot == spot) {
            round.advised.retain(|advised| *advised != (position, index));
        }
        let id = round.id;
        found.in_hands += amount;
        self.obligations.change(id, Who::Position(position), -amount)
    }

    /// Excess is rejected exactly, the latest chips first (5.1).
    fn rejected(&mut self, table: TableId, spot: SpotIndex, rejected: &[(Position, Cents)]) -> Check {
        let (found, sheet) = self.layout(table)?;
        let text = sheet.text(spot).ok_or("no such spot")?;
        let excess = found.excess(text)?;
        let sum: i64 = rejected.iter().map(|(_, amount)| amount.get()).sum();
        must(excess > 0 && sum == excess, || format!("{sum} cents rejected, and {excess} exceed"))?;
        let round = found.round.as_ref().ok_or("no round")?;
        let latest = round.chips.iter().rev().filter(|chip| chip.spot == text).map(|chip| chip.position);
        let in_order = latest.zip(rejected).all(|(latest, (position, _))| latest == *position);
        must(in_order, || "not the latest chips were rejected".to_owned())?;
        for (position, amount) in rejected {
            self.taken(table, *position, spot, amount.get())?;
        }
        Ok(())
    }

    /// A void gives all chips on the layout back.
    pub(super) fn chips_back(&mut self, round: RoundId, table: TableId, chips: &[Chip]) -> Check {
        let mut by_player: BTreeMap<Position, i64> = BTreeMap::new();
        chips.iter().for_each(|chip| *by_player.entry(chip.position).or_default() += chip.amount);
        self.table_mut(table)?.in_hands += by_player.values().sum::<i64>();
        by_player.iter().try_for_each(|(who, sum)| self.obligations.answer(round, Who::Position(*who), *sum))
    }

    fn chips_settled(&mut self, id: RoundId, table: TableId, outcome: OutcomeIndex, stated: &[ChipShare]) -> Check {
        self.stood_by(table, outcome)?;
        let found = self.table_mut(table)?;
        let sheet = Sheet::of(found.game, 0).ok_or("no layout")?;
        let round = found.round.as_mut().filter(|round| round.id == id).ok_or("no such round")?;
        round.in_play()?;
        must(round.outcome == Some(outcome), || "settled by another result than was entered".to_owned())?;
        let chips = std::mem::take(&mut round.chips);
        let mut worked_out = BTreeMap::new();
        for share in Boxes(&found.settings).shares(&chips, sheet, outcome)? {
            worked_out.insert((share.spot, share.position), (share.bet, share.at_risk, share.returned));
        }
        let mut said = BTreeMap::new();
        for share in stated {
            let spot = sheet.text(share.spot).ok_or("no such spot")?;
            said.insert((spot, share.position), (share.bet.get(), share.at_risk.get(), share.returned.get()));
        }
        must(said.len() == stated.len() && said == worked_out, || {
            format!("the floor shares {said:?}, by D8 it is {worked_out:?}")
        })?;
        // In the order of the event, by which a correction names what they return.
        let share = |share: &ChipShare| PastShare {
            position: share.position,
            spot: sheet.text(share.spot).unwrap_or_default(),
            bet: share.bet.get(),
            at_risk: share.at_risk.get(),
            returned: share.returned.get(),
        };
        let shares: Vec<PastShare> = stated.iter().map(share).collect();
        found.in_hands += shares.iter().map(|share| share.returned).sum::<i64>();
        let settings = found.settings.clone();
        let mut staked: BTreeMap<Position, i64> = BTreeMap::new();
        chips.iter().for_each(|chip| *staked.entry(chip.position).or_default() += chip.amount);
        for (position, amount) in staked {
            self.obligations.answer(id, Who::Position(position), amount)?;
        }
        let (bets, claims) = (Vec::new(), BTreeMap::new());
        self.over(table, Past { id, outcome: Some(outcome), bets, shares, claims, settings })
    }

    /// The shares by the position at the close (5.9): recomputed from the bets they name, at the limits of the round. A
    /// player who won more than was paid is paid; from one who lost more it is claimed.
    fn record_corrected(
        &mut self,
        round: RoundId,
        table: TableId,
        stated: &[ChipShare],
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
    ) -> Check {
        let found = self.table_mut(table)?;
        let sheet = Sheet::of(found.game, 0).ok_or("no layout")?;
        let place = found.past.iter().position(|past| past.id == round).ok_or("no such round")?;
        let outcome = found.past[place].outcome.ok_or("the round is void")?;
        let mut chips = Vec::new();
        for share in stated {
            let spot = sheet.text(share.spot).ok_or("no such spot")?;
            chips.push(Chip { position: share.position, spot, amount: share.bet.get(), late: None });
        }
        let mut worked_out = BTreeMap::new();
        for share in Boxes(&found.past[place].settings).shares(&chips, sheet, outcome)? {
            worked_out.insert((share.spot, share.position), (share.at_risk, share.returned));
        }
        let mut nets: BTreeMap<Position, i64> = BTreeMap::new();
        for share in &found.past[place].shares {
            *nets.entry(share.position).or_default() -= share.returned - share.bet;
        }
        let mut shares = Vec::new();
        for share in stated {
            let spot = sheet.text(share.spot).ok_or("no such spot")?;
            let (position, bet, at_risk, returned) =
                (share.position, share.bet.get(), share.at_risk.get(), share.returned.get());
            let by_rule = worked_out.get(&(spot, position));
            must(by_rule == Some(&(at_risk, returned)), || {
                format!(
                    "{spot} of {position:?}, {bet}: {at_risk} at risk and {returned} back, by D8 {by_rule:?} of {stated:?}"
                )
            })?;
            *nets.entry(position).or_default() += returned - bet;
            shares.push(PastShare { position, spot, bet, at_risk, returned });
        }
        let past = &mut found.past[place];
        past.claims.iter().for_each(|(position, claim)| *nets.entry(*position).or_default() -= claim);
        let plain = |list: &[(Position, Cents)]| list.iter().map(|(who, amount)| (*who, amount.get())).collect();
        let (said_paid, said_claims): (BTreeMap<_, _>, BTreeMap<_, _>) = (plain(paid), plain(claims));
        let pays: BTreeMap<_, _> = nets.iter().filter(|(_, net)| **net > 0).map(|(who, net)| (*who, *net)).collect();
        let owes: BTreeMap<_, _> = nets.iter().filter(|(_, net)| **net < 0).map(|(who, net)| (*who, -*net)).collect();
        must(said_paid == pays && said_claims == owes, || {
            format!("pays {said_paid:?} and claims {said_claims:?}, not {pays:?} and {owes:?}")
        })?;
        past.shares = shares;
        past.claims = owes;
        found.in_hands += pays.values().sum::<i64>();
        Ok(())
    }

    /// What a correction adds is paid, what it takes is the pit's claim; both against what the player has received.
    fn chips_corrected(
        &mut self,
        round: RoundId,
        table: TableId,
        outcome: Option<OutcomeIndex>,
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
        returns: &[Cents],
    ) -> Check {
        let sheet = Sheet::of(self.table(table)?.game, 0).ok_or("no layout")?;
        let past = self.past_mut(table, round)?;
        must(past.outcome.is_some() && past.outcome != outcome, || "nothing was to be corrected".to_owned())?;
        past.outcome = outcome;
        let mut due: BTreeMap<Position, i64> = BTreeMap::new();
        let mut worked_out = Vec::new();
        for share in &mut past.shares {
            let now = match outcome {
                None => share.bet,
                Some(outcome) => sheet.returned(share.spot, outcome, share.at_risk)? + share.bet - share.at_risk,
            };
            *due.entry(share.position).or_default() += now - share.returned;
            share.returned = now;
            worked_out.push(now);
        }
        let said: Vec<i64> = returns.iter().map(|amount| amount.get()).collect();
        must(said == worked_out, || format!("the shares return {said:?}, not {worked_out:?}"))?;
        let claimed = std::mem::take(&mut past.claims);
        claimed.iter().for_each(|(position, claim)| *due.entry(*position).or_default() -= claim);
        let plain = |list: &[(Position, Cents)]| list.iter().map(|(who, amount)| (*who, amount.get())).collect();
        let (said_paid, said_claims): (BTreeMap<_, _>, BTreeMap<_, _>) = (plain(paid), plain(claims));
        let pays: BTreeMap<_, _> = due.iter().filter(|(_, due)| **due > 0).map(|(who, due)| (*who, *due)).collect();
        let owes: BTreeMap<_, _> = due.iter().filter(|(_, due)| **due < 0).map(|(who, due)| (*who, -*due)).collect();
        must(said_paid == pays && said_claims == owes, || {
            format!("pays {said_paid:?} and claims {said_claims:?}, not {pays:?} and {owes:?}")
        })?;
        past.claims = owes;
        self.table_mut(table)?.in_hands += pays.values().sum::<i64>();
        self.restate(table, round, outcome)
    }
}

/// The limits of a table's boxes.
struct Boxes<'a>(&'a TableSettings);

impl Boxes<'_> {
    fn limits(&self, spot: &str) -> Result<BoxLimits, String> {
        let family = spot.parse::<rulebook::Spot>().map_err(|error| error.to_string())?.family();
        let limit = self.0.limit_of(family);
        let maximum = limit.maximum.map(|maximum| maximum.get());
        Ok(BoxLimits { minimum: limit.minimum.get(), maximum, step: self.0.step.get() })
    }

    /// The other side of a pair with a differential: Tai Sai has Big against Small.
    fn against(&self, spot: &str) -> Option<(&'static str, i64)> {
        let other = match spot {
            "big" => "small",
            "small" => "big",
            _ => return None,
        };
        self.0.differential.map(|differential| (other, differential.get()))
    }

    fn shares(&self, chips: &[Chip], sheet: &Sheet, outcome: OutcomeIndex) -> Result<Vec<PastShare>, String> {
        let mut boxes: BTreeMap<&'static str, BTreeMap<Position, i64>> = BTreeMap::new();
        for chip in chips {
            *boxes.entry(chip.spot).or_default().entry(chip.position).or_default() += chip.amount;
        }
        let amounts =
            |spot: &str| -> Vec<i64> { boxes.get(spot).into_iter().flat_map(|b| b.values().copied()).collect() };
        let mut shares = Vec::new();
        for (spot, players) in &boxes {
            let limits = self.limits(spot)?;
            let own = amounts(spot);
            let cap = match self.against(spot) {
                None => limits.maximum,
                Some((other, differential)) => {
                    cap(&own, &amounts(other), Some(differential), [limits, self.limits(other)?])
                }
            };
            for ((position, bet), at_risk) in players.iter().zip(at_risk(&own, cap, limits)) {
                let returned = sheet.returned(spot, outcome, at_risk)? + bet - at_risk;
                shares.push(PastShare { position: *position, spot, bet: *bet, at_risk, returned });
            }
        }
        Ok(shares)
    }
}

impl Table {
    /// What stands in a box beyond its maximum or the differential.
    pub fn excess(&self, spot: &str) -> Result<i64, String> {
        let round = self.round.as_ref().ok_or("no round")?;
        let total = |spot: &str| round.chips.iter().filter(|chip| chip.spot == spot).map(|chip| chip.amount).sum();
        let stands: i64 = total(spot);
        let boxes = Boxes(&self.settings);
        let over_box = boxes.limits(spot)?.maximum.map_or(0, |maximum| stands - maximum);
        let over_pair = boxes.against(spot).map_or(0, |(other, differential)| stands - total(other) - differential);
        Ok(over_box.max(over_pair).max(0))
    }
}
