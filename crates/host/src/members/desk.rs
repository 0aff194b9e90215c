//! The leader's side of forwarding: it decides the commands that other hosts have received.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use cluster::{HostId, Questions};
use engine::{Refused, Reply};
use floor::{Body, Code, Refusal, TerminalId};

use super::Membership;
use super::ask::{Answer, Ask, Asked, Decided, Issued, Question, Wanted, about_answer, about_question};
use crate::app::App;
use crate::clock;

/// Answers questions until it is ended.
pub async fn run(app: Arc<App>, membership: Arc<Membership>, mut questions: Questions) {
    let mut door = Door::new();
    while let Some(question) = questions.next().await {
        let asked = door.let_in(&membership, question.bytes());
        let (app, membership) = (Arc::clone(&app), Arc::clone(&membership));
        let question = Signed { question, membership: Arc::clone(&membership) };
        match asked {
            // Submitted here, so that requests keep their order; only the waiting is done in a separate task.
            Ok(Question::Decide { host, asks }) => {
                let waiting: Vec<_> = asks.into_iter().map(|ask| submit(&app, &membership, &host, ask)).collect();
                tokio::spawn(async move {
                    let mut decided = Vec::with_capacity(waiting.len());
                    for waiting in waiting {
                        decided.push(match waiting {
                            Ok(answer) => match answer.await {
                                Ok(reply) => Decided::Reply(reply),
                                Err(_) => Decided::Reply(Reply::Stopped("the host is stopping".to_owned())),
                            },
                            Err(Refused::Busy) => Decided::Busy,
                            Err(refused) => Decided::Reply(Reply::Untaken(refused)),
                        });
                    }
                    question.answer(&together(decided)).await;
                });
            }
            Ok(Question::Issue(wanted)) => {
                tokio::spawn(async move {
                    let answer = issue(&app, &wanted).await;
                    question.answer(&answer).await;
                });
            }
            Err(answer) => question.answer(&answer).await,
        }
    }
}

/// A question whose answer this host signs.
struct Signed {
    question: cluster::Question,
    membership: Arc<Membership>,
}

impl Signed {
    async fn answer(self, answer: &Answer) {
        let about = about_answer(&self.membership.floor, self.question.bytes());
        let sealed = self.membership.identity.key.seal(&about, &serde_json::to_vec(answer).unwrap_or_default());
        self.question.answer(sealed).await;
    }
}

/// Questions of one host that may overtake each other.
const OVERTAKING: usize = 1_024;

/// The accepted requests, while this host leads: those of hosts of the floor, each once.
struct Door {
    term: String,
    heard: HashMap<HostId, BTreeSet<u64>>,
    /// When it was last logged that something could not be read.
    logged: Option<Instant>,
}

/// What cannot be read is logged at most this often.
const MINUTE: Duration = Duration::from_secs(60);

impl Door {
    fn new() -> Door {
        // Without random bytes the term stays empty and every question is refused.
        let mut term = [0; 16];
        let chance = getrandom::fill(&mut term).is_ok();
        let term = if chance { u128::from_le_bytes(term).to_string() } else { String::new() };
        Door { term, heard: HashMap::new(), logged: None }
    }

    /// A question that may be answered, or what is answered instead.
    fn let_in(&mut self, membership: &Membership, sealed: &[u8]) -> Result<Question, Answer> {
        let opened = cluster::unseal(&about_question(&membership.floor), sealed);
        let host = opened.and_then(|(by, asked)| Some((membership.store.host_of(by).ok()??, by, asked)));
        let Some((host, by, asked)) = host else {
            metrics::counter!("croupier_forged_total", "what" => "question").increment(1);
            tracing::error!(
                key = opened.map(|(by, _)| by.to_string()),
                "refused a request that no host of the floor has signed"
            );
            return Err(Answer::NotEnrolled);
        };
        let asked: Asked = serde_json::from_slice(asked).map_err(|error| {
            self.unread(&host, &error.to_string());
            Answer::Unread
        })?;
        self.count(by, &asked.term, asked.count)?;
        if let Question::Decide { asks, .. } = &asked.question {
            for ask in asks {
                if let Ask::Unread(error) = ask {
                    self.unread(&host, error);
                }
            }
        }
        match asked.question {
            // A host speaks for the terminals that are at it, and for no other host.
            Question::Decide { asks, .. } => Ok(Question::Decide { host, asks }),
            question => Ok(question),
        }
    }

    fn unread(&mut self, host: &str, error: &str) {
        metrics::counter!("croupier_unread_total").increment(1);
        if self.logged.is_none_or(|at| at.elapsed() >= MINUTE) {
            self.logged = Some(Instant::now());
            tracing::error!(error, host, "another host asks what this one does not understand: refused");
        }
    }

    /// Whether it is the first time that a host's question of this count is heard, and in this term.
    fn count(&mut self, by: HostId, term: &str, count: u64) -> Result<(), Answer> {
        let heard = self.heard.entry(by).or_default();
        let after = heard.last().copied().unwrap_or(0);
        let too_old = heard.len() >= OVERTAKING && heard.first().is_some_and(|oldest| count < *oldest);
        if term.is_empty() || term != self.term || too_old || !heard.insert(count) {
            return Err(Answer::Again { term: self.term.clone(), after });
        }
        if heard.len() > OVERTAKING {
            heard.pop_first();
        }
        Ok(())
    }
}

