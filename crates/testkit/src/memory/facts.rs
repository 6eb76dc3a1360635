//! Facts that are remembered.

use super::lock;
use openreply_app::ports::{Fact, Facts};
use openreply_domain::time::Timestamp;
use std::sync::{Arc, Mutex};

/// Everything that was reported, in order.
#[derive(Debug, Clone, Default)]
pub struct MemoryFacts {
    told: Arc<Mutex<Vec<(Timestamp, Fact)>>>,
}

impl MemoryFacts {
    /// What was reported so far, and when.
    #[must_use]
    pub fn told(&self) -> Vec<(Timestamp, Fact)> {
        lock(&self.told).clone()
    }

    /// The facts alone.
    #[must_use]
    pub fn all(&self) -> Vec<Fact> {
        self.told().into_iter().map(|(_, fact)| fact).collect()
    }
}

impl Facts for MemoryFacts {
    async fn report(&self, at: Timestamp, fact: &Fact) {
        lock(&self.told).push((at, fact.clone()));
    }
}
