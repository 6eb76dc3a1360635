//! The product in memory, with what it tells of: what alarms and events rest on is seen here to be told.

use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Enqueue, Fact, Facts, Queue};
use openreply_app::resume;
use openreply_aws::Metrics;
use openreply_domain::ids::{AccountId, CommentId, MediaId, MessageId, UserId};
use openreply_domain::outcome::{Doubt, Rejection, RejectionKind, SendOutcome};
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::{Comment, QueueIdentity, Trigger};
use openreply_health::Health;
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::lambda::sqs_event;
use openreply_testkit::memory::{MemoryDepths, MemoryHost, MemoryLedger, MemoryMessenger, memory_host};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

pub(crate) const ACCOUNT: &str = "17841400000000001";
pub(crate) const USER: &str = "1234509876";
pub(crate) const USERNAME: &str = "anna.writes";
pub(crate) const TEXT: &str = "my secret LINK please";
const CAMPAIGNS: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: token-of-the-bakery }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "Words of the campaign" }
"#;

/// Everything of the stack that metrics and events come from.
pub(crate) struct Product {
    pub(crate) host: MemoryHost,
    deliver: Deliver<MemoryHost>,
}

impl Product {
    /// With one campaign, and an Instagram that delivers, refuses, leaves in doubt, and once knows no token.
    pub(crate) async fn new() -> Self {
        let rejected = |kind, code| {
            SendOutcome::Rejected(Rejection { kind, code, subcode: None, retry_after_seconds: None })
        };
        let host = memory_host(
            1,
            MemoryMessenger::new(move |nth, _| match nth {
                1 => rejected(RejectionKind::ReplySpent, 10_900),
                2 => SendOutcome::Unconfirmed(Doubt::Timeout),
                3 => rejected(RejectionKind::TokenDead, 190),
                _ => SendOutcome::Delivered { message_id: MessageId::parse(format!("mid.{nth}")).unwrap() },
            }),
        );
        let file = campaign_file::parse(CAMPAIGNS).unwrap();
        apply(&host.ledger, &host.vault, &file, host.clock.now(), |_| None).await.unwrap();
        // As `openreply apply` does: the gate learns of the token.
        resume::resume_all(&host.ledger, &host.queue, &host.facts, host.clock.now()).await.unwrap();
        let budget =
            Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };
        Self { deliver: Deliver::new(host.clone(), Policy::default(), budget), host }
    }

    /// Somebody commented, so many days ago.
    async fn comment(&self, id: &str, days: i64) {
        let comment = Comment {
            account: AccountId::parse(ACCOUNT).unwrap(),
            id: CommentId::parse(id).unwrap(),
            from: UserId::parse(USER).unwrap(),
            username: Some(USERNAME.to_owned()),
            media: Some(MediaId::parse("55").unwrap()),
            original_media: None,
            parent: None,
            text: TEXT.to_owned(),
        };
        let received_at = after(self.host.clock.now(), SignedDuration::from_hours(-24 * days));
        let trigger = Trigger::Comment(comment);
        let identity = QueueIdentity::of(&trigger);
        self.enqueue(Enqueue { identity, job: Job::Ingested { trigger, received_at } }).await;
    }

    async fn enqueue(&self, entry: Enqueue) {
        assert_eq!(self.host.queue.enqueue(&[entry]).await.unwrap(), []);
    }

    /// One batch through the consumer function.
    pub(crate) async fn consume(&self) {
        consume(&self.host, &self.deliver).await;
    }

    /// Lets happen what can happen. Returns what was told of it.
    pub(crate) async fn everything(&self) -> Vec<(Timestamp, Fact)> {
        for id in ["1", "2", "3", "4"] {
            self.comment(id, 0).await;
            self.host.clock.advance(SignedDuration::from_secs(2));
            self.consume().await;
        }
        // A copy that SQS no longer knows, and a comment that is too old to be answered.
        self.host.clock.advance(SignedDuration::from_mins(6));
        self.comment("1", 0).await;
        self.consume().await;
        self.measure(&FaultPlan::default()).await;
        let MemoryHost { ledger, queue, facts, clock, .. } = &self.host;
        resume::lift(ledger, queue, facts, &AccountId::parse(ACCOUNT).unwrap(), clock.now()).await.unwrap();
        self.comment("5", 8).await;
        self.consume().await;
        let beat = Job::Beat { id: "1".to_owned(), due_at: Some(clock.now()), echo: false };
        self.enqueue(Enqueue { identity: QueueIdentity::of_beat("1"), job: beat }).await;
        self.consume().await;
        self.measure(&FaultPlan::default()).await;
        self.host.facts.told()
    }

    /// The health function's call of the minute, its calls of the ledger failing by this plan.
    pub(crate) async fn measure(&self, plan: &FaultPlan) {
        let MemoryHost { ledger, queue, timers, clock, facts, .. } = &self.host;
        let depths = MemoryDepths { queue: queue.clone(), timers: timers.clone(), clock: clock.clone() };
        let ledger: Faulty<MemoryLedger> = Faulty { port: ledger.clone(), plan: plan.clone() };
        Health::new(ledger, depths, clock.clone(), facts.clone()).measure().await;
    }
}

/// One batch through the consumer function.
pub(crate) async fn consume<H: openreply_app::ports::Host>(memory: &MemoryHost, deliver: &Deliver<H>) {
    let batch = memory.queue.receive();
    let receipts: Vec<String> = batch.iter().map(|received| received.receipt.clone()).collect();
    let deadline = after(memory.clock.now(), SignedDuration::from_secs(120));
    let turn = Turn { holder: "turn".to_owned(), deadline };
    let response = openreply_consumer::handle(deliver, &memory.queue, sqs_event(batch), &turn).await;
    for receipt in receipts {
        if !response.batch_item_failures.iter().any(|failure| failure.item_identifier == receipt) {
            assert!(memory.queue.delete(&receipt));
        }
    }
}

/// Every call of the ledger is refused.
pub(crate) fn no_table() -> FaultPlan {
    FaultPlan::new((0..10_000).map(|call| (call, Fault::Refuse)))
}

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines that the metrics' adapter makes of facts, in order.
pub(crate) async fn lines(facts: &[(Timestamp, Fact)]) -> Vec<Value> {
    let written = Written::default();
    let metrics = Metrics::to("openreply", written.clone());
    for (at, fact) in facts {
        metrics.report(*at, fact).await;
    }
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
