//! The way of a command from a host that follows to the one that leads, and of its answer back.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Refused, Reply, Tag};
use tokio::sync::mpsc;

use super::Membership;
use super::ask::{Answer, Ask, Asked, Decided, Issued, Question, Wanted, about_answer, about_question};
use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};

/// Commands that go together.
const TOGETHER: usize = 512;
/// How long the leader may take to answer once.
const ONCE: Duration = Duration::from_secs(4);
/// How long is tried in all: a takeover fits into it.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long is waited when this host is not one of the floor's.
const REFUSED: Duration = Duration::from_secs(1);
/// How long this host may be behind what it was answered.
pub const CATCH_UP: Duration = Duration::from_secs(5);

/// A command on its way, and since when.
pub struct Passed {
    pub tag: Tag,
    pub ask: Ask,
    pub since: Instant,
}

/// Passes commands on, as many together as have come while the last were being decided.
pub async fn run(app: Arc<App>, membership: Arc<Membership>, mut asks: mpsc::Receiver<Passed>) {
    let mut taken = Vec::new();
    while asks.recv_many(&mut taken, TOGETHER).await > 0 {
        // Commands that have waited long enough in the queue are answered so, and not sent again.
        let waited = |passed: &mut Passed| passed.since.elapsed() >= PATIENCE;
        let late = taken.extract_if(.., waited).map(|passed| (passed.tag, Reply::Untaken(Refused::Follows))).collect();
        app.hub.reply(late);
        let Some(since) = taken.iter().map(|passed| passed.since).min() else { continue };
        let (tags, asks): (Vec<Tag>, Vec<Ask>) = taken.drain(..).map(|passed| (passed.tag, passed.ask)).unzip();
        let replies = decide(&membership, asks, since + PATIENCE).await;
        let last = replies.iter().filter_map(accepted).max().unwrap_or(0);
        // A client that has an answer also sees the result at this host.
        let shown = app.hub.reached(last, CATCH_UP).await;
        let replies = tags.into_iter().zip(replies).map(|(tag, reply)| match reply {
            Reply::Accepted(_) if !shown => (tag, Reply::Stopped("this host is behind; ask again".to_owned())),
            reply => (tag, reply),
        });
        app.hub.reply(replies.collect());
    }
}

fn accepted(reply: &Reply) -> Option<u64> {
    match reply {
        Reply::Accepted(sequence) => Some(*sequence),
        _ => None,
    }
}

/// Has commands decided. Each has its number, or may be done twice: asking again is no harm.
async fn decide(membership: &Membership, asks: Vec<Ask>, until: Instant) -> Vec<Reply> {
    let count = asks.len();
    let question = Question::Decide { host: membership.me.host.clone(), asks };
    replies(ask(membership, &question, until).await, count)
}

/// The answer for all these clients: what the leader would answer them itself.
fn replies(answer: Option<Answer>, count: usize) -> Vec<Reply> {
    match answer {
        Some(Answer::Decided(decided)) if decided.len() == count => decided
            .into_iter()
            .map(|decided| match decided {
                Decided::Reply(reply) => reply,
                Decided::Busy => Reply::Untaken(Refused::Busy),
            })
            .collect(),
        _ => vec![Reply::Untaken(Refused::Follows); count],
    }
}

/// Has a ticket issued.
///
/// # Errors
/// Why it was not.
pub async fn issue(membership: &Membership, wanted: &Wanted) -> ApiResult<Issued> {
    match ask(membership, &Question::Issue(wanted.clone()), Instant::now() + PATIENCE).await {
        Some(Answer::Issued(issued)) => Ok(issued),
        Some(Answer::Refused(refusal)) => Err(refusal.into()),
        _ => Err(ApiError::from(Refused::Follows)),
    }
}

async fn ask(membership: &Membership, question: &Question, until: Instant) -> Option<Answer> {
    while Instant::now() < until {
        let once = ONCE.min(until.saturating_duration_since(Instant::now()));
        match ask_once(membership, question, once).await {
            // The term is another: nothing was decided, and the next question names the right one.
            Some(Answer::Again { term, after }) => membership.asking.goes_on(term, after),
            Some(Answer::NotEnrolled) => {
                tracing::error!("this host is not enrolled in the floor: nothing it asks for is done");
                tokio::time::sleep(REFUSED).await;
            }
            Some(Answer::Later) | None => tokio::time::sleep(Duration::from_millis(50)).await,
            Some(answer) => return Some(answer),
        }
    }
    None
}

/// Sends a request with this host's signature; an answer counts if a host of the floor has signed it for this request.
async fn ask_once(membership: &Membership, question: &Question, within: Duration) -> Option<Answer> {
    let (term, count) = membership.asking.next();
    let asked = serde_json::to_vec(&Asked { term, count, question: question.clone() }).ok()?;
    let sent = membership.identity.key.seal(&about_question(&membership.floor), &asked);
    let answer = membership.connection.ask(&membership.floor, sent.clone(), within).await.ok()?;
    let (by, answer) = cluster::unseal(&about_answer(&membership.floor, &sent), &answer)?;
    if membership.store.host_of(by).ok()?.is_none() {
        metrics::counter!("croupier_forged_total", "what" => "answer").increment(1);
        tracing::error!(key = %by, "ignored an answer that no host of the floor has signed");
        return None;
    }
    serde_json::from_slice(answer).ok()
}

/// In which term of the leader this host asks, and what its next question is.
#[derive(Debug)]
pub struct Asking(Mutex<(String, u64)>);

impl Asking {
    /// Counts on from the clock, so that a restarted host is not mistaken for one that repeats itself.
    pub fn new() -> Asking {
        Asking(Mutex::new((String::new(), clock::now().0.unsigned_abs() << 20)))
    }

    fn next(&self) -> (String, u64) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inside.1 += 1;
        inside.clone()
    }

    fn goes_on(&self, term: String, after: u64) {
        let mut inside = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *inside = (term, inside.1.max(after));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::settle;

    #[test]
    fn busy_and_nobody_leads_are_said_as_they_are() {
        let busy = Answer::Decided(vec![Decided::Busy, Decided::Reply(Reply::Accepted(7))]);
        let codes = |answer, count| -> Vec<_> {
            let settled = replies(answer, count).into_iter().map(|reply| settle(Ok(reply)));
            settled.map(|settled| settled.map_err(|error| (error.error.code.clone(), error.retry_after))).collect()
        };
        let said = |code: &str| Err((code.to_owned(), Some(1)));
        assert_eq!(codes(Some(busy.clone()), 2), [said("busy"), Ok(7)]);
        assert_eq!(codes(None, 2), [said("no_leader"), said("no_leader")]);
        // An answer that does not fit the question is none.
        assert_eq!(codes(Some(busy), 1), [said("no_leader")]);
        assert_eq!(codes(Some(Answer::Later), 1), [said("no_leader")]);
    }
}
