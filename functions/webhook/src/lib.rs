//! The webhook function: an HTTP request becomes a use case and its result an HTTP response.
//!
//! Guarantees: `200` is answered only when the queue has everything; a body is never logged or echoed.

use lambda_http::http::{Method, StatusCode, header};
use lambda_http::{Body, Request, Response};
use openreply_app::ingest::{Ingest, Ingested};
use openreply_app::ports::{Clock, EventReader, Ledger, Queue, Random};

/// The header that carries Meta's signature.
pub const SIGNATURE_HEADER: &str = "x-hub-signature-256";

/// Answers one request of `/api/webhook`.
pub async fn handle<L: Ledger, Q: Queue, C: Clock, R: Random>(
    ingest: &Ingest<L, Q, C, R>,
    reader: &impl EventReader,
    request: &Request,
) -> Response<Body> {
    match *request.method() {
        Method::GET => handshake(reader, request.uri().query().unwrap_or("")),
        Method::POST => post(ingest, reader, request).await,
        _ => answer(StatusCode::METHOD_NOT_ALLOWED, r#"{"error":"GET or POST"}"#),
    }
}

/// What is answered while a secret is missing or unreadable. The log says which and what to do.
#[must_use]
pub fn not_configured() -> Response<Body> {
    answer(
        StatusCode::INTERNAL_SERVER_ERROR,
        r#"{"error":"configuration: a secret of this webhook is missing; its log says which"}"#,
    )
}

/// Meta's verification: the challenge comes back byte for byte, as text.
fn handshake(reader: &impl EventReader, query: &str) -> Response<Body> {
    let (mut mode, mut token, mut challenge) = (None, None, None);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "hub.mode" => mode = Some(value),
            "hub.verify_token" => token = Some(value),
            "hub.challenge" => challenge = Some(value),
            _ => {}
        }
    }
    let (Some("subscribe"), Some(token), Some(challenge)) = (mode.as_deref(), token, challenge) else {
        return answer(
            StatusCode::BAD_REQUEST,
            r#"{"error":"this is Meta's webhook; it is not for browsers"}"#,
        );
    };
    if !reader.knows_verify_token(&token) {
        tracing::warn!("webhook verification refused: the verify token is not the one stored for this stack");
        return answer(StatusCode::FORBIDDEN, r#"{"error":"wrong verify token"}"#);
    }
    tracing::info!("webhook verified");
    respond(StatusCode::OK, "text/plain", challenge.into_owned())
}

async fn post<L: Ledger, Q: Queue, C: Clock, R: Random>(
    ingest: &Ingest<L, Q, C, R>,
    reader: &impl EventReader,
    request: &Request,
) -> Response<Body> {
    // A header that is not text cannot be a signature; it is wrong, not missing.
    let signature = request.headers().get(SIGNATURE_HEADER).map(|value| value.to_str().unwrap_or(""));
    let body = bytes(request.body());
    match ingest.ingest(reader, signature, body).await {
        Ingested::Accepted { .. } => answer(StatusCode::OK, r#"{"status":"ok"}"#),
        Ingested::NotAuthentic(_) => {
            answer(StatusCode::UNAUTHORIZED, r#"{"error":"missing or wrong signature"}"#)
        }
        Ingested::Unreadable(_) => answer(StatusCode::BAD_REQUEST, r#"{"error":"the body is not JSON"}"#),
        Ingested::ComeBack => {
            answer(StatusCode::INTERNAL_SERVER_ERROR, r#"{"error":"not taken whole; send it again"}"#)
        }
    }
}

/// The bytes of a body; none for an empty one.
#[must_use]
pub fn bytes(body: &Body) -> &[u8] {
    if let Body::Text(text) = body {
        text.as_bytes()
    } else if let Body::Binary(bytes) = body {
        bytes
    } else {
        &[]
    }
}

fn answer(status: StatusCode, json: &'static str) -> Response<Body> {
    respond(status, "application/json", json.to_owned())
}

fn respond(status: StatusCode, content_type: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::Text(body));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}
