//! Claims and settles whose writes fail: doubt stays doubt, and nothing is written over another's claim.

use crate::stage::{Calls, PLAIN, Stage, comment, delivered, job, put, rejected, word};
use openreply_app::deliver::{Back, Handled};
use openreply_app::job::Job;
use openreply_app::ports::{Enqueue, Ledger, Timer};
use openreply_domain::delivery::rows;
use openreply_domain::ids::ClaimId;
use openreply_domain::outcome::{Doubt, NotSent, RejectionKind, SendOutcome};
use openreply_domain::send::{Claim, Expect, Leg, Send, SendKey, State};
use openreply_domain::time::SignedDuration;
use openreply_testkit::faults::Fault;
use openreply_testkit::memory::MemoryMessenger;

fn another_claim(send: &Send) -> Send {
    let id = ClaimId::parse("another").unwrap();
    Send { claim: send.claim.clone().map(|claim| Claim { id, ..claim }), ..send.clone() }
}

/// The settle that went onto the queue, which is all that did.
fn queued(stage: &Stage) -> Enqueue {
    let mut taken = stage.memory.queue.taken();
    assert_eq!(taken.len(), 1, "{taken:?}");
    taken.remove(0)
}

/// A comment whose outcome could not be written.
async fn unsettled(outcome: SendOutcome) -> Stage {
    let answer = outcome.clone();
    let mut stage = Stage::new(PLAIN, move |_, _| answer.clone()).await;
    // Both tries fail with their first call after the send.
    let settle = Calls::of(PLAIN, move |_, _| outcome.clone()).await.nth("send", 0) + 1;
    stage.restart([(settle, Fault::Refuse), (settle + 1, Fault::Refuse)]);
    stage.done(&job(comment("179"))).await;
    assert_eq!(stage.plan.calls()[settle + 2..], ["enqueue"]);
    assert_eq!(stage.dm().state, State::Claimed { doubt: None });
    stage.restart([]);
    stage
}

#[tokio::test]
async fn an_outcome_that_cannot_be_written_goes_onto_the_queue_and_is_applied_once() {
    let table = [
        (delivered(0), "sent", 1),
        (rejected(RejectionKind::RecipientUnavailable), "failed", 1),
        (rejected(RejectionKind::Throttled), "open", 1),
        (SendOutcome::NotSent(NotSent::Connect), "open", 0),
        (SendOutcome::Unconfirmed(Doubt::Timeout), "claimed", 1),
    ];
    for (outcome, state, attempts) in table {
        let stage = unsettled(outcome.clone()).await;
        let Enqueue { identity, job: settle } = queued(&stage);
        let dm = stage.dm();
        let claim = dm.claim.clone().unwrap().id;
        assert_eq!(
            settle,
            Job::Settle { key: dm.key.clone(), claim: claim.clone(), outcome: outcome.clone() }
        );
        assert_eq!(identity.group, "17841400000000001:1234509876", "behind the comment, of whoever wrote it");
        assert!(identity.dedup.contains(claim.as_str()), "{identity:?}");
        // Until it comes, the comment is a known duplicate.
        stage.done(&job(comment("179"))).await;

        stage.done(&settle).await;
        let settled = stage.dm();
        assert_eq!((word(&settled).0, settled.attempts), (state, attempts), "{outcome:?}");
        assert_eq!(stage.memory.timers.all(), Timer::of(&settled).into_iter().collect::<Vec<_>>());
        stage.memory.clock.advance(SignedDuration::from_secs(7));
        let again = stage.dm();
        stage.done(&settle).await;
        assert_eq!((stage.dm().state, stage.dm().wake), (again.state, again.wake), "{outcome:?}");
        assert_eq!(stage.messages().len(), 1);
    }
}

