//! How much waits on the queues.

use super::QueueError;
use std::future::Future;

/// Messages on the way, approximately, as SQS counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Depths {
    /// On the deliveries queue, to be received.
    pub visible: u64,
    /// Received and not yet done.
    pub in_flight: u64,
    /// On the delay queue, for less than a minute.
    pub delayed: u64,
}

/// Counts messages.
pub trait QueueDepths: Send + Sync {
    /// What is on the way.
    ///
    /// # Errors
    /// When a queue could not be asked.
    fn depths(&self) -> impl Future<Output = Result<Depths, QueueError>> + Send;

    /// What nobody could deal with, in all dead-letter queues together.
    ///
    /// # Errors
    /// When a queue could not be asked.
    fn dead_letters(&self) -> impl Future<Output = Result<u64, QueueError>> + Send;
}
