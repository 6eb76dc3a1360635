//! The client in conversations, over real sockets: messages to a person, buttons, and who follows whom.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]
#![expect(clippy::disallowed_methods, reason = "how long a real socket takes")]

use openreply_app::ports::{Destination, Messenger, Outbound};
use openreply_domain::ids::{AccountId, CommentId, UserId};
use openreply_domain::message::{Button, Does, Follow};
use openreply_domain::outcome::{RejectionKind, SendOutcome};
use openreply_graph::{Graph, GraphConfig};
use openreply_testkit::sockets::{Reply, Script, ScriptedServer};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const ACCOUNT: &str = "17841400000000001";
const TOKEN: &str = "IGAAtoken-of-the-bakery";
const OK: &str = r#"{"recipient_id":"900","message_id":"m"}"#;

fn graph(server: &ScriptedServer) -> Graph {
    let total_timeout = Duration::from_millis(500);
    let connect_timeout = total_timeout / 2;
    Graph::new(GraphConfig { base: server.http(), connect_timeout, total_timeout, ..GraphConfig::default() })
        .unwrap()
}

fn message(to: Destination, buttons: Vec<Button>) -> Outbound {
    Outbound {
        account: AccountId::parse(ACCOUNT).unwrap(),
        to,
        text: "Olá 🥐".into(),
        buttons,
        token: TOKEN.into(),
    }
}

fn buttons() -> Vec<Button> {
    vec![
        Button { title: "Yes".into(), does: Does::Tell("openreply:comment:1784:179".into()) },
        Button { title: "Öffnen".into(), does: Does::Open("https://example.com/r/x?a=b".into()) },
    ]
}

/// Sends it to a server that answers; the body that left.
async fn sent(message: Outbound) -> Value {
    let server = ScriptedServer::start(vec![Script::Respond(Reply::json(200, OK))]).await.unwrap();
    let outcome = graph(&server).send(message).await;
    assert!(matches!(outcome, SendOutcome::Delivered { .. }), "{outcome:?}");
    let received = server.received();
    let [request] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/v25.0/17841400000000001/messages")
    );
    assert_eq!(request.header("authorization"), Some("Bearer IGAAtoken-of-the-bakery"));
    serde_json::from_slice(&request.body).unwrap()
}

#[tokio::test]
async fn a_message_to_a_person_names_them_and_nothing_else() {
    let person = Destination::Person(UserId::parse("900").unwrap());
    assert_eq!(
        sent(message(person, Vec::new())).await,
        json!({ "recipient": { "id": "900" }, "message": { "text": "Olá 🥐" } })
    );
}

#[tokio::test]
async fn buttons_make_a_button_template() {
    let payload = json!({
        "template_type": "button",
        "text": "Olá 🥐",
        "buttons": [
            { "type": "postback", "title": "Yes", "payload": "openreply:comment:1784:179" },
            { "type": "web_url", "title": "Öffnen", "url": "https://example.com/r/x?a=b" },
        ],
    });
    let template = json!({ "attachment": { "type": "template", "payload": payload } });
    for (to, recipient) in [
        (Destination::Person(UserId::parse("900").unwrap()), json!({ "id": "900" })),
        (Destination::PrivateReply(CommentId::parse("179").unwrap()), json!({ "comment_id": "179" })),
    ] {
        assert_eq!(
            sent(message(to, buttons())).await,
            json!({ "recipient": recipient, "message": template })
        );
    }
}

#[tokio::test]
async fn what_meta_says_about_a_template_is_told_apart() {
    for (code, subcode, text, kind) in [
        (100, None, "Invalid button template: too many buttons", RejectionKind::TemplateRefused),
        (2, Some(1_545_133), "cannot be delivered", RejectionKind::ReplySpent),
        (10, Some(2_534_022), "outside the window", RejectionKind::WindowClosed),
    ] {
        let body =
            json!({ "error": { "code": code, "error_subcode": subcode, "message": text } }).to_string();
        let server = ScriptedServer::start(vec![Script::Respond(Reply::json(400, &body))]).await.unwrap();
        let to = Destination::Person(UserId::parse("900").unwrap());
        let SendOutcome::Rejected(rejection) = graph(&server).send(message(to, buttons())).await else {
            panic!("{text}")
        };
        assert_eq!(rejection.kind, kind, "{text}");
    }
}

