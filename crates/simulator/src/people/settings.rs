//! Settings of tables that fit their games.

use floor::{Limit, TableSettings};
use rulebook::{Cents, Family};

use super::dollars;
use crate::chance::Chance;
use crate::game::Game;

/// Settings that fit a game, by chance tight or wide.
pub(crate) fn some(game: Game, chance: &mut Chance) -> TableSettings {
    let step =
        Cents::new(if game.is_live() { chance.of_these([1, 100, 500]) } else { chance.of_these([2, 50, 100, 500]) });
    let limit = limit(step, game, chance);
    let family = if game.is_wheel() { Family::Straight } else { Family::Triple };
    let families = if chance.one_in(2) { vec![(family, self::limit(step, game, chance))] } else { Vec::new() };
    TableSettings {
        limit,
        families,
        differential: (game.is_live() && chance.one_in(2)).then(|| dollars(chance.between(0, 60) * 5)),
        liability: chance.one_in(3).then(|| dollars(chance.between(50, 5_000))),
        step,
        betting_period: if chance.one_in(3) { 0 } else { chance.between(5_000, 40_000) },
        grace: chance.of_these([0, 5_000, 10_000, 10_000]),
        hand_pay: dollars(chance.of_these([20, 100, 10_000])),
        closing_notice: chance.between(0, 20_000),
    }
}

fn limit(step: Cents, game: Game, chance: &mut Chance) -> Limit {
    let minimum = Cents::new(step.get() * chance.between(0, 8));
    let most = Cents::new(minimum.get() + step.get() * chance.of_these([10, 100, 1_000]));
    let maximum = Some(most).filter(|_| !game.is_live() || !chance.one_in(4));
    Limit { minimum, maximum }
}

/// The same with amounts that fit another step.
pub(crate) fn with_step(mut settings: TableSettings, step: Cents) -> TableSettings {
    let fit = |amount: Cents| Cents::new(amount.get().div_euclid(settings.step.get()).saturating_mul(step.get()));
    let fit_limit = |limit: Limit| Limit { minimum: fit(limit.minimum), maximum: limit.maximum.map(fit) };
    settings.limit = fit_limit(settings.limit);
    settings.families = settings.families.iter().map(|(family, limit)| (*family, fit_limit(*limit))).collect();
    settings.step = step;
    settings
}
