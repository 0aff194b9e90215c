//! How long this host may speak for the floor.

use std::sync::{PoisonError, RwLock};
use std::time::Instant;

/// Until when this host may decide, by its own monotonic clock. A host that was paused checks it before it answers,
/// because another may lead by now.
#[derive(Debug, Default)]
pub struct Term(RwLock<Lasts>);

#[derive(Copy, Clone, Debug, Default)]
enum Lasts {
    /// A host alone.
    #[default]
    Always,
    /// A host among others that does not lead.
    Never,
    /// A host that leads, unless its lease is renewed.
    Until(Instant),
}

impl Term {
    /// This host is one among others: it has the lease until then, or has it not.
    pub fn set(&self, until: Option<Instant>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = until.map_or(Lasts::Never, Lasts::Until);
    }

    /// Whether this host may decide now.
    #[must_use]
    pub fn holds(&self) -> bool {
        match *self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Lasts::Always => true,
            Lasts::Never => false,
            Lasts::Until(until) => Instant::now() < until,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_term_ends_by_itself() {
        let term = Term::default();
        assert!(term.holds(), "a host alone asks nobody");
        term.set(None);
        assert!(!term.holds());
        term.set(Some(Instant::now() + Duration::from_secs(60)));
        assert!(term.holds());
        // As if the process had been stopped meanwhile, without being notified.
        term.set(Some(Instant::now()));
        assert!(!term.holds());
    }
}
