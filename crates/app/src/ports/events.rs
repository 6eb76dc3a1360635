//! Reading what Instagram posts to the webhook.

use openreply_domain::trigger::Trigger;
use std::collections::BTreeMap;

/// Whether a body is Meta's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authenticity {
    /// Signed with one of the app's secrets.
    Authentic,
    /// There is no signature header.
    Missing,
    /// There is one, and it is not of this body and either secret.
    Wrong,
}

/// What one body held.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParsedEvent {
    /// What may start a flow, in the order of the body.
    pub triggers: Vec<Trigger>,
    /// Everything else, counted by why it starts nothing (`echo`, `own_comment`, `standby`, `unknown_field`,
    /// `malformed_comment`, …).
    pub passed_over: BTreeMap<&'static str, u32>,
}

/// The body is not JSON. Says where, never what.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body is not JSON (line {line}, column {column})")]
pub struct Unreadable {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
}

/// What tells the webhook's bodies from others', and understands them.
pub trait EventReader: EventBodies {
    /// Whether `signature` (the value of `X-Hub-Signature-256`) is that of exactly these bytes.
    fn authenticate(&self, signature: Option<&str>, body: &[u8]) -> Authenticity;

    /// Whether `token` is the one agreed for Meta's verification handshake. In constant time.
    fn knows_verify_token(&self, token: &str) -> bool;
}

/// What understands the webhook's bodies, whoever they are from.
pub trait EventBodies: Send + Sync {
    /// Every element of the body on its own: a bad one is counted and loses no neighbour.
    ///
    /// # Errors
    /// Only when the body is not JSON at all.
    fn parse(&self, body: &[u8]) -> Result<ParsedEvent, Unreadable>;
}
