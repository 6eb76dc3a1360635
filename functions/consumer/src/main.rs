//! Wiring of the consumer function on Lambda.
//!
//! Starting makes one network call, for the sealing key. The Graph client's TLS configuration is built here
//! once; its connections are made anew for each send and end with it.

use aws_lambda_events::sqs::SqsEvent;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use openreply_app::deliver::{Budget, Deliver, Turn};
use openreply_app::ports::Host;
use openreply_aws::secrets::{SecretsPrefix, sealing_key};
use openreply_aws::{
    AesVault, AwsHost, DynamoLedger, Events, LEDGER_CALL, Metrics, SchedulerSettings, SchedulerTimers,
    SqsQueue, SystemClock, logging, settings,
};
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

    let prefix = SecretsPrefix::parse(&settings::variable("SECRETS_PREFIX")?)?;
    let key = sealing_key(&aws_sdk_ssm::Client::new(&config), &prefix).await?;
    let ledger = DynamoLedger::new(aws_sdk_dynamodb::Client::new(&config), settings::variable("TABLE_NAME")?);
    let sqs = aws_sdk_sqs::Client::new(&config);
    let queue = SqsQueue::new(sqs.clone(), settings::variable("QUEUE_URL")?);
    let scheduler = SchedulerSettings {
        group: settings::variable("SCHEDULE_GROUP")?,
        role_arn: settings::variable("SCHEDULER_ROLE_ARN")?,
        queue_arn: settings::variable("QUEUE_ARN")?,
        delay_queue_url: settings::variable("DELAY_QUEUE_URL")?,
    };
    let timers = SchedulerTimers::new(aws_sdk_scheduler::Client::new(&config), sqs, scheduler, SystemClock);
    let stack = settings::variable("STACK_NAME")?;
    let bus = settings::variable("EVENT_BUS")?;
    let tells_sent = settings::variable("TELL_SENT")? == "true";
    let events = Events::new(aws_sdk_eventbridge::Client::new(&config), bus, &stack, tells_sent);
    let facts = (Metrics::new(stack), events);
    let host =
        AwsHost::new(ledger, queue.clone(), timers, AesVault::new(&key), Graph::new(graph_config)?, facts);
    let links = LinksBase::parse(&settings::variable("LINKS_BASE")?)?;
    Ok((Deliver::new(host, policy, budget).with_tracked_links(Some(links)), queue))
}
