//! Bankroll and target: a session that may end before its last round.

use rulebook::Cents;
use serde::Serialize;
use utoipa::ToSchema;

use super::distribution::gcd;
use super::{Budget, Distribution, Round, SessionError};
use crate::words::money;

/// How far the session has come by a round.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct RuinPoint {
    /// After so many rounds …
    pub round: u64,
    /// … the bankroll no longer covers the stakes,
    pub broke: f64,
    /// … or the target has been reached.
    pub reached: f64,
}

/// What becomes of a bankroll.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Ruin {
    /// What the player begins with.
    #[serde(serialize_with = "money")]
    #[schema(value_type = String)]
    pub bankroll: Cents,
    /// At what the player stops.
    #[serde(serialize_with = "optional_money")]
    #[schema(value_type = Option<String>)]
    pub target: Option<Cents>,
    /// The probability that the bankroll at some time does not cover the stakes of the next round.
    pub broke: f64,
    /// The probability that the target is reached first.
    pub reached: f64,
    /// The probability that neither happens within the rounds.
    pub playing: f64,
    /// How many rounds are played in the mean.
    pub mean_rounds: f64,
    /// No probability here is further from the truth than this.
    pub error: f64,
    /// The same by the number of rounds.
    pub course: Vec<RuinPoint>,
}

fn optional_money<S: serde::Serializer>(cents: &Option<Cents>, serializer: S) -> Result<S::Ok, S::Error> {
    match cents {
        Some(cents) => money(cents, serializer),
        None => serializer.serialize_none(),
    }
}

/// Probability at the upper end that is set aside as out of reach of ruin; the error says how much it was.
const NEGLIGIBLE: f64 = 1e-22;

/// Walks a bankroll through the rounds: it ends when it does not cover the stakes of a round, or reaches the target.
///
/// # Errors
/// When the bankroll does not cover one round, the target is not above it, or the walk takes too many steps.
pub fn ruin(round: &Round, rounds: u64, bankroll: Cents, target: Option<Cents>) -> Result<Ruin, SessionError> {
    within(round, rounds, bankroll, target, Budget::LARGEST)
}

/// The same, with less work allowed.
pub(super) fn within(
    round: &Round,
    rounds: u64,
    bankroll: Cents,
    target: Option<Cents>,
    budget: Budget,
) -> Result<Ruin, SessionError> {
    if rounds == 0 || rounds > Distribution::MOST_ROUNDS {
        return Err(SessionError::Rounds);
    }
    if bankroll.get() < round.stakes {
        return Err(SessionError::BankrollBelowStakes { bankroll, stakes: Cents::new(round.stakes) });
    }
    if let Some(target) = target.filter(|target| *target <= bankroll) {
        return Err(SessionError::TargetBelowBankroll { target, bankroll });
    }
    let mut walk = Walk::new(round, rounds, bankroll.get(), target.map(Cents::get), budget)?;
    let marks = marks(rounds);
    let mut course = Vec::with_capacity(marks.len());
    for number in 1..=rounds {
        walk.step();
        if marks.binary_search(&number).is_ok() {
            course.push(RuinPoint { round: number, broke: walk.broke, reached: walk.reached });
        }
    }
    let playing = walk.playing() + walk.away;
    let rounding = f64::EPSILON * 4.0 * rounds as f64;
    let (broke, reached, mean_rounds, error) = (walk.broke, walk.reached, walk.played, walk.away + rounding);
    Ok(Ruin { bankroll, target, broke, reached, playing, mean_rounds, error, course })
}

/// The rounds at which the course is kept: evenly spread, and the last.
fn marks(rounds: u64) -> Vec<u64> {
    const POINTS: u64 = 60;
    let mut marks: Vec<u64> = (1..=POINTS).map(|n| (rounds * n / POINTS).max(1)).collect();
    marks.dedup();
    marks
}

