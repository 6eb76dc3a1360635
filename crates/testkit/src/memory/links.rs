//! The tracked links of the ledger in memory.

use super::{MemoryLedger, lock};
use openreply_app::ports::{LedgerError, Links};
use openreply_domain::ids::AccountId;
use openreply_domain::links::{Clicks, Day, DayKey, Slug, TrackedLink, Visitor};
use std::collections::BTreeMap;

/// What is kept of them.
#[derive(Debug, Default)]
pub(super) struct KeptLinks {
    links: BTreeMap<Slug, TrackedLink>,
    keys: BTreeMap<Day, DayKey>,
    clicks: BTreeMap<(Slug, Day), BTreeMap<Visitor, u64>>,
}

impl Links for MemoryLedger {
    async fn put_link(&self, link: &TrackedLink) -> Result<(), LedgerError> {
        lock(&self.links).links.insert(link.slug.clone(), link.clone());
        Ok(())
    }

    async fn link(&self, slug: &Slug) -> Result<Option<TrackedLink>, LedgerError> {
        Ok(lock(&self.links).links.get(slug).cloned())
    }

    async fn links(&self, account: &AccountId) -> Result<Vec<TrackedLink>, LedgerError> {
        let kept = lock(&self.links);
        let mut found: Vec<TrackedLink> =
            kept.links.values().filter(|link| link.account == *account).cloned().collect();
        found.sort_by(|a, b| (&a.campaign, &a.slug).cmp(&(&b.campaign, &b.slug)));
        Ok(found)
    }

    async fn day_key(&self, day: &Day, fresh: &DayKey) -> Result<DayKey, LedgerError> {
        Ok(*lock(&self.links).keys.entry(day.clone()).or_insert(*fresh))
    }

    async fn count_click(&self, slug: &Slug, day: &Day, visitor: &Visitor) -> Result<(), LedgerError> {
        let mut kept = lock(&self.links);
        let visitors = kept.clicks.entry((slug.clone(), day.clone())).or_default();
        *visitors.entry(visitor.clone()).or_default() += 1;
        Ok(())
    }

    async fn clicks(&self, slug: &Slug, since: &Day) -> Result<Clicks, LedgerError> {
        let mut total = Clicks::default();
        for ((of, day), visitors) in &lock(&self.links).clicks {
            if of == slug && day >= since {
                total += Clicks { clicks: visitors.values().sum(), visitors: visitors.len() as u64 };
            }
        }
        Ok(total)
    }
}
