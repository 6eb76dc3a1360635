//! The one way to Instagram's inbox. Whoever calls it holds a claim.

use openreply_domain::ids::{AccountId, CommentId};
use openreply_domain::outcome::SendOutcome;
use secrecy::SecretString;
use std::future::Future;

/// Where a text goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// The one private reply that Instagram grants to a comment.
    PrivateReply(CommentId),
    /// A reply that everybody sees, under a comment.
    PublicReply(CommentId),
}

/// One message, ready to go.
#[derive(Debug)]
pub struct Outbound {
    /// On whose behalf.
    pub account: AccountId,
    /// Where to.
    pub to: Destination,
    /// What it says, already within Instagram's limits.
    pub text: String,
    /// The account's token. Never printed.
    pub token: SecretString,
}

/// Sends.
pub trait Messenger: Send + Sync {
    /// One attempt: at most one request leaves, over a connection of its own, and nothing is tried again.
    /// Whatever does not prove a delivery or its absence is [`SendOutcome::Unconfirmed`].
    fn send(&self, message: Outbound) -> impl Future<Output = SendOutcome> + Send;
}
