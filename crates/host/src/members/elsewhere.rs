//! Links of terminals and devices at the other hosts (S8). A key that is used here while a link with it answers at
//! another host is in two places, just as at one host.
//!
//! Before a link opens, all other hosts are asked whether they have one with the same key that still answers. Requests
//! and answers are signed, like all messages between hosts.

use std::collections::{BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cluster::{HostId, Question, Questions};
use serde::{Deserialize, Serialize};

use super::Membership;
use super::ask::about_answer;
use crate::app::App;
use crate::clock;
use crate::feed::message::ByeReason;
use crate::store::Holder;

/// How long the other hosts have to answer: a link has a second and a half, and the round trip takes a moment.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// A message older or newer than this is not acted upon, in milliseconds.
const FRESH: i64 = 30_000;
/// How long a message is remembered, so that a recorded one does nothing.
const REMEMBERED: Duration = Duration::from_secs(120);

/// What a host says about a link.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Said {
    /// When, by the clock of the host that says it.
    at: i64,
    /// `terminal` or `device`.
    kind: String,
    /// Which.
    id: u32,
    /// The link is open at the host that says it, and an older one elsewhere is to end.
    #[serde(default)]
    replaces: bool,
    /// A Pit Supervisor has approved the link there: the key is no longer contested.
    #[serde(default)]
    approved: bool,
}

/// What a host answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seen {
    /// It has a link with this key, and the link answers.
    responds: bool,
    /// From where that link comes.
    #[serde(default)]
    address: Option<IpAddr>,
    /// From where the link came when the key was last in two places there.
    #[serde(default)]
    contested: Option<IpAddr>,
    /// The host.
    host: String,
}

/// A link at another host that answers, or answered when its key was in two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// From where it comes.
    pub address: IpAddr,
    /// At which host it is.
    pub host: String,
    /// Whether it answers now.
    pub answers: bool,
}

fn about_links(floor: &str) -> [&[u8]; 2] {
    [b"links", floor.as_bytes()]
}

impl Membership {
    fn said(&self, holder: Holder, replaces: bool, approved: bool) -> Vec<u8> {
        let said = Said { at: clock::now().0, kind: holder.kind().to_owned(), id: holder.id(), replaces, approved };
        self.identity.key.seal(&about_links(&self.floor), &serde_json::to_vec(&said).unwrap_or_default())
    }

    /// The keys of the other hosts of the floor that are there.
    fn others(&self) -> BTreeSet<HostId> {
        let own = self.identity.key.public();
        let hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.iter().filter(|host| host.key != own && self.is_enrolled(host)).map(|host| host.key).collect()
    }

    /// The link of a terminal or device at another host, if there is one that answers.
    pub async fn link_elsewhere(&self, holder: Holder) -> Option<Elsewhere> {
        let mut others = self.others();
        if others.is_empty() {
            return None;
        }
        let sent = self.said(holder, false, false);
        let contested = Mutex::new(None);
        let ask = async {
            let mut answers = self.connection.ask_about_link(&self.floor, sent.clone()).await.ok()?;
            while !others.is_empty() {
                let answer = answers.next().await?;
                let Some((by, seen)) = cluster::unseal(&about_answer(&self.floor, &sent), &answer) else { continue };
                let Ok(seen) = serde_json::from_slice::<Seen>(seen) else { continue };
                if !others.remove(&by) {
                    continue;
                }
                if let Some(address) = seen.address.filter(|_| seen.responds) {
                    return Some(Elsewhere { address, host: seen.host, answers: true });
                }
                if let (Some(address), Ok(mut contested)) = (seen.contested, contested.lock()) {
                    *contested = Some(Elsewhere { address, host: seen.host, answers: false });
                }
            }
            None
        };
        // A host that does not answer is gone, and its links with it.
        let found = tokio::time::timeout(ANSWERS_WITHIN, ask).await.ok().flatten();
        found.or_else(|| contested.into_inner().ok().flatten())
    }

    /// Tells the other hosts that a Pit Supervisor has approved a link here: its key is no longer contested.
    pub async fn link_is_approved(&self, holder: Holder) {
        if !self.others().is_empty() {
            let _ = self.connection.ask_about_link(&self.floor, self.said(holder, true, true)).await;
        }
    }

    /// Tells the other hosts that a link has opened here: an older one ends.
    pub async fn link_is_here(&self, holder: Holder) {
        if !self.others().is_empty() {
            let _ = self.connection.ask_about_link(&self.floor, self.said(holder, true, false)).await;
        }
    }

    /// The name of this host.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.me.host
    }
}

/// Answers the questions of the other hosts, for as long as this host runs.
pub async fn run(app: Arc<App>, membership: Arc<Membership>) {
    loop {
        match membership.connection.hear_links(&membership.floor).await {
            Ok(questions) => hear(&app, &membership, questions).await,
            Err(error) => tracing::error!(%error, "cannot receive requests about links"),
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn hear(app: &Arc<App>, membership: &Arc<Membership>, mut questions: Questions) {
    let mut heard = Heard::default();
    while let Some(question) = questions.next().await {
        let Some(said) = let_in(membership, question.bytes()) else { continue };
        let Some(holder) = Holder::parse(&said.kind, said.id) else { continue };
        if !said.replaces {
            tokio::spawn(answer(Arc::clone(app), Arc::clone(membership), holder, question));
        } else if heard.is_new(question.bytes()) {
            if said.approved {
                app.links.settle(holder);
            }
            app.hub.end_link_of(holder, ByeReason::Replaced);
        }
    }
}

/// Reads a message between hosts about links, for the fuzz target; whether it is such a message.
pub(super) fn parse(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Said>(bytes).is_ok() || serde_json::from_slice::<Seen>(bytes).is_ok()
}

/// What another host of the floor says, if it has signed it just now.
fn let_in(membership: &Membership, sealed: &[u8]) -> Option<Said> {
    let (by, said) = cluster::unseal(&about_links(&membership.floor), sealed)?;
    if by == membership.identity.key.public() {
        return None;
    }
    if membership.store.host_of(by).ok()?.is_none() {
        metrics::counter!("croupier_forged_total", "what" => "link").increment(1);
        tracing::error!(key = %by, "ignored a request about a link that no host of the floor has signed");
        return None;
    }
    let said: Said = serde_json::from_slice(said).ok()?;
    (clock::now().0.abs_diff(said.at) <= FRESH.unsigned_abs()).then_some(said)
}

async fn answer(app: Arc<App>, membership: Arc<Membership>, holder: Holder, question: Question) {
    let link = app.hub.link_of(holder);
    let (responds, address) = match &link {
        Some(link) => (link.responds().await, link.address()),
        None => (false, None),
    };
    let contested = app.links.contested_by(holder);
    let seen = Seen { responds, address, contested, host: membership.me.host.clone() };
    let about = about_answer(&membership.floor, question.bytes());
    let sealed = membership.identity.key.seal(&about, &serde_json::to_vec(&seen).unwrap_or_default());
    question.answer(sealed).await;
}

/// Messages that were acted upon.
#[derive(Default)]
struct Heard {
    known: BTreeSet<Vec<u8>>,
    order: VecDeque<(Instant, Vec<u8>)>,
}

impl Heard {
    fn is_new(&mut self, message: &[u8]) -> bool {
        while self.order.front().is_some_and(|(at, _)| at.elapsed() > REMEMBERED) {
            if let Some((_, old)) = self.order.pop_front() {
                self.known.remove(&old);
            }
        }
        let new = self.known.insert(message.to_vec());
        if new {
            self.order.push_back((Instant::now(), message.to_vec()));
        }
        new
    }
}
