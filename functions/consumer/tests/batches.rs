//! A batch: its groups side by side, each in order, and what must come again named by its message id.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use aws_lambda_events::sqs::{SqsEvent, SqsMessage};
use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::job::{Delayed, Job};
use openreply_app::ports::{
    Clock, Destination, Enqueue, Fact, Ledger, Messenger, Outbound, Ports, Queue, QueueError, Refused,
};
use openreply_consumer::{MAX_RETURN_DELAY, handle};
use openreply_domain::ids::{AccountId, CommentId, MessageId, UserId};
use openreply_domain::message::Follow;
use openreply_domain::outcome::{Rejection, RejectionKind, SendOutcome};
use openreply_domain::send::{Expect, Leg, Policy, Send, SendKey};
use openreply_domain::time::{SignedDuration, after};
use openreply_domain::trigger::{Comment, QueueIdentity, Trigger};
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::memory::{ManualClock, MemoryHost, MemoryMessenger, memory_host};
use secrecy::SecretString;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Barrier;

const ACCOUNT: &str = "17841400000000001";
const CAMPAIGNS: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: token }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "Hi" }
"#;

/// An Instagram that tells when a call begins and ends, and may wait until several are in the air.
#[derive(Clone)]
struct Slow {
    messenger: MemoryMessenger,
    meeting: Option<Arc<Barrier>>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Messenger for Slow {
    async fn send(&self, message: Outbound) -> SendOutcome {
        let comment = match &message.to {
            Destination::PrivateReply(comment) | Destination::PublicReply(comment) => comment.to_string(),
            Destination::Person(user) => user.to_string(),
        };
        self.told.lock().unwrap().push(format!("{comment} begins"));
        if let Some(meeting) = &self.meeting {
            meeting.wait().await;
        }
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        self.told.lock().unwrap().push(format!("{comment} ends"));
        self.messenger.send(message).await
    }

    async fn follows(&self, account: &AccountId, user: &UserId, token: &SecretString) -> Follow {
        self.messenger.follows(account, user, token).await
    }
}

/// The queue as the function sees it: what it was given, and what it was asked to make visible again.
#[derive(Default)]
struct Asked {
    enqueued: Mutex<Vec<Enqueue>>,
    returned: Mutex<Vec<(Vec<String>, SignedDuration)>>,
    broken: bool,
    refuses: bool,
}

impl Queue for Asked {
    async fn enqueue(&self, jobs: &[Enqueue]) -> Result<Vec<Refused>, QueueError> {
        if self.broken {
            return Err(QueueError("no answer".to_owned()));
        }
        if self.refuses {
            return Ok(vec![Refused { index: 0, code: "InternalError".to_owned() }]);
        }
        self.enqueued.lock().unwrap().extend_from_slice(jobs);
        Ok(Vec::new())
    }

    async fn return_soon(&self, receipts: &[String], delay: SignedDuration) -> Result<(), QueueError> {
        self.returned.lock().unwrap().push((receipts.to_vec(), delay));
        if self.broken { Err(QueueError("no answer".to_owned())) } else { Ok(()) }
    }
}

struct Stage {
    memory: MemoryHost,
    slow: Slow,
    queue: Asked,
}

impl Stage {
    /// Comments whose ids begin with `w` are throttled, and then wait; all others are answered.
    async fn new() -> Self {
        let messenger = MemoryMessenger::new(|nth, message| match &message.to {
            Destination::PrivateReply(comment) if comment.as_str().starts_with('w') => {
                let kind = RejectionKind::Throttled;
                SendOutcome::Rejected(Rejection { kind, code: 4, subcode: None, retry_after_seconds: None })
            }
            Destination::PrivateReply(_) | Destination::PublicReply(_) | Destination::Person(_) => {
                SendOutcome::Delivered { message_id: MessageId::parse(format!("mid.{nth}")).unwrap() }
            }
        });
        let memory = memory_host(1, messenger.clone());
        let file = campaign_file::parse(CAMPAIGNS).unwrap();
        apply(&memory.ledger, &memory.vault, &file, memory.clock.now(), |_| None).await.unwrap();
        Self {
            memory,
            slow: Slow { messenger, meeting: None, told: Arc::default() },
            queue: Asked::default(),
        }
    }

