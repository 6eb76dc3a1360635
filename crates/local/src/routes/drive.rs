//! Driving the runner: comment as a person, move the clock, wait until nothing runs.

use super::body::Body;
use super::webhook::{deliver, refuse};
use crate::runner::Runner;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use openreply_app::ports::Clock;
use openreply_domain::ids::{AccountId, CommentId, IdError, MediaId, UserId};
use openreply_domain::time::SignedDuration;
use openreply_testkit::instagram::{NewComment, webhook};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How long `/_local/idle` waits before it says that something still runs.
const IDLE_PATIENCE: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommentRequest {
    account: String,
    media: String,
    from: String,
    #[serde(default)]
    username: Option<String>,
    text: String,
    #[serde(default)]
    parent: Option<String>,
    /// Whether its webhook never comes.
    #[serde(default)]
    lost: bool,
}

/// `POST /_local/comment`: a person comments, and a signed webhook tells of it.
pub(super) async fn comment(
    State(runner): State<Arc<Runner>>,
    Body(request): Body<CommentRequest>,
) -> Response {
    let lost = request.lost;
    let mut comment = match new_comment(request) {
        Ok(comment) => comment,
        Err(reason) => return refuse(StatusCode::BAD_REQUEST, &reason),
    };
    if let Some(parent) = &comment.parent {
        let world = runner.instagram.snapshot();
        match world.comment(parent) {
            // Instagram has one level: what replies to a reply stands under the same comment.
            Some(found) if found.media == comment.media => {
                comment.parent = Some(found.parent.clone().unwrap_or_else(|| parent.clone()));
            }
            Some(_) => return refuse(StatusCode::BAD_REQUEST, "parent stands under another post"),
            // A webhook may tell of it; without one it would be under nothing.
            None if lost => return refuse(StatusCode::BAD_REQUEST, "there is no comment of parent's id"),
            None => {}
        }
    }
    let account = comment.account.clone();
    let id = runner.instagram.comment(comment);
    let answer = Json(json!({ "comment": id, "trigger": format!("comment:{account}:{id}") })).into_response();
    if lost {
        return answer;
    }
    let Some(event) = runner.instagram.comment_event(&id) else {
        return refuse(StatusCode::INTERNAL_SERVER_ERROR, "the fake Instagram lost the comment it just made");
    };
    match tell(&runner, &event).await {
        Ok(()) => answer,
        Err(refused) => refused,
    }
}

/// Posts an event to the webhook, signed as Meta signs it.
pub(super) async fn tell(runner: &Runner, event: &Value) -> Result<(), Response> {
    let body = event.to_string().into_bytes();
    let signature = webhook::sign(&runner.secrets.instagram, &body);
    let mut headers = HeaderMap::new();
    if let Ok(signature) = HeaderValue::from_str(&signature) {
        headers.insert(openreply_webhook::SIGNATURE_HEADER, signature);
    }
    let answer = deliver(runner, Method::POST, Uri::from_static("/api/webhook"), headers, body.into()).await;
    if answer.status() == StatusCode::OK {
        return Ok(());
    }
    Err(refuse(StatusCode::BAD_GATEWAY, &format!("the webhook answered {}", answer.status())))
}

fn new_comment(request: CommentRequest) -> Result<NewComment, String> {
    let wrong = |field: &'static str| move |error: IdError| format!("{field} {error}");
    Ok(NewComment {
        account: AccountId::parse(request.account).map_err(wrong("account"))?,
        media: MediaId::parse(request.media).map_err(wrong("media"))?,
        from: UserId::parse(request.from).map_err(wrong("from"))?,
        username: request.username.filter(|name| !name.is_empty()),
        text: request.text,
        parent: request.parent.map(CommentId::parse).transpose().map_err(wrong("parent"))?,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdvanceRequest {
    seconds: u32,
}

/// `POST /_local/advance`: the clock moves on, and everything runs that becomes due.
pub(super) async fn advance(
    State(runner): State<Arc<Runner>>,
    Body(AdvanceRequest { seconds }): Body<AdvanceRequest>,
) -> Response {
    let now = runner.pump.advance(SignedDuration::from_secs(seconds.into())).await;
    Json(json!({ "now": now })).into_response()
}

/// `GET /_local/idle`: answers when nothing can run at the present time.
pub(super) async fn idle(State(runner): State<Arc<Runner>>) -> Response {
    match tokio::time::timeout(IDLE_PATIENCE, runner.pump.idle()).await {
        Ok(()) => Json(json!({ "idle": true, "now": runner.clock.now() })).into_response(),
        Err(_) => refuse(StatusCode::GATEWAY_TIMEOUT, "something is still running after 30 seconds"),
    }
}
