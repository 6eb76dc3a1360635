//! Permissions: what each function may do, word for word.

use super::{resources, target, template};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An action on a resource, as `(action, resource)`.
type Permission = (String, String);

/// What a function may do, in full. A permission that is added to the template is added here, with thought.
fn expected(function: &str) -> BTreeSet<Permission> {
    let table = "Ledger.Arn";
    let queue = "DeliveriesQueue.Arn";
    let permissions: Vec<(&str, Vec<String>)> = match function {
        "WebhookFunction" => vec![
            ("WebhookLogGroup.Arn", actions("logs", &["CreateLogStream", "PutLogEvents"])),
            ("instagram-app-secret", actions("ssm", &["GetParameters"])),
            ("facebook-app-secret", actions("ssm", &["GetParameters"])),
            ("webhook-verify-token", actions("ssm", &["GetParameters"])),
            (table, actions("dynamodb", &["PutItem", "UpdateItem"])),
            (queue, actions("sqs", &["SendMessage"])),
        ],
        "ConsumerFunction" => vec![
            ("ConsumerLogGroup.Arn", actions("logs", &["CreateLogStream", "PutLogEvents"])),
            ("sealing-key", actions("ssm", &["GetParameters"])),
            (
                table,
                actions(
                    "dynamodb",
                    &[
                        "BatchGetItem",
                        "ConditionCheckItem",
                        "DeleteItem",
                        "GetItem",
                        "PutItem",
                        "Query",
                        "UpdateItem",
                    ],
                ),
            ),
            (
                queue,
                actions(
                    "sqs",
                    &[
                        "ChangeMessageVisibility",
                        "DeleteMessage",
                        "GetQueueAttributes",
                        "ReceiveMessage",
                        "SendMessage",
                    ],
                ),
            ),
            (
                "DelayQueue.Arn",
                actions("sqs", &["DeleteMessage", "GetQueueAttributes", "ReceiveMessage", "SendMessage"]),
            ),
            ("schedules of this stack", actions("scheduler", &["CreateSchedule"])),
            ("SchedulerRole.Arn", actions("iam", &["PassRole"])),
            ("EventBus.Arn", actions("events", &["PutEvents"])),
        ],
        // It reads one row, and writes counts and the key under which visitors are hashed.
        "LinksFunction" => vec![
            ("LinksLogGroup.Arn", actions("logs", &["CreateLogStream", "PutLogEvents"])),
            (table, actions("dynamodb", &["GetItem", "PutItem", "UpdateItem"])),
        ],
        // It enqueues and settles, and never receives what it enqueued.
        "ReconcilerFunction" => vec![
            ("ReconcilerLogGroup.Arn", actions("logs", &["CreateLogStream", "PutLogEvents"])),
            ("sealing-key", actions("ssm", &["GetParameters"])),
            (table, actions("dynamodb", &["BatchGetItem", "GetItem", "PutItem", "Query", "UpdateItem"])),
            ("index due of the ledger", actions("dynamodb", &["Query"])),
            ("index log of the ledger", actions("dynamodb", &["Query"])),
            (queue, actions("sqs", &["SendMessage"])),
            ("DelayQueue.Arn", actions("sqs", &["SendMessage"])),
            (
                "SweepQueue.Arn",
                actions("sqs", &["DeleteMessage", "GetQueueAttributes", "ReceiveMessage", "SendMessage"]),
            ),
            ("schedules of this stack", actions("scheduler", &["CreateSchedule"])),
            ("SchedulerRole.Arn", actions("iam", &["PassRole"])),
            ("EventBus.Arn", actions("events", &["PutEvents"])),
        ],
        // It looks, and changes nothing.
        "HealthFunction" => vec![
            ("HealthLogGroup.Arn", actions("logs", &["CreateLogStream", "PutLogEvents"])),
            (table, actions("dynamodb", &["BatchGetItem", "GetItem", "Query"])),
            ("index due of the ledger", actions("dynamodb", &["Query"])),
            (queue, actions("sqs", &["GetQueueAttributes"])),
            ("DelayQueue.Arn", actions("sqs", &["GetQueueAttributes"])),
            ("DeliveriesDeadLetterQueue.Arn", actions("sqs", &["GetQueueAttributes"])),
            ("DelayDeadLetterQueue.Arn", actions("sqs", &["GetQueueAttributes"])),
            ("SweepDeadLetterQueue.Arn", actions("sqs", &["GetQueueAttributes"])),
        ],
        other => panic!("say here what {other} may do"),
    };
    permissions
        .into_iter()
        .flat_map(|(resource, actions)| actions.into_iter().map(move |action| (action, resource.to_owned())))
        .collect()
}

fn actions(service: &str, names: &[&str]) -> Vec<String> {
    names.iter().map(|name| format!("{service}:{name}")).collect()
}

