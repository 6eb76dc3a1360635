//! The client over real sockets: what leaves, how often, and what every kind of ending proves.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod table;

use openreply_app::ports::{Destination, Messenger, Outbound};
use openreply_domain::ids::{AccountId, CommentId, MessageId};
use openreply_domain::outcome::{Doubt, NotSent, Rejection, SendOutcome};
use openreply_graph::{Graph, GraphConfig};
use openreply_testkit::sockets::{Reply, Script, ScriptedServer};
use std::time::Duration;
use table::ROWS;

const ACCOUNT: &str = "17841400000000001";
const COMMENT: &str = "17900000000000042";
const TOKEN: &str = "IGAAtoken-of-the-bakery";
const OK: &str = r#"{"recipient_id":"900","message_id":"aWdf_ZAG1=="}"#;

fn graph_at(base: String) -> Graph {
    graph_within(base, Duration::from_secs(10))
}

fn graph_within(base: String, total_timeout: Duration) -> Graph {
    let connect_timeout = total_timeout / 2;
    Graph::new(GraphConfig { base, connect_timeout, total_timeout, ..GraphConfig::default() }).unwrap()
}

fn private_reply() -> Outbound {
    message(Destination::PrivateReply(CommentId::parse(COMMENT).unwrap()), TOKEN)
}

fn public_reply() -> Outbound {
    message(Destination::PublicReply(CommentId::parse(COMMENT).unwrap()), TOKEN)
}

fn message(to: Destination, token: &str) -> Outbound {
    Outbound {
        account: AccountId::parse(ACCOUNT).unwrap(),
        to,
        text: "Olá \"Ana\" 🥐\nhttps://example.com/a?b=c".into(),
        buttons: Vec::new(),
        token: token.into(),
    }
}

fn delivered(id: &str) -> SendOutcome {
    SendOutcome::Delivered { message_id: MessageId::parse(id).unwrap() }
}

fn unconfirmed(doubt: Doubt) -> SendOutcome {
    SendOutcome::Unconfirmed(doubt)
}

/// The success, made as long as that with white space.
fn padded(length: usize) -> String {
    OK.to_owned() + &" ".repeat(length - OK.len())
}

async fn server(script: Script) -> ScriptedServer {
    ScriptedServer::start(vec![script]).await.unwrap()
}

/// Sends one private reply into a script: the outcome, after which nothing more may come.
async fn played(script: Script, total_timeout: Duration) -> (SendOutcome, ScriptedServer) {
    let server = server(script).await;
    let outcome = graph_within(server.http(), total_timeout).send(private_reply()).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(server.connections(), 1, "one call, one connection");
    assert!(server.received().len() <= 1, "one call, one request");
    (outcome, server)
}

async fn outcome_of(script: Script) -> SendOutcome {
    played(script, Duration::from_secs(10)).await.0
}

