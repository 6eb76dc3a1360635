//! How the AWS clients behave.
//!
//! Every call is over within [`LEDGER_CALL`], its retries included, so that a budget of time can rely on
//! it. Nothing here makes a network call: on Lambda, region and credentials come from the environment.

use aws_config::BehaviorVersion;
pub use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use openreply_domain::time::SignedDuration;
use std::time::Duration;

/// The longest that one call takes, of the ledger as of anything else, retries included.
pub const LEDGER_CALL: SignedDuration = SignedDuration::from_secs(5);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_ATTEMPTS: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The configuration that all clients of a process share.
pub async fn sdk_config() -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .timeout_config(timeouts())
        .retry_config(retries())
        .load()
        .await
}

/// The bounds of one call.
#[must_use]
pub fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(LEDGER_CALL.unsigned_abs())
        .build()
}

/// How one call tries again. A conditional write may be tried again too: the condition, and the claim in what
/// stands there, tell whether an earlier try was written.
#[must_use]
pub fn retries() -> RetryConfig {
    RetryConfig::standard().with_max_attempts(MAX_ATTEMPTS).with_initial_backoff(FIRST_PAUSE)
}

/// A setting that the template hands to a function is missing or unusable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// It is not there.
    #[error(
        "the environment variable {name} is not set; the stack's template sets it: deploy the stack again"
    )]
    Missing {
        /// Its name.
        name: &'static str,
    },
    /// It should be a number.
    #[error("the environment variable {name} is `{value}`; it has to be a whole number from {least}")]
    NotANumber {
        /// Its name.
        name: &'static str,
        /// What it was.
        value: String,
        /// The least that it may be.
        least: u32,
    },
}

/// A setting of the function.
///
/// # Errors
/// When it is not set.
pub fn variable(name: &'static str) -> Result<String, SettingError> {
    std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or(SettingError::Missing { name })
}

/// A setting of the function that is a number from 1.
///
/// # Errors
/// When it is not set, or no such number.
pub fn number(name: &'static str) -> Result<u32, SettingError> {
    at_least(1, name)
}

/// A setting of the function that is a number from 0.
///
/// # Errors
/// When it is not set, or no number.
pub fn count(name: &'static str) -> Result<u32, SettingError> {
    at_least(0, name)
}

fn at_least(least: u32, name: &'static str) -> Result<u32, SettingError> {
    let value = variable(name)?;
    match value.parse() {
        Ok(number) if number >= least => Ok(number),
        Ok(_) | Err(_) => Err(SettingError::NotANumber { name, value, least }),
    }
}
