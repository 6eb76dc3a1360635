//! What the function is invoked with, and what it gives back: a request of the HTTP API, or the minute's call.

use crate::page;
use crate::report::{Report, Status};
use serde_json::{Value, json};

/// Why the function was invoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invocation {
    /// Somebody asks over HTTP.
    Request {
        /// `GET`, …
        method: String,
        /// `/api/health` or `/status`.
        path: String,
    },
    /// A minute has passed: measure.
    Measure,
}

/// An event of neither kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "neither a request of the HTTP API (payload 2.0) nor {{\"measure\": true}}; what invokes this function?"
)]
pub struct Unknown;

impl Invocation {
    /// Reads an event.
    ///
    /// # Errors
    /// When it is of neither kind.
    pub fn of(event: &Value) -> Result<Self, Unknown> {
        if event["measure"] == true {
            return Ok(Self::Measure);
        }
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or(Unknown);
        Ok(Self::Request {
            method: text(&event["requestContext"]["http"]["method"])?,
            path: text(&event["rawPath"])?,
        })
    }
}

/// What is answered over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body; empty for `HEAD`.
    pub body: String,
}

/// As long as the function itself gives a report again.
const CACHE: (&str, &str) = ("cache-control", "max-age=5");
/// Nothing from elsewhere, and nothing that runs.
const POLICY: (&str, &str) =
    ("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
const JSON: (&str, &str) = ("content-type", "application/json");

impl Answer {
    pub(crate) fn json(report: &Report) -> Self {
        // A report has no map and nothing that could fail to be JSON.
        let body = serde_json::to_string(report).unwrap_or_default();
        Self { status: status(report), headers: vec![JSON, CACHE], body }
    }

    pub(crate) fn page(report: &Report) -> Self {
        let html = ("content-type", "text/html; charset=utf-8");
        Self { status: status(report), headers: vec![html, CACHE, POLICY], body: page::render(report) }
    }

    pub(crate) fn plain(status: u16, body: &str) -> Self {
        Self { status, headers: vec![JSON], body: body.to_owned() }
    }

    /// As the HTTP API takes it.
    #[must_use]
    pub fn to_event(&self) -> Value {
        let headers: serde_json::Map<String, Value> =
            self.headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "statusCode": self.status, "headers": headers, "body": self.body, "isBase64Encoded": false })
    }
}

fn status(report: &Report) -> u16 {
    match report.status {
        Status::Ok => 200,
        Status::Degraded => 503,
    }
}
