//! Wiring of the reconciler function on Lambda. Starting makes one network call, for the sealing key.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use openreply_app::deliver::{Budget, Deliver};
use openreply_app::ports::{Host, SweepLedger};
use openreply_app::sweep::Sweep;
use openreply_aws::{LEDGER_CALL, SqsSweepQueue, aws_host, logging, settings};
use openreply_domain::links::LinksBase;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, after, from_millis};
use openreply_graph::{Graph, GraphConfig, WebhookBodies};
use openreply_reconciler::{Invocation, carry_out, plan_round};
use serde_json::Value;

/// What a sweep leaves of the invocation's time, to write down what it came to.
const LAST_WORDS: SignedDuration = SignedDuration::from_secs(10);
/// How long after a write an index may not show it yet. AWS names no bound; it is mostly under a second.
const INDEX_LAG: SignedDuration = SignedDuration::from_secs(30);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logging::init();
    let (sweep, queue) =
        wire().await.inspect_err(|error| tracing::error!(%error, "the reconciler cannot start"))?;
    let (sweep, queue) = (&sweep, &queue);
    run(service_fn(|event: LambdaEvent<Value>| async move {
        let LambdaEvent { payload, context } = event;
        match Invocation::of(payload)? {
            Invocation::Plan => {
                plan_round(sweep, queue).await?;
                Ok::<_, Error>(Value::Null)
            }
            Invocation::Sweeps(event) => {
                let end = from_millis(i64::try_from(context.deadline).unwrap_or(i64::MAX));
                let response = carry_out(sweep, event, after(end, -LAST_WORDS)).await;
                Ok(serde_json::to_value(response)?)
            }
        }
    }))
    .await
}

async fn wire() -> Result<(Sweep<impl Host<Ledger: SweepLedger>, Graph, WebhookBodies>, SqsSweepQueue), Error>
{
    let config = settings::sdk_config().await;
    let graph_config = GraphConfig {
        base: settings::variable("GRAPH_API_BASE")?,
        version: settings::variable("GRAPH_API_VERSION")?,
        ..GraphConfig::default()
    };
    let budget =
        Budget { ledger_call: LEDGER_CALL, send: SignedDuration::try_from(graph_config.total_timeout)? };
    let graph = Graph::new(graph_config)?;
    let host = aws_host(&config, graph.clone()).await?;
    let sqs = aws_sdk_sqs::Client::new(&config);
    let sweeps = SqsSweepQueue::new(sqs, settings::variable("SWEEP_QUEUE_URL")?);
    // Nothing is sent here, so no limit of sending matters.
    let links = LinksBase::parse(&settings::variable("LINKS_BASE")?)?;
    let deliver = Deliver::new(host, Policy::default(), budget).with_tracked_links(Some(links));
    Ok((Sweep { deliver, reader: graph, bodies: WebhookBodies, index_lag: INDEX_LAG }, sweeps))
}
