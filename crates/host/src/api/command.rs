//! How a command arrives over HTTP: the caller, the number, the body.

use std::cell::RefCell;
use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use floor::{
    Body, Code, Decision, DevicePlace, Floor, Moment, Sender, StaffId, TableId, TerminalId, TicketHash, TicketPlace,
};
use rulebook::{OutcomeIndex, SpotIndex};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::caller::Caller;
use crate::api::credentials;
use crate::api::past;
use crate::api::sealed;
use crate::app::App;
use crate::clock;
use crate::door::line::Waits;
use crate::error::{ApiError, ApiResult};
use crate::store::{Assertion, Purpose, Secret, SignInRefused, quoted};
use crate::tries;

/// A command was accepted.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Accepted {
    /// Its record: the first, or the one with which it takes effect.
    pub accepted: u64,
    /// The table that it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub table: Option<u16>,
    /// The terminal that it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub terminal: Option<u32>,
    /// The device that it made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub device: Option<u16>,
}

impl Accepted {
    /// A command that made nothing.
    #[must_use]
    pub fn at(accepted: u64) -> Accepted {
        Accepted { accepted, ..Accepted::default() }
    }
}

/// A table, terminal or device that is to be made: its name, and how many of its kind there were before.
enum Making {
    Table(String, usize),
    Terminal(String, usize),
    Device(String, usize),
}

impl Making {
    fn of(floor: &Floor, body: &Body) -> Option<Making> {
        match body {
            Body::AddTable { name, .. } => Some(Making::Table(name.clone(), floor.tables().len())),
            Body::EnrolTerminal { name, .. } => Some(Making::Terminal(name.clone(), floor.terminals().len())),
            Body::AddDevice { name, .. } => Some(Making::Device(name.clone(), floor.devices().len())),
            _ => None,
        }
    }

    /// What was made: the first of that name since. A retry made nothing, so it is the last of that name.
    fn made(&self, floor: &Floor, accepted: u64) -> Accepted {
        let found = |names: &mut dyn Iterator<Item = (usize, &str)>, name: &str, known: usize| {
            let all: Vec<usize> = names.filter(|(_, other)| *other == name).map(|(index, _)| index).collect();
            all.iter().find(|index| **index >= known).or(all.last()).copied()
        };
        let mut answer = Accepted::at(accepted);
        match self {
            Making::Table(name, known) => {
                let mut names = floor.tables().iter().map(floor::Table::name).enumerate();
                answer.table = found(&mut names, name, *known).and_then(|at| u16::try_from(at).ok());
            }
            Making::Terminal(name, known) => {
                let mut names = floor.terminals().iter().map(floor::Terminal::name).enumerate();
                answer.terminal = found(&mut names, name, *known).and_then(|at| u32::try_from(at).ok());
            }
            Making::Device(name, known) => {
                let mut names = floor.devices().iter().map(floor::Device::name).enumerate();
                answer.device = found(&mut names, name, *known).and_then(|at| u16::try_from(at).ok());
            }
        }
        answer
    }
}

/// The second person (D15), who signs with their own password or passkey.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Witness {
    /// The login.
    pub login: String,
    /// The password.
    #[serde(default)]
    #[schema(format = "password")]
    pub password: Option<String>,
    /// Or the signature of a passkey, asked for with the purpose `second`.
    #[serde(default)]
    pub passkey: Option<Assertion>,
    /// Only for sealed codes, and where a person gets a password from others: the second half of it, which the second person chooses and hands over
    /// (D27).
    #[serde(default)]
    #[schema(format = "password")]
    pub half: Option<String>,
}

/// A command that HTTP can send.
pub trait Request: DeserializeOwned + ToSchema + Send + 'static {
    /// The path below the floor.
    const PATH: &'static str;
    /// Its name in the API document.
    const ID: &'static str;
    /// Its group.
    const TAG: &'static str;
    /// One line about it.
    const SUMMARY: &'static str;

    /// The second person.
    fn witness(&self) -> Option<&Witness> {
        None
    }

    /// The command's body.
    ///
    /// # Errors
    /// When something named in it does not exist.
    fn body(self, context: &Context<'_>) -> ApiResult<Body>;
}

