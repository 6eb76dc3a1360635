//! The heartbeat, the alerts, and how many accounts are held.
//!
//! An account's gate shows in the sparse index while it has a hold (see [`keys::HOLDS`]), written with the gate
//! itself: the count is one query and needs no list that could be wrong.

use super::{DUE, DynamoLedger, EXPIRES_AT, Item, failed, from_item, keys, to_item};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{AttributeValue, Select};
use openreply_app::ports::{LedgerError, Pulse};
use openreply_domain::pulse::{Alert, Heartbeat};
use openreply_domain::time::{SignedDuration, Timestamp, after};

const BEAT: &str = "write the heartbeat";
const READ_BEAT: &str = "read the heartbeat";
const RAISE: &str = "write an alert down";
const READ_ALERTS: &str = "read the alerts";
const COUNT: &str = "count the accounts that are held";

/// How long an alert is kept.
const ALERTS_KEPT_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

impl Pulse for DynamoLedger {
    async fn beat(&self, heartbeat: &Heartbeat) -> Result<(), LedgerError> {
        let Heartbeat { checked_at, echo_awaited_since, lag_ms, version } = heartbeat;
        let (mut set, mut remove) = (vec!["checked_at = :at", "#version = :version"], Vec::new());
        let mut update = self.client.update_item().table_name(&self.table).set_key(Some(keys::heartbeat()));
        match (echo_awaited_since, lag_ms) {
            // The earliest whose echo did not come stays.
            (Some(since), lag_ms) => {
                set.push("echo_awaited_since = if_not_exists(echo_awaited_since, :since)");
                update = update.expression_attribute_values(":since", keys::millis(*since));
                match lag_ms {
                    Some(lag_ms) => {
                        set.push("lag_ms = :lag");
                        let lag = AttributeValue::N(lag_ms.to_string());
                        update = update.expression_attribute_values(":lag", lag);
                    }
                    None => remove.push("lag_ms"),
                }
            }
            // An echo: how late the beat was stays.
            (None, _) => remove.push("echo_awaited_since"),
        }
        let mut expression = format!("SET {}", set.join(", "));
        if !remove.is_empty() {
            expression = format!("{expression} REMOVE {}", remove.join(", "));
        }
        let update = update
            .update_expression(expression)
            // A reserved word.
            .expression_attribute_names("#version", "version")
            .expression_attribute_values(":at", keys::millis(*checked_at))
            .expression_attribute_values(":version", AttributeValue::S(version.clone()));
        update.send().await.map(drop).map_err(failed(BEAT))
    }

    async fn heartbeat(&self) -> Result<Option<Heartbeat>, LedgerError> {
        let get = self.client.get_item().table_name(&self.table).set_key(Some(keys::heartbeat()));
        let answer = get.consistent_read(true).send().await.map_err(failed(READ_BEAT))?;
        answer.item.map(|item| from_item(READ_BEAT, item)).transpose()
    }

    async fn raise(&self, alert: &Alert) -> Result<bool, LedgerError> {
        let mut item: Item = to_item(RAISE, alert)?;
        item.extend(keys::alert(alert));
        item.insert(EXPIRES_AT.to_owned(), keys::expiry(after(alert.at, ALERTS_KEPT_FOR)));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let written = put.condition_expression("attribute_not_exists(pk)").send().await;
        let Err(error) = written else { return Ok(true) };
        match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(_)) => Ok(false),
            Some(_) | None => Err(failed(RAISE)(error)),
        }
    }

    async fn alerts(&self, newest: usize) -> Result<Vec<Alert>, LedgerError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("pk = :alerts")
            .expression_attribute_values(":alerts", AttributeValue::S(keys::ALERTS.to_owned()))
            .scan_index_forward(false)
            .limit(i32::try_from(newest.max(1)).unwrap_or(i32::MAX));
        let answer = query.send().await.map_err(failed(READ_ALERTS))?;
        let items = answer.items.unwrap_or_default().into_iter().take(newest);
        items.map(|item| from_item(READ_ALERTS, item)).collect()
    }

    async fn held_accounts(&self, now: Timestamp) -> Result<usize, LedgerError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(DUE.name)
            .select(Select::Count)
            .key_condition_expression("#holds = :holds AND #until > :now")
            .expression_attribute_names("#holds", DUE.key.hash.name)
            .expression_attribute_names("#until", DUE.key.range.name)
            .expression_attribute_values(":holds", AttributeValue::S(keys::HOLDS.to_owned()))
            .expression_attribute_values(":now", keys::millis(now));
        let mut pages = query.into_paginator().send();
        let mut held = 0;
        while let Some(page) = pages.next().await {
            held += usize::try_from(page.map_err(failed(COUNT))?.count).unwrap_or(0);
        }
        Ok(held)
    }
}
