//! Log lines name the trigger and never what anybody wrote, who wrote it, or a token.

use crate::log::Log;
use crate::stage::{PUBLIC, Stage, comment, delivered, job, rejected};
use openreply_domain::outcome::{Doubt, NotSent, RejectionKind, SendOutcome};
use openreply_testkit::faults::Fault;
use openreply_testkit::memory::MemoryVault;

#[tokio::test(flavor = "current_thread")]
async fn no_text_no_person_and_no_token_is_logged() {
    let (log, _guard) = Log::listen();
    let outcomes = [
        delivered(0),
        rejected(RejectionKind::Throttled),
        rejected(RejectionKind::TokenDead),
        SendOutcome::NotSent(NotSent::Connect),
        SendOutcome::Unconfirmed(Doubt::Timeout),
    ];
    for outcome in outcomes {
        let answer = outcome.clone();
        let mut stage = Stage::new(PUBLIC, move |_, _| answer.clone()).await;
        stage.done(&job(comment("179"))).await;
        stage.done(&job(comment("179"))).await;
        // Whatever fails along the way.
        for call in 0..8 {
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

    let log = log.text();
    for told in ["sent", "rejected", "not sent", "unconfirmed", "known duplicate", "cannot send yet"] {
        assert!(log.contains(told), "{told} is not logged: {log}");
    }
    assert!(log.contains("comment:17841400000000001:179"), "{log}");
    for private in ["the LINK please", "Hi anna", "anna", "Sent!", "1234509876", "token-of-the-bakery"] {
        assert!(!log.contains(private), "{private} is logged: {log}");
    }
}
