//! From a body to its elements, each on its own.
//!
//! Only what every element needs is read of the body as a whole, so an element that cannot be read (a number
//! beyond all bounds, a nesting beyond all sense, a wrong type) is counted and loses no neighbour. What
//! starts nothing is counted by why:
//!
//! | Reason | What it was |
//! | --- | --- |
//! | `own_comment`, `echo` | the account's own doing |
//! | `standby` | a conversation that another app handles |
//! | `test_sample` | the dashboard's "Test" button (`entry.id` is 0) |
//! | `live_comment`, `unknown_field`, `unknown_object` | nothing that this product answers |
//! | `deleted_message`, `unsupported_message`, `empty_message` | a message that says nothing |
//! | `reaction`, `read`, `delivery`, `message_edit`, … | no message at all ([`super::messaging`]) |
//! | `malformed_…` | not what it should be |

use super::{comment, mend, messaging};
use crate::wire;
use openreply_app::ports::{ParsedEvent, Unreadable};
use openreply_domain::ids::AccountId;
use openreply_domain::trigger::Trigger;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Reads a body.
pub(super) fn parse(body: &[u8]) -> Result<ParsedEvent, Unreadable> {
    let whole: &RawValue = serde_json::from_slice(body)
        .map_err(|error| Unreadable { line: error.line().max(1), column: error.column().max(1) })?;
    let mut event = ParsedEvent::default();
    for envelope in elements(whole) {
        read_envelope(envelope, &mut event);
    }
    Ok(event)
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    object: Option<&'a RawValue>,
    #[serde(borrow)]
    entry: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    changes: Option<&'a RawValue>,
    #[serde(borrow)]
    field: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    #[serde(borrow)]
    messaging: Option<&'a RawValue>,
    #[serde(borrow)]
    standby: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Change<'a> {
    #[serde(borrow)]
    field: Option<&'a RawValue>,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

fn read_envelope(raw: &RawValue, event: &mut ParsedEvent) {
    let Some(Envelope { object, entry: Some(entries) }) = object(raw) else {
        return pass(event, "malformed_envelope");
    };
    if object.is_some_and(|object| value(object).as_ref().and_then(Value::as_str) != Some("instagram")) {
        return pass(event, "unknown_object");
    }
    for entry in elements(entries) {
        read_entry(entry, event);
    }
}

fn read_entry(raw: &RawValue, event: &mut ParsedEvent) {
    let Some(entry) = object::<Entry<'_>>(raw) else {
        return pass(event, "malformed_entry");
    };
    let Some(account) = wire::id::<AccountId>(entry.id.and_then(value).as_ref()) else {
        return pass(event, "malformed_entry");
    };
    let changes = entry.changes.map(elements).unwrap_or_default();
    let messages = entry.messaging.map(elements).unwrap_or_default();
    let others = entry.standby.map(elements).unwrap_or_default();
    let total = changes.len() + messages.len() + others.len() + usize::from(entry.field.is_some());
    if total == 0 {
        return pass(event, "unknown_entry");
    }
    if account.as_str() == "0" {
        return (0..total).for_each(|_| pass(event, "test_sample"));
    }
    for change in changes {
        match object(change) {
            Some(Change { field: Some(field), value }) => read_change(&account, field, value, event),
            Some(Change { field: None, .. }) | None => pass(event, "malformed_change"),
        }
    }
    if let Some(field) = entry.field {
        read_change(&account, field, entry.value, event);
    }
    for message in messages {
        note(messaging::read(&account, value(message).as_ref()), event);
    }
    others.iter().for_each(|_| pass(event, "standby"));
}

fn read_change(account: &AccountId, field: &RawValue, raw: Option<&RawValue>, event: &mut ParsedEvent) {
    let Some(Value::String(field)) = value(field) else {
        return pass(event, "malformed_change");
    };
    let read = || raw.and_then(value);
    match field.as_str() {
        "comments" => note(comment::read(account, read().as_ref()).map(Trigger::Comment), event),
        "messages" | "messaging_postbacks" => note(messaging::read(account, read().as_ref()), event),
        // Only while the broadcast lasts may it be answered in private, and no campaign is bound to one.
        "live_comments" => pass(event, "live_comment"),
        _ => pass(event, "unknown_field"),
    }
}

fn note(read: Result<Trigger, &'static str>, event: &mut ParsedEvent) {
    match read {
        Ok(trigger) => event.triggers.push(trigger),
        Err(reason) => pass(event, reason),
    }
}

fn pass(event: &mut ParsedEvent, reason: &'static str) {
    *event.passed_over.entry(reason).or_default() += 1;
}

/// The elements of a list; anything else is the one element of itself.
fn elements(raw: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| vec![raw])
}

/// The named fields of an object. (A list would do for serde, its places taken for the fields.)
fn object<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Option<T> {
    let text = raw.get();
    text.starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
}

/// The whole of an element, however its texts were cut.
fn value(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(&mend::halves(raw.get())).ok()
}
