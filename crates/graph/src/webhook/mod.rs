//! Meta's webhook: whose body it is, and what it holds.

mod comment;
mod envelope;
mod mend;
mod messaging;
mod signature;

pub use signature::{AppSecrets, SecretsError};

use openreply_app::ports::{Authenticity, EventBodies, EventReader, ParsedEvent, Unreadable};
use signature::Signatures;

/// Reads the webhook's bodies with the secrets of one app.
#[derive(Debug)]
pub struct MetaWebhook {
    signatures: Signatures,
}

impl MetaWebhook {
    /// A reader for the bodies of the app with these secrets.
    ///
    /// # Errors
    /// When a secret is missing, empty or has white space that no secret has: with such a one every body would
    /// look forged.
    pub fn new(secrets: AppSecrets) -> Result<Self, SecretsError> {
        Ok(Self { signatures: Signatures::new(secrets)? })
    }
}

impl EventReader for MetaWebhook {
    fn authenticate(&self, signature: Option<&str>, body: &[u8]) -> Authenticity {
        self.signatures.authenticate(signature, body)
    }

    fn knows_verify_token(&self, token: &str) -> bool {
        self.signatures.knows_verify_token(token)
    }
}

impl EventBodies for MetaWebhook {
    fn parse(&self, body: &[u8]) -> Result<ParsedEvent, Unreadable> {
        envelope::parse(body)
    }
}

/// Reads bodies that were found to be Meta's before: it needs no secret, and cannot tell whose they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct WebhookBodies;

impl EventBodies for WebhookBodies {
    fn parse(&self, body: &[u8]) -> Result<ParsedEvent, Unreadable> {
        envelope::parse(body)
    }
}
