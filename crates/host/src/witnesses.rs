//! The witnesses of a floor's log: people who do not belong to the house and cosign every head, if the log has only grown.
//!
//! Each witness has a task of its own, with the size that it cosigned last. Heads are offered in order of size, the head of a
//! gaming day before any larger one for as long as five minutes. What enough witnesses have cosigned is durable in
//! `log/cosigned/` before a receipt is made from it. A witness that is away delays receipts, and never play.

mod ask;
mod before;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use receipts::Prover;
use receipts::cosigned::Cosigned;
use receipts::heads::Head;
use records::report::DayHead;
use tlog::witness::Refusal;
use tlog::{Note, Policy, SignatureLine};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use self::ask::Witness;
pub(crate) use self::before::before_play;
pub use self::before::{Ahead, Shown, compare, shown};
use crate::app::App;
use crate::config::WitnessPlace;

/// How long the head of a gaming day is offered before larger ones.
const DAY_WAITS: Duration = Duration::from_secs(300);
/// How long is waited before a witness is asked again: twice as long each time, up to the second.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// A witness that does not answer is reported at the pit after so many tries; one that refuses at once.
const TRIES: u32 = 4;
/// The same witness is reported so often.
const REPORT: Duration = Duration::from_secs(3_600);

/// What the witnesses have cosigned.
pub struct Witnesses {
    signed: watch::Sender<u64>,
    cosigned: watch::Sender<u64>,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    /// Heads that were offered, by size, with what came back.
    offered: BTreeMap<u64, Offered>,
    /// The newest head that enough witnesses have cosigned.
    newest: Option<Arc<Head>>,
    /// The head of a gaming day, and when it was first offered.
    days: BTreeMap<u64, (String, Instant)>,
}

struct Offered {
    head: Head,
    lines: BTreeMap<String, SignatureLine>,
}

impl Default for Witnesses {
    fn default() -> Witnesses {
        Witnesses { signed: watch::Sender::new(0), cosigned: watch::Sender::new(0), inside: Mutex::default() }
    }
}

impl Witnesses {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Told that a head of so many records was signed.
    pub fn signed(&self, size: u64) {
        self.signed.send_replace(size);
    }

    /// The newest head that enough witnesses have cosigned.
    #[must_use]
    pub fn newest(&self) -> Option<Arc<Head>> {
        self.lock().newest.clone()
    }

    /// A head of at least so many records that enough witnesses have cosigned; `None` if there is none in that time.
    pub async fn head_of(&self, size: u64, patience: Duration) -> Option<Arc<Head>> {
        let mut cosigned = self.cosigned.subscribe();
        let covers = |inside: &Inside| inside.newest.clone().filter(|head| head.checkpoint.size >= size);
        let waited = tokio::time::timeout(patience, async {
            loop {
                if let Some(head) = covers(&self.lock()) {
                    return Some(head);
                }
                if cosigned.changed().await.is_err() {
                    return None;
                }
            }
        });
        waited.await.ok().flatten()
    }
}

/// The policy of a floor's log: its keys, those of the eras before, the witnesses, and how many of them are enough.
///
/// # Errors
/// When the keys cannot be read; not found if the floor has no log yet.
pub fn policy_text(config: &crate::Config) -> io::Result<String> {
    let none = || io::Error::new(io::ErrorKind::NotFound, "the floor has no log yet");
    let key = receipts::keys::public(&config.data)?.ok_or_else(none)?;
    let mut text = format!("log {}\n", key.to_text());
    for era in receipts::eras::ended(&config.data)? {
        text.push_str(&format!("log {}\n", era.key.to_text()));
    }
    for witness in &config.witnesses {
        text.push_str(&format!("witness {} {} {}\n", witness.name, witness.key, witness.url));
    }
    if config.witnesses.is_empty() {
        return Ok(text + "quorum none\n");
    }
    let names: String = config.witnesses.iter().map(|witness| format!(" {}", witness.name)).collect();
    Ok(text + &format!("group witnesses {}{names}\nquorum witnesses\n", config.witness_quorum))
}

