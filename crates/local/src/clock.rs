//! The local clock: the machine's own, moved forward by whoever advances it.
//!
//! It never goes back, also over a restart: the machine's clock may, and the queue would then hide what is due.

use openreply_app::ports::Clock;
use openreply_domain::time::{SignedDuration, Timestamp, from_millis};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that all parts of the runner share.
#[derive(Debug, Clone, Default)]
pub(crate) struct LocalClock {
    /// How far it is ahead of the machine's clock, in milliseconds.
    ahead: Arc<AtomicI64>,
}

impl LocalClock {
    /// A clock that is ahead of the machine's by so many milliseconds.
    pub(crate) fn ahead_by(millis: i64) -> Self {
        Self { ahead: Arc::new(AtomicI64::new(millis)) }
    }

    /// How far it is ahead.
    pub(crate) fn ahead(&self) -> i64 {
        self.ahead.load(Ordering::SeqCst)
    }

    /// Moves it forward to `moment`. Does nothing if it is there already.
    pub(crate) fn forward_to(&self, moment: Timestamp) {
        let gap = moment.as_millisecond() - self.now().as_millisecond();
        if gap > 0 {
            self.ahead.fetch_add(gap, Ordering::SeqCst);
        }
    }

    /// How much real time passes until `moment`, if nobody advances the clock.
    pub(crate) fn real_time_until(&self, moment: Timestamp) -> std::time::Duration {
        let gap: SignedDuration = moment.duration_since(self.now());
        std::time::Duration::try_from(gap).unwrap_or_default()
    }
}

impl Clock for LocalClock {
    fn now(&self) -> Timestamp {
        let machine = openreply_aws::SystemClock.now().as_millisecond();
        from_millis(machine + self.ahead())
    }
}
