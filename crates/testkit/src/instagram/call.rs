//! What was asked of the fake Instagram, and what came of it.

use openreply_domain::time::Timestamp;

/// One request that was read whole, in the order of arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// When.
    pub at: Timestamp,
    /// `POST`, say.
    pub method: String,
    /// The path, without the query: that may hold a secret.
    pub path: String,
    /// What it asked for, where it could be told.
    pub kind: Option<CallKind>,
    /// The comment or the person it was addressed to.
    pub target: Option<String>,
    /// What it said.
    pub text: Option<String>,
    /// The id of the message or the reply that exists because of it, whatever the caller was told.
    pub made: Option<String>,
    /// What the caller was told.
    pub answer: Answered,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    /// A message to whoever wrote a comment.
    PrivateReply,
    /// A message to a person.
    DirectMessage,
    /// A reply that everybody sees.
    PublicReply,
    /// A `GET`.
    Read,
}

/// What a caller was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answered {
    /// 200, with what was asked for.
    Success,
    /// An error in Meta's JSON.
    Error {
        /// The HTTP status.
        status: u16,
        /// Meta's code.
        code: i64,
        /// Meta's subcode, where there is one.
        subcode: Option<i64>,
    },
    /// Something that is no JSON.
    Html {
        /// The HTTP status.
        status: u16,
    },
    /// Nothing at all.
    Silence,
}
