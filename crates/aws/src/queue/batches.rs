//! Which entries go together in one call, and which go side by side.

use super::MAX_BATCH;
use openreply_app::ports::{Enqueue, Refused};
use openreply_domain::trigger::QueueIdentity;
use std::collections::HashMap;

/// How many calls are under way at once.
const MAX_LANES: usize = 4;
/// What all bodies of one call may weigh together. SQS takes a MiB; less is quicker to send again.
const MAX_BATCH_BYTES: usize = 256 * 1024;

/// A job as SQS gets it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry<'a> {
    /// Its place in what was handed over.
    pub(super) index: usize,
    /// Its group and deduplication id.
    pub(super) identity: &'a QueueIdentity,
    /// The job as JSON.
    pub(super) body: String,
}

impl<'a> Entry<'a> {
    pub(super) fn new(index: usize, job: &'a Enqueue) -> serde_json::Result<Self> {
        let body = acceptable(&serde_json::to_string(&job.job)?);
        Ok(Self { index, identity: &job.identity, body })
    }

    pub(super) fn group(&self) -> &'a str {
        &self.identity.group
    }

    pub(super) fn refused(&self, code: &str) -> Refused {
        Refused { index: self.index, code: code.to_owned() }
    }
}

/// SQS refuses a body with the two characters that XML has no place for. In JSON they only stand inside of
/// texts, where their escapes say the same.
fn acceptable(json: &str) -> String {
    json.replace('\u{FFFE}', "\\ufffe").replace('\u{FFFF}', "\\uffff")
}

/// Deals whole groups out to lanes, each to the emptiest one. As many lanes as calls are needed anyway.
pub(super) fn lanes(entries: Vec<Entry<'_>>) -> Vec<Vec<Entry<'_>>> {
    let count = entries.len().div_ceil(MAX_BATCH).min(MAX_LANES);
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for entry in &entries {
        *sizes.entry(entry.group()).or_default() += 1;
    }
    let mut lanes: Vec<Vec<Entry>> = vec![Vec::new(); count];
    let mut load = vec![0; count];
    let mut homes: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        let home = *homes.entry(entry.group()).or_insert_with(|| {
            let emptiest = (0..count).min_by_key(|lane| load[*lane]).unwrap_or(0);
            load[emptiest] += sizes.get(entry.group()).copied().unwrap_or(1);
            emptiest
        });
        lanes[home].push(entry);
    }
    lanes
}

/// Cuts a lane into calls, in order.
pub(super) fn batches(lane: Vec<Entry<'_>>) -> Vec<Vec<Entry<'_>>> {
    let mut batches: Vec<Vec<Entry>> = Vec::new();
    let mut bytes = 0;
    for entry in lane {
        match batches.last_mut() {
            Some(batch) if batch.len() < MAX_BATCH && bytes + entry.body.len() <= MAX_BATCH_BYTES => {
                bytes += entry.body.len();
                batch.push(entry);
            }
            Some(_) | None => {
                bytes = entry.body.len();
                batches.push(vec![entry]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(group: usize) -> QueueIdentity {
        QueueIdentity { group: format!("g{group}"), dedup: "d".into() }
    }

    fn entries<'a>(identities: impl IntoIterator<Item = &'a QueueIdentity>, bytes: usize) -> Vec<Entry<'a>> {
        let entry = |(index, identity)| Entry { index, identity, body: "x".repeat(bytes) };
        identities.into_iter().enumerate().map(entry).collect()
    }

    fn calls(entries: Vec<Entry<'_>>) -> Vec<Vec<Entry<'_>>> {
        lanes(entries).into_iter().flat_map(batches).collect()
    }

    #[test]
    fn strangers_need_no_more_calls_than_tens() {
        let strangers: Vec<QueueIdentity> = (0..1000).map(identity).collect();
        for (count, expected) in [(0, 0), (1, 1), (10, 1), (11, 2), (12, 2), (40, 4), (1000, 100)] {
            let calls = calls(entries(&strangers[..count], 300));
            assert_eq!(calls.len(), expected, "{count} entries");
            assert_eq!(calls.iter().map(Vec::len).sum::<usize>(), count);
        }
    }

    #[test]
    fn a_group_stays_in_one_lane_and_in_order() {
        let people: Vec<QueueIdentity> = (0..7).map(identity).collect();
        let mixed = (0..200).map(|n| &people[(n * n) % 7]);
        let lanes = lanes(entries(mixed, 10));
        for person in &people {
            let homes: Vec<&Vec<Entry>> =
                lanes.iter().filter(|lane| lane.iter().any(|entry| entry.identity == person)).collect();
            assert!(homes.len() <= 1, "{}", person.group);
        }
        for lane in &lanes {
            assert!(lane.is_sorted_by_key(|entry| entry.index));
        }
    }

    #[test]
    fn a_call_stays_below_256_kib_and_what_is_larger_goes_alone() {
        let strangers: Vec<QueueIdentity> = (0..9).map(identity).collect();
        let lane = entries(&strangers, 100_000);
        assert_eq!(batches(lane).iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2, 2, 1]);
        let lane = entries(&strangers[..3], MAX_BATCH_BYTES + 1);
        assert_eq!(batches(lane).iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
    }

    #[test]
    fn a_body_has_no_character_that_sqs_refuses_and_says_the_same() {
        let text = "a\u{FFFE}b\u{FFFF}c\u{0}\u{1F600}\"";
        let body = acceptable(&serde_json::to_string(text).unwrap());
        assert!(!body.contains(['\u{FFFE}', '\u{FFFF}', '\u{0}']));
        assert_eq!(serde_json::from_str::<String>(&body).unwrap(), text);
    }
}
