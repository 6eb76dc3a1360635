//! The ledger in one DynamoDB table.
//!
//! Guarantees: every write of a Send is one conditional `PutItem`, so of any number of writers exactly one
//! succeeds and the others are told what stands there; reads of Sends are strongly consistent and complete, or
//! an error. Whatever a call leaves unknown is [`LedgerError::Transient`].
//!
//! [`keys`] says where everything lies, [`table`] how the table is made.

mod accounts;
mod batch;
mod contacts;
mod events;
mod gates;
mod keys;
mod links;
mod pulse;
mod sends;
mod sweeps;
mod table;

pub use table::{Attribute, DUE, EXPIRES_AT, Index, KEY, KeyPair, LOG, create_table};

use crate::failure::Failure;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types::AttributeValue;
use openreply_app::ports::{
    AccountUpdate, Also, EventKey, EventStatus, EventsOfMinute, Ledger, LedgerError, TriggerRead, Written,
};
use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef};
use openreply_domain::contact::Contact;
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::{AccountId, CampaignId, UserId};
use openreply_domain::send::{Expect, Leg, Send};
use openreply_domain::time::{SignedDuration, Timestamp};
use openreply_domain::trigger::TriggerKey;
use std::collections::HashMap;

/// How long a Send is kept from the first sight of its trigger, unless [`DynamoLedger::keep_for`] says
/// otherwise.
pub const DEFAULT_RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);

/// No Send is forgotten sooner: its trigger could still come again (36 hours of Meta's retries, then 14 days on
/// the queue and 14 more among the dead letters).
pub const LEAST_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// One row of the table.
type Item = HashMap<String, AttributeValue>;

/// The ledger.
#[derive(Debug, Clone)]
pub struct DynamoLedger {
    client: Client,
    table: String,
    retention: SignedDuration,
}

impl DynamoLedger {
    /// The ledger in `table`, which [`create_table`] or the stack's template made.
    #[must_use]
    pub fn new(client: Client, table: impl Into<String>) -> Self {
        Self { client, table: table.into(), retention: DEFAULT_RETENTION }
    }

    /// Keeps Sends for `retention`, and at least for [`LEAST_RETENTION`].
    #[must_use]
    pub fn keep_for(self, retention: SignedDuration) -> Self {
        Self { retention: retention.max(LEAST_RETENTION), ..self }
    }
}

impl Ledger for DynamoLedger {
    async fn record_event(&self, key: &EventKey, body: &[u8]) -> Result<(), LedgerError> {
        self.write_event(key, body).await
    }

    async fn mark_event(&self, key: &EventKey, status: &EventStatus) -> Result<(), LedgerError> {
        self.write_event_status(key, status).await
    }

    async fn events(&self, moment: Timestamp) -> Result<EventsOfMinute, LedgerError> {
        self.read_events(moment).await
    }

    async fn account_ids(&self) -> Result<Vec<AccountId>, LedgerError> {
        self.read_account_ids().await
    }

    async fn account(&self, id: &AccountId) -> Result<Option<Account>, LedgerError> {
        self.read_account(id).await
    }

    async fn campaign_version(
        &self,
        account: &AccountId,
        campaign: &CampaignRef,
    ) -> Result<Option<CampaignContent>, LedgerError> {
        self.read_campaign_version(account, campaign).await
    }

    async fn put_account(&self, account: &AccountUpdate) -> Result<(), LedgerError> {
        self.write_account(account).await
    }

    async fn put_campaign(
        &self,
        account: &AccountId,
        campaign: &Campaign,
        old_order: Option<u32>,
    ) -> Result<(), LedgerError> {
        self.write_campaign(account, campaign, old_order).await
    }

    async fn sends(&self, trigger: &TriggerKey, legs: &[Leg]) -> Result<Vec<Send>, LedgerError> {
        self.read_sends(trigger, legs).await
    }

    async fn put_send(&self, send: &Send, expect: &Expect) -> Result<Written, LedgerError> {
        self.write_send(send, expect).await
    }

    async fn read(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
        user: &UserId,
    ) -> Result<TriggerRead, LedgerError> {
        self.read_trigger(trigger, legs, user).await
    }

    async fn put_contact(
        &self,
        account: &AccountId,
        user: &UserId,
        next: &Contact,
    ) -> Result<Option<Contact>, LedgerError> {
        self.write_contact(account, user, next).await
    }

    async fn once(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        user: &UserId,
    ) -> Result<Option<TriggerKey>, LedgerError> {
        self.read_taken_once(account, campaign, user).await
    }

    async fn gates(&self, account: &AccountId) -> Result<(AccountGate, Stop), LedgerError> {
        self.read_gates(account).await
    }

    async fn put_gate(
        &self,
        account: &AccountId,
        next: &AccountGate,
    ) -> Result<Option<AccountGate>, LedgerError> {
        self.write_gate(account, next).await
    }

    async fn stop(&self) -> Result<Stop, LedgerError> {
        self.read_stop().await
    }

    async fn put_stop(&self, next: &Stop) -> Result<Option<Stop>, LedgerError> {
        self.write_stop(next).await
    }

    async fn take_month(&self, month: &str, limit: u32) -> Result<bool, LedgerError> {
        self.add_to_month(month, limit).await
    }

    async fn return_month(&self, month: &str) -> Result<(), LedgerError> {
        self.take_from_month(month).await
    }

    async fn month_used(&self, month: &str) -> Result<u32, LedgerError> {
        self.read_month(month).await
    }

    async fn waiting(&self, account: &AccountId) -> Result<Vec<Send>, LedgerError> {
        self.read_waiting(account).await
    }

    async fn put_send_with(
        &self,
        send: &Send,
        expect: &Expect,
        also: &[Also],
    ) -> Result<Written, LedgerError> {
        self.write_send_with(send, expect, also).await
    }

    async fn deliveries(&self, account: &AccountId, since: Timestamp) -> Result<Vec<Send>, LedgerError> {
        self.read_deliveries(account, since).await
    }
}

/// A value of ours as a row.
fn to_item(action: &'static str, value: &impl serde::Serialize) -> Result<Item, LedgerError> {
    serde_dynamo::aws_sdk_dynamodb_1::to_item(value).map_err(|_| LedgerError::Permanent {
        action,
        cause: "it cannot be written as an item: this is a fault of OpenReply".to_owned(),
    })
}

/// A row as a value of ours. The error names the row's key and never what it holds.
fn from_item<T: serde::de::DeserializeOwned>(action: &'static str, item: Item) -> Result<T, LedgerError> {
    let key = keys::shown(&item);
    serde_dynamo::aws_sdk_dynamodb_1::from_item(item).map_err(|_| unreadable(action, &key))
}

fn unreadable(action: &'static str, key: &str) -> LedgerError {
    LedgerError::Permanent {
        action,
        cause: format!(
            "item {key} is not in a form that this version knows; was it edited, or written by a newer version?"
        ),
    }
}

/// A request that could not even be put together.
fn unbuildable(action: &'static str) -> impl Fn(BuildError) -> LedgerError {
    move |error| LedgerError::Permanent {
        action,
        cause: format!("the request could not be made ({error}): this is a fault of OpenReply"),
    }
}

/// A call that failed.
fn failed<E: aws_sdk_dynamodb::error::ProvideErrorMetadata>(
    action: &'static str,
) -> impl Fn(aws_sdk_dynamodb::error::SdkError<E>) -> LedgerError {
    move |error| Failure::of(&error).of_ledger(action)
}
