//! `/api/webhook`: the webhook function behind a real HTTP request.

use crate::runner::Runner;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use openreply_app::ports::{EventBodies, EventReader};
use openreply_domain::trigger::Trigger;
use std::sync::Arc;

pub(super) async fn webhook(
    State(runner): State<Arc<Runner>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    deliver(&runner, method, uri, headers, body).await
}

/// Calls the webhook function. What it accepts comes to be in the fake Instagram too, so that it can be
/// answered there.
pub(super) async fn deliver(
    runner: &Runner,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    // Before the function: the consumer may be quicker than this task.
    if method == Method::POST {
        adopt(runner, &headers, &body);
    }
    let mut request = lambda_http::Request::new(lambda_http::Body::Binary(body.to_vec()));
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    let (parts, body) =
        openreply_webhook::handle(&runner.ingest, &runner.reader, &request).await.into_parts();
    let mut response = openreply_webhook::bytes(&body).to_vec().into_response();
    *response.status_mut() = parts.status;
    *response.headers_mut() = parts.headers;
    response
}

fn adopt(runner: &Runner, headers: &HeaderMap, body: &[u8]) {
    let signature = headers.get(openreply_webhook::SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
    if runner.reader.authenticate(signature, body) != openreply_app::ports::Authenticity::Authentic {
        return;
    }
    let Ok(event) = runner.reader.parse(body) else { return };
    for trigger in &event.triggers {
        match trigger {
            Trigger::Comment(comment) => runner.instagram.adopt(comment),
            Trigger::Tap(tap) => runner.instagram.adopt_tap(tap),
            Trigger::Message(message) => runner.instagram.adopt_message(message),
        }
    }
}

/// A refusal with a reason, as JSON.
pub(super) fn refuse(status: StatusCode, reason: &str) -> Response {
    (status, axum::Json(serde_json::json!({ "error": reason }))).into_response()
}
