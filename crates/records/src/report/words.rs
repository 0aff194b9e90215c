//! Figures as people write them, and as programs read them.

use std::fmt;

use floor::Moment;
use rulebook::Cents;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::day;

/// Money: a string with two decimals for programs, with its thousands set off for people.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, pattern = r"^-?[0-9]+\.[0-9]{2}$", example = "10.00")]
pub struct Amount(pub i64);

impl From<Cents> for Amount {
    fn from(cents: Cents) -> Amount {
        Amount(cents.get())
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Cents::new(self.0))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "−" } else { "" };
        write!(f, "{sign}{}.{:02}", count(magnitude / 100), magnitude % 100)
    }
}

/// A moment in local time.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-03-29T21:30:00.000+08:00")]
pub struct At(pub Moment);

impl At {
    /// The time of day alone.
    pub(crate) fn time(self) -> String {
        self.to_string().split_off(11)
    }
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (date, time) = (day::gaming_day(self.0, 0), self.time());
        let milliseconds = self.0.0.rem_euclid(1000);
        serializer.serialize_str(&format!("{date}T{time}.{milliseconds:03}+08:00"))
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.0.saturating_add(day::LOCAL_TIME_OFFSET).rem_euclid(day::DAY) / 1000;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{} {hours:02}:{minutes:02}:{seconds:02}", day::gaming_day(self.0, 0))
    }
}

/// A share in percent.
pub(crate) fn percent(share: Option<f64>) -> String {
    let Some(share) = share else { return "–".to_owned() };
    let sign = if share < 0.0 { "−" } else { "" };
    format!("{sign}{:.2} %", share.abs() * 100.0)
}

/// A count with its thousands set off.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What may be missing.
pub(crate) fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_moments_are_written_as_people_write_them() {
        assert_eq!(Amount(-123_456_789).to_string(), "−1,234,567.89");
        assert_eq!(At(Moment(1_767_218_340_007)).to_string(), "2026-01-01 05:59:00");
        assert_eq!(percent(Some(-0.0278)), "−2.78 %");
    }
}
