//! Counts what leaves for AWS, and what DynamoDB says that it took.

use aws_sdk_dynamodb::config::http::HttpRequest;
use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextMut,
    BeforeTransmitInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::operation::get_item::GetItemOutput;
use aws_sdk_dynamodb::operation::put_item::PutItemOutput;
use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::update_item::UpdateItemOutput;
use openreply_app::ports::{Enqueue, Queue, QueueError, Refused};
use openreply_domain::time::SignedDuration;
use serde_json::Value;
use std::ops::Add;
use std::sync::{Arc, Mutex};

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

/// Sits in the DynamoDB client and before the queue. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    spent: Arc<Mutex<Spent>>,
}

impl Meter {
    /// What was spent since this was asked last.
    pub(crate) fn take(&self) -> Spent {
        std::mem::take(&mut *self.spent.lock().unwrap())
    }

    fn call(&self, operation: &str) {
        self.spent.lock().unwrap().calls.push(operation.to_owned());
    }
}

impl Intercept for Meter {
    fn name(&self) -> &'static str {
        "meter"
    }

    /// Asks for the units, whatever the operation.
    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default())?;
        body["ReturnConsumedCapacity"] = "TOTAL".into();
        let body = serde_json::to_vec(&body)?;
        request.headers_mut().insert("content-length", body.len().to_string());
        *request.body_mut() = body.into();
        Ok(())
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.call(operation(context.request())?);
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        // A refused condition is billed too, but DynamoDB does not say how much.
        let Ok(output) = context.output_or_error() else { return Ok(()) };
        let answer: Value = serde_json::from_slice(context.response().body().bytes().unwrap_or_default())?;
        // One table, or a list of them.
        let consumed = &answer["ConsumedCapacity"];
        let consumed = match consumed.as_array() {
            Some(tables) => tables.iter().map(|table| table["CapacityUnits"].as_f64()).sum(),
            None => consumed["CapacityUnits"].as_f64(),
        };
        let units = consumed.ok_or("an answer does not say what it took")?;
        let mut spent = self.spent.lock().unwrap();
        if output.downcast_ref::<PutItemOutput>().is_some()
            || output.downcast_ref::<UpdateItemOutput>().is_some()
        {
            spent.writes += units;
        } else if output.downcast_ref::<BatchGetItemOutput>().is_some()
            || output.downcast_ref::<GetItemOutput>().is_some()
            || output.downcast_ref::<QueryOutput>().is_some()
        {
            spent.reads += units;
        } else {
            return Err("is this operation a read or a write? say so in the meter".into());
        }
        Ok(())
    }
}

/// `PutItem` of `x-amz-target: DynamoDB_20120810.PutItem`.
fn operation(request: &HttpRequest) -> Result<&str, BoxError> {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit_once('.').map(|(_, operation)| operation).ok_or_else(|| "no operation is named".into())
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
