//! `openreply stop`, `start` and `lift`: the switches of a person.

use crate::say;
use aws_sdk_sqs::error::ProvideErrorMetadata;
use openreply_app::ports::Clock;
use openreply_app::resume;
use openreply_aws::{DynamoLedger, Events, SqsQueue, SystemClock, settings};
use openreply_domain::ids::AccountId;

/// Stops everything.
pub(crate) async fn stop(stack: &str) -> Result<(), String> {
    let (ledger, _, _) = parts(stack).await?;
    resume::stop(&ledger, SystemClock.now()).await.map_err(|error| error.to_string())?;
    say(&format!(
        "stopped: nothing is sent; what comes in waits. Go on with: openreply start --stack {stack}"
    ));
    Ok(())
}

/// Ends the stop.
pub(crate) async fn start(stack: &str) -> Result<(), String> {
    let (ledger, queue, events) = parts(stack).await?;
    let woken = resume::start(&ledger, &queue, &events, SystemClock.now())
        .await
        .map_err(|error| error.to_string())?;
    say(&format!("started: {woken} deliveries that waited go on"));
    Ok(())
}

/// Lifts a hold.
pub(crate) async fn lift(account: &str, stack: &str) -> Result<(), String> {
    let (ledger, queue, events) = parts(stack).await?;
    let now = SystemClock.now();
    let woken = if account == "app" {
        resume::lift_app(&ledger, &queue, &events, now).await
    } else {
        let id = AccountId::parse(account).map_err(|error| format!("the account id {error}"))?;
        resume::lift(&ledger, &queue, &events, &id, now).await
    };
    let woken = woken.map_err(|error| error.to_string())?;
    say(&format!("lifted: {woken} deliveries that waited go on"));
    Ok(())
}

pub(crate) async fn parts(stack: &str) -> Result<(DynamoLedger, SqsQueue, Events), String> {
    let config = settings::sdk_config().await;
    // As the template names it.
    let ledger = DynamoLedger::new(aws_sdk_dynamodb::Client::new(&config), format!("{stack}-ledger"));
    Ok((ledger, queue(&config, stack).await?, events(&config, stack)))
}

/// The stack's events. Somebody whose AWS user may not put any is told so, and what they did is done.
pub(crate) fn events(config: &settings::SdkConfig, stack: &str) -> Events {
    // As the template names it.
    Events::new(aws_sdk_eventbridge::Client::new(config), format!("{stack}-events"), stack, false)
}

/// The stack's queue, found by its name.
pub(crate) async fn queue(config: &settings::SdkConfig, stack: &str) -> Result<SqsQueue, String> {
    let client = aws_sdk_sqs::Client::new(config);
    let url = queue_url(&client, &format!("{stack}-deliveries.fifo")).await?;
    Ok(SqsQueue::new(client, url))
}

/// Where a queue is.
pub(crate) async fn queue_url(client: &aws_sdk_sqs::Client, name: &str) -> Result<String, String> {
    let found = client.get_queue_url().queue_name(name).send().await.map_err(|error| {
        let code = error.code().unwrap_or("AWS could not be reached");
        format!("cannot find the queue {name}: {code}; check the stack's name and your AWS settings")
    })?;
    found.queue_url.ok_or_else(|| format!("AWS did not say where the queue {name} is"))
}
