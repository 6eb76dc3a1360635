//! The one way to Instagram's inbox. Whoever sends holds a claim.

use openreply_domain::ids::{AccountId, CommentId, UserId};
use openreply_domain::message::{Button, Follow};
use openreply_domain::outcome::SendOutcome;
use secrecy::SecretString;
use std::future::Future;

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// The one private reply that Instagram grants to a comment.
    PrivateReply(CommentId),
    /// A reply that everybody sees, under a comment. It has no buttons.
    PublicReply(CommentId),
    /// Somebody who wrote or tapped within the last 24 hours.
    Person(UserId),
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
    /// The buttons under it. None: it is plain text.
    pub buttons: Vec<Button>,
    /// The account's token. Never printed.
    pub token: SecretString,
}

/// Sends messages.
pub trait Messenger: Send + Sync {
    /// Makes exactly one call, without any retry, and says what its answer proves.
    fn send(&self, message: Outbound) -> impl Future<Output = SendOutcome> + Send;

    /// Asks whether a person follows the account. Makes one call; whatever goes wrong is [`Follow::Unknown`].
    fn follows(
        &self,
        account: &AccountId,
        user: &UserId,
        token: &SecretString,
    ) -> impl Future<Output = Follow> + Send;
}
