//! Files of the floor are deleted or replaced by old ones while the host is stopped.

use std::path::Path;

use host::{AnchorPlace, Config, NewCredentials, Start, StartError};
use journal::Checkpoint;

use super::cursors::copy;
use crate::anchors::until;
use crate::harness::*;

fn alerts(host: &Host) -> Vec<String> {
    let words = |alert: &floor::Alert| match alert.what() {
        floor::AlertKind::Integrity(words) => Some(words.clone()),
        _ => None,
    };
    host.running.app.read(|floor| floor.alerts().filter_map(words).collect())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleting_the_credentials_hands_nobody_the_administrators() {
    let host = Host::floor().await;
    host.employ("shift_manager", "shift-1").await;
    let Host { running, folder, floor, tls } = host;
    running.stop().await;
    let data = folder.path().join("data");
    delete_credentials(&data);
    let start = |new_credentials| start_of(folder.path(), new_credentials);
    let refused = host::start(start(NewCredentials::Refused)).await.err().expect("no start");
    assert!(matches!(refused, StartError::NoCredentials) && !refused.may_pass(), "{refused}");
    assert!(refused.to_string().contains("Restore it from"), "{refused}");
    // On purpose it is done, and never in silence.
    let running = host::start(start(NewCredentials::Made)).await.expect("a start");
    assert_eq!(running.passwords.len(), 2);
    let host = Host { running, folder, floor, tls };
    let shown = until("the alert", || alerts(&host).pop()).await;
    assert_eq!(shown, floor::NEW_CREDENTIALS);
}

fn delete_credentials(data: &Path) {
    for entry in std::fs::read_dir(data).expect("the folder") {
        let file = entry.expect("a file").path();
        if file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("credentials.sqlite")) {
            std::fs::remove_file(file).expect("deleted");
        }
    }
}

fn start_of(folder: &Path, new_credentials: NewCredentials) -> Start {
    Start {
        passwords: [None, None],
        config: config(folder),
        demonstration: false,
        new_credentials,
        release: release(1),
        led: std::sync::Arc::default(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_credentials_of_another_floor_hand_nobody_the_administrators() {
    let (host, other) = (Host::floor().await, Host::floor().await);
    let manager = host.employ("shift_manager", "shift-1").await;
    let Host { running, folder, floor, tls } = host;
    running.stop().await;
    other.running.stop().await;
    let [data, foreign] = [&folder, &other.folder].map(|folder| folder.path().join("data"));
    let [own, backup] = [data.join("credentials.sqlite"), folder.path().join("backup.sqlite")];
    std::fs::copy(&own, &backup).expect("a backup");
    delete_credentials(&data);
    std::fs::copy(foreign.join("credentials.sqlite"), &own).expect("put there");
    for anyway in [NewCredentials::Refused, NewCredentials::Made] {
        let refused = host::start(start_of(folder.path(), anyway)).await.err().expect("no start");
        assert!(matches!(refused, StartError::OtherCredentials) && !refused.may_pass(), "{refused}");
        assert!(refused.to_string().contains("--new-credentials"), "{refused}");
    }
    // Its own are good, and so are those of a release that did not say whose they are; from then on they do.
    delete_credentials(&data);
    std::fs::copy(&backup, &own).expect("restored");
    let file = rusqlite::Connection::open(&own).expect("credentials");
    assert_eq!(file.execute("DELETE FROM secret WHERE name = 'journal'", []).expect("an earlier file"), 1);
    drop(file);
    let running = host::start(start_of(folder.path(), NewCredentials::Refused)).await.expect("a start");
    let journal = running.app.engine.journal();
    assert!(
        running.app.store.belongs_to(journal).expect("read") && !running.app.store.belongs_to([0; 16]).expect("read")
    );
    let host = Host { running, folder, floor, tls };
    Person::sign_in(&host, &manager.login, PASSWORD).await;
    let Host { running, folder, .. } = host;
    running.stop().await;
    // Without a backup they are made anew, and never in silence.
    delete_credentials(&data);
    let running = host::start(start_of(folder.path(), NewCredentials::Made)).await.expect("a start");
    assert_eq!(running.passwords.len(), 2);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_backup_is_noticed_by_the_anchors_in_a_file() {
    let elsewhere = tempfile::tempdir().expect("another machine");
    let file = elsewhere.path().join("anchors.txt");
    let place = AnchorPlace { file: Some(file.clone()), ..AnchorPlace::default() };
    let host = Host::with(|config| config.anchors = vec![place.clone()]).await;
    let manager = host.employ("shift_manager", "shift-1").await;
    let Host { running, folder, floor, tls } = host;
    running.stop().await;
    let (data, backup) = (folder.path().join("data"), folder.path().join("backup"));
    copy(&data, &backup);
    let again = || Config { anchors: vec![place.clone()], ..config(folder.path()) };
    let running = start_with(again(), false, release(1)).await;
    let last = running.app.read(floor::Floor::sequence);
    assert_eq!(running.app.read(floor::Floor::missing_record), None, "nothing is lost yet");
    let newest = || Checkpoint::from_line(std::fs::read_to_string(&file).ok()?.lines().last()?);
    let lines = || std::fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    running.app.significant("a record after the backup", false);
    running.app.engine.sign();
    until("an anchor after the backup", || newest().filter(|anchor| anchor.sequence >= last)).await;
    running.stop().await;
    std::fs::remove_dir_all(&data).expect("gone");
    copy(&backup, &data);
    let anchored = lines();
    let running = start_with(again(), false, release(1)).await;
    let host = Host { running, folder, floor, tls };
    assert!(host.running.app.read(floor::Floor::missing_record).is_some());
    let shown = alerts(&host);
    assert!(shown.iter().any(|words| words.contains("anchors.txt")), "{shown:?}");
    // Nothing that contradicts is added before two people have stated what was lost.
    let administrator = host.administrator().await;
    let manager = Person::sign_in(&host, &manager.login, PASSWORD).await;
    host.running.app.engine.sign();
    let statement =
        json!({ "statement": "the records after the backup of noon", "witness": administrator.signature() });
    assert_eq!(lines(), anchored);
    manager.ok("/loss/accept", statement).await;
    host.running.app.engine.sign();
    until("an anchor of what goes on", || (lines() > anchored).then_some(())).await;
    let host = host.restart(release(1)).await;
    assert_eq!(host.running.app.read(floor::Floor::missing_record), None, "it has been stated");
}
