//! The way of a beat, from the template's schedule to the alarm: cut at any link, the alarm rings.

use super::observability::observability;
use super::product::{Product, consume, lines, no_table};
use super::template;
use openreply_app::deliver::{Budget, Deliver};
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Enqueue, Ports, Queue};
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::{BEATS, QueueIdentity};
use openreply_testkit::faults::{FaultPlan, Faulty};
use openreply_testkit::memory::MemoryHost;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nothing,
    Schedule,
    /// The deliveries queue hands nothing out.
    Queue,
    /// The delay queue hands nothing out.
    Delay,
    Consumer,
    Table,
    /// Whoever measures.
    Health,
}

/// What the template's schedule puts on the queue at a moment.
fn scheduled(at: Timestamp) -> (String, Job) {
    let template = template();
    let target = &template["Resources"]["BeatSchedule"]["Properties"]["Target"];
    let body = target["Input"].as_str().expect("a body");
    let body = body
        .replace("<aws.scheduler.execution-id>", &format!("run-{}", at.as_second()))
        .replace("<aws.scheduler.scheduled-time>", &at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let group = target["SqsParameters"]["MessageGroupId"].as_str().expect("a group");
    (group.to_owned(), serde_json::from_str(&body).expect("a job"))
}

/// Runs the stack for some minutes, second by second, with this link cut. Returns the ages that were measured, a
/// minute each; `None`: no number.
async fn minutes(product: &Product, cut: Cut, minutes: u32) -> Vec<Option<i64>> {
    let MemoryHost { queue, timers, clock, facts, ledger, .. } = &product.host;
    let broken = || if cut == Cut::Table { no_table() } else { FaultPlan::default() };
    // The memory host with a table that may be out of reach.
    let MemoryHost { messenger, vault, random, .. } = product.host.clone();
    let host = Ports {
        ledger: Faulty { port: ledger.clone(), plan: broken() },
        messenger,
        queue: queue.clone(),
        timers: timers.clone(),
        vault,
        clock: clock.clone(),
        random,
        facts: facts.clone(),
    };
    let budget = Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };
    let deliver = Deliver::new(host, Policy::default(), budget);
    let mut ages = Vec::new();
    for _ in 0..minutes {
        for second in 0..60 {
            let now = clock.now();
            if second == 0 && cut != Cut::Schedule {
                let (group, job) = scheduled(now);
                let Job::Beat { id, .. } = &job else { panic!("{job:?}") };
                let identity = QueueIdentity { group, dedup: id.clone() };
                assert_eq!(queue.enqueue(&[Enqueue { identity, job }]).await.unwrap(), []);
            }
            if cut != Cut::Consumer {
                if cut != Cut::Delay {
                    let delayed = timers.take_delayed(now);
                    assert_eq!(queue.enqueue(&delayed).await.unwrap(), []);
                }
                if cut != Cut::Queue {
                    consume(&product.host, &deliver).await;
                }
            }
            clock.advance(SignedDuration::from_secs(1));
        }
        let before = facts.told().len();
        if cut != Cut::Health {
            product.measure(&broken()).await;
        }
        let told = facts.told().split_off(before);
        ages.push(lines(&told).await.first().and_then(|line| line["HeartbeatAge"].as_i64()));
    }
    ages
}

/// Whether the alarm, as it stands in the template, rings for the last of these minutes.
fn rings(alarm: &Value, ages: &[Option<i64>]) -> bool {
    let number = |name: &str| alarm[name].as_i64().expect("a number");
    let looked_at = usize::try_from(number("EvaluationPeriods")).unwrap();
    let bad = ages.iter().rev().take(looked_at).filter(|age| match age {
        Some(age) => *age > number("Threshold"),
        None => alarm["TreatMissingData"] == "breaching",
    });
    i64::try_from(bad.count()).unwrap() >= number("DatapointsToAlarm")
}

