//! What a person does in a conversation with an account, and whether they follow it.

use super::body::Body;
use super::drive::tell;
use super::webhook::refuse;
use crate::runner::Runner;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use openreply_domain::ids::{AccountId, UserId};
use openreply_testkit::instagram::Deed;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageRequest {
    account: String,
    from: String,
    #[serde(default)]
    username: Option<String>,
    text: String,
}

/// `POST /_local/message`: a person writes to the account, and a signed webhook tells of it.
pub(super) async fn message(
    State(runner): State<Arc<Runner>>,
    Body(request): Body<MessageRequest>,
) -> Response {
    let (account, from) = match between(request.account, request.from) {
        Ok(between) => between,
        Err(reason) => return refuse(StatusCode::BAD_REQUEST, &reason),
    };
    if request.text.is_empty() {
        return refuse(StatusCode::BAD_REQUEST, "text must not be empty");
    }
    let username = request.username.as_deref().filter(|name| !name.is_empty());
    let Deed { mid, event } = runner.instagram.write(&account, &from, username, &request.text);
    match tell(&runner, &event).await {
        Ok(()) => {
            Json(json!({ "message": mid, "trigger": format!("message:{account}:{mid}") })).into_response()
        }
        Err(refused) => refused,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TapRequest {
    account: String,
    from: String,
    payload: String,
}

/// `POST /_local/tap`: a person taps a button, and a signed webhook tells of it.
pub(super) async fn tap(State(runner): State<Arc<Runner>>, Body(request): Body<TapRequest>) -> Response {
    let (account, from) = match between(request.account, request.from) {
        Ok(between) => between,
        Err(reason) => return refuse(StatusCode::BAD_REQUEST, &reason),
    };
    let Deed { mid, event } = runner.instagram.tap_button(&account, &from, &request.payload);
    match tell(&runner, &event).await {
        Ok(()) => Json(json!({ "tap": mid, "trigger": format!("tap:{account}:{mid}") })).into_response(),
        Err(refused) => refused,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FollowRequest {
    account: String,
    from: String,
    follows: bool,
}

/// `POST /_local/follow`: a person follows the account, or no longer. Instagram tells nobody; it shows within a
/// minute to whoever asks.
pub(super) async fn follow(
    State(runner): State<Arc<Runner>>,
    Body(FollowRequest { account, from, follows }): Body<FollowRequest>,
) -> Response {
    match between(account, from) {
        Ok((account, from)) => {
            runner.instagram.set_follows(&account, &from, follows);
            Json(json!({ "account": account, "from": from, "follows": follows })).into_response()
        }
        Err(reason) => refuse(StatusCode::BAD_REQUEST, &reason),
    }
}

fn between(account: String, from: String) -> Result<(AccountId, UserId), String> {
    let account = AccountId::parse(account).map_err(|error| format!("account {error}"))?;
    let from = UserId::parse(from).map_err(|error| format!("from {error}"))?;
    Ok((account, from))
}
