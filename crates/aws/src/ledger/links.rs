//! Tracked links and their clicks.
//!
//! A click writes two small rows: who clicked today (a keyed hash, gone two days later), then the count of the day.
//! Both lie in partitions of their own for each link and each of [`SHARDS`] parts of its visitors, so a link that
//! everybody clicks at once is spread over as many partitions, and no other row suffers from it.

use super::{DynamoLedger, EXPIRES_AT, Item, failed, from_item, keys, to_item, unreadable};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue, ReturnValuesOnConditionCheckFailure};
use futures_util::future::try_join_all;
use openreply_app::ports::{LedgerError, Links};
use openreply_domain::ids::AccountId;
use openreply_domain::links::{Clicks, Day, DayKey, Slug, TrackedLink, Visitor};
use openreply_domain::time::{SignedDuration, Timestamp, after};

/// Into how many parts a link's visitors are spread.
const SHARDS: u8 = 4;
/// How long the count of a day is kept.
const COUNTS_KEPT_FOR: SignedDuration = SignedDuration::from_hours(400 * 24);
/// How long a day's key is kept, and who clicked on it.
const VISITORS_KEPT_FOR: SignedDuration = SignedDuration::from_hours(2 * 24);

const PUT: &str = "keep a tracked link";
const READ: &str = "read a tracked link";
const LIST: &str = "list an account's tracked links";
const KEY: &str = "read the key of the day";
const COUNT: &str = "count a click";
const ADD_UP: &str = "add up clicks";

impl Links for DynamoLedger {
    async fn put_link(&self, link: &TrackedLink) -> Result<(), LedgerError> {
        // The list last: what is listed can be followed.
        for key in [keys::link(&link.slug), keys::listed_link(link)] {
            let mut item: Item = to_item(PUT, link)?;
            item.extend(key);
            let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
            put.send().await.map_err(failed(PUT))?;
        }
        Ok(())
    }

    async fn link(&self, slug: &Slug) -> Result<Option<TrackedLink>, LedgerError> {
        let get = self.client.get_item().table_name(&self.table).set_key(Some(keys::link(slug)));
        let answer = get.consistent_read(true).send().await.map_err(failed(READ))?;
        answer.item.map(|item| from_item(READ, item)).transpose()
    }

    async fn links(&self, account: &AccountId) -> Result<Vec<TrackedLink>, LedgerError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("pk = :links")
            .expression_attribute_values(":links", AttributeValue::S(keys::links(account)))
            .consistent_read(true);
        let mut pages = query.into_paginator().items().send();
        let mut found = Vec::new();
        while let Some(item) = pages.next().await {
            found.push(from_item(LIST, item.map_err(failed(LIST))?)?);
        }
        Ok(found)
    }

    async fn day_key(&self, day: &Day, fresh: &DayKey) -> Result<DayKey, LedgerError> {
        let mut item = keys::day_key(day);
        item.insert("key".to_owned(), AttributeValue::B(Blob::new(fresh.to_vec())));
        item.insert(EXPIRES_AT.to_owned(), expires(day, VISITORS_KEPT_FOR));
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = put
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        let Err(error) = put.send().await else { return Ok(*fresh) };
        let Some(PutItemError::ConditionalCheckFailedException(stands)) = error.as_service_error() else {
            return Err(failed(KEY)(error));
        };
        let key = stands.item.as_ref().and_then(|item| item.get("key")?.as_b().ok());
        let key = key.and_then(|key| DayKey::try_from(key.as_ref()).ok());
        key.ok_or_else(|| unreadable(KEY, &keys::shown(&keys::day_key(day))))
    }

    async fn count_click(&self, slug: &Slug, day: &Day, visitor: &Visitor) -> Result<(), LedgerError> {
        let shard = visitor.shard(SHARDS);
        let visits = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(keys::visitor(slug, shard, day, visitor)))
            .update_expression("SET #expires = :expires ADD visits :one")
            .expression_attribute_names("#expires", EXPIRES_AT)
            .expression_attribute_values(":expires", expires(day, VISITORS_KEPT_FOR))
            .expression_attribute_values(":one", count(1))
            .return_values(ReturnValue::UpdatedNew);
        let seen = visits.send().await.map_err(failed(COUNT))?.attributes.unwrap_or_default();
        let is_new = keys::number(&seen, "visits") == Some(1);
        let counted = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(keys::clicks(slug, shard, day)))
            .update_expression("SET #expires = :expires ADD clicks :one, visitors :new")
            .expression_attribute_names("#expires", EXPIRES_AT)
            .expression_attribute_values(":expires", expires(day, COUNTS_KEPT_FOR))
            .expression_attribute_values(":one", count(1))
            .expression_attribute_values(":new", count(i64::from(is_new)));
        counted.send().await.map(drop).map_err(failed(COUNT))
    }

    async fn clicks(&self, slug: &Slug, since: &Day) -> Result<Clicks, LedgerError> {
        let shards = try_join_all((0..SHARDS).map(|shard| self.clicks_of(slug, shard, since))).await?;
        let mut total = Clicks::default();
        shards.into_iter().for_each(|clicks| total += clicks);
        Ok(total)
    }
}

impl DynamoLedger {
    async fn clicks_of(&self, slug: &Slug, shard: u8, since: &Day) -> Result<Clicks, LedgerError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .key_condition_expression("pk = :clicks AND sk >= :since")
            .expression_attribute_values(":clicks", AttributeValue::S(keys::clicks_of(slug, shard)))
            .expression_attribute_values(":since", AttributeValue::S(since.as_str().to_owned()));
        let mut pages = query.into_paginator().items().send();
        let mut total = Clicks::default();
        while let Some(item) = pages.next().await {
            let item = item.map_err(failed(ADD_UP))?;
            let number = |name| keys::number(&item, name).and_then(|number| u64::try_from(number).ok());
            total += Clicks {
                clicks: number("clicks").unwrap_or_default(),
                visitors: number("visitors").unwrap_or_default(),
            };
        }
        Ok(total)
    }
}

fn count(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// So long after the beginning of a day.
fn expires(day: &Day, kept_for: SignedDuration) -> AttributeValue {
    let begins = format!("{}T00:00:00Z", day.as_str()).parse().unwrap_or(Timestamp::MAX);
    keys::expiry(after(begins, kept_for))
}
