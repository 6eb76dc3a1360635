//! Wiring of the links function on Lambda. Starting makes no network call.

use lambda_http::request::RequestContext;
use lambda_http::{Error, Request, RequestExt, run, service_fn};
use openreply_aws::{DynamoLedger, OsRandom, SystemClock, logging, settings};
use openreply_links::Redirects;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    logging::init();
    let config = settings::sdk_config().await;
    let ledger = DynamoLedger::new(aws_sdk_dynamodb::Client::new(&config), settings::variable("TABLE_NAME")?);
    let redirects = Redirects::new(ledger, SystemClock, OsRandom);
    let redirects = &redirects;
    run(service_fn(|request: Request| async move {
        let address = address(&request);
        Ok::<_, Error>(redirects.answer(&request, &address).await)
    }))
    .await
}

/// Where a request came from, as API Gateway saw it.
fn address(request: &Request) -> String {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.http.source_ip.clone().unwrap_or_default(),
        Some(_) | None => String::new(),
    }
}
