//! What is answered: a redirect, or a page that says why there is none. Nothing of it is kept by anybody.

use lambda_http::http::{HeaderValue, StatusCode, header};
use lambda_http::{Body, Response};

const UNKNOWN: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>No such link</title>\
<body style=\"font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem\">\
<h1>No such link</h1><p>This link leads nowhere. Was it copied whole?</p>";

const TRY_AGAIN: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width\"><title>One moment</title>\
<body style=\"font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem\">\
<h1>One moment</h1><p>This link cannot be opened right now. Try it again in a minute.</p>";

pub(crate) fn redirect(location: HeaderValue) -> Response<Body> {
    let mut response = respond(StatusCode::FOUND, "");
    response.headers_mut().insert(header::LOCATION, location);
    response
}

pub(crate) fn unknown() -> Response<Body> {
    respond(StatusCode::NOT_FOUND, UNKNOWN)
}

pub(crate) fn try_again() -> Response<Body> {
    let mut response = respond(StatusCode::SERVICE_UNAVAILABLE, TRY_AGAIN);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    response
}

pub(crate) fn wrong_method() -> Response<Body> {
    let mut response = respond(StatusCode::METHOD_NOT_ALLOWED, "");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

pub(crate) fn without_body(mut response: Response<Body>) -> Response<Body> {
    *response.body_mut() = Body::Empty;
    response
}

fn respond(status: StatusCode, page: &'static str) -> Response<Body> {
    let mut response = Response::new(if page.is_empty() { Body::Empty } else { Body::Text(page.to_owned()) });
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}
