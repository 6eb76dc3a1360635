//! Whether a body is Meta's: HMAC-SHA256 over its raw bytes, in constant time.
//!
//! Either secret of the app may have signed: both are always tried, whatever the first one said. A missing
//! secret is found when the reader is made, and never looks like a bad signature.

use hmac::{Hmac, KeyInit, Mac};
use openreply_app::ports::Authenticity;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// What Meta and this app have agreed on.
#[derive(Debug)]
pub struct AppSecrets {
    /// The Instagram app's secret.
    pub instagram: Option<SecretString>,
    /// The secret of the Facebook app that it belongs to.
    pub facebook: Option<SecretString>,
    /// The token of the verification handshake.
    pub verify_token: SecretString,
}

/// Why no webhook can be read with these secrets. Names the secret, never its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SecretsError {
    /// There is neither of the two.
    #[error("no app secret is set; set the Instagram app secret, the Facebook app secret, or both")]
    NoAppSecret,
    /// One is set to nothing.
    #[error("the {0} is set but empty")]
    Empty(&'static str),
    /// One has white space.
    #[error("the {0} has a space or a line break in it; store it again without")]
    WhiteSpace(&'static str),
}

/// The secrets, checked.
#[derive(Debug)]
pub(super) struct Signatures {
    app_secrets: Vec<SecretString>,
    verify_token: SecretString,
}

impl Signatures {
    pub(super) fn new(secrets: AppSecrets) -> Result<Self, SecretsError> {
        let AppSecrets { instagram, facebook, verify_token } = secrets;
        let named = [("Instagram app secret", &instagram), ("Facebook app secret", &facebook)];
        for (name, secret) in named.into_iter().filter_map(|(name, secret)| Some((name, secret.as_ref()?))) {
            check(name, secret)?;
        }
        check("webhook verify token", &verify_token)?;
        let app_secrets: Vec<_> = instagram.into_iter().chain(facebook).collect();
        if app_secrets.is_empty() {
            return Err(SecretsError::NoAppSecret);
        }
        Ok(Self { app_secrets, verify_token })
    }

    pub(super) fn authenticate(&self, signature: Option<&str>, body: &[u8]) -> Authenticity {
        let Some(signature) = signature else {
            return Authenticity::Missing;
        };
        let Some(tag) = signature.strip_prefix("sha256=").and_then(|digits| hex::decode(digits).ok()) else {
            return Authenticity::Wrong;
        };
        let signed =
            self.app_secrets.iter().fold(false, |signed, secret| signed | is_tag(secret, body, &tag));
        if signed { Authenticity::Authentic } else { Authenticity::Wrong }
    }

    pub(super) fn knows_verify_token(&self, token: &str) -> bool {
        // Digests are of one length, so that not even the token's length shows in the time this takes.
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        let same: Choice = digest(token).ct_eq(&digest(self.verify_token.expose_secret()));
        same.into()
    }
}

fn check(name: &'static str, secret: &SecretString) -> Result<(), SecretsError> {
    let secret = secret.expose_secret();
    if secret.is_empty() {
        Err(SecretsError::Empty(name))
    } else if secret.chars().any(|c| c.is_whitespace() || c.is_control()) {
        Err(SecretsError::WhiteSpace(name))
    } else {
        Ok(())
    }
}

fn is_tag(secret: &SecretString, body: &[u8], tag: &[u8]) -> bool {
    Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .is_ok_and(|mac| mac.chain_update(body).verify_slice(tag).is_ok())
}
