//! A process that is stopped and goes on (SIGSTOP, SIGCONT) was away, as one that was restarted (D6).

use std::time::Duration;

use crate::{Server, until};

/// Longer than a busy machine keeps a thread waiting, and within the grace of a table.
const FROZEN: Duration = Duration::from_secs(7);

#[test]
fn d6_a_frozen_host_was_away_and_says_so() {
    let server = Server::start(true, &[]);
    let auditor = server.client().signed_in("auditor");
    let said = |path: &str, words: &str| {
        let events = auditor.get(path).body;
        let events = events["events"].as_array().cloned().unwrap_or_default();
        events.iter().any(|event| event["words"].as_str().is_some_and(|said| said.contains(words)))
    };
    crate::findings::plays(&server.client());
    server.freeze(FROZEN);
    until("the stoppage is on record", || said("/records/events?kind=power", "the host was away for"));
    until("the log says so", || server.log().contains("the host did not run"));
}
