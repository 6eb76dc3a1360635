//! Ports that fail by plan: crash before or after any call, lose the answer of one that worked, refuse one.
//!
//! Every call of every wrapped port takes the next number. A [`FaultPlan`] says what happens at which numbers;
//! all others work. A crash is what it is on Lambda: the call never returns and the invocation is gone. The
//! test runs the invocation beside [`FaultPlan::crashed`] and drops it.

mod links;
mod sweeps;

use openreply_app::ports::{
    AccountUpdate, Also, DelayQueue, Depths, Enqueue, EventKey, EventStatus, EventsOfMinute, Ledger,
    LedgerError, Messenger, Outbound, Pulse, Queue, QueueDepths, QueueError, Refused, Timer, TimerError,
    Timers, TriggerRead, Written,
};
use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef};
use openreply_domain::contact::Contact;
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::{AccountId, CampaignId, UserId};
use openreply_domain::message::Follow;
use openreply_domain::outcome::{Doubt, NotSent, SendOutcome};
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::send::{Expect, Leg, Send};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::TriggerKey;
use secrecy::SecretString;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The process ends before the call has any effect.
    CrashBefore,
    /// The process ends after the call had its effect, before its answer.
    CrashAfter,
    /// The call has its effect, and its answer is an error.
    LoseAnswer,
    /// The call has no effect, and its answer is an error.
    Refuse,
}

/// Every fault there is.
pub const FAULTS: [Fault; 4] = [Fault::CrashBefore, Fault::CrashAfter, Fault::LoseAnswer, Fault::Refuse];

/// Which calls fail, and how. Clones share the count.
#[derive(Debug, Clone, Default)]
pub struct FaultPlan {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    state: Mutex<State>,
    crashed: Notify,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<&'static str>,
    faults: BTreeMap<usize, Fault>,
    always: BTreeMap<&'static str, Fault>,
}

impl FaultPlan {
    /// A plan by which every call of these names fails.
    #[must_use]
    pub fn always(faults: impl IntoIterator<Item = (&'static str, Fault)>) -> Self {
        let state = State { always: faults.into_iter().collect(), ..State::default() };
        Self { inner: Arc::new(Inner { state: Mutex::new(state), crashed: Notify::new() }) }
    }

    /// A plan with these faults, by the number of the call from 0.
    #[must_use]
    pub fn new(faults: impl IntoIterator<Item = (usize, Fault)>) -> Self {
        let state = State { faults: faults.into_iter().collect(), ..State::default() };
        Self { inner: Arc::new(Inner { state: Mutex::new(state), crashed: Notify::new() }) }
    }

    /// The names of all calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<&'static str> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner).calls.clone()
    }

    /// Runs an invocation. `None`: it crashed, and everything it held is dropped.
    pub async fn run<T>(&self, invocation: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            () = self.inner.crashed.notified() => None,
            result = invocation => Some(result),
        }
    }

    fn next(&self, name: &'static str) -> Option<Fault> {
        let mut state = self.inner.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.calls.len();
        state.calls.push(name);
        state.faults.get(&number).or_else(|| state.always.get(name)).copied()
    }

    async fn crash<T>(&self) -> T {
        self.inner.crashed.notify_one();
        std::future::pending().await
    }

    /// One call of a port whose errors are values of its own.
    async fn call<T, E>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T, E>>,
        error: impl FnOnce() -> E,
    ) -> Result<T, E> {
        match self.next(name) {
            None => work.await,
            Some(Fault::CrashBefore) => self.crash().await,
            Some(Fault::CrashAfter) => {
                drop(work.await);
                self.crash().await
            }
            Some(Fault::LoseAnswer) => {
                drop(work.await);
                Err(error())
            }
            Some(Fault::Refuse) => Err(error()),
        }
    }
}

/// A port that fails by plan.
#[derive(Debug, Clone)]
pub struct Faulty<P> {
    /// The port that works.
    pub port: P,
    /// When it does not.
    pub plan: FaultPlan,
}

fn transient() -> LedgerError {
    LedgerError::Transient { action: "answer", cause: "a fault of the plan".to_owned() }
}

