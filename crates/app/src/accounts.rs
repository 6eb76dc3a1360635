//! Accounts with their campaigns, made ready for matching and kept for a few seconds.
//!
//! What is cached decides only what is *begun*: a campaign that was paused or edited a few seconds ago may
//! still win a comment. Nothing that protects a person from a second message is ever read from here.

use crate::ports::{Ledger, LedgerError};
use openreply_domain::campaign::Account;
use openreply_domain::ids::AccountId;
use openreply_domain::matched::PreparedCampaign;
use openreply_domain::time::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long an account is good for.
pub const FRESH_FOR: SignedDuration = SignedDuration::from_secs(5);

/// An account, ready for matching.
#[derive(Debug)]
pub struct PreparedAccount {
    /// The account.
    pub account: Account,
    /// Its campaigns in file order, keywords folded.
    pub campaigns: Vec<PreparedCampaign>,
}

impl PreparedAccount {
    fn new(mut account: Account) -> Self {
        let campaigns = std::mem::take(&mut account.campaigns);
        Self { account, campaigns: campaigns.into_iter().map(PreparedCampaign::new).collect() }
    }
}

/// The accounts that this process looked at lately.
#[derive(Debug, Default)]
pub struct AccountCache {
    held: Mutex<HashMap<AccountId, (Timestamp, Arc<PreparedAccount>)>>,
}

impl AccountCache {
    /// The account, if it was loaded within [`FRESH_FOR`]. A clock that went back counts as stale.
    pub fn fresh(&self, id: &AccountId, now: Timestamp) -> Option<Arc<PreparedAccount>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let (loaded_at, account) = held.get(id)?;
        let age = now.duration_since(*loaded_at);
        (SignedDuration::ZERO <= age && age < FRESH_FOR).then(|| Arc::clone(account))
    }

    /// Lets the account be read anew.
    pub fn forget(&self, id: &AccountId) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }

    /// The account, from here or from the ledger. An account that the ledger does not know is asked for again
    /// every time, so that the first comment after `openreply apply` is not missed.
    ///
    /// # Errors
    /// When the ledger could not be read.
    pub async fn get(
        &self,
        ledger: &impl Ledger,
        id: &AccountId,
        now: Timestamp,
    ) -> Result<Option<Arc<PreparedAccount>>, LedgerError> {
        if let Some(account) = self.fresh(id, now) {
            return Ok(Some(account));
        }
        let Some(account) = ledger.account(id).await? else { return Ok(None) };
        let account = Arc::new(PreparedAccount::new(account));
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, (loaded_at, _)| now.duration_since(*loaded_at) < FRESH_FOR);
        held.insert(id.clone(), (now, Arc::clone(&account)));
        Ok(Some(account))
    }
}
