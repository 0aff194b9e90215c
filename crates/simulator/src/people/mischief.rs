//! Everything that is wrong: wrong phase, wrong rank, wrong amounts, unknown ids, other people's things.

use floor::*;
use rulebook::{Act, Cents, GroundId, Hash, OutcomeIndex, Rank, SpotIndex};

use super::{Deed, Scene, new_number, reason, settings, some_release};
use crate::chance::Chance;
use crate::game::Game;

impl Scene<'_> {
    pub(super) fn mischief(&self, chance: &mut Chance) -> Deed {
        // A sensible command from the wrong person, or any command from any person.
        if chance.one_in(3)
            && let Some(table) = self.some_table(chance)
        {
            let deed = if chance.one_in(2) { self.dealer(table, chance) } else { self.pit(table, chance) };
            if let Some((_, body)) = deed {
                return (self.anybody(chance), body);
            }
        }
        let sender = self.anybody(chance);
        let body = match chance.below(3) {
            0 => self.set_up_anything(chance),
            1 => self.money_anyhow(chance),
            _ => self.play_anyhow(chance),
        };
        (sender, body)
    }

    fn anybody(&self, chance: &mut Chance) -> Sender {
        match chance.below(10) {
            0 => Sender::System,
            1..3 => Sender::Terminal(self.any_terminal(chance)),
            3 => Sender::Device(self.any_device(chance)),
            _ => Sender::Staff(self.anyone(chance)),
        }
    }

    fn any_table(&self, chance: &mut Chance) -> TableId {
        TableId(u16::try_from(beyond(self.model.tables.len(), chance)).unwrap_or(u16::MAX))
    }

    fn any_terminal(&self, chance: &mut Chance) -> TerminalId {
        TerminalId(u32::try_from(beyond(self.model.terminals.len(), chance)).unwrap_or(u32::MAX))
    }

    fn any_device(&self, chance: &mut Chance) -> DeviceId {
        DeviceId(u16::try_from(beyond(self.model.devices.len(), chance)).unwrap_or(u16::MAX))
    }

    fn anyone(&self, chance: &mut Chance) -> StaffId {
        StaffId(u32::try_from(beyond(self.model.staff.len(), chance)).unwrap_or(u32::MAX))
    }

    fn any_ticket(&self, chance: &mut Chance) -> TicketId {
        let next = usize::try_from(self.floor.next_ticket().0).unwrap_or(0);
        TicketId(beyond(next, chance) as u64)
    }

    fn any_round(&self, chance: &mut Chance) -> RoundId {
        let past: Vec<RoundId> = self.model.tables.iter().flat_map(|table| &table.past).map(|past| past.id).collect();
        chance.pick(&past).unwrap_or(RoundId(99_999))
    }

    fn any_number(&self, chance: &mut Chance) -> TicketHash {
        self.some_ticket(chance).filter(|_| !chance.one_in(3)).unwrap_or_else(|| new_number(chance))
    }

    fn set_up_anything(&self, chance: &mut Chance) -> Body {
        let (table, terminal, device) = (self.any_table(chance), self.any_terminal(chance), self.any_device(chance));
        let game = chance.of_these(Game::ALL);
        let changed = self.odd_settings(game, chance);
        let rulebook = if chance.one_in(4) { Hash([7; 32]) } else { game.rulebook().hash() };
        let mode = chance.of_these([TableMode::Terminals, TableMode::ResultsOnly, TableMode::BetsRecorded]);
        let (kind, layout) = (
            chance.of_these(["standard", "rapid", "golden"]).to_owned(),
            chance.of_these(["a", "rapid", "z"]).to_owned(),
        );
        let place = chance.of_these([DevicePlace::Store, DevicePlace::Table(table), DevicePlace::Terminal(terminal)]);
        let post = chance.of_these([Post::Auditor, Post::Cashier, Post::Administrator, Post::Pit(Rank::CasinoManager)]);
        let staff = self.anyone(chance);
        match chance.below(21) {
            0 => Body::CreateFloor(FloorSettings {
                name: text(chance),
                demonstration: true,
                day_starts: 0,
                ticket_days: 1,
                ..FloorSettings::default()
            }),
            1 => Body::InstallRulebook { canonical: game.rulebook().canonical().to_owned(), witness: None },
            2 => {
                let (act, rank) = (chance.of_these(Act::ALL), chance.of_these(Rank::ALL));
                Body::RaisePower { act, rank, witness: None }
            }
            3 => Body::AddTable { name: text(chance), rulebook, mode, settings: Box::new(changed), witness: None },
            4 => Body::PinRulebook { table, rulebook, settings: Box::new(changed), witness: None },
            5 => Body::ChangeSettings { table, settings: Box::new(changed), reason: text(chance), witness: None },
            6 => Body::EnrolTerminal { table, name: text(chance), kind, layout },
            7 => Body::MoveTerminal { terminal, table, kind, layout },
            8 => Body::add_device(text(chance), DeviceKind::Validator, place),
            9 => Body::MoveDevice { device, place, witness: None },
            10 => Body::AddStaff { name: text(chance), post, witness: None },
            11 => Body::ChangeStaff { staff, post, active: chance.one_in(2), witness: None },
            12 => Body::AssignActing { staff, post: Some(post), witness: None },
            13 => Body::TakeTable { table },
            14 => Body::OpenTable { table },
            15 => Body::AnnounceClosing { table },
            16 => Body::CloseTable { table },
            17 => Body::AcceptProgram { witness: None },
            18 => Body::ApproveProgram { release: some_release(chance), witness: None },
            19 => Body::LockTerminal { terminal, reason: text(chance) },
            _ => Body::UnlockTerminal { terminal },
        }
    }

    /// Settings that fit, but for one thing.
    fn odd_settings(&self, game: Game, chance: &mut Chance) -> TableSettings {
        let mut changed = settings::some(game, chance);
        match chance.below(9) {
            0 => changed.step = Cents::new(3),
            1 => changed.limit.minimum = any_amount(chance),
            2 => changed.limit.maximum = Some(any_amount(chance)),
            3 => changed.differential = Some(any_amount(chance)),
            4 => changed.liability = Some(any_amount(chance)),
            5 => changed.grace = -1,
            6 => changed.hand_pay = any_amount(chance),
            7 => changed.limit.maximum = None,
            _ => {}
        }
        changed
    }

    fn money_anyhow(&self, chance: &mut Chance) -> Body {
        let (terminal, amount) = (self.any_terminal(chance), any_amount(chance));
        let (number, ticket) = (self.any_number(chance), self.any_ticket(chance));
        let witness = chance.one_in(2).then(|| self.anyone(chance));
        let round = self.any_round(chance);
        match chance.below(16) {
            14 => Body::PayExpired { ticket, reason: text(chance), witness },
            0 => Body::CashIn { terminal, amount },
            1 => Body::AttendantIn { terminal, amount, witness: None },
            2 => Body::TicketIn { terminal, number },
            3 => Body::PrepareTicket { terminal, number },
            4 => Body::TicketPrinted { ticket },
            5 => Body::PrintFailed { ticket },
            6 => Body::AttendantPay { terminal, amount, witness },
            7 => Body::SetLossLimit { terminal, limit: Some(amount) },
            8 => Body::ReprintTicket { ticket, number: None, reason: String::new(), witness: None },
            9 => Body::OpenShift { float: amount, witness: None },
            10 => Body::CloseShift { counted: amount, reason: String::new(), witness: None },
            11 => Body::SellTicket { amount, number, witness: None },
            12 => Body::RedeemTicket { number, amount: Some(amount), witness: None },
            13 => Body::PayCorrection { payable: PayableId(chance.below(4) as u64), round: Some(round), witness },
            _ => Body::RaiseAlert { table: Some(self.any_table(chance)), what: AlertKind::Host(text(chance)) },
        }
    }

    fn play_anyhow(&self, chance: &mut Chance) -> Body {
        let table = self.any_table(chance);
        let witness = chance.one_in(2).then(|| self.anyone(chance));
        let (round, outcome) = (self.any_round(chance), self.odd_outcome(chance));
        let ground = chance.of_these(GroundId::ALL);
        match chance.below(27) {
            24 => Body::KeepFirstOutcome { table, witness, affirmed: Vec::new() },
            25 => Body::AnswerFault { table, affects: chance.one_in(2) },
            26 => {
                let (device, function) =
                    (self.any_device(chance), chance.of_these([Function::Device, Function::Reading]));
                Body::ChangeService { device, function, in_service: chance.one_in(2), reason: text(chance), witness }
            }
            0 => Body::BeginRound { table },
            1 => Body::open_bets(table),
            2..6 => Body::Bet { changes: self.odd_changes(chance) },
            6 => Body::ClearBets,
            7 => Body::RepeatBets { doubled: chance.one_in(2) },
            8 => Body::CloseBets { table },
            9 => Body::AcknowledgeClose { round },
            10 => match self.any_observation(chance.of_these(Game::ALL), chance) {
                Some(observation) => Body::Observe(observation),
                None => Body::Elapse,
            },
            11 => Body::enter_result(table, outcome),
            12 => Body::confirm_result(table),
            13 => Body::declare_ground(table, ground),
            14 => Body::ConfirmGround { table },
            15 => Body::DismissGround { table, reason: text(chance), witness: None },
            16 => {
                let rounds = (0..chance.below(34)).map(|_| self.any_round(chance)).collect();
                Body::VoidRounds { table, ground, rounds, reason: text(chance), witness }
            }
            17 => self.stoppage(chance),
            18 => Body::Attest { table, finding: Finding::NotAffected, witness },
            19 => Body::CorrectResult { round, outcome, reason: text(chance), witness },
            20 => self.decide_anyhow(chance),
            21 => Body::AcknowledgeAlert { alert: AlertId(chance.below(9) as u64) },
            22 => self.chips_anyhow(chance),
            _ => chance.of_these([Body::Elapse, Body::CheckMeters].each_ref()).clone(),
        }
    }

    fn decide_anyhow(&self, chance: &mut Chance) -> Body {
        let (table, terminal, amount) = (self.any_table(chance), self.any_terminal(chance), any_amount(chance));
        let ruling = chance.of_these([
            Ruling::VoidRound,
            Ruling::Pay { terminal, amount },
            Ruling::TakeBack { terminal, amount },
            Ruling::PayChips { position: Position(0), amount },
            Ruling::ClaimChips { position: Position(9), amount },
            Ruling::Reading,
        ]);
        let round = chance.one_in(2).then(|| self.any_round(chance));
        let witness = chance.one_in(2).then(|| self.anyone(chance));
        Body::Decide { table, round, ruling, reason: text(chance), witness }
    }

    fn chips_anyhow(&self, chance: &mut Chance) -> Body {
        let (table, amount) = (self.any_table(chance), any_amount(chance));
        let position = Position(u8::try_from(chance.below(70)).unwrap_or(u8::MAX));
        let Some(spot) = self.odd_spot(chance) else { return Body::Elapse };
        let movements = [FloatMovement::Opener(amount), FloatMovement::Credit(amount), FloatMovement::Closer(amount)];
        match chance.below(8) {
            0 => Body::PlaceChips { table, position, spot, amount, for_player: chance.one_in(2) },
            1 => Body::TakeChips { table, position, spot, amount, witness: None },
            2 => Body::RejectExcess { table, spot },
            3 => Body::AdviseMinimum { table, position, spot },
            4 => Body::RefuseUnderMinimum { table, position, spot },
            5 => Body::RefuseLate { table, position },
            6 => Body::PlayerLeft { table, position },
            _ => Body::MoveFloat {
                table,
                movement: chance.of_these(movements),
                counts: Vec::new(),
                witness: None,
                reason: String::new(),
            },
        }
    }

    /// A spot of some layout, which another may not have.
    fn odd_spot(&self, chance: &mut Chance) -> Option<SpotIndex> {
        let layouts = chance.of_these([Game::SicBo, Game::Roulette]).rulebook().layouts();
        let layout = layouts.get(chance.below(layouts.len()))?.table();
        layout.index_at(chance.below(layout.spots().len()))
    }

    fn odd_outcome(&self, chance: &mut Chance) -> OutcomeIndex {
        let outcome = self.any_outcome(chance.of_these([Game::SicBo, Game::Roulette]), chance);
        outcome.or_else(|| self.any_outcome(Game::SicBo, chance)).expect("dice have outcomes")
    }

    fn odd_changes(&self, chance: &mut Chance) -> Few<BetChange> {
        let count = if chance.one_in(12) { chance.of_these([0, 201]) } else { 1 + chance.below(3) };
        (0..count).filter_map(|_| self.odd_change(chance)).collect()
    }

    fn odd_change(&self, chance: &mut Chance) -> Option<BetChange> {
        let (spot, amount) = (self.odd_spot(chance)?, any_amount(chance));
        Some(match chance.below(5) {
            0 | 1 => BetChange::Add { spot, amount },
            2 => BetChange::Take { spot, amount },
            3 => {
                let bets = ["tiers", "neighbours/99/1", "finale/12", "nothing of the kind"];
                BetChange::AddPieces { bet: chance.of_these(bets).to_owned(), unit: amount }
            }
            _ => BetChange::TakePieces { group: u16::try_from(chance.below(3)).ok()? },
        })
    }
}

/// A place in a list, and now and then one beyond it.
fn beyond(length: usize, chance: &mut Chance) -> usize {
    if chance.one_in(8) { length + chance.below(1_000) } else { chance.below(length + 1) }
}

/// An amount that is likely to be wrong.
fn any_amount(chance: &mut Chance) -> Cents {
    let amounts = [0, -1, 1, 99, 100, 10_000, 1_000_000, 1_000_000_000, 1_000_000_001, i64::MAX, i64::MIN];
    Cents::new(chance.of_these(amounts))
}

/// Words that are likely to be wrong.
fn text(chance: &mut Chance) -> String {
    match chance.below(4) {
        0 => String::new(),
        1 => "x".repeat(1_001),
        2 => "a\nb".to_owned(),
        _ => reason(),
    }
}
