//! Sends in doubt: settled by evidence, left alone without, and a person's to decide.

use super::stage::{ON_A_POST, ON_ANY, POST, Stage, account, delivered_in_doubt, dm, lost_in_doubt};
use openreply_app::ports::{Ledger, Written};
use openreply_app::resolve::{ResolveError, evidence, find, resolve};
use openreply_app::sweep::SweepOrder;
use openreply_domain::ids::{ClaimId, CommentId, UserId};
use openreply_domain::send::{Claim, Decision, Expect, Leg, SendKey, State, Unresolvable};
use openreply_domain::time::{SignedDuration, after};
use openreply_graph::{Graph, GraphConfig};
use openreply_testkit::faults::FaultPlan;
use openreply_testkit::instagram::CallKind;
use openreply_testkit::memory::MemoryHost;

const OLD: SignedDuration = SignedDuration::from_mins(3);

/// A comment whose message is in doubt.
async fn in_doubt(stage: &Stage, user: &str, delivered: bool) -> CommentId {
    let comment = stage.comment(user, "LINK");
    stage.fail_next(1, &if delivered { delivered_in_doubt() } else { lost_in_doubt() });
    stage.tell(&comment).await;
    stage.work().await;
    assert_eq!(stage.status(&comment).await, "UNCONFIRMED");
    comment
}

async fn decide(stage: &Stage, comment: &CommentId, decision: Decision) -> Result<(), ResolveError> {
    let memory = &stage.memory;
    let key = dm(comment);
    resolve(&memory.ledger, &memory.queue, &memory.facts, &key, decision, "mia", stage.now()).await.map(drop)
}

#[tokio::test]
async fn what_arrived_is_found_and_carries_its_message() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", true).await;
    let summary = stage.sweep().await;
    assert_eq!((summary.looked_up, summary.settled, summary.errors), (1, 1, 0), "{summary:?}");
    let row = stage.row(&comment).await.unwrap();
    let inbox = stage.instagram.inbox(&account(), &UserId::parse("900").unwrap());
    assert_eq!((row.status, row.message_id), ("SENT", Some(inbox[0].id.to_string())));
    assert_eq!(stage.sends(), 1);
}

#[tokio::test]
async fn a_public_reply_that_arrived_is_found_too() {
    let stage = Stage::new(ON_ANY).await;
    let comment = stage.comment("900", "LINK");
    stage.instagram.fail_next_of(CallKind::PublicReply, 1, &delivered_in_doubt());
    stage.tell(&comment).await;
    stage.work().await;
    assert_eq!(stage.sweep().await.settled, 1);
    let leg = Leg::PublicReply("guide".to_owned().try_into().unwrap());
    let trigger = dm(&comment).trigger;
    let reply = stage.memory.ledger.sends(&trigger, &[leg]).await.unwrap().pop().unwrap();
    let shown = stage.instagram.replies(&comment);
    assert!(matches!(reply.state, State::Sent { message_id: Some(_) }), "{reply:?}");
    assert_eq!(shown.len(), 1);
}

/// Under a comment that hundreds have replied to, ours is on no first page.
#[tokio::test]
async fn a_public_reply_at_the_end_of_a_long_thread_is_found_too() {
    let stage = Stage::new(ON_ANY).await;
    let comment = stage.comment("900", "LINK");
    for n in 0..130 {
        stage.comment_on(POST, &format!("{}", 1000 + n), "me too", Some(&comment));
    }
    stage.instagram.fail_next_of(CallKind::PublicReply, 1, &delivered_in_doubt());
    stage.tell(&comment).await;
    stage.work().await;
    let leg = Leg::PublicReply("guide".to_owned().try_into().unwrap());
    let key = SendKey { trigger: dm(&comment).trigger, leg };
    let reply = find(&stage.memory.ledger, &key).await.unwrap();
    let shown = evidence(&stage.memory.ledger, &stage.memory.vault, &stage.graph, &reply).await.unwrap();
    assert_eq!((shown.fitting.len(), shown.shown.len()), (1, 131));
    // Of a thread that cannot be read whole nothing is proved.
    stage.instagram.use_up(76);
    assert_eq!(stage.sweep().await.settled, 0);
    stage.instagram.use_up(1);
    stage.pass(SignedDuration::from_hours(1));
    assert_eq!(stage.sweep().await.settled, 1);
}

