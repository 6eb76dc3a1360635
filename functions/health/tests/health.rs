//! Health with each of its dependencies well, broken and silent, as HTTP shows it.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::job::Job;
use openreply_app::ports::Clock;
use openreply_app::ports::{DelayQueue, Enqueue, Fact, Ledger, Pulse, Queue};
use openreply_domain::gate::{AccountGate, Hold, HoldReason, Stop};
use openreply_domain::ids::AccountId;
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::QueueIdentity;
use openreply_health::{Answer, Health, Invocation};
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::memory::{
    ManualClock, MemoryDepths, MemoryFacts, MemoryLedger, MemoryQueue, MemoryTimers,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const ACCOUNT: &str = "17841400000000001";

type Watched = Health<Faulty<MemoryLedger>, Faulty<MemoryDepths>, ManualClock, MemoryFacts>;

/// A stack that works: a beat just came, nothing waits.
struct World {
    ledger: MemoryLedger,
    depths: MemoryDepths,
    clock: ManualClock,
    facts: MemoryFacts,
}

impl World {
    async fn well() -> Self {
        let clock = ManualClock::default();
        let queue = MemoryQueue::new(clock.clone());
        let depths = MemoryDepths { queue, timers: MemoryTimers::default(), clock: clock.clone() };
        let world = Self { ledger: MemoryLedger::default(), depths, clock, facts: MemoryFacts::default() };
        let beat = Heartbeat::beat(world.now(), Some(1_200), "1.2.3");
        world.ledger.beat(&beat).await.unwrap();
        world
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// Health whose calls of the ledger and of the queues fail by these plans.
    fn health(&self, ledger: &FaultPlan, depths: &FaultPlan) -> Watched {
        let ledger = Faulty { port: self.ledger.clone(), plan: ledger.clone() };
        let depths = Faulty { port: self.depths.clone(), plan: depths.clone() };
        Health::new(ledger, depths, self.clock.clone(), self.facts.clone())
    }

    async fn report(&self) -> (u16, Value) {
        read(&self.health(&works(), &works()).answer("GET", "/api/health").await)
    }

    async fn hold(&self, until: Option<Timestamp>) -> Hold {
        let hold = Hold { reason: HoldReason::TokenDead, since: self.now(), until };
        let account = AccountId::parse(ACCOUNT).unwrap();
        let gate = AccountGate { revision: 1, hold: Some(hold.clone()), ..AccountGate::default() };
        assert_eq!(self.ledger.put_gate(&account, &gate).await.unwrap(), None);
        self.ledger.raise(&Alert::account_held(&account, &hold)).await.unwrap();
        hold
    }

    async fn stop(&self, stop: Stop) {
        assert_eq!(self.ledger.put_stop(&Stop { revision: 1, ..stop }).await.unwrap(), None);
    }

    async fn bury(&self) {
        let identity = QueueIdentity { group: "dying".to_owned(), dedup: "1".to_owned() };
        let before = self.now();
        self.depths.queue.with_fifo(|fifo| {
            fifo.send(before, &identity, "{}".to_owned());
            for nth in 0..=50 {
                fifo.receive(after(before, SignedDuration::from_mins(13 * nth)), 1);
            }
            assert_eq!(fifo.dead().len(), 1);
        });
    }
}

fn works() -> FaultPlan {
    FaultPlan::default()
}

/// Every call fails so.
fn every(fault: Fault) -> FaultPlan {
    FaultPlan::new((0..100).map(|call| (call, fault)))
}

fn read(answer: &Answer) -> (u16, Value) {
    (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::Null))
}

#[tokio::test]
async fn a_stack_that_works_is_ok() {
    let world = World::well().await;
    world.pass(30);
    let (status, report) = world.report().await;
    let expected = json!({
        "status": "ok",
        "at": "2026-11-30T16:00:30Z",
        "checks": {
            "database": { "healthy": true },
            "queue": { "healthy": true, "visible": 0, "in_flight": 0, "delayed": 0 },
            "dead_letters": { "healthy": true, "count": 0 },
            "worker": { "healthy": true, "age_ms": 30_000, "lag_ms": 1_200, "version": "1.2.3" },
            "sending": { "healthy": true, "stopped": false, "app_held": false },
            "holds": 0,
        },
        "alerts": [],
    });
    assert_eq!((status, report), (200, expected));
}

#[tokio::test]
async fn what_waits_is_counted_where_it_is() {
    let world = World::well().await;
    let beat = |n: u32| Enqueue {
        identity: QueueIdentity { group: n.to_string(), dedup: n.to_string() },
        job: Job::Beat { id: n.to_string(), due_at: None, echo: true },
    };
    world.depths.queue.enqueue(&[beat(1), beat(2), beat(3)]).await.unwrap();
    assert_eq!(world.depths.queue.with_fifo(|fifo| fifo.receive(world.now(), 1)).len(), 1);
    world.depths.timers.delay(&beat(4), after(world.now(), SignedDuration::from_secs(30))).await.unwrap();
    let (status, report) = world.report().await;
    assert_eq!(status, 200, "work is no trouble");
    let queue = json!({ "healthy": true, "visible": 2, "in_flight": 1, "delayed": 1 });
    assert_eq!(report["checks"]["queue"], queue);
}

/// Each thing that is wrong, whether somebody is woken for it, which check says so, and how many holds are shown.
#[tokio::test]
async fn somebody_is_woken_for_what_stops_the_stack_and_for_nothing_else() {
    type Wrong = (&'static str, u16, Option<&'static str>, i64);
    let cases: [Wrong; 8] = [
        ("nothing", 200, None, 0),
        ("two minutes", 200, None, 0),
        ("longer", 503, Some("worker"), 0),
        ("never lived", 503, Some("worker"), 0),
        ("dead letter", 503, Some("dead_letters"), 0),
        ("app held", 503, Some("sending"), 1),
        ("stopped by a person", 200, None, 1),
        ("account held", 200, None, 1),
    ];
    for (wrong, expected, check, holds) in cases {
        let mut world = World::well().await;
        match wrong {
            "two minutes" => world.pass(120),
            "longer" => world.pass(121),
            "never lived" => world.ledger = MemoryLedger::default(),
            "dead letter" => world.bury().await,
            "app held" => {
                let hold = Hold { reason: HoldReason::AppUnusable, since: world.now(), until: None };
                world.stop(Stop { app_hold: Some(hold), ..Stop::default() }).await;
            }
            "stopped by a person" => {
                world.stop(Stop { stopped_since: Some(world.now()), ..Stop::default() }).await;
            }
            "account held" => {
                world.hold(None).await;
            }
            _ => {}
        }
        let (status, report) = world.report().await;
        assert_eq!(status, expected, "{wrong}: {report}");
        assert_eq!(report["status"], if expected == 200 { "ok" } else { "degraded" }, "{wrong}");
        assert_eq!(report["checks"]["holds"], holds, "{wrong}: {report}");
        for name in ["database", "queue", "dead_letters", "worker", "sending"] {
            assert_eq!(report["checks"][name]["healthy"], check != Some(name), "{wrong}, {name}: {report}");
        }
    }
}

/// DynamoDB or SQS answers with an error, or not at all: an answer comes all the same, within two seconds, and the
/// other checks say what they know.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "real time is what is promised")]
async fn an_answer_comes_within_two_seconds_whoever_gives_none() {
    for fault in [Fault::Refuse, Fault::CrashBefore] {
        let world = World::well().await;
        for (ledger, depths, well, ill) in [
            (
                every(fault),
                works(),
                ["queue", "dead_letters"].as_slice(),
                ["database", "worker", "sending"].as_slice(),
            ),
            (works(), every(fault), &["database", "worker", "sending"], &["queue", "dead_letters"]),
            (every(fault), every(fault), &[], &["database", "worker", "sending", "queue", "dead_letters"]),
            // Only the alerts, the fourth thing that the ledger is asked for.
            (
                FaultPlan::new([(3, fault)]),
                works(),
                &["worker", "queue", "dead_letters", "sending"],
                &["database"],
            ),
            // Only the dead letters.
            (works(), FaultPlan::new([(1, fault)]), &["database", "worker", "queue"], &["dead_letters"]),
        ] {
            let health = world.health(&ledger, &depths);
            let began = Instant::now();
            let (status, report) = read(&health.answer("GET", "/api/health").await);
            assert!(began.elapsed() < Duration::from_secs(2), "{fault:?}: {:?}", began.elapsed());
            assert_eq!((status, &report["status"]), (503, &json!("degraded")), "{fault:?}: {report}");
            for name in well {
                assert_eq!(report["checks"][name]["healthy"], true, "{fault:?} {name}: {report}");
            }
            for name in ill {
                assert_eq!(report["checks"][name]["healthy"], false, "{fault:?} {name}: {report}");
            }
            if ill.contains(&"worker") {
                assert_eq!(report["checks"]["holds"], Value::Null);
                assert_eq!(report["checks"]["worker"]["age_ms"], Value::Null);
            }
            assert_eq!(health.answer("GET", "/status").await.status, 503);
        }
    }
}

#[tokio::test]
async fn the_last_24_alerts_are_shown_and_nobody_is_named() {
    let world = World::well().await;
    for nth in 0..30 {
        let hold = Hold {
            reason: HoldReason::Blocked,
            since: after(world.now(), SignedDuration::from_secs(nth)),
            until: None,
        };
        world.ledger.raise(&Alert::account_held(&AccountId::parse(ACCOUNT).unwrap(), &hold)).await.unwrap();
    }
    let health = world.health(&works(), &works());
    let answer = health.answer("GET", "/api/health").await;
    let alerts = read(&answer).1["alerts"].clone();
    assert_eq!(alerts.as_array().unwrap().len(), 24);
    assert_eq!(alerts[0]["at"], "2026-11-30T16:00:29Z");
    assert_eq!(alerts[0]["kind"], "account_held");
    assert!(alerts[0]["message"].as_str().unwrap().contains("24 hours"), "{alerts}");
    let page = health.answer("GET", "/status").await;
    for text in [&answer.body, &page.body] {
        assert!(!text.contains(ACCOUNT), "{text}");
    }
}

#[tokio::test]
async fn the_page_is_read_without_anything_from_elsewhere() {
    let world = World::well().await;
    world.hold(None).await;
    world.pass(125);
    let page = world.health(&works(), &works()).answer("GET", "/status").await;
    assert_eq!(page.status, 503);
    let header = |name| page.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    assert_eq!(header("content-type"), Some("text/html; charset=utf-8"));
    assert!(header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    for part in ["<script", "src=", "href=", "http://", "https://", "@import", "url("] {
        assert!(!page.body.contains(part), "{part}: {}", page.body);
    }
    for part in ["OpenReply needs somebody", "last sign of life 2 min ago", "1 hold stands", "account_held"] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
}

#[tokio::test]
async fn a_monitor_costs_one_look_in_five_seconds() {
    let world = World::well().await;
    let (ledger, depths) = (works(), works());
    let health = world.health(&ledger, &depths);
    let asked = || (ledger.calls().len(), depths.calls().len());
    for (method, path) in
        [("GET", "/api/health"), ("HEAD", "/api/health"), ("GET", "/status"), ("HEAD", "/status")]
    {
        let answer = health.answer(method, path).await;
        assert_eq!((answer.status, answer.body.is_empty()), (200, method == "HEAD"), "{method} {path}");
        assert!(answer.headers.contains(&("cache-control", "max-age=5")), "{:?}", answer.headers);
    }
    let once = asked();
    assert_eq!(once, (4, 2));
    world.pass(4);
    health.answer("GET", "/api/health").await;
    assert_eq!(asked(), once);
    world.pass(1);
    health.answer("GET", "/api/health").await;
    assert_eq!(asked(), (8, 4));
    // A clock that went back makes no report last for ever.
    world.pass(-60);
    health.answer("GET", "/api/health").await;
    assert_eq!(asked(), (12, 6));
}

#[tokio::test]
async fn only_get_and_head_of_the_two_paths_are_answered() {
    let world = World::well().await;
    let (ledger, depths) = (works(), works());
    let health = world.health(&ledger, &depths);
    for (method, path, expected) in [
        ("POST", "/api/health", 405),
        ("DELETE", "/status", 405),
        ("GET", "/", 404),
        ("GET", "/api/health/", 404),
    ] {
        assert_eq!(health.answer(method, path).await.status, expected, "{method} {path}");
    }
    assert!(ledger.calls().is_empty() && depths.calls().is_empty(), "nothing is asked for that");
}

#[tokio::test]
async fn each_minute_is_measured_as_far_as_it_can_be_told() {
    let world = World::well().await;
    world.hold(Some(after(world.now(), SignedDuration::from_secs(900)))).await;
    world.pass(60);
    let beat = world.ledger.heartbeat().await.unwrap();
    for (ledger, heartbeat, held_accounts) in [
        (works(), beat.clone(), Some(1)),
        (FaultPlan::new([(0, Fault::Refuse)]), None, Some(1)),
        (FaultPlan::new([(1, Fault::Refuse)]), beat, None),
        (every(Fault::CrashBefore), None, None),
    ] {
        world.health(&ledger, &works()).measure().await;
        let told = world.facts.told().pop().unwrap();
        assert_eq!(told, (world.now(), Fact::Measured { heartbeat, held_accounts }));
    }
}

#[test]
fn an_invocation_is_a_request_or_the_minutes_call() {
    let request = json!({"version": "2.0", "rawPath": "/status", "requestContext": {"http": {"method": "HEAD", "path": "/status"}}});
    let expected = Invocation::Request { method: "HEAD".to_owned(), path: "/status".to_owned() };
    assert_eq!(Invocation::of(&request), Ok(expected));
    assert_eq!(Invocation::of(&json!({"measure": true})), Ok(Invocation::Measure));
    for unknown in
        [json!({}), json!({"measure": false}), json!({"Records": []}), json!("measure"), Value::Null]
    {
        assert!(Invocation::of(&unknown).is_err(), "{unknown}");
    }
}

#[tokio::test]
async fn an_answer_is_what_the_http_api_takes() {
    let world = World::well().await;
    let answer = world.health(&works(), &works()).answer("GET", "/api/health").await;
    let event = answer.to_event();
    assert_eq!(event["statusCode"], 200);
    assert_eq!(event["headers"]["content-type"], "application/json");
    assert_eq!(event["isBase64Encoded"], false);
    assert_eq!(event["body"], answer.body);
}
