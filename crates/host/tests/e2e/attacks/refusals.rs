//! Refused attempts are recorded, also at a host without a leader, and across its stop.

use std::net::IpAddr;

use natsd::Cluster;

use super::sign_in::noted;
use crate::forged::{enrols, host_of, shipped_permissions, until};
use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_refused_while_nobody_leads_is_recorded_after_the_next_start() {
    let start = || Cluster::start_with(1, &shipped_permissions()).expect("a server");
    let mut nats = tokio::task::spawn_blocking(start).await.expect("started");
    let (one, two) = (host_of(&nats, "one", |_| {}).await, host_of(&nats, "two", |_| {}).await);
    let administrator = one.administrator().await;
    assert_eq!(administrator.client.post("/hosts/two/key", enrols(&two)).await.status, 204);
    until("host two serves", async || two.anonymous().get_root("/readyz").await.status == 200).await;

    // The servers of the cluster are gone: there is no leader, and nothing can be recorded.
    nats.pause(0).expect("paused");
    let stranger = IpAddr::from([10, 9, 9, 9]);
    for number in 0..12 {
        let words = format!("A feed from {stranger} did not prove its key, attempt {number}, was refused");
        two.running.app.refused(stranger, Some("anna"), &words, false);
    }
    let Host { running, folder, floor, tls } = two;
    let config = running.app.config.clone();
    running.stop().await;
    let kept = std::fs::read_to_string(folder.path().join("data/refused")).expect("kept for the next start");
    assert_eq!(kept.lines().count(), 6, "five one by one, and a count of the others: {kept}");
    nats.resume(0).expect("there again");
    one.running.stop().await;

    let running = start_with(config, false, release(1)).await;
    let two = Host { running, folder, floor, tls };
    let administrator = two.administrator().await;
    let recorded = noted(&administrator, |words| words.contains("10.9.9.9"), 6).await;
    let singly = |number: usize| recorded.iter().any(|words| words.contains(&format!("attempt {number}, was refused")));
    assert!((0..5).all(singly), "{recorded:?}");
    assert!(recorded.iter().any(|words| words.starts_with("7 more attempts from 10.9.9.9")), "{recorded:?}");
    until("the file is gone", async || !two.folder.path().join("data/refused").exists()).await;
    two.running.stop().await;
    drop(nats);
}
