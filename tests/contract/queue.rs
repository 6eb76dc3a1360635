//! The queue's contract.

use crate::aws;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{MessageSystemAttributeName, QueueAttributeName};
use openreply_aws::SqsQueue;
use openreply_domain::time::SignedDuration;
use openreply_testkit::contract::queue::{Got, QueueBench};
use openreply_testkit::memory::{ManualClock, MemoryQueue};
use openreply_testkit::queue_contract;

struct InMemory {
    clock: ManualClock,
    queue: MemoryQueue,
}

impl QueueBench for InMemory {
    type Queue = MemoryQueue;

    fn queue(&self) -> &MemoryQueue {
        &self.queue
    }

    async fn receive(&self) -> Vec<Got> {
        let got = |received: openreply_testkit::fifo::Received| Got {
            job: serde_json::from_str(&received.message.body).unwrap(),
            group: received.message.group,
            receipt: received.receipt,
        };
        self.queue.receive().into_iter().map(got).collect()
    }

    async fn delete(&self, receipt: &str) {
        assert!(self.queue.delete(receipt));
    }

    async fn pass(&self, span: SignedDuration) {
        self.clock.advance(span);
    }
}

struct OnSqs {
    client: Client,
    url: String,
    queue: SqsQueue,
}

impl OnSqs {
    /// A queue like the stack's.
    async fn at(endpoint: &str) -> Self {
        let client = Client::new(&aws::config(endpoint).await);
        let mut create = client.create_queue().queue_name(format!("{}.fifo", aws::unique("queue")));
        for (name, value) in [
            (QueueAttributeName::FifoQueue, "true"),
            (QueueAttributeName::ContentBasedDeduplication, "true"),
            (QueueAttributeName::DeduplicationScope, "messageGroup"),
            (QueueAttributeName::FifoThroughputLimit, "perMessageGroupId"),
            (QueueAttributeName::VisibilityTimeout, "720"),
        ] {
            create = create.attributes(name, value);
        }
        let url = create.send().await.unwrap().queue_url.unwrap();
        Self { queue: SqsQueue::new(client.clone(), url.clone()), client, url }
    }
}

impl QueueBench for OnSqs {
    type Queue = SqsQueue;

    fn queue(&self) -> &SqsQueue {
        &self.queue
    }

    async fn receive(&self) -> Vec<Got> {
        let answer = self
            .client
            .receive_message()
            .queue_url(&self.url)
            .max_number_of_messages(10)
            .wait_time_seconds(1)
            .message_system_attribute_names(MessageSystemAttributeName::MessageGroupId)
            .send()
            .await
            .unwrap();
        let got = |message: aws_sdk_sqs::types::Message| Got {
            job: serde_json::from_str(&message.body.unwrap()).unwrap(),
            group: message.attributes.unwrap().remove(&MessageSystemAttributeName::MessageGroupId).unwrap(),
            receipt: message.receipt_handle.unwrap(),
        };
        answer.messages.unwrap_or_default().into_iter().map(got).collect()
    }

    async fn delete(&self, receipt: &str) {
        self.client.delete_message().queue_url(&self.url).receipt_handle(receipt).send().await.unwrap();
    }

    async fn pass(&self, span: SignedDuration) {
        tokio::time::sleep(span.unsigned_abs()).await;
    }
}

mod in_memory {
    use super::{InMemory, ManualClock, MemoryQueue, queue_contract};

    async fn make() -> Option<InMemory> {
        let clock = ManualClock::default();
        Some(InMemory { queue: MemoryQueue::new(clock.clone()), clock })
    }

    queue_contract! { make }
}

mod on_the_emulator {
    use super::{OnSqs, aws, queue_contract};

    async fn make() -> Option<OnSqs> {
        Some(OnSqs::at(&aws::emulator()?).await)
    }

    queue_contract! { make }
}
