//! Gates, the stop and the months; and Sends that are written together with them.
//!
//! A gate and the stop are one row each: a JSON document, and beside it what conditions look at, its revision
//! and when its hold began.

use super::sends::conditioned;
use super::{DUE, DynamoLedger, Item, failed, from_item, keys, unbuildable};
use crate::clock::random_bytes;
use crate::failure::judge;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ConditionCheck, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use openreply_app::ports::{Also, LedgerError, TriggerRead, Written};
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::{AccountId, UserId};
use openreply_domain::send::{Expect, Leg, Send};
use openreply_domain::trigger::TriggerKey;
use serde::Serialize;
use serde::de::DeserializeOwned;

const READ: &str = "read an account's gate";
const WRITE: &str = "write an account's gate";
const STOP: &str = "change the stack's stop";
const MONTH: &str = "count a month's messages";
const SETTLE: &str = "write a message's state with what belongs to it";

/// Who wrote a row last: a name for each write.
const MARK: &str = "mark";

fn mark() -> AttributeValue {
    AttributeValue::S(hex::encode(random_bytes::<8>()))
}

/// What a failed condition of a row was.
const FAILED: &str = "ConditionalCheckFailed";

impl DynamoLedger {
    pub(super) async fn read_trigger(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
        user: &UserId,
    ) -> Result<TriggerRead, LedgerError> {
        let mut legs: Vec<&Leg> = legs.iter().collect();
        legs.sort();
        legs.dedup();
        let mut wanted: Vec<Item> = legs.iter().map(|leg| keys::send(trigger, leg)).collect();
        let account = &trigger.account;
        wanted.extend([keys::gate(account), keys::stop(), keys::contact(account, user)]);
        let mut read = TriggerRead::default();
        for item in self.read_all(READ, &wanted).await? {
            match keys::text(&item, "sk") {
                Some(keys::GATE) => read.standing.gate = document(READ, &item)?,
                Some(keys::STOP) => read.standing.stop = document(READ, &item)?,
                Some(keys::CONTACT) => read.standing.contact = document(READ, &item)?,
                Some(_) | None => read.sends.push(from_item(READ, item)?),
            }
        }
        read.sends.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(read)
    }

    pub(super) async fn read_gates(&self, account: &AccountId) -> Result<(AccountGate, Stop), LedgerError> {
        let (mut gate, mut stop) = (AccountGate::default(), Stop::default());
        for item in self.read_all(READ, &[keys::gate(account), keys::stop()]).await? {
            if keys::text(&item, "sk") == Some(keys::GATE) {
                gate = document(READ, &item)?;
            } else {
                stop = document(READ, &item)?;
            }
        }
        Ok((gate, stop))
    }

    pub(super) async fn read_stop(&self) -> Result<Stop, LedgerError> {
        let items = self.read_all(STOP, &[keys::stop()]).await?;
        items.first().map_or_else(|| Ok(Stop::default()), |item| document(STOP, item))
    }

    pub(super) async fn write_gate(
        &self,
        account: &AccountId,
        next: &AccountGate,
    ) -> Result<Option<AccountGate>, LedgerError> {
        self.write_revision(WRITE, gate_item(account, next)?, next.revision).await
    }

    pub(super) async fn write_stop(&self, next: &Stop) -> Result<Option<Stop>, LedgerError> {
        let item = row(STOP, keys::stop(), next, next.revision)?;
        self.write_revision(STOP, item, next.revision).await
    }

