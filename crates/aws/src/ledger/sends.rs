//! Sends: the conditional write that everything rests on, and its reads.

use super::table::USER;
use super::{DUE, DynamoLedger, EXPIRES_AT, Item, LOG, failed, from_item, keys, to_item};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValuesOnConditionCheckFailure};
use openreply_app::ports::{LedgerError, Written};
use openreply_domain::ids::{AccountId, UserId};
use openreply_domain::send::{Expect, Leg, Send};
use openreply_domain::time::{Timestamp, after};
use openreply_domain::trigger::{TriggerKey, TriggerKind};
use std::collections::{HashMap, HashSet};

/// How many Sends are looked at together: what one batch read takes.
const AT_A_TIME: usize = 100;

const READ: &str = "read the messages of a trigger";
const WRITE: &str = "write a message's state";
const LIST: &str = "list the deliveries of an account";

impl DynamoLedger {
    pub(super) async fn write_send(&self, send: &Send, expect: &Expect) -> Result<Written, LedgerError> {
        let condition = conditioned(expect);
        let request = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(self.send_item(send)?))
            .condition_expression(condition.expression)
            .set_expression_attribute_names(condition.names)
            .set_expression_attribute_values(condition.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let Err(error) = request.send().await else { return Ok(Written::Done) };
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
        let mut sends = self.read_listed(LIST, self.log(account, since)).await?;
        sends.sort_by(|a, b| (a.first_seen_at, &a.key).cmp(&(b.first_seen_at, &b.key)));
        Ok(sends)
    }

    /// What happened since.
    fn log(&self, account: &AccountId, since: Timestamp) -> QueryFluentBuilder {
        self.client
            .query()
            .table_name(&self.table)
            .index_name(LOG.name)
            .key_condition_expression("#log = :log AND #at >= :since")
            .expression_attribute_names("#log", LOG.key.hash.name)
            .expression_attribute_names("#at", LOG.key.range.name)
            .expression_attribute_values(":log", AttributeValue::S(keys::log(account)))
            .expression_attribute_values(":since", keys::millis(since))
    }

