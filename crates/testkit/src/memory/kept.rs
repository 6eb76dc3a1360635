//! What the ledger in memory keeps, and what is written, or must hold, beside a Send.

use openreply_app::ports::{AccountUpdate, AdMedia, Also, EventRecord, SweepRecord};
use openreply_domain::campaign::{Campaign, CampaignContent, CampaignRef};
use openreply_domain::contact::Contact;
use openreply_domain::gate::{AccountGate, Stop};
use openreply_domain::ids::{AccountId, CampaignId, MediaId, MessageId, UserId};
use openreply_domain::send::{Send, SendKey};
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::TriggerKey;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Everything, behind the lock.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) events: Vec<EventRecord>,
    pub(super) accounts: BTreeMap<AccountId, AccountUpdate>,
    pub(super) campaigns: HashMap<AccountId, BTreeMap<(u32, CampaignId), Campaign>>,
    pub(super) versions: HashMap<(AccountId, CampaignRef), CampaignContent>,
    pub(super) sends: BTreeMap<SendKey, Send>,
    /// Those that no index lists yet.
    pub(super) unlisted: BTreeSet<SendKey>,
    pub(super) gates: BTreeMap<AccountId, AccountGate>,
    pub(super) stop: Stop,
    pub(super) months: BTreeMap<String, u32>,
    pub(super) proofs: BTreeSet<MessageId>,
    pub(super) reels: BTreeMap<(AccountId, CampaignId, Timestamp), MediaId>,
    pub(super) ads: BTreeMap<AccountId, BTreeSet<AdMedia>>,
    pub(super) sweeps: BTreeMap<Option<AccountId>, SweepRecord>,
    pub(super) events_checked: Option<Timestamp>,
    pub(super) contacts: HashMap<(AccountId, UserId), Contact>,
    pub(super) once: HashMap<(AccountId, CampaignId, UserId), TriggerKey>,
}

impl Kept {
    pub(super) fn gate(&self, account: &AccountId) -> AccountGate {
        self.gates.get(account).cloned().unwrap_or_default()
    }

    /// The Sends of an account, as far as an index lists them.
    pub(super) fn listed(&self, account: &AccountId) -> impl Iterator<Item = &Send> {
        let of_account = self.sends.values().filter(move |send| send.key.trigger.account == *account);
        of_account.filter(|send| !self.unlisted.contains(&send.key))
    }

    pub(super) fn contact(&self, account: &AccountId, user: &UserId) -> Contact {
        self.contacts.get(&(account.clone(), user.clone())).cloned().unwrap_or_default()
    }

    /// Whether everything holds that a write relies on beside its Send.
    pub(super) fn allows(&self, send: &Send, also: &[Also]) -> bool {
        let account = &send.key.trigger.account;
        also.iter().all(|also| match also {
            Also::Gate(next) => self.gate(account).revision + 1 == next.revision,
            Also::Held(hold) => self.gate(account).hold.is_some_and(|standing| standing.since == hold.since),
            Also::Stopped { revision } => self.stop.revision == *revision,
            Also::Paused { order, campaign } => self
                .campaigns
                .get(account)
                .and_then(|held| held.get(&(*order, campaign.clone())))
                .is_some_and(|campaign| !campaign.active),
            Also::ReturnMonth(_) => true,
            Also::Proof { message_id } => !self.proofs.contains(message_id),
            Also::Contact(next) => self.contact(account, &send.user).revision + 1 == next.revision,
            Also::TakeOnce(campaign) | Also::FreeOnce(campaign) => {
                let stands = self.once.get(&(account.clone(), campaign.clone(), send.user.clone()));
                stands.is_none_or(|stands| *stands == send.key.trigger)
            }
            Also::Begin(other) => !self.sends.contains_key(&other.key),
        })
    }

    /// Writes what belongs to a Send.
    pub(super) fn write(&mut self, send: &Send, also: &[Also]) {
        let account = &send.key.trigger.account;
        for also in also {
            match also {
                Also::Contact(next) => {
                    self.contacts.insert((account.clone(), send.user.clone()), (**next).clone());
                }
                Also::TakeOnce(campaign) => {
                    let key = (account.clone(), campaign.clone(), send.user.clone());
                    self.once.insert(key, send.key.trigger.clone());
                }
                Also::FreeOnce(campaign) => {
                    self.once.remove(&(account.clone(), campaign.clone(), send.user.clone()));
                }
                Also::Begin(other) => drop(self.sends.insert(other.key.clone(), (**other).clone())),
                Also::Gate(next) => drop(self.gates.insert(account.clone(), next.clone())),
                Also::ReturnMonth(month) => {
                    let used = self.months.entry(month.clone()).or_default();
                    *used = used.saturating_sub(1);
                }
                Also::Proof { message_id } => drop(self.proofs.insert(message_id.clone())),
                Also::Held(_) | Also::Stopped { .. } | Also::Paused { .. } => {}
            }
        }
    }
}
