//! Keeps the page and the `/_local` paths to this machine.
//!
//! The runner listens on the loopback interface only. That is not enough: a tunnel that brings Meta's webhooks
//! here would bring the rest of the world too, and a web page could be made to call its visitor's localhost.
//! So the host must be a loopback name, and a browser's request must come from a page of the runner itself.

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub(super) async fn only_this_machine(request: Request, next: Next) -> Response {
    if is_local(request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "only from this machine, and only by the runner's own page\n").into_response()
    }
}

fn is_local(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    let host = text(header::HOST);
    let origin = text(header::ORIGIN).map(|origin| origin.strip_prefix("http://").unwrap_or(origin));
    host.is_none_or(is_loopback) && origin.is_none_or(is_loopback)
}

/// `localhost`, `127.x.y.z` or `[::1]`, with or without a port.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        Some(_) | None => authority,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_loopback_names_and_own_pages_are_local() {
        for host in ["localhost:3000", "127.0.0.1:3000", "127.0.0.1", "[::1]:3000", "LOCALHOST"] {
            assert!(is_local(&headers(&[(header::HOST, host)])), "{host}");
        }
        for host in
            ["abc.tunnel.example", "127.0.0.1.evil.example", "10.0.0.1:3000", "localhost.evil.example:80", ""]
        {
            assert!(!is_local(&headers(&[(header::HOST, host)])), "{host}");
        }
        let from = |origin| headers(&[(header::HOST, "localhost:3000"), (header::ORIGIN, origin)]);
        assert!(is_local(&from("http://localhost:3000")));
        assert!(!is_local(&from("https://evil.example")));
        assert!(!is_local(&from("null")));
    }
}
