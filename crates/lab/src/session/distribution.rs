//! The result after N rounds, by convolution.
//!
//! The results of a round lie on a lattice: net = first + step · k. The distribution of the sum of N rounds is the N-th
//! power of the round's Fourier transform, turned back. Two things make that fast and keep it exact:
//!
//! - **A window.** Almost all of the probability lies near the mean. For both ends Chernoff's bound gives a place beyond
//!   which less than 10⁻¹⁸ lies; the transform is taken over the window between them, and what lies outside is folded into
//!   it, which is an error of less than 2 · 10⁻¹⁸ in any probability.
//! - **A bound for rounding.** A transform of L points errs by about ε·log₂L relative to the norm of what it transforms;
//!   the power multiplies an error by N. By Parseval the error of all probabilities together has a norm of at most
//!   4·ε·(N+1)·log₂L·‖p‖₂, and so no sum of them errs by more than √L times that. [`Distribution::error`] is that
//!   figure plus what lies outside the window.

use realfft::RealFftPlanner;

use super::{Round, SessionError};

/// The distribution of the result after some rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    rounds: u64,
    first: i64,
    step: i64,
    probabilities: Vec<f64>,
    error: f64,
}

/// Less than this may lie outside the window at either end.
const OUTSIDE: f64 = 1e-18;

impl Distribution {
    /// The most rounds that are computed: beyond them rounding would show in the sixth place.
    pub const MOST_ROUNDS: u64 = 10_000_000;
    /// The most points of a distribution.
    pub const MOST_POINTS: u64 = 1 << 25;

    /// The distribution after so many rounds.
    ///
    /// # Errors
    /// When there are no rounds or too many, or the results lie on too fine a grid.
    pub fn after(round: &Round, rounds: u64) -> Result<Distribution, SessionError> {
        Distribution::within(round, rounds, Distribution::MOST_POINTS)
    }

    /// The same, with fewer points allowed: for callers with little time.
    ///
    /// # Errors
    /// As [`Distribution::after`].
    pub fn within(round: &Round, rounds: u64, most: u64) -> Result<Distribution, SessionError> {
        let most = most.min(Distribution::MOST_POINTS);
        if rounds == 0 || rounds > Distribution::MOST_ROUNDS {
            return Err(SessionError::Rounds);
        }
        let worst = round.worst();
        let step = round.landings.iter().map(|landing| landing.net - worst).fold(0, gcd);
        let first = worst.checked_mul(rounds.cast_signed()).ok_or(SessionError::TooLarge)?;
        if step == 0 {
            // One result only: nothing is left to chance.
            return Ok(Distribution { rounds, first, step: 1, probabilities: vec![1.0], error: 0.0 });
        }
        let one: Vec<(u64, f64)> = round
            .landings
            .iter()
            .map(|landing| (((landing.net - worst) / step).unsigned_abs(), landing.ways as f64 / round.ways as f64))
            .collect();
        let (low, high) = window(&one, rounds)?;
        let points = high - low + 1;
        if points > most {
            return Err(SessionError::TooFine { points, most });
        }
        let (mut probabilities, length) = convolve(&one, rounds, low, points);
        probabilities.truncate(points as usize);
        let norm = probabilities.iter().map(|p| p * p).sum::<f64>().sqrt();
        let (rounds_f, length) = (rounds as f64, length as f64);
        let rounding = 4.0 * f64::EPSILON * (rounds_f + 1.0) * length.log2().max(1.0) * length.sqrt() * norm;
        let first = low
            .cast_signed()
            .checked_mul(step)
            .and_then(|more| first.checked_add(more))
            .ok_or(SessionError::TooLarge)?;
        Ok(Distribution { rounds, first, step, probabilities, error: rounding + 2.0 * OUTSIDE })
    }

    /// After how many rounds.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// No probability, and no sum of probabilities, is further from the truth than this.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.error
    }

    /// The result at a place of the lattice, in cents.
    fn net(&self, place: usize) -> i64 {
        self.first + self.step * place.cast_signed() as i64
    }

    /// The results on the lattice, in cents, with their probabilities, ascending.
    pub fn points(&self) -> impl DoubleEndedIterator<Item = (i64, f64)> + ExactSizeIterator + '_ {
        self.probabilities.iter().enumerate().map(|(place, p)| (self.net(place), *p))
    }

    /// The probability of exactly this result.
    #[must_use]
    pub fn at(&self, net: i64) -> f64 {
        let distance = net - self.first;
        if distance < 0 || distance % self.step != 0 {
            return 0.0;
        }
        usize::try_from(distance / self.step)
            .ok()
            .and_then(|place| self.probabilities.get(place))
            .copied()
            .unwrap_or(0.0)
    }

    /// The probability of a result above this one.
    #[must_use]
    pub fn above(&self, net: i64) -> f64 {
        self.points().rev().take_while(|(at, _)| *at > net).map(|(_, p)| p).sum()
    }

    /// The probability of a result below this one.
    #[must_use]
    pub fn below(&self, net: i64) -> f64 {
        self.points().take_while(|(at, _)| *at < net).map(|(_, p)| p).sum()
    }

    /// The least result that is not exceeded with this probability.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> i64 {
        let mut sum = 0.0;
        for (net, p) in self.points() {
            sum += p;
            if sum >= probability {
                return net;
            }
        }
        self.net(self.probabilities.len().saturating_sub(1))
    }

    /// The mean in cents.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.points().map(|(net, p)| net as f64 * p).sum()
    }

    /// The standard deviation in cents.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        self.points().map(|(net, p)| (net as f64 - mean).powi(2) * p).sum::<f64>().sqrt()
    }

    /// This many bins of equal width that hold all but a share of 2 · `cut`: from, to and the share in each, in cents.
    #[must_use]
    pub fn bins(&self, count: usize, cut: f64) -> Vec<(f64, f64, f64)> {
        let (low, high) = (self.quantile(cut), self.quantile(1.0 - cut));
        let points = (high - low) / self.step + 1;
        // Every bin has the same number of lattice points, so that none stands out for its place on the lattice.
        let each = points.div_euclid(i64::try_from(count.max(1)).unwrap_or(1)).max(1);
        let width = each * self.step;
        let bins = points.div_euclid(each) + i64::from(points % each != 0);
        let mut shares = vec![0.0; usize::try_from(bins).unwrap_or(0)];
        for (net, p) in self.points() {
            if net >= low
                && let Some(share) = usize::try_from((net - low) / width).ok().and_then(|place| shares.get_mut(place))
            {
                *share += p;
            }
        }
        let half = self.step as f64 / 2.0;
        let from = |place: usize| low as f64 - half + place as f64 * width as f64;
        shares.into_iter().enumerate().map(|(place, share)| (from(place), from(place + 1), share)).collect()
    }
}

pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The lattice places between which all but 2 · [`OUTSIDE`] lies.
fn window(one: &[(u64, f64)], rounds: u64) -> Result<(u64, u64), SessionError> {
    let most = one.iter().map(|(k, _)| *k).max().unwrap_or(0);
    let last = most.checked_mul(rounds).filter(|last| *last < 1 << 53).ok_or(SessionError::TooLarge)?;
    let upper = reach(one, rounds, 1.0);
    let lower = reach(one, rounds, -1.0);
    let high = if upper < last as f64 { upper.ceil() as u64 } else { last };
    let low = if lower > 0.0 { lower.floor() as u64 } else { 0 };
    Ok((low.min(high), high))
}

/// Chernoff: P(sum ≥ a) ≤ exp(N·ln M(t) − t·a) for every t > 0, so that a = (N·ln M(t) − ln OUTSIDE) / t is a place
/// beyond which less than OUTSIDE lies; the best t gives the nearest. For the lower end t < 0.
fn reach(one: &[(u64, f64)], rounds: u64, sign: f64) -> f64 {
    let most = one.iter().map(|(k, _)| *k).max().unwrap_or(1) as f64;
    let place = |log_t: f64| {
        let t = sign * log_t.exp();
        // Taken out of the sum so that nothing overflows.
        let top = if t > 0.0 { t * most } else { 0.0 };
        let moment: f64 = one.iter().map(|(k, p)| p * (t * *k as f64 - top).exp()).sum();
        (rounds as f64 * (moment.ln() + top) - OUTSIDE.ln()) / t
    };
    let (mut low, mut high) = ((1e-12 / most).ln(), (1e3_f64).ln());
    let better = |a: f64, b: f64| if sign > 0.0 { a < b } else { a > b };
    // The bound has one best t; thirds close in on it.
    for _ in 0..200 {
        let third = (high - low) / 3.0;
        if better(place(low + third), place(high - third)) {
            high -= third;
        } else {
            low += third;
        }
    }
    place((low + high) / 2.0)
}

/// The probabilities from place `low` on, and the length of the transform.
fn convolve(one: &[(u64, f64)], rounds: u64, low: u64, points: u64) -> (Vec<f64>, usize) {
    let length = fast_length(points.max(2) as usize);
    let mut planner = RealFftPlanner::<f64>::new();
    let forward = planner.plan_fft_forward(length);
    let backward = planner.plan_fft_inverse(length);
    let mut signal = forward.make_input_vec();
    for (k, p) in one {
        signal[(*k % length as u64) as usize] += p;
    }
    let mut spectrum = forward.make_output_vec();
    let mut probabilities = backward.make_output_vec();
    // Both only fail on buffers of a wrong length, and these are their own.
    if forward.process(&mut signal, &mut spectrum).is_err() {
        return (vec![f64::NAN; length], length);
    }
    let exponent = u32::try_from(rounds).unwrap_or(u32::MAX);
    spectrum.iter_mut().for_each(|value| *value = value.powu(exponent));
    // A real signal has a real first coefficient, and a real last one when its length is even.
    if let Some(first) = spectrum.first_mut() {
        first.im = 0.0;
    }
    if let Some(last) = spectrum.last_mut().filter(|_| length.is_multiple_of(2)) {
        last.im = 0.0;
    }
    if backward.process(&mut spectrum, &mut probabilities).is_err() {
        return (vec![f64::NAN; length], length);
    }
    let scale = 1.0 / length as f64;
    probabilities.iter_mut().for_each(|p| *p = (*p * scale).max(0.0));
    probabilities.rotate_left((low % length as u64) as usize);
    (probabilities, length)
}

/// The next length that a transform is fast for: even, with no prime factor above five.
fn fast_length(least: usize) -> usize {
    let smooth = |mut n: usize| {
        for factor in [2, 3, 5] {
            while n.is_multiple_of(factor) {
                n /= factor;
            }
        }
        n == 1
    };
    (least.next_multiple_of(2)..).step_by(2).find(|n| smooth(*n)).unwrap_or(least)
}
