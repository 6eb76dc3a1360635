//! A comment, as the field `comments` carries it.

use crate::wire;
use openreply_domain::ids::{AccountId, UserId};
use openreply_domain::trigger::Comment;
use serde_json::Value;

/// The comment, or why there is none.
///
/// A comment without a text (a sticker, a GIF) says nothing, which is a text of its own: a campaign for any
/// word answers it, a keyword does not. Media that cannot be read is media unknown. Anything else that is there
/// and wrong makes the comment malformed, `parent_id` included: without it a reply would pass for a comment
/// that takes public replies.
pub(super) fn read(account: &AccountId, value: Option<&Value>) -> Result<Comment, &'static str> {
    const MALFORMED: &str = "malformed_comment";
    let value = value.and_then(Value::as_object).ok_or(MALFORMED)?;
    let given = |name: &str| value.get(name).filter(|value| !value.is_null());
    let author = given("from").and_then(Value::as_object).ok_or(MALFORMED)?;
    // Meta adds this field only where the account itself comments.
    if author.get("self_ig_scoped_id").is_some_and(|id| !id.is_null()) {
        return Err("own_comment");
    }
    let from: UserId = wire::id(author.get("id")).ok_or(MALFORMED)?;
    if from.as_str() == account.as_str() {
        return Err("own_comment");
    }
    let media = given("media");
    let parent = match given("parent_id") {
        Some(parent) => Some(wire::id(Some(parent)).ok_or(MALFORMED)?),
        None => None,
    };
    let text = match given("text") {
        Some(text) => text.as_str().ok_or(MALFORMED)?,
        None => "",
    };
    Ok(Comment {
        account: account.clone(),
        id: wire::id(given("id").or_else(|| given("comment_id"))).ok_or(MALFORMED)?,
        from,
        username: author
            .get("username")
            .and_then(Value::as_str)
            .filter(|name| !name.is_empty())
            .map(str::to_owned),
        media: wire::id(media.and_then(|media| media.get("id"))).or_else(|| wire::id(given("media_id"))),
        original_media: wire::id(media.and_then(|media| media.get("original_media_id"))),
        parent,
        text: text.to_owned(),
    })
}
