//! What a client asks of DynamoDB, as permissions.

use aws_sdk_dynamodb::config::interceptors::BeforeTransmitInterceptorContextRef;
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use openreply_tests::meter::operation;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Sits in a client and writes down what each request needs. Clones write together.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder {
    needed: Arc<Mutex<BTreeSet<(String, String)>>>,
}

impl Recorder {
    /// Everything that was needed so far, as `(action, resource)`.
    pub(super) fn needed(&self) -> BTreeSet<(String, String)> {
        self.needed.lock().unwrap().clone()
    }
}

impl Intercept for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn read_before_transmit(
        &self,
        context: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let request = context.request();
        let operation = operation(request)?;
        let body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default())?;
        let resource = match body["IndexName"].as_str() {
            Some(index) => format!("index {index} of the ledger"),
            None => "Ledger.Arn".to_owned(),
        };
        let actions = actions(operation, &body)?;
        self.needed.lock().unwrap().extend(actions.into_iter().map(|action| (action, resource.clone())));
        Ok(())
    }
}

/// A transaction needs what its parts need alone (IAM knows no action for the transaction itself: "Using IAM with
/// DynamoDB transactions" in AWS's developer guide).
fn actions(operation: &str, body: &Value) -> Result<Vec<String>, BoxError> {
    match operation {
        "TransactWriteItems" => {
            let parts = body["TransactItems"].as_array().ok_or("a transaction without parts")?;
            let kinds =
                parts.iter().flat_map(|part| part.as_object().into_iter().flat_map(|part| part.keys()));
            kinds
                .map(|kind| match kind.as_str() {
                    "Put" | "Update" | "Delete" => Ok(format!("dynamodb:{kind}Item")),
                    "ConditionCheck" => Ok("dynamodb:ConditionCheckItem".to_owned()),
                    other => Err(format!("say which permission {other} needs").into()),
                })
                .collect()
        }
        "BatchGetItem" | "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" | "Query" => {
            Ok(vec![format!("dynamodb:{operation}")])
        }
        other => Err(format!("say which permission {other} needs").into()),
    }
}
