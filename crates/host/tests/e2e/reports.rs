//! The papers a casino files, over HTTP: who may read them, what they say, and in which forms they come.

use crate::harness::*;

/// A table with one settled round: 10.00 on small lost, 5.00 on double/2 won 57.50 and came back.
async fn played(host: &Host) -> Table {
    let table = host.table("rws-sicbo").await;
    let (_, mut feed) = host.seat(&table, "standard", "a", "100.00").await;
    table.open_bets("rws-sicbo").await;
    let answer = feed.bet(&[("big", "10.00"), ("double/2", "5.00")]).await;
    assert!(answer["error"].is_null(), "{answer}");
    table.close_bets(&mut [&mut feed]).await;
    table.result("2-2-3").await;
    feed.credit("147.50").await;
    table
}

/// An auditor reads everything.
async fn auditor(host: &Host) -> Person {
    host.employ("auditor", "auditor").await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_day_adds_up_to_what_was_played() {
    let host = Host::floor().await;
    let table = played(&host).await;
    let reader = auditor(&host).await;
    let day = reader.client.get("/reports/day").await.ok();
    assert_eq!(day["total"]["games"], 1);
    assert_eq!(day["total"]["turnover"], "15.00");
    assert_eq!(day["total"]["drop"], "100.00");
    // Ten lost, fifty-seven and a half paid.
    assert_eq!(day["total"]["win"], "-47.50");
    // 10 × 1/36 + 5 × 2/27.
    assert_eq!(day["total"]["theoretical_exact"], "35/54");
    // More than 1.96 standard deviations below: once in a while that is so.
    assert_eq!(day["total"]["within"], false);
    assert_eq!(day["agrees"], true);
    assert_eq!(day["over"], false);
    assert!(day["up_to"]["journal"].is_null(), "the records have everything: {}", day["up_to"]);
    assert_eq!(day["tables"][0]["table"], table.id);
    let of = day["period"]["first"].as_str().expect("a day");
    let same = reader.client.get(&format!("/reports/day?day={of}")).await.ok();
    assert_eq!(same["total"], day["total"]);
    let hours = reader.client.get(&format!("/reports/table/{}?from={of}&to={of}", table.id)).await.ok();
    assert_eq!(hours["total"], day["total"]);
    assert_eq!(hours["results"], json!(["2-2-3"]));
    assert_eq!(hours["outcomes"], json!([{ "outcome": "2-2-3", "count": 1 }]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_round_comes_with_every_bet_and_its_proof() {
    let host = Host::floor().await;
    played(&host).await;
    let reader = auditor(&host).await;
    let rounds = reader.client.get("/records/rounds").await.ok();
    let round = rounds["rounds"][0]["round"].as_u64().expect("a round");
    let report = reader.client.get(&format!("/reports/round/{round}")).await.ok();
    assert_eq!(report["round"]["players"][0]["bets"].as_array().expect("bets").len(), 2);
    assert_eq!(report["round"]["players"][0]["returned"], "62.50");
    assert_eq!(report["pay_tables"][0]["spots"].as_array().expect("spots").len(), 56);
    let proof = &report["proof"];
    assert_eq!(proof["first"], report["first_record"]);
    assert_eq!(proof["chain"].as_str().map(str::len), Some(64), "{proof}");
    let text = reader.client.get(&format!("/reports/round/{round}?format=text")).await;
    assert!(text.text.contains("double/2") && text.text.contains("62.50"), "{}", text.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_report_comes_as_data_and_in_four_papers() {
    let host = Host::floor().await;
    let table = played(&host).await;
    let cashier = host.employ("cashier", "cashier").await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let reader = auditor(&host).await;
    let rounds = reader.client.get("/records/rounds").await.ok();
    let round = rounds["rounds"][0]["round"].as_u64().expect("a round");
    let reports = [
        "/reports/day".to_owned(),
        format!("/reports/table/{}", table.id),
        "/reports/terminal/0".to_owned(),
        "/reports/shift".to_owned(),
        "/reports/shift/0".to_owned(),
        "/reports/tickets".to_owned(),
        "/reports/voids".to_owned(),
        "/reports/events".to_owned(),
        "/reports/events?kind=configuration".to_owned(),
        format!("/reports/round/{round}"),
    ];
    for path in reports {
        let data = reader.client.get(&path).await;
        assert_eq!(data.header("content-type"), "application/json", "{path}");
        let data = data.ok();
        assert!(data["up_to"]["sequence"].as_u64() > Some(0), "{path}: {data}");
        for (form, kind, begins, end) in [
            ("html", "text/html; charset=utf-8", "<!", ".html\""),
            ("pdf", "application/pdf", "%PDF-", ".pdf\""),
            ("csv", "text/csv; charset=utf-8", "", ".csv\""),
            ("text", "text/plain; charset=utf-8", "", ".txt\""),
        ] {
            let and = if path.contains('?') { '&' } else { '?' };
            let paper = reader.client.get(&format!("{path}{and}format={form}")).await;
            assert_eq!(paper.status, 200, "{path} {form}: {}", paper.text);
            assert_eq!(paper.header("content-type"), kind, "{path}");
            assert!(paper.text.starts_with(begins) && paper.text.len() > 60, "{path} {form}");
            assert!(paper.header("content-disposition").ends_with(end), "{}", paper.header("content-disposition"));
            assert!(paper.header("content-security-policy").starts_with("default-src 'none'"), "{path}");
            assert_eq!(paper.header("cache-control"), "no-store");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_are_for_those_whose_post_it_is() {
    let host = Host::floor().await;
    let table = played(&host).await;
    let supervisor = host.employ("pit_supervisor", "supervisor").await;
    let cashier = host.employ("cashier", "cashier").await;
    let terminal = host.terminal(&table, "standard", "a").await;
    drop(terminal);
    let house = ["/reports/day", "/reports/table/0", "/reports/voids", "/reports/events", "/reports/round/1"];
    let cage = ["/reports/shift", "/reports/tickets", "/reports/slips", "/reports/terminal/0"];
    for path in house.into_iter().chain(cage) {
        assert_eq!(host.anonymous().get(path).await.refusal(), (401, "sign_in"), "{path}");
        assert_eq!(table.dealer.client.get(path).await.refusal(), (403, "forbidden"), "{path}");
        assert_ne!(supervisor.client.get(path).await.status, 403, "{path}");
    }
    // The records behind them are for the same people.
    for path in house.into_iter().chain(["/records/events", "/records/rounds", "/records/rounds/1"]) {
        assert_eq!(cashier.client.get(path).await.refusal(), (403, "forbidden"), "{path}");
    }
    for path in cage {
        assert_eq!(cashier.client.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_reported_is_refused_by_its_name() {
    let host = Host::floor().await;
    played(&host).await;
    let reader = auditor(&host).await;
    for (path, status, code, says) in [
        ("/reports/day?day=yesterday", 422, "invalid", "day: "),
        ("/reports/day?day=2099-01-01", 404, "no_such_day", "2099-01-01"),
        ("/reports/day?day=1999-01-01", 404, "no_such_day", "1999-01-01"),
        ("/reports/day?format=doc", 400, "malformed", "format"),
        ("/reports/day?colour=red", 400, "malformed", "colour"),
        ("/reports/table/9", 404, "unknown_table", "table 9"),
        ("/reports/table/0?from=2020-02-30", 422, "invalid", "from or to: "),
        ("/reports/table/0?from=2020-01-01", 422, "invalid", "from: at most 92 days"),
        ("/reports/terminal/99", 404, "unknown_terminal", "terminal 99"),
        ("/reports/shift/7", 404, "unknown_shift", "shift 7"),
        ("/reports/events?kind=weather", 422, "invalid", "kind: 'weather'"),
        ("/reports/round/4711", 404, "unknown_round", "round 4711"),
        ("/reports/slips/1", 404, "unknown_slip", "record 1"),
    ] {
        let answer = reader.client.get(path).await;
        assert_eq!(answer.refusal(), (status, code), "{path}: {}", answer.text);
        assert!(answer.words().contains(says), "{path}: {}", answer.words());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slip_is_printed_again_and_is_the_pits_or_the_cages() {
    let host = Host::floor().await;
    let table = played(&host).await;
    let cashier = host.employ("cashier", "cashier").await;
    let opened = cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    let number = opened["accepted"].as_u64().expect("a record");
    let slip = cashier.client.get(&format!("/reports/slips/{number}")).await.ok();
    assert_eq!((&slip["slip"]["kind"], &slip["slip"]["amount"]), (&json!("float"), &json!("1000.00")));
    let counts = json!([{ "denomination": "100.00", "pieces": 9 }]);
    cashier.ok("/cage/shift/count", json!({ "counts": counts })).await;
    let body = json!({ "counted": "900.00", "reason": "a note is missing", "witness": table.manager.signature() });
    let closed = cashier.ok("/cage/shift/close", body).await;
    let number = closed["accepted"].as_u64().expect("a record");
    let slip = cashier.client.get(&format!("/reports/slips/{number}")).await.ok()["slip"].clone();
    assert_eq!(slip["counts"], counts);
    assert_eq!((&slip["held"], &slip["difference"]), (&json!("1000.00"), &json!("-100.00")));
    assert_eq!(slip["reason"], "a note is missing");
    assert!(slip["second"].is_string(), "{slip}");
    let paper = cashier.client.get(&format!("/reports/slips/{number}?format=text")).await;
    assert!(paper.text.contains("COPY"), "{}", paper.text);
    let day = cashier.client.get("/reports/slips").await.ok();
    assert_eq!(day["slips"].as_array().map(Vec::len), Some(3), "{day}");
    assert_eq!(table.dealer.client.get("/reports/slips").await.refusal(), (403, "forbidden"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_drawer_should_hold_is_hidden_until_it_is_counted_whatever_post_asks() {
    let host = Host::floor().await;
    let cashier = host.employ("cashier", "cashier").await;
    let manager = host.employ("pit_manager", "manager").await;
    let reader = auditor(&host).await;
    cashier.ok("/cage/shift/open", json!({ "float": "1000.00" })).await;
    cashier.ok("/cage/sell", json!({ "amount": "50.00" })).await;
    let supervisor = host.employ("pit_supervisor", "supervisor").await;
    let acting = format!("/staff/{}/acting", cashier.id);
    let witness = supervisor.signature();
    manager.ok(&acting, json!({ "post": "pit_supervisor", "witness": witness })).await;
    // A change of post ends the sessions of before.
    let cashier = Person::sign_in(&host, "cashier", PASSWORD).await;
    let moved = |list: &Value| {
        let rows = list["moved"].as_array().cloned().unwrap_or_default();
        rows.iter().any(|row| row["staff"] == json!(cashier.id))
    };
    for person in [&cashier, &manager] {
        assert_eq!(person.client.get("/reports/shift/0").await.refusal(), (403, "forbidden"));
        assert_eq!(person.client.get("/reports/shift").await.ok()["shifts"], json!([]));
        assert!(!moved(&person.client.get("/pit/moved").await.ok()));
        assert!(!moved(&person.client.get("/reports/people").await.ok()));
    }
    assert_eq!(cashier.client.get("/reports/tickets").await.refusal(), (403, "forbidden"));
    assert_eq!(reader.client.get("/reports/shift/0").await.status, 200);
    assert!(moved(&reader.client.get("/reports/people").await.ok()));
    manager.ok(&acting, json!({ "post": null })).await;
    let cashier = Person::sign_in(&host, "cashier", PASSWORD).await;
    let counts = json!([{ "denomination": "50.00", "pieces": 21 }]);
    cashier.ok("/cage/shift/count", json!({ "counts": counts })).await;
    assert_eq!(cashier.client.get("/reports/shift/0").await.status, 200);
    assert_eq!(manager.client.get("/reports/shift/0").await.status, 200);
    assert!(moved(&manager.client.get("/pit/moved").await.ok()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reports_of_a_demonstration_are_marked_as_one_and_others_are_not() {
    let host = Host::demonstration_with(|config| config.demonstration_deals = false).await;
    let manager = host.demo_staff("manager1").await;
    let paper = |client: Client, form: &'static str| async move {
        client.get(&format!("/reports/day?format={form}")).await.text
    };
    let html = "<p class=\"stamp\">DEMONSTRATION";
    assert!(paper(manager.client.clone(), "html").await.contains(html));
    assert!(paper(manager.client.clone(), "text").await.contains("[DEMONSTRATION"));
    let floor = Host::floor().await;
    let reader = auditor(&floor).await;
    assert!(!paper(reader.client.clone(), "html").await.contains("DEMONSTRATION"));
}