/// One answer for all. A host that has stopped or lost the lead has decided nothing more; the next leader will.
fn together(decided: Vec<Decided>) -> Answer {
    let later = |decided: &Decided| matches!(decided, Decided::Reply(Reply::Stopped(_) | Reply::Untaken(_)));
    if decided.iter().any(later) { Answer::Later } else { Answer::Decided(decided) }
}

type Waiting = Result<tokio::sync::oneshot::Receiver<Reply>, Refused>;

fn submit(app: &App, membership: &Membership, host: &str, ask: Ask) -> Waiting {
    if let Ask::Unread(_) = ask {
        let words = "the host that leads does not know this command: all hosts run the same program first";
        let (answered, answer) = tokio::sync::oneshot::channel();
        let _ = answered.send(Reply::Refused(Refusal::new(Code::FeatureLevel, "the hosts", words)));
        return Ok(answer);
    }
    if let Ask::Own(body) = &ask {
        let mut places = membership.places.lock().unwrap_or_else(PoisonError::into_inner);
        match body {
            Body::TerminalBack { terminal } => drop(places.insert(*terminal, host.to_owned())),
            Body::TerminalLost { terminal } => {
                // It may have come back at another host meanwhile.
                let elsewhere = places.get(terminal).is_some_and(|place| place != host);
                if elsewhere || app.hub.has_terminal(*terminal) {
                    let (answered, answer) = tokio::sync::oneshot::channel();
                    let _ = answered.send(Reply::Accepted(app.read(floor::Floor::sequence)));
                    return Ok(answer);
                }
                places.remove(terminal);
            }
            _ => {}
        }
    }
    let (tag, answer) = app.hub.expect();
    app.decide_here(tag, ask).inspect_err(|_| app.hub.forget(tag))?;
    Ok(answer)
}

async fn issue(app: &App, wanted: &Wanted) -> Answer {
    match app.issue_here(wanted.sender, wanted.number, |hash| wanted.with(hash)).await {
        Ok((accepted, ticket)) => Answer::Issued(Issued { accepted, ticket }),
        Err(crate::app::NotIssued::Refused(refusal)) => Answer::Refused(refusal),
        Err(crate::app::NotIssued::Later) => Answer::Later,
    }
}

/// Terminals of hosts that are gone are lost (S18).
pub fn lost_hosts(app: &App, membership: &Membership) {
    let hosts = membership.enrolled();
    let mut places = membership.places.lock().unwrap_or_else(PoisonError::into_inner);
    let gone = |(_, place): &(&TerminalId, &String)| !hosts.iter().any(|host| host.host == **place);
    let lost: Vec<TerminalId> = places.iter().filter(gone).map(|(terminal, _)| *terminal).collect();
    for terminal in lost {
        if app.hub.has_terminal(terminal) || app.own_unanswered(Body::TerminalLost { terminal }).is_ok() {
            places.remove(&terminal);
        }
    }
}

/// A demonstration enrols every host that comes, and says so. On a real floor an administrator does.
pub async fn enrol_by_itself(app: &Arc<App>, membership: &Membership) {
    if !app.is_demonstration() {
        return;
    }
    for host in membership.waiting() {
        let (name, key) = (host.host.clone(), host.key);
        let enrolled = app.change_credentials(move |store| store.enrol_host(&name, key, clock::now())).await;
        if matches!(enrolled, Ok(Ok(()))) {
            app.significant(format!("The demonstration enrolled host {} by itself", host.host), false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_heard_once_and_in_its_own_term() {
        let (mut door, host, other) = (Door::new(), HostId([1; 32]), HostId([2; 32]));
        let term = door.term.clone();
        let again = |answer: Result<(), Answer>| match answer {
            Err(Answer::Again { term, after }) => Some((term, after)),
            _ => None,
        };
        assert_eq!(again(door.count(host, "", 7)), Some((term.clone(), 0)), "it does not know the term yet");
        assert!(door.count(host, &term, 7).is_ok());
        assert_eq!(again(door.count(host, &term, 7)), Some((term.clone(), 7)), "a replay");
        assert!(door.count(host, &term, 9).is_ok());
        assert!(door.count(host, &term, 8).is_ok(), "overtaken on the way");
        assert!(door.count(other, &term, 7).is_ok(), "each host counts for itself");
        assert!(again(door.count(host, "another", 10)).is_some());
        for count in 10..2_000 {
            assert!(door.count(host, &term, count).is_ok());
        }
        assert!(again(door.count(host, &term, 1)).is_some(), "too long ago to be known");
    }

    #[test]
    fn whoever_leads_no_longer_leaves_it_to_the_next() {
        let decided = |reply| together(vec![Decided::Reply(Reply::Accepted(7)), Decided::Reply(reply)]);
        assert!(matches!(decided(Reply::Accepted(8)), Answer::Decided(all) if all.len() == 2));
        assert!(matches!(decided(Reply::Untaken(Refused::Follows)), Answer::Later));
        assert!(matches!(decided(Reply::Stopped("the disk is full".to_owned())), Answer::Later));
        assert!(matches!(together(vec![Decided::Busy]), Answer::Decided(_)));
    }
}
