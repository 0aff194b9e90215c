//! The demonstration: a floor of the five approved documents that deals by itself, with automatic players and free
//! terminals, permanently marked as a demonstration (S21).

mod by_hand;
mod dealer;
mod floor;
mod players;
mod situation;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ::floor::{
    Body, DeviceId, DeviceKind, DevicePlace, Floor, Moment, Post, RoundId, Sender, StaffId, TableId, TerminalId,
};
use rulebook::Cents;
use serde::Serialize;
use tokio::sync::Notify;
use utoipa::ToSchema;

use crate::app::App;
use crate::devices::{Alternation, Fault, Simulated};
use crate::error::{ApiError, ApiResult};
use crate::store::{Error as StoreError, Holder, PasswordRefused, Store};
use crate::view::Words;

pub use self::floor::{commands, done};

/// The password of every account in the demonstration. It opens nothing else.
pub const PASSWORD: &str = "demonstration";

/// What a table of the demonstration can be told to show.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FaultRow {
    /// Its name.
    #[schema(example = "too_few_tumbles")]
    pub fault: String,
    /// Words.
    pub words: Words,
    /// The paragraph or decision it shows.
    pub rule: String,
    /// Whether the next tumble or spin will show it.
    pub armed: bool,
}

/// A person to sign in as.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DoorStaff {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
    /// The post.
    pub post: crate::view::PostName,
    /// The login.
    pub login: String,
    /// The password.
    pub password: String,
}

/// A free terminal to play at.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DoorTerminal {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
    /// The table.
    pub table: u16,
    /// The layout.
    pub layout: String,
    /// The kind.
    pub kind: String,
}

/// The doors of a demonstration.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Doors {
    /// Who to sign in as.
    pub staff: Vec<DoorStaff>,
    /// Where to play.
    pub terminals: Vec<DoorTerminal>,
}

/// A demonstration that runs.
pub struct Demonstration {
    free: BTreeSet<TerminalId>,
    tables: BTreeMap<TableId, Arc<TableDemo>>,
    validators: BTreeMap<TerminalId, DeviceId>,
    numbers: Numbers,
}

/// What a table of a demonstration has.
pub struct TableDemo {
    /// Its device.
    pub device: DeviceId,
    /// The table.
    pub table: TableId,
    /// Whether the ball went the other way than before.
    pub alternation: Mutex<Alternation>,
    /// The simulation of it.
    pub simulated: Mutex<Simulated>,
    /// Its automatic players.
    pub players: Vec<TerminalId>,
    /// The dealer who deals by machine.
    pub dealer: StaffId,
    /// The second person.
    pub supervisor: StaffId,
    /// A Pit Manager, who takes devices out of service together with the supervisor.
    pub manager: StaffId,
    /// Two Shift Managers, who decide what no rule covers.
    pub shift: [StaffId; 2],
    /// The round for which the dealer has set the device off.
    pub dealt: Mutex<Option<RoundId>>,
    /// The round in which the Shift Manager lets an early ball stand (D24).
    pub chooses: Mutex<Option<RoundId>>,
    /// The link of the device is dead: what it would report is lost.
    pub unlinked: AtomicBool,
    /// Rung when something has happened at the table.
    pub changed: Notify,
    /// How many acts of the simulated device are being played.
    acts: AtomicUsize,
    /// One switch at a time, so that what is on the disk and what is shown are the same.
    switching: tokio::sync::Mutex<()>,
}

impl TableDemo {
    /// Whether the simulated device is doing something. One that was running when the program ended never reports its end.
    pub fn is_playing(&self) -> bool {
        self.acts.load(Ordering::Acquire) > 0
    }

    /// The simulated device does something, for as long as this is held.
    fn plays(&self) -> Playing<'_> {
        self.acts.fetch_add(1, Ordering::AcqRel);
        Playing(&self.acts)
    }
}

/// An act of a simulated device that is being played.
struct Playing<'a>(&'a AtomicUsize);

impl Drop for Playing<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The numbers under which automatic senders send: each larger than the last of its sender.
#[derive(Default)]
pub struct Numbers(Mutex<BTreeMap<Sender, u64>>);

impl Numbers {
    /// The next number of a sender.
    pub fn next(&self, floor: &Floor, sender: Sender) -> u64 {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = numbers.entry(sender).or_insert(0);
        *last = (*last).max(floor.last_number(sender).unwrap_or(0)) + 1;
        *last
    }
}