/// What a role's inline policies grant. Nothing but plain `Allow` statements is understood.
pub(super) fn granted(role: &Value) -> BTreeSet<Permission> {
    let mut granted = BTreeSet::new();
    for policy in role["Properties"]["Policies"].as_array().expect("inline policies") {
        for statement in policy["PolicyDocument"]["Statement"].as_array().expect("statements") {
            assert_eq!(statement["Effect"], "Allow");
            let known = ["Sid", "Effect", "Action", "Resource"];
            let parts = statement.as_object().expect("a statement");
            assert!(parts.keys().all(|part| known.contains(&part.as_str())), "{parts:?}");
            for resource in one_or_many(&statement["Resource"]) {
                for action in one_or_many(&statement["Action"]) {
                    let action = action.as_str().expect("an action").to_owned();
                    granted.insert((action, resource_name(resource)));
                }
            }
        }
    }
    granted
}

fn one_or_many(value: &Value) -> Vec<&Value> {
    value.as_array().map_or_else(|| vec![value], |many| many.iter().collect())
}

/// `Name.Arn` for a resource of the template, the last part of its name for a secret of this very stack.
fn resource_name(resource: &Value) -> String {
    if let Some(name) = resource["Fn::GetAtt"].as_str() {
        return name.to_owned();
    }
    // A schedule's name is made of its timer's: only the group is known beforehand.
    const SCHEDULES: &str =
        "arn:${AWS::Partition}:scheduler:${AWS::Region}:${AWS::AccountId}:schedule/${ScheduleGroup}/*";
    if resource["Fn::Sub"] == SCHEDULES {
        return "schedules of this stack".to_owned();
    }
    for index in ["due", "log"] {
        if resource["Fn::Sub"] == format!("${{Ledger.Arn}}/index/{index}") {
            return format!("index {index} of the ledger");
        }
    }
    const SECRETS: &str =
        "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter/openreply/${AWS::StackName}/";
    let arn = resource["Fn::Sub"].as_str().and_then(|arn| arn.strip_prefix(SECRETS));
    arn.unwrap_or_else(|| {
        panic!("neither a resource of this template nor a secret of this stack: {resource}")
    })
    .to_owned()
}

#[test]
fn each_function_may_do_what_it_does_and_nothing_more() {
    let template = template();
    for (name, function) in resources(&template, "AWS::Serverless::Function") {
        let role = &template["Resources"][target(&function["Properties"]["Role"])];
        assert_eq!(granted(role), expected(name), "{name}");
    }
}

#[test]
fn a_schedule_may_only_put_messages_on_the_deliveries_queue() {
    let granted = granted(&template()["Resources"]["SchedulerRole"]);
    assert_eq!(granted, BTreeSet::from([("sqs:SendMessage".to_owned(), "DeliveriesQueue.Arn".to_owned())]));
}

#[test]
fn no_permission_is_a_wildcard() {
    let template = template();
    for (name, role) in resources(&template, "AWS::IAM::Role") {
        for (action, resource) in granted(role) {
            assert!(!action.contains('*') && !resource.contains('*'), "{name}: {action} on {resource}");
        }
    }
}

#[test]
fn no_permission_comes_from_elsewhere_than_a_functions_own_role() {
    let template = template();
    let functions = resources(&template, "AWS::Serverless::Function");
    let mut roles = BTreeSet::new();
    for (name, function) in &functions {
        assert!(roles.insert(target(&function["Properties"]["Role"])), "{name} shares its role");
        assert_eq!(function["Properties"].get("Policies"), None, "{name}: SAM ignores them beside a role");
    }
    for (name, role) in resources(&template, "AWS::IAM::Role") {
        let service = match name {
            // The one role that is no function's: schedules enqueue with it.
            "SchedulerRole" => "scheduler.amazonaws.com",
            _ => {
                assert!(roles.contains(name), "{name} is nobody's role");
                "lambda.amazonaws.com"
            }
        };
        let role = &role["Properties"];
        assert_eq!(role.get("ManagedPolicyArns"), None, "{name}");
        let statement = &role["AssumeRolePolicyDocument"]["Statement"];
        assert_eq!(statement.as_array().map(Vec::len), Some(1), "{name}");
        assert_eq!(statement[0]["Principal"], json!({ "Service": service }), "{name}");
        assert_eq!(statement[0]["Action"], "sts:AssumeRole", "{name}");
    }
    let other = ["AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::SQS::QueuePolicy"];
    for (name, resource) in template["Resources"].as_object().expect("resources") {
        assert!(!other.iter().any(|kind| resource["Type"] == *kind), "{name}");
    }
}

#[test]
fn secrets_are_looked_up_where_they_may_be_read() {
    let template = template();
    let prefix = &template["Globals"]["Function"]["Environment"]["Variables"]["SECRETS_PREFIX"];
    assert_eq!(prefix, &json!({ "Fn::Sub": "/openreply/${AWS::StackName}/" }));
}
