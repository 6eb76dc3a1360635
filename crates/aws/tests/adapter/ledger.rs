//! The ledger, when DynamoDB has trouble.

use crate::{bodies, config, json, refusal};
use aws_sdk_dynamodb::Client;
use openreply_app::ports::{AccountUpdate, EventKey, Ledger, LedgerError, Written};
use openreply_aws::DynamoLedger;
use openreply_domain::campaign::OptOut;
use openreply_domain::ids::{AccountId, CampaignId, UserId};
use openreply_domain::send::{Expect, Leg, Send, SendKey, State, WaitingFor};
use openreply_domain::time::Timestamp;
use openreply_domain::token::SealedToken;
use openreply_domain::trigger::TriggerKey;
use openreply_testkit::sockets::{Script, ScriptedServer};
use serde_json::{Value, json};

async fn ledger(scripts: Vec<Script>) -> (DynamoLedger, ScriptedServer) {
    let server = ScriptedServer::start(scripts).await.unwrap();
    (DynamoLedger::new(Client::new(&config(&server).await), "ledger"), server)
}

fn trigger() -> TriggerKey {
    "comment:17841400000000001:179".parse().unwrap()
}

fn reply(n: u32) -> Leg {
    Leg::PublicReply(CampaignId::parse(format!("c-{n}")).unwrap())
}

fn is_transient(error: &LedgerError) -> bool {
    match error {
        LedgerError::Transient { .. } => true,
        LedgerError::Permanent { .. } => false,
    }
}

#[tokio::test]
async fn what_dynamodb_refuses_is_told_as_passing_or_lasting_and_what_passes_is_tried_again() {
    let secret = "the item: somebody's text";
    let cases = [
        (400, "ThrottlingException", true, 3),
        (400, "ProvisionedThroughputExceededException", true, 3),
        (500, "InternalServerError", true, 3),
        (400, "ValidationException", false, 1),
        (400, "ResourceNotFoundException", false, 1),
        (400, "UnrecognizedClientException", false, 1),
    ];
    for (status, code, transient, calls) in cases {
        let (ledger, server) = ledger(vec![refusal(status, code, secret)]).await;
        let error = ledger.sends(&trigger(), &[Leg::Dm]).await.unwrap_err();
        assert_eq!(is_transient(&error), transient, "{code}");
        assert_eq!(server.received().len(), calls, "{code}");
        let text = error.to_string();
        assert!(text.contains(code) && !text.contains("somebody"), "{text}");
    }
}

#[tokio::test]
async fn trouble_that_passes_while_the_call_lasts_is_no_trouble() {
    let found = json!({ "Responses": { "ledger": [] }, "UnprocessedKeys": {} });
    let scripts = vec![refusal(400, "ThrottlingException", ""), Script::ResetAfterRead, json(200, &found)];
    let (ledger, server) = ledger(scripts).await;
    assert_eq!(ledger.sends(&trigger(), &[Leg::Dm]).await, Ok(Vec::new()));
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn an_answer_that_says_nothing_may_have_been_a_write() {
    for script in
        [Script::ResetAfterRead, Script::CloseAfterRead, Script::Raw(b"HTTP/1.1 200 OK\r\n".to_vec())]
    {
        let (ledger, _server) = ledger(vec![script.clone()]).await;
        let account = update();
        let error = ledger.put_account(&account).await.unwrap_err();
        assert!(is_transient(&error), "{script:?}: {error}");
    }
}

fn update() -> AccountUpdate {
    AccountUpdate {
        id: AccountId::parse("1").unwrap(),
        username: "bakery".to_owned(),
        opt_out: OptOut::default(),
        token: SealedToken { sealed: "sealed".to_owned(), version: 1, ends_by: None },
    }
}

#[tokio::test]
async fn a_cancelled_transaction_is_judged_by_its_reasons() {
    let cancelled = |codes: [&str; 2]| {
        let reasons: Vec<Value> = codes.iter().map(|code| json!({ "Code": code })).collect();
        let body = json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled",
            "CancellationReasons": reasons,
        });
        json(400, &body)
    };
    let cases = [
        (["None", "TransactionConflict"], true, "TransactionConflict"),
        (["ThrottlingError", "None"], true, "ThrottlingError"),
        (["ProvisionedThroughputExceeded", "TransactionConflict"], true, "ProvisionedThroughputExceeded"),
        (["TransactionConflict", "ValidationError"], false, "ValidationError"),
        (["None", "None"], false, "TransactionCanceledException"),
    ];
    for (codes, transient, named) in cases {
        let (ledger, _server) = ledger(vec![cancelled(codes)]).await;
        let error = ledger.put_account(&update()).await.unwrap_err();
        assert_eq!(is_transient(&error), transient, "{codes:?}");
        assert!(error.to_string().contains(named), "{error}");
    }
}

