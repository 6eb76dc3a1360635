//! How Instagram refuses: Meta's error JSON, with the codes that the platform facts name.

use serde_json::{Value, json};

/// An error as Meta answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorAnswer {
    /// The HTTP status.
    pub status: u16,
    /// `error.code`.
    pub code: i64,
    /// `error.error_subcode`, where there is one.
    pub subcode: Option<i64>,
    /// `error.message`.
    pub message: String,
}

impl ErrorAnswer {
    /// The body: `{"error": {"message", "type", "code", "error_subcode", "fbtrace_id"}}`.
    #[must_use]
    pub fn body(&self, trace: &str) -> Value {
        let mut error = json!({
            "message": self.message,
            "type": "OAuthException",
            "code": self.code,
            "fbtrace_id": trace,
        });
        if let Some(subcode) = self.subcode {
            error["error_subcode"] = subcode.into();
        }
        json!({ "error": error })
    }
}

/// Why the fake Instagram does not do what it is asked. Each copies one fact about the real one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No `Authorization: Bearer` header. A token in the query does not count here: it would end up in logs.
    TokenMissing,
    /// Not the account's token.
    TokenInvalid,
    /// Nothing to say.
    TextEmpty,
    /// A message has at most 1000 bytes of UTF-8.
    TextTooLong {
        /// How many it has.
        bytes: usize,
    },
    /// No such comment (deleted, say), or not under the account's media.
    UnknownObject,
    /// A template that is not one: at most 3 buttons, titles of at most 20 characters, a text of at most 640. The
    /// message names it, and the private reply is not spent.
    Template {
        /// What is wrong with it.
        why: &'static str,
    },
    /// A private reply with a button to somebody who does not follow the account. It is refused, and spent.
    ButtonsForStranger,
    /// Somebody's profile may be read once they wrote to the account or tapped.
    NoConsent,
    /// One private reply per comment, ever, across all campaigns.
    AlreadyReplied,
    /// A private reply has to come within 7 days of its comment.
    ReplyWindowClosed,
    /// A direct message has to come within 24 hours of the person's last message or tap.
    MessagingWindowClosed,
    /// Nobody of that id ever wrote to the account or was written to.
    UnknownRecipient,
    /// Only a top-level comment takes replies.
    NotTopLevel,
    /// The body is not what the endpoint takes.
    Malformed,
    /// A write with a `fields=` parameter: it is executed, and then answered with this.
    FieldsOnWrite,
    /// An endpoint that this fake has not got.
    UnknownEndpoint {
        /// `GET`, say.
        method: String,
    },
}

impl Refusal {
    pub(super) fn error(&self) -> ErrorAnswer {
        let (status, code, subcode, message) = match self {
            Self::TokenMissing => (401, 190, None, "an access token is required".to_owned()),
            Self::TokenInvalid => (400, 190, Some(463), "this access token is not valid (any more)".into()),
            Self::TextEmpty => (400, 100, None, "message[text] must not be empty".into()),
            Self::TextTooLong { bytes } => {
                (400, 100, None, format!("message[text] may have 1000 bytes of UTF-8 and has {bytes}"))
            }
            Self::UnknownObject => {
                (400, 100, Some(33), "there is no such object, or this token may not see it".into())
            }
            Self::Template { why } => (400, 100, None, format!("invalid button template: {why}")),
            Self::ButtonsForStranger => {
                (400, 2, Some(1_545_133), "the message cannot be delivered to this person".into())
            }
            Self::NoConsent => (400, 230, None, "User consent is required to access user profile".into()),
            Self::AlreadyReplied => {
                (400, 100, Some(2_534_025), "this comment cannot get a private reply".into())
            }
            Self::ReplyWindowClosed => {
                (400, 10, Some(2_534_022), "the comment is more than 7 days old".into())
            }
            Self::MessagingWindowClosed => {
                (400, 10, Some(2_534_022), "the person has not written within 24 hours".into())
            }
            Self::UnknownRecipient => (400, 100, Some(2_534_014), "there is no such recipient".into()),
            Self::NotTopLevel => (400, 100, None, "a reply cannot be replied to".into()),
            Self::Malformed => (400, 100, None, "a parameter is missing or invalid".into()),
            Self::FieldsOnWrite => (400, 100, None, "the parameter `fields` names an unknown field".into()),
            Self::UnknownEndpoint { method } => {
                (400, 100, Some(33), format!("Unsupported {} request", method.to_lowercase()))
            }
        };
        ErrorAnswer { status, code, subcode, message }
    }
}
