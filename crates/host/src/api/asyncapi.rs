//! The document of the feeds (AsyncAPI 3), made from the schemas of the API document: each message is a variant of
//! `HostMessage` or `ClientMessage`, and each section has the type that the host serialises.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::api::{FLOOR, openapi};

/// A feed, and what goes over it.
pub struct FeedKind {
    /// As in its path.
    pub kind: &'static str,
    /// What its path names, if anything.
    pub id: Option<&'static str>,
    /// Whose feed it is, and what it takes to open it.
    pub summary: &'static str,
    /// What the host sends beside `snapshot`, `update`, `tick` and `bye`.
    pub sends: &'static [&'static str],
    /// What the client sends, beginning with `hello`.
    pub takes: &'static [&'static str],
    /// The sections of its view, each with its schema.
    pub sections: &'static [Section],
}

/// A section of a view: its name, its schema, and how it stands there.
pub type Section = (&'static str, &'static str, Shape);

/// How a section stands in a view.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As it is.
    One,
    /// Or `null`.
    Maybe,
    /// A list.
    List,
    /// A list, only in an update: to be put at the end of, or over, the section whose name it begins with.
    Part,
}

use Shape::{List, Maybe, One, Part};

const TABLE: [Section; 6] = [
    ("table", "TableSection", Maybe),
    ("round", "RoundSection", Maybe),
    ("results", "ResultRow", List),
    ("results_added", "ResultRow", Part),
    ("last_round", "LastRoundSection", Maybe),
    ("lit", "", List),
];

/// Every feed.
pub static FEEDS: [FeedKind; 7] = [
    FeedKind {
        kind: "terminal",
        id: Some("terminal"),
        summary: "A Player Terminal, which proves its key.",
        sends: &["challenge", "answer", "held"],
        takes: &[
            "hello",
            "bet",
            "clear",
            "repeat",
            "acknowledge",
            "ticket_in",
            "cash_out",
            "print_job",
            "printed",
            "print_failed",
            "choose_table",
            "call_attendant",
            "cabinet",
            "loss_limit",
            "demo_cash",
        ],
        sections: &[
            TABLE[0],
            TABLE[1],
            TABLE[2],
            TABLE[3],
            TABLE[4],
            TABLE[5],
            ("own", "OwnSection", Maybe),
            ("bets", "BetRow", List),
            ("bets_set", "BetRow", Part),
        ],
    },
    FeedKind {
        kind: "device",
        id: Some("device"),
        summary: "A tumbler, wheel, chip reader, printer or validator, which proves its key.",
        sends: &["challenge", "answer", "held"],
        takes: &["hello", "observe", "cash"],
        sections: &[],
    },
    FeedKind {
        kind: "display",
        id: Some("table"),
        summary: "A display over a table. Anyone may watch; it sends nothing after its hello.",
        sends: &[],
        takes: &["hello"],
        sections: &TABLE,
    },
    FeedKind {
        kind: "console",
        id: Some("table"),
        summary: "A dealer's console: a session of a Pit Employee or an auditor.",
        sends: &[],
        takes: &["hello"],
        sections: &[
            TABLE[0],
            TABLE[1],
            TABLE[2],
            TABLE[3],
            TABLE[4],
            TABLE[5],
            ("console", "ConsoleSection", Maybe),
            ("faults", "FaultRow", List),
        ],
    },
    FeedKind {
        kind: "pit",
        id: None,
        summary: "The pit: a session of a Pit Supervisor or above, or of an auditor.",
        sends: &[],
        takes: &["hello"],
        sections: &[("pit", "PitSection", One)],
    },
    FeedKind {
        kind: "cage",
        id: None,
        summary: "The cage: a session of a cashier or an auditor.",
        sends: &[],
        takes: &["hello"],
        sections: &[("cage", "CageSection", One)],
    },
    FeedKind {
        kind: "admin",
        id: None,
        summary: "The administration: a session of an administrator, a technician or an auditor.",
        sends: &[],
        takes: &["hello"],
        sections: &[
            ("floor", "FloorSection", One),
            ("devices", "DeviceSection", List),
            ("staff", "StaffSection", List),
            ("control", "ControlSection", One),
            ("health", "HealthSection", One),
        ],
    },
];

