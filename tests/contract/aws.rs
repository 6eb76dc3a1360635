//! AWS at hand: an embedded DynamoDB, or an emulator of everything.

use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::Credentials;
use dynoxide::Database;
use openreply_app::ports::Random;
use openreply_aws::OsRandom;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Once;
use std::time::Duration;
use tokio::net::TcpListener;

/// Starts an empty DynamoDB that ends with the test's runtime.
pub(crate) async fn dynamo() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(dynoxide::server::serve_on(listener, Database::memory().unwrap()));
    address
}

/// The emulator's address. Without one, says once that its tests are skipped.
pub(crate) fn emulator() -> Option<String> {
    static TOLD: Once = Once::new();
    let url = std::env::var("OPENREPLY_EMULATOR_URL").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        // Written past the test harness, which shows the output of failures only.
        TOLD.call_once(|| {
            drop(writeln!(
                std::io::stderr(),
                "\nskipped: the contracts on an AWS emulator (OPENREPLY_EMULATOR_URL is not set; `cargo xtask test` sets it)"
            ));
        });
    }
    url
}

/// The clients' configuration for an AWS at `url`. Patient: a slow machine is no lost answer.
pub(crate) async fn config(url: &str) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(Credentials::new("test", "test", None, None, "test"))
        .endpoint_url(url)
        .timeout_config(TimeoutConfig::builder().operation_timeout(Duration::from_secs(60)).build())
        .retry_config(openreply_aws::settings::retries())
        .load()
        .await
}

/// A name that nothing on the emulator has yet.
pub(crate) fn unique(what: &str) -> String {
    format!("contract-{what}-{:016x}", OsRandom.number())
}
