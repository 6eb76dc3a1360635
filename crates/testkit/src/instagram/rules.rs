//! Instagram's rules: what a write would change, or why it is refused.
//!
//! Pure: a world, a moment and a write in; a [`Change`] or a [`Refusal`] out. Nothing happens here.

use super::call::CallKind;
use super::refusal::Refusal;
use super::template::Said;
use super::world::{Author, Change, Comment, Message, World};
use openreply_domain::ids::{AccountId, CommentId, UserId};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use serde_json::{Value, json};

/// Text: at most 1000 *bytes* of UTF-8.
pub(super) const MAX_TEXT_BYTES: usize = 1000;
/// Private reply: within 7 days of the comment.
pub(super) const REPLY_WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Direct message: within 24 hours of the person's last message or tap.
pub(super) const MESSAGING_WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// Something that a client asks Instagram to do. Ids are as they came: an impossible one is an unknown one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Write {
    /// `POST /{account}/messages` with `recipient.comment_id`.
    PrivateReply { account: String, comment: String, said: Said },
    /// `POST /{account}/messages` with `recipient.id`.
    DirectMessage { account: String, user: String, said: Said },
    /// `POST /{comment}/replies`.
    PublicReply { comment: String, text: String },
    /// A body that is none of these.
    Malformed { account: Option<String> },
}

/// A write that the rules allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Granted {
    /// What it changes.
    pub(super) change: Change,
    /// The id of what it makes.
    pub(super) id: String,
    /// What Instagram answers.
    pub(super) receipt: Value,
}

impl Write {
    /// What it asks for.
    pub(super) fn kind(&self) -> Option<CallKind> {
        match self {
            Self::PrivateReply { .. } => Some(CallKind::PrivateReply),
            Self::DirectMessage { .. } => Some(CallKind::DirectMessage),
            Self::PublicReply { .. } => Some(CallKind::PublicReply),
            Self::Malformed { .. } => None,
        }
    }

    /// On whose behalf, as far as the world can tell: whose token it needs.
    pub(super) fn account(&self, world: &World) -> Option<AccountId> {
        match self {
            Self::PrivateReply { account, .. } | Self::DirectMessage { account, .. } => {
                AccountId::parse(account).ok()
            }
            Self::Malformed { account } => account.as_ref().and_then(|id| AccountId::parse(id).ok()),
            Self::PublicReply { comment, .. } => {
                find(world, comment).ok().map(|(_, found)| found.account.clone())
            }
        }
    }

    /// Whom or what it is addressed to.
    pub(super) fn target(&self) -> Option<&str> {
        match self {
            Self::PrivateReply { comment, .. } | Self::PublicReply { comment, .. } => Some(comment),
            Self::DirectMessage { user, .. } => Some(user),
            Self::Malformed { .. } => None,
        }
    }

    /// What it says.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::PrivateReply { said, .. } | Self::DirectMessage { said, .. } => Some(&said.text),
            Self::PublicReply { text, .. } => Some(text),
            Self::Malformed { .. } => None,
        }
    }
}

/// What the write changes, if Instagram does it.
pub(super) fn decide(world: &World, now: Timestamp, write: &Write) -> Result<Granted, Refusal> {
    match write {
        Write::PrivateReply { account, comment, said } => private_reply(world, now, account, comment, said),
        Write::DirectMessage { account, user, said } => direct_message(world, now, account, user, said),
        Write::PublicReply { comment, text } => public_reply(world, now, comment, text),
        Write::Malformed { .. } => Err(Refusal::Malformed),
    }
}

/// What a refused write changes all the same: a private reply that carries a button is refused for people who do
/// not follow the account, and the refused call still spends the one private reply.
pub(super) fn spends(write: &Write, refusal: &Refusal) -> Option<Change> {
    match write {
        Write::PrivateReply { comment, .. } if *refusal == Refusal::ButtonsForStranger => {
            CommentId::parse(comment.as_str()).ok().map(|comment| Change::ReplySpent { comment })
        }
        Write::PrivateReply { .. }
        | Write::DirectMessage { .. }
        | Write::PublicReply { .. }
        | Write::Malformed { .. } => None,
    }
}

