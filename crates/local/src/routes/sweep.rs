//! Sweeping on demand, and a person's decision about what is in doubt.

use super::body::Body;
use super::webhook::refuse;
use crate::runner::Runner;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use openreply_app::ports::Clock;
use openreply_app::resolve::{ResolveError, resolve as decide};
use openreply_domain::delivery::rows;
use openreply_domain::ids::{AccountId, MediaId};
use openreply_domain::send::{Decision, Leg, SendKey};
use openreply_domain::trigger::TriggerKey;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// `POST /_local/sweep`: a round of everything; answers when what follows from it has run as far as it can now.
pub(super) async fn sweep(State(runner): State<Arc<Runner>>) -> Response {
    // What is on the queue already is no business of the sweep's.
    runner.pump.idle().await;
    let swept = match runner.sweeper.now().await {
        Ok(swept) => swept,
        Err(error) => return refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    };
    runner.pump.idle().await;
    let accounts: BTreeMap<String, Value> =
        swept.accounts.iter().map(|(id, summary)| (id.to_string(), json!(summary))).collect();
    let mut answer = json!(swept.sum);
    answer["accounts"] = json!(accounts);
    Json(answer).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResolveRequest {
    trigger: String,
    leg: String,
    r#as: Verdict,
    /// Whose decision it is.
    #[serde(default)]
    by: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Sent,
    Release,
}

/// `POST /_local/deliveries/resolve`: a person decides what is in doubt.
pub(super) async fn resolve(
    State(runner): State<Arc<Runner>>,
    Body(request): Body<ResolveRequest>,
) -> Response {
    let key = match key(&runner, &request).await {
        Ok(key) => key,
        Err(answer) => return answer,
    };
    let decision = match request.r#as {
        Verdict::Sent => Decision::Sent,
        Verdict::Release => Decision::Release,
    };
    let by = request.by.as_deref().unwrap_or("local");
    let (ledger, queue, facts, now) = (&runner.ledger, &runner.queue, &runner.facts, runner.clock.now());
    match decide(ledger, queue, facts, &key, decision, by, now).await {
        // Whoever takes it next may be at work already, and is not in what was written.
        Ok(send) => Json(rows(&send, |_| false).swap_remove(0)).into_response(),
        Err(error) => refuse(status(&error), &error.to_string()),
    }
}

/// A leg is named as in `/_local/deliveries`; a public reply's may name its campaign.
async fn key(runner: &Runner, request: &ResolveRequest) -> Result<SendKey, Response> {
    let trigger = request.trigger.parse::<TriggerKey>();
    let trigger = trigger.map_err(|error| refuse(StatusCode::BAD_REQUEST, &error.to_string()))?;
    if let Ok(leg) = request.leg.parse::<Leg>() {
        return Ok(SendKey { trigger, leg });
    }
    let (sends, _) = super::view::sends(runner)
        .await
        .map_err(|error| refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?;
    let named = |key: &SendKey| key.trigger == trigger && key.leg.name() == request.leg;
    let mut found = sends.into_iter().map(|send| send.key).filter(named);
    match (found.next(), found.next()) {
        (Some(key), None) => Ok(key),
        (Some(_), Some(_)) => Err(refuse(
            StatusCode::BAD_REQUEST,
            "this trigger owes several public replies; name one as public_reply#<campaign>",
        )),
        (None, _) => Err(refuse(StatusCode::NOT_FOUND, &ResolveError::Unknown.to_string())),
    }
}

fn status(error: &ResolveError) -> StatusCode {
    match error {
        ResolveError::Unknown => StatusCode::NOT_FOUND,
        ResolveError::Nameless => StatusCode::BAD_REQUEST,
        ResolveError::Unresolvable(_) | ResolveError::Moved => StatusCode::CONFLICT,
        ResolveError::Ledger(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MediaRequest {
    account: String,
    media: String,
    #[serde(default)]
    reel: bool,
    /// Whether it is an ad, which is not among the account's own posts.
    #[serde(default)]
    ad: bool,
}

/// `POST /_local/media`: the account publishes a post, a reel, or an ad.
pub(super) async fn media(State(runner): State<Arc<Runner>>, Body(request): Body<MediaRequest>) -> Response {
    let (account, media) = match (AccountId::parse(request.account), MediaId::parse(request.media)) {
        (Ok(account), Ok(media)) => (account, media),
        (Err(error), _) => return refuse(StatusCode::BAD_REQUEST, &format!("account {error}")),
        (_, Err(error)) => return refuse(StatusCode::BAD_REQUEST, &format!("media {error}")),
    };
    if request.ad {
        runner.instagram.advertise(&account, &media);
    } else {
        runner.instagram.publish(&account, &media, request.reel);
    }
    Json(json!({ "media": media })).into_response()
}
