//! Sends: the conditional write that everything rests on, and its reads.

use super::{DynamoLedger, EXPIRES_AT, Item, LOG, failed, from_item, keys, to_item};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::put_item::builders::PutItemFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValuesOnConditionCheckFailure};
use openreply_app::ports::{LedgerError, Written};
use openreply_domain::ids::AccountId;
use openreply_domain::send::{Expect, Leg, Send, State};
use openreply_domain::time::{Timestamp, after};
use openreply_domain::trigger::TriggerKey;

const READ: &str = "read the messages of a trigger";
const WRITE: &str = "write a message's state";
const LIST: &str = "list the deliveries of an account";

impl DynamoLedger {
    pub(super) async fn write_send(&self, send: &Send, expect: &Expect) -> Result<Written, LedgerError> {
        let request = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(self.send_item(send)?))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let Err(error) = conditioned(request, expect).send().await else { return Ok(Written::Done) };
        match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(refused)) => {
                let stands = refused.item().cloned().map(|item| from_item(WRITE, item)).transpose()?;
                Ok(Written::Refused(stands.map(Box::new)))
            }
            Some(_) | None => Err(failed(WRITE)(error)),
        }
    }

    pub(super) async fn read_sends(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
    ) -> Result<Vec<Send>, LedgerError> {
        let mut legs: Vec<&Leg> = legs.iter().collect();
        legs.sort();
        legs.dedup();
        let wanted: Vec<Item> = legs.iter().map(|leg| keys::send(trigger, leg)).collect();
        let mut sends = self.read_as_sends(READ, &wanted).await?;
        sends.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(sends)
    }

    pub(super) async fn read_deliveries(
        &self,
        account: &AccountId,
        since: Timestamp,
    ) -> Result<Vec<Send>, LedgerError> {
        let mut pages = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(LOG.name)
            .key_condition_expression("#log = :log AND #at >= :since")
            .expression_attribute_names("#log", LOG.key.hash.name)
            .expression_attribute_names("#at", LOG.key.range.name)
            .expression_attribute_values(":log", AttributeValue::S(keys::log(account)))
            .expression_attribute_values(":since", keys::millis(since))
            .into_paginator()
            .items()
            .send();
        let mut found: Vec<Item> = Vec::new();
        while let Some(entry) = pages.next().await {
            found.push(keys::of(entry.map_err(failed(LIST))?));
        }
        let mut sends = self.read_as_sends(LIST, &found).await?;
        sends.sort_by(|a, b| (a.first_seen_at, &a.key).cmp(&(b.first_seen_at, &b.key)));
        Ok(sends)
    }

    async fn read_as_sends(&self, action: &'static str, wanted: &[Item]) -> Result<Vec<Send>, LedgerError> {
        let items = self.read_all(action, wanted).await?;
        items.into_iter().map(|item| from_item(action, item)).collect()
    }

    /// A Send as a row, with what the indexes and the time to live need.
    fn send_item(&self, send: &Send) -> Result<Item, LedgerError> {
        let trigger = &send.key.trigger;
        let mut item = to_item(WRITE, send)?;
        item.extend(keys::send(trigger, &send.key.leg));
        item.insert("log_pk".to_owned(), AttributeValue::S(keys::log(&trigger.account)));
        item.insert("log_at".to_owned(), keys::millis(send.first_seen_at));
        item.insert(EXPIRES_AT.to_owned(), keys::expiry(after(send.first_seen_at, self.retention)));
        if let Some(at) = looked_at(send) {
            item.insert("due_pk".to_owned(), AttributeValue::S(keys::due(&trigger.account)));
            item.insert("due_at".to_owned(), keys::millis(at));
        }
        Ok(item)
    }
}

/// When somebody should look at a Send that is not final: a waiting one when it is due, a taken one when whoever
/// took it is surely gone.
fn looked_at(send: &Send) -> Option<Timestamp> {
    match &send.state {
        State::Open { due_at, .. } => Some(*due_at),
        State::Claimed { .. } => send.claim.as_ref().map(|claim| claim.expires_at),
        State::Sent { .. } | State::Failed { .. } | State::Skipped { .. } => None,
    }
}

/// The condition that makes a write a compare-and-set. The same rule as [`Expect::holds`].
fn conditioned(request: PutItemFluentBuilder, expect: &Expect) -> PutItemFluentBuilder {
    match expect {
        Expect::Absent => request.condition_expression("attribute_not_exists(pk)"),
        Expect::Open { wake } => request
            .condition_expression("#state = :state AND #wake = :wake")
            .expression_attribute_names("#state", "state")
            .expression_attribute_names("#wake", "wake")
            .expression_attribute_values(":state", AttributeValue::S("OPEN".to_owned()))
            .expression_attribute_values(":wake", AttributeValue::N(wake.to_string())),
        Expect::Claimed(claim) => request
            .condition_expression("#state = :state AND #claim.#id = :claim")
            .expression_attribute_names("#state", "state")
            .expression_attribute_names("#claim", "claim")
            .expression_attribute_names("#id", "id")
            .expression_attribute_values(":state", AttributeValue::S("CLAIMED".to_owned()))
            .expression_attribute_values(":claim", AttributeValue::S(claim.to_string())),
    }
}
