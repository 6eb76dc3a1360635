//! How many private replies each person got within the last hour, small enough to lie in the account's gate.
//!
//! Guarantees: a person is never counted too low; a person is counted too high only if the first six digits of
//! two people's hashes agree, one chance in 16 million for any two. Nobody can be named from it.

use crate::ids::UserId;
use crate::slots::minute_of;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Minutes that count: the hour, and the minute that it began in.
const COUNTS_MINUTES: i64 = 61;
/// Digits of a person's hash.
const DIGITS: usize = 6;

/// Whom an account wrote to lately.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct People {
    /// By minute, the digits of everybody one after the other.
    by_minute: BTreeMap<i64, String>,
}

impl People {
    /// Whether nobody is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_minute.is_empty()
    }

    /// How often a person was written to within the last hour.
    #[must_use]
    pub fn count(&self, user: &UserId, now: Timestamp) -> usize {
        let digits = digits(user);
        let lately = self.by_minute.range(minute_of(now) - COUNTS_MINUTES + 1..);
        lately.map(|(_, all)| places(all, &digits).count()).sum()
    }

    /// Remembers that a person is written to.
    pub fn add(&mut self, user: &UserId, now: Timestamp) {
        let minute = minute_of(now);
        self.by_minute = self.by_minute.split_off(&(minute - COUNTS_MINUTES + 1));
        self.by_minute.entry(minute).or_default().push_str(&digits(user));
    }

    /// Forgets one time that a person was to be written to in `minute`, and certainly was not.
    pub fn remove(&mut self, user: &UserId, minute: i64) {
        let Some(all) = self.by_minute.get_mut(&minute) else { return };
        let Some(place) = places(all, &digits(user)).next() else { return };
        all.replace_range(place..place + DIGITS, "");
        if all.is_empty() {
            self.by_minute.remove(&minute);
        }
    }
}

fn digits(user: &UserId) -> String {
    let mut hash = hex::encode(Sha256::digest(user.as_str().as_bytes()));
    hash.truncate(DIGITS);
    hash
}

/// Where a person's digits stand among everybody's.
fn places(all: &str, digits: &str) -> impl Iterator<Item = usize> {
    (0..all.len()).step_by(DIGITS).filter(move |place| all.get(*place..place + DIGITS) == Some(digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::from_millis;

    fn at(minutes: i64) -> Timestamp {
        from_millis(1_796_054_400_000 + minutes * 60_000)
    }

    fn user(n: u32) -> UserId {
        UserId::parse(n.to_string()).unwrap()
    }

    #[test]
    fn each_person_is_counted_for_an_hour() {
        let mut people = People::default();
        for minute in 0..3 {
            people.add(&user(1), at(minute));
            people.add(&user(2), at(minute));
        }
        people.add(&user(1), at(2));
        assert_eq!((people.count(&user(1), at(3)), people.count(&user(2), at(3))), (4, 3));
        assert_eq!(people.count(&user(3), at(3)), 0);
        assert_eq!((people.count(&user(1), at(60)), people.count(&user(1), at(62))), (4, 2));
        people.add(&user(9), at(200));
        assert_eq!(people.by_minute.len(), 1, "the past is forgotten");
    }

    #[test]
    fn what_certainly_did_not_go_out_is_taken_back_once() {
        let mut people = People::default();
        people.add(&user(1), at(0));
        people.add(&user(1), at(0));
        people.remove(&user(2), minute_of(at(0)));
        people.remove(&user(1), minute_of(at(0)));
        assert_eq!(people.count(&user(1), at(0)), 1);
        people.remove(&user(1), minute_of(at(0)));
        people.remove(&user(1), minute_of(at(0)));
        assert!(people.is_empty());
    }

    #[test]
    fn an_hour_at_the_limit_of_instagram_takes_under_six_kilobytes() {
        let mut people = People::default();
        for n in 0..750 {
            people.add(&user(n), at(i64::from(n) / 13));
        }
        let json = serde_json::to_string(&people).unwrap();
        assert!(json.len() < 6_000, "{}", json.len());
        assert_eq!(serde_json::from_str::<People>(&json).unwrap(), people);
        let counts: Vec<usize> = (0..750).map(|n| people.count(&user(n), at(57))).collect();
        assert!(counts.iter().all(|count| *count == 1), "{counts:?}");
    }
}
