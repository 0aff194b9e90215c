//! The example clients do what they are shown for.

use std::process::{Command, Output, Stdio};

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
    let live = async || host.anonymous().get("").await.ok()["terminals"][0]["live"] == true;
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

/// Runs the example of a cabinet with its orders.
fn cabinet(host: &Host, id: &Value, key: &std::path::Path, code: &Value, orders: &'static str) -> std::process::Child {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cabinet.py");
    let mut python = Command::new("python3");
    python.args([example, &format!("http://{}", host.address()), "main", &id.to_string()]).arg(key);
    python.args(code.as_str()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = python.spawn().expect("python3");
    let mut input = child.stdin.take().expect("standard input");
    std::io::Write::write_all(&mut input, orders.as_bytes()).expect("orders");
    child
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_example_cabinet_bets_shows_the_close_and_pays_out_a_ticket() {
    let lines = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cabinet.py")).lines().count();
    assert!(lines <= 200, "a terminal of another maker needs {lines} lines");
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let administrator = host.administrator().await;
    let seat = json!({ "table": table.id, "name": "another maker's", "kind": "standard", "layout": "a" });
    // What is made says its id; the same request again says the same.
    let number = administrator.next();
    let made = administrator.numbered(number, "/terminals", seat.clone()).await.ok();
    assert_eq!(administrator.numbered(number, "/terminals", seat).await.ok(), made);
    let id = made["terminal"].clone();
    let code = administrator.client.post(&format!("/terminals/{id}/code"), by_two()).await.ok();
    let other = host.terminal(&table, "standard", "b").await;
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("cabinet.pem");
    let orders = "bet small=5.00 big=5.00\nclear\nbet small=10.00\ncash-out\n";
    let child = cabinet(&host, &id, &key, &code["code"], orders);
    let live = async || host.anonymous().get("").await.ok()["terminals"][0]["live"] == true;
    within("the cabinet's link", async { while !live().await {} }).await;
    let put_in = json!({ "amount": "100.00", "witness": table.supervisor.signature() });
    table.manager.ok(&format!("/terminals/{id}/attendant-in"), put_in).await;
    table.open_bets("rws-sicbo").await;
    let output = within("the cabinet", tokio::task::spawn_blocking(move || child.wait_with_output())).await;
    let output = output.expect("a thread").expect("its output");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("credit 90.00, bets 10.00"), "{said}");
    assert!(said.contains(" of 90.00") && !said.contains("refused"), "{said}");
    // Its own view can be read over HTTP too: by itself, and not by another terminal.
    let auditor = host.employ("auditor", "auditor-1").await;
    let own = auditor.client.get(&format!("/terminals/{id}")).await.ok();
    assert_eq!((&own["own"]["credit"], &own["own"]["staked"]), (&json!("0.00"), &json!("10.00")));
    assert_eq!(own["bets"][0]["spot"], "small");
    let other = token_of(&host, "terminal", other.id, &other.key).await;
    assert_eq!(other.get(&format!("/terminals/{id}")).await.status, 403);
}