/// What a request is read with.
pub struct Context<'a> {
    /// The durable floor.
    pub floor: &'a Floor,
    /// The caller.
    pub sender: Sender,
    /// The second person, whose password is looked at before the command is given.
    pub witness: Option<StaffId>,
    /// Now.
    pub at: Moment,
    path: &'a HashMap<String, String>,
    app: &'a App,
    /// The entered ticket number, so that a wrong one can be counted and explained.
    typed: &'a RefCell<Option<String>>,
}

impl Context<'_> {
    /// A number in the path.
    ///
    /// # Errors
    /// When it is none.
    pub fn id<T: FromStr>(&self, name: &str) -> ApiResult<T> {
        let text = self.path.get(name).map(String::as_str).unwrap_or_default();
        text.parse().map_err(|_| ApiError::not_found(&format!("{name} '{text}'")))
    }

    /// The table in the path.
    ///
    /// # Errors
    /// When there is none.
    pub fn table(&self) -> ApiResult<TableId> {
        let id = TableId(self.id("table")?);
        self.floor.table(id).map(|_| id).ok_or_else(|| ApiError::not_found(&format!("table {id}")))
    }

    /// The terminal in the path.
    ///
    /// # Errors
    /// When there is none.
    pub fn terminal(&self) -> ApiResult<TerminalId> {
        let id = TerminalId(self.id("terminal")?);
        self.floor.terminal(id).map(|_| id).ok_or_else(|| ApiError::not_found(&format!("terminal {id}")))
    }

    /// An outcome of a table's game.
    ///
    /// # Errors
    /// When it is none.
    pub fn outcome(&self, table: TableId, text: &str) -> ApiResult<OutcomeIndex> {
        let rulebook = self.floor.table(table).and_then(|table| self.floor.rulebook_of(table));
        let rulebook = rulebook.ok_or_else(|| ApiError::not_found(&format!("table {table}")))?;
        rulebook.outcomes().parse(text).map_err(|error| ApiError::invalid("outcome", error))
    }

    /// A spot of a live table's layout.
    ///
    /// # Errors
    /// When it has none such.
    pub fn spot(&self, table: TableId, text: &str) -> ApiResult<SpotIndex> {
        let rulebook = self.floor.table(table).and_then(|table| self.floor.rulebook_of(table));
        let layout = rulebook.and_then(|rulebook| rulebook.layouts().first());
        let layout = layout.ok_or_else(|| ApiError::not_found(&format!("table {table}")))?;
        layout.find(text).map_err(|error| ApiError::invalid("spot", error))
    }

    /// The table of a round that has ended.
    ///
    /// # Errors
    /// When it can no longer be changed.
    pub fn table_of_round(&self, round: floor::RoundId) -> ApiResult<TableId> {
        let has = |table: &&floor::Table| {
            table.archived(round).is_some() || table.round().is_some_and(|open| open.id() == round)
        };
        let table = self.floor.tables().iter().find(has);
        table
            .map(floor::Table::id)
            .ok_or_else(|| ApiError::not_found(&format!("round {round} that can still be changed")))
    }

    /// The hash of a ticket's number.
    ///
    /// # Errors
    /// When it is none of this floor.
    pub fn ticket(&self, text: &str) -> ApiResult<TicketHash> {
        self.typed.replace(Some(text.to_owned()));
        self.app.ticket_hash(text)
    }
}

/// The sender's own count, by which a retry is known as one.
///
/// # Errors
/// When the header is missing or no number.
pub fn number(headers: &HeaderMap) -> ApiResult<u64> {
    let text = headers.get("idempotency-key").and_then(|value| value.to_str().ok());
    let text = text.ok_or_else(|| {
        ApiError::malformed("the header Idempotency-Key is missing: a whole number larger than any used before")
    })?;
    let number: Result<u64, _> = text.trim().parse();
    number
        .ok()
        .filter(|number| (1..=9_007_199_254_740_991).contains(number))
        .ok_or_else(|| ApiError::malformed("Idempotency-Key is a whole number from 1 to 9007199254740991"))
}

/// The JSON body of a request; an empty one is an empty object.
///
/// # Errors
/// When it cannot be read.
pub fn read<T: DeserializeOwned>(body: &Bytes) -> ApiResult<T> {
    let bytes: &[u8] = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => ApiError::invalid("body", error),
        _ => ApiError::malformed(format!("the body is not valid JSON: {error}")),
    })
}

