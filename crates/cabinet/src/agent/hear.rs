//! What a message of the host is to the agent.

use serde_json::{Map, Value};

use super::core::{Input, Refusal, Side};
use super::view::{Own, merge};
use crate::printer::Slip;

/// What has happened by a message of the host, in order. The terminal's view is brought up to date.
pub fn hear(view: &mut Map<String, Value>, side: Side, message: &Value) -> Vec<Input> {
    match (message["type"].as_str().unwrap_or_default(), side) {
        ("snapshot", _) => {
            let mut inputs = Vec::new();
            if side == Side::Terminal {
                *view = message["view"].as_object().cloned().unwrap_or_default();
                inputs.extend(Own::of(view).map(Input::View));
                inputs.extend(message["reader"].as_str().map(|reader| Input::Reader(reader.to_owned())));
            }
            inputs.push(Input::Up(side, message["next_number"].as_u64().unwrap_or(1)));
            inputs
        }
        ("update", Side::Terminal) => {
            if let Some(change) = message["view"].as_object() {
                merge(view, change.clone());
            }
            Own::of(view).map(Input::View).into_iter().collect()
        }
        ("answer", _) => {
            let error = message.get("error").filter(|error| !error.is_null());
            let refused = error.map(|error| Refusal {
                code: error["code"].as_str().unwrap_or_default().to_owned(),
                error: error.clone(),
            });
            let slip = message.get("ticket").and_then(|slip| serde_json::from_value::<Slip>(slip.clone()).ok());
            let (number, accepted) = (message["number"].as_u64().unwrap_or(0), message["accepted"].as_u64());
            vec![Input::Answer { side, number, refused, slip: slip.map(Box::new), accepted }]
        }
        _ => Vec::new(),
    }
}
