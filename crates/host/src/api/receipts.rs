//! Receipts: what a player can have proved about bets of the visit, and the head of the log for those who watch it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Json};
use floor::{Event, Floor, RoundId, TerminalId};
use qrcodegen::{QrCode, QrCodeEcc, QrSegment};
use receipts::heads::Head;
use receipts::{Chosen, Prover};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tlog::ProofFile;
use tlog::compact::Slip;
use tlog::tile;
use utoipa::ToSchema;

use crate::api::caller::{Caller, serves};
use crate::api::records::{Shown, ask, may_recall};
use crate::app::App;
use crate::config::LogAccess;
use crate::door::address::Peer;
use crate::error::{ApiError, ApiResult};
use crate::witnesses::policy_text;

/// How long a head is waited for that covers what was asked for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Rounds of a visit for which there are receipts.
const ROUNDS: u32 = 10;
/// A settlement is looked for among so many records after the round began.
const FAR: u64 = 2_000_000;

/// The receipt of a terminal's bets of one round.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReceiptBody {
    /// Which round.
    pub round: u64,
    /// The digits of the small code: which record, and the right to fetch its receipt.
    pub slip: String,
    /// What the small code says: where the receipt is fetched and verified.
    pub address: String,
    /// The small code, as the path of an SVG drawing of `code_size` by `code_size` squares.
    pub code: String,
    /// How many squares the code has at each side.
    pub code_size: i32,
    /// The whole receipt: a .tlog-proof file with a proof for each bet and for what they returned.
    pub proof: String,
    /// How many records the log had when the head of the receipt was signed.
    pub size: u64,
}

fn none() -> ApiError {
    let en = "there is no log of this floor here, or no head of it is signed now; play is not affected";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "log", "the log", en, "此处暂无签名日志").retry_after(5)
}

fn text(kind: &'static str, body: String) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], body).into_response()
}

/// Does what reads files, on a thread that may wait.
async fn beside<T: Send + 'static>(
    app: &Arc<App>,
    work: impl FnOnce(&App) -> ApiResult<T> + Send + 'static,
) -> ApiResult<T> {
    let app = Arc::clone(app);
    tokio::task::spawn_blocking(move || work(&app)).await.map_err(ApiError::internal)?
}

fn prover(app: &App) -> ApiResult<Prover> {
    // The keys of a new floor are made with its first head.
    signed(app, 1)?;
    Prover::open(&app.config.data, &[]).map_err(ApiError::internal)?.ok_or_else(none)
}

/// A head that covers so many records, signed on demand.
fn signed(app: &App, size: u64) -> ApiResult<Arc<Head>> {
    app.log.as_ref().and_then(|log| log.head_of(size, PATIENCE)).ok_or_else(none)
}

/// A head that covers so many records, signed on demand; where the log has witnesses, one that enough have cosigned. A
/// receipt waits for them.
fn head(app: &App, size: u64) -> ApiResult<Arc<Head>> {
    let until = Instant::now() + PATIENCE;
    let signed = signed(app, size)?;
    if app.config.witnesses.is_empty() {
        return Ok(signed);
    }
    let left = until.saturating_duration_since(Instant::now());
    // This is a thread that may wait.
    tokio::runtime::Handle::current().block_on(app.witnesses.head_of(size, left)).ok_or_else(unwitnessed)
}

fn unwitnessed() -> ApiError {
    let en = "too few witnesses have cosigned the log yet: try again in a minute; play is not affected";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "witnesses", "the log", en, "见证方尚未签名，请稍后再试")
        .retry_after(10)
}

/// Refuses who may not read the log itself. Receipts are given to everyone who has the right to one.
async fn may_read_log(app: &App, caller: Option<Caller>) -> ApiResult<()> {
    let allowed = match (app.config.log_access, caller) {
        (LogAccess::Public, _) => true,
        (LogAccess::Regulator, Some(caller)) => {
            let reads = |staff| app.read(|floor| serves(floor, staff, |post| post == floor::Post::Auditor));
            caller.staff().is_ok_and(reads)
        }
        (LogAccess::Regulator, None) => return Err(ApiError::unauthenticated()),
        (LogAccess::Witnesses, _) => false,
    };
    let refused = || ApiError::forbidden("the log of this floor is not shown to you");
    allowed.then_some(()).ok_or_else(refused)
}

/// The newest signed head.
///
/// # Errors
/// When there is none.
pub async fn checkpoint(State(app): State<Arc<App>>, caller: Option<Caller>) -> ApiResult<Response> {
    may_read_log(&app, caller).await?;
    let head = beside(&app, |app| head(app, 1)).await?;
    Ok(text("text/plain; charset=utf-8", head.note.to_text()))
}

/// Whom a receipt of this floor has to be verified by.
///
/// # Errors
/// When the floor has no log.
pub async fn policy(State(app): State<Arc<App>>) -> ApiResult<Response> {
    let policy = beside(&app, |app| {
        prover(app)?;
        policy_text(&app.config).map_err(ApiError::internal)
    });
    Ok(text("text/plain; charset=utf-8", policy.await?))
}

