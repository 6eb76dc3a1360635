//! Events on an EventBridge bus, for whoever wants them in a chat, a ticket or a pager.
//!
//! Guarantees: an event says what `infra/events.schema.json` says, and holds no text that anybody wrote, no user
//! name and no token. One that the bus does not take within a second is logged and lost: the ledger still knows
//! what it told of, and no delivery waits for it.

use crate::failure::Failure;
use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use openreply_app::ports::{Ending, Fact, Facts};
use openreply_domain::gate::Hold;
use openreply_domain::ids::AccountId;
use openreply_domain::time::Timestamp;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What all events come from.
pub const SOURCE: &str = "openreply";
/// The version of what they hold. It rises when something is taken away or changes its meaning.
pub const SCHEMA_VERSION: u32 = 1;

/// How long the bus may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// Puts events on a bus.
#[derive(Debug, Clone)]
pub struct Events {
    client: Client,
    bus: String,
    stack: String,
    tells_sent: bool,
}

/// An event, ready to go.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its kind: `delivery.failed`, …
    pub detail_type: &'static str,
    /// What it says.
    pub detail: Value,
}

impl Events {
    /// Events of a stack on the bus of that name. Messages that were sent are told of only if `tells_sent`: there is
    /// one for each, and each costs.
    #[must_use]
    pub fn new(client: Client, bus: impl Into<String>, stack: impl Into<String>, tells_sent: bool) -> Self {
        Self { client, bus: bus.into(), stack: stack.into(), tells_sent }
    }

    async fn put(&self, event: Event) -> Result<(), String> {
        let entry = PutEventsRequestEntry::builder()
            .source(SOURCE)
            .detail_type(event.detail_type)
            .detail(event.detail.to_string())
            .event_bus_name(&self.bus)
            .build();
        let sent = self.client.put_events().entries(entry).send();
        let Ok(answer) = tokio::time::timeout(PATIENCE, sent).await else {
            return Err("Timeout: the bus did not answer within a second".to_owned());
        };
        let answer = answer.map_err(|error| {
            let Failure { code, hint, .. } = Failure::of(&error);
            format!("{code}: {hint}")
        })?;
        // One that the bus refused is no error of the call.
        match answer.entries.unwrap_or_default().into_iter().find_map(|entry| entry.error_code) {
            Some(code) => Err(code),
            None => Ok(()),
        }
    }
}

impl Facts for Events {
    async fn report(&self, at: Timestamp, fact: &Fact) {
        let Some(event) = event(&self.stack, at, fact, self.tells_sent) else { return };
        let kind = event.detail_type;
        if let Err(why) = self.put(event).await {
            tracing::warn!(
                event = kind,
                why,
                "an event could not be put on the bus; it is lost, what it told of is in the ledger"
            );
        }
    }
}

/// The event that a fact makes. `None`: nobody is told.
#[must_use]
pub fn event(stack: &str, at: Timestamp, fact: &Fact, tells_sent: bool) -> Option<Event> {
    let (detail_type, fields) = match fact {
        Fact::Delivery { key, campaign, attempts, ending, .. } => {
            let mut fields = vec![
                ("account", json!(key.trigger.account)),
                ("trigger", json!(key.trigger)),
                ("leg", json!(key.leg.name())),
                ("attempts", json!(attempts)),
            ];
            if let Some(campaign) = campaign {
                fields.push(("campaign", json!(campaign.id)));
                fields.push(("campaign_version", json!(campaign.version)));
            }
            let (detail_type, more) = match ending {
                Ending::Sent { message_id } if tells_sent => {
                    ("delivery.sent", ("message_id", json!(message_id)))
                }
                Ending::Failed { reason } => ("delivery.failed", ("reason", json!(reason))),
                Ending::Unconfirmed { reason } => ("delivery.unconfirmed", ("reason", json!(reason))),
                Ending::Sent { .. } | Ending::Skipped { .. } => return None,
            };
            fields.push(more);
            (detail_type, fields)
        }
        Fact::AccountHeld { account, hold } => ("account.held", of_hold(account, hold)),
        Fact::AccountReleased { account, hold } => ("account.released", of_hold(account, hold)),
        Fact::AlertRaised(alert) => {
            let mut fields = vec![
                ("alert", json!(alert.kind)),
                ("since", json!(alert.at)),
                ("message", json!(alert.message)),
            ];
            if let Some(subject) = &alert.subject {
                fields.push(("subject", json!(subject)));
            }
            ("alert.raised", fields)
        }
        Fact::DuplicateRefused { .. }
        | Fact::Called { .. }
        | Fact::Received { .. }
        | Fact::Measured { .. } => return None,
    };
    let mut detail = Map::new();
    detail.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
    detail.insert("stack".to_owned(), json!(stack));
    detail.insert("at".to_owned(), json!(at));
    detail.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    Some(Event { detail_type, detail: Value::Object(detail) })
}

fn of_hold(account: &AccountId, hold: &Hold) -> Vec<(&'static str, Value)> {
    vec![
        ("account", json!(account)),
        ("reason", json!(hold.reason)),
        ("since", json!(hold.since)),
        ("until", json!(hold.until)),
    ]
}
