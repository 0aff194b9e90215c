//! Requests: people who are employed, other sites, ranks, settings.

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn employing_asked_again_touches_nobody_else() {
    let host = Host::floor().await;
    let administrator = host.administrator().await;
    let person = |login: &str| json!({ "name": login, "post": "dealer", "login": login, "password": PASSWORD, "witness": with_half(second()) });
    let number = administrator.next();
    let first = administrator.numbered(number, "/staff", person("anna")).await.ok();
    let second = administrator.ok("/staff", person("berta")).await;
    assert_ne!(first["staff"], second["staff"]);
    let again = administrator.numbered(number, "/staff", person("anna")).await.ok();
    assert_eq!(again, first);
    let both = format!("{PASSWORD}{HALF}");
    assert_eq!(Person::sign_in(&host, "berta", &both).await.id, second["staff"]);
    assert_eq!(Person::sign_in(&host, "anna", &both).await.id, first["staff"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_whose_password_will_not_do_is_not_employed() {
    let host = Host::floor().await;
    let administrator = host.administrator().await;
    let known = host.running.app.read(|floor| floor.staff().len());
    let short = json!({ "name": "anna", "post": "dealer", "login": "anna", "password": "short" });
    let answer = administrator.command("/staff", short).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    let taken = json!({ "name": "anna", "post": "dealer", "login": "administrator", "password": PASSWORD });
    let answer = administrator.command("/staff", taken).await;
    assert!(answer.status.is_client_error(), "{}", answer.text);
    assert_eq!(host.running.app.read(|floor| floor.staff().len()), known, "no person without a login is left behind");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_other_sites_are_refused() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let open = table.path("/open-bets");
    let keyed = table.dealer.client.header("idempotency-key", table.dealer.next().to_string());
    let missing = keyed.without("x-croupier").post(&open, json!({})).await;
    assert_eq!(missing.refusal(), (403, "forbidden"));
    assert!(missing.words().contains("X-Croupier"), "{}", missing.words());
    let foreign = keyed.header("origin", "https://example.org").post(&open, json!({})).await;
    assert_eq!(foreign.refusal(), (403, "forbidden"));
    let foreign = table.dealer.client.header("origin", "https://example.org");
    assert!(Feed::connect(&foreign, &format!("/feed/console/{}", table.id)).await.is_err());
    // What needs no session is not served to it either.
    let (seat, _) = host.seat(&table, "standard", "a", "10.00").await;
    for feed in [format!("/feed/display/{}", table.id), format!("/feed/terminal/{}", seat.id)] {
        assert!(Feed::connect(&foreign, &feed).await.is_err(), "{feed}");
    }
    let foreign = host.anonymous().header("origin", "https://example.org");
    let sign_in = foreign.post("/session", json!({ "login": "dealer-0", "password": PASSWORD })).await;
    assert_eq!(sign_in.status, 403, "{}", sign_in.text);
    let ours = keyed.header("origin", format!("http://{}", host.address()));
    assert!(ours.post(&open, json!({})).await.status.is_success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rank_too_low_is_refused_and_acting_in_a_position_suffices() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, _feed) = host.seat(&table, "standard", "a", "10.00").await;
    let lock = format!("/terminals/{}/lock", terminal.id);
    let refused = table.dealer.refused(&lock, json!({ "reason": "spilled coffee" }), "rank").await;
    assert_eq!((refused.status.as_u16(), &refused.body["error"]["rule"]), (403, &json!("D11")));
    table.dealer.refused(&table.path("/close"), json!({}), "rank").await;
    table.dealer.refused("/tables", json!({ "name": "t", "rulebook": "rws-sicbo", "mode": "terminals" }), "rank").await;
    let administrator = host.administrator().await;
    administrator.refused(&table.path("/open-bets"), json!({}), "rank").await;
    table
        .manager
        .ok(
            &format!("/staff/{}/acting", table.dealer.id),
            json!({ "post": "pit_supervisor", "witness": table.supervisor.signature() }),
        )
        .await;
    // A change of post ends the sessions of before.
    let dealer = Person::sign_in(&host, &table.dealer.login, PASSWORD).await;
    dealer.ok(&lock, json!({ "reason": "spilled coffee" })).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_change_from_the_next_round_on_and_are_announced() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    let settings = json!({ "settings": { "limit": { "minimum": "10.00", "maximum": "500.00" } }, "reason": "busy" });
    table.dealer.refused(&table.path("/settings"), settings.clone(), "rank").await;
    table.manager.ok(&table.path("/settings"), settings).await;
    feed.until("the announcement", |feed| feed.view["table"]["announced"].is_array()).await;
    assert_eq!(Feed::code(&feed.bet(&[("small", "5.00")]).await), "accepted", "S12: not in the middle of a round");
    table.close_bets(&mut [&mut feed]).await;
    table.result("1-2-3").await;
    table.open_bets("rws-sicbo").await;
    feed.until("open bets", |feed| feed.view["round"]["phase"] == "open").await;
    assert_eq!(Feed::code(&feed.bet(&[("small", "5.00")]).await), "below_minimum");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_was_not_announced_to_close_says_so_in_both_languages() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let answer = table.manager.refused(&table.path("/close"), json!({}), "table_open").await;
    assert_eq!(answer.refusal(), (409, "table_open"));
    let error = &answer.body["error"];
    assert_eq!(error["rule"], "S3");
    assert_eq!(error["message"]["en"], "the closing must be announced on the screens beforehand");
    assert_eq!(error["message"]["zh"], "须先在屏幕上预告关台，到时方可关台");
    // Opened twice is the other thing that the same code says.
    let answer = table.manager.refused(&table.path("/open"), json!({}), "table_open").await;
    assert_eq!(answer.body["error"]["message"]["zh"], "赌台正在开放");
}
