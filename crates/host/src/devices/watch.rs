//! Watchers that say when the pit should be told (S19). They see what happened and remember little.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use floor::Moment;

use super::Direction;

/// Whether ball and wheel change their direction from spin to spin.
#[derive(Clone, Debug, Default)]
pub struct Alternation {
    last: Option<Direction>,
}

impl Alternation {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Alternation {
        Alternation::default()
    }

    /// A spin went this way. `true`: so did the one before, and the pit should know.
    #[must_use]
    pub fn spun(&mut self, direction: Direction) -> bool {
        self.last.replace(direction) == Some(direction)
    }

    /// Another dealer or wheel: the next spin may go either way.
    pub fn reset(&mut self) {
        self.last = None;
    }
}

/// A pace out of range, in games per hour.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pace {
    /// More games than should be.
    TooFast(u32),
    /// Fewer games than should be.
    TooSlow(u32),
}

/// Whether a table keeps its pace. It is measured over the last games, and said once until it is back in range.
#[derive(Clone, Debug)]
pub struct GamesPerHour {
    range: RangeInclusive<u32>,
    ended: VecDeque<Moment>,
    told: bool,
}

/// Intervals that the pace is measured over.
const INTERVALS: usize = 10;
const HOUR: i64 = 60 * 60 * 1000;

impl GamesPerHour {
    /// A watcher for paces in this range.
    #[must_use]
    pub fn new(range: RangeInclusive<u32>) -> GamesPerHour {
        GamesPerHour { range, ended: VecDeque::with_capacity(INTERVALS + 1), told: false }
    }

    /// A game has ended, settled or void. Says so when the pace has left its range.
    pub fn ended(&mut self, now: Moment) -> Option<Pace> {
        if self.ended.len() > INTERVALS {
            self.ended.pop_front();
        }
        // A clock that was set back measures nothing.
        if self.ended.back().is_some_and(|last| now < *last) {
            self.reset();
        }
        self.ended.push_back(now);
        self.judge()
    }

    /// Time passes and no game ends: a table that has stopped is too slow, although nothing more happens at it.
    pub fn waited(&mut self, now: Moment) -> Option<Pace> {
        let last = *self.ended.back()?;
        let longest = HOUR.checked_div(i64::from(*self.range.start()))?.saturating_mul(INTERVALS_WAITED);
        if self.told || now.since(last) <= longest {
            return None;
        }
        self.told = true;
        Some(Pace::TooSlow(u32::try_from(HOUR / now.since(last).max(1)).unwrap_or(u32::MAX)))
    }

    /// Games per hour over the last ones, once there are enough of them.
    #[must_use]
    pub fn pace(&self) -> Option<u32> {
        if self.ended.len() <= INTERVALS {
            return None;
        }
        let took = self.ended.back()?.since(*self.ended.front()?).max(1);
        let intervals = i64::try_from(INTERVALS).ok()?;
        u32::try_from(intervals.saturating_mul(HOUR) / took).ok().or(Some(u32::MAX))
    }

    /// The table was opened or closed, or its settings changed: the measurement of the next games restarts.
    pub fn reset(&mut self) {
        self.ended.clear();
        self.told = false;
    }

    fn judge(&mut self) -> Option<Pace> {
        let pace = self.pace()?;
        if self.range.contains(&pace) {
            self.told = false;
            return None;
        }
        if self.told {
            return None;
        }
        self.told = true;
        Some(if pace > *self.range.end() { Pace::TooFast(pace) } else { Pace::TooSlow(pace) })
    }
}

/// How many games' time a table may stand still before it counts as stopped.
const INTERVALS_WAITED: i64 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000;

    /// Games that end at even intervals; what was said of them.
    fn games(watch: &mut GamesPerHour, from: Moment, every: i64, count: i64) -> (Moment, Vec<Pace>) {
        let mut moments = (1..=count).map(|n| from.after(n * every));
        let said = moments.clone().filter_map(|at| watch.ended(at)).collect();
        (moments.next_back().unwrap_or(from), said)
    }

    #[test]
    fn a_direction_is_told_when_it_did_not_alternate() {
        let mut watch = Alternation::new();
        use Direction::{Anticlockwise, Clockwise};
        let spins = [Clockwise, Anticlockwise, Clockwise, Clockwise, Clockwise, Anticlockwise];
        assert_eq!(spins.map(|spin| watch.spun(spin)), [false, false, false, true, true, false]);
        watch.reset();
        assert!(!watch.spun(Anticlockwise));
    }

    #[test]
    fn a_pace_in_range_is_not_told() {
        let mut watch = GamesPerHour::new(40..=120);
        let (_, said) = games(&mut watch, Moment(0), 45 * SECOND, 100);
        assert_eq!((said, watch.pace()), (vec![], Some(80)));
    }

    #[test]
    fn a_pace_out_of_range_is_told_once_until_it_is_back() {
        let mut watch = GamesPerHour::new(40..=120);
        let (at, said) = games(&mut watch, Moment(0), 20 * SECOND, 50);
        assert_eq!(said, [Pace::TooFast(180)]);
        let (at, said) = games(&mut watch, at, 60 * SECOND, 50);
        assert_eq!(said, []);
        let (at, said) = games(&mut watch, at, 120 * SECOND, 50);
        assert!(matches!(said[..], [Pace::TooSlow(30..40)]), "{said:?}");
        let (_, said) = games(&mut watch, at, 10 * SECOND, 50);
        assert!(matches!(said[..], [Pace::TooFast(_)]), "{said:?}");
    }

    #[test]
    fn a_few_games_say_nothing_about_the_pace() {
        let mut watch = GamesPerHour::new(40..=120);
        assert_eq!(games(&mut watch, Moment(0), SECOND, 10).1, []);
        assert_eq!(watch.pace(), None);
        assert_eq!(watch.ended(Moment(11 * SECOND)), Some(Pace::TooFast(3600)));
    }

    #[test]
    fn a_table_that_has_stopped_is_too_slow_and_told_once() {
        let mut watch = GamesPerHour::new(40..=120);
        assert_eq!(watch.waited(Moment(1_000 * SECOND)), None, "it has not begun");
        let (at, _) = games(&mut watch, Moment(0), 45 * SECOND, 3);
        assert_eq!(watch.waited(at.after(270 * SECOND)), None);
        assert_eq!(watch.waited(at.after(271 * SECOND)), Some(Pace::TooSlow(13)));
        assert_eq!(watch.waited(at.after(500 * SECOND)), None);
    }

    #[test]
    fn a_clock_that_is_set_back_measures_nothing() {
        let mut watch = GamesPerHour::new(40..=120);
        let (at, _) = games(&mut watch, Moment(0), 45 * SECOND, 20);
        assert_eq!(watch.ended(at.after(-600 * SECOND)), None);
        assert_eq!(watch.pace(), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut watch = GamesPerHour::new(1..=100_000);
        games(&mut watch, Moment(0), SECOND, 100_000);
        assert_eq!(watch.ended.len(), INTERVALS + 1);
    }
}
