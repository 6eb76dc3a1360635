//! What a person did on Instagram, and the identity that everything hangs on.
//!
//! A [`TriggerKey`] is the same for every copy of an event, whoever delivers it and however often. The
//! ledger's partition, the queue's deduplication id and what a person reads are all derived from it.

use crate::ids::{AccountId, CampaignId, CommentId, MediaId, MessageId, TriggerId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// A comment under a post, reel or ad.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The account under whose media it stands.
    pub account: AccountId,
    /// The comment itself.
    pub id: CommentId,
    /// Who wrote it.
    pub from: UserId,
    /// Their user name, where Instagram gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// What it stands under. For an ad this is the ad's own media.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media: Option<MediaId>,
    /// For an ad: the post it promotes, where Instagram gave it. A campaign may be bound to either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_media: Option<MediaId>,
    /// The comment it answers. Set, there is nothing to publish a reply under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CommentId>,
    /// What it says.
    pub text: String,
}

/// A tap on a button of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tap {
    /// The account in whose conversation it happened.
    pub account: AccountId,
    /// The id Instagram gave the tap.
    pub id: MessageId,
    /// Who tapped.
    pub from: UserId,
    /// What the button carried.
    pub payload: String,
    /// When, by Instagram's clock.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A message a person wrote to the account, a reply to a story included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The account that was written to.
    pub account: AccountId,
    /// The message.
    pub id: MessageId,
    /// Who wrote.
    pub from: UserId,
    /// What it says, where it says anything (a picture does not).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When, by Instagram's clock.
    #[serde(default, with = "crate::time::millis::option", skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// Anything that can start a flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Trigger {
    /// A comment.
    Comment(Comment),
    /// A tap on a button.
    Tap(Tap),
    /// A message.
    Message(Message),
}

/// The kinds of trigger, as they read in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TriggerKind {
    /// `comment`
    Comment,
    /// `tap`
    Tap,
    /// `message`
    Message,
    /// `follow_up`: nothing that a person did, but its time. Its id is `<user>:<campaign>`.
    FollowUp,
}

impl TriggerKind {
    /// The word in a key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Tap => "tap",
            Self::Message => "message",
            Self::FollowUp => "follow_up",
        }
    }
}

/// The identity of a trigger: `comment:<account>:<comment id>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TriggerKey {
    /// What kind of thing happened.
    pub kind: TriggerKind,
    /// On which account.
    pub account: AccountId,
    /// The id Instagram gave it.
    pub id: TriggerId,
}

/// A text that is not `<kind>:<account>:<id>`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a trigger reads comment:<account>:<id>, tap:<account>:<id>, message:<account>:<id> or follow_up:<account>:<user>:<campaign>"
)]
pub struct TriggerKeyError;

impl fmt::Display for TriggerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.kind.as_str(), self.account, self.id)
    }
}

impl FromStr for TriggerKey {
    type Err = TriggerKeyError;
    fn from_str(text: &str) -> Result<Self, TriggerKeyError> {
        let mut parts = text.splitn(3, ':');
        let (Some(kind), Some(account), Some(id)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(TriggerKeyError);
        };
        let kind = match kind {
            "comment" => TriggerKind::Comment,
            "tap" => TriggerKind::Tap,
            "message" => TriggerKind::Message,
            "follow_up" => TriggerKind::FollowUp,
            _ => return Err(TriggerKeyError),
        };
        Ok(Self {
            kind,
            account: AccountId::parse(account).map_err(|_| TriggerKeyError)?,
            id: TriggerId::parse(id).map_err(|_| TriggerKeyError)?,
        })
    }
}

impl TryFrom<String> for TriggerKey {
    type Error = TriggerKeyError;
    fn try_from(text: String) -> Result<Self, TriggerKeyError> {
        text.parse()
    }
}

impl From<TriggerKey> for String {
    fn from(key: TriggerKey) -> String {
        key.to_string()
    }
}

impl TriggerKey {
    /// The identity of a person's follow-up on a campaign: there is one, ever.
    #[must_use]
    pub fn follow_up(account: &AccountId, user: &UserId, campaign: &CampaignId) -> Self {
        let id = TriggerId::of_follow_up(user, campaign);
        Self { kind: TriggerKind::FollowUp, account: account.clone(), id }
    }
}

impl Comment {
    /// The identity of this comment as a trigger.
    #[must_use]
    pub fn key(&self) -> TriggerKey {
        TriggerKey { kind: TriggerKind::Comment, account: self.account.clone(), id: (&self.id).into() }
    }
}

impl Tap {
    /// The identity of this tap as a trigger.
    #[must_use]
    pub fn key(&self) -> TriggerKey {
        TriggerKey { kind: TriggerKind::Tap, account: self.account.clone(), id: (&self.id).into() }
    }
}

