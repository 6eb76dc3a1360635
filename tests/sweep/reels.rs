//! The next reel.

use super::stage::{Stage, account, media};
use openreply_app::ports::{Ledger, Pulse};
use openreply_domain::pulse::AlertKind;
use openreply_domain::time::SignedDuration;

const NEXT_REEL: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: "sweep-token" }]
campaigns:
  - { id: reel, account: "17841400000000001", post: next_reel, keywords: [LINK], dm: "From the reel" }
"#;

const FIRST: &str = "18000000000000071";
const SECOND: &str = "18000000000000072";

async fn bound(stage: &Stage) -> Option<String> {
    let account = stage.memory.ledger.account(&account()).await.unwrap().unwrap();
    account.campaigns[0].bound.as_ref().map(ToString::to_string)
}

#[tokio::test]
async fn the_first_reel_after_the_campaign_was_made_is_bound_for_good() {
    let stage = Stage::new(NEXT_REEL).await;
    stage.instagram.publish(&account(), &media("18000000000000070"), false);
    assert_eq!((stage.sweep().await.bound, bound(&stage).await), (0, None), "a post is no reel");
    for reel in [FIRST, SECOND] {
        stage.pass(SignedDuration::from_secs(30));
        stage.instagram.publish(&account(), &media(reel), true);
    }
    let early = stage.comment_on(FIRST, "900", "LINK", None);
    let other = stage.comment_on(SECOND, "901", "LINK", None);
    let summary = stage.sweep().await;
    assert_eq!((summary.bound, summary.enqueued), (1, 1), "{summary:?}");
    assert_eq!((bound(&stage).await.as_deref(), stage.status(&early).await), (Some(FIRST), "SENT"));
    assert_eq!(stage.status(&other).await, "unknown");

    // Applied again, with another text: it stays bound, and a webhook's comment is met.
    stage.apply(&NEXT_REEL.replace("From the reel", "Another text")).await;
    let told = stage.comment_on(FIRST, "902", "LINK", None);
    stage.tell(&told).await;
    stage.work().await;
    assert_eq!(
        (bound(&stage).await.as_deref(), stage.inbox("902")),
        (Some(FIRST), vec!["Another text".to_owned()])
    );
    assert_eq!(stage.sweep().await.bound, 0);
}

/// The first page shows a newer reel, and the page with the first one cannot be read yet.
#[tokio::test]
async fn no_reel_is_bound_while_an_older_one_may_not_have_been_read() {
    let stage = Stage::new(NEXT_REEL).await;
    stage.instagram.publish(&account(), &media(FIRST), true);
    for post in 0..60 {
        stage.pass(SignedDuration::from_secs(10));
        stage.instagram.publish(&account(), &media(&format!("180000000000001{post:02}")), false);
    }
    stage.instagram.publish(&account(), &media(SECOND), true);
    stage.instagram.use_up(76);
    let summary = stage.sweep().await;
    assert_eq!((summary.reads, summary.bound, bound(&stage).await), (1, 0, None), "{summary:?}");
    stage.instagram.use_up(10);
    let summary = stage.sweep().await;
    assert_eq!((summary.bound, bound(&stage).await.as_deref()), (1, Some(FIRST)), "{summary:?}");
}

#[tokio::test]
async fn a_reel_from_before_the_campaign_is_none_of_its() {
    let stage = Stage::new(&NEXT_REEL.replace("next_reel", "any")).await;
    stage.instagram.publish(&account(), &media(FIRST), true);
    stage.pass(SignedDuration::from_mins(1));
    stage.apply(NEXT_REEL).await;
    stage.sweep().await;
    assert_eq!(bound(&stage).await, None);
    stage.pass(SignedDuration::from_mins(1));
    stage.instagram.publish(&account(), &media(SECOND), true);
    stage.sweep().await;
    assert_eq!(bound(&stage).await.as_deref(), Some(SECOND));
    // Whoever turns to any post and back waits for a new one.
    stage.apply(&NEXT_REEL.replace("next_reel", "any")).await;
    stage.pass(SignedDuration::from_mins(1));
    stage.apply(NEXT_REEL).await;
    stage.sweep().await;
    assert_eq!(bound(&stage).await, None);
}

#[tokio::test]
async fn somebody_is_told_once_when_no_reel_comes_for_two_weeks() {
    let stage = Stage::new(NEXT_REEL).await;
    stage.pass(SignedDuration::from_hours(14 * 24) - SignedDuration::from_mins(2));
    let alerts = async || stage.memory.ledger.alerts(10).await.unwrap();
    stage.sweep().await;
    assert_eq!(alerts().await, []);
    for _ in 0..3 {
        stage.pass(SignedDuration::from_mins(5));
        stage.sweep().await;
    }
    let raised: Vec<AlertKind> = alerts().await.into_iter().map(|alert| alert.kind).collect();
    assert_eq!(raised, [AlertKind::NoReel]);
}
