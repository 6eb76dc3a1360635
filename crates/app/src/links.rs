//! What tracked links brought: clicks beside what went out.
//!
//! Guarantees: a link is known before a message that carries it can be promised ([`crate::apply`] sees to that), and
//! stays known when it is taken out of the file: messages that went out lead where they led.

use crate::ports::{Ledger, LedgerError, Links};
use openreply_domain::campaign::CampaignRef;
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::links::{Clicks, Day, TrackedLink};
use openreply_domain::send::{Leg, Says, Send, State};
use openreply_domain::time::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// What one link brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkReport {
    /// The link.
    #[serde(flatten)]
    pub link: TrackedLink,
    /// How often it was clicked.
    #[serde(flatten)]
    pub clicks: Clicks,
}

/// What the links of one campaign brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CampaignReport {
    /// Whose.
    pub account: AccountId,
    /// Which campaign.
    pub campaign: CampaignId,
    /// How many messages went out that give what the campaign gives.
    pub sent: u64,
    /// Of all its links together.
    #[serde(flatten)]
    pub clicks: Clicks,
    /// Visitors for each message that went out. `None` while none did.
    pub click_through: Option<f64>,
    /// Each link that it has or had.
    pub links: Vec<LinkReport>,
}

/// What every campaign's links brought since the beginning of the day of `since`, by account and campaign.
///
/// # Errors
/// When the ledger cannot be read.
pub async fn report(
    ledger: &(impl Ledger + Links),
    since: Timestamp,
) -> Result<Vec<CampaignReport>, LedgerError> {
    let day = Day::of(since);
    let mut reports = Vec::new();
    for account in ledger.account_ids().await? {
        let mut campaigns: BTreeMap<CampaignId, CampaignReport> = BTreeMap::new();
        for link in ledger.links(&account).await? {
            let clicks = ledger.clicks(&link.slug, &day).await?;
            let report = campaigns
                .entry(link.campaign.clone())
                .or_insert_with(|| CampaignReport::of(account.clone(), link.campaign.clone()));
            report.clicks += clicks;
            report.links.push(LinkReport { link, clicks });
        }
        if campaigns.is_empty() {
            continue;
        }
        for send in ledger.deliveries(&account, since).await? {
            if let Some(CampaignRef { id, .. }) = gave(&send)
                && let Some(report) = campaigns.get_mut(id)
            {
                report.sent += 1;
            }
        }
        reports.extend(campaigns.into_values().map(CampaignReport::with_click_through));
    }
    Ok(reports)
}

impl CampaignReport {
    fn of(account: AccountId, campaign: CampaignId) -> Self {
        let clicks = Clicks::default();
        Self { account, campaign, sent: 0, clicks, click_through: None, links: Vec::new() }
    }

    fn with_click_through(self) -> Self {
        let click_through = (self.sent > 0).then(|| self.clicks.visitors as f64 / self.sent as f64);
        Self { click_through, ..self }
    }
}

/// The campaign of a message that went out and gives what it gives.
fn gave(send: &Send) -> Option<&CampaignRef> {
    let gives = match send.key.leg {
        Leg::Dm => send.says == Says::Link,
        Leg::Reveal => true,
        Leg::PublicReply(_) | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => false,
    };
    let sent = matches!(send.state, State::Sent { .. });
    send.campaign.as_ref().filter(|_| gives && sent)
}
