//! Everything that reads bytes from outside, with nothing around it: for the fuzz targets in `fuzz/`.

use std::net::IpAddr;

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use floor::TicketNumber;

use crate::api::caller;
use crate::api::command::{self, Request};
use crate::api::commands::{self, EachRequest};
use crate::api::credentials::{AddPasskey, AskChallenge, RemovePasskey, SetPassword};
use crate::api::demonstration::{Automatic, DeviceOrder};
use crate::api::hosts::EnrolHost;
use crate::api::past::PreviewInput;
use crate::api::sealed::SealCodes;
use crate::api::session::{AddStaff, Enrol, MakeCode, NewPassword, Prove, SignIn, Sit};
use crate::api::tickets::{Bets, RedeemTicket, Repeat, ReprintTicket, SellTicket};
use crate::devices::cammegh::{Line, Lines, Unreadable};
use crate::door::address::{self, Network};
use crate::door::origin;
use crate::door::places::{Limits, Places};
use crate::feed::cursor::Cursors;
use crate::feed::message::ClientMessage;
use crate::feed::wire;
use crate::{access, members, store, uptime};

/// Reads a message of a client; whether it is one.
pub fn feed_message(text: &str) -> bool {
    serde_json::from_str::<ClientMessage>(text).is_ok()
}

/// Reads the body of a request as that of some command; whether it is one.
pub fn body(which: usize, body: &[u8]) -> bool {
    let body = Bytes::copy_from_slice(body);
    let others = [
        |body: &Bytes| command::read::<SignIn>(body).is_ok(),
        |body: &Bytes| command::read::<AddStaff>(body).is_ok(),
        |body: &Bytes| command::read::<Enrol>(body).is_ok(),
        |body: &Bytes| command::read::<EnrolHost>(body).is_ok(),
        |body: &Bytes| command::read::<Bets>(body).is_ok(),
        |body: &Bytes| command::read::<Repeat>(body).is_ok(),
        |body: &Bytes| command::read::<SellTicket>(body).is_ok(),
        |body: &Bytes| command::read::<RedeemTicket>(body).is_ok(),
        |body: &Bytes| command::read::<ReprintTicket>(body).is_ok(),
        |body: &Bytes| command::read::<SetPassword>(body).is_ok(),
        |body: &Bytes| command::read::<NewPassword>(body).is_ok(),
        |body: &Bytes| command::read::<AskChallenge>(body).is_ok(),
        |body: &Bytes| command::read::<AddPasskey>(body).is_ok(),
        |body: &Bytes| command::read::<RemovePasskey>(body).is_ok(),
        |body: &Bytes| command::read::<MakeCode>(body).is_ok(),
        |body: &Bytes| command::read::<Sit>(body).is_ok(),
        |body: &Bytes| command::read::<Prove>(body).is_ok(),
        |body: &Bytes| command::read::<SealCodes>(body).is_ok(),
        |body: &Bytes| command::read::<PreviewInput>(body).is_ok(),
        |body: &Bytes| command::read::<Automatic>(body).is_ok(),
        |body: &Bytes| command::read::<DeviceOrder>(body).is_ok(),
    ];
    if let Some(read) = others.get(which) {
        return read(&body);
    }
    let mut reads = Reads { left: which - others.len(), body, read: false };
    commands::each(&mut reads);
    reads.read
}

struct Reads {
    left: usize,
    body: Bytes,
    read: bool,
}

impl EachRequest for Reads {
    fn one<R: Request>(&mut self) {
        if self.left == 0 {
            self.read = command::read::<R>(&self.body).is_ok();
        }
        self.left = self.left.wrapping_sub(1);
    }
}

/// Reads what a wheel sends, part by part.
pub fn serial<'a>(parts: impl Iterator<Item = &'a [u8]>, mut tell: impl FnMut(Result<Line, Unreadable>)) {
    let mut lines = Lines::default();
    for part in parts {
        lines.feed(part, &mut tell);
    }
}

/// Counts the frames of a client, part by part: how much of the last head is known, and how much content is to come.
pub fn frames<'a>(parts: impl Iterator<Item = &'a [u8]>) -> (usize, u64) {
    wire::frames(parts)
}

/// Reads what an authenticator sends, as each of the parts it may be; whether it is one of them.
#[must_use]
pub fn passkey(bytes: &[u8]) -> bool {
    store::parse_passkey(bytes)
}

/// Reads the head of a request: the client's address, also from a proxy, and what it carries in headers.
#[must_use]
pub fn head(text: &str) -> bool {
    let mut headers = HeaderMap::new();
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')).take(100) {
        if let (Ok(name), Ok(value)) = (name.trim().parse::<HeaderName>(), HeaderValue::from_str(value.trim())) {
            headers.append(name, value);
        }
    }
    let trusted: Vec<Network> = ["10.0.0.0/8", "fd00::/8"].iter().filter_map(|network| network.parse().ok()).collect();
    let peer = address::peer(IpAddr::from([10, 0, 0, 1]), false, &headers, &trusted);
    let named = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let _ = (origin::on_loopback(named, peer.secure, 8080), origin::of(named), address::counted(peer.address));
    caller::cookie(&headers).is_some()
}

/// Reads tokens and numbers that clients hand in as text: a cursor, a ticket's number, a network of the settings.
#[must_use]
pub fn token(text: &str) -> bool {
    let cursor = Cursors::new(&[7; 32], [7; 16]).read(text);
    let ticket = TicketNumber::parse(text);
    cursor.is_some() || ticket.is_some_and(|number| number.checks()) || text.parse::<Network>().is_ok()
}

/// Reads the files that a host leaves for its next start: its time, known addresses, refusals that are not recorded yet;
/// whether it is one of the first two, which any line is of the third.
///
/// # Panics
/// When a refusal could forge another line.
#[must_use]
pub fn kept(text: &str) -> bool {
    for line in access::kept_lines(text) {
        assert!(!line.is_empty() && !line.chars().any(char::is_control), "{line:?}");
    }
    let places = Places::new(Limits { all: 10, reserved: 5, per_address: 5, strangers_per_address: 3 });
    places.recall_from(text, 1_767_218_400_000) > 0 || uptime::is_sign(text)
}

/// Reads what hosts of a floor send each other, and what they keep on the servers, under any signature.
#[must_use]
pub fn between_hosts(bytes: &[u8]) -> bool {
    let _ = cluster::unseal(&[b"croupier"], bytes);
    members::parse(bytes) || store::parse_page(bytes)
}
