//! What travels on the queue.

use openreply_domain::ids::ClaimId;
use openreply_domain::outcome::SendOutcome;
use openreply_domain::send::SendKey;
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::{Comment, Trigger, TriggerKey};
use serde::{Deserialize, Deserializer, Serialize};

/// What travels on the delay queue: a message for the FIFO queue that is not due yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Delayed {
    /// The group that it will keep the order of.
    pub group: String,
    /// Its deduplication id there.
    pub dedup: String,
    /// What is to be done.
    pub job: Job,
}

/// One message on the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum Job {
    /// Something happened on Instagram.
    Ingested {
        /// What.
        trigger: Trigger,
        /// When the webhook first saw it.
        #[serde(with = "openreply_domain::time::millis")]
        received_at: Timestamp,
    },
    /// A comment that a sweep found and no webhook had told of.
    Missed {
        /// The comment.
        comment: Comment,
        /// When it was written, by Instagram's clock: its window counts from here, and only campaigns that took
        /// comments then may answer.
        #[serde(with = "openreply_domain::time::millis")]
        written_at: Timestamp,
    },
    /// A Send that waited is due.
    Wake {
        /// Which.
        key: SendKey,
        /// The wake it was set for: an older one does nothing.
        wake: u32,
    },
    /// An outcome that could not be written to the ledger when it was known.
    Settle {
        /// Of which Send.
        key: SendKey,
        /// Of which of its claims, and of no other.
        claim: ClaimId,
        /// What became of the call.
        outcome: SendOutcome,
    },
    /// A sign of life on its way from the schedule to the heartbeat.
    Beat {
        /// Its name: that of the schedule's run.
        id: String,
        /// When it was to come. A schedule writes it as RFC 3339; what is not that is unknown, and still a beat.
        #[serde(default, deserialize_with = "known_moment")]
        due_at: Option<Timestamp>,
        /// Whether it is the echo of one, over the delay queue.
        #[serde(default)]
        echo: bool,
    },
}

impl Job {
    /// What it is about. `None`: a beat is about nothing.
    #[must_use]
    pub fn trigger(&self) -> Option<TriggerKey> {
        match self {
            Self::Ingested { trigger, .. } => Some(trigger.key()),
            Self::Missed { comment, .. } => Some(comment.key()),
            Self::Wake { key, .. } | Self::Settle { key, .. } => Some(key.trigger.clone()),
            Self::Beat { .. } => None,
        }
    }
}

fn known_moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.and_then(|text| text.parse().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beat_reads_as_the_schedule_writes_it_and_also_if_it_left_something_unfilled() {
        let read = |json: &str| serde_json::from_str::<Job>(json).unwrap();
        let due_at = Some("2026-11-30T16:00:00Z".parse().unwrap());
        let beat = |id: &str, due_at, echo| Job::Beat { id: id.to_owned(), due_at, echo };
        assert_eq!(
            read(r#"{"job":"beat","id":"d32c5kddcf5bb8c3","due_at":"2026-11-30T16:00:00Z"}"#),
            beat("d32c5kddcf5bb8c3", due_at, false)
        );
        assert_eq!(
            read(
                r#"{"job":"beat","id":"<aws.scheduler.execution-id>","due_at":"<aws.scheduler.scheduled-time>"}"#
            ),
            beat("<aws.scheduler.execution-id>", None, false)
        );
        for job in [beat("a", due_at, true), beat("a", None, false)] {
            assert_eq!(read(&serde_json::to_string(&job).unwrap()), job);
        }
    }
}
