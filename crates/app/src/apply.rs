//! Apply: a campaign file becomes accounts and campaigns in the ledger.
//!
//! Guarantees: file order is campaign order; a campaign whose content changed becomes a new version, and the
//! old one stays readable; one that is gone from the file becomes inactive and is never removed, because what
//! it promised may still be owed; a campaign's links are known before it is; a token that is the same keeps its
//! version and its end. Applying a file twice writes
//! nothing the second time, and one that was cut off half-way is finished by applying it again.

use crate::campaign_file::{CampaignFile, FileAccount, FileCampaign, TokenError};
use crate::ports::{AccountUpdate, Ledger, LedgerError, Links, Vault};
use openreply_domain::campaign::{Account, Campaign, CampaignRef, Post};
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::links::{Slug, TrackedLink};
use openreply_domain::time::Timestamp;
use openreply_domain::token::{SealedToken, ends_at_the_latest};
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashSet;

/// Why a file was not, or not wholly, applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// A token cannot be had. Nothing was written.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The ledger failed on the way. Apply the file again.
    #[error("{0}; part of the file may be applied: apply it again")]
    Ledger(#[from] LedgerError),
}

/// What applying a file did to one campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// Its content changed: it has a new version.
    Changed {
        /// The new version.
        version: u32,
    },
    /// Only its place in the file, or whether it is active, changed.
    Moved,
    /// It stands as it stood.
    Unchanged,
    /// It is gone from the file, and takes no more comments.
    Deactivated,
}

/// What applying a file did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Accounts that are new, or of which something changed.
    pub accounts_written: Vec<AccountUpdate>,
    /// Every campaign, in file order; then those that are gone from the file.
    pub campaigns: Vec<(AccountId, CampaignId, Change)>,
}

/// Puts a checked file into the ledger, at the moment `now`. `env` looks up the variables that `token_env` names.
///
/// # Errors
/// When a token is missing (nothing is written then), or the ledger fails.
pub async fn apply(
    ledger: &(impl Ledger + Links),
    vault: &impl Vault,
    file: &CampaignFile,
    now: Timestamp,
    env: impl Fn(&str) -> Option<String>,
) -> Result<Applied, ApplyError> {
    let mut tokens = Vec::new();
    for account in &file.accounts {
        tokens.push(account.token.resolve(&account.id, &env)?);
    }
    let mut applied = Applied::default();
    for (account, token) in file.accounts.iter().zip(&tokens) {
        let stored = ledger.account(&account.id).await?;
        put_account(ledger, vault, (account, token), stored.as_ref(), now, &mut applied).await?;
        put_links(ledger, file, &account.id).await?;
        put_campaigns(ledger, file, now, &account.id, stored.as_ref(), &mut applied).await?;
    }
    for id in ledger.account_ids().await? {
        if file.accounts.iter().any(|account| account.id == id) {
            continue;
        }
        let stored = ledger.account(&id).await?;
        put_campaigns(ledger, file, now, &id, stored.as_ref(), &mut applied).await?;
    }
    Ok(applied)
}

