//! Rounds: what the schedule and the sweep queue hand to the function, and what comes of it.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver};
use openreply_app::ports::{
    Clock, CommentsPage, Fact, MediaPage, Own, Pulse, ReadError, Reader, RepliesPage, SeenComment, SeenReply,
    SweepLedger, Usage,
};
use openreply_app::sweep::{Sweep, SweepOrder};
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::pulse::{AlertKind, Heartbeat};
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_reconciler::{Invocation, Unknown, carry_out, plan_round};
use openreply_testkit::memory::{MemoryHost, MemoryMessenger, MemorySweepQueue, memory_host};
use secrecy::SecretString;
use serde_json::{Value, json};

const CAMPAIGNS: &str = r#"
accounts:
  - { id: "17841400000000001", username: bakery, token: "a" }
  - { id: "17841400000000002", username: florist, token: "b" }
campaigns:
  - { id: guide, account: "17841400000000001", post: "18000000000000055", keywords: [LINK], dm: "The guide" }
"#;

/// Shows one comment under every post.
struct OneComment {
    at: Timestamp,
    from: Option<&'static str>,
    unreadable: usize,
}

impl Reader for OneComment {
    async fn comments(
        &self,
        _: &SecretString,
        _: &MediaId,
        _: Option<&str>,
    ) -> Result<CommentsPage, ReadError> {
        let comment = SeenReply {
            id: CommentId::parse("179").unwrap(),
            from: self.from.and_then(|from| UserId::parse(from).ok()),
            username: None,
            at: self.at,
            text: "LINK".to_owned(),
        };
        Ok(CommentsPage {
            comments: vec![SeenComment { comment, replies: Vec::new(), more_replies: None }],
            unreadable: self.unreadable,
            ..CommentsPage::default()
        })
    }

    async fn replies(
        &self,
        _: &SecretString,
        _: &CommentId,
        _: Option<&str>,
    ) -> Result<RepliesPage, ReadError> {
        Ok(RepliesPage::default())
    }

    async fn own_media(
        &self,
        _: &SecretString,
        _: &AccountId,
        _: Option<&str>,
    ) -> Result<MediaPage, ReadError> {
        Ok(MediaPage::default())
    }

    async fn conversation(
        &self,
        _: &SecretString,
        _: Own<'_>,
        _: &UserId,
    ) -> Result<(Vec<Shown>, Usage), ReadError> {
        Ok((Vec::new(), Usage::default()))
    }
}

/// Nothing was recorded, so nothing is parsed.
struct NoBodies;

impl openreply_app::ports::EventBodies for NoBodies {
    fn parse(&self, _: &[u8]) -> Result<openreply_app::ports::ParsedEvent, openreply_app::ports::Unreadable> {
        Ok(openreply_app::ports::ParsedEvent::default())
    }
}

async fn stage() -> (MemoryHost, Sweep<MemoryHost, OneComment, NoBodies>) {
    let memory = memory_host(1, MemoryMessenger::default());
    let file = campaign_file::parse(CAMPAIGNS).unwrap();
    apply(&memory.ledger, &memory.vault, &file, memory.clock.now(), |_| None).await.unwrap();
    let budget = Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };
    let sweep = Sweep {
        deliver: Deliver::new(memory.clone(), Policy::default(), budget),
        reader: OneComment {
            at: after(memory.clock.now(), SignedDuration::from_secs(5)),
            from: Some("900"),
            unreadable: 0,
        },
        bodies: NoBodies,
        index_lag: SignedDuration::ZERO,
    };
    memory.clock.advance(SignedDuration::from_mins(1));
    let beat = Heartbeat::echo(memory.clock.now(), "1");
    memory.ledger.beat(&beat).await.unwrap();
    (memory, sweep)
}

fn message(id: &str, body: &str) -> Value {
    json!({ "messageId": id, "body": body, "receiptHandle": id, "attributes": {}, "messageAttributes": {},
        "eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:eu-central-1:1:sweeps", "awsRegion": "eu-central-1",
        "md5OfBody": "" })
}

