//! The same answer as data, or as a paper.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use paper::{Format, Paper};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};

/// The form an answer can take.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Data for programs.
    #[default]
    Json,
    /// A page that needs nothing else.
    Html,
    /// To print.
    Pdf,
    /// For a spreadsheet.
    Csv,
    /// For a terminal.
    Text,
}

/// A paper needs its own fonts and nothing else: no script, nothing from other servers.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// An answer that is ready to be sent.
pub enum Sheet {
    /// As data, already written.
    Data(Vec<u8>),
    /// As a file: its name, and how it is sent.
    File {
        /// What it is called.
        name: String,
        /// What it is.
        kind: &'static str,
        /// Whether it is shown or kept.
        shown: &'static str,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

impl Sheet {
    /// Makes the answer in a form; the paper is made only if one is wanted.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn of<T: Serialize>(form: Form, name: &str, data: &T, paper: impl FnOnce() -> Paper) -> ApiResult<Sheet> {
        let (format, end, kind, shown) = match form {
            Form::Json => return serde_json::to_vec(data).map(Sheet::Data).map_err(ApiError::internal),
            Form::Html => (Format::Html, "html", "text/html; charset=utf-8", "inline"),
            Form::Pdf => (Format::Pdf, "pdf", "application/pdf", "inline"),
            Form::Csv => (Format::Csv, "csv", "text/csv; charset=utf-8", "attachment"),
            Form::Text => (Format::Text, "txt", "text/plain; charset=utf-8", "inline"),
        };
        let bytes = paper().render(format).map_err(ApiError::internal)?;
        Ok(Sheet::File { name: format!("{name}.{end}"), kind, shown, bytes })
    }
}

impl IntoResponse for Sheet {
    fn into_response(self) -> Response {
        let (name, kind, shown, bytes) = match self {
            Sheet::Data(bytes) => {
                let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
                return (headers, bytes).into_response();
            }
            Sheet::File { name, kind, shown, bytes } => (name, kind, shown, bytes),
        };
        let headers = [
            (header::CONTENT_TYPE, kind.to_owned()),
            (header::CONTENT_DISPOSITION, format!("{shown}; filename=\"{name}\"")),
            (header::CONTENT_SECURITY_POLICY, POLICY.to_owned()),
            // Figures of the current day are outdated in a minute, and the next person to sign in may not be permitted
            // to read them.
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ];
        (headers, bytes).into_response()
    }
}
