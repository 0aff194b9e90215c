//! Lost links of devices and terminals, and devices in service that hold up a round because they report nothing: an alert
//! at the pit and the console of the table, which says what to do and when a link is back. Time is measured with a
//! monotonic clock: setting the system's clock changes nothing.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use floor::{
    AlertKind, Body, Device, DeviceId, DeviceKind, Floor, RoundId, Seen, Table, TableId, Terminal, TerminalId, Wait,
};
use tokio::time::Instant;

use crate::app::App;
use crate::store::Holder;

/// A link that is lost for so long is shown at the pit and the console.
pub const LOST: Duration = Duration::from_secs(10);
/// A round that waits so long for a tumbler in service, which reports nothing meanwhile, is alerted (D19).
pub const HOLDS: Duration = Duration::from_secs(30);
/// The same for a wheel, whose ball is longer on its way.
pub const WHEEL_HOLDS: Duration = Duration::from_secs(60);
/// How often links are looked at.
const LOOK: Duration = Duration::from_secs(2);

/// Alerts about lost links, for as long as this host is in charge.
pub async fn run(app: Arc<App>) {
    let mut every = tokio::time::interval(LOOK);
    let mut watch = LostLinks::default();
    loop {
        every.tick().await;
        if app.is_in_charge() {
            watch.look(&app, Instant::now()).await;
        } else {
            watch = LostLinks::default();
        }
    }
}

/// Links of tables that are lost: since when, and which the pit has been told about.
// D19 · D21
#[derive(Debug, Default)]
pub struct LostLinks {
    devices: HashMap<DeviceId, Lost>,
    terminals: HashMap<TerminalId, Lost>,
    /// Rounds that wait for a device, by table.
    held: HashMap<TableId, Held>,
    /// Terminals that had a link in the round in progress.
    were_live: HashMap<TableId, (RoundId, HashSet<TerminalId>)>,
}

#[derive(Copy, Clone, Debug)]
struct Lost {
    since: Instant,
    told: bool,
}

/// A round that waits for a device: which, what the device has said of it so far, and since when it says nothing more.
#[derive(Debug)]
struct Held {
    device: DeviceId,
    round: RoundId,
    seen: Seen,
    since: Lost,
}

impl LostLinks {
    /// Looks at all links, and tells the pit what has changed.
    pub async fn look(&mut self, app: &App, now: Instant) {
        if app.read(Floor::level) < floor::TAGGED {
            return;
        }
        let mut news = self.devices(app, now).await;
        app.read(|floor| {
            for table in floor.tables() {
                news.extend(self.terminals(floor, table, now));
                news.extend(self.held(floor, table, now));
            }
        });
        for (table, what) in news {
            // Refused if the pit knows it already.
            let _ = app.own_unanswered(Body::RaiseAlert { table: Some(table), what });
        }
    }

    async fn devices(&mut self, app: &App, now: Instant) -> Vec<(TableId, AlertKind)> {
        let (needed, shown) = app.read(|floor| (needed_devices(floor), lost_devices(floor)));
        let ids: HashSet<DeviceId> = needed.keys().chain(shown.keys()).copied().collect();
        self.devices.retain(|id, _| ids.contains(id));
        let mut news = Vec::new();
        for id in ids {
            if has_link(app, id).await {
                self.devices.remove(&id);
                news.extend(shown.get(&id).map(|table| (*table, AlertKind::DeviceLost(id, true))));
            } else if let Some(table) = needed.get(&id)
                && is_news(&mut self.devices, id, now)
            {
                news.push((*table, AlertKind::DeviceLost(id, false)));
            }
        }
        news
    }

    /// A round that waits for a device in service: it is running, as it was when this host or the device went away, or has not
    /// begun, and says nothing more.
    fn held(&mut self, floor: &Floor, table: &Table, now: Instant) -> Option<(TableId, AlertKind)> {
        let device = floor.waits_for(table.id(), floor.now()).and_then(Wait::holding);
        let Some((device, round)) = device.zip(table.round()) else {
            self.held.remove(&table.id());
            return None;
        };
        let is_wheel = floor.device(device).is_some_and(|device| device.kind() == DeviceKind::Wheel);
        let patience = if is_wheel { WHEEL_HOLDS } else { HOLDS };
        let (id, seen) = (round.id(), round.seen());
        let same = |held: &&mut Held| (held.device, held.round, &held.seen) == (device, id, seen);
        let Some(held) = self.held.get_mut(&table.id()).filter(same) else {
            let since = Lost { since: now, told: false };
            self.held.insert(table.id(), Held { device, round: id, seen: seen.clone(), since });
            return None;
        };
        let due = held.since.is_due(now, patience);
        due.then_some((table.id(), AlertKind::DeviceHolds(device, id)))
    }

