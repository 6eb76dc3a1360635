//! The contract of [`openreply_app::ports::QueueDepths`] and [`openreply_app::ports::DelayQueue`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use openreply_app::job::Job;
use openreply_app::ports::{DelayQueue, Depths, Enqueue, Queue, QueueDepths};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_domain::trigger::QueueIdentity;
use std::future::Future;

/// Queues of a stack, with the other end in reach.
pub trait DepthsBench: Send + Sync {
    /// What counts.
    type Depths: QueueDepths;
    /// What is counted.
    type Queue: Queue;
    /// What delays.
    type Delay: DelayQueue;

    /// What is tested.
    fn depths(&self) -> &Self::Depths;
    /// The FIFO queue.
    fn queue(&self) -> &Self::Queue;
    /// The delay queue.
    fn delay(&self) -> &Self::Delay;
    /// What time it is for them.
    fn now(&self) -> Timestamp;
    /// Receives one message, and keeps it.
    fn receive_one(&self) -> impl Future<Output = ()> + Send;
    /// Puts a message where dead letters are.
    fn bury_one(&self) -> impl Future<Output = ()> + Send;
}

fn beat(n: u32) -> Enqueue {
    let job = Job::Beat { id: n.to_string(), due_at: None, echo: true };
    // Groups of their own, so that each can be received beside the others.
    Enqueue { identity: QueueIdentity { group: format!("g{n}"), dedup: format!("d{n}") }, job }
}

/// Nothing on any queue.
pub async fn empty_queues_count_nothing(bench: &impl DepthsBench) {
    assert_eq!(bench.depths().depths().await.unwrap(), Depths::default());
    assert_eq!(bench.depths().dead_letters().await.unwrap(), 0);
}

/// What waits, what somebody holds, and what comes later, each on its own.
pub async fn each_message_is_counted_where_it_is(bench: &impl DepthsBench) {
    let jobs = [beat(1), beat(2), beat(3)];
    assert_eq!(bench.queue().enqueue(&jobs).await.unwrap(), []);
    bench.delay().delay(&beat(4), after(bench.now(), SignedDuration::from_secs(600))).await.unwrap();
    bench.delay().delay(&beat(5), after(bench.now(), SignedDuration::from_secs(700))).await.unwrap();
    assert_eq!(bench.depths().depths().await.unwrap(), Depths { visible: 3, in_flight: 0, delayed: 2 });
    bench.receive_one().await;
    assert_eq!(bench.depths().depths().await.unwrap(), Depths { visible: 2, in_flight: 1, delayed: 2 });
    assert_eq!(bench.depths().dead_letters().await.unwrap(), 0);
}

/// On whichever queue they died.
pub async fn dead_letters_are_counted(bench: &impl DepthsBench) {
    for expected in 1..=2 {
        bench.bury_one().await;
        assert_eq!(bench.depths().dead_letters().await.unwrap(), expected);
    }
}
