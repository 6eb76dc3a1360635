//! A clock that stands still until it is moved.

use openreply_app::ports::Clock;
use openreply_domain::time::{SignedDuration, Timestamp, after, from_millis};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock moved by hand, in whole milliseconds, as the ledger keeps time.
#[derive(Debug, Clone)]
pub struct ManualClock {
    millis: Arc<AtomicI64>,
}

impl ManualClock {
    /// A clock that stands at `start`.
    #[must_use]
    pub fn new(start: Timestamp) -> Self {
        Self { millis: Arc::new(AtomicI64::new(start.as_millisecond())) }
    }

    /// Moves it, back too.
    pub fn advance(&self, span: SignedDuration) {
        self.set(after(self.now(), span));
    }

    /// Puts it somewhere.
    pub fn set(&self, moment: Timestamp) {
        self.millis.store(moment.as_millisecond(), Ordering::SeqCst);
    }
}

impl Default for ManualClock {
    /// Stands at a moment that every test shares: 2026-11-30T16:00:00Z.
    fn default() -> Self {
        Self::new(from_millis(1_796_054_400_000))
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        from_millis(self.millis.load(Ordering::SeqCst))
    }
}
