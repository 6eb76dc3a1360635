//! What the world is told: once, after the ledger has it, and whatever becomes of the telling.

use crate::stage::{PLAIN, Stage, comment, delivered, job, rejected};
use openreply_app::job::Job;
use openreply_app::ports::{Clock, Ending, Fact, Pulse};
use openreply_domain::outcome::{Doubt, RejectionKind, SendOutcome};
use openreply_domain::pulse::AlertKind;
use openreply_domain::time::SignedDuration;
use openreply_testkit::faults::Fault;

/// The words for what was told, in order.
fn told(stage: &Stage) -> Vec<&'static str> {
    let word = |fact: Fact| match fact {
        Fact::Delivery { ending, .. } => match ending {
            Ending::Sent { .. } => "sent",
            Ending::Failed { .. } => "failed",
            Ending::Unconfirmed { .. } => "unconfirmed",
            Ending::Skipped { .. } => "skipped",
        },
        Fact::DuplicateRefused { .. } => "duplicate",
        Fact::Called { .. } => "called",
        Fact::Received { .. } => "received",
        Fact::AccountHeld { .. } => "held",
        Fact::AccountReleased { .. } => "released",
        Fact::AlertRaised(_) => "alert",
        Fact::Measured { .. } => "measured",
    };
    stage.memory.facts.all().into_iter().map(word).collect()
}

#[tokio::test]
async fn each_end_is_told_once_and_what_waits_is_no_news() {
    let cases: [(SendOutcome, &[&str]); 4] = [
        (delivered(0), &["called", "sent"]),
        (rejected(RejectionKind::ReplySpent), &["called", "failed"]),
        (SendOutcome::Unconfirmed(Doubt::Timeout), &["called", "unconfirmed"]),
        (rejected(RejectionKind::Throttled), &["called"]),
    ];
    for (outcome, expected) in cases {
        let stage = Stage::new(PLAIN, move |_, _| outcome.clone()).await;
        stage.done(&job(comment("179"))).await;
        assert_eq!(told(&stage), expected);
        stage.done(&job(comment("179"))).await;
        let again = told(&stage).split_off(expected.len());
        assert!(again.is_empty() || again == ["duplicate"], "{expected:?}: {again:?}");
    }
}

#[tokio::test]
async fn what_never_waited_says_how_long_it_took() {
    let stage = Stage::new(
        PLAIN,
        |nth, _| if nth == 0 { rejected(RejectionKind::Throttled) } else { delivered(nth) },
    )
    .await;
    let took = |stage: &Stage| {
        let facts = stage.memory.facts.all();
        facts.into_iter().find_map(|fact| match fact {
            Fact::Delivery { took, .. } => Some(took),
            Fact::DuplicateRefused { .. }
            | Fact::Called { .. }
            | Fact::Received { .. }
            | Fact::AccountHeld { .. }
            | Fact::AccountReleased { .. }
            | Fact::AlertRaised(_)
            | Fact::Measured { .. } => None,
        })
    };
    stage.done(&job(comment("179"))).await;
    assert_eq!(took(&stage), None);
    stage.next_timer().await;
    assert_eq!(took(&stage), Some(None), "it waited for its retry");

    let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    stage.memory.clock.advance(SignedDuration::from_millis(1_500));
    stage.done(&job(comment("179"))).await;
    assert_eq!(took(&stage), Some(Some(SignedDuration::from_millis(1_500))));
}

/// The outcome goes onto the queue when the ledger does not take it, and is told of when it does.
#[tokio::test]
async fn nothing_is_told_before_the_ledger_has_it() {
    let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    let calls = crate::stage::Calls::of(PLAIN, |nth, _| delivered(nth)).await;
    let settle = calls.nth("put_send", 1);
    stage.restart([(settle, Fault::Refuse), (settle + 1, Fault::Refuse)]);
    stage.done(&job(comment("179"))).await;
    assert_eq!(told(&stage), ["called"]);
    stage.restart([]);
    for entry in stage.memory.queue.taken() {
        stage.done(&entry.job).await;
    }
    assert_eq!(told(&stage), ["called", "sent"]);
}

#[tokio::test]
async fn a_hold_is_one_alert_however_many_comments_it_meets() {
    let stage = Stage::new(PLAIN, |_, _| rejected(RejectionKind::Permission)).await;
    for id in ["1", "2", "3", "4"] {
        stage.done(&job(comment(id))).await;
    }
    assert_eq!(told(&stage), ["called", "held", "alert"]);
    let alerts = stage.memory.ledger.alerts(24).await.unwrap();
    assert_eq!(alerts.len(), 1);
    assert_eq!(
        (alerts[0].kind, alerts[0].subject.as_deref()),
        (AlertKind::AccountHeld, Some(crate::stage::ACCOUNT))
    );
}

