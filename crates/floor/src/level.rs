//! The feature level of a floor: what its records may contain.
//!
//! A program reads every level up to its own and writes no record of a higher level than the floor's, so that hosts of two
//! versions can serve one floor. Raising the level is recorded; from then on, an older program can no longer read the
//! journal. State that only newer rules need is kept from that record on, so that a floor read from a snapshot of before
//! and one replayed from its first record are the same.
//!
//! | level | what it adds |
//! | --- | --- |
//! | 1 | record encoding 1: the events of the first release |
//! | 2 | record encoding 2: tagged fields, every event after `Noted`, and the fields added to earlier ones |

use crate::command::Sender;
use crate::decide::Events;
use crate::event::Event;
use crate::refusal::{Code, Refusal, refuse};
use crate::state::Floor;

/// The highest feature level this program knows.
pub const LEVEL: u8 = 2;
/// The first level whose records have tagged fields.
pub const TAGGED: u8 = 2;

impl Floor {
    /// The feature level: what records of this floor may contain.
    #[must_use]
    #[inline]
    pub fn level(&self) -> u8 {
        self.level.max(1)
    }

    /// Whether state that only newer rules need is kept.
    #[inline]
    pub(crate) fn is_tagged(&self) -> bool {
        self.level() >= TAGGED
    }

    pub(crate) fn raise_feature_level(&self, sender: Sender, level: u8) -> Events {
        // The host raises it by itself where no other program can be serving the floor.
        let by = match sender {
            Sender::System => None,
            _ => self.administrator(sender)?,
        };
        if level > LEVEL {
            let words = format!("this program knows feature levels up to {LEVEL}");
            return refuse(Code::FeatureLevel, "feature level", words);
        }
        if level <= self.level() {
            let words = format!("the floor has feature level {} already", self.level());
            return refuse(Code::NothingToDo, "feature level", words);
        }
        Ok(vec![Event::FeatureLevelRaised { level, by }])
    }

    /// Refuses what a program of the floor's level could not read.
    pub(crate) fn fits_level(&self, events: &[Event]) -> Result<(), Refusal> {
        if self.level() >= TAGGED || events.iter().all(|event| event.raises_level().is_some() || event.fits_level_1()) {
            return Ok(());
        }
        let words = "this cannot be recorded at feature level 1: once every host runs this program, an administrator \
                     raises the level";
        refuse(Code::FeatureLevel, "feature level", words)
    }
}

impl Event {
    /// The feature level that the floor has from this event on.
    #[must_use]
    pub fn raises_level(&self) -> Option<u8> {
        match self {
            Event::FloorCreated(settings) => settings.level,
            Event::FeatureLevelRaised { level, .. } => Some(*level),
            _ => None,
        }
    }

    /// Whether encoding 1 can express it: then it is read again as it was.
    fn fits_level_1(&self) -> bool {
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        postcard::from_bytes::<Event>(&bytes).is_ok_and(|read| read == *self)
    }
}