/// Looked for at growing pauses for a day, and then not any more; never repeated, until a person releases it: then it
/// goes out once.
#[tokio::test]
async fn what_did_not_arrive_stays_until_a_person_releases_it() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", false).await;
    let young = decide(&stage, &comment, Decision::Release).await;
    assert!(matches!(young, Err(ResolveError::Unresolvable(Unresolvable::Young { .. }))), "{young:?}");
    let mut looks = 0;
    for _ in 0..(26 * 12) {
        looks += stage.sweep().await.looked_up;
        stage.tell(&comment).await;
        stage.work().await;
        stage.pass(SignedDuration::from_mins(5));
    }
    assert_eq!((looks, stage.sends(), stage.status(&comment).await), (9, 1, "UNCONFIRMED"));

    decide(&stage, &comment, Decision::Release).await.unwrap();
    for _ in 0..3 {
        stage.work().await;
        stage.sweep().await;
        stage.pass(SignedDuration::from_mins(5));
    }
    assert_eq!(
        (stage.sends(), stage.inbox("900"), stage.status(&comment).await),
        (2, vec!["The guide".into()], "SENT")
    );
    let resolved = stage.dm(&comment).await.unwrap().resolved.unwrap();
    assert_eq!((resolved.by.as_str(), resolved.decision), ("mia", Decision::Release));
    let again = decide(&stage, &comment, Decision::Release).await;
    assert!(matches!(again, Err(ResolveError::Unresolvable(Unresolvable::NotInDoubt))), "{again:?}");
}

#[tokio::test]
async fn a_person_who_saw_it_says_so() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", false).await;
    decide(&stage, &comment, Decision::Sent).await.unwrap();
    stage.pass(OLD);
    stage.sweep().await;
    let row = stage.row(&comment).await.unwrap();
    assert_eq!((row.status, row.message_id, stage.sends()), ("SENT", None, 1));
    let unknown = decide(&stage, &stage.comment("901", "hello"), Decision::Sent).await;
    assert!(matches!(unknown, Err(ResolveError::Unknown)), "{unknown:?}");
}

/// What a person calls sent goes on as if it had been settled: its follow-up comes in its time, found by a sweep.
#[tokio::test]
async fn a_follow_up_follows_what_a_person_called_sent() {
    let campaigns = ON_A_POST.replace(
        r#"dm: "The guide""#,
        r#"dm: "The guide", follow_up: { text: "Did it help?", after_minutes: 60 }"#,
    );
    let stage = Stage::new(&campaigns).await;
    let comment = in_doubt(&stage, "900", true).await;
    stage.instagram.message(&account(), &UserId::parse("900").unwrap(), None, "thanks");
    decide(&stage, &comment, Decision::Sent).await.unwrap();
    let follow_ups = || {
        let sends = stage.memory.ledger.all_sends();
        sends.into_iter().filter(|send| send.key.leg == Leg::FollowUp).collect::<Vec<_>>()
    };
    assert_eq!(follow_ups().len(), 1);
    stage.pass(SignedDuration::from_mins(61));
    assert_eq!(stage.sweep().await.redriven, 0);
    stage.pass(SignedDuration::from_mins(1));
    assert_eq!(stage.sweep().await.redriven, 1);
    assert!(!matches!(follow_ups()[0].state, State::Open { .. }), "{:?}", follow_ups()[0].state);
}

/// Somebody released what had arrived, and of the second call nobody knows either: the first one's message proves it.
#[tokio::test]
async fn a_message_of_a_released_attempt_proves_a_later_doubt() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", true).await;
    stage.pass(SignedDuration::from_mins(20));
    stage.fail_next(1, &lost_in_doubt());
    decide(&stage, &comment, Decision::Release).await.unwrap();
    stage.work().await;
    assert_eq!((stage.status(&comment).await, stage.sends()), ("UNCONFIRMED", 2));
    assert_eq!(stage.sweep().await.settled, 1);
    let row = stage.row(&comment).await.unwrap();
    assert!(row.status == "SENT" && row.message_id.is_some(), "{row:?}");
    assert_eq!(stage.inbox("900").len(), 1);
}

/// Who decides has a name that can be read later.
#[tokio::test]
async fn whoever_decides_has_a_name() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", false).await;
    stage.pass(SignedDuration::from_mins(20));
    let MemoryHost { ledger, queue, facts, .. } = &stage.memory;
    let long = "x".repeat(101);
    for (by, taken) in [("", false), ("  ", false), (long.as_str(), false), (" mia ", true)] {
        let decided = resolve(ledger, queue, facts, &dm(&comment), Decision::Sent, by, stage.now()).await;
        assert_eq!(decided.is_ok(), taken, "{by:?}");
    }
    assert_eq!(stage.row(&comment).await.unwrap().reason.as_deref(), Some("mia called it sent"));
}

