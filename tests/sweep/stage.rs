//! The product around a fake Instagram, with a clock that is moved by hand.

use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Enqueue, EventKey, Ledger, Ports, Pulse, Queue};
use openreply_app::resume::resume_all;
use openreply_app::sweep::{Summary, Sweep, SweepOrder};
use openreply_consumer::handle;
use openreply_domain::delivery::{Delivery, rows};
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::pulse::Heartbeat;
use openreply_domain::send::{Leg, Policy, Send, SendKey};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::{Comment, QueueIdentity, Trigger, TriggerKey, TriggerKind};
use openreply_graph::{Graph, GraphConfig, WebhookBodies};
use openreply_testkit::faults::{FaultPlan, Faulty};
use openreply_testkit::instagram::{CallKind, FakeInstagram, Fault, NewComment, Serving};
use openreply_testkit::memory::{
    ManualClock, MemoryFacts, MemoryHost, MemoryLedger, MemoryMessenger, MemoryQueue, MemoryTimers,
    MemoryVault, SeededRandom, memory_host,
};
use secrecy::SecretString;
use std::sync::Arc;

pub(crate) const ACCOUNT: &str = "17841400000000001";
pub(crate) const POST: &str = "18000000000000055";

/// One campaign on one post.
pub(crate) const ON_A_POST: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "sweep-token" }]
campaigns:
  - { id: guide, account: "17841400000000001", post: "18000000000000055", keywords: [LINK], dm: "The guide" }
"#;

/// One campaign on any post, with a public reply.
pub(crate) const ON_ANY: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "sweep-token" }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "The guide", public_replies: ["Sent!"] }
"#;

/// All memory but the way to Instagram. What it asks of the ledger and the queue fails by plan.
pub(crate) type GraphHost = Ports<
    Faulty<MemoryLedger>,
    Graph,
    Faulty<MemoryQueue>,
    MemoryTimers,
    MemoryVault,
    ManualClock,
    SeededRandom,
    MemoryFacts,
>;

pub(crate) struct Stage {
    pub(crate) memory: MemoryHost,
    pub(crate) graph: Graph,
    pub(crate) instagram: Arc<FakeInstagram<ManualClock>>,
    /// Instagram's own clock.
    pub(crate) their_clock: ManualClock,
    pub(crate) policy: Policy,
    serving: Serving,
}

impl Stage {
    /// A campaign file that was applied a minute ago.
    pub(crate) async fn new(campaigns: &str) -> Self {
        let memory = memory_host(7, MemoryMessenger::default());
        let their_clock = ManualClock::new(memory.clock.now());
        let instagram = FakeInstagram::new(Arc::new(their_clock.clone()));
        instagram.name_account(&account(), "bakery");
        instagram.set_token(&account(), SecretString::from("sweep-token"));
        let serving = instagram.serve().await.unwrap();
        let config = GraphConfig { base: serving.base(), ..GraphConfig::default() };
        let graph = Graph::new(config).unwrap();
        let stage = Self { memory, graph, instagram, their_clock, policy: Policy::default(), serving };
        stage.apply(campaigns).await;
        stage.pass(SignedDuration::from_mins(1));
        stage
    }

    pub(crate) async fn apply(&self, campaigns: &str) {
        let memory = &self.memory;
        let file = campaign_file::parse(campaigns).unwrap();
        apply(&memory.ledger, &memory.vault, &file, self.now(), |_| None).await.unwrap();
        resume_all(&memory.ledger, &memory.queue, &memory.facts, self.now()).await.unwrap();
    }

    /// Where the fake Graph API is.
    pub(crate) fn base(&self) -> String {
        self.serving.base()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.memory.clock.now()
    }

    /// Lets time pass, here and on Instagram.
    pub(crate) fn pass(&self, span: SignedDuration) {
        self.memory.clock.advance(span);
        self.their_clock.advance(span);
    }

    /// Somebody comments under the post, and no webhook tells of it.
    pub(crate) fn comment(&self, from: &str, text: &str) -> CommentId {
        self.comment_on(POST, from, text, None)
    }

