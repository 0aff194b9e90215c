//! A floor to be measured: one table, many terminals with keys and credit, a dealer.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use floor::{Body, Limit, Post, Sender, StaffId, TableId, TableMode, TableSettings, TerminalId};
use futures_util::future::join_all;
use host::store::{Holder, Key};
use host::{App, Config, NewCredentials, Start};
use rulebook::{Cents, Rank};
use tempfile::TempDir;

use crate::crowd::Crowd;
use crate::dealer::Dealer;
use crate::process::Process;
use crate::{Failed, Result};

/// What the dealer affirms with a result, because the table has no device (D19).
pub const AFFIRMED: [&str; 4] = ["cover", "after-close", "times", "flat"];
/// The game that is played: one of the largest layouts.
const GAME: &str = "rws-sicbo";
/// Commands sent at once while the floor is made.
const AT_ONCE: usize = 2_000;
/// The floor knows of a terminal's feed within this time.
const CONNECTED_WITHIN: Duration = Duration::from_secs(10);

/// A terminal and its key.
#[derive(Clone)]
pub struct Seat {
    /// Which terminal.
    pub id: u32,
    /// Its key.
    pub key: Key,
}

/// A login and its password.
#[derive(Clone)]
pub struct Login {
    /// The login.
    pub name: String,
    /// The password.
    pub password: String,
}

/// A floor with a table, ready to be measured.
pub struct House {
    /// Where its host listens.
    pub address: SocketAddr,
    /// The floor's name.
    pub floor: String,
    /// The terminals.
    pub seats: Vec<Seat>,
    /// The table.
    pub table: u64,
    login: Login,
    /// The second person, where the rules ask for one.
    second: Login,
    own: Option<Own>,
}

/// A host started here.
struct Own {
    folder: TempDir,
    program: PathBuf,
    process: Option<Process>,
    /// With its default limits; otherwise the limits on clients are raised so that they do not affect the measurement.
    as_shipped: bool,
}

fn settings() -> TableSettings {
    TableSettings {
        limit: Limit { minimum: Cents::new(100), maximum: Some(Cents::new(100_000_000)) },
        betting_period: 0,
        ..TableSettings::usual()
    }
}

fn words(error: &host::ApiError) -> Failed {
    Failed::new(format!("the floor could not be made: {}", error.error.message.en))
}

impl House {
    /// Makes a floor in a temporary folder and starts its host as a separate process.
    pub fn make(program: &Path, release: floor::Release, terminals: usize) -> Result<House> {
        House::furnished(program, release, terminals, false)
    }

    /// The same, and the host keeps the limits it is shipped with.
    pub fn as_shipped(program: &Path, release: floor::Release, terminals: usize) -> Result<House> {
        House::furnished(program, release, terminals, true)
    }

    fn furnished(program: &Path, release: floor::Release, terminals: usize, as_shipped: bool) -> Result<House> {
        let folder = tempfile::Builder::new().prefix("croupier-load").tempdir()?;
        let named = |name: &str| Login { name: name.to_owned(), password: "a password for an hour".to_owned() };
        let (login, second) = (named("load-dealer"), named("load-second"));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let seats = runtime.block_on(furnish(folder.path(), release, terminals, [&login, &second]))?;
        drop(runtime);
        let own = Own { folder, program: program.to_owned(), process: None, as_shipped };
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut house = House { address, floor: "main".to_owned(), seats, table: 0, login, second, own: Some(own) };
        house.restart()?;
        Ok(house)
    }

    /// Uses a host that runs: an administrator sets up a table and its terminals. Another one signs with them (D27).
    ///
    /// `second` is a Pit Manager of the floor who signs as the second person. Two whose accounts the same administrators make on
    /// one day sign together only on a floor's first gaming day, so that a floor that is older needs one who is there already.
    pub fn at(
        address: SocketAddr,
        floor: &str,
        administrators: [&Login; 2],
        second: Option<&Login>,
        terminals: usize,
    ) -> Result<House> {
        crate::house::over_the_api(address, floor, administrators, second, terminals)
    }

    /// Kills the host, if it was started here, and starts it again.
    pub fn restart(&mut self) -> Result<()> {
        let own = self.own.as_mut().ok_or_else(|| Failed::new("only a host that was started here can be restarted"))?;
        if let Some(process) = own.process.take() {
            process.kill();
        }
        let mut command = Command::new(&own.program);
        command.args(["--json", "serve", "--listen", "127.0.0.1:0", "--data"]).arg(own.folder.path().join("data"));
        command.env("CROUPIER_LOG", "warn");
        if !own.as_shipped {
            command.env("CROUPIER_MESSAGES_PER_SECOND", "1000000").env("CROUPIER_UNPROVED_PER_ADDRESS", "20000");
        }
        let process = Process::start(command)?;
        self.address = process.address;
        own.process = Some(process);
        Ok(())
    }

