//! Which hosts may speak for a floor on a cluster.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use cluster::HostId;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::caller::Caller;
use crate::api::command;
use crate::api::session::administrator;
use crate::app::App;
use crate::clock;
use crate::error::{ApiError, ApiResult};
use crate::store::EnrolRefused;

/// The key of a host that is to be enrolled.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnrolHost {
    /// Its public key, 64 hexadecimal digits, as the host itself has printed it on its own machine.
    #[schema(example = "8139770ea87d175f56a35466c34c7ecccb8d8a91b4ee37a25df60f5b8fc9b394")]
    pub key: String,
}

impl From<EnrolRefused> for ApiError {
    fn from(refused: EnrolRefused) -> ApiError {
        match refused {
            EnrolRefused::Store(error) => error.into(),
            EnrolRefused::Unknown => ApiError::not_found("such host"),
            EnrolRefused::Itself => ApiError::new(
                StatusCode::CONFLICT,
                "own_host",
                "the cluster",
                EnrolRefused::Itself.to_string(),
                "主机不能撤销自身，请通过其他主机操作",
            ),
        }
    }
}

/// Enrols a host, or gives the one of that name another key.
///
/// # Errors
/// When who asks is no administrator, or the key is none.
pub async fn enrol(
    State(app): State<Arc<App>>,
    Path((_, host)): Path<(String, String)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let staff = administrator(&app, &caller)?;
    let EnrolHost { key } = command::read(&body)?;
    let key: HostId = key.trim().parse().map_err(|error: &str| ApiError::invalid("key", error))?;
    if !crate::config::is_name(&host) {
        return Err(ApiError::invalid("host", "lower-case letters, digits and hyphens, at most 64"));
    }
    let name = host.clone();
    app.change_credentials(move |store| store.enrol_host(&name, key, clock::now())).await??;
    app.significant(format!("{} enrolled host {host} with key {key}", app.name_of(staff)), false);
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a host off: from now on nothing it says counts.
///
/// # Errors
/// When who asks is no administrator, or there is no such host.
pub async fn revoke(
    State(app): State<Arc<App>>,
    Path((_, host)): Path<(String, String)>,
    caller: Caller,
) -> ApiResult<StatusCode> {
    let staff = administrator(&app, &caller)?;
    let name = host.clone();
    app.change_credentials(move |store| store.revoke_host(&name, clock::now())).await??;
    app.significant(format!("{} revoked the key of host {host}", app.name_of(staff)), true);
    Ok(StatusCode::NO_CONTENT)
}
