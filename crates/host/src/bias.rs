//! The bias watch of every device: the results of each table go to the laboratory's e-value, which may be read after
//! every round. One alert is raised at the pit when they are more than chance.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::Durable;
use floor::{DeviceId, Event, RoundId, TableId};
use lab::bias::{Order, Watch};
use records::ResultFilter;
use rulebook::{Hash, OutcomeIndex};
use tokio::sync::Notify;

use crate::app::App;

/// The probability of ever raising a false alarm at a table: the e-value is held against its inverse.
const LEVEL: f64 = 0.001;
/// How often it is looked whether records that are behind have caught up, and how often at most.
const LOOK: (Duration, usize) = (Duration::from_millis(100), 3_000);
/// By these words an alert of this kind is known again after a restart.
const WORDS: &str = "results are more than chance";

/// A result that came while the host runs.
#[derive(Copy, Clone)]
struct Seen {
    table: TableId,
    round: RoundId,
    outcome: OutcomeIndex,
    device: Option<DeviceId>,
}

/// Results on their way to the watch.
#[derive(Default)]
pub struct Results {
    seen: Mutex<Vec<Seen>>,
    news: Notify,
}

impl Results {
    /// Hears what is durable. The work is done elsewhere: here a few numbers are put down.
    pub fn hear(&self, durable: &Durable<'_>) {
        for record in durable.records {
            let (table, round, outcome) = match &record.event {
                Event::RoundSettled { table, round, outcome, part, parts, .. } if part == parts => {
                    (*table, *round, *outcome)
                }
                Event::ChipsSettled { table, round, outcome, .. } => (*table, *round, *outcome),
                _ => continue,
            };
            let device = device_of(durable.floor, table);
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push(Seen { table, round, outcome, device });
            self.news.notify_one();
        }
    }

    fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The tumbler or wheel of a table.
fn device_of(floor: &floor::Floor, table: TableId) -> Option<DeviceId> {
    let here = |device: &&floor::Device| {
        device.place() == floor::DevicePlace::Table(table)
            && matches!(device.kind(), floor::DeviceKind::Tumbler | floor::DeviceKind::Wheel)
    };
    floor.devices().iter().find(here).map(floor::Device::id)
}

/// A table under watch. Another device, or another game, is another watch.
struct Watched {
    watch: Watch,
    rulebook: Hash,
    device: Option<DeviceId>,
    last: Option<RoundId>,
    said: bool,
}

impl Watched {
    fn new(rulebook: &rulebook::Rulebook, device: Option<DeviceId>) -> Watched {
        // Dice may be entered sorted, so nothing is read from their order.
        let watch = Watch::new(rulebook.outcomes(), Order::Unknown, LEVEL);
        Watched { watch, rulebook: rulebook.hash(), device, last: None, said: false }
    }

    /// Takes down a result; a round that is known already is not taken twice.
    fn observe(&mut self, round: RoundId, outcome: OutcomeIndex) {
        if self.last.is_none_or(|last| round > last) {
            self.last = Some(round);
            self.watch.observe(outcome);
        }
    }

    /// What to tell the pit, once.
    fn news(&mut self, name: &str) -> Option<String> {
        let round = self.watch.alarm().filter(|_| !self.said)?;
        self.said = true;
        let device = self.device.map_or_else(String::new, |device| format!(" Device {}.", device.0));
        Some(format!(
            "{name}: {WORDS}, by round {round} under watch: e-value {:.0}, limit {:.0}.{device} Have it examined.",
            self.watch.highest(),
            self.watch.threshold()
        ))
    }
}

/// Watches every table: first what the records have, then what comes.
pub async fn run(app: Arc<App>) {
    let end = app.read(floor::Floor::sequence);
    for _ in 0..LOOK.1 {
        if app.records.sequence() >= end {
            break;
        }
        tokio::time::sleep(LOOK.0).await;
    }
    let host = Arc::clone(&app);
    let mut tables = match tokio::task::spawn_blocking(move || rebuilt(&host)).await {
        Ok(Ok(tables)) => tables,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the bias watch restarts: the records could not be read");
            HashMap::new()
        }
        Err(error) => {
            tracing::error!(%error, "the bias watch could not be restored");
            HashMap::new()
        }
    };
    tell(&app, &mut tables);
    loop {
        app.watch.results.news.notified().await;
        for seen in app.watch.results.take() {
            take_down(&app, &mut tables, seen);
        }
        tell(&app, &mut tables);
    }
}

fn take_down(app: &App, tables: &mut HashMap<TableId, Watched>, seen: Seen) {
    let Some(rulebook) = app.read(|floor| floor.table(seen.table).and_then(|table| floor.shared_rulebook(table)))
    else {
        return;
    };
    let known = tables.entry(seen.table).or_insert_with(|| Watched::new(&rulebook, seen.device));
    if known.rulebook != rulebook.hash() || known.device != seen.device {
        *known = Watched::new(&rulebook, seen.device);
    }
    known.observe(seen.round, seen.outcome);
    metrics::gauge!("croupier_bias_e_value", "table" => seen.table.to_string()).set(known.watch.e_value());
}

fn tell(app: &App, tables: &mut HashMap<TableId, Watched>) {
    // Every host of a floor watches; the one in charge says so.
    if !app.is_in_charge() {
        return;
    }
    for (id, watched) in tables {
        let name =
            || app.read(|floor| floor.table(*id).map_or_else(|| id.to_string(), |table| table.name().to_owned()));
        if watched.watch.alarm().is_some()
            && !watched.said
            && let Some(words) = watched.news(&name())
        {
            app.alert(Some(*id), words);
        }
    }
}

/// The watches as they would stand if the host had never stopped.
fn rebuilt(app: &App) -> Result<HashMap<TableId, Watched>, records::Error> {
    let reader = app.records.reader()?;
    let query = reader.query();
    let games: Vec<_> = app.read(|floor| {
        let with_rules = |table: &floor::Table| Some((table.id(), floor.shared_rulebook(table)?));
        floor.tables().iter().filter_map(with_rules).collect()
    });
    let mut tables = HashMap::new();
    for (table, rulebook) in games {
        let mut watched: Option<Watched> = None;
        let mut begun = None;
        query.each_result(&ResultFilter { table: Some(table), ..ResultFilter::default() }, |result| {
            // A result of another game that was played here before.
            let Ok(outcome) = rulebook.outcomes().parse(&result.outcome) else {
                watched = None;
                return;
            };
            if watched.as_ref().is_none_or(|watched| watched.device != result.device) {
                watched = Some(Watched::new(&rulebook, result.device));
                begun = Some(result.at);
            }
            if let Some(watched) = &mut watched {
                watched.observe(result.round, outcome);
            }
        })?;
        let Some(mut watched) = watched else { continue };
        if watched.watch.alarm().is_some() {
            watched.said = said_before(&query, table, begun)?;
        }
        tables.insert(table, watched);
    }
    Ok(tables)
}

/// Whether the pit has heard of a table since the watch of its device began.
fn said_before(
    query: &records::Query<'_>,
    table: TableId,
    since: Option<floor::Moment>,
) -> Result<bool, records::Error> {
    let mut before = None;
    loop {
        let filter = records::EventFilter {
            kind: Some(records::Kind::Alert),
            table: Some(table),
            from: since,
            before,
            limit: Some(1_000),
            ..records::EventFilter::default()
        };
        let page = query.significant(&filter)?;
        if page.rows.iter().any(|event| event.words.contains(WORDS)) {
            return Ok(true);
        }
        match page.next {
            Some(next) => before = Some(next),
            None => return Ok(false),
        }
    }
}
