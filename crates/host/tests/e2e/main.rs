//! The host as a casino meets it: the real server on a loopback port, a real WebSocket client, real folders.
//!
//! Each test has a host of its own. Nothing sleeps where something can be awaited, and no wait is without an end.

mod attacks;
#[path = "../authenticator.rs"]
#[allow(dead_code)]
mod authenticator;
mod harness;

mod anchors;
mod bias;
mod corrections;
mod demonstration;
mod drill;
mod examples;
mod feeds;
mod forged;
mod keys;
mod lab;
mod links;
mod operations;
mod past;
mod privacy;
mod program;
mod receipts;
mod reports;
mod requests;
mod rounds;
mod sessions;
mod tickets;
mod voids;
mod witnesses;