impl Message {
    /// The identity of this message as a trigger.
    #[must_use]
    pub fn key(&self) -> TriggerKey {
        TriggerKey { kind: TriggerKind::Message, account: self.account.clone(), id: (&self.id).into() }
    }
}

impl Trigger {
    /// The identity of this trigger.
    #[must_use]
    pub fn key(&self) -> TriggerKey {
        match self {
            Self::Comment(comment) => comment.key(),
            Self::Tap(tap) => tap.key(),
            Self::Message(message) => message.key(),
        }
    }

    /// On which account it happened.
    #[must_use]
    pub fn account(&self) -> &AccountId {
        match self {
            Self::Comment(comment) => &comment.account,
            Self::Tap(tap) => &tap.account,
            Self::Message(message) => &message.account,
        }
    }

    /// Who did it.
    #[must_use]
    pub fn from(&self) -> &UserId {
        match self {
            Self::Comment(comment) => &comment.from,
            Self::Tap(tap) => &tap.from,
            Self::Message(message) => &message.from,
        }
    }
}

/// What the queue needs to know of a message: which group keeps its order, and what makes it a copy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct QueueIdentity {
    /// `MessageGroupId`: one person on one account, so that nobody waits for a stranger.
    pub group: String,
    /// `MessageDeduplicationId`: what happened, and nothing of how it was delivered.
    pub dedup: String,
}

/// What SQS takes as an id: 128 characters of letters, digits and punctuation.
const MAX_QUEUE_ID: usize = 128;

impl QueueIdentity {
    /// The one place where queue ids are made. `name` says what happened (`comment_<account>_<id>`),
    /// `account` and `user` whose order it keeps. An id that is too long for SQS becomes its own hash:
    /// still the same for every copy.
    #[must_use]
    pub fn new(account: &AccountId, user: &UserId, name: &str) -> Self {
        Self { group: fit(format!("{account}:{user}")), dedup: fit(name.to_owned()) }
    }

    /// The identity of a fresh trigger on the queue.
    #[must_use]
    pub fn of(trigger: &Trigger) -> Self {
        let key = trigger.key();
        Self::new(
            trigger.account(),
            trigger.from(),
            &format!("{}_{}_{}", key.kind.as_str(), key.account, key.id),
        )
    }
}

impl QueueIdentity {
    /// The identity of a beat: all beats keep one order, and each is its own.
    #[must_use]
    pub fn of_beat(name: &str) -> Self {
        Self { group: BEATS.to_owned(), dedup: fit(format!("beat_{name}")) }
    }
}

/// The group of the beats. No account's id is without a colon and a person.
pub const BEATS: &str = "beats";

fn fit(id: String) -> String {
    if id.len() <= MAX_QUEUE_ID && id.bytes().all(|b| b.is_ascii_graphic()) {
        id
    } else {
        hex::encode(Sha256::digest(id.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comment(id: &str) -> Trigger {
        Trigger::Comment(Comment {
            account: AccountId::parse("17841400000000001").unwrap(),
            id: CommentId::parse(id).unwrap(),
            from: UserId::parse("900").unwrap(),
            username: None,
            media: None,
            original_media: None,
            parent: None,
            text: "LINK".into(),
        })
    }

    #[test]
    fn a_trigger_key_reads_back() {
        let key = comment("180:1").key();
        assert_eq!(key.to_string(), "comment:17841400000000001:180:1");
        assert_eq!("comment:17841400000000001:180:1".parse::<TriggerKey>().unwrap(), key);
        for text in ["", "comment", "comment:1", "like:1:2", "comment::2", "comment:1:"] {
            assert_eq!(text.parse::<TriggerKey>(), Err(TriggerKeyError), "{text:?}");
        }
    }

    #[test]
    fn queue_ids_depend_on_what_happened_only() {
        let mut other = comment("1");
        if let Trigger::Comment(other) = &mut other {
            other.text = "edited".into();
            other.username = Some("anna".into());
        }
        assert_eq!(QueueIdentity::of(&comment("1")), QueueIdentity::of(&other));
        assert_ne!(QueueIdentity::of(&comment("1")).dedup, QueueIdentity::of(&comment("2")).dedup);
        assert_eq!(QueueIdentity::of(&comment("1")).dedup, "comment_17841400000000001_1");
    }

    #[test]
    fn queue_ids_fit_sqs_and_stay_distinct() {
        let (a, b) = (comment(&format!("{}a", "x".repeat(200))), comment(&format!("{}b", "x".repeat(200))));
        for id in [QueueIdentity::of(&a), QueueIdentity::of(&b)] {
            assert!(id.dedup.len() <= MAX_QUEUE_ID && id.group.len() <= MAX_QUEUE_ID);
        }
        assert_ne!(QueueIdentity::of(&a).dedup, QueueIdentity::of(&b).dedup);
    }
}
