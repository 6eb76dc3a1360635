//! A world in memory with campaigns in it, a plan of faults, and a consumer.

use futures_util::FutureExt;
use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::deliver::{Budget, Deliver, Handled, Turn};
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Destination, Ledger, Outbound, Ports, Random, Timer, Written};
use openreply_domain::ids::{AccountId, CampaignId, ClaimId, CommentId, MediaId, MessageId, UserId};
use openreply_domain::outcome::{Rejection, RejectionKind, SendOutcome};
use openreply_domain::send::{Expect, Leg, Policy, Send, State};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::{Comment, Trigger};
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::memory::{
    ManualClock, MemoryFacts, MemoryHost, MemoryLedger, MemoryMessenger, MemoryQueue, MemoryTimers,
    MemoryVault, SeededRandom, memory_host,
};
use std::sync::{Arc, Mutex};

pub(crate) const ACCOUNT: &str = "17841400000000001";
pub(crate) const BUDGET: Budget =
    Budget { ledger_call: SignedDuration::from_secs(5), send: SignedDuration::from_secs(10) };

/// One campaign with a direct message and nothing in public.
pub(crate) const PLAIN: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: token-of-the-bakery }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "Hi {username}!" }
"#;

/// The same with one public reply.
pub(crate) const PUBLIC: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: token-of-the-bakery }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "Hi {username}!", public_replies: ["Sent!"] }
"#;

/// The memory host with ports that fail by plan, and somebody who acts right before a claim.
type StageHost = Ports<
    Faulty<MemoryLedger>,
    Faulty<MemoryMessenger>,
    Faulty<MemoryQueue>,
    Faulty<MemoryTimers>,
    MemoryVault,
    ManualClock,
    Meddling,
    MemoryFacts,
>;

type Deed = Box<dyn FnOnce() + std::marker::Send>;

/// Chance that lets something happen after a Send was read and before its claim is written.
#[derive(Clone)]
pub(crate) struct Meddling {
    random: SeededRandom,
    deed: Arc<Mutex<Option<Deed>>>,
}

impl Random for Meddling {
    fn number(&self) -> u64 {
        self.random.number()
    }

    fn claim_id(&self) -> ClaimId {
        let deed = self.deed.lock().unwrap().take();
        if let Some(deed) = deed {
            deed();
        }
        self.random.claim_id()
    }
}

pub(crate) struct Stage {
    pub(crate) memory: MemoryHost,
    pub(crate) plan: FaultPlan,
    deliver: Deliver<StageHost>,
    deed: Arc<Mutex<Option<Deed>>>,
}

impl Stage {
    /// With these campaigns, and an Instagram that answers by script.
    pub(crate) async fn new(
        file: &str,
        script: impl Fn(usize, &Outbound) -> SendOutcome + std::marker::Send + Sync + 'static,
    ) -> Self {
        Self::of(memory_host(1, MemoryMessenger::new(script)), file).await
    }

    pub(crate) async fn of(memory: MemoryHost, file: &str) -> Self {
        crate::log::listen();
        let (plan, deed) = (FaultPlan::default(), Arc::default());
        let deliver = deliver(&memory, &plan, &deed);
        let stage = Self { memory, plan, deliver, deed };
        stage.apply(file).await;
        stage
    }

    /// Goes on in a fresh environment, with these faults.
    pub(crate) fn restart(&mut self, faults: impl IntoIterator<Item = (usize, Fault)>) {
        self.plan = FaultPlan::new(faults);
        self.deliver = deliver(&self.memory, &self.plan, &self.deed);
    }

    pub(crate) async fn apply(&self, file: &str) {
        let file = campaign_file::parse(file).unwrap();
        apply(&self.memory.ledger, &self.memory.vault, &file, self.memory.clock.now(), |_| None)
            .await
            .unwrap();
    }

    /// Handles a job with two minutes' time.
    pub(crate) async fn handle(&self, job: &Job) -> Handled {
        self.handle_within(job, SignedDuration::from_secs(120)).await
    }

    pub(crate) async fn handle_within(&self, job: &Job, time: SignedDuration) -> Handled {
        let turn = Turn { holder: "turn".to_owned(), deadline: after(self.now(), time) };
        self.deliver.handle(job, &turn).await
    }

    /// Handles a job that must be done with.
    pub(crate) async fn done(&self, job: &Job) {
        assert_eq!(self.handle(job).await, Handled::Done, "{job:?}");
    }

    /// Handles a job in an environment that ends by plan.
    pub(crate) async fn crash(&self, job: &Job) {
        assert_eq!(self.plan.run(self.handle(job)).await, None, "it went on: {:?}", self.plan.calls());
    }

    /// Lets this happen right before the next claim is written.
    pub(crate) fn before_claim(&self, deed: impl FnOnce() + std::marker::Send + 'static) {
        *self.deed.lock().unwrap() = Some(Box::new(deed));
    }

    /// The timers that are due, which are then gone.
    pub(crate) fn due(&self) -> Vec<Timer> {
        self.memory.timers.fire(self.now())
    }

    /// Goes on to the next timer, fires it and handles what it puts on the queue. Returns the minutes that
    /// passed.
    pub(crate) async fn next_timer(&self) -> i64 {
        let (before, due_at) = (self.now(), self.memory.timers.next_due().unwrap());
        self.memory.clock.set(due_at);
        let due = self.due();
        assert_eq!(due.len(), 1, "{due:?}");
        self.done(&due[0].job()).await;
        due_at.duration_since(before).as_mins()
    }

