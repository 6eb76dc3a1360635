//! Every rule over real HTTP, and what is kept.

mod buttons;
mod faults;
mod people;
mod persistence;
mod reads;
mod tokens;
mod webhooks;
mod writes;

use super::{Answered, FakeInstagram, NewComment, Serving};
use openreply_app::ports::Clock;
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const ACCOUNT: &str = "17841400000000001";
const MEDIA: &str = "18000000000000001";
const ANNA: &str = "9001";

/// A clock that a test moves by hand.
struct HandClock(Mutex<Timestamp>);

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }
}

impl HandClock {
    fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new("2026-11-01T12:00:00Z".parse().unwrap())))
    }

    fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap();
        *now = after(*now, by);
    }
}

/// A fake Instagram that listens, and a client without any cleverness.
struct Stand {
    clock: Arc<HandClock>,
    fake: Arc<FakeInstagram<HandClock>>,
    serving: Serving,
    http: reqwest::Client,
}

impl Stand {
    async fn new() -> Self {
        let clock = HandClock::new();
        let fake = FakeInstagram::new(Arc::clone(&clock));
        fake.name_account(&account(), "bakery");
        let serving = fake.serve().await.unwrap();
        Self { clock, fake, serving, http: reqwest::Client::new() }
    }

    fn comment(&self, text: &str) -> CommentId {
        self.fake.comment(comment_of(ANNA, text, None))
    }

    async fn private_reply(&self, comment: &str, text: &str) -> (u16, Value) {
        let body = json!({ "recipient": { "comment_id": comment }, "message": { "text": text } });
        self.post(&format!("{ACCOUNT}/messages"), &body).await
    }

    async fn direct_message(&self, user: &str, text: &str) -> (u16, Value) {
        let body = json!({ "recipient": { "id": user }, "message": { "text": text } });
        self.post(&format!("{ACCOUNT}/messages"), &body).await
    }

    /// A button template for a person, or for whoever wrote a comment.
    async fn template(&self, recipient: Value, text: &str, buttons: Value) -> (u16, Value) {
        let payload = json!({ "template_type": "button", "text": text, "buttons": buttons });
        let message = json!({ "attachment": { "type": "template", "payload": payload } });
        self.post(&format!("{ACCOUNT}/messages"), &json!({ "recipient": recipient, "message": message }))
            .await
    }

    async fn public_reply(&self, comment: &str, text: &str) -> (u16, Value) {
        self.post(&format!("{comment}/replies"), &json!({ "message": text })).await
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.send(self.http.post(self.url(path)).bearer_auth("IGAA-any").json(body)).await
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.send(self.http.get(self.url(path)).bearer_auth("IGAA-any")).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> (u16, Value) {
        let response = request.send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }

    fn url(&self, path: &str) -> String {
        format!("{}/v25.0/{path}", self.serving.base())
    }

    fn texts(&self) -> Vec<String> {
        self.fake.inbox(&account(), &user(ANNA)).into_iter().map(|message| message.text).collect()
    }

    fn last_answer(&self) -> Answered {
        self.fake.calls().last().unwrap().answer
    }
}

fn comment_of(from: &str, text: &str, parent: Option<&CommentId>) -> NewComment {
    NewComment {
        account: account(),
        media: MediaId::parse(MEDIA).unwrap(),
        from: user(from),
        username: Some("anna".to_owned()),
        text: text.to_owned(),
        parent: parent.cloned(),
    }
}

fn account() -> AccountId {
    AccountId::parse(ACCOUNT).unwrap()
}

fn user(id: &str) -> UserId {
    UserId::parse(id).unwrap()
}

/// The HTTP status, the code and the subcode of a refusal.
fn refusal(answer: &(u16, Value)) -> (u16, i64, Option<i64>) {
    let error = &answer.1["error"];
    assert!(error["message"].is_string() && error["type"].is_string() && error["fbtrace_id"].is_string());
    (answer.0, error["code"].as_i64().unwrap(), error["error_subcode"].as_i64())
}
