//! What the servers of a cluster say of themselves.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, ServerAddr};
use bytes::Bytes;
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::time::timeout;

use crate::{Error, Tls};

/// No server takes longer to say who it is.
const ANSWER: Duration = Duration::from_millis(700);
const CONNECT: Duration = Duration::from_secs(3);

/// What a server says of how it keeps streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its name.
    pub server: String,
    /// Its version.
    pub version: String,
    /// Whether it syncs before it acknowledges, if it says so.
    pub syncs: Option<bool>,
}

impl Seen {
    /// Whether it is of a version that can sync before it acknowledges.
    #[must_use]
    pub fn is_new_enough(&self) -> bool {
        is_new_enough(&self.version)
    }
}

/// The client takes a login from its options only, and operators give it in the address: `nats://user:password@host`.
pub(crate) fn with_login(options: ConnectOptions, urls: &str) -> ConnectOptions {
    let login = urls.split(',').find_map(|url| {
        let address: ServerAddr = url.trim().parse().ok()?;
        Some((address.username()?.to_owned(), address.password().unwrap_or_default().to_owned()))
    });
    match login {
        Some((user, password)) => options.user_and_password(user, password),
        None => options,
    }
}

async fn connect(url: &str, tls: &Tls) -> Result<Client, Error> {
    tls.check()?;
    let options = tls.of(ConnectOptions::new().name("croupier").connection_timeout(CONNECT));
    let options = with_login(options, url);
    let connecting = options.connect(url);
    timeout(CONNECT, connecting).await.map_err(Error::unreachable)?.map_err(Error::unreachable)
}

/// Asks the server at one address who it is.
///
/// # Errors
/// When it cannot be reached, or has no JetStream.
pub async fn server(url: &str, tls: &Tls) -> Result<Seen, Error> {
    let info = connect(url, tls).await?.server_info();
    if !info.jetstream {
        return Err(Error::NoJetStream(format!("{} does not run it", info.server_name)));
    }
    Ok(Seen { server: info.server_name, version: info.version, syncs: None })
}

/// What every server of the cluster reports to the login of the system account: also whether it syncs before it
/// acknowledges.
///
/// # Errors
/// When none can be reached, or none answers: then the login is not the system account's.
pub async fn servers(urls: &str, tls: &Tls) -> Result<Vec<Seen>, Error> {
    let mut last = Error::Unreachable("no address is given".to_owned());
    for url in urls.split(',').map(str::trim).filter(|url| !url.is_empty()) {
        match connect(url, tls).await {
            Ok(client) => return asked(&client).await,
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Asks every server through one connection.
pub(crate) async fn asked(client: &Client) -> Result<Vec<Seen>, Error> {
    let inbox = client.new_inbox();
    let mut answers = client.subscribe(inbox.clone()).await.map_err(Error::unreachable)?;
    let ask = client.publish_with_reply("$SYS.REQ.SERVER.PING.JSZ", inbox, Bytes::from(r#"{"config":true}"#));
    ask.await.map_err(Error::unreachable)?;
    let mut seen = BTreeMap::new();
    while let Ok(Some(answer)) = timeout(ANSWER, answers.next()).await {
        if let Ok(Answer { server, data: Some(data) }) = serde_json::from_slice(&answer.payload) {
            let syncs = Some(data.config.unwrap_or_default().sync_always);
            seen.insert(server.name.clone(), Seen { server: server.name, version: server.ver, syncs });
        }
    }
    if seen.is_empty() {
        return Err(Error::Unreachable("the servers answer only the system account".to_owned()));
    }
    Ok(seen.into_values().collect())
}

#[derive(Deserialize)]
struct Answer {
    server: Server,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Server {
    name: String,
    #[serde(default)]
    ver: String,
}

#[derive(Deserialize)]
struct Data {
    config: Option<Kept>,
}

#[derive(Default, Deserialize)]
struct Kept {
    #[serde(default)]
    sync_always: bool,
}

pub(crate) fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map_while(|part| part.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(2), Some(10))
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn a_server_before_2_10_is_too_old() {
        for (version, fits) in [("2.9.10", false), ("2.10.0", true), ("2.15.1", true), ("3.0.0", true), ("", false)] {
            assert_eq!(is_new_enough(version), fits, "{version}");
        }
        assert!(is_new_enough("2.12.0-beta.1"));
    }
}
