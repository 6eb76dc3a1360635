//! Gates and what is written with a Send, when DynamoDB refuses or has trouble.

use crate::{bodies, config, json, refusal};
use aws_sdk_dynamodb::Client;
use openreply_app::ports::{Also, Ledger, LedgerError, Written};
use openreply_aws::DynamoLedger;
use openreply_domain::campaign::CampaignRef;
use openreply_domain::gate::AccountGate;
use openreply_domain::ids::{CampaignId, UserId};
use openreply_domain::send::{Expect, Leg, Send, SendKey, State, WaitingFor};
use openreply_domain::time::{Timestamp, from_millis};
use openreply_testkit::sockets::{Script, ScriptedServer};
use serde_json::{Value, json};

async fn ledger(scripts: Vec<Script>) -> (DynamoLedger, ScriptedServer) {
    let server = ScriptedServer::start(scripts).await.unwrap();
    (DynamoLedger::new(Client::new(&config(&server).await), "ledger"), server)
}

fn now() -> Timestamp {
    from_millis(1_796_054_400_123)
}

fn waiting() -> Send {
    let key = SendKey { trigger: "comment:17841400000000001:179".parse().unwrap(), leg: Leg::Dm };
    let campaign = CampaignRef { id: CampaignId::parse("guide").unwrap(), version: 1 };
    Send {
        state: State::Open {
            waiting_for: WaitingFor::Slot,
            due_at: now(),
            reason: "the hour is full".to_owned(),
        },
        wake: 1,
        ..Send::new(key, Some(campaign), UserId::parse("900").unwrap(), None, now())
    }
}

fn gate(revision: u64) -> AccountGate {
    AccountGate { revision, ..AccountGate::default() }
}

fn cancelled(reasons: &[Value]) -> Script {
    let body = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "Transaction cancelled",
        "CancellationReasons": reasons,
    });
    json(400, &body)
}

/// The row of a Send, as DynamoDB would show it: what the adapter itself writes.
async fn row(send: &Send) -> Value {
    let (ledger, server) = ledger(vec![json(200, &json!({}))]).await;
    assert_eq!(ledger.put_send(send, &Expect::Absent).await, Ok(Written::Done));
    bodies(&server)[0]["Item"].clone()
}

async fn written(script: Script) -> Result<Written, LedgerError> {
    let (ledger, _server) = ledger(vec![script]).await;
    ledger.put_send_with(&waiting(), &Expect::Absent, &[Also::Gate(gate(2))]).await
}

#[tokio::test]
async fn the_reasons_of_a_cancelled_transaction_say_what_did_not_hold() {
    let none = json!({ "Code": "None" });
    let failed = json!({ "Code": "ConditionalCheckFailed" });
    let stands = Send { wake: 7, ..waiting() };
    let shown = json!({ "Code": "ConditionalCheckFailed", "Item": row(&stands).await });
    let refused = Written::Refused(Some(Box::new(stands)));
    let cases = [
        ([shown.clone(), none.clone()], refused.clone()),
        ([shown, failed.clone()], refused),
        ([failed.clone(), none.clone()], Written::Refused(None)),
        ([none, failed], Written::Moved),
    ];
    for (reasons, expected) in cases {
        assert_eq!(written(cancelled(&reasons)).await, Ok(expected), "{reasons:?}");
    }
}