    /// Page by page: of an account that sends much, nothing holds all of it at once.
    pub(super) async fn visit_log(
        &self,
        account: &AccountId,
        since: Timestamp,
        user: Option<&UserId>,
        mut visit: impl FnMut(Vec<Send>) -> bool + std::marker::Send,
    ) -> Result<bool, LedgerError> {
        let mut request = self.log(account, since);
        if let Some(user) = user {
            request = request
                .filter_expression("#user = :user")
                .expression_attribute_names("#user", USER)
                .expression_attribute_values(":user", AttributeValue::S(user.to_string()));
        }
        let mut pages = request.into_paginator().send();
        while let Some(page) = pages.next().await {
            let listed = page.map_err(failed(LIST))?.items.unwrap_or_default();
            let wanted = each_once(listed.into_iter().map(keys::of));
            for some in wanted.chunks(AT_A_TIME) {
                if !visit(self.read_as_sends(LIST, some).await?) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The index may lag: what it names is read itself, and only what still waits counts.
    pub(super) async fn read_waiting(&self, account: &AccountId) -> Result<Vec<Send>, LedgerError> {
        let request = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(DUE.name)
            .key_condition_expression("#due = :due")
            .expression_attribute_names("#due", DUE.key.hash.name)
            .expression_attribute_values(":due", AttributeValue::S(keys::due(account)));
        let mut sends = self.read_listed(LIST, request).await?;
        sends.retain(|send| send.due_at().is_some());
        sends.sort_by(|a, b| (a.due_at(), &a.key).cmp(&(b.due_at(), &b.key)));
        Ok(sends)
    }

    /// The Sends that an index's query names, read themselves. One that cannot be read keeps nobody from the others.
    pub(super) async fn read_listed(
        &self,
        action: &'static str,
        request: QueryFluentBuilder,
    ) -> Result<Vec<Send>, LedgerError> {
        let mut pages = request.into_paginator().items().send();
        let mut found: Vec<Item> = Vec::new();
        while let Some(entry) = pages.next().await {
            found.push(keys::of(entry.map_err(failed(action))?));
        }
        let items = self.read_all(action, &each_once(found)).await?;
        let sends = items.into_iter().filter_map(|item| match from_item(action, item) {
            Ok(send) => Some(send),
            Err(error) => {
                tracing::error!(%error, "a message was left out that cannot be read; the others go on");
                None
            }
        });
        Ok(sends.collect())
    }

    pub(super) async fn read_as_sends(
        &self,
        action: &'static str,
        wanted: &[Item],
    ) -> Result<Vec<Send>, LedgerError> {
        let items = self.read_all(action, wanted).await?;
        items.into_iter().map(|item| from_item(action, item)).collect()
    }

    /// A Send as a row, with what the indexes and the time to live need.
    pub(super) fn send_item(&self, send: &Send) -> Result<Item, LedgerError> {
        let trigger = &send.key.trigger;
        let mut item = to_item(WRITE, send)?;
        item.extend(keys::send(trigger, &send.key.leg));
        item.insert("log_pk".to_owned(), AttributeValue::S(keys::log(&trigger.account)));
        item.insert("log_at".to_owned(), keys::millis(send.first_seen_at));
        if !is_for_ever(trigger.kind) {
            item.insert(EXPIRES_AT.to_owned(), keys::expiry(after(send.first_seen_at, self.retention)));
        }
        if let Some(at) = send.look_at() {
            item.insert("due_pk".to_owned(), AttributeValue::S(keys::due(&trigger.account)));
            item.insert("due_at".to_owned(), keys::millis(at));
        }
        Ok(item)
    }
}

/// Keys, each once: what moves within an index while that is read may be listed where it was and where it is, and a
/// batch read refuses a key that comes twice.
fn each_once(keys: impl IntoIterator<Item = Item>) -> Vec<Item> {
    let mut met = HashSet::new();
    keys.into_iter().filter(|key| met.insert(keys::shown(key))).collect()
}

/// Whether what was sent for such a trigger may never be forgotten: a tap reveals once, a person is followed up
/// once.
fn is_for_ever(kind: TriggerKind) -> bool {
    match kind {
        TriggerKind::Tap | TriggerKind::FollowUp => true,
        TriggerKind::Comment | TriggerKind::Message => false,
    }
}

/// A condition with its names and values.
pub(super) struct Condition {
    pub(super) expression: &'static str,
    pub(super) names: Option<HashMap<String, String>>,
    pub(super) values: Option<Item>,
}

/// The condition that makes a write a compare-and-set. The same rule as [`Expect::holds`].
pub(super) fn conditioned(expect: &Expect) -> Condition {
    let names =
        |names: &[&str]| Some(names.iter().map(|name| (format!("#{name}"), (*name).to_owned())).collect());
    let value = |name: &str, value| (format!(":{name}"), value);
    let state = |state: &str| value("state", AttributeValue::S(state.to_owned()));
    match expect {
        Expect::Absent => Condition { expression: "attribute_not_exists(pk)", names: None, values: None },
        Expect::Open { wake } => Condition {
            expression: "#state = :state AND #wake = :wake",
            names: names(&["state", "wake"]),
            values: Some(Item::from([state("OPEN"), value("wake", AttributeValue::N(wake.to_string()))])),
        },
        Expect::Ended(claim) => Condition {
            expression: "#state IN (:failed, :skipped) AND #claim.#id = :claim",
            names: names(&["state", "claim", "id"]),
            values: Some(Item::from([
                value("failed", AttributeValue::S("FAILED".to_owned())),
                value("skipped", AttributeValue::S("SKIPPED".to_owned())),
                value("claim", AttributeValue::S(claim.to_string())),
            ])),
        },
        Expect::Claimed(claim) => Condition {
            expression: "#state = :state AND #claim.#id = :claim",
            names: names(&["state", "claim", "id"]),
            values: Some(Item::from([
                state("CLAIMED"),
                value("claim", AttributeValue::S(claim.to_string())),
            ])),
        },
    }
}
