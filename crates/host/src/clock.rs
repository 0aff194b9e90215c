//! The host's clock. All screens run on it.

use floor::Moment;
use jiff::Timestamp;

/// The moment it is.
#[must_use]
pub fn now() -> Moment {
    Moment(Timestamp::now().as_millisecond())
}
