//! What an answer of the Graph API proves: could a message exist?
//!
//! Delivered needs a 2xx answer that names the message and no error beside it. Rejected needs an explicit
//! refusal by Meta. Everything else is unconfirmed. In this order:
//!
//! 1. a (code, subcode) row counts whatever the HTTP status;
//! 2. code 100 whose text names what is wrong, and then a code alone, count only when the HTTP status itself
//!    says that the request was refused (4xx). An error with such a code on a 2xx or 3xx contradicts its own
//!    status, and at 5xx the failure may have come after the delivery: neither proves anything;
//! 3. whatever is left is unknown, `is_transient` or not.
//!
//! A subcode that is there and cannot be read might be one of the first kind, so then nothing is proved.

use crate::{usage, wire};
use http::HeaderMap;
use openreply_domain::ids::MessageId;
use openreply_domain::outcome::{Doubt, Rejection, RejectionKind, SendOutcome};
use serde_json::{Map, Value};

/// What a success of the call looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// A private reply or a direct message: `message_id`.
    Message,
    /// A public reply: `id`.
    PublicReply,
}

impl Expect {
    fn field(self) -> &'static str {
        match self {
            Self::Message => "message_id",
            Self::PublicReply => "id",
        }
    }
}

/// What a whole answer proves. Pure; never panics, whatever the bytes.
pub fn classify(status: u16, headers: &HeaderMap, body: &[u8], expect: Expect) -> SendOutcome {
    let Ok(Value::Object(answer)) = serde_json::from_slice(body) else {
        return SendOutcome::Unconfirmed(unreadable(status));
    };
    let named: Option<MessageId> =
        if is_success(status) { wire::id(answer.get(expect.field())) } else { None };
    let error = answer.get("error").filter(|error| !error.is_null());
    match (named, error) {
        (Some(message_id), None) => SendOutcome::Delivered { message_id },
        (None, None) => SendOutcome::Unconfirmed(unreadable(status)),
        // A message and an error in one answer: whatever the error says, the message may exist.
        (Some(_), Some(error)) => SendOutcome::Unconfirmed(GraphError::read(error).doubt(status)),
        (None, Some(error)) => {
            let error = GraphError::read(error);
            match error.refusal(status) {
                Some(mut rejection) => {
                    if rejection.kind == RejectionKind::Throttled {
                        rejection.retry_after_seconds = usage::retry_after_seconds(headers);
                    }
                    SendOutcome::Rejected(rejection)
                }
                None => SendOutcome::Unconfirmed(error.doubt(status)),
            }
        }
    }
}

fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

/// A redirect is an answer of its own, body or not; elsewhere a body was due and could not be read.
fn unreadable(status: u16) -> Doubt {
    if (300..400).contains(&status) {
        Doubt::Answer { status, code: None, subcode: None }
    } else {
        Doubt::Unreadable { status }
    }
}

/// What a row says of its answers.
enum Row {
    Refused(RejectionKind),
    Unknown,
}

/// Rows of a code with its subcode.
const PAIRS: &[(i64, i64, Row)] = &[
    (2, 1_545_133, Row::Refused(RejectionKind::ReplySpent)),
    (2, 2_534_023, Row::Refused(RejectionKind::ReplySpent)),
    (4, 2_207_051, Row::Unknown),
    (10, 2_534_022, Row::Refused(RejectionKind::WindowClosed)),
    (10, 2_018_278, Row::Refused(RejectionKind::WindowClosed)),
    (100, 2_534_025, Row::Refused(RejectionKind::MaybeSpentEarlier)),
    (100, 2_534_014, Row::Refused(RejectionKind::RecipientUnavailable)),
    (100, 2_018_001, Row::Refused(RejectionKind::RecipientUnavailable)),
    (100, 2_018_292, Row::Refused(RejectionKind::RecipientUnavailable)),
    (100, 33, Row::Refused(RejectionKind::RecipientUnavailable)),
    (100, 2_534_037, Row::Refused(RejectionKind::OtherAppOwnsThread)),
];

/// Rows of a code alone, whatever its subcode. Codes that are not here (1, 2, 20 and all others) are unknown.
fn by_code(code: i64) -> Option<RejectionKind> {
    match code {
        3 | 100 => Some(RejectionKind::BadRequest),
        4 | 17 | 32 | 613 | 80_001..=80_014 => Some(RejectionKind::Throttled),
        10 | 200 | 230 => Some(RejectionKind::Permission),
        190 => Some(RejectionKind::TokenDead),
        368 => Some(RejectionKind::Blocked),
        551 => Some(RejectionKind::RecipientUnavailable),
        10_900 => Some(RejectionKind::ReplySpent),
        _ => None,
    }
}

/// Rows of code 100 that only its text tells apart. `text` is in lower case.
fn by_text(text: &str) -> Option<RejectionKind> {
    if text.contains("unsupported request") {
        Some(RejectionKind::AppUnusable)
    } else if text.contains("template") || text.contains("button") {
        Some(RejectionKind::TemplateRefused)
    } else {
        None
    }
}

/// A field that may be absent, readable, or there and unreadable.
#[derive(Clone, Copy)]
enum Given {
    Absent,
    Number(i64),
    Unreadable,
}

impl Given {
    fn read(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Absent,
            Some(value) => wire::whole(value).map_or(Self::Unreadable, Self::Number),
        }
    }

    fn number(self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Absent | Self::Unreadable => None,
        }
    }
}

struct GraphError<'a> {
    code: Given,
    subcode: Given,
    fields: Option<&'a Map<String, Value>>,
}

impl<'a> GraphError<'a> {
    fn read(error: &'a Value) -> Self {
        let fields = error.as_object();
        let given = |name: &str| Given::read(fields.and_then(|fields| fields.get(name)));
        Self { code: given("code"), subcode: given("error_subcode"), fields }
    }

    fn refusal(&self, status: u16) -> Option<Rejection> {
        let code = self.code.number()?;
        let subcode = match self.subcode {
            Given::Absent => None,
            Given::Number(subcode) => Some(subcode),
            Given::Unreadable => return None,
        };
        let pair = PAIRS
            .iter()
            .find(|(row_code, row_subcode, _)| *row_code == code && Some(*row_subcode) == subcode);
        let kind = match pair {
            Some((_, _, Row::Refused(kind))) => Some(*kind),
            Some((_, _, Row::Unknown)) => None,
            None if !(400..500).contains(&status) => None,
            None if code == 100 => by_text(&self.text()).or_else(|| by_code(code)),
            None => by_code(code),
        }?;
        Some(Rejection { kind, code, subcode, retry_after_seconds: None })
    }

    /// What Meta says of the error, for machines and for people, in lower case.
    fn text(&self) -> String {
        let text = |name: &str| self.fields.and_then(|fields| fields.get(name)).and_then(Value::as_str);
        ["message", "error_user_title", "error_user_msg"]
            .map(|name| text(name).unwrap_or_default())
            .join("\n")
            .to_lowercase()
    }

    fn doubt(&self, status: u16) -> Doubt {
        Doubt::Answer { status, code: self.code.number(), subcode: self.subcode.number() }
    }
}
