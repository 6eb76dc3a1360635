//! Tracked links that fail by plan.

use super::{Faulty, transient};
use openreply_app::ports::{LedgerError, Links};
use openreply_domain::ids::AccountId;
use openreply_domain::links::{Clicks, Day, DayKey, Slug, TrackedLink, Visitor};

impl<L: Links> Links for Faulty<L> {
    async fn put_link(&self, link: &TrackedLink) -> Result<(), LedgerError> {
        self.plan.call("put_link", self.port.put_link(link), transient).await
    }
    async fn link(&self, slug: &Slug) -> Result<Option<TrackedLink>, LedgerError> {
        self.plan.call("link", self.port.link(slug), transient).await
    }
    async fn links(&self, account: &AccountId) -> Result<Vec<TrackedLink>, LedgerError> {
        self.plan.call("links", self.port.links(account), transient).await
    }
    async fn day_key(&self, day: &Day, fresh: &DayKey) -> Result<DayKey, LedgerError> {
        self.plan.call("day_key", self.port.day_key(day, fresh), transient).await
    }
    async fn count_click(&self, slug: &Slug, day: &Day, visitor: &Visitor) -> Result<(), LedgerError> {
        self.plan.call("count_click", self.port.count_click(slug, day, visitor), transient).await
    }
    async fn clicks(&self, slug: &Slug, since: &Day) -> Result<Clicks, LedgerError> {
        self.plan.call("clicks", self.port.clicks(slug, since), transient).await
    }
}
