//! Requests: idempotency, other sites, bodies that cannot be taken, ranks.

use hyper::Method;

use crate::harness::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_asked_again_gets_the_first_answer_and_is_done_once() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let path = format!("/terminals/{}/attendant-in", terminal.id);
    let number = table.manager.next();
    let first = table.manager.numbered(number, &path, json!({ "amount": "5.00" })).await.ok();
    let again = table.manager.numbered(number, &path, json!({ "amount": "5.00" })).await.ok();
    assert_eq!(first, again);
    feed.credit("15.00").await;
    let other = table.manager.numbered(number, &path, json!({ "amount": "6.00" })).await;
    assert_eq!(other.refusal(), (409, "number_reused"));
    table.open_bets("rws-sicbo").await;
    let number = feed.number();
    let bet =
        |amount: &str| json!({ "type": "bet", "number": number, "changes": [{ "add": "small", "amount": amount }] });
    feed.send(bet("5.00")).await;
    let first = feed.answer(number).await;
    feed.messages.clear();
    feed.send(bet("5.00")).await;
    assert_eq!(feed.answer(number).await, first);
    feed.messages.clear();
    feed.send(bet("6.00")).await;
    assert_eq!(Feed::code(&feed.answer(number).await), "number_reused");
    feed.credit("10.00").await;
}

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
    assert_eq!(host.running.app.read(|floor| floor.staff().len()), known, "nobody without a login is left behind");
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
    let foreign = host.nobody().header("origin", "https://example.org");
    let sign_in = foreign.post("/session", json!({ "login": "dealer-0", "password": PASSWORD })).await;
    assert_eq!(sign_in.status, 403, "{}", sign_in.text);
    let ours = keyed.header("origin", format!("http://{}", host.address()));
    assert!(ours.post(&open, json!({})).await.status.is_success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_cannot_be_taken_are_refused_with_what_is_wrong() {
    let host = Host::with(|config| config.body_bytes = 4_096).await;
    let table = host.table("rws-sicbo").await;
    let path = table.path("/result");
    let keyed = || table.dealer.client.header("idempotency-key", table.dealer.next().to_string());
    let large = keyed().post_bytes(&path, vec![b'x'; 10_000]).await;
    assert_eq!(large.refusal(), (413, "too_large"));
    let broken = keyed().post_bytes(&path, &b"{\"outcome\":"[..]).await;
    assert_eq!(broken.refusal(), (400, "malformed"));
    let unknown = keyed().post(&path, json!({ "outcome": "1-2-3", "colour": "red" })).await;
    assert_eq!(unknown.refusal(), (422, "invalid"));
    assert!(unknown.words().contains("colour"), "{}", unknown.words());
    let missing = keyed().post(&path, json!({})).await;
    assert_eq!(missing.refusal(), (422, "invalid"));
    assert!(missing.words().contains("outcome"), "{}", missing.words());
    let impossible = keyed().post(&path, json!({ "outcome": "1-2-7" })).await;
    assert_eq!(impossible.refusal(), (422, "invalid"));
    let array = keyed().post_bytes(&path, &b"[1]"[..]).await;
    assert_eq!(array.status, 422, "{}", array.text);
    let unnumbered = table.dealer.client.post(&path, json!({ "outcome": "1-2-3" })).await;
    assert_eq!(unnumbered.refusal(), (400, "malformed"));
    for number in ["0", "-1", "1.5", "99999999999999999999", "one"] {
        let client = table.dealer.client.header("idempotency-key", number);
        assert_eq!(client.post(&path, json!({ "outcome": "1-2-3" })).await.refusal(), (400, "malformed"), "{number}");
    }
    let nowhere = keyed().post("/tables/99/open-bets", json!({})).await;
    assert_eq!(nowhere.refusal(), (404, "not_found"));
    let letters = keyed().post("/tables/x/open-bets", json!({})).await;
    assert_eq!(letters.refusal(), (404, "not_found"));
    let method = table.dealer.client.send(Method::PUT, &table.dealer.client.path(&path), None).await;
    assert_eq!(method.refusal(), (405, "method"));
    let floor = Client { floor: "another".to_owned(), ..host.nobody() };
    assert_eq!(floor.get("").await.refusal(), (404, "not_found"));
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
