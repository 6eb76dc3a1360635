//! What waits without anybody coming for it, and webhook events that never got onto the queue.

use super::stage::{ON_A_POST, Stage, account};
use openreply_app::apply::apply;
use openreply_app::campaign_file;
use openreply_app::ports::{EventStatus, Fact, Ledger};
use openreply_app::sweep::SweepOrder;
use openreply_domain::gate::{Hold, HoldReason};
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::faults::{Fault as Trouble, FaultPlan};
use openreply_testkit::instagram::Fault;

#[tokio::test]
async fn a_timer_that_was_lost_is_made_up_for_two_minutes_later() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    stage.fail_next(1, &Fault::error(400, 4, None, "slower"));
    stage.tell(&comment).await;
    stage.work().await;
    let waiting = stage.dm(&comment).await.unwrap();
    // Due in five minutes; its timer fires into nothing.
    stage.pass(SignedDuration::from_secs(6 * 60 + 59));
    drop(stage.memory.timers.fire(stage.now()));
    assert_eq!(stage.sweep().await.redriven, 0);
    assert_eq!(stage.status(&comment).await, "PENDING");
    stage.pass(SignedDuration::from_secs(1));
    assert_eq!(stage.sweep().await.redriven, 1);
    assert_eq!(stage.status(&comment).await, "SENT");
    assert_eq!(stage.dm(&comment).await.unwrap().wake, waiting.wake, "its wake is the one it had");
}

/// Lifting it woke nobody: whoever lifted it was cut off.
#[tokio::test]
async fn what_waited_for_a_hold_that_is_over_goes_on() {
    let stage = Stage::new(ON_A_POST).await;
    let ledger = &stage.memory.ledger;
    let (mut gate, _) = ledger.gates(&account()).await.unwrap();
    gate.revision += 1;
    gate.hold = Some(Hold { reason: HoldReason::Permission, since: stage.now(), until: None });
    assert_eq!(ledger.put_gate(&account(), &gate).await.unwrap(), None);
    let comment = stage.comment("900", "LINK");
    stage.tell(&comment).await;
    stage.work().await;
    let summary = stage.sweep().await;
    assert_eq!((summary.redriven, summary.reads), (0, 0), "{summary:?}");
    gate.revision += 1;
    gate.hold = None;
    assert_eq!(ledger.put_gate(&account(), &gate).await.unwrap(), None);
    assert_eq!(stage.sweep().await.redriven, 1);
    assert_eq!(stage.status(&comment).await, "SENT");
}

/// Whoever applied it was cut off before the account's gate heard of it.
#[tokio::test]
async fn a_new_token_that_the_gate_never_heard_of_lifts_the_hold() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    stage.instagram.set_token(&account(), "another".to_owned().into());
    stage.tell(&comment).await;
    stage.work().await;
    assert_eq!(stage.status(&comment).await, "PENDING");
    let file = campaign_file::parse(&ON_A_POST.replace("sweep-token", "another")).unwrap();
    apply(&stage.memory.ledger, &stage.memory.vault, &file, stage.now(), |_| None).await.unwrap();
    stage.pass(SignedDuration::from_mins(5));
    stage.sweep().await;
    assert_eq!((stage.status(&comment).await, stage.inbox("900").len()), ("SENT", 1));
}

#[tokio::test]
async fn a_hold_that_is_over_by_its_time_is_taken_away_and_told_of_once() {
    let stage = Stage::new(ON_A_POST).await;
    let ledger = &stage.memory.ledger;
    let (mut gate, _) = ledger.gates(&account()).await.unwrap();
    gate.revision += 1;
    let until = after(stage.now(), SignedDuration::from_mins(30));
    let hold = Hold { reason: HoldReason::Throttled, since: stage.now(), until: Some(until) };
    gate.hold = Some(hold.clone());
    assert_eq!(ledger.put_gate(&account(), &gate).await.unwrap(), None);
    let comment = stage.comment("900", "LINK");
    stage.tell(&comment).await;
    stage.work().await;
    let released = || -> Vec<Fact> {
        let told = stage.memory.facts.told().into_iter().map(|(_, fact)| fact);
        told.filter(|fact| matches!(fact, Fact::AccountReleased { .. })).collect()
    };
    stage.sweep().await;
    assert_eq!((released(), ledger.gates(&account()).await.unwrap().0.hold), (vec![], Some(hold.clone())));
    stage.pass(SignedDuration::from_mins(30));
    for _ in 0..3 {
        stage.sweep().await;
        assert_eq!(ledger.gates(&account()).await.unwrap().0.hold, None);
        assert_eq!(released(), [Fact::AccountReleased { account: account(), hold: hold.clone() }]);
    }
    assert_eq!((stage.status(&comment).await, stage.sends()), ("SENT", 1));
}

