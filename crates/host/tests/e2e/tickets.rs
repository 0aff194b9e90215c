//! Tickets: out of one terminal, into another or to the cage, and every way in which one is refused (S15–S17).

use std::collections::BTreeMap;

use crate::attacks::{both, passkeys};
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
    feed.ask(json!({ "type": "print_failed", "ticket": answer["ticket"]["id"] })).await;
    feed.credit("50.00").await;
    let put = json!({ "type": "ticket_in", "ticket": answer["ticket"]["number"] });
    assert_eq!(Feed::code(&feed.ask(put).await), "ticket_void", "a ticket that was not printed is worth nothing");
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
    // One wrong digit is distinguished from an unknown number.
    let last = number.chars().last().and_then(|c| c.to_digit(10)).expect("a digit");
    let wrong = format!("{}{}", &number[..17], (last + 1) % 10);
    cashier.refused(redeem, json!({ "number": wrong }), "ticket_mistyped").await;
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
    let reprint = format!("/cage/tickets/{id}/reprint");
    cashier.refused(&reprint, json!({ "reason": "torn" }), "second_person").await;
    let asked = json!({ "reason": "torn", "witness": table.supervisor.signature() });
    let again = cashier.ok(&reprint, asked).await;
    assert_eq!(again["ticket"]["reprint"], true);
    assert_ne!(&again["ticket"]["number"], number, "a duplicate has a number of its own");
    let old = feed.ask(json!({ "type": "ticket_in", "ticket": number })).await;
    assert_eq!(Feed::code(&old), "ticket_void");
    cashier.ok(&format!("/tickets/{}/printed", again["ticket"]["id"]), json!({})).await;
    let number = &again["ticket"]["number"];
    assert_eq!(Feed::code(&feed.ask(json!({ "type": "ticket_in", "ticket": number })).await), "accepted");
    feed.credit("35.00").await;
    cashier.refused("/cage/shift/close", json!({ "counted": "1025.00" }), "shift").await;
    let counts = json!([{ "denomination": "1000.00", "pieces": 1 }, { "denomination": "5.00", "pieces": 5 }]);
    cashier.ok("/cage/shift/count", json!({ "counts": counts })).await;
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
    // With a second person too, though the ticket that was replaced is void by then.
    let (key, reprint) = (cashier.next(), format!("/cage/tickets/{}/reprint", first["ticket"]["id"]));
    let asked = json!({ "reason": "torn", "witness": table.supervisor.signature() });
    let first = cashier.numbered(key, &reprint, asked.clone()).await.ok();
    assert_eq!(cashier.numbered(key, &reprint, asked).await.ok(), first, "printed again once");
    let guess = json!({ "login": table.supervisor.login, "password": "not the password" });
    let other = cashier.numbered(key, &reprint, json!({ "reason": "stained", "witness": guess })).await;
    assert_eq!(other.code(), "number_reused", "and no password is looked at: {}", other.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_ticket_in_doubt_is_offered_again_and_resolved_without_the_terminal() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, mut feed) = host.seat(&table, "standard", "a", "50.00").await;
    let slip = feed.ask(json!({ "type": "cash_out" })).await["ticket"].clone();
    // The page is loaded again: the amount is in view, and the print job is the same.
    drop(feed);
    let mut feed = terminal.feed(&host, None).await;
    feed.until("the ticket in doubt", |feed| feed.view["own"]["doubt"]["amount"] == "50.00").await;
    assert!(!feed.view.to_string().contains(slip["number"].as_str().expect("digits")), "no screen shows the number");
    let again = feed.ask(json!({ "type": "print_job" })).await;
    assert_eq!(again["ticket"]["number"], slip["number"]);
    let cashier = host.employ("cashier", "cashier-1").await;
    let mut pit = Feed::open(&table.manager.client, "/feed/pit", None).await;
    pit.until("the ticket in doubt", |feed| feed.view["pit"]["doubts"][0]["amount"] == "50.00").await;
    let resolve = format!("/tickets/{}/resolve", slip["id"]);
    let found = |finding: &str| json!({ "finding": finding, "reason": "the printer is jammed" });
    table.supervisor.refused(&resolve, found("not_printed"), "second_person").await;
    let mut signed = found("not_printed");
    signed["witness"] = table.manager.signature();
    table.supervisor.ok(&resolve, signed.clone()).await;
    feed.credit("50.00").await;
    table.supervisor.refused(&resolve, signed, "ticket_state").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    cashier.refused("/cage/redeem", json!({ "number": slip["number"] }), "ticket_void").await;
    // Another one is in the player's hand: the paper itself resolves the doubt.
    let slip = feed.ask(json!({ "type": "cash_out" })).await["ticket"].clone();
    cashier.ok("/cage/redeem", json!({ "number": slip["number"] })).await;
    cashier.refused("/cage/redeem", json!({ "number": slip["number"] }), "ticket_paid").await;
    let report = table.manager.client.get("/reports/people").await.ok();
    let codes: Vec<&Value> = report["findings"].as_array().expect("findings").iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["threshold", "enrolment-code", "doubt"], "{report}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_a_guess_counts_with_a_second_person_named_and_at_a_validator() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let guess = |at: u64| format!("{:018}", 123_456_789_012_345_600 + at);
    // Naming a second person, whose password is never looked at, hides no guess. One of these is another floor's number.
    for at in 0..21 {
        let witness = json!({ "login": table.supervisor.login, "password": "made up" });
        cashier.command("/cage/redeem", json!({ "number": guess(at), "witness": witness })).await;
    }
    cashier.refused("/cage/redeem", json!({ "number": guess(20) }), "wrong_tickets").await;
    // What a validator tries counts at its terminal.
    let terminal = host.terminal(&table, "standard", "a").await;
    let (id, key) = host.enrolled_device("validator", json!({ "terminal": terminal.id })).await;
    let mut feed = terminal.feed(&host, None).await;
    feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
    let validator = token_of(&host, "device", id, &key).await;
    let now = jiff::Timestamp::now().as_microsecond().unsigned_abs();
    let path = format!("/terminals/{}/ticket-in", terminal.id);
    for at in 0..21 {
        let validator = validator.header("idempotency-key", (now + at).to_string());
        let tried = validator.post(&path, json!({ "number": guess(at) })).await;
        assert!(["ticket_mistyped", "issued_elsewhere"].contains(&tried.code()), "{}", tried.text);
    }
    let stopped = feed.ask(json!({ "type": "ticket_in", "ticket": guess(20) })).await;
    assert_eq!(Feed::code(&stopped), "wrong_tickets", "{stopped}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s16_of_numbers_that_are_sent_at_once_five_get_an_answer() {
    for host in both().await {
        let table = host.table("rws-sicbo").await;
        let cashier = host.employ("cashier", "cashier-1").await;
        cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
        let terminal = host.terminal(&table, "standard", "a").await;
        let (id, key) = host.enrolled_device("validator", json!({ "terminal": terminal.id })).await;
        let mut feed = terminal.feed(&host, None).await;
        feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
        let validator = token_of(&host, "device", id, &key).await;
        let now = jiff::Timestamp::now().as_microsecond().unsigned_abs();
        let path = format!("/terminals/{}/ticket-in", terminal.id);
        for (client, path) in [(&cashier.client, "/cage/redeem"), (&validator, path.as_str())] {
            let (mut sent, mut tried) = (tokio::task::JoinSet::new(), BTreeMap::new());
            for at in 0..40 {
                let client = client.header("idempotency-key", (now + at).to_string());
                let (path, number) = (path.to_owned(), floor::TicketNumber::drawn("main", u128::from(at)).to_string());
                sent.spawn(async move { client.post(&path, json!({ "number": number })).await.code().to_owned() });
            }
            while let Some(code) = sent.join_next().await {
                *tried.entry(code.expect("an answer")).or_insert(0) += 1;
            }
            let expected = [("ticket_unknown".to_owned(), 5), ("wrong_tickets".to_owned(), 35)];
            assert_eq!(tried, BTreeMap::from(expected), "{path}");
        }
    }
}

