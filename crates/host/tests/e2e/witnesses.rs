//! The witnesses of a floor's log: receipts wait for them, play does not, and a floor whose end is lost does not start.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use host::{LogAccess, NewCredentials, Start, StartError, WitnessPlace};
use receipts::Proved;
use tlog::witness::AddCheckpoint;
use tlog::{Checkpoint, Note, Policy, ProofFile, VerifierKey};
use tokio::net::TcpListener;
use tokio::sync::watch;
use witness::{Limits, Witness, serve};

use crate::anchors::until;
use crate::harness::*;

/// A witness with its address, which answers from when it is served on.
struct Watching {
    _folder: tempfile::TempDir,
    place: WitnessPlace,
    witness: Arc<Witness>,
    listener: Option<TcpListener>,
    stop: watch::Sender<bool>,
}

impl Watching {
    /// Of a log that exists already.
    async fn of(log: &VerifierKey, name: &str) -> Watching {
        let folder = tempfile::tempdir().expect("a folder");
        let (key, state) = (folder.path().join("key"), folder.path().join("state"));
        let public = witness::keygen(&format!("{name}.example"), &key, &state).expect("a key");
        let witness = Witness::open(&key, &state, Policy::of_log(log.clone())).expect("a witness");
        let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let place = WitnessPlace { name: name.to_owned(), key: public.to_text(), url, ca: None };
        let (witness, listener, stop) = (Arc::new(witness), Some(listener), watch::Sender::new(false));
        Watching { _folder: folder, place, witness, listener, stop }
    }

    fn serve(&mut self) {
        let listener = self.listener.take().expect("not served yet");
        let stopping = self.stop.subscribe();
        tokio::spawn(serve(Arc::clone(&self.witness), listener, None, Limits::default(), stopping));
    }

    /// How many records it has cosigned.
    fn size(&self) -> u64 {
        self.witness.heads().first().map_or(0, |head| head.size)
    }
}

/// A floor that has been started and stopped, and the key of its log.
async fn with_a_log() -> (Host, VerifierKey) {
    let host = Host::floor().await.restart(release(1)).await;
    let answer = host.anonymous().get_root("/log/checkpoint").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let key = receipts::keys::public(&host.running.app.config.data).expect("readable").expect("a key");
    (host, key)
}

/// Stops and starts again with these witnesses.
async fn watched(host: Host, watching: &[&Watching], quorum: usize) -> Host {
    let Host { running, folder, floor, tls } = host;
    let mut config = running.app.config.clone();
    config.witnesses = watching.iter().map(|one| one.place.clone()).collect();
    config.witness_quorum = quorum;
    running.stop().await;
    let running = start_with(config.check().expect("settings"), false, release(1)).await;
    Host { running, folder, floor, tls }
}

