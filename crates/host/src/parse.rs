//! Everything that reads bytes from outside, with nothing around it: for the fuzz targets in `fuzz/`.

use axum::body::Bytes;

use crate::api::command::{self, Request};
use crate::api::commands::{self, EachRequest};
use crate::api::hosts::EnrolHost;
use crate::api::session::{AddStaff, Enrol, SignIn};
use crate::api::tickets::{Bets, RedeemTicket, Repeat, SellTicket};
use crate::devices::cammegh::{Line, Lines, Unreadable};
use crate::feed::message::ClientMessage;

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