#[tokio::test]
async fn a_round_is_one_order_an_account_and_one_for_the_stack_and_each_is_carried_out() {
    let (memory, sweep) = stage().await;
    assert!(matches!(Invocation::of(json!({ "plan": true })), Ok(Invocation::Plan)));
    let queue = MemorySweepQueue::default();
    plan_round(&sweep, &queue).await.unwrap();
    let orders = queue.take();
    let accounts: Vec<Option<&str>> =
        orders.iter().map(|order| order.account.as_ref().map(AccountId::as_str)).collect();
    assert_eq!(accounts, [None, Some("17841400000000001"), Some("17841400000000002")]);

    let records: Vec<Value> = orders
        .iter()
        .enumerate()
        .map(|(n, order)| message(&n.to_string(), &serde_json::to_string(order).unwrap()))
        .collect();
    let Invocation::Sweeps(event) = Invocation::of(json!({ "Records": records })).unwrap() else { panic!() };
    let deadline = after(memory.clock.now(), SignedDuration::from_mins(4));
    let response = carry_out(&sweep, event, deadline).await;
    assert!(response.batch_item_failures.is_empty());
    assert_eq!(memory.queue.taken().len(), 1, "the missed comment");
    assert_eq!(memory.ledger.sweeps().await.unwrap().len(), 3, "each left its summary");
}

#[tokio::test]
async fn an_order_that_waited_too_long_is_left_to_a_later_round_and_no_order_comes_again() {
    let (memory, sweep) = stage().await;
    let account = AccountId::parse("17841400000000001").ok();
    let order = |minutes: i64| {
        let round = after(memory.clock.now(), -SignedDuration::from_mins(minutes));
        serde_json::to_string(&SweepOrder { account: account.clone(), round }).unwrap()
    };
    let deadline = after(memory.clock.now(), SignedDuration::from_mins(4));
    for (body, failed, enqueued) in [(order(16), 0, 0), ("no order".to_owned(), 1, 0), (order(15), 0, 1)] {
        let event = json!({ "Records": [message("1", &body)] });
        let Ok(Invocation::Sweeps(event)) = Invocation::of(event) else { panic!() };
        let response = carry_out(&sweep, event, deadline).await;
        assert_eq!(response.batch_item_failures.len(), failed, "{body}");
        assert_eq!(memory.queue.taken().len(), enqueued, "{body}");
    }
}

/// Whatever it is that keeps sweeps from their end, the planner still runs.
#[tokio::test]
async fn whoever_was_not_swept_for_half_an_hour_is_told_of_once() {
    let (memory, sweep) = stage().await;
    let queue = MemorySweepQueue::default();
    let carry_out_all = async || {
        for order in queue.take() {
            let deadline = after(memory.clock.now(), SignedDuration::from_mins(4));
            sweep.carry_out(&order, deadline).await.unwrap();
        }
    };
    plan_round(&sweep, &queue).await.unwrap();
    carry_out_all().await;
    let told = || -> Vec<Option<String>> {
        let alerts = memory.facts.told().into_iter().filter_map(|(_, fact)| {
            let Fact::AlertRaised(alert) = fact else { return None };
            (alert.kind == AlertKind::NotSwept).then_some(alert.subject)
        });
        alerts.collect()
    };
    for (minutes, expected) in [(30, 0), (1, 3), (5, 3)] {
        memory.clock.advance(SignedDuration::from_mins(minutes));
        plan_round(&sweep, &queue).await.unwrap();
        assert_eq!(told().len(), expected, "{minutes} minutes later: {:?}", told());
    }
    assert!(told().contains(&None) && told().contains(&Some("17841400000000001".to_owned())), "{:?}", told());
    carry_out_all().await;
    memory.clock.advance(SignedDuration::from_mins(5));
    plan_round(&sweep, &queue).await.unwrap();
    assert_eq!(told().len(), 3, "they are swept again");
}