/// A tile of the log, `tile/LEVEL/…` or `tile/entries/…`, of the newest head that is shown.
///
/// # Errors
/// When there is no such tile, or the log is not shown to who asks.
pub async fn tile(
    State(app): State<Arc<App>>,
    Path(path): Path<String>,
    caller: Option<Caller>,
) -> ApiResult<Response> {
    may_read_log(&app, caller).await?;
    let none = || ApiError::not_found("tile");
    let (level, index, width) = tile::parse(&path).ok_or_else(none)?;
    let bytes = beside(&app, move |app| {
        let (head, prover) = (head(app, 1)?, prover(app)?);
        let hashes = head.checkpoint.size.checked_shr(8 * u32::from(level.unwrap_or(0))).unwrap_or(0);
        let first = index.checked_mul(tile::WIDTH).ok_or_else(none)?;
        if first.checked_add(width).is_none_or(|end| end > hashes) {
            return Err(none());
        }
        match level {
            Some(level) => prover.levels().hashes(level, first, width).map(|hashes| hashes.concat()),
            None => prover.entry_tile(first, width),
        }
        .map_err(ApiError::internal)
    });
    let mut response = bytes.await?.into_response();
    let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
    if app.config.log_access == LogAccess::Public {
        response.headers_mut().insert(header::CACHE_CONTROL, kept);
    }
    Ok(response)
}

/// The receipt that a slip gives the right to: no account is needed, the salt is.
///
/// # Errors
/// When the slip is not one of this log.
pub async fn by_slip(State(app): State<Arc<App>>, Path(digits): Path<String>) -> ApiResult<Response> {
    let slip = Slip::parse(&digits).map_err(|error| ApiError::invalid("slip", error))?;
    let proof = beside(&app, move |app| receipt_of(app, slip)).await?;
    let name = HeaderValue::from_static("attachment; filename=\"receipt.tlog-proof\"");
    Ok(([(header::CONTENT_DISPOSITION, name)], text("text/plain; charset=utf-8", proof)).into_response())
}

/// Whose bet of which round a record is; nothing where it is no bet.
type BetOf = Option<(TerminalId, RoundId)>;

/// The record of a slip, proved, and whose bet of which round it is.
fn record_of(app: &App, prover: &Prover, slip: Slip) -> ApiResult<(Vec<ProofFile>, BetOf)> {
    let unknown = || ApiError::not_found("record with this slip");
    // The same answer for a record that is not there and for one whose salt is another.
    if !prover.knows(&slip) || slip.index >= app.read(Floor::sequence) {
        return Err(unknown());
    }
    let sequence = slip.index + 1;
    let covering = head(app, sequence)?;
    let mut bet = None;
    let one = prover.choose(sequence, &covering, |at, record| {
        if at > sequence {
            return Chosen::End;
        }
        if let Event::BetsChanged { terminal, round: Some(round), .. } = record.event {
            bet = Some((terminal, round));
        }
        Chosen::Whole
    });
    Ok((one.map_err(ApiError::internal)?, bet))
}

fn receipt_of(app: &App, slip: Slip) -> ApiResult<String> {
    let prover = prover(app)?;
    let (one, bet) = record_of(app, &prover, slip)?;
    let Some((terminal, round)) = bet else {
        return Ok(one.iter().map(ProofFile::to_text).collect());
    };
    let reader = app.records.reader().map_err(ApiError::internal)?;
    let first = reader.query().first_record(round).map_err(ApiError::internal)?;
    let proofs = of_round(app, &prover, terminal, round, first.unwrap_or(slip.index + 1))?;
    Ok(proofs.iter().map(ProofFile::to_text).collect())
}

/// A terminal's bets of a round and what they returned, each opened by itself.
fn of_round(app: &App, prover: &Prover, whose: TerminalId, which: RoundId, first: u64) -> ApiResult<Vec<ProofFile>> {
    let head = head(app, app.read(Floor::sequence))?;
    let mut over = false;
    let proofs = prover.choose(first, &head, |sequence, record| {
        if over || sequence > first.saturating_add(FAR) {
            return Chosen::End;
        }
        match &record.event {
            Event::BetsChanged { terminal, round, .. } if *terminal == whose && *round == Some(which) => Chosen::Whole,
            Event::RoundSettled { round, part, parts, .. } if *round == which => {
                over = part == parts;
                Chosen::For(whose.0)
            }
            Event::RoundVoided { round, .. } if *round == which => {
                over = true;
                Chosen::Whole
            }
            _ => Chosen::Nothing,
        }
    });
    proofs.map_err(ApiError::internal)
}

