//! The hour gate: never more than a limit of private replies in any rolling hour.
//!
//! Guarantees, however many consumers run and however late they are:
//! - In no 60 minutes, measured when the sends start, do more than `limit` start. A slot counts for
//!   [`COUNTS_MINUTES`] whole minutes: the hour, its own minute, and a minute for a start up to
//!   [`START_WITHIN`] after the slot was taken and for clocks that disagree.
//! - After a quiet hour the first `limit` go at once.
//! - Who does not get a slot gets a reservation, in order of arrival, and nobody who comes later gets an
//!   earlier one.
//!
//! A [`Slots`] is one item of the ledger, written whole under a condition on its revision.

use crate::time::{SignedDuration, Timestamp, after, from_millis};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// For how many whole minutes a used slot counts: 60, the minute it was taken in, and one for a late start and
/// for clocks that disagree.
pub const COUNTS_MINUTES: i64 = 62;
/// A slot is void unless its send starts within this time.
pub const START_WITHIN: SignedDuration = SignedDuration::from_secs(30);
/// A reservation may be used in its own minute and this many after it: timers fire late.
pub const GRACE_MINUTES: i64 = 3;

/// The minute that a moment lies in, counted from the epoch.
#[must_use]
pub fn minute_of(moment: Timestamp) -> i64 {
    moment.as_second().div_euclid(60)
}

/// When a minute begins.
#[must_use]
pub fn start_of(minute: i64) -> Timestamp {
    from_millis(minute.saturating_mul(60_000))
}

/// The slots of one account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    /// Slots that were taken, by minute.
    #[serde(default)]
    used: BTreeMap<i64, u32>,
    /// Slots that wait for somebody, by the minute they are reserved for.
    #[serde(default)]
    reserved: BTreeMap<i64, u32>,
}

/// A slot that was taken: what gives it back, and when it is void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The minute it counts in.
    pub minute: i64,
    /// When it was taken.
    #[serde(with = "crate::time::millis")]
    pub taken_at: Timestamp,
}

impl Slot {
    /// Whether a send that starts at `now` may still use it.
    #[must_use]
    pub fn is_good(&self, now: Timestamp) -> bool {
        now <= after(self.taken_at, START_WITHIN)
    }
}

/// What the gate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Go now.
    Taken(Slot),
    /// Wait: a slot is reserved in this minute.
    Reserved {
        /// The reserved minute.
        minute: i64,
    },
}

impl Slots {
    /// Takes a slot at `now`, or reserves the first that will be free. `reservation` is the minute that was
    /// reserved earlier for the same Send. Says what it did; `self` is then what to write.
    pub fn take(&mut self, limit: u32, now: Timestamp, reservation: Option<i64>) -> Gate {
        let minute = minute_of(now);
        self.forget(minute);
        if let Some(reserved) = reservation.filter(|reserved| *reserved <= minute)
            && self.give_back(reserved)
        {
            return self.used_at(minute, now);
        }
        if let Some(reserved) = reservation {
            // It came before its minute, or its reservation ran out: it queues again.
            self.give_back(reserved);
        }
        // Nobody overtakes whoever waits.
        let first = self.reserved.keys().next_back().map_or(minute, |last| minute.max(*last));
        let free = self.first_free(limit, first);
        if free == minute {
            return self.used_at(minute, now);
        }
        *self.reserved.entry(free).or_default() += 1;
        Gate::Reserved { minute: free }
    }

    /// Gives a slot back that was taken and certainly not used.
    pub fn refund(&mut self, slot: &Slot) {
        remove_one(&mut self.used, slot.minute);
    }

    /// Gives a reservation back. `false`: there was none in that minute.
    pub fn give_back(&mut self, minute: i64) -> bool {
        remove_one(&mut self.reserved, minute)
    }

    /// How many slots count at `now`.
    #[must_use]
    pub fn used(&self, now: Timestamp) -> u32 {
        self.used.range(minute_of(now) - COUNTS_MINUTES + 1..).map(|(_, count)| count).sum()
    }

    /// When a newcomer would get a slot.
    #[must_use]
    pub fn next_at(&self, limit: u32, now: Timestamp) -> Timestamp {
        let mut probe = self.clone();
        match probe.take(limit, now, None) {
            Gate::Taken(_) => now,
            Gate::Reserved { minute } => start_of(minute),
        }
    }

    fn used_at(&mut self, minute: i64, now: Timestamp) -> Gate {
        *self.used.entry(minute).or_default() += 1;
        Gate::Taken(Slot { minute, taken_at: now })
    }

    /// Drops what counts no more: old slots, and reservations that nobody came for.
    fn forget(&mut self, minute: i64) {
        self.used = self.used.split_off(&(minute - COUNTS_MINUTES + 1));
        self.reserved = self.reserved.split_off(&(minute - GRACE_MINUTES));
    }

