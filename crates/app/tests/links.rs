//! What tracked links brought, beside what went out.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::apply::apply;
use openreply_app::campaign_file::parse;
use openreply_app::links::report;
use openreply_app::ports::{Clock, Ledger, Links, Written};
use openreply_domain::campaign::CampaignRef;
use openreply_domain::ids::{AccountId, CampaignId, MessageId, UserId};
use openreply_domain::links::{Clicks, Day, Slug, Visitor};
use openreply_domain::send::{Expect, Leg, Says, Send, SendKey, State};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_testkit::memory::{ManualClock, MemoryLedger, MemoryVault};

const FILE: &str = r#"
accounts: [{ id: "1", username: b, token: t }]
campaigns:
  - { id: guide, account: "1", keywords: [a], dm: hi, links: [{ url: "https://a.b/1" }, { url: "https://a.b/2" }] }
  - { id: plain, account: "1", keywords: [b], dm: hi }
  - { id: quiet, account: "1", keywords: [c], dm: hi, links: [{ url: "https://a.b/1" }] }
"#;

struct Stage {
    ledger: MemoryLedger,
    now: Timestamp,
}

impl Stage {
    async fn new() -> Self {
        let (ledger, now) = (MemoryLedger::default(), ManualClock::default().now());
        apply(&ledger, &MemoryVault::default(), &parse(FILE).unwrap(), now, |_| None).await.unwrap();
        Self { ledger, now }
    }

    async fn click(&self, url: &str, who: &str, at: Timestamp) {
        let slug = Slug::of(&AccountId::parse("1").unwrap(), &CampaignId::parse("guide").unwrap(), url);
        let visitor = Visitor::of(&[1; 32], &slug, who, "");
        self.ledger.count_click(&slug, &Day::of(at), &visitor).await.unwrap();
    }

    /// Somebody got a message of a campaign, or it came to this.
    async fn send(&self, id: &str, campaign: &str, leg: Leg, says: Says, sent: bool) {
        let key = SendKey { trigger: format!("comment:1:{id}").parse().unwrap(), leg };
        let campaign = CampaignRef { id: CampaignId::parse(campaign).unwrap(), version: 1 };
        let send = Send::new(key, Some(campaign), UserId::parse("9").unwrap(), None, self.now);
        let message_id = Some(MessageId::parse("m").unwrap());
        let state = if sent { State::Sent { message_id } } else { State::Failed { reason: "no".to_owned() } };
        let written = self.ledger.put_send(&Send { says, state, ..send }, &Expect::Absent).await.unwrap();
        assert_eq!(written, Written::Done);
    }
}

#[tokio::test]
async fn clicks_stand_beside_the_messages_that_gave_their_links() {
    let stage = Stage::new().await;
    for (id, campaign, leg, says, sent) in [
        ("1", "guide", Leg::Dm, Says::Link, true),
        ("2", "guide", Leg::Dm, Says::Link, false),
        ("3", "guide", Leg::Dm, Says::Opening, true),
        ("3", "guide", Leg::Reveal, Says::Link, true),
        ("3", "guide", Leg::FollowUp, Says::Link, true),
        ("4", "guide", Leg::Dm, Says::FollowPrompt, true),
        ("5", "plain", Leg::Dm, Says::Link, true),
    ] {
        stage.send(id, campaign, leg, says, sent).await;
    }
    for (url, who) in
        [("https://a.b/1", "x"), ("https://a.b/1", "x"), ("https://a.b/1", "y"), ("https://a.b/2", "x")]
    {
        stage.click(url, who, stage.now).await;
    }
    let reports = report(&stage.ledger, stage.now).await.unwrap();
    assert_eq!(reports.len(), 2, "those that have links: {reports:?}");
    let (guide, quiet) = (&reports[0], &reports[1]);
    assert_eq!((guide.campaign.as_str(), guide.sent), ("guide", 2));
    assert_eq!((guide.clicks, guide.click_through), (Clicks { clicks: 4, visitors: 3 }, Some(1.5)));
    let mut links: Vec<(&str, u64)> =
        guide.links.iter().map(|link| (link.link.url.as_str(), link.clicks.clicks)).collect();
    links.sort_unstable();
    assert_eq!(links, [("https://a.b/1", 3), ("https://a.b/2", 1)]);
    assert_eq!((quiet.campaign.as_str(), quiet.sent, quiet.click_through), ("quiet", 0, None));
}

#[tokio::test]
async fn what_was_before_does_not_count() {
    let stage = Stage::new().await;
    stage.send("1", "guide", Leg::Dm, Says::Link, true).await;
    stage.click("https://a.b/1", "x", stage.now).await;
    let tomorrow = after(stage.now, SignedDuration::from_hours(24));
    stage.click("https://a.b/1", "x", tomorrow).await;
    let reports = report(&stage.ledger, tomorrow).await.unwrap();
    assert_eq!((reports[0].sent, reports[0].clicks), (0, Clicks { clicks: 1, visitors: 1 }));
}
