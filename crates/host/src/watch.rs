//! What the host watches by itself: the pace of the tables, their results, the clock, the disk, the meters, the deadlines.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::Durable;
use floor::{Body, Event, Moment, TableId};
use tokio::time::sleep;

use crate::app::App;
use crate::bias;
use crate::clock;
use crate::uptime;

const HOUR: i64 = 3_600_000;
/// So often is it noted what time it is, in seconds.
const NOTED_EVERY: u64 = 10;

/// Ends of rounds, by table.
#[derive(Clone, Default)]
pub struct Watch {
    ended: Arc<Mutex<HashMap<TableId, VecDeque<Moment>>>>,
    /// Results, for the watch for bias.
    pub results: Arc<bias::Results>,
}

impl Watch {
    /// Hears what is durable.
    pub fn hear(&self, durable: &Durable<'_>) {
        self.results.hear(durable);
        for record in durable.records {
            let table = match &record.event {
                Event::RoundSettled { table, part, parts, .. } if part == parts => *table,
                Event::ChipsSettled { table, .. } | Event::RoundVoided { table, .. } => *table,
                _ => continue,
            };
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let rounds = ended.entry(table).or_default();
            rounds.push_back(record.at);
            while rounds.front().is_some_and(|first| record.at.since(*first) > HOUR) || rounds.len() > 10_000 {
                rounds.pop_front();
            }
        }
    }

    /// Rounds that ended in the last hour; in the first hour, as many as there would be.
    #[must_use]
    pub fn games_per_hour(&self, table: TableId, now: Moment) -> u32 {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rounds) = ended.get(&table) else { return 0 };
        let recent: Vec<&Moment> = rounds.iter().filter(|at| now.since(**at) <= HOUR).collect();
        let (Some(first), count) = (recent.first(), recent.len()) else { return 0 };
        let span = now.since(**first).clamp(60_000, HOUR);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        u32::try_from(count.saturating_mul(HOUR) / span).unwrap_or(u32::MAX)
    }
}

/// Lets deadlines take effect when they pass: closing of bets, terminals that did not answer, tickets that expire.
pub async fn deadlines(app: Arc<App>) {
    loop {
        if !app.is_in_charge() {
            app.hub.deadlines.notified().await;
            continue;
        }
        let moved = clock::moved::by();
        let due = app.read(floor::Floor::next_deadline);
        if due.is_none_or(|due| clock::now() < due) {
            clock::moved::elapsed(moved);
        }
        let wait = due.map_or(Duration::from_secs(60), |due| {
            Duration::from_millis(u64::try_from(due.since(clock::now())).unwrap_or(0))
        });
        tokio::select! {
            () = sleep(clock::moved::wait(wait)) => {
                if due.is_some_and(|due| clock::now() >= due) {
                    // Refused when something else was quicker; then the next deadline is looked at.
                    if app.own(Body::Elapse).await.is_err() {
                        sleep(Duration::from_millis(20)).await;
                    }
                }
            }
            () = app.hub.deadlines.notified() => {}
        }
    }
}

/// The clock to every screen, each second; a clock that was set is noticed and recorded.
pub async fn clock_ticks(app: Arc<App>) {
    let mut every = tokio::time::interval(Duration::from_secs(1));
    let (mut at, mut monotonic) = (clock::now(), clock::stopwatch());
    let (mut ticks, mut differed) = (0_u64, false);
    loop {
        every.tick().await;
        if ticks % NOTED_EVERY == 0 && clock::is_compared() && !app.is_demonstration() {
            let data = app.config.data.clone();
            if let Ok(Err(error)) = tokio::task::spawn_blocking(move || uptime::note(&data)).await {
                tracing::warn!(%error, "the time could not be saved");
            }
        }
        ticks += 1;
        let (now, read) = (clock::now(), clock::stopwatch());
        let passed = i64::try_from(read.saturating_duration_since(monotonic).as_millis()).unwrap_or(i64::MAX);
        let step = now.since(at) - passed;
        if step.abs() > 1_000 {
            app.alert(None, format!("The host's clock was set by {:.1} s", step as f64 / 1000.0));
        }
        (at, monotonic) = (now, read);
        let ahead = clock::ahead().unwrap_or(0);
        if app.is_in_charge() && said_ahead(&app, ahead) {
            // Said when it begins and when it is over, not at every tick.
            let _ = app.own_unanswered(Body::ReportClock { ahead });
        }
        differed = tell_difference(&app, ahead, differed);
        app.hub.tick(now);
    }
}