/// One settles, one stays: the clocks tell which of the two it was.
#[tokio::test]
async fn of_two_with_the_same_text_the_delivered_one_settles() {
    let stage = Stage::new(ON_A_POST).await;
    let delivered = in_doubt(&stage, "900", true).await;
    stage.pass(SignedDuration::from_secs(90));
    let lost = in_doubt(&stage, "900", false).await;
    assert_eq!(stage.sweep().await.settled, 1);
    stage.pass(SignedDuration::from_hours(1));
    assert_eq!(stage.sweep().await.settled, 0);
    assert_eq!((stage.status(&delivered).await, stage.status(&lost).await), ("SENT", "UNCONFIRMED"));
    assert_eq!(stage.inbox("900").len(), 1);
}

/// Within the same minute nothing tells which of the two it was.
#[tokio::test]
async fn two_that_one_message_fits_both_stay() {
    let stage = Stage::new(ON_A_POST).await;
    let first = in_doubt(&stage, "900", true).await;
    let second = in_doubt(&stage, "900", false).await;
    stage.pass(SignedDuration::from_hours(2));
    assert_eq!(stage.sweep().await.settled, 0);
    assert_eq!((stage.status(&first).await, stage.status(&second).await), ("UNCONFIRMED", "UNCONFIRMED"));
}

/// The message of a comment that was answered is no proof for another one.
#[tokio::test]
async fn a_message_that_another_send_has_proves_nothing() {
    let stage = Stage::new(ON_A_POST).await;
    let sent = stage.comment("900", "LINK");
    stage.tell(&sent).await;
    stage.work().await;
    let lost = in_doubt(&stage, "900", false).await;
    assert_eq!(stage.sweep().await.settled, 0);
    assert_eq!((stage.status(&sent).await, stage.status(&lost).await), ("SENT", "UNCONFIRMED"));
}

/// The index does not list yet what was sent a moment ago: its message would prove another Send.
#[tokio::test]
async fn a_message_proves_nothing_while_an_index_may_lag_behind_it() {
    let lag = SignedDuration::from_secs(30);
    for (index_lag, settled) in [(lag, 0), (SignedDuration::ZERO, 1)] {
        let stage = Stage::new(ON_A_POST).await;
        let lost = in_doubt(&stage, "900", false).await;
        let sent = stage.comment("900", "LINK");
        stage.tell(&sent).await;
        stage.work().await;
        assert_eq!(stage.status(&sent).await, "SENT");
        stage.memory.ledger.unlist(&dm(&sent), true);
        stage.pass(SignedDuration::from_secs(29));
        stage.live().await;
        let sweep = stage.reconciler(index_lag, &FaultPlan::default());
        let order = || SweepOrder { account: Some(account()), round: stage.now() };
        let deadline = after(stage.now(), SignedDuration::from_mins(4));
        // Without the lag it would be: that is what it is for.
        assert_eq!(sweep.carry_out(&order(), deadline).await.unwrap().settled, settled, "{index_lag}");
        if settled == 1 {
            continue;
        }
        stage.memory.ledger.unlist(&dm(&sent), false);
        for _ in 0..12 {
            stage.pass(SignedDuration::from_mins(5));
            assert_eq!(stage.sweep().await.settled, 0);
        }
        assert_eq!(stage.status(&lost).await, "UNCONFIRMED");
    }
}

/// What is too young to prove anything proves it one look later.
#[tokio::test]
async fn what_arrived_a_moment_ago_is_found_by_a_later_look() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", true).await;
    stage.live().await;
    let mut settled = Vec::new();
    for _ in 0..3 {
        let sweep = stage.reconciler(SignedDuration::from_secs(30), &FaultPlan::default());
        let order = SweepOrder { account: Some(account()), round: stage.now() };
        let deadline = after(stage.now(), SignedDuration::from_mins(4));
        settled.push(sweep.carry_out(&order, deadline).await.unwrap().settled);
        stage.pass(SignedDuration::from_mins(6));
        stage.live().await;
    }
    assert_eq!(settled, [0, 1, 0]);
    assert_eq!((stage.status(&comment).await, stage.sends()), ("SENT", 1));
}