impl<L: Ledger> Ledger for Faulty<L> {
    async fn record_event(&self, key: &EventKey, body: &[u8]) -> Result<(), LedgerError> {
        self.plan.call("record_event", self.port.record_event(key, body), transient).await
    }
    async fn mark_event(&self, key: &EventKey, status: &EventStatus) -> Result<(), LedgerError> {
        self.plan.call("mark_event", self.port.mark_event(key, status), transient).await
    }
    async fn events(&self, moment: Timestamp) -> Result<EventsOfMinute, LedgerError> {
        self.plan.call("events", self.port.events(moment), transient).await
    }
    async fn account_ids(&self) -> Result<Vec<AccountId>, LedgerError> {
        self.plan.call("account_ids", self.port.account_ids(), transient).await
    }
    async fn account(&self, id: &AccountId) -> Result<Option<Account>, LedgerError> {
        self.plan.call("account", self.port.account(id), transient).await
    }
    async fn campaign_version(
        &self,
        account: &AccountId,
        campaign: &CampaignRef,
    ) -> Result<Option<CampaignContent>, LedgerError> {
        self.plan.call("campaign_version", self.port.campaign_version(account, campaign), transient).await
    }
    async fn put_account(&self, account: &AccountUpdate) -> Result<(), LedgerError> {
        self.plan.call("put_account", self.port.put_account(account), transient).await
    }
    async fn put_campaign(
        &self,
        account: &AccountId,
        campaign: &Campaign,
        old_order: Option<u32>,
    ) -> Result<(), LedgerError> {
        self.plan.call("put_campaign", self.port.put_campaign(account, campaign, old_order), transient).await
    }
    async fn sends(&self, trigger: &TriggerKey, legs: &[Leg]) -> Result<Vec<Send>, LedgerError> {
        self.plan.call("sends", self.port.sends(trigger, legs), transient).await
    }
    async fn put_send(&self, send: &Send, expect: &Expect) -> Result<Written, LedgerError> {
        self.plan.call("put_send", self.port.put_send(send, expect), transient).await
    }
    async fn read(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
        user: &UserId,
    ) -> Result<TriggerRead, LedgerError> {
        self.plan.call("read", self.port.read(trigger, legs, user), transient).await
    }
    async fn put_contact(
        &self,
        account: &AccountId,
        user: &UserId,
        next: &Contact,
    ) -> Result<Option<Contact>, LedgerError> {
        self.plan.call("put_contact", self.port.put_contact(account, user, next), transient).await
    }
    async fn once(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        user: &UserId,
    ) -> Result<Option<TriggerKey>, LedgerError> {
        self.plan.call("once", self.port.once(account, campaign, user), transient).await
    }
    async fn gates(&self, account: &AccountId) -> Result<(AccountGate, Stop), LedgerError> {
        self.plan.call("gates", self.port.gates(account), transient).await
    }
    async fn put_gate(
        &self,
        account: &AccountId,
        next: &AccountGate,
    ) -> Result<Option<AccountGate>, LedgerError> {
        self.plan.call("put_gate", self.port.put_gate(account, next), transient).await
    }
    async fn stop(&self) -> Result<Stop, LedgerError> {
        self.plan.call("stop", self.port.stop(), transient).await
    }
    async fn put_stop(&self, next: &Stop) -> Result<Option<Stop>, LedgerError> {
        self.plan.call("put_stop", self.port.put_stop(next), transient).await
    }
    async fn take_month(&self, month: &str, limit: u32) -> Result<bool, LedgerError> {
        self.plan.call("take_month", self.port.take_month(month, limit), transient).await
    }
    async fn return_month(&self, month: &str) -> Result<(), LedgerError> {
        self.plan.call("return_month", self.port.return_month(month), transient).await
    }
    async fn month_used(&self, month: &str) -> Result<u32, LedgerError> {
        self.plan.call("month_used", self.port.month_used(month), transient).await
    }
    async fn waiting(&self, account: &AccountId) -> Result<Vec<Send>, LedgerError> {
        self.plan.call("waiting", self.port.waiting(account), transient).await
    }
    async fn put_send_with(
        &self,
        send: &Send,
        expect: &Expect,
        also: &[Also],
    ) -> Result<Written, LedgerError> {
        self.plan.call("put_send_with", self.port.put_send_with(send, expect, also), transient).await
    }
    async fn deliveries(&self, account: &AccountId, since: Timestamp) -> Result<Vec<Send>, LedgerError> {
        self.plan.call("deliveries", self.port.deliveries(account, since), transient).await
    }
}

