//! A round as it should go.

use floor::{EntryRecord, Event, Need, Observation};
use rulebook::{Cents, Point};

use super::{Happening, Kind, Names, plain, significant};

pub(super) fn describe(names: Names, event: &Event) -> Option<Happening> {
    Some(match event {
        Event::RoundBegun { round, table, by } => {
            let words = format!("round {round} begun at {} by {}", names.table(*table), names.by(*by));
            plain("round-begun", words).table(*table).round(*round).staff(*by)
        }
        Event::BetsOpened { round, table, by, affirmed, .. } => {
            let words = format!("bets opened by {}{}", names.staff(*by), points(affirmed));
            plain("bets-opened", words).table(*table).round(*round).staff(*by)
        }
        Event::BetsClosed { round, table, by } => {
            let sealed = match unsealed(names, *table) {
                Some(read) => format!("; dice read before the close as {read}"),
                None => String::new(),
            };
            let words = format!("bets closed by {}{sealed}", names.by(*by));
            plain("bets-closed", words).table(*table).round(*round).staff(*by)
        }
        Event::CountedLost { round, table, terminals } => {
            let list: Vec<String> = terminals.iter().map(|terminal| names.terminal(*terminal)).collect();
            let words = format!("counted as lost, because the close was not acknowledged (D12): {}", list.join(", "));
            significant(Kind::Link, "counted-lost", words).table(*table).round(*round)
        }
        Event::Observed { device, table, observation, counts, .. } => {
            let ignored = if *counts { "" } else { "; it does not count" };
            let saw = match observation {
                // Someone could still bet on them.
                Observation::DiceRead { .. } if is_open(names, *table) => {
                    "dice read, sealed until the close".to_owned()
                }
                _ => seen(names, *table, observation),
            };
            let words = |ignored| format!("{}: {saw}{ignored}", names.device(*device));
            let happening = match observation {
                Observation::Fault { .. } => significant(Kind::Fault, "device-fault", words("")),
                Observation::Restored => significant(Kind::Fault, "device-restored", words("")),
                _ => plain("observed", words(ignored)),
            };
            happening.table(*table).device(*device)
        }
        Event::ResultEntered { round, table, outcome, by, entry } => {
            let outcome = names.outcome(*table, *round, *outcome);
            let words = format!("{outcome} entered by {}{}", names.staff(*by), behind(names, entry.as_deref()));
            plain("result-entered", words).table(*table).round(*round).staff(*by)
        }
        Event::ResultChanged { round, table, from, to, by, entry } => {
            let (from, to) = (names.outcome(*table, *round, *from), names.outcome(*table, *round, *to));
            let behind = behind(names, entry.as_deref());
            let words = format!("{from} changed to {to} before settlement by {}{behind}", names.staff(*by));
            significant(Kind::Irregularity, "result-changed", words).table(*table).round(*round).staff(*by)
        }
        Event::RoundSettled { round, table, outcome, part, parts, returns } => {
            let returned = Cents::checked_sum(returns.iter().map(|(_, amount)| *amount)).unwrap_or(Cents::ZERO);
            let part = if *parts > 1 { format!(", part {part} of {parts}") } else { String::new() };
            let outcome = names.outcome(*table, *round, *outcome);
            let words =
                format!("settled by {outcome}{part}: {} terminals with bets, {returned} returned", returns.len());
            plain("round-settled", words).table(*table).round(*round)
        }
        Event::ChipsSettled { round, table, outcome, shares, .. } => {
            let returned = Cents::checked_sum(shares.iter().map(|share| share.returned)).unwrap_or(Cents::ZERO);
            let outcome = names.outcome(*table, *round, *outcome);
            let words = format!("settled by {outcome}: {} bets, {returned} returned", shares.len());
            plain("chips-settled", words).table(*table).round(*round)
        }
        Event::ChipsPlaced { table, position, spot, amount, by, for_player, standing } => {
            let how = match (for_player, standing) {
                (true, _) => format!("placed for the player by {}", names.by(*by)),
                (false, true) => format!("standing at the close, recorded by {}", names.by(*by)),
                (false, false) => format!("recorded by {}", names.by(*by)),
            };
            let words = format!("position {position}: {amount} on {}, {how}", names.chip_spot(*table, *spot));
            plain("chips-placed", words).table(*table).staff(*by)
        }
        Event::ChipsTaken { table, position, spot, amount, by, witness } => {
            let who = by.map(|by| format!(", recorded by {}", names.both(by, *witness))).unwrap_or_default();
            let words = format!("position {position}: {amount} taken off {}{who}", names.chip_spot(*table, *spot));
            plain("chips-taken", words).table(*table).staff(*by)
        }
        Event::ExcessRejected { table, spot, rejected, by } => {
            let list = names.positions(rejected);
            let words =
                format!("excess on {} rejected by {}: {list}", names.chip_spot(*table, *spot), names.staff(*by));
            plain("excess-rejected", words).table(*table).staff(*by)
        }
        Event::MinimumAdvised { table, position, spot, by } => {
            let spot = names.chip_spot(*table, *spot);
            let words = format!("position {position} told by {} that {spot} is under the minimum", names.staff(*by));
            plain("minimum-advised", words).table(*table).staff(*by)
        }
        Event::UnderMinimumRefused { table, position, spot, amount, by } => {
            let spot = names.chip_spot(*table, *spot);
            let words =
                format!("position {position}: {amount} on {spot} refused by {}, under the minimum", names.staff(*by));
            plain("under-minimum-refused", words).table(*table).staff(*by)
        }
        Event::LateRefused { table, position, by } => {
            let words = format!("position {position}: a late bet refused by {}", names.staff(*by));
            plain("late-refused", words).table(*table).staff(*by)
        }
        Event::UncoveringDeclared { round, table, by } => {
            let words = format!("dice declared uncovered by {}: no chips are recorded any more", names.staff(*by));
            plain("uncovering-declared", words).table(*table).round(*round).staff(*by)
        }
        Event::EarlyRestStated { round, table, by, affirmed, late } => {
            let mut words = format!("{} stated that the ball came to rest before the close", names.staff(*by));
            if *late {
                words.push_str(", after the close: whether a bet changed after it is not known");
            }
            if !affirmed.is_empty() {
                let points: Vec<&str> = affirmed.iter().map(|point| point.as_str()).collect();
                words.push_str(&format!("; affirmed: {}", points.join(", ")));
            }
            significant(Kind::Irregularity, "early-rest-stated", words).table(*table).round(*round).staff(*by)
        }
        Event::PlayerLeft { table, position } => {
            plain("player-left", format!("position {position} walked away; the bets stand")).table(*table)
        }
        _ => return None,
    })
}

