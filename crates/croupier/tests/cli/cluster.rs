//! Journals on a real cluster: copied there and back, audited, dumped, and the cluster checked.

use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use natsd::Cluster;
use serde_json::Value;

use crate::floor::{Pipe, Place};
use crate::{Run, croupier, misused, refused};

/// It ends with the process.
static CLUSTER: LazyLock<Cluster> = LazyLock::new(|| Cluster::start(3).expect("a cluster"));

/// A floor there that no other test has.
fn on_cluster() -> String {
    static FLOORS: AtomicU32 = AtomicU32::new(0);
    format!("{}/floor-{}", CLUSTER.urls().join(","), FLOORS.fetch_add(1, Ordering::Relaxed))
}

fn done(words: &[&str]) -> Value {
    let Run { code, stdout, stderr } = croupier(&[words, &["--json"]].concat());
    assert_eq!((code, stderr.as_str()), (0, ""), "{words:?}: {stdout}");
    serde_json::from_str(&stdout).expect("JSON")
}

/// What the audits of two copies of one journal must have in common.
fn essence(audit: &Value) -> Vec<Value> {
    [
        "figures_clean",
        "findings",
        "journal",
        "key",
        "last",
        "checkpoints",
        "unsigned",
        "chain",
        "settlements",
        "accounts",
    ]
    .map(|key| audit[key].clone())
    .to_vec()
}

#[test]
fn a_journal_is_copied_to_a_cluster_audited_there_and_copied_back() {
    let place = Place::with_a_round();
    let (floor, back, stream) = (place.at("floor"), place.at("back"), on_cluster());
    let audited = place.json("audit");
    let copied = done(&["journal", "copy", &floor, &stream]);
    assert_eq!((&copied["records"], &copied["key"]), (&audited["last"], &audited["key"]));
    assert_eq!(copied["to"], stream.as_str());

    // The same code reads it there.
    let there = done(&["audit", &stream]);
    assert_eq!(essence(&there), essence(&audited));
    assert_eq!(there["folder"], stream.as_str());
    let dump = croupier(&["journal", "dump", &stream]);
    assert_eq!((dump.code, &dump.stdout), (0, &place.run("journal dump").stdout));
    assert_eq!(croupier(&["journal", "dump", &stream, "--from", "3", "--to", "4"]).stdout.lines().count(), 2);

    // Back, to the byte, with the key.
    assert_eq!(done(&["journal", "copy", &stream, &back])["records"], audited["last"]);
    assert_eq!(essence(&done(&["audit", "--data", &back])), essence(&audited));
    assert_eq!(fs::read(place.at("back/journal.key")).unwrap(), fs::read(place.at("floor/journal.key")).unwrap());

    // What has been copied goes on: here first, then the copies.
    let mut pipe = Pipe::demo(&floor);
    pipe.rounds = 1;
    pipe.play_a_round();
    let running = refused(&["journal", "copy", &floor, &stream]);
    assert_eq!(running.code, "in_use");
    assert_eq!(pipe.end(), Some(0));
    let more = place.json("audit");
    assert!(more["last"].as_u64() > audited["last"].as_u64());
    let end = done(&["journal", "copy", &floor, &stream])["chain"].clone();
    assert_eq!(done(&["journal", "copy", &stream, &back])["chain"], end);
    assert_eq!(done(&["journal", "copy", &stream, &back])["chain"], end, "again");
    assert_eq!(essence(&done(&["audit", "--data", &back])), essence(&more));
    let words = croupier(&["journal", "copy", &stream, &back]);
    assert!(
        words.code == 0 && words.stdout.contains(&format!("Records 1 to {} of nats://", more["last"])),
        "{}",
        words.stdout
    );
}