impl<Q: Queue> Queue for Faulty<Q> {
    async fn enqueue(&self, jobs: &[Enqueue]) -> Result<Vec<Refused>, QueueError> {
        let error = || QueueError("a fault of the plan".to_owned());
        self.plan.call("enqueue", self.port.enqueue(jobs), error).await
    }
    async fn return_soon(&self, receipts: &[String], delay: SignedDuration) -> Result<(), QueueError> {
        let error = || QueueError("a fault of the plan".to_owned());
        self.plan.call("return_soon", self.port.return_soon(receipts, delay), error).await
    }
}

impl<T: Timers> Timers for Faulty<T> {
    async fn set(&self, timer: &Timer) -> Result<(), TimerError> {
        let error = || TimerError("a fault of the plan".to_owned());
        self.plan.call("set_timer", self.port.set(timer), error).await
    }
}

impl<L: Pulse> Pulse for Faulty<L> {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), LedgerError> {
        self.plan.call("beat", self.port.beat(heartbeat), transient).await
    }
    async fn heartbeat(&self) -> Result<Option<Heartbeat>, LedgerError> {
        self.plan.call("heartbeat", self.port.heartbeat(), transient).await
    }
    async fn raise(&self, alert: &Alert) -> Result<bool, LedgerError> {
        self.plan.call("raise", self.port.raise(alert), transient).await
    }
    async fn alerts(&self, newest: usize) -> Result<Vec<Alert>, LedgerError> {
        self.plan.call("alerts", self.port.alerts(newest), transient).await
    }
    async fn held_accounts(&self, now: Timestamp) -> Result<usize, LedgerError> {
        self.plan.call("held_accounts", self.port.held_accounts(now), transient).await
    }
}

impl<T: DelayQueue> DelayQueue for Faulty<T> {
    async fn delay(&self, entry: &Enqueue, due_at: Timestamp) -> Result<(), QueueError> {
        let error = || QueueError("a fault of the plan".to_owned());
        self.plan.call("delay", self.port.delay(entry, due_at), error).await
    }
}

impl<Q: QueueDepths> QueueDepths for Faulty<Q> {
    async fn depths(&self) -> Result<Depths, QueueError> {
        let error = || QueueError("a fault of the plan".to_owned());
        self.plan.call("depths", self.port.depths(), error).await
    }
    async fn dead_letters(&self) -> Result<u64, QueueError> {
        let error = || QueueError("a fault of the plan".to_owned());
        self.plan.call("dead_letters", self.port.dead_letters(), error).await
    }
}

impl<M: Messenger> Messenger for Faulty<M> {
    async fn send(&self, message: Outbound) -> SendOutcome {
        match self.plan.next("send") {
            None => self.port.send(message).await,
            Some(Fault::CrashBefore) => self.plan.crash().await,
            Some(Fault::CrashAfter) => {
                drop(self.port.send(message).await);
                self.plan.crash().await
            }
            Some(Fault::LoseAnswer) => {
                drop(self.port.send(message).await);
                SendOutcome::Unconfirmed(Doubt::Broken)
            }
            Some(Fault::Refuse) => SendOutcome::NotSent(NotSent::Connect),
        }
    }

    async fn follows(&self, account: &AccountId, user: &UserId, token: &SecretString) -> Follow {
        match self.plan.next("follows") {
            None => self.port.follows(account, user, token).await,
            Some(Fault::CrashBefore | Fault::CrashAfter) => self.plan.crash().await,
            Some(Fault::LoseAnswer | Fault::Refuse) => Follow::Unknown,
        }
    }
}
