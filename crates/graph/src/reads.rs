//! Reading comments, an account's own media and conversations.
//!
//! Guarantees: one read is one request over a connection of its own, and nothing is tried again. The token travels
//! in the `Authorization` header only, and pages are asked for by their cursor: the `next` addresses that Meta
//! sends carry the token, so none is ever followed, kept or logged. An element that cannot be read is counted and
//! loses no neighbour.

use crate::client::{Graph, MAX_PAGE_BYTES};
use crate::{usage, wire};
use http::HeaderMap;
use openreply_app::ports::{
    CommentsPage, MediaPage, Own, ReadError, ReadTrouble, Reader, RepliesPage, SeenComment, SeenMedia,
    SeenReply, Usage,
};
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::time::Timestamp;
use secrecy::SecretString;
use serde_json::Value;

const COMMENTS: &str = "the comments of a post";
const MEDIA: &str = "the account's posts";
const CONVERSATION: &str = "a conversation";
const REPLIES: &str = "the replies under a comment";

const COMMENT_FIELDS: &str = "id,text,timestamp,from,replies{id,text,timestamp,from}";
const MEDIA_FIELDS: &str = "id,media_type,media_product_type,timestamp,permalink";
const MESSAGE_FIELDS: &str = "messages{id,created_time,from,message}";
const REPLY_FIELDS: &str = "id,text,timestamp,from";

/// What Meta calls a reel.
const REEL: &str = "REELS";
/// Comments on a page; replies under a comment.
const COMMENTS_A_PAGE: &str = "50";
/// Posts on a page.
const MEDIA_A_PAGE: &str = "25";

/// An answer that was read.
struct Answer {
    body: Value,
    usage: Usage,
}

impl Reader for Graph {
    async fn comments(
        &self,
        token: &SecretString,
        media: &MediaId,
        after: Option<&str>,
    ) -> Result<CommentsPage, ReadError> {
        let query =
            [("fields", COMMENT_FIELDS), ("order", "reverse_chronological"), ("limit", COMMENTS_A_PAGE)];
        let Answer { body, usage } =
            self.read(COMMENTS, &[media.as_str(), "comments"], token, &query, after).await?;
        let listed = data(&body);
        let comments: Vec<SeenComment> = listed.iter().filter_map(comment).collect();
        Ok(CommentsPage { unreadable: listed.len() - comments.len(), comments, next: cursor(&body), usage })
    }

    async fn replies(
        &self,
        token: &SecretString,
        comment: &CommentId,
        after: Option<&str>,
    ) -> Result<RepliesPage, ReadError> {
        let query = [("fields", REPLY_FIELDS), ("limit", COMMENTS_A_PAGE)];
        let Answer { body, usage } =
            self.read(REPLIES, &[comment.as_str(), "replies"], token, &query, after).await?;
        let replies = data(&body).iter().filter_map(reply).collect();
        Ok(RepliesPage { replies, next: cursor(&body), usage })
    }

    /// `/me/media`, which names the account by its token. Where that names nobody (`100`), the account's own id.
    async fn own_media(
        &self,
        token: &SecretString,
        account: &AccountId,
        after: Option<&str>,
    ) -> Result<MediaPage, ReadError> {
        let query = [("fields", MEDIA_FIELDS), ("limit", MEDIA_A_PAGE)];
        let by_token = self.read(MEDIA, &["me", "media"], token, &query, after).await;
        let Answer { body, usage } = match by_token {
            Err(ReadError { trouble: ReadTrouble::Refused { code: 100 }, .. }) => {
                self.read(MEDIA, &[account.as_str(), "media"], token, &query, after).await?
            }
            answered => answered?,
        };
        let media = data(&body).iter().filter_map(own_media).collect();
        Ok(MediaPage { media, next: cursor(&body), usage })
    }

