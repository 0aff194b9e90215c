//! Who changed whose means of signing in (D27). Passwords and keys themselves stay with the host; the log has the act.

use rulebook::Rank;

use crate::command::{Body, CredentialChange, Post, Sender};
use crate::decide::Events;
use crate::event::Event;
use crate::ids::*;
use crate::refusal::{Code, Refusal, refusal, refuse};
use crate::state::{Floor, Staff};

impl CredentialChange {
    /// Every change.
    pub const ALL: [CredentialChange; 6] = [
        CredentialChange::Created,
        CredentialChange::PasswordReset,
        CredentialChange::PasswordChanged,
        CredentialChange::PasskeyAdded,
        CredentialChange::PasskeyRemoved,
        CredentialChange::Unlocked,
    ];

    /// The stable name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            CredentialChange::Created => "created",
            CredentialChange::PasswordReset => "password_reset",
            CredentialChange::PasswordChanged => "password_changed",
            CredentialChange::PasskeyAdded => "passkey_added",
            CredentialChange::PasskeyRemoved => "passkey_removed",
            CredentialChange::Unlocked => "unlocked",
        }
    }
}

impl Floor {
    /// Records a change of a person's credentials. The host carries it out afterwards, and only if this is accepted.
    // D27
    pub(crate) fn change_credential(&self, sender: Sender, body: &Body) -> Events {
        let Body::ChangeCredential { staff, what, by, second } = *body else {
            return refuse(Code::NotForSender, "D27", "this is no change of credentials");
        };
        if sender != Sender::System {
            return refuse(Code::NotForSender, "D27", "the host records changes of credentials");
        }
        if self.person(staff).is_none() {
            return refuse(Code::NotFound, "the floor", format!("there is no person {staff}"));
        }
        if let Some(by) = by {
            self.may_change_credential(self.staff_sender(Sender::Staff(by))?, staff, what)?;
        }
        let needs_two = matches!(what, CredentialChange::PasswordReset | CredentialChange::PasskeyRemoved);
        if needs_two || second.is_some() {
            self.second_for_credentials(by, second)?;
        }
        Ok(vec![Event::CredentialChanged { staff, what, by, second }])
    }

    fn may_change_credential(&self, by: &Staff, staff: StaffId, what: CredentialChange) -> Result<(), Refusal> {
        let own = by.id == staff;
        let administers = by.serves_as(Post::Administrator);
        let manages = by.rank().is_some_and(|rank| rank >= Rank::PitManager);
        let (may, words) = match what {
            CredentialChange::Created => (administers, "only an administrator gives a person a login"),
            CredentialChange::PasswordReset => {
                (administers && !own, "only an administrator resets a password, and never their own")
            }
            CredentialChange::PasswordChanged | CredentialChange::PasskeyAdded => {
                (own, "a person changes their own password and adds their own passkeys")
            }
            CredentialChange::PasskeyRemoved => {
                (own || administers, "the person or an administrator removes a passkey")
            }
            CredentialChange::Unlocked => {
                (administers || manages, "only an administrator or a Pit Manager unlocks a login")
            }
        };
        if may { Ok(()) } else { refuse(Code::Rank, "D27", words) }
    }

    /// The second person: an administrator or a Pit Manager or above, other than the first.
    fn second_for_credentials(&self, by: Option<StaffId>, second: Option<StaffId>) -> Result<(), Refusal> {
        let missing = || {
            let words = "a second person must confirm: an administrator, or a Pit Manager or above";
            refusal(Code::SecondPerson, "D27", words)
        };
        let second = second.filter(|second| by != Some(*second)).ok_or_else(missing)?;
        let staff = self.person(second).filter(|staff| staff.active).ok_or_else(missing)?;
        let fits = staff.serves_as(Post::Administrator) || staff.rank().is_some_and(|rank| rank >= Rank::PitManager);
        if fits { Ok(()) } else { Err(missing()) }
    }
}
