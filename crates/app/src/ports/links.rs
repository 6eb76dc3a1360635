//! Tracked links: where each leads, and how often it was clicked.

use super::LedgerError;
use openreply_domain::ids::AccountId;
use openreply_domain::links::{Clicks, Day, DayKey, Slug, TrackedLink, Visitor};
use std::future::Future;

/// Where tracked links and their clicks are kept. No address is kept anywhere.
pub trait Links: Send + Sync {
    /// Keeps a link. The same link once more changes nothing. When it returns, [`Links::link`] finds it.
    ///
    /// # Errors
    /// When it may not be kept.
    fn put_link(&self, link: &TrackedLink) -> impl Future<Output = Result<(), LedgerError>> + Send;

    /// Where a link leads, in one read.
    ///
    /// # Errors
    /// When it could not be read.
    fn link(&self, slug: &Slug) -> impl Future<Output = Result<Option<TrackedLink>, LedgerError>> + Send;

    /// Every link that an account ever had, by campaign.
    ///
    /// # Errors
    /// When they could not be read.
    fn links(
        &self,
        account: &AccountId,
    ) -> impl Future<Output = Result<Vec<TrackedLink>, LedgerError>> + Send;

    /// The key of a day: `fresh` for whoever asks first, and then the same for everybody. It is gone soon after its
    /// day, and with it any way from a hash back to an address.
    ///
    /// # Errors
    /// When it could not be read.
    fn day_key(&self, day: &Day, fresh: &DayKey) -> impl Future<Output = Result<DayKey, LedgerError>> + Send;

    /// Counts a click. A call that was tried again after its answer was lost may count twice.
    ///
    /// # Errors
    /// When it may not be counted.
    fn count_click(
        &self,
        slug: &Slug,
        day: &Day,
        visitor: &Visitor,
    ) -> impl Future<Output = Result<(), LedgerError>> + Send;

    /// How often a link was clicked since the beginning of a day.
    ///
    /// # Errors
    /// When it could not be read.
    fn clicks(&self, slug: &Slug, since: &Day) -> impl Future<Output = Result<Clicks, LedgerError>> + Send;
}
