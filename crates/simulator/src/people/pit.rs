//! The pit: corrections, voids, decisions, hand pays, locks, alerts, limits.

use floor::*;
use rulebook::{Act, Cents, GroundId, Rank};

use super::{Deed, Scene, dollars, reason, settings};
use crate::chance::Chance;
use crate::model::Past;
use crate::model::calls::PATIENCE;

impl Scene<'_> {
    pub(super) fn pit(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        match chance.below(24) {
            20 if chance.one_in(3) => {
                let table = chance.one_in(3).then_some(table);
                let answers = chance.one_in(8);
                // Who may act alone calls, and everyone else who needs someone.
                let least = match chance.one_in(2) {
                    _ if answers => Rank::PitSupervisor,
                    true => Rank::ShiftManager,
                    false => Rank::Dealer,
                };
                let by = self.one_who(chance, |id| self.model.rank(id) >= Some(least))?;
                if answers {
                    return Some((by, Body::AnswerCall { table }));
                }
                let purpose = self.purpose(table, chance)?;
                Some((by, Body::CallSecondPerson { table, reason: reason(), purpose }))
            }
            20 if chance.one_in(2) => self.as_called(chance),
            20 | 21 => {
                let acts: Vec<AlertId> = self.model.lonely_acts.keys().copied().collect();
                let alert = chance.pick(&acts)?;
                let (first, rank) = *self.model.lonely_acts.get(&alert)?;
                let signs = |id: StaffId| id != first && self.model.rank(id) >= Some(rank);
                Some((self.one_who(chance, signs)?, Body::Countersign { alert }))
            }
            22 | 23 => self.change_rounds(table, chance),
            0..5 => self.correct(table, chance),
            5 | 6 => self.void_affected(table, chance),
            7..10 => self.decide(table, chance),
            10 | 11 => self.hand_money(table, chance),
            12 | 13 => self.lock(table, chance),
            14 | 15 => {
                let alerts: Vec<AlertId> = self.floor.alerts().map(Alert::id).collect();
                let alert = chance.pick(&alerts)?;
                Some((self.somebody(table, Act::AcknowledgeAlert, chance)?, Body::AcknowledgeAlert { alert }))
            }
            16 if chance.one_in(2) => self.change_service(table, chance),
            16 => self.change_limits(table, chance),
            17 if chance.one_in(3) => {
                Some((self.somebody(table, Act::OpenTable, chance)?, Body::AnnounceClosing { table }))
            }
            17 => Some((self.somebody(table, Act::OpenTable, chance)?, Body::CloseTable { table })),
            18 if chance.one_in(2) => {
                let payables: Vec<PayableId> = self.model.payables.keys().copied().collect();
                let Some(payable) = chance.pick(&payables) else {
                    let at = TicketPlace::Staff(StaffId(9));
                    return Some((self.somebody(table, Act::HandPay, chance)?, Body::LiftWrongTickets { at }));
                };
                let round = self.model.payables.get(&payable)?.round;
                let (by, witness) = self.two(table, Act::HandPay, Act::HandPay, chance)?;
                Some((by, Body::PayByHand { payable, round, witness }))
            }
            18 => {
                let tickets: Vec<TicketId> = self.model.tickets.keys().copied().collect();
                let ticket = chance.pick(&tickets)?;
                Some((
                    self.somebody(table, Act::HandPay, chance)?,
                    Body::ReprintTicket { ticket, number: None, reason: String::new(), witness: None },
                ))
            }
            _ => self.assign(chance),
        }
    }

    /// A device that does not report goes out of service, and comes back.
    pub(super) fn change_service(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let device = self.mechanism(table)?;
        let function = if chance.one_in(3) { Function::Reading } else { Function::Device };
        let found = self.model.devices.get(device.index())?;
        let out = if function == Function::Device { found.out } else { found.unread };
        let (first, second) =
            chance.of_these([(Act::EnterResult, Act::RecordDeviceFault), (Act::RecordDeviceFault, Act::EnterResult)]);
        let (by, witness) = self.two(table, first, second, chance)?;
        Some((by, Body::ChangeService { device, function, in_service: out, reason: reason(), witness }))
    }

    /// A round not too long ago, and seldom one long ago.
    fn past(&self, table: TableId, chance: &mut Chance) -> Option<&Past> {
        let past = &self.model.table(table).ok()?.past;
        let back = if chance.one_in(10) { past.len() } else { past.len().min(6) };
        (back > 0).then(|| chance.below(back)).and_then(|back| past.iter().rev().nth(back))
    }

    fn correct(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let game = self.game(table)?;
        let past = self.past(table, chance)?;
        let truth = self.truth(game, past.id).filter(|truth| past.outcome != Some(*truth));
        let outcome = match truth {
            Some(truth) if !chance.one_in(4) => truth,
            _ => self.any_outcome(game, chance)?,
        };
        let act = Act::CorrectAfterSettlement;
        let (by, witness) = self.two(table, act, act, chance)?;
        Some((by, Body::CorrectResult { round: past.id, outcome, reason: reason(), witness }))
    }

    fn void_affected(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        let ground = match self.game(table)?.is_wheel() {
            _ if chance.one_in(8) => chance.of_these(GroundId::ALL),
            true => GroundId::BallBroken,
            false => GroundId::DiceDamaged,
        };
        let current = found.round.as_ref().map(|round| round.id).filter(|_| chance.one_in(3));
        let count = 1 + chance.below(4);
        let mut rounds: Vec<RoundId> =
            (0..count).filter_map(|_| self.past(table, chance)).map(|past| past.id).chain(current).collect();
        if !chance.one_in(6) {
            rounds.sort_unstable();
            rounds.dedup();
            let voided = |round: &RoundId| found.past.iter().any(|past| past.id == *round && past.outcome.is_none());
            rounds.retain(|round| !voided(round));
        }
        if chance.one_in(2) {
            rounds.reverse();
        }
        let act = Act::VoidAffectedRounds;
        let (by, witness) = self.two(table, act, act, chance)?;
        Some((by, Body::VoidRounds { table, ground, rounds, reason: reason(), witness }))
    }

    /// A range of rounds is corrected or voided after its preview, recalled rounds included (D24).
    fn change_rounds(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let game = self.game(table)?;
        let recalled: Vec<RoundId> = self.floor.table(table)?.recalled().map(|(_, round)| round.id()).collect();
        let mut changes: Vec<(RoundId, Option<rulebook::OutcomeIndex>)> = Vec::new();
        for _ in 0..1 + chance.below(5) {
            let round = match chance.pick(&recalled) {
                Some(round) if !chance.one_in(3) => round,
                _ => self.past(table, chance)?.id,
            };
            let outcome = if chance.one_in(2) { None } else { self.any_outcome(game, chance) };
            if !changes.iter().any(|(named, _)| *named == round) || chance.one_in(20) {
                changes.push((round, outcome));
            }
        }
        let voids = changes.iter().any(|(_, outcome)| outcome.is_none());
        let ground = if game.is_wheel() { GroundId::BallBroken } else { GroundId::DiceDamaged };
        let ground = Some(ground).filter(|_| voids && chance.one_in(2));
        let preview = self.floor.preview(table, &changes).map(|preview| preview.hash);
        let preview = preview.unwrap_or(rulebook::Hash([1; 32]));
        let preview = if chance.one_in(12) { rulebook::Hash([2; 32]) } else { preview };
        let (by, witness) = self.two(table, Act::Decide, Act::Decide, chance)?;
        Some((by, Body::ChangeRounds { table, changes, ground, reason: reason(), preview, witness }))
    }

    fn decide(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let (by, witness) = self.two(table, Act::Decide, Act::VoidAffectedRounds, chance)?;
        let found = self.model.table(table).ok()?;
        let past = self.past(table, chance);
        let amount = dollars(chance.between(1, 150));
        let (round, ruling) = if found.mode == TableMode::Terminals {
            let bettors: Vec<TerminalId> = match past {
                Some(past) if chance.one_in(2) => past.bets.iter().map(|bets| bets.terminal).collect(),
                _ => self.model.at_table(table).map(|(id, _)| id).collect(),
            };
            let current = found.round.as_ref().map(|round| round.id);
            let round = chance.of_these([None, past.map(|past| past.id), current]);
            let ruling = match (chance.below(8), chance.pick(&bettors)) {
                (0..3, Some(terminal)) => Ruling::Pay { terminal, amount },
                (3..6, Some(terminal)) => Ruling::TakeBack { terminal, amount },
                (6, _) => Ruling::Reading,
                _ => Ruling::VoidRound,
            };
            (round, ruling)
        } else {
            let position = Position(u8::try_from(chance.between(1, 5)).ok()?);
            let amount = Cents::new(found.settings.step.get() * chance.between(1, 50));
            let rulings = [
                Ruling::PayChips { position, amount },
                Ruling::ClaimChips { position, amount },
                Ruling::Reading,
                Ruling::VoidRound,
            ];
            (past.map(|past| past.id), chance.of_these(rulings))
        };
        Some((by, Body::Decide { table, round, ruling, reason: reason(), witness }))
    }

    /// What a second person is called for (D28).
    fn purpose(&self, table: Option<TableId>, chance: &mut Chance) -> Option<Purpose> {
        let terminals = self.model.terminals.len().max(1);
        let number = |chance: &mut Chance, most: usize| chance.below(most) as u64;
        let round = table.and_then(|table| self.model.table(table).ok()?.round.as_ref().map(|round| round.id.0));
        Some(match chance.below(8) {
            0..4 => {
                let amount = Some(dollars(chance.between(1, 5_000)));
                Purpose { act: JointAct::AttendantIn, subject: Some(number(chance, terminals)), amount }
            }
            4 | 5 => Purpose { act: JointAct::VoidByDecision, subject: round, amount: None },
            6 => Purpose { act: JointAct::Attest, subject: None, amount: None },
            _ => {
                let (subject, amount) = (Some(number(chance, 40)), Some(dollars(chance.between(1, 500))));
                Purpose { act: chance.pick(JointAct::ALL)?, subject, amount: amount.filter(|_| !chance.one_in(3)) }
            }
        })
    }

    /// No one came: a Shift Manager does what the call was for, now and then for more money (D28).
    pub(super) fn as_called(&self, chance: &mut Chance) -> Option<Deed> {
        // Now and then someone does not wait.
        let at_once = chance.wrong(3);
        let calls = self.model.calls.iter().filter(|call| at_once || self.at.since(call.at) >= PATIENCE);
        let waited: Vec<(StaffId, Purpose)> = calls.filter_map(|call| Some((call.by, call.purpose?))).collect();
        let (caller, Purpose { act, subject, amount }) = chance.pick(&waited)?;
        let by = match self.model.rank(caller) >= Some(Rank::ShiftManager) {
            true => Sender::Staff(caller),
            false => self.serving(Post::Pit(Rank::ShiftManager), chance)?,
        };
        let witness = None;
        let number = subject?;
        let body = match act {
            JointAct::AttendantIn => {
                let more = if chance.one_in(4) { 2 } else { 1 };
                let amount = Cents::new(amount?.get() * more);
                Body::AttendantIn { terminal: TerminalId(u32::try_from(number).ok()?), amount, witness }
            }
            _ => {
                let here = |table: &TableId| {
                    let current = self.model.table(*table).ok().and_then(|table| table.round.as_ref());
                    current.is_some_and(|round| round.id.0 == number)
                };
                let table = (0..).map(TableId).take(self.model.tables.len()).find(here)?;
                if act == JointAct::Attest {
                    let finding = chance.of_these([Finding::NotAffected, Finding::NotEstablished]);
                    Body::Attest { table, finding, witness }
                } else {
                    let round = Some(RoundId(number));
                    Body::Decide { table, round, ruling: Ruling::VoidRound, reason: reason(), witness }
                }
            }
        };
        Some((by, body))
    }

    fn hand_money(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let here: Vec<TerminalId> = self.model.at_table(table).map(|(id, _)| id).collect();
        let terminal = chance.pick(&here)?;
        let (by, witness) = self.two(table, Act::HandPay, Act::HandPay, chance)?;
        let credit = self.model.terminal(terminal).ok()?.credit;
        let payables: Vec<PayableId> = self.model.payables.keys().copied().collect();
        if let Some(payable) = chance.pick(&payables).filter(|_| chance.one_in(6)) {
            let round = self.model.payables.get(&payable)?.round;
            return Some((by, Body::PayByHand { payable, round, witness }));
        }
        if chance.one_in(20) {
            return Some((by, Body::LiftWrongTickets { at: TicketPlace::Staff(StaffId(9)) }));
        }
        if chance.one_in(12) {
            // Of a round with something to collect, mostly from who owes it; or of decisions.
            let found = self.floor.table(table)?;
            let owed: Vec<(RoundId, Debtor, Cents)> = found
                .archive()
                .flat_map(|past| past.debtors().map(|(debtor, owed)| (past.id(), debtor, owed)))
                .collect();
            let one = chance.pick(&owed).filter(|_| !chance.one_in(3));
            let amount = match one {
                Some((.., owed)) if chance.one_in(2) => owed,
                Some((.., owed)) => Cents::new(chance.between(1, owed.get())),
                None => dollars(chance.between(1, 20)),
            };
            let (round, debtor) = (one.map(|(round, ..)| round), one.map(|(_, debtor, _)| debtor));
            let debtor = debtor.filter(|_| !chance.one_in(4));
            return Some((by, Body::RecordRecovered { table, round, amount, reason: reason(), witness, debtor }));
        }
        let body = if chance.one_in(2) {
            Body::AttendantIn { terminal, amount: dollars(chance.between(10, 300)), witness }
        } else {
            let amount = if chance.one_in(2) { credit } else { chance.between(1, credit.max(1)) };
            Body::AttendantPay { terminal, amount: Cents::new(amount), witness }
        };
        Some((by, body))
    }

    fn lock(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let locked: Vec<TerminalId> = self.model.at_table(table).filter(|(_, t)| t.locked).map(|(id, _)| id).collect();
        let by = self.somebody(table, Act::LockTerminal, chance)?;
        if let Some(terminal) = chance.pick(&locked) {
            return Some((by, Body::UnlockTerminal { terminal }));
        }
        let here: Vec<TerminalId> = self.model.at_table(table).map(|(id, _)| id).collect();
        let terminal = chance.pick(&here).filter(|_| chance.one_in(12))?;
        Some((by, Body::LockTerminal { terminal, reason: reason() }))
    }

    fn change_limits(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        let mut changed = settings::some(found.game, chance);
        if !chance.one_in(5) {
            // Another step only when no terminal has credit (S12).
            changed = settings::with_step(changed, found.settings.step);
        }
        let (by, witness) = self.two(table, Act::ChangeLimits, Act::ChangeLimits, chance)?;
        Some((by, Body::ChangeSettings { table, settings: Box::new(changed), reason: reason(), witness }))
    }

    /// A person acts in another position, or no longer does.
    fn assign(&self, chance: &mut Chance) -> Option<Deed> {
        let people: Vec<StaffId> = (0..).map(StaffId).take(self.model.staff.len()).collect();
        let staff = chance.pick(&people)?;
        let post = (!chance.one_in(2)).then(|| Post::Pit(chance.of_these(Rank::ALL)));
        // The position that is given and the one that is taken away both count (D11).
        let taken = self.model.staff.get(staff.index())?.acting;
        let mut needed = Some(Rank::PitSupervisor);
        for given in [post, taken].into_iter().flatten() {
            needed = match given {
                Post::Pit(rank) => needed.map(|least| least.max(rank)),
                _ => None,
            };
        }
        let assigns = |id: StaffId| {
            let high = needed.is_some_and(|needed| self.model.rank(id) >= Some(needed));
            id != staff && (high || self.model.serves_as(id, Post::Administrator))
        };
        let boss = self.one_who(chance, assigns)?;
        let witness = if chance.one_in(10) { None } else { chance.pick(&people) };
        Some((boss, Body::AssignActing { staff, post, witness }))
    }
}
