//! What leaves for a read, and what its answer gives.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::ports::{Own, ReadTrouble, Reader, Usage};
use openreply_domain::ids::{AccountId, MediaId, UserId};
use openreply_graph::{Graph, GraphConfig};
use openreply_testkit::sockets::{Reply, Script, ScriptedServer};
use secrecy::SecretString;

const TOKEN: &str = "IGAA-read-token";

fn graph(server: &ScriptedServer) -> Graph {
    Graph::new(GraphConfig { base: server.http(), ..GraphConfig::default() }).unwrap()
}

fn token() -> SecretString {
    SecretString::from(TOKEN)
}

fn account() -> AccountId {
    AccountId::parse("17841400000000001").unwrap()
}

#[tokio::test]
async fn pages_are_asked_for_by_their_cursor_and_the_token_is_in_the_header_alone() {
    let page = format!(
        r#"{{"data":[{{"id":"1","text":"LINK","timestamp":"2026-11-01T12:00:00+0000","from":{{"id":"900"}}}},{{}}],
        "paging":{{"cursors":{{"after":"QVFI=="}},"next":"https://elsewhere.example/?access_token={TOKEN}"}}}}"#
    );
    let last = r#"{"data":[]}"#.to_owned();
    let reply = |body: String| {
        let usage = r#"{"call_count":41,"total_time":3,"total_cputime":1}"#;
        Script::Respond(Reply::json(200, body).header("X-App-Usage", usage))
    };
    let server = ScriptedServer::start(vec![reply(page), reply(last)]).await.unwrap();
    let (graph, media) = (graph(&server), MediaId::parse("55").unwrap());
    let first = graph.comments(&token(), &media, None).await.unwrap();
    assert_eq!((first.comments.len(), first.unreadable, first.usage), (1, 1, Usage(41)));
    let second = graph.comments(&token(), &media, first.next.as_deref()).await.unwrap();
    assert_eq!((second.comments.len(), second.next), (0, None));

    let calls = server.received();
    assert_eq!((calls.len(), server.connections()), (2, 2), "one connection for each, and none elsewhere");
    for call in &calls {
        assert!(call.method == "GET" && call.path.starts_with("/v25.0/55/comments?"), "{}", call.path);
        assert!(!call.path.contains(TOKEN), "{}", call.path);
        assert_eq!(call.header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    }
    assert!(calls[0].path.contains("order=reverse_chronological&limit=50"), "{}", calls[0].path);
    assert!(!calls[0].path.contains("after=") && calls[1].path.ends_with("&after=QVFI%3D%3D"));
}

#[tokio::test]
async fn what_gives_no_answer_is_told_and_tried_once() {
    let refused = |code: i64| Reply::json(400, format!(r#"{{"error":{{"message":"x","code":{code}}}}}"#));
    for (script, wanted) in [
        (Script::Respond(refused(190)), ReadTrouble::TokenDead),
        (Script::Respond(refused(4)), ReadTrouble::Throttled { retry_after_seconds: None }),
        (Script::Respond(refused(10)), ReadTrouble::Refused { code: 10 }),
        (Script::Respond(Reply::new(502, "<html>")), ReadTrouble::Unreachable),
        (Script::CloseAfterRead, ReadTrouble::Unreachable),
        (Script::ResetAtAccept, ReadTrouble::Unreachable),
    ] {
        let server = ScriptedServer::start(vec![script]).await.unwrap();
        let user = UserId::parse("900").unwrap();
        let id = account();
        let own = Own { id: &id, username: "bakery" };
        let error = graph(&server).conversation(&token(), own, &user).await.unwrap_err();
        assert_eq!((error.trouble, server.connections()), (wanted, 1));
    }
}

/// In its own inbox the account may have another id than the one that webhooks carry.
#[tokio::test]
async fn what_the_account_wrote_is_known_by_its_id_or_its_name() {
    let messages = r#"{"data":[{"messages":{"data":[
        {"id":"1","created_time":"2026-11-01T12:00:00+0000","message":"a","from":{"id":"17841400000000001"}},
        {"id":"2","created_time":"2026-11-01T12:00:00+0000","message":"b","from":{"id":"999","username":"Bakery"}},
        {"id":"3","created_time":"2026-11-01T12:00:00+0000","message":"c","from":{"id":"900","username":"anna"}},
        {"id":"4","created_time":"2026-11-01T12:00:00+0000","message":"d"}
    ]}}]}"#;
    let server = ScriptedServer::start(vec![Script::Respond(Reply::json(200, messages))]).await.unwrap();
    let (id, user) = (account(), UserId::parse("900").unwrap());
    let own = Own { id: &id, username: "bakery" };
    let (shown, _) = graph(&server).conversation(&token(), own, &user).await.unwrap();
    let ours: Vec<(&str, bool)> = shown.iter().map(|shown| (shown.id.as_str(), shown.ours)).collect();
    assert_eq!(ours, [("1", true), ("2", true), ("3", false), ("4", false)]);
}

#[tokio::test]
async fn own_media_is_that_of_the_token_and_else_of_the_account() {
    let nobody = Reply::json(400, r#"{"error":{"message":"x","code":100,"error_subcode":33}}"#);
    let reel = r#"{"data":[{"id":"7","media_product_type":"REELS","timestamp":"2026-11-01T12:00:00+0000"}]}"#;
    let scripts = vec![Script::Respond(nobody), Script::Respond(Reply::json(200, reel))];
    let server = ScriptedServer::start(scripts).await.unwrap();
    let page = graph(&server).own_media(&token(), &account(), None).await.unwrap();
    assert!(page.media.len() == 1 && page.media[0].is_reel);
    let paths: Vec<String> = server.received().into_iter().map(|call| call.path).collect();
    assert!(paths[0].starts_with("/v25.0/me/media?fields="), "{paths:?}");
    assert!(paths[1].starts_with("/v25.0/17841400000000001/media?fields="), "{paths:?}");
}
