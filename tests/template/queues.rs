//! Queues and the event sources that read them: nothing comes back while it is worked on, nothing is dropped.

use super::{resources, target, template};
use serde_json::{Value, json};

const FOURTEEN_DAYS: i64 = 14 * 24 * 60 * 60;

/// One function's subscription to a queue: the function, its event and the queue.
struct Source<'a> {
    function: &'a Value,
    event: &'a Value,
    queue: &'a Value,
}

fn sources(template: &Value) -> Vec<Source<'_>> {
    let mut found = Vec::new();
    for (_, function) in resources(template, "AWS::Serverless::Function") {
        for event in function["Properties"]["Events"].as_object().expect("a function has events").values() {
            if event["Type"] == "SQS" {
                let event = &event["Properties"];
                let queue = &template["Resources"][target(&event["Queue"])]["Properties"];
                found.push(Source { function: &function["Properties"], event, queue });
            }
        }
    }
    assert!(!found.is_empty(), "no function reads a queue");
    found
}

/// The name of the queue's dead-letter queue. `None`: it has none.
fn dead_letters(queue: &Value) -> Option<&str> {
    let policy = queue["Properties"].get("RedrivePolicy")?;
    Some(target(&policy["deadLetterTargetArn"]))
}

#[test]
fn a_message_stays_hidden_for_six_timeouts_of_its_reader() {
    let template = template();
    for Source { function, queue, .. } in sources(&template) {
        let timeout = function["Timeout"].as_i64().expect("a timeout of its own");
        let visibility = queue["VisibilityTimeout"].as_i64().expect("a visibility timeout");
        assert!(visibility >= 6 * timeout, "{visibility} s are less than six times {timeout} s");
    }
}

#[test]
fn a_reader_reports_which_messages_of_a_batch_failed() {
    let template = template();
    for Source { event, .. } in sources(&template) {
        assert_eq!(event["FunctionResponseTypes"], json!(["ReportBatchItemFailures"]));
    }
}

#[test]
fn batches_are_small_and_not_waited_for() {
    let template = template();
    for Source { event, queue, .. } in sources(&template) {
        let size = event["BatchSize"].as_i64().expect("a batch size");
        // What sends must fit the function's time; what the delay queue holds is only put on the other queue.
        let most = if queue["FifoQueue"] == true { 5 } else { 10 };
        assert!((1..=most).contains(&size), "{size} messages");
        assert_eq!(event.get("MaximumBatchingWindowInSeconds"), None, "a FIFO queue takes no window");
    }
}

#[test]
fn the_event_source_caps_concurrency_by_a_parameter() {
    let template = template();
    for Source { event, queue, .. } in sources(&template) {
        let cap = if queue["FifoQueue"] == true {
            json!({ "Ref": "ConsumerMaximumConcurrency" })
        } else if queue["QueueName"]["Fn::Sub"] == "${AWS::StackName}-sweeps" {
            json!({ "Ref": "SweepMaximumConcurrency" })
        } else {
            json!(2)
        };
        assert_eq!(event["ScalingConfig"], json!({ "MaximumConcurrency": cap }));
    }
    let parameter = &template["Parameters"]["ConsumerMaximumConcurrency"];
    assert_eq!((&parameter["Default"], &parameter["MinValue"]), (&json!(10), &json!(2)));
}

#[test]
fn every_queue_whose_order_matters_is_fifo_in_high_throughput_mode() {
    let template = template();
    for (name, queue) in resources(&template, "AWS::SQS::Queue") {
        // A FIFO queue takes no delay for a single message; sweeps have no order.
        let unordered = ["DelayQueue", "DelayDeadLetterQueue", "SweepQueue", "SweepDeadLetterQueue"];
        if unordered.contains(&name) {
            assert_eq!(queue["Properties"].get("FifoQueue"), None, "{name}");
            continue;
        }
        let queue = &queue["Properties"];
        assert_eq!(queue["FifoQueue"], true, "{name}");
        assert_eq!(queue["DeduplicationScope"], "messageGroup", "{name}");
        assert_eq!(queue["FifoThroughputLimit"], "perMessageGroupId", "{name}");
    }
}

