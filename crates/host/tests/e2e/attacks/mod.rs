//! What an attacker tries, one test for each finding, over plain text and over TLS.

mod alerts;
mod cursors;
mod limits;
mod numbers;
mod origins;
mod proxy;

use crate::harness::*;

/// A host that speaks plain text and one that speaks TLS: nothing an attacker tries depends on it.
pub async fn both() -> [Host; 2] {
    both_with(|_| {}).await
}

/// The same with settings of their own.
pub async fn both_with(change: impl Fn(&mut host::Config)) -> [Host; 2] {
    [Host::with(&change).await, Host::with_tls(&change).await]
}
