//! Which match a comment goes on with, and that its legs stand on their own.

use crate::stage::{
    ACCOUNT, Calls, PLAIN, PUBLIC, Stage, comment, delivered, job, place, put, rejected, reply_of, word,
};
use openreply_app::job::Job;
use openreply_app::ports::Outbound;
use openreply_domain::ids::{AccountId, CommentId, MessageId, UserId};
use openreply_domain::outcome::{Doubt, NotSent, RejectionKind, SendOutcome};
use openreply_domain::send::{Expect, Send};
use openreply_domain::trigger::{Comment, Message, Tap, Trigger};
use openreply_testkit::faults::Fault;
use openreply_testkit::memory::{MemoryMessenger, memory_host};
use std::collections::BTreeSet;

const OLD: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: token-of-the-bakery }]
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "Old", public_replies: [o0, o1, o2, o3] }
"#;

/// Another campaign stands first and would win now; the old one says something else.
const NEW: &str = r#"
accounts: [{ id: "17841400000000001", username: bakery, token: token-of-the-bakery }]
campaigns:
  - { id: first, account: "17841400000000001", keywords: [LINK], dm: "First", public_replies: [f0] }
  - { id: guide, account: "17841400000000001", keywords: [LINK], dm: "New", public_replies: [n0, n1] }
"#;

#[tokio::test]
async fn a_redelivery_after_an_edit_goes_on_with_the_old_match() {
    let mut variations = BTreeSet::new();
    for seed in 0..16 {
        let script = |nth, _: &Outbound| match nth {
            0 => SendOutcome::NotSent(NotSent::Connect),
            nth => delivered(nth),
        };
        let mut stage = Stage::of(memory_host(seed, MemoryMessenger::new(script)), OLD).await;
        // The direct message waits for a retry; the process ends before it claims the public reply.
        stage.restart([(Calls::of(OLD, script).await.nth("put_send", 1), Fault::CrashBefore)]);
        stage.crash(&job(comment("179"))).await;
        assert_eq!((word(&stage.dm()).0, stage.memory.ledger.all_sends().len()), ("open", 1));
        let promised = stage.dm().matched.unwrap().public_replies[0].variation;

        stage.apply(NEW).await;
        stage.restart([]);
        if seed % 2 == 0 {
            // This environment knows the new campaigns already.
            stage.done(&job(Comment { from: UserId::parse("7").unwrap(), ..comment("180") })).await;
        }
        let before = stage.messages().len();
        stage.done(&job(comment("179"))).await;
        let on_the_old = |stage: &Stage| -> Vec<Send> {
            let sends = stage.memory.ledger.all_sends();
            sends.into_iter().filter(|send| send.key.trigger == comment("179").key()).collect()
        };
        assert_eq!(stage.messages()[before..], [("public", format!("o{promised}"))]);
        stage.next_timer().await;
        assert_eq!(stage.messages()[before + 1..], [("dm", "Old".to_owned())]);
        stage.done(&job(comment("179"))).await;
        assert_eq!(stage.messages().len(), before + 2);
        let sends = on_the_old(&stage);
        assert_eq!(sends.len(), 2, "what matches now owes nothing for an old comment: {sends:?}");
        assert!(
            sends.iter().all(|send| send.campaign.as_ref().unwrap().version == 1 && word(send).0 == "sent"),
            "{sends:?}"
        );
        variations.insert(promised);
    }
    assert_eq!(variations.len(), 4, "every variation was promised once at least");
}

#[tokio::test]
async fn a_comment_that_another_invocation_took_goes_on_with_the_match_that_stands() {
    let now_two = NEW.replace("[n0, n1]", "[n0, n1, n2, n3, n4, n5, n6, n7, n8, n9]");
    let then_one: Vec<&str> = now_two.lines().filter(|line| !line.contains("id: first")).collect();
    // Theirs was made when `guide` stood alone, and its message is in the air.
    let other = memory_host(2, MemoryMessenger::default());
    let mut other = Stage::of(other, &then_one.join("\n")).await;
    let calls = Calls::of(&then_one.join("\n"), |nth, _| delivered(nth)).await;
    other.restart([(calls.nth("send", 0), Fault::CrashBefore)]);
    other.crash(&job(comment("179"))).await;
    let theirs = other.dm();
    let promised = theirs.matched.as_ref().unwrap().public_replies[0].variation;

    let stage = Stage::new(&now_two, |nth, _| delivered(nth)).await;
    let (ledger, standing) = (stage.memory.ledger.clone(), theirs.clone());
    stage.before_claim(move || put(&ledger, &standing, &Expect::Absent));
    stage.done(&job(comment("179"))).await;
    assert_eq!(stage.dm(), theirs, "it is theirs to settle");
    assert_eq!(stage.messages(), [("public", format!("n{promised}"))]);
    assert_eq!(stage.memory.ledger.all_sends().len(), 2);
}