#[test]
fn every_queue_is_encrypted_and_keeps_its_messages_as_long_as_aws_allows() {
    let template = template();
    for (name, queue) in resources(&template, "AWS::SQS::Queue") {
        assert_eq!(queue["Properties"]["SqsManagedSseEnabled"], true, "{name}");
        assert_eq!(queue["Properties"]["MessageRetentionPeriod"], FOURTEEN_DAYS, "{name}");
    }
}

#[test]
fn a_queue_that_is_read_deduplicates_by_content() {
    let template = template();
    for Source { queue, .. } in sources(&template).iter().filter(|source| source.queue["FifoQueue"] == true) {
        assert_eq!(queue["ContentBasedDeduplication"], true, "a schedule cannot set a deduplication id");
    }
}

#[test]
fn every_queue_has_a_dead_letter_queue_of_its_kind_and_room_to_be_handed_back() {
    let template = template();
    let queues = resources(&template, "AWS::SQS::Queue");
    let dead: Vec<_> = queues.iter().filter_map(|(_, queue)| dead_letters(queue)).collect();
    for (name, queue) in &queues {
        match dead_letters(queue) {
            Some(dead) => {
                let dead = &template["Resources"][dead]["Properties"];
                assert_eq!(
                    dead.get("FifoQueue"),
                    queue["Properties"].get("FifoQueue"),
                    "{name}: AWS refuses other kinds"
                );
                // A sweep that failed comes again after half an hour, anything else much sooner.
                let receives = match *name {
                    "SweepQueue" => 3,
                    "DeliveriesQueue" => 500,
                    _ => 50,
                };
                assert_eq!(queue["Properties"]["RedrivePolicy"]["maxReceiveCount"], receives, "{name}");
            }
            None => assert!(dead.contains(name), "{name} has no dead-letter queue and is none"),
        }
    }
}

#[test]
fn one_message_in_a_dead_letter_queue_raises_an_alarm() {
    let template = template();
    let alarms = resources(&template, "AWS::CloudWatch::Alarm");
    for (name, queue) in resources(&template, "AWS::SQS::Queue") {
        let Some(dead) = dead_letters(queue) else { continue };
        let dimension =
            json!([{ "Name": "QueueName", "Value": { "Fn::GetAtt": format!("{dead}.QueueName") } }]);
        let alarm = alarms.iter().find(|(_, alarm)| alarm["Properties"]["Dimensions"] == dimension);
        let (_, alarm) = alarm.unwrap_or_else(|| panic!("nobody watches {dead}, the end of {name}"));
        let alarm = &alarm["Properties"];
        assert_eq!(alarm["Namespace"], "AWS/SQS");
        assert_eq!(alarm["MetricName"], "ApproximateNumberOfMessagesVisible");
        assert_eq!(alarm["ComparisonOperator"], "GreaterThanThreshold");
        assert_eq!(alarm["Threshold"], 0);
        assert_eq!(alarm["TreatMissingData"], "notBreaching", "an idle queue has no data");
        let topic =
            json!({ "Fn::If": ["HasAlarmTopic", [{ "Ref": "AlarmTopicArn" }], { "Ref": "AWS::NoValue" }] });
        assert_eq!(alarm["AlarmActions"], topic);
    }
}

#[test]
fn health_counts_every_dead_letter_queue() {
    let template = template();
    let counted = &template["Resources"]["HealthFunction"]["Properties"]["Environment"]["Variables"];
    let counted = counted["DEAD_LETTER_QUEUE_URLS"]["Fn::Sub"].as_str().expect("a list");
    let mut counted: Vec<&str> = counted.split(' ').collect();
    let queues = resources(&template, "AWS::SQS::Queue");
    let dead = queues.iter().filter_map(|(_, queue)| dead_letters(queue)).map(|dead| format!("${{{dead}}}"));
    let mut dead: Vec<String> = dead.collect();
    counted.sort_unstable();
    dead.sort();
    assert_eq!(counted, dead);
}

#[test]
fn one_account_is_swept_at_a_time_by_each_invocation_and_a_round_comes_every_five_minutes() {
    let template = template();
    let events = &template["Resources"]["ReconcilerFunction"]["Properties"]["Events"];
    assert_eq!(events["Sweeps"]["Properties"]["BatchSize"], 1, "a slow account delays no other");
    let round = &events["Round"]["Properties"];
    assert_eq!(
        (&round["Schedule"], &round["Input"]),
        (&json!("rate(5 minutes)"), &json!("{\"plan\": true}"))
    );
}
