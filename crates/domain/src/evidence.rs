//! Evidence: whether what Instagram shows proves that a Send in doubt was delivered.
//!
//! Guarantees:
//! - only a message of ours with the very text, written around the claim, and of which no Send has the id yet, can
//!   prove anything;
//! - it proves nothing as long as another attempt may have made it, or another message fits as well;
//! - absence proves nothing.

use crate::ids::MessageId;
use crate::send::Send;
use crate::time::{SignedDuration, Timestamp, after};
use std::collections::HashSet;

/// How long before its claim a message may have been written, by Instagram's clock.
const BEFORE: SignedDuration = SignedDuration::from_secs(60);
/// How long after its claim a message may have been written.
const AFTER: SignedDuration = SignedDuration::from_mins(10);

/// A message of a conversation, or a reply under a comment, as Instagram shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its id.
    pub id: MessageId,
    /// When it was written, by Instagram's clock.
    pub at: Timestamp,
    /// What it says.
    pub text: String,
    /// Whether the account wrote it.
    pub ours: bool,
}

/// An attempt that may have delivered, and of which nobody knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubtful {
    /// When it was claimed.
    pub claimed_at: Timestamp,
    /// What it said.
    pub text: String,
}

impl Doubtful {
    /// Every attempt of a Send of which nobody knows. `text`: what it said.
    #[must_use]
    pub fn all_of(send: &Send, text: &str) -> Vec<Self> {
        let attempt = |claimed_at| Self { claimed_at, text: text.to_owned() };
        send.unknown_attempts().into_iter().map(attempt).collect()
    }

    /// Whether this attempt may have made that message.
    #[must_use]
    pub fn fits(&self, shown: &Shown) -> bool {
        shown.ours
            && shown.text.trim() == self.text.trim()
            && after(self.claimed_at, -BEFORE) <= shown.at
            && shown.at <= after(self.claimed_at, AFTER)
    }

    /// Whether any of these messages could prove it, whoever else may have made it.
    #[must_use]
    pub fn has_candidate(&self, shown: &[Shown]) -> bool {
        shown.iter().any(|message| self.fits(message))
    }
}

/// The message that proves the delivery of `attempt`, if one does. `rivals` are all other attempts to the same
/// place of which nobody knows; `taken` are the ids that Sends have already.
#[must_use]
pub fn proof<'a>(
    attempt: &Doubtful,
    rivals: &[Doubtful],
    shown: &'a [Shown],
    taken: &HashSet<MessageId>,
) -> Option<&'a MessageId> {
    let mut fitting = shown.iter().filter(|message| attempt.fits(message) && !taken.contains(&message.id));
    let message = fitting.next()?;
    let is_only_one = fitting.next().is_none() && !rivals.iter().any(|rival| rival.fits(message));
    is_only_one.then_some(&message.id)
}

#[cfg(test)]
mod tests;