/// Whoever is not named cannot be answered, and what cannot be read is passed over: both are told of.
#[tokio::test]
async fn what_names_nobody_or_cannot_be_read_is_told_of() {
    let (memory, mut sweep) = stage().await;
    let order = SweepOrder { account: AccountId::parse("17841400000000001").ok(), round: memory.clock.now() };
    let deadline = after(memory.clock.now(), SignedDuration::from_mins(4));
    for (from, unreadable, says) in
        [(None, 0, "does not say who wrote"), (Some("900"), 2, "in a form that cannot be read")]
    {
        (sweep.reader.from, sweep.reader.unreadable) = (from, unreadable);
        let summary = sweep.carry_out(&order, deadline).await.unwrap();
        assert_eq!((summary.found, summary.enqueued), (1, u32::from(from.is_some())), "{summary:?}");
        assert_eq!(usize::try_from(summary.errors).unwrap(), unreadable, "{summary:?}");
        assert!(summary.notes.len() == 1 && summary.notes[0].contains(says), "{summary:?}");
    }
}

/// The sweep queue's event source is off from the beginning: nothing is there to be late.
#[tokio::test]
async fn what_was_never_swept_is_told_of_too() {
    let (memory, sweep) = stage().await;
    let queue = MemorySweepQueue::default();
    for (minutes, expected) in [(0, 0), (29, 0), (2, 3), (5, 3)] {
        memory.clock.advance(SignedDuration::from_mins(minutes));
        plan_round(&sweep, &queue).await.unwrap();
        let told = memory.facts.told().into_iter();
        let told = told.filter(
            |(_, fact)| matches!(fact, Fact::AlertRaised(alert) if alert.kind == AlertKind::NotSwept),
        );
        assert_eq!(told.count(), expected, "{minutes} minutes later");
    }
    let of_the_second = memory.ledger.last_sweep(AccountId::parse("17841400000000002").ok().as_ref()).await;
    assert_eq!(of_the_second.unwrap().unwrap().summary.notes, ["no sweep came to its end yet"]);
}

/// SQS brings it again after half an hour: it was not dealt with, so it is not left to anybody.
#[tokio::test]
async fn an_order_that_failed_is_carried_out_however_late_it_comes_again() {
    let (memory, sweep) = stage().await;
    let round = after(memory.clock.now(), -SignedDuration::from_mins(31));
    let order = SweepOrder { account: AccountId::parse("17841400000000001").ok(), round };
    let body = serde_json::to_string(&order).unwrap();
    let deadline = after(memory.clock.now(), SignedDuration::from_mins(4));
    for (receives, enqueued) in [("1", 0), ("2", 1)] {
        let mut message = message("1", &body);
        message["attributes"]["ApproximateReceiveCount"] = json!(receives);
        let event = json!({ "Records": [message] });
        let Ok(Invocation::Sweeps(event)) = Invocation::of(event) else { panic!() };
        assert!(carry_out(&sweep, event, deadline).await.batch_item_failures.is_empty());
        assert_eq!(memory.queue.taken().len(), enqueued, "received {receives} times");
    }
    // A later round came to its end: it has done the same.
    memory.clock.advance(SignedDuration::from_mins(40));
    let mut late = message("1", &body);
    late["attributes"]["ApproximateReceiveCount"] = json!("3");
    let Ok(Invocation::Sweeps(event)) = Invocation::of(json!({ "Records": [late] })) else { panic!() };
    assert!(carry_out(&sweep, event, deadline).await.batch_item_failures.is_empty());
    let swept = memory.ledger.last_sweep(order.account.as_ref()).await.unwrap().unwrap().at;
    assert!(swept < memory.clock.now(), "it was left to the round that was carried out");
}

#[test]
fn what_is_neither_is_refused() {
    for event in [json!({}), json!({ "plan": false }), json!({ "Records": 1 }), json!([])] {
        assert_eq!(Invocation::of(event.clone()).unwrap_err(), Unknown, "{event}");
    }
}
