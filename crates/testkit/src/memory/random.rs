//! Chance that a test can play again.

use openreply_app::ports::Random;
use openreply_domain::ids::ClaimId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers that follow from a seed (SplitMix64). Clones draw from the same sequence, so no number comes twice.
#[derive(Debug, Clone)]
pub struct SeededRandom {
    state: Arc<AtomicU64>,
}

/// The step of SplitMix64: 2^64 divided by the golden ratio.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

impl SeededRandom {
    /// The sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: Arc::new(AtomicU64::new(seed)) }
    }
}

impl Random for SeededRandom {
    fn number(&self) -> u64 {
        let mut z = self.state.fetch_add(STEP, Ordering::SeqCst).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    #[expect(clippy::expect_used, reason = "32 hex digits are an id")]
    fn claim_id(&self) -> ClaimId {
        ClaimId::parse(format!("{:016x}{:016x}", self.number(), self.number())).expect("hex is an id")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_seed_gives_the_published_sequence_of_splitmix64() {
        let random = SeededRandom::new(1_234_567);
        let drawn: Vec<u64> = (0..3).map(|_| random.number()).collect();
        assert_eq!(drawn, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn clones_never_draw_the_same_claim() {
        let random = SeededRandom::new(7);
        let clones = [random.clone(), random.clone(), random];
        let drawn: HashSet<ClaimId> = (0..300).map(|n| clones[n % 3].claim_id()).collect();
        assert_eq!(drawn.len(), 300);
    }
}
