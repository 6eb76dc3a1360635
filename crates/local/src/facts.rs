//! What the local runner tells of what happened: lines of its log, and the newest facts for whoever asks.

use openreply_app::ports::{Fact, Facts};
use openreply_domain::time::Timestamp;

/// Tells the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct LocalFacts;

impl Facts for LocalFacts {
    async fn report(&self, at: Timestamp, fact: &Fact) {
        tracing::debug!(%at, ?fact, "fact");
    }
}
