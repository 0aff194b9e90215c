//! People who have signed in, and what they send.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use super::{Answer, Client, Host};

/// The password of every person on a test floor.
pub const PASSWORD: &str = "a long enough password";

/// What the second administrator adds to a command.
pub fn second() -> Value {
    json!({ "login": "administrator2", "password": PASSWORD })
}

/// The body of what two administrators do together.
pub fn by_two() -> Value {
    json!({ "witness": second() })
}

/// The half of a password that an administrator chooses for a new person …
pub const FIRST: &str = "a password for one day";
/// … the half that the second person chooses …
pub const HALF: &str = ", and its other half";
/// … and both, which the new person changes.
pub const WHOLE: &str = "a password for one day, and its other half";

/// A second person's signature with their half of a password.
pub fn with_half(mut witness: Value) -> Value {
    witness["half"] = json!(HALF);
    witness
}

/// A person with a session.
pub struct Person {
    pub client: Client,
    pub id: u64,
    pub login: String,
    number: AtomicU64,
}

impl Person {
    pub async fn sign_in(host: &Host, login: &str, password: &str) -> Person {
        Person::sign_in_at(&host.anonymous(), login, password).await
    }

    /// The same at a host that may be in another process.
    pub async fn sign_in_at(anonymous: &Client, login: &str, password: &str) -> Person {
        Person::sign_in_with(anonymous, json!({ "login": login, "password": password })).await
    }

    /// The same with whatever a person signs in with.
    pub async fn sign_in_with(anonymous: &Client, body: Value) -> Person {
        let login = body["login"].as_str().unwrap_or_default().to_owned();
        let answer = anonymous.post("/session", body).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let body = answer.ok();
        let client = anonymous.header("cookie", cookie).header("x-croupier", "1");
        let number = AtomicU64::new(body["next_number"].as_u64().expect("a number to use"));
        Person { client, id: body["staff"].as_u64().expect("an id"), login, number }
    }

    /// The next number for a command.
    pub fn next(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    /// What a second person adds to a command.
    pub fn signature(&self) -> Value {
        json!({ "login": self.login, "password": PASSWORD })
    }

    /// A command.
    pub async fn command(&self, below: &str, body: Value) -> Answer {
        self.numbered(self.next(), below, body).await
    }

    /// A command under a number.
    pub async fn numbered(&self, number: u64, below: &str, body: Value) -> Answer {
        self.client.header("idempotency-key", number.to_string()).post(below, body).await
    }

    /// A command that is accepted; its record.
    #[track_caller]
    pub fn ok(&self, below: &str, body: Value) -> impl Future<Output = Value> {
        let place = std::panic::Location::caller();
        async move {
            let answer = self.command(below, body).await;
            assert!(answer.status.is_success(), "{place}: {below}: {} {}", answer.status, answer.text);
            answer.body
        }
    }

    /// A command that is refused with this code.
    #[track_caller]
    pub fn refused(&self, below: &str, body: Value, code: &str) -> impl Future<Output = Answer> {
        let place = std::panic::Location::caller();
        async move {
            let answer = self.command(below, body).await;
            assert_eq!(answer.code(), code, "{place}: {below}: {} {}", answer.status, answer.text);
            answer
        }
    }
}
