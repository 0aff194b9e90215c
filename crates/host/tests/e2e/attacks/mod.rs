//! What an attacker tries, one test for each finding, over plain text and over TLS. Each of these succeeded once, or would
//! without what stops it.

mod alerts;
mod asvs;
mod certificates;
mod clones;
mod clustered;
mod cursors;
mod frames;
mod limits;
mod many_tables;
mod numbers;
mod origins;
mod proxy;
mod restored;
mod seats;
pub mod sign_in;

pub mod passkeys;
mod quiet;
mod refusals;

use crate::harness::*;

/// A host that speaks plain text and one that speaks TLS: nothing an attacker tries depends on it.
pub async fn both() -> [Host; 2] {
    both_with(|_| {}).await
}

/// The same with settings of their own.
pub async fn both_with(change: impl Fn(&mut host::Config)) -> [Host; 2] {
    [Host::with(&change).await, Host::with_tls(&change).await]
}

/// Runs an attack against a host that speaks plain text and against one that speaks TLS.
pub async fn over_both(attack: impl AsyncFn(&Host)) {
    for host in both().await {
        attack(&host).await;
    }
}