#[tokio::test]
async fn the_apps_hold_is_an_alert_that_concerns_everybody() {
    let stage = Stage::new(PLAIN, |_, _| rejected(RejectionKind::AppUnusable)).await;
    for id in ["1", "2"] {
        stage.done(&job(comment(id))).await;
    }
    let alerts = stage.memory.ledger.alerts(24).await.unwrap();
    assert_eq!(
        alerts.iter().map(|alert| (alert.kind, &alert.subject)).collect::<Vec<_>>(),
        [(AlertKind::AppHeld, &None)]
    );
    assert_eq!(told(&stage).into_iter().filter(|word| *word == "alert").count(), 1);
}

/// Better told twice than not at all: the alert has no delivery that waits for it.
#[tokio::test]
async fn an_alert_that_cannot_be_written_down_is_told_all_the_same() {
    let mut stage = Stage::new(PLAIN, |_, _| rejected(RejectionKind::Permission)).await;
    let calls = crate::stage::Calls::of(PLAIN, |_, _| rejected(RejectionKind::Permission)).await;
    stage.restart([(calls.nth("raise", 0), Fault::Refuse)]);
    stage.done(&job(comment("179"))).await;
    assert_eq!(told(&stage), ["called", "held", "alert"]);
    assert!(stage.memory.ledger.alerts(24).await.unwrap().is_empty());
}

fn beat(stage: &Stage, late: i64, echo: bool) -> Job {
    let due_at = stage.memory.clock.now() - SignedDuration::from_secs(late);
    Job::Beat { id: "run".to_owned(), due_at: Some(due_at), echo }
}

/// Without an account, and while sending is stopped, too: it proves the way and nothing else.
#[tokio::test]
async fn a_beat_is_written_whatever_is_set_up_and_sends_one_echo() {
    let stage = Stage::of(
        openreply_testkit::memory::memory_host(
            1,
            openreply_testkit::memory::MemoryMessenger::new(|nth, _| delivered(nth)),
        ),
        "accounts: [{ id: \"1\", username: a, token: t }]\ncampaigns: []\n",
    )
    .await;
    openreply_app::resume::stop(&stage.memory.ledger, stage.memory.clock.now()).await.unwrap();
    stage.done(&beat(&stage, 7, false)).await;
    let heartbeat = stage.memory.ledger.heartbeat().await.unwrap().unwrap();
    assert_eq!((heartbeat.checked_at, heartbeat.lag_ms), (stage.memory.clock.now(), Some(7_000)));
    let delayed = stage.memory.timers.delayed();
    assert_eq!(delayed.len(), 1);
    let (due_at, echo) = &delayed[0];
    assert_eq!(due_at.duration_since(stage.memory.clock.now()), SignedDuration::from_secs(30));
    stage.memory.clock.set(*due_at);
    stage.done(&echo.job).await;
    let heartbeat = stage.memory.ledger.heartbeat().await.unwrap().unwrap();
    assert_eq!((heartbeat.checked_at, heartbeat.lag_ms), (*due_at, Some(7_000)), "and how late the beat was");
    assert_eq!(stage.memory.timers.delayed().len(), 1, "an echo has none");
}

#[tokio::test]
async fn a_beat_that_is_late_is_written_with_its_lag() {
    let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    stage.done(&beat(&stage, 121, false)).await;
    let heartbeat = stage.memory.ledger.heartbeat().await.unwrap().unwrap();
    assert_eq!(heartbeat.lag_ms, Some(121_000));
    assert!(!heartbeat.keeps_up(stage.memory.clock.now()));
    assert_eq!(stage.memory.timers.delayed().len(), 1);
}

/// A missing heartbeat is the message; a beat that came again and again would end among the dead letters.
#[tokio::test]
async fn a_beat_that_cannot_be_written_does_not_come_again() {
    let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    stage.restart([(0, Fault::Refuse)]);
    stage.done(&beat(&stage, 0, false)).await;
    assert_eq!(stage.memory.ledger.heartbeat().await.unwrap(), None);
    // Nor does one whose echo cannot be put on its way.
    stage.restart([(1, Fault::Refuse)]);
    stage.done(&beat(&stage, 0, false)).await;
    let heartbeat = stage.memory.ledger.heartbeat().await.unwrap().unwrap();
    assert!(!heartbeat.is_alive(stage.memory.clock.now() + SignedDuration::from_secs(121)));
}
