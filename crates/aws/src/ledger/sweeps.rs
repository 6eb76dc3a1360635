//! What only sweeps ask of the ledger: what nobody settled, what proved a Send, the reel of a campaign, the ads of
//! an account's posts, and what the last sweeps came to.

use super::{DUE, DynamoLedger, EXPIRES_AT, Item, failed, keys, unreadable};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValuesOnConditionCheckFailure};
use openreply_app::ports::{AdMedia, LedgerError, SweepLedger, SweepRecord};
use openreply_domain::ids::{AccountId, CampaignId, MediaId, MessageId, UserId};
use openreply_domain::send::{Send, SendKey, State};
use openreply_domain::time::{Timestamp, after, from_millis};
use std::collections::BTreeSet;

const UNSETTLED: &str = "list what nobody settled";
const KNOWN: &str = "read the messages of several triggers";
const BIND: &str = "bind a campaign to its reel";
const ADS: &str = "keep the ads of an account's posts";
const READ_ADS: &str = "read the ads of an account's posts";
const SUMMARY: &str = "keep what a sweep came to";
const READ_SUMMARY: &str = "read what sweeps came to";
const EVENTS: &str = "keep until when webhook events are on the queue";
const READ_EVENTS: &str = "read until when webhook events are on the queue";

impl SweepLedger for DynamoLedger {
    /// The index may lag: what it names is read itself, and only what is taken still counts.
    async fn unsettled(&self, account: &AccountId, until: Timestamp) -> Result<Vec<Send>, LedgerError> {
        let request = self
            .client
            .query()
            .table_name(&self.table)
            .index_name(DUE.name)
            .key_condition_expression("#due = :due AND #at <= :until")
            .expression_attribute_names("#due", DUE.key.hash.name)
            .expression_attribute_names("#at", DUE.key.range.name)
            .expression_attribute_values(":due", AttributeValue::S(keys::due(account)))
            .expression_attribute_values(":until", keys::millis(until));
        let mut sends = self.read_listed(UNSETTLED, request).await?;
        sends.retain(|send| {
            matches!(send.state, State::Claimed { .. }) && send.look_at().is_some_and(|at| at <= until)
        });
        sends.sort_by(|a, b| (a.look_at(), &a.key).cmp(&(b.look_at(), &b.key)));
        Ok(sends)
    }

    async fn go_through(
        &self,
        account: &AccountId,
        since: Timestamp,
        user: Option<&UserId>,
        visit: impl FnMut(Vec<Send>) -> bool + std::marker::Send,
    ) -> Result<bool, LedgerError> {
        self.visit_log(account, since, user, visit).await
    }

    async fn known(&self, keys: &[SendKey]) -> Result<Vec<Send>, LedgerError> {
        let keys: BTreeSet<&SendKey> = keys.iter().collect();
        let wanted: Vec<Item> = keys.iter().map(|key| keys::send(&key.trigger, &key.leg)).collect();
        let mut sends = self.read_as_sends(KNOWN, &wanted).await?;
        sends.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(sends)
    }

    async fn bind_reel(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        since: Timestamp,
        reel: &MediaId,
    ) -> Result<MediaId, LedgerError> {
        let mut item = keys::reel(account, campaign, since);
        item.insert("media".to_owned(), AttributeValue::S(reel.to_string()));
        let written = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item.clone()))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let Err(error) = written else { return Ok(reel.clone()) };
        match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(refused)) => {
                refused.item().and_then(media).ok_or_else(|| unreadable(BIND, &keys::shown(&item)))
            }
            Some(_) | None => Err(failed(BIND)(error)),
        }
    }

    async fn record_ad(
        &self,
        account: &AccountId,
        ad: &AdMedia,
        until: Timestamp,
    ) -> Result<(), LedgerError> {
        let mut item = keys::key(keys::ads(account), format!("{}#{}", ad.post, ad.ad));
        item.insert(EXPIRES_AT.to_owned(), keys::expiry(until));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().await.map(drop).map_err(failed(ADS))
    }

    async fn ads(&self, account: &AccountId) -> Result<Vec<AdMedia>, LedgerError> {
        let rows = self.read_partition(READ_ADS, &keys::ads(account), None).await?;
        rows.iter()
            .map(|row| {
                let (post, ad) = keys::text(row, "sk").and_then(|sk| sk.split_once('#')).unzip();
                let post = post.and_then(|post| MediaId::parse(post).ok());
                let ad = ad.and_then(|ad| MediaId::parse(ad).ok());
                post.zip(ad)
                    .map(|(post, ad)| AdMedia { post, ad })
                    .ok_or_else(|| unreadable(READ_ADS, &keys::shown(row)))
            })
            .collect()
    }

    async fn put_sweep(&self, record: &SweepRecord) -> Result<(), LedgerError> {
        let mut item = keys::sweep(record.account.as_ref());
        let json = serde_json::to_string(record).map_err(|_| LedgerError::Permanent {
            action: SUMMARY,
            cause: "it cannot be written as JSON: this is a fault of OpenReply".to_owned(),
        })?;
        item.insert("document".to_owned(), AttributeValue::S(json));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().await.map(drop).map_err(failed(SUMMARY))
    }

    async fn last_sweep(&self, account: Option<&AccountId>) -> Result<Option<SweepRecord>, LedgerError> {
        let rows = self.read_all(READ_SUMMARY, &[keys::sweep(account)]).await?;
        rows.first().map(sweep_record).transpose()
    }

    async fn sweeps(&self) -> Result<Vec<SweepRecord>, LedgerError> {
        let rows = self.read_partition(READ_SUMMARY, keys::SWEEPS, None).await?;
        let mut sweeps = rows.iter().map(sweep_record).collect::<Result<Vec<_>, _>>()?;
        sweeps.sort_by(|a, b| a.account.cmp(&b.account));
        Ok(sweeps)
    }

    async fn events_checked(&self) -> Result<Option<Timestamp>, LedgerError> {
        let rows = self.read_all(READ_EVENTS, &[keys::events_checked()]).await?;
        Ok(rows.first().and_then(|row| keys::number(row, "until")).map(from_millis))
    }

    async fn set_events_checked(&self, until: Timestamp) -> Result<(), LedgerError> {
        let mut item = keys::events_checked();
        item.insert("until".to_owned(), keys::millis(until));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        put.send().await.map(drop).map_err(failed(EVENTS))
    }
}

impl DynamoLedger {
    /// What a message proved. Kept as long as its Send, so that it proves no second one.
    pub(super) fn proof_item(&self, message: &MessageId, send: &Send) -> Item {
        let mut item = keys::proof(message);
        item.insert("trigger".to_owned(), AttributeValue::S(send.key.trigger.to_string()));
        item.insert("leg".to_owned(), AttributeValue::S(send.key.leg.to_string()));
        item.insert(EXPIRES_AT.to_owned(), keys::expiry(after(send.first_seen_at, self.retention)));
        item
    }
}

fn sweep_record(row: &Item) -> Result<SweepRecord, LedgerError> {
    let json = keys::text(row, "document");
    json.and_then(|json| serde_json::from_str(json).ok())
        .ok_or_else(|| unreadable(READ_SUMMARY, &keys::shown(row)))
}

/// What binds a campaign to its reel, if the row does.
pub(super) fn binding(sk: &str, row: &Item) -> Option<(String, MediaId)> {
    Some((sk.strip_prefix(keys::REEL)?.to_owned(), media(row)?))
}

fn media(row: &Item) -> Option<MediaId> {
    MediaId::parse(keys::text(row, "media")?).ok()
}
