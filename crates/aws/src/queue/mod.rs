//! The FIFO queue on SQS.
//!
//! Guarantees: what SQS did not say it took is refused, by its place, with a code; the entries of one group are
//! never reordered, so behind one that was refused the rest of its group is refused too. Groups go side by side
//! in a few lanes, but never in more calls than one lane would need.

mod batches;
mod depths;
mod sweeps;

pub use depths::{QueueUrls, SqsDepths};

pub use sweeps::SqsSweepQueue;

use crate::failure::Failure;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{ChangeMessageVisibilityBatchRequestEntry, SendMessageBatchRequestEntry};
use batches::{Entry, batches, lanes};
use futures_util::future::join_all;
use openreply_app::ports::{Enqueue, Queue, QueueError, Refused};
use openreply_domain::time::SignedDuration;
use std::collections::HashSet;

/// How many messages one call takes.
const MAX_BATCH: usize = 10;
/// The longest time that a message can be made invisible for: twelve hours.
const MAX_VISIBILITY_SECONDS: i64 = 12 * 60 * 60;
/// The code of an entry that waits behind a refused one of its group.
const BEHIND_REFUSED: &str = "BehindRefused";
/// The code of an entry that SQS's answer does not name.
const NOT_ANSWERED: &str = "NotAnswered";

/// A queue.
#[derive(Debug, Clone)]
pub struct SqsQueue {
    client: Client,
    url: String,
}

impl SqsQueue {
    /// The queue at `url`.
    #[must_use]
    pub fn new(client: Client, url: impl Into<String>) -> Self {
        Self { client, url: url.into() }
    }

    /// Sends a lane's entries in order.
    async fn send_lane(&self, lane: Vec<Entry<'_>>) -> Vec<Refused> {
        let mut refused: Vec<Refused> = Vec::new();
        let mut stuck: HashSet<&str> = HashSet::new();
        let mut out_of_reach: Option<String> = None;
        for batch in batches(lane) {
            let (behind, batch): (Vec<Entry>, Vec<Entry>) =
                batch.into_iter().partition(|entry| stuck.contains(entry.group()));
            refused.extend(behind.iter().map(|entry| entry.refused(BEHIND_REFUSED)));
            if batch.is_empty() {
                continue;
            }
            // A queue that just could not be reached would cost every further batch its whole time-out.
            let answer = match &out_of_reach {
                Some(code) => Err(code.clone()),
                None => self.send_batch(&batch).await,
            };
            let losses: Vec<Refused> = match answer {
                Ok(losses) => losses,
                Err(code) => {
                    let losses = batch.iter().map(|entry| entry.refused(&code)).collect();
                    out_of_reach = Some(code);
                    losses
                }
            };
            let lost: HashSet<usize> = losses.iter().map(|refused| refused.index).collect();
            stuck.extend(batch.iter().filter(|entry| lost.contains(&entry.index)).map(Entry::group));
            refused.extend(losses);
        }
        refused
    }

    /// One call. `Err`: none of it can be counted on, for the reason of this code.
    async fn send_batch(&self, batch: &[Entry<'_>]) -> Result<Vec<Refused>, String> {
        let entries = batch
            .iter()
            .map(|entry| {
                SendMessageBatchRequestEntry::builder()
                    .id(entry.index.to_string())
                    .message_body(&entry.body)
                    .message_group_id(entry.group())
                    .message_deduplication_id(&entry.identity.dedup)
                    .build()
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.to_string())?;
        let answer = self
            .client
            .send_message_batch()
            .queue_url(&self.url)
            .set_entries(Some(entries))
            .send()
            .await
            .map_err(|error| Failure::of(&error).code)?;
        let taken: HashSet<&str> = answer.successful.iter().map(|entry| entry.id.as_str()).collect();
        let code =
            |id: &str| answer.failed.iter().find(|entry| entry.id == id).map(|entry| entry.code.as_str());
        Ok(batch
            .iter()
            .filter(|entry| !taken.contains(entry.index.to_string().as_str()))
            .map(|entry| entry.refused(code(&entry.index.to_string()).unwrap_or(NOT_ANSWERED)))
            .collect())
    }
}

impl Queue for SqsQueue {
    async fn enqueue(&self, jobs: &[Enqueue]) -> Result<Vec<Refused>, QueueError> {
        let entries = jobs
            .iter()
            .enumerate()
            .map(|(index, job)| Entry::new(index, job))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| QueueError(format!("a job cannot be written as JSON: {error}")))?;
        let sent = join_all(lanes(entries).into_iter().map(|lane| self.send_lane(lane))).await;
        let mut refused: Vec<Refused> = sent.into_iter().flatten().collect();
        refused.sort_by_key(|refused| refused.index);
        Ok(refused)
    }

    async fn return_soon(&self, receipts: &[String], delay: SignedDuration) -> Result<(), QueueError> {
        let seconds = delay.as_secs().clamp(0, MAX_VISIBILITY_SECONDS);
        let seconds = i32::try_from(seconds).unwrap_or(0);
        for some in receipts.chunks(MAX_BATCH) {
            let entries = some
                .iter()
                .enumerate()
                .map(|(nth, receipt)| {
                    ChangeMessageVisibilityBatchRequestEntry::builder()
                        .id(nth.to_string())
                        .receipt_handle(receipt)
                        .visibility_timeout(seconds)
                        .build()
                })
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| QueueError(error.to_string()))?;
            let request = self.client.change_message_visibility_batch().queue_url(&self.url);
            let answer = request.set_entries(Some(entries)).send().await.map_err(|error| {
                let Failure { code, hint, .. } = Failure::of(&error);
                QueueError(format!("{code}: {hint}"))
            })?;
            // A receipt that is no longer good: the message is visible or gone already. The rest is the queue's trouble.
            if let Some(failed) = answer.failed.iter().find(|failed| !failed.sender_fault) {
                return Err(QueueError(failed.code.clone()));
            }
        }
        Ok(())
    }
}
