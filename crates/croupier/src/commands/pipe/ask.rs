//! Questions on the pipe: what a command about past rounds needs beforehand (D24). They change nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use engine::{Engine, Reply, Tag};
use floor::{Body, RoundId, TableId};
use records::Reader;
use rulebook::OutcomeIndex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::line::Answered;

/// How long the records may be behind.
const PATIENCE: Duration = Duration::from_secs(5);

/// A question, under the tag of its answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub tag: Tag,
    pub ask: Ask,
}

/// What is asked.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    /// The commands with which `System` recalls past rounds that have left a table's list of recent ones.
    Recall(Vec<RoundId>),
    /// What a correction or void of rounds would move, and the hash by which `ChangeRounds` refers to it.
    Preview {
        table: TableId,
        /// Each with its result, or `null` if it is to be void.
        changes: Vec<(RoundId, Option<OutcomeIndex>)>,
    },
}

impl Question {
    pub fn answer(&self, engine: &Engine, records: &Path) -> Value {
        let answered = match &self.ask {
            Ask::Recall(rounds) => recall(engine, records, rounds).map(|commands| json!({ "recall": commands })),
            Ask::Preview { table, changes } => {
                return match engine.read(|floor| floor.preview(*table, changes)) {
                    Ok(preview) => json!({ "tag": self.tag, "preview": words(&preview) }),
                    Err(refusal) => json!(Answered::new(self.tag, Reply::Refused(refusal))),
                };
            }
        };
        let mut answer = answered.unwrap_or_else(|error| json!({ "malformed": error.to_string() }));
        if let Some(answer) = answer.as_object_mut() {
            answer.insert("tag".to_owned(), json!(self.tag));
        }
        answer
    }
}

fn recall(engine: &Engine, records: &Path, rounds: &[RoundId]) -> Result<Vec<Body>, records::Error> {
    let reader = Reader::open(records)?;
    let (query, written, begun) = (reader.query(), engine.read(floor::Floor::sequence), Instant::now());
    while query.sequence()? < written && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut commands = Vec::new();
    for round in rounds {
        let Some(table) = query.table_of_past(*round)? else { continue };
        for past in query.past_rounds(table, &[*round])? {
            let records::PastRound { table, leaf, bytes, beside, read, .. } = past;
            commands.push(Body::RecallRound { table, leaf, bytes, beside, read });
        }
    }
    Ok(commands)
}

fn words(preview: &floor::Preview) -> Value {
    let rounds = preview.rounds.iter().map(|round| {
        let adjustments = round.adjustments.iter().map(|by| {
            json!({
                "terminal": by.terminal, "entitled": by.entitled, "credited": by.credited, "payable": by.payable,
                "unpaid": by.unpaid, "taken": by.taken, "uncollected": by.uncollected,
            })
        });
        json!({
            "round": round.round, "was": round.was, "outcome": round.outcome, "players": round.players,
            "adjustments": adjustments.collect::<Vec<_>>(), "paid_in_chips": round.chips.0, "claimed": round.chips.1,
        })
    });
    json!({ "hash": preview.hash, "rounds": rounds.collect::<Vec<_>>() })
}
