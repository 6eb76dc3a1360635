//! The event source: takes batches off the queue and runs the consumer function on them, as Lambda's pollers do.
//!
//! It also knows what runs, so that the clock can be advanced from due moment to due moment, and so that a
//! claim whose invocation is gone is seen at once.

use crate::clock::LocalClock;
use crate::host::LocalHost;
use crate::queue::LocalQueue;
use crate::schedules::Schedules;
use crate::sweeper::{self, Sweeper};
use openreply_app::deliver::{Deliver, Turn};
use openreply_app::ports::Clock;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_testkit::fifo::Received;
use openreply_testkit::lambda::sqs_event;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;

/// As in `template.yaml`: messages a batch, and seconds an invocation.
const BATCH_SIZE: usize = 5;
const TIMEOUT: SignedDuration = SignedDuration::from_secs(120);
/// Invocations side by side.
const CONCURRENCY: usize = 2;
/// How far apart sweeps are at most while the clock is advanced.
const LONGEST_GAP: SignedDuration = SignedDuration::from_hours(24);

/// Runs the consumer function.
pub(crate) struct Pump {
    queue: LocalQueue,
    schedules: Schedules,
    clock: LocalClock,
    deliver: Deliver<LocalHost>,
    sweeper: Arc<Sweeper>,
    /// Writes down how far the clock is ahead.
    keep_clock: Box<dyn Fn() + Send + Sync>,
    /// Names this process, so that a claim of an earlier one is never taken for one of ours.
    boot: String,
    invocations: AtomicU64,
    running: Mutex<HashSet<String>>,
    advancing: AsyncMutex<()>,
}

impl Pump {
    pub(crate) fn new(
        queue: LocalQueue,
        clock: LocalClock,
        deliver: Deliver<LocalHost>,
        sweeper: Arc<Sweeper>,
        keep_clock: impl Fn() + Send + Sync + 'static,
        boot: String,
    ) -> Arc<Self> {
        Arc::new(Self {
            schedules: Schedules::new(queue.clone(), clock.clone()),
            queue,
            clock,
            deliver,
            sweeper,
            keep_clock: Box::new(keep_clock),
            boot,
            invocations: AtomicU64::new(0),
            running: Mutex::default(),
            advancing: AsyncMutex::default(),
        })
    }

    /// Starts the pollers, with a first beat for them: whoever asks for health next finds a sign of life.
    pub(crate) async fn start(self: &Arc<Self>) {
        self.schedules.fire().await;
        for _ in 0..CONCURRENCY {
            tokio::spawn(Arc::clone(self).poll());
        }
    }

    /// The invocations that are at work.
    pub(crate) fn alive(&self) -> HashSet<String> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Resolves when nothing runs and nothing can run at the present time.
    pub(crate) async fn idle(&self) {
        loop {
            let changed = self.queue.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.queue.is_idle() {
                return;
            }
            changed.await;
        }
    }

    /// Moves the clock forward by `span`, from due moment to due moment, and lets everything run that is due
    /// at each. Returns the time it is then.
    pub(crate) async fn advance(&self, span: SignedDuration) -> Timestamp {
        let _one_at_a_time = self.advancing.lock().await;
        let target = after(self.clock.now(), span);
        self.idle().await;
        // Sweeps come in their time at first, and further apart the further the clock goes.
        let (mut sweep_at, mut gap) = (self.sweeper.next_due(), sweeper::EVERY);
        loop {
            let due = self.queue.next_due().map_or(sweep_at, |due| due.min(sweep_at));
            if due > target {
                break;
            }
            self.forward_to(due);
            self.run_what_is_due().await;
            if sweep_at <= due {
                sweep_at = after(due, gap);
                gap = (gap * 2).min(LONGEST_GAP);
            }
        }
        self.forward_to(target);
        self.run_what_is_due().await;
        self.clock.now()
    }

    /// Before anything happens at that time: a clock that went back over a kill would lie behind what it made.
    fn forward_to(&self, moment: Timestamp) {
        self.clock.forward_to(moment);
        (self.keep_clock)();
    }

    /// Everything that can run at the present time, what a sweep finds included.
    async fn run_what_is_due(&self) {
        self.schedules.fire().await;
        self.queue.poke();
        self.idle().await;
        self.sweeper.fire().await;
        self.idle().await;
    }

    async fn poll(self: Arc<Self>) {
        loop {
            let changed = self.queue.changed();
            tokio::pin!(changed);
            changed.as_mut().enable();
            self.schedules.fire().await;
            if let Some(batch) = self.queue.take_batch(BATCH_SIZE) {
                self.invoke(batch).await;
                continue;
            }
            let scheduled = self.schedules.next_due();
            let due = self.queue.next_due().map_or(scheduled, |due| due.min(scheduled));
            let wait = self.clock.real_time_until(due);
            // Whichever comes first: a change, or the moment at which something is due by itself.
            let (Ok(()) | Err(_)) = tokio::time::timeout(wait, changed).await;
        }
    }

    /// One invocation, in a task of its own: if it panics, its messages come back as those of a Lambda do that
    /// crashed, and its claims read UNCONFIRMED.
    async fn invoke(self: &Arc<Self>, batch: Vec<Received>) {
        let nth = self.invocations.fetch_add(1, Ordering::Relaxed);
        let holder = format!("{}-{nth}", self.boot);
        let turn = Turn { holder: holder.clone(), deadline: after(self.clock.now(), TIMEOUT) };
        let receipts: Vec<String> = batch.iter().map(|received| received.receipt.clone()).collect();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(holder.clone());

        let pump = Arc::clone(self);
        let work = tokio::spawn(async move {
            openreply_consumer::handle(&pump.deliver, &pump.queue, sqs_event(batch), &turn).await
        });
        let outcome = work.await;
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&holder);
        match outcome {
            Ok(response) => {
                let back: HashSet<&str> = response
                    .batch_item_failures
                    .iter()
                    .map(|failure| failure.item_identifier.as_str())
                    .collect();
                self.queue.finish(receipts.into_iter().filter(|receipt| !back.contains(receipt.as_str())));
            }
            Err(error) => {
                tracing::error!(%error, "the consumer crashed; its messages come back after the visibility time-out");
                self.queue.finish(std::iter::empty());
            }
        }
    }
}
