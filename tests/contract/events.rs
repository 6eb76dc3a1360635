//! Events over the real API: what is told arrives at whoever has a rule for it.

use crate::aws;
use aws_sdk_eventbridge::types::Target;
use aws_sdk_sqs::types::QueueAttributeName;
use openreply_app::ports::{Fact, Facts};
use openreply_aws::Events;
use openreply_domain::pulse::{Alert, AlertKind};
use openreply_domain::time::from_millis;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn an_alert_arrives_through_a_rule_on_the_bus() {
    let Some(endpoint) = aws::emulator() else { return };
    let config = aws::config(&endpoint).await;
    let (bridge, sqs) = (aws_sdk_eventbridge::Client::new(&config), aws_sdk_sqs::Client::new(&config));
    let name = aws::unique("events");
    bridge.create_event_bus().name(&name).send().await.unwrap();
    let url = sqs.create_queue().queue_name(&name).send().await.unwrap().queue_url.unwrap();
    let asked = sqs.get_queue_attributes().queue_url(&url).attribute_names(QueueAttributeName::QueueArn);
    let arn = asked.send().await.unwrap().attributes.unwrap().remove(&QueueAttributeName::QueueArn).unwrap();
    let pattern = json!({ "source": ["openreply"], "detail-type": ["alert.raised"] });
    let rule = bridge.put_rule().name(&name).event_bus_name(&name).event_pattern(pattern.to_string());
    rule.send().await.unwrap();
    let target = Target::builder().id("queue").arn(arn).build().unwrap();
    bridge.put_targets().rule(&name).event_bus_name(&name).targets(target).send().await.unwrap();

    let events = Events::new(bridge, &name, "openreply", false);
    let at = from_millis(1_796_054_400_000);
    let subject = Some("17841400000000001".to_owned());
    let alert = Alert { kind: AlertKind::AccountHeld, at, subject, message: "store a new token".to_owned() };
    events.report(at, &Fact::AlertRaised(alert)).await;

    let receive = sqs.receive_message().queue_url(&url).wait_time_seconds(10);
    let got = receive.send().await.unwrap().messages.unwrap_or_default();
    let event: Value = serde_json::from_str(got[0].body.as_deref().unwrap()).unwrap();
    assert_eq!((&event["source"], &event["detail-type"]), (&json!("openreply"), &json!("alert.raised")));
    let expected = json!({
        "schema_version": 1, "stack": "openreply", "at": "2026-11-30T16:00:00Z", "alert": "account_held",
        "since": "2026-11-30T16:00:00Z", "subject": "17841400000000001", "message": "store a new token",
    });
    assert_eq!(event["detail"], expected);
}