/// Who the second person would be, if the password is right.
///
/// # Errors
/// When the store fails.
pub fn candidate(app: &App, witness: Option<&Witness>) -> ApiResult<Option<StaffId>> {
    witness.map_or(Ok(None), |witness| app.store.who_has(&witness.login).map_err(ApiError::from))
}

/// Whether the floor would accept this command from this sender with this second person, apart from the signature. This
/// is checked before a password: a person who may not give the command cannot use it to try passwords, a terminal can
/// try none at all, and no one can try those of a person who could not sign it. An unknown login and a wrong password
/// cannot be told apart. A number that was used for another command is refused here, before any password. Returns
/// whether the command was accepted before.
///
/// # Errors
/// Why it would not.
pub fn may_but_for_second(
    app: &App,
    sender: Sender,
    number: u64,
    body: &Body,
    second: Option<StaffId>,
) -> ApiResult<Sent> {
    staff_alone(sender)?;
    let command = floor::Command { sender, number, at: clock::now(), body: body.clone() };
    match app.read(|floor| floor.decide(&command)) {
        Ok(Decision::Earlier(_)) => may_still(app, sender, body).map(|()| Sent::Again),
        // What a drawer holds is told only to a person with a second one, and never to who tries amounts (D27).
        Err(refusal) if refusal.code == Code::Float && second.is_some() => Ok(Sent::First),
        Err(refusal) if refusal.code != Code::SecondPerson || second.is_some() => Err(refusal.into()),
        _ => Ok(Sent::First),
    }
}

/// Whether a command comes for the first time, or is a retry of one that was accepted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// For the first time.
    First,
    /// Again.
    Again,
}

/// Only people name a second person.
fn staff_alone(sender: Sender) -> ApiResult<()> {
    match sender {
        Sender::Staff(_) => Ok(()),
        _ => Err(ApiError::forbidden("only staff may name a second person")),
    }
}

/// A retry is answered as before, even if the floor would refuse the command now. But its sender may have changed posts
/// since, or the second person: then it tries no passwords.
fn may_still(app: &App, sender: Sender, body: &Body) -> ApiResult<()> {
    match app.read(|floor| floor.may(sender, body, clock::now())) {
        Err(refusal)
            if matches!(refusal.code, Code::UnknownSender | Code::NotForSender | Code::Rank | Code::SecondPerson) =>
        {
            Err(refusal.into())
        }
        _ => Ok(()),
    }
}

/// The second person's id, if the password or passkey is right.
///
/// # Errors
/// When it is not.
pub async fn verify(app: &Arc<App>, witness: &Witness, caller: &Caller) -> ApiResult<StaffId> {
    let secret = match (&witness.password, &witness.passkey) {
        (Some(password), None) => Secret::Password(password.clone()),
        (None, Some(assertion)) => {
            let purpose = Purpose::Second(caller.staff()?, caller.about());
            Secret::Passkey(Box::new(assertion.clone()), credentials::party(app, &caller.own), purpose)
        }
        _ => return Err(ApiError::invalid("witness", "give the password or the passkey")),
    };
    let checked = sign(app, caller, &witness.login, secret).await;
    checked.map_err(|refused| match refused {
        refused @ SignInRefused::Store(_) => refused.into(),
        refused => {
            let (who, from) = (app.name_of_sender(caller.sender), caller.address);
            let login = quoted(&witness.login);
            let words = format!("{login} as second person of {who}, from {from}, was refused: {refused}");
            app.refused(from, Some(&witness.login), &words, true);
            refused.into()
        }
    })
}

/// A request with a passkey was refused: the signature is used up all the same (D27).
pub async fn spend(app: &Arc<App>, caller: &Caller, witness: Option<&Witness>) {
    let Some((witness, staff)) = witness.zip(caller.staff().ok()) else { return };
    let Some(assertion) = witness.passkey.clone() else { return };
    let (login, party) = (witness.login.clone(), credentials::party(app, &caller.own));
    let purpose = Purpose::Second(staff, caller.about());
    let spent = app.change_credentials(move |store| store.spend(&login, &assertion, &party, purpose, clock::now()));
    if let Ok(Err(error)) = spent.await {
        tracing::warn!(%error, "a signature of a refused request could not be remembered");
    }
}

