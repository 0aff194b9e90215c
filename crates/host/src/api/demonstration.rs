//! What only a demonstration has.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use floor::{Sender, TableId};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::caller::Caller;
use crate::api::command;
use crate::app::App;
use crate::demo::{self, DeviceAct, Doors, Show, Situation};
use crate::devices::Fault;
use crate::error::{ApiError, ApiResult};

/// Whether a machine deals.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Automatic {
    /// Whether it does.
    pub on: bool,
}

/// What the simulated device of a table is to do.
#[derive(Copy, Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceDo {
    /// Tumble the dice or spin the ball.
    Deal,
    /// Take the cover off.
    Uncover,
    /// Put it on.
    Cover,
    /// Show what can go wrong: `fault` says what.
    Fault,
}

/// What the simulated device of a table is to do.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceOrder {
    /// What.
    #[serde(rename = "do")]
    pub what: DeviceDo,
    /// Which fault.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "too_few_tumbles")]
    pub fault: Option<Shown>,
}

/// What goes wrong: at the device, or elsewhere at the table.
#[derive(Copy, Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Shown {
    /// At the device.
    Device(Fault),
    /// Elsewhere.
    Table(Situation),
}

/// The start page of the demonstration: the people to sign in as, and where to play.
///
/// # Errors
/// Where there is none.
pub async fn doors(State(app): State<Arc<App>>) -> ApiResult<Json<Doors>> {
    let demonstration = app.demonstration.as_ref().ok_or_else(|| ApiError::not_found("demonstration here"))?;
    Ok(Json(app.read(|floor| demonstration.doors(floor))))
}

fn pit(caller: &Caller) -> ApiResult<()> {
    match caller.sender {
        Sender::Staff(_) => Ok(()),
        _ => Err(ApiError::forbidden("only staff may do this")),
    }
}

/// Lets a machine deal at a table, or a person.
///
/// # Errors
/// Where there is no demonstration, or it could not be written down.
pub async fn automatic(
    State(app): State<Arc<App>>,
    Path((_, table)): Path<(String, u16)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    pit(&caller)?;
    let Automatic { on } = command::read(&body)?;
    demo::set_automatic(&app, TableId(table), on).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Has the simulated device of a table do something, or shows what can go wrong at the table.
///
/// # Errors
/// Where there is no demonstration, or the floor does not take it now.
pub async fn device(
    State(app): State<Arc<App>>,
    Path((_, table)): Path<(String, u16)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    pit(&caller)?;
    let DeviceOrder { what, fault } = command::read(&body)?;
    let show = match (what, fault) {
        (DeviceDo::Deal, None) => Show::Device(DeviceAct::Deal),
        (DeviceDo::Uncover, None) => Show::Device(DeviceAct::Uncover),
        (DeviceDo::Cover, None) => Show::Device(DeviceAct::Cover),
        (DeviceDo::Fault, Some(Shown::Device(fault))) => Show::Device(DeviceAct::Fault(fault)),
        (DeviceDo::Fault, Some(Shown::Table(situation))) => Show::Situation(situation),
        (DeviceDo::Fault, None) => return Err(ApiError::invalid("fault", "say which")),
        _ => return Err(ApiError::invalid("fault", "goes with \"do\":\"fault\" only")),
    };
    demo::show(&app, TableId(table), show).await?;
    Ok(StatusCode::NO_CONTENT)
}
