//! Sweep: what was missed is found, what is doubtful is settled by evidence, what waits without a timer goes on.

mod summary;

pub use summary::Summary;

use openreply_domain::ids::AccountId;
use openreply_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

/// What travels on the sweep queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepOrder {
    /// The account to sweep. `None`: what concerns the whole stack.
    pub account: Option<AccountId>,
    /// The round it belongs to: its planned moment, which names what it enqueues.
    #[serde(with = "openreply_domain::time::millis")]
    pub round: Timestamp,
}
