//! The reports a casino files, from the records of the floor: as data, or as the paper itself.

use std::sync::Arc;
use std::time::Duration;

use crate::witnesses::day_head;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use floor::{Post, RoundId, ShiftId, StaffId, TableId, TerminalId};
use journal::{RealDisk, Scan};
use paper::Paper;
use records::report::{DayAnchor, NoReport, Proof, ShiftRow, UpTo};
use records::{Kind, PayTableRecord, Query};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::api::beside::{Asked, REPORTS};
use crate::api::caller::{self, Caller};
use crate::api::papers::{Form, Sheet};
use crate::api::records::{RoundBody, beyond_all, round_body};
use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};

/// The most gaming days of one report here; the command line has no such limit.
const MOST_DAYS: i64 = 92;
const DAY: i64 = 86_400_000;
/// How long a report waits for records that are behind.
const CATCH_UP: Duration = Duration::from_secs(1);

/// The form of the answer.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FormAsked {
    /// `json`, or a paper: `html`, `pdf`, `csv` or `text`.
    #[serde(default)]
    #[param(nullable = false, inline, required = false)]
    pub format: Form,
}

/// Which day.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DayAsked {
    /// The gaming day, as `2026-03-29`; that of the last record by default.
    #[param(nullable = false)]
    pub day: Option<String>,
    /// `json`, or a paper: `html`, `pdf`, `csv` or `text`.
    #[serde(default)]
    #[param(nullable = false, inline, required = false)]
    pub format: Form,
}

/// Which days.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DaysAsked {
    /// The first gaming day, as `2026-03-01`.
    #[param(nullable = false)]
    pub from: Option<String>,
    /// The last gaming day, itself included; without it, that of the last record if `from` is given. At most 92 days.
    #[param(nullable = false)]
    pub to: Option<String>,
    /// `json`, or a paper: `html`, `pdf`, `csv` or `text`.
    #[serde(default)]
    #[param(nullable = false, inline, required = false)]
    pub format: Form,
}

/// Which events of which days.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventsOfDays {
    /// Of that kind alone, such as `fault`, `configuration` or `access`.
    #[param(nullable = false)]
    pub kind: Option<String>,
    /// The first gaming day, as `2026-03-01`.
    #[param(nullable = false)]
    pub from: Option<String>,
    /// The last gaming day, itself included. At most 92 days.
    #[param(nullable = false)]
    pub to: Option<String>,
    /// `json`, or a paper: `html`, `pdf`, `csv` or `text`.
    #[serde(default)]
    #[param(nullable = false, inline, required = false)]
    pub format: Form,
}

/// A round for a dispute: every bet, the result, the pay tables with their hash, every event, and the chain proof.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RoundReportBody {
    /// Up to where it is true.
    pub up_to: UpTo,
    /// The round, whole.
    pub round: RoundBody,
    /// Its first record.
    pub first_record: u64,
    /// Its last record.
    pub last_record: u64,
    /// The pay tables of its layouts.
    pub pay_tables: Vec<PayTableRecord>,
    /// Where it stands in the journal; `null` if the journal could not be read.
    pub proof: Option<Proof>,
}

/// Why there is no report.
enum Failed {
    NoReport(NoReport),
    Answer(ApiError),
}

impl From<NoReport> for Failed {
    fn from(error: NoReport) -> Failed {
        Failed::NoReport(error)
    }
}

impl From<records::Error> for Failed {
    fn from(error: records::Error) -> Failed {
        Failed::NoReport(error.into())
    }
}

impl From<ApiError> for Failed {
    fn from(error: ApiError) -> Failed {
        Failed::Answer(error)
    }
}

fn answer(failed: Failed, field: &str) -> ApiError {
    let error = match failed {
        Failed::Answer(error) => return error,
        Failed::NoReport(error) => error,
    };
    match &error {
        NoReport::Unknown { code, .. } => {
            ApiError::new(StatusCode::NOT_FOUND, code, "the records", error.to_string(), "记录中没有所请求的内容")
        }
        NoReport::Records(records::Error::Day(_)) => ApiError::invalid(field, error),
        NoReport::Records(error) if error.is_beyond_all() => beyond_all(),
        NoReport::Records(_) => {
            tracing::warn!(%error, "the records could not be read for a report");
            ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "records",
                "the read model",
                "the records are being made; try again soon",
                "记录正在整理，请稍后再试",
            )
            .retry_after(1)
        }
    }
}

