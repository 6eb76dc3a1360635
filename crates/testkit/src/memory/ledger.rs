//! The ledger in memory: one lock, so every write is atomic by nature.

use super::kept::Kept;
use super::links::KeptLinks;
use super::lock;
use super::pulse::KeptPulse;
use openreply_app::ports::{
    AccountUpdate, AdMedia, Also, EventKey, EventRecord, EventStatus, EventsOfMinute, Ledger, LedgerError,
    Standing, SweepLedger, SweepRecord, TriggerRead, Written,
};
use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef};
use openreply_domain::contact::Contact;
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::{AccountId, CampaignId, MediaId, UserId};
use openreply_domain::send::{Expect, Leg, Send, SendKey, State};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::TriggerKey;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// A ledger that lives as long as its handles.
#[derive(Debug, Clone, Default)]
pub struct MemoryLedger {
    kept: Arc<Mutex<Kept>>,
    pub(super) pulse: Arc<Mutex<KeptPulse>>,
    pub(super) links: Arc<Mutex<KeptLinks>>,
}

impl MemoryLedger {
    /// Everything that was promised, in the order of its keys.
    #[must_use]
    pub fn all_sends(&self) -> Vec<Send> {
        lock(&self.kept).sends.values().cloned().collect()
    }

    /// Leaves a version of a campaign as somebody does who is cut off before the campaign itself is written.
    pub fn leave_version(&self, account: &AccountId, campaign: &CampaignRef, content: CampaignContent) {
        lock(&self.kept).versions.insert((account.clone(), campaign.clone()), content);
    }

    /// Lets the indexes lag: they list nothing of this Send until it is listed again.
    pub fn unlist(&self, key: &SendKey, is_unlisted: bool) {
        let mut kept = lock(&self.kept);
        if is_unlisted {
            kept.unlisted.insert(key.clone());
        } else {
            kept.unlisted.remove(key);
        }
    }

