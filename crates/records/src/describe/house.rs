//! The house: programs, rulebooks, tables, terminals, devices, people, alerts.

use floor::{
    AlertKind, CashPlace, Counted, CredentialChange, DevicePlace, Event, KeyHolder, LockReason, Release, Thresholds,
    TicketPlace,
};

use super::{Happening, Kind, Names, plain, significant};
use crate::names as stable;

pub(super) fn describe(names: Names, event: &Event) -> Option<Happening> {
    let configured = |code, words| significant(Kind::Configuration, code, words);
    Some(match event {
        Event::Noted { words } => significant(Kind::Access, "noted", words.clone()),
        Event::LossFound { record, words, .. } => {
            let words = format!("records up to {record} are missing, play is locked (S10): {words}");
            significant(Kind::Irregularity, "loss-found", words)
        }
        Event::LossAccepted { statement, by, witness } => {
            let (by_name, witness) = (names.staff(*by), names.staff(*witness));
            let words = format!("{by_name} and {witness} stated what was lost: {statement}; play is unlocked");
            significant(Kind::Irregularity, "loss-accepted", words).staff(*by)
        }
        Event::CredentialChanged { staff, what, by, second } => {
            let what = match what {
                CredentialChange::Created => "was given a login",
                CredentialChange::PasswordReset => "was given a new password",
                CredentialChange::PasswordChanged => "changed their password",
                CredentialChange::PasskeyAdded => "added a passkey",
                CredentialChange::PasskeyRemoved => "lost a passkey: it was removed",
                CredentialChange::Unlocked => "may sign in again without waiting",
            };
            let by = by.filter(|by| by != staff);
            let mut words = format!("{} {what}", names.staff(*staff));
            if let Some(by) = by {
                words += &format!(", by {}", names.staff(by));
            }
            if let Some(second) = second {
                words += &format!(", confirmed by {}", names.staff(*second));
            }
            significant(Kind::Access, "credential-changed", words).staff(by.or(Some(*staff)))
        }
        Event::EnrolmentCodeMade { holder, by, second } => {
            let words =
                format!("{} made a code for a key of {}", names.both(*by, Some(*second)), names.holder(*holder));
            let happening = significant(Kind::Access, "enrolment-code", words).staff(*by);
            match holder {
                KeyHolder::Terminal(terminal) => happening.terminal(*terminal),
                KeyHolder::Device(device) => happening.device(*device),
            }
        }
        Event::HostKeyChanged { host, key, replaces, by, second } => {
            let did = match (key, replaces) {
                (None, _) => "revoked",
                (Some(_), true) => "replaced",
                (Some(_), false) => "enrolled",
            };
            let key = key.map(|key| format!(": it is {key} now")).unwrap_or_default();
            let words = format!("{} {did} the key of host {host}{key}", names.both(*by, *second));
            significant(Kind::Access, "host-key", words).staff(*by)
        }
        Event::FloorCreated(settings) => {
            let demonstration = if settings.demonstration { " as a demonstration" } else { "" };
            configured("floor-created", format!("floor {} created{demonstration}", settings.name))
        }
        Event::FeatureLevelRaised { level, by } => {
            let by_whom = by.map_or("the host".to_owned(), |by| names.staff(by).to_string());
            let words = format!("feature level raised to {level} by {by_whom}");
            Happening { staff: *by, ..configured("feature-level-raised", words) }
        }
        Event::ProgramStarted { release, locked } => {
            let locked = if *locked { "; it is not the last run's, play is locked (S10)" } else { "" };
            configured("program-started", format!("{} started{locked}", program(release)))
        }
        Event::ProgramApproved { release, by, witness } => {
            let words = format!("{} approved by {}", program(release), names.both(*by, *witness));
            configured("program-approved", words).staff(*by)
        }
        Event::ProgramAccepted { release, by, witness } => {
            let words = format!("{} accepted by {}; play is unlocked", program(release), names.both(*by, *witness));
            configured("program-accepted", words).staff(*by)
        }
        Event::RulebookInstalled { hash, by, witness, .. } => {
            let id = names.0.rulebook(*hash).map_or("unknown", |rulebook| rulebook.id());
            let by_whom = by.map_or_else(String::new, |by| format!(", by {}", names.both(by, *witness)));
            configured("rulebook-installed", format!("rulebook {id} installed, {hash}{by_whom}")).staff(*by)
        }
        Event::PowerRaised { act, rank, by, witness } => {
            configured("power-raised", format!("{act} now needs {rank}, by {}", names.both(*by, *witness))).staff(*by)
        }
        Event::TableAdded { table, name, rulebook, mode, .. } => {
            let id = names.0.rulebook(*rulebook).map_or("unknown", |rulebook| rulebook.id());
            let words = format!("table {name} set up for {id}, {}", stable::mode(*mode));
            configured("table-added", words).table(*table)
        }
        Event::RulebookPinned { table, rulebook, by, .. } => {
            let id = names.0.rulebook(*rulebook).map_or("unknown", |rulebook| rulebook.id());
            let words = format!("{} is run by rulebook {id}, {rulebook}, by {}", names.table(*table), names.by(*by));
            configured("rulebook-pinned", words).table(*table).staff(*by)
        }
        Event::SettingsChanged { table, settings, by, reason, from_next_round, .. } => {
            let when = if *from_next_round { "from the next round on" } else { "at once" };
            let maximum = settings.limit.maximum.map_or_else(|| "no maximum".to_owned(), |most| most.to_string());
            let words = format!(
                "settings of {} changed {when} by {}: {} to {maximum}, step {}, {} ms to bet; {reason}",
                names.table(*table),
                names.by(*by),
                settings.limit.minimum,
                settings.step,
                settings.betting_period
            );
            configured("settings-changed", words).table(*table).staff(*by)
        }
        Event::TerminalEnrolled { terminal, table, name, kind, .. } => {
            let words = format!("{name} ({kind}) enrolled at {}", names.table(*table));
            configured("terminal-enrolled", words).table(*table).terminal(*terminal)
        }
        Event::TerminalMoved { terminal, table, kind, .. } => {
            let words = format!("{} ({kind}) moved to {}", names.terminal(*terminal), names.table(*table));
            configured("terminal-moved", words).table(*table).terminal(*terminal)
        }
        Event::DeviceAdded { device, kind, place, by, witness, .. } => {
            let (name, kind) = (names.device(*device), stable::device_kind(*kind));
            let who = by.map(|by| format!(" by {}", names.both(by, *witness))).unwrap_or_default();
            let words = format!("{name} ({kind}) set up {}{who}", at(names, *place));
            placed(configured("device-added", words).device(*device), *place)
        }
        Event::DeviceMoved { device, place, by, witness } => {
            let who = by.map(|by| format!(" by {}", names.both(by, *witness))).unwrap_or_default();
            let words = format!("{} moved {}{who}", names.device(*device), at(names, *place));
            placed(configured("device-moved", words).device(*device), *place)
        }
        Event::DayBegan { .. } => significant(Kind::Configuration, "day-began", "a gaming day begins".to_owned()),
        Event::ThresholdsSet { thresholds, by, witness, reason } => {
            let who = by.map_or_else(|| "the host".to_owned(), |by| names.both(by, *witness));
            let Thresholds { alone, redemption, difference, large_cash } = **thresholds;
            let words = format!(
                "thresholds set by {who}: alone {alone}, redemption {redemption}, difference {difference}, large cash \
                 {large_cash}: {reason}"
            );
            significant(Kind::Configuration, "thresholds-set", words).staff(*by)
        }
        Event::CodesSealed { hashes, by, witness } => {
            let who = by.map_or_else(|| "the host".to_owned(), |by| names.both(by, *witness));
            significant(Kind::Access, "codes-sealed", format!("{} codes sealed by {who}", hashes.len())).staff(*by)
        }
        Event::SealedCodeOpened { by, reason, .. } => {
            let words = format!("{} opened a sealed code in place of a second person: {reason}", names.staff(*by));
            significant(Kind::Access, "sealed-code-opened", words).staff(*by)
        }
        Event::StaffAdded { staff, name, post, .. } => {
            configured("staff-added", format!("{name} employed as {} (staff {staff})", stable::post(*post)))
        }
        Event::StaffChanged { staff, post, active, .. } => {
            let words = match active {
                true => format!("{} is {} now", names.staff(*staff), stable::post(*post)),
                false => format!("{} is no longer employed", names.staff(*staff)),
            };
            configured("staff-changed", words)
        }
        Event::ActingAssigned { staff, post, by, .. } => {
            let words = match post {
                Some(post) => format!("{} acts as {}", names.staff(*staff), stable::post(*post)),
                None => format!("{} no longer acts in another position", names.staff(*staff)),
            };
            configured("acting-assigned", format!("{words}, by {}", names.by(*by))).staff(*by)
        }
        Event::DealerChanged { table, dealer } => {
            let words = format!("{} deals at {}", names.staff(*dealer), names.table(*table));
            significant(Kind::Table, "dealer-changed", words).table(*table).staff(*dealer)
        }
        Event::TableOpened { table, by } => {
            let words = format!("{} opened by {}", names.table(*table), names.staff(*by));
            significant(Kind::Table, "table-opened", words).table(*table).staff(*by)
        }
        Event::ClosingAnnounced { table, by, .. } => {
            let words = format!("closing of {} announced by {}", names.table(*table), names.staff(*by));
            significant(Kind::Table, "closing-announced", words).table(*table).staff(*by)
        }
        Event::TableClosed { table, by } => {
            let words = format!("{} closed by {}", names.table(*table), names.staff(*by));
            significant(Kind::Table, "table-closed", words).table(*table).staff(*by)
        }
        Event::TerminalLocked { terminal, reason } => {
            let (why, by) = match reason {
                LockReason::Person(by, reason) => (format!("by {}: {reason}", names.staff(*by)), Some(*by)),
                LockReason::Meters => ("because its meters do not agree (S11)".to_owned(), None),
            };
            let words = format!("{} locked {why}", names.terminal(*terminal));
            significant(Kind::Lock, "terminal-locked", words).terminal(*terminal).staff(by)
        }
        Event::TerminalUnlocked { terminal, by } => {
            let words = format!("{} unlocked by {}", names.terminal(*terminal), names.staff(*by));
            significant(Kind::Lock, "terminal-unlocked", words).terminal(*terminal).staff(*by)
        }
        Event::TerminalLost { terminal } => {
            let words = format!("{} lost the host", names.terminal(*terminal));
            significant(Kind::Link, "terminal-lost", words).terminal(*terminal)
        }
        Event::TerminalBack { terminal } => {
            let words = format!("{} is back", names.terminal(*terminal));
            significant(Kind::Link, "terminal-back", words).terminal(*terminal)
        }
        Event::AlertRaised { alert: id, table, what } => {
            let words = format!("alert {id}: {}", alert(names, what).1);
            let mut happening = about(significant(Kind::Alert, "alert-raised", words), what);
            happening.table = *table;
            happening
        }
        Event::AlertRepeated { alert: id, what, .. } => {
            significant(Kind::Alert, "alert-repeated", format!("alert {id}: {}", alert(names, what).1))
        }
        Event::ClockJumped { ahead: 0 } => {
            significant(Kind::Power, "clock-right", "the host's clock is right again".to_owned())
        }
        Event::ClockJumped { ahead } => {
            let way = if *ahead > 0 { "went ahead" } else { "was set back" };
            let words = format!("the host's clock {way} by {} ms; the floor keeps its own time", ahead.abs());
            significant(Kind::Power, "clock-ahead", words)
        }
        Event::ClockAccepted { ahead, by, witness } => {
            let words = format!("the host's clock, ahead by {ahead} ms, accepted by {}", names.both(*by, *witness));
            significant(Kind::Power, "clock-accepted", words).staff(*by)
        }
        Event::AlertAcknowledged { alert, by } => {
            let words = format!("alert {alert} acknowledged by {}", names.staff(*by));
            significant(Kind::Alert, "alert-acknowledged", words).staff(*by)
        }
        Event::RecordingPeriodSet { table, period, by, reason, witness } => {
            let who = by.map_or_else(|| names.by(*by), |by| names.both(by, *witness));
            let words = format!("chips are recorded for {} s after the close, set by {who}: {reason}", period / 1_000);
            significant(Kind::Table, "recording-period-set", words).table(*table).staff(*by)
        }
        Event::SecondPersonCalled { table, by, reason, purpose } => {
            let what = purpose.as_ref().map_or_else(String::new, |purpose| format!(" to {}", names.purpose(purpose)));
            let words = format!("second person called by {}{what}: {reason}", names.staff(*by));
            let mut happening = significant(Kind::Alert, "second-person-called", words).staff(*by);
            happening.table = *table;
            happening
        }
        Event::CallAnswered { table, by, came } => {
            let signed = if *came { " and has signed nothing yet" } else { "" };
            let words = format!("{} came as second person{signed}", names.staff(*by));
            let mut happening = significant(Kind::Alert, "call-answered", words).staff(*by);
            happening.table = *table;
            happening
        }
        Event::DecidedAlone { by, called, table, deed } => {
            let what = deed.as_ref().map_or_else(String::new, |deed| format!(": {deed}"));
            let words = format!(
                "{} acted alone: the second person was called at {called} and did not come (D28){what}",
                names.staff(*by),
                called = called.0
            );
            let mut happening = significant(Kind::Alert, "decided-alone", words).staff(*by);
            happening.table = *table;
            happening
        }
        Event::Countersigned { alert, by } => {
            let words = format!("alert {alert} countersigned by {}", names.staff(*by));
            significant(Kind::Alert, "countersigned", words).staff(*by)
        }
        Event::TablesOffered { terminal, tables, by } => {
            let list: Vec<String> = tables.iter().map(|table| names.table(*table)).collect();
            let list = if list.is_empty() { "its own table only".to_owned() } else { list.join(", ") };
            let words = format!("{} serves {list}, by {}", names.terminal(*terminal), names.by(*by));
            significant(Kind::Table, "tables-offered", words).terminal(*terminal).staff(*by)
        }
        Event::TableChosen { terminal, from, table, .. } => {
            let (from, to) = (names.table(*from), names.table(*table));
            plain("table-chosen", format!("{} went from {from} to {to}", names.terminal(*terminal))).terminal(*terminal)
        }
        Event::RoundRecalled { table, round, part, parts, .. } if part == parts => {
            let words = format!("round {round} recalled from the journal, and proved (D24)");
            significant(Kind::Irregularity, "round-recalled", words).table(*table).round(*round)
        }
        Event::RoundsPutBack { table } => {
            let words = "recalled rounds put back (D24)".to_owned();
            significant(Kind::Irregularity, "rounds-put-back", words).table(*table)
        }
        _ => return None,
    })
}

