//! Anchors: signed checkpoints of the journal, kept out of reach of everyone who has access to the journal.
//!
//! The engine signs what is new every minute; here the end of a gaming day is signed too, and every checkpoint goes to
//! the places in the settings. An anchor proves everything before it, so that only the newest is worth sending: a place
//! that was away for an hour gets one line, and nothing waits for it.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Method, Request, StatusCode, Uri, header};
use http_body_util::Full;
use journal::{Chain, Checkpoint, Read, RealDisk, Scan, private};
use tokio::time::{Instant, sleep, timeout};

use crate::app::App;
use crate::clock;
use crate::config::AnchorPlace;
use crate::outgoing;

const DAY: i64 = 86_400_000;
const MINUTE: i64 = 60_000;
/// A clock that is set is noticed within this time.
const LOOK: Duration = Duration::from_secs(1);
/// How long a place may take to answer.
const ANSWER: Duration = Duration::from_secs(10);
/// How long is waited before a place is tried again: twice as long each time, up to the second.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// A place that does not answer is reported at the pit after so many tries; one that refuses at once.
const TRIES: u32 = 4;
/// The same place is reported so often.
const REPORT: Duration = Duration::from_secs(3_600);

/// Why an anchor was not taken.
#[derive(Debug)]
enum Untaken {
    /// The place said no.
    Refused(String),
    /// It could not be reached, or not be written.
    Unreachable(String),
}

/// Signs the end of each gaming day when it comes, also if the clock was set past it.
pub async fn ends_of_days(app: Arc<App>) {
    let day = || gaming_day(clock::now().0, app.read(|floor| floor.settings().map_or(0, |s| s.day_starts)));
    let mut signed = day().0;
    loop {
        let (_, left) = day();
        sleep(left.min(LOOK)).await;
        let (today, _) = day();
        if today != signed {
            app.engine.sign();
            signed = today;
        }
    }
}

/// The gaming day, as a number, and how long it still lasts.
fn gaming_day(now: i64, day_starts: u16) -> (i64, Duration) {
    let into = now.saturating_add(records::LOCAL_TIME_OFFSET).saturating_sub(i64::from(day_starts) * MINUTE);
    let left = u64::try_from(DAY - into.rem_euclid(DAY)).unwrap_or(0);
    (into.div_euclid(DAY), Duration::from_millis(left))
}

/// Keeps one place up to date with what is signed, for as long as the host runs.
pub async fn keep(app: Arc<App>, place: AnchorPlace) {
    let name = place.name();
    let mut newest = app.hub.signed.subscribe();
    let (mut tries, mut pause, mut reported) = (0, AGAIN.0, None::<Instant>);
    metrics::counter!("croupier_anchors_untaken_total", "place" => name.clone()).increment(0);
    while newest.changed().await.is_ok() {
        loop {
            let Some(checkpoint) = *newest.borrow_and_update() else { break };
            // The others of a cluster have it too; one sender is enough.
            if !app.is_in_charge() {
                break;
            }
            // An anchor that contradicts those before it is sent only when two people have stated what was lost.
            if app.read(|floor| floor.missing_record().is_some()) {
                break;
            }
            let words = match send(&app.name, &place, checkpoint.to_line()).await {
                Ok(()) => {
                    metrics::gauge!("croupier_anchor_sequence", "place" => name.clone())
                        .set(checkpoint.sequence as f64);
                    if reported.take().is_some() {
                        app.significant(format!("Anchors are taken again by {name}"), false);
                    }
                    (tries, pause) = (0, AGAIN.0);
                    break;
                }
                Err(Untaken::Refused(why)) => {
                    tries = TRIES;
                    format!("Anchors of the journal are refused by {name}: {why}")
                }
                Err(Untaken::Unreachable(why)) => {
                    tries += 1;
                    format!("Anchors of the journal do not reach {name}: {why}")
                }
            };
            tracing::warn!("{words}");
            metrics::counter!("croupier_anchors_untaken_total", "place" => name.clone()).increment(1);
            if tries >= TRIES && reported.is_none_or(|at| at.elapsed() > REPORT) {
                reported = Some(Instant::now());
                app.alert(None, words);
            }
            sleep(pause).await;
            pause = (pause * 2).min(AGAIN.1);
        }
    }
}

async fn send(floor: &str, place: &AnchorPlace, line: String) -> Result<(), Untaken> {
    match (&place.file, &place.url) {
        (Some(file), _) => {
            let file = file.clone();
            let written = tokio::task::spawn_blocking(move || append(&file, &line)).await;
            written.map_err(unreachable)?.map_err(unreachable)
        }
        (None, Some(url)) => timeout(ANSWER, post(floor, place, url, line))
            .await
            .unwrap_or_else(|_| Err(Untaken::Unreachable(format!("no answer within {} s", ANSWER.as_secs())))),
        (None, None) => Ok(()),
    }
}

