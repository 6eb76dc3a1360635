//! What the adapters make of answers that no emulator gives.
#![cfg(test)]

mod events;
mod gates;
mod ledger;
mod patience;
mod queue;
mod secrets;
mod timers;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use openreply_testkit::sockets::{Reply, Script, ScriptedServer};
use serde_json::Value;

/// Clients of a server, as they behave on Lambda.
async fn config(server: &ScriptedServer) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(server.http())
        .timeout_config(openreply_aws::settings::timeouts())
        .retry_config(openreply_aws::settings::retries())
        .load()
        .await
}

fn json(status: u16, body: &Value) -> Script {
    Script::Respond(Reply::json(status, body.to_string()).header("x-amzn-requestid", "test"))
}

/// A refusal as DynamoDB, SQS and SSM word it.
fn refusal(status: u16, code: &str, message: &str) -> Script {
    json(status, &serde_json::json!({ "__type": format!("com.amazonaws#{code}"), "message": message }))
}

/// The bodies that a server was sent.
fn bodies(server: &ScriptedServer) -> Vec<Value> {
    server.received().iter().map(|request| serde_json::from_slice(&request.body).unwrap()).collect()
}
