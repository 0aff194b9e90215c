//! Another program than the last run's locks play until an administrator accepts it (S10).

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_program_locks_play_until_the_administrator_accepts_it() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    table.open_bets("rws-sicbo").await;
    table.does("/void", json!({ "ground": "dice-damaged" })).await;
    let host = host.restart(release(2)).await;
    assert_eq!(host.anonymous().get("").await.ok()["locked"], true);
    let dealer = Person::sign_in(&host, "dealer-0", PASSWORD).await;
    dealer.refused("/tables/0/open-bets", json!({}), "locked").await;
    dealer.refused("/program/accept", json!({}), "rank").await;
    let administrator = host.administrator().await;
    administrator.refused("/program/accept", json!({}), "second_person").await;
    administrator.ok("/program/accept", json!({ "witness": second() })).await;
    assert_eq!(host.anonymous().get("").await.ok()["locked"], false);
    dealer.ok("/tables/0/open-bets", json!({})).await;
    let program = host.anonymous().get_root("/api/v1/host").await.ok()["program"].clone();
    assert_eq!(program, rulebook::Hash([2; 32]).to_string(), "S9: verified by its hash at any time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_approved_beforehand_runs_at_once() {
    let host = Host::floor().await;
    let administrator = host.administrator().await;
    let (program, rulebooks) = (rulebook::Hash([2; 32]).to_string(), rulebook::Hash([7; 32]).to_string());
    let short = json!({ "program": "12", "rulebooks": rulebooks });
    administrator.refused("/program/approve", short, "invalid").await;
    let mut approve = json!({ "program": program, "rulebooks": rulebooks });
    administrator.refused("/program/approve", approve.clone(), "second_person").await;
    approve["witness"] = second();
    administrator.ok("/program/approve", approve).await;
    let host = host.restart(release(2)).await;
    assert_eq!(host.anonymous().get("").await.ok()["locked"], false);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demonstration_accepts_by_itself_and_says_that_it_is_one() {
    let host = Host::demonstration().await;
    let host = host.restart(release(2)).await;
    let floor = host.anonymous().get("").await.ok();
    assert_eq!((&floor["locked"], &floor["demonstration"]), (&json!(false), &json!(true)));
}
