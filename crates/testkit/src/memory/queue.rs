//! The queue in memory: SQS's rules from [`crate::fifo`], a clock moved by hand, and refusals by script.

use super::{ManualClock, lock};
use crate::fifo::{Fifo, FifoSettings, Received};
use openreply_app::ports::{Clock, Enqueue, Queue, QueueError, Refused};
use openreply_domain::time::SignedDuration;
use std::fmt;
use std::sync::{Arc, Mutex};

/// As the template sets it.
const SETTINGS: FifoSettings = FifoSettings { visibility: SignedDuration::from_mins(12), max_receives: 50 };

/// A FIFO queue that lives as long as its handles.
#[derive(Debug, Clone)]
pub struct MemoryQueue {
    clock: ManualClock,
    kept: Arc<Mutex<Kept>>,
}

struct Kept {
    fifo: Fifo,
    taken: Vec<Enqueue>,
    refuse: Box<Rule>,
}

/// Gives a code to what shall be refused.
type Rule = dyn FnMut(&Enqueue) -> Option<String> + Send;

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").field("fifo", &self.fifo).field("taken", &self.taken).finish_non_exhaustive()
    }
}

impl MemoryQueue {
    /// An empty queue that lives by `clock`.
    #[must_use]
    pub fn new(clock: ManualClock) -> Self {
        let kept = Kept { fifo: Fifo::new(SETTINGS), taken: Vec::new(), refuse: Box::new(|_| None) };
        Self { clock, kept: Arc::new(Mutex::new(kept)) }
    }

    /// From now on, whatever this gives a code for is refused with it.
    pub fn refuse(&self, rule: impl FnMut(&Enqueue) -> Option<String> + Send + 'static) {
        lock(&self.kept).refuse = Box::new(rule);
    }

    /// Everything that the queue ever took, copies left out, in order.
    #[must_use]
    pub fn taken(&self) -> Vec<Enqueue> {
        lock(&self.kept).taken.clone()
    }

    /// The queue as whoever receives from it sees it.
    pub fn with_fifo<T>(&self, look: impl FnOnce(&mut Fifo) -> T) -> T {
        look(&mut lock(&self.kept).fifo)
    }

    /// Receives what may be received now, at most ten messages.
    #[must_use]
    pub fn receive(&self) -> Vec<Received> {
        let now = self.clock.now();
        self.with_fifo(|fifo| fifo.receive(now, 10))
    }

    /// Removes a message for good. `false`: the receipt is no longer good.
    pub fn delete(&self, receipt: &str) -> bool {
        self.with_fifo(|fifo| fifo.delete(receipt))
    }
}

impl Queue for MemoryQueue {
    async fn enqueue(&self, jobs: &[Enqueue]) -> Result<Vec<Refused>, QueueError> {
        let now = self.clock.now();
        let mut kept = lock(&self.kept);
        let mut refused = Vec::new();
        for (index, entry) in jobs.iter().enumerate() {
            if let Some(code) = (kept.refuse)(entry) {
                refused.push(Refused { index, code });
                continue;
            }
            let body = serde_json::to_string(&entry.job).map_err(|error| QueueError(error.to_string()))?;
            if kept.fifo.send(now, &entry.identity, body) {
                kept.taken.push(entry.clone());
            }
        }
        Ok(refused)
    }

    async fn return_soon(&self, receipts: &[String], delay: SignedDuration) -> Result<(), QueueError> {
        let now = self.clock.now();
        let mut kept = lock(&self.kept);
        for receipt in receipts {
            kept.fifo.change_visibility(now, receipt, delay);
        }
        Ok(())
    }
}