/// The same as the answer to a refusal.
pub async fn or_spend<T>(
    done: ApiResult<T>,
    app: &Arc<App>,
    caller: &Caller,
    witness: Option<&Witness>,
) -> ApiResult<T> {
    if done.is_err() {
        spend(app, caller, witness).await;
    }
    done
}

/// The second person of a command, whose password or passkey was right. It is checked only if the floor would accept
/// the command otherwise.
///
/// # Errors
/// When it is not, or the command would be refused anyway.
pub async fn signed(
    app: &Arc<App>,
    caller: &Caller,
    number: u64,
    witness: Option<&Witness>,
    body: impl Fn(Option<StaffId>) -> Body,
) -> ApiResult<Option<StaffId>> {
    let Some(witness) = witness else { return Ok(None) };
    let second = candidate(app, Some(witness))?;
    let may = may_but_for_second(app, caller.sender, number, &body(second), second);
    or_spend(may, app, caller, Some(witness)).await?;
    signed_by(app, caller, witness, second).await
}

/// The same for a command of which the floor's record is all there is. Its retry may come with the signature of the first
/// time. Where a request has more, such as the half of a password, a signature is good for one request only.
///
/// # Errors
/// As for [`signed`].
pub async fn signed_once(
    app: &Arc<App>,
    caller: &Caller,
    number: u64,
    witness: Option<&Witness>,
    body: impl Fn(Option<StaffId>) -> Body,
) -> ApiResult<Option<StaffId>> {
    let Some(witness) = witness else { return Ok(None) };
    let second = candidate(app, Some(witness))?;
    let may = may_but_for_second(app, caller.sender, number, &body(second), second);
    let sent = or_spend(may, app, caller, Some(witness)).await?;
    signed_by_or_before(app, caller, witness, second, sent).await
}

/// The same for a command that issues a ticket. The ticket's number is made when it is issued, so that any other will do to
/// ask; a retry is known by the number that the ticket got.
///
/// # Errors
/// As for [`signed`].
pub async fn signed_ticket(
    app: &Arc<App>,
    caller: &Caller,
    number: u64,
    witness: Option<&Witness>,
    body: impl Fn(TicketHash, Option<StaffId>) -> Body,
) -> ApiResult<Option<StaffId>> {
    let Some(witness) = witness else { return Ok(None) };
    let second = candidate(app, Some(witness))?;
    let asked = body(TicketHash([0; 16]), second);
    let may = if app.has_issued(caller.sender, number, |hash| body(hash, second)) {
        staff_alone(caller.sender).and_then(|()| may_still(app, caller.sender, &asked)).map(|()| Sent::Again)
    } else {
        may_but_for_second(app, caller.sender, number, &asked, second)
    };
    let sent = or_spend(may, app, caller, Some(witness)).await?;
    signed_by_or_before(app, caller, witness, second, sent).await
}

/// The second person of a command. A retry has the signature of the first time, whose challenge is answered: it changes
/// nothing, gets the first answer, and is no attempt.
async fn signed_by_or_before(
    app: &Arc<App>,
    caller: &Caller,
    witness: &Witness,
    second: Option<StaffId>,
    sent: Sent,
) -> ApiResult<Option<StaffId>> {
    if let (Sent::Again, Some(staff), Some(assertion)) = (sent, second, &witness.passkey)
        && witness.password.is_none()
        && app.store.has_signed(staff, assertion, &credentials::party(app, &caller.own))?
    {
        return Ok(second);
    }
    signed_by(app, caller, witness, second).await
}

/// The second person who was found by the login, once the password or passkey is right.
async fn signed_by(
    app: &Arc<App>,
    caller: &Caller,
    witness: &Witness,
    second: Option<StaffId>,
) -> ApiResult<Option<StaffId>> {
    if Some(verify(app, witness, caller).await?) != second {
        return Err(ApiError::forbidden("the second person is not known"));
    }
    Ok(second)
}

