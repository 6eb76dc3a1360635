//! The contract of the queue that carries sweeps.

use crate::aws;
use aws_sdk_sqs::Client;
use openreply_app::sweep::SweepOrder;
use openreply_aws::SqsSweepQueue;
use openreply_testkit::contract::sweep_queue::SweepQueueBench;
use openreply_testkit::memory::MemorySweepQueue;
use openreply_testkit::sweep_queue_contract;

struct InMemory(MemorySweepQueue);

impl SweepQueueBench for InMemory {
    type Queue = MemorySweepQueue;

    fn queue(&self) -> &MemorySweepQueue {
        &self.0
    }

    async fn arrived(&self) -> Vec<SweepOrder> {
        self.0.take()
    }
}

struct OnSqs {
    client: Client,
    url: String,
    queue: SqsSweepQueue,
}

impl OnSqs {
    async fn at(endpoint: &str) -> Self {
        let client = Client::new(&aws::config(endpoint).await);
        let created = client.create_queue().queue_name(aws::unique("sweeps")).send().await.unwrap();
        let url = created.queue_url.unwrap();
        Self { queue: SqsSweepQueue::new(client.clone(), url.clone()), client, url }
    }
}

impl SweepQueueBench for OnSqs {
    type Queue = SqsSweepQueue;

    fn queue(&self) -> &SqsSweepQueue {
        &self.queue
    }

    async fn arrived(&self) -> Vec<SweepOrder> {
        let request = self.client.receive_message().queue_url(&self.url);
        let answer = request.max_number_of_messages(10).wait_time_seconds(1).send().await.unwrap();
        let mut orders = Vec::new();
        for message in answer.messages.unwrap_or_default() {
            orders.push(serde_json::from_str(&message.body.unwrap()).unwrap());
            let receipt = message.receipt_handle.unwrap();
            self.client.delete_message().queue_url(&self.url).receipt_handle(receipt).send().await.unwrap();
        }
        orders
    }
}

mod in_memory {
    use super::{InMemory, MemorySweepQueue, sweep_queue_contract};

    async fn make() -> Option<InMemory> {
        Some(InMemory(MemorySweepQueue::default()))
    }

    sweep_queue_contract! { make }
}

mod on_the_emulator {
    use super::{OnSqs, aws, sweep_queue_contract};

    async fn make() -> Option<OnSqs> {
        Some(OnSqs::at(&aws::emulator()?).await)
    }

    sweep_queue_contract! { make }
}