#[tokio::test]
async fn a_settle_from_the_queue_that_meets_what_waits_sets_its_timer() {
    let stage = unsettled(rejected(RejectionKind::Throttled)).await;
    let settle = queued(&stage).job;
    stage.done(&settle).await;
    let lost = stage.memory.timers.fire(stage.dm().due_at().unwrap());
    assert_eq!(lost.len(), 1);
    stage.done(&settle).await;
    assert_eq!(stage.memory.timers.all(), lost);
}

#[tokio::test]
async fn a_settle_from_the_queue_comes_again_until_the_ledger_takes_it() {
    let mut stage = unsettled(delivered(0)).await;
    let settle = queued(&stage).job;
    for call in [0, 1] {
        stage.restart([(call, Fault::Refuse)]);
        let handled = stage.handle(&settle).await;
        assert!(matches!(handled, Handled::Back(Back::Ledger(_))), "call {call}: {handled:?}");
    }
    stage.done(&settle).await;
    assert_eq!(word(&stage.dm()).0, "sent");
}

#[tokio::test]
async fn a_settle_from_the_queue_touches_no_claim_but_its_own() {
    let outcomes = [delivered(0), rejected(RejectionKind::Throttled), SendOutcome::NotSent(NotSent::Dns)];
    for outcome in outcomes {
        let stage = unsettled(outcome).await;
        let settle = queued(&stage).job;
        let dm = stage.dm();
        let own = dm.claim.clone().unwrap().id;
        let theirs = another_claim(&dm);
        stage.put(&theirs, &Expect::Claimed(own));
        stage.done(&settle).await;
        assert_eq!(stage.dm(), theirs, "theirs is in the air");
        let failed = Send { state: State::Failed { reason: "theirs".to_owned() }, ..theirs };
        stage.put(&failed, &Expect::Claimed(ClaimId::parse("another").unwrap()));
        stage.done(&settle).await;
        assert_eq!(stage.dm(), failed, "theirs is settled");
        assert!(stage.memory.timers.all().is_empty());
    }
    let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    let key = SendKey { trigger: comment("179").key(), leg: Leg::Dm };
    let claim = ClaimId::parse("nobodys").unwrap();
    stage.done(&Job::Settle { key, claim, outcome: delivered(0) }).await;
    assert!(stage.memory.ledger.all_sends().is_empty(), "a settle makes no Send");
}

#[tokio::test]
async fn a_claim_that_was_superseded_while_its_send_was_in_the_air_settles_nothing() {
    for outcome in [delivered(0), rejected(RejectionKind::Throttled)] {
        let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        let ledger = stage.memory.ledger.clone();
        stage.memory.messenger = MemoryMessenger::new(move |_, _| {
            let ours = ledger.all_sends().remove(0);
            let own = ours.claim.clone().unwrap().id;
            put(&ledger, &another_claim(&ours), &Expect::Claimed(own));
            outcome.clone()
        });
        stage.restart([]);
        stage.done(&job(comment("179"))).await;
        let dm = stage.dm();
        assert_eq!((&dm.state, dm.claim.unwrap().id.as_str()), (&State::Claimed { doubt: None }, "another"));
        assert!(stage.memory.queue.taken().is_empty() && stage.memory.timers.all().is_empty());
    }
}

#[tokio::test]
async fn a_settle_whose_answer_is_lost_finds_itself() {
    let throttled = rejected(RejectionKind::Throttled);
    for (outcome, write, state) in
        [(delivered(0), ("put_send", 1), "sent"), (throttled, ("put_send_with", 0), "open")]
    {
        let answer = outcome.clone();
        let mut stage = Stage::new(PLAIN, move |_, _| answer.clone()).await;
        let settle = Calls::of(PLAIN, move |_, _| outcome.clone()).await.nth(write.0, write.1);
        stage.restart([(settle, Fault::LoseAnswer)]);
        stage.done(&job(comment("179"))).await;
        let dm = stage.dm();
        assert_eq!((word(&dm).0, dm.wake), (state, u32::from(state == "open")));
        assert_eq!(stage.memory.timers.all(), Timer::of(&dm).into_iter().collect::<Vec<_>>());
        assert!(stage.memory.queue.taken().is_empty());
    }
}

