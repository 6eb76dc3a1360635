//! The Graph API client: one call, one connection, one request.
//!
//! Nothing is tried again, no redirect is followed and no proxy is asked, so at most one request leaves for
//! one message. No connection outlives its call, and so none its invocation: a pooled one would be dead after a
//! freeze, and its reset would look like doubt. The TLS configuration is built once, with the client. The
//! token travels in the `Authorization` header only; neither it nor a text or a body is ever logged.
//!
//! For `https` the platform's own root certificates are read when the client is built (`provided.al2023`
//! carries them, and the AWS SDK reads the same ones). For `http`, which is for fakes on one's own machine, none
//! are needed and none are read.

use crate::answer::{Expect, classify};
use crate::outgoing::{Content, DirectMessage, FollowAnswer, PublicReply, Recipient};
use crate::transport;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use openreply_app::ports::{Destination, Messenger, Outbound};
use openreply_domain::ids::{AccountId, UserId};
use openreply_domain::message::Follow;
use openreply_domain::outcome::{Doubt, NotSent, SendOutcome};
use reqwest::{Client, Request, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;

/// The longest page of a read that is read: 50 comments with their replies.
pub(crate) const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// The longest other answer that is read. Meta's are under one kilobyte.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Where the Graph API is, and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphConfig {
    /// The base without the version, with or without a path and a slash at the end.
    pub base: String,
    /// The version, `v25.0` say. Meta serves an expired one from its oldest live one.
    pub version: String,
    /// For resolving the name, connecting and the TLS handshake together. Shorter than `total_timeout`, so
    /// that a slow handshake is known to have sent nothing.
    pub connect_timeout: Duration,
    /// For the whole call, the answer's body included.
    pub total_timeout: Duration,
}

impl Default for GraphConfig {
    fn default() -> Self {
        Self {
            base: "https://graph.instagram.com".to_owned(),
            version: "v25.0".to_owned(),
            connect_timeout: Duration::from_secs(3),
            total_timeout: Duration::from_secs(10),
        }
    }
}

/// Why no client could be made of a [`GraphConfig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The base is not a plain URL.
    #[error(
        "the Graph API's base must be an http or https URL with a host and without user name, query or \
         fragment, such as https://graph.instagram.com"
    )]
    Base,
    /// The version is not one.
    #[error("the Graph API's version must look like v25.0")]
    Version,
    /// The time-outs do not fit together.
    #[error(
        "the Graph API's connect time-out must be longer than nothing and shorter than its total time-out"
    )]
    Timeouts,
    /// No TLS configuration could be built.
    #[error(
        "no trusted root certificates could be read on this machine; install its CA certificates \
         (package ca-certificates) or point SSL_CERT_FILE at them"
    )]
    RootCertificates,
}

/// The Graph API. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Graph {
    client: Client,
    /// Ends with the version, without a slash.
    root: Url,
}

impl Graph {
    /// Builds the client. Makes no call.
    ///
    /// # Errors
    /// When a setting is wrong, or the machine has no root certificates and the base is `https`.
    pub fn new(config: GraphConfig) -> Result<Self, ConfigError> {
        let GraphConfig { base, version, connect_timeout, total_timeout } = config;
        if connect_timeout.is_zero() || connect_timeout >= total_timeout {
            return Err(ConfigError::Timeouts);
        }
        let root = root(&base, &version)?;
        let mut client = Client::builder()
            .user_agent(concat!("OpenReply/", env!("CARGO_PKG_VERSION")))
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .http1_only()
            .pool_max_idle_per_host(0)
            .connect_timeout(connect_timeout)
            .timeout(total_timeout);
        if root.scheme() == "http" {
            client = client.tls_certs_only([]);
        }
        let client = client.build().map_err(|_| ConfigError::RootCertificates)?;
        Ok(Self { client, root })
    }

    fn request(&self, message: &Outbound) -> Result<(Request, Expect), NotSent> {
        let Outbound { account, to, text, buttons, token } = message;
        let authorization = bearer(token)?;
        let (path, expect) = match to {
            Destination::PrivateReply(_) | Destination::Person(_) => {
                ([account.as_str(), "messages"], Expect::Message)
            }
            Destination::PublicReply(comment) => ([comment.as_str(), "replies"], Expect::PublicReply),
        };
        let request = self.client.post(self.url(&path)?).header(AUTHORIZATION, authorization);
        let request = match to {
            Destination::PrivateReply(comment) => {
                let recipient = Recipient::Comment { comment_id: comment.as_str() };
                request.json(&DirectMessage { recipient, message: Content::of(text, buttons) })
            }
            Destination::Person(user) => {
                let recipient = Recipient::Person { id: user.as_str() };
                request.json(&DirectMessage { recipient, message: Content::of(text, buttons) })
            }
            Destination::PublicReply(_) => request.json(&PublicReply { message: text }),
        };
        Ok((request.build().map_err(|_| NotSent::Unbuildable)?, expect))
    }

