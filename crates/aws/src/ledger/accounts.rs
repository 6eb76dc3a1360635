//! Accounts and campaigns: one query gives an account with all it runs.

use super::{DynamoLedger, Item, failed, from_item, keys, to_item, unbuildable, unreadable};
use crate::failure::{Failure, judge};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, Delete, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
};
use openreply_app::ports::{AccountUpdate, LedgerError};
use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef, OptOut};
use openreply_domain::ids::{AccountId, MediaId};
use openreply_domain::token::SealedToken;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

const LIST: &str = "list the accounts";
const READ: &str = "read an account";
const WRITE: &str = "store an account";
const READ_CAMPAIGN: &str = "read a version of a campaign";
const WRITE_CAMPAIGN: &str = "store a campaign";

/// The row of an account itself.
#[derive(Serialize, Deserialize)]
struct AccountItem {
    username: String,
    #[serde(default)]
    opt_out: OptOut,
    token: SealedToken,
}

/// The row of a campaign at a version.
#[derive(Serialize, Deserialize)]
struct VersionItem {
    content: CampaignContent,
}

impl DynamoLedger {
    pub(super) async fn read_account_ids(&self) -> Result<Vec<AccountId>, LedgerError> {
        let rows = self.read_partition(LIST, keys::STACK, Some(keys::ACCOUNT)).await?;
        rows.iter()
            .map(|item| {
                let id = keys::text(item, "sk").and_then(|sk| sk.strip_prefix(keys::ACCOUNT));
                id.and_then(|id| AccountId::parse(id).ok())
                    .ok_or_else(|| unreadable(LIST, &keys::shown(item)))
            })
            .collect()
    }

    pub(super) async fn read_account(&self, id: &AccountId) -> Result<Option<Account>, LedgerError> {
        let mut meta: Option<AccountItem> = None;
        let mut campaigns: Vec<Campaign> = Vec::new();
        let mut reels: HashMap<String, MediaId> = HashMap::new();
        for item in self.read_partition(READ, &keys::account(id), None).await? {
            match keys::text(&item, "sk") {
                Some(keys::META) => meta = Some(from_item(READ, item)?),
                Some(sk) if sk.starts_with(keys::CAMPAIGN) => campaigns.push(from_item(READ, item)?),
                Some(sk) => {
                    if let Some((binding, reel)) = super::sweeps::binding(sk, &item) {
                        reels.insert(binding, reel);
                    }
                }
                None => {}
            }
        }
        for campaign in &mut campaigns {
            let binding = campaign.reel_since.map(|since| keys::reel_of(&campaign.id, since));
            campaign.bound = binding.and_then(|binding| reels.get(&binding).cloned());
        }
        campaigns.sort_by_key(|campaign| campaign.order);
        Ok(meta.map(|AccountItem { username, opt_out, token }| Account {
            id: id.clone(),
            username,
            opt_out,
            token,
            campaigns,
        }))
    }

    pub(super) async fn read_campaign_version(
        &self,
        account: &AccountId,
        campaign: &CampaignRef,
    ) -> Result<Option<CampaignContent>, LedgerError> {
        let found = self
            .client
            .get_item()
            .table_name(&self.table)
            .set_key(Some(keys::version(account, campaign)))
            .consistent_read(true)
            .send()
            .await
            .map_err(failed(READ_CAMPAIGN))?;
        let version = found.item.map(|item| from_item::<VersionItem>(READ_CAMPAIGN, item)).transpose()?;
        Ok(version.map(|version| version.content))
    }

    pub(super) async fn write_account(&self, account: &AccountUpdate) -> Result<(), LedgerError> {
        let row = AccountItem {
            username: account.username.clone(),
            opt_out: account.opt_out.clone(),
            token: account.token.clone(),
        };
        let mut item = to_item(WRITE, &row)?;
        item.extend(keys::key(keys::account(&account.id), keys::META.to_owned()));
        let listed = keys::key(keys::STACK.to_owned(), keys::account(&account.id));
        self.transact(WRITE, vec![self.put(WRITE, item)?, self.put(WRITE, listed)?]).await
    }

