//! What an attacker tries, one test for each finding, over plain text and over TLS.

mod cursors;

use crate::harness::*;

/// A host that speaks plain text and one that speaks TLS: nothing an attacker tries depends on it.
pub async fn both() -> [Host; 2] {
    [Host::floor().await, Host::with_tls(|_| {}).await]
}
