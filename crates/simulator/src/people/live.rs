//! A live table: chips, boxes, the float.

use floor::*;
use rulebook::{Act, Cents, SpotIndex};

use super::{Deed, Scene, dollars, reason};
use crate::chance::Chance;
use crate::game::Game;
use crate::sheet::Sheet;

impl Scene<'_> {
    pub(super) fn live_table(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        if found.mode == TableMode::ResultsOnly || chance.one_in(12) {
            return if chance.one_in(3) { self.move_float(table, chance) } else { None };
        }
        let round = found.round.as_ref()?;
        let position = Position(u8::try_from(chance.between(1, 5)).ok()?);
        let standing: Vec<(Position, &'static str, i64)> =
            round.chips.iter().map(|chip| (chip.position, chip.spot, chip.amount)).collect();
        match chance.below(20) {
            0 if chance.one_in(3) => self.correct_record(table, chance),
            0 => Some((self.somebody(table, Act::RefuseLateBets, chance)?, Body::RefuseLate { table, position })),
            1 => Some((self.somebody(table, Act::OpenRound, chance)?, Body::PlayerLeft { table, position })),
            2 | 3 => {
                let (position, spot, amount) = chance.pick(&standing)?;
                let spot = self.chip_spot(spot)?;
                let amount = Cents::new(if chance.one_in(2) { amount } else { found.settings.step.get() });
                let body = Body::TakeChips { table, position, spot, amount, witness: None };
                Some((self.somebody(table, Act::OpenRound, chance)?, body))
            }
            4 | 5 => {
                let excess: Vec<SpotIndex> = self.floor.excess(table).into_iter().map(|(spot, _)| spot).collect();
                let spot = chance.pick(&excess).or_else(|| self.chip_spot(standing.first()?.1))?;
                Some((self.somebody(table, Act::RejectExcess, chance)?, Body::RejectExcess { table, spot }))
            }
            6 | 7 => {
                let under = self.floor.under_minimum_bets(table);
                let (position, spot, _) = chance.pick(&under).or_else(|| {
                    let (position, spot, amount) = *standing.first()?;
                    Some((position, self.chip_spot(spot)?, Cents::new(amount)))
                })?;
                let body = match chance.one_in(2) {
                    true => Body::AdviseMinimum { table, position, spot },
                    false => Body::RefuseUnderMinimum { table, position, spot },
                };
                Some((self.somebody(table, Act::AdviseMinimum, chance)?, body))
            }
            _ => self.place(table, position, chance),
        }
    }

    /// After the close: chips that stood there are recorded or a wrong record is removed, until the dice can be seen (D20).
    pub(super) fn late_record(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        let round = found.round.as_ref()?;
        let position = Position(u8::try_from(chance.between(1, 5)).ok()?);
        match chance.below(6) {
            0 => Some((self.somebody(table, Act::EnterResult, chance)?, Body::DeclareUncovered { table })),
            1 | 2 => {
                let (by, witness) = self.two(table, Act::RejectExcess, Act::WitnessAttestation, chance)?;
                let chip = round.chips.first()?;
                let (position, spot, amount) = (chip.position, self.chip_spot(chip.spot)?, Cents::new(chip.amount));
                Some((by, Body::RemoveChips { table, position, spot, amount, reason: reason(), witness }))
            }
            3 if chance.one_in(4) => {
                let period = chance.of_these([0, 5_000, 20_000, 60_000]);
                let (by, witness) = self.two(table, Act::ChangeLimits, Act::ChangeLimits, chance)?;
                Some((by, Body::SetRecordingPeriod { table, period, reason: reason(), witness }))
            }
            _ => self.place(table, position, chance),
        }
    }

    /// A record of a past round that was wrong: what really stood there (5.9).
    pub(super) fn correct_record(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let found = self.model.table(table).ok()?;
        let past = found.past.last()?;
        let spot = self.chip_spot(chance.of_these(["big", "small", "single/1", "total/17"]))?;
        let position = Position(u8::try_from(chance.between(1, 5)).ok()?);
        let amount = Cents::new(found.settings.step.get() * chance.between(0, 60));
        let (by, witness) = self.two(table, Act::CorrectAfterSettlement, Act::CorrectAfterSettlement, chance)?;
        Some((by, Body::CorrectRecord { round: past.id, position, spot, amount, reason: reason(), witness }))
    }

    fn chip_spot(&self, text: &str) -> Option<SpotIndex> {
        let sheet = Sheet::of(Game::TaiSai, 0)?;
        let mut spots = Game::TaiSai.rulebook().layouts().first()?.table().indices();
        spots.find(|spot| sheet.text(*spot) == Some(text))
    }

    fn place(&self, table: TableId, position: Position, chance: &mut Chance) -> Option<Deed> {
        let settings = &self.model.table(table).ok()?.settings;
        let spot = match chance.below(4) {
            0 => "big",
            1 => "small",
            2 => chance.of_these(["triple/any", "single/3", "domino/1-2", "total/9"]),
            _ => chance.of_these(["single/1", "double/4", "triple/6", "total/17"]),
        };
        let spot = self.chip_spot(spot)?;
        let most = settings.limit.maximum.map_or(dollars(500), |maximum| maximum);
        let steps = (most.get() / settings.step.get()).max(1);
        let steps = if chance.one_in(3) { steps } else { steps.min(40) };
        let amount = Cents::new(settings.step.get() * chance.between(1, steps));
        let for_player = chance.one_in(5);
        let reader =
            self.device_id(|device| device.kind == DeviceKind::ChipReader && device.place == DevicePlace::Table(table));
        // A chip reader names the Pit Employee who placed the bet for the player (5.13).
        if let Some(reader) = reader.filter(|_| for_player && chance.one_in(2)) {
            let employee = self.person(table, Act::PlaceForPlayer, chance)?;
            return Some((Sender::Device(reader), Body::PlaceForPlayer { table, position, spot, amount, employee }));
        }
        let sender = match reader.filter(|_| !for_player && chance.one_in(3)) {
            Some(reader) => Sender::Device(reader),
            None => self.somebody(table, Act::OpenRound, chance)?,
        };
        Some((sender, Body::PlaceChips { table, position, spot, amount, for_player }))
    }

    fn move_float(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let amount = dollars(chance.between(1, 20) * 100);
        let float = self.floor.table(table)?.float();
        let drop = self.floor.table(table)?.drop();
        let counted = |real: Cents, chance: &mut Chance| {
            let off = if chance.one_in(3) { chance.between(-20, 20) * 100 } else { 0 };
            Cents::new((real.get() + off).max(0))
        };
        let movement = match chance.below(9) {
            0 | 1 => FloatMovement::Opener(amount),
            2 => FloatMovement::Fill(amount),
            3 => FloatMovement::Credit(amount),
            4 | 5 => FloatMovement::BuyIn(amount),
            6 => FloatMovement::ChipsOut(amount),
            7 => FloatMovement::Closer(counted(float, chance)),
            _ => FloatMovement::Drop(counted(drop, chance)),
        };
        let amount = match movement {
            FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_) => Cents::ZERO,
            FloatMovement::Opener(amount)
            | FloatMovement::Fill(amount)
            | FloatMovement::Credit(amount)
            | FloatMovement::Closer(amount)
            | FloatMovement::Drop(amount) => amount,
        };
        let pieces = u32::try_from(amount.get()).ok().filter(|pieces| *pieces > 0 && !chance.one_in(20));
        let counts = pieces.map(|pieces| Pile { denomination: Cents::ONE, pieces }).into_iter().collect();
        let (by, witness) = self.two(table, Act::WitnessAttestation, Act::WitnessAttestation, chance)?;
        // Chips are sold and taken back by one person, and mostly signed for when the threshold is near.
        let players = matches!(movement, FloatMovement::BuyIn(_) | FloatMovement::ChipsOut(_));
        let witness = witness.filter(|_| !players || chance.one_in(3));
        let reason = if chance.one_in(3) { String::new() } else { "counted".to_owned() };
        Some((by, Body::MoveFloat { table, movement, counts, witness, reason }))
    }
}