    /// A read of an edge. `None`: no such request can be built.
    pub(crate) fn get_request(
        &self,
        path: &[&str],
        query: &[(&str, &str)],
        token: &SecretString,
    ) -> Option<Request> {
        let mut url = self.url(path).ok()?;
        url.query_pairs_mut().extend_pairs(query);
        self.client.get(url).header(AUTHORIZATION, bearer(token).ok()?).build().ok()
    }

    /// The status, headers and body of the answer. `None`: there is none, or none of this length.
    pub(crate) async fn answer_to(
        &self,
        request: Request,
        longest: usize,
    ) -> Option<(u16, HeaderMap, Vec<u8>)> {
        let response = self.client.execute(request).await.ok()?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = read_bounded(response, longest).await.ok()??;
        Some((status, headers, body))
    }

    /// The URL of an edge of an object. An id that the URL's own rules would rewrite (`..`) names no object.
    fn url(&self, path: &[&str]) -> Result<Url, NotSent> {
        let mut url = self.root.clone();
        let wanted = format!("{}/{}", self.root.path(), path.join("/"));
        url.set_path(&wanted);
        if url.path() == wanted { Ok(url) } else { Err(NotSent::Unbuildable) }
    }
}

impl Messenger for Graph {
    async fn send(&self, message: Outbound) -> SendOutcome {
        let leg = match &message.to {
            Destination::PrivateReply(_) => "private_reply",
            Destination::PublicReply(_) => "public_reply",
            Destination::Person(_) => "direct_message",
        };
        let (request, expect) = match self.request(&message) {
            Ok(ready) => ready,
            Err(not_sent) => {
                tracing::debug!(leg, "the Graph API was not called: the request cannot be built");
                return SendOutcome::NotSent(not_sent);
            }
        };
        drop(message);
        let response = match self.client.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(
                    leg,
                    connected = !error.is_connect(),
                    timed_out = error.is_timeout(),
                    "the Graph API gave no answer"
                );
                return transport::without_answer(&error);
            }
        };
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let outcome = match read_bounded(response, MAX_ANSWER_BYTES).await {
            Ok(Some(body)) => classify(status, &headers, &body, expect),
            Ok(None) => SendOutcome::Unconfirmed(Doubt::Unreadable { status }),
            Err(error) => transport::within_answer(status, &error),
        };
        log(leg, status, &outcome);
        outcome
    }

    async fn follows(&self, _account: &AccountId, user: &UserId, token: &SecretString) -> Follow {
        let fields = [("fields", "is_user_follow_business")];
        let Some(request) = self.get_request(&[user.as_str()], &fields, token) else {
            return Follow::Unknown;
        };
        let Some((200..300, _, body)) = self.answer_to(request, MAX_ANSWER_BYTES).await else {
            return Follow::Unknown;
        };
        let answer: FollowAnswer = serde_json::from_slice(&body).unwrap_or_default();
        match answer.is_user_follow_business {
            Some(true) => Follow::Yes,
            Some(false) => Follow::No,
            None => Follow::Unknown,
        }
    }
}

/// `{base}/{version}`, checked.
fn root(base: &str, version: &str) -> Result<Url, ConfigError> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !version
        .strip_prefix('v')
        .and_then(|number| number.split_once('.'))
        .is_some_and(|(major, minor)| digits(major) && digits(minor))
    {
        return Err(ConfigError::Version);
    }
    let mut url = Url::parse(base).map_err(|_| ConfigError::Base)?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some_and(|host| !host.is_empty())
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.as_str().parse::<http::Uri>().is_ok();
    if !plain {
        return Err(ConfigError::Base);
    }
    let path = format!("{}/{version}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

/// The header that carries the token, marked as sensitive. A token has no spaces, line breaks or letters
/// beyond ASCII, and is never nothing.
fn bearer(token: &SecretString) -> Result<HeaderValue, NotSent> {
    let token = token.expose_secret();
    if token.is_empty() || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(NotSent::Unbuildable);
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| NotSent::Unbuildable)?;
    value.set_sensitive(true);
    Ok(value)
}

/// The whole body, or nothing when it is longer than any answer of Meta's.
async fn read_bounded(mut response: Response, longest: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > longest {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

fn log(leg: &str, status: u16, outcome: &SendOutcome) {
    match outcome {
        SendOutcome::Delivered { .. } => tracing::debug!(leg, status, "the Graph API delivered"),
        SendOutcome::Rejected(rejection) => {
            tracing::debug!(
                leg,
                status,
                code = rejection.code,
                subcode = rejection.subcode,
                "the Graph API refused"
            );
        }
        SendOutcome::Unconfirmed(Doubt::Answer { code, subcode, .. }) => {
            tracing::debug!(leg, status, code, subcode, "the Graph API's answer proves nothing");
        }
        SendOutcome::Unconfirmed(Doubt::Unreadable { .. } | Doubt::Timeout | Doubt::Broken)
        | SendOutcome::NotSent(_) => tracing::debug!(leg, status, "the Graph API's answer cannot be read"),
    }
}

#[cfg(test)]
mod tests;
