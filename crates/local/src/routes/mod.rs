//! The front door: `/api/webhook` as API Gateway would call it, and `/_local/…` for whoever drives the runner.

mod accounts;
mod body;
mod drive;
mod guard;
mod health;
mod links;
mod people;
mod story;
mod sweep;
mod view;
mod webhook;

use crate::runner::Runner;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{any, get, post};
use std::sync::Arc;
use webhook::refuse;

/// What Lambda takes as a payload.
const MAX_BODY: usize = 6 * 1024 * 1024;

/// Every route of the runner.
pub(crate) fn router(runner: Arc<Runner>) -> Router {
    let local = Router::new()
        .route("/", get(|| async { Html(include_str!("../page/index.html")) }))
        .route(
            "/page.css",
            get(|| async { asset("text/css; charset=utf-8", include_str!("../page/page.css")) }),
        )
        .route(
            "/page.js",
            get(|| async { asset("text/javascript; charset=utf-8", include_str!("../page/page.js")) }),
        )
        .route("/api/health", any(health::health))
        .route("/status", any(health::health))
        .route("/_local/consumer", post(health::consumer))
        .route("/_local/comment", post(drive::comment))
        .route("/_local/message", post(people::message))
        .route("/_local/tap", post(people::tap))
        .route("/_local/follow", post(people::follow))
        .route("/_local/links", get(links::links))
        .route("/_local/accounts", get(accounts::accounts))
        .route("/_local/accounts/{id}/lift", post(accounts::lift))
        .route("/_local/app/lift", post(accounts::lift_app))
        .route("/_local/stop", post(accounts::stop))
        .route("/_local/start", post(accounts::start))
        .route("/_local/advance", post(drive::advance))
        .route("/_local/idle", get(drive::idle))
        .route("/_local/deliveries", get(view::deliveries))
        .route("/_local/deliveries/resolve", post(sweep::resolve))
        .route("/_local/sweep", post(sweep::sweep))
        .route("/_local/media", post(sweep::media))
        .route("/_local/world", get(view::world))
        .route("/_local/events", get(view::events))
        .route("/_local/story", get(story::story))
        .route("/_local/{*rest}", any(nothing_here))
        .method_not_allowed_fallback(another_method)
        .layer(middleware::from_fn(guard::only_this_machine));
    Router::new()
        .route("/api/webhook", any(webhook::webhook))
        .route("/r/{slug}", any(links::follow))
        .merge(local)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(runner)
}

async fn nothing_here(uri: Uri) -> Response {
    refuse(StatusCode::NOT_FOUND, &format!("there is no {}; docs/LOCAL.md lists what there is", uri.path()))
}

async fn another_method(method: Method, uri: Uri) -> Response {
    refuse(StatusCode::METHOD_NOT_ALLOWED, &format!("{} takes no {method}", uri.path()))
}

fn asset(content_type: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-cache")], text)
}