    /// The calls that write anything or take something, so far.
    pub(crate) fn writes(&self) -> Vec<&'static str> {
        let is_write =
            |call: &&str| !["read", "sends", "account", "gates", "campaign_version"].contains(call);
        self.plan.calls().into_iter().filter(is_write).collect()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.memory.clock.now()
    }

    /// The only Send with this leg.
    pub(crate) fn send(&self, leg: &Leg) -> Send {
        let sends = self.memory.ledger.all_sends();
        let mut sends = sends.into_iter().filter(|send| send.key.leg == *leg);
        let send = sends.next().unwrap();
        assert!(sends.next().is_none(), "more than one {leg}");
        send
    }

    pub(crate) fn dm(&self) -> Send {
        self.send(&Leg::Dm)
    }

    /// Writes a Send over what stands there.
    pub(crate) fn put(&self, send: &Send, expect: &Expect) {
        put(&self.memory.ledger, send, expect);
    }

    /// What was sent, in order: where to and what.
    pub(crate) fn messages(&self) -> Vec<(&'static str, String)> {
        let calls = self.memory.messenger.calls();
        calls.into_iter().map(|call| (place(&call.to), call.text)).collect()
    }
}

/// What handling a first comment calls, in order: where faults are put goes by names.
pub(crate) struct Calls(Vec<&'static str>);

impl Calls {
    /// Rehearses the comment.
    pub(crate) async fn of(
        file: &str,
        script: impl Fn(usize, &Outbound) -> SendOutcome + std::marker::Send + Sync + 'static,
    ) -> Self {
        let stage = Stage::new(file, script).await;
        stage.done(&job(comment("179"))).await;
        Self(stage.plan.calls())
    }

    /// The number of the n-th call of this name, both from 0.
    pub(crate) fn nth(&self, name: &str, nth: usize) -> usize {
        let mut numbers = (0..self.0.len()).filter(|number| self.0[*number] == name);
        numbers.nth(nth).ok_or_else(|| format!("no {name} number {nth} in {:?}", self.0)).unwrap()
    }
}

fn deliver(memory: &MemoryHost, plan: &FaultPlan, deed: &Arc<Mutex<Option<Deed>>>) -> Deliver<StageHost> {
    let plan = || plan.clone();
    let host = Ports {
        ledger: Faulty { port: memory.ledger.clone(), plan: plan() },
        messenger: Faulty { port: memory.messenger.clone(), plan: plan() },
        queue: Faulty { port: memory.queue.clone(), plan: plan() },
        timers: Faulty { port: memory.timers.clone(), plan: plan() },
        vault: memory.vault.clone(),
        clock: memory.clock.clone(),
        random: Meddling { random: memory.random.clone(), deed: Arc::clone(deed) },
        facts: memory.facts.clone(),
    };
    Deliver::new(host, Policy::default(), BUDGET)
}

/// Writes to a ledger in memory, which never keeps anybody waiting.
pub(crate) fn put(ledger: &MemoryLedger, send: &Send, expect: &Expect) {
    assert_eq!(ledger.put_send(send, expect).now_or_never().unwrap().unwrap(), Written::Done);
}

/// The kind of place that a message goes to.
pub(crate) fn place(to: &Destination) -> &'static str {
    match to {
        Destination::PrivateReply(_) => "dm",
        Destination::PublicReply(_) => "public",
        Destination::Person(_) => "person",
    }
}

pub(crate) fn comment(id: &str) -> Comment {
    Comment {
        account: AccountId::parse(ACCOUNT).unwrap(),
        id: CommentId::parse(id).unwrap(),
        from: UserId::parse("1234509876").unwrap(),
        username: Some("anna".to_owned()),
        media: Some(MediaId::parse("55").unwrap()),
        original_media: None,
        parent: None,
        text: "the LINK please".to_owned(),
    }
}

/// A comment on its way through the queue, received as the clock of every stage begins.
pub(crate) fn job(comment: Comment) -> Job {
    Job::Ingested { trigger: Trigger::Comment(comment), received_at: ManualClock::default().now() }
}

pub(crate) fn wake(send: &Send, wake: u32) -> Job {
    Job::Wake { key: send.key.clone(), wake }
}

pub(crate) fn reply_of(campaign: &str) -> Leg {
    Leg::PublicReply(CampaignId::parse(campaign).unwrap())
}

pub(crate) fn delivered(nth: usize) -> SendOutcome {
    SendOutcome::Delivered { message_id: MessageId::parse(format!("mid.{nth}")).unwrap() }
}

pub(crate) fn rejected(kind: RejectionKind) -> SendOutcome {
    SendOutcome::Rejected(Rejection { kind, code: 4, subcode: None, retry_after_seconds: None })
}

/// The word for a state, and why.
pub(crate) fn word(send: &Send) -> (&'static str, &str) {
    match &send.state {
        State::Open { reason, .. } => ("open", reason),
        State::Claimed { doubt } => ("claimed", doubt.as_deref().unwrap_or("")),
        State::Sent { .. } => ("sent", ""),
        State::Failed { reason } => ("failed", reason),
        State::Skipped { reason, .. } => ("skipped", reason),
    }
}
