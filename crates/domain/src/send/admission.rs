//! Who may take a Send, and when.

use super::{Send, State};
use crate::time::Timestamp;

/// What a message that meets a Send may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// There is no Send yet: it may be made.
    New,
    /// It waits, is due, and the message carries its current wake: it may be claimed.
    Due,
    /// It waits, and this message may not claim it. Its timer must exist before the message is acknowledged.
    Waiting,
    /// The message carries the current wake and comes before its time: back to the queue with it.
    Early,
    /// CLAIMED or final: a copy of what was already taken. One read, no write.
    KnownDuplicate,
}

/// What a message may do with the Send it meets. `wake` is the number the message carries: `None` for the
/// trigger itself, however often it is delivered.
#[must_use]
pub fn admit(stored: Option<&Send>, wake: Option<u32>, now: Timestamp) -> Admission {
    let Some(send) = stored else { return Admission::New };
    match &send.state {
        State::Claimed { .. } | State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => {
            Admission::KnownDuplicate
        }
        State::Open { due_at, .. } => match wake {
            Some(wake) if wake == send.wake && *due_at <= now => Admission::Due,
            Some(wake) if wake == send.wake => Admission::Early,
            Some(_) | None => Admission::Waiting,
        },
    }
}