    /// Every account's gate.
    #[must_use]
    pub fn all_gates(&self) -> Vec<AccountGate> {
        lock(&self.kept).gates.values().cloned().collect()
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

    async fn events(&self, moment: Timestamp) -> Result<EventsOfMinute, LedgerError> {
        let kept = lock(&self.kept);
        let mut events: Vec<EventRecord> = kept
            .events
            .iter()
            .filter(|event| minute(event.key.received_at) == minute(moment))
            .cloned()
            .collect();
        events.sort_by(|a, b| (a.key.received_at, &a.key.id).cmp(&(b.key.received_at, &b.key.id)));
        Ok(EventsOfMinute { events, unreadable: 0 })
    }

    async fn account_ids(&self) -> Result<Vec<AccountId>, LedgerError> {
        Ok(lock(&self.kept).accounts.keys().cloned().collect())
    }

    async fn account(&self, id: &AccountId) -> Result<Option<Account>, LedgerError> {
        let kept = lock(&self.kept);
        let bound = |campaign: &Campaign| {
            let since = campaign.reel_since?;
            kept.reels.get(&(id.clone(), campaign.id.clone(), since)).cloned()
        };
        let campaigns = kept.campaigns.get(id).into_iter().flat_map(|held| held.values());
        let campaigns =
            campaigns.map(|campaign| Campaign { bound: bound(campaign), ..campaign.clone() }).collect();
        Ok(kept.accounts.get(id).cloned().map(|AccountUpdate { id, username, opt_out, token }| Account {
            id,
            username,
            opt_out,
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

    async fn read(
        &self,
        trigger: &TriggerKey,
        legs: &[Leg],
        user: &UserId,
    ) -> Result<TriggerRead, LedgerError> {
        let sends = self.sends(trigger, legs).await?;
        let kept = lock(&self.kept);
        let account = &trigger.account;
        let contact = kept.contact(account, user);
        let standing = Standing { gate: kept.gate(account), stop: kept.stop.clone(), contact };
        Ok(TriggerRead { sends, standing })
    }

    async fn put_contact(
        &self,
        account: &AccountId,
        user: &UserId,
        next: &Contact,
    ) -> Result<Option<Contact>, LedgerError> {
        let mut kept = lock(&self.kept);
        let stands = kept.contact(account, user);
        if stands.revision + 1 != next.revision {
            return Ok(Some(stands));
        }
        kept.contacts.insert((account.clone(), user.clone()), next.clone());
        Ok(None)
    }

    async fn once(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        user: &UserId,
    ) -> Result<Option<TriggerKey>, LedgerError> {
        let key = (account.clone(), campaign.clone(), user.clone());
        Ok(lock(&self.kept).once.get(&key).cloned())
    }

    async fn gates(&self, account: &AccountId) -> Result<(AccountGate, Stop), LedgerError> {
        let kept = lock(&self.kept);
        Ok((kept.gate(account), kept.stop.clone()))
    }

    async fn put_gate(
        &self,
        account: &AccountId,
        next: &AccountGate,
    ) -> Result<Option<AccountGate>, LedgerError> {
        let mut kept = lock(&self.kept);
        let stands = kept.gate(account);
        if stands.revision + 1 != next.revision {
            return Ok(Some(stands));
        }
        kept.gates.insert(account.clone(), next.clone());
        Ok(None)
    }

    async fn stop(&self) -> Result<Stop, LedgerError> {
        Ok(lock(&self.kept).stop.clone())
    }

    async fn put_stop(&self, next: &Stop) -> Result<Option<Stop>, LedgerError> {
        let mut kept = lock(&self.kept);
        if kept.stop.revision + 1 != next.revision {
            return Ok(Some(kept.stop.clone()));
        }
        kept.stop = next.clone();
        Ok(None)
    }

    async fn take_month(&self, month: &str, limit: u32) -> Result<bool, LedgerError> {
        let mut kept = lock(&self.kept);
        let used = kept.months.entry(month.to_owned()).or_default();
        let free = *used < limit;
        *used += u32::from(free);
        Ok(free)
    }

    async fn return_month(&self, month: &str) -> Result<(), LedgerError> {
        let mut kept = lock(&self.kept);
        let used = kept.months.entry(month.to_owned()).or_default();
        *used = used.saturating_sub(1);
        Ok(())
    }

    async fn month_used(&self, month: &str) -> Result<u32, LedgerError> {
        Ok(lock(&self.kept).months.get(month).copied().unwrap_or(0))
    }

    async fn waiting(&self, account: &AccountId) -> Result<Vec<Send>, LedgerError> {
        let kept = lock(&self.kept);
        let mut waiting: Vec<Send> =
            kept.listed(account).filter(|send| send.due_at().is_some()).cloned().collect();
        waiting.sort_by(|a, b| (a.due_at(), &a.key).cmp(&(b.due_at(), &b.key)));
        Ok(waiting)
    }

    async fn put_send(&self, send: &Send, expect: &Expect) -> Result<Written, LedgerError> {
        self.put_send_with(send, expect, &[]).await
    }

    async fn put_send_with(
        &self,
        send: &Send,
        expect: &Expect,
        also: &[Also],
    ) -> Result<Written, LedgerError> {
        let mut kept = lock(&self.kept);
        let stored = kept.sends.get(&send.key);
        if !expect.holds(stored) {
            return Ok(Written::Refused(stored.cloned().map(Box::new)));
        }
        if !kept.allows(send, also) {
            return Ok(Written::Moved);
        }
        kept.write(send, also);
        kept.sends.insert(send.key.clone(), send.clone());
        Ok(Written::Done)
    }

    async fn deliveries(&self, account: &AccountId, since: Timestamp) -> Result<Vec<Send>, LedgerError> {
        let kept = lock(&self.kept);
        let mut sends: Vec<Send> =
            kept.listed(account).filter(|send| send.first_seen_at >= since).cloned().collect();
        sends.sort_by(|a, b| (a.first_seen_at, &a.key).cmp(&(b.first_seen_at, &b.key)));
        Ok(sends)
    }
}

impl SweepLedger for MemoryLedger {
    async fn unsettled(&self, account: &AccountId, until: Timestamp) -> Result<Vec<Send>, LedgerError> {
        let kept = lock(&self.kept);
        let mut found: Vec<Send> = kept
            .listed(account)
            .filter(|send| matches!(send.state, State::Claimed { .. }))
            .filter(|send| send.look_at().is_some_and(|at| at <= until))
            .cloned()
            .collect();
        found.sort_by(|a, b| (a.look_at(), &a.key).cmp(&(b.look_at(), &b.key)));
        Ok(found)
    }

    async fn go_through(
        &self,
        account: &AccountId,
        since: Timestamp,
        user: Option<&UserId>,
        mut visit: impl FnMut(Vec<Send>) -> bool + std::marker::Send,
    ) -> Result<bool, LedgerError> {
        let mut found = self.deliveries(account, since).await?;
        found.retain(|send| user.is_none_or(|user| send.user == *user));
        Ok(found.chunks(2).all(|some| visit(some.to_vec())))
    }

    async fn known(&self, keys: &[SendKey]) -> Result<Vec<Send>, LedgerError> {
        let kept = lock(&self.kept);
        let keys: BTreeSet<&SendKey> = keys.iter().collect();
        Ok(keys.into_iter().filter_map(|key| kept.sends.get(key).cloned()).collect())
    }

    async fn bind_reel(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        since: Timestamp,
        reel: &MediaId,
    ) -> Result<MediaId, LedgerError> {
        let mut kept = lock(&self.kept);
        let key = (account.clone(), campaign.clone(), since);
        Ok(kept.reels.entry(key).or_insert_with(|| reel.clone()).clone())
    }

    async fn record_ad(&self, account: &AccountId, ad: &AdMedia, _: Timestamp) -> Result<(), LedgerError> {
        lock(&self.kept).ads.entry(account.clone()).or_default().insert(ad.clone());
        Ok(())
    }

    async fn ads(&self, account: &AccountId) -> Result<Vec<AdMedia>, LedgerError> {
        let kept = lock(&self.kept);
        Ok(kept.ads.get(account).into_iter().flatten().cloned().collect())
    }

    async fn put_sweep(&self, record: &SweepRecord) -> Result<(), LedgerError> {
        lock(&self.kept).sweeps.insert(record.account.clone(), record.clone());
        Ok(())
    }

    async fn last_sweep(&self, account: Option<&AccountId>) -> Result<Option<SweepRecord>, LedgerError> {
        Ok(lock(&self.kept).sweeps.get(&account.cloned()).cloned())
    }

    async fn sweeps(&self) -> Result<Vec<SweepRecord>, LedgerError> {
        Ok(lock(&self.kept).sweeps.values().cloned().collect())
    }

    async fn events_checked(&self) -> Result<Option<Timestamp>, LedgerError> {
        Ok(lock(&self.kept).events_checked)
    }

    async fn set_events_checked(&self, until: Timestamp) -> Result<(), LedgerError> {
        lock(&self.kept).events_checked = Some(until);
        Ok(())
    }
}