#[test]
fn nothing_is_overwritten_by_a_copy() {
    let [one, other] = [Place::with_a_round(), Place::with_a_round()];
    let (floor, behind, stream) = (one.at("floor"), one.at("behind"), on_cluster());
    assert_eq!(refused(&["journal", "copy", &stream, &behind]).code, "no_journal");
    assert_eq!(refused(&["journal", "copy", &one.at("nowhere"), &stream]).code, "no_journal");
    done(&["journal", "copy", &floor, &stream]);
    done(&["journal", "copy", &stream, &behind]);
    // Another journal, either way.
    assert_eq!(refused(&["journal", "copy", &other.at("floor"), &stream]).code, "another_journal");
    assert_eq!(refused(&["journal", "copy", &stream, &other.at("floor")]).code, "another_journal");
    // The other side is ahead.
    let mut pipe = Pipe::demo(&floor);
    pipe.rounds = 1;
    pipe.play_a_round();
    assert_eq!(pipe.end(), Some(0));
    assert!(refused(&["journal", "copy", &stream, &floor]).message.contains("the cluster has lost it"));
    done(&["journal", "copy", &floor, &stream]);
    assert!(refused(&["journal", "copy", &behind, &stream]).message.contains("the stream has more than the folder"));
    // Without its oldest segment a folder is no whole journal.
    fs::remove_file(one.at("floor/000000000001.segment")).unwrap();
    fs::write(one.at("floor/000000000002.segment"), [0; 4096]).unwrap();
    assert_eq!(refused(&["journal", "copy", &floor, &on_cluster()]).code, "archived_records");
    assert!(misused(&format!("journal copy {floor} {behind}")).contains("croupier backup"));
    assert!(misused(&format!("journal copy {stream} {stream}")).contains("through a folder"));
    assert!(misused(&format!("journal copy {floor} nats://host:1/a/b")).contains("nats://host:4222"));
    assert_eq!(refused(&["journal", "copy", &floor, "nats://127.0.0.1:1"]).code, "no_floor");
    assert_eq!(refused(&["audit", "nats://127.0.0.1:1/main"]).code, "cluster_unreachable");
}

#[test]
fn a_cluster_is_checked() {
    let place = Place::with_a_round();
    let (stream, system) = (on_cluster(), CLUSTER.system_urls().join(","));
    done(&["journal", "copy", &place.at("floor"), &stream]);
    let checked = done(&["journal", "check", &stream, "--system", &system]);
    assert_eq!(checked["sound"], true);
    for (server, name) in checked["servers"].as_array().unwrap().iter().zip(["n1", "n2", "n3"]) {
        assert_eq!((&server["server"], &server["syncs"]), (&name.into(), &true.into()));
    }
    let floor = &checked["floors"][0];
    assert_eq!((&floor["wanted"], floor["replicas"].as_array().unwrap().len()), (&3.into(), 3));

    // For a person, without the system account and of all floors.
    let words = croupier(&["journal", "check", &CLUSTER.urls().join(",")]);
    let name = stream.rsplit_once('/').unwrap().1;
    for expected in ["n1", "2.15", "not told", "leads", "up to date", name, "--system", "Nothing is wrong"] {
        assert!(words.stdout.contains(expected), "{expected}: {}", words.stdout);
    }
    // A server that is not there is a finding; a floor that is not there is refused.
    let lost = croupier(&["journal", "check", &format!("nats://127.0.0.1:1,{stream}")]);
    assert!(lost.code == 1 && lost.stdout.contains("Wrong: nats://127.0.0.1:1"), "{}", lost.stdout);
    assert_eq!(refused(&["journal", "check", &on_cluster()]).code, "no_journal");
}

#[test]
fn a_server_alone_is_enough_for_a_test_and_said_to_be_alone() {
    let alone = Cluster::start(1).expect("a server");
    let place = Place::with_a_round();
    let stream = format!("{}/main", alone.url(0).unwrap());
    done(&["journal", "copy", &place.at("floor"), &stream, "--replicas", "1"]);
    assert_eq!(done(&["audit", &stream])["figures_clean"], true);
    let checked = croupier(&["journal", "check", &stream]);
    assert!(checked.code == 1 && checked.stdout.contains("main: is kept on 1 server"), "{}", checked.stdout);
}
