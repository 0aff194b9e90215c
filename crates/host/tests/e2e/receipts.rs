//! Receipts: a player's own bets are proved to anyone, and no one else's are shown.

use receipts::Proved;
use tlog::{Policy, ProofFile};

use crate::harness::*;

struct Player {
    own: Client,
    terminal: u64,
    feed: Feed,
}

async fn player(host: &Host, table: &Table, credit: &str) -> Player {
    let (terminal, feed) = host.seat(table, "standard", "a", credit).await;
    let reader = feed.messages[1]["reader"].as_str().expect("what it reads with").to_owned();
    let own = host.anonymous().header("authorization", format!("Bearer {reader}"));
    Player { own, terminal: terminal.id, feed }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_proves_the_players_own_bets_and_shows_no_other() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let mut first = player(&host, &table, "100.00").await;
    let mut second = player(&host, &table, "500.00").await;
    table.open_bets("rws-sicbo").await;
    first.feed.bet(&[("small", "25.00")]).await;
    second.feed.bet(&[("big", "123.00")]).await;
    table.close_bets(&mut [&mut first.feed, &mut second.feed]).await;
    table.result("1-2-4").await;
    first.feed.credit("125.00").await;
    let rounds = first.own.get(&format!("/records/terminals/{}/rounds", first.terminal)).await.ok();
    let round = rounds["rounds"][0]["round"]["round"].as_u64().expect("a round");
    let path = format!("/terminals/{}/receipts/{round}", first.terminal);
    let receipt = first.own.get(&path).await.ok();
    let slip = receipt["slip"].as_str().expect("a slip");
    assert!(slip.len() <= 51 && receipt["address"].as_str().expect("an address").ends_with(&format!("/verify#{slip}")));
    assert!(receipt["code"].as_str().expect("a code").starts_with('M') && receipt["code_size"].as_i64() <= Some(33));

    // Another has no right to it, and a slip gives it without an account.
    assert_eq!(second.own.get(&path).await.status, 403);
    assert_eq!(host.anonymous().get(&path).await.status, 401);
    let fetched = host.anonymous().get_root(&format!("/receipt/{slip}")).await;
    assert_eq!(fetched.status, 200, "{}", fetched.text);
    let policy = host.anonymous().get_root("/log/policy").await;
    let policy = Policy::parse(&policy.text).expect("a policy");
    for text in [receipt["proof"].as_str().expect("a proof"), &fetched.text] {
        let proofs = ProofFile::parse_all(text.as_bytes()).expect("proofs");
        let proved: Vec<Proved> = proofs.iter().map(|proof| Proved::by(proof, &policy).expect("proved")).collect();
        assert_eq!(proved.len(), 2, "the bet and what it returned");
        let mine = floor::TerminalId(u32::try_from(first.terminal).expect("small"));
        for one in &proved {
            let own = match &one.record.event {
                floor::Event::BetsChanged { terminal, .. } => *terminal,
                _ => one.returned().expect("a part of the settlement").0,
            };
            assert_eq!(own, mine);
        }
        assert!(proved.iter().any(|one| one.returned().is_some_and(|(_, amount)| amount.get() == 5_000)));
    }
    // A slip with another salt, or of another record, is unknown.
    for wrong in [format!("{slip}0"), slip.replacen(&slip[20..24], "0000", 1), "12".to_owned()] {
        let refused = host.anonymous().get_root(&format!("/receipt/{wrong}")).await;
        assert!(refused.status.is_client_error(), "{wrong}: {}", refused.text);
    }
    let words = host.anonymous().get_root(&format!("/receipt/{slip}/words")).await.ok();
    assert!(words["spots"].as_object().expect("names").values().any(|name| name == "small"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_may_use_the_camera_and_no_other_page_may() {
    let host = Host::floor().await;
    let page = host.anonymous().get_root("/verify").await;
    assert_eq!(page.status, 200);
    assert_eq!(page.header("permissions-policy"), "camera=(self), microphone=(), geolocation=()");
    let policy = page.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    // One file: nothing is loaded.
    assert!(
        !page.text.contains("src=\"") && !page.text.contains("<link") && page.text.contains("log croupier.invalid")
    );
    for path in ["/", "/terminal/0", "/log/checkpoint"] {
        let other = host.anonymous().get_root(path).await;
        assert_eq!(other.header("permissions-policy"), "camera=(), microphone=(), geolocation=()", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_of_a_host_that_starts_again_extend_each_other() {
    let host = Host::floor().await;
    host.table("rws-sicbo").await;
    let before = host.restart(release(1)).await;
    let first = before.anonymous().get_root("/log/checkpoint").await;
    assert_eq!(first.status, 200, "{}", first.text);
    let old = tlog::Checkpoint::parse(&tlog::Note::parse(first.text.as_bytes()).expect("a note").text).expect("a head");
    let again = before.restart(release(1)).await;
    let second = again.anonymous().get_root("/log/checkpoint").await;
    let new =
        tlog::Checkpoint::parse(&tlog::Note::parse(second.text.as_bytes()).expect("a note").text).expect("a head");
    assert!(new.size > old.size && new.origin == old.origin);
    let prover = receipts::Prover::open(&again.running.app.config.data, &[]).expect("readable").expect("a log");
    let proof = prover.consistency(old.size, new.size).expect("a proof");
    tlog::proof::verify_consistency(old.size, &old.root, new.size, &new.root, &proof).expect("it has only grown");
}
