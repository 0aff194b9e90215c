//! The graph of round phases, as the states that were reached have it.

use floor::{Floor, Phase, Table};
use serde::{Deserialize, Serialize};

use crate::spec::TABLE;

/// What a round can be in, as a person would say it.
pub const PHASES: [&str; 13] = [
    "no round",
    "begun",
    "begun, halted",
    "begun, interrupted",
    "open",
    "open, halted",
    "open, interrupted",
    "closed",
    "closed, halted",
    "closed, interrupted",
    "result entered",
    "result entered, halted",
    "result entered, interrupted",
];

/// The phase of the round, by its place in [`PHASES`].
#[must_use]
pub fn phase_of(floor: &Floor) -> usize {
    let Some(round) = floor.table(TABLE).and_then(Table::round) else { return 0 };
    let phase = match round.phase() {
        Phase::Begun => 1,
        Phase::Open => 4,
        Phase::Closed => 7,
        Phase::Entered => 10,
    };
    match (round.is_interrupted(), round.is_halted()) {
        (true, _) => phase + 2,
        (false, true) => phase + 1,
        (false, false) => phase,
    }
}

/// How many steps lead from one phase to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phases([[u64; 13]; 13]);

impl Phases {
    pub(crate) fn count(&mut self, from: usize, to: usize) {
        self.0[from][to] += 1;
    }

    /// Adds what another search has counted.
    pub fn add(&mut self, other: &Phases) {
        for (own, others) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *own += others;
        }
    }

    /// From which phase to which other one, and how many times.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        let rows = self.0.iter().enumerate();
        let edges = rows.flat_map(|(from, row)| row.iter().enumerate().map(move |(to, times)| (from, to, *times)));
        edges.filter(|(from, to, times)| from != to && *times > 0)
    }

    /// The graph in Mermaid's notation.
    #[must_use]
    pub fn mermaid(&self) -> String {
        let mut lines = vec!["stateDiagram-v2".to_owned()];
        let mut named: Vec<usize> = self.edges().flat_map(|(from, to, _)| [from, to]).collect();
        named.sort_unstable();
        named.dedup();
        lines.extend(named.into_iter().map(|place| format!("    state \"{}\" as s{place}", PHASES[place])));
        lines.push("    [*] --> s0".to_owned());
        lines.extend(self.edges().map(|(from, to, _)| format!("    s{from} --> s{to}")));
        lines.join("\n")
    }
}
