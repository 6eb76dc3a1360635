//! The memory for time: what brings a Send that waits back to the queue.

use crate::job::Job;
use openreply_domain::ids::UserId;
use openreply_domain::send::{Send as LedgerSend, SendKey};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::QueueIdentity;
use std::future::Future;

/// A timer for one wake of one Send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timer {
    /// Which Send.
    pub key: SendKey,
    /// Whose order its message keeps.
    pub user: UserId,
    /// Which wake: with the key, the timer's whole identity.
    pub wake: u32,
    /// When it fires, at the earliest.
    pub due_at: Timestamp,
}

impl Timer {
    /// The timer that an OPEN Send must have. `None`: it does not wait.
    #[must_use]
    pub fn of(send: &LedgerSend) -> Option<Self> {
        let due_at = send.due_at()?;
        Some(Self { key: send.key.clone(), user: send.user.clone(), wake: send.wake, due_at })
    }

    /// The one name of this timer: `<trigger>_<leg>_retry_<wake>`, whatever carries it.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}_{}_retry_{}", self.key.trigger, self.key.leg, self.wake)
    }

    /// What it puts on the queue.
    #[must_use]
    pub fn job(&self) -> Job {
        Job::Wake { key: self.key.clone(), wake: self.wake }
    }

    /// The identity of its message on the queue.
    #[must_use]
    pub fn identity(&self) -> QueueIdentity {
        QueueIdentity::new(&self.key.trigger.account, &self.user, &self.name())
    }
}

/// A timer may not have been set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a timer could not be set: {0}")]
pub struct TimerError(pub String);

/// Sets timers.
pub trait Timers: Send + Sync {
    /// Makes sure that this timer exists. One that was set before stands as it is: same name, same moment. It
    /// fires at or after its moment, at least once; firing puts [`Timer::job`] on the queue.
    ///
    /// # Errors
    /// When it may not have been set. Setting it again is safe.
    fn set(&self, timer: &Timer) -> impl Future<Output = Result<(), TimerError>> + Send;
}
