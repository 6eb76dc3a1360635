//! The contract of [`Links`].

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a case fails by panicking")]

use openreply_app::ports::Links;
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::links::{Clicks, Day, Slug, TrackedLink, Visitor};

fn account(id: &str) -> AccountId {
    AccountId::parse(id).expect("an account's id")
}

fn link(of: &str, campaign: &str, url: &str) -> TrackedLink {
    TrackedLink::of(&account(of), &CampaignId::parse(campaign).expect("a campaign's id"), url)
}

fn day(date: &str) -> Day {
    Day::of(format!("{date}T12:00:00Z").parse().expect("a moment"))
}

fn visitor(slug: &Slug, number: u32) -> Visitor {
    Visitor::of(&[7; 32], slug, &number.to_string(), "a browser")
}

/// A link that was kept is found by its slug, and another is not.
pub async fn a_link_leads_where_it_was_said_to(links: &impl Links) {
    let (guide, other) =
        (link("1", "guide", "https://example.com/ü?a=1#b"), link("1", "guide", "https://b.c"));
    assert_eq!(links.link(&guide.slug).await.unwrap(), None);
    links.put_link(&guide).await.unwrap();
    links.put_link(&guide).await.unwrap();
    assert_eq!(links.link(&guide.slug).await.unwrap(), Some(guide));
    assert_eq!(links.link(&other.slug).await.unwrap(), None);
}

/// An account's links are listed by campaign, each once, and nobody else's.
pub async fn links_are_listed_by_account(links: &impl Links) {
    let mut own = vec![
        link("1", "b", "https://a.b/1"),
        link("1", "a", "https://a.b/2"),
        link("1", "a", "https://a.b/3"),
    ];
    for link in own.iter().chain(&[link("11", "a", "https://a.b/2"), own[0].clone()]) {
        links.put_link(link).await.unwrap();
    }
    own.sort_by(|a, b| (&a.campaign, &a.slug).cmp(&(&b.campaign, &b.slug)));
    assert_eq!(links.links(&account("1")).await.unwrap(), own);
    assert_eq!(links.links(&account("2")).await.unwrap(), []);
}

/// Of any number who ask for the key of a day, all get the same.
pub async fn a_day_has_one_key(links: &impl Links) {
    let today = day("2026-11-30");
    let first = links.day_key(&today, &[1; 32]).await.unwrap();
    assert_eq!(first, [1; 32]);
    assert_eq!(links.day_key(&today, &[2; 32]).await.unwrap(), [1; 32]);
    assert_eq!(links.day_key(&day("2026-12-01"), &[3; 32]).await.unwrap(), [3; 32]);
}

/// Clicks are added up from a day on, and whoever clicks again on one day is one visitor.
pub async fn clicks_are_counted_by_day_and_visitor(links: &impl Links) {
    let (guide, other) = (link("1", "a", "https://a.b/1"), link("1", "a", "https://a.b/2"));
    for (date, number) in
        [("2026-11-28", 1), ("2026-11-29", 1), ("2026-11-29", 1), ("2026-11-29", 2), ("2026-11-30", 2)]
    {
        links.count_click(&guide.slug, &day(date), &visitor(&guide.slug, number)).await.unwrap();
    }
    links.count_click(&other.slug, &day("2026-11-29"), &visitor(&other.slug, 1)).await.unwrap();
    for (since, clicks, visitors) in
        [("2026-11-01", 5, 4), ("2026-11-29", 4, 3), ("2026-11-30", 1, 1), ("2026-12-01", 0, 0)]
    {
        let counted = links.clicks(&guide.slug, &day(since)).await.unwrap();
        assert_eq!(counted, Clicks { clicks, visitors }, "since {since}");
    }
}

/// No click is lost when many come at once.
pub async fn fifty_clicks_at_once_are_fifty(links: &impl Links) {
    let guide = link("1", "a", "https://a.b/1");
    let today = day("2026-11-30");
    let visitors: Vec<Visitor> = (0..50).map(|number| visitor(&guide.slug, number % 20)).collect();
    let clicks = visitors.iter().map(|visitor| links.count_click(&guide.slug, &today, visitor));
    for counted in futures_util::future::join_all(clicks).await {
        counted.unwrap();
    }
    assert_eq!(links.clicks(&guide.slug, &today).await.unwrap(), Clicks { clicks: 50, visitors: 20 });
}
