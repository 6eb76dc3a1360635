//! What Instagram shows: comments, an account's own media, conversations. Only reads; a read proves nothing by
//! what it leaves out.

use openreply_domain::evidence::Shown;
use openreply_domain::ids::{AccountId, CommentId, MediaId, MessageId, UserId};
use openreply_domain::time::Timestamp;
use secrecy::SecretString;
use std::future::Future;

/// How much of what the account may call is used, by the answer's headers, in percent of the limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usage(pub u32);

/// What went wrong with a read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadTrouble {
    /// 190: the token is dead.
    #[error("the account's token is no longer valid")]
    TokenDead,
    /// Instagram asks for fewer calls.
    #[error("Instagram limits this account's calls")]
    Throttled {
        /// How long it asks to wait, where it says so.
        retry_after_seconds: Option<u32>,
    },
    /// The object is gone, or the token may not see it.
    #[error("Instagram does not show it to this token (code {code})")]
    Refused {
        /// Meta's code.
        code: i64,
    },
    /// No answer, or none that can be read.
    #[error("Instagram gave no answer that can be read")]
    Unreachable,
}

/// A read that gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("reading {what}: {trouble}")]
pub struct ReadError {
    /// What was read.
    pub what: &'static str,
    /// What went wrong.
    pub trouble: ReadTrouble,
}

/// A reply under a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenReply {
    /// Its id.
    pub id: CommentId,
    /// Who wrote it, where Instagram tells.
    pub from: Option<UserId>,
    /// Their user name, where Instagram tells.
    pub username: Option<String>,
    /// When, by Instagram's clock.
    pub at: Timestamp,
    /// What it says.
    pub text: String,
}

impl SeenReply {
    /// As evidence. `None`: its id is none that a message can have.
    #[must_use]
    pub fn shown(&self, own: Own<'_>) -> Option<Shown> {
        Some(Shown {
            id: MessageId::parse(self.id.as_str()).ok()?,
            at: self.at,
            text: self.text.clone(),
            ours: own.wrote(self.from.as_ref(), self.username.as_deref()),
        })
    }
}

/// A top-level comment with its replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenComment {
    /// The comment itself.
    pub comment: SeenReply,
    /// The replies under it, as far as Instagram shows them.
    pub replies: Vec<SeenReply>,
    /// Where more of them begin, if there are more.
    pub more_replies: Option<String>,
}

/// A page of the replies under a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RepliesPage {
    /// In Instagram's order.
    pub replies: Vec<SeenReply>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What the answer's headers say.
    pub usage: Usage,
}

/// A page of a post's comments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommentsPage {
    /// Newest first.
    pub comments: Vec<SeenComment>,
    /// How many it held that could not be read.
    pub unreadable: usize,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What the answer's headers say.
    pub usage: Usage,
}

/// A post of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenMedia {
    /// Its id.
    pub id: MediaId,
    /// When it was published.
    pub published_at: Timestamp,
    /// Whether it is a reel.
    pub is_reel: bool,
}

/// A page of the account's own media.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MediaPage {
    /// Newest first.
    pub media: Vec<SeenMedia>,
    /// Where the next page begins, if there is one.
    pub next: Option<String>,
    /// What the answer's headers say.
    pub usage: Usage,
}

/// The account itself, by whatever Instagram calls it: under its own media and in its own inbox it may have another id
/// than the one that webhooks carry (`/me` gives two), and its user name is nobody else's.
#[derive(Debug, Clone, Copy)]
pub struct Own<'a> {
    /// The id that webhooks carry.
    pub id: &'a AccountId,
    /// Its user name, without @.
    pub username: &'a str,
}

impl Own<'_> {
    /// Whether something that has this author is the account's.
    #[must_use]
    pub fn wrote(&self, from: Option<&UserId>, username: Option<&str>) -> bool {
        from.is_some_and(|from| from.as_str() == self.id.as_str())
            || username.is_some_and(|username| username.eq_ignore_ascii_case(self.username))
    }
}

/// Reads. Every call is one request over a connection of its own, and nothing is tried again.
pub trait Reader: Send + Sync {
    /// A page of the comments under a post, newest first, from the cursor `after` on.
    ///
    /// # Errors
    /// When there is no answer that can be read.
    fn comments(
        &self,
        token: &SecretString,
        media: &MediaId,
        after: Option<&str>,
    ) -> impl Future<Output = Result<CommentsPage, ReadError>> + Send;

    /// A page of the replies under a comment, from the cursor `after` on.
    ///
    /// # Errors
    /// When there is no answer that can be read.
    fn replies(
        &self,
        token: &SecretString,
        comment: &CommentId,
        after: Option<&str>,
    ) -> impl Future<Output = Result<RepliesPage, ReadError>> + Send;

    /// A page of the account's own media, newest first, from the cursor `after` on.
    ///
    /// # Errors
    /// When there is no answer that can be read.
    fn own_media(
        &self,
        token: &SecretString,
        account: &AccountId,
        after: Option<&str>,
    ) -> impl Future<Output = Result<MediaPage, ReadError>> + Send;

    /// The newest messages between the account and a person, as many as Instagram shows (20).
    ///
    /// # Errors
    /// When there is no answer that can be read.
    fn conversation(
        &self,
        token: &SecretString,
        own: Own<'_>,
        user: &UserId,
    ) -> impl Future<Output = Result<(Vec<Shown>, Usage), ReadError>> + Send;
}
