//! No send begins that the time left cannot finish.

use crate::stage::{BUDGET, PLAIN, PUBLIC, Stage, comment, delivered, job, reply_of, word};
use openreply_app::deliver::{Back, Handled};
use openreply_app::ports::Ledger;
use openreply_domain::send::State;
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::memory::{ManualClock, MemoryHost, MemoryMessenger, memory_host};

const MOMENT: SignedDuration = SignedDuration::from_millis(1);

#[tokio::test]
async fn without_time_for_a_whole_send_nothing_is_claimed() {
    for time in [SignedDuration::from_secs(-1), SignedDuration::ZERO, BUDGET.whole_send() - MOMENT] {
        let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        assert_eq!(stage.handle_within(&job(comment("179")), time).await, Handled::Back(Back::NoTime));
        assert!(stage.writes().is_empty(), "{time:?}: {:?}", stage.writes());
        assert!(stage.memory.ledger.all_sends().is_empty());
        // It comes again, in time.
        assert_eq!(stage.handle_within(&job(comment("179")), BUDGET.whole_send()).await, Handled::Done);
        assert_eq!(word(&stage.dm()).0, "sent");
    }
}

#[tokio::test]
async fn what_was_claimed_too_late_is_not_sent_and_costs_no_attempt() {
    for (short_by, state) in [(SignedDuration::ZERO, "sent"), (MOMENT, "open")] {
        let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        let (clock, start) = (stage.memory.clock.clone(), stage.now());
        let deadline = BUDGET.whole_send();
        stage.before_claim(move || {
            clock.set(after(start, deadline - BUDGET.rest_after_claim() + short_by));
        });
        assert_eq!(stage.handle_within(&job(comment("179")), deadline).await, Handled::Done);
        let dm = stage.dm();
        assert_eq!(word(&dm).0, state, "{dm:?}");
        if state == "sent" {
            continue;
        }
        assert!(stage.messages().is_empty());
        assert_eq!((dm.attempts, dm.not_sent), (0, 1));
        assert!(word(&dm).1.contains("too little time was left"), "{dm:?}");
        assert_eq!(dm.due_at(), Some(after(stage.now(), SignedDuration::from_mins(5))));
        assert_eq!(stage.next_timer().await, 5);
        assert_eq!((word(&stage.dm()).0, stage.messages().len()), ("sent", 1));
    }
}

/// Of the rolling hour's places, which count by the minute of their send.
#[tokio::test]
async fn a_slot_that_is_older_than_thirty_seconds_is_not_used() {
    for (age, state) in
        [(SignedDuration::from_secs(30), "sent"), (SignedDuration::from_secs(30) + MOMENT, "open")]
    {
        let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        let clock = stage.memory.clock.clone();
        stage.before_claim(move || clock.advance(age));
        stage.done(&job(comment("179"))).await;
        let dm = stage.dm();
        assert_eq!((word(&dm).0, dm.attempts), (state, u32::from(state == "sent")), "{age:?}");
        assert_eq!(stage.messages().len(), usize::from(state == "sent"));
        let (gate, _) = stage.memory.ledger.gates(&comment("179").account).await.unwrap();
        assert_eq!(
            gate.slots.used(stage.now()),
            u32::from(state == "sent"),
            "what was not used is given back"
        );
    }
}

#[tokio::test]
async fn a_slow_direct_message_leaves_the_public_reply_to_the_next_invocation() {
    let clock = ManualClock::default();
    let slow = clock.clone();
    let messenger = MemoryMessenger::new(move |nth, _| {
        slow.advance(SignedDuration::from_secs(100));
        delivered(nth)
    });
    let stage = Stage::of(MemoryHost { clock, ..memory_host(1, messenger) }, PUBLIC).await;
    assert_eq!(stage.handle(&job(comment("179"))).await, Handled::Back(Back::NoTime));
    assert_eq!(stage.messages(), [("dm", "Hi anna!".to_owned())]);
    stage.done(&job(comment("179"))).await;
    assert_eq!(stage.messages()[1..], [("public", "Sent!".to_owned())]);
    assert!(matches!(stage.send(&reply_of("guide")).state, State::Sent { .. }));
}
