//! Moments in local time: Singapore, eight hours ahead of UTC the whole year.

use floor::Moment;
use jiff::Timestamp;
use jiff::tz::{self, TimeZone};
use serde::{Serialize, Serializer};

/// A moment that programs read with its distance to UTC, and people without.
#[derive(Copy, Clone)]
pub struct Local(pub Moment);

impl Local {
    /// As people write it.
    pub fn words(self) -> String {
        format(self.0, "%Y-%m-%d %H:%M:%S")
    }
}

impl Serialize for Local {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format(self.0, "%Y-%m-%dT%H:%M:%S.%3f%:z"))
    }
}

fn format(at: Moment, form: &str) -> String {
    match Timestamp::from_millisecond(at.0) {
        Ok(timestamp) => timestamp.to_zoned(TimeZone::fixed(tz::offset(8))).strftime(form).to_string(),
        // Beyond the year 9999 there is no other way to write it.
        Err(_) => format!("{} ms", at.0),
    }
}

/// The moment it is by this machine's clock.
pub fn now() -> Moment {
    Moment(Timestamp::now().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_is_that_of_singapore() {
        let at = Moment(1_767_218_340_007);
        assert_eq!(Local(at).words(), "2026-01-01 05:59:00");
        assert_eq!(serde_json::json!(Local(at)), "2026-01-01T05:59:00.007+08:00");
        assert_eq!(Local(Moment(i64::MAX)).words(), "9223372036854775807 ms");
    }
}
