//! The schedules of the runner, by its clock: each minute a beat, as EventBridge puts it on the queue on AWS.
//!
//! While the clock is advanced, hours in a moment, a beat is put where something else is due and at the end, and
//! never two within a minute: whoever looks finds a heartbeat as fresh as it would be, and a week costs no week.

use crate::clock::LocalClock;
use crate::queue::LocalQueue;
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Enqueue, Queue};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::QueueIdentity;
use std::sync::{Mutex, PoisonError};

const EVERY: SignedDuration = SignedDuration::from_mins(1);

/// What is due by the clock alone.
#[derive(Debug)]
pub(crate) struct Schedules {
    queue: LocalQueue,
    clock: LocalClock,
    beat_at: Mutex<Timestamp>,
}

impl Schedules {
    /// The first beat is due at once.
    pub(crate) fn new(queue: LocalQueue, clock: LocalClock) -> Self {
        let beat_at = Mutex::new(clock.now());
        Self { queue, clock, beat_at }
    }

    /// When the next one is due.
    pub(crate) fn next_due(&self) -> Timestamp {
        *self.beat_at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts on the queue what is due.
    pub(crate) async fn fire(&self) {
        let now = self.clock.now();
        {
            let mut beat_at = self.beat_at.lock().unwrap_or_else(PoisonError::into_inner);
            if *beat_at > now {
                return;
            }
            *beat_at = after(now, EVERY);
        }
        let id = now.to_string();
        let identity = QueueIdentity::of_beat(&id);
        let job = Job::Beat { id, due_at: Some(now), echo: false };
        match self.queue.enqueue(&[Enqueue { identity, job }]).await {
            Ok(refused) if refused.is_empty() => {}
            Ok(_) | Err(_) => tracing::error!("a beat could not be put on the queue"),
        }
    }
}
