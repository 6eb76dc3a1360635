//! One run: a signed webhook (as often as Meta would bring it), the queue, the consumer, and what people got.

use crate::blind::Blind;
use crate::luck::{Luck, SkewedClock};
use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::ingest::{Ingest, Ingested};
use openreply_app::ports::{Clock, Destination, Enqueue, Outbound, Ports, Pulse, Queue};
use openreply_app::resume::resume_all;
use openreply_app::sweep::{Sweep, SweepOrder};
use openreply_consumer::handle;
use openreply_domain::delivery::{Delivery, rows};
use openreply_domain::ids::{AccountId, MessageId};
use openreply_domain::outcome::{Doubt, NotSent, Rejection, RejectionKind, SendOutcome};
use openreply_domain::pulse::Heartbeat;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_graph::{AppSecrets, MetaWebhook, WebhookBodies};
use openreply_testkit::faults::{FaultPlan, Faulty};
use openreply_testkit::fifo::Received;
use openreply_testkit::instagram::webhook;
use openreply_testkit::memory::{
    MemoryFacts, MemoryHost, MemoryLedger, MemoryMessenger, MemoryQueue, MemoryTimers, MemoryVault,
    SeededRandom, memory_host,
};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

const SECRET: &str = "simulated-app-secret";
pub(crate) const ACCOUNT: &str = "17841400000000001";

/// What Instagram does with a call: what it answers, and whether a message exists afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Delivered,
    /// Code 1: an error, and the message is there all the same.
    DeliveredInDoubt,
    /// A time-out, and there is no message.
    LostInDoubt,
    Throttled,
    GiveUp,
    /// No connection, twice; then it is delivered.
    NotSentTwice,
    /// No connection, ever.
    NotSentEver,
    /// 190.
    TokenDead,
    /// Buttons are refused; text is delivered.
    TextOnly,
}

pub(crate) const ANSWERS: [Answer; 6] = [
    Answer::Delivered,
    Answer::DeliveredInDoubt,
    Answer::LostInDoubt,
    Answer::Throttled,
    Answer::GiveUp,
    Answer::NotSentTwice,
];

/// The messages that exist, by where they went.
pub(crate) type Inboxes = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// What Instagram does with the n-th call, from 0.
pub(crate) type Script = Arc<dyn Fn(usize, &Outbound) -> Answer + Send + Sync>;

fn instagram(script: Script, inboxes: Inboxes) -> MemoryMessenger {
    let tried: Mutex<BTreeMap<String, u32>> = Mutex::default();
    MemoryMessenger::new(move |nth, message: &Outbound| {
        let place = match &message.to {
            Destination::PrivateReply(comment) => format!("private reply to {comment}"),
            Destination::PublicReply(comment) => format!("public reply under {comment}"),
            Destination::Person(user) => format!("message to {user}: {}", message.text),
        };
        let arrive = || {
            let mut inboxes = inboxes.lock().unwrap_or_else(PoisonError::into_inner);
            inboxes.entry(place.clone()).or_default().push(message.text.clone());
        };
        let rejected = |kind, code| {
            SendOutcome::Rejected(Rejection { kind, code, subcode: None, retry_after_seconds: None })
        };
        match script(nth, message) {
            Answer::Delivered => {
                arrive();
                SendOutcome::Delivered { message_id: MessageId::parse(format!("mid.{nth}")).unwrap() }
            }
            Answer::DeliveredInDoubt => {
                arrive();
                SendOutcome::Unconfirmed(Doubt::Answer { status: 500, code: Some(1), subcode: None })
            }
            Answer::LostInDoubt => SendOutcome::Unconfirmed(Doubt::Timeout),
            Answer::Throttled => rejected(RejectionKind::Throttled, 4),
            Answer::GiveUp => rejected(RejectionKind::RecipientUnavailable, 100),
            Answer::NotSentTwice => {
                let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
                let tries = tried.entry(place.clone()).or_insert(0);
                *tries += 1;
                if *tries <= 2 {
                    return SendOutcome::NotSent(NotSent::Connect);
                }
                drop(tried);
                arrive();
                SendOutcome::Delivered { message_id: MessageId::parse(format!("mid.{nth}")).unwrap() }
            }
            Answer::NotSentEver => SendOutcome::NotSent(NotSent::Connect),
            Answer::TokenDead => rejected(RejectionKind::TokenDead, 190),
            Answer::TextOnly if !message.buttons.is_empty() => rejected(RejectionKind::TemplateRefused, 100),
            Answer::TextOnly => {
                arrive();
                SendOutcome::Delivered { message_id: MessageId::parse(format!("mid.{nth}")).unwrap() }
            }
        }
    })
}