    async fn conversation(
        &self,
        token: &SecretString,
        own: Own<'_>,
        user: &UserId,
    ) -> Result<(Vec<Shown>, Usage), ReadError> {
        let query = [("platform", "instagram"), ("user_id", user.as_str()), ("fields", MESSAGE_FIELDS)];
        let Answer { body, usage } =
            self.read(CONVERSATION, &[own.id.as_str(), "conversations"], token, &query, None).await?;
        let threads = data(&body).iter().filter_map(|thread| thread.get("messages"));
        let shown = threads.flat_map(data).filter_map(|message| shown(message, own));
        Ok((shown.collect(), usage))
    }
}

impl Graph {
    async fn read(
        &self,
        what: &'static str,
        path: &[&str],
        token: &SecretString,
        query: &[(&str, &str)],
        after: Option<&str>,
    ) -> Result<Answer, ReadError> {
        let failed = |trouble| ReadError { what, trouble };
        let mut query = query.to_vec();
        query.extend(after.map(|after| ("after", after)));
        let Some(request) = self.get_request(path, &query, token) else {
            return Err(failed(ReadTrouble::Unreachable));
        };
        let answer = self.answer_to(request, MAX_PAGE_BYTES).await;
        let Some((status, headers, body)) = answer else { return Err(failed(ReadTrouble::Unreachable)) };
        let body: Value = serde_json::from_slice(&body).map_err(|_| failed(ReadTrouble::Unreachable))?;
        match trouble(status, &headers, &body) {
            None => Ok(Answer { body, usage: Usage(usage::percent(&headers)) }),
            Some(trouble) => {
                tracing::debug!(what, status, ?trouble, "the Graph API shows nothing");
                Err(failed(trouble))
            }
        }
    }
}

/// What an answer refuses, if it does.
fn trouble(status: u16, headers: &HeaderMap, body: &Value) -> Option<ReadTrouble> {
    let error = body.get("error").filter(|error| !error.is_null());
    let Some(error) = error else {
        return (!(200..300).contains(&status)).then_some(ReadTrouble::Unreachable);
    };
    Some(match error.get("code").and_then(wire::whole) {
        Some(190) => ReadTrouble::TokenDead,
        Some(4 | 17 | 32 | 613 | 80001..=80014) => {
            ReadTrouble::Throttled { retry_after_seconds: usage::retry_after_seconds(headers) }
        }
        Some(code) if (400..500).contains(&status) => ReadTrouble::Refused { code },
        Some(_) | None => ReadTrouble::Unreachable,
    })
}

