//! Wiring of the health function on Lambda. Starting makes no network call.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use openreply_aws::{DynamoLedger, Metrics, QueueUrls, SqsDepths, SystemClock, logging, settings};
use openreply_health::{Health, Invocation};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logging::init();
    let health =
        wire().await.inspect_err(|error| tracing::error!(%error, "the health function cannot start"))?;
    let health = &health;
    run(service_fn(|event: LambdaEvent<Value>| async move {
        match Invocation::of(&event.payload)? {
            Invocation::Request { method, path } => {
                Ok::<_, Error>(health.answer(&method, &path).await.to_event())
            }
            Invocation::Measure => {
                health.measure().await;
                Ok(Value::Null)
            }
        }
    }))
    .await
}

async fn wire() -> Result<Health<DynamoLedger, SqsDepths, SystemClock, Metrics>, Error> {
    let config = settings::sdk_config().await;
    let ledger = DynamoLedger::new(aws_sdk_dynamodb::Client::new(&config), settings::variable("TABLE_NAME")?);
    let urls = QueueUrls {
        deliveries: settings::variable("QUEUE_URL")?,
        delay: settings::variable("DELAY_QUEUE_URL")?,
        dead: settings::variable("DEAD_LETTER_QUEUE_URLS")?.split_whitespace().map(str::to_owned).collect(),
    };
    let depths = SqsDepths::new(aws_sdk_sqs::Client::new(&config), urls);
    Ok(Health::new(ledger, depths, SystemClock, Metrics::new(settings::variable("STACK_NAME")?)))
}