#[tokio::test]
async fn a_transaction_that_met_trouble_is_never_taken_for_refused() {
    let cases: [(&[&str], bool, &str); 7] = [
        (&["None", "TransactionConflict"], true, "TransactionConflict"),
        (&["TransactionConflict", "None"], true, "TransactionConflict"),
        (&["None", "ThrottlingError"], true, "ThrottlingError"),
        (&["ConditionalCheckFailed", "TransactionConflict"], true, "TransactionConflict"),
        (&["ProvisionedThroughputExceeded", "ConditionalCheckFailed"], true, "ProvisionedThroughputExceeded"),
        (&["None", "ValidationError"], false, "ValidationError"),
        (&[], true, "without saying why"),
    ];
    for (codes, transient, named) in cases {
        let reasons: Vec<Value> = codes.iter().map(|code| json!({ "Code": code })).collect();
        let error = written(cancelled(&reasons)).await.unwrap_err();
        assert_eq!(matches!(error, LedgerError::Transient { .. }), transient, "{codes:?}");
        assert!(error.to_string().contains(named), "{error}");
    }
    for (script, transient) in [
        (refusal(400, "ThrottlingException", ""), true),
        (refusal(500, "InternalServerError", ""), true),
        (refusal(400, "TransactionInProgressException", ""), true),
        (Script::ResetAfterRead, true),
        (refusal(400, "AccessDeniedException", "dynamodb:ConditionCheckItem"), false),
    ] {
        let error = written(script.clone()).await.unwrap_err();
        assert_eq!(matches!(error, LedgerError::Transient { .. }), transient, "{script:?}: {error}");
    }
}

/// The token makes the SDK's own repeat after a lost answer the same transaction.
#[tokio::test]
async fn a_transaction_that_is_repeated_is_the_same_one() {
    let (ledger, server) = ledger(vec![Script::ResetAfterRead, json(200, &json!({}))]).await;
    let also = [Also::Gate(gate(1)), Also::ReturnMonth("2026-11".to_owned())];
    let answer = ledger.put_send_with(&waiting(), &Expect::Absent, &also).await;
    assert_eq!(answer, Ok(Written::Done));
    ledger.return_month("2026-11").await.unwrap();
    let sent = bodies(&server);
    let token = |n: usize| sent[n]["ClientRequestToken"].as_str().unwrap();
    assert_eq!(sent.len(), 3);
    assert_eq!(token(0), token(1));
    assert_ne!(token(0), token(2));
    let items = sent[0]["TransactItems"].as_array().unwrap();
    assert_eq!(items.len(), 3, "the Send, and what is written with it: {items:?}");
    assert_eq!(items[0]["Put"]["ReturnValuesOnConditionCheckFailure"], "ALL_OLD");
}

#[tokio::test]
async fn a_gate_that_was_refused_is_told_and_one_that_met_trouble_is_not() {
    let stands = AccountGate { token_version: 3, ..gate(4) };
    let item = json!({
        "pk": { "S": "SLOTS#17841400000000001" }, "sk": { "S": "GATE" },
        "revision": { "N": "4" }, "document": { "S": serde_json::to_string(&stands).unwrap() },
    });
    let refused = |item: Option<&Value>| {
        let kind = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException";
        let mut body = json!({ "__type": kind, "message": "The conditional request failed" });
        if let Some(item) = item {
            body["Item"] = item.clone();
        }
        json(400, &body)
    };
    let account = waiting().key.trigger.account;
    for (script, expected) in
        [(refused(Some(&item)), Some(stands)), (refused(None), Some(gate(0))), (json(200, &json!({})), None)]
    {
        let (ledger, _server) = ledger(vec![script]).await;
        assert_eq!(ledger.put_gate(&account, &gate(2)).await, Ok(expected));
    }
    let (throttled, _server) = ledger(vec![refusal(400, "ThrottlingException", "")]).await;
    let error = throttled.put_gate(&account, &gate(2)).await.unwrap_err();
    assert!(matches!(error, LedgerError::Transient { .. }), "{error}");

    let mut broken = item;
    broken["document"] = json!({ "S": "{\"revision\":\"secret\"}" });
    let (ledger, _server) = ledger(vec![refused(Some(&broken))]).await;
    let error = ledger.put_gate(&account, &gate(2)).await.unwrap_err().to_string();
    assert!(error.contains("SLOTS#17841400000000001 / GATE") && !error.contains("secret"), "{error}");
}