/// Writes a report on a separate thread; `field` is the one to name if a day is malformed.
async fn write<T: Serialize>(
    app: &Arc<App>,
    form: Form,
    field: &'static str,
    make: impl FnOnce(&App, &Query<'_>) -> Result<(String, T, Paper), Failed> + Send + 'static,
) -> ApiResult<Sheet> {
    let host = Arc::clone(app);
    let written = REPORTS.work(move || {
        let reader = host.records.reader().map_err(|error| answer(error.into(), field))?;
        let (name, report, mut paper) = make(&host, &reader.query()).map_err(|failed| answer(failed, field))?;
        // Paper leaves the house: it says for itself that its money was none (S21).
        if host.is_demonstration() {
            paper.stamp = ["DEMONSTRATION", paper.stamp.as_str()].join(" ").trim_end().to_owned();
        }
        Sheet::of(form, &name, &report, || paper)
    });
    written.await?
}

/// Reports of what the house won, rounds and events: the pit from the supervisor up, the auditor and the administrator.
///
/// # Errors
/// When who asks may not.
pub fn may_read_house(app: &App, caller: &Caller) -> ApiResult<()> {
    may(app, caller, |post| !matches!(post, Post::Pit(rulebook::Rank::Dealer) | Post::Cashier | Post::Technician))
}

/// Reports of tickets, shifts and terminals: the cage too.
fn may_read_cage(app: &App, caller: &Caller) -> ApiResult<()> {
    may(app, caller, |post| !matches!(post, Post::Pit(rulebook::Rank::Dealer) | Post::Technician))
}

/// Whether what open drawers should hold is kept from a person: from everyone but an auditor, because anyone who serves a floor
/// may count a drawer, and a cashier may act in another post (D27).
fn blind(app: &App, caller: &Caller) -> ApiResult<bool> {
    let staff = caller.staff()?;
    Ok(app.read(|floor| !caller::serves(floor, staff, |post| post == Post::Auditor) || floor.counts_blind(staff)))
}

/// Whether a shift's drawer is still to be counted: until then its expected amount is not shown (D27).
fn uncounted(app: &App, row: &ShiftRow) -> bool {
    let shift = u32::try_from(row.shift).map(ShiftId);
    row.closed.is_none() && shift.is_ok_and(|shift| app.read(|floor| floor.counted(shift).is_none()))
}

fn may(app: &App, caller: &Caller, fits: impl Fn(Post) -> bool) -> ApiResult<()> {
    let staff = caller.staff()?;
    if app.read(|floor| caller::serves(floor, staff, fits)) {
        Ok(())
    } else {
        Err(ApiError::forbidden("this report is not for your post"))
    }
}

/// The durable records at the time of the request. A report waits a moment for the read model to have them, and says so
/// if it does not.
fn journal_end(app: &App) -> Option<u64> {
    let end = app.read(floor::Floor::sequence);
    let _ = app.records.wait_for(end, CATCH_UP);
    Some(end)
}

/// The journal, read beside its writer. A floor whose old segments are elsewhere has reports without proof.
fn scan(app: &App) -> Option<Scan<RealDisk>> {
    Scan::new(vec![RealDisk::to_read(&app.config.data)]).ok()
}

/// The last day of a report, if only the first was named; and no more days than a request may cover.
fn days(query: &Query<'_>, from: Option<&str>, to: Option<String>) -> Result<Option<String>, Failed> {
    let last = match (from, to) {
        (Some(_), None) => Some(query.gaming_day(query.at()?)?),
        (_, to) => to,
    };
    let period = query.period(from, last.as_deref())?;
    if period.to.0.0 - period.from.0.0 > MOST_DAYS * DAY {
        let why = format!("at most {MOST_DAYS} days in one report; `croupier report` has no limit");
        return Err(ApiError::invalid("from", why).into());
    }
    Ok(last)
}

/// The gaming day by table and game, with its checkpoint.
///
/// # Errors
/// When there is no such day, or who asks may not.
pub async fn day(State(app): State<Arc<App>>, caller: Caller, Asked(asked): Asked<DayAsked>) -> ApiResult<Sheet> {
    may_read_house(&app, &caller)?;
    write(&app, asked.format, "day", move |app, query| {
        let end = journal_end(app);
        let mut report = query.day_report(asked.day.as_deref(), end)?;
        report.anchor = scan(app).and_then(|mut scan| DayAnchor::read(&mut scan, report.last_record).ok());
        report.head = day_head(&app.config.data, &report.period.first).ok().flatten();
        let paper = report.paper();
        Ok((format!("day-{}", report.period.first), report, paper))
    })
    .await
}

/// One table by hour, or by day if more than three.
///
/// # Errors
/// When there is no such table or day, or who asks may not.
pub async fn table(
    State(app): State<Arc<App>>,
    Path((_, table)): Path<(String, u16)>,
    caller: Caller,
    Asked(asked): Asked<DaysAsked>,
) -> ApiResult<Sheet> {
    may_read_house(&app, &caller)?;
    write(&app, asked.format, "from or to", move |app, query| {
        let end = journal_end(app);
        let last = days(query, asked.from.as_deref(), asked.to)?;
        let report = query.table_report(TableId(table), asked.from.as_deref(), last.as_deref(), end)?;
        let paper = report.paper();
        Ok((format!("table-{table}-{}", report.period.first), report, paper))
    })
    .await
}

/// A terminal's meters with the identity they must satisfy, its last rounds and money.
///
/// # Errors
/// When there is no such terminal, or who asks may not.
pub async fn terminal(
    State(app): State<Arc<App>>,
    Path((_, terminal)): Path<(String, u32)>,
    caller: Caller,
    Asked(asked): Asked<FormAsked>,
) -> ApiResult<Sheet> {
    may_read_cage(&app, &caller)?;
    write(&app, asked.format, "terminal", move |app, query| {
        let end = journal_end(app);
        let report = query.terminal_report(TerminalId(terminal), end)?;
        let paper = report.paper();
        Ok((format!("terminal-{terminal}"), report, paper))
    })
    .await
}

/// All shifts at the cage.
///
/// # Errors
/// When who asks may not.
pub async fn shifts(State(app): State<Arc<App>>, caller: Caller, Asked(asked): Asked<FormAsked>) -> ApiResult<Sheet> {
    may_read_cage(&app, &caller)?;
    let blind = blind(&app, &caller)?;
    write(&app, asked.format, "shift", move |app, query| {
        let end = journal_end(app);
        let mut report = query.shifts_report(end)?;
        report.shifts.retain(|row| !(blind && uncounted(app, row)));
        let paper = report.paper();
        Ok(("shifts".to_owned(), report, paper))
    })
    .await
}

/// A cashier's handover.
///
/// # Errors
/// When there is no such shift, or who asks may not.
pub async fn shift(
    State(app): State<Arc<App>>,
    Path((_, shift)): Path<(String, u32)>,
    caller: Caller,
    Asked(asked): Asked<FormAsked>,
) -> ApiResult<Sheet> {
    may_read_cage(&app, &caller)?;
    let blind = blind(&app, &caller)?;
    write(&app, asked.format, "shift", move |app, query| {
        let end = journal_end(app);
        let report = query.shift_report(ShiftId(shift), end)?;
        if blind && uncounted(app, &report.shift) {
            return Err(ApiError::forbidden("count the drawer first: what it should hold is shown afterwards").into());
        }
        let paper = report.paper();
        Ok((format!("shift-{shift}"), report, paper))
    })
    .await
}

/// The slips of a day: floats, counts, fills, credits, closes and handovers of drawers, and those of live tables.
///
/// # Errors
/// When there is no such day, or who asks may not.
pub async fn slips(State(app): State<Arc<App>>, caller: Caller, Asked(asked): Asked<DayAsked>) -> ApiResult<Sheet> {
    may_read_cage(&app, &caller)?;
    let cage = may_read_house(&app, &caller).is_err();
    write(&app, asked.format, "day", move |app, query| {
        let end = journal_end(app);
        let mut report = query.slips_report(asked.day.as_deref(), end)?;
        report.slips.retain(|slip| !cage || slip.shift.is_some());
        let paper = report.paper();
        Ok((format!("slips-{}", report.period.first), report, paper))
    })
    .await
}

/// One slip, to be printed again.
///
/// # Errors
/// When there is no such slip, or who asks may not.
pub async fn slip(
    State(app): State<Arc<App>>,
    Path((_, number)): Path<(String, u64)>,
    caller: Caller,
    Asked(asked): Asked<FormAsked>,
) -> ApiResult<Sheet> {
    may_read_cage(&app, &caller)?;
    let cage = may_read_house(&app, &caller).is_err();
    write(&app, asked.format, "slip", move |app, query| {
        let end = journal_end(app);
        let report = query.slip_report(number, end)?;
        if cage && report.slip.shift.is_none() {
            return Err(ApiError::forbidden("this slip is the pit's").into());
        }
        let paper = report.paper();
        Ok((format!("slip-{number}"), report, paper))
    })
    .await
}

/// Tickets issued, redeemed and expired on a day, and those outstanding.
///
/// # Errors
/// When there is no such day, or who asks may not.
pub async fn tickets(State(app): State<Arc<App>>, caller: Caller, Asked(asked): Asked<DayAsked>) -> ApiResult<Sheet> {
    may_read_cage(&app, &caller)?;
    let staff = caller.staff()?;
    write(&app, asked.format, "day", move |app, query| {
        let end = journal_end(app);
        let report = query.tickets_report(asked.day.as_deref(), end)?;
        // The sales and payments in the day of an open drawer add up to its expected amount (D27).
        if app.read(|floor| floor.counts_blind(staff)) && report.period.to.0 > clock::now() {
            return Err(
                ApiError::forbidden("count the drawer first: the tickets of the day are shown afterwards").into()
            );
        }
        let paper = report.paper();
        Ok((format!("tickets-{}", report.period.first), report, paper))
    })
    .await
}

/// Who moved what alone, what the audit of people found, tickets in doubt, and large cash (D27).
///
/// # Errors
/// When there is no such day, or who asks may not.
pub async fn people(State(app): State<Arc<App>>, caller: Caller, Asked(asked): Asked<DayAsked>) -> ApiResult<Sheet> {
    may_read_house(&app, &caller)?;
    let blind = blind(&app, &caller)?;
    write(&app, asked.format, "day", move |app, query| {
        let end = journal_end(app);
        let mut report = query.people_report(asked.day.as_deref(), end)?;
        // What a cashier moved adds up to what an open drawer should hold (D27).
        if blind && report.period.to.0 > clock::now() {
            report.moved.retain(|row| !app.read(|floor| floor.counts_blind(StaffId(row.staff))));
        }
        let paper = report.paper();
        Ok((format!("people-{}", report.period.first), report, paper))
    })
    .await
}

/// Void rounds and corrections, with who, witness, why and the paragraph.
///
/// # Errors
/// When there is no such day, or who asks may not.
pub async fn voids(State(app): State<Arc<App>>, caller: Caller, Asked(asked): Asked<DaysAsked>) -> ApiResult<Sheet> {
    may_read_house(&app, &caller)?;
    write(&app, asked.format, "from or to", move |app, query| {
        let end = journal_end(app);
        let last = days(query, asked.from.as_deref(), asked.to)?;
        let report = query.voids_report(asked.from.as_deref(), last.as_deref(), end)?;
        let paper = report.paper();
        Ok((format!("voids-{}", report.period.first), report, paper))
    })
    .await
}

/// Significant events.
///
/// # Errors
/// When there is no such day or kind, or who asks may not.
pub async fn events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Asked(asked): Asked<EventsOfDays>,
) -> ApiResult<Sheet> {
    may_read_house(&app, &caller)?;
    let known = || Kind::ALL.map(Kind::as_str).join(", ");
    let kind = match asked.kind.as_deref() {
        None => None,
        Some(text) => {
            let none = || ApiError::invalid("kind", format!("'{text}' is unknown; choose one of {}", known()));
            Some(Kind::parse(text).ok_or_else(none)?)
        }
    };
    write(&app, asked.format, "from or to", move |app, query| {
        let end = journal_end(app);
        let last = days(query, asked.from.as_deref(), asked.to)?;
        let report = query.events_report(kind, asked.from.as_deref(), last.as_deref(), end)?;
        let paper = report.paper();
        Ok((format!("events-{}", report.period.first), report, paper))
    })
    .await
}

/// One round for a dispute, with the chain proof.
///
/// # Errors
/// When there is no such round, or who asks may not.
pub async fn round(
    State(app): State<Arc<App>>,
    Path((_, round)): Path<(String, u64)>,
    caller: Caller,
    Asked(asked): Asked<FormAsked>,
) -> ApiResult<Sheet> {
    may_read_house(&app, &caller)?;
    write(&app, asked.format, "round", move |app, query| {
        let end = journal_end(app);
        let mut report = query.round_report(RoundId(round), end)?;
        let (first, last) = (report.first_record, report.last_record);
        report.proof = scan(app).and_then(|mut scan| Proof::read(&mut scan, first, last).ok());
        let paper = report.paper();
        let body = RoundReportBody {
            up_to: report.up_to.clone(),
            round: round_body(app, &report.record),
            first_record: first,
            last_record: last,
            pay_tables: report.pay_tables.clone(),
            proof: report.proof.clone(),
        };
        Ok((format!("round-{round}"), body, paper))
    })
    .await
}
