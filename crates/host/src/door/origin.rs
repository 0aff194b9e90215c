//! Allowed origins: pages of the floor's hosts, and those listed in the settings.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};

use crate::app::App;

/// Whether the request comes from a page of this floor. A client that is not a browser sends no origin.
#[must_use]
pub fn is_allowed(app: &App, headers: &HeaderMap, secure: bool) -> bool {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let Some(origin) = origins.next() else { return true };
    // A browser sends one. Of two, a proxy may have checked the other.
    let (Ok(origin), None) = (origin.to_str(), origins.next()) else { return false };
    app.origins().iter().any(|allowed| allowed == origin)
        || is_own(origin, text(header::HOST).unwrap_or_default(), secure, app.config.listen.ip())
}

/// Whether a request names this host by one of its names. A page of another site whose name was made to point here (DNS
/// rebinding) names that site. An IP address is not such a name.
#[must_use]
pub fn is_for_this_host(app: &App, headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(header::HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = name(host);
    let own =
        || app.origins().iter().any(|origin| origin.split_once("://").is_some_and(|(_, host)| is_same(host, name)));
    let figures = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    figures || name.eq_ignore_ascii_case("localhost") || own()
}

/// Whether a host of an origin has this name.
fn is_same(host: &str, wanted: &str) -> bool {
    name(host).eq_ignore_ascii_case(wanted)
}

/// A host without its port.
fn name(host: &str) -> &str {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    name.map_or(host, |(name, _)| name)
}

/// Whether a page sends the request to the host that served it. A host on loopback accepts only the names of loopback, and
/// any other only those in its settings, which it needs; otherwise DNS rebinding would work. A page without TLS is not one
/// of a host with it, nor the other way round.
fn is_own(origin: &str, host: &str, secure: bool, listens: IpAddr) -> bool {
    let same = origin.strip_prefix(if secure { "https://" } else { "http://" }) == Some(host);
    same && listens.is_loopback() && matches!(name(host), "localhost" | "127.0.0.1" | "[::1]")
}

/// The origin of a page that a host on loopback serves at its port; `None` if the request names something else.
#[must_use]
pub fn on_loopback(host: &str, secure: bool, port: u16) -> Option<String> {
    let (scheme, usual) = if secure { ("https", 443) } else { ("http", 80) };
    let named = host.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    let own = named.unwrap_or(usual) == port && matches!(name(host), "localhost" | "127.0.0.1" | "[::1]");
    own.then(|| format!("{scheme}://{host}"))
}

/// An address as a browser writes an origin: without a path, in lower case.
#[must_use]
pub fn of(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("http", address));
    let host = rest.split('/').next().unwrap_or_default();
    format!("{scheme}://{host}").to_ascii_lowercase()
}

/// What pages may connect to: the host that served them and every host of the floor.
#[must_use]
pub fn connect_sources(app: &App) -> String {
    let mut sources = "'self'".to_owned();
    for origin in app.origins() {
        // Only characters that are valid in a header: addresses come from settings and from other hosts.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'/' | b'.' | b'-' | b'[' | b']');
        if origin.bytes().all(plain) {
            let feed = origin.replacen("http", "ws", 1);
            sources.push_str(&format!(" {origin} {feed}"));
        }
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_on_loopback_is_asked_by_its_own_pages_alone() {
        let loopback = IpAddr::from([127, 0, 0, 1]);
        for (origin, host, own) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true),
            ("http://localhost:8080", "localhost:8080", true),
            ("http://[::1]:8080", "[::1]:8080", true),
            ("http://localhost:9090", "localhost:8080", false),
            ("http://rebound.example:8080", "rebound.example:8080", false),
            ("null", "127.0.0.1:8080", false),
            ("http://", "", false),
        ] {
            assert_eq!(is_own(origin, host, false, loopback), own, "{origin}");
            assert!(!is_own(origin, host, true, loopback), "{origin}");
        }
    }

    #[test]
    fn a_host_that_others_can_reach_goes_by_the_names_in_its_settings_alone() {
        let everywhere = IpAddr::from([0, 0, 0, 0]);
        for secure in [true, false] {
            for host in ["one.example", "localhost:8443", "10.0.0.7:8443"] {
                let origin = format!("http{}://{host}", if secure { "s" } else { "" });
                assert!(!is_own(&origin, host, secure, everywhere), "{origin}");
            }
        }
    }

    #[test]
    fn a_page_on_loopback_has_the_port_of_the_host() {
        assert_eq!(on_loopback("localhost:8080", false, 8080).as_deref(), Some("http://localhost:8080"));
        assert_eq!(on_loopback("localhost", true, 443).as_deref(), Some("https://localhost"));
        for host in ["localhost:9090", "localhost", "one.localhost:8080", "casino.example:8080", ""] {
            assert_eq!(on_loopback(host, false, 8080), None, "{host}");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        assert_eq!(of("https://Host-1.example:8443/floor"), "https://host-1.example:8443");
    }
}
