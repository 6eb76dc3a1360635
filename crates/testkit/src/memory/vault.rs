//! A vault that hides tokens from a glance and from nothing else: for tests only.

use openreply_app::ports::{SealError, Vault};
use openreply_domain::ids::AccountId;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

/// Seals with a key of a name, without any cryptography worth it.
#[derive(Debug, Clone)]
pub struct MemoryVault {
    key: String,
}

impl MemoryVault {
    /// A vault that holds the key of this name.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self { key: key.to_owned() }
    }

    fn proof(&self, account: &AccountId, token: &str) -> String {
        hex::encode(Sha256::digest(format!("{}\n{account}\n{token}", self.key)))
    }

    fn read(&self, account: &AccountId, hidden: &str) -> Option<SecretString> {
        let (token, proof) = hidden.split_once('.')?;
        let token = String::from_utf8(hex::decode(token).ok()?).ok()?;
        (proof == self.proof(account, &token)).then(|| SecretString::from(token))
    }
}

impl Default for MemoryVault {
    fn default() -> Self {
        Self::new("memory")
    }
}

impl Vault for MemoryVault {
    fn seal(&self, account: &AccountId, token: &SecretString) -> String {
        let token = token.expose_secret();
        format!("{}.{}.{}", self.key, hex::encode(token), self.proof(account, token))
    }

    fn open(&self, account: &AccountId, sealed: &str) -> Result<SecretString, SealError> {
        let broken = || SealError::Broken { account: account.clone() };
        let (key, hidden) = sealed.split_once('.').ok_or_else(broken)?;
        if key != self.key {
            return Err(SealError::OtherKey {
                account: account.clone(),
                sealed_with: key.to_owned(),
                held: self.key.clone(),
            });
        }
        self.read(account, hidden).ok_or_else(broken)
    }
}