#[tokio::test]
async fn an_outcome_that_nobody_could_keep_stays_in_doubt_and_is_never_repeated() {
    // The queue does not answer, or refuses.
    for unreachable in [true, false] {
        let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        if !unreachable {
            stage.memory.queue.refuse(|_| Some("InternalError".to_owned()));
        }
        let settle = Calls::of(PLAIN, |nth, _| delivered(nth)).await.nth("send", 0) + 1;
        let faults = [settle, settle + 1].into_iter().chain(unreachable.then_some(settle + 2));
        stage.restart(faults.map(|call| (call, Fault::Refuse)));
        stage.done(&job(comment("179"))).await;
        stage.restart([]);
        for _ in 0..10 {
            stage.done(&job(comment("179"))).await;
        }
        assert_eq!(stage.messages().len(), 1);
        let row = &rows(&stage.dm(), |_| false)[0];
        assert_eq!(row.status, "UNCONFIRMED");
        assert!(row.reason.as_deref().unwrap().contains("Instagram inbox"), "{row:?}");
    }
}

#[tokio::test]
async fn a_claim_whose_answer_is_lost_is_won_and_one_that_stays_lost_is_not_sent() {
    let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    let claim = Calls::of(PLAIN, |nth, _| delivered(nth)).await.nth("put_send", 0);
    stage.restart([(claim, Fault::LoseAnswer)]);
    stage.done(&job(comment("179"))).await;
    assert_eq!((word(&stage.dm()).0, stage.dm().attempts, stage.messages().len()), ("sent", 1, 1));

    let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    stage.restart([(claim, Fault::LoseAnswer), (claim + 1, Fault::LoseAnswer)]);
    let handled = stage.handle(&job(comment("179"))).await;
    assert!(matches!(handled, Handled::Back(Back::Ledger(_))), "{handled:?}");
    stage.done(&job(comment("179"))).await;
    assert!(stage.messages().is_empty(), "it may be another's: it is left alone");
    assert_eq!(rows(&stage.dm(), |_| false)[0].status, "UNCONFIRMED");
}

#[tokio::test]
async fn trouble_before_the_claim_brings_the_comment_back_with_nothing_taken() {
    let claim = Calls::of(PLAIN, |nth, _| delivered(nth)).await.nth("put_send", 0);
    for call in 0..claim {
        let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        stage.restart([(call, Fault::Refuse)]);
        let handled = stage.handle(&job(comment("179"))).await;
        assert!(matches!(handled, Handled::Back(Back::Ledger(_))), "{handled:?}");
        assert!(stage.memory.ledger.all_sends().is_empty() && stage.messages().is_empty());
        stage.done(&job(comment("179"))).await;
        assert_eq!(stage.messages().len(), 1);
    }
}

/// A claim that cannot be written gives its slot back, and counts as no message to its person: five such tries do not
/// blow their fuse.
#[tokio::test]
async fn trouble_with_a_claim_costs_no_slot_and_no_part_of_the_fuse() {
    let claim = Calls::of(PLAIN, |nth, _| delivered(nth)).await.nth("put_send", 0);
    let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    for _ in 0..6 {
        // The claim and its second try.
        stage.restart([(claim, Fault::Refuse), (claim + 1, Fault::Refuse)]);
        let handled = stage.handle(&job(comment("179"))).await;
        assert!(matches!(handled, Handled::Back(Back::Ledger(_))), "{handled:?}");
    }
    let account = comment("179").account;
    let (gate, _) = stage.memory.ledger.gates(&account).await.unwrap();
    assert_eq!((gate.slots.used(stage.now()), gate.people.is_empty()), (0, true));
    stage.done(&job(comment("179"))).await;
    assert_eq!(stage.messages().len(), 1);
}
