//! The ledger in memory: one lock, so every write is atomic by nature.

use super::lock;
use openreply_app::ports::{AccountUpdate, EventKey, EventRecord, EventStatus, Ledger, LedgerError, Written};
use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef};
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::send::{Expect, Leg, Send, SendKey};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::TriggerKey;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// A ledger that lives as long as its handles.
#[derive(Debug, Clone, Default)]
pub struct MemoryLedger {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    events: Vec<EventRecord>,
    accounts: BTreeMap<AccountId, AccountUpdate>,
    campaigns: HashMap<AccountId, BTreeMap<(u32, CampaignId), Campaign>>,
    versions: HashMap<(AccountId, CampaignRef), CampaignContent>,
    sends: BTreeMap<SendKey, Send>,
}

impl MemoryLedger {
    /// Everything that was promised, in the order of its keys.
    #[must_use]
    pub fn all_sends(&self) -> Vec<Send> {
        lock(&self.kept).sends.values().cloned().collect()
    }

    /// Every webhook event, in the order they were recorded.
    #[must_use]
    pub fn all_events(&self) -> Vec<EventRecord> {
        lock(&self.kept).events.clone()
    }
}

/// Events are filed by the minute.
fn minute(moment: Timestamp) -> i64 {
    moment.as_second().div_euclid(60)
}

impl Ledger for MemoryLedger {
    async fn record_event(&self, key: &EventKey, body: &[u8]) -> Result<(), LedgerError> {
        let record = EventRecord { key: key.clone(), status: EventStatus::Pending, body: body.to_vec() };
        let mut kept = lock(&self.kept);
        kept.events.retain(|event| event.key != *key);
        kept.events.push(record);
        Ok(())
    }

    async fn mark_event(&self, key: &EventKey, status: &EventStatus) -> Result<(), LedgerError> {
        match lock(&self.kept).events.iter_mut().find(|event| event.key == *key) {
            Some(event) => event.status = status.clone(),
            None => {
                return Err(LedgerError::Permanent {
                    action: "mark a webhook event",
                    cause: "it was never recorded".to_owned(),
                });
            }
        }
        Ok(())
    }

    async fn events(&self, moment: Timestamp) -> Result<Vec<EventRecord>, LedgerError> {
        let kept = lock(&self.kept);
        let mut events: Vec<EventRecord> = kept
            .events
            .iter()
            .filter(|event| minute(event.key.received_at) == minute(moment))
            .cloned()
            .collect();
        events.sort_by(|a, b| (a.key.received_at, &a.key.id).cmp(&(b.key.received_at, &b.key.id)));
        Ok(events)
    }

    async fn account_ids(&self) -> Result<Vec<AccountId>, LedgerError> {
        Ok(lock(&self.kept).accounts.keys().cloned().collect())
    }

    async fn account(&self, id: &AccountId) -> Result<Option<Account>, LedgerError> {
        let kept = lock(&self.kept);
        let campaigns = kept.campaigns.get(id).into_iter().flat_map(|held| held.values().cloned()).collect();
        Ok(kept.accounts.get(id).cloned().map(|AccountUpdate { id, username, token }| Account {
            id,
            username,
            token,
            campaigns,
        }))
    }

    async fn campaign_version(
        &self,
        account: &AccountId,
        campaign: &CampaignRef,
    ) -> Result<Option<CampaignContent>, LedgerError> {
        Ok(lock(&self.kept).versions.get(&(account.clone(), campaign.clone())).cloned())
    }

    async fn put_account(&self, account: &AccountUpdate) -> Result<(), LedgerError> {
        lock(&self.kept).accounts.insert(account.id.clone(), account.clone());
        Ok(())
    }

    async fn put_campaign(
        &self,
        account: &AccountId,
        campaign: &Campaign,
        old_order: Option<u32>,
    ) -> Result<(), LedgerError> {
        let mut kept = lock(&self.kept);
        let version = (account.clone(), campaign.reference());
        let content = kept.versions.entry(version).or_insert_with(|| campaign.content.clone());
        if *content != campaign.content {
            return Err(LedgerError::Permanent {
                action: "store a campaign",
                cause: "this version exists with another content, and versions never change".to_owned(),
            });
        }
        let held = kept.campaigns.entry(account.clone()).or_default();
        if let Some(old) = old_order {
            held.remove(&(old, campaign.id.clone()));
        }
        held.insert((campaign.order, campaign.id.clone()), campaign.clone());
        Ok(())
    }

    async fn sends(&self, trigger: &TriggerKey, legs: &[Leg]) -> Result<Vec<Send>, LedgerError> {
        let kept = lock(&self.kept);
        let mut keys: Vec<SendKey> =
            legs.iter().map(|leg| SendKey { trigger: trigger.clone(), leg: leg.clone() }).collect();
        keys.sort();
        keys.dedup();
        Ok(keys.iter().filter_map(|key| kept.sends.get(key).cloned()).collect())
    }

    async fn put_send(&self, send: &Send, expect: &Expect) -> Result<Written, LedgerError> {
        let mut kept = lock(&self.kept);
        let stored = kept.sends.get(&send.key);
        if !expect.holds(stored) {
            return Ok(Written::Refused(stored.cloned().map(Box::new)));
        }
        kept.sends.insert(send.key.clone(), send.clone());
        Ok(Written::Done)
    }

    async fn deliveries(&self, account: &AccountId, since: Timestamp) -> Result<Vec<Send>, LedgerError> {
        let kept = lock(&self.kept);
        let mut sends: Vec<Send> = kept
            .sends
            .values()
            .filter(|send| send.key.trigger.account == *account && send.first_seen_at >= since)
            .cloned()
            .collect();
        sends.sort_by(|a, b| (a.first_seen_at, &a.key).cmp(&(b.first_seen_at, &b.key)));
        Ok(sends)
    }
}
