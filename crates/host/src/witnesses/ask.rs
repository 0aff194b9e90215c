//! One witness, asked in the protocol of C2SP tlog-witness.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use receipts::Prover;
use receipts::heads::Head;
use tlog::witness::{AddCheckpoint, Refusal, cosignatures, origin_hash};
use tlog::{Note, SignatureLine, VerifierKey};
use tokio::time::timeout;

use super::Uncosigned;
use crate::app::App;
use crate::config::WitnessPlace;
use crate::outgoing::{Answer, Outgoing};

/// How long a witness may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

pub(super) struct Witness {
    pub name: String,
    /// The size that it has cosigned last, as far as this process knows.
    pub last: Option<u64>,
    key: Option<VerifierKey>,
    line: Outgoing,
}

impl Witness {
    pub fn new(place: &WitnessPlace) -> Witness {
        let key = VerifierKey::parse(&place.key).ok();
        Witness { name: place.name.clone(), last: None, key, line: Outgoing::to(&place.url, place.ca.clone()) }
    }

    async fn ask(&mut self, method: Method, path: &str, body: String) -> Result<Answer, String> {
        let asked = timeout(ANSWER, self.line.ask(method, path, body.into())).await;
        asked.unwrap_or_else(|_| Err(format!("no answer within {} s", ANSWER.as_secs())))
    }

    /// Has a head cosigned, with the proof from what this witness cosigned last. A witness that names another size is asked
    /// once more from there.
    pub async fn cosign(&mut self, app: &Arc<App>, head: &Head) -> Result<SignatureLine, Uncosigned> {
        for again in [true, false] {
            let (old, size) = (self.last.unwrap_or(0), head.checkpoint.size);
            let proof = {
                let app = Arc::clone(app);
                let proved = tokio::task::spawn_blocking(move || consistency(&app, old, size)).await;
                proved.map_err(|error| Uncosigned::Own(error.to_string()))?.map_err(Uncosigned::Own)?
            };
            let request = AddCheckpoint { old, proof, note: head.note.clone() }.to_text();
            let answer = self.ask(Method::POST, "/add-checkpoint", request).await.map_err(Uncosigned::Unreachable)?;
            let body = String::from_utf8_lossy(&answer.body);
            if answer.status.is_success() {
                let line = self.own_line(&body, head).map_err(Uncosigned::Unreachable)?;
                self.last = Some(size);
                return Ok(line);
            }
            if answer.status.is_server_error() || answer.status.as_u16() == 429 {
                return Err(Uncosigned::Unreachable(answer.status.to_string()));
            }
            match Refusal::of(answer.status.as_u16(), &answer.kind, &body) {
                Refusal::Stale(seen) if seen > size => return self.ahead(app, head, seen).await,
                Refusal::Stale(seen) if again && seen != old => self.last = Some(seen),
                refusal => return Err(Uncosigned::Refused(refusal)),
            }
        }
        Err(Uncosigned::Unreachable("it names one size after the other".to_owned()))
    }

    /// The cosignature of this witness among the lines of an answer, verified.
    fn own_line(&self, body: &str, head: &Head) -> Result<SignatureLine, String> {
        let lines = cosignatures(body).map_err(|error| error.to_string())?;
        let key = self.key.as_ref().ok_or("its key is none")?;
        let is_own = |line: &&SignatureLine| {
            line.name == key.name() && line.id == key.id() && key.verify(&head.note.text, &line.signature).is_some()
        };
        lines.iter().find(is_own).cloned().ok_or_else(|| "the answer has no cosignature of its key".to_owned())
    }

    /// It says that it has cosigned more than this head. If it has not cosigned more than there is, the newest head will do;
    /// otherwise it has to show it.
    async fn ahead(&mut self, app: &Arc<App>, head: &Head, seen: u64) -> Result<SignatureLine, Uncosigned> {
        let newest = app.log.as_ref().and_then(|log| log.head()).map_or(0, |head| head.checkpoint.size);
        if seen <= newest {
            self.last = Some(seen);
            return Err(Uncosigned::Past);
        }
        let log = receipts::keys::public(&app.config.data).ok().flatten();
        let shown = match &log {
            Some(log) => self.shown(log).await.map_err(Uncosigned::Unreachable)?,
            None => None,
        };
        match shown {
            Some(shown) if shown.checkpoint.size > newest => {
                Err(Uncosigned::Lost { seen: shown.checkpoint.size, has: newest })
            }
            _ => Err(Uncosigned::Refused(Refusal::Inconsistent(format!(
                "it names {seen} records and shows no head of them, where {} were offered",
                head.checkpoint.size
            )))),
        }
    }

    /// The latest head that it has cosigned of a log, signed by the log and by itself; `None` if it has none.
    pub async fn shown(&mut self, log: &VerifierKey) -> Result<Option<Head>, String> {
        let path = format!("/{}/checkpoint", origin_hash(log.name()));
        let answer = self.ask(Method::GET, &path, String::new()).await?;
        if answer.status.as_u16() == 404 {
            return Ok(None);
        }
        if !answer.status.is_success() {
            return Err(answer.status.to_string());
        }
        let note = Note::parse(&answer.body).map_err(|error| error.to_string())?;
        let own = note.verify(self.key.as_ref()).map_err(|error| error.to_string())?;
        if own.is_empty() {
            return Err("the head that it shows is not cosigned by its key".to_owned());
        }
        let head = Head::parse(&answer.body, log);
        head.map(Some).ok_or_else(|| "the head that it shows is not signed by the key of the log".to_owned())
    }
}

/// The proof that the log of a size has grown from that of another; none is needed from nothing, or to where it is.
fn consistency(app: &App, old: u64, size: u64) -> Result<Vec<tlog::Hash>, String> {
    let prover = receipts::Prover::open(&app.config.data, &[]).map_err(|error| error.to_string())?;
    let prover: Prover = prover.ok_or("the floor has no log")?;
    prover.consistency(old, size).map_err(|error| error.to_string())
}