/// What the host sends over every feed.
const ALWAYS: [&str; 4] = ["snapshot", "update", "tick", "bye"];

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
});

/// The document as text.
#[must_use]
pub fn text() -> &'static str {
    &DOCUMENT
}

/// Serves the document.
pub async fn serve() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text()).into_response()
}

/// A variant of a tagged enum by its tag, as `openapi` describes it.
fn variant(schemas: &Map<String, Value>, of: &str, tag: &str) -> Option<Value> {
    let variants = schemas.get(of)?.get("oneOf")?.as_array()?;
    let is = |one: &&Value| one.pointer("/properties/type/enum/0").and_then(Value::as_str) == Some(tag);
    variants.iter().find(is).cloned()
}

/// The schema of a view: its sections by name.
fn view(feed: &FeedKind, whole: bool) -> Value {
    let mut properties = Map::new();
    for (name, of, shape) in feed.sections.iter().filter(|(_, _, shape)| !whole || *shape != Part) {
        let one = if of.is_empty() {
            json!({"type": "string", "description": "A spot, in the notation of the rulebooks."})
        } else {
            json!({"$ref": format!("#/components/schemas/{of}")})
        };
        let section = match shape {
            One => one,
            Maybe => json!({"oneOf": [one, {"type": "null"}]}),
            List | Part => json!({"type": "array", "items": one}),
        };
        properties.insert((*name).to_owned(), section);
    }
    let names: Vec<&String> = properties.keys().collect();
    let required = if whole { json!(names) } else { json!([]) };
    json!({"type": "object", "properties": properties, "required": required})
}

/// A message over a feed: the host's `view` is the one of this feed.
fn message(schemas: &Map<String, Value>, feed: &FeedKind, of: &str, tag: &str) -> Option<Value> {
    let mut payload = variant(schemas, of, tag)?;
    if let Some(place) = payload.pointer_mut("/properties/view") {
        *place = view(feed, tag == "snapshot");
    }
    let summary = payload.as_object_mut()?.remove("description");
    Some(json!({"name": tag, "summary": summary, "contentType": "application/json", "payload": payload}))
}

/// The names of all schemas that a value refers to.
fn referred(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str);
            into.extend(name.and_then(|name| name.strip_prefix("#/components/schemas/")).map(str::to_owned));
            fields.values().for_each(|field| referred(field, into));
        }
        Value::Array(items) => items.iter().for_each(|item| referred(item, into)),
        _ => {}
    }
}

/// The schemas that the channels need, and those that these need.
fn needed(schemas: &Map<String, Value>, channels: &Value) -> Map<String, Value> {
    let mut names = BTreeSet::new();
    referred(channels, &mut names);
    loop {
        let known = names.len();
        for name in names.clone() {
            schemas.get(&name).iter().for_each(|schema| referred(schema, &mut names));
        }
        if names.len() == known {
            break;
        }
    }
    let found = |name: String| schemas.get(&name).map(|schema| (name, schema.clone()));
    names.into_iter().filter_map(found).collect()
}

const ABOUT: &str = "The feeds of a floor: one WebSocket for each client. The client speaks first with `hello`; a terminal \
or device is sent a `challenge` before that, and proves its key in the hello. Then the host sends a `snapshot` with every \
section of the view, and an `update` for each change: the sections in it replace those of the same name, `results_added` is \
put at the end of `results` and `bets_set` over `bets`. A command has the client's own `number`; its `answer` has the same \
number, and a retry under that number gets the first answer. Nothing is shown or answered before it is durable. Amounts are \
strings with two decimals, moments are milliseconds since 1970, spots and outcomes are in the notation of the rulebooks. \
The commands over HTTP are in `/openapi.json`, from the same types.";

