//! What something took, in calls, units and requests to Instagram.

use openreply_app::ports::{Enqueue, Queue, QueueError, Refused};
use openreply_domain::time::SignedDuration;
use openreply_tests::meter::{Asked, Meter};
use std::ops::Add;

/// What something took.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Spent {
    /// Every request to AWS, in order, by the name of its operation.
    pub(crate) calls: Vec<String>,
    /// Units of writing, those of indexes included.
    pub(crate) writes: f64,
    /// Units of reading.
    pub(crate) reads: f64,
    /// Requests to Instagram.
    pub(crate) graph: usize,
}

impl Add for Spent {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self.calls.extend(other.calls);
        self.writes += other.writes;
        self.reads += other.reads;
        self.graph += other.graph;
        self
    }
}

impl Spent {
    /// What was asked of AWS, and so many requests to Instagram.
    pub(crate) fn of(asked: Asked, graph: usize) -> Self {
        let mut spent = Self { calls: asked.calls, graph, ..Self::default() };
        for (operation, units) in asked.units {
            match operation.as_str() {
                "PutItem" | "UpdateItem" => spent.writes += units,
                "BatchGetItem" | "GetItem" | "Query" => spent.reads += units,
                other => panic!("is {other} a read or a write? say so here"),
            }
        }
        spent
    }
}

/// A queue whose calls are counted as SQS would get them: ten messages at most in each.
#[derive(Debug, Clone)]
pub(crate) struct MeteredQueue<Q> {
    pub(crate) queue: Q,
    pub(crate) meter: Meter,
}

const MAX_BATCH: usize = 10;

impl<Q: Queue> Queue for MeteredQueue<Q> {
    async fn enqueue(&self, jobs: &[Enqueue]) -> Result<Vec<Refused>, QueueError> {
        for _ in jobs.chunks(MAX_BATCH) {
            self.meter.call("SendMessageBatch");
        }
        self.queue.enqueue(jobs).await
    }

    async fn return_soon(&self, receipts: &[String], delay: SignedDuration) -> Result<(), QueueError> {
        for _ in receipts.chunks(MAX_BATCH) {
            self.meter.call("ChangeMessageVisibilityBatch");
        }
        self.queue.return_soon(receipts, delay).await
    }
}
