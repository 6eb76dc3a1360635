//! What was certainly not delivered is tried again, by its own timer and no sooner.

use crate::stage::{PLAIN, PUBLIC, Stage, comment, delivered, job, rejected, reply_of, wake, word};
use openreply_app::deliver::{Back, Handled};
use openreply_app::ports::Timer;
use openreply_domain::outcome::{NotSent, RejectionKind, SendOutcome};
use openreply_domain::send::SendKey;
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::memory::MemoryVault;

#[tokio::test]
async fn a_throttled_message_is_tried_after_5_and_15_minutes_and_then_given_up() {
    let stage = Stage::new(PLAIN, |_, _| rejected(RejectionKind::Throttled)).await;
    stage.done(&job(comment("179"))).await;
    let mut waited = Vec::new();
    for attempts in 1..=2 {
        let dm = stage.dm();
        assert_eq!((word(&dm).0, dm.attempts), ("open", attempts));
        assert_eq!(stage.memory.timers.all(), Timer::of(&dm).into_iter().collect::<Vec<_>>());
        waited.push(stage.next_timer().await);
    }
    assert_eq!(waited, [5, 15]);
    let dm = stage.dm();
    assert_eq!((word(&dm).0, dm.attempts), ("failed", 3));
    assert!(word(&dm).1.contains("given up after 3 attempts"), "{dm:?}");
    assert!(stage.memory.timers.all().is_empty());
    assert_eq!(stage.messages().len(), 3);
}

#[tokio::test]
async fn a_retry_that_is_delivered_ends_it() {
    let stage = Stage::new(PUBLIC, |nth, _| match nth {
        0 | 1 => rejected(RejectionKind::Throttled),
        nth => delivered(nth),
    })
    .await;
    stage.done(&job(comment("179"))).await;
    stage.memory.clock.advance(SignedDuration::from_mins(5));
    let due = stage.due();
    assert_eq!(due.len(), 2, "each leg has a timer of its own");
    for timer in &due {
        stage.done(&timer.job()).await;
    }
    // A timer may fire twice.
    for timer in &due {
        stage.done(&timer.job()).await;
    }
    for send in [stage.dm(), stage.send(&reply_of("guide"))] {
        assert_eq!((word(&send).0, send.attempts), ("sent", 2));
    }
    assert_eq!(stage.messages().len(), 4);
    assert!(stage.memory.timers.all().is_empty());
}

#[tokio::test]
async fn what_never_left_costs_no_attempt_and_waits_5_15_and_then_45_minutes() {
    let stage = Stage::new(PLAIN, |nth, _| match nth {
        0..4 => SendOutcome::NotSent(NotSent::Connect),
        nth => delivered(nth),
    })
    .await;
    stage.done(&job(comment("179"))).await;
    let mut waited = Vec::new();
    for not_sent in 1..=4 {
        let dm = stage.dm();
        assert_eq!((word(&dm).0, dm.attempts, dm.not_sent, dm.wake), ("open", 0, not_sent, not_sent));
        waited.push(stage.next_timer().await);
    }
    assert_eq!(waited, [5, 15, 45, 45]);
    assert_eq!((word(&stage.dm()).0, stage.dm().attempts), ("sent", 1));
}

#[tokio::test]
async fn a_wake_before_its_time_goes_back() {
    let stage = Stage::new(PLAIN, |_, _| rejected(RejectionKind::Throttled)).await;
    stage.done(&job(comment("179"))).await;
    let dm = stage.dm();
    stage.memory.clock.set(after(dm.due_at().unwrap(), SignedDuration::from_millis(-1)));
    assert_eq!(stage.handle(&wake(&dm, dm.wake)).await, Handled::Back(Back::Early));
    assert_eq!((stage.dm(), stage.messages().len()), (dm.clone(), 1));
    stage.memory.clock.advance(SignedDuration::from_millis(1));
    stage.done(&wake(&dm, dm.wake)).await;
    assert_eq!(stage.messages().len(), 2);
}

#[tokio::test]
async fn a_wake_that_is_not_the_current_one_sends_nothing() {
    let stage = Stage::new(PLAIN, |_, _| rejected(RejectionKind::Throttled)).await;
    stage.done(&job(comment("179"))).await;
    stage.next_timer().await;
    let dm = stage.dm();
    assert_eq!(dm.wake, 2);
    stage.memory.clock.advance(SignedDuration::from_hours(1));
    for other in [0, 1, 3] {
        stage.done(&wake(&dm, other)).await;
        assert_eq!(stage.dm(), dm, "wake {other}");
    }
    let stranger = SendKey { trigger: comment("180").key(), leg: dm.key.leg.clone() };
    stage.done(&openreply_app::job::Job::Wake { key: stranger, wake: 1 }).await;
    assert_eq!((stage.messages().len(), stage.memory.ledger.all_sends().len()), (2, 1));
}

#[tokio::test]
async fn a_message_sealed_with_another_key_waits_and_names_both_keys() {
    let mut stage = Stage::new(PUBLIC, |nth, _| delivered(nth)).await;
    let right = std::mem::replace(&mut stage.memory.vault, MemoryVault::new("k2"));
    stage.restart([]);
    stage.done(&job(comment("179"))).await;
    for send in [stage.dm(), stage.send(&reply_of("guide"))] {
        let (state, reason) = word(&send);
        assert_eq!((state, send.attempts, send.claim.as_ref()), ("open", 0, None));
        assert!(reason.contains("sealed with key memory") && reason.contains("held here is k2"), "{reason}");
        assert_eq!(send.due_at(), Some(after(stage.now(), SignedDuration::from_mins(5))));
    }
    assert!(stage.messages().is_empty());
    assert_eq!(stage.memory.timers.all().len(), 2);

    // Still the wrong key: longer. Then the right one.
    stage.memory.clock.advance(SignedDuration::from_mins(5));
    for timer in stage.due() {
        stage.done(&timer.job()).await;
    }
    assert_eq!(stage.dm().due_at(), Some(after(stage.now(), SignedDuration::from_mins(15))));
    stage.memory.vault = right;
    stage.restart([]);
    stage.memory.clock.advance(SignedDuration::from_mins(15));
    for timer in stage.due() {
        stage.done(&timer.job()).await;
    }
    assert_eq!(stage.messages().len(), 2);
    assert_eq!((word(&stage.dm()).0, stage.dm().attempts), ("sent", 1));
}
