//! Which posts a sweep looks at.

use super::Round;
use crate::ports::{AdMedia, Host, LedgerError, Reader, SeenMedia, SeenReply, SweepLedger};
use openreply_domain::campaign::{Campaign, Post};
use openreply_domain::ids::MediaId;
use openreply_domain::time::{SignedDuration, Timestamp, after};
use std::collections::BTreeMap;

/// How many of the newest posts a campaign for any post looks at.
const NEWEST: usize = 10;
/// How far back a sweep looks for comments.
const LOOKS_BACK: SignedDuration = SignedDuration::from_hours(72);
/// Pages of the account's own media that one round reads at most.
const PAGES: usize = 20;

/// A post, or an ad of one, whose comments are to be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Watched {
    /// What the comments stand under.
    pub(super) media: MediaId,
    /// For an ad: the post it promotes.
    pub(super) original: Option<MediaId>,
    /// Nothing older than this is any campaign's.
    pub(super) since: Timestamp,
}

impl Watched {
    /// Whether what somebody wrote is new enough to be any campaign's. Instagram tells times in whole seconds.
    pub(super) fn takes(&self, seen: &SeenReply) -> bool {
        self.since.as_second() <= seen.at.as_second()
    }
}

/// The account's own posts, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct OwnMedia {
    /// Newest first.
    seen: Vec<SeenMedia>,
    next: Option<String>,
    begun: bool,
}

impl OwnMedia {
    /// Whether everything was read that was published since.
    pub(super) fn is_read_back_to(&self, since: Timestamp) -> bool {
        let is_far = self.seen.last().is_some_and(|last| last.published_at < since);
        self.begun && (is_far || self.next.is_none())
    }

    /// Whether any of it could be read.
    pub(super) fn is_begun(&self) -> bool {
        self.begun
    }

    /// What was read, oldest first.
    pub(super) fn oldest_first(&self) -> impl Iterator<Item = &SeenMedia> {
        self.seen.iter().rev()
    }
}

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// The posts of the active campaigns, each once.
    pub(super) async fn watched(&mut self) -> Result<Vec<Watched>, LedgerError> {
        let now = self.now();
        let ads = self.ledger().ads(self.id()).await?;
        let active: Vec<Campaign> =
            self.account.campaigns.iter().filter(|campaign| campaign.active).cloned().collect();
        let any = active.iter().any(|campaign| campaign.content.post == Post::Any);
        let newest: Vec<MediaId> = if any {
            self.own_media(Timestamp::MAX, NEWEST)
                .await
                .iter()
                .take(NEWEST)
                .map(|seen| seen.id.clone())
                .collect()
        } else {
            Vec::new()
        };
        let mut watched: BTreeMap<MediaId, Watched> = BTreeMap::new();
        for campaign in &active {
            let since = begins(campaign, now);
            for (media, original) in media_of(campaign, &newest, &ads) {
                let entry = watched.entry(media.clone()).or_insert(Watched { media, original, since });
                entry.since = entry.since.min(since);
            }
        }
        Ok(watched.into_values().collect())
    }

    /// The account's own posts, newest first: at least so many, and back to this moment, as far as they can be had.
    pub(super) async fn own_media(&mut self, back_to: Timestamp, at_least: usize) -> &[SeenMedia] {
        for _ in 0..PAGES {
            let has_enough = self.own.seen.len() >= at_least || (self.own.begun && self.own.next.is_none());
            if has_enough && self.own.is_read_back_to(back_to) {
                break;
            }
            let Some(token) = self.reading.begin(self.now()) else { break };
            let answer = self.reader.own_media(&token, &self.account.id, self.own.next.as_deref()).await;
            let now = self.now();
            let Some(page) = self.reading.end(answer, now) else { break };
            self.own.begun = true;
            self.own.seen.extend(page.media);
            self.own.next = page.next;
        }
        &self.own.seen
    }
}

/// From when on a campaign takes comments that nobody told of.
pub(super) fn begins(campaign: &Campaign, now: Timestamp) -> Timestamp {
    let window = after(now, -LOOKS_BACK);
    match campaign.active_since {
        Some(since) if !campaign.backfill => window.max(since),
        Some(_) | None => window,
    }
}

fn media_of(campaign: &Campaign, newest: &[MediaId], ads: &[AdMedia]) -> Vec<(MediaId, Option<MediaId>)> {
    let post = match (&campaign.content.post, &campaign.bound) {
        (Post::Any, _) => return newest.iter().map(|media| (media.clone(), None)).collect(),
        (Post::Media(media), _) | (Post::NextReel, Some(media)) => media,
        (Post::NextReel, None) => return Vec::new(),
    };
    let ads = ads.iter().filter(|ad| ad.post == *post).map(|ad| (ad.ad.clone(), Some(post.clone())));
    std::iter::once((post.clone(), None)).chain(ads).collect()
}