/// Whom a receipt of this floor is verified by.
///
/// # Errors
/// As [`policy_text`].
pub fn policy(config: &crate::Config) -> io::Result<Policy> {
    Policy::parse(&policy_text(config)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// Takes up what was cosigned before this start.
pub(crate) fn recall(app: &App) {
    let Ok(Some(key)) = receipts::keys::public(&app.config.data) else { return };
    let newest = Cosigned::new(&app.config.data.join(receipts::FOLDER), key).newest();
    // A backup may have heads of records that came after it.
    let last = app.read(floor::Floor::sequence);
    let enough = |head: &Head| {
        head.checkpoint.size <= last && policy(&app.config).is_ok_and(|policy| policy.verify(&head.note).is_ok())
    };
    if let Ok(Some(head)) = newest
        && enough(&head)
    {
        app.witnesses.cosigned.send_replace(head.checkpoint.size);
        app.witnesses.lock().newest = Some(Arc::new(head));
    }
}

/// What a witness is offered next.
struct Offer {
    head: Head,
    /// The gaming day whose head it is.
    day: Option<String>,
}

/// Keeps one witness up to date, for as long as the host runs.
pub(crate) async fn keep(app: Arc<App>, place: WitnessPlace) {
    let mut witness = Witness::new(&place);
    let mut signed = app.witnesses.signed.subscribe();
    let (mut tries, mut pause, mut reported) = (0, AGAIN.0, None::<Instant>);
    metrics::counter!("croupier_witness_failures_total", "witness" => place.name.clone()).increment(0);
    loop {
        let next = {
            let (app, last) = (Arc::clone(&app), witness.last);
            tokio::task::spawn_blocking(move || next(&app, last)).await
        };
        let offered = match next {
            Ok(Ok(None)) => {
                // A day's head may be overdue before another is signed.
                let _ = tokio::time::timeout(Duration::from_secs(30), signed.changed()).await;
                continue;
            }
            Ok(Ok(Some(offer))) => offer_to(&app, &mut witness, offer).await,
            Ok(Err(error)) => Err(Uncosigned::Own(error.to_string())),
            Err(error) => Err(Uncosigned::Own(error.to_string())),
        };
        let name = &place.name;
        let words = match offered {
            Ok(()) => {
                if reported.take().is_some() {
                    app.significant(format!("The witness {name} cosigns again"), false);
                }
                (tries, pause) = (0, AGAIN.0);
                continue;
            }
            Err(Uncosigned::Unreachable(why)) => {
                tries += 1;
                format!("The witness {name} does not answer: {why}")
            }
            Err(Uncosigned::Refused(refusal)) => {
                tries = TRIES;
                format!("The witness {name} refuses the head of the log: {refusal}")
            }
            // It has gone ahead of this head: the next offer begins there.
            Err(Uncosigned::Past) => {
                sleep(AGAIN.0).await;
                continue;
            }
            Err(Uncosigned::Lost { seen, has }) => {
                tries = TRIES;
                format!(
                    "The end of the journal is lost: the witness {name} has cosigned {seen} records, and there are {has}"
                )
            }
            Err(Uncosigned::Own(why)) => {
                tries += 1;
                format!("The log cannot be shown to the witness {name}: {why}")
            }
        };
        tracing::warn!("{words}");
        metrics::counter!("croupier_witness_failures_total", "witness" => name.clone()).increment(1);
        if tries >= TRIES && reported.is_none_or(|at| at.elapsed() > REPORT) {
            reported = Some(Instant::now());
            app.alert(None, words);
        }
        sleep(pause).await;
        pause = (pause * 2).min(AGAIN.1);
    }
}

/// Why a head was not cosigned.
enum Uncosigned {
    Unreachable(String),
    Refused(Refusal),
    /// The witness has proved that it cosigned more than there is.
    Lost {
        seen: u64,
        has: u64,
    },
    Own(String),
    /// The witness has cosigned a later head already.
    Past,
}

/// What a witness that has cosigned so many records is to be offered: the smallest head of a gaming day that it lacks and
/// that is not overdue, otherwise the newest head.
fn next(app: &App, last: Option<u64>) -> io::Result<Option<Offer>> {
    let Some(newest) = app.log.as_ref().and_then(|log| log.head()) else { return Ok(None) };
    let key = receipts::keys::public(&app.config.data)?;
    let Some(key) = key else { return Ok(None) };
    let mut waiting = Cosigned::new(&app.config.data.join(receipts::FOLDER), key).waiting()?;
    let mut inside = app.witnesses.lock();
    waiting.retain(|(day, head)| {
        let size = head.checkpoint.size;
        let (_, since) = inside.days.entry(size).or_insert_with(|| (day.clone(), Instant::now()));
        last.is_none_or(|last| size > last) && since.elapsed() < DAY_WAITS
    });
    if let Some((day, head)) = waiting.into_iter().next() {
        return Ok(Some(Offer { head, day: Some(day) }));
    }
    // The size that it cosigned last is offered once more where its signature is lost.
    let size = newest.checkpoint.size;
    let is_known = last.is_some_and(|last| last >= size);
    Ok((!is_known).then(|| Offer { head: (*newest).clone(), day: None }))
}

async fn offer_to(app: &Arc<App>, witness: &mut Witness, offer: Offer) -> Result<(), Uncosigned> {
    let line = witness.cosign(app, &offer.head).await?;
    let (app, name) = (Arc::clone(app), witness.name.clone());
    let kept = tokio::task::spawn_blocking(move || collect(&app, name, line, offer));
    let own = |error: String| Uncosigned::Own(error);
    kept.await.map_err(|error| own(error.to_string()))?.map_err(|error| own(error.to_string()))
}

/// Adds a cosignature. When there are enough, the head is made durable and shown.
fn collect(app: &App, name: String, line: SignatureLine, offer: Offer) -> io::Result<()> {
    let policy = policy(&app.config)?;
    let cosigned = Cosigned::new(&app.config.data.join(receipts::FOLDER), key_of(app)?);
    let size = offer.head.checkpoint.size;
    // One at a time: what is kept is never replaced by less.
    let mut inside = app.witnesses.lock();
    let offered = inside.offered.entry(size).or_insert_with(|| Offered { head: offer.head, lines: BTreeMap::new() });
    offered.lines.insert(name, line);
    let mut note = offered.head.note.clone();
    note.signatures.extend(offered.lines.values().cloned());
    let checkpoint = offered.head.checkpoint.clone();
    let enough = policy.examine(&note).is_ok_and(|verified| verified.quorum);
    if !enough {
        return Ok(());
    }
    let day = offer.day.or_else(|| inside.days.get(&size).map(|(day, _)| day.clone()));
    if let Some(day) = &day {
        cosigned.keep_day(day, &note)?;
    }
    missed(app, &cosigned, &note, size)?;
    if inside.newest.as_ref().is_none_or(|newest| newest.checkpoint.size <= size) {
        cosigned.keep_newest(&note)?;
        inside.newest = Some(Arc::new(Head { note, checkpoint }));
        inside.offered = inside.offered.split_off(&size);
        metrics::gauge!("croupier_log_cosigned").set(size as f64);
        app.witnesses.cosigned.send_replace(size);
    }
    Ok(())
}

/// Days whose own head was missed are proved by the next that enough witnesses have cosigned.
fn missed(app: &App, cosigned: &Cosigned, note: &Note, size: u64) -> io::Result<()> {
    for (day, head) in cosigned.waiting()? {
        let old = head.checkpoint.size;
        if old < size
            && let Some(prover) = Prover::open(&app.config.data, &[])?
        {
            cosigned.keep_later(&day, note, &prover.consistency(old, size)?)?;
        }
    }
    Ok(())
}

fn key_of(app: &App) -> io::Result<tlog::VerifierKey> {
    let none = || io::Error::new(io::ErrorKind::NotFound, "the key of the log is missing");
    receipts::keys::public(&app.config.data)?.ok_or_else(none)
}

/// The head of a gaming day for its report; `None` if none was signed.
///
/// # Errors
/// When it cannot be read.
pub fn day_head(folder: &Path, day: &str) -> io::Result<Option<DayHead>> {
    let Some(key) = receipts::keys::public(folder)? else { return Ok(None) };
    let found = Cosigned::new(&folder.join(receipts::FOLDER), key.clone()).day(day)?;
    Ok(found.map(|found| {
        let others = |note: &Note| {
            let lines = note.signatures.iter().filter(|line| line.name != key.name());
            lines.map(|line| line.name.clone()).collect::<Vec<_>>()
        };
        let witnesses = found.later.as_ref().map_or_else(|| others(&found.head.note), |(later, _)| others(&later.note));
        let growth = found.later.iter().flat_map(|(_, proof)| proof.iter().map(|hash| tlog::to_base64(hash))).collect();
        let later = found.later.map(|(later, _)| later.note.to_text());
        DayHead { size: found.head.checkpoint.size, note: found.head.note.to_text(), witnesses, later, growth }
    }))
}
