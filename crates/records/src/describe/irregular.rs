//! What goes wrong: grounds, voids, corrections, interruptions, decisions, displays.

use floor::{Adjustment, DisplayFault, Event, Finding, RoundId, Ruling, TableId, VoidBy};
use rulebook::Cents;

use super::names::seconds;
use super::{Happening, Kind, Names, significant};

pub(super) fn describe(names: Names, event: &Event) -> Option<Happening> {
    let irregular = |code, words| significant(Kind::Irregularity, code, words);
    Some(match event {
        Event::GroundRaised { round, table, ground, device, proposed } => {
            let how = if *proposed { "proposes" } else { "reports" };
            let words = format!("{} {how}: {}", names.device(*device), names.ground(*table, *round, *ground));
            irregular("ground-raised", words).table(*table).round(*round).device(*device)
        }
        Event::GroundDismissed { round, table, ground, by, reason, .. } => {
            let ground = names.ground(*table, *round, *ground);
            let words = format!("{ground} put aside by {}: {reason}", names.staff(*by));
            irregular("ground-dismissed", words).table(*table).round(*round).staff(*by)
        }
        Event::RoundVoided { round, table, by, staff, witness, reason } => {
            let who = names.both(*staff, *witness);
            let words = format!("round {round} void by {who}: {}", why(names, *table, *round, *by, reason));
            significant(void_kind(*by), "round-voided", words).table(*table).round(*round).staff(*staff)
        }
        Event::SettledRoundVoided { round, table, by, adjustments, staff, witness, reason } => {
            let words = format!(
                "round {round} void after settlement by {}: {}; {}",
                names.both(*staff, *witness),
                why(names, *table, *round, *by, reason),
                moved(adjustments)
            );
            significant(void_kind(*by), "settled-round-voided", words).table(*table).round(*round).staff(*staff)
        }
        Event::RoundCorrected { round, table, outcome, adjustments, by, witness, reason } => {
            let words = format!(
                "round {round} corrected to {} by {}: {reason}; {}",
                names.outcome(*table, *round, *outcome),
                names.both(*by, Some(*witness)),
                moved(adjustments)
            );
            irregular("round-corrected", words).table(*table).round(*round).staff(*by)
        }
        Event::ChipsCorrected { round, table, outcome, paid, claims, voided, by, witness, reason, .. } => {
            let what = match outcome {
                Some(outcome) => format!("corrected to {}", names.outcome(*table, *round, *outcome)),
                None => "void after settlement".to_owned(),
            };
            let why = voided.map_or_else(|| reason.to_string(), |by| why(names, *table, *round, by, reason));
            let mut words = format!("round {round} {what} by {}: {why}", names.both(*by, *witness));
            if !paid.is_empty() {
                words.push_str(&format!("; paid {}", names.positions(paid)));
            }
            if !claims.is_empty() {
                words.push_str(&format!("; claimed {}", names.positions(claims)));
            }
            irregular("chips-corrected", words).table(*table).round(*round).staff(*by)
        }
        Event::ChipsRemoved { round, table, position, spot, amount, by, witness, reason } => {
            let spot = names.chip_spot(*table, *spot);
            let who = names.both(*by, Some(*witness));
            let words = format!("wrong record of position {position} removed by {who}: {amount} on {spot}; {reason}");
            irregular("chips-removed", words).table(*table).round(*round).staff(*by)
        }
        Event::RecordCorrected { round, table, paid, claims, by, witness, reason, .. } => {
            let mut words =
                format!("record of chips of round {round} corrected by {}: {reason}", names.both(*by, *witness));
            if !paid.is_empty() {
                words.push_str(&format!("; paid {}", names.positions(paid)));
            }
            if !claims.is_empty() {
                words.push_str(&format!("; claimed {}", names.positions(claims)));
            }
            irregular("record-corrected", words).table(*table).round(*round).staff(*by)
        }
        Event::StoppageRecorded { table, round, from, to } => {
            let words =
                format!("the host was away for {}, within the table's grace: play continues (D6)", seconds(*from, *to));
            significant(Kind::Power, "stoppage-recorded", words).table(*table).round(*round)
        }
        Event::RoundInterrupted { table, round, from, to } => {
            let words =
                format!("the host was away for {}: the round waits for an attestation (D6)", seconds(*from, *to));
            significant(Kind::Power, "round-interrupted", words).table(*table).round(*round)
        }
        Event::Attested { table, round, finding, by, witness } => {
            let finding = match finding {
                Finding::NotAffected => "continuation is not affected",
                Finding::Established => "an outcome is established",
                Finding::NotEstablished => "no outcome is established",
            };
            let words = format!("attested by {}: {finding}", names.both(*by, Some(*witness)));
            significant(Kind::Power, "attested", words).table(*table).round(*round).staff(*by)
        }
        Event::Decided { table, round, ruling, credited, payable, taken, uncollected, by, witness, reason } => {
            let what = match &**ruling {
                Ruling::VoidRound => "the round is void".to_owned(),
                Ruling::Reading => "how the rules are to be read".to_owned(),
                Ruling::Outcome { outcome } => match round {
                    Some(round) => format!("outcome {} stands", names.outcome(*table, *round, *outcome)),
                    None => "an outcome stands".to_owned(),
                },
                Ruling::Pay { terminal, amount } => format!("{amount} to be paid at {}", names.terminal(*terminal)),
                Ruling::TakeBack { terminal, amount } => {
                    format!("{amount} to be taken back at {}", names.terminal(*terminal))
                }
                Ruling::PayChips { position, amount } => format!("{amount} in chips to be paid to position {position}"),
                Ruling::ClaimChips { position, amount } => format!("{amount} to be claimed of position {position}"),
            };
            let money = amounts(&[
                ("credited", *credited),
                ("payable at the cage", *payable),
                ("taken", *taken),
                ("uncollected", *uncollected),
            ]);
            let words = format!("decided by {}: {what}; {reason}{money}", names.both(*by, *witness));
            let happening = significant(Kind::Discretion, "decided", words).table(*table).staff(*by);
            let happening = match &**ruling {
                Ruling::Pay { terminal, .. } | Ruling::TakeBack { terminal, .. } => happening.terminal(*terminal),
                _ => happening,
            };
            match round {
                Some(round) => happening.round(*round),
                None => happening,
            }
        }
        Event::DisplayRecorded { table, what, note, by } => {
            let what = match what {
                DisplayFault::LitAreas => "the lit areas",
                DisplayFault::Results => "a display of results",
            };
            let words = format!("{what} at {} wrong, recorded by {}: {note}", names.table(*table), names.staff(*by));
            significant(Kind::Display, "display-recorded", words).table(*table).staff(*by)
        }
        _ => return None,
    })
}

