//! The FIFO queue, as the functions see it: they put jobs on it and give messages back early. Receiving and
//! deleting is the event source's work.

use crate::job::Job;
use openreply_domain::time::SignedDuration;
use openreply_domain::trigger::QueueIdentity;
use std::future::Future;

/// Something to put on the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Enqueue {
    /// Which group keeps its order, and what makes it a copy.
    pub identity: QueueIdentity,
    /// What is to be done.
    pub job: Job,
}

/// An entry that the queue did not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its place in what was handed over, from 0.
    pub index: usize,
    /// The queue's word for why (`InternalError`, `MessageTooLong`, …).
    pub code: String,
}

/// The queue could not be asked, or did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the queue could not be reached: {0}")]
pub struct QueueError(pub String);

/// The queue.
pub trait Queue: Send + Sync {
    /// Hands jobs over, in batches of what the queue takes at once, in order. Entries that the queue takes
    /// for copies of one of the last five minutes count as taken. Returns those it did not take; a batch
    /// that could not be handed over at all is refused entry by entry.
    ///
    /// # Errors
    /// Never for a part: only when nothing could be attempted.
    fn enqueue(&self, jobs: &[Enqueue]) -> impl Future<Output = Result<Vec<Refused>, QueueError>> + Send;

    /// Makes received messages visible again after `delay` instead of after the whole visibility time-out.
    /// A receipt that is no longer good is passed over: its message is visible or gone already.
    ///
    /// # Errors
    /// When the queue could not be asked. The messages then come back after the visibility time-out.
    fn return_soon(
        &self,
        receipts: &[String],
        delay: SignedDuration,
    ) -> impl Future<Output = Result<(), QueueError>> + Send;
}