    /// The immutable copy comes first: a campaign that can win a comment can always be rendered again.
    pub(super) async fn write_campaign(
        &self,
        account: &AccountId,
        campaign: &Campaign,
        old_order: Option<u32>,
    ) -> Result<(), LedgerError> {
        self.write_campaign_version(account, campaign).await?;
        let mut item = to_item(WRITE_CAMPAIGN, campaign)?;
        item.extend(keys::campaign(account, campaign.order, &campaign.id));
        match old_order.filter(|old| *old != campaign.order) {
            None => {
                let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
                put.send().await.map(drop).map_err(failed(WRITE_CAMPAIGN))
            }
            Some(old) => {
                let delete = Delete::builder()
                    .table_name(&self.table)
                    .set_key(Some(keys::campaign(account, old, &campaign.id)))
                    .build()
                    .map_err(unbuildable(WRITE_CAMPAIGN))?;
                let delete = TransactWriteItem::builder().delete(delete).build();
                self.transact(WRITE_CAMPAIGN, vec![self.put(WRITE_CAMPAIGN, item)?, delete]).await
            }
        }
    }

    async fn write_campaign_version(
        &self,
        account: &AccountId,
        campaign: &Campaign,
    ) -> Result<(), LedgerError> {
        let mut item = to_item(WRITE_CAMPAIGN, &VersionItem { content: campaign.content.clone() })?;
        item.extend(keys::version(account, &campaign.reference()));
        let written = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let Err(error) = written else { return Ok(()) };
        let stands = match error.as_service_error() {
            Some(PutItemError::ConditionalCheckFailedException(refused)) => refused.item().cloned(),
            Some(_) | None => return Err(failed(WRITE_CAMPAIGN)(error)),
        };
        match stands.map(|item| from_item::<VersionItem>(WRITE_CAMPAIGN, item)).transpose()? {
            Some(version) if version.content == campaign.content => Ok(()),
            Some(_) | None => Err(LedgerError::Permanent {
                action: WRITE_CAMPAIGN,
                cause: "this version exists with another content, and versions never change".to_owned(),
            }),
        }
    }

    /// All rows of a partition, or those whose range key begins with `prefix`; consistently, in order.
    pub(super) async fn read_partition(
        &self,
        action: &'static str,
        pk: &str,
        prefix: Option<&str>,
    ) -> Result<Vec<Item>, LedgerError> {
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .consistent_read(true)
            .expression_attribute_values(":pk", AttributeValue::S(pk.to_owned()));
        let query = match prefix {
            None => query.key_condition_expression("pk = :pk"),
            Some(prefix) => query
                .key_condition_expression("pk = :pk AND begins_with(sk, :prefix)")
                .expression_attribute_values(":prefix", AttributeValue::S(prefix.to_owned())),
        };
        let mut pages = query.into_paginator().items().send();
        let mut rows = Vec::new();
        while let Some(row) = pages.next().await {
            rows.push(row.map_err(failed(action))?);
        }
        Ok(rows)
    }

    fn put(&self, action: &'static str, item: Item) -> Result<TransactWriteItem, LedgerError> {
        let put = Put::builder().table_name(&self.table).set_item(Some(item)).build();
        Ok(TransactWriteItem::builder().put(put.map_err(unbuildable(action))?).build())
    }

    async fn transact(
        &self,
        action: &'static str,
        writes: Vec<TransactWriteItem>,
    ) -> Result<(), LedgerError> {
        let written = self.client.transact_write_items().set_transact_items(Some(writes)).send().await;
        written.map(drop).map_err(|error| match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                let codes = cancelled.cancellation_reasons().iter().filter_map(|reason| reason.code());
                cancelled_for(codes).of_ledger(action)
            }
            Some(_) | None => failed(action)(error),
        })
    }
}

/// What a cancelled transaction means: one reason that will not go away is enough to make it permanent.
fn cancelled_for<'a>(codes: impl Iterator<Item = &'a str>) -> Failure {
    let failures: Vec<Failure> =
        codes.filter(|code| *code != "None").map(|code| judge(code, 400, "")).collect();
    let lasting = failures.iter().find(|failure| !failure.transient);
    lasting.or(failures.first()).cloned().unwrap_or_else(|| judge("TransactionCanceledException", 400, ""))
}
