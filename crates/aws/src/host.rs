//! AWS as a host, with whatever way to Instagram the wiring brings.

use crate::secrets::{SecretsError, SecretsPrefix, sealing_key};
use crate::settings::{SdkConfig, SettingError, variable};
use crate::{
    AesVault, AwsFacts, DynamoLedger, Events, Metrics, OsRandom, SchedulerSettings, SchedulerTimers,
    SqsQueue, SystemClock,
};
use openreply_app::ports::{Messenger, Ports};

/// The ports of a function on Lambda, with its way to Instagram, and the machine's own time and chance.
pub type AwsHost<M> =
    Ports<DynamoLedger, M, SqsQueue, SchedulerTimers, AesVault, SystemClock, OsRandom, AwsFacts>;

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The template sets something that it does not.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The sealing key cannot be had.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
}

/// The host that the template's environment describes, with this way to Instagram. Makes one network call, for the
/// sealing key.
///
/// # Errors
/// When a setting is missing, or the sealing key cannot be had.
pub async fn aws_host<M: Messenger>(config: &SdkConfig, messenger: M) -> Result<AwsHost<M>, HostError> {
    let prefix = SecretsPrefix::parse(&variable("SECRETS_PREFIX")?)?;
    let key = sealing_key(&aws_sdk_ssm::Client::new(config), &prefix).await?;
    let sqs = aws_sdk_sqs::Client::new(config);
    let scheduler = SchedulerSettings {
        group: variable("SCHEDULE_GROUP")?,
        role_arn: variable("SCHEDULER_ROLE_ARN")?,
        queue_arn: variable("QUEUE_ARN")?,
        delay_queue_url: variable("DELAY_QUEUE_URL")?,
    };
    let stack = variable("STACK_NAME")?;
    let tells_sent = variable("TELL_SENT")? == "true";
    let bus = aws_sdk_eventbridge::Client::new(config);
    let events = Events::new(bus, variable("EVENT_BUS")?, &stack, tells_sent);
    let schedules = aws_sdk_scheduler::Client::new(config);
    Ok(Ports {
        ledger: DynamoLedger::new(aws_sdk_dynamodb::Client::new(config), variable("TABLE_NAME")?),
        messenger,
        queue: SqsQueue::new(sqs.clone(), variable("QUEUE_URL")?),
        timers: SchedulerTimers::new(schedules, sqs, scheduler, SystemClock),
        vault: AesVault::new(&key),
        facts: (Metrics::new(stack), events),
        clock: SystemClock,
        random: OsRandom,
    })
}
