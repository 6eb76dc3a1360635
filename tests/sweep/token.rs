//! The token's end.

use super::stage::{ON_ANY, Stage};
use openreply_app::ports::{Fact, Pulse};
use openreply_domain::pulse::{Alert, AlertKind};
use openreply_domain::time::SignedDuration;
use openreply_testkit::instagram::{CallKind, Fault};

const DAY: SignedDuration = SignedDuration::from_hours(24);

async fn alerts(stage: &Stage) -> Vec<Alert> {
    let mut alerts = stage.memory.ledger.alerts(24).await.unwrap();
    alerts.retain(|alert| alert.kind == AlertKind::TokenEnding);
    alerts
}

#[tokio::test]
async fn somebody_is_told_a_week_and_a_day_before_a_token_ends_and_when_it_has() {
    let stage = Stage::new(ON_ANY).await;
    stage.pass(DAY * 52);
    stage.sweep().await;
    assert_eq!(alerts(&stage).await, []);
    // Sweeps come every five minutes; one for each day is enough here.
    for (days, told) in [(1, 1), (1, 1), (4, 1), (1, 2), (1, 3), (30, 3)] {
        stage.pass(DAY * days);
        stage.sweep().await;
        stage.sweep().await;
        assert_eq!(alerts(&stage).await.len(), told, "{days} days later");
    }
    let told = stage.memory.facts.told().into_iter();
    let events =
        told.filter(|(_, fact)| matches!(fact, Fact::AlertRaised(a) if a.kind == AlertKind::TokenEnding));
    assert_eq!(events.count(), 3, "each is told of once");
}

#[tokio::test]
async fn a_new_token_or_a_new_end_is_none_to_be_told_of() {
    for renewed in [
        ON_ANY.replace("sweep-token", "a-new-token"),
        ON_ANY.replace(r#""sweep-token""#, r#""sweep-token", token_ends: 2040-01-01"#),
    ] {
        let stage = Stage::new(ON_ANY).await;
        stage.pass(DAY * 50);
        assert_ne!(renewed, ON_ANY);
        stage.apply(&renewed).await;
        stage.pass(DAY * 10);
        stage.sweep().await;
        assert_eq!(alerts(&stage).await, [], "{renewed}");
    }
}

#[tokio::test]
async fn of_a_token_that_is_dead_its_hold_tells() {
    let stage = Stage::new(ON_ANY).await;
    stage.pass(DAY * 52);
    let dead = Fault::error(400, 190, None, "Error validating access token");
    stage.instagram.fail_next_of(CallKind::Read, 1, &dead);
    stage.comment("900", "LINK");
    stage.sweep().await;
    stage.pass(DAY * 2);
    stage.sweep().await;
    let kinds: Vec<AlertKind> =
        stage.memory.ledger.alerts(24).await.unwrap().into_iter().map(|alert| alert.kind).collect();
    assert_eq!(kinds, [AlertKind::AccountHeld]);
}