/// The first days of a production floor, from its first start: two administrators with first passwords, four sealed codes,
/// a passkey, and what happens when one of the two is gone or a second factor is lost (docs/money.md).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_floor_is_begun_by_two_people_and_survives_the_loss_of_one() {
    let (host, made) = Host::empty(passkeys::in_domain).await;
    // The first start made two administrators, each with a first password that is shown once.
    let logins: Vec<&str> = made.iter().map(|(login, _)| login.as_str()).collect();
    assert_eq!(logins, ["administrator", "administrator2"]);
    // Until both have changed it they do nothing else, and neither signs for the other.
    for (login, first) in &made {
        let person = Person::sign_in(&host, login, first).await;
        assert_eq!(person.client.get("/session").await.ok()["must_change"], true);
        person.refused("/sealed-codes", json!({}), "password_change").await;
        let change = json!({ "old": first, "new": PASSWORD });
        assert_eq!(person.client.post("/session/password", change).await.status, 204);
    }
    let administrator = host.administrator().await;
    let person = |login: &str| json!({ "name": login, "post": "administrator", "login": login, "password": FIRST });
    administrator.refused("/staff", person("third"), "second_person").await;
    administrator.refused("/sealed-codes", json!({}), "second_person").await;
    administrator.refused("/sealed-codes", json!({ "witness": second() }), "half").await;
    let sealed = administrator.ok("/sealed-codes", json!({ "witness": with_half(second()) })).await;
    let codes = sealed["codes"].as_array().expect("codes").clone();
    assert_eq!(codes.len(), 4);
    let other = Person::sign_in(&host, "administrator2", PASSWORD).await;
    // One administrator alone does not shut the other out; a sealed code stands for the second person, once.
    let (post, gone) = (format!("/staff/{}/post", other.id), json!({ "post": "administrator", "active": false }));
    administrator.refused(&post, gone.clone(), "second_person").await;
    // Who made the codes has one half of each: without the half that the second person chose, it opens nothing.
    let alone = json!({ "code": codes[1], "reason": "the other administrator has left" });
    administrator.refused("/sealed-codes/open", alone, "not_found").await;
    let whole = |code: &Value| format!("{}{HALF}", code.as_str().expect("a code"));
    let open = |code: &Value| json!({ "code": whole(code), "reason": "the other administrator has left" });
    administrator.ok("/sealed-codes/open", open(&codes[1])).await;
    administrator.ok(&post, gone).await;
    administrator.refused("/staff", person("third"), "second_person").await;
    administrator.refused("/sealed-codes/open", open(&json!("AAAAA-AAAAA-AAAAA-AAAAA")), "not_found").await;
    administrator.ok("/sealed-codes/open", open(&codes[0])).await;
    administrator.ok("/staff", person("third")).await;
    administrator.refused("/staff", person("fourth"), "second_person").await;
    administrator.refused("/sealed-codes/open", open(&codes[0]), "not_found").await;
    // Until the next gaming day the new account signs for nothing of the one who made it.
    let mut fourth = person("fourth");
    let third = Person::sign_in(&host, "third", FIRST).await;
    let change = json!({ "old": FIRST, "new": PASSWORD });
    assert_eq!(third.client.post("/session/password", change).await.status, 204);
    fourth["witness"] = with_half(third.signature());
    let refused = administrator.refused("/staff", fourth, "second_person").await;
    assert_eq!(refused.body["error"]["rule"], "D27");
    // The third has lost the password. Another envelope stands for the second person, once, and its owner changes the
    // password before anything else.
    let reset = format!("/staff/{}/password", third.id);
    let lost = json!({ "login": "third", "password": FIRST });
    assert_eq!(administrator.client.post(&reset, lost.clone()).await.code(), "second_person");
    administrator.ok("/sealed-codes/open", open(&codes[2])).await;
    assert_eq!(administrator.client.post(&reset, lost.clone()).await.status, 204);
    assert_eq!(administrator.client.post(&reset, lost).await.code(), "second_person", "it has served");
    let third = Person::sign_in(&host, "third", FIRST).await;
    assert_eq!(third.client.get("/session").await.ok()["must_change"], true);
    // The third has changed the password, added a passkey and lost it: it is removed by two people, and another envelope
    // stands for the second. No one signs in with it any more, and its owner does with the password.
    let change = json!({ "old": FIRST, "new": PASSWORD });
    assert_eq!(third.client.post("/session/password", change).await.status, 204);
    let third = Person::sign_in(&host, "third", PASSWORD).await;
    let mut lost = passkeys::authenticator("lost");
    let added = passkeys::add(&third.client, &lost, PASSWORD, json!({})).await.ok();
    assert_eq!(passkeys::sign_in(&host.anonymous(), &host.anonymous(), &mut lost).await.status, 200);
    let remove = format!("/staff/{}/passkeys/{}/remove", third.id, added["id"].as_str().expect("an id"));
    assert_eq!(administrator.client.post(&remove, json!({})).await.refusal(), (403, "second_person"));
    administrator.ok("/sealed-codes/open", open(&codes[3])).await;
    assert_eq!(administrator.client.post(&remove, json!({})).await.status, 204);
    administrator.refused("/staff", person("fourth"), "second_person").await;
    assert_eq!(passkeys::sign_in(&host.anonymous(), &host.anonymous(), &mut lost).await.status, 401);
    Person::sign_in(&host, "third", PASSWORD).await;
    // All of it is in the audit of people.
    let report = administrator.client.get("/reports/people").await.ok();
    let codes: Vec<&str> =
        report["findings"].as_array().expect("findings").iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(codes.iter().filter(|code| **code == "sealed-code").count(), 4, "{codes:?}");
    assert!(codes.contains(&"dismissed") && codes.contains(&"account-alone"), "{codes:?}");
    // The password and the passkey.
    assert_eq!(codes.iter().filter(|code| **code == "credentials-alone").count(), 2, "{codes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_pit_sees_open_drawers_and_money_at_lost_terminals_and_answers_calls() {
    let host = Host::floor().await;
    let table = host.table("rws-sicbo").await;
    let (terminal, feed) = host.seat(&table, "standard", "a", "50.00").await;
    let cashier = host.employ("cashier", "cashier-1").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let mut pit = Feed::open(&table.manager.client, "/feed/pit", None).await;
    pit.until("the drawer", |feed| feed.view["pit"]["drawers"][0]["cashier"] == json!(cashier.id)).await;
    assert_eq!(pit.view["pit"]["drawers"][0]["expected"], Value::Null, "nothing says what it should hold");
    // The tickets of the day add up to what a drawer should hold: not before it is counted.
    assert_eq!(cashier.client.get("/reports/tickets").await.status, 403);
    // An administrator revokes the key of the terminal: the player's money is in sight of the pit.
    let administrator = host.administrator().await;
    assert_eq!(administrator.client.delete(&format!("/terminals/{}/key", terminal.id)).await.status, 204);
    drop(feed);
    pit.until("the money", |feed| feed.view["pit"]["held"][0]["credit"] == "50.00").await;
    pit.until("the alert", |feed| feed.view["pit"]["alerts"].to_string().contains("pay it by hand")).await;
    // A second person is called, comes, and says so.
    // The call names its act, what it is about and the most it may move (D28).
    let mut call = json!({ "reason": "a hand pay", "act": "attendant_pay", "subject": terminal.id });
    table.manager.refused("/call-second-person", call.clone(), "amount").await;
    call["amount"] = json!("50.00");
    table.manager.ok("/call-second-person", call).await;
    pit.until("the call", |feed| feed.view["pit"]["calls"][0]["reason"] == "a hand pay").await;
    let call = &pit.view["pit"]["calls"][0];
    assert_eq!((&call["act"], &call["amount"]), (&json!("attendant_pay"), &json!("50.00")));
    assert_eq!((&call["subject_kind"], &call["subject"]), (&json!("terminal"), &json!(terminal.id)));
    table.manager.refused("/answer-call", json!({}), "second_person").await;
    table.supervisor.ok("/answer-call", json!({})).await;
    pit.until("no call", |feed| feed.view["pit"]["calls"] == json!([])).await;
    table.supervisor.ok(&format!("/terminals/{}/hand-pay", terminal.id), json!({ "amount": "50.00" })).await;
    let session = table.supervisor.client.get("/session").await.ok();
    assert_eq!(session["moved_alone"], "50.00", "what the next second person signs for");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn d27_a_drawer_is_counted_blind_wherever_the_cashier_looks() {
    let host = Host::floor().await;
    let cashier = host.employ("cashier", "cashier-1").await;
    assert_eq!(cashier.client.get("/session").await.ok()["moved_alone"], "0.00");
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    cashier.ok("/cage/sell", json!({ "amount": "234.00" })).await;
    let mut cage = Feed::open(&cashier.client, "/feed/cage", None).await;
    cage.until("the drawer", |feed| feed.view["cage"]["shift"]["float"] == "1000.00").await;
    let shown = &cage.view["cage"];
    assert_eq!((&shown["moved"], &shown["shift"]["expected"]), (&Value::Null, &Value::Null));
    // What the box of the second person shows comes from here.
    assert_eq!(cashier.client.get("/session").await.ok()["moved_alone"], Value::Null);
    let large = cashier.command("/cage/sell", json!({ "amount": "9000.00" })).await;
    assert!(large.words().contains("second person") && !large.words().contains("1234"), "{}", large.text);
    let counts = json!([{ "denomination": "1.00", "pieces": 1234 }]);
    cashier.ok("/cage/shift/count", json!({ "counts": counts })).await;
    cage.until("the count", |feed| feed.view["cage"]["shift"]["expected"] == "1234.00").await;
    assert_eq!(cage.view["cage"]["moved"]["since"], "1234.00");
    assert_eq!(cashier.client.get("/session").await.ok()["moved_alone"], "1234.00");
}
