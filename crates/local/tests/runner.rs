//! The local runner as its users drive it: the real binary, its real HTTP interface, a real kill.

mod driven;

use driven::graph::ForeignGraph;
use driven::{Runner, SECRET, comment_event};
use openreply_testkit::sockets::{Reply, Script, ScriptedServer};
use serde_json::json;
use std::time::Duration;

const CAMPAIGNS: &str = r#"
accounts:
  - { id: "17841400000000001", username: bakery, token: "driven-token" }
campaigns:
  - id: guide
    account: "17841400000000001"
    keywords: [LINK]
    dm: "Hi {username}! Here it is: {link}"
    links: [{ url: "https://example.com/guide" }]
    public_replies: ["Sent! Check your DMs"]
  - id: everything
    account: "17841400000000001"
    match: any_word
    dm: "Thanks!"
"#;

#[tokio::test]
async fn a_comment_becomes_one_message_however_often_it_is_told_of_and_is_there_after_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let told = runner
        .post("/_local/comment", &json!({"account": "17841400000000001", "media": "55", "from": "900", "username": "anna", "text": "link please"}))
        .await;
    let comment = told["comment"].as_str().unwrap();
    assert_eq!(told["trigger"], format!("comment:17841400000000001:{comment}"));
    for _ in 0..3 {
        let event = comment_event(comment, "900", "anna", "link please");
        assert_eq!(runner.webhook(&event, SECRET).await, 200);
    }
    runner.idle().await;

    let rows = runner.deliveries().await;
    let found: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| {
            (row["campaign"].as_str().unwrap(), row["leg"].as_str().unwrap(), row["status"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        found,
        [("guide", "dm", "SENT"), ("everything", "dm", "SKIPPED_DEDUP"), ("guide", "public_reply", "SENT")],
        "{rows:#?}"
    );
    assert_eq!(rows[0]["attempts"], 1);
    assert_eq!(rows[0]["waiting_for"], json!(null));
    assert!(rows[1]["reason"].as_str().unwrap().contains("guide"));
    let inbox = runner.inbox("900").await;
    let [text] = inbox.as_slice() else { panic!("one message: {inbox:?}") };
    let (said, slug) = text.split_once("/r/").unwrap();
    assert!(said.starts_with("Hi anna! Here it is: http://127.0.0.1:"), "{text}");
    assert_eq!(
        runner.follow(&format!("/r/{slug}")).await,
        (302, Some("https://example.com/guide".to_owned()))
    );
    let brought = runner.get("/_local/links").await;
    assert_eq!(brought[0]["campaign"], "guide");
    assert_eq!(
        (&brought[0]["sent"], &brought[0]["clicks"], &brought[0]["visitors"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(brought[0]["links"][0]["url"], "https://example.com/guide");
    assert_eq!(runner.text("/r/nothing").await.0, 404);
    assert_eq!(runner.try_post("/_local/stop", &json!({"x": 1})).await.0, 400);
    let under_nothing = json!({"account": ACCOUNT, "media": "55", "from": "1", "text": "LINK", "lost": true, "parent": "999"});
    assert_eq!(runner.try_post("/_local/comment", &under_nothing).await.0, 400);
    for (path, wanted) in [
        ("/_local/delivery", 404),
        ("/_local/comment", 405),
        ("/_local/story", 400),
        ("/_local/story?trigger=x", 400),
    ] {
        let (status, body) = runner.text(path).await;
        let says: serde_json::Value = serde_json::from_str(&body).unwrap();
        assert!(status == wanted && says["error"].is_string(), "{path}: {status} {body}");
    }

    drop(runner);
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    assert_eq!(runner.webhook(&comment_event(comment, "900", "anna", "link please"), SECRET).await, 200);
    runner.idle().await;
    assert_eq!(runner.inbox("900").await, inbox);
    assert_eq!(runner.deliveries().await, rows);
    let story = runner.get(&format!("/_local/story?trigger={}", told["trigger"].as_str().unwrap())).await;
    let steps: Vec<&str> =
        story["steps"].as_array().unwrap().iter().map(|step| step["what"].as_str().unwrap()).collect();
    assert!(steps.contains(&"Direct message sent"), "{steps:?}");
}

#[tokio::test]
async fn a_send_that_was_in_the_air_when_the_process_was_killed_is_never_repeated() {
    let graph = ForeignGraph::start(vec![None]).await;
    let dir = tempfile::tempdir().unwrap();
    let args = ["--graph-url", graph.base()];
    let runner = Runner::start(dir.path(), CAMPAIGNS, &args).await;
    let event = comment_event("180", "900", "anna", "LINK");
    assert_eq!(runner.webhook(&event, SECRET).await, 200);
    for _ in 0..200 {
        if !graph.writes().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(graph.writes().len(), 1);
    let row = &runner.deliveries().await[0];
    assert_eq!((&row["leg"], &row["status"]), (&json!("dm"), &json!("PENDING")), "in flight");
    // Dropping kills it: SIGKILL.
    drop(runner);

    let runner = Runner::start(dir.path(), CAMPAIGNS, &args).await;
    let rows = runner.deliveries().await;
    let dm = rows.iter().find(|row| row["leg"] == "dm" && row["campaign"] == "guide").unwrap();
    assert_eq!(dm["status"], "UNCONFIRMED", "{rows:#?}");
    assert!(dm["reason"].as_str().unwrap().contains("inbox"), "{dm}");
    for _ in 0..10 {
        assert_eq!(runner.webhook(&event, SECRET).await, 200);
    }
    runner.idle().await;
    runner.post("/_local/advance", &json!({"seconds": 4000})).await;
    let messages = graph.writes().into_iter().filter(|path| path.ends_with("/messages")).count();
    assert_eq!(messages, 1, "one private reply in all");
}

#[tokio::test]
async fn what_another_graph_api_answers_decides() {
    let delivered = Reply::json(200, r#"{"recipient_id":"900","message_id":"mid.1"}"#);
    let graph = ScriptedServer::start(vec![
        Script::Respond(Reply::json(400, r#"{"error":{"message":"x","code":100,"error_subcode":33}}"#)),
        Script::Respond(Reply::json(500, r#"{"error":{"message":"x","code":1}}"#)),
        Script::Respond(delivered),
    ])
    .await
    .unwrap();
    let dir = tempfile::tempdir().unwrap();
    let url = graph.http();
    let only_dm = CAMPAIGNS.replace("public_replies", "# public_replies");
    let runner = Runner::start(dir.path(), &only_dm, &["--graph-url", &url]).await;
    for id in ["1", "2", "3"] {
        assert_eq!(runner.webhook(&comment_event(id, "900", "anna", "LINK"), SECRET).await, 200);
        runner.idle().await;
    }
    let rows = runner.deliveries().await;
    let statuses: Vec<&str> = rows
        .iter()
        .filter(|row| row["campaign"] == "guide")
        .map(|row| row["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["FAILED", "UNCONFIRMED", "SENT"], "{rows:#?}");
    let call = &graph.received()[2];
    assert_eq!(call.path, "/v25.0/17841400000000001/messages");
    assert_eq!(call.header("authorization"), Some("Bearer driven-token"));
}

#[tokio::test]
async fn what_was_throttled_is_tried_again_when_its_time_has_come_and_a_stop_holds_everything() {
    let throttled = || Some((400, r#"{"error":{"message":"x","code":4}}"#.to_owned()));
    let delivered = |id: &str| Some((200, format!(r#"{{"message_id":"{id}"}}"#)));
    let answers = vec![throttled(), throttled(), delivered("mid.1"), delivered("mid.2")];
    let graph = ForeignGraph::start(answers).await;
    let dir = tempfile::tempdir().unwrap();
    let only_dm = CAMPAIGNS.replace("public_replies", "# public_replies");
    let runner = Runner::start(dir.path(), &only_dm, &["--graph-url", graph.base()]).await;
    assert_eq!(runner.webhook(&comment_event("1", "900", "anna", "LINK"), SECRET).await, 200);
    runner.idle().await;
    for (seconds, calls) in [(290, 1), (20, 2), (870, 2), (40, 3)] {
        runner.post("/_local/advance", &json!({"seconds": seconds})).await;
        assert_eq!(graph.writes().len(), calls, "after {seconds} more seconds");
    }
    let row = &runner.deliveries().await[0];
    assert_eq!((&row["status"], &row["attempts"]), (&json!("SENT"), &json!(3)), "{row}");

    runner.post("/_local/stop", &json!({})).await;
    assert_eq!(runner.webhook(&comment_event("2", "901", "ben", "LINK"), SECRET).await, 200);
    runner.idle().await;
    let account = &runner.get("/_local/accounts").await[0];
    assert_eq!(
        (&account["hold"]["reason"], &account["waiting"]),
        (&json!("stopped"), &json!(1)),
        "{account}"
    );
    assert_eq!(account["slots"]["limit"], 750);
    assert_eq!(runner.post("/_local/start", &json!({})).await["woken"], 1);
    runner.idle().await;
    assert_eq!(graph.writes().len(), 4);
}

/// Real time is the runner's clock too, but for what is advanced: two and a half minutes are not waited for here.
#[tokio::test]
async fn health_turns_degraded_when_the_consumer_is_stopped_and_well_when_it_is_back() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let health = async || {
        let (status, body) = runner.text("/api/health").await;
        (status, serde_json::from_str::<serde_json::Value>(&body).unwrap())
    };
    runner.idle().await;
    let (status, report) = health().await;
    assert_eq!((status, &report["status"]), (200, &json!("ok")), "{report}");
    assert_eq!(report["checks"]["worker"]["healthy"], true);
    assert_eq!(report["checks"]["holds"], 0);
    assert_eq!(report["alerts"], json!([]));

    // However long it is advanced, a consumer that runs is alive at the end.
    for seconds in [30, 150, 3600, 4 * 3600] {
        runner.post("/_local/advance", &json!({"seconds": seconds})).await;
        let (status, report) = health().await;
        assert_eq!(status, 200, "after {seconds} s: {report}");
    }

    assert_eq!(runner.post("/_local/consumer", &json!({"running": false})).await["running"], false);
    runner.post("/_local/advance", &json!({"seconds": 10})).await;
    assert_eq!(health().await.0, 200, "its last sign of life is young");
    assert_eq!(runner.webhook(&comment_event("180", "900", "anna", "LINK"), SECRET).await, 200);
    for _ in 0..14 {
        runner.post("/_local/advance", &json!({"seconds": 10})).await;
    }
    let (status, report) = health().await;
    assert_eq!((status, &report["status"]), (503, &json!("degraded")), "{report}");
    assert_eq!(report["checks"]["worker"]["healthy"], false, "{report}");
    assert!(report["checks"]["worker"]["age_ms"].as_i64().unwrap() > 120_000, "{report}");
    assert!(report["checks"]["queue"]["visible"].as_u64().unwrap() >= 2, "a comment and beats: {report}");
    assert_eq!(report["checks"]["database"]["healthy"], true);
    let (status, page) = runner.text("/status").await;
    assert!(status == 503 && page.contains("needs somebody"), "{page}");
    assert_eq!(runner.inbox("900").await, Vec::<String>::new());
    runner.post("/_local/advance", &json!({"seconds": 3600})).await;
    assert_eq!(health().await.0, 503);

    runner.post("/_local/consumer", &json!({"running": true})).await;
    runner.idle().await;
    runner.post("/_local/advance", &json!({"seconds": 5})).await;
    let (status, report) = health().await;
    assert_eq!(status, 200, "{report}");
    assert_eq!(report["checks"]["queue"]["visible"], 0, "{report}");
    assert_eq!(runner.inbox("900").await.len(), 1);
}

#[tokio::test]
async fn an_alert_is_shown_once_for_each_hold_and_names_nobody() {
    let dead = || Script::Respond(Reply::json(400, r#"{"error":{"message":"x","code":190}}"#));
    let graph = ScriptedServer::start(vec![dead(), dead(), dead()]).await.unwrap();
    let dir = tempfile::tempdir().unwrap();
    let url = graph.http();
    let only_dm = CAMPAIGNS.replace("public_replies", "# public_replies");
    let runner = Runner::start(dir.path(), &only_dm, &["--graph-url", &url]).await;
    for id in ["1", "2", "3"] {
        assert_eq!(runner.webhook(&comment_event(id, "900", "anna", "LINK"), SECRET).await, 200);
    }
    runner.idle().await;
    runner.post("/_local/advance", &json!({"seconds": 5})).await;
    let (status, body) = runner.text("/api/health").await;
    let report: serde_json::Value = serde_json::from_str(&body).unwrap();
    assert_eq!(status, 200, "one account that is held is told of, and the others are served: {report}");
    assert_eq!(report["checks"]["holds"], 1, "{report}");
    let alerts = report["alerts"].as_array().unwrap();
    assert_eq!(alerts.len(), 1, "{report}");
    assert_eq!(alerts[0]["kind"], "account_held");
    for secret in ["17841400000000001", "bakery", "anna", "900", "driven-token"] {
        assert!(!body.contains(secret), "{secret}: {body}");
    }
    let page = runner.text("/status").await.1;
    assert!(page.contains("account_held") && page.contains("1 hold stands"), "{page}");
}

#[tokio::test]
async fn the_webhook_answers_meta_as_documented() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let event = comment_event("180", "900", "anna", "nothing that matches, or is it");
    assert_eq!(runner.webhook(&event, "another secret").await, 401);
    assert_eq!(runner.webhook(&event, driven::FACEBOOK_SECRET).await, 200);
    let challenge = runner
        .text("/api/webhook?hub.mode=subscribe&hub.verify_token=driven-verify&hub.challenge=1158201444%2B%26")
        .await;
    assert_eq!(challenge, (200, "1158201444+&".to_owned()));
    let wrong = runner.text("/api/webhook?hub.mode=subscribe&hub.verify_token=no&hub.challenge=1").await;
    assert_eq!(wrong.0, 403);
    let (status, page) = runner.text("/").await;
    assert!(status == 200 && page.contains("<html"));
}

#[tokio::test]
async fn the_clock_is_where_it_was_advanced_to_after_a_kill_at_that_very_moment() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let advanced = runner.post("/_local/advance", &json!({ "seconds": 86_400 })).await;
    drop(runner);
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let now = runner.get("/_local/idle").await["now"].as_str().unwrap().to_owned();
    assert!(advanced["now"].as_str().unwrap() <= now.as_str(), "{advanced} and then {now}");
}

/// Whatever is posted to drive it: what it cannot mean is said, and nothing happens.
#[tokio::test]
async fn a_body_that_cannot_be_read_is_answered_with_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    let trigger = "comment:17841400000000001:1";
    for (path, good) in [
        ("/_local/comment", json!({ "account": ACCOUNT, "media": "55", "from": "900", "text": "LINK" })),
        ("/_local/message", json!({ "account": ACCOUNT, "from": "900", "text": "YES" })),
        ("/_local/tap", json!({ "account": ACCOUNT, "from": "900", "payload": "x" })),
        ("/_local/follow", json!({ "account": ACCOUNT, "from": "900", "follows": true })),
        ("/_local/media", json!({ "account": ACCOUNT, "media": "71" })),
        ("/_local/advance", json!({ "seconds": 60 })),
        ("/_local/consumer", json!({ "running": true })),
        ("/_local/deliveries/resolve", json!({ "trigger": trigger, "leg": "dm", "as": "sent" })),
    ] {
        let mut bad = vec![json!([]), json!("text"), json!({})];
        for key in good.as_object().unwrap().keys() {
            let (mut missing, mut wrong) = (good.clone(), good.clone());
            missing.as_object_mut().unwrap().remove(key);
            wrong[key] = json!({ "of": "another kind" });
            bad.extend([missing, wrong]);
        }
        let mut unknown = good.clone();
        unknown["surprise"] = json!(1);
        bad.push(unknown);
        for body in bad {
            let (status, answer) = runner.try_post(path, &body).await;
            assert_eq!(status, 400, "{path} {body}: {answer}");
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            assert!(answer["error"].as_str().is_some_and(|why| !why.is_empty()), "{path} {body}: {answer}");
        }
        for (kind, body) in [("application/json", "{torn"), ("text/plain", good.to_string().as_str())] {
            let (status, answer) = runner.post_raw(path, kind, body).await;
            assert!(status == 400 && answer.contains("\"error\""), "{path} {kind} {body}: {status} {answer}");
        }
    }
    assert_eq!(runner.deliveries().await, Vec::<serde_json::Value>::new());
}

#[tokio::test]
async fn a_bad_campaign_file_stops_it_with_line_column_and_what_was_expected() {
    let dir = tempfile::tempdir().unwrap();
    let bad = CAMPAIGNS.replace("match: any_word", "match: anyword");
    let complaint = Runner::refuse(dir.path(), &bad).await;
    assert!(complaint.contains("line 13, column 12") && complaint.contains("any_word"), "{complaint}");
}

const ACCOUNT: &str = "17841400000000001";

fn lost(from: &str, text: &str) -> serde_json::Value {
    json!({"account": ACCOUNT, "media": "55", "from": from, "username": "anna", "text": text, "lost": true})
}

#[tokio::test]
async fn a_comment_whose_webhook_never_came_gets_its_message_by_a_sweep_unless_somebody_answered_it() {
    let dir = tempfile::tempdir().unwrap();
    let runner = Runner::start(dir.path(), CAMPAIGNS, &[]).await;
    runner.post("/_local/comment", &lost("900", "LINK")).await;
    let by_hand = runner.post("/_local/comment", &lost("901", "LINK")).await;
    let answer = json!({"account": ACCOUNT, "media": "55", "from": ACCOUNT, "text": "Here you are",
        "parent": by_hand["comment"], "lost": true});
    runner.post("/_local/comment", &answer).await;
    runner.idle().await;
    assert_eq!(runner.deliveries().await.len(), 0);

    let summary = runner.post("/_local/sweep", &json!({})).await;
    let counts: Vec<u64> = ["found", "matched", "answered", "enqueued", "settled", "errors"]
        .iter()
        .map(|name| summary[name].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [2, 2, 1, 1, 0, 0], "{summary:#}");
    assert_eq!(summary["accounts"][ACCOUNT]["enqueued"], 1, "{summary:#}");
    assert_eq!(runner.inbox("900").await, [runner.guide()]);
    assert_eq!(runner.inbox("901").await, [""; 0]);

    // By the clock too, and once.
    runner.post("/_local/comment", &lost("902", "LINK")).await;
    runner.post("/_local/advance", &json!({"seconds": 3 * 24 * 3600})).await;
    assert_eq!((runner.inbox("902").await.len(), runner.inbox("900").await.len()), (1, 1));
    assert_eq!(runner.post("/_local/sweep", &json!({})).await["enqueued"], 0);
}

#[tokio::test]
async fn what_is_in_doubt_stays_until_a_person_releases_it_and_then_goes_out_once() {
    let unknown = || Some((500, r#"{"error":{"message":"x","code":1}}"#.to_owned()));
    let delivered = || Some((200, r#"{"message_id":"mid.1"}"#.to_owned()));
    let graph = ForeignGraph::start(vec![unknown(), delivered()]).await;
    let dir = tempfile::tempdir().unwrap();
    let only_dm = CAMPAIGNS.replace("public_replies", "# public_replies");
    let runner = Runner::start(dir.path(), &only_dm, &["--graph-url", graph.base()]).await;
    assert_eq!(runner.webhook(&comment_event("7", "900", "anna", "LINK"), SECRET).await, 200);
    runner.idle().await;
    let trigger = format!("comment:{ACCOUNT}:7");
    let release = json!({"trigger": trigger, "leg": "dm", "as": "release"});
    let (status, why) = runner.try_post("/_local/deliveries/resolve", &release).await;
    assert_eq!(status, 409, "{why}");
    for (body, wanted) in [
        (json!({"trigger": format!("comment:{ACCOUNT}:8"), "leg": "dm", "as": "sent"}), 404),
        (json!({"trigger": "nonsense", "leg": "dm", "as": "sent"}), 400),
        (json!({"trigger": trigger, "leg": "dm", "as": "repeat"}), 400),
    ] {
        assert_eq!(runner.try_post("/_local/deliveries/resolve", &body).await.0, wanted, "{body}");
    }
    runner.post("/_local/advance", &json!({"seconds": 6 * 3600})).await;
    assert_eq!((graph.writes().len(), &runner.deliveries().await[0]["status"]), (1, &json!("UNCONFIRMED")));

    let named = json!({"trigger": trigger, "leg": "dm", "as": "release", "by": "mia"});
    let row = runner.post("/_local/deliveries/resolve", &named).await;
    assert_eq!(row["status"], "PENDING", "{row}");
    let story = runner.get(&format!("/_local/story?trigger={trigger}")).await.to_string();
    assert!(story.contains("called not sent by mia"), "{story}");
    runner.idle().await;
    runner.post("/_local/advance", &json!({"seconds": 3600})).await;
    assert_eq!((graph.writes().len(), &runner.deliveries().await[0]["status"]), (2, &json!("SENT")));
    assert_eq!(runner.try_post("/_local/deliveries/resolve", &release).await.0, 409);
}

#[tokio::test]
async fn the_next_reel_is_bound_by_a_sweep() {
    let dir = tempfile::tempdir().unwrap();
    let campaigns = CAMPAIGNS.replacen("keywords: [LINK]", "keywords: [LINK]\n    post: next_reel", 1);
    let runner = Runner::start(dir.path(), &campaigns, &[]).await;
    runner.post("/_local/media", &json!({"account": ACCOUNT, "media": "71", "reel": true})).await;
    let summary = runner.post("/_local/sweep", &json!({})).await;
    assert_eq!(summary["bound"], 1, "{summary:#}");
    let comment =
        json!({"account": ACCOUNT, "media": "71", "from": "900", "username": "anna", "text": "LINK"});
    runner.post("/_local/comment", &comment).await;
    runner.idle().await;
    assert_eq!(runner.inbox("900").await, [runner.guide()]);
}