/// The elements of a list.
fn data(list: &Value) -> &[Value] {
    list.get("data").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Where the next page begins. Without `next` there is none, whatever the cursors say.
fn cursor(body: &Value) -> Option<String> {
    let paging = body.get("paging")?;
    paging.get("next")?;
    Some(paging.pointer("/cursors/after")?.as_str()?.to_owned())
}

fn comment(value: &Value) -> Option<SeenComment> {
    let listed = value.get("replies");
    let replies = listed.map_or(&[][..], data).iter().filter_map(reply).collect();
    Some(SeenComment { comment: reply(value)?, replies, more_replies: listed.and_then(cursor) })
}

fn reply(value: &Value) -> Option<SeenReply> {
    let from = value.get("from");
    let name = from.and_then(|from| from.get("username")).or_else(|| value.get("username"));
    Some(SeenReply {
        id: wire::id(value.get("id"))?,
        from: wire::id(from.and_then(|from| from.get("id"))),
        username: name.and_then(Value::as_str).map(str::to_owned),
        at: moment(value.get("timestamp"))?,
        text: value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
    })
}

fn own_media(value: &Value) -> Option<SeenMedia> {
    Some(SeenMedia {
        id: wire::id(value.get("id"))?,
        published_at: moment(value.get("timestamp"))?,
        is_reel: value.get("media_product_type").and_then(Value::as_str) == Some(REEL),
    })
}

fn shown(value: &Value, own: Own<'_>) -> Option<Shown> {
    let from: Option<UserId> = wire::id(value.pointer("/from/id"));
    let username = value.pointer("/from/username").and_then(Value::as_str);
    Some(Shown {
        id: wire::id(value.get("id"))?,
        at: moment(value.get("created_time"))?,
        text: value.get("message").and_then(Value::as_str)?.to_owned(),
        ours: own.wrote(from.as_ref(), username),
    })
}

/// RFC 3339, and as Meta writes it: with an offset that has no colon.
fn moment(value: Option<&Value>) -> Option<Timestamp> {
    let text = value?.as_str()?;
    text.parse().ok().or_else(|| Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use serde_json::json;

    #[test]
    fn a_refusal_says_what_to_do() {
        let error = |code: i64| json!({ "error": { "message": "x", "code": code } });
        let throttled = |retry_after_seconds| ReadTrouble::Throttled { retry_after_seconds };
        for (status, body, wanted) in [
            (200, json!({ "data": [] }), None),
            (400, error(190), Some(ReadTrouble::TokenDead)),
            (401, error(190), Some(ReadTrouble::TokenDead)),
            (400, error(4), Some(throttled(Some(420)))),
            (403, error(80002), Some(throttled(Some(420)))),
            (400, error(100), Some(ReadTrouble::Refused { code: 100 })),
            (500, error(100), Some(ReadTrouble::Unreachable)),
            (500, error(1), Some(ReadTrouble::Unreachable)),
            (502, json!({}), Some(ReadTrouble::Unreachable)),
            (302, json!({ "data": [] }), Some(ReadTrouble::Unreachable)),
            (400, json!({ "error": {} }), Some(ReadTrouble::Unreachable)),
        ] {
            let mut headers = HeaderMap::new();
            let usage = r#"{"estimated_time_to_regain_access": 7}"#;
            headers.insert("x-app-usage", HeaderValue::from_static(usage));
            assert_eq!(trouble(status, &headers, &body), wanted, "{status} {body}");
        }
    }

    #[test]
    fn times_are_read_as_meta_writes_them() {
        let wanted: Timestamp = "2026-11-01T12:00:05Z".parse().unwrap();
        for (text, found) in [
            ("2026-11-01T12:00:05+0000", Some(wanted)),
            ("2026-11-01T13:00:05+0100", Some(wanted)),
            ("2026-11-01T12:00:05Z", Some(wanted)),
            ("2026-11-01T12:00:05+00:00", Some(wanted)),
            ("2026-11-01", None),
            ("soon", None),
        ] {
            assert_eq!(moment(Some(&json!(text))), found, "{text}");
        }
        assert_eq!(moment(Some(&json!(1_796_054_400))), None);
    }

    #[test]
    fn there_is_a_next_page_only_where_meta_says_so() {
        let cursors = json!({ "after": "QVFI", "before": "x" });
        for (paging, wanted) in [
            (json!({ "cursors": cursors, "next": "https://graph/?access_token=secret" }), Some("QVFI")),
            (json!({ "cursors": cursors }), None),
            (json!({ "next": "https://graph/?access_token=secret" }), None),
            (json!({}), None),
        ] {
            assert_eq!(cursor(&json!({ "paging": paging })).as_deref(), wanted, "{paging}");
        }
        assert_eq!(cursor(&json!({})), None);
    }

    #[test]
    fn what_lacks_something_is_read_as_far_as_it_can_be() {
        let whole = json!({ "id": 17, "text": "LINK", "timestamp": "2026-11-01T12:00:05+0000",
            "from": { "id": "900", "username": "anna" },
            "replies": { "data": [{ "id": "18", "text": "Sent!", "timestamp": "2026-11-01T12:00:06+0000" }, {}] } });
        let found = comment(&whole).unwrap();
        assert_eq!((found.comment.id.as_str(), found.comment.text.as_str()), ("17", "LINK"));
        assert_eq!(found.comment.from.unwrap().as_str(), "900");
        assert_eq!(found.replies.len(), 1);
        assert_eq!(found.replies[0].from, None);
        for missing in ["id", "timestamp"] {
            let mut value = whole.clone();
            value.as_object_mut().unwrap().remove(missing);
            assert_eq!(comment(&value), None, "{missing}");
        }
    }
}
