//! Tokens sealed at rest with AES-256-GCM.
//!
//! A seal opens only with the key that made it and only for the account it was made for; it names its key, so
//! that a wrong one is told apart from damage. Form: `v1.<key id>.<nonce and ciphertext in base64url>`.

mod key;

pub use key::{SealingKey, SealingKeyError};

use crate::clock::random_bytes;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openreply_app::ports::{SealError, Vault};
use openreply_domain::ids::AccountId;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;

const FORM: &str = "v1";
const NONCE_BYTES: usize = 12;

/// Seals with one key.
#[derive(Clone)]
pub struct AesVault {
    cipher: Aes256Gcm,
    key_id: String,
}

impl fmt::Debug for AesVault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesVault").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

impl AesVault {
    /// A vault that holds `key`.
    #[must_use]
    pub fn new(key: &SealingKey) -> Self {
        Self { cipher: Aes256Gcm::new(key.bytes().into()), key_id: key.id() }
    }

    fn decrypt(&self, account: &AccountId, hidden: &str) -> Option<SecretString> {
        let hidden = URL_SAFE_NO_PAD.decode(hidden).ok()?;
        let (nonce, msg) = hidden.split_first_chunk::<NONCE_BYTES>()?;
        let payload = Payload { msg, aad: account.as_str().as_bytes() };
        let token = self.cipher.decrypt(&Nonce::from(*nonce), payload).ok()?;
        String::from_utf8(token).ok().map(SecretString::from)
    }
}

impl Vault for AesVault {
    #[expect(clippy::expect_used, reason = "AES-GCM only refuses texts of 64 GB and more")]
    fn seal(&self, account: &AccountId, token: &SecretString) -> String {
        let nonce: [u8; NONCE_BYTES] = random_bytes();
        let payload = Payload { msg: token.expose_secret().as_bytes(), aad: account.as_str().as_bytes() };
        let sealed = self.cipher.encrypt(&Nonce::from(nonce), payload).expect("a token is short");
        let hidden = URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat());
        format!("{FORM}.{}.{hidden}", self.key_id)
    }

    fn open(&self, account: &AccountId, sealed: &str) -> Result<SecretString, SealError> {
        let broken = || SealError::Broken { account: account.clone() };
        let mut parts = sealed.split('.');
        let (Some(FORM), Some(key), Some(hidden), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(broken());
        };
        if key != self.key_id {
            return Err(SealError::OtherKey {
                account: account.clone(),
                sealed_with: key.to_owned(),
                held: self.key_id.clone(),
            });
        }
        self.decrypt(account, hidden).ok_or_else(broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_seals_are_alike() {
        let key = SealingKey::generate();
        let vault = AesVault::new(&key);
        let account = AccountId::parse("1").unwrap();
        let seal = || vault.seal(&account, &SecretString::from("token"));
        assert_ne!(seal(), seal(), "a nonce must never come again");
        assert!(seal().starts_with(&format!("v1.{}.", key.id())));
    }

    #[test]
    fn a_seal_of_another_form_is_broken_and_not_another_keys() {
        let vault = AesVault::new(&SealingKey::generate());
        let account = AccountId::parse("1").unwrap();
        let sealed = vault.seal(&account, &SecretString::from("token")).replacen("v1", "v2", 1);
        let error = vault.open(&account, &sealed).unwrap_err();
        assert_eq!(error, SealError::Broken { account });
    }
}
