//! What goes over a feed, as text.

use floor::{Floor, Moment, TerminalId};
use serde_json::Value;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::feed::message::HostMessage;
use crate::tell::{EventMessage, OwnChange};
use crate::view;

/// A terminal's own sections, without the braces around them.
pub(super) fn own_sections(floor: &Floor, id: TerminalId, change: &OwnChange) -> String {
    let mut view = String::with_capacity(512);
    section(&mut view, "own", &view::own(floor, id));
    if change.all_bets {
        section(&mut view, "bets", &view::bets(floor, id));
    } else if !change.stakes.is_empty() {
        section(&mut view, "bets_set", &stakes_now(floor, id, change));
    }
    view
}

/// Writes a section behind those that are there.
pub(super) fn section(view: &mut String, name: &str, value: &impl serde::Serialize) {
    if !view.is_empty() {
        view.push(',');
    }
    view.push('"');
    view.push_str(name);
    view.push_str("\":");
    view.push_str(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()));
}

/// What stands now where something was changed.
fn stakes_now(floor: &Floor, id: TerminalId, change: &OwnChange) -> Vec<view::BetRow> {
    let Some((terminal, layout)) = floor.terminal(id).and_then(|t| Some((t, floor.layout_of(t)?))) else {
        return Vec::new();
    };
    let mut changed = change.stakes.clone();
    changed.sort_unstable();
    changed.dedup();
    let row = |(spot, group): &(rulebook::SpotIndex, u16)| {
        let stands = terminal.stakes().iter().find(|stake| stake.spot == *spot && stake.group == *group);
        let stake = stands.map_or(rulebook::Cents::ZERO, |stake| stake.amount).into();
        Some(view::BetRow { spot: layout.table().spot(*spot)?.spot.to_string(), group: *group, stake })
    };
    changed.iter().filter_map(row).collect()
}

pub(super) fn json_of(events: &[&EventMessage]) -> String {
    events.iter().filter_map(|event| serde_json::to_string(event).ok()).collect::<Vec<_>>().join(",")
}

pub(super) fn join(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, _) => second.to_owned(),
        (_, true) => first.to_owned(),
        _ => format!("{first},{second}"),
    }
}

pub(super) fn frame(sequence: u64, cursor: &str, now: Moment, events: &str, view: &str) -> String {
    let now = now.0;
    format!(
        r#"{{"type":"update","sequence":{sequence},"cursor":"{cursor}","now":{now},"events":[{events}],"view":{{{view}}}}}"#
    )
}

pub(super) fn update(sequence: u64, cursor: String, now: Moment, view: Value) -> Utf8Bytes {
    text(&HostMessage::Update { sequence, cursor, now: now.0, events: Vec::new(), view })
}

/// A message as text.
#[must_use]
pub fn text(message: &HostMessage) -> Utf8Bytes {
    Utf8Bytes::from(serde_json::to_string(message).unwrap_or_default())
}
