//! Gaming days: they begin at the hour the floor has set, in local time.

use floor::Moment;

/// Milliseconds that local time is ahead of UTC: Singapore, eight hours, the whole year.
pub const LOCAL_TIME_OFFSET: i64 = 8 * 60 * 60 * 1000;

const MINUTE: i64 = 60 * 1000;
const DAY: i64 = 24 * 60 * MINUTE;

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
    let (year, month, day) = date(local.div_euclid(DAY));
    format!("{year:04}-{month:02}-{day:02}")
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
