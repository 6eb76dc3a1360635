//! What the template promises: read as data, without AWS.
//!
//! `sam validate --lint` and cfn-lint say whether AWS would take the template, the stack test whether it
//! works. These tests hold what both would let through: a visibility time-out that is too short, a permission
//! too many, a queue that nobody watches, an alarm on a number that nobody has.

#![cfg(test)]

mod cloudformation;
mod events;
mod functions;
mod heartbeat;
mod ledger;
mod metrics;
mod observability;
mod permissions;
mod played;
mod product;
mod queues;

use cloudformation::template;
use serde_json::{Value, json};

/// The resources of one type, with their logical names.
fn resources<'a>(template: &'a Value, kind: &str) -> Vec<(&'a str, &'a Value)> {
    let found: Vec<_> = template["Resources"]
        .as_object()
        .expect("a template has resources")
        .iter()
        .filter(|(_, resource)| resource["Type"] == kind)
        .map(|(name, resource)| (name.as_str(), resource))
        .collect();
    assert!(!found.is_empty(), "no resource of type {kind}");
    found
}

/// The logical name that `!Ref NAME` or `!GetAtt NAME.Attribute` points to.
fn target(reference: &Value) -> &str {
    let text = reference["Ref"].as_str().or_else(|| reference["Fn::GetAtt"].as_str());
    let text = text.unwrap_or_else(|| panic!("not a reference: {reference}"));
    text.split('.').next().unwrap_or(text)
}

/// Every key of every mapping, however deep.
fn keys(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(entries) => {
            entries.iter().flat_map(|(key, value)| [vec![key.as_str()], keys(value)].concat()).collect()
        }
        Value::Array(items) => items.iter().flat_map(keys).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[test]
fn what_the_cli_and_a_person_look_up_is_an_output() {
    let template = template();
    let outputs: Vec<_> = template["Outputs"].as_object().expect("outputs").keys().collect();
    assert_eq!(
        outputs,
        [
            "DeadLetterQueueUrl",
            "EventBusName",
            "HealthUrl",
            "LinksUrl",
            "QueueUrl",
            "TableName",
            "WebhookUrl"
        ]
    );
    let url = template["Outputs"]["WebhookUrl"]["Value"]["Fn::Sub"].as_str().expect("a substitution");
    assert!(url.ends_with("/api/webhook"), "{url}");
}

#[test]
fn names_that_the_cli_derives_from_the_stacks_name_are_those_of_the_template() {
    let template = template();
    let cases = [
        ("Ledger", "TableName", "${AWS::StackName}-ledger"),
        ("DeliveriesQueue", "QueueName", "${AWS::StackName}-deliveries.fifo"),
        ("DeliveriesDeadLetterQueue", "QueueName", "${AWS::StackName}-deliveries-dead.fifo"),
        ("WebhookFunction", "FunctionName", "${AWS::StackName}-webhook"),
        ("ConsumerFunction", "FunctionName", "${AWS::StackName}-consumer"),
        ("HealthFunction", "FunctionName", "${AWS::StackName}-health"),
        ("EventBus", "Name", "${AWS::StackName}-events"),
    ];
    for (resource, property, name) in cases {
        assert_eq!(
            template["Resources"][resource]["Properties"][property],
            json!({ "Fn::Sub": name }),
            "{resource}"
        );
    }
}

#[test]
fn nothing_in_the_template_belongs_to_a_test() {
    let template = template();
    let stray: Vec<_> =
        keys(&template).into_iter().filter(|key| key.starts_with("AWS_ENDPOINT_URL")).collect();
    assert!(stray.is_empty(), "{stray:?}");
}
