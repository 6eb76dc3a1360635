//! What waits has a timer, whoever crashed before it was set.

use crate::stage::{
    Calls, PLAIN, PUBLIC, Stage, comment, delivered, job, put, rejected, reply_of, wake, word,
};
use openreply_app::deliver::{Back, Handled};
use openreply_app::ports::{Timer, TimerError};
use openreply_domain::outcome::{RejectionKind, SendOutcome};
use openreply_domain::send::{Expect, Send};
use openreply_domain::time::SignedDuration;
use openreply_testkit::faults::Fault;
use openreply_testkit::memory::{MemoryMessenger, memory_host};

fn throttled_first(nth: usize) -> SendOutcome {
    if nth == 0 { rejected(RejectionKind::Throttled) } else { delivered(nth) }
}

/// A comment whose direct message waits, and whose process ended before the timer was set.
async fn without_timer(file: &str) -> Stage {
    let mut stage = Stage::new(file, |nth, _| throttled_first(nth)).await;
    let calls = Calls::of(file, |nth, _| throttled_first(nth)).await;
    stage.restart([(calls.nth("set_timer", 0), Fault::CrashBefore)]);
    stage.crash(&job(comment("179"))).await;
    assert_eq!(word(&stage.dm()).0, "open");
    assert!(stage.memory.timers.all().is_empty());
    stage.restart([]);
    stage
}

#[tokio::test]
async fn a_redelivered_comment_that_meets_what_waits_sets_its_timer_and_does_not_send() {
    for later in [0, 60] {
        let stage = without_timer(PLAIN).await;
        stage.memory.clock.advance(SignedDuration::from_mins(later));
        let waiting = stage.dm();
        for _ in 0..2 {
            stage.done(&job(comment("179"))).await;
        }
        assert_eq!((stage.dm(), stage.messages().len()), (waiting.clone(), 1));
        assert_eq!(stage.memory.timers.all(), [Timer::of(&waiting).unwrap()]);
        stage.memory.clock.advance(SignedDuration::from_mins(5));
        for timer in stage.due() {
            stage.done(&timer.job()).await;
        }
        assert_eq!(word(&stage.dm()).0, "sent");
    }
}

#[tokio::test]
async fn a_stale_wake_that_meets_what_waits_sets_its_timer() {
    let stage = without_timer(PLAIN).await;
    stage.done(&wake(&stage.dm(), 0)).await;
    assert_eq!(stage.memory.timers.all(), [Timer::of(&stage.dm()).unwrap()]);
    assert_eq!(stage.messages().len(), 1);
}

#[tokio::test]
async fn a_timer_that_cannot_be_set_brings_the_comment_back_until_it_is() {
    for fault in [Fault::Refuse, Fault::LoseAnswer] {
        let mut stage = Stage::new(PUBLIC, |nth, _| throttled_first(nth)).await;
        let calls = Calls::of(PUBLIC, |nth, _| throttled_first(nth)).await;
        stage.restart([(calls.nth("set_timer", 0), fault)]);
        let error = TimerError("a fault of the plan".to_owned());
        assert_eq!(stage.handle(&job(comment("179"))).await, Handled::Back(Back::Timer(error)));
        stage.done(&job(comment("179"))).await;
        assert_eq!(stage.memory.timers.all(), [Timer::of(&stage.dm()).unwrap()]);
        assert_eq!(word(&stage.send(&reply_of("guide"))).0, "sent");
        assert_eq!(stage.messages().len(), 2);
    }
}

/// Another invocation let it wait after this one read that there was nothing, and may have ended before its timer
/// was set.
#[tokio::test]
async fn a_first_claim_that_is_lost_to_what_waits_sets_its_timer() {
    let parked = without_timer(PLAIN).await.dm();
    let stage = Stage::of(memory_host(2, MemoryMessenger::default()), PLAIN).await;
    let (ledger, theirs) = (stage.memory.ledger.clone(), parked.clone());
    stage.before_claim(move || put(&ledger, &theirs, &Expect::Absent));
    stage.done(&job(comment("179"))).await;
    assert!(stage.messages().is_empty());
    assert_eq!(stage.memory.timers.all(), [Timer::of(&parked).unwrap()]);
}

/// The same for a wake: another took its turn, and lets it wait for the next.
#[tokio::test]
async fn a_wake_whose_claim_is_lost_to_what_waits_sets_its_timer() {
    let stage = without_timer(PLAIN).await;
    let parked = stage.dm();
    stage.memory.clock.advance(SignedDuration::from_mins(5));
    let later = Send { wake: parked.wake + 1, ..parked.clone() };
    let (ledger, theirs, read) = (stage.memory.ledger.clone(), later.clone(), parked.wake);
    stage.before_claim(move || put(&ledger, &theirs, &Expect::Open { wake: read }));
    stage.done(&wake(&parked, parked.wake)).await;
    assert_eq!(stage.messages().len(), 1);
    assert_eq!(stage.memory.timers.all(), [Timer::of(&later).unwrap()]);
}
