//! The real program under SIGKILL: what was acknowledged is there when it comes back (S10, D6).

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use load::{Crowd, Heard, House, Login, Process};
use serde_json::{Value, json};

const PASSWORD: &str = "a long enough password";
const TERMINALS: usize = 3;

fn serve(folder: &Path) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_croupier"));
    command.args(["--json", "serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder);
    command.env("CROUPIER_ADMIN_PASSWORD", PASSWORD).env("CROUPIER_LOG", "error");
    Process::start(command).expect("the program starts")
}

/// Every terminal of the house, and the snapshot each was given.
fn gather(house: &House) -> (Crowd, Vec<Value>) {
    let mut snapshots = vec![Value::Null; house.seats.len()];
    let crowd = Crowd::gather_and_look(
        house.address,
        house.seats.len(),
        |place| house.feed(place),
        |place| house.seats.get(place).cloned(),
        |place, snapshot| snapshots[place] = serde_json::from_slice(snapshot).expect("JSON"),
    );
    (crowd.expect("everybody is current"), snapshots)
}

#[test]
fn a_host_that_is_killed_comes_back_with_every_bet_it_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let process = serve(folder.path());
    let administrator = Login { name: "administrator".to_owned(), password: PASSWORD.to_owned() };
    let mut house = House::at(process.address, "main", &administrator, TERMINALS).expect("a table");
    let (mut crowd, _) = gather(&house);
    let mut dealer = house.dealer().expect("a dealer");
    let path = |what: &str| format!("/tables/0/{what}");
    dealer.does(&path("open-bets"), &json!({})).expect("open bets");
    for (place, link) in crowd.links.iter_mut().enumerate() {
        let changes = json!([{ "add": "small", "amount": format!("{}.00", 10 + place) }]);
        let bet = json!({ "type": "bet", "number": 1_000_000, "changes": changes });
        link.send(bet.to_string().as_bytes()).expect("sent");
    }
    let mut accepted = 0;
    crowd
        .until(Duration::from_secs(20), "the answers", |_, _, heard| {
            accepted += usize::from(matches!(heard, Heard::Answer(1_000_000, true)));
            accepted == TERMINALS
        })
        .expect("every bet is acknowledged");
    process.kill();

    let process = serve(folder.path());
    house.address = process.address;
    let (_crowd, snapshots) = gather(&house);
    for (place, snapshot) in snapshots.iter().enumerate() {
        let stake = format!("{}.00", 10 + place);
        assert_eq!(snapshot["view"]["bets"], json!([{ "spot": "small", "group": 0, "stake": stake }]));
        assert_eq!(snapshot["view"]["own"]["staked"], stake);
        assert_eq!(snapshot["view"]["round"]["phase"], "open", "the exact state before it");
    }
    let mut dealer = house.dealer().expect("a dealer");
    dealer.does(&path("void"), &json!({ "ground": "dice-damaged" })).expect("play goes on");
}