    /// Bytes of memory of the host, if it was started here.
    pub fn memory(&self) -> Option<u64> {
        self.own.as_ref()?.process.as_ref().map(Process::memory)
    }

    /// Whether the host was started here.
    pub fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// The table's dealer.
    pub fn dealer(&self) -> Result<Dealer> {
        Dealer::sign_in(self.address, &self.floor, &self.login)
    }

    /// What the second person signs with.
    pub fn witness(&self) -> serde_json::Value {
        serde_json::json!({ "login": self.second.name, "password": self.second.password })
    }

    /// The path of a terminal's feed.
    pub fn feed(&self, place: usize) -> String {
        let id = self.seats.get(place).map_or(0, |seat| seat.id);
        format!("/api/v1/floors/{}/feed/terminal/{id}", self.floor)
    }
}

/// Makes the floor with the host inside this process, which is much quicker than over the API.
async fn furnish(
    folder: &Path,
    release: floor::Release,
    terminals: usize,
    [login, other]: [&Login; 2],
) -> Result<Vec<Seat>> {
    let config =
        Config { listen: SocketAddr::from(([127, 0, 0, 1], 0)), data: folder.join("data"), ..Config::default() };
    let start = Start {
        config,
        demonstration: false,
        passwords: [None, None],
        new_credentials: NewCredentials::Refused,
        release,
        led: Arc::default(),
    };
    let running = host::start(start).await.map_err(|error| Failed::new(error.to_string()))?;
    let app = &running.app;
    let own = async |body: Body| app.own(body).await.map_err(|error| words(&error));
    let rulebook = app.read(|floor| floor.rulebooks().find(|book| book.id() == GAME).map(rulebook::Rulebook::hash));
    let rulebook = rulebook.ok_or_else(|| Failed::new("the rulebook is missing"))?;
    own(Body::AddTable {
        name: "load".to_owned(),
        rulebook,
        mode: TableMode::Terminals,
        settings: settings().into(),
        witness: None,
    })
    .await?;
    own(Body::AddStaff { name: "load".to_owned(), post: Post::Pit(Rank::PitManager), witness: None }).await?;
    // Credit of that size is put in by two people (D27).
    own(Body::AddStaff { name: "second".to_owned(), post: Post::Pit(Rank::PitManager), witness: None }).await?;
    let people = app.read(|floor| floor.staff().len());
    let staff = StaffId(u32::try_from(people.saturating_sub(2)).unwrap_or(0));
    let second = StaffId(staff.0 + 1);
    for (person, login) in [(staff, login), (second, other)] {
        app.store.set_password(person, &login.name, &login.password).map_err(|error| Failed::new(error.to_string()))?;
    }
    submit(app, 1, staff, Body::OpenTable { table: TableId(0) }).await?;
    let ids: Vec<u32> = (0..u32::try_from(terminals).unwrap_or(u32::MAX)).collect();
    for some in ids.chunks(AT_ONCE) {
        let enrol = |id: &u32| {
            let (kind, layout) = ("standard".to_owned(), "c".to_owned());
            own(Body::EnrolTerminal { table: TableId(0), name: format!("load {id}"), kind, layout })
        };
        join_all(some.iter().map(enrol)).await.into_iter().collect::<Result<Vec<u64>>>()?;
    }
    // Money goes only into a terminal that is there.
    for some in ids.chunks(AT_ONCE) {
        let back = |id: &u32| own(Body::TerminalBack { terminal: TerminalId(*id) });
        join_all(some.iter().map(back)).await.into_iter().collect::<Result<Vec<u64>>>()?;
    }
    for some in ids.chunks(AT_ONCE) {
        // Their number rises in the order in which they are sent: the futures are made and polled in that order.
        let credit = |id: &u32| {
            let body =
                Body::AttendantIn { terminal: TerminalId(*id), amount: Cents::new(900_000_000), witness: Some(second) };
            submit(app, 2 + u64::from(*id), staff, body)
        };
        join_all(some.iter().map(credit)).await.into_iter().collect::<Result<Vec<u64>>>()?;
    }
    let seats = ids.into_iter().map(|id| Ok(Seat { id, key: new_key()? })).collect::<Result<Vec<Seat>>>()?;
    let keys: Vec<_> = seats.iter().map(|seat| (Holder::Terminal(TerminalId(seat.id)), seat.key.public())).collect();
    let now = app.read(floor::Floor::now);
    app.store.give_keys(&keys, now).map_err(|error| Failed::new(error.to_string()))?;
    running.stop().await;
    Ok(seats)
}

