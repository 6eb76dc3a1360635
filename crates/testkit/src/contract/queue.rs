//! The contract of [`openreply_app::ports::Queue`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use openreply_app::job::Job;
use openreply_app::ports::{Enqueue, Queue};
use openreply_domain::ids::{AccountId, MessageId, UserId};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::{Message, QueueIdentity, Trigger};
use std::collections::BTreeMap;
use std::future::Future;

/// A queue with the other end in reach.
pub trait QueueBench: Send + Sync {
    /// What is tested.
    type Queue: Queue;

    /// The queue.
    fn queue(&self) -> &Self::Queue;

    /// Receives up to ten messages, waiting a second at most for the first.
    fn receive(&self) -> impl Future<Output = Vec<Got>> + Send;

    /// Removes a message for good.
    fn delete(&self, receipt: &str) -> impl Future<Output = ()> + Send;

    /// Lets time go by, on whatever clock the queue has.
    fn pass(&self, span: SignedDuration) -> impl Future<Output = ()> + Send;
}

/// A message as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct Got {
    /// What it asks for.
    pub job: Job,
    /// Its group.
    pub group: String,
    /// For deleting it or giving it back.
    pub receipt: String,
}

/// What person `user` wrote as their message `n`.
fn job(user: usize, n: usize, text: &str) -> Enqueue {
    let trigger = Trigger::Message(Message {
        account: AccountId::parse("17841400000000001").unwrap(),
        id: MessageId::parse(format!("mid.{user}.{n}")).unwrap(),
        from: UserId::parse(format!("90{user}")).unwrap(),
        text: Some(text.to_owned()),
        at: None,
    });
    let received_at = Timestamp::from_millisecond(1_796_054_400_123).unwrap();
    Enqueue { identity: QueueIdentity::of(&trigger), job: Job::Ingested { trigger, received_at } }
}

async fn taken(bench: &impl QueueBench, jobs: &[Enqueue]) {
    assert_eq!(bench.queue().enqueue(jobs).await.unwrap(), []);
}

/// Receives and deletes until nothing comes any more.
async fn drained(bench: &impl QueueBench) -> Vec<Got> {
    let mut all = Vec::new();
    loop {
        let got = bench.receive().await;
        if got.is_empty() {
            return all;
        }
        for message in &got {
            bench.delete(&message.receipt).await;
        }
        all.extend(got);
    }
}

fn jobs(got: &[Got]) -> Vec<Job> {
    got.iter().map(|message| message.job.clone()).collect()
}

/// No jobs, no trouble.
pub async fn nothing_is_enqueued_for_nothing(bench: &impl QueueBench) {
    taken(bench, &[]).await;
    assert_eq!(bench.receive().await, []);
}

/// Over several calls of ten, and over several hand-overs.
pub async fn a_group_keeps_its_order(bench: &impl QueueBench) {
    let sent: Vec<Enqueue> = (0..25).map(|n| job(1, n, "hi")).collect();
    taken(bench, &sent[..23]).await;
    taken(bench, &sent[23..]).await;
    assert_eq!(jobs(&drained(bench).await), sent.iter().map(|entry| entry.job.clone()).collect::<Vec<_>>());
}

/// A hundred messages of thirteen people, all mixed: each once, each person's in order.
pub async fn everybody_of_many_arrives_once(bench: &impl QueueBench) {
    let sent: Vec<Enqueue> = (0..100).map(|n| job(n * n % 13, n, "hi")).collect();
    taken(bench, &sent).await;
    let mut expected: BTreeMap<String, Vec<Job>> = BTreeMap::new();
    for entry in &sent {
        expected.entry(entry.identity.group.clone()).or_default().push(entry.job.clone());
    }
    let mut arrived: BTreeMap<String, Vec<Job>> = BTreeMap::new();
    for message in drained(bench).await {
        arrived.entry(message.group).or_default().push(message.job);
    }
    assert_eq!(arrived, expected);
}

/// Within five minutes, also when the first one is done and gone.
pub async fn a_copy_counts_as_taken_and_does_not_arrive(bench: &impl QueueBench) {
    taken(bench, &[job(1, 1, "hi"), job(1, 1, "hi")]).await;
    taken(bench, &[job(1, 1, "hi")]).await;
    assert_eq!(jobs(&drained(bench).await), [job(1, 1, "hi").job]);
    taken(bench, &[job(1, 1, "hi"), job(1, 2, "hi")]).await;
    assert_eq!(jobs(&drained(bench).await), [job(1, 2, "hi").job]);
}

/// Deduplication looks at one group.
pub async fn the_same_id_in_another_group_is_no_copy(bench: &impl QueueBench) {
    let first = job(1, 1, "hi");
    let mut second = job(2, 1, "hi");
    second.identity.dedup.clone_from(&first.identity.dedup);
    taken(bench, &[first, second]).await;
    assert_eq!(drained(bench).await.len(), 2);
}

/// Whatever people can write, and what no queue has a place for.
pub async fn any_text_arrives_as_it_was(bench: &impl QueueBench) {
    let texts = [
        "",
        "🍞 \"quoted\" \\ <b>&amp;</b>",
        "a\u{0}b\tc\r\nd\u{7F}",
        "\u{FFFE}\u{FFFF}\u{FEFF}",
        "مرحبا\u{200F}",
    ];
    let sent: Vec<Enqueue> = (0..).zip(texts).map(|(n, text)| job(1, n, text)).collect();
    taken(bench, &sent).await;
    assert_eq!(jobs(&drained(bench).await), sent.iter().map(|entry| entry.job.clone()).collect::<Vec<_>>());
}

/// After the delay, in order, and not before.
pub async fn what_goes_back_comes_again_soon(bench: &impl QueueBench) {
    let sent: Vec<Enqueue> = (0..3).map(|n| job(1, n, "hi")).collect();
    taken(bench, &sent).await;
    let first = bench.receive().await;
    assert_eq!(jobs(&first)[0], sent[0].job);
    let receipts: Vec<String> = first.into_iter().map(|message| message.receipt).collect();
    bench.queue().return_soon(&receipts, SignedDuration::from_secs(3)).await.unwrap();
    assert_eq!(bench.receive().await, []);
    bench.pass(SignedDuration::from_secs(4)).await;
    assert_eq!(jobs(&drained(bench).await), sent.iter().map(|entry| entry.job.clone()).collect::<Vec<_>>());
}

/// It neither fails nor keeps the others from going back.
pub async fn a_receipt_that_is_no_longer_good_is_passed_over(bench: &impl QueueBench) {
    taken(bench, &[job(1, 1, "hi"), job(2, 1, "hi")]).await;
    let mut receipts: Vec<String> =
        bench.receive().await.into_iter().map(|message| message.receipt).collect();
    if receipts.len() < 2 {
        receipts.extend(bench.receive().await.into_iter().map(|message| message.receipt));
    }
    assert_eq!(receipts.len(), 2);
    bench.delete(&receipts[0]).await;
    bench.queue().return_soon(&receipts, SignedDuration::ZERO).await.unwrap();
    assert_eq!(bench.receive().await.len(), 1);
}
