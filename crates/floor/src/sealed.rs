//! Sealed one-time codes: what stands for the second person when there is none left (D27). Opening one is recorded and
//! alerted, and it serves for one act.

use crate::bounds;
use crate::command::*;
use crate::decide::{Events, reason_fits};
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, refuse};
use crate::state::Floor;

impl Floor {
    /// How many sealed codes have not been opened.
    #[must_use]
    pub fn sealed_codes(&self) -> usize {
        self.control.sealed.len()
    }

    /// Who opened a sealed code that has not served yet, and until when it stands for a second person.
    #[must_use]
    pub fn opened_code(&self) -> Option<(StaffId, Moment)> {
        self.control.opened.filter(|(_, until)| self.now <= *until)
    }

    /// Whether this person has opened a sealed code that has not served yet.
    pub(crate) fn sealed_code_serves(&self, person: StaffId) -> bool {
        self.opened_code().is_some_and(|(by, _)| by == person)
    }

    /// New codes replace all before them.
    pub(crate) fn seal_codes(&self, sender: Sender, hashes: &[SealedHash], witness: Option<StaffId>) -> Events {
        let by = self.administrator(sender)?;
        let witness = self.office_second(by, witness, |_| false, "two administrators seal codes")?;
        if hashes.is_empty() || hashes.len() > bounds::SEALED {
            return refuse(Code::TooMany, "bounds", format!("1 to {} codes are sealed", bounds::SEALED));
        }
        Ok(vec![Event::CodesSealed { hashes: hashes.to_vec(), by, witness }])
    }

    pub(crate) fn open_sealed_code(&self, sender: Sender, hash: SealedHash, reason: &str, at: Moment) -> Events {
        let Some(by) = self.administrator(sender)? else {
            return refuse(Code::NotForSender, "D27", "an administrator opens a sealed code");
        };
        reason_fits(reason)?;
        if !self.control.sealed.contains(&hash) {
            let words = "this is no sealed code of this floor, or it was opened before: a code is the printed half and, right \
                         behind it, the half that the second administrator chose";
            return refuse(Code::NotFound, "D27", words);
        }
        let until = at.after(bounds::SEALED_FOR);
        // Each opening has an alert of its own, which others than the opener acknowledge.
        let alert = self.own_alert(0, None, AlertKind::SealedCode(by, Some(self.sequence)));
        Ok(vec![Event::SealedCodeOpened { hash, by, until, reason: reason.into() }, alert])
    }
}