/// The person may write the very same, and so may a person of the account: then nothing tells which of the two it was.
#[tokio::test]
async fn a_persons_identical_text_proves_nothing() {
    let stage = Stage::new(ON_A_POST).await;
    let lost = in_doubt(&stage, "900", false).await;
    stage.instagram.message(&account(), &UserId::parse("900").unwrap(), None, "The guide");
    assert_eq!(stage.sweep().await.settled, 0);
    assert_eq!(stage.status(&lost).await, "UNCONFIRMED");
}

/// It arrived, and a person of the account wrote the very same by hand a moment later: two messages fit.
#[tokio::test]
async fn what_a_person_of_the_account_wrote_too_leaves_it_to_a_person() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", true).await;
    stage.instagram.message(&account(), &UserId::parse("900").unwrap(), None, "hello?");
    let body = serde_json::json!({ "recipient": { "id": "900" }, "message": { "text": "The guide" } });
    let url = format!("{}/v25.0/{}/messages", stage.base(), account());
    let by_hand =
        reqwest::Client::new().post(url).bearer_auth("sweep-token").json(&body).send().await.unwrap();
    assert_eq!(by_hand.status(), 200);
    assert_eq!(stage.sweep().await.settled, 0);
    assert_eq!((stage.status(&comment).await, stage.inbox("900").len()), ("UNCONFIRMED", 3));
}

/// Instagram's clock goes a minute ahead or behind; a message from long before is never taken for it.
#[tokio::test]
async fn clocks_may_differ_by_a_minute() {
    for (skew, settled) in [(-59, 1), (59, 1), (-75, 0)] {
        let stage = Stage::new(ON_A_POST).await;
        let theirs = after(stage.now(), SignedDuration::from_secs(skew));
        stage.their_clock.set(theirs);
        let comment = in_doubt(&stage, "900", true).await;
        assert_eq!(stage.sweep().await.settled, settled, "{skew} s");
        let wanted = if settled == 1 { "SENT" } else { "UNCONFIRMED" };
        assert_eq!(stage.status(&comment).await, wanted, "{skew} s");
    }
}

/// The invocation that had claimed it was gone before it could settle.
#[tokio::test]
async fn a_claim_that_nobody_settled_is_unconfirmed_a_minute_after_its_time() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = stage.comment("900", "LINK");
    stage.tell(&comment).await;
    stage.work().await;
    let mut claimed = stage.dm(&comment).await.unwrap();
    let other = stage.comment("901", "LINK");
    claimed.key = dm(&other);
    claimed.user = UserId::parse("901").unwrap();
    claimed.state = State::Claimed { doubt: None };
    let claim = Claim {
        id: ClaimId::parse("0123456789abcdef0123456789abcdef").unwrap(),
        expires_at: after(stage.now(), SignedDuration::from_secs(120)),
        ..claimed.claim.clone().unwrap()
    };
    claimed.claim = Some(claim);
    let written = stage.memory.ledger.put_send(&claimed, &Expect::Absent).await.unwrap();
    assert_eq!(written, Written::Done);
    stage.pass(SignedDuration::from_secs(179));
    assert_eq!(stage.sweep().await.doubted, 0);
    assert_eq!(stage.status(&other).await, "PENDING");
    stage.pass(SignedDuration::from_secs(1));
    let summary = stage.sweep().await;
    assert_eq!((summary.doubted, summary.looked_up, summary.settled), (1, 1, 0), "{summary:?}");
    let row = stage.row(&other).await.unwrap();
    assert!(row.status == "UNCONFIRMED" && row.reason.unwrap().contains("ended before"));
    assert_eq!(stage.sends(), 1);
}

/// What a person is shown before they decide.
#[tokio::test]
async fn the_evidence_shows_what_fits() {
    let stage = Stage::new(ON_A_POST).await;
    let comment = in_doubt(&stage, "900", true).await;
    stage.instagram.message(&account(), &UserId::parse("900").unwrap(), None, "thanks");
    let memory = &stage.memory;
    let send = stage.dm(&comment).await.unwrap();
    let graph = Graph::new(GraphConfig { base: stage.base(), ..GraphConfig::default() }).unwrap();
    let found = evidence(&memory.ledger, &memory.vault, &graph, &send).await.unwrap();
    assert_eq!((found.text.as_deref(), found.shown.len(), found.fitting.len()), (Some("The guide"), 2, 1));
    let SendKey { trigger, .. } = send.key;
    assert_eq!(trigger, dm(&comment).trigger);
}
