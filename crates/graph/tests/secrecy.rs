//! Whatever is logged, at whatever level, no token, no text and no body is in it.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::ports::{Destination, Messenger, Outbound};
use openreply_domain::ids::{AccountId, CommentId, UserId};
use openreply_domain::message::Follow;
use openreply_graph::{Graph, GraphConfig};
use openreply_testkit::sockets::{Reply, Script, ScriptedServer};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test(flavor = "current_thread")]
async fn no_secret_and_no_text_is_ever_logged() {
    let log = Log::default();
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(log.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let refusal = r#"{"error":{"code":190,"message":"secret-of-the-body"}}"#;
    let server = ScriptedServer::start(vec![
        Script::Respond(Reply::json(200, r#"{"message_id":"m","secret-of-the-body":1}"#)),
        Script::Respond(Reply::json(400, refusal)),
        Script::Respond(Reply::new(500, refusal)),
        Script::Respond(Reply::new(500, "<html>secret-of-the-body")),
        Script::CutOff { reply: Reply::new(200, "secret-of-the-body"), sent: 10 },
        Script::Silence,
        Script::ResetAfterRead,
        Script::CloseBeforeRead,
    ])
    .await
    .unwrap();
    let graph = |base| {
        let (connect_timeout, total_timeout) = (Duration::from_millis(200), Duration::from_millis(400));
        Graph::new(GraphConfig { base, connect_timeout, total_timeout, ..GraphConfig::default() }).unwrap()
    };
    let message = |token: &str| Outbound {
        account: AccountId::parse("17841400000000001").unwrap(),
        to: Destination::PrivateReply(CommentId::parse("179").unwrap()),
        text: "secret-of-the-text".into(),
        buttons: Vec::new(),
        token: token.into(),
    };
    let mut outcomes = Vec::new();
    for base in std::iter::repeat_n(server.http(), 7).chain([server.https()]) {
        outcomes.push(graph(base).send(message("secret-of-the-token")).await);
    }
    outcomes.push(graph(server.http()).send(message("secret-of-the-token\n")).await);

    let asked = outcomes.len();
    // The same for a question: a refusal of the token, and an answer that cannot be read.
    let server = ScriptedServer::start(vec![
        Script::Respond(Reply::json(400, refusal)),
        Script::Respond(Reply::new(200, "<html>secret-of-the-body")),
    ])
    .await
    .unwrap();
    let (account, user) = (AccountId::parse("17841400000000001").unwrap(), UserId::parse("900").unwrap());
    for _ in 0..2 {
        let token = "secret-of-the-token".into();
        assert_eq!(graph(server.http()).follows(&account, &user, &token).await, Follow::Unknown);
    }
    assert_eq!(server.received().len(), 2);

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.matches("the Graph API").count() >= asked, "every call is logged: {log}");
    assert!(!log.contains("secret-of"), "{log}");
    assert!(!format!("{outcomes:?} {:?}", message("secret-of-the-token").token).contains("secret-of"));
}