fn unreachable(error: impl std::fmt::Display) -> Untaken {
    Untaken::Unreachable(error.to_string())
}

/// The newest anchor of this journal in a file.
fn newest(file: &Path, journal: [u8; 16]) -> Option<Checkpoint> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().rev().filter_map(Checkpoint::from_line).find(|anchor| anchor.is_genuine(journal))
}

/// The record and the words of what contradicts the newest anchor in a file, if anything does. A journal whose first
/// segments are archived is compared where it has the record.
pub(crate) fn contradiction(folder: &Path, journal: [u8; 16], last: u64, file: &Path) -> Option<(u64, String)> {
    let anchor = newest(file, journal)?;
    let name = file.display();
    if anchor.sequence > last {
        let words = format!("{name} has an anchor of record {}; the journal ends with record {last}", anchor.sequence);
        return Some((anchor.sequence, words));
    }
    match chain_at(folder, anchor.sequence) {
        Ok(Some(chain)) if chain != anchor.chain => {
            let words = format!("record {} of the journal is not the one of the anchor in {name}", anchor.sequence);
            Some((anchor.sequence, words))
        }
        Ok(_) => None,
        Err(error) => {
            tracing::warn!(error, "the journal could not be compared with the anchor in {name}");
            None
        }
    }
}

/// The chain of the journal after a record; none where the record is archived.
fn chain_at(folder: &Path, sequence: u64) -> Result<Option<Chain>, String> {
    let mut scan = Scan::new(vec![RealDisk::to_read(folder)]).map_err(|error| error.to_string())?;
    scan.start_at(sequence).map_err(|damage| damage.to_string())?;
    while let Some(read) = scan.read().map_err(|damage| damage.to_string())? {
        match read {
            Read::Checkpoint(checkpoint) if checkpoint.sequence == sequence => return Ok(Some(checkpoint.chain)),
            Read::Checkpoint(_) => {}
            Read::Records { first, .. } if first > sequence => return Ok(None),
            // A checkpoint is signed at the end of a batch: another cut is another journal.
            Read::Records { first, entries, chain } => {
                let next = first.saturating_add(entries.len() as u64);
                if next > sequence {
                    return Ok(Some(chain));
                }
            }
        }
    }
    Ok(None)
}

/// Adds a line to a file; when this returns, it is durable.
fn append(file: &Path, line: &str) -> std::io::Result<()> {
    let mut file = private::file_options().create(true).append(true).open(file)?;
    file.write_all(format!("{line}\n").as_bytes())?;
    file.sync_all()
}

/// Posts a line, and of which floor it is. Any answer of 200 to 299 has taken it.
async fn post(floor: &str, place: &AnchorPlace, url: &str, line: String) -> Result<(), Untaken> {
    let uri: Uri = url.parse().map_err(unreachable)?;
    let request = request(floor, place, &uri, line)?;
    let mut open = outgoing::connect(&uri, place.ca.as_deref()).await.map_err(unreachable)?;
    match open.send_request(request).await.map_err(unreachable)?.status() {
        status if status.is_success() => Ok(()),
        // Too busy, or behind something that is: it may well take the next.
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => Err(unreachable(status)),
        status => Err(Untaken::Refused(status.to_string())),
    }
}

fn request(floor: &str, place: &AnchorPlace, uri: &Uri, line: String) -> Result<Request<Full<Bytes>>, Untaken> {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let host = uri.authority().map_or("", |authority| authority.as_str());
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(header::HOST, host)
        .header("croupier-floor", floor)
        .header(header::CONTENT_TYPE, "text/plain; charset=utf-8");
    if let Some(file) = &place.token {
        private::check_secret(file).map_err(unreachable)?;
        let token = std::fs::read_to_string(file).map_err(unreachable)?;
        request = request.header(header::AUTHORIZATION, format!("Bearer {}", token.trim()));
    }
    request.body(Full::from(format!("{line}\n"))).map_err(unreachable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gaming_day_ends_at_its_own_hour() {
        // 05:59 and 06:00 in Singapore on 1 January 2026.
        assert_eq!(gaming_day(1_767_218_340_000, 360).1, Duration::from_secs(60));
        assert_eq!(gaming_day(1_767_218_400_000, 360).1, Duration::from_secs(86_400));
        assert_eq!(gaming_day(1_767_218_400_000 - 1, 360).1, Duration::from_millis(1));
    }

    #[test]
    fn a_file_gets_a_line_for_each_anchor_and_is_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("anchors.txt");
        append(&file, "one").unwrap();
        append(&file, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(append(&folder.path().join("missing/anchors.txt"), "one").is_err());
    }
}
