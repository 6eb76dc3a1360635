//! Conversations as a person would walk them on the page: the real binary, driven over its HTTP interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[expect(dead_code, reason = "each suite drives what it needs of it")]
mod driven;

use driven::{Runner, SECRET};
use openreply_testkit::instagram::webhook::{Conversation, message_event, tap_event};
use serde_json::{Value, json};

const ACCOUNT: &str = "17841400000000001";

const CAMPAIGNS: &str = r#"
accounts:
  - id: "17841400000000001"
    username: bakery
    token: "driven-token"
    opt_out: { stop_words: [PARAR], confirmation: "No more of this." }
campaigns:
  - id: course
    account: "17841400000000001"
    keywords: [course]
    opening: { text: "Shall I send you the {keyword}, {username}? Answer YES", reply_words: YES }
    follow_gate: { text: "Follow us, then tap", button: Done, acknowledgement: "One moment" }
    dm: "Here it is"
    buttons: true
    links: [{ url: "https://example.com/course", label: Start }]
    follow_up: { text: "How was it?", after_minutes: 60 }
  - id: voucher
    account: "17841400000000001"
    keywords: [voucher]
    dm_trigger: true
    dm: "Ten percent off"
"#;

async fn advance(runner: &Runner, seconds: u32) {
    runner.post("/_local/advance", &json!({ "seconds": seconds })).await;
}

async fn says(runner: &Runner, text: &str) -> Value {
    let body = json!({ "account": ACCOUNT, "from": "900", "username": "anna", "text": text });
    let told = runner.post("/_local/message", &body).await;
    runner.idle().await;
    told
}

/// The last message of the account to the person, as the page shows it.
async fn last(runner: &Runner) -> Value {
    let world = runner.get("/_local/world").await;
    let messages = world["conversations"][0]["messages"].as_array().unwrap().clone();
    messages.into_iter().rfind(|message| message["from_account"] == true).unwrap()
}

#[tokio::test]
async fn a_person_walks_from_a_comment_to_the_follow_up() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let comment = json!({ "account": ACCOUNT, "media": "55", "from": "900", "username": "anna", "text": "the course!" });
    runner.post("/_local/comment", &comment).await;
    runner.idle().await;
    assert_eq!(last(&runner).await["text"], "Shall I send you the course, anna? Answer YES");

    // They answer and do not follow: after a while of asking they are asked to.
    let told = says(&runner, "yes please").await;
    assert_eq!(told["trigger"], format!("message:{ACCOUNT}:{}", told["message"].as_str().unwrap()));
    assert_eq!(last(&runner).await["text"], "One moment");
    let story = runner.get(&format!("/_local/story?trigger={}", told["trigger"].as_str().unwrap())).await;
    let steps: Vec<&str> =
        story["steps"].as_array().unwrap().iter().map(|step| step["what"].as_str().unwrap()).collect();
    assert_eq!(steps, ["Message written", "Webhook recorded and queued", "Nothing of its own"]);
    advance(&runner, 60).await;
    let prompt = last(&runner).await;
    assert_eq!(prompt["text"], "Follow us, then tap");
    assert_eq!(prompt["buttons"][0]["title"], "Done");

    // They follow, wait until it shows, and tap.
    let follow = json!({ "account": ACCOUNT, "from": "900", "follows": true });
    assert_eq!(runner.post("/_local/follow", &follow).await["follows"], true);
    advance(&runner, 60).await;
    let tap = json!({ "account": ACCOUNT, "from": "900", "payload": prompt["buttons"][0]["payload"] });
    let told = runner.post("/_local/tap", &tap).await;
    assert_eq!(told["trigger"], format!("tap:{ACCOUNT}:{}", told["tap"].as_str().unwrap()));
    runner.idle().await;
    let reveal = last(&runner).await;
    assert_eq!(reveal["text"], "Here it is");
    assert_eq!(reveal["buttons"][0]["title"], "Start");
    let url = reveal["buttons"][0]["url"].as_str().unwrap();
    let (_, slug) = url.split_once("/r/").unwrap();
    assert_eq!(
        runner.follow(&format!("/r/{slug}")).await,
        (302, Some("https://example.com/course".to_owned()))
    );

    advance(&runner, 3_600).await;
    assert_eq!(last(&runner).await["text"], "How was it?");
    let legs: Vec<(String, String)> = runner
        .deliveries()
        .await
        .iter()
        .filter(|row| row["status"] == "SENT")
        .map(|row| (row["leg"].as_str().unwrap().to_owned(), row["trigger"].as_str().unwrap().to_owned()))
        .collect();
    for leg in ["dm", "acknowledgement", "follow_prompt", "reveal", "follow_up"] {
        assert_eq!(legs.iter().filter(|(sent, _)| sent == leg).count(), 1, "{leg}: {legs:?}");
    }
    let trigger = format!("follow_up:{ACCOUNT}:900:course");
    assert!(legs.contains(&("follow_up".to_owned(), trigger)), "{legs:?}");
}

#[tokio::test]
async fn a_keyword_by_message_reveals_and_an_opt_out_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    says(&runner, "voucher?").await;
    assert_eq!(last(&runner).await["text"], "Ten percent off");
    says(&runner, "parar").await;
    assert_eq!(last(&runner).await["text"], "No more of this.");
    says(&runner, "voucher?").await;
    says(&runner, "parar").await;
    let from_account = runner.inbox("900").await;
    assert_eq!(from_account.len(), 6, "four of the person and two of the account: {from_account:?}");
    says(&runner, "START").await;
    says(&runner, "voucher").await;
    assert_eq!(last(&runner).await["text"], "Ten percent off");
    assert_eq!(runner.inbox("900").await.len(), 9);
}

#[tokio::test]
async fn what_only_a_signed_webhook_tells_of_is_answered_too() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let now = runner.get("/_local/world").await["now"].as_str().unwrap().parse().unwrap();
    let between = Conversation { account: ACCOUNT, user: "901", at: now };
    for _ in 0..3 {
        assert_eq!(runner.webhook(&message_event(&between, "mid.1", "voucher"), SECRET).await, 200);
        assert_eq!(
            runner.webhook(&tap_event(&between, "mid.2", "?", "openreply:comment:1:2"), SECRET).await,
            200
        );
    }
    runner.idle().await;
    assert_eq!(runner.inbox("901").await, ["voucher", "Ten percent off"]);
}

#[tokio::test]
async fn what_cannot_be_done_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    for (path, body) in [
        ("/_local/message", json!({ "account": ACCOUNT, "from": "900", "text": "" })),
        ("/_local/message", json!({ "account": "", "from": "900", "text": "x" })),
        ("/_local/message", json!({ "account": ACCOUNT, "from": "9#0", "text": "x" })),
        ("/_local/tap", json!({ "account": ACCOUNT, "from": "900" })),
        ("/_local/follow", json!({ "account": ACCOUNT, "from": "900", "follows": "yes" })),
        ("/_local/follow", json!({ "account": ACCOUNT, "from": "900", "follows": true, "x": 1 })),
    ] {
        let (status, answer) = runner.try_post(path, &body).await;
        assert_eq!(status, 400, "{path} {body}");
        assert!(answer.starts_with("{\"error\":\""), "{path} {body}: {answer}");
    }
}