fn document() -> Value {
    let api: Value = serde_json::from_str(openapi::text()).unwrap_or_default();
    let none = Map::new();
    let schemas = api.pointer("/components/schemas").and_then(Value::as_object).unwrap_or(&none);
    let (mut channels, mut operations) = (Map::new(), Map::new());
    for feed in &FEEDS {
        let mut messages = Map::new();
        let mut go = |of: &str, tags: &mut dyn Iterator<Item = &&str>| {
            let mut refs = Vec::new();
            for tag in tags {
                if let Some(message) = message(schemas, feed, of, tag) {
                    messages.insert((*tag).to_owned(), message);
                    refs.push(json!({"$ref": format!("#/channels/{}/messages/{tag}", feed.kind)}));
                }
            }
            refs
        };
        let sent = go("HostMessage", &mut feed.sends.iter().chain(&ALWAYS));
        let taken = go("ClientMessage", &mut feed.takes.iter());
        let end = feed.id.map(|id| format!("/{{{id}}}")).unwrap_or_default();
        let about = |what: &str| json!({"description": what});
        let mut parameters = Map::from_iter([("floor".to_owned(), about("The name of the floor."))]);
        parameters.extend(feed.id.map(|id| (id.to_owned(), about("Its id: a whole number."))));
        let channel = json!({
            "address": format!("{FLOOR}/feed/{}{end}", feed.kind),
            "title": feed.kind,
            "summary": feed.summary,
            "parameters": parameters,
            "messages": messages,
            "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
        });
        let of = json!({"$ref": format!("#/channels/{}", feed.kind)});
        for (name, action, messages) in [("tell", "send", sent), ("hear", "receive", taken)] {
            let operation = json!({"action": action, "channel": of, "messages": messages});
            operations.insert(format!("{name}-{}", feed.kind), operation);
        }
        channels.insert(feed.kind.to_owned(), channel);
    }
    let channels = Value::Object(channels);
    let schemas = needed(schemas, &channels);
    json!({
        "asyncapi": "3.0.0",
        "info": {
            "title": "Croupier: feeds",
            "version": "1",
            "description": ABOUT,
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {"schemas": schemas},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(of: &str) -> BTreeSet<String> {
        let api: Value = serde_json::from_str(openapi::text()).unwrap();
        let variants = api["components"]["schemas"][of]["oneOf"].as_array().unwrap().clone();
        variants.iter().map(|one| one["properties"]["type"]["enum"][0].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_message_goes_over_some_feed_and_is_described() {
        let named = |which: fn(&FeedKind) -> &'static [&'static str]| {
            FEEDS.iter().flat_map(which).map(|tag| (*tag).to_owned()).collect::<BTreeSet<_>>()
        };
        assert_eq!(named(|feed| feed.takes), tags("ClientMessage"));
        let mut sent = named(|feed| feed.sends);
        sent.extend(ALWAYS.map(str::to_owned));
        assert_eq!(sent, tags("HostMessage"));
        let document = document();
        for feed in &FEEDS {
            let messages = document["channels"][feed.kind]["messages"].as_object().unwrap();
            assert_eq!(messages.len(), feed.sends.len() + ALWAYS.len() + feed.takes.len(), "{}", feed.kind);
        }
    }

    #[test]
    fn every_section_has_a_schema_and_every_reference_leads_somewhere() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (name, of, _) in FEEDS.iter().flat_map(|feed| feed.sections) {
            assert!(of.is_empty() || schemas.contains_key(*of), "{name}");
        }
        let mut names = BTreeSet::new();
        referred(&document, &mut names);
        assert!(names.iter().all(|name| schemas.contains_key(name)), "{names:?}");
    }
}
