//! What goes wrong outside of any call: clocks that are off, and timers that never fire.

use openreply_app::ports::{Clock, Random};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_testkit::memory::{ManualClock, SeededRandom};

/// What goes wrong outside of any call.
#[derive(Debug)]
pub(crate) struct Luck {
    pub(crate) lost_of_sixteen: u64,
    pub(crate) skew_seconds: u64,
    pub(crate) dice: SeededRandom,
}

impl Luck {
    pub(crate) fn none() -> Self {
        Self { lost_of_sixteen: 0, skew_seconds: 0, dice: SeededRandom::new(0) }
    }

    pub(crate) fn loses(&self) -> bool {
        self.lost_of_sixteen > 0 && self.dice.number() % 16 < self.lost_of_sixteen
    }

    pub(crate) fn skew(&self) -> SignedDuration {
        if self.skew_seconds == 0 {
            return SignedDuration::ZERO;
        }
        let drawn = self.dice.number() % (2 * self.skew_seconds + 1);
        SignedDuration::from_secs(drawn as i64 - self.skew_seconds as i64)
    }
}

/// A host's own clock, which is off by a little.
#[derive(Debug, Clone)]
pub(crate) struct SkewedClock {
    pub(crate) clock: ManualClock,
    pub(crate) skew: SignedDuration,
}

impl Clock for SkewedClock {
    fn now(&self) -> Timestamp {
        after(self.clock.now(), self.skew)
    }
}
