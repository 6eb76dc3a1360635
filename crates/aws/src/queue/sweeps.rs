//! The queue that carries sweeps. Standard: their order does not matter, and a copy does the same again.

use crate::failure::Failure;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use openreply_app::ports::{QueueError, SweepQueue};
use openreply_app::sweep::SweepOrder;

/// How many messages one call takes.
const MAX_BATCH: usize = 10;

/// The sweep queue on SQS.
#[derive(Debug, Clone)]
pub struct SqsSweepQueue {
    client: Client,
    url: String,
}

impl SqsSweepQueue {
    /// The queue at `url`.
    #[must_use]
    pub fn new(client: Client, url: impl Into<String>) -> Self {
        Self { client, url: url.into() }
    }

    /// One call. How many of it were not taken.
    async fn send(&self, orders: &[SweepOrder]) -> Result<usize, QueueError> {
        let entries = orders
            .iter()
            .enumerate()
            .map(|(nth, order)| {
                let body = serde_json::to_string(order).map_err(|error| QueueError(error.to_string()))?;
                let entry = SendMessageBatchRequestEntry::builder().id(nth.to_string()).message_body(body);
                entry.build().map_err(|error| QueueError(error.to_string()))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let request = self.client.send_message_batch().queue_url(&self.url).set_entries(Some(entries));
        let answer = request.send().await.map_err(|error| QueueError(Failure::of(&error).code))?;
        Ok(orders.len().saturating_sub(answer.successful.len()))
    }
}

impl SweepQueue for SqsSweepQueue {
    async fn order(&self, orders: &[SweepOrder]) -> Result<usize, QueueError> {
        let mut refused = 0;
        for some in orders.chunks(MAX_BATCH) {
            refused += match self.send(some).await {
                Ok(refused) => refused,
                Err(error) => {
                    tracing::error!(%error, "some sweeps could not be ordered; the next round tries again");
                    some.len()
                }
            };
        }
        Ok(refused)
    }
}
