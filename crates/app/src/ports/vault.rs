//! Sealing tokens at rest.

use openreply_domain::ids::AccountId;
use secrecy::SecretString;

/// Why a token cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// Another key sealed it.
    #[error(
        "the token of account {account} was sealed with key {sealed_with}, and the key held here is {held}; restore that key, or store the token again (openreply apply)"
    )]
    OtherKey {
        /// Whose token.
        account: AccountId,
        /// The id of the key that sealed it.
        sealed_with: String,
        /// The id of the key held here.
        held: String,
    },
    /// The right key, but the seal is broken: damaged, or moved from another account.
    #[error(
        "the sealed token of account {account} is damaged or belongs to another account; store it again (openreply apply)"
    )]
    Broken {
        /// Whose token.
        account: AccountId,
    },
}

/// Seals and opens tokens, each bound to its account.
pub trait Vault: Send + Sync {
    /// Seals a token for one account. The result names the key that can open it.
    fn seal(&self, account: &AccountId, token: &SecretString) -> String;

    /// Opens what [`Vault::seal`] made for the same account.
    ///
    /// # Errors
    /// When another key sealed it, or it is not that account's.
    fn open(&self, account: &AccountId, sealed: &str) -> Result<SecretString, SealError>;
}