/// Whether bets can still be placed in the round in progress.
fn is_open(names: Names, table: floor::TableId) -> bool {
    let round = names.0.table(table).and_then(|table| table.round());
    round.is_some_and(|round| round.phase() < floor::Phase::Closed)
}

/// What dice under the cover were read as, in the round in progress.
fn unsealed(names: Names, table: floor::TableId) -> Option<String> {
    let dice = names.0.table(table)?.round()?.seen().concealed;
    let read = |die: Option<rulebook::Face>| die.map_or("?".to_owned(), |face| face.dots().to_string());
    dice.iter().any(Option::is_some).then(|| dice.map(read).join("-"))
}

/// What a device saw.
pub(super) fn seen(names: Names, table: floor::TableId, observation: &Observation) -> String {
    match observation {
        Observation::Activated => "set off".to_owned(),
        Observation::Tumbled { times } => format!("tumbled {times} times"),
        Observation::Uncovered => "uncovered".to_owned(),
        Observation::Covered => "covered".to_owned(),
        Observation::DiceRead { dice } => {
            let read = |die: &Option<rulebook::Face>| die.map_or("?".to_owned(), |face| face.dots().to_string());
            format!("dice read as {}", dice.map(|die| read(&die)).join("-"))
        }
        Observation::NotFlat => "a die does not lie flat".to_owned(),
        Observation::Spun { against_rotation, wheel_rotating } => {
            let direction = if *against_rotation { "against" } else { "with" };
            let rotating = if *wheel_rotating { "" } else { ", which does not rotate" };
            format!("ball spun {direction} the wheel{rotating}")
        }
        Observation::Revolved { times } => format!("ball went around {times} times"),
        Observation::Rested { pocket } => {
            let found = names.0.table(table).and_then(|table| names.0.rulebook_of(table));
            let pocket = found.and_then(|rulebook| rulebook.outcomes().outcome(*pocket));
            format!("ball rests in {}", pocket.map_or("a pocket".to_owned(), |pocket| pocket.to_string()))
        }
        Observation::NoCompartment => "ball rests in no compartment".to_owned(),
        Observation::FlungOut => "ball was flung out".to_owned(),
        Observation::WheelStopped => "wheel has stopped".to_owned(),
        Observation::Fault { number } => format!("fault {number}"),
        Observation::Restored => "fault is gone".to_owned(),
    }
}

/// The points a dealer affirmed.
fn points(affirmed: &[Point]) -> String {
    if affirmed.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = affirmed.iter().map(|point| point.as_str()).collect();
    format!(", affirming {}", names.join(", "))
}

/// What stands behind the entry of a result (D19).
fn behind(names: Names, entry: Option<&EntryRecord>) -> String {
    let Some(entry) = entry else { return String::new() };
    let mut words = points(&entry.affirmed);
    if let Some(witness) = entry.witness {
        words.push_str(&format!(" with {}", names.staff(witness)));
    }
    words.push_str(match entry.need {
        Need::Nothing => "",
        Need::LateChips => "; a second person is needed after chips recorded late",
        Need::Serviced => {
            "; a second person is needed after a change of the device's service, or a report of it set aside"
        }
        Need::Unread => "; the device has not read it completely",
        Need::Contradicts => "; the device read something else",
    });
    if let Some(reason) = &entry.reason {
        words.push_str(&format!(": {reason}"));
    }
    words
}
