//! The queue and the timers of the local runner: SQS FIFO's rules in memory, timers that put their message on
//! the queue when they are due, and every change written down as it happens.

use crate::clock::LocalClock;
use crate::store::{Store, StoreError};
use openreply_app::job::Job;
use openreply_app::ports::{
    Clock, DelayQueue, Depths, Enqueue, Queue, QueueDepths, QueueError, Refused, Timer, TimerError, Timers,
};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::QueueIdentity;
use openreply_testkit::fifo::{Change, Fifo, FifoSettings, Held, Received};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The attributes that the stack's queue has in `template.yaml`.
pub(crate) const SETTINGS: FifoSettings =
    FifoSettings { visibility: SignedDuration::from_secs(720), max_receives: 500 };

/// Below this, the delay queue carries a timer, and the consumer forwards it.
const SCHEDULE_FROM: SignedDuration = SignedDuration::from_mins(1);

const MESSAGES: &str = "queue";
const TIMERS: &str = "timers";
const DEAD: &str = "dead-letters";
const REMEMBERED: &str = "queue-dedup";

/// A timer that is set.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Set {
    name: String,
    #[serde(with = "openreply_domain::time::millis")]
    due_at: Timestamp,
    group: String,
    dedup: String,
    body: String,
    /// Whether it is what the delay queue holds on AWS.
    #[serde(default)]
    delayed: bool,
}

#[derive(Serialize, Deserialize)]
struct Remembered {
    group: String,
    dedup: String,
    #[serde(with = "openreply_domain::time::millis")]
    at: Timestamp,
}

/// The queue, shared by everything in the runner.
#[derive(Debug, Clone)]
pub(crate) struct LocalQueue {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: Mutex<State>,
    clock: LocalClock,
    store: Store,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    fifo: Fifo,
    /// By name.
    timers: BTreeMap<String, Set>,
    /// Batches that were handed out and are not reported back yet.
    running: usize,
    /// Whether the consumer reads the queue, and forwards what was delayed.
    is_read: bool,
}

impl State {
    /// When a timer fires. `None`: it is delayed, and nobody is there to forward it.
    fn fires_at(&self, set: &Set) -> Option<Timestamp> {
        (self.is_read || !set.delayed).then_some(set.due_at)
    }

    fn is_due(&self, set: &Set, now: Timestamp) -> bool {
        self.fires_at(set).is_some_and(|at| at <= now)
    }
}

impl LocalQueue {
    /// The queue as it was left. What was in flight is visible again.
    pub(crate) fn open(store: Store, clock: LocalClock) -> Result<Self, StoreError> {
        let remembered = store.all::<Remembered>(REMEMBERED)?.into_iter().map(|r| (r.group, r.dedup, r.at));
        let fifo =
            Fifo::restore(SETTINGS, store.all::<Held>(MESSAGES)?, store.all::<Held>(DEAD)?, remembered);
        let timers = store.all::<Set>(TIMERS)?.into_iter().map(|set| (set.name.clone(), set)).collect();
        let state = Mutex::new(State { fifo, timers, running: 0, is_read: true });
        Ok(Self { inner: Arc::new(Inner { state, clock, store, changed: Notify::new() }) })
    }

    /// The next batch, if one can be had now. Whoever takes it must call [`LocalQueue::finish`].
    pub(crate) fn take_batch(&self, max: usize) -> Option<Vec<Received>> {
        self.fire_timers();
        self.change(|state, now| {
            if !state.is_read {
                return None;
            }
            let batch = state.fifo.receive(now, max);
            if batch.is_empty() {
                return None;
            }
            state.running += 1;
            Some(batch)
        })
    }

    /// Whether the consumer reads the queue from now on.
    pub(crate) fn set_read(&self, is_read: bool) {
        self.lock().is_read = is_read;
        self.poke();
    }

    /// A batch is done: what succeeded leaves the queue.
    pub(crate) fn finish(&self, succeeded: impl Iterator<Item = String>) {
        self.change(|state, _| {
            for receipt in succeeded {
                state.fifo.delete(&receipt);
            }
            state.running -= 1;
        });
        self.poke();
    }

