//! Frames that are no messages: pings, pongs and empty continuations are work for the host too.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::both_with;
use crate::harness::*;

fn part(code: Data) -> Message {
    Message::Frame(Frame::message(Vec::new(), OpCode::Data(code), false))
}

/// Sends so many of a message, and says whether the host has ended the feed.
async fn is_cut(feed: &mut Feed, many: usize, message: impl Fn(usize) -> Message) -> bool {
    for n in 0..many {
        if feed.socket.feed(message(n)).await.is_err() {
            return true;
        }
    }
    if feed.socket.flush().await.is_err() {
        return true;
    }
    let end = async {
        loop {
            match feed.socket.next().await {
                None | Some(Err(_) | Ok(Message::Close(_))) => return,
                Some(Ok(_)) => {}
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(3), end).await.is_ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_frame_counts_before_the_hello_and_after_it() {
    for host in both_with(|config| config.messages_per_second = 20).await {
        frames_count(&host).await;
    }
}

/// Frames that are no messages count at a host that takes 20 messages a second.
pub async fn frames_count(host: &Host) {
    let table = host.table("rws-sicbo").await;
    let below = format!("/feed/display/{}", table.id);
    for hello in [false, true] {
        let open = async || match hello {
            true => Feed::open(&host.anonymous(), &below, None).await,
            false => Feed::connect(&host.anonymous(), &below).await.expect("a socket"),
        };
        let ping = |_: usize| Message::Ping(vec![7; 125].into());
        assert!(is_cut(&mut open().await, 300, ping).await, "pings");
        assert!(is_cut(&mut open().await, 300, |_| Message::Pong(Vec::new().into())).await, "pongs");
        let empty = |n: usize| part(if n == 0 { Data::Text } else { Data::Continue });
        assert!(is_cut(&mut open().await, 300, empty).await, "empty continuations");
        assert!(!is_cut(&mut open().await, 10, ping).await, "few are no harm");
    }
}