fn log_folder(host: &Host) -> std::path::PathBuf {
    host.running.app.config.data.join(receipts::FOLDER)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receipts_wait_for_the_witnesses_and_play_does_not() {
    let (host, key) = with_a_log().await;
    let (mut first, mut second) = (Watching::of(&key, "first").await, Watching::of(&key, "second").await);
    first.serve();
    let host = watched(host, &[&first, &second], 2).await;
    // The second accepts connections and says nothing: rounds are played nevertheless.
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    let reader = feed.messages[1]["reader"].as_str().expect("what it reads with").to_owned();
    table.open_bets("rws-sicbo").await;
    feed.bet(&[("small", "25.00")]).await;
    table.close_bets(&mut [&mut feed]).await;
    table.result("1-2-4").await;
    feed.credit("125.00").await;
    let own = host.anonymous().header("authorization", format!("Bearer {reader}"));
    let rounds = own.get(&format!("/records/terminals/{}/rounds", terminal.id)).await.ok();
    let round = rounds["rounds"][0]["round"]["round"].as_u64().expect("a round");
    let path = format!("/terminals/{}/receipts/{round}", terminal.id);
    let waits = own.get(&path).await;
    assert_eq!((waits.status.as_u16(), waits.code()), (503, "witnesses"), "{}", waits.text);
    assert_eq!(host.anonymous().get_root("/log/checkpoint").await.status, 503);
    until("the first witness", || (first.size() > 0).then_some(())).await;
    let newest = log_folder(&host).join("cosigned/newest.note");
    assert!(!newest.exists(), "one of two is not enough");
    second.serve();
    let policy = host.anonymous().get_root("/log/policy").await;
    let policy = Policy::parse(&policy.text).expect("a policy");
    let read = || Note::parse(&std::fs::read(&newest).ok()?).ok();
    let note = until("a cosigned head", read).await;
    assert_eq!(policy.verify(&note).expect("cosigned").witnesses.len(), 2);
    let receipt = until_ok(&own, &path).await;
    let proofs = ProofFile::parse_all(receipt["proof"].as_str().expect("a proof").as_bytes()).expect("proofs");
    for proof in &proofs {
        assert_eq!(Proved::by(proof, &policy).expect("proved").witnesses.len(), 2);
        // The house's own signature is not enough for anyone who asks for the witnesses.
        let mut alone = proof.clone();
        alone.note.signatures.truncate(1);
        assert!(Proved::by(&alone, &policy).is_err());
    }
    // What was cosigned is known to the next process before any witness answers.
    first.stop.send_replace(true);
    second.stop.send_replace(true);
    let data = host.running.app.config.data.clone();
    let again = host.restart(release(1)).await;
    assert_eq!(again.anonymous().get_root("/log/checkpoint").await.status, 200);
    assert!(data.join("log/cosigned/newest.note").exists());
}

/// Asks until the witnesses have cosigned.
async fn until_ok(client: &Client, path: &str) -> serde_json::Value {
    within("a receipt", async {
        loop {
            let answer = client.get(path).await;
            if answer.status == 200 {
                return answer.body;
            }
        }
    })
    .await
}

/// Killed after a witness had cosigned, before the answer came: it names its size, and is asked again from there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_witness_that_has_cosigned_what_this_host_does_not_know_is_asked_from_there() {
    let (host, key) = with_a_log().await;
    let mut one = Watching::of(&key, "one").await;
    let note = host.anonymous().get_root("/log/checkpoint").await.text;
    let request = AddCheckpoint { old: 0, proof: Vec::new(), note: Note::parse(note.as_bytes()).expect("a note") };
    one.witness.add_checkpoint(request.to_text().as_bytes(), 1_700_000_000).expect("cosigned");
    let before = one.size();
    one.serve();
    let host = watched(host, &[&one], 1).await;
    until("a larger head", || (one.size() > before).then_some(())).await;
    let newest = log_folder(&host).join("cosigned/newest.note");
    until("it is durable", || newest.exists().then_some(())).await;
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("a file");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            std::fs::copy(from, to).expect("copied");
        }
    }
}

