//! The next reel: a campaign that waits for one is bound to the first that was published after it was made.

use super::Round;
use crate::ports::{Host, LedgerError, Reader, SweepLedger};
use crate::pulse::raise;
use openreply_domain::campaign::{Campaign, Post};
use openreply_domain::pulse::{Alert, AlertKind};
use openreply_domain::time::{SignedDuration, Timestamp, after};

/// How long a campaign waits before somebody should know.
const PATIENCE: SignedDuration = SignedDuration::from_hours(14 * 24);

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// Binds once and for good; whoever else binds at the same time, all hear of the same reel.
    pub(super) async fn bind_reels(&mut self) -> Result<(), LedgerError> {
        let waits = |campaign: &&Campaign| {
            campaign.active && campaign.content.post == Post::NextReel && campaign.bound.is_none()
        };
        let waiting: Vec<Campaign> = self.account.campaigns.iter().filter(waits).cloned().collect();
        for campaign in waiting {
            let Some(since) = campaign.reel_since else { continue };
            // Instagram tells times in whole seconds.
            let is_new = |at: Timestamp| since.as_second() <= at.as_second();
            self.own_media(since, 1).await;
            // Of what was not read, an older one may be the first.
            if !self.own.is_read_back_to(since) {
                self.summary.note("not all of the account's newer posts could be read: no campaign is bound to a reel this time");
                self.alert_if_late(&campaign, since).await;
                continue;
            }
            let first = self.own.oldest_first().find(|media| media.is_reel && is_new(media.published_at));
            let Some(reel) = first.map(|media| media.id.clone()) else {
                self.alert_if_late(&campaign, since).await;
                continue;
            };
            let bound = self.ledger().bind_reel(self.id(), &campaign.id, since, &reel).await?;
            tracing::info!(account = %self.id(), campaign = %campaign.id, reel = %bound, "bound to the next reel");
            self.summary.bound += 1;
            if let Some(own) = self.account.campaigns.iter_mut().find(|own| own.id == campaign.id) {
                own.bound = Some(bound);
            }
        }
        Ok(())
    }

    async fn alert_if_late(&self, campaign: &Campaign, since: Timestamp) {
        let (late, now) = (after(since, PATIENCE), self.now());
        if now < late {
            return;
        }
        let alert = Alert {
            kind: AlertKind::NoReel,
            at: late,
            subject: Some(format!("{} {}", self.id(), campaign.id)),
            message: "a campaign has waited 14 days for the next reel and none was found: publish one, or bind the campaign to a post".to_owned(),
        };
        raise(self.ledger(), self.host().facts(), alert, now).await;
    }
}
