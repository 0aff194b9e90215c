//! The example clients do what they are shown for.

use std::process::{Command, Output};

use crate::harness::*;

/// Runs the example of a terminal, with or without a code to enrol with.
fn terminal(host: &Host, key: &std::path::Path, code: Option<String>) -> tokio::task::JoinHandle<Output> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/terminal.mjs");
    let mut node = Command::new("node");
    node.args([example, &format!("http://{}", host.address()), "main", "0"]).arg(key).arg("small=5.00").args(code);
    tokio::task::spawn_blocking(move || node.output().expect("node: Node 20 is installed"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_terminal_enrols_a_key_proves_it_and_bets() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let administrator = host.administrator().await;
    let seat = json!({ "table": table.id, "name": "the example", "kind": "standard", "layout": "a" });
    administrator.ok("/terminals", seat).await;
    let code = administrator.client.post("/terminals/0/code", by_two()).await.ok();
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("terminal.pem");
    let first = terminal(&host, &key, code["code"].as_str().map(str::to_owned));
    let live = async || host.nobody().get("").await.ok()["terminals"][0]["live"] == true;
    within("the example's link", async { while !live().await {} }).await;
    let put_in = json!({ "amount": "100.00", "witness": table.supervisor.signature() });
    table.manager.ok("/terminals/0/attendant-in", put_in).await;
    table.open_bets("rws-sicbo").await;
    // It comes back with the key that it kept, and no code.
    let mut first = Some(first);
    for _ in 0..2 {
        let run = first.take().unwrap_or_else(|| terminal(&host, &key, None));
        let output = within("the example", run).await.expect("a thread");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let accepted = output.status.success() && said.contains("small=5.00 is accepted as record ");
        assert!(accepted, "{said} {}", String::from_utf8_lossy(&output.stderr));
    }
    let staked = host.running.app.read(|floor| floor.terminals().first().map(|terminal| terminal.credit().get()));
    assert_eq!(staked, Some(9_000), "two bets of five");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&key).expect("a key").permissions());
    assert_eq!(mode & 0o777, 0o600);
}
