//! Timers in memory: a clock moved by hand says which are due, and somebody has to fire them.

use super::lock;
use openreply_app::ports::{DelayQueue, Enqueue, QueueError, Timer, TimerError, Timers};
use openreply_domain::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Timers that live as long as their handles.
#[derive(Debug, Clone, Default)]
pub struct MemoryTimers {
    set: Arc<Mutex<BTreeMap<String, Timer>>>,
    delayed: Arc<Mutex<Vec<(Timestamp, Enqueue)>>>,
}

impl MemoryTimers {
    /// Takes out the timers that are due at `now`, the longest due first.
    #[must_use]
    pub fn fire(&self, now: Timestamp) -> Vec<Timer> {
        let mut set = lock(&self.set);
        let (due, later) = std::mem::take(&mut *set).into_iter().partition(|(_, timer)| timer.due_at <= now);
        *set = later;
        let due: BTreeMap<String, Timer> = due;
        let mut due: Vec<Timer> = due.into_values().collect();
        due.sort_by_key(|timer| timer.due_at);
        due
    }

    /// When the next one is due.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        lock(&self.set).values().map(|timer| timer.due_at).min()
    }

    /// Takes out what was delayed and is due at `now`, in the order it was handed over.
    #[must_use]
    pub fn take_delayed(&self, now: Timestamp) -> Vec<Enqueue> {
        let mut delayed = lock(&self.delayed);
        let (due, later) = std::mem::take(&mut *delayed).into_iter().partition(|(due_at, _)| *due_at <= now);
        *delayed = later;
        let due: Vec<(Timestamp, Enqueue)> = due;
        due.into_iter().map(|(_, entry)| entry).collect()
    }

    /// What is delayed, and until when.
    #[must_use]
    pub fn delayed(&self) -> Vec<(Timestamp, Enqueue)> {
        lock(&self.delayed).clone()
    }

    /// Everything that is set.
    #[must_use]
    pub fn all(&self) -> Vec<Timer> {
        lock(&self.set).values().cloned().collect()
    }
}

impl Timers for MemoryTimers {
    async fn set(&self, timer: &Timer) -> Result<(), TimerError> {
        lock(&self.set).entry(timer.name()).or_insert_with(|| timer.clone());
        Ok(())
    }
}

impl DelayQueue for MemoryTimers {
    async fn delay(&self, entry: &Enqueue, due_at: Timestamp) -> Result<(), QueueError> {
        lock(&self.delayed).push((due_at, entry.clone()));
        Ok(())
    }
}
