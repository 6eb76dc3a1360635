//! How much waits on the stack's queues, as SQS counts it: approximately.

use crate::failure::Failure;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName as Name;
use futures_util::future::{join, join_all};
use openreply_app::ports::{Depths, QueueDepths, QueueError};

const WAITING: [Name; 3] = [
    Name::ApproximateNumberOfMessages,
    Name::ApproximateNumberOfMessagesNotVisible,
    Name::ApproximateNumberOfMessagesDelayed,
];

/// Where the stack's queues are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueUrls {
    /// The FIFO queue.
    pub deliveries: String,
    /// The delay queue.
    pub delay: String,
    /// All dead-letter queues.
    pub dead: Vec<String>,
}

/// Asks SQS.
#[derive(Debug, Clone)]
pub struct SqsDepths {
    client: Client,
    urls: QueueUrls,
}

impl SqsDepths {
    /// Counts these queues.
    #[must_use]
    pub fn new(client: Client, urls: QueueUrls) -> Self {
        Self { client, urls }
    }

    /// Visible, in flight, delayed.
    async fn counts(&self, url: &str) -> Result<[u64; 3], QueueError> {
        let asked = self.client.get_queue_attributes().queue_url(url);
        let answer = asked.set_attribute_names(Some(WAITING.to_vec())).send().await.map_err(|error| {
            let Failure { code, hint, .. } = Failure::of(&error);
            QueueError(format!("{code}: {hint}"))
        })?;
        let attributes = answer.attributes.unwrap_or_default();
        let mut counts = [0; 3];
        for (count, name) in counts.iter_mut().zip(&WAITING) {
            *count = attributes
                .get(name)
                .and_then(|value| value.parse().ok())
                .ok_or_else(|| QueueError(format!("SQS did not say {}", name.as_str())))?;
        }
        Ok(counts)
    }
}

impl QueueDepths for SqsDepths {
    async fn depths(&self) -> Result<Depths, QueueError> {
        let (deliveries, delay) =
            join(self.counts(&self.urls.deliveries), self.counts(&self.urls.delay)).await;
        let [visible, in_flight, _] = deliveries?;
        Ok(Depths { visible, in_flight, delayed: delay?.iter().sum() })
    }

    async fn dead_letters(&self) -> Result<u64, QueueError> {
        let counted = join_all(self.urls.dead.iter().map(|url| self.counts(url))).await;
        let mut dead = 0;
        for counts in counted {
            dead += counts?.iter().sum::<u64>();
        }
        Ok(dead)
    }
}