/// One per comment, ever, across all campaigns; within 7 days of the comment; without buttons for people who do
/// not follow the account.
fn private_reply(
    world: &World,
    now: Timestamp,
    account: &str,
    comment: &str,
    said: &Said,
) -> Result<Granted, Refusal> {
    said.check()?;
    let (id, comment) = find(world, comment)?;
    if comment.account.as_str() != account {
        return Err(Refusal::UnknownObject);
    }
    if now > after(comment.at, REPLY_WINDOW) {
        return Err(Refusal::ReplyWindowClosed);
    }
    if world.is_replied(&id) {
        return Err(Refusal::AlreadyReplied);
    }
    if said.is_template && world.follows_since(&comment.account, &comment.from).is_none() {
        return Err(Refusal::ButtonsForStranger);
    }
    let (account, user) = (comment.account.clone(), comment.from.clone());
    Ok(message(world, now, account, user, comment.username.clone(), said, Some(id)))
}

/// Only within 24 hours of the person's last message or tap.
fn direct_message(
    world: &World,
    now: Timestamp,
    account: &str,
    user: &str,
    said: &Said,
) -> Result<Granted, Refusal> {
    said.check()?;
    let account = AccountId::parse(account).map_err(|_| Refusal::UnknownObject)?;
    let user = UserId::parse(user).map_err(|_| Refusal::UnknownRecipient)?;
    let conversation = world.conversation(&account, &user).ok_or(Refusal::UnknownRecipient)?;
    match conversation.last_inbound_at {
        Some(at) if now <= after(at, MESSAGING_WINDOW) => {}
        Some(_) | None => return Err(Refusal::MessagingWindowClosed),
    }
    Ok(message(world, now, account, user, None, said, None))
}

/// Only a top-level comment takes replies: under a reply (`parent_id` set) there is nothing to post.
fn public_reply(world: &World, now: Timestamp, comment: &str, text: &str) -> Result<Granted, Refusal> {
    if text.is_empty() {
        return Err(Refusal::TextEmpty);
    }
    let (parent, comment) = find(world, comment)?;
    if comment.parent.is_some() {
        return Err(Refusal::NotTopLevel);
    }
    let account = &comment.account;
    let id = world.next_comment_id();
    let comment = Comment {
        account: account.clone(),
        media: comment.media.clone(),
        from: UserId::parse(account.as_str()).map_err(|_| Refusal::UnknownObject)?,
        username: world.username(account).map(str::to_owned),
        text: text.to_owned(),
        at: now,
        parent: Some(parent),
        private_reply: None,
    };
    Ok(Granted {
        receipt: json!({ "id": id }),
        id: id.to_string(),
        change: Change::Commented { id, comment },
    })
}

fn find<'a>(world: &'a World, id: &str) -> Result<(CommentId, &'a Comment), Refusal> {
    let id = CommentId::parse(id).map_err(|_| Refusal::UnknownObject)?;
    let comment = world.comment(&id).ok_or(Refusal::UnknownObject)?;
    Ok((id, comment))
}

fn message(
    world: &World,
    now: Timestamp,
    account: AccountId,
    user: UserId,
    username: Option<String>,
    said: &Said,
    comment: Option<CommentId>,
) -> Granted {
    let id = world.next_message_id();
    let receipt = json!({ "recipient_id": user, "message_id": id });
    let message = Message {
        id: id.clone(),
        at: now,
        author: Author::Account,
        text: said.text.clone(),
        buttons: said.buttons.clone(),
        comment,
    };
    Granted { receipt, id: id.to_string(), change: Change::Messaged { account, user, username, message } }
}
