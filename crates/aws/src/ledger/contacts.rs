//! What is known of people: one row each, written as a gate is, and a row for each message that goes out once.
//!
//! A row is kept for as long as a Send from its last write on, and for ever where the person opted out. What
//! goes out once per person is kept for ever.

use super::gates::row;
use super::{DynamoLedger, EXPIRES_AT, Item, failed, keys, unbuildable, unreadable};
use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put};
use openreply_app::ports::LedgerError;
use openreply_domain::contact::Contact;
use openreply_domain::ids::{AccountId, CampaignId, UserId};
use openreply_domain::send::Send;
use openreply_domain::time::after;
use openreply_domain::trigger::TriggerKey;

const WRITE: &str = "write what is known of a person";
const ONCE: &str = "read whether a person had a campaign's message";

/// Whether nobody else's trigger stands.
const NOBODY_ELSES: &str = "attribute_not_exists(pk) OR #trigger = :trigger";

impl DynamoLedger {
    pub(super) async fn write_contact(
        &self,
        account: &AccountId,
        user: &UserId,
        next: &Contact,
    ) -> Result<Option<Contact>, LedgerError> {
        self.write_revision(WRITE, self.contact_item(account, user, next)?, next.revision).await
    }

    pub(super) fn contact_item(
        &self,
        account: &AccountId,
        user: &UserId,
        contact: &Contact,
    ) -> Result<Item, LedgerError> {
        let mut item = row(WRITE, keys::contact(account, user), contact, contact.revision)?;
        if let Some(last) = contact.last_seen_at().filter(|_| !contact.is_out()) {
            item.insert(EXPIRES_AT.to_owned(), keys::expiry(after(last, self.retention)));
        }
        Ok(item)
    }

    pub(super) async fn read_taken_once(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        user: &UserId,
    ) -> Result<Option<TriggerKey>, LedgerError> {
        let found = self
            .client
            .get_item()
            .table_name(&self.table)
            .set_key(Some(keys::once(account, campaign, user)))
            .consistent_read(true)
            .send()
            .await
            .map_err(failed(ONCE))?;
        let Some(item) = found.item else { return Ok(None) };
        let trigger = keys::text(&item, "trigger").and_then(|text| text.parse().ok());
        trigger.map(Some).ok_or_else(|| unreadable(ONCE, &keys::shown(&item)))
    }

    pub(super) fn take_once(&self, send: &Send, campaign: &CampaignId) -> Result<Put, LedgerError> {
        let trigger = &send.key.trigger;
        let mut item = keys::once(&trigger.account, campaign, &send.user);
        item.insert("trigger".to_owned(), AttributeValue::S(trigger.to_string()));
        Put::builder()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression(NOBODY_ELSES)
            .expression_attribute_names("#trigger", "trigger")
            .expression_attribute_values(":trigger", AttributeValue::S(trigger.to_string()))
            .build()
            .map_err(unbuildable(WRITE))
    }

    pub(super) fn free_once(&self, send: &Send, campaign: &CampaignId) -> Result<Delete, LedgerError> {
        let trigger = &send.key.trigger;
        Delete::builder()
            .table_name(&self.table)
            .set_key(Some(keys::once(&trigger.account, campaign, &send.user)))
            .condition_expression(NOBODY_ELSES)
            .expression_attribute_names("#trigger", "trigger")
            .expression_attribute_values(":trigger", AttributeValue::S(trigger.to_string()))
            .build()
            .map_err(unbuildable(WRITE))
    }
}