    /// Terminals of a table that were lost in a round: one alert with a count, however many there are.
    fn terminals(&mut self, floor: &Floor, table: &Table, now: Instant) -> Option<(TableId, AlertKind)> {
        let here = || table.terminals().iter().filter_map(|id| floor.terminal(*id));
        let live = |terminal: &&Terminal| terminal.is_live();
        let round = table.round().map(floor::Round::id);
        if let Some(round) = round {
            let (known, were_live) = self.were_live.entry(table.id()).or_insert_with(|| (round, HashSet::new()));
            if *known != round {
                (*known, *were_live) = (round, HashSet::new());
            }
            were_live.extend(here().filter(live).map(Terminal::id));
        }
        for terminal in here().filter(live) {
            self.terminals.remove(&terminal.id());
        }
        let were_live = self.were_live.get(&table.id());
        let plays = |terminal: &Terminal| {
            terminal.visit().is_some() || were_live.is_some_and(|(_, were)| were.contains(&terminal.id()))
        };
        let shown = floor.alerts().find_map(|alert| match alert.what() {
            AlertKind::TerminalsLost(now, _) if alert.table() == Some(table.id()) => Some(*now),
            _ => None,
        });
        // A terminal that was lost in a round stays lost after the round has ended, also when another host takes over.
        let in_round = round.is_some() || shown.is_some_and(|shown| shown > 0);
        let (mut news, mut lost) = (false, 0_u32);
        for terminal in here().filter(|terminal| !terminal.is_live()) {
            if self.terminals.contains_key(&terminal.id()) || (in_round && plays(terminal)) {
                news |= is_news(&mut self.terminals, terminal.id(), now);
                lost += 1;
            }
        }
        let changed = shown.is_some_and(|shown| shown > 0 && shown != lost);
        (news || changed).then_some((table.id(), AlertKind::TerminalsLost(lost, lost)))
    }
}

/// Whether a link has just been lost for long enough to say so.
fn is_news<Id: std::hash::Hash + Eq>(links: &mut HashMap<Id, Lost>, id: Id, now: Instant) -> bool {
    links.entry(id).or_insert(Lost { since: now, told: false }).is_due(now, LOST)
}

impl Lost {
    /// Whether it has lasted for so long, once.
    fn is_due(&mut self, now: Instant, patience: Duration) -> bool {
        let due = !self.told && now.saturating_duration_since(self.since) >= patience;
        self.told |= due;
        due
    }
}

/// Devices in service at open tables, which need a link.
fn needed_devices(floor: &Floor) -> HashMap<DeviceId, TableId> {
    let needed = |device: &Device| {
        let table = device.table()?;
        let open = floor.table(table)?.is_open();
        (open && !device.service().out).then_some((device.id(), table))
    };
    floor.devices().iter().filter_map(needed).collect()
}

/// Devices that the pit is shown as lost.
fn lost_devices(floor: &Floor) -> HashMap<DeviceId, TableId> {
    let lost = |alert: &floor::Alert| match alert.what() {
        AlertKind::DeviceLost(id, false) => alert.table().map(|table| (*id, table)),
        _ => None,
    };
    floor.alerts().filter_map(lost).collect()
}

/// Whether a device has a link here, at another host, or a serial port of this one. The devices of a demonstration are
/// simulated inside the host.
async fn has_link(app: &App, id: DeviceId) -> bool {
    let holder = Holder::Device(id);
    if let Some(demonstration) = &app.demonstration {
        return demonstration.has_link(id);
    }
    if app.hub.link_of(holder).is_some() {
        return true;
    }
    if app.config.wheels.iter().any(|wheel| DeviceId(wheel.device) == id) {
        return true;
    }
    match &app.membership {
        Some(membership) => membership.link_elsewhere(holder).await.is_some(),
        None => false,
    }
}
