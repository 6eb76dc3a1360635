//! The bodies that Instagram posts to a webhook, and their signature.
//!
//! Each function makes one whole body, `{"object": "instagram", "entry": […]}`; [`batch`] puts several into one,
//! as Meta does. What is signed are the bytes: serialise once, then [`sign`] and post the same bytes.

use super::world::Comment;
use hmac::{Hmac, KeyInit, Mac};
use openreply_domain::ids::CommentId;
use openreply_domain::time::Timestamp;
use serde_json::{Value, json};
use sha2::Sha256;

/// A comment or a reply, as a webhook tells of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommentUpdate<'a> {
    /// The account: `entry.id`.
    pub account: &'a str,
    /// When.
    pub at: Timestamp,
    /// The comment.
    pub id: &'a str,
    /// What it says.
    pub text: &'a str,
    /// Who wrote it.
    pub from: &'a str,
    /// Their user name, if Instagram tells.
    pub username: Option<&'a str>,
    /// What it stands under.
    pub media: Media<'a>,
    /// The comment it is a reply to.
    pub parent: Option<&'a str>,
}

/// What a comment stands under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media<'a> {
    /// A post.
    Post(&'a str),
    /// A reel.
    Reel(&'a str),
    /// An ad, which has media of its own.
    Ad {
        /// The ad's own media.
        media: &'a str,
        /// The ad.
        ad: &'a str,
        /// The post it promotes, where Meta tells.
        original: Option<&'a str>,
    },
}

/// The two sides of an event in an inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conversation<'a> {
    /// The account: `entry.id`.
    pub account: &'a str,
    /// The person.
    pub user: &'a str,
    /// When.
    pub at: Timestamp,
}

impl<'a> CommentUpdate<'a> {
    /// A comment of a [`World`](super::World), under a post.
    #[must_use]
    pub fn of(id: &'a CommentId, comment: &'a Comment) -> Self {
        Self {
            account: comment.account.as_str(),
            at: comment.at,
            id: id.as_str(),
            text: &comment.text,
            from: comment.from.as_str(),
            username: comment.username.as_deref(),
            media: Media::Post(comment.media.as_str()),
            parent: comment.parent.as_ref().map(CommentId::as_str),
        }
    }
}

/// Somebody commented, or replied to a comment.
#[must_use]
pub fn comment_event(update: &CommentUpdate<'_>) -> Value {
    let mut from = json!({ "id": update.from });
    if let Some(username) = update.username {
        from["username"] = username.into();
    }
    let media = match update.media {
        Media::Post(id) => json!({ "id": id, "media_product_type": "FEED" }),
        Media::Reel(id) => json!({ "id": id, "media_product_type": "REELS" }),
        Media::Ad { media, ad, original } => {
            let mut value = json!({ "id": media, "ad_id": ad, "media_product_type": "AD" });
            if let Some(original) = original {
                value["original_media_id"] = original.into();
            }
            value
        }
    };
    let mut value = json!({ "id": update.id, "text": update.text, "from": from, "media": media });
    if let Some(parent) = update.parent {
        value["parent_id"] = parent.into();
    }
    body(&json!({
        "id": update.account,
        "time": update.at.as_second(),
        "changes": [{ "field": "comments", "value": value }],
    }))
}

/// A person wrote.
#[must_use]
pub fn message_event(between: &Conversation<'_>, mid: &str, text: &str) -> Value {
    messaging("messaging", between, Side::Person, ("message", json!({ "mid": mid, "text": text })))
}

/// A person answered the account's story: a message that says so.
#[must_use]
pub fn story_reply_event(between: &Conversation<'_>, mid: &str, text: &str, story: &str) -> Value {
    let message = json!({ "mid": mid, "text": text, "reply_to": { "story": { "id": story } } });
    messaging("messaging", between, Side::Person, ("message", message))
}

/// A person tapped a button of a template.
#[must_use]
pub fn tap_event(between: &Conversation<'_>, mid: &str, title: &str, payload: &str) -> Value {
    let postback = json!({ "mid": mid, "title": title, "payload": payload });
    messaging("messaging", between, Side::Person, ("postback", postback))
}

/// The account itself wrote, by whatever app.
#[must_use]
pub fn echo_event(between: &Conversation<'_>, mid: &str, text: &str) -> Value {
    let message = json!({ "mid": mid, "text": text, "is_echo": true });
    messaging("messaging", between, Side::Account, ("message", message))
}

/// A person wrote in a thread that belongs to another app.
#[must_use]
pub fn standby_event(between: &Conversation<'_>, mid: &str, text: &str) -> Value {
    messaging("standby", between, Side::Person, ("message", json!({ "mid": mid, "text": text })))
}

/// Several bodies in one, their entries in that order.
#[must_use]
pub fn batch(events: impl IntoIterator<Item = Value>) -> Value {
    let mut all = Vec::new();
    for mut event in events {
        if let Some(Value::Array(entries)) = event.get_mut("entry").map(Value::take) {
            all.extend(entries);
        }
    }
    json!({ "object": "instagram", "entry": all })
}

/// The value of `X-Hub-Signature-256` for exactly these bytes.
#[must_use]
#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
pub fn sign(secret: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

#[derive(Clone, Copy)]
enum Side {
    Account,
    Person,
}

fn messaging(list: &str, between: &Conversation<'_>, sender: Side, (kind, what): (&str, Value)) -> Value {
    let (sender, recipient) = match sender {
        Side::Person => (between.user, between.account),
        Side::Account => (between.account, between.user),
    };
    // Inside a conversation Meta counts milliseconds; for comments, seconds.
    let at = between.at.as_millisecond();
    body(&json!({
        "id": between.account,
        "time": at,
        list: [{ "sender": { "id": sender }, "recipient": { "id": recipient }, "timestamp": at, kind: what }],
    }))
}

fn body(entry: &Value) -> Value {
    json!({ "object": "instagram", "entry": [entry] })
}