    /// The first minute from `first` on in which one more still fits. `first` lies at or after every
    /// reservation, so what counts at a minute are all slots and reservations that have not run out by then.
    fn first_free(&self, limit: u32, first: i64) -> i64 {
        let counts = |minute: i64| -> u32 {
            let used = self.used.range(minute - COUNTS_MINUTES + 1..);
            // A reservation may be used late; until then it counts as if it were.
            let reserved = self.reserved.range(minute - COUNTS_MINUTES - GRACE_MINUTES + 1..);
            used.chain(reserved).map(|(_, count)| count).sum()
        };
        if counts(first) < limit {
            return first;
        }
        // It changes only where something runs out.
        let used = self.used.keys().map(|minute| minute + COUNTS_MINUTES);
        let reserved = self.reserved.keys().map(|minute| minute + COUNTS_MINUTES + GRACE_MINUTES);
        let mut ends: Vec<i64> = used.chain(reserved).filter(|end| *end > first).collect();
        ends.sort_unstable();
        let last = ends.last().copied().unwrap_or(first);
        ends.into_iter().find(|end| counts(*end) < limit).unwrap_or(last)
    }
}

fn remove_one(counts: &mut BTreeMap<i64, u32>, minute: i64) -> bool {
    let Some(count) = counts.get_mut(&minute) else { return false };
    *count -= 1;
    if *count == 0 {
        counts.remove(&minute);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + seconds).unwrap()
    }

    fn is_taken(gate: Gate) -> bool {
        matches!(gate, Gate::Taken(_))
    }

    #[test]
    fn after_a_quiet_hour_the_whole_limit_goes_at_once_and_the_next_waits_an_hour() {
        let mut slots = Slots::default();
        assert!((0..750).all(|_| is_taken(slots.take(750, at(0), None))));
        let Gate::Reserved { minute } = slots.take(750, at(1), None) else { panic!("751 in an hour") };
        assert!(start_of(minute) > at(3600));
        assert!(start_of(minute) < at(3600 + 180));
        assert_eq!(slots.used(at(1)), 750);
    }

    #[test]
    fn who_comes_later_waits_behind_who_waits() {
        let mut slots = Slots::default();
        slots.take(1, at(0), None);
        let Gate::Reserved { minute: first } = slots.take(1, at(60), None) else { panic!() };
        let Gate::Reserved { minute: second } = slots.take(1, at(120), None) else { panic!() };
        assert!(first < second);
        // Its time has come, late by a minute: it gets its slot although a newcomer asks at the same time.
        assert!(is_taken(slots.take(1, start_of(first + 1), Some(first))));
        assert!(!is_taken(slots.take(1, start_of(first + 1), None)));
    }

    #[test]
    fn a_refund_makes_room() {
        let mut slots = Slots::default();
        let Gate::Taken(slot) = slots.take(1, at(0), None) else { panic!() };
        assert!(!is_taken(slots.clone().take(1, at(1), None)));
        slots.refund(&slot);
        assert!(is_taken(slots.take(1, at(1), None)));
    }

    #[test]
    fn a_slot_is_void_after_thirty_seconds() {
        let Gate::Taken(slot) = Slots::default().take(1, at(0), None) else { panic!() };
        assert!(slot.is_good(at(30)));
        assert!(!slot.is_good(at(31)));
    }

    #[test]
    fn a_reservation_that_nobody_comes_for_frees_its_place() {
        let mut slots = Slots::default();
        slots.take(1, at(0), None);
        let Gate::Reserved { minute } = slots.take(1, at(0), None) else { panic!() };
        assert!(is_taken(slots.take(1, start_of(minute + GRACE_MINUTES + 1), None)));
    }

    proptest! {
        /// Random arrivals; each comes back when its reservation is due, some of them late, and starts its send
        /// up to 30 s after its slot.
        #[test]
        fn no_rolling_hour_ever_has_more_than_the_limit(
            limit in 1_u32..6,
            gaps in prop::collection::vec((0_i64..900, 0_i64..240, 0_i64..30), 1..120),
        ) {
            let mut slots = Slots::default();
            let mut agenda: std::collections::BTreeSet<(i64, usize)> = std::collections::BTreeSet::new();
            let mut held: Vec<Option<i64>> = Vec::new();
            let mut moment = 0;
            for (nth, (gap, _, _)) in gaps.iter().enumerate() {
                moment += gap;
                agenda.insert((moment, nth));
                held.push(None);
            }
            let mut starts = Vec::new();
            let mut visits = vec![0; held.len()];
            while let Some((moment, nth)) = agenda.pop_first() {
                let (_, late, start) = gaps[nth];
                visits[nth] += 1;
                match slots.take(limit, at(moment), held[nth]) {
                    Gate::Taken(slot) => {
                        prop_assert!(slot.is_good(at(moment + start)));
                        starts.push(moment + start);
                    }
                    Gate::Reserved { minute } => {
                        held[nth] = Some(minute);
                        let due = start_of(minute).as_second() - 1_800_000_000;
                        // Within the grace it is served; beyond, it queues again.
                        agenda.insert((due.max(moment + 1) + late % 180, nth));
                    }
                }
                prop_assert!(visits[nth] <= 3, "came back {} times", visits[nth]);
            }
            prop_assert_eq!(starts.len(), held.len());
            starts.sort_unstable();
            for window in starts.windows(limit as usize + 1) {
                prop_assert!(window[limit as usize] - window[0] >= 3600, "{window:?}");
            }
        }
    }
}
