//! Gaming days: they begin at the hour the floor has set, in local time.

use floor::Moment;

/// Milliseconds that local time is ahead of UTC: Singapore, eight hours, the whole year.
pub const LOCAL_TIME_OFFSET: i64 = 8 * 60 * 60 * 1000;

const MINUTE: i64 = 60 * 1000;
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// The gaming day of a moment, as `2026-03-29`; `day_starts` is in minutes after midnight, local time.
///
/// ```
/// use floor::Moment;
/// // 05:59 and 06:00 in Singapore on 1 January 2026, with days that begin at six.
/// assert_eq!(records::gaming_day(Moment(1_767_218_340_000), 360), "2025-12-31");
/// assert_eq!(records::gaming_day(Moment(1_767_218_400_000), 360), "2026-01-01");
/// ```
#[must_use]
pub fn gaming_day(at: Moment, day_starts: u16) -> String {
    let local = at.0.saturating_add(LOCAL_TIME_OFFSET).saturating_sub(i64::from(day_starts) * MINUTE);
    day_text(local.div_euclid(DAY))
}

/// A gaming day as the floor counts it, in days since 1970, as `2026-03-29`.
#[must_use]
pub fn day_text(days: i64) -> String {
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// When a gaming day begins; `None` if it is not written as `2026-03-29`.
pub(crate) fn begins(day: &str, day_starts: u16) -> Option<Moment> {
    let mut numbers = day.split('-').map(|number| number.parse::<i64>().ok());
    let (year, month, of_month) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if numbers.next().is_some() || !(1..=12).contains(&month) || !(0..10_000).contains(&year) {
        return None;
    }
    // Day 0 is 1 March of the year 0; a year that begins in March has its leap day at its end.
    let (year_in_march, month_from_march) = (year - i64::from(month <= 2), (month + 9) % 12);
    let days = 365 * year_in_march + year_in_march.div_euclid(4) - year_in_march.div_euclid(100)
        + year_in_march.div_euclid(400)
        + (153 * month_from_march + 2) / 5
        + of_month
        - 1
        - 719_468;
    (date(days) == (year, month, of_month))
        .then(|| Moment(days * DAY + i64::from(day_starts) * MINUTE - LOCAL_TIME_OFFSET))
}

/// Year, month and day of a count of days since 1970, by whole eras of 400 years that begin on 1 March.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_where_the_one_before_it_ends() {
        for days in -200_000..200_000 {
            let at = Moment(days * DAY + 360 * MINUTE - LOCAL_TIME_OFFSET);
            let day = gaming_day(at, 360);
            if !day.starts_with('-') {
                assert_eq!(begins(&day, 360), Some(at), "{day}");
            }
        }
        for no_day in ["", "2026", "2026-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-01-01", "x-01-01"] {
            assert_eq!(begins(no_day, 0), None, "{no_day}");
        }
    }

    #[test]
    fn dates_follow_the_calendar() {
        for (days, expected) in [
            (0, (1970, 1, 1)),
            (-1, (1969, 12, 31)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (19_782, (2024, 2, 29)),
            (20_454, (2026, 1, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(days), expected, "{days}");
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = date(-800_000);
        for days in -799_999..800_000 {
            let now = date(days);
            let next_day = now.0 == before.0 && now.1 == before.1 && now.2 == before.2 + 1;
            let next_month = now.2 == 1 && (now.1 == before.1 + 1 || (now.1 == 1 && before.1 == 12));
            assert!(next_day || next_month, "{before:?} {now:?}");
            before = now;
        }
    }
}
