//! Watching a device round by round, without cheating by looking often.
//!
//! The e-value is what a gambler would have who began with one unit and, before every round, bet all of it against the
//! device being fair, at fair odds. On a fair device no such gambler gains in the mean, so the chance of ever having
//! `1 / level` units is at most `level` (Ville's inequality): however often one looks, and whenever one stops.
//!
//! How the gambler bets: by what has come so far, drawn towards fairness. Before each round a category that came c times
//! in n is expected with (K·q + c) / (K + n), where q is its fair share: a Dirichlet mixture over all biases. Small K is
//! quick to see strong biases, large K finds weak ones; some bet on faces or pockets, some on sectors of the wheel. The
//! unit is divided among all of them at the beginning, and the e-value is what they have together.

use rulebook::{OutcomeIndex, OutcomeSpace};
use serde::{Deserialize, Serialize};

use super::device::{Device, Order, sector};

/// A device under watch.
///
/// ```
/// use lab::bias::{Order, Watch};
/// let sicbo = rulebook::library::find("rws-sicbo").unwrap();
/// let mut watch = Watch::new(sicbo.outcomes(), Order::Known, 0.001);
/// let sixes = sicbo.outcomes().parse("6-6-6").unwrap();
/// for _ in 0..12 {
///     watch.observe(sixes);
/// }
/// assert!(watch.alarm().is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    device: Device,
    size: usize,
    level: f64,
    rounds: u64,
    gamblers: Vec<Gambler>,
    /// Logarithms, so that no e-value is too large.
    log_e: f64,
    log_highest: f64,
    alarm: Option<u64>,
}

/// One of those who bet: on categories of one kind, with one prior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Gambler {
    view: View,
    prior: f64,
    /// The fair share of each category.
    fair: Vec<f64>,
    /// Counts of each category; for the dice one after the other, three times as many.
    counts: Vec<f64>,
    seen: f64,
    log_wealth: f64,
}

/// What a gambler looks at.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum View {
    /// The faces, on any die.
    Faces,
    /// The faces of each die for itself.
    EachDie,
    /// The pockets.
    Pockets,
    /// Sectors of the wheel.
    Sectors,
}

const SECTORS: usize = 6;

impl Watch {
    /// Begins a watch that raises a false alarm with a probability of at most `level`, ever.
    #[must_use]
    pub fn new(space: &OutcomeSpace, order: Order, level: f64) -> Watch {
        let device = Device::of(space, order);
        let views: &[(View, f64)] = match &device {
            Device::Dice(Order::Known) => &[
                (View::Faces, 60.0),
                (View::Faces, 600.0),
                (View::Faces, 6_000.0),
                (View::EachDie, 60.0),
                (View::EachDie, 600.0),
                (View::EachDie, 6_000.0),
            ],
            Device::Dice(Order::Unknown) => &[(View::Faces, 60.0), (View::Faces, 600.0), (View::Faces, 6_000.0)],
            Device::Wheel(_) => &[
                (View::Pockets, 400.0),
                (View::Pockets, 4_000.0),
                (View::Sectors, 60.0),
                (View::Sectors, 600.0),
                (View::Sectors, 6_000.0),
            ],
        };
        let size = space.size();
        let gamblers = views.iter().map(|(view, prior)| Gambler::new(*view, *prior, size)).collect();
        Watch { device, size, level, rounds: 0, gamblers, log_e: 0.0, log_highest: 0.0, alarm: None }
    }

