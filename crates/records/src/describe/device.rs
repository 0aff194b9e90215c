//! The physical table: second tumbles, service of devices, reported interruptions, late reports.

use floor::{Event, Failed, Function, Measures, Need};

use super::play::seen;
use super::{Happening, Kind, Names, plain, significant};

pub(super) fn describe(names: Names, event: &Event) -> Option<Happening> {
    let irregular = |code, words| significant(Kind::Irregularity, code, words);
    let fault = |code, words| significant(Kind::Fault, code, words);
    Some(match event {
        Event::SecondTumble { round, table, device } => {
            let words = format!("{}: a second tumble or spin; the round is halted (D18)", names.device(*device));
            irregular("second-tumble", words).table(*table).round(*round).device(*device)
        }
        Event::StartedAgain { round, table, device } => {
            let words = format!("{}: started again before the notice (D18)", names.device(*device));
            plain("started-again", words).table(*table).round(*round).device(*device)
        }
        Event::FirstOutcomeStands { round, table, outcome, by, witness, .. } => {
            let outcome = names.outcome(*table, *round, *outcome);
            let words = format!("the first outcome {outcome} stands, by {} (D18)", names.both(*by, Some(*witness)));
            irregular("first-outcome-stands", words).table(*table).round(*round).staff(*by)
        }
        Event::SecondTumbleSetAside { round, table, by, reason, witness, doubtful } => {
            let who = names.both(*by, *witness);
            let doubt = if *doubtful { "; readings may be of either tumble (D18)" } else { "" };
            let words = format!("second tumble or spin set aside as a false report by {who}: {reason}{doubt}");
            significant(Kind::Discretion, "second-tumble-set-aside", words).table(*table).round(*round).staff(*by)
        }
        Event::ServiceChanged { device, table, function, in_service, by, witness, reason } => {
            let what = match function {
                Function::Device => names.device(*device),
                Function::Reading => format!("the reading of {}", names.device(*device)),
            };
            let change = if *in_service { "back in service" } else { "out of service" };
            let words = format!("{what} {change}, by {}: {reason}", names.both(*by, Some(*witness)));
            let happening = fault("service-changed", words).device(*device).staff(*by);
            match table {
                Some(table) => happening.table(*table),
                None => happening,
            }
        }
        Event::DeviceDescribed { device, measures, by, witness } => {
            let who = by.map(|by| format!(", by {}", names.both(by, *witness))).unwrap_or_default();
            let words = format!("{} measures {}{who}", names.device(*device), measured(*measures));
            significant(Kind::Configuration, "device-described", words).device(*device).staff(*by)
        }
        Event::ResultWitnessed { round, table, outcome, need, by, witness, reason } => {
            let why = match need {
                Need::Contradicts => "against what the device read, recorded as a device fault",
                Need::Unread => "which the device did not read",
                Need::LateChips => "after chips recorded late",
                Need::Serviced | Need::Nothing => "after a change of the device's service, or a report of it set aside",
            };
            let outcome = names.outcome(*table, *round, *outcome);
            let reason = reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            let words = format!("{outcome} confirmed by {}, {why}{reason} (D19)", names.both(*by, Some(*witness)));
            irregular("result-witnessed", words).table(*table).round(*round).staff(*by)
        }
        Event::InterruptionReported { round, table, failed, affects, by, note } => {
            let effect = if *affects { "the round waits for an attestation" } else { "the round continues" };
            let note = note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
            let words = format!("{} failed, reported by {}; {effect} (D21){note}", part(*failed), names.staff(*by));
            significant(Kind::Power, "interruption-reported", words).table(*table).round(*round).staff(*by)
        }
        Event::FaultAsked { round, table, device, number } => {
            let words = format!("fault {number} of {} during the round: is it affected?", names.device(*device));
            fault("fault-asked", words).table(*table).round(*round).device(*device)
        }
        Event::FaultAnswered { round, table, affects, by } => {
            let effect = if *affects { "affects the round" } else { "does not affect the round" };
            let words = format!("the device fault {effect}, says {}", names.staff(*by));
            fault("fault-answered", words).table(*table).round(*round).staff(*by)
        }
        Event::ObservedLate { round, table, device, observation } => {
            let report = seen(names, *table, observation);
            let words = format!("{} after settlement of round {round}: {report} (D19)", names.device(*device));
            irregular("observed-late", words).table(*table).round(*round).device(*device)
        }
        Event::ObservedMeanwhile { round, table, device, observation } => {
            let report = seen(names, *table, observation);
            let words = format!("{} while the round was interrupted: {report} (D6)", names.device(*device));
            irregular("observed-meanwhile", words).table(*table).round(*round).device(*device)
        }
        _ => return None,
    })
}

fn part(failed: Failed) -> &'static str {
    match failed {
        Failed::Power => "power at the table",
        Failed::Device => "the tumbler or wheel",
        Failed::Console => "the console",
        Failed::Display => "a display",
        Failed::SomeTerminals => "some terminals",
        Failed::AllTerminals => "all terminals",
    }
}

fn measured(measures: Measures) -> String {
    let Measures { times, direction, cover, flat, reads } = measures;
    let all = [
        (times, "tumbles or revolutions"),
        (direction, "direction"),
        (cover, "cover"),
        (flat, "flat dice"),
        (reads, "results"),
    ];
    let named: Vec<&str> = all.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect();
    if named.is_empty() { "nothing".to_owned() } else { named.join(", ") }
}
