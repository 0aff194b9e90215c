//! The restore drill: a floor is backed up while it plays, brought back in another machine's folder with every key it
//! needs, and goes on.

use crate::harness::*;

/// The keys of the journal and of its log. The secrets of tickets and cursors are in the credentials.
const KEYS: [&str; 5] = ["journal.key", "journal.pub", "log.key", "log.salt", "log.vkey"];

/// Puts the credit of a terminal on a printed ticket, and says its number.
async fn cash_out(feed: &mut Feed) -> String {
    let answer = feed.ask(json!({ "type": "cash_out" })).await;
    let ticket = &answer["ticket"];
    feed.ask(json!({ "type": "printed", "ticket": ticket["id"] })).await;
    ticket["number"].as_str().expect("digits").to_owned()
}

/// Whether a checkpoint of the new machine is signed by the key of the old one.
fn last_signature(folder: &std::path::Path) -> journal::Checkpoint {
    let mut scan = journal::Scan::new(vec![journal::RealDisk::to_read(folder)]).expect("a journal");
    let mut last = None;
    while let Some(read) = scan.read().expect("whole") {
        if let journal::Read::Checkpoint(checkpoint) = read {
            last = Some(checkpoint);
        }
    }
    last.expect("a stop signs")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_floor_plays_on_with_every_key() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (first, mut feed) = host.seat(&table, "standard", "a", "80.00").await;
    let outstanding = cash_out(&mut feed).await;
    let (second, _second) = host.seat(&table, "standard", "c", "20.00").await;
    let cookie = table.manager.client.clone();
    let before = feed.cursor.clone();

    // Taken while it runs, as `croupier backup` takes it, and brought back as `croupier restore` does.
    let (data, elsewhere) = (host.folder.path().join("data"), tempfile::tempdir().expect("another machine"));
    let (backup, restored) = (elsewhere.path().join("backup"), elsewhere.path().join("data"));
    engine::backup(&data, &backup).expect("a backup");
    assert!(host::store::copy(&data, &backup).expect("credentials"));
    // A round that the backup does not have.
    table.open_bets("rws-sicbo").await;
    feed.event_since(0, "bets_opened").await;
    let after = feed.cursor.clone();
    assert_ne!(before, after);
    let Host { running, folder, .. } = host;
    running.stop().await;
    let signed_before = last_signature(&data);
    let keys = KEYS.map(|key| (key, std::fs::read(data.join(key)).expect(key)));
    drop(folder);
    engine::restore(&backup, &restored).expect("a restore");
    assert!(host::store::copy(&backup, &restored).expect("credentials"));

    // Every key is there, and none is another: nothing was made anew for want of it.
    for (key, bytes) in &keys {
        assert_eq!(&std::fs::read(restored.join(key)).expect(key), bytes, "{key}");
    }

    let running = start_in(elsewhere.path(), false, release(1)).await;
    let host = Host { running, folder: elsewhere, floor: "main".to_owned(), tls: None };
    // Old sessions are gone; passwords are as before.
    let stale = Client { address: host.address(), ..cookie };
    assert_eq!(stale.get("/session").await.status, 401);
    let dealer = Person::sign_in(&host, "dealer-0", PASSWORD).await;
    // Terminals prove the keys they have, and see their credit.
    // A cursor of before the backup names a record that is there.
    let terminal = first;
    let mut first = terminal.feed(&host, Some(&before)).await;
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None);
    let mut second = second.feed(&host, None).await;
    second.credit("20.00").await;
    // A ticket of before is known by its number: the secret is the same, and so is what it was paid for.
    let put = json!({ "type": "ticket_in", "ticket": outstanding });
    assert_eq!(Feed::code(&first.ask(put.clone()).await), "accepted");
    first.credit("80.00").await;
    assert_eq!(Feed::code(&second.ask(put).await), "ticket_paid");
    // A round is played.
    dealer.ok("/tables/0/open-bets", json!({})).await;
    assert_eq!(Feed::code(&first.bet(&[("small", "10.00")]).await), "accepted");
    // One of after it proves that a round was shown which is lost: play locks.
    drop(first);
    let mut first = terminal.feed(&host, Some(&after)).await;
    assert_eq!(first.messages[1]["complete"], false);
    assert!(host.running.app.read(floor::Floor::missing_record).is_some());
    assert_eq!(Feed::code(&first.bet(&[("small", "10.00")]).await), "locked");
    let Host { running, folder, .. } = host;
    running.stop().await;
    // The same key signs what came after.
    let signed_after = last_signature(&folder.path().join("data"));
    assert_eq!(signed_after.key, signed_before.key);
    for (key, bytes) in &keys {
        assert_eq!(&std::fs::read(folder.path().join("data").join(key)).expect(key), bytes, "{key}");
    }
    assert!(signed_after.sequence > signed_before.sequence);
}
