//! The audit of people: accounts, posts, powers and keys (D11, D27).

use crate::command::*;
use crate::event::Event;
use crate::ids::*;
use crate::people::{People, PeopleFinding};
use crate::state::Floor;

impl People {
    /// Accounts, posts, passwords and powers that deserve a second look.
    pub(crate) fn offices(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let finding = match event {
            Event::SealedCodeOpened { by, .. } => PeopleFinding {
                code: "sealed-code",
                staff: Some(*by),
                words: format!("{} opened a sealed code in place of a second person", floor.named(*by)),
            },
            // D11, D27: a power is raised, or lowered again.
            Event::PowerRaised { act, rank, by, witness } => {
                let how = if floor.raised.get(act).is_some_and(|was| rank < was) { "lowered" } else { "raised" };
                let and = and(floor, *witness);
                let words = format!("the rank for {act} was {how} to {rank} by {}{and}", floor.named(*by));
                PeopleFinding { code: "power", staff: Some(*by), words }
            }
            // S10, D27: another program runs the floor.
            Event::ProgramApproved { release, by, witness } | Event::ProgramAccepted { release, by, witness } => {
                let (and, by_name) = (and(floor, *witness), floor.named(*by));
                let words = format!("program {} was approved or accepted by {by_name}{and}", release.program);
                PeopleFinding { code: "program", staff: Some(*by), words }
            }
            Event::AlertRaised { what: AlertKind::Integrity(words), .. } if beside_the_door(words).is_some() => {
                PeopleFinding { code: beside_the_door(words)?, staff: None, words: words.clone() }
            }
            Event::StaffChanged { staff, active: false, by: Some(by), witness, .. } => {
                let alone = if witness.is_none() { ", without a second person" } else { "" };
                PeopleFinding {
                    code: "dismissed",
                    staff: Some(*by),
                    words: format!("{} dismissed {}{alone}", floor.named(*by), floor.named(*staff)),
                }
            }
            // A sealed code was used, or no one signed: both need review.
            Event::CredentialChanged {
                staff,
                what: what @ (CredentialChange::PasswordReset | CredentialChange::PasskeyRemoved),
                by: Some(by),
                second: None,
            } => {
                let what =
                    if *what == CredentialChange::PasswordReset { "reset the password" } else { "removed a passkey" };
                let words = format!("{} {what} of {} without a second person", floor.named(*by), floor.named(*staff));
                PeopleFinding { code: "credentials-alone", staff: Some(*by), words }
            }
            // Not employed yet: the name is in the event.
            Event::StaffAdded { by: Some(by), witness: None, staff, name, .. } => PeopleFinding {
                code: "account-alone",
                staff: Some(*by),
                words: format!("{} created {name} (staff {staff}) without a second person", floor.named(*by)),
            },
            Event::StaffChanged { by: Some(by), witness: None, staff, active: true, .. }
            | Event::ActingAssigned { by: Some(by), witness: None, staff, post: Some(_) } => PeopleFinding {
                code: "account-alone",
                staff: Some(*by),
                words: format!("{} assigned {} without a second person", floor.named(*by), floor.named(*staff)),
            },
            _ => return None,
        };
        Some(finding)
    }

    /// Keys that were made or changed.
    pub(crate) fn keys(floor: &Floor, event: &Event) -> Option<PeopleFinding> {
        let finding = match event {
            // D27: the holder of the key acts as that terminal or device.
            Event::EnrolmentCodeMade { holder, by, second } => {
                let holder = match holder {
                    KeyHolder::Terminal(terminal) => format!("terminal {terminal}"),
                    KeyHolder::Device(device) => format!("device {device}"),
                };
                PeopleFinding {
                    code: "enrolment-code",
                    staff: Some(*by),
                    words: format!(
                        "{} and {} made a code for a key of {holder}",
                        floor.named(*by),
                        floor.named(*second)
                    ),
                }
            }
            // D27: the holder of a host's key speaks for the floor.
            Event::HostKeyChanged { host, key, replaces, by, second } => {
                let did = match (key, replaces) {
                    (None, _) => "revoked",
                    (Some(_), true) => "replaced",
                    (Some(_), false) => "enrolled",
                };
                let and = second.map_or_else(|| " alone".to_owned(), |second| format!(" and {}", floor.named(second)));
                let words = format!("{}{and} {did} the key of host {host}", floor.named(*by));
                PeopleFinding { code: "host-key", staff: Some(*by), words }
            }
            _ => return None,
        };
        Some(finding)
    }
}

/// The alert of a floor that was driven over a pipe, where the sender of a command is believed.
pub const OVER_A_PIPE: &str = "The floor was driven over a pipe, without sign-in";
/// The alert of a floor whose administrators got new first passwords while it had people already.
pub const NEW_CREDENTIALS: &str = "New first passwords were made for the administrators of a floor in use";

/// The finding behind an alert of the host: people could act without proving who they are.
fn beside_the_door(words: &str) -> Option<&'static str> {
    let known = [(OVER_A_PIPE, "over-a-pipe"), (NEW_CREDENTIALS, "new-credentials")];
    known.into_iter().find(|(begins, _)| words.starts_with(begins)).map(|(_, code)| code)
}

/// The second person, in words.
fn and(floor: &Floor, second: Option<StaffId>) -> String {
    second.map_or_else(|| ", without a second person".to_owned(), |second| format!(" and {}", floor.named(second)))
}