    /// Whether nothing runs and nothing could be received at this time.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.lock();
        let now = self.inner.clock.now();
        let fires = state.timers.values().any(|set| state.is_due(set, now));
        let could_run = state.is_read && state.fifo.has_receivable(now);
        state.running == 0 && !fires && !could_run
    }

    /// The next moment at which something becomes due by itself.
    pub(crate) fn next_due(&self) -> Option<Timestamp> {
        let state = self.lock();
        let timer = state.timers.values().filter_map(|set| state.fires_at(set)).min();
        state.fifo.next_due(self.inner.clock.now()).into_iter().chain(timer).min()
    }

    /// Resolves when the queue changed after the call, or the clock was moved.
    pub(crate) fn changed(&self) -> tokio::sync::futures::Notified<'_> {
        self.inner.changed.notified()
    }

    /// Wakes everybody who waits for a change: the clock was moved.
    pub(crate) fn poke(&self) {
        self.inner.changed.notify_waiters();
    }

    /// Puts the messages of due timers on the queue, the longest due first.
    fn fire_timers(&self) {
        let fired = self.change(|state, now| {
            let due = state.timers.values().filter(|set| state.is_due(set, now));
            let mut due: Vec<Set> = due.cloned().collect();
            due.sort_by_key(|set| set.due_at);
            for set in &due {
                let identity = QueueIdentity { group: set.group.clone(), dedup: set.dedup.clone() };
                state.fifo.send(now, &identity, set.body.clone());
                state.timers.remove(&set.name);
            }
            due
        });
        for set in fired {
            // After the message: a kill in between fires it twice, and the ledger refuses the copy.
            if let Err(error) = self.inner.store.delete(TIMERS, &set.name) {
                tracing::error!(%error, "a timer that fired could not be forgotten; it fires again after a restart");
            }
        }
    }

    /// Sets a timer, unless one of its name stands.
    fn set_timer(&self, set: Set) -> Result<(), StoreError> {
        let mut state = self.lock();
        if !state.timers.contains_key(&set.name) {
            self.inner.store.put(TIMERS, &set.name, &set)?;
            state.timers.insert(set.name.clone(), set);
        }
        drop(state);
        self.poke();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the queue and writes the change down before anybody can act on it.
    fn change<T>(&self, act: impl FnOnce(&mut State, Timestamp) -> T) -> T {
        let mut state = self.lock();
        let result = act(&mut state, self.inner.clock.now());
        let changes = state.fifo.take_changes();
        let changed = !changes.is_empty();
        for change in changes {
            if let Err(error) = self.write(&change) {
                tracing::error!(%error, "the queue could not be written down; a restart would not know of this change");
            }
        }
        drop(state);
        // A look that changed nothing wakes nobody, or those who look when they are woken would never sleep.
        if changed {
            self.poke();
        }
        result
    }

    fn write(&self, change: &Change) -> Result<(), StoreError> {
        let store = &self.inner.store;
        match change {
            Change::Put(held) => store.put(MESSAGES, &place(held.seq), held),
            Change::Gone(seq) => store.delete(MESSAGES, &place(*seq)),
            Change::Dead(held) => {
                store.put(DEAD, &place(held.seq), held)?;
                store.delete(MESSAGES, &place(held.seq))
            }
            Change::Remember { group, dedup, at } => {
                let remembered = Remembered { group: group.clone(), dedup: dedup.clone(), at: *at };
                store.put(REMEMBERED, &format!("{group}|{dedup}"), &remembered)
            }
            Change::Forget { group, dedup } => store.delete(REMEMBERED, &format!("{group}|{dedup}")),
        }
    }

    fn send(&self, identity: &QueueIdentity, job: &Job) -> Result<(), serde_json::Error> {
        let body = serde_json::to_string(job)?;
        self.change(|state, now| state.fifo.send(now, identity, body));
        Ok(())
    }
}

/// A name that sorts as the number does.
fn place(seq: u64) -> String {
    format!("{seq:020}")
}

impl Queue for LocalQueue {
    async fn enqueue(&self, jobs: &[Enqueue]) -> Result<Vec<Refused>, QueueError> {
        let mut refused = Vec::new();
        for (index, entry) in jobs.iter().enumerate() {
            if self.send(&entry.identity, &entry.job).is_err() {
                refused.push(Refused { index, code: "InvalidMessageContents".to_owned() });
            }
        }
        Ok(refused)
    }

    async fn return_soon(&self, receipts: &[String], delay: SignedDuration) -> Result<(), QueueError> {
        self.change(|state, now| {
            for receipt in receipts {
                state.fifo.change_visibility(now, receipt, delay);
            }
        });
        Ok(())
    }
}

impl Timers for LocalQueue {
    async fn set(&self, timer: &Timer) -> Result<(), TimerError> {
        let body = serde_json::to_string(&timer.job()).map_err(|error| TimerError(error.to_string()))?;
        let QueueIdentity { group, dedup } = timer.identity();
        let delayed = timer.due_at.duration_since(self.inner.clock.now()) < SCHEDULE_FROM;
        let set = Set { name: timer.name(), due_at: timer.due_at, group, dedup, body, delayed };
        self.set_timer(set).map_err(|error| TimerError(error.to_string()))
    }
}

impl DelayQueue for LocalQueue {
    async fn delay(&self, entry: &Enqueue, due_at: Timestamp) -> Result<(), QueueError> {
        let body = serde_json::to_string(&entry.job).map_err(|error| QueueError(error.to_string()))?;
        let QueueIdentity { group, dedup } = entry.identity.clone();
        let set = Set { name: format!("{group}|{dedup}"), due_at, group, dedup, body, delayed: true };
        self.set_timer(set).map_err(|error| QueueError(error.to_string()))
    }
}

impl QueueDepths for LocalQueue {
    async fn depths(&self) -> Result<Depths, QueueError> {
        let state = self.lock();
        let (visible, in_flight) = state.fifo.counts(self.inner.clock.now());
        let delayed = state.timers.values().filter(|set| set.delayed).count();
        Ok(Depths { visible: count(visible), in_flight: count(in_flight), delayed: count(delayed) })
    }

    async fn dead_letters(&self) -> Result<u64, QueueError> {
        Ok(count(self.lock().fifo.dead().len()))
    }
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