    /// Writes a row if it stands one revision lower. Returns what stands there if not. The row carries the writer's
    /// mark: the SDK's own repeat after a lost answer finds it, and knows that it was written.
    pub(super) async fn write_revision<T: DeserializeOwned + Default>(
        &self,
        action: &'static str,
        mut item: Item,
        revision: u64,
    ) -> Result<Option<T>, LedgerError> {
        let mark = mark();
        item.insert(MARK.to_owned(), mark.clone());
        let written = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression(one_lower(revision))
            .set_expression_attribute_values(lower_value(revision))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let Err(error) = written else { return Ok(None) };
        match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(refused)) => match refused.item() {
                Some(item) if item.get(MARK) == Some(&mark) => Ok(None),
                Some(item) => document(action, item).map(Some),
                None => Ok(Some(T::default())),
            },
            Some(_) | None => Err(failed(action)(error)),
        }
    }

    /// The row carries the last taker's mark, so that the SDK's own repeat after a lost answer takes nothing twice
    /// (unless another took one in between, which counts one too many: the safe side).
    pub(super) async fn add_to_month(&self, month: &str, limit: u32) -> Result<bool, LedgerError> {
        let mark = mark();
        let added = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(keys::month(month)))
            .update_expression("SET #mark = :mark ADD used :one")
            .condition_expression(
                "(attribute_not_exists(used) OR used < :limit) AND (attribute_not_exists(#mark) OR #mark <> :mark)",
            )
            .expression_attribute_names("#mark", MARK)
            .expression_attribute_values(":mark", mark.clone())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
            .expression_attribute_values(":limit", AttributeValue::N(limit.to_string()))
            .send()
            .await;
        let Err(error) = added else { return Ok(true) };
        match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(refused)) => {
                Ok(refused.item().is_some_and(|item| item.get(MARK) == Some(&mark)))
            }
            Some(_) | None => Err(failed(MONTH)(error)),
        }
    }

    /// A transaction for its token: a repeat after a lost answer gives nothing back twice, so that a month is
    /// never below what was sent.
    pub(super) async fn take_from_month(&self, month: &str) -> Result<(), LedgerError> {
        let update = Update::builder()
            .table_name(&self.table)
            .set_key(Some(keys::month(month)))
            .update_expression(RETURN_ONE)
            .condition_expression("used > :zero")
            .expression_attribute_values(":less", AttributeValue::N("-1".to_owned()))
            .expression_attribute_values(":zero", AttributeValue::N("0".to_owned()));
        let update = update.build().map_err(unbuildable(MONTH))?;
        let write = TransactWriteItem::builder().update(update).build();
        let written = self.client.transact_write_items().transact_items(write).send().await;
        let Err(error) = written else { return Ok(()) };
        match error.as_service_error() {
            // Nothing is used, so there is nothing to give back.
            Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                refused(MONTH, canceled.cancellation_reasons()).map(drop)
            }
            Some(_) | None => Err(failed(MONTH)(error)),
        }
    }

    pub(super) async fn read_month(&self, month: &str) -> Result<u32, LedgerError> {
        let items = self.read_all(MONTH, &[keys::month(month)]).await?;
        let used = items.first().and_then(|item| keys::number(item, "used")).unwrap_or(0);
        Ok(u32::try_from(used).unwrap_or(0))
    }

    pub(super) async fn write_send_with(
        &self,
        send: &Send,
        expect: &Expect,
        also: &[Also],
    ) -> Result<Written, LedgerError> {
        let condition = conditioned(expect);
        let put = Put::builder()
            .table_name(&self.table)
            .set_item(Some(self.send_item(send)?))
            .condition_expression(condition.expression)
            .set_expression_attribute_names(condition.names)
            .set_expression_attribute_values(condition.values)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .map_err(unbuildable(SETTLE))?;
        let mut writes = vec![TransactWriteItem::builder().put(put).build()];
        for also in also {
            writes.push(self.also_item(send, also)?);
        }
        let written = self.client.transact_write_items().set_transact_items(Some(writes)).send().await;
        let Err(error) = written else { return Ok(Written::Done) };
        match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                refused(SETTLE, canceled.cancellation_reasons())
            }
            Some(_) | None => Err(failed(SETTLE)(error)),
        }
    }

    fn also_item(&self, send: &Send, also: &Also) -> Result<TransactWriteItem, LedgerError> {
        let account = &send.key.trigger.account;
        let item = TransactWriteItem::builder();
        Ok(match also {
            Also::Gate(next) => {
                let put = Put::builder()
                    .table_name(&self.table)
                    .set_item(Some(gate_item(account, next)?))
                    .condition_expression(one_lower(next.revision))
                    .set_expression_attribute_values(lower_value(next.revision));
                item.put(put.build().map_err(unbuildable(SETTLE))?).build()
            }
            Also::Held(hold) => {
                let since = AttributeValue::N(hold.since.as_millisecond().to_string());
                let check = self.check(keys::gate(account), "hold_since = :value", since)?;
                item.condition_check(check).build()
            }
            // A stop that was never written stands at revision 0, and nothing waits for that.
            Also::Stopped { revision } => {
                let revision = AttributeValue::N(revision.to_string());
                item.condition_check(self.check(keys::stop(), "revision = :value", revision)?).build()
            }
            Also::Paused { order, campaign } => {
                let key = keys::campaign(account, *order, campaign);
                item.condition_check(self.check(key, "active = :value", AttributeValue::Bool(false))?).build()
            }
            Also::Proof { message_id } => {
                let put = Put::builder()
                    .table_name(&self.table)
                    .set_item(Some(self.proof_item(message_id, send)))
                    .condition_expression("attribute_not_exists(pk)");
                item.put(put.build().map_err(unbuildable(SETTLE))?).build()
            }
            Also::ReturnMonth(month) => {
                let update = Update::builder()
                    .table_name(&self.table)
                    .set_key(Some(keys::month(month)))
                    .update_expression(RETURN_ONE)
                    .expression_attribute_values(":less", AttributeValue::N("-1".to_owned()));
                item.update(update.build().map_err(unbuildable(SETTLE))?).build()
            }
            Also::Contact(next) => {
                let put = Put::builder()
                    .table_name(&self.table)
                    .set_item(Some(self.contact_item(account, &send.user, next)?))
                    .condition_expression(one_lower(next.revision))
                    .set_expression_attribute_values(lower_value(next.revision));
                item.put(put.build().map_err(unbuildable(SETTLE))?).build()
            }
            Also::TakeOnce(campaign) => item.put(self.take_once(send, campaign)?).build(),
            Also::FreeOnce(campaign) => item.delete(self.free_once(send, campaign)?).build(),
            Also::Begin(other) => {
                let put = Put::builder()
                    .table_name(&self.table)
                    .set_item(Some(self.send_item(other)?))
                    .condition_expression("attribute_not_exists(pk)");
                item.put(put.build().map_err(unbuildable(SETTLE))?).build()
            }
        })
    }

    fn check(
        &self,
        key: Item,
        condition: &str,
        value: AttributeValue,
    ) -> Result<ConditionCheck, LedgerError> {
        ConditionCheck::builder()
            .table_name(&self.table)
            .set_key(Some(key))
            .condition_expression(condition)
            .expression_attribute_values(":value", value)
            .build()
            .map_err(unbuildable(SETTLE))
    }
}

