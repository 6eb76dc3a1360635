//! Tracked links: `/r/{slug}` as the links function answers it, and what they brought.

use super::webhook::refuse;
use crate::runner::Runner;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use openreply_app::links::report;
use openreply_domain::time::Timestamp;
use std::sync::Arc;

/// Where everybody comes from who opens a link here.
const ADDRESS: &str = "127.0.0.1";

/// `GET /r/{slug}`
pub(super) async fn follow(
    State(runner): State<Arc<Runner>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let mut request = lambda_http::Request::new(lambda_http::Body::Empty);
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.headers_mut() = headers;
    let (parts, body) = runner.redirects.answer(&request, ADDRESS).await.into_parts();
    let mut response = openreply_webhook::bytes(&body).to_vec().into_response();
    *response.status_mut() = parts.status;
    *response.headers_mut() = parts.headers;
    response
}

/// `GET /_local/links`
pub(super) async fn links(State(runner): State<Arc<Runner>>) -> Response {
    match report(&runner.ledger, Timestamp::UNIX_EPOCH).await {
        Ok(campaigns) => Json(campaigns).into_response(),
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}
