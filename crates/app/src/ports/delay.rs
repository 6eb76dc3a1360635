//! Jobs that come in a moment.

use super::{Enqueue, QueueError};
use openreply_domain::time::Timestamp;
use std::future::Future;

/// The way over the delay queue.
pub trait DelayQueue: Send + Sync {
    /// Puts a job on the FIFO queue at or after `due_at`, which is less than 15 minutes away. At least once; copies
    /// are the FIFO queue's to swallow.
    ///
    /// # Errors
    /// When it may not have been taken.
    fn delay(
        &self,
        entry: &Enqueue,
        due_at: Timestamp,
    ) -> impl Future<Output = Result<(), QueueError>> + Send;
}
