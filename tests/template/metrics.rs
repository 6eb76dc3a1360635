//! The metrics: what is told becomes lines that CloudWatch makes numbers of, and every number an alarm or the
//! dashboard rests on was seen in such a line.

use super::product::{Product, TEXT, USER, USERNAME, lines};
use openreply_aws::facts::metrics::{DIMENSION, METRICS, NAMESPACE};
use openreply_domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The metrics that a line holds, checked against the embedded metric format.
pub(crate) fn metrics(line: &Value) -> BTreeSet<String> {
    let aws = &line["_aws"];
    let keys: Vec<&String> = aws.as_object().expect("metadata").keys().collect();
    assert_eq!(keys, ["CloudWatchMetrics", "Timestamp"]);
    assert!(aws["Timestamp"].as_i64().is_some_and(|millis| millis > 1_700_000_000_000), "{line}");
    let directives = aws["CloudWatchMetrics"].as_array().expect("directives");
    assert_eq!(directives.len(), 1, "{line}");
    let directive = &directives[0];
    assert_eq!(directive["Namespace"], NAMESPACE);
    // Each further dimension would be further metrics, and each costs.
    assert_eq!(directive["Dimensions"], json!([[DIMENSION]]), "{line}");
    assert_eq!(line[DIMENSION], "openreply");
    let mut found = BTreeSet::new();
    for metric in directive["Metrics"].as_array().expect("metrics") {
        let name = metric["Name"].as_str().expect("a name");
        assert!(["Count", "Milliseconds"].contains(&metric["Unit"].as_str().expect("a unit")), "{line}");
        match &line[name] {
            Value::Number(_) => {}
            Value::Array(values) => {
                assert!((1..=100).contains(&values.len()) && values.iter().all(Value::is_number), "{line}");
            }
            other @ (Value::Null | Value::Bool(_) | Value::String(_) | Value::Object(_)) => {
                panic!("{name} is {other}: {line}")
            }
        }
        assert!(found.insert(name.to_owned()), "{name} twice: {line}");
    }
    assert!(!found.is_empty(), "{line}");
    found
}

/// Every metric that the product was seen to emit.
pub(crate) async fn emitted() -> BTreeSet<String> {
    let told = Product::new().await.everything().await;
    lines(&told).await.iter().flat_map(metrics).collect()
}

#[tokio::test]
async fn every_metric_is_emitted_by_what_it_counts_and_there_are_ten() {
    let known: BTreeSet<String> = METRICS.iter().map(|metric| metric.name().to_owned()).collect();
    assert_eq!(known.len(), 10, "more than ten cost");
    assert_eq!(emitted().await, known);
}

#[tokio::test]
async fn what_happened_is_counted_once() {
    let told = Product::new().await.everything().await;
    let lines = lines(&told).await;
    let all =
        |name: &str| -> Vec<Value> { lines.iter().filter_map(|line| line.get(name)).cloned().collect() };
    for (name, expected) in
        [("Sent", 2), ("Failed", 1), ("Unconfirmed", 1), ("Skipped", 1), ("DuplicatesRefused", 1)]
    {
        assert_eq!(all(name), vec![json!(1); expected], "{name}");
    }
    assert_eq!(all("CommentToDmLatency"), [json!(2000)], "what waited for a hold is not slow");
    assert_eq!(all("GraphLatency").len(), 5);
    assert_eq!(all("QueueLag")[0], json!([2000]));
    assert_eq!(all("HeldAccounts"), [json!(1), json!(0)]);
    assert_eq!(all("HeartbeatAge"), [json!(0)], "and none before there was a heartbeat");
}

/// The level and the time are what Lambda reads; without either it takes a line for INFO all the same.
#[tokio::test]
async fn a_line_about_a_message_carries_its_trigger_and_nothing_private() {
    let told = Product::new().await.everything().await;
    for line in lines(&told).await {
        assert_eq!(line["level"], "INFO", "{line}");
        assert!(line["timestamp"].as_str().is_some_and(|at| at.parse::<Timestamp>().is_ok()), "{line}");
        let about_a_message = line.get("QueueLag").is_none()
            && line.get("HeartbeatAge").is_none()
            && line.get("HeldAccounts").is_none();
        assert_eq!(line["trigger"].is_string() && line["leg"].is_string(), about_a_message, "{line}");
        let text = line.to_string();
        for private in [TEXT, USERNAME, "bakery", "Words of the campaign", USER] {
            assert!(!text.contains(private), "{private}: {text}");
        }
    }
}
