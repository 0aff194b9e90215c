//! Tickets: out of one terminal, into another or to the cage, and every way in which one is refused (S15–S17).

use crate::harness::*;

/// A ticket of so much, printed.
async fn ticket(feed: &mut Feed) -> Value {
    let answer = feed.ask(json!({ "type": "cash_out" })).await;
    let ticket = answer["ticket"].clone();
    assert!(ticket.is_object(), "{answer}");
    feed.ask(json!({ "type": "printed", "ticket": ticket["id"] })).await;
    ticket
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_goes_out_of_one_terminal_and_into_another() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut first) = host.seat(&table, "standard", "a", "123.00").await;
    let (_, mut second) = host.seat(&table, "standard", "c", "10.00").await;
    let ticket = ticket(&mut first).await;
    first.credit("0.00").await;
    let digits = ticket["number"].as_str().expect("digits");
    assert_eq!((digits.len(), &ticket["amount"]), (18, &json!("123.00")));
    assert_eq!(ticket["terminal"], "terminal 0");
    assert!(ticket["words"]["en"].as_str().is_some_and(|words| !words.is_empty()));
    assert!(ticket["expires"].as_i64() > ticket["issued"].as_i64());
    let put = json!({ "type": "ticket_in", "ticket": digits });
    assert_eq!(Feed::code(&second.ask(put.clone()).await), "accepted");
    second.credit("133.00").await;
    assert_eq!(Feed::code(&second.ask(put.clone()).await), "ticket_paid");
    assert_eq!(Feed::code(&first.ask(put).await), "ticket_paid");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_print_loses_nothing() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let answer = feed.ask(json!({ "type": "cash_out" })).await;
    feed.until("put aside", |feed| feed.view["own"]["printing"] == "50.00").await;
    let put = json!({ "type": "ticket_in", "ticket": answer["ticket"]["number"] });
    assert_ne!(Feed::code(&feed.ask(put).await), "accepted", "a ticket that was not printed is worth nothing");
    feed.ask(json!({ "type": "print_failed", "ticket": answer["ticket"]["id"] })).await;
    feed.credit("50.00").await;
    feed.until("nothing aside", |feed| feed.view["own"]["printing"] == "0.00").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cage_tells_apart_unknown_paid_different_and_issued_elsewhere() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let ticket = ticket(&mut feed).await;
    let cashier = host.employ("cashier", "cashier-1").await;
    let number = ticket["number"].as_str().expect("digits");
    let redeem = "/cage/redeem";
    cashier.refused(redeem, json!({ "number": number }), "shift").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    cashier.refused(redeem, json!({ "number": "12" }), "invalid").await;
    cashier.refused(redeem, json!({ "number": number, "amount": "51.00" }), "ticket_differs").await;
    // One digit of the part that cannot be guessed is wrong.
    let last = number.chars().last().and_then(|c| c.to_digit(10)).expect("a digit");
    let wrong = format!("{}{}", &number[..17], (last + 1) % 10);
    let answer = cashier.command(redeem, json!({ "number": wrong })).await;
    assert!(matches!(answer.refusal(), (404, "ticket_unknown") | (422, "invalid")), "{}", answer.text);
    table.dealer.refused(redeem, json!({ "number": number }), "rank").await;
    cashier.ok(redeem, json!({ "number": number, "amount": "50.00" })).await;
    cashier.refused(redeem, json!({ "number": number }), "ticket_paid").await;

    let elsewhere = Host::with(|config| config.floor = "elsewhere".to_owned()).await;
    let elsewhere = Host { floor: "elsewhere".to_owned(), ..elsewhere };
    let cashier = elsewhere.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    cashier.refused(redeem, json!({ "number": number }), "issued_elsewhere").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cage_sells_a_ticket_that_a_terminal_takes_and_a_reprint_says_so() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "10.00").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let sold = cashier.ok("/cage/sell", json!({ "amount": "25.00" })).await;
    let (id, number) = (&sold["ticket"]["id"], &sold["ticket"]["number"]);
    let again = cashier.ok(&format!("/cage/tickets/{id}/reprint"), json!({})).await;
    assert_eq!((&again["ticket"]["number"], &again["ticket"]["reprint"]), (number, &json!(true)));
    assert_eq!(Feed::code(&feed.ask(json!({ "type": "ticket_in", "ticket": number })).await), "accepted");
    feed.credit("35.00").await;
    cashier.ok("/cage/shift/close", json!({ "counted": "1025.00" })).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cash_out_and_a_sale_asked_again_give_the_first_ticket() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let number = feed.number();
    feed.send(json!({ "type": "cash_out", "number": number })).await;
    let first = feed.answer(number).await;
    feed.messages.clear();
    feed.send(json!({ "type": "cash_out", "number": number })).await;
    let again = feed.answer(number).await;
    assert_eq!(again["ticket"]["number"], first["ticket"]["number"], "{again}");
    assert_eq!(again["accepted"], first["accepted"]);
    let cashier = host.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let key = cashier.next();
    let first = cashier.numbered(key, "/cage/sell", json!({ "amount": "25.00" })).await.ok();
    let again = cashier.numbered(key, "/cage/sell", json!({ "amount": "25.00" })).await.ok();
    assert_eq!(first, again, "sold once");
    let other = cashier.numbered(key, "/cage/sell", json!({ "amount": "26.00" })).await;
    assert_eq!(other.code(), "number_reused");
}
