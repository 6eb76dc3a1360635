//! `infra/observability.yaml`: every alarm rests on a number that exists, leads somewhere, and is explained.

use super::cloudformation::parse;
use super::metrics::emitted;
use super::{resources, template};
use openreply_app::ports::Fact;
use openreply_aws::facts::events::{SOURCE, event};
use openreply_aws::facts::metrics::NAMESPACE;
use openreply_domain::ids::AccountId;
use openreply_domain::pulse::Alert;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::token::{SealedToken, ends_at_the_latest};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

pub(crate) fn observability() -> Value {
    parse(&file("infra/observability.yaml"))
}

fn file(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What AWS itself counts, and under which dimension.
const OF_AWS: [(&str, &str, &[&str]); 7] = [
    ("AWS/SQS", "ApproximateAgeOfOldestMessage", &["QueueName"]),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", &["QueueName"]),
    ("AWS/Lambda", "Errors", &["FunctionName"]),
    ("AWS/Lambda", "Invocations", &["FunctionName"]),
    ("AWS/Lambda", "Throttles", &["FunctionName"]),
    ("AWS/ApiGateway", "5xx", &["ApiId"]),
    // Of a bus that is not the default one.
    ("AWS/Events", "MatchedEvents", &["EventBusName", "RuleName"]),
];

/// The metrics that an alarm rests on: namespace, name and dimensions, as they stand in it.
fn rests_on(alarm: &Value) -> Vec<(String, String, Vec<Value>)> {
    let one = |metric: &Value| {
        let text = |name: &str| metric[name].as_str().expect("a text").to_owned();
        let dimensions = metric["Dimensions"].as_array().expect("dimensions");
        (text("Namespace"), text("MetricName"), dimensions.clone())
    };
    match alarm["Metrics"].as_array() {
        None => vec![one(alarm)],
        Some(metrics) => {
            let stats = metrics.iter().filter(|metric| metric.get("MetricStat").is_some());
            stats.map(|metric| one(&metric["MetricStat"]["Metric"])).collect()
        }
    }
}

fn alarms(of: &Value) -> Vec<(String, Value)> {
    let found = resources(of, "AWS::CloudWatch::Alarm");
    found.into_iter().map(|(name, alarm)| (name.to_owned(), alarm["Properties"].clone())).collect()
}

#[tokio::test]
async fn an_alarm_names_only_metrics_that_were_seen_emitted() {
    let emitted = emitted().await;
    let mut rests = BTreeSet::new();
    for (name, alarm) in [alarms(&observability()), alarms(&template())].concat() {
        for (namespace, metric, dimensions) in rests_on(&alarm) {
            if namespace == NAMESPACE {
                assert!(emitted.contains(&metric), "{name}: nobody emits {metric}");
                let service = json!({ "Name": "Service", "Value": { "Ref": "Service" } });
                assert_eq!(dimensions, [service], "{name}");
                rests.insert(metric);
            } else {
                let known = OF_AWS.iter().find(|(of, what, _)| *of == namespace && *what == metric);
                let (_, _, by) = known.unwrap_or_else(|| panic!("{name}: {namespace} has no {metric}"));
                let names: Vec<&Value> = dimensions.iter().map(|dimension| &dimension["Name"]).collect();
                assert_eq!(names, *by, "{name}");
            }
        }
    }
    let expected = ["Failed", "HeartbeatAge", "HeldAccounts", "Sent", "Unconfirmed"];
    assert_eq!(rests.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

/// Whether an event is one that a rule is for. Knows fields, and values that are equal.
fn matches(pattern: &Value, event: &Value) -> bool {
    match pattern {
        Value::Object(fields) => fields.iter().all(|(name, field)| matches(field, &event[name])),
        Value::Array(values) => values.contains(event),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            panic!("{pattern} is no pattern that this test knows")
        }
    }
}

#[test]
fn the_alarm_for_a_token_that_ends_counts_the_events_that_tell_of_it() {
    let observability = observability();
    let rule = &observability["Resources"]["TokenEndingRule"]["Properties"];
    let alarm = &observability["Resources"]["TokenEndingAlarm"]["Properties"];
    assert_eq!(
        alarm["Dimensions"],
        json!([
            { "Name": "EventBusName", "Value": rule["EventBusName"] },
            { "Name": "RuleName", "Value": rule["Name"] },
        ])
    );
    let account = AccountId::parse("17841400000000001").unwrap();
    let stored = Timestamp::UNIX_EPOCH;
    let token = SealedToken { sealed: String::new(), version: 1, ends_by: Some(ends_at_the_latest(stored)) };
    let now = after(stored, SignedDuration::from_hours(24 * 59));
    let ending = Alert::token_ending(&account, &token, now).expect("it ends within a day");
    let other = Alert::fuse(&account, now);
    for (alert, counts) in [(ending, true), (other, false)] {
        let told = event("openreply", now, &Fact::AlertRaised(alert), false).expect("an event");
        let told = json!({ "source": SOURCE, "detail-type": told.detail_type, "detail": told.detail });
        assert_eq!(matches(&rule["EventPattern"], &told), counts, "{told}");
    }
}

/// A missing number is bad only where somebody always has one to give.
#[test]
fn only_what_comes_all_the_time_is_bad_when_it_is_missing() {
    for (name, alarm) in [alarms(&observability()), alarms(&template())].concat() {
        let is_steady = ["HeartbeatAlarm", "RoundsAlarm"].contains(&name.as_str());
        let missing = if is_steady { "breaching" } else { "notBreaching" };
        assert_eq!(alarm["TreatMissingData"], missing, "{name}");
    }
    let observability = observability();
    let heartbeat = &observability["Resources"]["HeartbeatAlarm"]["Properties"];
    let dead_after = openreply_domain::pulse::DEAD_AFTER.as_millis();
    assert_eq!(heartbeat["Threshold"].as_i64().map(i128::from), Some(dead_after));
    assert_eq!(heartbeat["ComparisonOperator"], "GreaterThanThreshold");
}

#[test]
fn every_alarm_goes_to_the_topic_and_is_explained_in_the_runbook() {
    let (runbook, overview) = (file("docs/RUNBOOK.md"), file("docs/OBSERVABILITY.md"));
    let topic =
        json!({ "Fn::If": ["HasAlarmTopic", [{ "Ref": "AlarmTopicArn" }], { "Ref": "AWS::NoValue" }] });
    let mut explained = BTreeSet::new();
    for (name, alarm) in [alarms(&observability()), alarms(&template())].concat() {
        assert_eq!(alarm["AlarmActions"], topic, "{name}");
        // What counts events says nothing by being at rest again.
        let counts = ["TokenEndingAlarm", "UnconfirmedAlarm"].contains(&name.as_str());
        let back = if counts { &Value::Null } else { &topic };
        assert_eq!(&alarm["OKActions"], back, "{name}");
        let description = alarm["AlarmDescription"].as_str().expect("a description");
        let entry = description.split_once("(RUNBOOK, ").and_then(|(_, rest)| rest.split_once(')'));
        let (entry, _) = entry.unwrap_or_else(|| panic!("{name} does not say where it is explained"));
        assert!(runbook.contains(&format!("\n## {entry}\n")), "{name}: RUNBOOK.md has no entry \"{entry}\"");
        explained.insert(entry.to_owned());
        let listed =
            alarm["AlarmName"]["Fn::Sub"].as_str().expect("a name").rsplit('}').next().unwrap_or_default();
        assert!(overview.contains(&format!("`…{listed}`")), "OBSERVABILITY.md does not list {listed}");
    }
    assert!(explained.len() >= 8, "{explained:?}");
}

#[test]
fn every_function_is_watched_for_errors_and_throttles() {
    let template = template();
    let observability = observability();
    for (alarm, metric) in [("ErrorsAlarm", "Errors"), ("ThrottlesAlarm", "Throttles")] {
        let alarm = &observability["Resources"][alarm]["Properties"];
        let watched: BTreeSet<String> = rests_on(alarm)
            .into_iter()
            .map(|(_, name, dimensions)| {
                assert_eq!(name, metric);
                dimensions[0]["Value"]["Fn::Sub"]
                    .as_str()
                    .expect("a name")
                    .replace("${Service}", "${AWS::StackName}")
            })
            .collect();
        let functions: BTreeSet<String> = resources(&template, "AWS::Serverless::Function")
            .into_iter()
            .map(|(_, function)| {
                function["Properties"]["FunctionName"]["Fn::Sub"].as_str().expect("a name").to_owned()
            })
            .collect();
        assert_eq!(watched, functions, "{metric}");
    }
}

#[test]
fn what_the_stack_hands_on_is_what_is_asked_for() {
    let template = template();
    let nested = &template["Resources"]["Observed"]["Properties"];
    assert_eq!(nested["TemplateURL"], "infra/observability.yaml");
    let given: Vec<&String> = nested["Parameters"].as_object().expect("parameters").keys().collect();
    let observability = observability();
    let mut asked: Vec<&String> =
        observability["Parameters"].as_object().expect("parameters").keys().collect();
    asked.sort();
    assert_eq!(given, asked);
    assert_eq!(nested["Parameters"]["Service"], json!({ "Ref": "AWS::StackName" }));
    assert_eq!(nested["Parameters"]["HttpApiId"], json!({ "Ref": "HttpApi" }));
    assert_eq!(nested["Parameters"]["EventBusName"], json!({ "Ref": "EventBus" }));
}

/// The dashboard as JSON, with a name in the place of each reference.
fn dashboard() -> Value {
    let body = observability()["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"].clone();
    let body = body.as_str().expect("a text").replace("${Service}", "openreply");
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("the dashboard is no JSON: {error}"))
}

#[tokio::test]
async fn the_dashboard_shows_what_exists_and_every_alarm() {
    let emitted = emitted().await;
    let dashboard = dashboard();
    let widgets = dashboard["widgets"].as_array().expect("widgets");
    let mut shown = BTreeSet::new();
    for widget in widgets {
        let mut last = (String::new(), String::new());
        for metric in widget["properties"]["metrics"].as_array().into_iter().flatten() {
            let text = |at: usize| metric[at].as_str().unwrap_or_default().to_owned();
            // `.` stands for what stood there before, `...` for all of it.
            if text(0) != "..." {
                let namespace = if text(0) == "." { last.0.clone() } else { text(0) };
                last = (namespace, text(1));
            }
            if last.0 == NAMESPACE {
                assert!(emitted.contains(&last.1), "nobody emits {}", last.1);
                shown.insert(last.1.clone());
            }
        }
    }
    assert_eq!(shown, emitted, "every number is on the one screen");
    let questions: Vec<&str> =
        widgets.iter().filter_map(|widget| widget["properties"]["markdown"].as_str()).collect();
    assert_eq!(questions, ["## Is it working?", "## Is it slow?", "## What needs me?"]);

    let listed = widgets.iter().find(|widget| widget["type"] == "alarm").expect("a list of alarms");
    let listed: BTreeSet<&str> = listed["properties"]["alarms"]
        .as_array()
        .expect("alarms")
        .iter()
        .map(|arn| arn.as_str().expect("an ARN").rsplit(':').next().unwrap_or_default())
        .collect();
    let own = alarms(&observability()).into_iter().map(|(_, alarm)| alarm["AlarmName"]["Fn::Sub"].clone());
    let others = alarms(&template()).into_iter().map(|(_, alarm)| alarm["AlarmName"]["Fn::Sub"].clone());
    let names: BTreeSet<String> = own
        .chain(others)
        .map(|name| {
            let name = name.as_str().expect("a name").to_owned();
            name.replace("${Service}", "openreply").replace("${AWS::StackName}", "openreply")
        })
        .collect();
    assert_eq!(listed, names.iter().map(String::as_str).collect());
}

#[test]
fn saved_queries_look_into_logs_that_exist() {
    let template = template();
    let groups: BTreeSet<String> = resources(&template, "AWS::Logs::LogGroup")
        .into_iter()
        .map(|(_, group)| group["Properties"]["LogGroupName"]["Fn::Sub"].as_str().expect("a name").to_owned())
        .collect();
    let observability = observability();
    let queries = resources(&observability, "AWS::Logs::QueryDefinition");
    assert!(queries.len() >= 4);
    for (name, query) in queries {
        for group in query["Properties"]["LogGroupNames"].as_array().expect("groups") {
            let group = group["Fn::Sub"].as_str().expect("a name").replace("${Service}", "${AWS::StackName}");
            assert!(groups.contains(&group), "{name}: there is no {group}");
        }
    }
}