#[tokio::test]
async fn an_event_that_never_got_onto_the_queue_is_put_there_after_two_minutes() {
    let stage = Stage::new(ON_A_POST).await;
    let ledger = &stage.memory.ledger;
    let comment = stage.comment("900", "LINK");
    let event = stage.instagram.comment_event(&comment).unwrap();
    // So that only the event can tell of it.
    stage.apply(&ON_A_POST.replace("18000000000000055", "any")).await;
    let pending = stage.record(&event, "pending").await;
    let failed = stage.record(&event, "failed").await;
    ledger
        .mark_event(&failed, &EventStatus::Failed { why: "the queue refused it".to_owned() })
        .await
        .unwrap();
    let done = stage.record(&event, "done").await;
    ledger.mark_event(&done, &EventStatus::Processed).await.unwrap();
    stage.pass(SignedDuration::from_secs(119));
    assert_eq!(stage.sweep().await.recovered, 0);
    stage.pass(SignedDuration::from_secs(1));
    assert_eq!(stage.sweep().await.recovered, 2);
    assert_eq!((stage.status(&comment).await, stage.sends()), ("SENT", 1));
    for event in ledger.events(pending.received_at).await.unwrap().events {
        assert_eq!(event.status, EventStatus::Processed, "{:?}", event.key);
    }
    stage.pass(SignedDuration::from_mins(5));
    assert_eq!(stage.sweep().await.recovered, 0);
}

/// What a round has no time for is the next round's.
#[tokio::test]
async fn a_round_of_the_stack_ends_with_its_time_and_the_next_one_goes_on() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    let event = stage.instagram.comment_event(&comment).unwrap();
    stage.record(&event, "stuck").await;
    stage.pass(SignedDuration::from_mins(3));
    stage.live().await;
    let sweep = stage.reconciler(SignedDuration::ZERO, &FaultPlan::default());
    let order = SweepOrder { account: None, round: stage.now() };
    let summary = sweep.carry_out(&order, stage.now()).await.unwrap();
    assert_eq!((summary.recovered, summary.errors, summary.notes.len()), (0, 0, 1), "{summary:?}");
    assert_eq!(stage.sweep().await.recovered, 1);
    assert_eq!(stage.status(&comment).await, "SENT");
}

/// Trouble with one minute's events keeps no others from the queue, and the next round makes up for it.
#[tokio::test]
async fn a_minute_that_cannot_be_read_keeps_no_other_from_the_queue() {
    // Three calls, the sixty minutes that a first round catches up with, and the latest.
    let first = 3 + 60;
    let mut recovered = Vec::new();
    for nth in first..first + 14 {
        let stage = Stage::new(ON_A_POST).await;
        for user in ["900", "901"] {
            let comment = stage.comment(user, "LINK");
            stage.record(&stage.instagram.comment_event(&comment).unwrap(), user).await;
            stage.pass(SignedDuration::from_mins(1));
        }
        stage.pass(SignedDuration::from_mins(2));
        stage.live().await;
        let plan = FaultPlan::new([(nth, Trouble::Refuse)]);
        let order = SweepOrder { account: None, round: stage.now() };
        let deadline = after(stage.now(), SignedDuration::from_mins(4));
        let summary =
            stage.reconciler(SignedDuration::ZERO, &plan).carry_out(&order, deadline).await.unwrap();
        assert_eq!(summary.errors, 1, "{summary:?}");
        if plan.calls()[nth] == "events" {
            recovered.push(summary.recovered);
        }
        assert_eq!(stage.sweep().await.recovered, 2 - summary.recovered);
        assert_eq!((stage.inbox("900").len(), stage.inbox("901").len()), (1, 1));
    }
    recovered.sort_unstable();
    // Neither stands in any other minute's way.
    assert!(recovered.starts_with(&[1, 1, 2]), "{recovered:?}");
}

/// After days without a sweep it goes on where it was, and so far that nothing is left out.
#[tokio::test]
async fn an_event_of_days_ago_is_found_by_the_rounds_that_catch_up() {
    let stage = Stage::new(ON_A_POST).await;
    stage.sweep().await;
    let comment = stage.comment("900", "LINK");
    let event = stage.instagram.comment_event(&comment).unwrap();
    stage.record(&event, "old").await;
    stage.pass(SignedDuration::from_hours(24));
    let mut recovered = 0;
    for _ in 0..30 {
        recovered += stage.sweep().await.recovered;
        stage.pass(SignedDuration::from_mins(5));
    }
    assert_eq!((recovered, stage.status(&comment).await), (1, "SENT"));
}
