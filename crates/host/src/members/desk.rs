//! The desk of the host that leads: what other hosts have taken in is decided here.

use std::sync::{Arc, PoisonError};

use cluster::Questions;
use engine::{Refused, Reply};
use floor::{Body, TerminalId};

use super::Membership;
use super::ask::{Answer, Ask, Decided, Issued, Question, Wanted};
use crate::app::App;

/// Answers questions until it is ended.
pub async fn run(app: Arc<App>, membership: Arc<Membership>, mut questions: Questions) {
    while let Some(question) = questions.next().await {
        let asked = serde_json::from_slice(question.bytes());
        let (app, membership) = (Arc::clone(&app), Arc::clone(&membership));
        match asked {
            // Submitted here, so that questions keep their order; only the waiting is left to a task of its own.
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
                    question.answer(serde_json::to_vec(&together(decided)).unwrap_or_default()).await;
                });
            }
            Ok(Question::Issue(wanted)) => {
                tokio::spawn(async move {
                    let answer = issue(&app, &wanted).await;
                    question.answer(serde_json::to_vec(&answer).unwrap_or_default()).await;
                });
            }
            Err(error) => {
                tracing::error!(%error, "another host asks what this one does not understand");
                question.answer(serde_json::to_vec(&Answer::Later).unwrap_or_default()).await;
            }
        }
    }
}

/// One answer for all. A host that has stopped or leads no longer has decided nothing more: whoever leads next will.
fn together(decided: Vec<Decided>) -> Answer {
    let later = |decided: &Decided| matches!(decided, Decided::Reply(Reply::Stopped(_) | Reply::Untaken(_)));
    if decided.iter().any(later) { Answer::Later } else { Answer::Decided(decided) }
}

type Waiting = Result<tokio::sync::oneshot::Receiver<Reply>, Refused>;

fn submit(app: &App, membership: &Membership, host: &str, ask: Ask) -> Waiting {
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
    let hosts = membership.hosts.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut places = membership.places.lock().unwrap_or_else(PoisonError::into_inner);
    let gone = |(_, place): &(&TerminalId, &String)| !hosts.iter().any(|host| host.host == **place);
    let lost: Vec<TerminalId> = places.iter().filter(gone).map(|(terminal, _)| *terminal).collect();
    for terminal in lost {
        if app.hub.has_terminal(terminal) || app.own_unanswered(Body::TerminalLost { terminal }).is_ok() {
            places.remove(&terminal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_leads_no_longer_leaves_it_to_the_next() {
        let decided = |reply| together(vec![Decided::Reply(Reply::Accepted(7)), Decided::Reply(reply)]);
        assert!(matches!(decided(Reply::Accepted(8)), Answer::Decided(all) if all.len() == 2));
        assert!(matches!(decided(Reply::Untaken(Refused::Follows)), Answer::Later));
        assert!(matches!(decided(Reply::Stopped("the disk is full".to_owned())), Answer::Later));
        assert!(matches!(together(vec![Decided::Busy]), Answer::Decided(_)));
    }
}
