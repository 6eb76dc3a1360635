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

    fn hide(&self, account: &AccountId, token: &str) -> String {
        let proof = Sha256::digest(format!("{}\n{account}\n{token}", self.key));
        format!("{}.{}", hex::encode(token), hex::encode(proof))
    }

    fn read(&self, account: &AccountId, hidden: &str) -> Option<SecretString> {
        let (token, _) = hidden.split_once('.')?;
        let token = String::from_utf8(hex::decode(token).ok()?).ok()?;
        (hidden == self.hide(account, &token)).then(|| SecretString::from(token))
    }
}

impl Default for MemoryVault {
    fn default() -> Self {
        Self::new("memory")
    }
}

impl Vault for MemoryVault {
    fn seal(&self, account: &AccountId, token: &SecretString) -> String {
        format!("{}.{}", self.key, self.hide(account, token.expose_secret()))
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
