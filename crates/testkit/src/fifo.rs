//! A FIFO queue that keeps SQS's rules, as a state machine: time comes in, nothing is done by itself.
//!
//! Guarantees, as SQS FIFO in high-throughput mode gives them:
//! - a message whose deduplication id was accepted in the same group within five minutes is swallowed, also
//!   when its twin was already deleted;
//! - while a message of a group is in flight, no other receive gets one of that group; one receive may get
//!   several, in order;
//! - a message that was received `max_receives` times and is not deleted moves to the dead letters;
//! - a receipt is good until its message is received again or deleted.
//!
//! The local runner keeps its queue in this form, and [`Change`] tells it what to write down.

use openreply_domain::time::{SignedDuration, Timestamp, after, millis};
use openreply_domain::trigger::QueueIdentity;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The queue's attributes.
#[derive(Debug, Clone, Copy)]
pub struct FifoSettings {
    /// How long a received message stays invisible.
    pub visibility: SignedDuration,
    /// How often a message may be received before it is a dead letter.
    pub max_receives: u32,
}

/// How long SQS remembers deduplication ids.
pub const DEDUP_WINDOW: SignedDuration = SignedDuration::from_mins(5);

/// A message as the queue holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Its place in the order of arrival.
    pub seq: u64,
    /// Its group.
    pub group: String,
    /// Its deduplication id.
    pub dedup: String,
    /// What it says.
    pub body: String,
    /// When it was accepted.
    #[serde(with = "millis")]
    pub sent_at: Timestamp,
    /// From when it may be received.
    #[serde(with = "millis")]
    pub visible_at: Timestamp,
    /// How often it was received.
    pub receives: u32,
    /// Whether somebody holds it.
    pub in_flight: bool,
}

/// What a receive hands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Good for deleting it, or giving it back.
    pub receipt: String,
    /// The message.
    pub message: Held,
}

/// What changed, for whoever keeps the queue over a restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// This message stands like this now.
    Put(Held),
    /// This message is gone from the queue.
    Gone(u64),
    /// This message is a dead letter now.
    Dead(Held),
    /// This deduplication id was accepted at this time.
    Remember {
        /// The group it counts in.
        group: String,
        /// The id.
        dedup: String,
        /// When it was accepted.
        at: Timestamp,
    },
    /// This deduplication id is too old to count.
    Forget {
        /// The group it counted in.
        group: String,
        /// The id.
        dedup: String,
    },
}

/// The queue.
#[derive(Debug)]
pub struct Fifo {
    settings: FifoSettings,
    next_seq: u64,
    messages: BTreeMap<u64, Held>,
    remembered: HashMap<(String, String), Timestamp>,
    dead: Vec<Held>,
    changes: Vec<Change>,
}