    pub(crate) fn comment_on(
        &self,
        post: &str,
        from: &str,
        text: &str,
        parent: Option<&CommentId>,
    ) -> CommentId {
        self.instagram.comment(NewComment {
            account: account(),
            media: media(post),
            from: UserId::parse(from).unwrap(),
            username: Some(format!("name{from}")),
            text: text.to_owned(),
            parent: parent.cloned(),
        })
    }

    /// The account itself replies under a comment, by hand.
    pub(crate) fn answer_by_hand(&self, comment: &CommentId, text: &str) -> CommentId {
        self.comment_on(POST, ACCOUNT, text, Some(comment))
    }

    /// The webhook tells of a comment.
    pub(crate) async fn tell(&self, id: &CommentId) {
        let trigger = Trigger::Comment(self.told(id));
        let entry = Enqueue {
            identity: QueueIdentity::of(&trigger),
            job: Job::Ingested { trigger, received_at: self.now() },
        };
        assert!(self.memory.queue.enqueue(&[entry]).await.unwrap().is_empty());
    }

    /// A comment as a webhook tells of it.
    pub(crate) fn told(&self, id: &CommentId) -> Comment {
        let world = self.instagram.snapshot();
        let seen = world.comment(id).unwrap();
        Comment {
            account: seen.account.clone(),
            id: id.clone(),
            from: seen.from.clone(),
            username: seen.username.clone(),
            media: Some(seen.media.clone()),
            original_media: None,
            parent: seen.parent.clone(),
            text: seen.text.clone(),
        }
    }

    /// A webhook body that was recorded and never got onto the queue.
    pub(crate) async fn record(&self, body: &serde_json::Value, id: &str) -> EventKey {
        let key = EventKey { received_at: self.now(), id: id.to_owned() };
        self.memory.ledger.record_event(&key, body.to_string().as_bytes()).await.unwrap();
        key
    }

    /// Lets the consumer do everything that can be done now.
    pub(crate) async fn work(&self) {
        let memory = &self.memory;
        let deliver = self.deliver();
        loop {
            for timer in memory.timers.fire(self.now()) {
                let entry = Enqueue { identity: timer.identity(), job: timer.job() };
                memory.queue.enqueue(&[entry]).await.unwrap();
            }
            let batch = memory.queue.receive();
            if batch.is_empty() {
                return;
            }
            let receipts: Vec<String> = batch.iter().map(|received| received.receipt.clone()).collect();
            let deadline = after(self.now(), SignedDuration::from_secs(120));
            let turn = Turn { holder: "turn".to_owned(), deadline };
            let event = openreply_testkit::lambda::sqs_event(batch);
            let response = handle(&deliver, &memory.queue, event, &turn).await;
            let back: Vec<&str> =
                response.batch_item_failures.iter().map(|failure| failure.item_identifier.as_str()).collect();
            for receipt in receipts.iter().filter(|receipt| !back.contains(&receipt.as_str())) {
                memory.queue.delete(receipt);
            }
            assert!(back.is_empty(), "nothing goes back here: {back:?}");
        }
    }

    fn host(&self, plan: &FaultPlan) -> GraphHost {
        let MemoryHost { ledger, queue, timers, vault, clock, random, facts, .. } = self.memory.clone();
        Ports {
            ledger: Faulty { port: ledger, plan: plan.clone() },
            messenger: self.graph.clone(),
            queue: Faulty { port: queue, plan: plan.clone() },
            timers,
            vault,
            clock,
            random,
            facts,
        }
    }

    pub(crate) fn deliver(&self) -> Deliver<GraphHost> {
        Deliver::new(self.host(&FaultPlan::default()), self.policy, budget())
    }

    /// A round of the account, and nothing of what it enqueued.
    pub(crate) async fn look(&self) -> Summary {
        self.carry_out(Some(account())).await
    }

