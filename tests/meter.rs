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
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsOutput;
use aws_sdk_dynamodb::operation::update_item::UpdateItemOutput;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// What was asked of AWS.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    /// Every request, in order, by the name of its operation: those that fail and are tried again included.
    pub calls: Vec<String>,
    /// What each answered request took of DynamoDB in units of writing or reading, those of indexes included.
    pub units: Vec<(String, f64)>,
}

/// Sits in a DynamoDB client. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    asked: Arc<Mutex<Asked>>,
}

impl Meter {
    /// What was asked since this was asked last.
    #[must_use]
    pub fn take(&self) -> Asked {
        self.with(std::mem::take)
    }

    /// Counts a request that leaves another way.
    pub fn call(&self, operation: &str) {
        self.with(|asked| asked.calls.push(operation.to_owned()));
    }

    fn with<T>(&self, count: impl FnOnce(&mut Asked) -> T) -> T {
        count(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner))
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
        let operation = if output.downcast_ref::<PutItemOutput>().is_some() {
            "PutItem"
        } else if output.downcast_ref::<UpdateItemOutput>().is_some() {
            "UpdateItem"
        } else if output.downcast_ref::<TransactWriteItemsOutput>().is_some() {
            "TransactWriteItems"
        } else if output.downcast_ref::<GetItemOutput>().is_some() {
            "GetItem"
        } else if output.downcast_ref::<BatchGetItemOutput>().is_some() {
            "BatchGetItem"
        } else if output.downcast_ref::<QueryOutput>().is_some() {
            "Query"
        } else {
            return Err("the meter does not know this operation".into());
        };
        let answer: Value = serde_json::from_slice(context.response().body().bytes().unwrap_or_default())?;
        // One table, or a list of them.
        let consumed = &answer["ConsumedCapacity"];
        let consumed = match consumed.as_array() {
            Some(tables) => tables.iter().map(|table| table["CapacityUnits"].as_f64()).sum(),
            None => consumed["CapacityUnits"].as_f64(),
        };
        let units = consumed.ok_or("an answer does not say what it took")?;
        self.with(|asked| asked.units.push((operation.to_owned(), units)));
        Ok(())
    }
}

/// `PutItem` of `x-amz-target: DynamoDB_20120810.PutItem`.
///
/// # Errors
/// When the request names none.
pub fn operation(request: &HttpRequest) -> Result<&str, BoxError> {
    let target = request.headers().get("x-amz-target").unwrap_or_default();
    target.rsplit_once('.').map(|(_, operation)| operation).ok_or_else(|| "no operation is named".into())
}
