//! A quiet floor has a fresh signed checkpoint; strangers leave nothing behind but counted records.

use host::AnchorPlace;
use journal::{Checkpoint, Read, RealDisk, Scan};

use super::{both_with, over_both};
use crate::forged::{on_cluster_with, until};
use crate::harness::*;

/// The last signed checkpoint and the last record in a folder, as `croupier journal anchor` reads them while a host runs.
fn signed(folder: &std::path::Path) -> (u64, u64) {
    let mut scan = Scan::new(vec![RealDisk::to_read(folder)]).expect("a journal");
    let (mut checkpoint, mut last) = (0, 0);
    while let Ok(Some(read)) = scan.read() {
        match read {
            Read::Checkpoint(found) => checkpoint = found.sequence,
            Read::Records { first, entries, .. } => last = first + entries.len() as u64 - 1,
        }
    }
    (checkpoint, last)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_quiet_floor_has_a_fresh_checkpoint_for_its_anchor() {
    for host in both_with(|config| config.sign_seconds = 1).await {
        host.employ("auditor", "auditor-1").await;
        let data = host.folder.path().join("data");
        let written = host.running.app.read(floor::Floor::sequence);
        within("a checkpoint", async {
            while signed(&data).0 < written {
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        })
        .await;
        let (checkpoint, last) = signed(&data);
        assert!(checkpoint >= written && checkpoint <= last, "{checkpoint} of {last}, and the host was not stopped");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_quiet_floor_on_a_cluster_is_anchored_too() {
    let elsewhere = tempfile::tempdir().expect("another machine");
    let file = elsewhere.path().join("anchors.txt");
    let place = AnchorPlace { file: Some(file.clone()), ..AnchorPlace::default() };
    let soon = |config: &mut host::Config| (config.sign_seconds, config.anchors) = (1, vec![place.clone()]);
    on_cluster_with(soon, async |one, _two| {
        one.employ("auditor", "auditor-1").await;
        let written = one.running.app.read(floor::Floor::sequence);
        let newest = || Checkpoint::from_line(std::fs::read_to_string(&file).ok()?.lines().last()?);
        until("an anchor", async || newest().is_some_and(|anchor| anchor.sequence >= written)).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_strangers_send_adds_no_more_than_counted_records() {
    over_both(counted_records).await;
}

pub async fn counted_records(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    let stranger = host.anonymous().from([127, 0, 0, 66]);
    let before = host.running.app.read(floor::Floor::sequence);
    let below = format!("/feed/display/{}", table.id);
    for number in 0..40_u32 {
        let wrong = json!({ "login": format!("guess-{number}"), "password": "not the password" });
        stranger.post("/session", wrong).await;
        stranger.post("/session/passkeys/challenge", json!({ "purpose": "sign_in" })).await;
        stranger.post("/keys/challenge", json!({})).await;
        let prove = json!({ "kind": "terminal", "id": terminal.id, "nonce": "made up", "proof": "AAAA" });
        stranger.post("/keys/prove", prove).await;
        stranger.post("/enrol", enrolment(&json!("AAAA-BBBB"), &new_key())).await;
        stranger.get_root(&format!("/nothing/{number}")).await;
        stranger.post(&table.path("/open-bets"), json!({})).await;
        stranger.header("host", "elsewhere.example").get("").await;
        if let Ok(mut display) = Feed::connect(&stranger, &below).await {
            display.send(json!({ "type": "hello", "cursor": format!("x{number}") })).await;
        }
        if let Ok(mut feed) = Feed::connect(&stranger, &format!("/feed/terminal/{}", terminal.id)).await {
            feed.challenge().await;
            feed.send(json!({ "type": "hello", "proof": "AAAA" })).await;
            feed.bye().await;
        }
    }
    host.running.app.record_refusals(true).await;
    let added = host.running.app.read(floor::Floor::sequence) - before;
    // Five one by one, one count, and a line of alerts that changes once a minute.
    assert!(added <= 12, "{added} records of 400 requests");
}
