//! The queue that carries sweeps, in memory.

use super::lock;
use openreply_app::ports::{QueueError, SweepQueue};
use openreply_app::sweep::SweepOrder;
use std::sync::{Arc, Mutex};

/// Keeps the orders until somebody takes them.
#[derive(Debug, Clone, Default)]
pub struct MemorySweepQueue {
    orders: Arc<Mutex<Vec<SweepOrder>>>,
}

impl MemorySweepQueue {
    /// Takes everything that was ordered.
    #[must_use]
    pub fn take(&self) -> Vec<SweepOrder> {
        std::mem::take(&mut *lock(&self.orders))
    }
}

impl SweepQueue for MemorySweepQueue {
    async fn order(&self, orders: &[SweepOrder]) -> Result<usize, QueueError> {
        lock(&self.orders).extend_from_slice(orders);
        Ok(0)
    }
}
