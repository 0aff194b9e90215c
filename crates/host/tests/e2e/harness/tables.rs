//! Tables with terminals, made over the API.

use serde_json::{Value, json};

use super::{Client, Feed, Host, PASSWORD, Person, by_two, enrolment, new_key, proof, second};

/// A table that is open, with its dealer.
pub struct Table {
    pub id: u64,
    pub dealer: Person,
    pub manager: Person,
    /// A second person of the pit.
    pub supervisor: Person,
}

/// A terminal with its key.
pub struct Terminal {
    pub id: u64,
    pub key: String,
}

impl Host {
    /// A table of a game that the dealer closes, 1.00 to 1,000.00.
    pub async fn table(&self, game: &str) -> Table {
        self.table_with(game, json!({ "betting_period": 0 })).await
    }

    /// A table with settings.
    pub async fn table_with(&self, game: &str, settings: Value) -> Table {
        let administrator = self.administrator().await;
        let mode = if game == "rws-taisai" { "bets_recorded" } else { "terminals" };
        let table = json!({ "name": game, "rulebook": game, "mode": mode, "settings": settings, "witness": second() });
        administrator.ok("/tables", table).await;
        let floor = self.anonymous().get("").await.ok();
        let id = floor["tables"].as_array().expect("tables").len() as u64 - 1;
        let manager = self.employ("pit_manager", &format!("manager-{id}")).await;
        let dealer = self.employ("dealer", &format!("dealer-{id}")).await;
        let supervisor = self.employ("pit_supervisor", &format!("supervisor-{id}")).await;
        manager.ok(&format!("/tables/{id}/open"), json!({})).await;
        dealer.ok(&format!("/tables/{id}/take"), json!({})).await;
        Table { id, dealer, manager, supervisor }
    }

    /// A terminal at a table, enrolled with a one-time code.
    pub async fn terminal(&self, table: &Table, kind: &str, layout: &str) -> Terminal {
        let administrator = self.administrator().await;
        let known = self.anonymous().get("").await.ok()["terminals"].as_array().expect("terminals").len() as u64;
        let name = format!("terminal {known}");
        administrator
            .ok("/terminals", json!({ "table": table.id, "name": name, "kind": kind, "layout": layout }))
            .await;
        let code = administrator.client.post(&format!("/terminals/{known}/code"), by_two()).await.ok();
        let key = new_key();
        let enrolled = self.anonymous().post("/enrol", enrolment(&code["code"], &key)).await.ok();
        assert_eq!(enrolled, json!({ "kind": "terminal", "id": known }), "and no secret");
        Terminal { id: known, key }
    }

    /// A terminal whose feed is open and which has credit.
    pub async fn seat(&self, table: &Table, kind: &str, layout: &str, credit: &str) -> (Terminal, Feed) {
        let terminal = self.terminal(table, kind, layout).await;
        let mut feed = terminal.feed(self, None).await;
        feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
        let put_in = json!({ "amount": credit, "witness": table.supervisor.signature() });
        table.manager.ok(&format!("/terminals/{}/attendant-in", terminal.id), put_in).await;
        feed.credit(credit).await;
        feed.until("a usable terminal", |feed| feed.view["own"]["usable"] == true).await;
        (terminal, feed)
    }

    /// A device at a table with its feed.
    pub async fn device(&self, table: &Table, kind: &str) -> (u64, Feed) {
        let (id, key) = self.enrolled_at(table, kind).await;
        (id, Feed::prove(&self.anonymous(), "device", id, &key, Value::Null).await)
    }

    /// A device at a table with its key: another administrator signs (D19).
    pub async fn enrolled_at(&self, table: &Table, kind: &str) -> (u64, String) {
        self.enrolled_device(kind, json!({ "table": table.id })).await
    }

    /// A device at a place with its feed.
    pub async fn device_at(&self, kind: &str, place: Value) -> (u64, Feed) {
        let (id, key) = self.enrolled_device(kind, place).await;
        (id, Feed::prove(&self.anonymous(), "device", id, &key, Value::Null).await)
    }

    /// A device at a place with its key.
    pub async fn enrolled_device(&self, kind: &str, place: Value) -> (u64, String) {
        let administrator = self.administrator().await;
        let witness = second();
        let device = json!({ "name": format!("the {kind}"), "kind": kind, "place": place, "witness": witness });
        administrator.ok("/devices", device).await;
        let id = self.running.app.read(|floor| floor.devices().len() as u64 - 1);
        let code = administrator.client.post(&format!("/devices/{id}/code"), by_two()).await.ok();
        let key = new_key();
        self.anonymous().post("/enrol", enrolment(&code["code"], &key)).await.ok();
        (id, key)
    }
}

impl Terminal {
    /// Its feed.
    pub async fn feed(&self, host: &Host, cursor: Option<&str>) -> Feed {
        self.feed_with(host, json!(cursor)).await
    }

    /// Its feed, with whatever in place of a cursor.
    pub async fn feed_with(&self, host: &Host, cursor: Value) -> Feed {
        Feed::prove(&host.anonymous(), "terminal", self.id, &self.key, cursor).await
    }
}

/// The entry of a result with everything affirmed that a document may ask for.
pub fn entry(outcome: &str) -> Value {
    json!({ "outcome": outcome, "affirmed": ["times", "direction", "cover", "after-close", "flat", "rest"] })
}

impl Table {
    pub fn path(&self, below: &str) -> String {
        format!("/tables/{}{below}", self.id)
    }

    /// The same people, signed in again: a session may be of another time.
    pub async fn again(&self, host: &Host) -> Table {
        let dealer = Person::sign_in(host, &self.dealer.login, PASSWORD).await;
        let manager = Person::sign_in(host, &self.manager.login, PASSWORD).await;
        let supervisor = Person::sign_in(host, &self.supervisor.login, PASSWORD).await;
        Table { id: self.id, dealer, manager, supervisor }
    }

    /// What the dealer does.
    pub async fn does(&self, below: &str, body: Value) {
        self.dealer.ok(&self.path(below), body).await;
    }

    /// Bets are open, by whatever the game's procedure asks for.
    pub async fn open_bets(&self, game: &str) {
        if game == "mbs-sicbo" {
            self.does("/begin-round", json!({})).await;
        }
        // There is no device at the table: the dealer affirms the points of the document (D19).
        let affirmed = if game == "mbs-sicbo" { json!(["cover", "times"]) } else { json!([]) };
        self.does("/open-bets", json!({ "affirmed": affirmed })).await;
    }

    /// Bets are closed, and these terminals have shown it.
    pub async fn close_bets(&self, feeds: &mut [&mut Feed]) {
        self.does("/close-bets", json!({})).await;
        for feed in feeds {
            feed.acknowledge().await;
        }
    }

    /// The result is entered and confirmed.
    pub async fn result(&self, outcome: &str) {
        self.does("/result", entry(outcome)).await;
        self.does("/confirm", json!({})).await;
    }
}

/// A client that speaks over HTTP with a token of the key of a terminal or device.
pub async fn token_of(host: &Host, kind: &str, id: u64, key: &str) -> Client {
    let nonce = host.anonymous().post("/keys/challenge", json!({})).await.ok();
    let nonce = nonce["nonce"].as_str().expect("a nonce");
    let body = json!({ "kind": kind, "id": id, "nonce": nonce, "proof": proof(key, kind, id, nonce) });
    let token = host.anonymous().post("/keys/prove", body).await.ok();
    host.anonymous().header("authorization", format!("Bearer {}", token["token"].as_str().expect("a token")))
}
