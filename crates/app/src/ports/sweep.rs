//! What only sweeps ask of the ledger, and the queue that carries them.

use super::{Ledger, LedgerError, QueueError};
use crate::sweep::{Summary, SweepOrder};
use openreply_domain::ids::{AccountId, CampaignId, MediaId, UserId};
use openreply_domain::send::{Send, SendKey};
use openreply_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::future::Future;

/// An ad's own media and the post it promotes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdMedia {
    /// The post.
    pub post: MediaId,
    /// What comments on the ad stand under.
    pub ad: MediaId,
}

/// How far the sweeps of an account came with what no round can read whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// How many rounds have read comments. It decides where the next one begins.
    pub turn: u32,
    /// Where the comments of posts go on that no round has read to their end, by post.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub unfinished: BTreeMap<MediaId, String>,
}

/// The last sweep of an account, or of the stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepRecord {
    /// Which account. `None`: what concerns the whole stack.
    pub account: Option<AccountId>,
    /// When it began.
    #[serde(with = "openreply_domain::time::millis")]
    pub at: Timestamp,
    /// Until when Instagram asked not to be read.
    #[serde(
        default,
        with = "openreply_domain::time::millis::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub quiet_until: Option<Timestamp>,
    /// How far it came.
    #[serde(default)]
    pub progress: Progress,
    /// What it came to.
    pub summary: Summary,
}

impl SweepRecord {
    /// Of a sweep that has come to nothing yet.
    #[must_use]
    pub fn begun(account: Option<AccountId>, at: Timestamp) -> Self {
        Self { account, at, quiet_until: None, progress: Progress::default(), summary: Summary::default() }
    }
}

/// What only sweeps ask of the ledger.
pub trait SweepLedger: Ledger {
    /// The CLAIMED Sends of an account that somebody should look at by `until` (their [`Send::look_at`]), the
    /// first due first. May miss what was written moments ago.
    ///
    /// # Errors
    /// When they could not be read.
    fn unsettled(
        &self,
        account: &AccountId,
        until: Timestamp,
    ) -> impl Future<Output = Result<Vec<Send>, LedgerError>> + std::marker::Send;

    /// Goes through the Sends of an account whose trigger was first seen since `since`, only those to `user` where
    /// one is named: in no order, some at a time, for as long as `visit` returns `true`. Returns whether it came to
    /// the end. May miss what was written moments ago; a Send may come twice.
    ///
    /// # Errors
    /// When not all of them could be read.
    fn go_through(
        &self,
        account: &AccountId,
        since: Timestamp,
        user: Option<&UserId>,
        visit: impl FnMut(Vec<Send>) -> bool + std::marker::Send,
    ) -> impl Future<Output = Result<bool, LedgerError>> + std::marker::Send;

    /// Those of these Sends that exist, by their keys, consistently, in one batch read.
    ///
    /// # Errors
    /// When they could not all be read.
    fn known(
        &self,
        keys: &[SendKey],
    ) -> impl Future<Output = Result<Vec<Send>, LedgerError>> + std::marker::Send;

    /// Binds a campaign that waits for a reel since `since`, unless it is bound. Returns the reel that it is bound
    /// to now.
    ///
    /// # Errors
    /// When it may or may not be bound. Binding it again is safe.
    fn bind_reel(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        since: Timestamp,
        reel: &MediaId,
    ) -> impl Future<Output = Result<MediaId, LedgerError>> + std::marker::Send;

    /// Remembers that comments on an ad stand under this media, until `until` at least.
    ///
    /// # Errors
    /// When it may not be remembered.
    fn record_ad(
        &self,
        account: &AccountId,
        ad: &AdMedia,
        until: Timestamp,
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// The ads that are known of an account's posts.
    ///
    /// # Errors
    /// When they could not be read.
    fn ads(
        &self,
        account: &AccountId,
    ) -> impl Future<Output = Result<Vec<AdMedia>, LedgerError>> + std::marker::Send;

    /// Keeps the last sweep of an account, or of the stack.
    ///
    /// # Errors
    /// When it may not be kept.
    fn put_sweep(
        &self,
        record: &SweepRecord,
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;

    /// The last sweep of an account, or of the stack.
    ///
    /// # Errors
    /// When it could not be read.
    fn last_sweep(
        &self,
        account: Option<&AccountId>,
    ) -> impl Future<Output = Result<Option<SweepRecord>, LedgerError>> + std::marker::Send;

    /// The last sweep of the stack and of every account.
    ///
    /// # Errors
    /// When they could not be read.
    fn sweeps(&self) -> impl Future<Output = Result<Vec<SweepRecord>, LedgerError>> + std::marker::Send;

    /// Until when every webhook event is known to be on the queue, if that was ever found out.
    ///
    /// # Errors
    /// When it could not be read.
    fn events_checked(
        &self,
    ) -> impl Future<Output = Result<Option<Timestamp>, LedgerError>> + std::marker::Send;

    /// Keeps until when every webhook event is known to be on the queue.
    ///
    /// # Errors
    /// When it may not be kept.
    fn set_events_checked(
        &self,
        until: Timestamp,
    ) -> impl Future<Output = Result<(), LedgerError>> + std::marker::Send;
}

/// The queue that carries sweeps, one message an account, so that a slow account delays no other.
pub trait SweepQueue: std::marker::Send + Sync {
    /// Puts these orders on it. Returns how many it did not take.
    ///
    /// # Errors
    /// When nothing could be attempted.
    fn order(
        &self,
        orders: &[SweepOrder],
    ) -> impl Future<Output = Result<usize, QueueError>> + std::marker::Send;
}