/// A void that the Shift Manager decides is a matter of discretion.
fn void_kind(by: VoidBy) -> Kind {
    match by {
        VoidBy::Ground(_) => Kind::Irregularity,
        VoidBy::Decision => Kind::Discretion,
    }
}

/// Why a round is void: the ground or the decision, and what was said beyond it.
fn why(names: Names, table: TableId, round: RoundId, by: VoidBy, reason: &str) -> String {
    let by = match by {
        VoidBy::Ground(ground) => names.ground(table, round, ground),
        VoidBy::Decision => "by decision".to_owned(),
    };
    if by.starts_with(reason) { by } else { format!("{by}; {reason}") }
}

/// What a correction moves in all.
fn moved(adjustments: &[Adjustment]) -> String {
    let sum =
        |amount: fn(&Adjustment) -> Cents| Cents::checked_sum(adjustments.iter().map(amount)).unwrap_or(Cents::ZERO);
    let money = amounts(&[
        ("credited", sum(|a| a.credited)),
        ("payable at the cage", sum(|a| a.payable)),
        ("no longer payable", sum(|a| a.unpaid)),
        ("taken", sum(|a| a.taken)),
        ("uncollected", sum(|a| a.uncollected)),
    ]);
    format!("{} terminals{money}", adjustments.len())
}

fn amounts(list: &[(&str, Cents)]) -> String {
    list.iter()
        .filter(|(_, amount)| *amount != Cents::ZERO)
        .map(|(what, amount)| format!(", {amount} {what}"))
        .collect()
}
