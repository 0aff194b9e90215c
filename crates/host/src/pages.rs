//! The pages, inside the program.

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../../web/dist"]
#[allow_missing = true]
struct Pages;

/// Said where the program was built without its pages.
const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Croupier</title>\
    <body style=\"font:18px system-ui;background:#10201b;color:#efe9dc;margin:4rem auto;max-width:40rem\">\
    <h1>Croupier is running</h1><p>This program was built without its pages. <code>make run</code> builds both, or: \
    <code>cd web &amp;&amp; npm install &amp;&amp; npm run build</code>, and build the program again.</p>\
    <p>The interface is described at <a style=\"color:#d9b45b\" href=\"/api/docs\">/api/docs</a>.</p>";

/// A file of the pages, or the page itself for every path that names no file.
pub async fn page(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    if let Some(file) = Pages::get(path).filter(|_| !path.is_empty()) {
        let kind = mime(path);
        // Names of built files carry a hash of their content; they never change.
        let caching = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
            (header::CACHE_CONTROL, HeaderValue::from_static(caching)),
        ];
        return (headers, file.data).into_response();
    }
    if path.starts_with("assets/") || path.starts_with("api/") {
        return StatusCode::NOT_FOUND.into_response();
    }
    match Pages::get("index.html") {
        Some(index) => {
            let headers = [(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
            (headers, Html(index.data)).into_response()
        }
        None => Html(MISSING).into_response(),
    }
}

fn mime(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