/// Whether a person's password or passkey is right. Checking is slow on purpose and runs on a separate thread; people
/// who are signed in have a queue of their own.
///
/// # Errors
/// When it is not.
pub async fn sign(app: &Arc<App>, caller: &Caller, login: &str, secret: Secret) -> Result<StaffId, SignInRefused> {
    let Sender::Staff(staff) = caller.sender else { return Err(SignInRefused::Wrong) };
    let login = login.to_owned();
    app.check(Waits::SignedIn(staff), move |store| store.verify_with(&login, &secret, staff, clock::now())).await
}

/// Submits a command. Past rounds that it names may have been put back for another command while the second person
/// signed. They are therefore recalled again, and once more if the floor did not find one.
async fn submit_named(
    app: &Arc<App>,
    sender: Sender,
    number: u64,
    body: floor::Body,
    named: &[floor::RoundId],
) -> ApiResult<u64> {
    if named.is_empty() {
        return app.submit(sender, number, body).await;
    }
    past::recall(app, named.to_vec()).await?;
    match app.submit(sender, number, body.clone()).await {
        Err(error) if error.error.code == floor::Code::NotFound.as_str() => {
            past::recall(app, named.to_vec()).await?;
            app.submit(sender, number, body).await
        }
        done => done,
    }
}

/// Answers a command.
///
/// # Errors
/// Why it was not done.
pub async fn run<R: Request>(
    State(app): State<Arc<App>>,
    Path(path): Path<HashMap<String, String>>,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> ApiResult<Json<Accepted>> {
    let caller = caller.asks(&body);
    let number = number(&headers)?;
    let request: R = read(&body)?;
    let second = request.witness().cloned();
    let done = carry_out(&app, &path, &caller, number, request, &body).await;
    or_spend(done, &app, &caller, second.as_ref()).await
}

async fn carry_out<R: Request>(
    app: &Arc<App>,
    path: &HashMap<String, String>,
    caller: &Caller,
    number: u64,
    request: R,
    body: &Bytes,
) -> ApiResult<Json<Accepted>> {
    // A past round that is named comes back first, so that the floor has it when it decides (D24).
    let named = past::named(path, body);
    past::recall(app, named.clone()).await?;
    let second = request.witness().cloned();
    let witness = candidate(app, second.as_ref())?;
    let sender = caller.sender;
    let (body, typed) = {
        let typed = RefCell::new(None);
        let (at, typed_in) = (clock::now(), &typed);
        let body = app
            .read(|floor: &Floor| request.body(&Context { floor, sender, witness, at, path, app, typed: typed_in }))?;
        (body, typed.into_inner())
    };
    if let Some(second) = second {
        let sent = may_but_for_second(app, sender, number, &body, witness)?;
        signed_by_or_before(app, caller, &second, witness, sent).await?;
    }
    let guess = sealed::Guess::of(app, caller, &body).await?;
    // Two that are made at once are told apart by who came first.
    let makes = matches!(body, Body::AddTable { .. } | Body::EnrolTerminal { .. } | Body::AddDevice { .. });
    let _one_at_a_time = if makes { Some(app.hiring.lock().await) } else { None };
    let making = app.read(|floor| Making::of(floor, &body));
    let accepted = match typed.zip(place_of(app, sender)) {
        Some((digits, place)) => {
            let taking = Arc::clone(app);
            let take = async move { taking.submit(sender, number, body).await };
            tries::check(app, place, digits, take).await
        }
        None => submit_named(app, sender, number, body, &named).await,
    };
    if let Some(guess) = guess {
        guess.ended(app, &accepted).await;
    }
    let accepted = accepted?;
    if !named.is_empty() {
        past::put_back(app, &named).await;
    }
    Ok(Json(match making {
        Some(making) => app.read(|floor| making.made(floor, accepted)),
        None => Accepted::at(accepted),
    }))
}

/// The place where a ticket number is tried: a validator's wrong numbers count at the terminal that it serves (S16).
fn place_of(app: &App, sender: Sender) -> Option<TicketPlace> {
    match sender {
        Sender::Terminal(id) => Some(TicketPlace::Terminal(id)),
        Sender::Staff(id) => Some(TicketPlace::Staff(id)),
        Sender::Device(id) => app.read(|floor| match floor.device(id)?.place() {
            DevicePlace::Terminal(terminal) => Some(TicketPlace::Terminal(terminal)),
            _ => None,
        }),
        Sender::System => None,
    }
}