/// The memory host with ports that fail by plan.
type FaultyHost = Ports<
    Faulty<MemoryLedger>,
    Faulty<MemoryMessenger>,
    Faulty<MemoryQueue>,
    Faulty<MemoryTimers>,
    MemoryVault,
    SkewedClock,
    SeededRandom,
    MemoryFacts,
>;

/// A world with a campaign file applied, and a plan of faults for what follows.
pub(crate) struct Sim {
    memory: MemoryHost,
    plan: FaultPlan,
    pub(crate) inboxes: Inboxes,
    turns: u32,
    policy: Policy,
    /// How often a timer fired, by its Send.
    pub(crate) fired: BTreeMap<String, usize>,
    /// Whether every timer fires twice.
    pub(crate) twice: bool,
    /// How many of sixteen timers never fire, and by how many seconds hosts' clocks are off at most.
    pub(crate) luck: Luck,
    sweeps: u32,
}

impl Sim {
    pub(crate) async fn new(campaigns: &str, answer: Answer, plan: FaultPlan) -> Self {
        Self::scripted(campaigns, Arc::new(move |_, _| answer), plan, Policy::default(), 7).await
    }

    pub(crate) async fn scripted(
        campaigns: &str,
        script: Script,
        plan: FaultPlan,
        policy: Policy,
        seed: u64,
    ) -> Self {
        let inboxes = Inboxes::default();
        let memory = memory_host(seed, instagram(script, inboxes.clone()));
        let sim = Self {
            memory,
            plan,
            inboxes,
            turns: 0,
            policy,
            fired: BTreeMap::new(),
            twice: false,
            luck: Luck::none(),
            sweeps: 0,
        };
        sim.apply(campaigns).await;
        sim
    }

    /// Applies a campaign file and wakes what that lets go on.
    pub(crate) async fn apply(&self, campaigns: &str) -> usize {
        let file = campaign_file::parse(campaigns).unwrap();
        apply(&self.memory.ledger, &self.memory.vault, &file, self.now(), |_| None).await.unwrap();
        self.resume().await
    }

    /// Wakes what waits for something that is over.
    pub(crate) async fn resume(&self) -> usize {
        resume_all(&self.memory.ledger, &self.memory.queue, &self.memory.facts, self.now()).await.unwrap()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.memory.clock.now()
    }

    pub(crate) fn memory(&self) -> &MemoryHost {
        &self.memory
    }

    /// Meta posts the event, and again whenever it is not answered with 200, up to a day's patience.
    pub(crate) async fn post(&self, event: &Value) {
        for _ in 0..6 {
            if self.post_once(event).await == Some(true) {
                return;
            }
            self.memory.clock.advance(SignedDuration::from_mins(7));
        }
        panic!("Meta gave up: the webhook never answered 200");
    }

    /// `None`: the function crashed.
    pub(crate) async fn post_once(&self, event: &Value) -> Option<bool> {
        let body = event.to_string().into_bytes();
        let ingest = Ingest {
            ledger: self.faulty(&self.memory.ledger),
            queue: self.faulty(&self.memory.queue),
            clock: self.memory.clock.clone(),
            random: self.memory.random.clone(),
        };
        let reader = Self::webhook_reader();
        let signature = webhook::sign(SECRET, &body);
        let answer = self.plan.run(ingest.ingest(&reader, Some(&signature), &body)).await?;
        Some(matches!(answer, Ingested::Accepted { .. }))
    }

    /// Runs the consumer until nothing waits any more, the clock going on to whatever is due next.
    pub(crate) async fn drain(&mut self) {
        self.run_to(Timestamp::MAX).await;
    }

    /// Lets `span` pass, and runs what is due in it.
    pub(crate) async fn drain_until(&mut self, span: SignedDuration) {
        let end = after(self.now(), span);
        self.run_to(end).await;
        self.memory.clock.set(end);
    }

    async fn run_to(&mut self, end: Timestamp) {
        for _ in 0..60_000 {
            let batch = self.memory.queue.receive();
            if !batch.is_empty() {
                self.invoke(batch).await;
                continue;
            }
            let now = self.now();
            let queue = self.memory.queue.with_fifo(|fifo| fifo.next_due(now));
            match queue.into_iter().chain(self.memory.timers.next_due()).min() {
                Some(due) if due <= end => {
                    if due > now {
                        self.memory.clock.set(due);
                    }
                    self.fire().await;
                }
                Some(_) | None => return,
            }
        }
        panic!("the queue never runs empty: {:?}", self.memory.queue.with_fifo(|fifo| fifo.len()));
    }

