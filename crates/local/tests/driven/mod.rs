//! Starts the real binary on a free port and talks to it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says where")]

pub(crate) mod graph;

use openreply_testkit::instagram::webhook;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

pub(crate) const SECRET: &str = "driven-instagram-secret";
pub(crate) const FACEBOOK_SECRET: &str = "driven-facebook-secret";

/// The runner. Dropping it kills it at once, as `kill -9` does.
pub(crate) struct Runner {
    child: Child,
    base: String,
    http: reqwest::Client,
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn command(dir: &Path, campaigns: &str) -> Command {
    let file = dir.join("campaigns.yaml");
    std::fs::write(&file, campaigns).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_openreply-local"));
    command
        .args(["--listen", "127.0.0.1:0", "--campaigns"])
        .arg(file)
        .arg("--data")
        .arg(dir.join("data"))
        .env("INSTAGRAM_APP_SECRET", SECRET)
        .env("FACEBOOK_APP_SECRET", FACEBOOK_SECRET)
        .env("WEBHOOK_VERIFY_TOKEN", "driven-verify")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Runner {
    pub(crate) async fn start(dir: &Path, campaigns: &str, args: &[&str]) -> Self {
        let mut child = command(dir, campaigns).args(args).stderr(Stdio::inherit()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut base = None;
        for line in stdout.lines() {
            let line = line.unwrap();
            if let Some((_, url)) = line.split_once("Page       ") {
                base = Some(url.trim_end_matches('/').to_owned());
                break;
            }
        }
        let base = base.expect("it says where its page is");
        Self { child, base, http: reqwest::Client::new() }
    }

    /// Starts it with a file that it must refuse, and returns its complaint.
    pub(crate) async fn refuse(dir: &Path, campaigns: &str) -> String {
        let output = command(dir, campaigns).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Value {
        self.http.get(format!("{}{path}", self.base)).send().await.unwrap().json().await.unwrap()
    }

    pub(crate) async fn text(&self, path: &str) -> (u16, String) {
        let response = self.http.get(format!("{}{path}", self.base)).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// What the campaign `guide` says to Anna: its link is a tracked one of this runner, the same in every version.
    pub(crate) fn guide(&self) -> String {
        format!("Hi anna! Here it is: {}/r/jky287my5exq8bpi", self.base)
    }

    /// Where a link of this runner sends a person.
    pub(crate) async fn follow(&self, path: &str) -> (u16, Option<String>) {
        let nowhere = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let request =
            nowhere.get(format!("{}{path}", self.base)).header("user-agent", "Mozilla/5.0 Instagram 350");
        let response = request.send().await.unwrap();
        let location = response.headers().get("location").map(|to| to.to_str().unwrap().to_owned());
        (response.status().as_u16(), location)
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        let response = self.http.post(format!("{}{path}", self.base)).json(body).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200, "{path}");
        response.json().await.unwrap()
    }

    /// Posts something that may be refused. Returns the status and the answer.
    pub(crate) async fn try_post(&self, path: &str, body: &Value) -> (u16, String) {
        let response = self.http.post(format!("{}{path}", self.base)).json(body).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Posts these very bytes. Returns the status and the answer.
    pub(crate) async fn post_raw(&self, path: &str, kind: &str, body: &str) -> (u16, String) {
        let request = self.http.post(format!("{}{path}", self.base)).header("content-type", kind);
        let response = request.body(body.to_owned()).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// Posts an event as Meta does. Returns the status.
    pub(crate) async fn webhook(&self, event: &Value, secret: &str) -> u16 {
        let body = event.to_string();
        let request = self
            .http
            .post(format!("{}/api/webhook", self.base))
            .header("content-type", "application/json")
            .header("x-hub-signature-256", webhook::sign(secret, body.as_bytes()))
            .body(body);
        request.send().await.unwrap().status().as_u16()
    }

    pub(crate) async fn idle(&self) {
        assert_eq!(self.get("/_local/idle").await["idle"], true);
    }

    pub(crate) async fn deliveries(&self) -> Vec<Value> {
        self.get("/_local/deliveries").await.as_array().unwrap().clone()
    }

    /// What the account wrote to a person.
    pub(crate) async fn inbox(&self, user: &str) -> Vec<String> {
        let world = self.get("/_local/world").await;
        let conversations = world["conversations"].as_array().unwrap();
        let of_user = conversations.iter().filter(|conversation| conversation["user"] == user);
        of_user
            .flat_map(|conversation| conversation["messages"].as_array().unwrap())
            .map(|message| message["text"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// A comment as Meta tells of it.
pub(crate) fn comment_event(id: &str, from: &str, username: &str, text: &str) -> Value {
    json!({"object": "instagram", "entry": [{"id": "17841400000000001", "time": 1_796_054_400, "changes": [{
        "field": "comments",
        "value": {"id": id, "text": text, "from": {"id": from, "username": username},
                  "media": {"id": "55", "media_product_type": "FEED"}},
    }]}]})
}