const RETURN_ONE: &str = "ADD used :less";

/// Why a transaction was cancelled: the Send's own condition, or one beside it. Anything else may pass.
fn refused(action: &'static str, reasons: &[CancellationReason]) -> Result<Written, LedgerError> {
    let code = |reason: &CancellationReason| reason.code().unwrap_or("None").to_owned();
    let trouble = reasons.iter().map(code).find(|code| code != "None" && code != FAILED);
    if let Some(code) = trouble {
        return Err(judge(&code, 400, "").of_ledger(action));
    }
    match reasons.split_first() {
        Some((send, _)) if code(send) == FAILED => {
            let stands = send.item().cloned().map(|item| from_item(action, item)).transpose()?;
            Ok(Written::Refused(stands.map(Box::new)))
        }
        Some(_) => Ok(Written::Moved),
        None => Err(LedgerError::Transient {
            action,
            cause: "DynamoDB cancelled the transaction without saying why".to_owned(),
        }),
    }
}

fn gate_item(account: &AccountId, gate: &AccountGate) -> Result<Item, LedgerError> {
    let mut item = row(WRITE, keys::gate(account), gate, gate.revision)?;
    if let Some(hold) = &gate.hold {
        item.insert("hold_since".to_owned(), keys::millis(hold.since));
        item.insert(DUE.key.hash.name.to_owned(), AttributeValue::S(keys::HOLDS.to_owned()));
        item.insert(DUE.key.range.name.to_owned(), keys::held_until(hold));
    }
    Ok(item)
}

pub(super) fn row(
    action: &'static str,
    mut item: Item,
    document: &impl Serialize,
    revision: u64,
) -> Result<Item, LedgerError> {
    let json = serde_json::to_string(document).map_err(|_| LedgerError::Permanent {
        action,
        cause: "it cannot be written as JSON; this is a fault of OpenReply".to_owned(),
    })?;
    item.insert("document".to_owned(), AttributeValue::S(json));
    item.insert("revision".to_owned(), AttributeValue::N(revision.to_string()));
    Ok(item)
}

fn document<T: DeserializeOwned>(action: &'static str, item: &Item) -> Result<T, LedgerError> {
    keys::text(item, "document").and_then(|json| serde_json::from_str(json).ok()).ok_or_else(|| {
        LedgerError::Permanent { action, cause: format!("the row {} is unreadable", keys::shown(item)) }
    })
}

/// The condition under which a revision may be written.
pub(super) fn one_lower(revision: u64) -> &'static str {
    if revision <= 1 { "attribute_not_exists(pk)" } else { "revision = :lower" }
}

pub(super) fn lower_value(revision: u64) -> Option<Item> {
    let lower = AttributeValue::N(revision.saturating_sub(1).to_string());
    (revision > 1).then(|| Item::from([(":lower".to_owned(), lower)]))
}