#[tokio::test]
async fn what_rests_takes_no_new_comment() {
    let resting = PLAIN.replace("dm: \"Hi", "active: false, dm: \"Hi");
    let gone = PLAIN.split("  - ").next().unwrap().replace("campaigns:", "campaigns: []");
    let unbound = PLAIN.replace("dm: \"Hi", "post: next_reel, dm: \"Hi");
    for edited in [resting, gone, unbound] {
        let mut stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
        stage.done(&job(comment("179"))).await;
        stage.apply(&edited).await;
        stage.restart([]);
        stage.done(&job(comment("180"))).await;
        assert!(stage.writes().is_empty(), "{edited}: {:?}", stage.writes());
        assert_eq!(stage.messages().len(), 1);
        assert_eq!(stage.memory.ledger.all_sends().len(), 1, "what matches nothing has no row");
    }
}

#[tokio::test]
async fn a_comment_on_an_unknown_account_is_done_with() {
    let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    let stranger = Comment { account: AccountId::parse("17841400000000009").unwrap(), ..comment("179") };
    stage.done(&job(stranger)).await;
    assert!(stage.writes().is_empty(), "{:?}", stage.writes());
    assert!(stage.memory.ledger.all_sends().is_empty() && stage.messages().is_empty());
}

#[tokio::test]
async fn taps_and_messages_that_mean_nothing_send_nothing() {
    let stage = Stage::new(PLAIN, |nth, _| delivered(nth)).await;
    let (account, from) = (AccountId::parse(ACCOUNT).unwrap(), UserId::parse("900").unwrap());
    let id = MessageId::parse("mid.in").unwrap();
    let tap = Tap {
        account: account.clone(),
        id: id.clone(),
        from: from.clone(),
        payload: "LINK".to_owned(),
        at: None,
    };
    let message = Message { account, id, from, text: Some("LINK".to_owned()), at: None };
    for trigger in [Trigger::Tap(tap), Trigger::Message(message)] {
        stage.done(&Job::Ingested { trigger, received_at: stage.now() }).await;
    }
    assert!(stage.memory.ledger.all_sends().is_empty() && stage.messages().is_empty());
}

#[tokio::test]
async fn every_match_publishes_and_the_first_alone_writes() {
    let stage = Stage::new(NEW, |nth, _| delivered(nth)).await;
    stage.done(&job(comment("179"))).await;
    let mut messages = stage.messages();
    let variation = stage.send(&reply_of("guide")).variation;
    assert_eq!(messages.remove(0), ("dm", "First".to_owned()));
    assert_eq!(messages, [("public", "f0".to_owned()), ("public", format!("n{variation}"))]);
    let dm = stage.dm();
    let losers: Vec<String> = dm.matched.unwrap().losers.iter().map(|l| l.id.to_string()).collect();
    assert_eq!(losers, ["guide"]);
    assert!(stage.memory.ledger.all_sends().iter().all(|send| word(send).0 == "sent"));
}

#[tokio::test]
async fn under_a_reply_nothing_is_published() {
    let stage = Stage::new(PUBLIC, |nth, _| delivered(nth)).await;
    let reply = Comment { parent: Some(CommentId::parse("178").unwrap()), ..comment("179") };
    for _ in 0..2 {
        stage.done(&job(reply.clone())).await;
    }
    assert_eq!(stage.messages(), [("dm", "Hi anna!".to_owned())]);
    assert_eq!(stage.memory.ledger.all_sends().len(), 1);
}

/// Whatever becomes of one leg, the other goes out once.
#[tokio::test]
async fn one_leg_neither_blocks_nor_repeats_the_other() {
    let table = [
        (rejected(RejectionKind::RecipientUnavailable), "failed"),
        (rejected(RejectionKind::Throttled), "open"),
        (SendOutcome::NotSent(NotSent::Tls), "open"),
        (SendOutcome::Unconfirmed(Doubt::Timeout), "claimed"),
    ];
    for (outcome, state) in table {
        for (unlucky, lucky) in [("dm", "public"), ("public", "dm")] {
            let answer = outcome.clone();
            let stage = Stage::new(PUBLIC, move |nth, message| {
                if place(&message.to) == unlucky { answer.clone() } else { delivered(nth) }
            })
            .await;
            for _ in 0..3 {
                stage.done(&job(comment("179"))).await;
            }
            let send = |leg: &str| match leg {
                "dm" => stage.dm(),
                _ => stage.send(&reply_of("guide")),
            };
            assert_eq!(word(&send(unlucky)).0, state, "{outcome:?}");
            assert_eq!(word(&send(lucky)).0, "sent", "{outcome:?}");
            assert_eq!(stage.messages().len(), 2, "each was tried once: {outcome:?}");
        }
    }
}

/// A webhook may name the account by another id than its own; its name is nobody else's.
#[tokio::test]
async fn a_comment_of_the_account_itself_is_known_by_its_name_too() {
    let stage = Stage::of(memory_host(1, MemoryMessenger::default()), OLD).await;
    for (id, username, messages) in [("179", "Bakery", 0), ("180", "baker", 2)] {
        stage.done(&job(Comment { username: Some(username.to_owned()), ..comment(id) })).await;
        assert_eq!(stage.messages().len(), messages, "{username}");
    }
}