async fn refused(config: host::Config) -> StartError {
    let (passwords, led) = ([None, None], Arc::default());
    let start = Start {
        config,
        demonstration: false,
        passwords,
        new_credentials: NewCredentials::Refused,
        release: release(1),
        led,
    };
    match host::start(start).await {
        Ok(_) => panic!("it started"),
        Err(error) => error,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_floor_whose_end_is_lost_or_another_does_not_start() {
    let (host, key) = with_a_log().await;
    let mut one = Watching::of(&key, "one").await;
    one.serve();
    let Host { running, folder, .. } = host;
    let config = running.app.config.clone();
    running.stop().await;
    let old = folder.path().join("old");
    copy(&config.data, &old);
    let mut with_witness = config.clone();
    with_witness.witnesses = vec![one.place.clone()];
    let running = start_with(with_witness.clone(), false, release(1)).await;
    let records = running.app.read(floor::Floor::sequence);
    running.app.log.as_ref().expect("a log").head_of(records, std::time::Duration::from_secs(60)).expect("a head");
    until("the witness", || (one.size() >= records).then_some(())).await;
    running.stop().await;
    until("the head of the stop is not lost", || (one.size() >= records).then_some(())).await;

    // The folder as it was before, with everything: the witness knows better.
    let cut = host::Config { data: old.clone(), ..with_witness.clone() };
    let error = refused(cut.clone()).await;
    assert!(matches!(&error, StartError::Ahead(host::witnesses::Ahead::Lost { .. })), "{error}");
    assert!(error.to_string().contains("--new-era"), "{error}");
    // The attack: the floor goes on from there without witnesses, signs with the real key, and is longer at last.
    let mut forged = host::Config { data: old, ..config };
    for _ in 0..20 {
        let running = start_with(forged.clone(), false, release(1)).await;
        let records = running.app.read(floor::Floor::sequence);
        running.stop().await;
        forged.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        if records > one.size() + 10 {
            break;
        }
    }
    let error = refused(cut).await;
    assert!(matches!(&error, StartError::Ahead(host::witnesses::Ahead::Other { .. })), "{error}");
    // The real one goes on.
    let running = start_with(with_witness, false, release(1)).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tiles_are_for_whom_the_settings_name() {
    let host = Host::floor().await;
    let head = host.anonymous().get_root("/log/checkpoint").await.text;
    let head = Checkpoint::parse(&Note::parse(head.as_bytes()).expect("a note").text).expect("a head");
    let width = head.size % 256;
    let (index, all) = (head.size / 256, ["0", "entries"]);
    for level in all {
        let path = format!("/log/tile/{level}/{index:03}.p/{width}");
        let tile = host.anonymous().get_root(&path).await;
        assert_eq!((tile.status.as_u16(), tile.header("cache-control")), (200, "public, max-age=31536000, immutable"));
    }
    for none in ["0/999", "0/000.p/0", "9/000", "0/0", "x", "entries/999.p/3", "../log.key"] {
        let answer = host.anonymous().get_root(&format!("/log/tile/{none}")).await;
        assert_eq!(answer.status, 404, "{none}");
    }
    let path = format!("/log/tile/0/{index:03}.p/{width}");
    for (access, person, anonymous) in [(LogAccess::Regulator, 200, 401), (LogAccess::Witnesses, 403, 403)] {
        let host = Host::with(|config| config.log_access = access).await;
        let auditor = host.employ("auditor", "auditor-1").await;
        for (client, expected) in [(&auditor.client, person), (&host.anonymous(), anonymous)] {
            let answer = client.get_root("/log/checkpoint").await;
            assert_eq!(answer.status, expected, "{access:?}: {}", answer.text);
            let tile = client.get_root("/log/tile/0/000.p/1").await.status;
            assert_eq!(tile, expected, "{access:?}");
        }
        let administrator = host.administrator().await;
        assert_eq!(administrator.client.get_root(&path).await.status, 403);
        assert_eq!(host.anonymous().get_root("/log/policy").await.status, 200);
    }
}

/// A key that is away stops heads, and never play.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_cannot_be_signed_is_an_alert_and_play_goes_on() {
    let (host, _) = with_a_log().await;
    let data = host.running.app.config.data.clone();
    std::fs::rename(data.join("log.key"), data.join("elsewhere")).expect("moved");
    let host = host.restart(release(1)).await;
    let manager = host.employ("pit_manager", "manager").await;
    let mut pit = Feed::open(&manager.client, "/feed/pit", None).await;
    let words = "No head of the log is signed: log.key is missing";
    pit.until(words, |feed| feed.view["pit"]["alerts"].to_string().contains(words)).await;
    assert!(host.running.app.log.as_ref().expect("a log").lag() > 0, "records are made, and no head");
    // Back, without a restart.
    std::fs::rename(data.join("elsewhere"), data.join("log.key")).expect("moved back");
    within("a head", async { while host.anonymous().get_root("/log/checkpoint").await.status != 200 {} }).await;
}
