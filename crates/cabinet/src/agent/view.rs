//! The view of a terminal, kept as its page would: whole sections replace, additions are worked in.

use serde_json::{Map, Value};

use crate::Cents;

/// The longest list of results that is kept.
const RESULTS: usize = 200;

/// What of its terminal's section the agent looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Whether the terminal can be used.
    pub usable: bool,
    /// Credit and bets.
    pub holds: Cents,
    /// The ticket in doubt.
    pub doubt: Option<u64>,
    /// The last ticket that is no longer in doubt.
    pub resolved: Option<u64>,
    /// An attendant is called, and has not answered.
    pub called: bool,
}

impl Own {
    /// Reads the section.
    #[must_use]
    pub fn of(view: &Map<String, Value>) -> Option<Own> {
        let own = view.get("own")?;
        let money = |name: &str| own.get(name).and_then(Value::as_str).and_then(cents).unwrap_or(0);
        let ticket = |name: &str| own.get(name)?.get("ticket")?.as_u64();
        Some(Own {
            usable: own.get("usable").and_then(Value::as_bool).unwrap_or(false),
            holds: money("credit").saturating_add(money("staked")),
            doubt: ticket("doubt"),
            resolved: ticket("last_ticket"),
            called: own.get("called").is_some_and(|called| !called.is_null()),
        })
    }
}

/// Lays a change over a view.
pub fn merge(view: &mut Map<String, Value>, change: Map<String, Value>) {
    let replaces = change.contains_key("results");
    for (name, value) in change {
        match (name.as_str(), value) {
            ("results_added", Value::Array(added)) => {
                if let (false, Some(Value::Array(results))) = (replaces, view.get_mut("results")) {
                    results.extend(added);
                    let beyond = results.len().saturating_sub(RESULTS);
                    results.drain(..beyond);
                }
            }
            ("bets_set", Value::Array(set)) => {
                let bets = view.entry("bets").or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(bets) = bets {
                    set.into_iter().for_each(|bet| set_bet(bets, bet));
                }
            }
            (_, value) => drop(view.insert(name.clone(), value)),
        }
    }
}

fn set_bet(bets: &mut Vec<Value>, bet: Value) {
    let same = |other: &Value| other.get("group") == bet.get("group") && other.get("spot") == bet.get("spot");
    let stake = bet.get("stake").and_then(Value::as_str).and_then(cents);
    bets.retain(|other| !same(other));
    if stake != Some(0) {
        bets.push(bet);
    }
}

/// An amount in the form `1234.50`.
#[must_use]
pub fn cents(text: &str) -> Option<Cents> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "00"));
    if whole.is_empty() || part.len() != 2 || !whole.bytes().chain(part.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    whole.parse::<Cents>().ok()?.checked_mul(100)?.checked_add(part.parse().ok()?)
}

/// The same form of an amount.
#[must_use]
pub fn money(amount: Cents) -> String {
    format!("{}.{:02}", amount / 100, amount % 100)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn sections_replace_and_additions_are_worked_in() {
        let mut view = map(json!({
            "own": { "usable": true, "credit": "12.50", "staked": "1.00", "doubt": null, "called": 7, "last_ticket": { "ticket": 4 } },
            "results": [1], "bets": [{ "group": 0, "spot": "big", "stake": "5.00" }],
        }));
        assert_eq!(
            Own::of(&view),
            Some(Own { usable: true, holds: 1_350, doubt: None, resolved: Some(4), called: true })
        );
        merge(
            &mut view,
            map(json!({
                "results_added": [2, 3], "round": null,
                "bets_set": [{ "group": 0, "spot": "big", "stake": "0.00" }, { "group": 0, "spot": "small", "stake": "2.00" }],
            })),
        );
        assert_eq!(view["results"], json!([1, 2, 3]));
        assert_eq!(view["bets"], json!([{ "group": 0, "spot": "small", "stake": "2.00" }]));
        assert!(view.contains_key("round") && !view.contains_key("bets_set"));
    }

    #[test]
    fn amounts_are_whole_cents() {
        assert_eq!(["12.50", "0.05", "7"].map(cents), [Some(1_250), Some(5), Some(700)]);
        assert_eq!(["", "-1.00", "1.5", "1.005", "x"].map(cents), [None; 5]);
        assert_eq!(money(1_205), "12.05");
    }
}