impl Fifo {
    /// An empty queue.
    #[must_use]
    pub fn new(settings: FifoSettings) -> Self {
        Self {
            settings,
            next_seq: 1,
            messages: BTreeMap::new(),
            remembered: HashMap::new(),
            dead: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The queue as it was written down. What was in flight is visible again: whoever held it is gone.
    pub fn restore(
        settings: FifoSettings,
        messages: impl IntoIterator<Item = Held>,
        dead: impl IntoIterator<Item = Held>,
        remembered: impl IntoIterator<Item = (String, String, Timestamp)>,
    ) -> Self {
        let mut fifo = Self::new(settings);
        for mut held in messages {
            if held.in_flight {
                held.in_flight = false;
                held.visible_at = held.sent_at;
            }
            fifo.messages.insert(held.seq, held);
        }
        fifo.dead = dead.into_iter().collect();
        fifo.remembered = remembered.into_iter().map(|(group, dedup, at)| ((group, dedup), at)).collect();
        let last = fifo.messages.keys().copied().chain(fifo.dead.iter().map(|held| held.seq)).max();
        fifo.next_seq = last.map_or(1, |last| last + 1);
        fifo
    }

    /// What changed since this was asked last.
    pub fn take_changes(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    /// Takes a message in. `false`: it is a copy of one of the last five minutes, and swallowed.
    pub fn send(&mut self, now: Timestamp, identity: &QueueIdentity, body: String) -> bool {
        self.forget(now);
        let name = (identity.group.clone(), identity.dedup.clone());
        if self.remembered.contains_key(&name) {
            return false;
        }
        let held = Held {
            seq: self.next_seq,
            group: name.0.clone(),
            dedup: name.1.clone(),
            body,
            sent_at: now,
            visible_at: now,
            receives: 0,
            in_flight: false,
        };
        self.next_seq += 1;
        // In this order: whoever is killed in between comes again, and is no copy of what is not there.
        self.changes.push(Change::Put(held.clone()));
        self.changes.push(Change::Remember { group: name.0.clone(), dedup: name.1.clone(), at: now });
        self.remembered.insert(name, now);
        self.messages.insert(held.seq, held);
        true
    }

    fn forget(&mut self, now: Timestamp) {
        let changes = &mut self.changes;
        self.remembered.retain(|(group, dedup), at| {
            let counts = now.duration_since(*at) < DEDUP_WINDOW;
            if !counts {
                changes.push(Change::Forget { group: group.clone(), dedup: dedup.clone() });
            }
            counts
        });
    }

    /// Hands out up to `max` messages that are visible and whose groups nobody holds.
    pub fn receive(&mut self, now: Timestamp, max: usize) -> Vec<Received> {
        self.bury(now);
        let mut taken = Vec::new();
        for seq in self.receivable(now).into_iter().take(max) {
            let Some(held) = self.messages.get_mut(&seq) else { continue };
            held.in_flight = true;
            held.receives += 1;
            held.visible_at = after(now, self.settings.visibility);
            self.changes.push(Change::Put(held.clone()));
            taken.push(Received { receipt: receipt(held), message: held.clone() });
        }
        taken
    }

    /// Whether a receive at `now` would hand out anything.
    #[must_use]
    pub fn has_receivable(&self, now: Timestamp) -> bool {
        !self.receivable(now).is_empty()
    }

    /// The next moment after `now` at which a message becomes visible by itself.
    #[must_use]
    pub fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        self.messages.values().map(|held| held.visible_at).filter(|at| *at > now).min()
    }

    /// Removes a message for good. `false`: the receipt is no longer good.
    pub fn delete(&mut self, receipt: &str) -> bool {
        let Some(seq) = self.find(receipt) else { return false };
        self.messages.remove(&seq);
        self.changes.push(Change::Gone(seq));
        true
    }

    /// Makes a held message visible again after `delay`. `false`: the receipt is no longer good.
    pub fn change_visibility(&mut self, now: Timestamp, receipt: &str, delay: SignedDuration) -> bool {
        let Some(held) = self.find(receipt).and_then(|seq| self.messages.get_mut(&seq)) else { return false };
        held.visible_at = after(now, delay);
        self.changes.push(Change::Put(held.clone()));
        true
    }

    /// The dead letters, oldest first.
    #[must_use]
    pub fn dead(&self) -> &[Held] {
        &self.dead
    }

    /// How many messages could be received at `now`, if their groups were free, and how many are held or not
    /// visible yet.
    #[must_use]
    pub fn counts(&self, now: Timestamp) -> (usize, usize) {
        let visible = self.messages.values().filter(|held| held.visible_at <= now).count();
        (visible, self.messages.len() - visible)
    }

    /// How many messages wait, in flight included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether no message waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    fn receivable(&self, now: Timestamp) -> Vec<u64> {
        let locked: HashSet<&str> = self
            .messages
            .values()
            .filter(|held| held.visible_at > now)
            .map(|held| held.group.as_str())
            .collect();
        self.messages.values().filter(|held| !locked.contains(held.group.as_str())).map(|h| h.seq).collect()
    }

    /// Moves what was received too often to the dead letters.
    fn bury(&mut self, now: Timestamp) {
        let worn_out = |held: &Held| held.visible_at <= now && held.receives >= self.settings.max_receives;
        let dead: Vec<u64> =
            self.messages.values().filter(|held| worn_out(held)).map(|held| held.seq).collect();
        for seq in dead {
            let Some(mut held) = self.messages.remove(&seq) else { continue };
            held.in_flight = false;
            self.changes.push(Change::Dead(held.clone()));
            self.dead.push(held);
        }
    }

    fn find(&self, wanted: &str) -> Option<u64> {
        let seq = wanted.split_once('.')?.0.parse().ok()?;
        self.messages.get(&seq).filter(|held| receipt(held) == wanted).map(|held| held.seq)
    }
}

/// A receipt names the receive, so that an older one is no longer good.
fn receipt(held: &Held) -> String {
    format!("{}.{}", held.seq, held.receives)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: FifoSettings =
        FifoSettings { visibility: SignedDuration::from_secs(60), max_receives: 3 };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + seconds).unwrap()
    }

    fn id(group: &str, dedup: &str) -> QueueIdentity {
        QueueIdentity { group: group.into(), dedup: dedup.into() }
    }

    fn bodies(received: &[Received]) -> Vec<&str> {
        received.iter().map(|r| r.message.body.as_str()).collect()
    }

    #[test]
    fn a_copy_is_swallowed_for_five_minutes_also_after_the_delete() {
        let mut queue = Fifo::new(SETTINGS);
        assert!(queue.send(at(0), &id("g", "1"), "a".into()));
        assert!(!queue.send(at(1), &id("g", "1"), "a".into()));
        let received = queue.receive(at(1), 10);
        assert!(queue.delete(&received[0].receipt));
        assert!(!queue.send(at(299), &id("g", "1"), "a".into()));
        assert!(queue.send(at(299), &id("other group", "1"), "b".into()));
        assert!(queue.send(at(300), &id("g", "1"), "a".into()));
    }

    #[test]
    fn a_group_is_locked_while_one_of_it_is_in_flight() {
        let mut queue = Fifo::new(SETTINGS);
        for (group, body) in [("a", "a1"), ("a", "a2"), ("b", "b1"), ("a", "a3")] {
            queue.send(at(0), &id(group, body), body.into());
        }
        let first = queue.receive(at(0), 2);
        assert_eq!(bodies(&first), ["a1", "a2"]);
        assert_eq!(bodies(&queue.receive(at(0), 10)), ["b1"]);
        assert!(queue.delete(&first[0].receipt));
        assert!(queue.receive(at(1), 10).is_empty(), "a2 still holds the group");
        assert!(queue.change_visibility(at(1), &first[1].receipt, SignedDuration::from_secs(5)));
        assert!(!queue.has_receivable(at(5)));
        assert_eq!(bodies(&queue.receive(at(6), 10)), ["a2", "a3"]);
    }

    #[test]
    fn an_old_receipt_is_no_longer_good() {
        let mut queue = Fifo::new(SETTINGS);
        queue.send(at(0), &id("g", "1"), "a".into());
        let first = queue.receive(at(0), 1);
        let second = queue.receive(at(60), 1);
        assert_eq!(second.len(), 1);
        assert!(!queue.delete(&first[0].receipt));
        assert!(queue.delete(&second[0].receipt));
    }

    #[test]
    fn what_is_received_too_often_is_a_dead_letter_and_frees_its_group() {
        let mut queue = Fifo::new(SETTINGS);
        queue.send(at(0), &id("g", "1"), "poison".into());
        queue.send(at(0), &id("g", "2"), "next".into());
        for n in 0..3 {
            assert_eq!(queue.receive(at(n * 60), 1)[0].message.body, "poison");
        }
        assert_eq!(bodies(&queue.receive(at(180), 1)), ["next"]);
        assert_eq!(queue.dead().len(), 1);
    }

    #[test]
    fn a_restart_makes_visible_what_was_in_flight_and_forgets_nothing() {
        let mut queue = Fifo::new(SETTINGS);
        queue.send(at(0), &id("g", "1"), "a".into());
        queue.send(at(0), &id("h", "2"), "b".into());
        let received = queue.receive(at(0), 1);
        assert_eq!(bodies(&received), ["a"]);
        let (mut messages, mut remembered) = (BTreeMap::new(), Vec::new());
        for change in queue.take_changes() {
            match change {
                Change::Put(held) => drop(messages.insert(held.seq, held)),
                Change::Gone(seq) => drop(messages.remove(&seq)),
                Change::Remember { group, dedup, at } => remembered.push((group, dedup, at)),
                Change::Forget { .. } => panic!("nothing is that old"),
                Change::Dead(_) => panic!("nothing died"),
            }
        }
        let mut again = Fifo::restore(SETTINGS, messages.into_values(), [], remembered);
        assert!(!again.send(at(1), &id("g", "1"), "a".into()));
        assert_eq!(bodies(&again.receive(at(1), 10)), ["a", "b"]);
        assert!(again.send(at(1), &id("h", "3"), "c".into()));
    }
}
