//! What a kill does not make undone.

use std::fs;

use crate::{Server, until};

/// Who tries passwords and then has the program killed would leave no trace of most attempts: those that are only counted
/// so far are in a file, at most a second later.
#[test]
fn refused_sign_ins_that_are_only_counted_are_recorded_after_a_kill() {
    let server = Server::start(true, &[]);
    let attacker = server.client().from(71);
    for number in 0..40 {
        assert!(matches!(attacker.sign_in(&format!("guess-{number}"), "not the password").status, 401 | 429));
    }
    let counted = "35 more attempts from 127.0.0.71 were refused within a minute";
    let file = server.data().join("refused");
    until("the count is in the file", || fs::read_to_string(&file).is_ok_and(|text| text.contains(counted)));
    let folder = server.kill();

    let server = Server::start_in(folder, true, &[]);
    let auditor = server.client().signed_in("auditor");
    until("it is in the record", || {
        let events = auditor.get("/records/events?limit=500").body;
        let events = events["events"].as_array().cloned().unwrap_or_default();
        events.iter().any(|event| event["words"].as_str().is_some_and(|words| words.starts_with(counted)))
    });
    until("and no longer in the file", || !server.data().join("refused").exists());
}
