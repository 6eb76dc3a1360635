//! What the Graph API shows: the comments of a post, and an inbox.

use super::fields::Fields;
use super::ids;
use super::refusal::Refusal;
use super::world::{Author, Comment, Conversation, Message, Post, World};
use axum::http::Uri;
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::time::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Inbox evidence: the 20 newest messages of a conversation.
const MESSAGES_SHOWN: usize = 20;
/// Comments of a post: pages of at most 50.
const COMMENTS_SHOWN: usize = 50;
/// Replies that come with a comment: as many as an edge gives without a limit.
const REPLIES_SHOWN: usize = 25;
/// Own media: pages of at most 100, of 25 unless it is said otherwise.
const MEDIA_SHOWN: usize = 25;

/// The parameters of a read.
pub(super) struct Query(BTreeMap<String, String>);

impl Query {
    pub(super) fn parse(uri: &Uri) -> Self {
        Self(axum::extract::Query::try_from_uri(uri).map(|query| query.0).unwrap_or_default())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn fields(&self, unless_given: &str) -> Fields {
        Fields::parse(self.get("fields").unwrap_or(unless_given))
    }
}

/// `GET /{account}/conversations?platform=instagram&user_id={igsid}&fields=messages{…}`; without `user_id`,
/// all of them. Newest message first.
pub(super) fn conversations(
    world: &World,
    account: &str,
    query: &Query,
) -> Result<(AccountId, Value), Refusal> {
    let id = AccountId::parse(account).map_err(|_| Refusal::UnknownObject)?;
    let known = world.accounts().get(&id).ok_or(Refusal::UnknownObject)?;
    if query.get("platform") != Some("instagram") {
        return Err(Refusal::Malformed);
    }
    let wanted = |user: &UserId| query.get("user_id").is_none_or(|wanted| wanted == user.as_str());
    let fields = query.fields("id");
    let data: Vec<Value> = known
        .conversations
        .iter()
        .filter(|(user, conversation)| wanted(user) && !conversation.messages.is_empty())
        .map(|(user, conversation)| fields.narrow(thread(world, &id, user, conversation)))
        .collect();
    Ok((id, json!({ "data": data })))
}

/// `GET /{media}/comments?fields=…&order=reverse_chronological&limit=50`: the top-level comments, with their
/// replies inside, newest first; without `order`, oldest first. `link` is this page's address with its token:
/// Meta's `next` carries it.
pub(super) fn comments(
    world: &World,
    media: &str,
    query: &Query,
    link: &str,
) -> Result<(AccountId, Value), Refusal> {
    let media = MediaId::parse(media).map_err(|_| Refusal::UnknownObject)?;
    let post = world.posts().iter().find(|post| post.media == media).ok_or(Refusal::UnknownObject)?;
    let mut all: Vec<(&CommentId, &Comment)> =
        world.post_comments(&post.account, &media).filter(|(_, comment)| comment.parent.is_none()).collect();
    if query.get("order") == Some("reverse_chronological") {
        all.reverse();
    }
    if let Some(after) = query.get("after") {
        let seen = all.iter().position(|(id, _)| id.as_str() == after).ok_or(Refusal::Malformed)?;
        all.drain(..=seen);
    }
    let limit = match query.get("limit") {
        Some(limit) => limit.parse().ok().filter(|limit| *limit > 0).ok_or(Refusal::Malformed)?,
        None => COMMENTS_SHOWN,
    };
    let page = &all[..limit.min(COMMENTS_SHOWN).min(all.len())];
    let fields = query.fields("id,text,timestamp");
    let data: Vec<Value> =
        page.iter().map(|(id, found)| fields.narrow(with_replies(world, id, found, link))).collect();
    let mut answer = json!({ "data": data });
    if let Some((last, _)) = page.last() {
        answer["paging"] = json!({ "cursors": { "after": last } });
        if page.len() < all.len() {
            answer["paging"]["next"] = format!("{link}&after={last}").into();
        }
    }
    Ok((post.account.clone(), answer))
}

/// `GET /{comment}/replies?fields=…&limit=…`: the replies under a comment, oldest first. `link` is this page's
/// address with its token.
pub(super) fn replies(
    world: &World,
    comment: &str,
    query: &Query,
    link: &str,
) -> Result<(AccountId, Value), Refusal> {
    let id = CommentId::parse(comment).map_err(|_| Refusal::UnknownObject)?;
    let parent = world.comment(&id).ok_or(Refusal::UnknownObject)?;
    let mut all: Vec<(&CommentId, &Comment)> = world.replies(&id).collect();
    if let Some(after) = query.get("after") {
        let seen = all.iter().position(|(id, _)| id.as_str() == after).ok_or(Refusal::Malformed)?;
        all.drain(..=seen);
    }
    let limit = match query.get("limit") {
        Some(limit) => limit.parse().ok().filter(|limit| *limit > 0).ok_or(Refusal::Malformed)?,
        None => REPLIES_SHOWN,
    };
    let edge = edge_of_replies(&all, limit.min(COMMENTS_SHOWN), link);
    Ok((parent.account.clone(), query.fields("id,text,timestamp").narrow(edge)))
}

/// The first so many replies, and where the next ones are.
fn edge_of_replies(all: &[(&CommentId, &Comment)], limit: usize, link: &str) -> Value {
    let page = &all[..limit.min(all.len())];
    let data: Vec<Value> = page.iter().map(|(id, reply)| show(id, reply)).collect();
    let mut edge = json!({ "data": data });
    if let Some((last, _)) = page.last() {
        edge["paging"] = json!({ "cursors": { "after": last } });
        if page.len() < all.len() {
            edge["paging"]["next"] = format!("{link}&after={last}").into();
        }
    }
    edge
}

/// `GET /me/media?fields=…&limit=…`, or with the account's id for `me`: its own posts, newest first. `link` is this
/// page's address with its token.
pub(super) fn own_media(
    world: &World,
    account: &AccountId,
    query: &Query,
    link: &str,
) -> Result<(AccountId, Value), Refusal> {
    world.accounts().get(account).ok_or(Refusal::UnknownObject)?;
    let mut all: Vec<&Post> =
        world.posts().iter().filter(|post| post.account == *account && post.is_listed).collect();
    all.sort_by_key(|post| std::cmp::Reverse(post.published_at));
    if let Some(after) = query.get("after") {
        let seen = all.iter().position(|post| post.media.as_str() == after).ok_or(Refusal::Malformed)?;
        all.drain(..=seen);
    }
    let limit = match query.get("limit") {
        Some(limit) => limit.parse().ok().filter(|limit| *limit > 0).ok_or(Refusal::Malformed)?,
        None => MEDIA_SHOWN,
    };
    let page = &all[..limit.min(MEDIA_SHOWN * 4).min(all.len())];
    let fields = query.fields("id");
    let data: Vec<Value> = page.iter().map(|post| fields.narrow(show_post(post))).collect();
    let mut answer = json!({ "data": data });
    if let Some(last) = page.last() {
        answer["paging"] = json!({ "cursors": { "after": last.media } });
        if page.len() < all.len() {
            answer["paging"]["next"] = format!("{link}&after={}", last.media).into();
        }
    }
    Ok((account.clone(), answer))
}

fn show_post(post: &Post) -> Value {
    json!({
        "id": post.media,
        "media_type": if post.is_reel { "VIDEO" } else { "IMAGE" },
        "media_product_type": if post.is_reel { "REELS" } else { "FEED" },
        "timestamp": meta_time(post.published_at),
        "permalink": format!("https://www.instagram.com/p/{}/", post.media),
    })
}

fn thread(world: &World, account: &AccountId, user: &UserId, conversation: &Conversation) -> Value {
    let message = |message: &Message| {
        let from = match message.author {
            Author::Account => json!({ "id": account, "username": world.username(account) }),
            Author::Person => json!({ "id": user, "username": conversation.username }),
        };
        json!({ "id": message.id, "created_time": meta_time(message.at), "from": from, "message": message.text })
    };
    let newest = conversation.messages.iter().rev().take(MESSAGES_SHOWN);
    json!({
        "id": ids::conversation(account, user),
        "messages": { "data": newest.map(message).collect::<Vec<_>>() },
    })
}

fn with_replies(world: &World, id: &CommentId, comment: &Comment, link: &str) -> Value {
    let mut shown = show(id, comment);
    let replies: Vec<(&CommentId, &Comment)> = world.replies(id).collect();
    if !replies.is_empty() {
        shown["replies"] = edge_of_replies(&replies, REPLIES_SHOWN, link);
    }
    shown
}

fn show(id: &CommentId, comment: &Comment) -> Value {
    json!({
        "id": id,
        "text": comment.text,
        "timestamp": meta_time(comment.at),
        "from": { "id": comment.from, "username": comment.username },
    })
}

/// Meta writes the offset without a colon.
fn meta_time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S+0000").to_string()
}
