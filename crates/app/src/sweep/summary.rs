//! What a sweep came to, for people.

use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// What a sweep came to. Counts only; which trigger it was stands in the log line of each that was put on the queue,
/// left for later, settled or in trouble.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Comments that were looked at.
    pub found: u32,
    /// Those of them that a campaign answers.
    pub matched: u32,
    /// Those of the matched that the ledger knows already.
    pub known: u32,
    /// Those of the matched that a person of the account answered by hand.
    pub answered: u32,
    /// Comments that went onto the queue because nobody had told of them.
    pub enqueued: u32,
    /// Missed comments that are left for the next round: over the limit of one round, or the queue is behind.
    pub postponed: u32,
    /// Sends whose timer was lost or whose hold is over, and that go on.
    pub redriven: u32,
    /// Claims that nobody settled and that are unconfirmed now.
    pub doubted: u32,
    /// Sends in doubt for which evidence was looked for.
    pub looked_up: u32,
    /// Those of them that were found to have arrived.
    pub settled: u32,
    /// Campaigns that found their reel.
    pub bound: u32,
    /// Webhook events that were stuck and are on the queue now.
    pub recovered: u32,
    /// Calls of Instagram.
    pub reads: u32,
    /// What went wrong on the way.
    pub errors: u32,
    /// Why not everything was looked at, in words a person understands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Summary {
    /// Says once why something was left out.
    pub(super) fn note(&mut self, why: impl Into<String>) {
        let why = why.into();
        if !self.notes.contains(&why) {
            self.notes.push(why);
        }
    }
}

impl AddAssign<&Summary> for Summary {
    fn add_assign(&mut self, other: &Summary) {
        let Summary {
            found,
            matched,
            known,
            answered,
            enqueued,
            postponed,
            redriven,
            doubted,
            looked_up,
            settled,
            bound,
            recovered,
            reads,
            errors,
            notes,
        } = other;
        for (sum, more) in [
            (&mut self.found, found),
            (&mut self.matched, matched),
            (&mut self.known, known),
            (&mut self.answered, answered),
            (&mut self.enqueued, enqueued),
            (&mut self.postponed, postponed),
            (&mut self.redriven, redriven),
            (&mut self.doubted, doubted),
            (&mut self.looked_up, looked_up),
            (&mut self.settled, settled),
            (&mut self.bound, bound),
            (&mut self.recovered, recovered),
            (&mut self.reads, reads),
            (&mut self.errors, errors),
        ] {
            *sum += more;
        }
        for note in notes {
            self.note(note.clone());
        }
    }
}