/// Before any campaign: from the moment it is there, its messages may carry its links.
async fn put_links(ledger: &impl Links, file: &CampaignFile, account: &AccountId) -> Result<(), LedgerError> {
    let campaigns = file.campaigns.iter().filter(|campaign| campaign.account == *account);
    let wanted: Vec<TrackedLink> =
        campaigns.flat_map(|campaign| TrackedLink::all(account, &campaign.id, &campaign.content)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let known: HashSet<Slug> = ledger.links(account).await?.into_iter().map(|link| link.slug).collect();
    for link in wanted.iter().filter(|link| !known.contains(&link.slug)) {
        ledger.put_link(link).await?;
    }
    Ok(())
}

async fn put_account(
    ledger: &impl Ledger,
    vault: &impl Vault,
    (account, token): (&FileAccount, &SecretString),
    stored: Option<&Account>,
    now: Timestamp,
    applied: &mut Applied,
) -> Result<(), LedgerError> {
    let ends_by = |known: Option<Timestamp>| {
        Some(account.token_ends.or(known).unwrap_or_else(|| ends_at_the_latest(now)))
    };
    let token = match stored {
        Some(stored) if opens_to(vault, stored, token) => {
            SealedToken { ends_by: ends_by(stored.token.ends_by), ..stored.token.clone() }
        }
        stored => SealedToken {
            sealed: vault.seal(&account.id, token),
            version: stored.map_or(1, |stored| stored.token.version + 1),
            ends_by: ends_by(None),
        },
    };
    let update = AccountUpdate {
        id: account.id.clone(),
        username: account.username.clone(),
        opt_out: account.opt_out.clone(),
        token,
    };
    if stored.is_some_and(|stored| is_same(stored, &update)) {
        return Ok(());
    }
    ledger.put_account(&update).await?;
    applied.accounts_written.push(update);
    Ok(())
}

/// Whether everything stands as it would be written.
fn is_same(stored: &Account, update: &AccountUpdate) -> bool {
    let AccountUpdate { id, username, opt_out, token } = update;
    (&stored.id, &stored.username, &stored.opt_out, &stored.token) == (id, username, opt_out, token)
}

/// Whether the stored token is this one. One that cannot be opened with the key held here is not.
fn opens_to(vault: &impl Vault, stored: &Account, token: &SecretString) -> bool {
    vault
        .open(&stored.id, &stored.token.sealed)
        .is_ok_and(|held| held.expose_secret() == token.expose_secret())
}

async fn put_campaigns(
    ledger: &impl Ledger,
    file: &CampaignFile,
    now: Timestamp,
    account: &AccountId,
    stored: Option<&Account>,
    applied: &mut Applied,
) -> Result<(), LedgerError> {
    let stored: &[Campaign] = stored.map_or(&[], |stored| &stored.campaigns);
    let in_file = file.campaigns.iter().enumerate().filter(|(_, campaign)| campaign.account == *account);
    for (place, campaign) in in_file.clone() {
        let old = stored.iter().find(|old| old.id == campaign.id);
        let same_content = old.is_some_and(|old| old.content == campaign.content);
        let version = match old {
            Some(old) if same_content => old.version,
            old => free_version(ledger, account, campaign, old.map_or(1, |old| old.version + 1)).await?,
        };
        let next = Campaign {
            id: campaign.id.clone(),
            order: u32::try_from(place).unwrap_or(u32::MAX),
            version,
            active: campaign.active,
            active_since: active_since(old, campaign, now),
            backfill: campaign.backfill,
            reel_since: reel_since(old, campaign, now),
            bound: old.and_then(|old| old.bound.clone()),
            content: campaign.content.clone(),
        };
        let change = match old {
            None => Change::Added,
            Some(old) if *old == next => Change::Unchanged,
            Some(_) if same_content => Change::Moved,
            Some(_) => Change::Changed { version: next.version },
        };
        if change != Change::Unchanged {
            ledger.put_campaign(account, &next, old.map(|old| old.order)).await?;
        }
        applied.campaigns.push((account.clone(), next.id, change));
    }
    for gone in stored.iter().filter(|old| !in_file.clone().any(|(_, campaign)| campaign.id == old.id)) {
        if gone.active {
            let resting = Campaign { active: false, active_since: None, ..gone.clone() };
            ledger.put_campaign(account, &resting, Some(gone.order)).await?;
            applied.campaigns.push((account.clone(), gone.id.clone(), Change::Deactivated));
        }
    }
    Ok(())
}

/// The first version from `next` on that says what the campaign says, or that there is none of yet: whoever applied
/// another file before may have been cut off after the version and before the campaign, and versions never change.
async fn free_version(
    ledger: &impl Ledger,
    account: &AccountId,
    campaign: &FileCampaign,
    next: u32,
) -> Result<u32, LedgerError> {
    let mut version = next;
    loop {
        let reference = CampaignRef { id: campaign.id.clone(), version };
        match ledger.campaign_version(account, &reference).await? {
            Some(content) if content != campaign.content => version += 1,
            Some(_) | None => return Ok(version),
        }
    }
}

/// Since when the campaign takes comments as it does now. What it says may change without a new beginning; which
/// comments it takes may not, or a sweep would answer people who commented before anybody offered them anything.
fn active_since(old: Option<&Campaign>, campaign: &FileCampaign, now: Timestamp) -> Option<Timestamp> {
    let same = old.filter(|old| {
        let (was, is) = (&old.content, &campaign.content);
        old.active && was.post == is.post && was.match_mode == is.match_mode && was.keywords == is.keywords
    });
    campaign.active.then(|| same.and_then(|old| old.active_since).unwrap_or(now))
}

/// Since when the campaign waits for a reel.
fn reel_since(old: Option<&Campaign>, campaign: &FileCampaign, now: Timestamp) -> Option<Timestamp> {
    let waited = old.filter(|old| old.content.post == Post::NextReel).and_then(|old| old.reel_since);
    (campaign.content.post == Post::NextReel).then(|| waited.unwrap_or(now))
}
