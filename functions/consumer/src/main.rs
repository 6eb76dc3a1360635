//! Wiring of the consumer function on Lambda.
//!
//! Starting makes one network call, for the sealing key. The Graph client's TLS configuration is built here
//! once; its connections are made anew for each send and end with it.

use aws_lambda_events::sqs::SqsEvent;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::ports::Host;
use openreply_aws::{LEDGER_CALL, SqsQueue, aws_host, logging, settings};
use openreply_domain::links::LinksBase;
use openreply_domain::send::Policy;
use openreply_domain::time::{SignedDuration, from_millis};
use openreply_graph::{Graph, GraphConfig};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logging::init();
    let (deliver, queue) =
        wire().await.inspect_err(|error| tracing::error!(%error, "the consumer cannot start"))?;
    run(service_fn(|event: LambdaEvent<SqsEvent>| async {
        let LambdaEvent { payload, context } = event;
        let deadline = from_millis(i64::try_from(context.deadline).unwrap_or(i64::MAX));
        let turn = Turn { holder: context.request_id, deadline };
        Ok::<_, Error>(openreply_consumer::handle(&deliver, &queue, payload, &turn).await)
    }))
    .await
}

async fn wire() -> Result<(Deliver<impl Host>, SqsQueue), Error> {
    let config = settings::sdk_config().await;
    let graph_config = GraphConfig {
        base: settings::variable("GRAPH_API_BASE")?,
        version: settings::variable("GRAPH_API_VERSION")?,
        ..GraphConfig::default()
    };
    let budget =
        Budget { ledger_call: LEDGER_CALL, send: SignedDuration::try_from(graph_config.total_timeout)? };
    let policy = Policy {
        max_attempts: settings::number("MAX_SEND_ATTEMPTS")?,
        hourly_limit: settings::number("HOURLY_DM_LIMIT")?,
        monthly_limit: settings::count("MONTHLY_DM_LIMIT")?,
    };
    let host = aws_host(&config, Graph::new(graph_config)?).await?;
    let queue = host.queue.clone();
    let links = LinksBase::parse(&settings::variable("LINKS_BASE")?)?;
    Ok((Deliver::new(host, policy, budget).with_tracked_links(Some(links)), queue))
}
