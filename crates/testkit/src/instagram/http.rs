//! The Graph API's paths: from HTTP to a [`Write`] or a read, and back.
//!
//! The version in the path is ignored, as Meta serves an expired one by another. A token counts only in the
//! `Authorization: Bearer` header.

use super::fake::FakeInstagram;
use super::profiles;
use super::reads::{self, Query};
use super::refusal::Refusal;
use super::rules::Write;
use super::stage::{Answer, Request};
use super::template::MessageBody;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use openreply_app::ports::Clock;
use openreply_domain::ids::AccountId;
use serde::Deserialize;
use std::future::pending;
use std::sync::Arc;

impl<C: Clock + 'static> FakeInstagram<C> {
    /// The Graph API of this world. Where it is mounted is the client's base URL.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/{version}/{account}/messages", post(messages::<C>))
            .route("/{version}/{comment}/replies", post(replies::<C>).get(seen_replies::<C>))
            .route("/{version}/{account}/conversations", get(conversations::<C>))
            .route("/{version}/{media}/comments", get(comments::<C>))
            .route("/{version}/{user}", get(profile::<C>))
            .route("/{version}/{account}/media", get(own_media::<C>))
            .fallback(unknown::<C>)
            .method_not_allowed_fallback(unknown::<C>)
            .with_state(Arc::clone(self))
    }
}

type Fake<C> = State<Arc<FakeInstagram<C>>>;
/// The version, which is ignored, and the object that the call is about.
type Object = Path<(String, String)>;

#[derive(Deserialize)]
struct Envelope {
    recipient: Recipient,
    message: MessageBody,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Recipient {
    CommentId(String),
    Id(String),
}

#[derive(Deserialize)]
struct ReplyBody {
    message: String,
}

async fn messages<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, account)): Object,
    parts: Parts,
    body: Bytes,
) -> Response {
    let write = match serde_json::from_slice(&body) {
        Ok(Envelope { recipient: Recipient::CommentId(comment), message }) => {
            Write::PrivateReply { account, comment, said: message.into() }
        }
        Ok(Envelope { recipient: Recipient::Id(user), message }) => {
            Write::DirectMessage { account, user, said: message.into() }
        }
        Err(_) => Write::Malformed { account: Some(account) },
    };
    let answer = fake.on_stage(|stage, now| stage.write(now, request(&parts), &write));
    fake.sender_hears(answer).await
}

async fn replies<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, comment)): Object,
    parts: Parts,
    body: Bytes,
) -> Response {
    let write = match serde_json::from_slice(&body) {
        Ok(ReplyBody { message }) => Write::PublicReply { comment, text: message },
        Err(_) => Write::Malformed { account: None },
    };
    let answer = fake.on_stage(|stage, now| stage.write(now, request(&parts), &write));
    fake.sender_hears(answer).await
}

async fn conversations<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, account)): Object,
    parts: Parts,
) -> Response {
    let query = Query::parse(&parts.uri);
    let answer = fake.on_stage(|stage, now| {
        let seen = reads::conversations(&stage.world, &account, &query);
        stage.read(now, request(&parts), seen)
    });
    fake.reader_hears(answer).await
}

async fn comments<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, media)): Object,
    parts: Parts,
) -> Response {
    let query = Query::parse(&parts.uri);
    let link = own_address(&parts);
    let answer = fake.on_stage(|stage, now| {
        let seen = reads::comments(&stage.world, &media, &query, &link);
        stage.read(now, request(&parts), seen)
    });
    fake.reader_hears(answer).await
}

async fn seen_replies<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, comment)): Object,
    parts: Parts,
) -> Response {
    let query = Query::parse(&parts.uri);
    let link = own_address(&parts);
    let answer = fake.on_stage(|stage, now| {
        let seen = reads::replies(&stage.world, &comment, &query, &link);
        stage.read(now, request(&parts), seen)
    });
    fake.reader_hears(answer).await
}

async fn own_media<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, account)): Object,
    parts: Parts,
) -> Response {
    let query = Query::parse(&parts.uri);
    let link = own_address(&parts);
    let answer = fake.on_stage(|stage, now| {
        let account = if account == "me" {
            stage.me(bearer(&parts))
        } else {
            AccountId::parse(account).map_err(|_| Refusal::UnknownObject)
        };
        let seen = account.and_then(|account| reads::own_media(&stage.world, &account, &query, &link));
        stage.read(now, request(&parts), seen)
    });
    fake.reader_hears(answer).await
}

async fn profile<C: Clock + 'static>(
    State(fake): Fake<C>,
    Path((_, user)): Object,
    parts: Parts,
) -> Response {
    let query = Query::parse(&parts.uri);
    let answer = fake.on_stage(|stage, now| {
        let owner = stage.owner_of(bearer(&parts));
        let seen = profiles::profile(&stage.world, now, owner.as_ref(), &user, &query);
        stage.read(now, request(&parts), seen)
    });
    answer.into_response().await
}

async fn unknown<C: Clock + 'static>(State(fake): Fake<C>, parts: Parts) -> Response {
    let answer = fake.on_stage(|stage, now| stage.unknown_endpoint(now, request(&parts)));
    answer.into_response().await
}

fn request(parts: &Parts) -> Request {
    Request {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        token: bearer(parts).map(str::to_owned),
        names_fields: Query::parse(&parts.uri).get("fields").is_some(),
    }
}

fn bearer(parts: &Parts) -> Option<&str> {
    let header = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    header.strip_prefix("Bearer ").filter(|token| !token.is_empty())
}

/// Where the next page is, but for its cursor. Like Meta's, it carries the token.
fn own_address(parts: &Parts) -> String {
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let kept = parts.uri.query().unwrap_or_default().split('&');
    let kept: Vec<&str> = kept.filter(|pair| !pair.is_empty() && !pair.starts_with("after=")).collect();
    let token = bearer(parts).unwrap_or_default();
    format!("http://{host}{}?access_token={token}&{}", parts.uri.path(), kept.join("&"))
}

impl<C: Clock + 'static> FakeInstagram<C> {
    /// An answer to a write, as late as writes are answered.
    async fn sender_hears(&self, answer: Answer) -> Response {
        let latency = self.on_stage(|stage, _| stage.write_latency);
        tokio::time::sleep(latency).await;
        answer.into_response().await
    }

    /// An answer to a read, as late as reads are answered, with what is used of the account's calls.
    async fn reader_hears(&self, answer: Answer) -> Response {
        let (latency, usage) = self.on_stage(|stage, _| (stage.read_latency, stage.usage));
        tokio::time::sleep(latency).await;
        let mut response = answer.into_response().await;
        let used = format!(r#"{{"call_count":{usage},"total_time":1,"total_cputime":1}}"#);
        if let Ok(used) = HeaderValue::from_str(&used) {
            response.headers_mut().insert("x-app-usage", used);
        }
        response
    }
}

impl Answer {
    async fn into_response(self) -> Response {
        match self {
            Self::Json(status, body) => (status_code(status), Json(body)).into_response(),
            Self::Html(status) => {
                let page = format!("<!DOCTYPE html><title>Error {status}</title><h1>Error {status}</h1>");
                (status_code(status), Html(page)).into_response()
            }
            Self::Silence => pending().await,
        }
    }
}

/// A status that HTTP does not know becomes the one that says so.
fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
