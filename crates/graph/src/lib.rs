//! Instagram: the Graph API client, webhook parsing, and what an answer proves.
//!
//! - [`classify`] is pure: an answer of the Graph API in, what it proves about the message out.
//! - [`Graph`] makes one call per message over a connection of its own and tries nothing again.
//! - [`Graph`] also reads what Instagram shows, page by page.
//! - [`MetaWebhook`] tells Meta's bodies from others', and turns them into triggers.

mod answer;
mod client;
mod outgoing;
mod reads;
mod transport;
mod usage;
mod webhook;
mod wire;

pub use answer::{Expect, classify};
pub use client::{ConfigError, Graph, GraphConfig};
pub use webhook::{AppSecrets, MetaWebhook, SecretsError, WebhookBodies};
