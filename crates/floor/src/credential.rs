//! Changes of people's credentials, and who made them (D27). Passwords and keys themselves stay with the host; the log
//! has the act.

use rulebook::Rank;

use crate::command::*;
use crate::decide::{Events, name_fits};
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
        // A sealed code that was opened stands for the second person, once.
        let opened = by.is_some_and(|by| self.sealed_code_serves(by));
        if needs_two && !opened || second.is_some() {
            self.second_for_credentials(by, second)?;
        }
        Ok(vec![Event::CredentialChanged { staff, what, by, second }])
    }

    /// Records that a one-time code for a key is made. The holder of a key acts as that terminal or device, and a
    /// validator makes credit: two people make a code (D27), and only while the terminal holds nothing of a player's
    /// (S12).
    pub(crate) fn issue_code(&self, sender: Sender, holder: KeyHolder, by: StaffId, second: Option<StaffId>) -> Events {
        if sender != Sender::System {
            return refuse(Code::NotForSender, "D27", "the host records the codes that it makes");
        }
        let place = match holder {
            KeyHolder::Terminal(terminal) => DevicePlace::Terminal(terminal),
            KeyHolder::Device(device) => match self.device(device) {
                Some(device) => device.place,
                None => return refuse(Code::NotFound, "the floor", format!("there is no device {device}")),
            },
        };
        self.technician(Sender::Staff(by))?;
        let second = self.second_for_keys(by, second)?;
        self.nothing_of_a_player(place)?;
        let mut events = vec![Event::EnrolmentCodeMade { holder, by, second }];
        events.extend(self.alert(0, None, AlertKind::EnrolmentCode(holder, by, 1)));
        Ok(events)
    }

    /// Records that the key of a host changes. The holder of a host's key speaks for the floor: two people enrol or
    /// replace one (D27). One administrator can revoke a key, so that a stolen one stops working at once. Each raises
    /// an alert.
    pub(crate) fn change_host_key(&self, sender: Sender, body: &Body) -> Events {
        let Body::ChangeHostKey { host, key, replaces, by, second } = body else {
            return refuse(Code::NotForSender, "D27", "this is no change of a host's key");
        };
        if sender != Sender::System {
            return refuse(Code::NotForSender, "D27", "the host records changes of the hosts' keys");
        }
        name_fits(host)?;
        self.administrator(Sender::Staff(*by))?;
        let second = match (key, second) {
            (None, None) => None,
            _ => Some(self.second_for_keys(*by, *second)?),
        };
        let did = match (key, replaces) {
            (None, _) => "was revoked",
            (Some(_), true) => "was replaced by another",
            (Some(_), false) => "was enrolled: it is a new host of the floor",
        };
        let name = |id| self.person(id).map_or_else(String::new, |person| person.name.clone());
        let and = second.map(|second| format!(" and {}", name(second))).unwrap_or_default();
        let words = format!("The key of host {host} {did}, by {}{and}", name(*by));
        let changed = Event::HostKeyChanged { host: host.clone(), key: *key, replaces: *replaces, by: *by, second };
        let alert = self.alert(0, None, AlertKind::Integrity(words));
        Ok([changed].into_iter().chain(alert).collect())
    }

    /// A cash validator is added and moved by two people: its word makes credit (D27).
    pub(crate) fn second_for_validator(
        &self,
        by: Option<StaffId>,
        witness: Option<StaffId>,
        kind: DeviceKind,
        places: &[DevicePlace],
    ) -> Result<Option<StaffId>, Refusal> {
        let Some(by) = by.filter(|_| kind == DeviceKind::Validator) else { return Ok(None) };
        let second = self.second_for_keys(by, witness)?;
        places.iter().try_for_each(|place| self.nothing_of_a_player(*place))?;
        Ok(Some(second))
    }

    fn second_for_keys(&self, by: StaffId, second: Option<StaffId>) -> Result<StaffId, Refusal> {
        let signs = |staff: &Staff| staff.serves_as(Post::Administrator) || staff.rank() >= Some(Rank::PitManager);
        self.second(by, second, signs, "a second person must sign: an administrator, or a Pit Manager or above")
    }

    /// Enrolment changes only while the terminal holds nothing of a player's (S12).
    fn nothing_of_a_player(&self, place: DevicePlace) -> Result<(), Refusal> {
        let DevicePlace::Terminal(terminal) = place else { return Ok(()) };
        let found = self.find_terminal(terminal)?;
        if let Some(held) = found.held().or(found.visit.map(|_| "an open visit")) {
            return refuse(Code::CreditLeft, "S12", format!("there is {held} at this terminal"));
        }
        Ok(())
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
        if !fits {
            return Err(missing());
        }
        by.map_or(Ok(()), |by| self.independent(by, second))
    }
}
