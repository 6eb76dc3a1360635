//! Timers: what goes onto the delay queue, what becomes a schedule, and what each looks like.

use crate::{bodies, config, json, refusal};
use openreply_app::job::{Delayed, Job};
use openreply_app::ports::{Clock, Timer, Timers};
use openreply_aws::timers::{SchedulerSettings, SchedulerTimers, schedule_name};
use openreply_domain::ids::UserId;
use openreply_domain::send::{Leg, SendKey};
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::memory::ManualClock;
use openreply_testkit::sockets::{Script, ScriptedServer};
use serde_json::json;

const DELAY_URL: &str = "https://sqs.eu-central-1.amazonaws.com/1/delays";
const QUEUE_ARN: &str = "arn:aws:sqs:eu-central-1:1:deliveries.fifo";
const ROLE_ARN: &str = "arn:aws:iam::1:role/timers";

async fn timers(scripts: Vec<Script>) -> (SchedulerTimers<ManualClock>, ScriptedServer) {
    let server = ScriptedServer::start(scripts).await.unwrap();
    let config = config(&server).await;
    let settings = SchedulerSettings {
        group: "openreply-dev".to_owned(),
        role_arn: ROLE_ARN.to_owned(),
        queue_arn: QUEUE_ARN.to_owned(),
        delay_queue_url: DELAY_URL.to_owned(),
    };
    let (scheduler, sqs) = (aws_sdk_scheduler::Client::new(&config), aws_sdk_sqs::Client::new(&config));
    (SchedulerTimers::new(scheduler, sqs, settings, ManualClock::default()), server)
}

/// A timer so many milliseconds ahead of the clock.
fn timer(wake: u32, ahead: i64) -> Timer {
    Timer {
        key: SendKey { trigger: "comment:17841400000000001:179".parse().unwrap(), leg: Leg::Dm },
        user: UserId::parse("900").unwrap(),
        wake,
        due_at: after(ManualClock::default().now(), SignedDuration::from_millis(ahead)),
    }
}

fn queued() -> Script {
    json(200, &json!({ "MessageId": "m" }))
}

fn scheduled() -> Script {
    json(200, &json!({ "ScheduleArn": "arn:aws:scheduler:eu-central-1:1:schedule/openreply-dev/x" }))
}

#[tokio::test]
async fn what_is_due_within_a_minute_goes_onto_the_delay_queue_and_is_never_early() {
    let cases = [
        (-5_000, 0),
        (0, 0),
        (1, 1),
        (999, 1),
        (1_000, 1),
        (1_001, 2),
        (30_000, 30),
        (59_001, 60),
        (59_999, 60),
    ];
    for (ahead, seconds) in cases {
        let (timers, server) = timers(vec![queued()]).await;
        let timer = timer(3, ahead);
        timers.set(&timer).await.unwrap();
        let sent = &bodies(&server)[0];
        assert_eq!(server.received().len(), 1);
        assert_eq!(
            (&sent["QueueUrl"], &sent["DelaySeconds"]),
            (&json!(DELAY_URL), &json!(seconds)),
            "{ahead}"
        );
        let delayed: Delayed = serde_json::from_str(sent["MessageBody"].as_str().unwrap()).unwrap();
        let identity = timer.identity();
        assert_eq!(delayed, Delayed { group: identity.group, dedup: identity.dedup, job: timer.job() });
    }
}

#[tokio::test]
async fn what_is_due_later_becomes_a_schedule_that_deletes_itself() {
    for (ahead, seconds) in [(60_000, 60), (60_001, 61), (60_999, 61), (7 * 86_400_000, 7 * 86_400)] {
        let (timers, server) = timers(vec![scheduled()]).await;
        let timer = timer(3, ahead);
        timers.set(&timer).await.unwrap();
        let received = server.received();
        assert_eq!(received.len(), 1);
        assert_eq!(
            (received[0].method.as_str(), received[0].path.as_str()),
            ("POST", format!("/schedules/{}", schedule_name(&timer)).as_str())
        );
        let sent = &bodies(&server)[0];
        let due = after(ManualClock::default().now(), SignedDuration::from_secs(seconds));
        assert_eq!(
            sent["ScheduleExpression"],
            format!("at({})", due.strftime("%Y-%m-%dT%H:%M:%S")),
            "{ahead}"
        );
        assert_eq!(sent["ScheduleExpressionTimezone"], "UTC");
        assert_eq!(sent["GroupName"], "openreply-dev");
        assert_eq!(sent["FlexibleTimeWindow"], json!({ "Mode": "OFF" }));
        assert_eq!(sent["ActionAfterCompletion"], "DELETE");
        let target = &sent["Target"];
        assert_eq!((&target["Arn"], &target["RoleArn"]), (&json!(QUEUE_ARN), &json!(ROLE_ARN)));
        assert_eq!(target["SqsParameters"], json!({ "MessageGroupId": timer.identity().group }));
        let job: Job = serde_json::from_str(target["Input"].as_str().unwrap()).unwrap();
        assert_eq!(job, timer.job());
    }
}

/// The queue's deduplication by content swallows a second firing only if it is the same to the byte.
#[tokio::test]
async fn one_wake_always_puts_the_same_bytes_on_the_queue() {
    let (timers, server) = timers(vec![scheduled()]).await;
    for timer in [timer(3, 60_000), timer(3, 3_600_000), timer(4, 60_000)] {
        timers.set(&timer).await.unwrap();
    }
    let sent = bodies(&server);
    let input = |n: usize| sent[n]["Target"]["Input"].as_str().unwrap();
    assert_eq!(input(0), input(1));
    assert_ne!(input(0), input(2));
    let paths: Vec<String> = server.received().into_iter().map(|request| request.path).collect();
    assert!(paths[0] == paths[1] && paths[0] != paths[2], "{paths:?}");
}

#[tokio::test]
async fn a_schedule_that_exists_stands() {
    let conflict = refusal(409, "ConflictException", "Schedule x already exists.");
    for scripts in [vec![conflict.clone()], vec![Script::ResetAfterRead, conflict]] {
        let (timers, _server) = timers(scripts).await;
        assert_eq!(timers.set(&timer(1, 60_000)).await, Ok(()));
    }
}

#[tokio::test]
async fn a_timer_that_may_not_be_set_is_told_and_what_passes_is_tried_again() {
    let cases = [
        (refusal(429, "ThrottlingException", "Rate exceeded"), "ThrottlingException", 3),
        (refusal(500, "InternalServerException", ""), "InternalServerException", 3),
        (refusal(402, "ServiceQuotaExceededException", ""), "ServiceQuotaExceededException", 1),
        (refusal(403, "AccessDeniedException", "not authorized to perform x"), "permission is missing", 1),
        (Script::ResetAfterRead, "DispatchFailure", 3),
    ];
    for (script, named, calls) in cases {
        for ahead in [10_000, 60_000] {
            let (timers, server) = timers(vec![script.clone()]).await;
            let error = timers.set(&timer(1, ahead)).await.unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
            assert_eq!(server.received().len(), calls, "{named}, {ahead}");
        }
    }
}

#[tokio::test]
async fn a_schedule_group_that_is_missing_is_not_called_a_table() {
    let missing = refusal(404, "ResourceNotFoundException", "Schedule group openreply-dev does not exist.");
    let (timers, _server) = timers(vec![missing]).await;
    let error = timers.set(&timer(1, 60_000)).await.unwrap_err().to_string();
    assert!(error.contains("schedule group") && !error.contains("table"), "{error}");
}