fn program(release: &Release) -> String {
    format!("program {} with rulebooks {}", release.program, release.rulebooks)
}

fn at(names: Names, place: DevicePlace) -> String {
    match place {
        DevicePlace::Store => "in the store".to_owned(),
        DevicePlace::Table(table) => format!("at {}", names.table(table)),
        DevicePlace::Terminal(terminal) => format!("in {}", names.terminal(terminal)),
    }
}

fn placed(happening: Happening, place: DevicePlace) -> Happening {
    match place {
        DevicePlace::Store => happening,
        DevicePlace::Table(table) => happening.table(table),
        DevicePlace::Terminal(terminal) => happening.terminal(terminal),
    }
}

/// Whom an alert is about.
fn about(happening: Happening, what: &AlertKind) -> Happening {
    match what {
        AlertKind::TerminalLost(terminal) | AlertKind::Meters(terminal) | AlertKind::Attendant(terminal) => {
            happening.terminal(*terminal)
        }
        AlertKind::DeviceFault(device, _)
        | AlertKind::DeviceFaults(device, ..)
        | AlertKind::DeviceNonsense(device)
        | AlertKind::DeviceLost(device, _) => happening.device(*device),
        AlertKind::DeviceHolds(device, round) => happening.device(*device).round(*round),
        AlertKind::DeviceSilent(round)
        | AlertKind::DeviceDisagrees(round)
        | AlertKind::RestedEarly(round)
        | AlertKind::SecondTumble(round)
        | AlertKind::ReportedLate(round)
        | AlertKind::ReportedMeanwhile(round)
        | AlertKind::Uncollected(round, _) => happening.round(*round),
        AlertKind::DecidedAlone(by, ..) => happening.staff(*by),
        AlertKind::LargeCash(terminal, _)
        | AlertKind::LargeCashAt(CashPlace::Terminal(terminal), _)
        | AlertKind::WrongTickets(TicketPlace::Terminal(terminal)) => happening.terminal(*terminal),
        AlertKind::SealedCode(staff, _)
        | AlertKind::LargeCashAt(CashPlace::Person(staff), _)
        | AlertKind::WrongTickets(TicketPlace::Staff(staff)) => happening.staff(*staff),
        AlertKind::LargeCashAt(CashPlace::Table(_), _) => happening,
        AlertKind::EnrolmentCode(_, by, _) => happening.staff(*by),
        AlertKind::CopiedKey(KeyHolder::Terminal(terminal), ..) => happening.terminal(*terminal),
        AlertKind::CopiedKey(KeyHolder::Device(device), ..) => happening.device(*device),
        AlertKind::Difference(..)
        | AlertKind::ReplacedTicket(..)
        | AlertKind::TicketInDoubt(..)
        | AlertKind::VoidTicket(_)
        | AlertKind::Host(_)
        | AlertKind::Integrity(_)
        | AlertKind::TerminalsLost(..)
        | AlertKind::Access(..) => happening,
    }
}

