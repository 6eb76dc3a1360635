//! Access tokens as the ledger knows them: sealed, with a version, and with an end.
//!
//! Guarantees: the end that is kept is never before the true one unless a person said so, so a notice may come late
//! for a token that was old when it was stored, and never for one that has been replaced.

use crate::time::{SignedDuration, Timestamp, after};
use serde::{Deserialize, Serialize};

/// How long Meta lets a token live from the moment it made or refreshed it (platform documentation: 60 days).
pub const LIFE: SignedDuration = SignedDuration::from_hours(60 * 24);

/// How long before a token's end somebody is told: a week, a day, and when it is over.
const NOTICES: [SignedDuration; 3] =
    [SignedDuration::from_hours(7 * 24), SignedDuration::from_hours(24), SignedDuration::ZERO];

/// A token as the ledger holds it: sealed, and named by a version that rises when it is replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedToken {
    /// What [`crate::ids::AccountId`]-bound sealing made of it: key id, nonce and ciphertext as one text.
    pub sealed: String,
    /// Rises by one whenever a different token is stored.
    pub version: u32,
    /// When it ends, at the latest. `None`: it was stored by a version that kept no end.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub ends_by: Option<Timestamp>,
}

impl SealedToken {
    /// The last notice of its end that has fallen due: when it did, and how long before the end that was.
    #[must_use]
    pub fn notice(&self, now: Timestamp) -> Option<(Timestamp, SignedDuration)> {
        let ends_by = self.ends_by?;
        let due = NOTICES.map(|before| (after(ends_by, -before), before));
        due.into_iter().rev().find(|(due, _)| *due <= now)
    }
}

/// When a token ends that is stored now, as far as anybody knows.
#[must_use]
pub fn ends_at_the_latest(stored_at: Timestamp) -> Timestamp {
    after(stored_at, LIFE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_come_a_week_and_a_day_before_the_end_and_at_the_end() {
        let stored = Timestamp::from_second(1_800_000_000).unwrap();
        let token =
            SealedToken { sealed: String::new(), version: 1, ends_by: Some(ends_at_the_latest(stored)) };
        let hours = SignedDuration::from_hours;
        let cases = [
            (hours(0), None),
            (hours(53 * 24) - SignedDuration::from_millis(1), None),
            (hours(53 * 24), Some((hours(53 * 24), hours(7 * 24)))),
            (hours(59 * 24) - SignedDuration::from_millis(1), Some((hours(53 * 24), hours(7 * 24)))),
            (hours(59 * 24), Some((hours(59 * 24), hours(24)))),
            (hours(60 * 24), Some((hours(60 * 24), hours(0)))),
            (hours(600 * 24), Some((hours(60 * 24), hours(0)))),
        ];
        for (later, expected) in cases {
            let expected = expected.map(|(due, before)| (after(stored, due), before));
            assert_eq!(token.notice(after(stored, later)), expected, "{later} later");
        }
        let unknown = SealedToken { ends_by: None, ..token };
        assert_eq!(unknown.notice(after(stored, hours(600 * 24))), None);
    }

    #[test]
    fn a_token_that_was_stored_without_an_end_is_read() {
        let token: SealedToken = serde_json::from_str(r#"{"sealed":"x","version":3}"#).unwrap();
        assert_eq!(token, SealedToken { sealed: "x".to_owned(), version: 3, ends_by: None });
    }
}
