//! What DynamoDB would bill: every answered call of a client, with the capacity that it took.

use aws_sdk_dynamodb::config::interceptors::{
    AfterDeserializationInterceptorContextRef, BeforeTransmitInterceptorContextMut,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::BatchGetItemOutput;
use aws_sdk_dynamodb::operation::put_item::PutItemOutput;
use aws_sdk_dynamodb::operation::query::QueryOutput;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsOutput;
use aws_sdk_dynamodb::operation::update_item::UpdateItemOutput;
use aws_sdk_dynamodb::types::ConsumedCapacity;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// Counts the calls of the clients that it is given to. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    calls: Arc<Mutex<Vec<(&'static str, f64)>>>,
}

impl Meter {
    /// The calls since this was asked last, each with its units of writing or reading, those of indexes
    /// included.
    pub(crate) fn take(&self) -> Vec<(&'static str, f64)> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }
}

impl Intercept for Meter {
    fn name(&self) -> &'static str {
        "meter"
    }

    /// Asks for the units, whatever the call.
    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request_mut();
        let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default())?;
        body["ReturnConsumedCapacity"] = "INDEXES".into();
        let body = serde_json::to_vec(&body)?;
        request.headers_mut().insert("content-length", body.len().to_string());
        *request.body_mut() = body.into();
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let Ok(output) = context.output_or_error() else { return Ok(()) };
        let one = |consumed: &Option<ConsumedCapacity>| units(consumed.as_slice());
        let call = if let Some(output) = output.downcast_ref::<PutItemOutput>() {
            ("PutItem", one(&output.consumed_capacity))
        } else if let Some(output) = output.downcast_ref::<UpdateItemOutput>() {
            ("UpdateItem", one(&output.consumed_capacity))
        } else if let Some(output) = output.downcast_ref::<QueryOutput>() {
            ("Query", one(&output.consumed_capacity))
        } else if let Some(output) = output.downcast_ref::<BatchGetItemOutput>() {
            ("BatchGetItem", units(output.consumed_capacity()))
        } else if let Some(output) = output.downcast_ref::<TransactWriteItemsOutput>() {
            ("TransactWriteItems", units(output.consumed_capacity()))
        } else {
            return Err("the meter does not know this call".into());
        };
        self.calls.lock().unwrap().push(call);
        Ok(())
    }
}

fn units(consumed: &[ConsumedCapacity]) -> f64 {
    consumed.iter().filter_map(|table| table.capacity_units).sum()
}
