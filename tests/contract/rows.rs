//! What stands in the table beside the values themselves: what is due when, and what is forgotten when.

use crate::aws;
use crate::sample::plain_claim;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{AttributeValue, TimeToLiveStatus};
use openreply_app::ports::{EventKey, Ledger, Written};
use openreply_aws::{DynamoLedger, create_table};
use openreply_domain::ids::MessageId;
use openreply_domain::send::{Expect, Send, Skip, State, WaitingFor};
use openreply_domain::time::{SignedDuration, after};
use std::collections::HashMap;

const DAY: i64 = 24 * 60 * 60;

async fn table() -> Client {
    let client = Client::new(&aws::config(&format!("http://{}", aws::dynamo().await)).await);
    create_table(&client, "ledger").await.unwrap();
    client
}

async fn rows(client: &Client) -> Vec<HashMap<String, AttributeValue>> {
    client.scan().table_name("ledger").send().await.unwrap().items.unwrap()
}

fn number(row: &HashMap<String, AttributeValue>, name: &str) -> Option<i64> {
    row.get(name).map(|value| value.as_n().unwrap().parse().unwrap())
}

/// When the sparse index shows each state, in milliseconds after the trigger was seen.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_due_and_what_is_taken_is_due_when_its_taker_is_gone() {
    let reason = || "because".to_owned();
    let due_at = after(plain_claim().first_seen_at, SignedDuration::from_secs(300));
    let states = [
        (State::Open { waiting_for: WaitingFor::Retry, due_at, reason: reason() }, Some(300_000)),
        (State::Claimed { doubt: None }, Some(180_000)),
        (State::Claimed { doubt: Some(reason()) }, Some(0)),
        (State::Sent { message_id: MessageId::parse("mid").ok() }, None),
        (State::Failed { reason: reason() }, None),
        (State::Skipped { skip: Skip::Window, reason: reason() }, None),
    ];
    for (state, due) in states {
        let client = table().await;
        let ledger = DynamoLedger::new(client.clone(), "ledger");
        let send = Send { state: state.clone(), ..plain_claim() };
        assert_eq!(ledger.put_send(&send, &Expect::Absent).await.unwrap(), Written::Done);
        let indexed = client
            .query()
            .table_name("ledger")
            .index_name("due")
            .key_condition_expression("due_pk = :account")
            .expression_attribute_values(":account", AttributeValue::S("DUE#17841400000000001".to_owned()));
        let indexed = indexed.send().await.unwrap().items.unwrap();
        let found: Vec<i64> = indexed.iter().filter_map(|row| number(row, "due_at")).collect();
        let expected: Vec<i64> =
            due.iter().map(|after| plain_claim().first_seen_at.as_millisecond() + after).collect();
        assert_eq!(found, expected, "{state:?}");
    }
}

/// Counted in seconds from the first sight of the trigger, and never so soon that a late copy could pass.
#[tokio::test(flavor = "multi_thread")]
async fn a_send_is_forgotten_after_its_retention() {
    let days = |days: i64| SignedDuration::from_hours(days * 24);
    for (retention, expected) in [(None, 90), (Some(400), 400), (Some(30), 30), (Some(1), 30)] {
        let client = table().await;
        let ledger = DynamoLedger::new(client.clone(), "ledger");
        let ledger = match retention {
            Some(retention) => ledger.keep_for(days(retention)),
            None => ledger,
        };
        let claimed = plain_claim();
        assert_eq!(ledger.put_send(&claimed, &Expect::Absent).await.unwrap(), Written::Done);
        let expires_at = number(&rows(&client).await[0], "expires_at");
        assert_eq!(
            expires_at,
            Some(plain_claim().first_seen_at.as_second() + expected * DAY),
            "{retention:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_forgotten_whole_after_seven_days() {
    let client = table().await;
    let ledger = DynamoLedger::new(client.clone(), "ledger");
    let noise: Vec<u8> = (0_u32..200_000).flat_map(|n| n.wrapping_mul(0x9E37_79B9).to_le_bytes()).collect();
    let key = EventKey { received_at: plain_claim().first_seen_at, id: "a".to_owned() };
    ledger.record_event(&key, &noise).await.unwrap();
    let rows = rows(&client).await;
    assert!(rows.len() > 2, "the body takes several rows");
    assert!(
        rows.iter()
            .all(|row| number(row, "expires_at") == Some(plain_claim().first_seen_at.as_second() + 7 * DAY))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_made_once_and_forgets_by_time() {
    let client = table().await;
    let ledger = DynamoLedger::new(client.clone(), "ledger");
    let claimed = plain_claim();
    assert_eq!(ledger.put_send(&claimed, &Expect::Absent).await.unwrap(), Written::Done);
    create_table(&client, "ledger").await.unwrap();
    assert_eq!(rows(&client).await.len(), 1, "what stands in it stays");
    let lifetime = client.describe_time_to_live().table_name("ledger").send().await.unwrap();
    let lifetime = lifetime.time_to_live_description.unwrap();
    assert_eq!(lifetime.attribute_name.as_deref(), Some("expires_at"));
    assert!(matches!(
        lifetime.time_to_live_status,
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)
    ));
}