    /// Runs a batch with this much time. Returns the message ids that must come again.
    async fn run(&self, batch: Vec<SqsMessage>, seconds: i64, plan: FaultPlan) -> Vec<String> {
        let MemoryHost { ledger, queue, timers, vault, clock, random, facts, .. } = self.memory.clone();
        let host = Ports {
            ledger: Faulty { port: ledger, plan: plan.clone() },
            messenger: self.slow.clone(),
            queue,
            timers: Faulty { port: timers, plan },
            vault,
            clock,
            random,
            facts,
        };
        let budget =
            Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };
        let deliver = Deliver::new(host, Policy::default(), budget);
        let deadline = after(self.memory.clock.now(), SignedDuration::from_secs(seconds));
        let turn = Turn { holder: "turn".to_owned(), deadline };
        let mut event = SqsEvent::default();
        event.records = batch;
        let handled = handle(&deliver, &self.queue, event, &turn);
        let response = tokio::time::timeout(Duration::from_secs(20), handled).await.unwrap();
        response.batch_item_failures.into_iter().map(|failure| failure.item_identifier).collect()
    }

    async fn run_all(&self, batch: Vec<SqsMessage>) -> Vec<String> {
        self.run(batch, 120, FaultPlan::default()).await
    }

    /// Lets a comment by `from` fail for now, and forgets what that asked for.
    async fn let_wait(&self, from: &str, id: &str) {
        assert!(self.run_all(vec![comment(from, id)]).await.is_empty());
        self.slow.told.lock().unwrap().clear();
    }

    fn told(&self) -> Vec<String> {
        self.slow.told.lock().unwrap().clone()
    }

    fn returned(&self) -> Vec<(Vec<String>, SignedDuration)> {
        self.queue.returned.lock().unwrap().clone()
    }

    fn states(&self) -> Vec<(String, bool)> {
        let sends = self.memory.ledger.all_sends();
        sends.into_iter().map(|send| (send.key.trigger.id.to_string(), send.due_at().is_none())).collect()
    }
}

/// A message of the FIFO queue: its id is `m-<name>`, its receipt `r-<name>`.
fn message(from: &str, name: &str, body: String) -> SqsMessage {
    let mut message = SqsMessage::default();
    message.message_id = Some(format!("m-{name}"));
    message.receipt_handle = Some(format!("r-{name}"));
    message.attributes.insert("MessageGroupId".to_owned(), format!("{ACCOUNT}:{from}"));
    message.body = Some(body);
    message
}

fn comment_of(from: &str, id: &str) -> Comment {
    Comment {
        account: AccountId::parse(ACCOUNT).unwrap(),
        id: CommentId::parse(id).unwrap(),
        from: UserId::parse(from).unwrap(),
        username: None,
        media: None,
        original_media: None,
        parent: None,
        text: "link".to_owned(),
    }
}

fn comment(from: &str, id: &str) -> SqsMessage {
    let trigger = Trigger::Comment(comment_of(from, id));
    let job = Job::Ingested { trigger, received_at: ManualClock::default().now() };
    message(from, id, serde_json::to_string(&job).unwrap())
}

/// The first wake of a comment that waits.
fn wake(from: &str, id: &str) -> SqsMessage {
    let key = SendKey { trigger: comment_of(from, id).key(), leg: Leg::Dm };
    message(from, &format!("wake-{id}"), serde_json::to_string(&Job::Wake { key, wake: 1 }).unwrap())
}

