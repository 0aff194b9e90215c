//! Chips on a live table, and the table's float.

use super::Applied;
use crate::command::*;
use crate::event::*;
use crate::ids::*;
use crate::ledger::{Account, Cause, Misfit};
use crate::state::*;
use rulebook::{Cents, OutcomeIndex};

impl Floor {
    pub(super) fn chips_taken(
        &mut self,
        table: TableId,
        position: Position,
        spot: rulebook::SpotIndex,
        amount: Cents,
    ) -> Applied {
        self.transfer(Account::Stakes(table), Account::Chips(table), amount, Cause::BetReturned)?;
        let sequence = self.sequence;
        let round = self.table_mut(table)?.round.as_mut();
        let round = round.ok_or(Misfit { sequence, what: "no round in progress" })?;
        // The latest chips go first.
        let mut rest = amount.get();
        for chip in round.chips.iter_mut().rev().filter(|chip| chip.position == position && chip.spot == spot) {
            let cut = chip.amount.get().min(rest);
            chip.amount = Cents::new(chip.amount.get() - cut);
            rest -= cut;
        }
        round.chips.retain(|chip| chip.amount.is_positive());
        // Who bets there again is advised again.
        if round.chips_of(position, spot) == 0 {
            round.advised.retain(|advised| *advised != (position, spot));
        }
        if rest > 0 { self.misfit("more chips taken than stood there") } else { Ok(()) }
    }

    /// A cover taken off after the close, or a die read at any time in the round: the dice can be seen, whatever else the
    /// report is good for (D20).
    // § rws-taisai 5.7, 5.9
    pub(super) fn dice_seen(&mut self, table: TableId, observation: Observation) -> Applied {
        let tagged = self.is_tagged();
        let Some(round) = self.table_mut(table)?.round.as_mut().filter(|_| tagged) else { return Ok(()) };
        round.visible |= match observation {
            Observation::Uncovered => round.phase >= Phase::Closed,
            Observation::DiceRead { dice } => dice.iter().any(Option::is_some),
            _ => false,
        };
        Ok(())
    }

    /// The shares by what stood at the close replace those by the wrong record.
    // § rws-taisai 5.9
    pub(super) fn record_corrected(
        &mut self,
        round: RoundId,
        table: TableId,
        shares: &[ChipShare],
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
    ) -> Applied {
        let sequence = self.sequence;
        let found = self.table_mut(table)?;
        let archived = found.archived_mut(round).ok_or(Misfit { sequence, what: "no such round" })?;
        let at_risk = |shares: &[ChipShare]| shares.iter().map(|share| share.at_risk.get()).sum::<i64>();
        let more = at_risk(shares).saturating_sub(at_risk(&archived.shares));
        archived.shares = shares.to_vec();
        found.accounts.turnover = Cents::new(found.accounts.turnover.get().saturating_add(more));
        self.chips_moved(round, table, paid, claims)
    }

    /// What a correction adds is paid out of the tray; what it takes stands as the pit's claim.
    fn chips_moved(
        &mut self,
        round: RoundId,
        table: TableId,
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
    ) -> Applied {
        let sum = |list: &[(Position, Cents)]| list.iter().map(|(_, amount)| amount.get()).sum::<i64>();
        let sequence = self.sequence;
        let archived = self.table_mut(table)?.archived_mut(round);
        let archived = archived.ok_or(Misfit { sequence, what: "no such round" })?;
        let claimed = sum(claims) - sum(&archived.claims);
        archived.claims = claims.to_vec();
        self.claims_change(claimed);
        let house = Account::HouseWin(table);
        self.transfer(house, Account::Chips(table), Cents::new(sum(paid)), Cause::Correction)?;
        self.tray_pays(table, sum(paid))?;
        if claimed > 0 {
            self.transfer(Account::Uncollected, house, Cents::new(claimed), Cause::Correction)
        } else {
            self.transfer(house, Account::Uncollected, Cents::new(-claimed), Cause::Correction)
        }
    }

    /// Chips move between the tray and the players; the tray's count follows.
    pub(super) fn tray_pays(&mut self, table: TableId, amount: i64) -> Applied {
        if amount >= 0 {
            self.transfer(Account::World, Account::TableFloat(table), Cents::new(amount), Cause::Float)
        } else {
            self.transfer(Account::TableFloat(table), Account::World, Cents::new(-amount), Cause::Float)
        }
    }

