//! The JSON of a request, or the answer that says what is wrong with it.

use super::webhook::refuse;
use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::Response;
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
