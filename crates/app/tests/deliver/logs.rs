//! Log lines name the trigger and never what anybody wrote, who wrote it, or a token.

use crate::log;
use crate::stage::{PUBLIC, Stage, comment, delivered, job, rejected};
use openreply_domain::outcome::{Doubt, NotSent, RejectionKind, SendOutcome};
use openreply_testkit::faults::Fault;
use openreply_testkit::memory::MemoryVault;

#[tokio::test]
async fn no_text_no_person_and_no_token_is_logged() {
    let outcomes = [
        delivered(0),
        rejected(RejectionKind::Throttled),
        rejected(RejectionKind::TokenDead),
        SendOutcome::NotSent(NotSent::Connect),
        SendOutcome::Unconfirmed(Doubt::Timeout),
    ];
    let log = log::of(async {
        for outcome in outcomes {
            whatever_happens(&outcome).await;
        }
    })
    .await;
    for told in ["sent", "rejected", "not sent", "unconfirmed", "known duplicate", "cannot send yet"] {
        assert!(log.contains(told), "{told} is not logged: {log}");
    }
    assert!(log.contains("comment:17841400000000001:179"), "{log}");
    for private in ["the LINK please", "Hi anna", "anna", "Sent!", "1234509876", "token-of-the-bakery"] {
        assert!(!log.contains(private), "{private} is logged: {log}");
    }
}

/// Comments that get this answer, and everything that may fail along the way.
async fn whatever_happens(answer: &SendOutcome) {
    let answers = answer.clone();
    let mut stage = Stage::new(PUBLIC, move |_, _| answers.clone()).await;
    for _ in 0..2 {
        stage.done(&job(comment("179"))).await;
    }
    for call in 0..14 {
        stage.restart([(call, Fault::Refuse), (call + 1, Fault::Refuse), (call + 2, Fault::Refuse)]);
        let _ = stage.handle(&job(comment("180"))).await;
    }
    stage.memory.vault = MemoryVault::new("k2");
    stage.restart([]);
    stage.done(&job(comment("181"))).await;
    for entry in stage.memory.queue.taken() {
        let _ = stage.handle(&entry.job).await;
    }
}
