//! What travels on the queue.

use openreply_domain::time::Timestamp;
use openreply_domain::trigger::Trigger;
use serde::{Deserialize, Serialize};

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
}
