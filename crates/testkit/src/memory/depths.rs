//! How much waits on the queues in memory.

use super::{ManualClock, MemoryQueue, MemoryTimers};
use openreply_app::ports::{Clock, Depths, QueueDepths, QueueError};

/// Counts what waits on a queue and on its way to it.
#[derive(Debug, Clone)]
pub struct MemoryDepths {
    /// The FIFO queue.
    pub queue: MemoryQueue,
    /// What is delayed.
    pub timers: MemoryTimers,
    /// The queue's clock.
    pub clock: ManualClock,
}

impl QueueDepths for MemoryDepths {
    async fn depths(&self) -> Result<Depths, QueueError> {
        let (visible, in_flight) = self.queue.with_fifo(|fifo| fifo.counts(self.clock.now()));
        let delayed = self.timers.delayed().len();
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        Ok(Depths { visible: count(visible), in_flight: count(in_flight), delayed: count(delayed) })
    }

    async fn dead_letters(&self) -> Result<u64, QueueError> {
        Ok(u64::try_from(self.queue.with_fifo(|fifo| fifo.dead().len())).unwrap_or(u64::MAX))
    }
}
