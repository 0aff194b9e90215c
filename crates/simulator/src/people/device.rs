//! Tumblers and wheels, which mostly report what makes sense.

use floor::*;
use rulebook::{Dice, Face, Outcome};

use super::{Deed, Scene};
use crate::chance::Chance;
use crate::game::Game;
use crate::model::Round;

impl Scene<'_> {
    pub(super) fn device(&self, table: TableId, chance: &mut Chance) -> Option<Deed> {
        let device = self.mechanism(table)?;
        let game = self.game(table)?;
        // The cover is put on before the dice are tumbled, by who is honest and careful.
        let open = game.is_covered() && self.model.devices.get(device.index()).is_some_and(|device| device.off);
        let observation = if chance.wrong(25) {
            self.any_observation(game, chance)?
        } else {
            match &self.model.table(table).ok()?.round {
                None if chance.wrong(12) => self.late(game, chance)?,
                None if game.begins_with_tumbler() && open && !chance.one_in(12) => Observation::Covered,
                None if game.begins_with_tumbler() && chance.one_in(3) => Observation::Activated,
                None => return None,
                // It fell silent, went out of service, and reports after all.
                Some(round) if self.is_out(device) && round.phase < Phase::Closed && chance.wrong(12) => {
                    self.late(game, chance)?
                }
                // It is set off once more.
                Some(round) if round.ended && chance.wrong(40) => match game.is_wheel() {
                    true => Observation::Spun { against_rotation: true, wheel_rotating: true },
                    false => Observation::Activated,
                },
                Some(round) if game.is_wheel() => self.wheel(round, chance)?,
                Some(round) => self.tumbler(game, round, open, chance)?,
            }
        };
        Some((Sender::Device(device), Body::Observe(observation)))
    }

    fn tumbler(&self, game: Game, round: &Round, open: bool, chance: &mut Chance) -> Option<Observation> {
        let shown = round.close_is_shown();
        let in_time = match round.phase {
            Phase::Begun => true,
            Phase::Open => !game.tumbles_after_close() && !game.begins_with_tumbler() && chance.one_in(3),
            _ => shown && !game.begins_with_tumbler(),
        };
        if !round.set_off {
            if open && !chance.one_in(12) {
                return Some(Observation::Covered);
            }
            return (in_time || chance.wrong(30)).then_some(Observation::Activated);
        }
        if round.running || chance.one_in(12) {
            let times = if chance.wrong(25) { chance.between(0, 2) } else { chance.between(3, 9) };
            return Some(Observation::Tumbled { times: u8::try_from(times).ok()? });
        }
        match chance.below(12) {
            0..4 if shown || chance.wrong(8) => Some(Observation::Uncovered),
            4..7 if shown => self.read(game, round, chance),
            7 => chance.one_in(5).then_some(Observation::NotFlat),
            8 => Some(Observation::Covered),
            _ => None,
        }
    }

    fn is_out(&self, device: DeviceId) -> bool {
        self.model.devices.get(device.index()).is_some_and(|device| device.out)
    }

    /// Something about the round that was settled.
    fn late(&self, game: Game, chance: &mut Chance) -> Option<Observation> {
        let times = u8::try_from(chance.below(5)).ok()?;
        Some(match (chance.below(3), game.is_wheel()) {
            (0, true) => Observation::FlungOut,
            (0, false) => Observation::NotFlat,
            (1, true) => Observation::Revolved { times },
            (1, false) => Observation::Tumbled { times },
            (_, true) => Observation::Rested { pocket: self.any_outcome(game, chance)? },
            (_, false) => Observation::DiceRead { dice: [Some(chance.of_these(Face::ALL)), None, None] },
        })
    }

    /// The dice as they lie, or some of them; seldom others.
    fn read(&self, game: Game, round: &Round, chance: &mut Chance) -> Option<Observation> {
        let outcomes = game.rulebook().outcomes();
        let lies = chance.wrong(20);
        let shown = if lies { self.any_outcome(game, chance) } else { self.truth(game, round.id) };
        let Some(Outcome::Dice(Dice(faces))) = outcomes.outcome(shown?) else { return None };
        let partly = chance.one_in(4);
        Some(Observation::DiceRead { dice: faces.map(|face| Some(face).filter(|_| !partly || chance.one_in(2))) })
    }

    fn wheel(&self, round: &Round, chance: &mut Chance) -> Option<Observation> {
        let closed = round.phase >= Phase::Closed;
        if !round.set_off {
            let (against_rotation, wheel_rotating) = (!chance.wrong(30), !chance.wrong(30));
            return (closed || chance.one_in(4)).then_some(Observation::Spun { against_rotation, wheel_rotating });
        }
        if round.running && round.times.is_none() || chance.one_in(12) {
            let times = if chance.wrong(25) { chance.between(0, 3) } else { chance.between(4, 20) };
            return Some(Observation::Revolved { times: u8::try_from(times).ok()? });
        }
        match chance.below(12) {
            0..7 if closed || chance.one_in(20) => {
                Some(Observation::Rested { pocket: self.truth(Game::Roulette, round.id)? })
            }
            7 if chance.one_in(4) => Some(Observation::NoCompartment),
            8 if chance.one_in(4) => Some(Observation::FlungOut),
            9 if chance.one_in(4) => Some(Observation::WheelStopped),
            _ => None,
        }
    }

    /// Anything a device could say, whether or not it makes sense.
    pub(super) fn any_observation(&self, game: Game, chance: &mut Chance) -> Option<Observation> {
        let times = u8::try_from(chance.below(8)).ok()?;
        let face = |chance: &mut Chance| Some(chance.of_these(Face::ALL)).filter(|_| !chance.one_in(3));
        let any = [
            Observation::Activated,
            Observation::Tumbled { times },
            Observation::Uncovered,
            Observation::Covered,
            Observation::DiceRead { dice: [face(chance), face(chance), face(chance)] },
            Observation::NotFlat,
            Observation::Fault { number: u16::from(times) },
            Observation::Restored,
            Observation::Spun { against_rotation: chance.one_in(2), wheel_rotating: chance.one_in(2) },
            Observation::Revolved { times },
            Observation::Rested { pocket: self.any_outcome(game, chance)? },
            Observation::NoCompartment,
            Observation::FlungOut,
            Observation::WheelStopped,
            Observation::Fault { number: u16::from(times) },
            Observation::Restored,
        ];
        // The first half is what a tumbler says, the second what a wheel says; seldom they are mixed up.
        let half = chance.below(8);
        let as_wheel = game.is_wheel() != chance.one_in(10);
        any.get(if as_wheel { half + 8 } else { half }).copied()
    }
}