#[tokio::test]
async fn groups_run_side_by_side_and_each_in_order() {
    let mut stage = Stage::new().await;
    // The first call of each of three groups waits for the others; then three by three.
    stage.slow.meeting = Some(Arc::new(Barrier::new(3)));
    let batch = ["a1", "a2", "b1", "c1", "b2", "a3", "c2", "b3", "c3"];
    let failures = stage.run_all(batch.iter().map(|id| comment(&id[..1], id)).collect()).await;
    assert!(failures.is_empty(), "{failures:?}");
    let told = stage.told();
    for group in ["a", "b", "c"] {
        let of_group: Vec<&str> =
            told.iter().map(String::as_str).filter(|line| line.starts_with(group)).collect();
        let expected: Vec<String> =
            (1..=3).flat_map(|nth| [format!("{group}{nth} begins"), format!("{group}{nth} ends")]).collect();
        assert_eq!(of_group, expected, "one after the other, as they came");
    }
    assert!(stage.returned().is_empty());
    assert_eq!(stage.memory.messenger.calls().len(), 9);
}

#[tokio::test]
async fn behind_a_failure_the_rest_of_its_group_goes_back_unhandled_and_others_go_on() {
    let stage = Stage::new().await;
    stage.let_wait("a", "w1").await;
    let batch = vec![
        comment("a", "a1"),
        comment("b", "b1"),
        wake("a", "w1"),
        comment("c", "c1"),
        comment("a", "a2"),
        comment("b", "b2"),
        comment("a", "a3"),
    ];
    let mut failures = stage.run_all(batch).await;
    failures.sort();
    assert_eq!(failures, ["m-a2", "m-a3", "m-wake-w1"]);
    let mut handled: Vec<String> =
        stage.states().into_iter().filter(|(_, over)| *over).map(|(id, _)| id).collect();
    handled.sort();
    assert_eq!(handled, ["a1", "b1", "b2", "c1"]);
    let returned = stage.returned();
    assert_eq!(returned.len(), 1, "{returned:?}");
    assert_eq!(returned[0].0, ["r-wake-w1", "r-a2", "r-a3"], "in order, so that they come again in order");
    // They come again, and the failure is over: in order.
    stage.memory.clock.advance(SignedDuration::from_mins(5));
    let failures = stage.run_all(vec![wake("a", "w1"), comment("a", "a2"), comment("a", "a3")]).await;
    assert!(failures.is_empty(), "{failures:?}");
}

#[tokio::test]
async fn a_body_that_is_no_job_fails_its_own_group_alone() {
    for body in ["", "no json", "{}", r#"{"job":"of another version"}"#, "[]"] {
        let stage = Stage::new().await;
        let batch = vec![
            message("a", "bad", body.to_owned()),
            comment("b", "b1"),
            comment("a", "a1"),
            comment("b", "b2"),
        ];
        assert_eq!(stage.run_all(batch).await, ["m-bad", "m-a1"], "{body}");
        assert_eq!(stage.states(), [("b1".to_owned(), true), ("b2".to_owned(), true)], "{body}");
        assert_eq!(stage.returned(), [(vec!["r-bad".to_owned(), "r-a1".to_owned()], MAX_RETURN_DELAY)]);
    }
}

#[tokio::test]
async fn what_goes_back_is_visible_again_within_thirty_seconds() {
    assert_eq!(MAX_RETURN_DELAY, SignedDuration::from_secs(30));
    let refuse = |call| FaultPlan::new([(call, Fault::Refuse)]);
    // Beside each message: the time left, and what fails.
    let table = [
        ("no time", comment("a", "a1"), 3, FaultPlan::default()),
        ("early", wake("a", "w1"), 120, FaultPlan::default()),
        ("ledger", comment("a", "a1"), 120, refuse(0)),
        ("timer", comment("a", "w1"), 120, refuse(1)),
        ("unreadable", message("a", "bad", "no job".to_owned()), 120, FaultPlan::default()),
    ];
    for (why, message, seconds, plan) in table {
        let stage = Stage::new().await;
        stage.let_wait("a", "w1").await;
        let (id, receipt) = (message.message_id.clone().unwrap(), message.receipt_handle.clone().unwrap());
        assert_eq!(stage.run(vec![message], seconds, plan).await, [id], "{why}");
        let returned = stage.returned();
        assert_eq!(returned.len(), 1, "{why}");
        assert_eq!(returned[0].0, [receipt], "{why}");
        assert!(
            returned[0].1.is_positive() && returned[0].1 <= MAX_RETURN_DELAY,
            "{why}: {:?}",
            returned[0].1
        );
    }
}

