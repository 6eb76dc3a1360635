//! The machine's time and chance.

use openreply_app::ports::{Clock, Random};
use openreply_domain::ids::ClaimId;
use openreply_domain::time::{Timestamp, from_millis};

/// The machine's clock, in whole milliseconds: what is written down reads back as the same moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the adapter of the Clock port")]
    fn now(&self) -> Timestamp {
        from_millis(Timestamp::now().as_millisecond())
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandom;

impl Random for OsRandom {
    fn number(&self) -> u64 {
        u64::from_le_bytes(random_bytes())
    }

    #[expect(clippy::expect_used, reason = "32 hex digits are an id")]
    fn claim_id(&self) -> ClaimId {
        ClaimId::parse(hex::encode(random_bytes::<16>())).expect("hex is an id")
    }
}

/// Bytes that nobody can foretell.
#[expect(clippy::disallowed_methods, reason = "this is the adapter of the Random port")]
#[expect(clippy::expect_used, reason = "without randomness no claim and no seal is safe: better to stop")]
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn claim_ids_are_128_bits_in_hex_and_never_the_same() {
        let ids: HashSet<String> = (0..1000).map(|_| OsRandom.claim_id().to_string()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())));
    }

    #[test]
    fn time_comes_in_whole_milliseconds() {
        assert_eq!(SystemClock.now().subsec_nanosecond() % 1_000_000, 0);
    }
}