    /// Puts the messages of due timers on the queue, as the scheduler does.
    async fn fire(&mut self) {
        for timer in self.memory.timers.fire(self.memory.clock.now()) {
            *self.fired.entry(format!("{} {}", timer.key.trigger, timer.key.leg)).or_default() += 1;
            if self.twice {
                let mut again = Enqueue { identity: timer.identity(), job: timer.job() };
                again.identity.dedup.push_str("-again");
                self.memory.queue.enqueue(&[again]).await.unwrap();
            }
            if self.luck.loses() {
                continue;
            }
            let entry = Enqueue { identity: timer.identity(), job: timer.job() };
            let refused = self.memory.queue.enqueue(&[entry]).await.unwrap();
            assert!(refused.is_empty(), "the scheduler's own queue takes everything");
        }
    }

    /// Sweeps until nothing waits any more: whatever a lost timer left behind goes on.
    pub(crate) async fn sweep_until_done(&mut self) {
        for _ in 0..2_000 {
            let due = self.memory.ledger.all_sends().iter().filter_map(|send| send.due_at()).min();
            let Some(due) = due else { return };
            let found = after(due, SignedDuration::from_mins(3)).max(self.now());
            self.memory.clock.set(found);
            self.sweep().await;
            self.drain_until(SignedDuration::from_mins(1)).await;
        }
        panic!("something waits for ever: {:?}", self.rows());
    }

    async fn sweep(&mut self) {
        self.sweeps += 1;
        let budget =
            Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };
        let sweep = Sweep {
            deliver: Deliver::new(self.memory.clone(), self.policy, budget),
            reader: Blind,
            bodies: WebhookBodies,
            index_lag: SignedDuration::ZERO,
        };
        let now = self.now();
        let beat = Heartbeat::echo(now, "simulation");
        self.memory.ledger.beat(&beat).await.unwrap();
        let order = SweepOrder { account: Some(AccountId::parse(ACCOUNT).unwrap()), round: now };
        sweep.carry_out(&order, after(now, SignedDuration::from_secs(120))).await.unwrap();
    }

    fn webhook_reader() -> MetaWebhook {
        MetaWebhook::new(AppSecrets {
            instagram: Some(SecretString::from(SECRET)),
            facebook: None,
            verify_token: SecretString::from("token"),
        })
        .unwrap()
    }

    async fn invoke(&mut self, batch: Vec<Received>) {
        self.turns += 1;
        let clock = SkewedClock { clock: self.memory.clock.clone(), skew: self.luck.skew() };
        let now = clock.now();
        let turn = Turn {
            holder: format!("turn-{}", self.turns),
            deadline: after(now, SignedDuration::from_secs(120)),
        };
        let host: FaultyHost = Ports {
            ledger: self.faulty(&self.memory.ledger),
            messenger: self.faulty(&self.memory.messenger),
            queue: self.faulty(&self.memory.queue),
            timers: self.faulty(&self.memory.timers),
            vault: self.memory.vault.clone(),
            clock,
            random: self.memory.random.clone(),
            facts: self.memory.facts.clone(),
        };
        // Every invocation is a cold start: nothing may depend on what a process remembers.
        let budget =
            Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };
        let deliver = Deliver::new(host, self.policy, budget);
        let queue = self.faulty(&self.memory.queue);
        let receipts: Vec<String> = batch.iter().map(|received| received.receipt.clone()).collect();
        let event = openreply_testkit::lambda::sqs_event(batch);
        let Some(response) = self.plan.run(handle(&deliver, &queue, event, &turn)).await else { return };
        let back: Vec<&str> =
            response.batch_item_failures.iter().map(|failure| failure.item_identifier.as_str()).collect();
        for receipt in receipts.iter().filter(|receipt| !back.contains(&receipt.as_str())) {
            self.memory.queue.delete(receipt);
        }
    }

    fn faulty<P: Clone>(&self, port: &P) -> Faulty<P> {
        Faulty { port: port.clone(), plan: self.plan.clone() }
    }

    /// Every row, as a person sees it once all invocations are over.
    pub(crate) fn rows(&self) -> Vec<Delivery> {
        self.memory.ledger.all_sends().iter().flat_map(|send| rows(send, |_| false)).collect()
    }

    /// The names of all port calls so far.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        self.plan.calls()
    }

    /// How many calls reached Instagram.
    pub(crate) fn sends(&self) -> usize {
        self.memory.messenger.calls().len()
    }
}

/// A comment by one person.
pub(crate) fn comment(id: &str, text: &str) -> Value {
    json!({"object": "instagram", "entry": [{"id": ACCOUNT, "time": 1_796_054_400, "changes": [{
        "field": "comments",
        "value": {"id": id, "text": text, "from": {"id": "900", "username": "anna"}, "media": {"id": "55"}},
    }]}]})
}