    // § rws-taisai 1.7, 3.9
    pub(super) fn chips_settled(
        &mut self,
        round: RoundId,
        table: TableId,
        outcome: OutcomeIndex,
        (shares, limits): (&[ChipShare], Option<Box<BoxSettings>>),
        at: Moment,
    ) -> Applied {
        let sum = |amount: fn(&ChipShare) -> Cents| Cents::checked_sum(shares.iter().map(amount));
        let (Some(staked), Some(returned)) = (sum(|share| share.bet), sum(|share| share.returned)) else {
            return self.misfit("the chips overflow");
        };
        self.transfer(Account::Stakes(table), Account::HouseWin(table), staked, Cause::Collect)?;
        self.transfer(Account::HouseWin(table), Account::Chips(table), returned, Cause::Win)?;
        self.tray_pays(table, returned.get() - staked.get())?;
        self.round_mut(table, round)?.chips.clear();
        let found = self.table_mut(table)?;
        let at_risk = shares.iter().map(|share| share.at_risk.get()).sum::<i64>();
        found.accounts.turnover = Cents::new(found.accounts.turnover.get().saturating_add(at_risk));
        found.remember(round, outcome);
        found.rounds_settled += 1;
        self.archive_round(round, table, Some(outcome), Vec::new(), (shares.to_vec(), limits), at)
    }

    // § rws-taisai 5.8
    pub(super) fn chips_corrected(
        &mut self,
        round: RoundId,
        table: TableId,
        outcome: Option<OutcomeIndex>,
        paid: &[(Position, Cents)],
        claims: &[(Position, Cents)],
        returns: &[Cents],
    ) -> Applied {
        let sequence = self.sequence;
        let archived = self.table_mut(table)?.archived_mut(round);
        let archived = archived.ok_or(Misfit { sequence, what: "no such round" })?;
        archived.outcome = outcome;
        let at_risk = archived.shares.iter().map(|share| share.at_risk.get()).sum();
        for (share, returned) in archived.shares.iter_mut().zip(returns) {
            share.returned = *returned;
        }
        self.chips_moved(round, table, paid, claims)?;
        self.table_mut(table)?.restate(round, outcome, Cents::new(at_risk));
        Ok(())
    }

    pub(super) fn float_moved(&mut self, table: TableId, movement: FloatMovement, difference: Cents) -> Applied {
        let (float, drop, chips) = (Account::TableFloat(table), Account::TableDrop(table), Account::Chips(table));
        match movement {
            FloatMovement::Opener(amount) | FloatMovement::Fill(amount) => {
                self.transfer(float, Account::World, amount, Cause::Float)
            }
            FloatMovement::Credit(amount) => self.transfer(Account::World, float, amount, Cause::Float),
            FloatMovement::BuyIn(amount) => {
                self.transfer(drop, chips, amount, Cause::CashIn)?;
                self.tray_pays(table, amount.get())
            }
            FloatMovement::ChipsOut(amount) => self.transfer(chips, Account::World, amount, Cause::Paid),
            FloatMovement::Closer(counted) => {
                // Where bets are not recorded, what the tray has gained or lost is what the house has.
                let found = self.table_mut(table)?;
                let against =
                    if found.mode == TableMode::ResultsOnly { Account::HouseWin(table) } else { Account::Differences };
                self.tray_pays(table, difference.get().saturating_neg())?;
                if difference.get() >= 0 {
                    self.transfer(chips, against, difference, Cause::Float)?;
                } else {
                    self.transfer(against, chips, Cents::new(-difference.get()), Cause::Float)?;
                }
                self.transfer(Account::World, float, counted, Cause::Float)
            }
            FloatMovement::Drop(counted) => {
                if difference.get() >= 0 {
                    self.transfer(drop, Account::Differences, difference, Cause::Float)?;
                } else {
                    self.transfer(Account::Differences, drop, Cents::new(-difference.get()), Cause::Float)?;
                }
                self.transfer(Account::World, drop, counted, Cause::Float)
            }
        }
    }
}
