//! A floor that is some days old is put under load over its API (D27).

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::{Durable, Engine, Outlet, Tag};
use floor::{Body, Command, FloorSettings, Post, Release, Sender, StaffId};
use host::store::Store;
use host::{Config, NewCredentials, Running, Start};
use load::{House, Login, Mode, Pace, Plan};
use rulebook::{Hash, Rank};

struct Nobody;

impl Outlet for Nobody {
    fn durable(&mut self, _: Durable<'_>) {}
    fn stopped(&mut self, reason: &str, _: Vec<Tag>) {
        panic!("{reason}");
    }
}

fn login(name: &str) -> Login {
    Login { name: name.to_owned(), password: "a password for an hour".to_owned() }
}

const PEOPLE: [(&str, Post); 3] = [
    ("administrator", Post::Administrator),
    ("administrator2", Post::Administrator),
    ("manager", Post::Pit(Rank::PitManager)),
];

/// A floor whose people were employed three days ago.
fn made_three_days_ago(data: &Path) {
    journal::private::create_folder(data).expect("a folder");
    let (engine, _) = Engine::start(data, engine::Options::default(), Nobody).expect("an engine");
    let settings =
        FloorSettings { name: "main".to_owned(), day_starts: 360, ticket_days: 30, ..FloorSettings::default() };
    let employ = |(name, post): &(&str, Post)| Body::AddStaff { name: (*name).to_owned(), post: *post, witness: None };
    let bodies = std::iter::once(Body::CreateFloor(settings))
        .chain(std::iter::once(Body::RaiseFeatureLevel { level: floor::LEVEL }))
        .chain(PEOPLE.iter().map(employ));
    const HOUR: i64 = 60 * 60 * 1000;
    let now = host::clock::now();
    // It stood for an hour: a clock that is days ahead of the last record would not be followed.
    let made = bodies.map(|body| (now.after(-72 * HOUR), body));
    let noted = (now.after(-HOUR), Body::Note { words: "closed for an hour".to_owned() });
    for ((at, body), number) in made.chain(std::iter::once(noted)).zip(1..) {
        engine.submit(number, Command { sender: Sender::System, number, at, body }).expect("taken in");
    }
    engine.stop();
    let store = Store::open(data.join("credentials.sqlite")).expect("a store");
    for ((name, _), id) in PEOPLE.iter().zip(0..) {
        let login = login(name);
        store.set_password(StaffId(id), &login.name, &login.password).expect("a password");
    }
}

async fn start(data: &Path) -> Running {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let config = Config { listen, data: data.to_owned(), ..Config::default() };
    let release = Release { program: Hash([1; 32]), rulebooks: Hash([2; 32]) };
    let (passwords, new_credentials) = ([None, None], NewCredentials::Refused);
    let start = Start { config, demonstration: false, passwords, new_credentials, release, led: Arc::default() };
    host::start(start).await.expect("the host starts")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d27_a_floor_that_is_days_old_is_put_under_load_by_people_of_today_or_with_one_who_was_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    made_three_days_ago(&data);
    let running = start(&data).await;
    let address = running.address;
    let measured = tokio::task::spawn_blocking(move || {
        let administrators = [login("administrator"), login("administrator2")];
        let administrators = [&administrators[0], &administrators[1]];
        // Two who were employed just now, by two people, sign for each other.
        House::at(address, "main", administrators, None, 2).expect("a house");
        let manager = login("manager");
        let mut house = House::at(address, "main", administrators, Some(&manager), 2).expect("a house");
        let plan = Plan { mode: Mode::Fanout, time: Duration::from_secs(1), bets: 1, pace: Pace::Closed, rounds: 1 };
        load::run(&mut house, plan).expect("it is measured")
    });
    let report = measured.await.expect("it ends");
    assert_eq!(report.terminals, 2);
    running.stop().await;
}