/// What moves within an index while it is read may be listed twice, and a row that cannot be read (a newer version
/// wrote it, or a person) keeps nobody from the others.
#[tokio::test]
async fn an_index_may_list_a_row_twice_and_one_that_cannot_be_read() {
    let key = SendKey { trigger: trigger(), leg: Leg::Dm };
    let now = Timestamp::UNIX_EPOCH;
    let reason = "because".to_owned();
    let state = State::Open { waiting_for: WaitingFor::Retry, due_at: now, reason };
    let send = Send { state, ..Send::new(key, None, UserId::parse("900").unwrap(), None, now) };
    let (writer, written) = ledger(vec![json(200, &json!({}))]).await;
    assert_eq!(writer.put_send(&send, &Expect::Absent).await, Ok(Written::Done));
    let item = bodies(&written)[0]["Item"].clone();
    let keys = json!({ "pk": item["pk"], "sk": item["sk"] });
    let torn = json!({ "pk": item["pk"], "sk": { "S": "SEND#torn" } });

    let listed = json!({ "Items": [keys, torn, keys], "Count": 3, "ScannedCount": 3 });
    let found = json!({ "Responses": { "ledger": [torn, item] }, "UnprocessedKeys": {} });
    let (ledger, server) = ledger(vec![json(200, &listed), json(200, &found)]).await;
    assert_eq!(ledger.waiting(&trigger().account).await, Ok(vec![send]));
    let asked = &bodies(&server)[1]["RequestItems"]["ledger"]["Keys"];
    assert_eq!(*asked, json!([keys, torn]), "DynamoDB refuses a key that comes twice");
}

#[tokio::test]
async fn a_webhook_event_that_cannot_be_read_keeps_no_other_back() {
    let key = EventKey { received_at: Timestamp::UNIX_EPOCH, id: "good".to_owned() };
    let (writer, written) = ledger(vec![json(200, &json!({}))]).await;
    writer.record_event(&key, b"{}").await.unwrap();
    let good = bodies(&written)[0]["Item"].clone();
    let named = |name: &str| {
        let mut item = good.clone();
        item["sk"] = json!({ "S": name });
        item
    };
    let (mut strange, mut torn) = (named("strange"), named("torn"));
    strange["status"] = json!({ "S": "BETTER" });
    // Its further part was forgotten.
    torn["further"] = json!({ "N": "1" });
    let listed = json!({ "Items": [strange, torn, good], "Count": 3, "ScannedCount": 3 });
    let (ledger, _server) = ledger(vec![json(200, &listed)]).await;
    let found = ledger.events(key.received_at).await.unwrap();
    assert_eq!(found.events.iter().map(|event| &event.key).collect::<Vec<_>>(), [&key]);
    assert_eq!(found.unreadable, 2);
}

#[tokio::test]
async fn keys_that_were_not_read_are_asked_for_again() {
    let left = json!({ "Responses": { "ledger": [] }, "UnprocessedKeys": { "ledger": {
        "ConsistentRead": true,
        "Keys": [{ "pk": { "S": "rest" }, "sk": { "S": "rest" } }],
    } } });
    let whole = json!({ "Responses": { "ledger": [] }, "UnprocessedKeys": {} });
    let (ledger, server) = ledger(vec![json(200, &left), json(200, &whole)]).await;
    assert_eq!(ledger.sends(&trigger(), &[Leg::Dm, reply(1)]).await, Ok(Vec::new()));
    let asked = bodies(&server);
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["RequestItems"]["ledger"]["Keys"].as_array().unwrap().len(), 2);
    assert_eq!(
        asked[1]["RequestItems"]["ledger"]["Keys"],
        json!([{ "pk": { "S": "rest" }, "sk": { "S": "rest" } }])
    );
    assert!(asked.iter().all(|body| body["RequestItems"]["ledger"]["ConsistentRead"] == true));
}

#[tokio::test]
async fn keys_that_stay_unread_are_an_error_and_never_an_absence() {
    let left = json!({ "Responses": { "ledger": [] }, "UnprocessedKeys": { "ledger": {
        "Keys": [{ "pk": { "S": "rest" }, "sk": { "S": "rest" } }],
    } } });
    let (ledger, server) = ledger(vec![json(200, &left)]).await;
    let error = ledger.sends(&trigger(), &[Leg::Dm]).await.unwrap_err();
    assert!(is_transient(&error) && error.to_string().contains("unread"), "{error}");
    assert_eq!(server.received().len(), 6);
}

#[tokio::test]
async fn many_legs_are_read_by_hundreds() {
    let whole = json!({ "Responses": { "ledger": [] }, "UnprocessedKeys": {} });
    let (ledger, server) = ledger(vec![json(200, &whole)]).await;
    let legs: Vec<Leg> = (0..250).map(reply).chain([Leg::Dm]).collect();
    assert_eq!(ledger.sends(&trigger(), &legs).await, Ok(Vec::new()));
    let sizes: Vec<usize> = bodies(&server)
        .iter()
        .map(|body| body["RequestItems"]["ledger"]["Keys"].as_array().unwrap().len())
        .collect();
    assert_eq!(sizes, [100, 100, 51]);
}

#[tokio::test]
async fn an_item_of_another_form_is_named_by_its_key_and_not_shown() {
    let item = json!({
        "pk": { "S": "TRIGGER#1#comment:1:2" }, "sk": { "S": "SEND#dm" },
        "state": { "S": "TELEPORTED" }, "username": { "S": "somebody" },
    });
    let found = json!({ "Responses": { "ledger": [item] }, "UnprocessedKeys": {} });
    let (ledger, _server) = ledger(vec![json(200, &found)]).await;
    let error = ledger.sends(&trigger(), &[Leg::Dm]).await.unwrap_err();
    let text = error.to_string();
    assert!(!is_transient(&error), "{text}");
    assert!(text.contains("TRIGGER#1#comment:1:2 / SEND#dm") && !text.contains("somebody"), "{text}");
}
