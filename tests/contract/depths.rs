//! The contract of what counts messages, and of what delays them.

use crate::aws;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName;
use openreply_app::ports::Clock;
use openreply_aws::{QueueUrls, SchedulerSettings, SchedulerTimers, SqsDepths, SqsQueue, SystemClock};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::QueueIdentity;
use openreply_testkit::contract::depths::DepthsBench;
use openreply_testkit::depths_contract;
use openreply_testkit::memory::{ManualClock, MemoryDepths, MemoryQueue, MemoryTimers};
use std::sync::atomic::{AtomicUsize, Ordering};

struct InMemory(MemoryDepths);

impl DepthsBench for InMemory {
    type Depths = MemoryDepths;
    type Queue = MemoryQueue;
    type Delay = MemoryTimers;

    fn depths(&self) -> &MemoryDepths {
        &self.0
    }
    fn queue(&self) -> &MemoryQueue {
        &self.0.queue
    }
    fn delay(&self) -> &MemoryTimers {
        &self.0.timers
    }
    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }
    async fn receive_one(&self) {
        let now = self.0.clock.now();
        assert_eq!(self.0.queue.with_fifo(|fifo| fifo.receive(now, 1)).len(), 1);
    }
    /// By being received once too often.
    async fn bury_one(&self) {
        self.0.queue.with_fifo(|fifo| {
            let n = fifo.dead().len();
            let identity = QueueIdentity { group: "dying".to_owned(), dedup: n.to_string() };
            fifo.send(self.0.clock.now(), &identity, "{}".to_owned());
            while fifo.dead().len() == n {
                self.0.clock.advance(SignedDuration::from_mins(13));
                fifo.receive(self.0.clock.now(), 1);
            }
        });
    }
}

struct OnSqs {
    client: Client,
    urls: QueueUrls,
    depths: SqsDepths,
    queue: SqsQueue,
    timers: SchedulerTimers,
    buried: AtomicUsize,
}

impl OnSqs {
    /// Queues like the stack's.
    async fn at(endpoint: &str) -> Self {
        let config = aws::config(endpoint).await;
        let client = Client::new(&config);
        let name = aws::unique("depths");
        let make = async |name: String| {
            let fifo = name.ends_with(".fifo").then_some((QueueAttributeName::FifoQueue, "true".to_owned()));
            let create = client.create_queue().queue_name(name).set_attributes(fifo.map(|one| [one].into()));
            create.send().await.unwrap().queue_url.unwrap()
        };
        let urls = QueueUrls {
            deliveries: make(format!("{name}.fifo")).await,
            delay: make(format!("{name}-delay")).await,
            dead: vec![make(format!("{name}-dead.fifo")).await, make(format!("{name}-delay-dead")).await],
        };
        let settings = SchedulerSettings {
            group: "none".to_owned(),
            role_arn: "arn:aws:iam::000000000000:role/timers".to_owned(),
            queue_arn: "arn:aws:sqs:eu-central-1:000000000000:none".to_owned(),
            delay_queue_url: urls.delay.clone(),
        };
        let scheduler = aws_sdk_scheduler::Client::new(&config);
        Self {
            depths: SqsDepths::new(client.clone(), urls.clone()),
            queue: SqsQueue::new(client.clone(), urls.deliveries.clone()),
            timers: SchedulerTimers::new(scheduler, client.clone(), settings, SystemClock),
            client,
            urls,
            buried: AtomicUsize::new(0),
        }
    }
}

impl DepthsBench for OnSqs {
    type Depths = SqsDepths;
    type Queue = SqsQueue;
    type Delay = SchedulerTimers;

    fn depths(&self) -> &SqsDepths {
        &self.depths
    }
    fn queue(&self) -> &SqsQueue {
        &self.queue
    }
    fn delay(&self) -> &SchedulerTimers {
        &self.timers
    }
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }
    async fn receive_one(&self) {
        let receive = self.client.receive_message().queue_url(&self.urls.deliveries);
        let got = receive.max_number_of_messages(1).wait_time_seconds(1).send().await.unwrap();
        assert_eq!(got.messages.unwrap().len(), 1);
    }
    /// The first on one, the second on the other.
    async fn bury_one(&self) {
        let nth = self.buried.fetch_add(1, Ordering::Relaxed);
        let send = self.client.send_message().queue_url(&self.urls.dead[nth % 2]).message_body("{}");
        let fifo = self.urls.dead[nth % 2].ends_with(".fifo").then(|| "dead".to_owned());
        send.set_message_group_id(fifo.clone()).set_message_deduplication_id(fifo).send().await.unwrap();
    }
}

mod in_memory {
    use super::{InMemory, ManualClock, MemoryDepths, MemoryQueue, MemoryTimers, depths_contract};

    async fn make() -> Option<InMemory> {
        let clock = ManualClock::default();
        let queue = MemoryQueue::new(clock.clone());
        Some(InMemory(MemoryDepths { queue, timers: MemoryTimers::default(), clock }))
    }

    depths_contract! { make }
}

mod on_the_emulator {
    use super::{OnSqs, aws, depths_contract};

    async fn make() -> Option<OnSqs> {
        Some(OnSqs::at(&aws::emulator()?).await)
    }

    depths_contract! { make }
}