/// The receipt of a round of a terminal's own visit.
///
/// # Errors
/// When who asks may not, or the terminal had no bets in it.
pub async fn of_visit(
    State(app): State<Arc<App>>,
    Path((_, terminal, round)): Path<(String, u32, u64)>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    caller: Caller,
) -> ApiResult<Json<ReceiptBody>> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let page = format!("{}://{host}/verify#", if peer.secure { "https" } else { "http" });
    let (terminal, which) = (TerminalId(terminal), RoundId(round));
    let shown = may_recall(&app, &caller, terminal)?;
    let first = ask(&app, move |_, query| {
        let had_bets = match shown {
            Shown::All => query.player_round(which, terminal)?.is_some(),
            Shown::Visit(visit) => {
                let rounds = query.visit_rounds(terminal, visit, ROUNDS)?;
                rounds.iter().any(|found| found.round.round == which)
            }
            Shown::Nothing => false,
        };
        if had_bets { query.first_record(which) } else { Ok(None) }
    });
    let first = first.await?.ok_or_else(|| ApiError::not_found("round of this visit"))?;
    let body = beside(&app, move |app| {
        let prover = prover(app)?;
        let proofs = of_round(app, &prover, terminal, which, first)?;
        // The last proof may be of the settlement: the right to a receipt is a bet's.
        let bet = proofs.iter().rev().find(|proof| is_bet(proof)).ok_or_else(|| ApiError::not_found("bet"))?;
        let slip = prover.slip(bet.index).to_digits();
        let size = tlog::Checkpoint::parse(&bet.note.text).map_err(ApiError::internal)?.size;
        let proof = proofs.iter().map(ProofFile::to_text).collect();
        let (code, code_size) = drawn(&page, &slip)?;
        Ok(ReceiptBody { round, address: format!("{page}{slip}"), slip, code, code_size, proof, size })
    });
    body.await.map(Json)
}

/// The small code: the address as text and the digits as digits, which take the least room.
fn drawn(page: &str, digits: &str) -> ApiResult<(String, i32)> {
    let segments = [QrSegment::make_bytes(page.as_bytes()), QrSegment::make_numeric(digits)];
    let code = QrCode::encode_segments(&segments, QrCodeEcc::Medium).map_err(ApiError::internal)?;
    let size = code.size();
    let mut path = String::new();
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            let _ = write!(path, "M{x} {y}h1v1h-1z");
        }
    }
    Ok((path, size))
}

/// Whether a proof shows a whole record that is a bet.
fn is_bet(proof: &ProofFile) -> bool {
    let opening = proof.extra.as_deref().and_then(|extra| tlog::Opening::parse(extra).ok());
    opening.is_some_and(|opening| {
        let (record, item) = receipts::leaf::shown(&opening);
        let record = engine::decode(opening.time, record);
        item.is_none() && record.is_ok_and(|record| matches!(record.event, Event::BetsChanged { .. }))
    })
}

/// What the house calls the spots of a bet's terminal. A receipt proves their numbers only.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WordsBody {
    spots: BTreeMap<usize, String>,
}

/// The names of the spots of a slip's bet, as the house has them now.
///
/// # Errors
/// When the slip is not one of this log.
pub async fn words(State(app): State<Arc<App>>, Path(digits): Path<String>) -> ApiResult<Json<WordsBody>> {
    let slip = Slip::parse(&digits).map_err(|error| ApiError::invalid("slip", error))?;
    let body = beside(&app, move |app| {
        let (_, bet) = record_of(app, &prover(app)?, slip)?;
        let Some((terminal, _)) = bet else { return Ok(WordsBody::default()) };
        let spots = app.read(|floor| {
            let layout = floor.terminal(terminal).and_then(|terminal| floor.layout_of(terminal));
            let spots = layout.map_or(&[][..], |layout| layout.table().spots());
            spots.iter().map(|priced| priced.spot.to_string()).enumerate().collect()
        });
        Ok(WordsBody { spots })
    });
    body.await.map(Json)
}

const PAGE: &str = include_str!("../verify/page.html");
const SCRIPT: &str = include_str!("../verify/verify.js");

/// The page that verifies receipts: one file that can be saved. Only here may the camera be used.
pub async fn page(State(app): State<Arc<App>>) -> Response {
    let own = beside(&app, |app| Ok(own_policy(app))).await.ok().flatten();
    let kept = serde_json::json!({ "policy": own }).to_string().replace('<', "\\u003c");
    let body = PAGE.replace("{{kept}}", &kept).replace("{{script}}", SCRIPT);
    let script = tlog::to_base64(&Sha256::digest(SCRIPT));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'; img-src blob: data:; \
         media-src blob: mediastream:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut response = Html(body).into_response();
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    let camera = HeaderValue::from_static("camera=(self), microphone=(), geolocation=()");
    headers.insert(HeaderName::from_static("permissions-policy"), camera);
    response
}

/// The policy of this floor's log, for the page that verifies.
fn own_policy(app: &App) -> Option<String> {
    prover(app).ok()?;
    policy_text(&app.config).ok()
}