/// Asks a server that plays this script whether a person follows; one connection, one request, no retry.
async fn follows(script: Script) -> (Follow, Duration) {
    let server = ScriptedServer::start(vec![script]).await.unwrap();
    let began = Instant::now();
    let (account, user) = (AccountId::parse(ACCOUNT).unwrap(), UserId::parse("900").unwrap());
    let follow = graph(&server).follows(&account, &user, &TOKEN.into()).await;
    let took = began.elapsed();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(server.connections(), 1, "one call, one connection");
    let received = server.received();
    assert!(received.len() <= 1, "one call, one request");
    for request in received {
        assert_eq!(request.method, "GET");
        assert_eq!(request.path, "/v25.0/900?fields=is_user_follow_business");
        assert_eq!(request.header("authorization"), Some("Bearer IGAAtoken-of-the-bakery"));
        assert!(request.body.is_empty());
    }
    (follow, took)
}

#[tokio::test]
async fn who_follows_is_true_false_or_unknown() {
    let consent =
        r#"{"error":{"code":230,"message":"(#230) User consent is required to access user profile"}}"#;
    for (status, body, wanted) in [
        (200, r#"{"is_user_follow_business":true,"id":"900"}"#, Follow::Yes),
        (200, r#"{"is_user_follow_business":false,"id":"900"}"#, Follow::No),
        (200, r#"{"id":"900"}"#, Follow::Unknown),
        (200, r#"{"is_user_follow_business":null}"#, Follow::Unknown),
        (200, r#"{"is_user_follow_business":"true"}"#, Follow::Unknown),
        (200, r#"{"is_user_follow_business":1}"#, Follow::Unknown),
        (200, "[]", Follow::Unknown),
        (200, "<html>", Follow::Unknown),
        (200, "", Follow::Unknown),
        (400, consent, Follow::Unknown),
        (400, r#"{"error":{"code":190}}"#, Follow::Unknown),
        // An error is none the less one for carrying the field.
        (400, r#"{"is_user_follow_business":true}"#, Follow::Unknown),
        (302, r#"{"is_user_follow_business":true}"#, Follow::Unknown),
        (500, r#"{"is_user_follow_business":false}"#, Follow::Unknown),
    ] {
        assert_eq!(follows(Script::Respond(Reply::json(status, body))).await.0, wanted, "{status} {body}");
    }
    let long = format!(r#"{{"is_user_follow_business":true}}{}"#, " ".repeat(64 * 1024));
    assert_eq!(follows(Script::Respond(Reply::json(200, &long))).await.0, Follow::Unknown);
}

#[tokio::test]
async fn a_question_without_an_answer_ends_in_time_and_is_unknown() {
    let whole = Reply::json(200, r#"{"is_user_follow_business":true}"#);
    for script in [
        Script::Silence,
        Script::ResetAfterRead,
        Script::CloseBeforeRead,
        Script::CutOff { reply: whole, sent: 10 },
    ] {
        let (follow, took) = follows(script).await;
        assert_eq!(follow, Follow::Unknown);
        assert!(took < Duration::from_secs(2), "{took:?}");
    }
}

#[tokio::test]
async fn a_token_that_cannot_be_sent_asks_nothing() {
    let server = ScriptedServer::start(vec![]).await.unwrap();
    let account = AccountId::parse(ACCOUNT).unwrap();
    let user = UserId::parse("900").unwrap();
    for token in ["", "two words", "a\nb"] {
        assert_eq!(graph(&server).follows(&account, &user, &token.into()).await, Follow::Unknown);
    }
    assert_eq!(server.connections(), 0);
}
