//! The enrolled hosts of a floor on a cluster. Every change is recorded before it is carried out (D27).

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use cluster::HostId;
use floor::Body;
use rulebook::Hash;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::caller::Caller;
use crate::api::command::{self, Witness};
use crate::api::credentials;
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
    /// Whether no host of this name was in the floor before. Otherwise the key of that one is replaced.
    #[serde(default)]
    pub new: bool,
    /// The second person (D27): an administrator, or a Pit Manager or above.
    #[serde(default)]
    pub witness: Option<Witness>,
}

impl From<EnrolRefused> for ApiError {
    fn from(refused: EnrolRefused) -> ApiError {
        let words = refused.to_string();
        let conflict = |code, zh| ApiError::new(StatusCode::CONFLICT, code, "the cluster", words, zh);
        match refused {
            EnrolRefused::Store(error) => error.into(),
            EnrolRefused::Unknown => ApiError::not_found("such host"),
            EnrolRefused::Itself => conflict("own_host", "主机不能撤销自身或更换自身密钥，请通过其他主机操作"),
            EnrolRefused::Unheard => conflict("unknown_host", "场内没有此名称的主机；如为新主机，请注明"),
            EnrolRefused::Known => conflict("known_host", "此名称的主机已在场内，其密钥将被更换"),
        }
    }
}

/// Enrols a host, or gives the one of that name another key: by two people.
///
/// # Errors
/// When those who ask are not an administrator and a second person, the key is none, or the name is not as stated.
pub async fn enrol(
    State(app): State<Arc<App>>,
    Path((_, host)): Path<(String, String)>,
    caller: Caller,
    body: Bytes,
) -> ApiResult<StatusCode> {
    let by = administrator(&app, &caller)?;
    let caller = caller.asks(&body);
    let EnrolHost { key, new, witness } = command::read(&body)?;
    let key: HostId = key.trim().parse().map_err(|error: &str| ApiError::invalid("key", error))?;
    if !key.is_sound() {
        return Err(ApiError::invalid("key", "anyone could sign with this key"));
    }
    if !crate::config::is_name(&host) {
        return Err(ApiError::invalid("host", "lower-case letters, digits and hyphens, at most 64"));
    }
    let replaces = app.store.may_enrol_host(&host, new)?;
    let second = command::candidate(&app, witness.as_ref())?;
    let change = Body::ChangeHostKey { host: host.clone(), key: Some(Hash(key.0)), replaces, by, second };
    let permitted = credentials::may(&app, &change, witness.is_some() && second.is_none());
    command::or_spend(permitted, &app, &caller, witness.as_ref()).await?;
    if let Some(witness) = &witness
        && Some(command::verify(&app, witness, &caller).await?) != second
    {
        return Err(ApiError::forbidden("the second person is not known"));
    }
    credentials::own(&app, change).await?;
    app.change_credentials(move |store| store.enrol_host(&host, key, clock::now())).await??;
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
    let by = administrator(&app, &caller)?;
    app.store.may_revoke_host(&host)?;
    let change = Body::ChangeHostKey { host: host.clone(), key: None, replaces: true, by, second: None };
    credentials::own(&app, change).await?;
    app.change_credentials(move |store| store.revoke_host(&host, clock::now())).await??;
    Ok(StatusCode::NO_CONTENT)
}
