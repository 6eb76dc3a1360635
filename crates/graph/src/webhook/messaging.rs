//! What happens in a conversation: messages and taps, and much that starts nothing.

use crate::wire;
use openreply_domain::ids::{AccountId, UserId};
use openreply_domain::time::{Timestamp, from_millis};
use openreply_domain::trigger::{Message, Tap, Trigger};
use serde_json::{Map, Value};

/// What an element may hold instead of a message or a tap, and how it is counted.
const OTHER_KINDS: &[&str] = &[
    "reaction",
    "read",
    "delivery",
    "message_edit",
    "referral",
    "optin",
    "response_feedback",
    "pass_thread_control",
    "take_thread_control",
    "request_thread_control",
];

/// The message or the tap, or why there is none.
///
/// A tap is a postback, or a message that came of a quick reply. Whatever the account itself did is an echo.
pub(super) fn read(account: &AccountId, element: Option<&Value>) -> Result<Trigger, &'static str> {
    let element = element.and_then(Value::as_object).ok_or("malformed_messaging")?;
    let part = |name: &str| element.get(name).filter(|part| !part.is_null());
    let (message, postback) = (part("message"), part("postback"));
    let sender: Option<UserId> = wire::id(element.get("sender").and_then(|sender| sender.get("id")));
    let ours = [Some(element), message.and_then(Value::as_object), postback.and_then(Value::as_object)]
        .into_iter()
        .flatten()
        .any(|part| says(part, "is_echo") || says(part, "is_self"));
    if ours || sender.as_ref().is_some_and(|sender| sender.as_str() == account.as_str()) {
        return Err("echo");
    }
    let context = Context { account, sender, at: at(element.get("timestamp")) };
    match (postback, message) {
        (Some(postback), _) => context.tap(postback.get("mid"), postback.get("payload")),
        (None, Some(Value::Object(message))) => context.message(message),
        (None, Some(_)) => Err("malformed_message"),
        (None, None) => Err(OTHER_KINDS
            .iter()
            .find(|kind| element.contains_key(**kind))
            .copied()
            .unwrap_or("unknown_messaging")),
    }
}

struct Context<'a> {
    account: &'a AccountId,
    sender: Option<UserId>,
    at: Option<Timestamp>,
}

impl Context<'_> {
    fn message(self, message: &Map<String, Value>) -> Result<Trigger, &'static str> {
        if says(message, "is_deleted") {
            return Err("deleted_message");
        }
        if says(message, "is_unsupported") {
            return Err("unsupported_message");
        }
        if let Some(reply) = message.get("quick_reply").filter(|reply| !reply.is_null()) {
            return self.tap(message.get("mid"), reply.get("payload"));
        }
        let text = message.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
        let attached = message.get("attachments").is_some_and(|attachments| match attachments {
            Value::Array(attachments) => !attachments.is_empty(),
            Value::Object(_) => true,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        });
        let malformed = "malformed_message";
        let (id, from) = (wire::id(message.get("mid")).ok_or(malformed)?, self.sender.ok_or(malformed)?);
        if text.is_none() && !attached {
            return Err("empty_message");
        }
        let text = text.map(str::to_owned);
        Ok(Trigger::Message(Message { account: self.account.clone(), id, from, text, at: self.at }))
    }

    fn tap(self, mid: Option<&Value>, payload: Option<&Value>) -> Result<Trigger, &'static str> {
        let payload = payload.and_then(Value::as_str).filter(|payload| !payload.is_empty());
        let malformed = "malformed_tap";
        Ok(Trigger::Tap(Tap {
            account: self.account.clone(),
            id: wire::id(mid).ok_or(malformed)?,
            from: self.sender.ok_or(malformed)?,
            payload: payload.ok_or(malformed)?.to_owned(),
            at: self.at,
        }))
    }
}

/// Whether a flag is there and says anything but no: what might be ours starts nothing.
fn says(part: &Map<String, Value>, flag: &str) -> bool {
    !matches!(part.get(flag), None | Some(Value::Null | Value::Bool(false)))
}

/// When it happened. Meta writes milliseconds, and in some events seconds: what would lie before the spring of
/// 1973 in milliseconds is taken for seconds.
fn at(timestamp: Option<&Value>) -> Option<Timestamp> {
    const FIRST_MILLIS: i64 = 100_000_000_000;
    let number = wire::whole(timestamp?).filter(|number| *number > 0)?;
    Some(from_millis(if number < FIRST_MILLIS { number * 1000 } else { number }))
}
