//! The gaming day: it begins at the hour the floor has set, in local time, and with an event (D27).

use crate::event::Event;
use crate::ids::*;
use crate::level::TAGGED;
use crate::state::Floor;

/// Milliseconds that local time is ahead of UTC: Singapore, eight hours, the whole year.
const LOCAL_TIME_OFFSET: i64 = 8 * 60 * 60 * 1000;
const MINUTE: i64 = 60 * 1000;
const DAY: i64 = 24 * 60 * MINUTE;

impl Floor {
    /// The gaming day, in days since 1970 in local time.
    #[must_use]
    pub fn gaming_day(&self) -> i64 {
        self.control.day
    }

    pub(crate) fn day_of(&self, at: Moment) -> i64 {
        at.0.saturating_add(LOCAL_TIME_OFFSET).saturating_sub(self.day_starts()).div_euclid(DAY)
    }

    fn day_starts(&self) -> i64 {
        i64::from(self.settings.as_ref().map_or(0, |settings| settings.day_starts)) * MINUTE
    }

    /// When the next gaming day begins.
    pub(crate) fn next_day(&self) -> Option<Moment> {
        self.settings.as_ref().filter(|_| self.level() >= TAGGED)?;
        let days = self.control.day.saturating_add(1).saturating_mul(DAY);
        Some(Moment(days.saturating_add(self.day_starts()).saturating_sub(LOCAL_TIME_OFFSET)))
    }

    /// The event with which a gaming day begins, once it has. It never runs backwards.
    pub(crate) fn day_begins(&self, at: Moment) -> Option<Event> {
        let day = self.day_of(at);
        (day > self.control.day && self.level() >= TAGGED).then_some(Event::DayBegan { day })
    }
}