    /// A round of the stack and of the account, with everything that follows from it.
    pub(crate) async fn sweep(&self) -> Summary {
        let mut summary = self.carry_out(None).await;
        summary += &self.look().await;
        self.work().await;
        summary
    }

    /// What carries out sweeps, over indexes that lag this much, and fails by this plan.
    pub(crate) fn reconciler(
        &self,
        index_lag: SignedDuration,
        plan: &FaultPlan,
    ) -> Sweep<GraphHost, Faulty<Graph>, WebhookBodies> {
        Sweep {
            reader: Faulty { port: self.graph.clone(), plan: plan.clone() },
            deliver: Deliver::new(self.host(plan), self.policy, budget()),
            bodies: WebhookBodies,
            index_lag,
        }
    }

    /// The consumer lives, unless a test has written another heartbeat.
    pub(crate) async fn live(&self) {
        let ledger = &self.memory.ledger;
        if ledger.heartbeat().await.unwrap().is_none_or(|beat| beat.version == "stage") {
            let beat = Heartbeat::echo(self.now(), "stage");
            ledger.beat(&beat).await.unwrap();
        }
    }

    /// A round of the account that fails by this plan.
    pub(crate) async fn round(&self, plan: &FaultPlan) -> Summary {
        self.planned(Some(account()), plan).await
    }

    async fn carry_out(&self, account: Option<AccountId>) -> Summary {
        self.planned(account, &FaultPlan::default()).await
    }

    async fn planned(&self, account: Option<AccountId>, plan: &FaultPlan) -> Summary {
        self.live().await;
        let sweep = self.reconciler(SignedDuration::ZERO, plan);
        let order = SweepOrder { account, round: self.now() };
        sweep.carry_out(&order, after(self.now(), SignedDuration::from_mins(10))).await.unwrap()
    }

    /// Fails the next private replies like this.
    pub(crate) fn fail_next(&self, times: usize, fault: &Fault) {
        self.instagram.fail_next_of(CallKind::PrivateReply, times, fault);
    }

    /// What the account wrote to a person.
    pub(crate) fn inbox(&self, user: &str) -> Vec<String> {
        let messages = self.instagram.inbox(&account(), &UserId::parse(user).unwrap());
        messages.into_iter().map(|message| message.text).collect()
    }

    /// The Send of a comment's direct message.
    pub(crate) async fn dm(&self, comment: &CommentId) -> Option<Send> {
        let key = dm(comment);
        self.memory.ledger.sends(&key.trigger, &[key.leg]).await.unwrap().pop()
    }

    /// How a person sees it.
    pub(crate) async fn row(&self, comment: &CommentId) -> Option<Delivery> {
        self.dm(comment).await.map(|send| rows(&send, |_| true).swap_remove(0))
    }

    pub(crate) async fn status(&self, comment: &CommentId) -> &'static str {
        self.row(comment).await.map_or("unknown", |row| row.status)
    }

    /// How many private replies Instagram was asked for.
    pub(crate) fn sends(&self) -> usize {
        self.instagram.count(CallKind::PrivateReply)
    }

    pub(crate) fn reads(&self) -> usize {
        self.instagram.count(CallKind::Read)
    }
}

fn budget() -> Budget {
    Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) }
}

pub(crate) fn dm(comment: &CommentId) -> SendKey {
    let trigger = TriggerKey { kind: TriggerKind::Comment, account: account(), id: comment.into() };
    SendKey { trigger, leg: Leg::Dm }
}

pub(crate) fn account() -> AccountId {
    AccountId::parse(ACCOUNT).unwrap()
}

pub(crate) fn media(id: &str) -> MediaId {
    MediaId::parse(id).unwrap()
}

/// Delivered, and answered as if nobody knew.
pub(crate) fn delivered_in_doubt() -> Fault {
    lost_in_doubt().after_delivery()
}

/// Not delivered, and answered as if nobody knew.
pub(crate) fn lost_in_doubt() -> Fault {
    Fault::error(500, 1, None, "unknown")
}
