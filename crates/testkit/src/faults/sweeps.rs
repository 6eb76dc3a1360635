//! What only sweeps ask, failing by plan: of the ledger, and of Instagram.

use super::{Fault, FaultPlan, Faulty, transient};
use openreply_app::ports::{
    AdMedia, CommentsPage, LedgerError, MediaPage, Own, ReadError, ReadTrouble, Reader, RepliesPage,
    SweepLedger, SweepRecord, Usage,
};
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{AccountId, CampaignId, CommentId, MediaId, UserId};
use openreply_domain::send::{Send, SendKey};
use openreply_domain::time::Timestamp;
use secrecy::SecretString;
use std::future::Future;

impl<L: SweepLedger> SweepLedger for Faulty<L> {
    async fn unsettled(&self, account: &AccountId, until: Timestamp) -> Result<Vec<Send>, LedgerError> {
        self.plan.call("unsettled", self.port.unsettled(account, until), transient).await
    }
    async fn go_through(
        &self,
        account: &AccountId,
        since: Timestamp,
        user: Option<&UserId>,
        visit: impl FnMut(Vec<Send>) -> bool + std::marker::Send,
    ) -> Result<bool, LedgerError> {
        self.plan.call("go_through", self.port.go_through(account, since, user, visit), transient).await
    }
    async fn known(&self, keys: &[SendKey]) -> Result<Vec<Send>, LedgerError> {
        self.plan.call("known", self.port.known(keys), transient).await
    }
    async fn bind_reel(
        &self,
        account: &AccountId,
        campaign: &CampaignId,
        since: Timestamp,
        reel: &MediaId,
    ) -> Result<MediaId, LedgerError> {
        self.plan.call("bind_reel", self.port.bind_reel(account, campaign, since, reel), transient).await
    }
    async fn record_ad(
        &self,
        account: &AccountId,
        ad: &AdMedia,
        until: Timestamp,
    ) -> Result<(), LedgerError> {
        self.plan.call("record_ad", self.port.record_ad(account, ad, until), transient).await
    }
    async fn ads(&self, account: &AccountId) -> Result<Vec<AdMedia>, LedgerError> {
        self.plan.call("ads", self.port.ads(account), transient).await
    }
    async fn put_sweep(&self, record: &SweepRecord) -> Result<(), LedgerError> {
        self.plan.call("put_sweep", self.port.put_sweep(record), transient).await
    }
    async fn last_sweep(&self, account: Option<&AccountId>) -> Result<Option<SweepRecord>, LedgerError> {
        self.plan.call("last_sweep", self.port.last_sweep(account), transient).await
    }
    async fn sweeps(&self) -> Result<Vec<SweepRecord>, LedgerError> {
        self.plan.call("sweeps", self.port.sweeps(), transient).await
    }
    async fn events_checked(&self) -> Result<Option<Timestamp>, LedgerError> {
        self.plan.call("events_checked", self.port.events_checked(), transient).await
    }
    async fn set_events_checked(&self, until: Timestamp) -> Result<(), LedgerError> {
        self.plan.call("set_events_checked", self.port.set_events_checked(until), transient).await
    }
}

impl FaultPlan {
    /// One read: whether its answer is lost or never came is the same.
    async fn read<T>(
        &self,
        name: &'static str,
        work: impl Future<Output = Result<T, ReadError>>,
    ) -> Result<T, ReadError> {
        match self.next(name) {
            None => work.await,
            Some(Fault::CrashBefore | Fault::CrashAfter) => self.crash().await,
            Some(Fault::LoseAnswer | Fault::Refuse) => {
                Err(ReadError { what: name, trouble: ReadTrouble::Unreachable })
            }
        }
    }
}

impl<R: Reader> Reader for Faulty<R> {
    async fn comments(
        &self,
        token: &SecretString,
        media: &MediaId,
        after: Option<&str>,
    ) -> Result<CommentsPage, ReadError> {
        self.plan.read("comments", self.port.comments(token, media, after)).await
    }
    async fn replies(
        &self,
        token: &SecretString,
        comment: &CommentId,
        after: Option<&str>,
    ) -> Result<RepliesPage, ReadError> {
        self.plan.read("replies", self.port.replies(token, comment, after)).await
    }
    async fn own_media(
        &self,
        token: &SecretString,
        account: &AccountId,
        after: Option<&str>,
    ) -> Result<MediaPage, ReadError> {
        self.plan.read("own_media", self.port.own_media(token, account, after)).await
    }
    async fn conversation(
        &self,
        token: &SecretString,
        own: Own<'_>,
        user: &UserId,
    ) -> Result<(Vec<Shown>, Usage), ReadError> {
        self.plan.read("conversation", self.port.conversation(token, own, user)).await
    }
}
