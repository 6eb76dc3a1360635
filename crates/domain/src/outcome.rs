//! What became of one call, and what follows from it.
//!
//! The one question is *could a message exist?* Only an explicit refusal by Meta, or a failure before the
//! first request byte left, proves that none does. [`SendOutcome`] is not a `Result`, so that no `?` can
//! drop doubt on the floor, and whatever is not proved is [`SendOutcome::Unconfirmed`].

use crate::ids::MessageId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What became of one attempt to send.
#[must_use = "an outcome that nobody settles is a message that nobody can account for"]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendOutcome {
    /// Meta named the message: it exists.
    Delivered {
        /// The id Meta gave the message, or the public reply.
        message_id: MessageId,
    },
    /// Meta refused: this call made no message.
    Rejected(Rejection),
    /// The first byte of the request never left: this call made no message.
    NotSent(NotSent),
    /// Nobody knows. Never repeated; settled by evidence or by a person.
    Unconfirmed(Doubt),
}

/// An explicit refusal by Meta.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// What kind of refusal, by the answer table of the platform facts.
    pub kind: RejectionKind,
    /// Meta's error code.
    pub code: i64,
    /// Meta's error subcode, where it gave one.
    pub subcode: Option<i64>,
    /// How long Meta asks us to wait at least, in seconds, where its usage headers say so.
    pub retry_after_seconds: Option<u32>,
}

/// The rows of the answer table that prove a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectionKind {
    /// 4, 17, 32, 613, 80001–80014: too many calls; later is fine.
    Throttled,
    /// 2/1545133, 2/2534023, 10900: refused, and the comment's one private reply is spent.
    ReplySpent,
    /// 368: blocked for abuse. The account must rest.
    Blocked,
    /// 10/2534022, 10/2018278: the messaging window is closed.
    WindowClosed,
    /// Other 10, 200, 230: a permission is missing.
    Permission,
    /// 100/2534025: not by this call, but an earlier one may have spent the private reply.
    MaybeSpentEarlier,
    /// 100/2534014, 100/2018001, 100/2018292, 100/33, 551: the person or the comment cannot be reached.
    RecipientUnavailable,
    /// 100/2534037: the thread belongs to another app.
    OtherAppOwnsThread,
    /// 100 "Unsupported request": the app or its token is unusable.
    AppUnusable,
    /// 100 naming the template or its buttons: refused, and the private reply is not spent.
    TemplateRefused,
    /// Other 100, 3: our request is wrong.
    BadRequest,
    /// 190: the token is dead.
    TokenDead,
}

/// A failure before the first request byte left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotSent {
    /// The name could not be resolved.
    Dns,
    /// No TCP connection could be made.
    Connect,
    /// The TLS handshake failed.
    Tls,
    /// The request could not even be built (a token with a newline, say).
    Unbuildable,
    /// Too little time was left to finish and settle, so it was not begun.
    TooLate,
}

/// Why the outcome of a call is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Meta answered with an error that has been seen together with real deliveries, or that is not listed.
    Answer {
        /// The HTTP status.
        status: u16,
        /// Meta's error code, where the body had one.
        code: Option<i64>,
        /// Meta's error subcode, where the body had one.
        subcode: Option<i64>,
    },
    /// The body could not be read as an answer (HTML, cut off, not JSON, no id).
    Unreadable {
        /// The HTTP status.
        status: u16,
    },
    /// No answer within the total time-out, after the request was written.
    Timeout,
    /// The connection broke after the request was (or may have been) written.
    Broken,
}

/// What to do after a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Try again later, within the budget of attempts.
    Retry,
    /// Nothing more can be sent for this trigger.
    GiveUp,
    /// The account must not send until a person or time lifts the hold; this attempt does not count.
    HoldAccount,
    /// No account of this app may send until a person lifts the hold; this attempt does not count.
    HoldApp,
    /// The same content as plain text, at once, as an attempt of its own.
    TextFallback,
}

impl RejectionKind {
    /// What follows from a refusal of this kind.
    #[must_use]
    pub fn disposition(self) -> Disposition {
        match self {
            Self::Throttled => Disposition::Retry,
            Self::ReplySpent
            | Self::WindowClosed
            | Self::MaybeSpentEarlier
            | Self::RecipientUnavailable
            | Self::OtherAppOwnsThread
            | Self::BadRequest => Disposition::GiveUp,
            Self::Blocked | Self::Permission | Self::TokenDead => Disposition::HoldAccount,
            Self::AppUnusable => Disposition::HoldApp,
            Self::TemplateRefused => Disposition::TextFallback,
        }
    }

    /// Whether a person should hear of it even where nothing is held.
    #[must_use]
    pub fn alerts(self) -> bool {
        match self {
            Self::Blocked
            | Self::Permission
            | Self::OtherAppOwnsThread
            | Self::AppUnusable
            | Self::BadRequest
            | Self::TokenDead => true,
            Self::Throttled
            | Self::ReplySpent
            | Self::WindowClosed
            | Self::MaybeSpentEarlier
            | Self::RecipientUnavailable
            | Self::TemplateRefused => false,
        }
    }
}

impl Rejection {
    /// What follows from this refusal.
    #[must_use]
    pub fn disposition(&self) -> Disposition {
        self.kind.disposition()
    }
}

impl fmt::Display for RejectionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Throttled => "Instagram is limiting this account's calls",
            Self::ReplySpent => "Instagram refused the private reply and counts it as used; nothing more can be sent for this comment",
            Self::Blocked => "Instagram blocked the account from this action for abuse; let it rest and check its Account Status",
            Self::WindowClosed => "the messaging window is closed; the person has to write first",
            Self::Permission => "the account's token lacks a permission; connect the account again and grant all of them",
            Self::MaybeSpentEarlier => "Instagram says this comment already had its one private reply",
            Self::RecipientUnavailable => "the comment or the person cannot be reached (deleted, blocked or restricted)",
            Self::OtherAppOwnsThread => "another app owns this conversation; make this app the primary receiver or disconnect the other",
            Self::AppUnusable => "Instagram says the app or its token cannot make this call; check the app's mode and permissions",
            Self::TemplateRefused => "Instagram refused the buttons; plain text may still be sent",
            Self::BadRequest => "Instagram says the request itself is wrong; this is a fault of OpenReply or of the campaign's text",
            Self::TokenDead => "the account's token is no longer valid; store a new one",
        })
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {}", self.kind, self.code)?;
        if let Some(subcode) = self.subcode {
            write!(f, "/{subcode}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dns => "Instagram's host name could not be resolved",
            Self::Connect => "no connection to Instagram could be made",
            Self::Tls => "no secure connection to Instagram could be made",
            Self::Unbuildable => {
                "the request could not be built; check that the account's token has no stray characters"
            }
            Self::TooLate => "too little time was left to send and record it",
        })
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { status, code: Some(code), subcode } => {
                write!(f, "Instagram answered HTTP {status} with code {code}")?;
                if let Some(subcode) = subcode {
                    write!(f, "/{subcode}")?;
                }
                f.write_str(", which does not prove that nothing was delivered")
            }
            Self::Answer { status, code: None, .. } => {
                write!(f, "Instagram answered HTTP {status}, which does not prove that nothing was delivered")
            }
            Self::Unreadable { status } => {
                write!(f, "Instagram answered HTTP {status} with something unreadable")
            }
            Self::Timeout => f.write_str("Instagram did not answer in time"),
            Self::Broken => f.write_str("the connection broke after the request may have been read"),
        }
    }
}