/// The probabilities of the bankrolls with which play continues, on a lattice.
struct Walk {
    /// Jumps on the lattice with their probabilities.
    jumps: Vec<(isize, f64)>,
    /// Probabilities; place 0 is the smallest bankroll that covers the stakes.
    now: Vec<f64>,
    next: Vec<f64>,
    /// The places from which to which there is any.
    live: (usize, usize),
    /// The first place at or above the target, or where the walk is cut off.
    end: usize,
    has_target: bool,
    broke: f64,
    reached: f64,
    away: f64,
    played: f64,
}

impl Walk {
    fn new(
        round: &Round,
        rounds: u64,
        bankroll: i64,
        target: Option<i64>,
        budget: Budget,
    ) -> Result<Walk, SessionError> {
        let step = round.landings.iter().map(|landing| landing.net).fold(0, gcd).max(1);
        let start = (bankroll - round.stakes) / step;
        // The lattice through the bankroll; its lowest place that still covers the stakes is place 0.
        let origin = bankroll - start * step;
        let end = match target {
            Some(target) => (target - origin + step - 1) / step,
            None => {
                // The bankroll never rises above this, except with a probability that goes into the error.
                let top = Distribution::within(round, rounds, budget.points)?.quantile(1.0 - 1e-15).max(0);
                let spread = 3.0 * (rounds as f64 * crate::words::float(round.variance())).sqrt();
                (bankroll + top + spread as i64 + round.best() - origin) / step + 2
            }
        };
        let width = usize::try_from(end).map_err(|_| SessionError::TooLarge)?;
        let steps = rounds as f64 * width as f64 * round.landings.len() as f64;
        if steps > budget.steps {
            return Err(SessionError::TooMuchWork { steps, most: budget.steps });
        }
        let jumps = round
            .landings
            .iter()
            .map(|landing| ((landing.net / step) as isize, landing.ways as f64 / round.ways as f64))
            .collect();
        let start = usize::try_from(start).map_err(|_| SessionError::TooLarge)?;
        let mut now = vec![0.0; width];
        if let Some(place) = now.get_mut(start) {
            *place = 1.0;
        }
        Ok(Walk {
            jumps,
            next: vec![0.0; width],
            now,
            live: (start, start + 1),
            end: width,
            has_target: target.is_some(),
            broke: 0.0,
            reached: 0.0,
            away: 0.0,
            played: 0.0,
        })
    }

    fn playing(&self) -> f64 {
        self.now[self.live.0..self.live.1].iter().sum()
    }

    fn step(&mut self) {
        let (from, to) = self.live;
        let end = self.end.cast_signed();
        self.played += self.playing() + self.away;
        let (mut low, mut high) = (self.end, 0);
        for (jump, p) in &self.jumps {
            // A jump below place 0 is ruin, a jump to the end is the target, the rest continues.
            let (first, last) = (from.cast_signed(), to.cast_signed());
            let stays = (first.max(-jump)).clamp(first, last);
            let leaves = (end - jump).clamp(stays, last);
            let sum =
                |range: std::ops::Range<isize>| self.now[range.start as usize..range.end as usize].iter().sum::<f64>();
            self.broke += p * sum(first..stays);
            let over = p * sum(leaves..last);
            if self.has_target {
                self.reached += over;
            } else {
                self.away += over;
            }
            if stays < leaves {
                let (begin, stop) = ((stays + jump) as usize, (leaves + jump) as usize);
                let source = &self.now[stays as usize..leaves as usize];
                for (into, value) in self.next[begin..stop].iter_mut().zip(source) {
                    *into += p * value;
                }
                (low, high) = (low.min(begin), high.max(stop));
            }
        }
        self.now[from..to].fill(0.0);
        std::mem::swap(&mut self.now, &mut self.next);
        while !self.has_target && high > low && self.now[high - 1] < NEGLIGIBLE {
            high -= 1;
            self.away += std::mem::take(&mut self.now[high]);
        }
        self.live = (low.min(high), high);
    }
}
