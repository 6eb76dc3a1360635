//! Events: what goes onto the bus, and what becomes of one that it does not take.

use crate::{bodies, config, json, refusal};
use aws_sdk_eventbridge::Client;
use openreply_app::ports::{Ending, Fact, Facts};
use openreply_aws::Events;
use openreply_domain::campaign::CampaignRef;
use openreply_domain::ids::CampaignId;
use openreply_domain::send::{Leg, SendKey};
use openreply_domain::time::{Timestamp, from_millis};
use openreply_testkit::sockets::{Script, ScriptedServer};
use serde_json::{Value, json};
use std::time::Duration;

fn at() -> Timestamp {
    from_millis(1_796_054_400_123)
}

fn unconfirmed() -> Fact {
    Fact::Delivery {
        key: SendKey { trigger: "comment:17841400000000001:179".parse().unwrap(), leg: Leg::Dm },
        campaign: Some(CampaignRef { id: CampaignId::parse("guide").unwrap(), version: 3 }),
        attempts: 1,
        ending: Ending::Unconfirmed { reason: "Instagram did not answer in time".to_owned() },
        took: None,
    }
}

async fn events(scripts: Vec<Script>) -> (Events, ScriptedServer) {
    let server = ScriptedServer::start(scripts).await.unwrap();
    let client = Client::new(&config(&server).await);
    (Events::new(client, "openreply-events", "openreply", false), server)
}

#[tokio::test]
async fn an_event_is_one_entry_on_the_stacks_bus() {
    let taken = json(200, &json!({ "FailedEntryCount": 0, "Entries": [{ "EventId": "e" }] }));
    let (events, server) = events(vec![taken]).await;
    events.report(at(), &unconfirmed()).await;
    assert_eq!(server.received()[0].header("x-amz-target"), Some("AWSEvents.PutEvents"));
    let mut entry = bodies(&server)[0]["Entries"][0].clone();
    let detail: Value = serde_json::from_str(entry["Detail"].take().as_str().unwrap()).unwrap();
    let expected = json!({
        "Source": "openreply", "DetailType": "delivery.unconfirmed", "Detail": null, "EventBusName": "openreply-events",
    });
    assert_eq!(entry, expected);
    let expected = json!({
        "schema_version": 1, "stack": "openreply", "at": "2026-11-30T16:00:00.123Z", "account": "17841400000000001",
        "trigger": "comment:17841400000000001:179", "leg": "dm", "campaign": "guide", "campaign_version": 3,
        "attempts": 1, "reason": "Instagram did not answer in time",
    });
    assert_eq!(detail, expected);
}

#[tokio::test]
async fn what_is_no_event_asks_nothing_of_aws() {
    let (events, server) = events(Vec::new()).await;
    events.report(at(), &Fact::Received { waited: Vec::new() }).await;
    events.report(at(), &Fact::Measured { heartbeat: None, held_accounts: Some(1) }).await;
    assert!(server.received().is_empty());
}

/// Refused, failed, unreachable or silent: it returns, and within its second.
#[tokio::test(flavor = "multi_thread")]
async fn a_bus_that_does_not_take_an_event_keeps_nobody_waiting() {
    let entry = json!({ "FailedEntryCount": 1, "Entries": [{ "ErrorCode": "ThrottlingException", "ErrorMessage": "no" }] });
    let troubles = [
        json(200, &entry),
        refusal(400, "AccessDeniedException", "no"),
        refusal(400, "ResourceNotFoundException", "no"),
        Script::Silence,
    ];
    for trouble in troubles {
        let (events, server) = events(vec![trouble]).await;
        let fact = unconfirmed();
        let told = events.report(at(), &fact);
        assert!(tokio::time::timeout(Duration::from_millis(1_400), told).await.is_ok());
        assert_eq!(server.received().len(), 1);
    }
    let (events, server) = events(Vec::new()).await;
    drop(server);
    assert!(
        tokio::time::timeout(Duration::from_millis(1_400), events.report(at(), &unconfirmed())).await.is_ok()
    );
}
