//! What each call of the ledger costs on DynamoDB: a call too many or a row too large shows here first.

use crate::aws;
use crate::sample::plain_claim;
use aws_sdk_dynamodb::Client;
use openreply_app::ports::{AccountUpdate, Also, EventKey, EventStatus, Ledger, Written};
use openreply_aws::{DynamoLedger, create_table};
use openreply_domain::campaign::OptOut;
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::{AccountId, MessageId};
use openreply_domain::send::{Expect, Leg, Send, State, WaitingFor};
use openreply_domain::time::{SignedDuration, after, from_millis};
use openreply_domain::token::SealedToken;
use openreply_tests::meter::Meter;

async fn metered() -> (DynamoLedger, Meter) {
    let meter = Meter::default();
    let shared = aws::config(&format!("http://{}", aws::dynamo().await)).await;
    let config = aws_sdk_dynamodb::config::Builder::from(&shared).interceptor(meter.clone()).build();
    create_table(&Client::new(&shared), "ledger").await.unwrap();
    (DynamoLedger::new(Client::from_conf(config), "ledger"), meter)
}

/// What each answered call took since this was asked last.
fn units(meter: &Meter) -> Vec<(String, f64)> {
    meter.take().units
}

fn unit(call: &str, units: f64) -> (String, f64) {
    (call.to_owned(), units)
}

fn account() -> AccountId {
    AccountId::parse("17841400000000001").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_costs_three_units_and_its_settle_two() {
    let (ledger, meter) = metered().await;
    let claimed = plain_claim();
    let settle = Expect::Claimed(claimed.claim.clone().unwrap().id);
    let message_id = MessageId::parse("aWdfZAG1faXRlbToxOklHTWVzc2FnZAUlEOjE3".repeat(4)).unwrap();
    let sent = Send { state: State::Sent { message_id: Some(message_id) }, ..claimed.clone() };

    assert_eq!(ledger.put_send(&claimed, &Expect::Absent).await.unwrap(), Written::Done);
    assert_eq!(units(&meter), [unit("PutItem", 3.0)], "the item, and an entry in each index");
    assert_eq!(ledger.put_send(&sent, &settle).await.unwrap(), Written::Done);
    assert_eq!(units(&meter), [unit("PutItem", 2.0)], "the item, and no longer due");

    let read = ledger.sends(&claimed.key.trigger, &[Leg::Dm]).await.unwrap();
    assert_eq!(read, [sent]);
    assert_eq!(units(&meter), [unit("BatchGetItem", 1.0)], "a known duplicate is one read");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_and_claiming_again_cost_what_moves_in_the_index_of_what_is_due() {
    let (ledger, meter) = metered().await;
    let claimed = plain_claim();
    let claim = claimed.claim.clone().unwrap();
    let open = State::Open {
        waiting_for: WaitingFor::Retry,
        due_at: after(claim.at, SignedDuration::from_mins(5)),
        reason: "Instagram is limiting this account's calls (code 4)".to_owned(),
    };
    let waiting = Send { state: open, wake: 1, ..claimed.clone() };
    let again = Send { wake: 1, attempts: 2, ..claimed.clone() };
    let steps = [
        (&claimed, Expect::Absent, 3.0),
        (&waiting, Expect::Claimed(claim.id), 3.0),
        (&again, Expect::Open { wake: 1 }, 3.0),
    ];
    for (send, expect, taken) in steps {
        assert_eq!(ledger.put_send(send, &expect).await.unwrap(), Written::Done);
        assert_eq!(units(&meter), [unit("PutItem", taken)], "{:?}", send.state);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_event_is_two_calls_of_one_unit_each() {
    let (ledger, meter) = metered().await;
    let key = EventKey { received_at: from_millis(1_796_054_400_123), id: "0123456789abcdef".to_owned() };
    let body = br#"{"object":"instagram","entry":[{"id":"17841400000000001","time":1796054400,"changes":[{"field":"comments","value":{"id":"17912345678901234","from":{"id":"1234567890123456","username":"somebody","self_ig_scoped_id":"1234567890123457"},"media":{"id":"17900000000000001","media_product_type":"FEED"},"text":"LINK please, it looks so good"}}]}]}"#;
    ledger.record_event(&key, body).await.unwrap();
    ledger.mark_event(&key, &EventStatus::Processed).await.unwrap();
    assert_eq!(units(&meter), [unit("PutItem", 1.0), unit("UpdateItem", 1.0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_with_its_campaigns_is_one_read() {
    let (ledger, meter) = metered().await;
    let token = SealedToken { sealed: "x".repeat(300), version: 1, ends_by: None };
    let account =
        AccountUpdate { id: account(), username: "bakery".to_owned(), opt_out: OptOut::default(), token };
    ledger.put_account(&account).await.unwrap();
    drop(meter.take());
    assert!(ledger.account(&account.id).await.unwrap().is_some());
    assert_eq!(units(&meter), [unit("Query", 1.0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_a_job_decides_on_is_one_read() {
    let (ledger, meter) = metered().await;
    let claimed = plain_claim();
    let gate = AccountGate { revision: 1, token_version: 1, ..AccountGate::default() };
    let stop = Stop { revision: 1, ..Stop::default() };
    assert_eq!(ledger.put_send(&claimed, &Expect::Absent).await.unwrap(), Written::Done);
    assert_eq!(ledger.put_gate(&account(), &gate).await.unwrap(), None);
    assert_eq!(ledger.put_stop(&stop).await.unwrap(), None);
    drop(meter.take());

    let campaign = claimed.campaign.as_ref().unwrap().id.clone();
    let legs = [Leg::Dm, Leg::PublicReply(campaign)];
    let read = ledger.read(&claimed.key.trigger, &legs, &claimed.user).await.unwrap();
    let standing = read.standing;
    assert_eq!((read.sends, &standing.gate, &standing.stop), (vec![claimed], &gate, &stop));
    assert_eq!(meter.take().calls, ["BatchGetItem"], "the Sends, the gate and the stop");

    assert_eq!(ledger.gates(&account()).await.unwrap(), (gate, stop));
    assert_eq!(units(&meter), [unit("BatchGetItem", 2.0)], "the gate and the stop");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_together_is_one_call_and_a_unit_of_the_month_is_one() {
    let (ledger, meter) = metered().await;
    assert!(ledger.take_month("2026-11", 1).await.unwrap());
    assert_eq!(units(&meter), [unit("UpdateItem", 1.0)]);
    let gate = AccountGate { revision: 1, ..AccountGate::default() };
    let also = [Also::Gate(gate), Also::ReturnMonth("2026-11".to_owned())];
    let answer = ledger.put_send_with(&plain_claim(), &Expect::Absent, &also).await.unwrap();
    assert_eq!(answer, Written::Done);
    assert_eq!(meter.take().calls, ["TransactWriteItems"]);
}