    /// Takes down a result and gives the e-value after it.
    pub fn observe(&mut self, outcome: OutcomeIndex) -> f64 {
        for gambler in &mut self.gamblers {
            match (&self.device, gambler.view) {
                (Device::Dice(_), View::EachDie) => {
                    for (die, face) in Device::faces(outcome).into_iter().enumerate() {
                        gambler.bet(face, die * 6 + face, self.rounds as f64);
                    }
                }
                (Device::Dice(_), _) => {
                    for face in Device::faces(outcome) {
                        let seen = gambler.seen;
                        gambler.bet(face, face, seen);
                    }
                }
                (Device::Wheel(places), view) => {
                    let place = places.get(outcome.get()).map_or(0, |place| usize::from(*place));
                    let category = match view {
                        View::Sectors => sector(place, self.size, SECTORS),
                        _ => place,
                    };
                    gambler.bet(category, category, self.rounds as f64);
                }
            }
        }
        self.rounds += 1;
        let most = self.gamblers.iter().map(|gambler| gambler.log_wealth).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.gamblers.iter().map(|gambler| (gambler.log_wealth - most).exp()).sum();
        self.log_e = most + (sum / self.gamblers.len() as f64).ln();
        self.log_highest = self.log_highest.max(self.log_e);
        if self.alarm.is_none() && self.log_e >= self.threshold().ln() {
            self.alarm = Some(self.rounds);
        }
        self.e_value()
    }

    /// The e-value now.
    #[must_use]
    pub fn e_value(&self) -> f64 {
        self.log_e.exp()
    }

    /// The highest e-value so far.
    #[must_use]
    pub fn highest(&self) -> f64 {
        self.log_highest.exp()
    }

    /// What the e-value is held against: one in the level.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        1.0 / self.level
    }

    /// How many results were taken down.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The round at which the threshold was first reached.
    #[must_use]
    pub fn alarm(&self) -> Option<u64> {
        self.alarm
    }
}

impl Gambler {
    fn new(view: View, prior: f64, size: usize) -> Gambler {
        let even = |kinds: usize| vec![1.0 / kinds as f64; kinds];
        let (fair, kinds) = match view {
            View::Faces => (even(6), 6),
            View::EachDie => (even(6), 18),
            View::Pockets => (even(size), size),
            View::Sectors => {
                let mut pockets = vec![0.0; SECTORS];
                (0..size).for_each(|place| pockets[sector(place, size, SECTORS)] += 1.0 / size as f64);
                (pockets, SECTORS)
            }
        };
        Gambler { view, prior, fair, counts: vec![0.0; kinds], seen: 0.0, log_wealth: 0.0 }
    }

    /// The category came that the gambler expected with (prior · fair + count) / (prior + seen).
    fn bet(&mut self, category: usize, count: usize, seen: f64) {
        let fair = self.fair[category];
        let expected = (self.prior * fair + self.counts[count]) / (self.prior + seen);
        self.log_wealth += (expected / fair).ln();
        self.counts[count] += 1.0;
        self.seen += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rulebook::library;

    /// The mean of the e-value over all sequences of a fair device is one: no bettor gains on average.
    #[test]
    fn on_a_fair_device_the_e_value_is_one_in_the_mean() {
        let roulette = library::find("roulette-single-zero").unwrap().outcomes();
        let mut sum = 0.0;
        for first in roulette.indices() {
            for second in roulette.indices() {
                let mut watch = Watch::new(roulette, Order::Unknown, 0.01);
                watch.observe(first);
                sum += watch.observe(second);
            }
        }
        assert!((sum / 37.0 / 37.0 - 1.0).abs() < 1e-9, "{sum}");
        let dice = library::find("rws-sicbo").unwrap().outcomes();
        for order in [Order::Known, Order::Unknown] {
            let mut fresh = Watch::new(dice, order, 0.01);
            fresh.observe(dice.parse("1-2-2").unwrap());
            let mean: f64 = dice.indices().map(|outcome| fresh.clone().observe(outcome)).sum::<f64>() / 216.0;
            assert!((mean - fresh.e_value()).abs() < 1e-9, "{mean}");
        }
    }

    #[test]
    fn a_watch_can_be_kept_and_taken_up_again() {
        let space = library::find("rws-roulette-000").unwrap().outcomes();
        let mut watch = Watch::new(space, Order::Unknown, 0.001);
        for outcome in space.indices() {
            watch.observe(outcome);
        }
        let kept = serde_json::to_string(&watch).unwrap();
        let again: Watch = serde_json::from_str(&kept).unwrap();
        assert_eq!(again, watch);
        assert_eq!(again.rounds(), 39);
    }
}