/// A host that follows says once that its clock is not the floor's. The one that leads has a record of its own for that.
fn tell_difference(app: &App, ahead: i64, told: bool) -> bool {
    if ahead == 0 || app.is_in_charge() {
        return false;
    }
    // Other hosts ignore a host that is not enrolled yet. A clock that the leader has reported is known.
    if told || !app.store.is_enrolled() || app.read(|floor| floor.clock_ahead().is_some()) {
        return told;
    }
    let way = if ahead > 0 { "ahead of" } else { "behind" };
    let seconds = ahead.abs() / 1_000;
    app.alert(None, format!("The clock of host {} is {seconds} s {way} the floor's", app.config.host_name()));
    true
}

/// Whether the floor is to be told that the clock has gone ahead, or that it no longer is.
fn said_ahead(app: &App, ahead: i64) -> bool {
    app.read(|floor| floor.level() >= floor::TAGGED && floor.clock_ahead().is_some() != (ahead != 0))
}

/// Meters (S11), pace, liability and disk, a few times a minute.
pub async fn rounds_of_inspection(app: Arc<App>) {
    let mut every = tokio::time::interval(Duration::from_secs(5));
    let mut said: HashMap<String, Moment> = HashMap::new();
    loop {
        every.tick().await;
        crate::figures::sum_up();
        let in_charge = app.is_in_charge();
        if in_charge {
            // Refused with nothing to do as long as all meters agree: nothing is written.
            let _ = app.own_unanswered(Body::CheckMeters);
            raise_feature_level(&app);
        }
        app.tell_refusals();
        app.tell_links();
        let now = clock::now();
        let mut alerts: Vec<(Option<TableId>, String, String)> = Vec::new();
        app.read(|floor| {
            for table in floor.tables().iter().filter(|_| in_charge) {
                let id = table.id();
                let pace = app.watch.games_per_hour(id, now);
                if pace > app.config.games_per_hour_high {
                    let words = format!("{} plays {pace} games an hour", table.name());
                    alerts.push((Some(id), format!("pace {id}"), words));
                }
                if let (Some(limit), Some(round)) = (table.settings().liability, table.round()) {
                    let worst = round.exposure().worst().1;
                    if worst.get() >= limit.get() / 10 * 9 {
                        let words = format!("{} stands to lose {worst} of at most {limit}", table.name());
                        alerts.push((Some(id), format!("liability {id}"), words));
                    }
                }
            }
        });
        if let Some(left) = disk_left(&app.config.data)
            && left < app.config.disk_low_mib << 20
        {
            alerts.push((None, "disk".to_owned(), format!("The disk has {} MiB left", left >> 20)));
        }
        if let Some(why) = app.log.as_ref().and_then(|log| log.failed()) {
            alerts.push((None, format!("log {why}"), format!("No head of the log is signed: {why}")));
        }
        for (table, key, words) in alerts {
            // Said once an hour, not at every look.
            if said.get(&key).is_none_or(|last| now.since(*last) > HOUR) {
                said.insert(key, now);
                app.alert(table, words);
            }
        }
        if let Ok(Err(error)) = app.change_credentials(move |store| store.prune(now)).await {
            tracing::error!(%error, "the store could not be pruned");
        }
    }
}

/// A floor with one host has no other program to consider: once this one may play, it may write all that it knows. On a
/// cluster an administrator says when every host runs it.
fn raise_feature_level(app: &App) {
    if app.membership.is_none() && app.read(|floor| floor.settings().is_some() && floor.level() < floor::LEVEL) {
        // Refused while the program waits to be accepted (S10).
        let _ = app.own_unanswered(Body::RaiseFeatureLevel { level: floor::LEVEL });
    }
}

/// Bytes left on the disk of a folder.
#[must_use]
pub fn disk_left(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    Some(stat.f_bavail.saturating_mul(stat.f_frsize))
}