#[tokio::test]
async fn a_match_that_is_missing_goes_back_within_thirty_seconds() {
    let stage = Stage::new().await;
    stage.let_wait("a", "w1").await;
    let waiting = stage.memory.ledger.all_sends().remove(0);
    let damaged = Send { matched: None, ..waiting };
    let _ = stage.memory.ledger.put_send(&damaged, &Expect::Open { wake: 1 }).await.unwrap();
    assert_eq!(stage.run_all(vec![comment("a", "w1")]).await, ["m-w1"]);
    assert_eq!(stage.returned(), [(vec!["r-w1".to_owned()], MAX_RETURN_DELAY)]);
}

#[tokio::test]
async fn a_queue_that_cannot_be_asked_changes_nothing_of_what_is_reported() {
    let mut stage = Stage::new().await;
    stage.queue.broken = true;
    let batch = vec![message("a", "bad", "no job".to_owned()), comment("a", "a1"), comment("b", "b1")];
    assert_eq!(stage.run_all(batch).await, ["m-bad", "m-a1"]);
    assert_eq!(stage.returned().len(), 1);
    assert_eq!(stage.states(), [("b1".to_owned(), true)]);
}

#[tokio::test]
async fn a_message_of_the_delay_queue_is_put_in_order_and_nothing_more() {
    let delayed = |name: &str| {
        let Enqueue { identity: QueueIdentity { group, dedup }, job } = delayed_entry(name);
        let mut message = message("a", name, serde_json::to_string(&Delayed { group, dedup, job }).unwrap());
        message.attributes.clear();
        message
    };
    let stage = Stage::new().await;
    assert!(stage.run_all(vec![delayed("w1"), comment("b", "b1"), delayed("w2")]).await.is_empty());
    assert_eq!(*stage.queue.enqueued.lock().unwrap(), [delayed_entry("w1"), delayed_entry("w2")]);
    assert_eq!(stage.states(), [("b1".to_owned(), true)], "it is not handled here");

    for (broken, refuses) in [(true, false), (false, true)] {
        let mut stage = Stage::new().await;
        stage.queue = Asked { broken, refuses, ..Asked::default() };
        assert_eq!(stage.run_all(vec![delayed("w1"), comment("b", "b1")]).await, ["m-w1"]);
        assert_eq!(stage.states(), [("b1".to_owned(), true)]);
    }
    let mut unreadable = message("a", "bad", "no job".to_owned());
    unreadable.attributes.clear();
    assert_eq!(stage.run_all(vec![unreadable, delayed("w3")]).await, ["m-bad"]);
}

/// What a delayed wake becomes on the FIFO queue.
fn delayed_entry(id: &str) -> Enqueue {
    let key = SendKey { trigger: comment_of("a", id).key(), leg: Leg::Dm };
    let identity =
        QueueIdentity { group: format!("{ACCOUNT}:a"), dedup: format!("{}_dm_retry_1", key.trigger) };
    Enqueue { identity, job: Job::Wake { key, wake: 1 } }
}

/// What went back waited for other reasons than the queue's.
#[tokio::test]
async fn how_long_messages_waited_is_told_of_first_receives() {
    let stage = Stage::new().await;
    let sent_at = stage.memory.clock.now();
    stage.memory.clock.advance(SignedDuration::from_millis(2_500));
    let received = |id: &str, count: u32| {
        let mut message = comment(&id[..1], id);
        message.attributes.insert("ApproximateReceiveCount".to_owned(), count.to_string());
        message.attributes.insert("SentTimestamp".to_owned(), sent_at.as_millisecond().to_string());
        message
    };
    let failures = stage.run_all(vec![received("a1", 1), received("b1", 2), received("c1", 1)]).await;
    assert!(failures.is_empty(), "{failures:?}");
    let waited = vec![SignedDuration::from_millis(2_500); 2];
    assert_eq!(stage.memory.facts.all()[0], Fact::Received { waited });
}