fn new_key() -> Result<Key> {
    Key::new().map_err(|error| Failed::new(error.to_string()))
}

async fn submit(app: &App, number: u64, staff: StaffId, body: Body) -> Result<u64> {
    app.submit(Sender::Staff(staff), number, body).await.map_err(|error| words(&error))
}

fn over_the_api(
    address: SocketAddr,
    floor: &str,
    [administrator, other]: [&Login; 2],
    known: Option<&Login>,
    terminals: usize,
) -> Result<House> {
    use serde_json::json;
    // Two administrators employ people, set up a table and make the code of a key (D27).
    let signed = json!({ "login": other.name, "password": other.password });
    let mut admin = Dealer::sign_in(address, floor, administrator)?;
    let before = admin.get("")?;
    let count = |name: &str| before[name].as_array().map_or(0, Vec::len) as u64;
    let (table, first) = (count("tables"), count("terminals"));
    let limit = json!({ "minimum": "1.00", "maximum": "1000000.00" });
    let settings = json!({ "betting_period": 0, "grace": 60_000, "limit": limit });
    let body = json!({ "name": format!("load {table}"), "rulebook": GAME, "mode": "terminals", "settings": settings,
        "witness": signed });
    admin.does("/tables", &body)?;
    let login = Login { name: format!("load-{table}"), password: administrator.password.clone() };
    // The first password is good for choosing another one. Credit of that size is put in by two people (D27).
    let made = Login { name: format!("load-{table}-second"), password: administrator.password.clone() };
    let second = known.unwrap_or(&made).clone();
    for login in [Some(&login), known.is_none().then_some(&made)].into_iter().flatten() {
        let new = Login { name: login.name.clone(), password: format!("{} at first", login.password) };
        // Each of the two administrators chooses one half of it.
        let (half, mut other) = (format!("{} halved", login.password), signed.clone());
        other["half"] = json!(new.password);
        let staff = json!({ "name": login.name, "post": "pit_manager", "login": login.name, "password": half,
            "witness": other });
        admin.does("/staff", &staff)?;
        let new = Login { password: format!("{half}{}", new.password), ..new };
        let change = json!({ "old": new.password, "new": login.password });
        Dealer::sign_in(address, floor, &new)?.does("/session/password", &change)?;
    }
    let mut manager = Dealer::sign_in(address, floor, &login)?;
    manager.does(&format!("/tables/{table}/open"), &json!({}))?;
    let by_two = json!({ "witness": signed });
    let mut seats = Vec::with_capacity(terminals);
    for id in (first..).take(terminals) {
        let body = json!({ "table": table, "name": format!("load {id}"), "kind": "standard", "layout": "c" });
        admin.does("/terminals", &body)?;
        let code = admin.does(&format!("/terminals/{id}/code"), &by_two)?;
        let key = new_key()?;
        let public = key.public().text();
        admin.does("/enrol", &json!({ "code": code["code"], "scheme": "ed25519", "public_key": public }))?;
        seats.push(Seat { id: u32::try_from(id).unwrap_or(u32::MAX), key });
    }
    let house = House { address, floor: floor.to_owned(), seats, table, login, second, own: None };
    // Money goes only into a terminal that is connected.
    let mut crowd = crate::modes::gather(&house)?;
    let credit = json!({ "amount": "9000000.00", "witness": house.witness() });
    for seat in &house.seats {
        let credited =
            when_connected(&mut crowd, || manager.does(&format!("/terminals/{}/attendant-in", seat.id), &credit));
        credited.map_err(|failed| not_signed(failed, known))?;
    }
    drop(crowd);
    Ok(house)
}

/// On a floor that is older than a day, two people who were employed just now do not sign for each other (D27).
fn not_signed(failed: Failed, known: Option<&Login>) -> Failed {
    if known.is_some() || !failed.0.contains("second_person") {
        return failed;
    }
    let hint = "after a floor's first gaming day name a Pit Manager who is there already as the second person";
    Failed::new(format!("{}: {hint} (--second LOGIN)", failed.0))
}

/// Asks again while a terminal is not connected yet: the host that leads learns of it a moment after its feed has opened
/// at another host.
fn when_connected<T>(crowd: &mut Crowd, mut ask: impl FnMut() -> Result<T>) -> Result<T> {
    let until = Instant::now() + CONNECTED_WITHIN;
    loop {
        match ask() {
            Err(failed) if failed.0.contains("terminal_unavailable") && Instant::now() < until => {}
            answer => return answer,
        }
        crowd.turn(Duration::from_millis(20), &mut |_, _, _| {})?;
    }
}
