//! The secrets of a stack: SecureStrings of the Parameter Store, read by one call when a function starts.
//!
//! What is missing or unusable is an error of its own that names the parameter and says what to do: it never
//! looks like a bad signature or a broken token later.

use crate::failure::Failure;
use crate::vault::{SealingKey, SealingKeyError};
use aws_sdk_ssm::Client;
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;

/// The secrets that a stack may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Secret {
    /// Meta signs webhooks with it.
    InstagramAppSecret,
    /// Meta may sign webhooks with this one instead.
    FacebookAppSecret,
    /// What Meta's verification handshake must know.
    WebhookVerifyToken,
    /// What seals tokens.
    SealingKey,
}

impl Secret {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::InstagramAppSecret, Self::FacebookAppSecret, Self::WebhookVerifyToken, Self::SealingKey];

    /// The last part of its parameter's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InstagramAppSecret => "instagram-app-secret",
            Self::FacebookAppSecret => "facebook-app-secret",
            Self::WebhookVerifyToken => "webhook-verify-token",
            Self::SealingKey => "sealing-key",
        }
    }
}

/// What the names of a stack's parameters begin with: `/openreply/<stack>/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretsPrefix {
    stack: String,
}

impl SecretsPrefix {
    /// The prefix of a stack.
    #[must_use]
    pub fn of_stack(stack: impl Into<String>) -> Self {
        Self { stack: stack.into() }
    }

    /// Reads a prefix, as the stack's template hands it to the functions.
    ///
    /// # Errors
    /// When it is not `/openreply/<stack>/`.
    pub fn parse(text: &str) -> Result<Self, SecretsError> {
        let stack = text.strip_prefix("/openreply/").and_then(|rest| rest.strip_suffix('/'));
        match stack {
            Some(stack) if !stack.is_empty() && !stack.contains('/') => Ok(Self::of_stack(stack)),
            Some(_) | None => Err(SecretsError::Prefix { text: text.to_owned() }),
        }
    }

    /// The name of a secret's parameter.
    #[must_use]
    pub fn parameter(&self, secret: Secret) -> String {
        format!("/openreply/{}/{}", self.stack, secret.as_str())
    }

    fn missing(&self, secret: Secret) -> SecretsError {
        SecretsError::Missing { parameter: self.parameter(secret), stack: self.stack.clone() }
    }
}

/// What the webhook function needs.
#[derive(Debug, Clone)]
pub struct WebhookSecrets {
    /// At least one of the app's secrets; a body may be signed with any.
    pub app_secrets: Vec<SecretString>,
    /// For Meta's verification handshake.
    pub verify_token: SecretString,
}

/// Why a function cannot have its secrets. Never holds one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    /// The prefix is not one of ours.
    #[error("SECRETS_PREFIX is `{text}`; it must be /openreply/<stack>/")]
    Prefix {
        /// What it was.
        text: String,
    },
    /// A secret was never stored.
    #[error("configuration error: there is no parameter {parameter}; run `openreply init --stack {stack}`")]
    Missing {
        /// Its parameter.
        parameter: String,
        /// The stack.
        stack: String,
    },
    /// Without either app secret no webhook can be verified.
    #[error(
        "configuration error: there is neither a parameter {instagram} nor {facebook}, and without one no webhook can be verified; run `openreply init --stack {stack}`"
    )]
    NoAppSecret {
        /// The parameter of the one.
        instagram: String,
        /// The parameter of the other.
        facebook: String,
        /// The stack.
        stack: String,
    },
    /// A secret that cannot be meant: empty, or with white space around it.
    #[error(
        "configuration error: the value of {parameter} is empty or has white space around it; delete the parameter and run `openreply init --stack {stack}`"
    )]
    Unusable {
        /// Its parameter.
        parameter: String,
        /// The stack.
        stack: String,
    },
    /// The sealing key is none.
    #[error("configuration error: the value of {parameter} is unusable: {why}")]
    SealingKey {
        /// Its parameter.
        parameter: String,
        /// Why.
        why: SealingKeyError,
    },
    /// The Parameter Store could not be read.
    #[error("the secrets of stack {stack} could not be read: {cause}")]
    Unavailable {
        /// The stack.
        stack: String,
        /// AWS's word for why, and what to do.
        cause: String,
    },
}

/// The secrets of the webhook function.
///
/// # Errors
/// When one that is needed is missing or unusable, or the Parameter Store cannot be read.
pub async fn webhook_secrets(
    client: &Client,
    prefix: &SecretsPrefix,
) -> Result<WebhookSecrets, SecretsError> {
    let wanted = [Secret::InstagramAppSecret, Secret::FacebookAppSecret, Secret::WebhookVerifyToken];
    let mut found = read(client, prefix, &wanted).await?;
    let app_secrets: Vec<SecretString> =
        wanted[..2].iter().filter_map(|secret| found.remove(secret)).collect();
    if app_secrets.is_empty() {
        return Err(SecretsError::NoAppSecret {
            instagram: prefix.parameter(Secret::InstagramAppSecret),
            facebook: prefix.parameter(Secret::FacebookAppSecret),
            stack: prefix.stack.clone(),
        });
    }
    let verify_token = found.remove(&Secret::WebhookVerifyToken);
    let verify_token = verify_token.ok_or_else(|| prefix.missing(Secret::WebhookVerifyToken))?;
    Ok(WebhookSecrets { app_secrets, verify_token })
}

/// The sealing key, which the consumer function and `openreply apply` need.
///
/// # Errors
/// When it is missing or unusable, or the Parameter Store cannot be read.
pub async fn sealing_key(client: &Client, prefix: &SecretsPrefix) -> Result<SealingKey, SecretsError> {
    let found = read(client, prefix, &[Secret::SealingKey]).await?.remove(&Secret::SealingKey);
    let text = found.ok_or_else(|| prefix.missing(Secret::SealingKey))?;
    SealingKey::parse(text.expose_secret())
        .map_err(|why| SecretsError::SealingKey { parameter: prefix.parameter(Secret::SealingKey), why })
}

/// Those of the wanted secrets that exist, by one call.
async fn read(
    client: &Client,
    prefix: &SecretsPrefix,
    wanted: &[Secret],
) -> Result<HashMap<Secret, SecretString>, SecretsError> {
    let names = wanted.iter().map(|secret| prefix.parameter(*secret)).collect();
    let request = client.get_parameters().set_names(Some(names)).with_decryption(true);
    let answer = request.send().await.map_err(|error| {
        let Failure { code, hint, .. } = Failure::of(&error);
        SecretsError::Unavailable { stack: prefix.stack.clone(), cause: format!("{code}: {hint}") }
    })?;
    let mut found = HashMap::new();
    for parameter in answer.parameters.unwrap_or_default() {
        let name = parameter.name.unwrap_or_default();
        let Some(secret) = wanted.iter().find(|secret| prefix.parameter(**secret) == name) else { continue };
        let value = parameter.value.unwrap_or_default();
        if value.is_empty() || value.trim() != value {
            return Err(SecretsError::Unusable { parameter: name, stack: prefix.stack.clone() });
        }
        found.insert(*secret, SecretString::from(value));
    }
    Ok(found)
}
