//! Seats: a demonstration's visitors do not take each other's, a key that anyone could sign with is no key, and a visit
//! begins without what the one before left.

use floor::TerminalId;

use super::both;
use crate::harness::*;

/// A visitor's key, and the request to sit down with it.
fn visitor() -> (String, Value) {
    let key = new_key();
    let mut sit = enrolment(&Value::Null, &key);
    sit.as_object_mut().expect("an object").remove("code");
    (key, sit)
}

async fn free_seat(host: &Host) -> (u64, String) {
    let doors = host.anonymous().get("/demonstration").await.ok();
    let seat = doors["terminals"][0]["id"].as_u64().expect("a free terminal");
    (seat, format!("/demonstration/terminals/{seat}/sit"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visitor_of_a_demonstration_keeps_the_seat_and_its_credit() {
    let host = Host::demonstration().await;
    let (seat, sits) = free_seat(&host).await;
    let ((key, sit), (other_key, other)) = (visitor(), visitor());
    host.anonymous().post(&sits, sit.clone()).await.ok();
    let mut feed = Feed::prove(&host.anonymous(), "terminal", seat, &key, Value::Null).await;
    assert_eq!(Feed::code(&feed.ask(json!({ "type": "demo_cash", "amount": "100.00" })).await), "accepted");
    feed.credit("100.00").await;
    // The page answers while the other asks.
    let page = tokio::spawn(async move { while feed.next().await.is_some() {} });
    assert_eq!(host.anonymous().post(&sits, other.clone()).await.refusal(), (409, "seat_taken"));
    // The page comes back with its own key.
    page.abort();
    let _ = page.await;
    host.anonymous().post(&sits, sit).await.ok();
    let mut feed = Feed::prove(&host.anonymous(), "terminal", seat, &key, Value::Null).await;
    feed.credit("100.00").await;
    // When it has gone, the seat is free again.
    drop(feed);
    let gone =
        || host.running.app.hub.link_of(host::store::Holder::Terminal(TerminalId(u32::try_from(seat).expect("an id"))));
    within("the end of the link", async {
        while gone().is_some() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    host.anonymous().post(&sits, other).await.ok();
    Feed::prove(&host.anonymous(), "terminal", seat, &other_key, Value::Null).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn play_money_counts_once_under_its_number() {
    let host = Host::demonstration().await;
    let (seat, sits) = free_seat(&host).await;
    let (key, sit) = visitor();
    host.anonymous().post(&sits, sit).await.ok();
    let mut feed = Feed::prove(&host.anonymous(), "terminal", seat, &key, Value::Null).await;
    let number = feed.number();
    let mut answers = Vec::new();
    for amount in ["50.00", "50.00", "60.00"] {
        feed.send(json!({ "type": "demo_cash", "number": number, "amount": amount })).await;
        answers.push(feed.answer(number).await);
        feed.messages.clear();
    }
    assert_eq!(answers.iter().map(Feed::code).collect::<Vec<_>>(), ["accepted", "accepted", "number_reused"]);
    assert_eq!(answers[0]["accepted"], answers[1]["accepted"], "the first answer again");
    assert_eq!(Feed::code(&feed.ask(json!({ "type": "demo_cash", "amount": "20.00" })).await), "accepted");
    feed.credit("70.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_anyone_could_sign_with_is_not_enrolled() {
    use base64::Engine as _;
    let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
    for host in both().await {
        let table = host.table("rws-sicbo").await;
        let terminal = host.terminal(&table, "standard", "a").await;
        let administrator = host.administrator().await;
        let code = administrator.client.post(&format!("/terminals/{}/code", terminal.id), by_two()).await.ok();
        let (mut neutral, mut beside) = ([0; 32], [7; 65]);
        (neutral[0], beside[0]) = (1, 4);
        for (scheme, key) in [("ed25519", &neutral[..]), ("ed25519", &[0; 32][..]), ("p256", &beside[..])] {
            let body = json!({ "code": code["code"], "scheme": scheme, "public_key": base64(key) });
            assert_eq!(host.anonymous().post("/enrol", body).await.refusal(), (422, "invalid"), "{scheme} {key:?}");
        }
        // The code is not used up by what was refused.
        host.anonymous().post("/enrol", enrolment(&code["code"], &new_key())).await.ok();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_became_of_a_ticket_is_not_shown_to_the_next_player() {
    for host in both().await {
        let table = host.table("rws-sicbo").await;
        let (terminal, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
        let ticket = feed.ask(json!({ "type": "cash_out" })).await;
        let id = ticket["ticket"]["id"].clone();
        feed.ask(json!({ "type": "printed", "ticket": id })).await;
        // Until the next visit begins, the screen says what became of it (S17).
        feed.until("the ticket on paper", |feed| feed.view["own"]["last_ticket"]["ticket"] == id).await;
        table.manager.ok(&format!("/terminals/{}/attendant-in", terminal.id), json!({ "amount": "20.00" })).await;
        feed.credit("20.00").await;
        assert_eq!(feed.view["own"]["last_ticket"], Value::Null, "S13: of the present visit only");
    }
}