#[tokio::test]
async fn the_alarm_rings_whichever_link_is_cut_and_is_silent_when_it_is_mended() {
    let observability = observability();
    let alarm = &observability["Resources"]["HeartbeatAlarm"]["Properties"];
    assert_eq!((&alarm["MetricName"], &alarm["Period"]), (&json!("HeartbeatAge"), &json!(60)));
    for cut in [Cut::Schedule, Cut::Queue, Cut::Delay, Cut::Consumer, Cut::Table, Cut::Health] {
        let product = Product::new().await;
        let well = minutes(&product, Cut::Nothing, 10).await;
        assert!(well.iter().all(|age| age.is_some_and(|age| age <= 60_000)), "{well:?}");
        assert!(!rings(alarm, &well), "{cut:?}");
        let ill = minutes(&product, cut, 5).await;
        assert!(rings(alarm, &ill), "{cut:?}: {ill:?}");
        let first = (1..=5).find(|minutes| rings(alarm, &[&well[..], &ill[..*minutes]].concat()));
        assert!(first.is_some_and(|minutes| minutes <= 4), "{cut:?} rings after {first:?} minutes: {ill:?}");
        let mended = minutes(&product, Cut::Nothing, 3).await;
        assert!(!rings(alarm, &mended), "{cut:?}: {mended:?}");
    }
}

/// The echo comes over the delay queue, 30 seconds later, and makes the heartbeat of a schedule that is late as
/// young as it is.
#[tokio::test]
async fn a_beat_has_one_echo() {
    let product = Product::new().await;
    minutes(&product, Cut::Nothing, 1).await;
    let taken = product.host.queue.taken();
    let beats: Vec<(bool, &str)> = taken
        .iter()
        .map(|entry| {
            let Job::Beat { echo, .. } = &entry.job else { panic!("{entry:?}") };
            (*echo, entry.identity.group.as_str())
        })
        .collect();
    assert_eq!(beats, [(false, BEATS), (true, BEATS)]);
    let expected = SignedDuration::from_secs(30);
    let heartbeat = openreply_app::ports::Pulse::heartbeat(&product.host.ledger).await.unwrap().unwrap();
    assert_eq!(heartbeat.age(product.host.clock.now()), expected);
    assert_eq!((heartbeat.lag_ms, heartbeat.version.as_str()), (Some(0), env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_beat_is_put_on_the_deliveries_queue_each_minute() {
    let template = template();
    let schedule = &template["Resources"]["BeatSchedule"]["Properties"];
    assert_eq!(schedule["ScheduleExpression"], "rate(1 minute)");
    assert_eq!(schedule["FlexibleTimeWindow"], json!({ "Mode": "OFF" }));
    assert_eq!(schedule["Target"]["Arn"], json!({ "Fn::GetAtt": "DeliveriesQueue.Arn" }));
    assert_eq!(schedule["Target"]["RoleArn"], json!({ "Fn::GetAtt": "SchedulerRole.Arn" }));
    assert_eq!(schedule["Target"]["SqsParameters"], json!({ "MessageGroupId": BEATS }));
    // Two runs differ, or the queue would swallow the second one as a copy.
    let at = |seconds: i64| Timestamp::from_second(1_796_054_400 + seconds).unwrap();
    assert_ne!(scheduled(at(0)), scheduled(at(60)));
    let expected = Job::Beat { id: "run-1796054400".to_owned(), due_at: Some(at(0)), echo: false };
    assert_eq!(scheduled(at(0)), (BEATS.to_owned(), expected));
}

#[test]
fn the_minute_is_measured_by_a_function_that_outlives_the_consumer() {
    let template = template();
    let measure = &template["Resources"]["HealthFunction"]["Properties"]["Events"]["Measure"];
    assert_eq!(
        (&measure["Type"], &measure["Properties"]["Schedule"]),
        (&json!("Schedule"), &json!("rate(1 minute)"))
    );
    let input = measure["Properties"]["Input"].as_str().expect("a body");
    let event: Value = serde_json::from_str(input).expect("JSON");
    assert_eq!(openreply_health::Invocation::of(&event), Ok(openreply_health::Invocation::Measure));
}
