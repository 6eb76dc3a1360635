//! `infra/observability.yaml`: every alarm rests on a number that exists, leads somewhere, and is explained.

use super::cloudformation::parse;
use super::metrics::emitted;
use super::{resources, template};
use openreply_aws::facts::metrics::NAMESPACE;
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
const OF_AWS: [(&str, &str, &str); 5] = [
    ("AWS/SQS", "ApproximateAgeOfOldestMessage", "QueueName"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "QueueName"),
    ("AWS/Lambda", "Errors", "FunctionName"),
    ("AWS/Lambda", "Throttles", "FunctionName"),
    ("AWS/ApiGateway", "5xx", "ApiId"),
];

/// The metrics that an alarm rests on: namespace, name and the one dimension, as they stand in it.
fn rests_on(alarm: &Value) -> Vec<(String, String, Value)> {
    let one = |metric: &Value| {
        let text = |name: &str| metric[name].as_str().expect("a text").to_owned();
        let dimensions = metric["Dimensions"].as_array().expect("dimensions");
        assert_eq!(dimensions.len(), 1, "{metric}");
        (text("Namespace"), text("MetricName"), dimensions[0].clone())
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
        for (namespace, metric, dimension) in rests_on(&alarm) {
            if namespace == NAMESPACE {
                assert!(emitted.contains(&metric), "{name}: nobody emits {metric}");
                assert_eq!(dimension, json!({ "Name": "Service", "Value": { "Ref": "Service" } }), "{name}");
                rests.insert(metric);
            } else {
                let known = OF_AWS.iter().find(|(of, what, _)| *of == namespace && *what == metric);
                let (_, _, by) = known.unwrap_or_else(|| panic!("{name}: {namespace} has no {metric}"));
                assert_eq!(dimension["Name"], *by, "{name}");
            }
        }
    }
    let expected = ["Failed", "HeartbeatAge", "HeldAccounts", "Sent", "Unconfirmed"];
    assert_eq!(rests.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

/// A missing number is bad only where somebody always has one to give.
#[test]
fn only_a_heartbeat_that_is_missing_is_bad_by_itself() {
    for (name, alarm) in [alarms(&observability()), alarms(&template())].concat() {
        let missing = if name == "HeartbeatAlarm" { "breaching" } else { "notBreaching" };
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
        assert_eq!((&alarm["AlarmActions"], &alarm["OKActions"]), (&topic, &topic), "{name}");
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
            .map(|(_, name, dimension)| {
                assert_eq!(name, metric);
                dimension["Value"]["Fn::Sub"]
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
