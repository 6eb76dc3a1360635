//! Wiring of the webhook function on Lambda.
//!
//! The secrets are read when the first request comes, by the only network call that starting takes. While they
//! are missing every request is answered with an error that says so, and the log says which one and what to do;
//! once `openreply init` has stored them, the next request finds them.

use lambda_http::{Body, Error, Request, Response, run, service_fn};
use openreply_app::ingest::Ingest;
use openreply_aws::secrets::{SecretsPrefix, WebhookSecrets, webhook_secrets};
use openreply_aws::{DynamoLedger, OsRandom, SqsQueue, SystemClock, logging, settings};
use openreply_graph::{AppSecrets, MetaWebhook};
use tokio::sync::OnceCell;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logging::init();
    let function = Webhook::new().await?;
    let function = &function;
    run(service_fn(|request: Request| async move { Ok::<_, Error>(function.answer(&request).await) })).await
}

struct Webhook {
    ingest: Ingest<DynamoLedger, SqsQueue, SystemClock, OsRandom>,
    ssm: aws_sdk_ssm::Client,
    prefix: SecretsPrefix,
    reader: OnceCell<MetaWebhook>,
}

impl Webhook {
    async fn new() -> Result<Self, Error> {
        let config = settings::sdk_config().await;
        let ingest = Ingest {
            ledger: DynamoLedger::new(
                aws_sdk_dynamodb::Client::new(&config),
                settings::variable("TABLE_NAME")?,
            ),
            queue: SqsQueue::new(aws_sdk_sqs::Client::new(&config), settings::variable("QUEUE_URL")?),
            clock: SystemClock,
            random: OsRandom,
        };
        let prefix = SecretsPrefix::parse(&settings::variable("SECRETS_PREFIX")?)?;
        Ok(Self { ingest, ssm: aws_sdk_ssm::Client::new(&config), prefix, reader: OnceCell::new() })
    }

    async fn answer(&self, request: &Request) -> Response<Body> {
        match self.reader.get_or_try_init(|| self.read_secrets()).await {
            Ok(reader) => openreply_webhook::handle(&self.ingest, reader, request).await,
            Err(error) => {
                tracing::error!(%error, "the webhook cannot work");
                openreply_webhook::not_configured()
            }
        }
    }

    async fn read_secrets(&self) -> Result<MetaWebhook, Error> {
        let WebhookSecrets { app_secrets, verify_token } = webhook_secrets(&self.ssm, &self.prefix).await?;
        // Which of the two is which does not matter: either may have signed.
        let mut app_secrets = app_secrets.into_iter();
        let (instagram, facebook) = (app_secrets.next(), app_secrets.next());
        Ok(MetaWebhook::new(AppSecrets { instagram, facebook, verify_token })?)
    }
}
