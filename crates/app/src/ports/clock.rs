//! Time and chance are inputs: nothing else in domain or app reads a clock or rolls a die.

use openreply_domain::ids::ClaimId;
use openreply_domain::time::Timestamp;

/// Where the present comes from.
pub trait Clock: Send + Sync {
    /// Now. May jump, in both directions: nothing may rely on two readings being ordered.
    fn now(&self) -> Timestamp;
}

/// Where chance comes from.
pub trait Random: Send + Sync {
    /// A number that nobody can foretell.
    fn number(&self) -> u64;

    /// A claim id that was never used before and never will be again: 128 random bits, in hex.
    fn claim_id(&self) -> ClaimId;
}