/// The login of a demonstration's person: the name without blanks.
#[must_use]
pub fn login(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Gives every person of a new demonstration a password.
///
/// # Errors
/// When the store fails.
pub fn give_passwords(floor: &Floor, store: &Store) -> Result<(), PasswordRefused> {
    for staff in floor.staff() {
        if !store.has_password(staff.id()).map_err(|error: StoreError| PasswordRefused::from(error))? {
            store.set_password(staff.id(), &login(staff.name()), PASSWORD)?;
        }
    }
    Ok(())
}

impl Demonstration {
    /// The demonstration on a floor that was made for it. A terminal with a key of its own plays for itself.
    #[must_use]
    pub fn new(floor: &Floor, keys: &[(Holder, Moment)]) -> Demonstration {
        let keyed = |id| keys.iter().any(|(holder, _)| *holder == Holder::Terminal(id));
        let mut free = BTreeSet::new();
        let mut tables = BTreeMap::new();
        let mut validators = BTreeMap::new();
        for device in floor.devices() {
            if let (DeviceKind::Validator, DevicePlace::Terminal(terminal)) = (device.kind(), device.place()) {
                validators.insert(terminal, device.id());
            }
        }
        let of = |post: Post, skip: usize| {
            let fits = |staff: &&::floor::Staff| staff.post() == post;
            floor.staff().iter().filter(fits).nth(skip).map_or(StaffId(0), ::floor::Staff::id)
        };
        for (count, table) in floor.tables().iter().enumerate() {
            let here = |device: &&::floor::Device| {
                device.place() == DevicePlace::Table(table.id())
                    && matches!(device.kind(), DeviceKind::Tumbler | DeviceKind::Wheel)
            };
            let (Some(device), Some(rulebook)) = (floor.devices().iter().find(here), floor.rulebook_of(table)) else {
                continue;
            };
            let mut players = Vec::new();
            for id in table.terminals() {
                let Some(terminal) = floor.terminal(*id) else { continue };
                if terminal.name().starts_with(floor::FREE) {
                    free.insert(*id);
                } else if !keyed(*id) {
                    players.push(*id);
                }
            }
            let demo = TableDemo {
                device: device.id(),
                table: table.id(),
                alternation: Mutex::new(Alternation::default()),
                simulated: Mutex::new(Simulated::of(rulebook)),
                players,
                dealer: of(Post::Pit(rulebook::Rank::Dealer), count),
                supervisor: of(Post::Pit(rulebook::Rank::PitSupervisor), 0),
                manager: of(Post::Pit(rulebook::Rank::PitManager), 0),
                shift: [0, 1].map(|skip| of(Post::Pit(rulebook::Rank::ShiftManager), skip)),
                dealt: Mutex::new(None),
                chooses: Mutex::new(None),
                unlinked: AtomicBool::new(false),
                changed: Notify::new(),
                acts: AtomicUsize::new(0),
                switching: tokio::sync::Mutex::new(()),
            };
            tables.insert(table.id(), Arc::new(demo));
        }
        Demonstration { free, tables, validators, numbers: Numbers::default() }
    }

    /// Whether a player may sit down at a terminal.
    #[must_use]
    pub fn is_free(&self, id: TerminalId) -> bool {
        self.free.contains(&id)
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = (TableId, &Arc<TableDemo>)> {
        self.tables.iter().map(|(id, table)| (*id, table))
    }

    /// Whether the simulated link of a device is there.
    #[must_use]
    pub fn has_link(&self, device: DeviceId) -> bool {
        !self.tables.values().any(|demo| demo.device == device && demo.unlinked.load(Ordering::Acquire))
    }

    /// One table.
    #[must_use]
    pub fn table(&self, id: TableId) -> Option<&Arc<TableDemo>> {
        self.tables.get(&id)
    }

    /// Sends a command of an automatic sender and waits for its answer.
    ///
    /// # Errors
    /// Why it was not done.
    pub async fn send(&self, app: &App, sender: Sender, body: Body) -> ApiResult<u64> {
        let number = app.read(|floor| self.numbers.next(floor, sender));
        app.submit(sender, number, body).await
    }

    /// Play money into a terminal, by its validator.
    ///
    /// # Errors
    /// Why it was not taken.
    pub async fn cash(&self, app: &App, terminal: TerminalId, amount: Cents) -> ApiResult<u64> {
        self.send(app, self.validator(terminal)?, Body::CashIn { terminal, amount }).await
    }

    /// The same under the number that the terminal's page gave it: a retry counts once.
    ///
    /// # Errors
    /// Why it was not taken.
    pub async fn cash_numbered(&self, app: &App, terminal: TerminalId, number: u64, amount: Cents) -> ApiResult<u64> {
        app.submit(self.validator(terminal)?, number, Body::CashIn { terminal, amount }).await
    }

    fn validator(&self, terminal: TerminalId) -> ApiResult<Sender> {
        let found = self.validators.get(&terminal).ok_or_else(|| ApiError::not_found("validator here"))?;
        Ok(Sender::Device(*found))
    }

    /// What a table can be told to show.
    #[must_use]
    pub fn faults(&self, floor: &Floor, table: TableId) -> Vec<FaultRow> {
        let Some(rulebook) = floor.table(table).and_then(|table| floor.rulebook_of(table)) else { return Vec::new() };
        let simulated = self.table(table).map(|demo| demo.simulated.lock().unwrap_or_else(PoisonError::into_inner));
        let armed = simulated.and_then(|simulated| simulated.armed());
        let row = |fault: Fault| FaultRow {
            fault: serde_json::to_value(fault).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default(),
            words: (&fault.words()).into(),
            rule: fault.rule(rulebook).unwrap_or_default(),
            armed: armed == Some(fault),
        };
        let mut rows: Vec<FaultRow> = Fault::menu(rulebook).into_iter().map(row).collect();
        if let Some(demo) = self.table(table) {
            rows.extend(Situation::ALL.into_iter().filter(|situation| situation.is_for(demo)).map(|situation| {
                FaultRow {
                    fault: situation.as_str().to_owned(),
                    words: (&situation.words()).into(),
                    rule: situation.rule().to_owned(),
                    armed: false,
                }
            }));
        }
        rows
    }

    /// The doors.
    #[must_use]
    pub fn doors(&self, floor: &Floor) -> Doors {
        let staff = floor.staff().iter().map(|staff| DoorStaff {
            id: staff.id().0,
            name: staff.name().to_owned(),
            post: staff.post().into(),
            login: login(staff.name()),
            password: PASSWORD.to_owned(),
        });
        let terminals = self.free.iter().filter_map(|id| floor.terminal(*id)).map(|terminal| DoorTerminal {
            id: terminal.id().0,
            name: terminal.name().to_owned(),
            table: terminal.table().0,
            layout: floor.layout_of(terminal).map_or_else(String::new, |layout| layout.id().to_owned()),
            kind: terminal.kind().to_owned(),
        });
        Doors { staff: staff.collect(), terminals: terminals.collect() }
    }

    /// Hears what is durable, so that dealers and players wake.
    pub fn hear(&self, durable: &engine::Durable<'_>) {
        let changes = crate::tell::Changes::of(durable.first, durable.records, durable.floor);
        for table in changes.tables.keys() {
            if let Some(table) = self.tables.get(table) {
                table.changed.notify_waiters();
            }
        }
    }
}

/// Starts the dealers and the players.
#[must_use]
pub fn start(app: &Arc<App>) -> Vec<tokio::task::JoinHandle<()>> {
    let Some(demonstration) = &app.demonstration else { return Vec::new() };
    let mut tasks = Vec::new();
    let by_hand = by_hand::read(&app.config.data);
    for (id, demo) in demonstration.tables() {
        let deals = app.config.demonstration_deals && !by_hand.contains(&id);
        app.read(|floor| app.hub.set_automatic(floor, id, deals));
        tasks.push(tokio::spawn(dealer::run(Arc::clone(app), id, Arc::clone(demo))));
        tasks.push(tokio::spawn(players::run(Arc::clone(app), id, Arc::clone(demo))));
    }
    tasks
}

/// Has a machine deal at a table, or a person. It stays so after a restart.
///
/// # Errors
/// When there is no such table, or it could not be written down.
pub async fn set_automatic(app: &Arc<App>, table: TableId, on: bool) -> ApiResult<()> {
    let demonstration = app.demonstration.as_ref().ok_or_else(|| ApiError::not_found("demonstration here"))?;
    let demo = demonstration.table(table).ok_or_else(|| ApiError::not_found("such table"))?;
    let _one = demo.switching.lock().await;
    let folder = app.config.data.clone();
    let written = tokio::task::spawn_blocking(move || by_hand::set(&folder, table, !on)).await;
    written.map_err(ApiError::internal)?.map_err(ApiError::internal)?;
    app.read(|floor| app.hub.set_automatic(floor, table, on));
    demo.changed.notify_waiters();
    Ok(())
}

/// What a dealer can have a table of the demonstration show.
#[derive(Copy, Clone, Debug)]
pub enum Show {
    /// The simulated device does something.
    Device(DeviceAct),
    /// Something else happens at the table.
    Situation(Situation),
}

/// Has a table show something.
///
/// # Errors
/// When there is no such table, chance fails, or the floor does not take it now.
pub async fn show(app: &Arc<App>, table: TableId, show: Show) -> ApiResult<()> {
    let demonstration = app.demonstration.as_ref().ok_or_else(|| ApiError::not_found("demonstration here"))?;
    let demo = demonstration.table(table).ok_or_else(|| ApiError::not_found("such table"))?;
    match show {
        Show::Device(act) => table::play(app, demo, act),
        Show::Situation(situation) => demonstration.happens(app, demo, situation).await,
    }
}

pub use situation::Situation;
pub use table::DeviceAct;
