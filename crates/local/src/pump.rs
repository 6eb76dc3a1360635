//! The event source: takes batches off the queue and runs the consumer function on them, as Lambda's pollers do.
//!
//! It also knows what runs, so that the clock can be advanced from due moment to due moment, and so that a
//! claim whose invocation is gone is seen at once.

use crate::clock::LocalClock;
use crate::host::LocalHost;
use crate::queue::LocalQueue;
use crate::schedules::Schedules;
use openreply_app::deliver::{Deliver, Turn};
use openreply_app::ports::Clock;
use openreply_domain::send::Claim;
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

/// Runs the consumer function.
pub(crate) struct Pump {
    queue: LocalQueue,
    schedules: Schedules,
    clock: LocalClock,
    deliver: Deliver<LocalHost>,
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
        boot: String,
    ) -> Arc<Self> {
        Arc::new(Self {
            schedules: Schedules::new(queue.clone(), clock.clone()),
            queue,
            clock,
            deliver,
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

    /// Whether the invocation that took a claim is still at work.
    pub(crate) fn is_alive(&self, claim: &Claim) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).contains(&claim.holder)
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
        while let Some(due) = self.queue.next_due().filter(|due| *due <= target) {
            self.clock.forward_to(due);
            self.schedules.fire().await;
            self.queue.poke();
            self.idle().await;
        }
        self.clock.forward_to(target);
        self.schedules.fire().await;
        self.queue.poke();
        self.idle().await;
        self.clock.now()
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