pub(super) fn alert(names: Names, what: &AlertKind) -> (&'static str, String) {
    match what {
        AlertKind::TerminalLost(terminal) => ("terminal-lost", format!("{} lost the host", names.terminal(*terminal))),
        AlertKind::DeviceFault(device, number) => {
            ("device-fault", format!("{} has fault {number}", names.device(*device)))
        }
        AlertKind::DeviceFaults(device, number, count) => {
            ("device-fault", format!("{} reported {count} faults, the latest {number}", names.device(*device)))
        }
        AlertKind::DeviceSilent(round) => ("device-silent", format!("round {round}: no complete device reading")),
        AlertKind::DeviceDisagrees(round) => {
            ("device-disagrees", format!("in round {round} a device read something else than was entered"))
        }
        AlertKind::DeviceNonsense(device) => {
            ("device-nonsense", format!("{}: out-of-sequence report", names.device(*device)))
        }
        AlertKind::RestedEarly(round) => {
            ("rested-early", format!("in round {round} the ball came to rest before the close (D4)"))
        }
        AlertKind::Uncollected(round, amount) => {
            ("uncollected", format!("{amount} of round {round} could not be collected"))
        }
        AlertKind::Meters(terminal) => {
            ("meters", format!("the meters of {} do not agree (S11)", names.terminal(*terminal)))
        }
        AlertKind::TicketInDoubt(ticket, amount) => {
            ("ticket-in-doubt", format!("the printer of ticket {ticket} of {amount} has not reported (D25)"))
        }
        AlertKind::WrongTickets(place) => {
            let at = match place {
                TicketPlace::Terminal(terminal) => names.terminal(*terminal),
                TicketPlace::Staff(staff) => names.staff(*staff),
            };
            ("wrong-tickets", format!("many wrong ticket numbers at {at}"))
        }
        AlertKind::LargeCash(terminal, amount) => {
            ("large-cash", format!("cash of {amount} at {}", names.terminal(*terminal)))
        }
        AlertKind::LargeCashAt(place, amount) => {
            let place = match place {
                CashPlace::Person(staff) => format!("the counter of {}", names.staff(*staff)),
                CashPlace::Table(table) => names.table(*table),
                CashPlace::Terminal(terminal) => format!("{} in the gaming day", names.terminal(*terminal)),
            };
            ("large-cash", format!("cash of {amount} at {place}"))
        }
        AlertKind::SealedCode(staff, _) => ("sealed-code", format!("{} opened a sealed code", names.staff(*staff))),
        AlertKind::EnrolmentCode(holder, by, count) => {
            let (holder, by) = (names.holder(*holder), names.staff(*by));
            ("enrolment-code", format!("{count} codes for keys were made, the latest for {holder} by {by}"))
        }
        AlertKind::VoidTicket(ticket) => {
            ("void-ticket", format!("ticket {ticket} is on paper, though it was found not printed"))
        }
        AlertKind::ReplacedTicket(ticket, duplicate) => (
            "replaced-ticket",
            format!("ticket {ticket} is on paper, though ticket {duplicate} has replaced it: its number is void"),
        ),
        AlertKind::Difference(counted, difference) => {
            let what = match counted {
                Counted::Tray(table) => format!("the tray of {}", names.table(*table)),
                Counted::Drop(table) => format!("the drop box of {}", names.table(*table)),
                Counted::Drawer(shift) => format!("the drawer of shift {shift}"),
            };
            ("difference", format!("{what} was counted with a difference of {difference} (D27)"))
        }
        AlertKind::Attendant(terminal) => ("attendant", format!("{} calls an attendant", names.terminal(*terminal))),
        AlertKind::Host(words) => ("host", words.clone()),
        AlertKind::CopiedKey(_, words, count) => ("copied-key", format!("{words}; {count} times")),
        AlertKind::DecidedAlone(by, _, _, deed) => {
            let (who, what) = (names.staff(*by), deed.as_ref().map_or_else(String::new, |deed| format!(" ({deed})")));
            let words = format!("{who} acted without a second person{what}: another person must countersign (D28)");
            ("decided-alone", words)
        }
        AlertKind::SecondTumble(round) => {
            ("second-tumble", format!("round {round}: a second tumble or spin was reported; it never counts (D18)"))
        }
        AlertKind::ReportedLate(round) => {
            ("reported-late", format!("a device reported about round {round} after it was settled (D19)"))
        }
        AlertKind::ReportedMeanwhile(round) => {
            ("reported-meanwhile", format!("a device reported about round {round} while it was interrupted (D6)"))
        }
        AlertKind::DeviceLost(device, back) => {
            let what = if *back { "lost its link to the host and is back" } else { "has no link to the host" };
            ("device-lost", format!("{} {what} (D19)", names.device(*device)))
        }
        AlertKind::DeviceHolds(device, round) => {
            ("device-holds", format!("{} holds up round {round} and reports nothing (D19)", names.device(*device)))
        }
        AlertKind::TerminalsLost(now, most) => {
            ("terminals-lost", format!("terminals lost during a round: {now} now, {most} at most (D21)"))
        }
        AlertKind::Integrity(words) => ("integrity", words.clone()),
        AlertKind::Access(words, count) => ("access", format!("{count} refused attempts; the latest: {words}")),
    }
}
