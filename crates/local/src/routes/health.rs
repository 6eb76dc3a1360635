//! `/api/health` and `/status` as the health function answers them, and the switch of the consumer.

use super::body::Body;
use crate::runner::Runner;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// `GET /api/health`, `GET /status`
pub(super) async fn health(State(runner): State<Arc<Runner>>, method: Method, uri: Uri) -> Response {
    let answer = runner.health.answer(method.as_str(), uri.path()).await;
    let mut response = answer.body.into_response();
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConsumerRequest {
    running: bool,
}

/// `POST /_local/consumer`: stops the consumer after the batches it has, or starts it again.
pub(super) async fn consumer(
    State(runner): State<Arc<Runner>>,
    Body(ConsumerRequest { running }): Body<ConsumerRequest>,
) -> Response {
    runner.queue.set_read(running);
    Json(json!({ "running": running })).into_response()
}
