//! `openreply links`: what tracked links brought.

use crate::say;
use crate::stack::Stack;
use openreply_app::links::{CampaignReport, report};
use openreply_app::ports::Clock;
use openreply_aws::SystemClock;
use openreply_domain::time::{SignedDuration, after};

/// Messages are kept 90 days: what went out before cannot be counted.
pub(crate) const MAX_DAYS: i64 = 90;

/// Says it for the last `days`, the present one included.
pub(crate) async fn links(stack: &Stack, days: u32) -> Result<(), String> {
    let since = after(SystemClock.now(), -SignedDuration::from_hours(24 * (i64::from(days) - 1)));
    let campaigns = report(&stack.ledger(), since).await.map_err(stack.trouble())?;
    if campaigns.is_empty() {
        say("no campaign has a link");
    }
    for campaign in &campaigns {
        for line in lines(campaign) {
            say(&line);
        }
    }
    Ok(())
}

/// One line for the campaign, and one for each link.
fn lines(campaign: &CampaignReport) -> Vec<String> {
    let CampaignReport { account, campaign: id, sent, clicks, click_through, links } = campaign;
    let through = click_through.map_or_else(String::new, |through| format!(" ({:.0} %)", through * 100.0));
    let head = format!(
        "campaign {id} of account {account}: {sent} sent, {} clicks by {} people{through}",
        clicks.clicks, clicks.visitors
    );
    let links = links.iter().map(|report| {
        let (clicks, visitors) = (report.clicks.clicks, report.clicks.visitors);
        format!("  {} ({}): {clicks} clicks by {visitors} people", report.link.url, report.link.slug)
    });
    std::iter::once(head).chain(links).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use openreply_app::links::LinkReport;
    use openreply_domain::ids::{AccountId, CampaignId};
    use openreply_domain::links::{Clicks, TrackedLink};

    #[test]
    fn a_campaign_and_each_of_its_links_have_a_line() {
        let (account, campaign) = (AccountId::parse("1784").unwrap(), CampaignId::parse("guide").unwrap());
        let link = TrackedLink::of(&account, &campaign, "https://example.com/guide");
        let clicks = Clicks { clicks: 5, visitors: 3 };
        let slug = link.slug.clone();
        let links = vec![LinkReport { link, clicks }];
        let report = CampaignReport { account, campaign, sent: 4, clicks, click_through: Some(0.75), links };
        assert_eq!(
            lines(&report),
            [
                "campaign guide of account 1784: 4 sent, 5 clicks by 3 people (75 %)".to_owned(),
                format!("  https://example.com/guide ({slug}): 5 clicks by 3 people"),
            ]
        );
        let none = CampaignReport { sent: 0, click_through: None, links: Vec::new(), ..report };
        assert_eq!(lines(&none), ["campaign guide of account 1784: 0 sent, 5 clicks by 3 people"]);
    }
}
