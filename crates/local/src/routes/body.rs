//! The JSON of a request, or the answer that says what is wrong with it.

use super::webhook::refuse;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

/// What a `POST` brings. Anything else than it should be is answered with 400 and an `error`.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        match Json::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(error) => Err(refuse(StatusCode::BAD_REQUEST, &error.body_text())),
        }
    }
}

/// A `POST` that brings nothing, or `{}`. Anything else was meant for something else, and is answered with 400.
pub(super) struct NoBody;

impl<S: Send + Sync> FromRequest<S> for NoBody {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        let body = Bytes::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        let is_nothing = body.trim_ascii().is_empty()
            || serde_json::from_slice(&body)
                .is_ok_and(|body: serde_json::Value| body == serde_json::json!({}));
        if is_nothing {
            return Ok(Self);
        }
        Err(refuse(StatusCode::BAD_REQUEST, "this takes no body, or {}; nothing was done"))
    }
}