#[tokio::test]
async fn a_private_reply_leaves_exactly_like_this() {
    for base in ["", "/", "/fake", "/fake/"] {
        let server = server(Script::Respond(Reply::json(200, OK))).await;
        let outcome = graph_at(format!("{}{base}", server.http())).send(private_reply()).await;
        assert_eq!(outcome, delivered("aWdf_ZAG1=="));

        let received = server.received();
        let [request] = received.as_slice() else { panic!("{received:?}") };
        assert_eq!(request.method, "POST");
        assert_eq!(request.path, format!("{}/v25.0/{ACCOUNT}/messages", base.trim_end_matches('/')));
        let body = r#"{"recipient":{"comment_id":"17900000000000042"},"message":{"text":"Olá \"Ana\" 🥐\nhttps://example.com/a?b=c"}}"#;
        assert_eq!(String::from_utf8(request.body.clone()).unwrap(), body);
        let mut headers = request.headers.clone();
        headers.sort();
        let wanted = [
            ("accept", "*/*"),
            ("authorization", "Bearer IGAAtoken-of-the-bakery"),
            ("content-length", &body.len().to_string()),
            ("content-type", "application/json"),
            ("host", &server.address().to_string()),
            ("user-agent", concat!("OpenReply/", env!("CARGO_PKG_VERSION"))),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(headers, wanted);
    }
}

#[tokio::test]
async fn a_public_reply_leaves_exactly_like_this() {
    let server = server(Script::Respond(Reply::json(200, r#"{"id":17900000000000077}"#))).await;
    let outcome = graph_at(server.http()).send(public_reply()).await;
    assert_eq!(outcome, delivered("17900000000000077"));
    let received = server.received();
    let [request] = received.as_slice() else { panic!("{received:?}") };
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/v25.0/17900000000000042/replies")
    );
    assert_eq!(request.header("authorization"), Some("Bearer IGAAtoken-of-the-bakery"));
    let body = r#"{"message":"Olá \"Ana\" 🥐\nhttps://example.com/a?b=c"}"#;
    assert_eq!(String::from_utf8(request.body.clone()).unwrap(), body);
}

#[tokio::test]
async fn every_row_of_the_answer_table_comes_through() {
    let cases: Vec<_> = ROWS.iter().flat_map(|row| [200, 400, 500].map(|status| (row, status))).collect();
    let scripts =
        cases.iter().map(|(row, status)| Script::Respond(Reply::json(*status, row.body()))).collect();
    let server = ScriptedServer::start(scripts).await.unwrap();
    let graph = graph_at(server.http());
    for (row, status) in &cases {
        let wanted = match row.proves(*status) {
            Some(kind) => SendOutcome::Rejected(Rejection {
                kind,
                code: row.code,
                subcode: row.subcode,
                retry_after_seconds: None,
            }),
            None => {
                unconfirmed(Doubt::Answer { status: *status, code: Some(row.code), subcode: row.subcode })
            }
        };
        assert_eq!(graph.send(private_reply()).await, wanted, "{status} {row:?}");
    }
    assert_eq!(server.received().len(), cases.len());
}

#[tokio::test]
async fn a_throttled_answer_says_how_long_to_wait() {
    let usage = r#"{"17841400000000001":[{"type":"instagram","call_count":100,"estimated_time_to_regain_access":19}]}"#;
    let reply = Reply::json(400, r#"{"error":{"code":80002}}"#).header("X-Business-Use-Case-Usage", usage);
    let SendOutcome::Rejected(rejection) = outcome_of(Script::Respond(reply)).await else {
        panic!("not refused")
    };
    assert_eq!(rejection.retry_after_seconds, Some(19 * 60));
}

#[tokio::test]
async fn answers_that_are_none_prove_nothing() {
    let html = "<!DOCTYPE html><html><body>Sorry, something went wrong.</body></html>";
    for (status, body) in [
        (500, html),
        (502, html),
        (503, html),
        (429, html),
        (429, ""),
        (200, html),
        (200, ""),
        (200, r#"{"success":true}"#),
        (200, r#"{"message_id":["aWdf"]}"#),
        (200, r#"{"message_id":1.5}"#),
        (200, r#"{"id":"17900000000000077"}"#),
    ] {
        let outcome = outcome_of(Script::Respond(Reply::new(status, body))).await;
        assert_eq!(outcome, unconfirmed(Doubt::Unreadable { status }), "{status} {body}");
    }
    assert_eq!(
        outcome_of(Script::Respond(Reply::new(204, ""))).await,
        unconfirmed(Doubt::Unreadable { status: 204 })
    );
}

#[tokio::test]
async fn a_body_that_is_cut_off_proves_nothing_even_where_its_beginning_would() {
    let refusal = r#"{"error":{"code":190}}"#;
    for (status, body) in [(200, OK), (400, refusal)] {
        let promised = Reply::json(status, body).header("Content-Length", (body.len() + 1).to_string());
        let chunk = format!("{:x}\r\n{body}\r\n", body.len());
        let chunked = format!("HTTP/1.1 {status} Scripted\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}");
        for script in [
            Script::CutOff { reply: Reply::json(status, body), sent: 0 },
            Script::CutOff { reply: Reply::json(status, body), sent: body.len() - 1 },
            Script::CutOff { reply: promised, sent: body.len() },
            Script::Raw(chunked.into_bytes()),
            // Without a length the end of the connection is the end of the body.
            Script::Raw(
                format!("HTTP/1.0 {status} Scripted\r\n\r\n{}", &body[..body.len() - 1]).into_bytes(),
            ),
        ] {
            let outcome = outcome_of(script.clone()).await;
            assert_eq!(outcome, unconfirmed(Doubt::Unreadable { status }), "{script:?}");
        }
    }
}

#[tokio::test]
async fn a_whole_answer_counts_however_it_is_framed() {
    for script in [
        Script::Raw(
            format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{OK}\r\n0\r\n\r\n",
                OK.len()
            )
            .into(),
        ),
        Script::Raw(format!("HTTP/1.0 200 OK\r\n\r\n{OK}").into()),
        Script::Interim { statuses: vec![100], reply: Reply::json(200, OK) },
        Script::Interim { statuses: vec![100, 103, 103], reply: Reply::json(200, OK) },
        Script::Trickle { reply: Reply::json(200, OK), gap: Duration::from_millis(1) },
        Script::Respond(Reply::json(200, padded(64 * 1024))),
    ] {
        assert_eq!(outcome_of(script.clone()).await, delivered("aWdf_ZAG1=="), "{script:?}");
    }
}

#[tokio::test]
async fn a_body_beyond_all_measure_is_not_read() {
    let endless = Reply::json(200, padded(64 * 1024 + 1)).header("Content-Length", "99999999999");
    for reply in [Reply::json(200, padded(64 * 1024 + 1)), endless] {
        let outcome = outcome_of(Script::Respond(reply)).await;
        assert_eq!(outcome, unconfirmed(Doubt::Unreadable { status: 200 }));
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_request_may_have_left_is_doubt() {
    for (script, read) in [
        (Script::ResetBeforeRead, 0),
        (Script::ResetAfterRead, 1),
        (Script::CloseAfterRead, 1),
        (Script::CloseBeforeRead, 0),
        (Script::Raw(b"this is no HTTP\r\n\r\n".to_vec()), 1),
        (Script::Raw(b"HTTP/1.1 200 OK\r\nContent-Len".to_vec()), 1),
        (Script::Interim { statuses: vec![100], reply: Reply::new(0, "") }, 1),
    ] {
        let (outcome, server) = played(script.clone(), Duration::from_secs(10)).await;
        assert_eq!(outcome, unconfirmed(Doubt::Broken), "{script:?}");
        assert_eq!(server.received().len(), read, "{script:?}");
    }
}

#[tokio::test]
async fn a_reset_at_accept_is_doubt_unless_the_connection_was_never_seen() {
    for _ in 0..20 {
        let (outcome, server) = played(Script::ResetAtAccept, Duration::from_secs(10)).await;
        let seen = [unconfirmed(Doubt::Broken), SendOutcome::NotSent(NotSent::Connect)];
        assert!(seen.contains(&outcome), "{outcome:?}");
        assert!(server.received().is_empty());
    }
}

#[tokio::test]
async fn silence_and_slowness_are_doubt() {
    let gap = Duration::from_millis(50);
    for script in [
        Script::Silence,
        Script::SilenceBeforeRead,
        Script::Trickle { reply: Reply::json(200, OK), gap },
        Script::Trickle { reply: Reply::json(400, r#"{"error":{"code":190}}"#), gap },
    ] {
        let (outcome, _) = played(script.clone(), Duration::from_millis(300)).await;
        assert_eq!(outcome, unconfirmed(Doubt::Timeout), "{script:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = server(Script::Respond(Reply::json(200, OK))).await;
        let reply = Reply::new(status, "").header("Location", format!("{}/v25.0/x", elsewhere.http()));
        let outcome = outcome_of(Script::Respond(reply)).await;
        assert_eq!(outcome, unconfirmed(Doubt::Answer { status, code: None, subcode: None }));
        assert_eq!(elsewhere.connections(), 0);
    }
}

#[tokio::test]
async fn every_send_has_a_connection_of_its_own() {
    let server = server(Script::Respond(Reply::json(200, OK))).await;
    let graph = graph_at(server.http());
    for _ in 0..3 {
        assert_eq!(graph.send(private_reply()).await, delivered("aWdf_ZAG1=="));
    }
    let connections: Vec<_> = server.received().iter().map(|request| request.connection).collect();
    assert_eq!(connections, [0, 1, 2]);
}

#[tokio::test]
async fn what_fails_before_the_first_byte_was_not_sent() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (base, wanted) in [
        (format!("http://{closed}"), NotSent::Connect),
        (format!("https://{closed}"), NotSent::Connect),
        ("http://does-not-exist.invalid".to_owned(), NotSent::Dns),
        ("https://does-not-exist.invalid".to_owned(), NotSent::Dns),
    ] {
        let graph = graph_within(base.clone(), Duration::from_secs(60));
        assert_eq!(graph.send(private_reply()).await, SendOutcome::NotSent(wanted), "{base}");
    }
}

#[tokio::test]
async fn a_handshake_that_fails_has_sent_nothing() {
    let plain = b"HTTP/1.1 400 Bad Request\r\n\r\n";
    // A TLS alert: handshake_failure.
    let alert = [21, 3, 3, 0, 2, 2, 40];
    for script in [
        Script::RawBeforeRead(plain.to_vec()),
        Script::RawBeforeRead(alert.to_vec()),
        Script::CloseBeforeRead,
        Script::ResetBeforeRead,
    ] {
        let server = server(script.clone()).await;
        let outcome = graph_at(server.https()).send(private_reply()).await;
        assert_eq!(outcome, SendOutcome::NotSent(NotSent::Tls), "{script:?}");
        assert_eq!((server.connections(), server.received().len()), (1, 0));
    }
    let server = server(Script::SilenceBeforeRead).await;
    let outcome = graph_within(server.https(), Duration::from_millis(600)).send(private_reply()).await;
    assert_eq!(outcome, SendOutcome::NotSent(NotSent::Connect), "a handshake that never ends");
}

#[tokio::test]
async fn what_cannot_be_built_was_not_sent() {
    let server = server(Script::Respond(Reply::json(200, OK))).await;
    let graph = graph_at(server.http());
    let comment = |id: &str| CommentId::parse(id).unwrap();
    for message in [
        message(Destination::PrivateReply(comment(COMMENT)), "IGAA\n"),
        message(Destination::PrivateReply(comment(COMMENT)), ""),
        message(Destination::PublicReply(comment(COMMENT)), "IGAA token"),
    ] {
        assert_eq!(graph.send(message).await, SendOutcome::NotSent(NotSent::Unbuildable));
    }
    assert_eq!(server.connections(), 0);
}
