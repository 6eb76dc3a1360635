//! A deployed stack as a person's commands meet it: each part under the name that the template gives it.
//!
//! Guarantees: a command asks AWS only for the parts it needs, so that trouble with one keeps nobody from what works
//! without it; and whoever has set no region or has no credentials is told so instead of "could not be reached".

use aws_sdk_sqs::config::ProvideCredentials;
use aws_sdk_sqs::error::ProvideErrorMetadata;
use openreply_aws::secrets::{SecretsPrefix, sealing_key};
use openreply_aws::{AesVault, DynamoLedger, Events, SqsQueue, settings};
use std::fmt::Display;

/// The stack that is meant.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct StackName {
    /// The stack's name.
    #[arg(long)]
    stack: String,
}

impl StackName {
    /// The stack, with the AWS settings of this machine.
    pub(crate) async fn find(self) -> Result<Stack, String> {
        let config = settings::sdk_config().await;
        if config.region().is_none() {
            return Err(
                "no AWS region is set: set AWS_REGION, or a region in the AWS profile you use".to_owned()
            );
        }
        let provider = config.credentials_provider();
        let found = match &provider {
            Some(provider) => provider.provide_credentials().await.is_ok(),
            None => false,
        };
        if !found {
            return Err("AWS gave no credentials: sign in (such as with aws sso login), or set AWS_PROFILE or the keys, and try `aws sts get-caller-identity`".to_owned());
        }
        Ok(Stack { name: self.stack, config })
    }
}

/// A stack.
pub(crate) struct Stack {
    name: String,
    config: settings::SdkConfig,
}

impl Stack {
    /// What the person calls it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Its ledger. Asks nothing of AWS yet.
    pub(crate) fn ledger(&self) -> DynamoLedger {
        DynamoLedger::new(aws_sdk_dynamodb::Client::new(&self.config), format!("{}-ledger", self.name))
    }

    /// Its events. Somebody whose AWS user may not put any is told so, and what they did is done.
    pub(crate) fn events(&self) -> Events {
        let client = aws_sdk_eventbridge::Client::new(&self.config);
        Events::new(client, format!("{}-events", self.name), &self.name, false)
    }

    /// Its deliveries queue.
    pub(crate) async fn queue(&self) -> Result<SqsQueue, String> {
        Ok(SqsQueue::new(self.sqs(), self.queue_url("deliveries.fifo").await?))
    }

    /// Where one of its queues is.
    pub(crate) async fn queue_url(&self, queue: &str) -> Result<String, String> {
        let name = format!("{}-{queue}", self.name);
        let found = self.sqs().get_queue_url().queue_name(&name).send().await.map_err(|error| {
            let code = error.code().unwrap_or("AWS could not be reached");
            format!("cannot find the queue {name}: {code}; check the stack's name and your AWS settings")
        })?;
        found.queue_url.ok_or_else(|| format!("AWS did not say where the queue {name} is"))
    }

    /// The way to all queues.
    pub(crate) fn sqs(&self) -> aws_sdk_sqs::Client {
        aws_sdk_sqs::Client::new(&self.config)
    }

    /// The way to its secrets.
    pub(crate) fn ssm(&self) -> aws_sdk_ssm::Client {
        aws_sdk_ssm::Client::new(&self.config)
    }

    /// What opens and seals its tokens.
    pub(crate) async fn vault(&self) -> Result<AesVault, String> {
        let key = sealing_key(&self.ssm(), &self.secrets()).await.map_err(self.trouble())?;
        Ok(AesVault::new(&key))
    }

    /// Where its secrets are.
    pub(crate) fn secrets(&self) -> SecretsPrefix {
        SecretsPrefix::of_stack(&self.name)
    }

    /// What went wrong, with the stack that was meant.
    pub(crate) fn trouble<E: Display>(&self) -> impl Fn(E) -> String {
        |error| format!("stack {}: {error}", self.name)
    }
}
