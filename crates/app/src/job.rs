//! What travels on the queue.

use openreply_domain::ids::ClaimId;
use openreply_domain::outcome::SendOutcome;
use openreply_domain::send::SendKey;
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::Trigger;
use serde::{Deserialize, Serialize};

/// What travels on the delay queue: a message for the FIFO queue that is not due yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delayed {
    /// The group that it will keep the order of.
    pub group: String,
    /// Its deduplication id there.
    pub dedup: String,
    /// What is to be done.
    pub job: Job,
}

/// One message on the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum Job {
    /// Something happened on Instagram.
    Ingested {
        /// What.
        trigger: Trigger,
        /// When the webhook first saw it.
        #[serde(with = "openreply_domain::time::millis")]
        received_at: Timestamp,
    },
    /// A Send that waited is due.
    Wake {
        /// Which.
        key: SendKey,
        /// The wake it was set for: an older one does nothing.
        wake: u32,
    },
    /// An outcome that could not be written to the ledger when it was known.
    Settle {
        /// Of which Send.
        key: SendKey,
        /// Of which of its claims, and of no other.
        claim: ClaimId,
        /// What became of the call.
        outcome: SendOutcome,
    },
}
